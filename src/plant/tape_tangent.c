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
      JPLANT_INPUTS(run, &t, y), [JGEN_DY] = dy, [JGEN_DT] = &zero, [JGEN_DP] = dp};
  jexpr_tape_eval(&f->tape, 1, in, out, f->work);
}
