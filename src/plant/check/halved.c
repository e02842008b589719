// SPDX-License-Identifier: Apache-2.0
#include "plant/check/halved.h"

#include <math.h>
#include <string.h>

#include "base/text/format.h"
#include "plant/check/judge.h"
#include "plant/run.h"

#define CUT      0.7   // of a step: where steps are shorter in the mean, events cut them
#define SHOWS    1e-3  // of the size that an objective has in the run: smaller changes do not count
#define NOTHING  1e-9  // of the nominal value: smaller changes are rounding errors
#define OF_STEPS 4     // times as many steps are allowed
#define OF_WORK  3.25  // times the work of the run: the run itself, and 2.24 times as many steps
#define MESSAGE  256   // characters

bool jplant_halved_applies(const jplant* plant, const jplant_simulate_options* opt,
                           const jplant_simulate_used* used) {
  return opt->check_steps && used->is_fixed_step && plant->dynamics->nobjective > 0;
}

double jplant_halved_progress(double fraction) {
  return fraction / OF_WORK;
}

double jplant_halved_step(double step, double span, int64_t steps) {
  double mean = span / fmax(1.0, (double)steps);
  return (mean < CUT * step ? mean : step) / JPLANT_STEP_RATIO;
}

bool jplant_halved_counts(double difference, double value, double scale, double nominal) {
  return !(difference <= JPLANT_DOUBTED * fabs(value)) && !(difference <= SHOWS * scale) &&
         !(difference <= NOTHING * nominal);
}

typedef struct repeater {
  const jplant_simulate_options* opt;
  const jplant_result* first;
  jplant_repeated* again;
} repeater;

static jo_status on_step(void* user, const jsolve_step* s) {
  repeater* k = user;
  const jplant_simulate_used* u = &k->first->used;
  double fraction = (s->t1 - u->t_start) / (u->t_end - u->t_start);
  if (!k->opt->progress) return JO_OK;
  double done = u->is_fixed_step ? (1.0 + (OF_WORK - 1.0) * fraction) / OF_WORK : 1.0;
  if (k->opt->progress(k->opt->user, done)) return JO_OK;
  k->again->is_stopped = true;
  return jerr_set(k->first->ctx, JO_ERR_LIMIT,
                  "%s: stopped at t = %.9g s of the run that checks the steps", k->first->path,
                  s->t1);
}

static jo_status repeat(repeater* k, const jplant* p, jarena* a) {
  const jplant_simulate_used* u = &k->first->used;
  jplant_repeated* again = k->again;
  jsolve_observer observer = {.user = k, .step = on_step};
  jplant_run run;
  JO_TRY(jplant_run_open_at(k->first->ctx, a, p, k->opt->p, u->t_start, again->y0, &run));
  jo_status status = jplant_run_advance(&run, again->solve, &observer, u->t_end, again->statistics);
  if (status >= 0) jmachine_objectives(&run.work->machine, run.t, run.y, again->psi);
  jplant_run_close(&run);
  return status;
}

jo_status jplant_repeat(const jplant* plant, const jplant_simulate_options* opt,
                        const jplant_result* r, jplant_repeated* again) {
  repeater k = {.opt = opt, .first = r, .again = again};
  jarena a;
  jarena_init(&a, r->ctx);
  again->is_stopped = false;
  jo_status status = repeat(&k, plant, &a);
  jarena_free(&a);
  return status;
}

double jplant_halved_scale(const jplant_result* r, int objective) {
  double most = 0.0;
  for (int i = 0; i < r->nrow; i++) {
    double x = fabs(r->row[(size_t)i * (size_t)r->ncolumn + (size_t)(1 + r->noutput + objective)]);
    if (isfinite(x)) most = fmax(most, x);
  }
  return most;
}

static void compare(const jplant* p, jplant_result* r, const double* psi, double step) {
  for (int i = 0; i < r->nobjective; i++) {
    const jmodel_objective* o = &p->model->objective[i];
    double value = jplant_result_objectives(r)[i].value, difference = fabs(psi[i] - value);
    if (!jplant_halved_counts(difference, value, jplant_halved_scale(r, i), o->nominal)) continue;
    r->is_doubted[i] = true;
    jplant_warn_step(r->ctx, o, value, psi[i], r->used.step, step);
  }
}

jo_status jplant_halved_check(const jplant* plant, const jplant_simulate_options* opt,
                              const jsolve_options* solve, const double* y0, jplant_result* r) {
  jsolve_options halved = *solve;
  jsolve_statistics statistics;
  halved.step =
      jplant_halved_step(solve->step, r->t_reached - r->used.t_start, r->statistics.steps);
  if (halved.max_steps > 0) halved.max_steps *= OF_STEPS;
  double* psi = JARENA_ARRAY(&r->arena, r->nobjective, double);
  if (!psi) return jerr_memory(r->ctx);
  int said = jo_context_diagnostic_count(r->ctx);
  jplant_repeated again = {.solve = &halved, .y0 = y0, .psi = psi, .statistics = &statistics};
  jo_status status = jplant_repeat(plant, opt, r, &again);
  if (status == JO_ERR_MEMORY || again.is_stopped) return status;
  char why[MESSAGE];
  jformat(why, sizeof why, "%s", jo_context_message(r->ctx));
  jerr_forget(r->ctx, said);
  if (status >= 0) {
    compare(plant, r, psi, halved.step);
  } else {
    jerr_warn(r->ctx,
              "%s: with steps of %g s instead of %g s the run fails, so that the values of its "
              "objectives may be far off (%s); hint: a smaller %s, or an adaptive method",
              r->path, halved.step, r->used.step, why, jerr_option_name(r->ctx, JERR_STEP));
  }
  return JO_OK;
}
