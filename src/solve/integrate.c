// SPDX-License-Identifier: Apache-2.0
// The driver of every integration: propose a step, cut it at the first event, show it, accept it,
// handle the event. What a step is, rk.c and cvode.c know; what an event is, events.c.
#include "base/assert.h"
#include "base/elementary.h"
#include "solve/ode.h"

#include <math.h>
#include <string.h>

#include "solve/event/events.h"
#include "solve/event/scan.h"
#include "solve/rk.h"
#include "solve/run.h"
#include "solve/stiff/cvode.h"

jsolve_options jsolve_options_default(void) {
  return (jsolve_options){
      .method = JSOLVE_DOPRI5,
      .rel_tol = 1e-8,
      .abs_tol = 1e-8,
      .locate_events = true,
  };
}

void jsolve_interpolate(const jsolve_step* s, double t, double* y) {
  const jsolve_dense* d = s->dense;
  d->eval(d, t, y);
  jsolve_hold(s->sys, s->y0, y);
}

// keeps: modes stay where the switching function is within its floor, else they are 0 there. floor NULL: zeros.
static bool set_modes(const jsolve_system* s, double t, const double* y, const double* floor,
                      bool keeps, double* scratch) {
  bool is_changed = false;
  // functions of modes settle in at most nswitch rounds unless they contradict each other
  for (int round = 0; round <= s->nswitch; round++) {
    bool is_settled = true;
    s->switches(s->user, t, y, scratch);
    for (int k = 0; k < s->nswitch; k++) {
      double least = floor ? floor[k] : 0.0, at_zero = keeps ? s->mode[k] : 0.0;
      double mode = scratch[k] > least ? 1.0 : scratch[k] < -least ? 0.0 : at_zero;
      if (mode != s->mode[k]) is_settled = false;
      s->mode[k] = mode;
    }
    if (is_settled) break;
    is_changed = true;
  }
  return is_changed;
}

bool jsolve_set_modes(const jsolve_system* s, double t, const double* y, double* scratch) {
  return set_modes(s, t, y, NULL, false, scratch);
}

bool jsolve_update_modes(const jsolve_system* s, double t, const double* y, const double* floor,
                         double* scratch) {
  return set_modes(s, t, y, floor, true, scratch);
}

jo_status jsolve_close(const jsolve_system* s, double t, double* y, double* scratch) {
  jsolve_set_modes(s, t, y, scratch);
  for (int round = 0; s->project && round <= s->nswitch; round++) {
    JO_TRY(s->project(s->user, t, y));
    if (!jsolve_set_modes(s, t, y, scratch)) break;
  }
  return JO_OK;
}

jo_status jsolve_check_steps(jo_context* ctx, const jsolve_options* o, double t0, double t1) {
  double steps = jsolve_method_about(o->method)->is_fixed ? (t1 - t0) / o->step : 0.0;
  if (o->max_steps == 0 || steps <= (double)o->max_steps) return JO_OK;
  return jerr_set(ctx, JO_ERR_LIMIT,
                  "integration: from t = %.9g to %.9g there are %.4g steps of %g s, more than the "
                  "limit of %lld; take longer steps, or raise simulation.max_steps (--max-steps)",
                  t0, t1, steps, o->step, (long long)o->max_steps);
}

static jo_status check_arguments(jo_context* ctx, const jsolve_system* s, const jsolve_options* o,
                                 double t0, double t1) {
  if (s->n < 0 || !jsolve_method_about(o->method)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "integration: no such method or no states");
  }
  if (!isfinite(t0) || !isfinite(t1) || t1 < t0) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "integration: cannot go from t = %g to t = %g", t0, t1);
  }
  if (jsolve_method_about(o->method)->is_fixed) {
    if (o->step > 0 && isfinite(o->step)) return JO_OK;
    return jerr_set(ctx, JO_ERR_ARGUMENT, "integration: %s needs a step size > 0, not %g",
                    jsolve_method_name(o->method), o->step);
  }
  bool is_ok = o->rel_tol >= 0 && o->abs_tol > 0 && isfinite(o->rel_tol) && isfinite(o->abs_tol);
  if (is_ok && o->step >= 0 && o->max_step >= 0 && o->shortest_pulse >= 0) return JO_OK;
  return jerr_set(ctx, JO_ERR_ARGUMENT,
                  "integration: tolerances and step sizes must not be negative, the absolute "
                  "tolerance not zero (relative %g, absolute %g, step %g, largest step %g)",
                  o->rel_tol, o->abs_tol, o->step, o->max_step);
}

static jo_status check_start(jsolve_run* run) {
  int bad = jsolve_first_not_finite(run->sys->n, run->y);
  if (bad < 0) return JO_OK;
  char label[JSOLVE_LABEL];
  return jerr_set(run->ctx, JO_ERR_NUMERIC, "integration: initial value of %s is not finite",
                  jsolve_label(run->sys->state_name, "state", bad, label));
}

static jo_status prepare_jacobian(jsolve_run* run) {
  const jsolve_system* s = run->sys;
  if (s->prepare_jacobian) JO_TRY(s->prepare_jacobian(s->user));
  if (s->jacobian) return JO_OK;
  return jerr_set(run->ctx, JO_ERR_ARGUMENT, "integration: esdirk5 needs a Jacobian");
}

static jo_status create_stepper(jsolve_run* run) {
  const jsolve_tableau* tab = jsolve_tableau_find(run->opt->method);
  // CVODE has no matrix without rows; where there are no states all methods come to the same times
  if (!tab && run->sys->n == 0) tab = jsolve_tableau_find(JSOLVE_DOPRI5);
  if (!tab) return jsolve_cvode_create(run, &run->stepper);
  if (tab->gamma > 0) JO_TRY(prepare_jacobian(run));
  if (tab->local_gamma > 0 && run->sys->prepare_local) {
    JO_TRY(run->sys->prepare_local(run->sys->user));
  }
  run->stepper = jsolve_rk_create(run, tab);
  return run->stepper ? JO_OK : jerr_memory(run->ctx);
}

// `auto`: explicit and implicit method change places; the new one begins with the step of the old.
static jo_status change_method(jsolve_run* run) {
  jsolve_stepper *now = run->stepper, *next = run->other;
  JASSERT(now->wants_other && next != now);
  now->wants_other = false;
  if (!next) {
    JO_TRY(prepare_jacobian(run));
    next = jsolve_rk_create(run, jsolve_tableau_implicit(run->opt->method));
    if (!next) return jerr_memory(run->ctx);
  }
  next->h_next = now->h_next;
  run->stepper = next;
  run->other = now;
  return next->restart(next, run);
}

// Handle events at (t, y), those that follow from them included, and start again behind them.
static jo_status pass_events(jsolve_run* run, jsolve_events* ev) {
  jsolve_stepper* s = run->stepper;
  do {
    JO_TRY(jsolve_events_apply(ev, run));
    bool has_decided = run->has_jumped || jsolve_has_ended(run);
    if (has_decided && s->judge_event) JO_TRY(s->judge_event(s, run));
    if (jsolve_has_ended(run)) return JO_OK;
  } while (jsolve_events_begin(ev, run));
  JO_TRY(jsolve_events_check(ev, run));
  return s->restart(s, run);
}

// Estimated local error of the proposed step. If an event cut it, the estimate is that of the whole step.
static double error_of_step(const jsolve_run* run) {
  double part = (run->t_new - run->t) / run->tried;
  if (!(part < 1.0)) return run->error;
  return run->error * jm_pow(part, jsolve_method_about(run->opt->method)->order);
}

static jo_status show_step(jsolve_run* run) {
  if (!run->obs->step) return JO_OK;
  const jsolve_stepper* s = run->stepper;
  jsolve_step step = {run->t,  run->t_new,     run->y,        run->y_new,    s->dense,
                      s->k,    s->is_implicit, s->is_drifted, s->is_located, error_of_step(run),
                      run->sys};
  return run->obs->step(run->obs->user, &step);
}

static void accept_step(jsolve_run* run) {
  JASSERT(run->t_new >= run->t && run->t_new <= run->t_end);
  double* y = run->y;
  run->y = run->y_new;
  run->y_new = y;
  run->t = run->t_new;
  run->stats.steps++;
}

static jo_status fail_steps(jsolve_run* run) {
  return jerr_set(run->ctx, JO_ERR_LIMIT,
                  "integration: stopped at t = %.9g of %.9g after %lld steps (%lld more were "
                  "rejected), the limit; raise simulation.max_steps (--max-steps), allow larger "
                  "errors, or take a method for stiff models",
                  run->t, run->t_end, (long long)run->stats.steps, (long long)run->stats.rejected);
}

// Other coordinates for the state, where there are better ones. The motion is the same: steps keep their size.
static jo_status change_chart(jsolve_run* run, jsolve_events* ev, bool is_stuck, bool* changed) {
  const jsolve_system* sys = run->sys;
  jsolve_stepper* s = run->stepper;
  *changed = false;
  if (!sys->change_chart) return JO_OK;
  JO_TRY(sys->change_chart(sys->user, run->t, run->y, is_stuck, changed));
  if (!*changed) return JO_OK;
  double h = s->h_next;
  run->has_failed = false;
  if (ev) JO_TRY(jsolve_events_again(ev, run));
  JO_TRY(s->restart(s, run));
  s->h_next = h;
  return JO_OK;
}

// A step to its end or to the first event in it.
static jo_status propose_step(jsolve_run* run, jsolve_events* ev, bool* is_event) {
  jsolve_stepper* s = run->stepper;
  *is_event = false;
  JO_TRY(s->advance(s, run));
  run->tried = run->t_new - run->t;
  jsolve_hold(run->sys, run->y, run->y_new);
  JASSERT(s->dense);  // events and observers look into the step
  return ev ? jsolve_events_locate(ev, run, is_event) : JO_OK;
}

// A failure whose reason became known with the search for other coordinates: what was said so far only shows it.
static jo_status explain(jsolve_run* run, jo_status status, int said) {
  const char* hint = run->sys->change_chart ? run->sys->projection_hint : NULL;
  if (!hint || !*hint || status == JO_ERR_MODEL) return status;
  jerr_forget(run->ctx, said);
  return jerr_set(run->ctx, status, "integration: no step leads on from t = %.17g: %s", run->t,
                  hint);
}

// The same, and once more in other coordinates where these do not lead on.
static jo_status find_step(jsolve_run* run, jsolve_events* ev, bool* is_event) {
  bool changed;
  JO_TRY(change_chart(run, ev, false, &changed));
  int said = jo_context_diagnostic_count(run->ctx);
  jo_status status = propose_step(run, ev, is_event);
  if (status >= 0 || status == JO_ERR_MEMORY || status == JO_ERR_LIMIT) return status;
  // a chart that does not lead on either is not changed again, but may tell why
  for (int i = 0; i < 2 && status < 0; i++) {
    if (change_chart(run, ev, true, &changed) < 0) return status;
    if (!changed) return explain(run, status, said);
    jerr_forget(run->ctx, said);
    status = propose_step(run, ev, is_event);
  }
  return status;
}

static jo_status one_step(jsolve_run* run, jsolve_events* ev) {
  jsolve_stepper* s = run->stepper;
  if (run->opt->max_steps > 0 && run->stats.steps >= run->opt->max_steps) return fail_steps(run);
  bool is_event;
  JO_TRY(find_step(run, ev, &is_event));
  if (s->judge) JO_TRY(s->judge(s, run, is_event));
  if (s->error) {
    jsolve_drift_step step = {.h = run->t_new - run->t, .y0 = run->y, .y1 = run->y_new};
    jsolve_drift_add(&run->drift, &step, s->error);
  }
  JO_TRY(show_step(run));
  accept_step(run);
  if (is_event) return pass_events(run, ev);
  JO_TRY(s->accept(s, run));
  return s->wants_other ? change_method(run) : JO_OK;
}

static jo_status integrate(jsolve_run* run) {
  jsolve_events* ev = NULL;
  JO_TRY(check_start(run));
  JO_TRY(create_stepper(run));
  if (run->sys->nswitch > 0 && run->opt->locate_events) {
    ev = jsolve_events_create(run);
    if (!ev) return jerr_memory(run->ctx);
  }
  if (jsolve_has_ended(run)) return JO_OK;
  if (ev && jsolve_events_begin(ev, run)) {
    JO_TRY(pass_events(run, ev));
  } else {
    if (ev) JO_TRY(jsolve_events_check(ev, run));
    JO_TRY(run->stepper->restart(run->stepper, run));
  }
  while (run->t < run->t_end && !jsolve_has_ended(run))
    JO_TRY(one_step(run, ev));
  return JO_OK;
}

static bool prepare(jsolve_run* run, const double* y) {
  int n = run->sys->n;
  double* data = JARENA_ARRAY(&run->arena, 6 * (size_t)n, double);
  if (!data) return false;
  run->y = data;
  run->y_new = data + n;
  run->scratch = data + 2 * n;
  run->scan = data + 3 * n;
  run->scan_spacing = jsolve_scan_spacing(run->opt, run->t_begin, run->t_end);
  memcpy(run->y, y, (size_t)n * sizeof *y);
  if (!jsolve_drift_init(&run->drift, &run->arena, run->sys, y)) return false;
  return jsolve_weights_init(&run->weights, &run->arena, n, run->sys->error_scale,
                             run->opt->rel_tol, run->opt->abs_tol);
}

jo_status jsolve_integrate(jo_context* ctx, const jsolve_system* s, const jsolve_options* opt,
                           const jsolve_observer* obs, double t0, double t1, double* y,
                           double* t_reached, jsolve_statistics* stats) {
  static const jsolve_observer blind = {0};
  jsolve_run run = {.ctx = ctx, .sys = s, .opt = opt, .obs = obs ? obs : &blind};
  run.t = run.t_begin = t0;
  run.t_end = t1;
  jo_status status = check_arguments(ctx, s, opt, t0, t1);
  if (status >= 0) {
    jarena_init(&run.arena, ctx);
    if (prepare(&run, y)) {
      status = integrate(&run);
      jsolve_drift_tell(&run.drift, &run.stats);
      memcpy(y, run.y, (size_t)s->n * sizeof *y);
      if (run.stepper) run.stepper->destroy(run.stepper, &run);
      if (run.other) run.other->destroy(run.other, &run);
    } else {
      status = jerr_memory(ctx);
    }
    jarena_free(&run.arena);
  }
  if (t_reached) *t_reached = run.t;
  if (stats) *stats = run.stats;
  return status;
}
