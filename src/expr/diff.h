// SPDX-License-Identifier: Apache-2.0
// Differentiation inside the graph: derivatives are nodes, so sharing and elimination apply to them
// and they can be differentiated again. docs/theory/expressions.md.
#ifndef JEXPR_DIFF_H
#define JEXPR_DIFF_H

#include "expr/graph.h"

// Tangent (forward, one recursive variable per equation):
//   dy_i = sum_k  d y_i / d x_k  dx_k
// x: distinct nodes, as a rule inputs; dx: any nodes (constants, or inputs that carry a direction). What x itself is made of
// is not looked at.
jo_status jexpr_tangent(jexpr_graph* g, const jexpr_ref* y, int ny, const jexpr_ref* x,
                        const jexpr_ref* dx, int nx, jexpr_ref* dy);

// Adjoint (reverse, vector-Jacobian product):
//   xbar_k = sum_i  ybar_i  d y_i / d x_k
jo_status jexpr_adjoint(jexpr_graph* g, const jexpr_ref* y, const jexpr_ref* ybar, int ny,
                        const jexpr_ref* x, int nx, jexpr_ref* xbar);

// Nodes x that are solved for: instead of how that was done, what determines them is differentiated.
typedef struct jexpr_implied {
  const jexpr_ref* x;  // no constants
  int nx;
  const jexpr_ref* by;  // nodes that reach neither x nor what blocks before this one solve for
  int nby;
  // (d x / d by)^T xbar
  jo_status (*weigh)(void* user, const jexpr_ref* xbar, jexpr_ref* bybar);
  void* user;
} jexpr_implied;

jo_status jexpr_adjoint_implied(jexpr_graph* g, const jexpr_ref* y, const jexpr_ref* ybar, int ny,
                                const jexpr_ref* x, int nx, const jexpr_implied* block, int nblock,
                                jexpr_ref* xbar);

// Sparse Jacobian d y / d x, column-compressed; structural zeros are left out.
typedef struct jexpr_jacobian {
  int nrow, ncol, nnz;
  int* col;          // start of each column in row/value  (ncol + 1)
  int* row;          // row of each entry, increasing      (nnz)
  jexpr_ref* value;  // the entries                        (nnz)
} jexpr_jacobian;

typedef enum jexpr_mode {
  JEXPR_FORWARD,
  JEXPR_REVERSE,
  JEXPR_CHEAPER  // forward when nx <= ny, else reverse
} jexpr_mode;

jo_status jexpr_jacobian_build(jexpr_graph* g, jarena* a, jexpr_mode mode, const jexpr_ref* y,
                               int ny, const jexpr_ref* x, int nx, jexpr_jacobian* out);

#endif
