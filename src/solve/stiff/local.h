// SPDX-License-Identifier: Apache-2.0
// The implicit part of mixed methods: local states of a stage, found with all others given.
// docs/theory/integration.md eqs. (I5), (I6).
//
// With b = hγ and a bar for what earlier stages give, z and their slopes k are what solves
//   (I6)  z = z̄ + b k      k = f(u, z)
// A = df/dz falls apart into blocks that have nothing to do with each other: a damper, a tyre.
#ifndef JSOLVE_LOCAL_H
#define JSOLVE_LOCAL_H

#include "solve/algebra/norm.h"
#include "solve/ode.h"

typedef struct jsolve_local_block {
  int first, n;  // in `order`
  double* M;     // factors of 1 - b A (n x n, column-major)
} jsolve_local_block;

typedef struct jsolve_local {
  const jsolve_system* sys;
  const jsolve_local_system* of;
  int nblock;
  jsolve_local_block* block;
  int* order;                   // local states, block after block
  int* place;                   // where each stands in `order`
  int *entry_at, *entry_block;  // where each entry of A goes: in M of a block
  int* pivot;                   // (n)
  double *f, *A, *x, *z, *c;    // scratch: rates, entries, residuals, states, corrections
  double* guess;                // of local states (n)
  int *at, *plain;              // scratch: places of unknowns; 0, 1, 2 ...
  double b;
  int64_t evaluations;  // of the rates
} jsolve_local;

// False when memory is exhausted. The system must have been prepared.
bool jsolve_local_init(jsolve_local* s, jarena* arena, const jsolve_system* sys);

// The next stage is searched for from the local states of y; those after it from the solution before.
void jsolve_local_begin(jsolve_local* s, const double* y);

// Solve a stage at time t. base: what earlier stages give, k: slopes, Y: in all other states, out the local ones too; of base and k, which may be one, only the local states are touched. All n. Accurate to
// `accuracy` in the norm of the weights. JO_ERR_CONVERGENCE, nothing reported: the step is too long.
jo_status jsolve_local_stage(jsolve_local* s, const jsolve_weights* weights, double t, double b,
                             const double* base, double accuracy, double* Y, double* k);

// Factors of 1 - b A at (t, y). JO_ERR_NUMERIC, JO_ERR_SINGULAR: there are none; nothing reported.
jo_status jsolve_local_factor(jsolve_local* s, double t, const double* y, double b);

// (1 - b A)^-1, or its transpose, of the local states of x (n states, each with `lanes` values).
void jsolve_local_solve(jsolve_local* s, bool transposed, double* x, int lanes);

#endif
