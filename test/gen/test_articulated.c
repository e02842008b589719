// SPDX-License-Identifier: Apache-2.0
// Articulated bodies give the accelerations that the mass matrix gives.
#include "support/dense.h"
#include "support/rig.h"
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
  sketch_eval(&k, M, n * n, A);
  sketch_eval(&k, c, n, b);
  assert_true(dense_solve(n, A, b));
  for (int i = 0; i < n; i++) {
    scale = fmax(scale, fabs(b[i]));
  }
  assert_true(scale > 1e-3);
  for (int merged = 1; merged <= MAX; merged *= 3) {
    sketch_articulate(&k, merged, x);
    sketch_eval(&k, x, n, got);
    for (int i = 0; i < n; i++) {
      assert_near(got[i] / scale, -b[i] / scale, ROUNDING);
    }
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

// Loops, couplings and driven joints, by both ways: rates of states, momenta and jumps, values of sensors.
static void compare_ways(const char* path) {
  static const jgen_fn fn[] = {JGEN_FN_RHS, JGEN_FN_MOMENTUM, JGEN_FN_OUTPUTS};
  enum { SIZE = 512 };
  rig r;
  jplant_options opt = fixture_interpreted();
  rig_open(&r, path, NULL, 0, &opt);
  rig_disturb(&r, 7, 0.02);
  jgen_dynamics* d[2];
  for (int i = 0; i < 2; i++) {
    jgen_options o = {.way = i ? JGEN_BY_ARTICULATED : JGEN_BY_MATRIX};
    assert_ok(r.ctx, jgen_dynamics_build(r.ctx, r.d->model, &o, &r.d->part, &d[i]));
  }
  for (size_t f = 0; f < sizeof fn / sizeof *fn; f++) {
    double value[2][SIZE] = {{0}}, zero[SIZE] = {0}, road[2] = {0}, scale = 1.0;
    int n = d[0]->fn[fn[f]].out[0].n;
    assert_true(n <= SIZE);
    const double* in[JGEN_GROUP_COUNT];
    for (int g = 0; g < JGEN_GROUP_COUNT; g++) {
      in[g] = zero;
    }
    in[JGEN_P] = d[0]->p;
    in[JGEN_T] = &r.t;
    in[JGEN_Y] = r.y;
    in[JGEN_ROAD] = road;
    for (int i = 0; i < 2 && n > 0; i++) {
      sketch_call(r.ctx, &d[i]->fn[fn[f]], in, (double* const[]){value[i]});
    }
    for (int k = 0; k < n; k++) {
      scale = fmax(scale, fabs(value[0][k]));
    }
    for (int k = 0; k < n; k++) {
      assert_near(value[1][k] / scale, value[0][k] / scale, ROUNDING);
    }
  }
  jgen_dynamics_destroy(d[0]);
  jgen_dynamics_destroy(d[1]);
  rig_close(&r);
}

static void test_articulated_bodies_of_loops_and_drives(void** state) {
  (void)state;
  static const char* const path[] = {
      "test/models/closure_driven.yaml",   "test/models/coupling_driven.yaml",
      "test/models/coupling_chassis.yaml", "test/models/multi_link.yaml",
      "test/models/coupling_of_hubs.yaml", "test/models/free_bodies_in_a_loop.yaml",
      "test/models/double_wishbone.yaml",  "models/buggy/step_descent.yaml"};
  for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
    compare_ways(path[i]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_articulated_bodies_of_every_joint),
      cmocka_unit_test(test_articulated_bodies_on_a_hub),
      cmocka_unit_test(test_articulated_bodies_of_long_trees),
      cmocka_unit_test(test_articulated_bodies_of_loops_and_drives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
