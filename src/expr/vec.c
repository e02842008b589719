// SPDX-License-Identifier: Apache-2.0
// Vectors and 3x3 matrices of graph nodes. Zeros and ones vanish in the builders they call.
#include "expr/vec.h"

jexpr_v3 jexpr_v3_zero(jexpr_graph* g) {
  return jexpr_v3_const(g, 0.0, 0.0, 0.0);
}

jexpr_v3 jexpr_v3_const(jexpr_graph* g, double x, double y, double z) {
  return (jexpr_v3){{jexpr_const(g, x), jexpr_const(g, y), jexpr_const(g, z)}};
}

jexpr_v3 jexpr_v3_add(jexpr_graph* g, jexpr_v3 a, jexpr_v3 b) {
  jexpr_v3 r;
  for (int i = 0; i < 3; i++) {
    r.e[i] = jexpr_add(g, a.e[i], b.e[i]);
  }
  return r;
}

jexpr_v3 jexpr_v3_sub(jexpr_graph* g, jexpr_v3 a, jexpr_v3 b) {
  jexpr_v3 r;
  for (int i = 0; i < 3; i++) {
    r.e[i] = jexpr_sub(g, a.e[i], b.e[i]);
  }
  return r;
}

jexpr_v3 jexpr_v3_neg(jexpr_graph* g, jexpr_v3 a) {
  return jexpr_v3_sub(g, jexpr_v3_zero(g), a);
}

jexpr_v3 jexpr_v3_scale(jexpr_graph* g, jexpr_ref s, jexpr_v3 a) {
  jexpr_v3 r;
  for (int i = 0; i < 3; i++) {
    r.e[i] = jexpr_mul(g, s, a.e[i]);
  }
  return r;
}

jexpr_v3 jexpr_v3_cross(jexpr_graph* g, jexpr_v3 a, jexpr_v3 b) {
  jexpr_v3 r;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    r.e[i] = jexpr_sub(g, jexpr_mul(g, a.e[j], b.e[k]), jexpr_mul(g, a.e[k], b.e[j]));
  }
  return r;
}

jexpr_ref jexpr_v3_dot(jexpr_graph* g, jexpr_v3 a, jexpr_v3 b) {
  jexpr_ref xy = jexpr_add(g, jexpr_mul(g, a.e[0], b.e[0]), jexpr_mul(g, a.e[1], b.e[1]));
  return jexpr_add(g, xy, jexpr_mul(g, a.e[2], b.e[2]));
}

jexpr_ref jexpr_v3_norm(jexpr_graph* g, jexpr_v3 a) {
  return jexpr_sqrt(g, jexpr_v3_dot(g, a, a));
}

jexpr_m3 jexpr_m3_identity(jexpr_graph* g) {
  jexpr_m3 m = jexpr_m3_zero(g);
  for (int i = 0; i < 3; i++) {
    m.e[i][i] = jexpr_const(g, 1.0);
  }
  return m;
}

jexpr_m3 jexpr_m3_zero(jexpr_graph* g) {
  jexpr_m3 m;
  for (int i = 0; i < 9; i++) {
    m.e[i / 3][i % 3] = jexpr_const(g, 0.0);
  }
  return m;
}

jexpr_m3 jexpr_m3_add(jexpr_graph* g, const jexpr_m3* A, const jexpr_m3* B) {
  jexpr_m3 m;
  for (int i = 0; i < 9; i++) {
    m.e[i / 3][i % 3] = jexpr_add(g, A->e[i / 3][i % 3], B->e[i / 3][i % 3]);
  }
  return m;
}

jexpr_m3 jexpr_m3_mul(jexpr_graph* g, const jexpr_m3* A, const jexpr_m3* B) {
  jexpr_m3 m, Bt = jexpr_m3_transpose(B);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      jexpr_v3 row = {{A->e[i][0], A->e[i][1], A->e[i][2]}};
      jexpr_v3 col = {{Bt.e[j][0], Bt.e[j][1], Bt.e[j][2]}};
      m.e[i][j] = jexpr_v3_dot(g, row, col);
    }
  }
  return m;
}

jexpr_m3 jexpr_m3_transpose(const jexpr_m3* A) {
  jexpr_m3 m;
  for (int i = 0; i < 9; i++) {
    m.e[i / 3][i % 3] = A->e[i % 3][i / 3];
  }
  return m;
}

jexpr_v3 jexpr_m3_apply(jexpr_graph* g, const jexpr_m3* A, jexpr_v3 x) {
  jexpr_v3 r;
  for (int i = 0; i < 3; i++) {
    jexpr_v3 row = {{A->e[i][0], A->e[i][1], A->e[i][2]}};
    r.e[i] = jexpr_v3_dot(g, row, x);
  }
  return r;
}

jexpr_v3 jexpr_m3_tapply(jexpr_graph* g, const jexpr_m3* A, jexpr_v3 x) {
  jexpr_m3 T = jexpr_m3_transpose(A);
  return jexpr_m3_apply(g, &T, x);
}

jexpr_m3 jexpr_m3_rotation(jexpr_graph* g, int axis, jexpr_ref q) {
  int j = (axis + 1) % 3, k = (axis + 2) % 3;
  jexpr_ref c = jexpr_cos(g, q), s = jexpr_sin(g, q);
  jexpr_m3 R = jexpr_m3_identity(g);
  R.e[j][j] = c;
  R.e[k][k] = c;
  R.e[j][k] = jexpr_neg(g, s);
  R.e[k][j] = s;
  return R;
}
