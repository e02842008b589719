// SPDX-License-Identifier: Apache-2.0
// One stage of a diagonally implicit Runge-Kutta method, reduced to velocities and additional states.
// docs/theory/integration.md eqs. (I1), (I2).
//
// With y = [ q | v | w | psi ] (ode.h), b = hγ and a bar for what earlier stages give,
//   q = q̄ + b w_q      v = v(q)      w = w̄ + b f_w(q, v, w)      psi = psī + b f_psi(q, v, w)
// where w_q is the beginning of w. Eliminating q and v leaves Newton's matrix for w alone,
//   M = I - b A - b^2 [K 0]      A = f_w,w      K = f_w,q + f_w,v B      B = dv/dq = v',w_q
#ifndef JSOLVE_IMPLICIT_H
#define JSOLVE_IMPLICIT_H

#include "solve/algebra/norm.h"
#include "solve/ode.h"

typedef struct jsolve_implicit {
  const jsolve_system* sys;
  int nq, nv, nw, nr;    // nr: rest
  int at_v, at_w, at_r;  // where they begin in y
  double* J;             // d ydot / d y
  double *A, *K;         // rows of w, then of the rest: (nw + nr) x nw, (nw + nr) x nq
  double* M;             // factors, nw x nw
  int* pivot;
  double b;             // hγ of the stages
  double b_factor;      // that of the factors; 0: none
  double rate;          // of convergence, last seen
  double *delta, *f;    // scratch
  int64_t evaluations;  // of the right-hand side
} jsolve_implicit;

// False when memory is exhausted.
bool jsolve_implicit_init(jsolve_implicit* s, jarena* arena, const jsolve_system* sys);

// Jacobian at (t, y); factors are forgotten. JO_ERR_NUMERIC, nothing reported, where it is not finite.
jo_status jsolve_implicit_linearise(jsolve_implicit* s, double t, const double* y);

// Factors of M for b. JO_ERR_SINGULAR, nothing reported: there are none then.
jo_status jsolve_implicit_factor(jsolve_implicit* s, double b);

// Solve a stage at time t by simplified Newton iteration. base: n; k: in a guess of its slope, out the
// slope; Y: in v near its solution, out the argument. Accurate to `accuracy` in the norm of the weights.
// JO_ERR_CONVERGENCE, nothing reported: the factors are too old or the step is too long.
jo_status jsolve_implicit_stage(jsolve_implicit* s, const jsolve_weights* weights, double t,
                                const double* base, double accuracy, double* Y, double* k);

// Derivatives of the slope, with the matrices of the last linearisation and factors at the argument itself.
// In: r = f_y dbase + f_p dp (n x nrhs, column-major; v rows are not read); out: dk (v rows zero).
void jsolve_implicit_tangent(jsolve_implicit* s, double* r, int nrhs);
// Transposed: mu, weights of the slope (n x nrhs), become those of f_y dbase + f_p dp (v rows zero).
void jsolve_implicit_adjoint(jsolve_implicit* s, double* mu, int nrhs);

// M^-1 of the w part of x (n): of stiff components little is left.
void jsolve_implicit_damp(const jsolve_implicit* s, double* x);
// The same, and what is not q, v or w is set to zero.
void jsolve_implicit_filter(const jsolve_implicit* s, double* x);

// Magnitude of the largest eigenvalue of the linearised motion, by power iteration [1/s].
double jsolve_implicit_radius(const jsolve_implicit* s, double* scratch);

#endif
