// SPDX-License-Identifier: Apache-2.0
#include "batch/doubt.h"

#include "base/system/thread.h"
#include "batch/inside.h"

#define EVERY 256  // points; of few points more, of very many fewer
#define LEAST 8

// Point k (n - 1) / (m - 1), rounded down, for k = 0 ... m - 1.
bool jbatch_is_checked(int n, int i) {
  int64_t m = n / EVERY;
  if (m < LEAST) m = LEAST;
  if (m > JBATCH_CHECK_MOST) m = JBATCH_CHECK_MOST;
  if (n <= m) return true;
  int64_t k = (i * (m - 1) + n - 2) / (n - 1);
  return k * (n - 1) / (m - 1) == i;
}

typedef struct work {
  const jbatch* b;
  const double* x;
  const int* sample;
  jsens_verdict* out;
} work;

static jo_status judge(jo_context* ctx, const work* w, int k, const double* values) {
  const jbatch* b = w->b;
  const jsens* sens = jbatch_sens_on(b, b->point[w->sample[k]].road);
  jsens_options opt = b->opt.run;
  opt.p = values;
  opt.estimate = opt.compare = false;
  opt.some = opt.check = true;
  jsens_result* r = NULL;
  jo_status status = jsens_run(ctx, sens, JSENS_VALUE, &opt, &r);
  if (status >= 0) jsens_verdict_of(sens->plant->model, r, &w->out[k]);
  if (status == JO_ERR_CONVERGENCE) jsens_verdict_of_failure(sens->plant->model, &w->out[k]);
  jsens_result_destroy(r);
  return status == JO_ERR_MEMORY ? status : JO_OK;
}

static jo_status turn(void* user, jo_context* ctx, int k) {
  const work* w = user;
  const jbatch* b = w->b;
  int i = w->sample[k];
  if (b->point[i].way == JBATCH_WAY_NONE || b->point[i].status < 0) return JO_OK;
  size_t np = (size_t)b->sens->plant->dynamics->np;
  double* values = jmem_resize(ctx, NULL, (np + 1) * sizeof *values);
  if (!values) return jerr_memory(ctx);
  jbatch_set_values(b, w->x + (int64_t)i * b->opt.nnumber, values);
  jo_status status = judge(ctx, w, k, values);
  jmem_free(ctx, values);
  return status;
}

jo_status jbatch_check(jbatch* b, const double* x, const int* sample, int n, jsens_verdict* out) {
  work w = {b, x, sample, out};
  jthread_loop loop = {.n = n, .workers = b->opt.workers, .user = &w, .turn = turn};
  int done;
  return n > 0 && b->nobjective > 0 ? jthread_run(b->ctx, &loop, &done) : JO_OK;
}
