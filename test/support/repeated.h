// SPDX-License-Identifier: Apache-2.0
// Graphs that repeat themselves, as vehicles do: copies of one random program over inputs, constants and signs of
// their own, with values that all share, and sums over the copies.
#ifndef JTEST_REPEATED_H
#define JTEST_REPEATED_H

#include "expr/tape/schedule.h"
#include "kernel/kernel.h"

enum { REPEATED_COPIES = 10, REPEATED_OWN = 4, REPEATED_SHARED = 3, REPEATED_OUTPUTS = 64 };
enum { REPEATED_INPUTS = REPEATED_COPIES * REPEATED_OWN, REPEATED_LANES = 16 };

typedef struct repeated {
  jexpr_ref output[REPEATED_OUTPUTS];
  int noutput;
  jexpr_outputs out;
  jexpr_fn fn;  // inputs: x (REPEATED_INPUTS), p (REPEATED_SHARED)
  // further inputs, per lane: d (REPEATED_INPUTS), a direction of x, and l (REPEATED_OUTPUTS), weights of the outputs
  jexpr_ref tangent[REPEATED_OUTPUTS], adjoint[REPEATED_INPUTS];
  jexpr_outputs derivative[2];
  jexpr_fn derivatives;
} repeated;

// In the empty graph `g`. The first copies are taken; `steps` operations each, of all operators with vector forms.
void repeated_build(repeated* r, jexpr_graph* g, int copies, int steps, uint64_t seed);

// The same with its derivatives, which vary between lanes while x and p do not. One more output goes through all copies one
// after another: to its weights copies are equal near them only.
void repeated_derive(repeated* r, jexpr_graph* g, int copies, int steps, uint64_t seed);

// Inputs: ordinary ones, zeros of both signs, infinities and no numbers.
void repeated_inputs(uint64_t seed, double* x, double* p);
void repeated_lanes(uint64_t seed, int n, double* d);

// Derivatives of a graph by a kernel of them, in at most REPEATED_LANES lanes, at inputs of that seed.
void repeated_evaluate(const jkernel* k, uint64_t seed, double* dy, double* xbar);

#endif
