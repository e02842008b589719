// SPDX-License-Identifier: Apache-2.0
#include "plant/options.h"

#include <math.h>

#include "base/text/format.h"
#include "plant/check/limits.h"
#include "solve/tableau.h"

jplant_simulate_options jplant_simulate_options_default(void) {
  return (jplant_simulate_options){.method = JO_METHOD_OF_MODEL,
                                   .t_end = NAN,
                                   .rel_tol = NAN,
                                   .abs_tol = NAN,
                                   .step = NAN,
                                   .output_step = NAN,
                                   .max_step = NAN};
}

static double given_or(double given, double otherwise) {
  return isnan(given) ? otherwise : given;
}

static jo_status choose_method(jo_context* ctx, const jplant_simulate_options* opt,
                               bool derivatives, jplant_simulate_used* used,
                               jsolve_options* solve) {
  bool is_given = opt->method != JO_METHOD_OF_MODEL;
  int method = is_given ? (int)opt->method : jsolve_method_find(used->method);
  const jsolve_method_info* about = jsolve_method_about((jsolve_method)method);
  char names[JSOLVE_METHOD_NAMES];
  if (!about) {
    char number[16];
    jformat(number, sizeof number, "%d", method);
    return jerr_set(ctx, JO_ERR_ARGUMENT, "no method '%.40s'; there are %s",
                    is_given ? number : used->method, jsolve_method_names(false, " and ", names));
  }
  if (derivatives && !about->is_own) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "method %s: derivatives need %s", about->name,
                    jsolve_method_names(true, " or ", names));
  }
  solve->method = (jsolve_method)method;
  used->method = about->name;
  used->is_fixed_step = about->is_fixed;
  return JO_OK;
}

jo_status jplant_options_choose_end(jo_context* ctx, const jmodel* m, double t_end, double* out) {
  const jmodel_simulation* s = &m->simulation;
  *out = given_or(t_end, s->t_end);
  if (*out > s->t_start && isfinite(*out)) return JO_OK;
  return jerr_set(ctx, JO_ERR_ARGUMENT, "end time %g s: must be finite and after the start, %g s",
                  *out, s->t_start);
}

static jo_status check_step(jo_context* ctx, const jplant_simulate_used* u) {
  if (u->step > 0.0 || (u->step == 0.0 && !u->is_fixed_step)) return JO_OK;
  return jerr_set(
      ctx, JO_ERR_ARGUMENT,
      "step %g s: method %s needs a step of more than 0, in the simulation block of the "
      "model or as an option",
      u->step, u->method);
}

// Numbers given in place of the model's, which are held to its rules.
static jo_status check_given(jo_context* ctx, const jplant_simulate_options* opt) {
  JO_TRY(jplant_check_option(ctx, "tolerance", opt->rel_tol));
  JO_TRY(jplant_check_option(ctx, "abs_tol", opt->abs_tol));
  JO_TRY(jplant_check_option(ctx, "output_step", opt->output_step));
  if (opt->max_step != 0.0) JO_TRY(jplant_check_option(ctx, "max_step", opt->max_step));
  return opt->step != 0.0 ? jplant_check_option(ctx, "step", opt->step) : JO_OK;
}

jo_status jplant_options_choose(jo_context* ctx, const jmodel* m,
                                const jplant_simulate_options* opt, bool derivatives,
                                jplant_simulate_used* u, jsolve_options* solve) {
  const jmodel_simulation* s = &m->simulation;
  *solve = jplant_solve_options(m);
  u->method = s->method;
  u->t_start = s->t_start;
  u->rel_tol = given_or(opt->rel_tol, s->rel_tol);
  u->abs_tol = given_or(opt->abs_tol, s->abs_tol);
  u->step = given_or(opt->step, s->step);
  u->output_step = given_or(opt->output_step, s->output_step);
  JO_TRY(choose_method(ctx, opt, derivatives, u, solve));
  JO_TRY(check_given(ctx, opt));
  JO_TRY(jplant_options_choose_end(ctx, m, opt->t_end, &u->t_end));
  JO_TRY(check_step(ctx, u));
  solve->rel_tol = u->rel_tol;
  solve->abs_tol = u->abs_tol;
  solve->step = u->step;
  solve->max_step = given_or(opt->max_step, solve->max_step);
  if (opt->max_events > 0) solve->max_events = opt->max_events;
  return jsolve_check_steps(ctx, solve, u->t_start, u->t_end);
}
