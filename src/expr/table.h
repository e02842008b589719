// SPDX-License-Identifier: Apache-2.0
// Interpolation tables of one and two variables, built from locate and pick.
//
// Abscissae X must increase strictly (constants are checked by the caller). X and Y may be constants
// or any nodes, so that table points can be parameters; all derivatives follow.
#ifndef JEXPR_TABLE_H
#define JEXPR_TABLE_H

#include "expr/graph.h"

typedef enum jexpr_table_kind {
  JEXPR_TABLE_LINEAR,  // straight between points
  JEXPR_TABLE_CUBIC    // monotone cubic Hermite (Fritsch-Carlson harmonic-mean slopes)
} jexpr_table_kind;

typedef enum jexpr_extrapolation {
  JEXPR_EXTRAPOLATE_LINEAR,  // go on with the slope at the end point
  JEXPR_EXTRAPOLATE_HOLD     // keep the end value
} jexpr_extrapolation;

// Value at x of the table (X_i, Y_i), i = 0 ... n-1. n = 1 is the constant Y_0.
jexpr_ref jexpr_table(jexpr_graph* g, jexpr_table_kind kind, jexpr_extrapolation rule, jexpr_ref x,
                      const jexpr_ref* X, const jexpr_ref* Y, int n);

// Value at (x, y) of the table Z_ij at (X_i, Y_j), row after row: Z[i*ny + j]; bilinear, or bicubic with
// continuous slopes. Extrapolation holds in each direction by itself.
typedef struct jexpr_grid {
  int nx, ny;
  const jexpr_ref *X, *Y, *Z;
} jexpr_grid;
jexpr_ref jexpr_table2(jexpr_graph* g, jexpr_table_kind kind, jexpr_extrapolation rule, jexpr_ref x,
                       jexpr_ref y, const jexpr_grid* grid);

#endif
