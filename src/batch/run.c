// SPDX-License-Identifier: Apache-2.0
// Running a batch: points in groups of lanes, groups on threads. Each point finds its start by itself, as a run does.
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/system/thread.h"
#include "batch/batch.h"
#include "batch/inside.h"
#include "batch/trail.h"
#include "plant/run.h"
#include "plant/start/wheels.h"

#define MAX_MESSAGE 1024

// ---- results ---------------------------------------------------------------------------------------

void jbatch_clear(jbatch* b) {
  jbatch_single_clear(b);
  for (int i = 0; b->point && i < b->n; i++) {
    jmem_free(b->ctx, b->point[i].message);
  }
  jmem_free(b->ctx, b->point);
  jmem_free(b->ctx, b->value);
  jmem_free(b->ctx, b->gradient);
  jmem_free(b->ctx, b->output);
  jmem_free(b->ctx, b->history);
  b->point = NULL;
  b->value = b->gradient = b->output = b->history = NULL;
  b->n = 0;
}

static double* numbers(jbatch* b, int n, int64_t each) {
  size_t all = (size_t)n * (size_t)each;
  double* x = jmem_resize(b->ctx, NULL, (all + 1) * sizeof *x);
  for (size_t i = 0; x && i < all; i++) {
    x[i] = NAN;
  }
  return x;
}

static jo_status make_room(jbatch* b, int n) {
  jbatch_clear(b);
  JO_TRY(jbatch_history_check(b, n));
  b->value = numbers(b, n, b->nobjective);
  b->gradient = numbers(b, n, b->nobjective * b->nw);
  b->output = numbers(b, n, b->noutput);
  b->history = numbers(b, n, (int64_t)b->nrow * b->opt.nhistory);
  b->point = jmem_resize(b->ctx, NULL, ((size_t)n + 1) * sizeof *b->point);
  if (!b->value || !b->gradient || !b->output || !b->history || !b->point) {
    jbatch_clear(b);
    return jerr_memory(b->ctx);
  }
  memset(b->point, 0, (size_t)n * sizeof *b->point);
  b->n = n;
  return JO_OK;
}

jo_status jbatch_note(jo_context* ctx, int said, jbatch_point* p, jo_status status) {
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

const jsens* jbatch_sens_on(const jbatch* b, int road) {
  return road > 0 ? &b->road[road - 1]->sens : b->sens;
}

// ---- a point by itself -----------------------------------------------------------------------------

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
  // steps that are too long for the derivatives show in estimates of their errors alone: sens/error/plan.c
  opt.estimate = b->nw > 0 && !jsolve_method_about(opt.solve.method)->is_fixed;
  opt.compare = false;
  opt.some = true;
  jsens_result* r = NULL;
  p->way = JBATCH_WAY_ALONE;
  const jsens* sens = jbatch_sens_on(b, p->road);
  jo_status status = jsens_run(ctx, sens, jbatch_method(b), &opt, &r);
  int said = jo_context_diagnostic_count(ctx);
  if (status >= 0) status = jsens_check_objectives(ctx, sens, r);
  if (status >= 0 && jo_context_diagnostic_count(ctx) > said) {
    status = jbatch_note(ctx, said, p, JO_OK);
  }
  if (status >= 0) status = jbatch_run_outputs(ctx, b, values, i);
  if (status >= 0) {
    int64_t n = (int64_t)b->nobjective * b->nw;
    memcpy(b->value + (int64_t)i * b->nobjective, r->value,
           (size_t)b->nobjective * sizeof *r->value);
    if (n > 0) memcpy(b->gradient + i * n, r->gradient, (size_t)n * sizeof *r->gradient);
    clear_missing(b, i);
    p->rested = r->rested;
    p->wheels = r->wheels;
    p->steps = r->statistics.steps;
    p->events = r->statistics.events;
    p->unresolved = r->statistics.unresolved;
    p->resolving = r->statistics.resolving;
  }
  jsens_result_destroy(r);
  return status;
}

jo_status jbatch_alone(jo_context* ctx, jbatch* b, const double* values, int i) {
  int said = jo_context_diagnostic_count(ctx);
  jo_status status = compute_alone(ctx, b, values, i);
  if (status < 0) {
    jbatch_history_forget(b, i);
    return jbatch_note(ctx, said, &b->point[i], status);
  }
  jerr_forget(ctx, said);
  return JO_OK;
}

// ---- points that wait --------------------------------------------------------------------------------

typedef struct queue {
  int next, end;  // places in the order
} queue;

// Points of a run: those of one road after another, and threads that take them.
typedef struct work {
  jbatch* b;
  const double* x;
  int* order;             // points (n)
  queue* waits;           // by road, first that of the system (1 + nroad)
  pthread_mutex_t guard;  // of what is below, and of the queues
  int done;
  bool stops;
} work;

// A point of a road; -1: there is none left.
static int take_point(work* w, int road) {
  queue* q = &w->waits[road];
  pthread_mutex_lock(&w->guard);
  int i = !w->stops && q->next < q->end ? w->order[q->next++] : -1;
  pthread_mutex_unlock(&w->guard);
  return i;
}

static void count_point(work* w) {
  pthread_mutex_lock(&w->guard);
  w->done++;
  pthread_mutex_unlock(&w->guard);
}

static void stop(work* w) {
  pthread_mutex_lock(&w->guard);
  w->stops = true;
  pthread_mutex_unlock(&w->guard);
}

static jo_status open_work(work* w) {
  const jbatch* b = w->b;
  int nroad = 1 + b->opt.nroad, at = 0;
  w->order = jmem_resize(b->ctx, NULL, ((size_t)b->n + 1) * sizeof *w->order);
  w->waits = jmem_resize(b->ctx, NULL, (size_t)nroad * sizeof *w->waits);
  if (!w->order || !w->waits) return jerr_memory(b->ctx);
  for (int road = 0; road < nroad; road++) {
    w->waits[road].next = at;
    for (int i = 0; i < b->n; i++) {
      if (b->point[i].road == road) w->order[at++] = i;
    }
    w->waits[road].end = at;
  }
  return JO_OK;
}

static void close_work(work* w) {
  jmem_free(w->b->ctx, w->order);
  jmem_free(w->b->ctx, w->waits);
  pthread_mutex_destroy(&w->guard);
}

// ---- a group of lanes ------------------------------------------------------------------------------

typedef struct host {
  work* w;
  jbatch* b;
  jo_context* ctx;
  jarena arena;
  const jkernel* kernel[JBATCH_FUNCTIONS];
  double* work[JBATCH_FUNCTIONS];
  jplant_work* run;      // for starts and ends
  jbatch_trails trails;  // of batches that weigh
  jbatch_group group;
  double* values;                // of the live numbers (lanes x np)
  int road;                      // of all lanes
  int point[JBATCH_MOST_LANES];  // of each lane; -1: none
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
  static const jgen_fn of[JBATCH_RHS_COMMON] = {
      JGEN_FN_RHS,     JGEN_FN_PROJECT,   JGEN_FN_SWITCHES, JGEN_FN_OBJECTIVE,
      JGEN_FN_OUTPUTS, JGEN_FN_REDUNDANT, JGEN_FN_GUARDS,   JGEN_FN_DRIVE,
      JGEN_FN_RHS,     JGEN_FN_PROJECT,   JGEN_FN_SWITCHES, JGEN_FN_OBJECTIVE,
      JGEN_FN_RHS,     JGEN_FN_PROJECT,   JGEN_FN_SWITCHES, JGEN_FN_OBJECTIVE};
  for (int f = 0; f < JBATCH_RHS_COMMON; f++) {
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
  g->history_stride = 1;
  double* store = jplant_kernels_vector(&h->arena, (size_t)b->march->carve(g, NULL));
  h->values = JARENA_ARRAY(&h->arena, b->march->lanes * b->rule.np, double);
  if (!store || !h->values) return jerr_memory(h->ctx);
  b->march->carve(g, store);
  JO_TRY(bind_kernels(h));
  if (b->rule.weighs) JO_TRY(jbatch_trails_begin(&h->trails, h->ctx, &h->arena, b));
  JO_TRY(jplant_work_create(h->ctx, jbatch_sens_on(b, h->road)->plant, NULL, &h->run));
  g->road = h->run->road;
  return JO_OK;
}

void jbatch_set_values(const jbatch* b, const double* x, double* values) {
  const jgen_dynamics* d = b->sens->plant->dynamics;
  memcpy(values, b->opt.run.p ? b->opt.run.p : d->p, (size_t)d->np * sizeof *values);
  for (int k = 0; k < b->opt.nnumber; k++) {
    values[b->slot[k]] = x[k];
  }
}

jo_status jbatch_find_start(jo_context* ctx, jarena* a, const jbatch* b, jplant_work* run,
                            const double* values, jbatch_start to) {
  const jbatch_rule* r = &b->rule;
  jplant_start start;
  jplant_run_options o = {.p = values, .nw = b->nw, .t_end = b->opt.run.t_end, .is_quiet = true};
  JO_TRY(jplant_run_begin(run, a, &o, &start));
  JO_TRY(jsens_check_start(ctx, b->sens, b->nw, start.why));
  const double *y = start.y, *S = start.S;
  if (to.S) *to.S = S;
  *to.rested = start.rested;
  JO_TRY(jplant_wheels_look(run, y, to.wheels));
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

static double* values_of(const host* h, int l) {
  return h->values + (int64_t)l * h->b->rule.np;
}

static double* history_of(const jbatch* b, int i) {
  return b->nrow > 0 ? b->history + (int64_t)i * b->nrow * b->opt.nhistory : NULL;
}

static jo_status find_start(host* h, int l) {
  jbatch_group* g = &h->group;
  const double* S = NULL;
  jbatch_point* point = &h->b->point[h->point[l]];
  jbatch_start to = {.y = g->y + l,
                     .mode = g->mode + l,
                     .p = g->p + l,
                     .stride = h->b->march->lanes,
                     .S = &S,
                     .rested = &point->rested,
                     .wheels = &point->wheels};
  jarena_mark mark = jarena_save(&h->arena);
  jo_status status = jbatch_find_start(h->ctx, &h->arena, h->b, h->run, values_of(h, l), to);
  if (status >= 0 && h->b->rule.weighs) jbatch_trails_start(&h->trails, l, S);
  jarena_restore(&h->arena, mark);
  return status;
}

// The next point that has a start goes into lane l.
static jo_status begin_lane(host* h, int l) {
  jbatch* b = h->b;
  jbatch_group* g = &h->group;
  g->lane[l].phase = JBATCH_DONE;
  while ((h->point[l] = take_point(h->w, h->road)) >= 0) {
    int i = h->point[l], said = jo_context_diagnostic_count(h->ctx);
    jbatch_set_values(b, h->w->x + (int64_t)i * b->opt.nnumber, values_of(h, l));
    jo_status status = find_start(h, l);
    if (status >= 0) {
      g->lane[l].phase = JBATCH_RUN;
      g->lane[l].is_new = 1;
      g->history[l] = history_of(b, i);
      jerr_forget(h->ctx, said);
      return JO_OK;
    }
    JO_TRY(jbatch_note(h->ctx, said, &b->point[i], status));
    b->point[i].way = JBATCH_WAY_ALONE;
    count_point(h->w);
  }
  return JO_OK;
}

static void take_lane(host* h, int l) {
  jbatch* b = h->b;
  const jbatch_rule* r = &b->rule;
  const jbatch_group* g = &h->group;
  const jbatch_lane* a = &g->lane[l];
  int L = b->march->lanes;
  int64_t i = h->point[l], n = (int64_t)r->nobjective * b->nw;
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
  for (int k = 0; k < b->noutput; k++) {
    b->output[i * b->noutput + k] = g->out[k * L + l];
  }
}

// What came out of the point of a lane that has ended.
static jo_status end_lane(host* h, int l) {
  jbatch_point* p = &h->b->point[h->point[l]];
  p->left = h->group.lane[l].why;
  if (p->left == JBATCH_FINE) {
    take_lane(h, l);
  } else {
    JO_TRY(jbatch_alone(h->ctx, h->b, values_of(h, l), h->point[l]));
  }
  count_point(h->w);
  return JO_OK;
}

static bool is_under_way(const jbatch_group* g, int L) {
  bool is = false;
  for (int l = 0; l < L; l++) {
    is = is || g->lane[l].phase < JBATCH_DONE;
  }
  return is;
}

static int find_good(const host* h) {
  int good = h->b->march->lanes - 1;
  while (good >= 0 && h->point[good] < 0) {
    good--;
  }
  return good;
}

// Lanes that have none get a point.
static jo_status begin_lanes(host* h) {
  for (int l = 0; l < h->b->march->lanes; l++) {
    if (h->point[l] < 0) JO_TRY(begin_lane(h, l));
  }
  return JO_OK;
}

// Points of a road until none is left. Of adaptive methods a lane that has ended takes the next one at once. With fixed steps
// lanes end within a few rounds of each other, and wait: as long as they are abreast, what is done at events is done for
// several at once. Ways back are walked together, too.
static jo_status run_lanes(host* h) {
  jbatch_group* g = &h->group;
  int L = h->b->march->lanes;
  bool weighs = h->b->rule.weighs, waits = h->b->rule.is_fixed || weighs;
  JO_TRY(prepare(h));
  for (int l = 0; l < L; l++) {
    h->point[l] = -1;
  }
  JO_TRY(begin_lanes(h));
  int good = find_good(h);
  for (int l = 0; l < L && good >= 0; l++) {
    if (h->point[l] < 0) fill_lane(g, L, good, l);
  }
  while (find_good(h) >= 0) {
    h->b->march->run(g);
    if (weighs && is_under_way(g, L)) continue;
    if (weighs) JO_TRY(jbatch_trails_walk(&h->trails, g));
    for (int l = 0; l < L; l++) {
      if (h->point[l] < 0 || g->lane[l].phase < JBATCH_DONE) continue;
      JO_TRY(end_lane(h, l));
      h->point[l] = -1;
      jbatch_trails_start(&h->trails, l, NULL);
    }
    if (!waits || find_good(h) < 0) JO_TRY(begin_lanes(h));
  }
  return JO_OK;
}

static jo_status run_alone(host* h) {
  jbatch* b = h->b;
  h->values = JARENA_ARRAY(&h->arena, b->sens->plant->dynamics->np, double);
  if (!h->values) return jerr_memory(h->ctx);
  for (int i; (i = take_point(h->w, h->road)) >= 0;) {
    jbatch_set_values(b, h->w->x + (int64_t)i * b->opt.nnumber, h->values);
    JO_TRY(jbatch_alone(h->ctx, b, h->values, i));
    count_point(h->w);
  }
  return JO_OK;
}

static bool has_points(work* w, int road) {
  pthread_mutex_lock(&w->guard);
  bool has = !w->stops && w->waits[road].next < w->waits[road].end;
  pthread_mutex_unlock(&w->guard);
  return has;
}

// Whatever waits, road by road.
static jo_status turn(void* user, jo_context* ctx, int k) {
  (void)k;
  work* w = user;
  jo_status status = JO_OK;
  for (int road = 0; road <= w->b->opt.nroad && status >= 0; road++) {
    if (!has_points(w, road)) continue;
    host h = {.w = w, .b = w->b, .ctx = ctx, .road = road};
    jarena_init(&h.arena, ctx);
    status = w->b->march ? run_lanes(&h) : run_alone(&h);
    jbatch_trails_free(&h.trails);
    jplant_work_destroy(h.run);
    jarena_free(&h.arena);
  }
  if (status < 0) stop(w);
  return status;
}

static bool watch(void* user, int turns) {
  (void)turns;
  work* w = user;
  const jbatch* b = w->b;
  pthread_mutex_lock(&w->guard);
  int done = w->done;
  pthread_mutex_unlock(&w->guard);
  if (!b->opt.progress || b->opt.progress(b->opt.user, done)) return true;
  stop(w);
  return false;
}

static jo_status run_here(jbatch* b, const double* x) {
  int lanes = b->march ? b->march->lanes : 1, turns;
  work w = {.b = b, .x = x};
  jthread_loop loop = {.n = (b->n + lanes - 1) / lanes,
                       .workers = b->opt.workers,
                       .user = &w,
                       .turn = turn,
                       .watch = watch};
  pthread_mutex_init(&w.guard, NULL);
  jo_status status = open_work(&w);
  if (status >= 0) status = jthread_run(b->ctx, &loop, &turns);
  close_work(&w);
  return status;
}

static jo_status run_points(jbatch* b, int n, const double* x, const int* road) {
  for (int i = 0; road && i < n; i++) {
    if (road[i] >= -1 && road[i] < b->opt.nroad) continue;
    return jerr_set(b->ctx, JO_ERR_ARGUMENT, "point %d is on road %d: the batch has %d", i, road[i],
                    b->opt.nroad);
  }
  JO_TRY(make_room(b, n));
  for (int i = 0; i < n; i++) {
    b->point[i].road = road ? 1 + road[i] : 0;
  }
  return b->device ? jbatch_device_points(b, x) : run_here(b, x);
}

jo_status jbatch_run_on(jbatch* b, int n, const double* x, const int* road) {
  JO_TRY(run_points(b, n, x, road));
  return b->twin ? jbatch_single_sample(b, x) : JO_OK;
}

jo_status jbatch_run(jbatch* b, int n, const double* x) {
  return jbatch_run_on(b, n, x, NULL);
}

jo_status jbatch_run_checked(jbatch* b, int n, const double* x, const int* sample, int nsample) {
  JO_TRY(run_points(b, n, x, NULL));
  return b->twin ? jbatch_single_check(b, x, sample, nsample) : JO_OK;
}
