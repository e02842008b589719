// SPDX-License-Identifier: Apache-2.0
// Inside of a vehicle: what its parts share.
#ifndef JRUNTIME_INSIDE_H
#define JRUNTIME_INSIDE_H

#include "base/assert.h"
#include "runtime/vehicle.h"

struct jvehicle {
  const jvehicle_model* model;
  jo_context* ctx;
  jarena arena;
  jmachine machine;
  jsolve_system system;
  jsolve_options options;
  jsolve_growth growth;  // of fixed steps
  jmachine_position position;
  const double* road;  // data of the road, NULL: none
  double t, *y;
  double first_step;  // to go on with, of adaptive methods; 0: chosen [s]
  double* largest;    // of each indicator so far (nindicator)
  double* work;       // of any function
  double* feed;
  double* limit;                                     // values of the rules
  double *ydot, *dy, *dp, *ybar, *pbar, *value, dt;  // scratch
};

// Inputs of a function of (t, y).
#define JVEHICLE_INPUTS(v, t, y)                                                      \
  [JVEHICLE_NUMBERS] = (v)->machine.p, [JVEHICLE_TIME] = (t), [JVEHICLE_STATE] = (y), \
  [JVEHICLE_MODES] = (v)->machine.mode, [JVEHICLE_MOMENTUM] = (v)->machine.momentum,  \
  [JVEHICLE_ROAD] = (v)->road, [JVEHICLE_FIRED] = (v)->machine.fired

static inline void jvehicle_evaluate(jvehicle* v, const jvehicle_function* f,
                                     const double* const* in, double* const* out) {
  JASSERT(f->eval);
  f->eval(in, out, v->work);
}

#endif
