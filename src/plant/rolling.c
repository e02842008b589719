// SPDX-License-Identifier: Apache-2.0
// Wheels that do not roll, where tyres have no force. docs/theory/tyre.md
#include "plant/rolling.h"

#include <math.h>

jo_status jplant_rolling_stands(jo_context* ctx, const jgen_dynamics* d, int wheel, double t) {
  const jmodel_element* y = d->wheel[wheel];
  return jerr_set(
      ctx, JO_ERR_MODEL,
      "%s:%d: tyre '%s': its wheel stands on the ground at t = %.9g s, slower than %g "
      "m/s; this tyre law has no force at standstill: start with a speed, or end the run "
      "before it stops; a tyre with 'relaxation' holds",
      y->place.file, y->place.line, y->name, t, JGEN_STANDSTILL);
}

static jo_status fail_sliding(jo_context* ctx, const jgen_dynamics* d, int wheel, double t) {
  const jmodel_element* y = d->wheel[wheel];
  return jerr_set(ctx, JO_ERR_MODEL,
                  "%s:%d: tyre '%s': its wheel touches the ground at t = %.9g s while it moves "
                  "straight across its plane; this tyre law has no force without a speed along it, "
                  "of at least %g m/s: start with one; a tyre with 'relaxation' holds",
                  y->place.file, y->place.line, y->name, t, JGEN_STANDSTILL);
}

// Wheels that come to the ground, or begin on it, move along their planes: at exactly zero the law has
// no force across either, and nothing would bring them away from there.
jo_status jplant_rolling_landing(jo_context* ctx, const jgen_dynamics* d, double t,
                                 const double* was, const double* is) {
  int n = d->nwheel;
  for (int k = 0; k < n; k++) {
    bool lands = is[k] > 0.5 && !(was && was[k] > 0.5);
    if (!lands || !(fabs(is[n + k]) < JGEN_STANDSTILL)) continue;
    bool slides = fabs(is[2 * n + k]) >= JGEN_STANDSTILL;
    return slides ? fail_sliding(ctx, d, k, t) : jplant_rolling_stands(ctx, d, k, t);
  }
  return JO_OK;
}
