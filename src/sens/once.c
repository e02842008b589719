// SPDX-License-Identifier: Apache-2.0
#include "sens/once.h"

#include <math.h>
#include <string.h>

#include "base/system/clock.h"
#include "plant/check/finite.h"
#include "plant/check/guard.h"
#include "plant/check/judge.h"
#include "plant/run.h"
#include "plant/start/wheels.h"
#include "sens/error/brink.h"
#include "sens/error/kink.h"
#include "sens/error/plan.h"
#include "sens/tangent/along.h"
#include "sens/walk.h"

typedef struct recorder {
  jo_context* ctx;
  const jsens_options* opt;
  jsens_record* record;
  const jplant_work* run;
  jmachine* machine;  // its own
  jplant_judge judge;
  jsens_along* along;  // NULL: derivatives do not go along
  jsens_result* out;
  double* psi;  // values of the objectives; NULL: nobody asks for the largest
  double next;  // when they are looked at next
} recorder;

// As often as a run has rows.
static void note_largest(recorder* k, const jsolve_step* step) {
  if (!k->psi || step->t1 < k->next) return;
  const jmodel_simulation* s = &k->run->plant->model->simulation;
  jmachine_objectives(k->machine, step->t1, step->y1, k->psi);
  for (int i = 0; i < k->out->nobjective; i++) {
    if (isfinite(k->psi[i])) k->out->largest[i] = fmax(k->out->largest[i], fabs(k->psi[i]));
  }
  k->next = step->t1 + s->output_step;
}

static jo_status on_step(void* user, const jsolve_step* step) {
  recorder* k = user;
  const double* across = k->run->watch.across;
  jsens_record_step(k->record, step);
  if (across[0] == step->t0 && across[1] == step->t1) jsens_record_across(k->record, across[2]);
  JO_TRY(k->record->status);
  if (k->along) JO_TRY(jsens_along_step(k->along, step));
  jplant_judge_step(&k->judge, step);
  note_largest(k, step);
  return jsens_walk_tell(k->ctx, k->opt, step->t1);
}

static void on_stage(void* user, const jsolve_stage* stage) {
  const recorder* k = user;
  jsens_along_stage(k->along, stage);
}

static void on_event(void* user, const jmachine_happening* what) {
  jsens_record_event(user, what);
}

static jo_status on_change(void* user, double t, const double* before, const double* after,
                           const jplant* was, const jplant* is) {
  (void)was;
  const recorder* k = user;
  jsens_record_change(k->record, t, before, after, k->run->mode, is);
  if (k->along) jsens_along_stop(k->along);
  return k->record->status;
}

static void note_lost(const recorder* k, const jplant* p, const double* y, jsens_result* out) {
  const jsolve_options* o = &k->opt->solve;
  double abs_tol = jsolve_method_about(o->method)->is_fixed ? 0.0 : o->abs_tol;
  for (int i = 0; i < p->dynamics->nobjective; i++) {
    out->doubt[i] = jplant_judge_value(&k->judge, i);
    out->is_lost[i] = jplant_is_lost(p, i, y, abs_tol);
    out->is_unheld[i] = jplant_is_unheld(p, i, y, abs_tol) || out->doubt[i].error >= 1.0;
  }
}

static jo_status note_end(recorder* k, double t, const double* y, jsens_result* out) {
  const jgen_dynamics* d = k->run->plant->dynamics;
  bool is_reached = k->opt->estimate && k->opt->compare;
  if (!k->opt->check && !is_reached) return JO_OK;
  double* work = JARENA_ARRAY(&out->arena, d->ny + d->nobjective, double);
  if (!work) return jerr_memory(out->ctx);
  if (is_reached) {
    const jplant* p = k->run->plant;
    jplant_judge_reach(p, k->machine, t, y, out->value, work, out->end_reach);
  }
  if (!k->opt->check) return JO_OK;
  jplant_judge_end(&k->judge, k->machine, t, y, out->value, work, out->end_error);
  return JO_OK;
}

// Where two branches of positions cross, masses and forces leave them as they are, and the motion on the one it takes is
// smooth in them. What closures have tears both apart.
static bool moves_loops(const jsens* s, int nw) {
  for (int k = 0; k < nw; k++) {
    if (s->plant->position->shapes[k] && !s->why[k]) return true;
  }
  return false;
}

// From the start to the end.
static jo_status integrate(jplant_run* run, const jsens* s, recorder* k, jsens_result* out) {
  jplant_work* w = run->work;
  double* y = run->y;
  const jsens_options* opt = k->opt;
  w->machine.on_event = on_event;
  w->machine.on_event_user = k->record;
  JO_TRY(jplant_judge_begin(&out->arena, s->plant, &opt->solve, &k->judge));
  if (opt->check && jsolve_method_about(opt->solve.method)->is_fixed) {
    k->psi = JARENA_ARRAY(&out->arena, out->nobjective, double);
    if (!k->psi) return jerr_memory(out->ctx);
  }
  k->next = opt->t_start;
  w->charts = &k->record->charts;  // they are needed longer than this run
  w->watch.on_change = on_change;
  w->watch.user = k;
  w->watch.nearest = 1.0;
  w->watch.closer_by = opt->closer_by;
  w->watch.needs_slopes = out->method != JSENS_VALUE && out->nw > 0;
  w->watch.moves_loops = w->watch.needs_slopes && moves_loops(s, out->nw);
  jsolve_observer obs = {.user = k, .step = on_step, .stage = k->along ? on_stage : NULL};
  jsolve_options solve = opt->solve;
  solve.is_whole = true;
  jo_status status = jplant_run_advance(run, &solve, &obs, opt->t_end, &out->statistics);
  if (k->record->status < 0) return k->record->status;  // came first
  out->nearest = w->watch.nearest;
  JO_TRY(status);
  double t = run->t;
  if (!opt->outputs_only) JO_TRY(jplant_resolved_objectives(w, y, opt->solve.abs_tol));
  note_lost(k, s->plant, y, out);  // which reports what is negative
  jmachine_clamp(&s->plant->about, y);
  jsens_record_end(k->record, t, y);
  jmachine_objectives(&w->machine, t, y, out->value);
  JO_TRY(note_end(k, t, y, out));
  if (!opt->outputs_only) JO_TRY(jplant_finite_objectives(w, t, y, out->value));
  if (!opt->outputs_only) JO_TRY(jplant_guard_reached(w, t, out->cut));
  return k->record->status;
}

// What a walk along a record fills.
static jo_status begin_walk(jsens_result* r, const jsens_record* record) {
  r->nentry = record->nentry;
  r->steps = record;
  r->rough = JARENA_ARRAY(&r->arena, record->nentry, double);
  r->ngrown = 0;
  r->felt = r->method == JSENS_DIRECT ? INFINITY : 0.0;
  return r->rough ? JO_OK : jerr_memory(r->ctx);
}

// The run with its derivatives; *is_walked: they could go along to the end.
static jo_status simulate_along(jplant_run* run, const jsens* s, recorder* k, jsens_result* out,
                                bool* is_walked) {
  jsens_along along;
  jo_status status =
      jsens_along_begin(&along, out->ctx, s, &run->work->system, k->record, k->opt, out);
  k->along = &along;
  if (status >= 0) status = integrate(run, s, k, out);
  if (status >= 0) status = begin_walk(out, k->record);
  if (status >= 0) status = jsens_along_finish(&along, is_walked);
  jsens_along_end(&along);
  return status;
}

static jo_status simulate(jplant_run* run, const jsens* s, const jsens_options* opt,
                          jsens_record* record, jsens_result* out, bool* is_walked) {
  *is_walked = false;
  JO_TRY(jsolve_check_steps(out->ctx, &opt->solve, opt->t_start, opt->t_end));
  jplant_work* w = run->work;
  jsens_record_begin(record, w->mode, s->plant);
  recorder k = {
      .ctx = out->ctx, .opt = opt, .record = record, .run = w, .machine = &w->machine, .out = out};
  if (!jsens_along_can(out->method, opt)) return integrate(run, s, &k, out);
  return simulate_along(run, s, &k, out, is_walked);
}

static jo_status make_events(jsens_result* out, const jsens_record* record, bool direct) {
  out->event = JARENA_ARRAY(&out->arena, record->nflip, jsens_event);
  if (!out->event) return jerr_memory(out->ctx);
  for (int i = 0; i < record->nflip; i++) {
    jsens_event* v = &out->event[i];
    if (direct) v->dt = JARENA_ARRAY(&out->arena, out->nw, double);
    if (!direct) v->weight = JARENA_ARRAY(&out->arena, out->nobjective, double);
    if (!v->dt && !v->weight) return jerr_memory(out->ctx);
  }
  return JO_OK;
}

static void list_events(jsens_result* out, const jsens_record* record) {
  for (int i = 0; i < record->nentry; i++) {
    if (jsens_record_is_step(record, i)) continue;
    jsens_entry e = jsens_record_entry(record, i);
    for (int k = 0; k < e.what->nflip; k++) {
      int which = record->flip[e.what->flip + k];
      bool on = jsens_record_mode(record, e.epoch + 1)[which] > 0.5;
      out->event[out->nevent++] =
          (jsens_event){.t = e.t, .which = which, .on = on, .follows = e.what->follows};
    }
  }
}

static bool allocate(jsens_result* r) {
  int n = r->nobjective * r->nw;
  r->value = JARENA_ARRAY(&r->arena, r->nobjective, double);
  r->gradient = JARENA_ARRAY(&r->arena, n, double);
  r->gradient_error = JARENA_ARRAY(&r->arena, n, double);
  r->value_error = JARENA_ARRAY(&r->arena, r->nobjective, double);
  r->is_unheld = JARENA_ARRAY(&r->arena, r->nobjective, bool);
  r->is_lost = JARENA_ARRAY(&r->arena, r->nobjective, bool);
  r->is_sharp = JARENA_ARRAY(&r->arena, r->nobjective, bool);
  r->has_grown = JARENA_ARRAY(&r->arena, r->nobjective, bool);
  r->is_own = JARENA_ARRAY(&r->arena, r->nobjective, bool);
  r->has_overflown = JARENA_ARRAY(&r->arena, r->nobjective, bool);
  r->why = JARENA_ARRAY(&r->arena, r->nobjective, const char*);
  r->doubt = JARENA_ARRAY(&r->arena, r->nobjective, jplant_doubt);
  r->largest = JARENA_ARRAY(&r->arena, r->nobjective, double);
  r->halved = JARENA_ARRAY(&r->arena, r->nobjective, double);
  r->reference = JARENA_ARRAY(&r->arena, r->nobjective, double);
  r->end_error = JARENA_ARRAY(&r->arena, r->nobjective, double);
  r->cut = JARENA_ARRAY(&r->arena, r->nobjective, double);
  r->end_reach = JARENA_ARRAY(&r->arena, r->nobjective, double);
  r->brink = JARENA_ARRAY(&r->arena, r->nw, int);
  r->tips = JARENA_ARRAY(&r->arena, r->nw, int);
  r->brink_at = JARENA_ARRAY(&r->arena, r->nw, double);
  r->brink_with = JARENA_ARRAY(&r->arena, r->nw, int);
  if (!r->brink_at || !r->brink_with) return false;
  r->unit = JARENA_ARRAY(&r->arena, r->nw, double);
  for (int k = 0; r->brink && r->tips && k < r->nw; k++) {
    r->brink[k] = r->tips[k] = r->brink_with[k] = -1;
    r->brink_at[k] = NAN;
  }
  for (int i = 0; r->gradient_error && i < n; i++) {
    r->gradient_error[i] = NAN;
  }
  for (int i = 0; r->value_error && i < r->nobjective; i++) {
    r->value_error[i] = NAN;
  }
  for (int i = 0; r->halved && r->reference && i < r->nobjective; i++) {
    r->halved[i] = r->reference[i] = NAN;
  }
  return r->largest && r->halved && r->reference && r->end_error && r->end_reach && r->cut &&
         r->value && r->value_error && r->is_unheld && r->is_lost && r->is_sharp && r->has_grown &&
         r->is_own && r->has_overflown && r->why && r->doubt && r->gradient && r->gradient_error &&
         r->brink && r->tips && r->unit;
}

jo_status jsens_result_create(jo_context* ctx, const jsens* s, jsens_method method,
                              const jsens_options* opt, jsens_result** out) {
  *out = NULL;
  jsens_result* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jsens_result){.ctx = ctx, .nw = s->nw, .method = method};
  r->nobjective = s->plant->dynamics->nobjective;
  r->derivative_tol = jsens_plan_tolerance(opt);
  jarena_init(&r->arena, ctx);
  if (!allocate(r)) {
    jsens_result_destroy(r);
    return jerr_memory(ctx);
  }
  for (int k = 0; k < r->nw; k++) {
    r->unit[k] = jsens_unit(s, opt->p, k);
  }
  *out = r;
  return JO_OK;
}

// What later walks along the run need of its options.
static jo_status keep_options(const jsens* s, const jsens_options* opt, jsens_result* r) {
  r->used = *opt;
  r->used.observer = NULL;
  r->used.progress = NULL;  // whoever listens may be gone by then
  r->used.solve.step_limit = NULL;
  r->used.solve.expected_error = NULL;
  r->used.solve.step_limit_user = NULL;
  if (!opt->p) return JO_OK;
  int np = s->plant->dynamics->np;
  double* p = JARENA_ARRAY(&r->arena, np, double);
  if (!p) return jerr_memory(r->ctx);
  memcpy(p, opt->p, (size_t)np * sizeof *p);
  r->used.p = p;
  return JO_OK;
}

// Whoever asked for the run warns of its start, once for all runs it takes.
static jo_status open(const jsens* s, const jsens_options* opt, jsens_result* r, jplant_run* run) {
  jplant_run_options o = {.p = opt->p, .is_near = opt->is_near, .is_quiet = true};
  o.nw = r->method == JSENS_VALUE ? 0 : s->nw;
  o.t_end = opt->outputs_only || opt->is_near ? NAN : opt->t_end;
  JO_TRY(jplant_run_open(r->ctx, &r->arena, s->plant, &o, run));
  const jplant_start* start = &run->start;
  r->y0 = start->y;
  r->S0 = opt->p ? start->S : s->S0;
  r->start_tips = opt->p ? start->tips : s->tips;
  r->rested = start->rested;
  if (!opt->p) return JO_OK;
  JO_TRY(jsens_check_start(r->ctx, s, o.nw, start->why));
  return jplant_wheels_look(run->work, start->y, &r->wheels);
}

// The run from its start, recorded in r.
static jo_status record(const jsens* s, const jsens_options* opt, jsens_result* r, jplant_run* run,
                        bool* is_walked) {
  JO_TRY(keep_options(s, opt, r));
  // walking backward needs the arguments of all stages before it begins with the last
  const jsolve_tableau* tab = jsolve_tableau_find(opt->solve.method);
  int stages = tab && r->method != JSENS_VALUE ? tab->stages : 0;
  JO_TRY(jsens_record_create(r->ctx, s->plant, stages, opt->max_states, &r->record));
  bool is_mixed = tab && tab->local_gamma > 0;  // their arguments must be solved for
  r->record->implicit_only = r->method == JSENS_DIRECT && !opt->keep && !is_mixed;
  jo_status status = simulate(run, s, opt, r->record, r, is_walked);
  r->passes = 1;
  r->stride = r->record->stride;
  r->record_bytes = jsens_record_bytes(r->record);
  return status;
}

static jo_status take(const jsens* s, const jsens_options* opt, jsens_result* r, bool* is_walked) {
  double begin = jclock_cpu();
  jplant_run run = {0};
  jo_status status = open(s, opt, r, &run);
  if (status >= 0) status = record(s, opt, r, &run, is_walked);
  jplant_run_close(&run);
  if (!jsens_along_can(r->method, opt)) r->cpu_dynamics = jclock_cpu() - begin;
  return status;
}

// What is known when all has been walked.
static jo_status conclude(const jsens* s, const jsens_result* of, const jsens_options* opt,
                          jsens_result* r) {
  jo_status status = JO_OK;
  if (r->nw > 0 && !opt->frozen) {
    jplant_work* run;
    JO_TRY(jplant_work_create(r->ctx, s->plant, opt->p, &run));
    status = jsens_brink(run, opt->t_start, of->y0, of->S0, r->unit, r->nw, r->brink);
    if (status >= 0) status = jsens_kinks(s, run, of, r);
    jplant_work_destroy(run);
    if (of->start_tips) memcpy(r->tips, of->start_tips, (size_t)r->nw * sizeof *r->tips);
  }
  r->nearest = of->nearest;
  jsens_plan_order(r);
  if (opt->estimate && status >= 0) jsens_plan_judge(s, opt, r);
  return status;
}

jo_status jsens_walk_record(const jsens* s, const jsens_result* of, const jsens_options* opt,
                            jsens_result* r) {
  const jsens_record* record = of->record;
  jplant_work* run;
  jsens_walk w;
  r->nevent = 0;
  JO_TRY(make_events(r, record, r->method == JSENS_DIRECT));
  JO_TRY(begin_walk(r, record));
  JO_TRY(jplant_work_create(r->ctx, s->plant, opt->p, &run));
  jo_status status = jsens_walk_begin(&w, r->ctx, s, run, record, opt, r);
  w.S0 = of->S0;
  if (status >= 0) {
    status = r->method == JSENS_DIRECT ? jsens_walk_direct(&w) : jsens_walk_adjoint(&w);
  }
  jsens_walk_end(&w);
  jplant_work_destroy(run);
  return status >= 0 ? conclude(s, of, opt, r) : status;
}

jo_status jsens_run_once(jo_context* ctx, const jsens* s, jsens_method method,
                         const jsens_options* opt, jsens_result** out) {
  jsens_result* r;
  *out = NULL;
  JO_TRY(jsens_result_create(ctx, s, method, opt, &r));
  bool is_walked;
  jo_status status = take(s, opt, r, &is_walked);
  if (status >= 0 && method == JSENS_VALUE) {
    status = make_events(r, r->record, false);
    if (status >= 0) list_events(r, r->record);
  } else if (status >= 0) {
    status = is_walked ? conclude(s, r, opt, r) : jsens_walk_record(s, r, opt, r);
  }
  if (status < 0) {
    jsens_result_destroy(r);
    return status;
  }
  *out = r;
  return JO_OK;
}
