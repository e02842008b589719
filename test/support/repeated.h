// SPDX-License-Identifier: Apache-2.0
// Graphs that repeat themselves, as vehicles do: copies of one random program over inputs, constants and signs of
// their own, with values that all share, and sums over the copies.
#ifndef JTEST_REPEATED_H
#define JTEST_REPEATED_H

#include "expr/schedule.h"

enum { REPEATED_COPIES = 10, REPEATED_OWN = 4, REPEATED_SHARED = 3, REPEATED_OUTPUTS = 64 };
enum { REPEATED_INPUTS = REPEATED_COPIES * REPEATED_OWN };

typedef struct repeated {
  jexpr_ref output[REPEATED_OUTPUTS];
  int noutput;
  jexpr_outputs out;
  jexpr_fn fn;  // inputs: x (REPEATED_INPUTS), p (REPEATED_SHARED)
} repeated;

// In the empty graph `g`. The first copies are taken; `steps` operations each, of all operators with vector forms.
void repeated_build(repeated* r, jexpr_graph* g, int copies, int steps, uint64_t seed);

// Inputs: ordinary ones, zeros of both signs, infinities and no numbers.
void repeated_inputs(uint64_t seed, double* x, double* p);

#endif
