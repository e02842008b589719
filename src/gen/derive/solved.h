// SPDX-License-Identifier: Apache-2.0
// Derivatives of what is solved for, dependent rates and accelerations, by the equations they solve. docs/theory/sensitivity.md
// eqs. (S32)-(S38).
#ifndef JGEN_SOLVED_H
#define JGEN_SOLVED_H

#include "gen/gen.h"

// What is differentiated for, and what by.
typedef struct jgen_seeds {
  jexpr_ref *x, *dx;
  int n, cap;
} jgen_seeds;

bool jgen_seeds_begin(jarena* a, jgen_seeds* l, int cap);
void jgen_seeds_add(jgen_seeds* l, const jexpr_ref* x, const jexpr_ref* dx, int n);

// Expressions with others in place of the inputs of a group.
jo_status jgen_put_inputs(jexpr_graph* g, int group, const jexpr_ref* to, jexpr_ref* r, int n);

// Seeds of what is solved for behind those of the states; none where the dynamics has no such equations.
jo_status jgen_solved_tangent(jgen_dynamics* d, jgen_seeds* l);
int jgen_solved_count(const jgen_dynamics* d);  // at most so many

// xbar = (d y / d x)^T ybar
jo_status jgen_solved_adjoint(jgen_dynamics* d, const jexpr_ref* y, const jexpr_ref* ybar, int n,
                              const jgen_seeds* l, jexpr_ref* xbar);

#endif
