// SPDX-License-Identifier: Apache-2.0
// Unrolled sparse factorisations of symbolic matrices.
#ifndef JGEN_REDUCE_H
#define JGEN_REDUCE_H

#include "expr/graph.h"

// P A Q = L U of a square matrix whose pivots are given: entry (row[k], col[k]) at step k.
typedef struct jgen_lu {
  jexpr_graph* g;
  int n;
  jexpr_ref* A;    // L and U in the pivoted order, row-major, destroyed original
  jexpr_ref* inv;  // reciprocal pivots
  const int* col;  // column of the k-th pivot in the caller's order
} jgen_lu;

// A: row-major, rows already in pivot order, columns in the caller's order.
void jgen_lu_factor(jgen_lu* f, jexpr_graph* g, int n, jexpr_ref* A, jexpr_ref* inv,
                    const int* col);
// x = A^-1 b; b in pivot order of rows (overwritten), x in the caller's order of columns.
void jgen_lu_solve(const jgen_lu* f, jexpr_ref* b, jexpr_ref* x);

// y = A^-T c; c in the caller's order of columns, y in pivot order of rows.
void jgen_lu_solve_transposed(const jgen_lu* f, const jexpr_ref* c, jexpr_ref* y);

// L D L^T of a symmetric positive definite matrix in an order of least degree.
typedef struct jgen_ldl {
  jexpr_graph* g;
  int n;
  jexpr_ref* A;    // n x n; strict lower part: L
  jexpr_ref* inv;  // reciprocals of D
  int* order;      // elimination order
} jgen_ldl;

void jgen_ldl_factor(jgen_ldl* f, jexpr_graph* g, int n, jexpr_ref* A, jexpr_ref* inv, int* order);
// All in place: A^-1 b, and its halves L^-1 b and L^-T D^-1 b.
void jgen_ldl_solve(const jgen_ldl* f, jexpr_ref* b);
void jgen_ldl_lower(const jgen_ldl* f, jexpr_ref* b);
void jgen_ldl_upper(const jgen_ldl* f, jexpr_ref* b);

#endif
