// SPDX-License-Identifier: Apache-2.0
// Sensitivities of a run: simulate and record, then walk the record; again where the derivatives are not
// what was wanted of them.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "plant/finite.h"
#include "sens/brink.h"
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

static jo_status on_step(void* user, const jsolve_step* step) {
  jsens_record* r = user;
  jsens_record_step(r, step);
  return r->status;
}

static void on_event(void* user, double t, const double* before, const double* after,
                     const double* mode, const int* flipped, int n) {
  jsens_record_event(user, t, before, after, mode, flipped, n);
}

static jo_status simulate(jplant_work* run, const jsens* s, const jsens_options* opt,
                          const double* y0, jsens_record* record, jsens_result* out) {
  const jgen_dynamics* d = s->plant->dynamics;
  JO_TRY(jsolve_check_steps(out->ctx, &opt->solve, opt->t_start, opt->t_end));
  double* y = JARENA_ARRAY(&out->arena, d->ny + 1, double);
  double* scratch = JARENA_ARRAY(&out->arena, d->nswitch + 1, double);
  if (!y || !scratch) return jerr_memory(out->ctx);
  memcpy(y, y0, (size_t)d->ny * sizeof *y);
  if (opt->p) memcpy(run->p, opt->p, (size_t)d->np * sizeof *run->p);
  jsolve_set_modes(&run->system, opt->t_start, y, scratch);
  jsens_record_begin(record, run->mode);
  run->on_event = on_event;
  run->on_event_user = record;
  jsolve_observer obs = {.user = record, .step = on_step};
  double t;
  JO_TRY(jsolve_integrate(out->ctx, &run->system, &opt->solve, &obs, opt->t_start, opt->t_end, y,
                          &t, &out->statistics));
  jplant_clamp(s->plant, y);
  jsens_record_end(record, y);
  jplant_objectives(run, opt->t_end, y, out->value);
  if (!opt->outputs_only) JO_TRY(jplant_finite_objectives(run, opt->t_end, y, out->value));
  return record->status;
}

static jo_status make_events(jsens_result* out, const jsens_record* record, bool direct) {
  out->event = JARENA_ARRAY(&out->arena, record->nflip + 1, jsens_event);
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
    const jsens_entry* e = &record->entry[i];
    for (int k = 0; e->after >= 0 && k < e->nflip; k++) {
      int which = record->flip[e->flip + k];
      bool on = jsens_record_mode(record, e->epoch + 1)[which] > 0.5;
      out->event[out->nevent++] =
          (jsens_event){.t = e->t, .which = which, .on = on, .follows = e->follows};
    }
  }
}

static jo_status walk(const jsens* s, jsens_method method, const jsens_options* opt,
                      const double* S0, jplant_work* run, const jsens_record* record,
                      jsens_result* out) {
  jsens_walk w;
  jo_status status = jsens_walk_begin(&w, out->ctx, s, run, record, opt, out);
  w.S0 = S0;
  if (status >= 0) {
    status = method == JSENS_DIRECT ? jsens_walk_direct(&w) : jsens_walk_adjoint(&w);
  }
  jsens_walk_end(&w);
  return status;
}

// Entries outlive the record, for the plan of another run.
static jo_status keep_entries(jsens_result* out, const jsens_record* record) {
  int n = out->nentry = record->nentry;
  jsens_entry* entry = JARENA_ARRAY(&out->arena, n + 1, jsens_entry);
  out->rough = JARENA_ARRAY(&out->arena, n + 1, double);
  out->growth = JARENA_ARRAY(&out->arena, n + 1, double);
  if (!entry || !out->rough || !out->growth) return jerr_memory(out->ctx);
  memcpy(entry, record->entry, (size_t)n * sizeof *entry);
  out->entry = entry;
  return JO_OK;
}

// The start, the run and its walk. An observer is told of the last walk only, so it needs one of its own.
static jo_status run_all(const jsens* s, jsens_method method, const jsens_options* opt,
                         jplant_work* run, jsens_record* record, jsens_result* out) {
  double *y0 = s->plant->y0, *S0 = s->S0;
  double t0 = jclock_cpu();
  int nw = method == JSENS_VALUE ? 0 : s->nw;
  if (opt->p) JO_TRY(jsens_start(out->ctx, &out->arena, s, nw, opt->p, &y0, &S0));
  JO_TRY(simulate(run, s, opt, y0, record, out));
  double t1 = jclock_cpu();
  out->cpu_dynamics = t1 - t0;
  JO_TRY(make_events(out, record, method == JSENS_DIRECT));
  if (method == JSENS_VALUE) {
    list_events(out, record);
    return JO_OK;
  }
  JO_TRY(keep_entries(out, record));
  jsens_options quiet = *opt;
  if (opt->estimate) quiet.observer = NULL;
  JO_TRY(walk(s, method, &quiet, S0, run, record, out));
  if (opt->estimate) jsens_plan_judge(s, opt, out);
  if (opt->observer && opt->estimate && (opt->is_last || !jsens_plan_repeats(s, opt, out))) {
    JO_TRY(walk(s, method, opt, S0, run, record, out));
    jsens_plan_judge(s, opt, out);
  }
  if (nw > 0 && !opt->frozen) {
    JO_TRY(jsens_brink(run, opt->t_start, y0, S0, s->unit, nw, out->brink));
  }
  out->cpu_sensitivity = jclock_cpu() - t1;
  return JO_OK;
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

static bool allocate(jsens_result* r) {
  int n = r->nobjective * r->nw;
  r->value = JARENA_ARRAY(&r->arena, r->nobjective + 1, double);
  r->gradient = JARENA_ARRAY(&r->arena, n + 1, double);
  r->gradient_error = JARENA_ARRAY(&r->arena, n + 1, double);
  r->value_error = JARENA_ARRAY(&r->arena, r->nobjective + 1, double);
  r->brink = JARENA_ARRAY(&r->arena, r->nw + 1, int);
  for (int k = 0; r->brink && k < r->nw; k++) {
    r->brink[k] = -1;
  }
  for (int i = 0; r->gradient_error && i < n; i++) {
    r->gradient_error[i] = NAN;
  }
  for (int i = 0; r->value_error && i < r->nobjective; i++) {
    r->value_error[i] = NAN;
  }
  return r->value && r->value_error && r->gradient && r->gradient_error && r->brink;
}

static jo_status run_once(jo_context* ctx, const jsens* s, jsens_method method,
                          const jsens_options* opt, jsens_result** out) {
  *out = NULL;
  jsens_result* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jsens_result){.ctx = ctx, .nw = s->nw, .passes = 1};
  r->nobjective = s->plant->dynamics->nobjective;
  r->is_direct = method == JSENS_DIRECT;
  r->derivative_tol = jsens_plan_tolerance(opt);
  jarena_init(&r->arena, ctx);
  jplant_work* run = NULL;
  jsens_record* record = NULL;
  jo_status status = allocate(r) ? JO_OK : jerr_memory(ctx);
  if (status >= 0) status = jplant_work_create(ctx, s->plant, &run);
  if (status >= 0) {
    // the adjoint method needs the arguments of all stages before it begins with the last
    const jsolve_tableau* tab = jsolve_tableau_find(opt->solve.method);
    int stages = tab && method != JSENS_VALUE ? tab->stages : 0;
    status = jsens_record_create(ctx, s->plant, stages, opt->max_states, &record);
    if (status >= 0) record->implicit_only = method == JSENS_DIRECT;
  }
  if (status >= 0) status = run_all(s, method, opt, run, record, r);
  jsens_record_destroy(record);
  jplant_work_destroy(run);
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

// Fixed steps have no embedded method: a run with steps of twice the length takes its place,
//   error = |G(h) - G(2 h)| / (2^order - 1)
static jo_status compare_steps(jo_context* ctx, const jsens* s, jsens_method method,
                               const jsens_options* opt, jsens_result* r) {
  jsens_options twice = *opt;
  twice.solve.step *= 2.0;
  twice.estimate = false;
  twice.observer = NULL;
  jsens_result* other = NULL;
  JO_TRY(run_once(ctx, s, method, &twice, &other));
  double gain = pow(2.0, jsolve_method_about(opt->solve.method)->order) - 1.0;
  for (int i = 0; i < r->nobjective * r->nw; i++) {
    r->gradient_error[i] = fabs(r->gradient[i] - other->gradient[i]) / gain;
  }
  for (int i = 0; i < r->nobjective; i++) {
    r->value_error[i] = fabs(r->value[i] - other->value[i]) / gain;
  }
  add_cost(r, other);
  jsens_result_destroy(other);
  jsens_plan_judge(s, opt, r);
  return JO_OK;
}

// The run that turned out to be the last had no observer, for another one was to come: a run as it was
// asked for shows it the histories.
static jo_status show_observer(jo_context* ctx, const jsens* s, jsens_method method,
                               const jsens_options* opt, jsens_result* out) {
  if (!opt->observer) return JO_OK;
  jsens_options o = *opt;
  o.is_last = true;
  jsens_result* shown;
  JO_TRY(run_once(ctx, s, method, &o, &shown));
  add_cost(out, shown);
  jsens_result_destroy(shown);
  return JO_OK;
}

static jo_status repeat(jo_context* ctx, const jsens* s, jsens_method method,
                        const jsens_options* opt, jsens_plan* plan, jsens_result** out) {
  jsens_options o = *opt;
  for (int pass = 0;; pass++) {
    jsens_result *r, *before = *out;
    int said = jo_context_diagnostic_count(ctx);
    o.is_last = pass == MAX_PASSES - 1;
    jo_status status = run_once(ctx, s, method, &o, &r);
    if (status < 0 && before && status != JO_ERR_MEMORY) {
      jerr_forget(ctx, said);  // what there is stays, with the error it has
      return show_observer(ctx, s, method, opt, before);
    }
    JO_TRY(status);
    if (before) add_cost(r, before);
    jsens_result_destroy(before);
    *out = r;
    if (o.is_last || !jsens_plan_repeats(s, &o, r)) return JO_OK;
    bool again;
    JO_TRY(jsens_plan_next(plan, s, r, &o, &again));
    if (!again) return show_observer(ctx, s, method, opt, r);
  }
}

// Report the first derivative that is not finite though it exists.
static jo_status check_gradient(const jsens* s, const jsens_result* r) {
  const jmodel* m = s->plant->model;
  int bad = -1;
  // the infinite one is the cause, those that are no numbers follow from it
  for (int i = 0; i < r->nobjective * r->nw; i++) {
    if (isfinite(r->gradient[i]) || s->why[i % r->nw]) continue;
    if (bad < 0 || (isnan(r->gradient[bad]) && !isnan(r->gradient[i]))) bad = i;
  }
  if (bad < 0) return JO_OK;
  const jmodel_objective* o = &m->objective[bad / r->nw];
  return jerr_set(r->ctx, JO_ERR_NUMERIC,
                  "%s:%d: objective '%s': its derivative by '%s' is %s, though its value is %.9g: "
                  "somewhere in the run a root, a power or a logarithm is at the end of its range; "
                  "hint: move away from there, or leave this number out",
                  o->place.file, o->place.line, o->name, m->number[s->wrt[bad % r->nw]].path,
                  jplant_finite_text(r->gradient[bad]), r->value[bad / r->nw]);
}

jo_status jsens_run(jo_context* ctx, const jsens* s, jsens_method method, const jsens_options* opt,
                    jsens_result** out) {
  *out = NULL;
  if ((method == JSENS_DIRECT && !s->tangents) || (method == JSENS_ADJOINT && !s->adjoints)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "this method was not prepared");
  }
  const jsolve_method_info* about = jsolve_method_about(opt->solve.method);
  jo_status status;
  if (method == JSENS_VALUE || !opt->estimate || !about->is_own || about->is_fixed) {
    jsens_options o = *opt;
    o.estimate = false;
    status = run_once(ctx, s, method, &o, out);
    if (status >= 0 && method != JSENS_VALUE && opt->estimate && about->is_own) {
      status = compare_steps(ctx, s, method, opt, *out);
    }
  } else {
    jsens_plan plan;
    jsens_plan_begin(&plan, ctx);
    status = repeat(ctx, s, method, opt, &plan, out);
    jsens_plan_end(&plan);
  }
  bool is_asked = method != JSENS_VALUE && !opt->outputs_only;
  if (status >= 0 && is_asked) status = check_gradient(s, *out);
  if (status < 0) {
    jsens_result_destroy(*out);
    *out = NULL;
  } else {
    doubt_brinks(*out);
  }
  return status;
}

void jsens_result_destroy(jsens_result* r) {
  if (!r) return;
  jarena_free(&r->arena);
  jmem_free(r->ctx, r);
}
