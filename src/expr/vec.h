// SPDX-License-Identifier: Apache-2.0
// Vectors and 3x3 matrices of graph nodes, so that mechanics reads as mechanics.
#ifndef JEXPR_VEC_H
#define JEXPR_VEC_H

#include "expr/graph.h"

typedef struct jexpr_v3 {
  jexpr_ref e[3];
} jexpr_v3;

typedef struct jexpr_m3 {
  jexpr_ref e[3][3];  // row, column
} jexpr_m3;

jexpr_v3 jexpr_v3_zero(jexpr_graph* g);
jexpr_v3 jexpr_v3_const(jexpr_graph* g, double x, double y, double z);
jexpr_v3 jexpr_v3_add(jexpr_graph* g, jexpr_v3 a, jexpr_v3 b);
jexpr_v3 jexpr_v3_sub(jexpr_graph* g, jexpr_v3 a, jexpr_v3 b);
jexpr_v3 jexpr_v3_neg(jexpr_graph* g, jexpr_v3 a);
jexpr_v3 jexpr_v3_scale(jexpr_graph* g, jexpr_ref s, jexpr_v3 a);
jexpr_v3 jexpr_v3_cross(jexpr_graph* g, jexpr_v3 a, jexpr_v3 b);
jexpr_ref jexpr_v3_dot(jexpr_graph* g, jexpr_v3 a, jexpr_v3 b);
jexpr_ref jexpr_v3_norm(jexpr_graph* g, jexpr_v3 a);

jexpr_m3 jexpr_m3_identity(jexpr_graph* g);
jexpr_m3 jexpr_m3_zero(jexpr_graph* g);
jexpr_m3 jexpr_m3_add(jexpr_graph* g, const jexpr_m3* A, const jexpr_m3* B);
jexpr_m3 jexpr_m3_mul(jexpr_graph* g, const jexpr_m3* A, const jexpr_m3* B);
jexpr_m3 jexpr_m3_transpose(const jexpr_m3* A);
jexpr_v3 jexpr_m3_apply(jexpr_graph* g, const jexpr_m3* A, jexpr_v3 x);   // A x
jexpr_v3 jexpr_m3_tapply(jexpr_graph* g, const jexpr_m3* A, jexpr_v3 x);  // A^T x

// Rotation by q about axis 0, 1 or 2: components in the parent = R components in the child.
jexpr_m3 jexpr_m3_rotation(jexpr_graph* g, int axis, jexpr_ref q);

#endif
