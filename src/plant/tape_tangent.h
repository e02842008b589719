// SPDX-License-Identifier: Apache-2.0
// Tangents of a dynamics evaluated by the interpreter, one direction at a time: for the few evaluations
// that are not worth a compiler.
#ifndef JPLANT_TAPE_TANGENT_H
#define JPLANT_TAPE_TANGENT_H

#include "expr/tape/tape.h"
#include "plant/plant.h"

typedef struct jplant_tape_tangent {
  jexpr_tape tape;
  double* work;
} jplant_tape_tangent;

// One of the tangents of jgen_sens, in the arena.
jo_status jplant_tape_tangent_build(jo_context* ctx, jarena* a, const jexpr_fn* fn,
                                    jplant_tape_tangent* out);

// Outputs along (dy, dp) at (t, y), time standing still, with the numbers and modes of the run.
void jplant_tape_tangent_eval(const jplant_tape_tangent* f, const jplant_work* run, double t,
                              const double* y, const double* dy, const double* dp,
                              double* const* out);

#endif
