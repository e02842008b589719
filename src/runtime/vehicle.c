// SPDX-License-Identifier: Apache-2.0
// A vehicle is a machine whose functions are those of the generated code, at a time and in a state. Its start is
// found as the library finds it; for the numbers of the model it is part of the tables.
#include "runtime/vehicle.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "machine/equilibrium.h"

#define HYSTERESIS 1e-13  // of an indicator, relative to its largest value so far, at least 1

struct jvehicle {
  const jvehicle_model* model;
  jo_context* ctx;
  jarena arena;
  jmachine machine;
  jsolve_system system;
  jsolve_options options;
  jmachine_position position;
  double t, *y;
  double first_step;  // to go on with, of adaptive methods; 0: chosen [s]
  double* largest;    // of each indicator so far (nindicator)
  double* work;       // of any function
  double* feed;
  double *ydot, *dy, *dp, *ybar, *pbar, *value, dt;  // scratch
};

// ---- functions of the generated code -----------------------------------------------------------------

static void evaluate(jvehicle* v, const jvehicle_function* f, const double* const* in,
                     double* const* out) {
  assert(f->eval);
  f->eval(in, out, v->work);
}

// Inputs of a function of (t, y).
#define INPUTS(v, t, y)                                                               \
  [JVEHICLE_NUMBERS] = (v)->machine.p, [JVEHICLE_TIME] = (t), [JVEHICLE_STATE] = (y), \
  [JVEHICLE_MODES] = (v)->machine.mode, [JVEHICLE_MOMENTUM] = (v)->machine.momentum

static void call(void* host, jmachine_fn f, double t, const double* y, double* const* out) {
  jvehicle* v = host;
  const double* in[JVEHICLE_GROUP_COUNT] = {INPUTS(v, &t, y)};
  evaluate(v, &v->model->fn[f], in, out);
}

static void jacobian(void* user, double t, const double* y, double* J) {
  jvehicle* v = ((jmachine*)user)->host;
  const double* in[JVEHICLE_GROUP_COUNT] = {INPUTS(v, &t, y)};
  evaluate(v, &v->model->jacobian, in, (double* const[]){J});
}

static void feed(void* user, double t, const double* y) {
  jvehicle* v = ((jmachine*)user)->host;
  const double* in[JVEHICLE_GROUP_COUNT] = {INPUTS(v, &t, y)};
  evaluate(v, &v->model->feeds, in, (double* const[]){v->feed});
}

static void local_rates(void* user, double t, const double* y, double* f, double* entry) {
  jvehicle* v = ((jmachine*)user)->host;
  const double* in[JVEHICLE_GROUP_COUNT] = {INPUTS(v, &t, y), [JVEHICLE_FEEDS] = v->feed};
  evaluate(v, &v->model->local_rates, in, (double* const[]){f, entry});
}

static void eval_position(void* host, jmachine_position_fn f, const double* values, double t,
                          const double* q, double* const* out) {
  jvehicle* v = host;
  const double* in[JVEHICLE_GROUP_COUNT] = {values, &t, q};
  evaluate(v, &v->model->position_fn[f], in, out);
}

// Which coordinates nothing determines was decided for the model's numbers.
static jo_status undetermined(void* host, jo_context* ctx, jarena* a, const double* A, bool rates,
                              bool inner, bool* stays) {
  const jvehicle_model* m = ((jvehicle*)host)->model;
  (void)ctx, (void)a, (void)A, (void)inner;
  memcpy(stays, rates ? m->rests : m->stays, (size_t)m->position.nq * sizeof *stays);
  return JO_OK;
}

// ---- making ------------------------------------------------------------------------------------------

static size_t most_work(const jvehicle_model* m) {
  const jvehicle_function* all[] = {
      m->fn,      m->position_fn,      &m->jacobian,        &m->feeds,      m->tangent,
      m->adjoint, &m->closure_tangent, &m->closure_adjoint, &m->local_rates};
  const int n[] = {JMACHINE_FN_COUNT,
                   JMACHINE_POSITION_FN_COUNT,
                   1,
                   1,
                   JVEHICLE_SLOPE_COUNT,
                   JVEHICLE_SLOPE_COUNT,
                   1,
                   1,
                   1};
  size_t most = 1;
  for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
    for (int k = 0; k < n[i]; k++) {
      if (all[i][k].work > most) most = all[i][k].work;
    }
  }
  return most;
}

static int most_values(const jvehicle_model* m) {
  int n = m->nstate > m->noutput ? m->nstate : m->noutput;
  n = n > m->nindicator ? n : m->nindicator;
  n = n > m->about.ny ? n : m->about.ny;
  return n > m->nobjective ? n : m->nobjective;
}

static bool allocate(jvehicle* v) {
  const jvehicle_model* m = v->model;
  jarena* a = &v->arena;
  if (!jmachine_init(&v->machine, v->ctx, a, &m->about, call, v)) return false;
  v->y = JARENA_ARRAY(a, m->about.ny, double);
  v->largest = JARENA_ARRAY(a, m->nindicator, double);
  v->work = JARENA_ARRAY(a, most_work(m), double);
  v->feed = JARENA_ARRAY(a, m->local.nfeed, double);
  v->ydot = JARENA_ARRAY(a, m->about.ny, double);
  v->dy = JARENA_ARRAY(a, m->about.ny, double);
  v->ybar = JARENA_ARRAY(a, m->about.ny, double);
  v->dp = JARENA_ARRAY(a, m->nnumber, double);
  v->pbar = JARENA_ARRAY(a, m->nnumber, double);
  v->value = JARENA_ARRAY(a, most_values(m), double);
  return v->y && v->largest && v->work && v->feed && v->ydot && v->dy && v->ybar && v->dp &&
         v->pbar && v->value;
}

static void connect(jvehicle* v) {
  const jvehicle_model* m = v->model;
  v->system = jmachine_system(&v->machine);
  if (m->jacobian.eval) v->system.jacobian = jacobian;
  if (m->feeds.eval) {
    v->system.local = (jsolve_local_system){.n = m->local.n,
                                            .nentry = m->local.nentry,
                                            .state = m->local.state,
                                            .row = m->local.row,
                                            .col = m->local.col,
                                            .feed = feed,
                                            .rates = local_rates};
  }
  v->position = m->position;
  v->position.host = v;
  v->position.eval = eval_position;
  v->position.undetermined = undetermined;
}

jvehicle* jvehicle_create(const jvehicle_model* model) {
  jo_context* ctx;
  if (jo_context_create(NULL, &ctx) < 0) return NULL;
  jvehicle* v = jmem_resize(ctx, NULL, sizeof *v);
  if (v) {
    *v = (jvehicle){.model = model, .ctx = ctx};
    jarena_init(&v->arena, ctx);
    if (allocate(v)) {
      connect(v);
      jvehicle_reset(v);
      return v;
    }
    jvehicle_destroy(v);
    return NULL;
  }
  jo_context_destroy(ctx);
  return NULL;
}

void jvehicle_destroy(jvehicle* v) {
  if (!v) return;
  jo_context* ctx = v->ctx;
  jarena_free(&v->arena);
  jmem_free(ctx, v);
  jo_context_destroy(ctx);
}

const char* jvehicle_message(const jvehicle* v) {
  return jo_context_message(v->ctx);
}

void jvehicle_forget(jvehicle* v) {
  jo_context_clear(v->ctx);
}

void jvehicle_reset(jvehicle* v) {
  const jvehicle_model* m = v->model;
  jvehicle_forget(v);
  for (int i = 0; i < m->nnumber; i++) {
    v->machine.p[i] = m->number[i].value;
  }
  memcpy(v->y, m->y0, (size_t)m->about.ny * sizeof *v->y);
  memset(v->machine.mode, 0, (size_t)m->nindicator * sizeof(double));
  v->options = m->options;
  v->t = m->t_start;
  v->first_step = 0.0;
  v->machine.side = 0;
}

double* jvehicle_numbers(jvehicle* v) {
  return v->machine.p;
}

double jvehicle_time(const jvehicle* v) {
  return v->t;
}

// Whether what a method needs was exported.
static bool is_exported(const jvehicle_model* m, const jsolve_method_info* about) {
  bool needs_jacobian = about->kind == JSOLVE_IMPLICIT || about->kind == JSOLVE_BOTH;
  return about->is_own && (!needs_jacobian || m->jacobian.eval);
}

jo_status jvehicle_set_options(jvehicle* v, int method, double tolerance, double step) {
  jsolve_options o = v->model->options;
  if (method >= 0) o.method = (jsolve_method)method;
  if (!isnan(tolerance)) o.rel_tol = o.abs_tol = tolerance;
  if (!isnan(step)) o.step = step;
  const jsolve_method_info* about = jsolve_method_about(o.method);
  if (!about || !is_exported(v->model, about)) {
    return jerr_set(v->ctx, JO_ERR_ARGUMENT,
                    "method number %d: there is none, or it was not exported with this model",
                    method);
  }
  if (!(o.rel_tol > 0.0) || !(o.rel_tol < 1.0)) {
    return jerr_set(v->ctx, JO_ERR_ARGUMENT, "tolerance %g: must lie between 0 and 1", tolerance);
  }
  if (!(o.step >= 0.0) || (about->is_fixed && !(o.step > 0.0))) {
    return jerr_set(v->ctx, JO_ERR_ARGUMENT, "step %g s: method %s needs one of more than 0",
                    o.step, jsolve_method_name(o.method));
  }
  v->options = o;
  v->first_step = 0.0;
  return JO_OK;
}

// ---- the start ---------------------------------------------------------------------------------------

static bool has_own_numbers(const jvehicle* v) {
  for (int i = 0; i < v->model->nnumber; i++) {
    if (v->machine.p[i] != v->model->number[i].value) return false;
  }
  return true;
}

static jo_status check_numbers(const jvehicle* v) {
  for (int i = 0; i < v->model->nnumber; i++) {
    const jvehicle_number* n = &v->model->number[i];
    double x = v->machine.p[i];
    if (isfinite(x) && x >= n->min && x <= n->max) continue;
    return jerr_set(v->ctx, JO_ERR_ARGUMENT, "'%s' is %g: must be finite and lie in [%g, %g]",
                    n->quantity.name, x, n->min, n->max);
  }
  return JO_OK;
}

// What the coordinates, their rates and the additional states are in y; NULL: left alone.
static void scatter(const jvehicle_model* m, const double* q, const double* qd, const double* z,
                    double* y) {
  for (int i = 0; i < m->position.nq; i++) {
    if (q && m->position_at[i] >= 0) y[m->position_at[i]] = q[i];
    if (qd && m->rate_at[i] >= 0) y[m->rate_at[i]] = qd[i];
  }
  if (z) memcpy(y + m->about.first_z, z, (size_t)m->about.nz * sizeof *y);
}

static jo_status fail_equilibrium(jvehicle* v, jo_status status, const jmachine_equilibrium* e) {
  const char* name = e->worst < 0 ? "nothing" : v->model->about.state_name[e->worst];
  if (status == JO_ERR_MEMORY) return jerr_memory(v->ctx);
  return jerr_set(v->ctx, status, "no static equilibrium found: '%s' is left with %.3g", name,
                  e->residual);
}

// Velocities at the position in y, as the initial conditions say.
static jo_status set_velocities(jvehicle* v, jarena* a) {
  const jvehicle_model* m = v->model;
  double* q = JARENA_ARRAY(a, m->position.nq, double);
  double* qd = JARENA_ARRAY(a, m->position.nq, double);
  bool* rests = JARENA_ARRAY(a, m->position.nq, bool);
  if (!q || !qd || !rests) return jerr_memory(v->ctx);
  for (int i = 0; i < m->position.nq; i++) {
    q[i] = m->position_at[i] >= 0 ? v->y[m->position_at[i]] : 0.0;
  }
  JO_TRY(jmachine_assemble_velocity(v->ctx, a, &v->position, v->machine.p, v->t, q, qd, rests));
  scatter(m, NULL, qd, NULL, v->y);
  return JO_OK;
}

static jo_status find_start(jvehicle* v, jarena* a) {
  const jvehicle_model* m = v->model;
  jmachine_assembly at = {0};
  JO_TRY(jmachine_assemble(v->ctx, a, &v->position, v->machine.p, NULL, v->t, &at));
  memset(v->y, 0, (size_t)m->about.ny * sizeof *v->y);
  scatter(m, at.q, at.qd, at.z, v->y);
  if (!m->starts_static) return JO_OK;
  jmachine_equilibrium found;
  jo_status status =
      jmachine_equilibrium_find(v->ctx, &m->about, &v->system, v->t, v->y, NULL, &found);
  return status < 0 ? fail_equilibrium(v, status, &found) : set_velocities(v, a);
}

static jo_status check_finite(jvehicle* v, const char* what, const char* const* name,
                              const jvehicle_quantity* quantity, const double* x, int n) {
  for (int i = 0; i < n; i++) {
    if (isfinite(x[i])) continue;
    return jerr_set(v->ctx, JO_ERR_NUMERIC, "%s '%s' is not finite at t = %.9g s", what,
                    name ? name[i] : quantity[i].name, v->t);
  }
  return JO_OK;
}

static jo_status check_rates(jvehicle* v) {
  call(v, JMACHINE_RHS, v->t, v->y, (double* const[]){v->ydot});
  return check_finite(v, "the rate of", v->model->about.state_name, NULL, v->ydot,
                      v->model->about.ny);
}

static jo_status settle_start(jvehicle* v) {
  jsolve_set_modes(&v->system, v->t, v->y, v->machine.g);
  JO_TRY(check_rates(v));
  memset(v->largest, 0, (size_t)v->model->nindicator * sizeof *v->largest);
  if (v->model->about.nwheel == 0) return JO_OK;
  jmachine_roll(&v->machine, v->t, v->y, v->machine.rolling);
  return jmachine_check_landing(&v->machine, v->t, NULL, v->machine.rolling);
}

jo_status jvehicle_begin(jvehicle* v, double t) {
  const jvehicle_model* m = v->model;
  if (!isfinite(t)) return jerr_set(v->ctx, JO_ERR_ARGUMENT, "the start time is not finite");
  JO_TRY(check_numbers(v));
  v->t = t;
  v->first_step = 0.0;
  v->machine.side = 0;
  memset(v->machine.mode, 0, (size_t)m->nindicator * sizeof(double));
  if (t == m->t_start && has_own_numbers(v)) {
    memcpy(v->y, m->y0, (size_t)m->about.ny * sizeof *v->y);
    return settle_start(v);
  }
  jarena a;
  jarena_init(&a, v->ctx);
  jo_status status = find_start(v, &a);
  jarena_free(&a);
  return status < 0 ? status : settle_start(v);
}

// ---- states ------------------------------------------------------------------------------------------

void jvehicle_get_states(const jvehicle* v, double* x) {
  for (int i = 0; i < v->model->nstate; i++) {
    x[i] = v->y[v->model->state_at[i]];
  }
}

jo_status jvehicle_set(jvehicle* v, double t, const double* x) {
  if (!isfinite(t)) return jerr_set(v->ctx, JO_ERR_ARGUMENT, "the time is not finite");
  if (x) JO_TRY(check_finite(v, "state", NULL, v->model->state, x, v->model->nstate));
  v->t = t;
  for (int i = 0; x && i < v->model->nstate; i++) {
    v->y[v->model->state_at[i]] = x[i];
  }
  return jmachine_close(&v->machine, v->t, v->y);
}

jo_status jvehicle_touch(jvehicle* v) {
  JO_TRY(check_numbers(v));
  v->first_step = 0.0;
  return jmachine_close(&v->machine, v->t, v->y);
}

jo_status jvehicle_rates(jvehicle* v, double* xdot) {
  JO_TRY(check_rates(v));
  for (int i = 0; i < v->model->nstate; i++) {
    xdot[i] = v->ydot[v->model->state_at[i]];
  }
  return JO_OK;
}

jo_status jvehicle_indicators(jvehicle* v, double* g) {
  int n = v->model->nindicator;
  if (n == 0) return JO_OK;
  call(v, JMACHINE_SWITCHES, v->t, v->y, (double* const[]){g});
  JO_TRY(check_finite(v, "indicator", NULL, v->model->indicator, g, n));
  for (int i = 0; i < n; i++) {
    v->largest[i] = fmax(v->largest[i], fabs(g[i]));
    double width = HYSTERESIS * fmax(1.0, v->largest[i]);
    g[i] += v->machine.mode[i] > 0.5 ? width : -width;
  }
  return JO_OK;
}

jo_status jvehicle_outputs(jvehicle* v, double* out) {
  if (v->model->noutput == 0) return JO_OK;
  call(v, JMACHINE_OUTPUTS, v->t, v->y, (double* const[]){out});
  return check_finite(v, "output", NULL, v->model->output, out, v->model->nsensor);
}

jo_status jvehicle_objectives(jvehicle* v, double* psi) {
  if (v->model->nobjective == 0) return JO_OK;
  jmachine_objectives(&v->machine, v->t, v->y, psi);
  return JO_OK;
}

// Events at one instant are those of a run of no length: it looks at the switches before its first step.
jo_status jvehicle_update(jvehicle* v, bool* jumped) {
  size_t size = (size_t)v->model->about.ny * sizeof *v->y;
  memcpy(v->ydot, v->y, size);
  jsolve_options opt = jsolve_options_default();
  JO_TRY(jsolve_integrate(v->ctx, &v->system, &opt, NULL, v->t, v->t, v->y, NULL, NULL));
  *jumped = memcmp(v->ydot, v->y, size) != 0;
  return JO_OK;
}

// ---- going on ----------------------------------------------------------------------------------------

typedef struct watcher {
  bool stops, has_stopped;
  int events;
  double last;  // length of the last whole step [s]
  double t_end;
} watcher;

static jo_status on_step(void* user, const jsolve_step* s) {
  watcher* w = user;
  if (s->t1 < w->t_end || w->last == 0.0) w->last = s->t1 - s->t0;
  return JO_OK;
}

static jo_status on_event(void* user, const jsolve_event* e, const double* before,
                          const double* after) {
  watcher* w = user;
  (void)e, (void)before, (void)after;
  w->events++;
  w->has_stopped = w->stops;
  return w->stops ? JO_ERR_LIMIT : JO_OK;
}

jo_status jvehicle_advance(jvehicle* v, double t, bool stop_at_event,
                           jvehicle_advance_result* out) {
  watcher w = {.stops = stop_at_event, .t_end = t};
  jsolve_observer observer = {&w, on_step, on_event};
  jsolve_options opt = v->options;
  bool is_fixed = jsolve_method_about(opt.method)->is_fixed;
  if (!is_fixed && v->first_step > 0.0) opt.step = v->first_step;
  *out = (jvehicle_advance_result){.t = v->t};
  if (!isfinite(t) || t < v->t) {
    return jerr_set(v->ctx, JO_ERR_ARGUMENT, "cannot go from t = %.12g s to %.12g s", v->t, t);
  }
  jo_status status =
      jsolve_integrate(v->ctx, &v->system, &opt, &observer, v->t, t, v->y, &v->t, NULL);
  if (status < 0 && w.has_stopped) {
    bool jumped;
    status = jvehicle_update(v, &jumped);  // those that follow from the first
  }
  if (w.last > 0.0) v->first_step = w.last;
  *out = (jvehicle_advance_result){v->t, w.has_stopped, w.events};
  return status;
}

// ---- derivatives -------------------------------------------------------------------------------------

static jo_status check_derivatives(jvehicle* v) {
  if (v->model->tangent[JVEHICLE_RATES].eval) return JO_OK;
  return jerr_set(v->ctx, JO_ERR_ARGUMENT, "'%s' was exported without derivatives", v->model->name);
}

// Directions of time, of all of y and of the numbers: dependent positions follow from the others.
static void set_directions(jvehicle* v, const jvehicle_seed* seed) {
  const jvehicle_model* m = v->model;
  memset(v->dy, 0, (size_t)m->about.ny * sizeof *v->dy);
  memset(v->dp, 0, (size_t)m->nnumber * sizeof *v->dp);
  v->dt = seed->time ? *seed->time : 0.0;
  for (int i = 0; seed->states && i < m->nstate; i++) {
    v->dy[m->state_at[i]] = seed->states[i];
  }
  if (seed->numbers) memcpy(v->dp, seed->numbers, (size_t)m->nnumber * sizeof *v->dp);
  if (m->about.nv == 0) return;
  const double* in[JVEHICLE_GROUP_COUNT] = {
      INPUTS(v, &v->t, v->y), [JVEHICLE_STATE_DIRECTION] = v->dy,
      [JVEHICLE_TIME_DIRECTION] = &v->dt, [JVEHICLE_NUMBER_DIRECTION] = v->dp};
  evaluate(v, &m->closure_tangent, in, (double* const[]){v->dy + m->about.first_v});
}

static void tangent_of(jvehicle* v, jvehicle_slope_kind kind, double* out) {
  const double* in[JVEHICLE_GROUP_COUNT] = {
      INPUTS(v, &v->t, v->y), [JVEHICLE_STATE_DIRECTION] = v->dy,
      [JVEHICLE_TIME_DIRECTION] = &v->dt, [JVEHICLE_NUMBER_DIRECTION] = v->dp};
  bool is_valued = kind == JVEHICLE_RATES;
  double* both[2] = {is_valued ? v->ydot : out, out};
  evaluate(v, &v->model->tangent[kind], in, both);
}

jo_status jvehicle_tangent(jvehicle* v, const jvehicle_seed* seed, const jvehicle_slope* slope) {
  const jvehicle_model* m = v->model;
  JO_TRY(check_derivatives(v));
  set_directions(v, seed);
  if (slope->rates) {
    tangent_of(v, JVEHICLE_RATES, v->value);
    for (int i = 0; i < m->nstate; i++) {
      slope->rates[i] = v->value[m->state_at[i]];
    }
  }
  if (slope->indicators && m->nindicator > 0) tangent_of(v, JVEHICLE_INDICATORS, slope->indicators);
  if (slope->outputs && m->noutput > 0) tangent_of(v, JVEHICLE_OUTPUTS, slope->outputs);
  if (slope->objectives && m->nobjective > 0) tangent_of(v, JVEHICLE_OBJECTIVES, slope->objectives);
  return JO_OK;
}

static void add(int n, const double* x, double* to) {
  for (int i = 0; i < n; i++) {
    to[i] += x[i];
  }
}

// dy += ybar, dt += tbar, dp += pbar of one function weighted by `bar`
static void weigh(jvehicle* v, const jvehicle_function* f, const double* bar) {
  const double* in[JVEHICLE_GROUP_COUNT] = {INPUTS(v, &v->t, v->y), [JVEHICLE_WEIGHTS] = bar};
  double time_bar;
  evaluate(v, f, in, (double* const[]){v->ybar, &time_bar, v->pbar});
  add(v->model->about.ny, v->ybar, v->dy);
  add(v->model->nnumber, v->pbar, v->dp);
  v->dt += time_bar;
}

static void weigh_rates(jvehicle* v, const double* rates) {
  memset(v->value, 0, (size_t)v->model->about.ny * sizeof *v->value);
  for (int i = 0; i < v->model->nstate; i++) {
    v->value[v->model->state_at[i]] = rates[i];
  }
  weigh(v, &v->model->adjoint[JVEHICLE_RATES], v->value);
}

// What falls on dependent positions goes on to what they follow from.
static void weigh_closure(jvehicle* v) {
  const jvehicle_model* m = v->model;
  if (m->about.nv == 0) return;
  memcpy(v->value, v->dy + m->about.first_v, (size_t)m->about.nv * sizeof *v->value);
  weigh(v, &m->closure_adjoint, v->value);
}

jo_status jvehicle_adjoint(jvehicle* v, const jvehicle_slope* slope, const jvehicle_seed* seed) {
  const jvehicle_model* m = v->model;
  JO_TRY(check_derivatives(v));
  memset(v->dy, 0, (size_t)m->about.ny * sizeof *v->dy);
  memset(v->dp, 0, (size_t)m->nnumber * sizeof *v->dp);
  v->dt = 0.0;
  if (slope->rates) weigh_rates(v, slope->rates);
  const double* bar[JVEHICLE_SLOPE_COUNT] = {[JVEHICLE_INDICATORS] = slope->indicators,
                                             [JVEHICLE_OUTPUTS] = slope->outputs,
                                             [JVEHICLE_OBJECTIVES] = slope->objectives};
  for (int k = 0; k < JVEHICLE_SLOPE_COUNT; k++) {
    if (bar[k] && m->adjoint[k].eval) weigh(v, &m->adjoint[k], bar[k]);
  }
  weigh_closure(v);
  for (int i = 0; seed->states && i < m->nstate; i++) {
    seed->states[i] = v->dy[m->state_at[i]];
  }
  if (seed->numbers) memcpy(seed->numbers, v->dp, (size_t)m->nnumber * sizeof *v->dp);
  if (seed->time) *seed->time = v->dt;
  return JO_OK;
}

// ---- snapshots ---------------------------------------------------------------------------------------

#define TOKEN 64  // bytes of the token a snapshot begins with

typedef struct fixed_part {
  char token[TOKEN];
  double t, first_step, rel_tol, abs_tol, step;
  int method, side;
} fixed_part;

typedef struct moving_part {
  double* x;
  int n;
} moving_part;

#define MOVING_PARTS 4

static void list_parts(const jvehicle* v, moving_part part[MOVING_PARTS]) {
  part[0] = (moving_part){v->y, v->model->about.ny};
  part[1] = (moving_part){v->machine.mode, v->model->nindicator};
  part[2] = (moving_part){v->machine.p, v->model->nnumber};
  part[3] = (moving_part){v->largest, v->model->nindicator};
}

size_t jvehicle_snapshot_size(const jvehicle* v) {
  moving_part part[MOVING_PARTS];
  size_t size = sizeof(fixed_part);
  list_parts(v, part);
  for (int i = 0; i < MOVING_PARTS; i++) {
    size += (size_t)part[i].n * sizeof(double);
  }
  return size;
}

void jvehicle_save(const jvehicle* v, void* snapshot) {
  fixed_part fixed;
  memset(&fixed, 0, sizeof fixed);
  strncpy(fixed.token, v->model->token, TOKEN - 1);
  fixed.t = v->t;
  fixed.first_step = v->first_step;
  fixed.rel_tol = v->options.rel_tol;
  fixed.abs_tol = v->options.abs_tol;
  fixed.step = v->options.step;
  fixed.method = v->options.method;
  fixed.side = v->machine.side;
  char* to = snapshot;
  memcpy(to, &fixed, sizeof fixed);
  to += sizeof fixed;
  moving_part part[MOVING_PARTS];
  list_parts(v, part);
  for (int i = 0; i < MOVING_PARTS; i++) {
    memcpy(to, part[i].x, (size_t)part[i].n * sizeof(double));
    to += (size_t)part[i].n * sizeof(double);
  }
}

jo_status jvehicle_restore(jvehicle* v, const void* snapshot, size_t size) {
  fixed_part fixed;
  if (size != jvehicle_snapshot_size(v)) {
    return jerr_set(v->ctx, JO_ERR_ARGUMENT, "a state of %zu bytes is not one of '%s'", size,
                    v->model->name);
  }
  memcpy(&fixed, snapshot, sizeof fixed);
  if (strncmp(fixed.token, v->model->token, TOKEN - 1) != 0) {
    return jerr_set(v->ctx, JO_ERR_ARGUMENT, "the state is of another model than '%s'",
                    v->model->name);
  }
  const char* from = (const char*)snapshot + sizeof fixed;
  moving_part part[MOVING_PARTS];
  list_parts(v, part);
  for (int i = 0; i < MOVING_PARTS; i++) {
    memcpy(part[i].x, from, (size_t)part[i].n * sizeof(double));
    from += (size_t)part[i].n * sizeof(double);
  }
  v->t = fixed.t;
  v->first_step = fixed.first_step;
  v->options.rel_tol = fixed.rel_tol;
  v->options.abs_tol = fixed.abs_tol;
  v->options.step = fixed.step;
  v->options.method = (jsolve_method)fixed.method;
  v->machine.side = fixed.side;
  return JO_OK;
}
