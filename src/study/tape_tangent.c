// SPDX-License-Identifier: Apache-2.0
#include "study/tape_tangent.h"

jo_status jstudy_tape_tangent_build(jo_context* ctx, jarena* a, const jexpr_fn* fn,
                                    jstudy_tape_tangent* out) {
  JO_TRY(jexpr_tape_build(ctx, a, fn, &out->tape));
  out->work = JARENA_ARRAY(a, jexpr_tape_work(&out->tape, 1) + 1, double);
  if (!out->work) return jerr_memory(ctx);
  jexpr_tape_init(&out->tape, 1, out->work);
  return JO_OK;
}

void jstudy_tape_tangent_eval(const jstudy_tape_tangent* f, const jstudy_run* run, double t,
                              const double* y, const double* dy, const double* dp,
                              double* const* out) {
  const double zero = 0.0;
  const double* in[JGEN_GROUP_COUNT] = {
      [JGEN_P] = run->p, [JGEN_T] = &t,     [JGEN_Y] = y,  [JGEN_MODE] = run->mode,
      [JGEN_DY] = dy,    [JGEN_DT] = &zero, [JGEN_DP] = dp};
  jexpr_tape_eval(&f->tape, 1, in, out, f->work);
}
