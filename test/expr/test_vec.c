// SPDX-License-Identifier: Apache-2.0
// Laws of vectors and rotations of graph nodes.
#include "expr/vec.h"

#include "support/expr_probe.h"

static const double at[PROBE_INPUTS] = {0.7, -1.3, 0.4, 2.1};

static double value(probe* p, jexpr_ref r) {
  return probe_eval(p, r, at);
}

static jexpr_v3 vector(probe* p, double scale) {
  jexpr_graph* g = p->g;
  jexpr_v3 v = {{p->x[0], jexpr_mul(g, jexpr_const(g, scale), p->x[1]),
                 jexpr_add(g, p->x[2], jexpr_const(g, scale))}};
  return v;
}

// a x b is across both, and as long as |a| |b| sin: |a x b|^2 + (a.b)^2 = |a|^2 |b|^2
static void test_vec_cross_is_across(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_v3 a = vector(p, 0.5), b = vector(p, -2.0), c = jexpr_v3_cross(g, a, b);
  double dot = value(p, jexpr_v3_dot(g, a, b)), length = value(p, jexpr_v3_norm(g, c));
  double la = value(p, jexpr_v3_norm(g, a)), lb = value(p, jexpr_v3_norm(g, b));
  assert_near(value(p, jexpr_v3_dot(g, a, c)), 0.0, 1e-14);
  assert_near(value(p, jexpr_v3_dot(g, b, c)), 0.0, 1e-14);
  assert_near(length * length + dot * dot, la * la * lb * lb, 1e-12);
}

// R^T R = 1, its axis stays, and x turns to y about z
static void test_vec_rotations_are_rotations(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  for (int axis = 0; axis < 3; axis++) {
    jexpr_m3 R = jexpr_m3_rotation(g, axis, p->x[0]), RT = jexpr_m3_transpose(&R);
    jexpr_m3 one = jexpr_m3_mul(g, &RT, &R);
    for (int i = 0; i < 9; i++) {
      assert_near(value(p, one.e[i / 3][i % 3]), i / 3 == i % 3 ? 1.0 : 0.0, 1e-15);
    }
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    assert_true(value(p, R.e[axis][axis]) == 1.0);
    assert_near(value(p, R.e[last][next]), sin(at[0]), 1e-15);
    assert_near(value(p, R.e[next][last]), -sin(at[0]), 1e-15);
  }
}

static void test_vec_transposed_products_agree(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_m3 A = jexpr_m3_rotation(g, 0, p->x[1]), B = jexpr_m3_rotation(g, 2, p->x[2]);
  jexpr_m3 C = jexpr_m3_mul(g, &A, &B), CT = jexpr_m3_transpose(&C);
  jexpr_v3 x = vector(p, 1.5), y = jexpr_m3_apply(g, &C, x), z = jexpr_m3_tapply(g, &C, y);
  jexpr_v3 w = jexpr_m3_apply(g, &CT, y);
  for (int i = 0; i < 3; i++) {
    assert_near(value(p, z.e[i]), value(p, x.e[i]), 1e-14);
    assert_near(value(p, w.e[i]), value(p, z.e[i]), 1e-15);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      probe_test(test_vec_cross_is_across),
      probe_test(test_vec_rotations_are_rotations),
      probe_test(test_vec_transposed_products_agree),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
