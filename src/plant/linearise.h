// SPDX-License-Identifier: Apache-2.0
// The equations of motion to first order about a state, and their modes.
#ifndef JPLANT_LINEARISE_H
#define JPLANT_LINEARISE_H

#include "gen/gen.h"
#include "solve/ode.h"

// States of the linear system: [ q_u | qd_u | z ], n = 2 nu + nz; z: the model's own states, filters of
// objectives only look on.
typedef struct jplant_linear {
  int n, nu, nv, nz;
  double* A;  // column-major n x n: d xdot / d x, loops closed
  double* B;  // d q_v / d q_u, row-major nv x nu
} jplant_linear;

// With the Jacobian of the system when it has one, else by central differences. Modes are held.
// The state must close the loops. Results are in the arena.
jo_status jplant_linearise(jo_context* ctx, jarena* a, const jgen_dynamics* d,
                           const jsolve_system* s, double t, const double* y, jplant_linear* out);

// One eigenvalue; of a conjugate pair the one with positive imaginary part.
typedef struct jplant_mode {
  double re, im;     // [1/s]
  double frequency;  // |im| / 2 pi [Hz]
  double damping;    // -re / |lambda|; 1 or -1 when im is zero, 0 for a zero eigenvalue
  double error;  // bound of what errors of A move it by [1/s]: docs/theory/equilibrium.md eq. (N5)
  bool is_zero;  // within that: a free motion
  double *shape, *turn;  // real and imaginary part of each coordinate (ncoordinate), largest is 1;
                         // driven ones are zero. All zero for modes of additional states only
  // eigenvectors of A, right and left: real parts, then imaginary ones (2 n)
  double *right, *left;
} jplant_mode;

// Modes of a linear system, slowest oscillation first. A is destroyed. Results are in the arena.
jo_status jplant_modes(jo_context* ctx, jarena* a, const jgen_dynamics* d, jplant_linear* linear,
                       jplant_mode** out, int* n);

// Absolute value of the i-th component of an eigenvector of a mode.
double jplant_mode_part(const double* v, int n, int i);

#endif
