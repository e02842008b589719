// SPDX-License-Identifier: Apache-2.0
// Step drivers for load prediction: fixed and adaptive steps, and the run that all drivers share.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/elementary.h"

#include "loads/driver/run.h"

#define SAFETY       0.9
#define GROWTH       2.0  // a step is at most doubled or halved
#define MAX_HALVINGS 40

const char* jloads_driver_name(jloads_driver d) {
  static const char* const name[] = {
#define X(id, text, what) text,
      JLOADS_DRIVER_LIST(X)
#undef X
  };
  return d < JLOADS_DRIVER_COUNT ? name[d] : "";
}

int jloads_driver_find(const char* name) {
  for (int d = 0; d < JLOADS_DRIVER_COUNT; d++) {
    if (strcmp(name, jloads_driver_name((jloads_driver)d)) == 0) return d;
  }
  return -1;
}

jloads_driver_options jloads_driver_options_default(void) {
  return (jloads_driver_options){.driver = JLOADS_DRIVER_SUBCYCLE,
                                 .step = 0.002,
                                 .tolerance = 1e-3,
                                 .impulse_tolerance = 2e-3,
                                 .substep = 5e-4,
                                 .max_substeps = 16,
                                 .restitution = 1.0};
}

// ---- fixed and adaptive --------------------------------------------------------------------------

static jo_status fixed_step(jloads_driver_work* u, double h) {
  jloads_driver_evaluate(u, u->t, u->y, u->k[0], u->F[0]);
  JO_TRY(jloads_driver_sample(u, u->t, u->y, u->F[0]));
  jloads_driver_third_order(u, h);
  return jloads_driver_accept(u, h);
}

static double largest_error(const jloads_driver_work* u) {
  double e = 0.0;
  for (int i = 0; i < u->s->n; i++) {
    if (!isfinite(u->error[i]) || !isfinite(u->y_new[i])) return INFINITY;
    e = fmax(e, fabs(u->error[i]));
  }
  return e;
}

static jo_status adaptive_step(jloads_driver_work* u, double* h, double t1) {
  jloads_driver_evaluate(u, u->t, u->y, u->k[0], u->F[0]);
  JO_TRY(jloads_driver_sample(u, u->t, u->y, u->F[0]));
  for (int halvings = 0; halvings < MAX_HALVINGS; halvings++) {
    double left = t1 - u->t, step = fmin(*h, u->opt->step);
    if (step > left) step = left;
    jloads_driver_third_order(u, step);
    double e = largest_error(u);
    double factor =
        isfinite(e) ? SAFETY * jm_pow(u->opt->tolerance / fmax(e, DBL_MIN), 1.0 / 3.0) : 0.0;
    factor = fmin(fmax(factor, 1.0 / GROWTH), GROWTH);
    *h = step * factor;
    if (e <= u->opt->tolerance) {
      bool last = step == left;
      if (!last && (u->stats.smallest_step == 0.0 || step < u->stats.smallest_step)) {
        u->stats.smallest_step = step;
        u->stats.t_smallest = u->t;
      }
      return jloads_driver_accept(u, step);
    }
    u->stats.rejected++;
  }
  return jerr_set(u->ctx, JO_ERR_CONVERGENCE,
                  "load prediction: the step becomes too small at t = %.9g", u->t);
}

// ---- driver --------------------------------------------------------------------------------------

static void find_reach(jloads_driver_work* u) {
  u->s->directions(u->s->user, u->t, u->y, u->W);
  for (int e = 0; e < u->s->ne; e++) {
    u->reach[e] = 0.0;
    for (int j = 0; j < u->s->nu; j++) {
      u->reach[e] = fmax(u->reach[e], fabs(u->W[j + e * u->s->nu]));
    }
  }
}

// Bound of the cost of a step, before the first is taken.
static double guarantee(const jloads_driver_work* u) {
  const jloads_driver_system* s = u->s;
  double all = 0.0;
  for (int e = 0; e < s->ne; e++) {
    all += s->element_cost[e];
  }
  int m = jloads_driver_substep_count(u, u->opt->step);
  switch (u->opt->driver) {
    case JLOADS_DRIVER_FIXED: return 3.0;
    case JLOADS_DRIVER_IMPULSIVE: return 3.0 + 3.0 * s->nu * (1.0 + s->reduced_cost);
    case JLOADS_DRIVER_SUBCYCLE:
      return 3.0 + 2.0 * JLOADS_DRIVER_MAX_ROUNDS + s->directions_cost +
             (JLOADS_DRIVER_MAX_ROUNDS + 1.0) * 3.0 * m * all;
    default: return 0.0;
  }
}

static jo_status fail_steps(const jloads_driver_work* u, double t1) {
  return jerr_set(u->ctx, JO_ERR_LIMIT,
                  "load prediction: stopped at t = %.9g of %.9g after %lld steps, the limit; "
                  "raise simulation.max_steps (--max-steps), or allow larger errors",
                  u->t, t1, (long long)u->stats.steps);
}

jo_status jloads_driver_check_steps(jo_context* ctx, const jloads_driver_options* o, double t0,
                                    double t1) {
  double steps = (t1 - t0) / o->step;
  if (o->max_steps == 0 || steps <= (double)o->max_steps) return JO_OK;
  return jerr_set(ctx, JO_ERR_LIMIT,
                  "load prediction: from t = %.9g to %.9g there are %.4g steps of %g s, more than "
                  "the limit of %lld; choose a lower rate, or raise simulation.max_steps "
                  "(--max-steps)",
                  t0, t1, steps, o->step, (long long)o->max_steps);
}

static jo_status drive(jloads_driver_work* u, double t0, double t1) {
  double h = u->opt->step;
  int64_t count = (int64_t)floor((t1 - t0) / h + 0.5);
  if (u->opt->driver == JLOADS_DRIVER_ADAPTIVE) {
    while (u->t < t1) {
      if (u->opt->max_steps > 0 && u->stats.steps >= u->opt->max_steps) return fail_steps(u, t1);
      JO_TRY(adaptive_step(u, &h, t1));
    }
  }
  for (int64_t i = 0; u->opt->driver != JLOADS_DRIVER_ADAPTIVE && i < count; i++) {
    double step = t0 + (double)(i + 1) * u->opt->step - u->t;
    switch (u->opt->driver) {
      case JLOADS_DRIVER_FIXED: JO_TRY(fixed_step(u, step)); break;
      case JLOADS_DRIVER_IMPULSIVE: JO_TRY(jloads_driver_impulsive_step(u, step)); break;
      default: JO_TRY(jloads_driver_subcycle_step(u, step)); break;
    }
  }
  for (int e = 0; e < u->s->ne; e++) {
    JO_TRY(jloads_driver_close_event(u, e));
  }
  u->s->rhs(u->s->user, u->t, u->y, u->k[0], u->F[0]);
  return jloads_driver_sample(u, u->t, u->y, u->F[0]);
}

jo_status jloads_driver_run(jo_context* ctx, const jloads_driver_system* s,
                            const jloads_driver_options* opt, const jloads_driver_observer* obs,
                            double t0, double t1, double* y, double* t_reached,
                            jloads_driver_statistics* stats) {
  static const jloads_driver_observer blind = {0};
  jloads_driver_work u = {.ctx = ctx, .s = s, .opt = opt, .obs = obs ? obs : &blind, .t = t0};
  if (!(opt->step > 0.0) || !(t1 > t0)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "load prediction: step %g s, from %g to %g s", opt->step,
                    t0, t1);
  }
  JO_TRY(jloads_driver_check_steps(ctx, opt, t0, t1));
  jarena_init(&u.arena, ctx);
  jo_status status = jloads_driver_allocate(&u) ? JO_OK : jerr_memory(ctx);
  if (status >= 0) {
    memcpy(u.y, y, (size_t)s->n * sizeof *y);
    find_reach(&u);
    status = drive(&u, t0, t1);
    u.stats.guaranteed = guarantee(&u);
    memcpy(y, u.y, (size_t)s->n * sizeof *y);
  }
  if (t_reached) *t_reached = u.t;
  if (stats) *stats = u.stats;
  jarena_free(&u.arena);
  return status;
}
