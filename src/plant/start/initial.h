// SPDX-License-Identifier: Apache-2.0
// How the assembled position and velocity depend on the numbers of the model.
#ifndef JPLANT_INITIAL_H
#define JPLANT_INITIAL_H

#include "plant/plant.h"
#include "plant/start/assemble.h"

// Along a number: the largest of the terms that do not depend on the solution, and of what is left of the equations, of
// positions and of velocities, and in which row.
typedef struct jplant_unmet {
  double terms[2], left[2];
  int row[2];
} jplant_unmet;

// Derivatives by each of the first nw numbers of the plant's derivatives: dq, dqd (nq x nw), dz
// (nz x nw), column after column, at an assembly and time t; `values`: of the live numbers, NULL:
// the model's. unmet (nw).
jo_status jplant_initial_sensitivity(jo_context* ctx, jarena* a, const jplant* p,
                                     const double* values, int nw, double t,
                                     const jmachine_assembly* at, double* dq, double* dqd,
                                     double* dz, jplant_unmet* unmet);

// The same of velocities alone, at a position q that moves by dq (nq x nw): q, qd and `rests` of `at`
// are looked at.
jo_status jplant_velocity_sensitivity(jo_context* ctx, jarena* a, const jplant* p,
                                      const double* values, int nw, double t,
                                      const jmachine_assembly* at, const double* dq, double* dqd);

#endif
