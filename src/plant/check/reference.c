// SPDX-License-Identifier: Apache-2.0
#include "plant/check/reference.h"

#include <math.h>

#include "base/text/format.h"
#include "plant/check/halved.h"
#include "plant/check/judge.h"

#define OF_FIXED 0.05  // drift of fixed steps, ...
#define OF_ADAPTIVE \
  0.2  // ... and of others, whose estimates are above their errors, that is looked into

#define SMALLER   1e-3  // times the tolerance
#define LARGEST   1e-8  // tolerance of such runs
#define SMALLEST  1e-12
#define OF_STEPS  50      // times as many steps are allowed, ...
#define MORE      100000  // ... and so many more
#define OF_CHANGE 1.2     // times the difference: the other run has errors, too
#define OUTGROWS  10.0    // times the size of the motion: it is made by the steps
#define NOTHING   1e-4    // of nominal sizes: smaller motions are none
#define NO_DIGIT  0.5     // of a value, that it is off by
#define OFF       48      // characters
#define MESSAGE   256

static bool is_fixed(const jsolve_options* solve) {
  return jsolve_method_about(solve->method)->is_fixed;
}

bool jplant_reference_is_due(const jsolve_options* solve, const jsolve_statistics* of) {
  return of->drift > (is_fixed(solve) ? OF_FIXED : OF_ADAPTIVE);
}

double jplant_reference_tolerance(const jsolve_options* solve) {
  if (is_fixed(solve)) return LARGEST;
  return fmax(SMALLEST, fmin(LARGEST, SMALLER * solve->rel_tol));
}

// Methods of our own that can be differentiated; mixed ones stay mixed.
static jsolve_method method_of(jsolve_method m) {
  if (m == JSOLVE_IMEX3 || m == JSOLVE_IMEX4) return JSOLVE_IMEX4;
  bool is_kept = m == JSOLVE_DOPRI5 || m == JSOLVE_ESDIRK5;
  return is_kept ? m : JSOLVE_AUTO;
}

void jplant_reference_options(const jsolve_options* solve, const jsolve_statistics* of,
                              jsolve_options* out) {
  double tolerance = jplant_reference_tolerance(solve);
  double ratio = solve->rel_tol > 0.0 ? solve->abs_tol / solve->rel_tol : 1.0;
  int64_t most = OF_STEPS * (of->steps + of->rejected) + MORE;
  *out = *solve;
  out->method = method_of(solve->method);
  out->rel_tol = tolerance;
  out->abs_tol = is_fixed(solve) ? tolerance : fmin(solve->abs_tol, ratio * tolerance);
  out->step = 0.0;
  out->growth = NULL;
  out->step_limit = NULL;
  out->expected_error = NULL;
  out->step_limit_user = NULL;
  out->max_steps = most;
}

static const char* remedy_of(const jo_context* ctx, const jsolve_options* solve) {
  return jerr_option_name(ctx, is_fixed(solve) ? JERR_STEP : JERR_TOLERANCE);
}

jo_status jplant_reference_judge(jo_context* ctx, const jplant* plant, const jsolve_options* solve,
                                 const jsolve_statistics* of, const jsolve_statistics* reference,
                                 int said) {
  static const char* const what[] = {"positions", "velocities", "other states"};
  for (int i = 0; i < 3; i++) {
    double size = of->size[i], true_size = fmax(reference->size[i], NOTHING);
    if (size <= OUTGROWS * true_size) continue;
    jerr_forget(ctx, said);
    return jerr_set(ctx, JO_ERR_CONVERGENCE,
                    "%s: the motion is made by the errors of its steps: its %s become as large as "
                    "%.3g, in nominal sizes, and no larger than %.3g in a more accurate run "
                    "(tolerance %.0e); hint: a smaller %s%s",
                    plant->model->path, what[i], size, reference->size[i],
                    jplant_reference_tolerance(solve), remedy_of(ctx, solve),
                    is_fixed(solve) ? ", or an adaptive method" : "");
  }
  return JO_OK;
}

void jplant_reference_warn(jo_context* ctx, const jmodel_objective* o, double value, double other,
                           const jsolve_options* solve) {
  char off[OFF];
  double error = OF_CHANGE * fabs(other - value) / fabs(value);
  if (error < NO_DIGIT) {
    jformat(off, sizeof off, "be off by %.2g %%", 100.0 * error);
  } else {
    jformat(off, sizeof off, "have no true digit");
  }
  jerr_warn(
      ctx,
      "%s:%d: objective '%s' came out as %.3g and may %s: errors of the steps add up, and a more "
      "accurate run (tolerance %.0e) comes to %.3g; hint: a smaller %s%s",
      o->place.file, o->place.line, o->name, value, off, jplant_reference_tolerance(solve), other,
      remedy_of(ctx, solve), is_fixed(solve) ? ", or an adaptive method" : "");
}

void jplant_reference_warn_missing(jo_context* ctx, const jplant* plant,
                                   const jsolve_options* solve, const jsolve_statistics* of,
                                   const char* why) {
  jerr_warn(ctx,
            "%s: errors of the steps add up to %.2g of the range of '%s', and a more accurate run "
            "that would show what they do fails, so that results may be far off (%s); hint: a "
            "smaller %s%s",
            plant->model->path, of->drift, plant->about.state_name[of->drifting - 1], why,
            remedy_of(ctx, solve), is_fixed(solve) ? ", or an adaptive method" : "");
}

static jo_status compare(const jplant* p, const jsolve_options* solve, jplant_result* r,
                         const jsolve_statistics* reference, int said, const double* psi) {
  JO_TRY(jplant_reference_judge(r->ctx, p, solve, &r->statistics, reference, said));
  for (int i = 0; i < r->nobjective; i++) {
    const jmodel_objective* o = &p->model->objective[i];
    double value = jplant_result_objectives(r)[i].value, difference = fabs(psi[i] - value);
    double scale = fmax(jplant_halved_scale(r, i), fabs(psi[i]));
    if (!r->is_doubted[i] && jplant_halved_counts(difference, value, scale, o->nominal))
      jplant_reference_warn(r->ctx, o, value, psi[i], solve);
  }
  return JO_OK;
}

jo_status jplant_reference_check(const jplant* plant, const jplant_simulate_options* opt,
                                 const jsolve_options* solve, const double* y0, int said,
                                 jplant_result* r) {
  if (!opt->check_steps || !jplant_reference_is_due(solve, &r->statistics)) return JO_OK;
  jsolve_options other;
  jsolve_statistics reference;
  jplant_reference_options(solve, &r->statistics, &other);
  double* psi = JARENA_ARRAY(&r->arena, r->nobjective, double);
  if (!psi) return jerr_memory(r->ctx);
  int before = jo_context_diagnostic_count(r->ctx);
  jplant_repeated again = {.solve = &other, .y0 = y0, .psi = psi, .statistics = &reference};
  jo_status status = jplant_repeat(plant, opt, r, &again);
  if (status >= 0) return compare(plant, solve, r, &reference, said, psi);
  if (status == JO_ERR_MEMORY || again.is_stopped) return status;
  char why[MESSAGE];
  jformat(why, sizeof why, "%s", jo_context_message(r->ctx));
  jerr_forget(r->ctx, before);
  jplant_reference_warn_missing(r->ctx, plant, solve, &r->statistics, why);
  return JO_OK;
}
