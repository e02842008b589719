// SPDX-License-Identifier: Apache-2.0
// A start at static equilibrium, and how it moves with the numbers of the model.
#ifndef JSTUDY_STATIC_START_H
#define JSTUDY_STATIC_START_H

#include "study/plant.h"

// y (ny), S = d y / d number (ny x nw): in, as assembled; out, at static equilibrium. wrt: indices
// into the live numbers. values: of the live numbers, NULL: the plant's. Velocities and their
// derivatives stay as assembled; what nothing holds stays where it is.
jo_status jstudy_static_start(jo_context* ctx, const jstudy_plant* p, const double* values,
                              const int* wrt, int nw, double* y, double* S);

#endif
