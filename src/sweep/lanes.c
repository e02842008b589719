// SPDX-License-Identifier: Apache-2.0
// Points of a sweep side by side: chunks of them by a batch, which has threads of its own.
#include <math.h>
#include <string.h>

#include "batch/doubt.h"
#include "batch/single.h"
#include "sweep/parts.h"

#define ON_DEVICE 131072  // points
#define GROUPS    16      // of lanes for each thread

static jo_status refuse(const jsweep* s, const char* what, const char* hint) {
  return jerr_set(s->ctx, JO_ERR_ARGUMENT, "points side by side %s; hint: %s", what, hint);
}

static jo_status check(const jsweep* s) {
  if (s->run.frozen) return refuse(s, "have events that move", "without frozen events");
  if (s->nw > 0 && s->method != JSENS_DIRECT) {
    return refuse(s, "have derivatives by the direct method alone", "choose it");
  }
  return JO_OK;
}

static jo_status make_batch(jsweep* s, const jsweep_options* opt) {
  jbatch_options o = jbatch_options_default(s->model);
  o.run = s->run;
  o.run.p = s->p;
  o.number = s->parameter;
  o.nnumber = s->nrange;
  o.gradient = s->nw > 0;
  o.workers = s->workers;
  o.device = opt->device;
  o.fused = opt->fused;
  o.single = opt->single;
  JO_TRY(jbatch_create(s->ctx, s->sens, &o, &s->batch));
  s->single.is_single = s->batch->twin != NULL;
  return JO_OK;
}

// Values of a chunk's parameters, a row per point; memory of `ctx`.
static double* values_of(jo_context* ctx, const jsweep* s, const int* index, int n) {
  double* x = jmem_resize(ctx, NULL, ((size_t)n * (size_t)s->nrange + 1) * sizeof *x);
  for (int k = 0; x && k < n; k++) {
    jsweep_design_at(s->design, index[k], x + (size_t)k * (size_t)s->nrange);
  }
  return x;
}

static jo_status take(jo_context* ctx, const jsweep* s, int k, jsweep_point* p) {
  const jbatch* b = s->batch;
  const jbatch_point* from = &b->point[k];
  int n = s->nobjective, all = n * s->nw;
  p->status = from->status;
  p->events = from->events;
  for (int o = 0; o < n; o++) {
    p->value[o] = b->value[(int64_t)k * n + o];
  }
  for (int i = 0; i < all; i++) {
    p->gradient[i] = b->gradient[(int64_t)k * all + i];
  }
  if (p->status >= 0) {
    if (from->unresolved > 0) p->verdict.unresolved = from->unresolved;
    if (from->unresolved > 0) p->verdict.resolving = from->resolving;
    p->verdict.growth = from->rested.growth;
    p->verdict.growing = from->rested.growing;
    p->verdict.wheels = from->wheels;
    return jsweep_tell(ctx, s, from->message, p);
  }
  const char* text = from->message ? from->message : jo_status_text(p->status);
  p->message = jmem_resize(ctx, NULL, strlen(text) + 1);
  if (!p->message) return jerr_memory(ctx);
  memcpy(p->message, text, strlen(text) + 1);
  return JO_OK;
}

// Points of a chunk that are in a sample of the whole sweep: the same ones however points are shared out.
static int find_sample(const jsweep* s, bool (*is_in)(int n, int i), const int* index, int n,
                       int* sample) {
  int found = 0;
  for (int k = 0; k < n; k++) {
    if (is_in(s->npoint, index[k])) sample[found++] = k;
  }
  return found;
}

static void take_differences(const jsweep* s, int k, jsweep_point* p) {
  const jbatch* b = s->batch;
  int n = s->nobjective, all = n * s->nw;
  if (p->status < 0) return;
  for (int o = 0; o < n; o++) {
    double off = b->value_difference[(int64_t)k * n + o];
    p->verdict.value[o].single = off > 0.0 ? off / fabs(p->value[o]) : 0.0;
  }
  for (int i = 0; i < all; i++)
    p->error[i] = b->gradient_difference[(int64_t)k * all + i];
}

// Of the points in the sample whether their values are in doubt.
static jo_status check_values(const jsweep* s, const int* index, int n, const double* x,
                              jsweep_point* point) {
  int sample[JBATCH_CHECK_MOST];
  jsens_verdict verdict[JBATCH_CHECK_MOST];
  int found = find_sample(s, jbatch_is_checked, index, n, sample);
  for (int k = 0; k < found; k++)
    verdict[k] = point[sample[k]].verdict;
  jo_status status = jbatch_check(s->batch, x, sample, found, verdict);
  for (int k = 0; k < found; k++)
    point[sample[k]].verdict = verdict[k];
  return status;
}

// One chunk at a time: the batch works with the context of this thread, and has threads of its own.
static jo_status evaluate(void* user, jo_context* ctx, const jsweep* s, const int* index, int n,
                          jsweep_point* point) {
  jbatch* b = user;
  jo_context* was = b->ctx;
  double* x = values_of(ctx, s, index, n);
  if (!x) return jerr_memory(ctx);
  b->ctx = ctx;
  int sample[JBATCH_SAMPLE_MOST], nsample = 0;
  if (s->single.is_single) nsample = find_sample(s, jbatch_is_sampled, index, n, sample);
  jo_status status = jbatch_run_checked(b, n, x, sample, nsample);
  if (status >= 0) status = check_values(s, index, n, x, point);
  for (int k = 0; k < n && status >= 0; k++) {
    status = take(ctx, s, k, &point[k]);
  }
  for (int k = 0; k < nsample && status >= 0; k++) {
    take_differences(s, k, &point[sample[k]]);
  }
  jbatch_clear(b);
  b->ctx = was;
  jmem_free(ctx, x);
  return status;
}

// Points at once: enough for all threads to be busy until the last of them ends; a device takes many, unless others of a
// team wait for them.
static int chunk_for(const jsweep* s, int workers) {
  const jbatch* b = s->batch;
  bool is_device = b->device, is_alone = !s->team || s->team->size == 1;
  if (is_device) return is_alone ? ON_DEVICE : JSWEEP_CHUNK;
  int n = GROUPS * workers * (b->march ? b->march->lanes : 1);
  return n < JSWEEP_CHUNK ? n : JSWEEP_CHUNK;
}

jo_status jsweep_use_lanes(jsweep* s, const jsweep_options* opt) {
  JO_TRY(check(s));
  JO_TRY(make_batch(s, opt));
  s->evaluator = (jsweep_evaluator){chunk_for(s, s->workers), s->batch, evaluate};
  s->workers = 1;  // the batch has the others
  if (s->batch->why_alone) {
    jerr_notice(s->ctx, "points are run one by one, not side by side: %s", s->batch->why_alone);
  }
  return JO_OK;
}

static jo_status add_sample(jsweep* s, jsweep_cursor* c, jbatch_error* value,
                            jbatch_error* gradient, double* off) {
  for (int i = 0; i < s->npoint; i++) {
    const jsweep_point* p;
    const double* x;
    if (!jbatch_is_sampled(s->npoint, i) || !jsweep_is_done(s, i)) continue;
    JO_TRY(jsweep_at(c, i, &p, &x));
    if (p->status < 0) continue;
    for (int o = 0; o < s->nobjective; o++) {
      double single = p->verdict.value[o].single;
      off[o] = isinf(single) ? INFINITY : single * fabs(p->value[o]);
    }
    jbatch_error_add(value, p->value, off);
    jbatch_error_add(gradient, p->gradient, p->error);
    s->single.checked++;
  }
  return JO_OK;
}

jo_status jsweep_judge_single(jsweep* s) {
  bool is_elsewhere = s->team && s->team->rank > 0;
  if (!s->single.is_single || is_elsewhere) return JO_OK;
  jarena a;
  jsweep_cursor c;
  jarena_init(&a, s->ctx);
  int n = s->nobjective, all = n * s->nw;
  jbatch_error value = jbatch_error_none(&a, n), gradient = jbatch_error_none(&a, all);
  double* off = JARENA_ARRAY(&a, n, double);
  bool ok = value.off && value.most && gradient.off && gradient.most && off;
  jo_status status = ok ? jsweep_look(s->ctx, &a, s, &c) : jerr_memory(s->ctx);
  s->single.checked = 0;
  if (status >= 0) status = add_sample(s, &c, &value, &gradient, off);
  if (status >= 0) {
    s->single.value_error = jbatch_error_worst(&value);
    s->single.gradient_error = jbatch_error_worst(&gradient);
  }
  jarena_free(&a);
  return status;
}
