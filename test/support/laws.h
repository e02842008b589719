// SPDX-License-Identifier: Apache-2.0
// Laws of mechanics that every model obeys; a model file at a time.
#ifndef JTEST_LAWS_H
#define JTEST_LAWS_H

#include "support/rig.h"

// Accelerations, kinetic energy and driving forces are the oracle's at random consistent states.
void law_oracle(const char* path, double dq, double dqd, double tolerance);

// The kinetic energy is a positive definite quadratic form of the independent velocities, and its
// matrix is the one that turns forces into accelerations (tau_*: one motor per coordinate).
void law_mass_matrix(const char* path);

// Forces that the oracle's inverse dynamics asks for give the accelerations it was asked for.
void law_forward_of_inverse(const char* path);

// Compiled and interpreted kernels agree.
void law_backends(const char* path);

// What a run does to a sensor that ought to stay constant, and to the loops.
typedef struct law_run {
  double drift;    // largest change of the sensor over the largest kinetic energy
  double kinetic;  // the largest [J]
  double gap;      // largest residual of a joint or closure at the ends of steps
  int steps;
} law_run;

law_run law_constant(const char* path, const jmodel_setting* set, int nset, const char* sensor,
                     double t_end, double tolerance);

#endif
