// SPDX-License-Identifier: Apache-2.0
// Sensitivities of a run: simulate and record, then walk the record; again where the derivatives are not
// what was wanted of them.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "gen/objective.h"
#include "plant/finite.h"
#include "plant/judge.h"
#include "sens/along.h"
#include "sens/brink.h"
#include "sens/compare.h"
#include "sens/plan.h"
#include "sens/walk.h"

#define DEFAULT_MAX_STATES 65536
#define MAX_PASSES         5

jsens_options jsens_options_default(const jmodel* m) {
  jsens_options o = {.solve = jplant_solve_options(m)};
  o.t_start = m->simulation.t_start;
  o.t_end = m->simulation.t_end;
  o.max_states = DEFAULT_MAX_STATES;
  o.estimate = true;
  o.derivative_tol = m->simulation.derivative_tol;
  return o;
}

// ---- one run -------------------------------------------------------------------------------------

typedef struct recorder {
  jo_context* ctx;
  const jsens_options* opt;
  jsens_record* record;
  const jplant_work* run;
  jplant_judge judge;
  jsens_along* along;  // NULL: derivatives do not go along
} recorder;

static jo_status on_step(void* user, const jsolve_step* step) {
  recorder* k = user;
  jsens_record_step(k->record, step);
  jplant_judge_step(&k->judge, step);
  JO_TRY(k->record->status);
  if (k->along) JO_TRY(jsens_along_step(k->along, step));
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

// From y0 to the end, y. Modes are those of the start.
static jo_status integrate(jplant_work* run, const jsens* s, recorder* k, double* y,
                           jsens_result* out) {
  const jsens_options* opt = k->opt;
  run->machine.on_event = on_event;
  run->machine.on_event_user = k->record;
  JO_TRY(jplant_judge_begin(&out->arena, s->plant, &opt->solve, &k->judge));
  run->charts = &k->record->charts;  // they are needed longer than this run
  run->watch.on_change = on_change;
  run->watch.user = k;
  run->watch.needs_slopes = out->method != JSENS_VALUE && out->nw > 0;
  jsolve_observer obs = {.user = k, .step = on_step, .stage = k->along ? on_stage : NULL};
  double t;
  int said = jo_context_diagnostic_count(out->ctx);
  jsolve_options solve = opt->solve;
  solve.is_whole = true;
  jo_status status = jsolve_integrate(out->ctx, &run->system, &solve, &obs, opt->t_start,
                                      opt->t_end, y, &t, &out->statistics);
  if (status < 0) return jplant_explain_mass(run, status, said, t, y);
  if (!opt->outputs_only) JO_TRY(jplant_resolved_objectives(run, y, opt->solve.abs_tol));
  note_lost(k, s->plant, y, out);  // what is negative is told by that
  jmachine_clamp(&s->plant->about, y);
  jsens_record_end(k->record, t, y);
  jmachine_objectives(&run->machine, t, y, out->value);
  if (!opt->outputs_only) JO_TRY(jplant_finite_objectives(run, t, y, out->value));
  return k->record->status;
}

// What a walk along a record fills.
static jo_status begin_walk(jsens_result* r, const jsens_record* record) {
  r->nentry = record->nentry;
  r->steps = record;
  r->rough = JARENA_ARRAY(&r->arena, record->nentry, double);
  r->ngrown = 0;
  return r->rough ? JO_OK : jerr_memory(r->ctx);
}

// The run with its derivatives; *is_walked: they could go along to the end.
static jo_status simulate_along(jplant_work* run, const jsens* s, recorder* k, double* y,
                                jsens_result* out, bool* is_walked) {
  jsens_along along;
  double begin = jclock_cpu();
  jo_status status = jsens_along_begin(&along, out->ctx, s, &run->system, k->record, k->opt, out);
  k->along = &along;
  if (status >= 0) status = integrate(run, s, k, y, out);
  if (status >= 0) status = begin_walk(out, k->record);
  if (status >= 0) status = jsens_along_finish(&along, is_walked);
  if (status >= 0) out->cpu_sensitivity = jsens_along_share(&along) * (jclock_cpu() - begin);
  jsens_along_end(&along);
  return status;
}

static jo_status simulate(jplant_work* run, const jsens* s, const jsens_options* opt,
                          const double* y0, jsens_record* record, jsens_result* out,
                          bool* is_walked) {
  const jgen_dynamics* d = s->plant->dynamics;
  *is_walked = false;
  JO_TRY(jsolve_check_steps(out->ctx, &opt->solve, opt->t_start, opt->t_end));
  double* y = JARENA_ARRAY(&out->arena, d->ny, double);
  double* scratch = JARENA_ARRAY(&out->arena, d->nswitch, double);
  if (!y || !scratch) return jerr_memory(out->ctx);
  memcpy(y, y0, (size_t)d->ny * sizeof *y);
  if (opt->p) memcpy(run->p, opt->p, (size_t)d->np * sizeof *run->p);
  jsolve_set_modes(&run->system, opt->t_start, y, scratch);
  jsens_record_begin(record, run->mode, s->plant);
  recorder k = {.ctx = out->ctx, .opt = opt, .record = record, .run = run};
  if (!jsens_along_can(out->method, opt)) return integrate(run, s, &k, y, out);
  return simulate_along(run, s, &k, y, out, is_walked);
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
  r->is_own = JARENA_ARRAY(&r->arena, r->nobjective, bool);
  r->why = JARENA_ARRAY(&r->arena, r->nobjective, const char*);
  r->doubt = JARENA_ARRAY(&r->arena, r->nobjective, jplant_doubt);
  r->brink = JARENA_ARRAY(&r->arena, r->nw, int);
  r->unit = JARENA_ARRAY(&r->arena, r->nw, double);
  for (int k = 0; r->brink && k < r->nw; k++) {
    r->brink[k] = -1;
  }
  for (int i = 0; r->gradient_error && i < n; i++) {
    r->gradient_error[i] = NAN;
  }
  for (int i = 0; r->value_error && i < r->nobjective; i++) {
    r->value_error[i] = NAN;
  }
  return r->value && r->value_error && r->is_unheld && r->is_lost && r->is_sharp && r->is_own &&
         r->why && r->doubt && r->gradient && r->gradient_error && r->brink && r->unit;
}

static jo_status create(jo_context* ctx, const jsens* s, jsens_method method,
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
  r->used.progress = NULL;  // who is told may be gone by then
  r->used.solve.step_limit = NULL;
  r->used.solve.step_limit_user = NULL;
  if (!opt->p) return JO_OK;
  int np = s->plant->dynamics->np;
  double* p = JARENA_ARRAY(&r->arena, np, double);
  if (!p) return jerr_memory(r->ctx);
  memcpy(p, opt->p, (size_t)np * sizeof *p);
  r->used.p = p;
  return JO_OK;
}

// The start, and the run from there, recorded in r.
static jo_status take(const jsens* s, const jsens_options* opt, jsens_result* r, bool* is_walked) {
  double *y0 = s->plant->y0, *S0 = s->S0;
  double begin = jclock_cpu();
  int nw = r->method == JSENS_VALUE ? 0 : s->nw;
  if (opt->p) JO_TRY(jsens_start(r->ctx, &r->arena, s, nw, opt->p, &y0, &S0));
  r->y0 = y0;
  r->S0 = S0;
  JO_TRY(keep_options(s, opt, r));
  // walking backward needs the arguments of all stages before it begins with the last
  const jsolve_tableau* tab = jsolve_tableau_find(opt->solve.method);
  int stages = tab && r->method != JSENS_VALUE ? tab->stages : 0;
  JO_TRY(jsens_record_create(r->ctx, s->plant, stages, opt->max_states, &r->record));
  bool is_mixed = tab && tab->local_gamma > 0;  // their arguments must be solved for
  r->record->implicit_only = r->method == JSENS_DIRECT && !opt->keep && !is_mixed;
  jplant_work* run;
  JO_TRY(jplant_work_create(r->ctx, s->plant, &run));
  jo_status status = simulate(run, s, opt, y0, r->record, r, is_walked);
  jplant_work_destroy(run);
  r->passes = 1;
  r->stride = r->record->stride;
  r->record_bytes = jsens_record_bytes(r->record);
  r->cpu_dynamics = fmax(0.0, jclock_cpu() - begin - r->cpu_sensitivity);
  return status;
}

// What is known when all has been walked.
static jo_status conclude(const jsens* s, const jsens_result* of, const jsens_options* opt,
                          jsens_result* r) {
  jo_status status = JO_OK;
  if (r->nw > 0 && !opt->frozen) {
    jplant_work* run;
    JO_TRY(jplant_work_create(r->ctx, s->plant, &run));
    if (opt->p) memcpy(run->p, opt->p, (size_t)s->plant->dynamics->np * sizeof *run->p);
    status = jsens_brink(run, opt->t_start, of->y0, of->S0, r->unit, r->nw, r->brink);
    jplant_work_destroy(run);
  }
  jsens_plan_order(r);
  if (opt->estimate && status >= 0) jsens_plan_judge(s, opt, r);
  return status;
}

// Walk the run recorded in `of`, which may be r itself.
static jo_status walk(const jsens* s, const jsens_result* of, const jsens_options* opt,
                      jsens_result* r) {
  const jsens_record* record = of->record;
  double begin = jclock_cpu();
  jplant_work* run;
  jsens_walk w;
  r->nevent = 0;
  JO_TRY(make_events(r, record, r->method == JSENS_DIRECT));
  JO_TRY(begin_walk(r, record));
  JO_TRY(jplant_work_create(r->ctx, s->plant, &run));
  if (opt->p) memcpy(run->p, opt->p, (size_t)s->plant->dynamics->np * sizeof *run->p);
  jo_status status = jsens_walk_begin(&w, r->ctx, s, run, record, opt, r);
  w.S0 = of->S0;
  if (status >= 0) {
    status = r->method == JSENS_DIRECT ? jsens_walk_direct(&w) : jsens_walk_adjoint(&w);
  }
  jsens_walk_end(&w);
  jplant_work_destroy(run);
  if (status >= 0) status = conclude(s, of, opt, r);
  r->cpu_sensitivity += jclock_cpu() - begin;
  return status;
}

static jo_status run_once(jo_context* ctx, const jsens* s, jsens_method method,
                          const jsens_options* opt, jsens_result** out) {
  jsens_result* r;
  *out = NULL;
  JO_TRY(create(ctx, s, method, opt, &r));
  bool is_walked;
  jo_status status = take(s, opt, r, &is_walked);
  if (status >= 0 && method == JSENS_VALUE) {
    status = make_events(r, r->record, false);
    if (status >= 0) list_events(r, r->record);
  } else if (status >= 0) {
    status = is_walked ? conclude(s, r, opt, r) : walk(s, r, opt, r);
  }
  if (status < 0) {
    jsens_result_destroy(r);
    return status;
  }
  *out = r;
  return JO_OK;
}

// ---- until it is good ----------------------------------------------------------------------------

// The cost of a result is that of all runs it took.
static void add_cost(jsens_result* r, const jsens_result* before) {
  r->passes += before->passes;
  r->statistics.evaluations += before->statistics.evaluations;
  r->derivative_evaluations += before->derivative_evaluations;
  r->cpu_dynamics += before->cpu_dynamics;
  r->cpu_sensitivity += before->cpu_sensitivity;
}

static bool is_stopped(const jsens_options* opt) {
  return opt->progress && !opt->progress(opt->user, 1.0);
}

// The same run taken otherwise, as the i-th other of r; *is_there: it could be taken.
static jo_status take_other(jo_context* ctx, const jsens* s, const jsens_options* other, int i,
                            jsens_result* r, bool* is_there) {
  int said = jo_context_diagnostic_count(ctx);
  jo_status status = run_once(ctx, s, r->method, other, &r->other[i]);
  *is_there = status >= 0;
  if (status >= 0) add_cost(r, r->other[i]);
  if (status >= 0 || status == JO_ERR_MEMORY || is_stopped(other)) return status;
  jerr_forget(ctx, said);
  return JO_OK;
}

static void forget_others(jsens_result* r) {
  for (int i = 0; i < JSENS_OTHERS; i++) {
    jsens_result_destroy(r->other[i]);
    r->other[i] = NULL;
  }
}

// With larger tolerances, while runs follow them.
static jo_status take_coarser(jsens_compare* c, const jsens* s, const jsens_options* opt,
                              jsens_result* r, bool* tells) {
  *tells = true;
  for (int i = 0; i < JSENS_OTHERS && *tells; i++) {
    jsens_options other;
    *tells = jsens_compare_coarser(c, opt, i, &other);
    if (*tells) JO_TRY(take_other(r->ctx, s, &other, i, r, tells));
    *tells = *tells && jsens_compare_tells(r, r->other[i]);
  }
  return JO_OK;
}

static jo_status take_halved(jsens_compare* c, const jsens* s, const jsens_options* opt,
                             jsens_result* r, bool* is_there) {
  jsens_options other;
  forget_others(r);
  JO_TRY(jsens_compare_halved(c, opt, r, &other));
  return take_other(r->ctx, s, &other, 0, r, is_there);
}

// Errors of an adaptive run by others, halved ones alone where its limits of steps are gone; where there are none, those by its
// own steps stay.
static jo_status compare(const jsens* s, const jsens_options* opt, bool has_limits,
                         jsens_result* r) {
  jsens_compare c;
  jsens_comparison how = JSENS_COARSER;
  bool tells = false;
  jo_status status = JO_OK;
  jsens_compare_begin(&c, r->ctx);
  if (has_limits) status = take_coarser(&c, s, opt, r, &tells);
  if (status >= 0 && !tells) {
    how = JSENS_HALVED;
    status = take_halved(&c, s, opt, r, &tells);
  }
  if (status >= 0 && tells) jsens_compare_judge(s, opt, how, r->other, r);
  jsens_compare_end(&c);
  return status;
}

// Fixed steps have no embedded method: a run with steps of twice the length takes its place, or of half of it where that is
// too long to say anything.
static jo_status change_steps(jo_context* ctx, const jsens* s, const jsens_options* opt,
                              jsens_result* r) {
  jsens_options other;
  bool is_longer = true, is_there = false;
  jsens_compare_step(opt, r, &is_longer, &other);
  if (is_longer) JO_TRY(take_other(ctx, s, &other, 0, r, &is_there));
  if (!is_there) {
    is_longer = false;
    jsens_compare_step(opt, r, &is_longer, &other);
    JO_TRY(run_once(ctx, s, r->method, &other, &r->other[0]));
    add_cost(r, r->other[0]);
  }
  jsens_compare_judge(s, opt, is_longer ? JSENS_LONGER : JSENS_SHORTER, r->other, r);
  return JO_OK;
}

// Run until derivatives are good. Rough runs are not compared: what they differ by says nothing.
static jo_status repeat(jo_context* ctx, const jsens* s, jsens_method method,
                        const jsens_options* opt, jsens_plan* plan, jsens_result** out) {
  jsens_options o = *opt;
  bool again = true, is_compared = false;
  for (int pass = 1; again; pass++) {
    jsens_result *r, *before = *out;
    int said = jo_context_diagnostic_count(ctx);
    jo_status status = run_once(ctx, s, method, &o, &r);
    if (status < 0 && before && status != JO_ERR_MEMORY && !is_stopped(&o)) {
      jerr_forget(ctx, said);  // what there is stays, with the error it has
      break;
    }
    JO_TRY(status);
    if (before) add_cost(r, before);
    jsens_result_destroy(before);
    *out = r;
    again = pass < MAX_PASSES && jsens_plan_repeats(s, &o, r);
    is_compared = o.compare && !(again && jsens_plan_is_rough(&o, r));
    if (is_compared) {
      JO_TRY(compare(s, &o, true, r));
      again = pass < MAX_PASSES && jsens_plan_repeats(s, &o, r);
    }
    if (again) JO_TRY(jsens_plan_next(plan, s, r, &o, &again));
  }
  return is_compared || !o.compare ? JO_OK : compare(s, &(*out)->used, false, *out);
}

// Adaptive runs are repeated until they are good; the observer sees the one that is.
static jo_status run_adaptive(jo_context* ctx, const jsens* s, jsens_method method,
                              const jsens_options* opt, jsens_result** out) {
  jsens_options unseen = *opt;
  unseen.observer = NULL;
  jsens_plan plan;
  jsens_plan_begin(&plan, ctx);
  jo_status status = repeat(ctx, s, method, &unseen, &plan, out);
  jsens_plan_end(&plan);
  if (status < 0 || !opt->observer) return status;
  jsens_options seen = (*out)->used;
  seen.observer = opt->observer;
  seen.progress = opt->progress;
  return walk(s, *out, &seen, *out);
}

// The derivative that is the cause: the first infinite one, for those that are no numbers follow from it. -1: all exist.
static int first_bad(const jsens* s, const jsens_result* r, int objective) {
  int bad = -1;
  for (int j = 0; j < r->nw; j++) {
    double x = r->gradient[objective * r->nw + j];
    if (isfinite(x) || s->why[j]) continue;
    if (bad < 0 || (!isnan(x) && isnan(r->gradient[objective * r->nw + bad]))) bad = j;
  }
  return bad;
}

static const char* explain(const jsens* s, jsens_result* r, int o, int bad) {
  const jmodel* m = s->plant->model;
  if (r->is_lost[o]) {
    return jarena_printf(&r->arena,
                         "its value is %.3g, and its signal, or the power of it, below what the "
                         "run resolves; hint: 'nominal', the size of its signal",
                         r->value[o]);
  }
  return jarena_printf(
      &r->arena,
      "its derivative by '%s' is %s, though its value is %.9g: somewhere in the "
      "run a root, a power or a logarithm is at the end of its range; hint: move "
      "away from there, or leave this number or this objective out%s",
      m->number[s->wrt[bad]].path, jplant_finite_text(r->gradient[o * r->nw + bad]), r->value[o],
      r->is_own[o] ? "" : "; it may be another one's: the direct method tells whose");
}

// Going back, weights meet the slopes of all objectives but for roots of zero (gen/sens.c).
static bool is_own(const jsens* s, const jsens_result* r, int o) {
  bool has_root = jgen_objective_has_root(&s->plant->model->objective[o]);
  return r->method == JSENS_DIRECT || r->is_lost[o] || (has_root && r->value[o] == 0.0);
}

static void clear_bad(jsens_result* r, int o) {
  for (int j = 0; j < r->nw; j++) {
    int at = o * r->nw + j;
    if (!r->is_lost[o] && !r->is_sharp[o] && isfinite(r->gradient[at])) continue;
    r->gradient[at] = r->gradient_error[at] = NAN;
  }
}

// Note which objectives have derivatives that are not finite though they should exist; report the first, where all must.
static jo_status check_gradient(const jsens* s, const jsens_options* opt, jsens_result* r) {
  int first = -1, n = 0;
  for (int o = 0; o < r->nobjective; o++) {
    int bad = first_bad(s, r, o);
    if (bad < 0) continue;
    r->is_own[o] = is_own(s, r, o);
    r->why[o] = explain(s, r, o, bad);
    if (!r->why[o]) return jerr_memory(r->ctx);
    clear_bad(r, o);
    if (n++ == 0) first = o;
  }
  if (n == 0 || opt->some) return JO_OK;
  return jsens_fail_objective(r->ctx, s, r, first);
}

jo_status jsens_fail_objective(jo_context* ctx, const jsens* s, const jsens_result* r, int o) {
  const jmodel_objective* about = &s->plant->model->objective[o];
  return jerr_set(ctx, JO_ERR_NUMERIC, "%s:%d: objective '%s' has no derivatives: %s",
                  about->place.file, about->place.line, about->name, r->why[o]);
}

// Derivatives of one side have no error that an integration could estimate.
static void doubt_brinks(jsens_result* r) {
  for (int k = 0; k < r->nw; k++) {
    for (int o = 0; r->brink[k] >= 0 && o < r->nobjective; o++) {
      if (!isnan(r->gradient_error[o * r->nw + k])) r->gradient_error[o * r->nw + k] = INFINITY;
      r->is_within = false;
    }
  }
}

static void forget_run(jsens_result* r) {
  jsens_record_destroy(r->record);
  forget_others(r);
  r->record = NULL;
  r->nentry = 0;
  r->steps = NULL;
  jmem_free(r->ctx, r->grown);
  r->grown = NULL;
  r->ngrown = r->grown_cap = 0;
}

jo_status jsens_check_method(jo_context* ctx, const jsens* s, jsens_method method) {
  bool is_there = method == JSENS_VALUE || (method == JSENS_DIRECT ? s->tangents : s->adjoints);
  if (is_there) return JO_OK;
  return jerr_set(ctx, JO_ERR_ARGUMENT,
                  "%s: the system was not prepared for derivatives by the %s method",
                  s->plant->model->path, method == JSENS_DIRECT ? "direct" : "adjoint");
}

jo_status jsens_run(jo_context* ctx, const jsens* s, jsens_method method, const jsens_options* opt,
                    jsens_result** out) {
  *out = NULL;
  JO_TRY(jsens_check_method(ctx, s, method));
  const jsolve_method_info* about = jsolve_method_about(opt->solve.method);
  bool estimate = opt->estimate && about->is_own && method != JSENS_VALUE;
  jo_status status;
  if (estimate && !about->is_fixed) {
    status = run_adaptive(ctx, s, method, opt, out);
  } else {
    jsens_options o = *opt;
    o.estimate = false;
    status = run_once(ctx, s, method, &o, out);
    if (status >= 0 && estimate) status = change_steps(ctx, s, opt, *out);
  }
  bool is_asked = method != JSENS_VALUE && !opt->outputs_only;
  if (status >= 0 && is_asked) status = check_gradient(s, opt, *out);
  if (status < 0) {
    jsens_result_destroy(*out);
    *out = NULL;
    return status;
  }
  doubt_brinks(*out);
  if (!opt->keep) forget_run(*out);
  return JO_OK;
}

// ---- along the same run --------------------------------------------------------------------------

static jo_status walk_other(const jsens* s, const jsens_result* of, bool frozen, bool events_only,
                            jsens_result* r) {
  jsens_options o = of->used;
  o.frozen = frozen;
  o.events_only = events_only;
  if (events_only) o.estimate = false;
  memcpy(r->value, of->value, (size_t)r->nobjective * sizeof *r->value);
  memcpy(r->is_unheld, of->is_unheld, (size_t)r->nobjective * sizeof *r->is_unheld);
  memcpy(r->is_lost, of->is_lost, (size_t)r->nobjective * sizeof *r->is_lost);
  memcpy(r->doubt, of->doubt, (size_t)r->nobjective * sizeof *r->doubt);
  r->statistics = of->statistics;
  r->stride = of->stride;
  r->record_bytes = of->record_bytes;
  return walk(s, of, &o, r);
}

// Runs that errors come from are walked, too.
static jo_status walk_all(const jsens* s, const jsens_result* of, bool frozen, jsens_result* r) {
  JO_TRY(walk_other(s, of, frozen, false, r));
  if (of->comparison == JSENS_ALONE) return JO_OK;
  for (int i = 0; i < JSENS_OTHERS && of->other[i]; i++) {
    JO_TRY(create(r->ctx, s, r->method, &of->other[i]->used, &r->other[i]));
    JO_TRY(walk_other(s, of->other[i], frozen, false, r->other[i]));
  }
  jsens_compare_judge(s, &of->used, of->comparison, r->other, r);
  return JO_OK;
}

jo_status jsens_walk_again(jo_context* ctx, const jsens* s, const jsens_result* of,
                           jsens_method method, bool frozen, jsens_result** out) {
  assert(of->record && method != JSENS_VALUE);
  *out = NULL;
  jsens_result* r;
  JO_TRY(jsens_check_method(ctx, s, method));
  JO_TRY(create(ctx, s, method, &of->used, &r));
  jo_status status = walk_all(s, of, frozen, r);
  if (status >= 0 && !of->used.outputs_only) status = check_gradient(s, &of->used, r);
  if (status < 0) {
    jsens_result_destroy(r);
    return status;
  }
  doubt_brinks(r);
  forget_run(r);
  *out = r;
  return JO_OK;
}

jo_status jsens_walk_events(jo_context* ctx, const jsens* s, const jsens_result* of,
                            jsens_method method, bool frozen, jsens_result** out) {
  assert(of->record && method != JSENS_VALUE);
  *out = NULL;
  jsens_result* r;
  JO_TRY(jsens_check_method(ctx, s, method));
  JO_TRY(create(ctx, s, method, &of->used, &r));
  jo_status status = walk_other(s, of, frozen, true, r);
  bool has_gradient = method == JSENS_ADJOINT && !of->used.outputs_only;
  if (status >= 0 && has_gradient) status = check_gradient(s, &of->used, r);
  if (status < 0) {
    jsens_result_destroy(r);
    return status;
  }
  forget_run(r);
  *out = r;
  return JO_OK;
}

void jsens_result_destroy(jsens_result* r) {
  if (!r) return;
  forget_run(r);
  jarena_free(&r->arena);
  jmem_free(r->ctx, r);
}
