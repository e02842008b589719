// SPDX-License-Identifier: Apache-2.0
// Running a batch on a device: starts are found here, on all processors, and so are points that the device leaves.
#include <math.h>
#include <string.h>

#include "base/system/thread.h"
#include "batch/inside.h"

#define PIECE        64  // points of a turn
#define MESSAGE_SIZE 400

typedef struct work {
  jbatch* b;
  const double* x;
  jbatch_job job;
  double *p, *y, *mode;
  bool is_end;  // of two passes: starts, then ends
} work;

static double* numbers(jbatch* b, int64_t n) {
  return jmem_resize(b->ctx, NULL, ((size_t)n + 1) * sizeof(double));
}

static jo_status make_room(work* w) {
  jbatch* b = w->b;
  const jbatch_rule* r = &b->rule;
  const int64_t n = b->n;
  w->job.n = n;
  w->p = numbers(b, r->np * n);
  w->y = numbers(b, r->ny * (1 + r->nw) * n);
  w->mode = numbers(b, r->nswitch * n);
  w->job.psi = numbers(b, r->nobjective * (1 + r->nw) * n);
  w->job.out = numbers(b, r->noutput * n);
  w->job.history = numbers(b, (int64_t)r->nrow * r->nhistory * n);
  w->job.end = numbers(b, JBATCH_ENDS * n);
  w->job.p = w->p;
  w->job.y = w->y;
  w->job.mode = w->mode;
  bool ok = w->p && w->y && w->mode && w->job.psi && w->job.out && w->job.history && w->job.end;
  return ok ? JO_OK : jerr_memory(b->ctx);
}

static void free_room(work* w) {
  double* const all[] = {w->p, w->y, w->mode, w->job.psi, w->job.out, w->job.history, w->job.end};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    jmem_free(w->b->ctx, all[i]);
}

static double* end_of(const work* w, int what, int i) {
  return &w->job.end[(int64_t)what * w->b->n + i];
}

static jo_status start(work* w, jo_context* ctx, jarena* a, jplant_work* run, double* values,
                       int i) {
  jbatch* b = w->b;
  int said = jo_context_diagnostic_count(ctx);
  jbatch_point* point = &b->point[i];
  jbatch_start to = {.y = w->y + i,
                     .mode = w->mode + i,
                     .p = w->p + i,
                     .stride = b->n,
                     .rested = &point->rested,
                     .wheels = &point->wheels};
  jarena_mark mark = jarena_save(a);
  jo_status status = jbatch_find_start(ctx, a, b, run, values, to);
  jarena_restore(a, mark);
  *end_of(w, JBATCH_END_PHASE, i) = status < 0 ? JBATCH_DONE : JBATCH_RUN;
  if (status < 0) JO_TRY(jbatch_note(ctx, said, &b->point[i], status));
  if (status < 0) b->point[i].way = JBATCH_WAY_ALONE;
  return JO_OK;
}

static void take(work* w, int i) {
  jbatch* b = w->b;
  const jbatch_rule* r = &b->rule;
  const int64_t n = b->n;
  b->point[i].way = JBATCH_WAY_LANES;
  b->point[i].steps = (int64_t)*end_of(w, JBATCH_END_STEPS, i);
  b->point[i].events = (int)*end_of(w, JBATCH_END_EVENTS, i);
  for (int k = 0; k < r->nobjective; k++) {
    int64_t at = (int64_t)i * r->nobjective + k;
    b->value[at] = w->job.psi[k * n + i];
    for (int j = 0; j < r->nw; j++)
      b->gradient[at * r->nw + j] = w->job.psi[((1 + j) * r->nobjective + k) * n + i];
  }
  for (int k = 0; k < b->noutput; k++)
    b->output[(int64_t)i * b->noutput + k] = w->job.out[k * n + i];
  const int64_t rows = (int64_t)r->nrow * r->nhistory;
  for (int64_t k = 0; k < rows; k++)
    b->history[i * rows + k] = w->job.history[k * n + i];
}

static jo_status end(work* w, jo_context* ctx, const double* values, int i) {
  jbatch_point* p = &w->b->point[i];
  if (p->way != JBATCH_WAY_NONE) return JO_OK;
  p->left = (int)*end_of(w, JBATCH_END_WHY, i);
  if (p->left != JBATCH_FINE) return jbatch_alone(ctx, w->b, values, i);
  take(w, i);
  return JO_OK;
}

static jo_status turn(void* user, jo_context* ctx, int k) {
  work* w = user;
  jbatch* b = w->b;
  jarena arena;
  jplant_work* run = NULL;
  jarena_init(&arena, ctx);
  double* values = JARENA_ARRAY(&arena, b->rule.np, double);
  jo_status status = values ? JO_OK : jerr_memory(ctx);
  if (status >= 0 && !w->is_end) status = jplant_work_create(ctx, b->sens->plant, NULL, &run);
  for (int i = k * PIECE; status >= 0 && i < (k + 1) * PIECE && i < b->n; i++) {
    jbatch_set_values(b, w->x + (int64_t)i * b->opt.nnumber, values);
    status = w->is_end ? end(w, ctx, values, i) : start(w, ctx, &arena, run, values, i);
  }
  jplant_work_destroy(run);
  jarena_free(&arena);
  return status;
}

static bool watch(void* user, int done) {
  const work* w = user;
  const jbatch* b = w->b;
  int points = !w->is_end ? 0 : done * PIECE < b->n ? done * PIECE : b->n;
  return !b->opt.progress || b->opt.progress(b->opt.user, points);
}

static jo_status pass(work* w, bool is_end, bool* is_whole) {
  int done;
  w->is_end = is_end;
  jthread_loop loop = {.n = (w->b->n + PIECE - 1) / PIECE,
                       .workers = w->b->opt.workers,
                       .user = w,
                       .turn = turn,
                       .watch = watch};
  JO_TRY(jthread_run(w->b->ctx, &loop, &done));
  *is_whole = done == loop.n;
  return JO_OK;
}

static jo_status run(work* w) {
  jbatch* b = w->b;
  char message[MESSAGE_SIZE] = "";
  bool is_whole;
  JO_TRY(make_room(w));
  JO_TRY(pass(w, false, &is_whole));
  if (!is_whole) return JO_OK;
  if (!b->run_device(&b->rule, &w->job, message, sizeof message))
    return jerr_set(b->ctx, JO_ERR_COMPILER, "device cuda: %s", message);
  b->device_seconds = w->job.seconds;
  return pass(w, true, &is_whole);
}

jo_status jbatch_device_points(jbatch* b, const double* x) {
  work w = {.b = b, .x = x};
  jo_status status = b->n > 0 ? run(&w) : JO_OK;
  free_room(&w);
  return status;
}
