// SPDX-License-Identifier: Apache-2.0
// Damped Gauss-Newton (Levenberg-Marquardt) for small systems r(x) = 0: assembly, equilibrium.
#ifndef JSOLVE_NEWTON_H
#define JSOLVE_NEWTON_H

#include "base/err.h"
#include "base/mem.h"

typedef struct jsolve_residual {
  int nx, nr;  // unknowns, equations (nr may exceed nx: redundant but consistent equations)
  void* user;
  // r (nr) and J[i + nr j] = d r_i / d x_j; J may be NULL
  void (*eval)(void* user, const double* x, double* r, double* J);
  const double* x_scale;  // size of a large step of each unknown; NULL: ones
} jsolve_residual;

typedef struct jsolve_newton_options {
  double tolerance;  // on max |r|; where it is met, one more iteration follows
  int max_iterations;
} jsolve_newton_options;

typedef struct jsolve_newton_result {
  int iterations;
  double residual;  // max |r|
  int worst;        // index of the largest residual
  int rank;         // numerical rank of J at the solution
} jsolve_newton_result;

// x: in guess, out solution. JO_ERR_CONVERGENCE when the tolerance is not met (x is the best found),
// JO_ERR_NUMERIC where r or J is not finite, JO_ERR_MEMORY. Reports nothing, missing memory neither: the
// caller knows the names, and may try again. Minimum-norm steps when J is rank deficient.
jo_status jsolve_newton(jo_context* ctx, const jsolve_residual* f, const jsolve_newton_options* opt,
                        double* x, jsolve_newton_result* result);

#endif
