// SPDX-License-Identifier: Apache-2.0
// Sensitivities of a run: again where the derivatives are not what was wanted of them, and otherwise for the sake of their
// errors.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/system/clock.h"
#include "gen/objective.h"
#include "plant/check/finite.h"
#include "plant/check/halved.h"
#include "plant/check/reference.h"
#include "sens/error/compare.h"
#include "sens/error/plan.h"
#include "sens/once.h"

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

// ---- until it is good ----------------------------------------------------------------------------

// The counts of a result are those of all runs it took.
static void add_counts(jsens_result* r, const jsens_result* of) {
  r->passes += of->passes;
  r->statistics.evaluations += of->statistics.evaluations;
  r->derivative_evaluations += of->derivative_evaluations;
}

static void add_cost(jsens_result* r, const jsens_result* before) {
  add_counts(r, before);
  r->cpu_dynamics += before->cpu_dynamics;
  r->cpu_errors += before->cpu_errors;
}

static void forget_run(jsens_result* r) {
  jsens_record_destroy(r->record);
  jsens_result_destroy(r->other);
  r->record = NULL;
  r->other = NULL;
  r->nentry = 0;
  r->steps = NULL;
  jmem_free(r->ctx, r->grown);
  r->grown = NULL;
  r->ngrown = r->grown_cap = 0;
}

static bool is_stopped(const jsens_options* opt) {
  return opt->progress && !opt->progress(opt->user, 1.0);
}

// Runs once more with other options, as the second run of r; *is_there: it succeeded.
static jo_status take_other(jo_context* ctx, const jsens* s, const jsens_options* other,
                            jsens_result* r, bool* is_there) {
  int said = jo_context_diagnostic_count(ctx);
  jo_status status = jsens_run_once(ctx, s, r->method, other, &r->other);
  *is_there = status >= 0;
  if (status >= 0) add_counts(r, r->other);
  if (status >= 0 && !other->keep_other) forget_run(r->other);
  if (status >= 0 || status == JO_ERR_MEMORY || is_stopped(other)) return status;
  jerr_forget(ctx, said);
  return JO_OK;
}

// ---- against a more accurate run -----------------------------------------------------------------

static jsens_options reference_options(const jsens_options* opt, const jsens_result* r) {
  jsens_options other = *opt;
  other.estimate = other.check = false;
  other.observer = NULL;
  jplant_reference_options(&opt->solve, &r->statistics, &other.solve);
  return other;
}

static jo_status judge_reference(const jsens* s, const jsens_options* opt,
                                 const jsens_result* reference, int said, jsens_result* r) {
  for (int o = 0; o < r->nobjective; o++) {
    r->reference[o] = reference->value[o];
  }
  return jplant_reference_judge(r->ctx, s->plant, &opt->solve, &r->statistics,
                                &reference->statistics, said);
}

// Two runs whose steps make or take the motion are wrong in the same way, and their difference says nothing. Errors from a more
// accurate one in their place; *is_there: it succeeded.
static jo_status refer(const jsens* s, const jsens_options* opt, jsens_result* r, bool* is_there) {
  *is_there = false;
  if (!jplant_reference_is_due(&opt->solve, &r->statistics)) return JO_OK;
  jsens_options other = reference_options(opt, r);
  jsens_result* before = r->other;
  int said = jo_context_diagnostic_count(r->ctx);
  r->other = NULL;
  jo_status status = take_other(r->ctx, s, &other, r, is_there);
  if (status < 0 || !*is_there) {
    r->other = before;
    return status;
  }
  jsens_result_destroy(before);
  JO_TRY(judge_reference(s, opt, r->other, said, r));
  jsens_compare_judge(s, opt, JSENS_REFERENCE, r);
  return JO_OK;
}

// Objectives that a more accurate run has otherwise have derivatives without a digit that is sure; so have all where such a run fails.
static void doubt_derivatives(const jsens* s, jsens_result* r) {
  for (int i = 0; i < r->nobjective * r->nw; i++) {
    int o = i / r->nw;
    double value = r->value[o], apart = fabs(r->reference[o] - value);
    double scale = fmax(r->largest[o], fabs(r->reference[o]));
    if (isfinite(apart)) r->value_error[o] = fmax(r->value_error[o], 2.0 * apart);
    if (isfinite(apart) &&
        !jplant_halved_counts(apart, value, scale, s->plant->model->objective[o].nominal))
      continue;
    r->gradient_error[i] = fmax(r->gradient_error[i], fabs(r->gradient[i]));
    r->is_within = false;
  }
}

// The same of values alone, where nobody asked for errors of derivatives, or the run cannot be taken with them.
static jo_status refer_values(const jsens* s, const jsens_options* opt, jsens_result* r) {
  if (!jplant_reference_is_due(&opt->solve, &r->statistics)) return JO_OK;
  jsens_options other = reference_options(opt, r);
  jsens_result* reference = NULL;
  double begin = jclock_cpu();
  int said = jo_context_diagnostic_count(r->ctx);
  jo_status status = jsens_run_once(r->ctx, s, JSENS_VALUE, &other, &reference);
  bool is_there = status >= 0;
  if (is_there) status = judge_reference(s, opt, reference, said, r);
  jsens_result_destroy(reference);
  r->cpu_errors += jclock_cpu() - begin;
  if (!is_there && status != JO_ERR_MEMORY && !is_stopped(opt)) {
    r->unreferred = jarena_strdup(&r->arena, jo_context_message(r->ctx));
    jerr_forget(r->ctx, said);
    for (int o = 0; o < r->nobjective; o++) {
      r->reference[o] = INFINITY;
    }
    status = r->unreferred ? JO_OK : jerr_memory(r->ctx);
  }
  if (status >= 0 && r->method != JSENS_VALUE) doubt_derivatives(s, r);
  return status;
}

// ---- against other steps -------------------------------------------------------------------------

// Errors of an adaptive run from one with its steps halved; where that one fails, those by its own steps stay.
static jo_status compare(const jsens* s, const jsens_options* opt, jsens_result* r) {
  jsens_compare c;
  jsens_options halved;
  bool is_there = false;
  double begin = jclock_cpu();
  JO_TRY(refer(s, opt, r, &is_there));
  if (is_there) {
    r->cpu_errors += jclock_cpu() - begin;
    return JO_OK;
  }
  jsens_compare_begin(&c, r->ctx);
  jo_status status = jsens_compare_halved(&c, opt, r, &halved);
  if (status >= 0) status = take_other(r->ctx, s, &halved, r, &is_there);
  if (status >= 0 && is_there) jsens_compare_judge(s, opt, JSENS_HALVED, r);
  jsens_compare_end(&c);
  r->cpu_errors += jclock_cpu() - begin;
  return status;
}

// Values with shorter steps, which nobody asked for: counts are those of the run itself.
static jo_status halve_steps(jo_context* ctx, const jsens* s, const jsens_options* opt,
                             jsens_result* r) {
  jsens_options other = *opt;
  jsens_result* halved = NULL;
  double begin = jclock_cpu(), span = r->record->t_end - opt->t_start;
  other.estimate = other.check = other.keep = false;
  other.solve.step = jplant_halved_step(opt->solve.step, span, r->statistics.steps);
  other.solve.max_steps *= 4;
  int said = jo_context_diagnostic_count(ctx);
  jo_status status = jsens_run_once(ctx, s, JSENS_VALUE, &other, &halved);
  for (int o = 0; o < r->nobjective; o++) {
    r->halved[o] = status >= 0 ? halved->value[o] : INFINITY;
  }
  jsens_result_destroy(halved);
  r->cpu_errors += jclock_cpu() - begin;
  if (status >= 0 || status == JO_ERR_MEMORY || is_stopped(opt)) return status;
  jerr_forget(ctx, said);
  return JO_OK;
}

// The same from the run that errors come from. Where that has longer steps, shorter ones change values by s^-p as much,
// s = JPLANT_STEP_RATIO.
static void note_halved(bool is_longer, jsens_result* r) {
  double power = pow(JPLANT_STEP_RATIO, jsolve_method_about(r->used.solve.method)->order);
  for (int o = 0; o < r->nobjective; o++) {
    double value = r->value[o], other = r->other->value[o];
    r->halved[o] = is_longer ? value + (value - other) / power : other;
  }
}

// Steps of another length say nothing of the error where neither follow the motion.
static jo_status fail_unresolved(jo_context* ctx, const jsens* s, const jsens_options* opt,
                                 const jsolve_statistics* found) {
  return jerr_set(
      ctx, JO_ERR_CONVERGENCE,
      "%s: %s with steps of %g s does not follow the motion ('%s' changes by as much as "
      "its own size where steps are halved), so that errors cannot be estimated; take "
      "steps below %.1e s, or an adaptive method",
      s->plant->model->path, jsolve_method_name(opt->solve.method), opt->solve.step,
      s->plant->about.state_name[found->unresolved - 1], found->resolving);
}

// Fixed steps have no embedded method: a run with longer steps takes its place, or with shorter ones where those are
// too long to say anything.
static jo_status change_steps(jo_context* ctx, const jsens* s, const jsens_options* opt,
                              jsens_result* r) {
  jsens_options other;
  bool is_longer = true, is_there = false;
  double begin = jclock_cpu();
  if (r->statistics.unresolved > 0) return fail_unresolved(ctx, s, opt, &r->statistics);
  jsens_compare_step(opt, r, &is_longer, &other);
  if (is_longer) JO_TRY(take_other(ctx, s, &other, r, &is_there));
  if (!is_there) {
    is_longer = false;
    jsens_compare_step(opt, r, &is_longer, &other);
    JO_TRY(jsens_run_once(ctx, s, r->method, &other, &r->other));
    add_counts(r, r->other);
    if (!other.keep_other) forget_run(r->other);
  }
  note_halved(is_longer, r);
  jsens_compare_judge(s, opt, is_longer ? JSENS_LONGER : JSENS_SHORTER, r);
  JO_TRY(refer(s, opt, r, &is_there));
  r->cpu_errors += jclock_cpu() - begin;
  return JO_OK;
}

// Run until derivatives are good. Rough runs that are repeated are not compared.
static jo_status repeat(jo_context* ctx, const jsens* s, jsens_method method,
                        const jsens_options* opt, jsens_plan* plan, jsens_result** out) {
  jsens_options o = *opt;
  bool again = true, is_compared = false;
  for (int pass = 1; again; pass++) {
    jsens_result *r, *before = *out;
    int said = jo_context_diagnostic_count(ctx);
    jo_status status = jsens_run_once(ctx, s, method, &o, &r);
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
      JO_TRY(compare(s, &o, r));
      again = pass < MAX_PASSES && jsens_plan_repeats(s, &o, r);
    }
    if (again) JO_TRY(jsens_plan_next(plan, s, r, &o, &again));
  }
  if (is_compared || !o.compare) return JO_OK;
  o = (*out)->used;
  o.progress = opt->progress;
  return compare(s, &o, *out);
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
  JO_TRY(jsens_walk_record(s, *out, &seen, *out));  // which has estimates of its own steps
  if ((*out)->comparison != JSENS_ALONE) {
    jsens_compare_judge(s, &seen, (*out)->comparison, *out);
  }
  return JO_OK;
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
  bool is_fixed = jsolve_method_about(r->used.solve.method)->is_fixed;
  if (r->is_lost[o]) {
    return jarena_printf(&r->arena,
                         "its value is %.3g, and its signal, or the power of it, below what the "
                         "run resolves; hint: 'nominal', the size of its signal",
                         r->value[o]);
  }
  if (r->has_grown[o]) {
    return jarena_printf(
        &r->arena,
        "its derivative with respect to '%s' grows from step to step: steps of %g s "
        "are unstable for something that is at rest in the motion itself, such as "
        "a filter; hint: shorter steps, or an adaptive method",
        m->number[s->wrt[bad]].path, r->used.solve.step);
  }
  if (r->has_overflown[o]) {
    return jarena_printf(&r->arena,
                         "going back in time its weights overflow: steps are too long for states "
                         "that are at rest, such as those of a filter; hint: the direct method "
                         "(--method direct), or shorter steps (simulation.max_step)");
  }
  return jarena_printf(
      &r->arena,
      "its derivative with respect to '%s' is %s, though its value is %.9g: somewhere in the "
      "run a root, a power or a logarithm is at the end of its range%s; hint: move "
      "away from there, or leave this parameter or this objective out%s",
      m->number[s->wrt[bad]].path, jplant_finite_text(r->gradient[o * r->nw + bad]), r->value[o],
      is_fixed ? ", or steps are unstable for a filter or another state that is at rest" : "",
      r->is_own[o] ? "" : "; it may be another one's: the direct method tells whose");
}

// Going back, signals of other objectives are not differentiated (gen/derive/sens.c), but what they share may be: no numbers that
// have no cause here may be left by another one, and nothing infinite.
static bool is_own(const jsens* s, const jsens_result* r, int o, int bad) {
  bool has_root = jgen_objective_has_root(&s->plant->model->objective[o]);
  return r->method == JSENS_DIRECT || r->is_lost[o] || (has_root && r->value[o] == 0.0) ||
         isinf(r->gradient[o * r->nw + bad]);
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
    r->is_own[o] = is_own(s, r, o, bad);
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

jo_status jsens_check_objectives(jo_context* ctx, const jsens* s, const jsens_result* r) {
  const jmodel* m = s->plant->model;
  bool is_named = m->objective != m->integrated;
  int first = -1, n = 0;
  for (int o = 0; o < r->nobjective; o++) {
    if (!r->why[o]) continue;
    n++;
    // one whose own fault it is, if that is known
    if (first < 0 || (r->is_own[o] && !r->is_own[first])) first = o;
  }
  if (n > 0 && (is_named || n == r->nobjective)) return jsens_fail_objective(ctx, s, r, first);
  for (int o = 0; o < r->nobjective; o++) {
    const jmodel_objective* about = &m->objective[o];
    if (!r->why[o]) continue;
    jerr_warn(ctx, "%s:%d: objective '%s' has no derivatives, others have: %s", about->place.file,
              about->place.line, about->name, r->why[o]);
  }
  return JO_OK;
}

bool jsens_is_one_sided(const jsens_result* r, int number) {
  return r->brink[number] >= 0 || r->tips[number] >= 0;
}

// Derivatives of one side have no error that an integration could estimate.
static void doubt_brinks(jsens_result* r) {
  for (int k = 0; k < r->nw; k++) {
    for (int o = 0; jsens_is_one_sided(r, k) && o < r->nobjective; o++) {
      if (!isnan(r->gradient_error[o * r->nw + k])) r->gradient_error[o * r->nw + k] = INFINITY;
      r->is_within = false;
    }
  }
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
  double begin = jclock_cpu();
  const jsolve_method_info* about = jsolve_method_about(opt->solve.method);
  bool estimate = opt->estimate && about->is_own && method != JSENS_VALUE;
  jo_status status;
  if (estimate && !about->is_fixed) {
    status = run_adaptive(ctx, s, method, opt, out);
  } else {
    jsens_options o = *opt;
    o.estimate = false;
    status = jsens_run_once(ctx, s, method, &o, out);
    bool halves = opt->check && about->is_fixed && method == JSENS_VALUE;
    if (status >= 0 && estimate) status = change_steps(ctx, s, opt, *out);
    if (status >= 0 && halves) status = halve_steps(ctx, s, opt, *out);
  }
  bool is_seen = opt->check || estimate || !about->is_fixed;
  if (status >= 0 && is_seen && !opt->outputs_only && (*out)->comparison != JSENS_REFERENCE)
    status = refer_values(s, &(*out)->used, *out);
  bool is_asked = method != JSENS_VALUE && !opt->outputs_only;
  if (status >= 0 && is_asked) status = check_gradient(s, opt, *out);
  if (status < 0) {
    jsens_result_destroy(*out);
    *out = NULL;
    return status;
  }
  doubt_brinks(*out);
  if (!opt->keep) forget_run(*out);
  (*out)->cpu_sensitivity = jclock_cpu() - begin - (*out)->cpu_dynamics - (*out)->cpu_errors;
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
  memcpy(r->reference, of->reference, (size_t)r->nobjective * sizeof *r->reference);
  memcpy(r->doubt, of->doubt, (size_t)r->nobjective * sizeof *r->doubt);
  r->statistics = of->statistics;
  r->stride = of->stride;
  r->record_bytes = of->record_bytes;
  return jsens_walk_record(s, of, &o, r);
}

// The run that errors come from is walked, too.
static jo_status walk_all(const jsens* s, const jsens_result* of, bool frozen, jsens_result* r) {
  JO_TRY(walk_other(s, of, frozen, false, r));
  if (of->comparison == JSENS_ALONE) return JO_OK;
  JASSERT(of->other->record);
  JO_TRY(jsens_result_create(r->ctx, s, r->method, &of->other->used, &r->other));
  JO_TRY(walk_other(s, of->other, frozen, false, r->other));
  jsens_compare_judge(s, &of->used, of->comparison, r);
  return JO_OK;
}

jo_status jsens_walk_again(jo_context* ctx, const jsens* s, const jsens_result* of,
                           jsens_method method, bool frozen, jsens_result** out) {
  JASSERT(of->record && method != JSENS_VALUE);
  *out = NULL;
  jsens_result* r;
  JO_TRY(jsens_check_method(ctx, s, method));
  JO_TRY(jsens_result_create(ctx, s, method, &of->used, &r));
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
  JASSERT(of->record && method != JSENS_VALUE);
  *out = NULL;
  jsens_result* r;
  JO_TRY(jsens_check_method(ctx, s, method));
  JO_TRY(jsens_result_create(ctx, s, method, &of->used, &r));
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
