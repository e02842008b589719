// SPDX-License-Identifier: Apache-2.0
// A start at static equilibrium, and how it moves with the numbers of the model.
#ifndef JPLANT_STATIC_START_H
#define JPLANT_STATIC_START_H

#include "plant/plant.h"

// y (ny), S = d y / d number (ny x nw): in, as assembled; out, at static equilibrium, at rest.
// values: of the live numbers, NULL: the plant's. What nothing holds stays as assembled. A number that
// pushes it by more than the search overlooks (1e-3 m/s^2, rad/s^2, for a change by all of the number) has no
// derivative: the equilibrium beside this one is elsewhere, or nowhere. why[k] (nw, text in `out`) says so
// and what to do; what stands in S then takes it as held.
// tips[k] (nw; in: -1): a state that nothing holds and that number k gives a stiffness, as the height of the centre of mass
// does to the angle of a wheel that is in balance. Where it is positive the wheel hangs as it is, where it is negative
// it turns over: S is that of the first side. found: how the equilibrium was, not judged.
jo_status jplant_static_start(jo_context* ctx, jarena* out, const jplant* p, const double* values,
                              int nw, double* y, double* S, const char** why, int* tips,
                              jmachine_equilibrium* found);

// Velocities at the position in y, as the initial conditions say, and their derivatives.
jo_status jplant_static_velocities(jo_context* ctx, const jplant* p, const double* values, int nw,
                                   double* y, double* S);

#endif
