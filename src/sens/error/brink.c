// SPDX-License-Identifier: Apache-2.0
// A switch g stands on the brink for number p, of size u, when a change of p as small as rounding moves it
// across:
//   |g(t_0, y_0)| <= 1e-12 u |dg/dp|,   dg/dp = g_y S + g_p,   u |dg/dp| > 1e-14
#include "sens/error/brink.h"

#include <math.h>

#include "plant/tape_tangent.h"

#define NEAR     1e-12
#define FELT     1e-14  // g that a change of the number by its size must move: less is rounding
#define FAR_AWAY 1e-6   // g beyond which no number is looked at

static bool is_any_near(const jplant_work* run) {
  for (int k = 0; k < run->plant->dynamics->nswitch; k++) {
    if (fabs(run->g[k]) <= FAR_AWAY) return true;
  }
  return false;
}

static int find(const jplant_work* run, const double* dg, double unit) {
  for (int k = 0; k < run->plant->dynamics->nswitch; k++) {
    if (run->plant->dynamics->sw[k].is_quiet) continue;
    double move = fabs(unit * dg[k]);
    if (move > FELT && fabs(run->g[k]) <= NEAR * move) return k;
  }
  return -1;
}

static jo_status find_all(jplant_work* run, jarena* a, double t, const double* y, const double* S,
                          const double* unit, int nw, int* out) {
  const jgen_dynamics* d = run->plant->dynamics;
  jplant_tape_tangent f;
  double* dp = JARENA_ARRAY(a, d->sens.nw, double);
  double* dg = JARENA_ARRAY(a, d->nswitch, double);
  if (!dp || !dg) return jerr_memory(run->ctx);
  JO_TRY(jplant_tape_tangent_build(run->ctx, a, &d->sens.tangent[JGEN_FN_SWITCHES], &f));
  for (int k = 0; k < nw; k++) {
    dp[k] = 1.0;
    jplant_tape_tangent_eval(&f, run, t, y, S + (int64_t)k * d->ny, dp, (double* const[]){dg});
    dp[k] = 0.0;
    out[k] = find(run, dg, unit[k]);
  }
  return JO_OK;
}

jo_status jsens_brink(jplant_work* run, double t, const double* y, const double* S,
                      const double* unit, int nw, int* out) {
  for (int k = 0; k < nw; k++) {
    out[k] = -1;
  }
  jplant_work_set_modes(run, t, y);
  if (!is_any_near(run)) return JO_OK;
  jarena a;
  jarena_init(&a, run->ctx);
  jo_status status = find_all(run, &a, t, y, S, unit, nw, out);
  jarena_free(&a);
  return status;
}
