// SPDX-License-Identifier: Apache-2.0
// Running a batch: points in groups of lanes, groups on threads. Each point finds its start by itself, as a run does.
#include <math.h>
#include <string.h>

#include "base/thread.h"
#include "batch/batch.h"
#include "batch/inside.h"
#include "batch/trail.h"
#include "plant/guard.h"
#include "plant/simulate.h"
#include "plant/start.h"

#define MAX_MESSAGE 1024

// ---- results ---------------------------------------------------------------------------------------

void jbatch_clear(jbatch* b) {
  for (int i = 0; b->point && i < b->n; i++) {
    jmem_free(b->ctx, b->point[i].message);
  }
  jmem_free(b->ctx, b->point);
  jmem_free(b->ctx, b->value);
  jmem_free(b->ctx, b->gradient);
  jmem_free(b->ctx, b->output);
  b->point = NULL;
  b->value = b->gradient = b->output = NULL;
  b->n = 0;
}

static double* numbers(jbatch* b, int n, int each) {
  size_t all = (size_t)n * (size_t)each;
  double* x = jmem_resize(b->ctx, NULL, (all + 1) * sizeof *x);
  for (size_t i = 0; x && i < all; i++) {
    x[i] = NAN;
  }
  return x;
}

static jo_status make_room(jbatch* b, int n) {
  jbatch_clear(b);
  b->value = numbers(b, n, b->nobjective);
  b->gradient = numbers(b, n, b->nobjective * b->nw);
  b->output = numbers(b, n, b->noutput);
  b->point = jmem_resize(b->ctx, NULL, ((size_t)n + 1) * sizeof *b->point);
  if (!b->value || !b->gradient || !b->output || !b->point) {
    jbatch_clear(b);
    return jerr_memory(b->ctx);
  }
  memset(b->point, 0, (size_t)n * sizeof *b->point);
  b->n = n;
  return JO_OK;
}

jo_status jbatch_note_failure(jo_context* ctx, int said, jbatch_point* p, jo_status status) {
  if (status == JO_ERR_MEMORY) return status;
  int last = jo_context_diagnostic_count(ctx) - 1;
  const char* text = last >= said ? jo_context_diagnostic(ctx, last, NULL) : jo_status_text(status);
  size_t n = strlen(text) < MAX_MESSAGE ? strlen(text) : MAX_MESSAGE;
  p->status = status;
  p->message = jmem_resize(ctx, NULL, n + 1);
  if (!p->message) return jerr_memory(ctx);
  memcpy(p->message, text, n);
  p->message[n] = '\0';
  jerr_forget(ctx, said);
  return JO_OK;
}

// ---- a point by itself -----------------------------------------------------------------------------

static jo_status end_outputs(jo_context* ctx, const jbatch* b, const double* values, int i) {
  const jsens_options* o = &b->opt.run;
  jplant_simulate_options opt = jplant_simulate_options_default();
  opt.method = jsolve_method_name(o->solve.method);
  opt.t_end = o->t_end;
  opt.rel_tol = o->solve.rel_tol;
  opt.abs_tol = o->solve.abs_tol;
  opt.step = o->solve.step;
  opt.output_step = o->t_end - o->t_start;
  opt.p = values;
  jplant_result* r = NULL;
  jo_status status = jplant_simulate(ctx, b->sens->plant, &opt, &r);
  for (int k = 0; status >= 0 && k < b->noutput; k++) {
    b->output[(int64_t)i * b->noutput + k] = jplant_result_outputs(r)[k].value;
  }
  jplant_result_destroy(r);
  return status;
}

// Numbers that nothing has a derivative by, as the jsens says: adjoint batches have a column for them all the same.
static void clear_missing(jbatch* b, int i) {
  double* gradient = b->gradient + (int64_t)i * b->nobjective * b->nw;
  for (int k = 0; k < b->nobjective * b->nw; k++) {
    if (b->sens->why[k % b->nw]) gradient[k] = NAN;
  }
}

static jo_status compute_alone(jo_context* ctx, jbatch* b, const double* values, int i) {
  jbatch_point* p = &b->point[i];
  jsens_options opt = b->opt.run;
  opt.p = values;
  opt.estimate = false;
  jsens_result* r = NULL;
  p->way = JBATCH_WAY_ALONE;
  jo_status status = jsens_check(ctx, b->sens, &opt, true);
  if (status >= 0) status = jsens_run(ctx, b->sens, jbatch_method(b), &opt, &r);
  if (status >= 0 && b->noutput > 0) status = end_outputs(ctx, b, values, i);
  if (status >= 0) {
    int64_t n = (int64_t)b->nobjective * b->nw;
    memcpy(b->value + (int64_t)i * b->nobjective, r->value,
           (size_t)b->nobjective * sizeof *r->value);
    if (n > 0) memcpy(b->gradient + i * n, r->gradient, (size_t)n * sizeof *r->gradient);
    clear_missing(b, i);
    p->steps = r->statistics.steps;
    p->events = r->statistics.events;
  }
  jsens_result_destroy(r);
  return status;
}

jo_status jbatch_alone(jo_context* ctx, jbatch* b, const double* values, int i) {
  int said = jo_context_diagnostic_count(ctx);
  jo_status status = compute_alone(ctx, b, values, i);
  if (status < 0) return jbatch_note_failure(ctx, said, &b->point[i], status);
  jerr_forget(ctx, said);
  return JO_OK;
}

// ---- a group of lanes ------------------------------------------------------------------------------

typedef struct host {
  jbatch* b;
  jo_context* ctx;
  jarena arena;
  const jkernel* kernel[JBATCH_FUNCTIONS];
  double* work[JBATCH_FUNCTIONS];
  jplant_work* run;      // for starts and ends
  jbatch_trails trails;  // of batches that weigh
  jbatch_group group;
  double* values;  // of the live numbers (lanes x np)
  int first, n;    // points
} host;

void jbatch_eval(void* user, int f, const double* const* in, double* const* out) {
  host* h = user;
  jkernel_eval(h->kernel[f], in, out, h->work[f]);
}

int jbatch_keep_step(void* user, int l) {
  host* h = user;
  return jbatch_trails_step(&h->trails, &h->group, l);
}

int jbatch_keep_flip(void* user, int l, int k, int kind) {
  host* h = user;
  return jbatch_trails_flip(&h->trails, &h->group, l, k, kind);
}

static const jplant_kernels* kernels_of(const jbatch* b, int f) {
  return f < JBATCH_RHS_ALONG ? b->values : f < JBATCH_RHS_BACK ? b->along : b->back;
}

static jo_status bind_kernels(host* h) {
  static const jgen_fn of[JBATCH_FUNCTIONS] = {
      JGEN_FN_RHS,     JGEN_FN_PROJECT,   JGEN_FN_SWITCHES, JGEN_FN_OBJECTIVE,
      JGEN_FN_OUTPUTS, JGEN_FN_REDUNDANT, JGEN_FN_ROLLING,  JGEN_FN_DRIVE,
      JGEN_FN_RHS,     JGEN_FN_PROJECT,   JGEN_FN_SWITCHES, JGEN_FN_OBJECTIVE,
      JGEN_FN_RHS,     JGEN_FN_PROJECT,   JGEN_FN_SWITCHES, JGEN_FN_OBJECTIVE};
  for (int f = 0; f < JBATCH_FUNCTIONS; f++) {
    const jplant_kernels* set = kernels_of(h->b, f);
    h->kernel[f] = set ? set->of[of[f]] : NULL;
    if (!h->kernel[f]) continue;
    h->work[f] = jplant_kernels_vector(&h->arena, h->kernel[f]->work);
    if (!h->work[f]) return jerr_memory(h->ctx);
    jkernel_init_work(h->kernel[f], h->work[f]);
  }
  return JO_OK;
}

static jo_status prepare(host* h) {
  jbatch* b = h->b;
  jbatch_group* g = &h->group;
  g->rule = &b->rule;
  g->host = h;
  g->road = jdata_as_input(jmodel_road_data(b->sens->plant->model));
  double* store = jplant_kernels_vector(&h->arena, (size_t)b->march->carve(g, NULL));
  h->values = JARENA_ARRAY(&h->arena, b->march->lanes * b->rule.np, double);
  if (!store || !h->values) return jerr_memory(h->ctx);
  b->march->carve(g, store);
  JO_TRY(bind_kernels(h));
  if (b->rule.weighs) JO_TRY(jbatch_trails_begin(&h->trails, h->ctx, &h->arena, b));
  return jplant_work_create(h->ctx, b->sens->plant, &h->run);
}

void jbatch_set_values(const jbatch* b, const double* x, double* values) {
  const jgen_dynamics* d = b->sens->plant->dynamics;
  memcpy(values, b->opt.run.p ? b->opt.run.p : d->p, (size_t)d->np * sizeof *values);
  for (int k = 0; k < b->opt.nnumber; k++) {
    values[b->slot[k]] = x[k];
  }
}

// A start with values of the numbers, and whether a run may begin there; modes of the run are set.
static jo_status begin_point(jo_context* ctx, jarena* a, const jbatch* b, jplant_work* run,
                             const double* values, jplant_start* out) {
  const jplant* p = b->sens->plant;
  const jsens_options* o = &b->opt.run;
  memcpy(run->p, values, (size_t)b->rule.np * sizeof *values);
  memset(run->mode, 0, (size_t)b->rule.nswitch * sizeof *run->mode);
  JO_TRY(jplant_start_check(ctx, p, values));
  JO_TRY(jplant_guard_windows(run, o->t_start, o->t_end));
  JO_TRY(jplant_start_find(ctx, a, p, b->nw, values, out));
  JO_TRY(jsens_check_start(ctx, b->sens, b->nw, out->why));
  JO_TRY(jplant_guard_start(run, o->t_start, out->y));
  memset(run->mode, 0, (size_t)b->rule.nswitch * sizeof *run->mode);
  jsolve_set_modes(&run->system, o->t_start, out->y, run->g);
  return JO_OK;
}

jo_status jbatch_find_start(jo_context* ctx, jarena* a, const jbatch* b, jplant_work* run,
                            const double* values, jbatch_start to) {
  const jbatch_rule* r = &b->rule;
  jplant_start start;
  JO_TRY(begin_point(ctx, a, b, run, values, &start));
  const double *y = start.y, *S = start.S;
  if (to.S) *to.S = S;
  for (int i = 0; i < r->ny; i++) {
    to.y[i * to.stride] = y[i];
  }
  for (int i = 0; i < r->ny * r->nw; i++) {
    to.y[(r->ny + i) * to.stride] = S[i];
  }
  for (int i = 0; i < r->nswitch; i++) {
    to.mode[i * to.stride] = run->mode[i];
  }
  for (int i = 0; i < r->np; i++) {
    to.p[i * to.stride] = values[i];
  }
  return JO_OK;
}

static jo_status find_start(host* h, int l) {
  jbatch_group* g = &h->group;
  jbatch_start to = {g->y + l, g->mode + l, g->p + l, h->b->march->lanes, &h->trails.S0[l]};
  const double* values = h->values + (int64_t)l * h->b->rule.np;
  JO_TRY(jbatch_find_start(h->ctx, &h->arena, h->b, h->run, values, to));
  g->lane[l].phase = JBATCH_RUN;
  return JO_OK;
}

// Lanes without a start of their own compute something finite that nobody looks at.
static void fill_lane(jbatch_group* g, int L, int from, int l) {
  const jbatch_rule* r = g->rule;
  for (int i = 0; i < r->ny * (1 + r->nw); i++) {
    g->y[i * L + l] = g->y[i * L + from];
  }
  for (int i = 0; i < r->nswitch; i++) {
    g->mode[i * L + l] = g->mode[i * L + from];
  }
  for (int i = 0; i < r->np; i++) {
    g->p[i * L + l] = g->p[i * L + from];
  }
}

static void take_lane(host* h, int l) {
  jbatch* b = h->b;
  const jbatch_rule* r = &b->rule;
  const jbatch_group* g = &h->group;
  const jbatch_lane* a = &g->lane[l];
  int L = b->march->lanes;
  int64_t i = h->first + l, n = (int64_t)r->nobjective * b->nw;
  jbatch_point* p = &b->point[i];
  p->way = JBATCH_WAY_LANES;
  p->steps = (int64_t)a->steps;
  p->events = (int)a->events;
  for (int k = 0; k < r->nobjective; k++) {
    b->value[i * r->nobjective + k] = g->psi[k * L + l];
    for (int j = 0; j < r->nw; j++) {
      b->gradient[i * n + k * r->nw + j] = g->psi[((1 + j) * r->nobjective + k) * L + l];
    }
  }
  if (r->weighs) jbatch_trails_gradient(&h->trails, l, b->gradient + i * n);
  clear_missing(b, (int)i);
  for (int k = 0; k < r->noutput; k++) {
    b->output[i * r->noutput + k] = g->out[k * L + l];
  }
}

static jo_status compute_group(host* h, const double* x) {
  jbatch* b = h->b;
  jbatch_group* g = &h->group;
  int L = b->march->lanes, good = -1;
  JO_TRY(prepare(h));
  for (int l = 0; l < h->n; l++) {
    int said = jo_context_diagnostic_count(h->ctx);
    double* values = h->values + (int64_t)l * b->rule.np;
    jbatch_set_values(b, x + (int64_t)(h->first + l) * b->opt.nnumber, values);
    g->lane[l].phase = JBATCH_DONE;
    jo_status status = find_start(h, l);
    if (status < 0) JO_TRY(jbatch_note_failure(h->ctx, said, &b->point[h->first + l], status));
    if (status < 0) b->point[h->first + l].way = JBATCH_WAY_ALONE;
    if (status >= 0) good = l;
  }
  if (good < 0) return JO_OK;
  for (int l = 0; l < L; l++) {
    if (l < h->n && g->lane[l].phase == JBATCH_RUN) continue;
    fill_lane(g, L, good, l);
    g->lane[l].phase = JBATCH_DONE;
  }
  b->march->run(g);
  if (b->rule.weighs) JO_TRY(jbatch_trails_walk(&h->trails, g));
  for (int l = 0; l < h->n; l++) {
    jbatch_point* p = &b->point[h->first + l];
    if (p->way != JBATCH_WAY_NONE) continue;
    p->left = g->lane[l].why;
    if (g->lane[l].phase == JBATCH_DONE) {
      take_lane(h, l);
    } else {
      JO_TRY(jbatch_alone(h->ctx, b, h->values + (int64_t)l * b->rule.np, h->first + l));
    }
  }
  return JO_OK;
}

typedef struct work {
  jbatch* b;
  const double* x;
  int lanes;
} work;

static jo_status turn(void* user, jo_context* ctx, int k) {
  work* w = user;
  jbatch* b = w->b;
  host h = {.b = b, .ctx = ctx, .first = k * w->lanes};
  h.n = b->n - h.first < w->lanes ? b->n - h.first : w->lanes;
  jarena_init(&h.arena, ctx);
  jo_status status = JO_OK;
  if (b->march) {
    status = compute_group(&h, w->x);
  } else {
    double* values = JARENA_ARRAY(&h.arena, b->sens->plant->dynamics->np, double);
    if (values) jbatch_set_values(b, w->x + (int64_t)k * b->opt.nnumber, values);
    status = values ? jbatch_alone(ctx, b, values, k) : jerr_memory(ctx);
  }
  jbatch_trails_free(&h.trails);
  jplant_work_destroy(h.run);
  jarena_free(&h.arena);
  return status;
}

static bool watch(void* user, int done) {
  const work* w = user;
  const jbatch* b = w->b;
  int points = done * w->lanes < b->n ? done * w->lanes : b->n;
  return !b->opt.progress || b->opt.progress(b->opt.user, points);
}

jo_status jbatch_run(jbatch* b, int n, const double* x) {
  JO_TRY(make_room(b, n));
  if (b->device) return jbatch_device_points(b, x);
  work w = {.b = b, .x = x, .lanes = b->march ? b->march->lanes : 1};
  jthread_loop loop = {.n = (n + w.lanes - 1) / w.lanes,
                       .workers = b->opt.workers,
                       .user = &w,
                       .turn = turn,
                       .watch = watch};
  int done;
  return jthread_run(b->ctx, &loop, &done);
}
