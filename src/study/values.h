// SPDX-License-Identifier: Apache-2.0
// Numbers behind the scalars of a model that depend on parameters only: masses, parameters.
#ifndef JSTUDY_VALUES_H
#define JSTUDY_VALUES_H

#include "model/model.h"

// Values of all parameters (nparameter) and masses of all bodies (nbody, ground 0), in the arena.
// What cannot be evaluated is NaN.
typedef struct jstudy_values {
  double* parameter;
  double* mass;  // [kg]
} jstudy_values;

jo_status jstudy_values_build(jo_context* ctx, jarena* a, const jmodel* m, jstudy_values* out);

#endif
