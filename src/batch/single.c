// SPDX-License-Identifier: Apache-2.0
// A sample of a batch in double precision beside single, and how far they are apart.
#include "batch/single.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "batch/inside.h"

#define EVERY 64  // points; of few points more, of very many fewer
#define LEAST 8

// Point k n / m, rounded down, for k = 0 ... m - 1.
bool jbatch_is_sampled(int n, int i) {
  int64_t m = n / EVERY;
  if (m < LEAST) m = LEAST;
  if (m > JBATCH_SAMPLE_MOST) m = JBATCH_SAMPLE_MOST;
  if (n <= m) return true;
  int64_t k = (i * m + n - 1) / n;
  return k * n / m == i;
}

// ---- sizes of differences --------------------------------------------------------------------------

jbatch_error jbatch_error_none(jarena* a, int n) {
  return (jbatch_error){n, JARENA_ARRAY(a, n, double), JARENA_ARRAY(a, n, double)};
}

void jbatch_error_add(jbatch_error* e, const double* number, const double* difference) {
  for (int i = 0; i < e->n; i++) {
    e->off[i] = fmax(e->off[i], difference[i]);
    // one of two numbers is at least half as large as what they differ by
    if (isfinite(difference[i]))
      e->most[i] = fmax(e->most[i], fmax(fabs(number[i]), difference[i]));
  }
}

double jbatch_error_worst(const jbatch_error* e) {
  double worst = 0.0;
  for (int i = 0; i < e->n; i++) {
    if (e->off[i] > 0.0) worst = fmax(worst, e->off[i] / e->most[i]);
  }
  return worst;
}

// ---- a sample --------------------------------------------------------------------------------------

jo_status jbatch_single_create(jbatch* b) {
  jbatch_options opt = b->opt;
  opt.device = JBATCH_DEVICE_CPU;
  opt.single = opt.fused = opt.outputs = false;
  opt.nhistory = 0;
  opt.progress = NULL;
  return jbatch_create(b->ctx, b->sens, &opt, &b->twin);
}

static void subtract(const double* a, const double* b, bool agree, int n, double* out) {
  for (int i = 0; i < n; i++)
    out[i] = agree ? fabs(a[i] - b[i]) : INFINITY;
}

// Points that fail in both ways have no difference.
static void compare(jbatch* b, int k) {
  const jbatch* twin = b->twin;
  int64_t i = b->sample[k], n = b->nobjective, all = n * b->nw;
  bool fails = b->point[i].status < 0, twin_fails = twin->point[k].status < 0;
  double *value = b->value_difference + k * n, *gradient = b->gradient_difference + k * all;
  memset(value, 0, (size_t)n * sizeof *value);
  memset(gradient, 0, (size_t)all * sizeof *gradient);
  if (fails && twin_fails) return;
  subtract(b->value + i * n, twin->value + k * n, fails == twin_fails, (int)n, value);
  subtract(b->gradient + i * all, twin->gradient + k * all, fails == twin_fails, (int)all,
           gradient);
}

static jo_status make_room(jbatch* b, int n) {
  size_t all = (size_t)n * (size_t)b->nobjective;
  b->sample = jmem_resize(b->ctx, NULL, ((size_t)n + 1) * sizeof *b->sample);
  b->value_difference = jmem_resize(b->ctx, NULL, (all + 1) * sizeof(double));
  b->gradient_difference = jmem_resize(b->ctx, NULL, (all * (size_t)b->nw + 1) * sizeof(double));
  bool ok = b->sample && b->value_difference && b->gradient_difference;
  return ok ? JO_OK : jerr_memory(b->ctx);
}

static jo_status judge(jbatch* b) {
  jarena a;
  jarena_init(&a, b->ctx);
  int n = b->nobjective, all = n * b->nw;
  jbatch_error value = jbatch_error_none(&a, n), gradient = jbatch_error_none(&a, all);
  bool ok = value.off && value.most && gradient.off && gradient.most;
  for (int k = 0; ok && k < b->nsample; k++) {
    int64_t i = b->sample[k];
    jbatch_error_add(&value, b->value + i * n, b->value_difference + (int64_t)k * n);
    jbatch_error_add(&gradient, b->gradient + i * all, b->gradient_difference + (int64_t)k * all);
  }
  if (ok) b->value_error = jbatch_error_worst(&value);
  if (ok) b->gradient_error = jbatch_error_worst(&gradient);
  jarena_free(&a);
  return ok ? JO_OK : jerr_memory(b->ctx);
}

static jo_status run_sample(jbatch* b, const double* x, const int* sample, int n, double* x_of) {
  int each = b->opt.nnumber, road[JBATCH_SAMPLE_MOST];
  JASSERT(n <= JBATCH_SAMPLE_MOST);
  for (int k = 0; k < n; k++) {
    memcpy(x_of + (int64_t)k * each, x + (int64_t)sample[k] * each, (size_t)each * sizeof *x);
    road[k] = b->point[sample[k]].road - 1;
  }
  JO_TRY(jbatch_run_on(b->twin, n, x_of, road));
  JO_TRY(make_room(b, n));
  memcpy(b->sample, sample, (size_t)n * sizeof *sample);
  b->nsample = n;
  for (int k = 0; k < n; k++)
    compare(b, k);
  return judge(b);
}

jo_status jbatch_single_sample(jbatch* b, const double* x) {
  int sample[JBATCH_SAMPLE_MOST], n = 0;
  for (int i = 0; i < b->n; i++) {
    if (jbatch_is_sampled(b->n, i) && b->point[i].way != JBATCH_WAY_NONE) sample[n++] = i;
  }
  return jbatch_single_check(b, x, sample, n);
}

// The twin has no memory but while it runs: that is of the context of the batch, which may be another next time.
jo_status jbatch_single_check(jbatch* b, const double* x, const int* sample, int n) {
  jo_context* was = b->twin->ctx;
  double* x_of = jmem_resize(b->ctx, NULL, ((size_t)n * (size_t)b->opt.nnumber + 1) * sizeof *x_of);
  if (!x_of) return jerr_memory(b->ctx);
  b->twin->ctx = b->ctx;
  jo_status status = run_sample(b, x, sample, n, x_of);
  jbatch_clear(b->twin);
  b->twin->ctx = was;
  jmem_free(b->ctx, x_of);
  return status;
}

void jbatch_single_clear(jbatch* b) {
  jmem_free(b->ctx, b->sample);
  jmem_free(b->ctx, b->value_difference);
  jmem_free(b->ctx, b->gradient_difference);
  b->sample = NULL;
  b->value_difference = b->gradient_difference = NULL;
  b->value_error = b->gradient_error = 0.0;
  b->nsample = 0;
}
