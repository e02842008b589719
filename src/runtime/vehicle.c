// SPDX-License-Identifier: Apache-2.0
// A vehicle is a machine whose functions are those of the generated code, at a time and in a state. Its start is
// found as the library finds it; for the numbers of the model it is part of the tables.
#include "runtime/vehicle.h"

#include <math.h>
#include <string.h>

#include "base/text/format.h"
#include "machine/equilibrium.h"
#include "runtime/inside.h"

#define HYSTERESIS 1e-13  // of an indicator, relative to its largest value so far, at least 1

// ---- functions of the generated code -----------------------------------------------------------------

static void call(void* host, jmachine_fn f, double t, const double* y, double* const* out) {
  jvehicle* v = host;
  const double* in[JVEHICLE_GROUP_COUNT] = {JVEHICLE_INPUTS(v, &t, y)};
  jvehicle_evaluate(v, &v->model->fn[f], in, out);
}

static void jacobian(void* user, double t, const double* y, double* J) {
  jvehicle* v = ((jmachine*)user)->host;
  const double* in[JVEHICLE_GROUP_COUNT] = {JVEHICLE_INPUTS(v, &t, y)};
  jvehicle_evaluate(v, &v->model->jacobian, in, (double* const[]){J});
}

static void feed(void* user, double t, const double* y) {
  jvehicle* v = ((jmachine*)user)->host;
  const double* in[JVEHICLE_GROUP_COUNT] = {JVEHICLE_INPUTS(v, &t, y)};
  jvehicle_evaluate(v, &v->model->feeds, in, (double* const[]){v->feed});
}

static void local_rates(void* user, double t, const double* y, double* f, double* entry) {
  jvehicle* v = ((jmachine*)user)->host;
  const double* in[JVEHICLE_GROUP_COUNT] = {JVEHICLE_INPUTS(v, &t, y), [JVEHICLE_FEEDS] = v->feed};
  jvehicle_evaluate(v, &v->model->local_rates, in, (double* const[]){f, entry});
}

static void eval_position(void* host, jmachine_position_fn f, const double* values, double t,
                          const double* q, double* const* out) {
  jvehicle* v = host;
  const double* in[JVEHICLE_GROUP_COUNT] = {values, &t, q};
  jvehicle_evaluate(v, &v->model->position_fn[f], in, out);
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
      m->fn,      m->position_fn,      &m->jacobian,        &m->feeds,       m->tangent,
      m->adjoint, &m->closure_tangent, &m->closure_adjoint, &m->local_rates, &m->limits};
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
  v->limit = JARENA_ARRAY(a, m->nlimit, double);
  v->ydot = JARENA_ARRAY(a, m->about.ny, double);
  v->dy = JARENA_ARRAY(a, m->about.ny, double);
  v->ybar = JARENA_ARRAY(a, m->about.ny, double);
  v->dp = JARENA_ARRAY(a, m->nnumber, double);
  v->pbar = JARENA_ARRAY(a, m->nnumber, double);
  v->value = JARENA_ARRAY(a, most_values(m), double);
  jroad_surface* road = NULL;
  if (m->nroad > 0 && jroad_build(v->ctx, a, m->road, m->nroad, &road) < 0) return false;
  v->road = road ? jdata_as_input(&road->data) : NULL;
  return v->y && v->largest && v->work && v->feed && v->limit && v->ydot && v->dy && v->ybar &&
         v->dp && v->pbar && v->value;
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

// A manoeuvre is looked into as often in parts as in one piece.
static jsolve_options own_options(const jvehicle_model* m) {
  jsolve_options o = m->options;
  o.shortest_pulse = jsolve_shortest_pulse(&o, m->t_end - m->t_start);
  return o;
}

void jvehicle_reset(jvehicle* v) {
  const jvehicle_model* m = v->model;
  jvehicle_forget(v);
  for (int i = 0; i < m->nnumber; i++) {
    v->machine.p[i] = m->number[i].value;
  }
  memcpy(v->y, m->y0, (size_t)m->about.ny * sizeof *v->y);
  memset(v->machine.mode, 0, (size_t)m->nindicator * sizeof(double));
  v->options = own_options(m);
  v->t = m->t_start;
  v->first_step = 0.0;
  v->growth = (jsolve_growth){0};
  v->machine.side = 0;
  v->machine.has_ended = false;
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
  jsolve_options o = own_options(v->model);
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
  v->growth = (jsolve_growth){0};
  return JO_OK;
}

// ---- the start ---------------------------------------------------------------------------------------

static bool has_own_numbers(const jvehicle* v) {
  for (int i = 0; i < v->model->nnumber; i++) {
    if (v->machine.p[i] != v->model->number[i].value) return false;
  }
  return true;
}

static jo_status fail_rule(jvehicle* v, const jvehicle_rule* r) {
  const double* x = v->limit + r->first;
  const char* must = r->kind == JRULE_LIMIT       ? jrule_limit_text(r->limit)
                     : r->kind == JRULE_INCREASES ? "increasing"
                     : r->kind == JRULE_TENSOR    ? "a positive semidefinite tensor"
                     : r->kind == JRULE_DIRECTION ? "of a length"
                     : r->kind == JRULE_PLANE     ? "two axes that are not parallel"
                                                  : "in this order";
  char values[96];
  int used = jformat(values, sizeof values, "%g", x[0]);
  for (int i = 1; i < r->n && used < 64; i++) {
    used += jformat(values + used, sizeof values - (size_t)used, ", %g", x[i]);
  }
  return jerr_set(v->ctx, JO_ERR_ARGUMENT, "%s:%d: %s '%s': %s is %s; it must be %s", r->place.file,
                  r->place.line, r->subject, r->name, r->label, values, must);
}

// Numbers, and what of the model follows from them, lie where the library wants them.
static jo_status check_numbers(jvehicle* v) {
  const jvehicle_model* m = v->model;
  for (int i = 0; i < m->nnumber; i++) {
    if (isfinite(v->machine.p[i])) continue;
    return jerr_set(v->ctx, JO_ERR_ARGUMENT, "'%s' is %g: must be finite",
                    m->number[i].quantity.name, v->machine.p[i]);
  }
  if (m->nrule == 0) return JO_OK;
  const double* in[JVEHICLE_GROUP_COUNT] = {v->machine.p};
  jvehicle_evaluate(v, &m->limits, in, (double* const[]){v->limit});
  for (int i = 0; i < m->nrule; i++) {
    const jvehicle_rule* r = &m->rule[i];
    if (!jrule_holds(r->kind, r->limit, v->limit + r->first, r->n)) return fail_rule(v, r);
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
  if (!m->starts_static) return jmachine_start(&v->machine, v->t, v->y);
  jmachine_equilibrium found;
  jo_status status =
      jmachine_equilibrium_find(v->ctx, &m->about, &v->system, v->t, v->y, NULL, &found);
  if (status < 0) return fail_equilibrium(v, status, &found);
  JO_TRY(set_velocities(v, a));
  return jmachine_start(&v->machine, v->t, v->y);
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
  if (v->model->about.nguard == 0) return JO_OK;
  jmachine_look_at_guards(&v->machine, v->t, v->y, v->machine.guards);
  return jmachine_check_guards(&v->machine, v->t, NULL, v->machine.guards);
}

jo_status jvehicle_begin(jvehicle* v, double t) {
  const jvehicle_model* m = v->model;
  if (!isfinite(t)) return jerr_set(v->ctx, JO_ERR_ARGUMENT, "the start time is not finite");
  JO_TRY(check_numbers(v));
  v->t = t;
  v->first_step = 0.0;
  v->growth = (jsolve_growth){0};
  v->machine.side = 0;
  v->machine.has_ended = false;
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

// Where loops cannot be closed the vehicle stays where it was: from what the search left behind it might close another
// way the next time.
jo_status jvehicle_set(jvehicle* v, double t, const double* x) {
  size_t size = (size_t)v->model->about.ny * sizeof *v->y;
  if (!isfinite(t)) return jerr_set(v->ctx, JO_ERR_ARGUMENT, "the time is not finite");
  if (x) JO_TRY(check_finite(v, "state", NULL, v->model->state, x, v->model->nstate));
  memcpy(v->value, v->y, size);
  for (int i = 0; x && i < v->model->nstate; i++) {
    v->y[v->model->state_at[i]] = x[i];
  }
  jo_status status = jmachine_close(&v->machine, t, v->y);
  if (status < 0) {
    memcpy(v->y, v->value, size);
  } else {
    v->t = t;
  }
  return status;
}

jo_status jvehicle_touch(jvehicle* v) {
  JO_TRY(check_numbers(v));
  v->first_step = 0.0;
  v->growth = (jsolve_growth){0};
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

bool jvehicle_has_ended(const jvehicle* v) {
  return v->machine.has_ended;
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
  const bool* is_quiet;
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
  (void)before, (void)after;
  if (w->is_quiet[e->which]) return JO_OK;
  w->events++;
  w->has_stopped = w->stops;
  return w->stops ? JO_ERR_LIMIT : JO_OK;
}

jo_status jvehicle_advance(jvehicle* v, double t, bool stop_at_event,
                           jvehicle_advance_result* out) {
  watcher w = {.stops = stop_at_event, .is_quiet = v->system.is_quiet, .t_end = t};
  jsolve_observer observer = {.user = &w, .step = on_step, .event = on_event};
  jsolve_options opt = v->options;
  opt.growth = &v->growth;
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
