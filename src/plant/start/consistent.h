// SPDX-License-Identifier: Apache-2.0
// Whether the assembly, and the freedom of the mechanism to move, outlast a change of numbers.
#ifndef JPLANT_CONSISTENT_H
#define JPLANT_CONSISTENT_H

#include "plant/start/initial.h"

// y: assembled start; dq (nq x nw): how coordinates move with the numbers of the plant's derivatives, found in the
// least-squares sense, with what is left of their equations and of those of rates; values of the live numbers, NULL: the model's.
// why[k] (nw, NULL on entry) tells which equation is not met along the number k, to first order: what
// is computed from the others has no derivative by that number then. Texts are put in `out`.
jo_status jplant_check_consistent(jo_context* ctx, jarena* out, const jplant* p,
                                  const double* values, const double* y, const double* q, int nw,
                                  const double* dq, const jplant_unmet* unmet, const char** why);

#endif
