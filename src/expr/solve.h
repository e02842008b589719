// SPDX-License-Identifier: Apache-2.0
// Unknowns of scalar equations: how they come into a graph. What they are there stands in expr/body.h.
#ifndef JEXPR_SOLVE_H
#define JEXPR_SOLVE_H

#include "expr/graph.h"

// The unknown x with residual = 0. The residual is written with jexpr_hole() in place of x, falls with it, and has no
// other unknown that depends on x in it; the search begins at `start` and goes outwards by `step` > 0 first.
jexpr_ref jexpr_hole(jexpr_graph* g);
jexpr_ref jexpr_solve(jexpr_graph* g, jexpr_ref residual, jexpr_ref start, jexpr_ref step);
// Whether r is written with the unknown; also where memory is exhausted.
bool jexpr_has_hole(const jexpr_graph* g, jexpr_ref r);

// Conditions of an equation (comparisons, min, max, abs, sign, floor) held: each is a further value, 1 where more > less,
// else 0, as `value` gives for the k-th. Returns the node of the equation so changed, and the conditions as nodes at
// its solution, in the arena; the node itself where there are none.
typedef struct jexpr_condition {
  jexpr_ref more, less;
} jexpr_condition;
typedef jexpr_ref (*jexpr_held)(void* user, jexpr_graph* g, int k);
jexpr_ref jexpr_solve_hold(jexpr_graph* g, jarena* a, jexpr_ref solve, jexpr_held value, void* user,
                           jexpr_condition** out, int* n);

#endif
