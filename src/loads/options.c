// SPDX-License-Identifier: Apache-2.0
#include "loads/options.h"

#include <math.h>
#include <string.h>

#include "plant/check/limits.h"
#include "plant/options.h"

#define DEFAULT_DRIVER      JLOADS_DRIVER_SUBCYCLE
#define DEFAULT_RATE        500.0  // [Hz]
#define ADAPTIVE_RATE       100.0  // longest step of the published adaptive runs: 0.01 s
#define CONVERGED_TOLERANCE 1e-8

jloads_choice jloads_choice_default(void) {
  return (jloads_choice){.driver = jloads_driver_name(DEFAULT_DRIVER),
                         .rate = NAN,
                         .t_end = NAN,
                         .tolerance = NAN,
                         .restitution = NAN,
                         .slope = JLOADS_SLOPE,
                         .reference = JLOADS_REFERENCE};
}

static jo_status find_driver(jo_context* ctx, jloads_choice* c, jloads_driver* out) {
  bool converged = c->driver && strcmp(c->driver, JLOADS_CONVERGED) == 0;
  int driver = converged   ? JLOADS_DRIVER_ADAPTIVE
               : c->driver ? jloads_driver_find(c->driver)
                           : DEFAULT_DRIVER;
  if (driver < 0) {
    return jerr_set(ctx, JO_ERR_ARGUMENT,
                    "load prediction: no driver '%.40s'; there are fixed, adaptive, impulsive, "
                    "subcycle",
                    c->driver);
  }
  *out = (jloads_driver)driver;
  c->driver = converged ? JLOADS_CONVERGED : jloads_driver_name(*out);
  return JO_OK;
}

static jo_status fail(jo_context* ctx, const char* what, double value) {
  return jerr_set(ctx, JO_ERR_ARGUMENT, "load prediction: %s %g is out of range", what, value);
}

static jo_status check(jo_context* ctx, const jloads_choice* c) {
  if (!(c->rate > 0.0) || !isfinite(c->rate)) return fail(ctx, "rate", c->rate);
  if (!(c->slope > 0.0)) return fail(ctx, "slope", c->slope);
  if (!(c->reference > 0.0)) return fail(ctx, "reference", c->reference);
  if (!(c->restitution >= 0.0 && c->restitution <= 1.0))
    return fail(ctx, "restitution", c->restitution);
  return jplant_check_option(ctx, "tolerance", c->tolerance);
}

jo_status jloads_choose(jo_context* ctx, const jmodel* m, jloads_choice* c, jloads_options* out) {
  jloads_options o = jloads_options_default(m);
  JO_TRY(find_driver(ctx, c, &o.solve.driver));
  bool adaptive = o.solve.driver == JLOADS_DRIVER_ADAPTIVE;
  bool converged = strcmp(c->driver, JLOADS_CONVERGED) == 0;
  if (isnan(c->rate)) c->rate = adaptive ? ADAPTIVE_RATE : DEFAULT_RATE;
  if (isnan(c->tolerance)) c->tolerance = converged ? CONVERGED_TOLERANCE : o.solve.tolerance;
  if (isnan(c->restitution)) c->restitution = o.solve.restitution;
  JO_TRY(check(ctx, c));
  JO_TRY(jplant_options_choose_end(ctx, m, c->t_end, &c->t_end));
  o.solve.step = 1.0 / c->rate;
  o.solve.tolerance = c->tolerance;
  o.solve.restitution = c->restitution;
  o.t_end = c->t_end;
  o.realtime = c->realtime;
  *out = o;
  return JO_OK;
}
