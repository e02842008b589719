// SPDX-License-Identifier: Apache-2.0
// Unknowns of scalar equations inside of a graph: x with F(x, c) = 0, where F falls with x.
// docs/theory/expressions.md
//
// The equation is a graph of its own, its body, with the groups x (1) and c (n). A node solve(k, start, step,
// c ...) has the value of the unknown of the k-th body; its derivatives are those of the implicit function
// theorem, dx/dc = -(dF/dc)/(dF/dx), as nodes. expr/solve.h makes them.
#ifndef JEXPR_BODY_H
#define JEXPR_BODY_H

#include "expr/tape/schedule.h"

// Operands of solve before the values c, and groups of the body.
enum { JEXPR_SOLVE_BODY, JEXPR_SOLVE_START, JEXPR_SOLVE_STEP, JEXPR_SOLVE_VALUES };
enum { JEXPR_BODY_X, JEXPR_BODY_C };

#define JEXPR_MAX_VALUES 512  // of one body

const jexpr_body* jexpr_body_of(const jexpr_graph* g, jexpr_ref solve);
// The equation as a function of one output, {F, dF/dx}; `out` is storage of the caller's.
jexpr_fn jexpr_body_fn(const jexpr_body* b, jexpr_outputs* out);
// Nodes of the body written into the graph, at the unknown and the values it has there; false: no memory.
bool jexpr_body_at(jexpr_graph* g, jexpr_ref solve, const jexpr_ref* ref, int n, jexpr_ref* result);
// Derivative of the unknown by operand k.
jexpr_ref jexpr_solve_partial(jexpr_graph* g, jexpr_ref solve, int k);

// The root of f, which gives {F, dF/dx} and falls: outwards from `start` by steps that double until it is
// enclosed, then Newton inside of what encloses it, halved where Newton does not do better. Not a number:
// there is none, or f is not one on the way.
typedef void (*jexpr_equation)(void* user, double x, double F[2]);
double jexpr_solve_value(jexpr_equation f, void* user, double start, double step);

#endif
