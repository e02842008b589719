// SPDX-License-Identifier: Apache-2.0
// The equations to first order about a state, and how that moves with a number of the model.
//   xdot = A x + B u      s = C x + D u
// x: what moves by itself, [ q_u | qd_u | z ], loops closed; u: chosen numbers; s: chosen outputs.
#ifndef JSENS_LINEAR_H
#define JSENS_LINEAR_H

#include "plant/start/start.h"

typedef struct jsens_linear {
  int n, nin, nout;
  double *A, *B, *C, *D;      // column-major
  double *dA, *dB, *dC, *dD;  // along the number asked for last
  struct jsens_linear_work* work;
} jsens_linear;

// Inputs are numbers the plant is differentiated for, as its dynamics count them; all of these must be parameters of
// its model, so that they are inputs of its functions. In the arena.
jo_status jsens_linear_begin(jo_context* ctx, jarena* a, const jplant_work* run, double t,
                             const int* input, int nin, const int* output, int nout,
                             jsens_linear* out);

// At a state y, with the values and modes of the run; derivatives along one number that moves the state by S. -1: none,
// S is not used. The derivatives are complex steps of tangents: exact to rounding.
void jsens_linear_fill(jsens_linear* l, int number, const double* y, const double* S);

#endif
