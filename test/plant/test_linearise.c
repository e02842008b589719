// SPDX-License-Identifier: Apache-2.0
// Linearised equations against the textbook's two masses and against differences of the full ones.
#include "plant/linearise.h"

#include "support/check.h"
#include "support/rig.h"

// two equal masses between three equal springs: w1 = sqrt(k/m), w2 = sqrt(3 k/m)
static const char two_masses[] =
    "jounce: 1\n"
    "name: two_masses\n"
    "parameters: {k: 400, m: 4, c: 0}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  a: {mass: m, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
    "  b: {mass: m, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  xa: {type: prismatic, parent: ground, child: a, at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "  xb: {type: prismatic, parent: ground, child: b, at: [1, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  left: {on: xa, stiffness: k, damping: c}\n"
    "  right: {on: xb, stiffness: k, damping: c}\n"
    "  middle: {bar: [xa, xb], stiffness: k}\n"
    "simulation: {end: 1}\n";

typedef struct bench {
  rig l;
  jplant_mode* mode;
  int n;
} bench;

static void open_bench(bench* b, const char* path, const char* text, bool jacobian) {
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = JKERNEL_INTERP;
  opt.gen.jacobian = jacobian;
  if (text) {
    rig_open_text(&b->l, path, text, &opt);
  } else {
    rig_open(&b->l, path, NULL, 0, &opt);
  }
}

static void close_bench(bench* b) {
  rig_close(&b->l);
}

static void find_modes(bench* b) {
  rig* l = &b->l;
  jplant_linear linear;
  assert_ok(l->ctx, jplant_linearise(l->ctx, &l->f->a, l->plant->dynamics, &l->run->system, l->t,
                                     l->y, &linear));
  assert_ok(l->ctx, jplant_modes(l->ctx, &l->f->a, l->plant->dynamics, &linear, &b->mode, &b->n));
}

static void test_modes_of_two_masses(void** state) {
  (void)state;
  bench b;
  open_bench(&b, "two_masses.yaml", two_masses, true);
  find_modes(&b);
  assert_int_equal(b.n, 2);
  double w1 = sqrt(400.0 / 4.0), w2 = sqrt(3.0 * 400.0 / 4.0), pi = acos(-1.0);
  assert_near(b.mode[0].frequency, w1 / (2.0 * pi), 1e-13);
  assert_near(b.mode[1].frequency, w2 / (2.0 * pi), 1e-13);
  for (int k = 0; k < 2; k++) {
    assert_near(b.mode[k].damping, 0.0, 1e-13);
    // together, then against each other
    int xa = jmodel_find_coordinate(b.l.m, "xa"), xb = jmodel_find_coordinate(b.l.m, "xb");
    assert_near(b.mode[k].shape[xb] / b.mode[k].shape[xa], k == 0 ? 1.0 : -1.0, 1e-12);
    assert_near(b.mode[k].turn[xb], 0.0, 1e-12);
  }
  close_bench(&b);
}

static void test_modes_have_the_damping_of_an_oscillator(void** state) {
  (void)state;
  static const char one[] =
      "jounce: 1\nname: one\nparameters: {k: 100, c: 4}\ngravity: [0, 0, 0]\n"
      "bodies:\n  a: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
      "joints:\n  x: {type: prismatic, parent: ground, child: a, at: [0, 0, 0], axis: [1, 0, 0]}\n"
      "forces:\n  s: {on: x, stiffness: k, damping: c}\nsimulation: {end: 1}\n";
  bench b;
  open_bench(&b, "one.yaml", one, true);
  find_modes(&b);
  assert_int_equal(b.n, 1);
  double w = sqrt(50.0), zeta = 4.0 / (2.0 * 2.0 * w);
  assert_near(b.mode[0].damping, zeta, 1e-13);
  assert_near(b.mode[0].re, -zeta * w, 1e-13);
  assert_near(b.mode[0].im, w * sqrt(1.0 - zeta * zeta), 1e-12);
  close_bench(&b);
}

static void test_linearise_by_jacobian_is_by_differences(void** state) {
  (void)state;
  static const char* const models[] = {
      "models/mechanisms/double_pendulum.yaml", "models/mechanisms/four_bar.yaml",
      "models/mechanisms/spatial_four_bar.yaml", "models/buggy/step_descent.yaml"};
  for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
    bench b;
    open_bench(&b, models[k], NULL, true);
    rig* l = &b.l;
    rig_disturb(l, 2, 0.01);
    jsolve_system plain = l->run->system;
    plain.jacobian = NULL;
    jplant_linear exact, rough;
    const jgen_dynamics* d = l->plant->dynamics;
    assert_ok(l->ctx, jplant_linearise(l->ctx, &l->f->a, d, &l->run->system, l->t, l->y, &exact));
    assert_ok(l->ctx, jplant_linearise(l->ctx, &l->f->a, d, &plain, l->t, l->y, &rough));
    double size = 1.0;
    for (int i = 0; i < exact.n * exact.n; i++) {
      size = fmax(size, fabs(exact.A[i]));
    }
    // central differences of 1e-6: about 1e-9 of the largest entry
    for (int i = 0; i < exact.n * exact.n; i++) {
      assert_near(rough.A[i] / size, exact.A[i] / size, 1e-7);
    }
    close_bench(&b);
  }
}

// what bounds the step of an explicit method on the buggy
static void test_modes_of_the_buggy_reach_362(void** state) {
  (void)state;
  bench b;
  open_bench(&b, "models/buggy/step_descent.yaml", NULL, true);
  find_modes(&b);
  double largest = 0.0;
  for (int i = 0; i < b.n; i++) {
    largest = fmax(largest, hypot(b.mode[i].re, b.mode[i].im));
  }
  assert_near(largest, 362.0, 5.0);
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_modes_of_two_masses),
      cmocka_unit_test(test_modes_have_the_damping_of_an_oscillator),
      cmocka_unit_test(test_linearise_by_jacobian_is_by_differences),
      cmocka_unit_test(test_modes_of_the_buggy_reach_362),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
