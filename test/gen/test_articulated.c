// SPDX-License-Identifier: Apache-2.0
// Articulated bodies give the accelerations that the mass matrix gives.
#include "support/dense.h"
#include "support/sketch.h"

#define ROUNDING 1e-10  // relative to the largest; the matrices have conditions of up to 1e5

enum { MAX = 80 };

static void compare(const char* path, bool hub, double size, unsigned seed) {
  static double A[MAX * MAX];
  static jexpr_ref M[MAX * MAX];
  sketch k;
  random_source source;
  random_seed(&source, seed);
  sketch_open(&k, fixture_load(path, NULL, 0), hub);
  sketch_randomise(&k, &source, size);
  jgen* s = &k.s;
  int n = k.nq;
  assert_true(n <= MAX);
  if (hub) assert_int_equal(s->nhub, 1);
  // elements push and pull, so that forces are among what is compared
  assert_ok(k.f->ctx, jgen_write_elements(s));
  jgen_hub_forces(s);
  jexpr_ref c[MAX], x[MAX];
  double b[MAX], got[MAX], scale = 0.0;
  jgen_bias_forces(s, c);
  jgen_mass_matrix(s, M);
  jgen_articulated(s, x);
  sketch_eval(&k, M, n * n, A);
  sketch_eval(&k, c, n, b);
  sketch_eval(&k, x, n, got);
  assert_true(dense_solve(n, A, b));
  for (int i = 0; i < n; i++) {
    scale = fmax(scale, fabs(b[i]));
  }
  assert_true(scale > 1e-3);
  for (int i = 0; i < n; i++) {
    assert_near(got[i] / scale, -b[i] / scale, ROUNDING);
  }
  sketch_close(&k);
}

static void test_articulated_bodies_of_every_joint(void** state) {
  (void)state;
  static const char* const path[] = {
      "test/models/joint_revolute.yaml",    "test/models/joint_prismatic.yaml",
      "test/models/joint_cylindrical.yaml", "test/models/joint_universal.yaml",
      "test/models/joint_spherical.yaml",   "test/models/joint_planar.yaml",
      "test/models/joint_free.yaml",        "test/models/joint_fixed.yaml"};
  for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
    compare(path[i], false, 0.8, 31 + (unsigned)i);
  }
}

static void test_articulated_bodies_on_a_hub(void** state) {
  (void)state;
  compare("test/models/joint_hub.yaml", true, 0.7, 41);
  compare("test/models/joint_hub.yaml", false, 0.7, 41);
}

static void test_articulated_bodies_of_long_trees(void** state) {
  (void)state;
  compare("test/models/long_tree.yaml", false, 0.3, 43);
  compare("test/models/long_tree_hub.yaml", true, 0.3, 44);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_articulated_bodies_of_every_joint),
      cmocka_unit_test(test_articulated_bodies_on_a_hub),
      cmocka_unit_test(test_articulated_bodies_of_long_trees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
