// SPDX-License-Identifier: Apache-2.0
#include "plant/tape_tangent.h"

jo_status jplant_tape_tangent_build(jo_context* ctx, jarena* a, const jexpr_fn* fn,
                                    jplant_tape_tangent* out) {
  return jexpr_tape_prepare(ctx, a, fn, &out->tape, &out->work);
}

void jplant_tape_tangent_eval(const jplant_tape_tangent* f, const jplant_work* run, double t,
                              const double* y, const double* dy, const double* dp,
                              double* const* out) {
  const double zero = 0.0;
  const double* in[JGEN_GROUP_COUNT] = {
      [JGEN_P] = run->p, [JGEN_T] = &t,     [JGEN_Y] = y,   [JGEN_MODE] = run->mode,
      [JGEN_DY] = dy,    [JGEN_DT] = &zero, [JGEN_DP] = dp, [JGEN_ROAD] = run->road};
  jexpr_tape_eval(&f->tape, 1, in, out, f->work);
}
