// SPDX-License-Identifier: Apache-2.0
// Bodies without mass inside of loops: the limit of light ones, energy, reactions of rods, fewer operations; and what is
// said where something moves without mass, at the start and later.
#include "plant/simulate.h"
#include "support/gradient.h"
#include "support/laws.h"

#define WITH    "test/models/rods_with_mass.yaml"
#define WITHOUT "test/models/rods_without_mass.yaml"

static int operations(const char* path) {
  rig r;
  jplant_options opt = fixture_interpreted();
  rig_open(&r, path, NULL, 0, &opt);
  int total = rig_operations(&r);
  rig_close(&r);
  return total;
}

static void test_massless_rods_need_fewer_operations(void** state) {
  (void)state;
  int with = operations(WITH), without = operations(WITHOUT);
  assert_true(without < 0.76 * with);
}

// Accelerations of the same state go to those without mass, linearly with it.
static void test_light_rods_go_to_massless_ones(void** state) {
  (void)state;
  static const char* const mass[] = {"1e-2", "1e-3", "1e-4"};
  rig limit;
  jplant_options opt = fixture_interpreted();
  rig_open(&limit, WITHOUT, NULL, 0, &opt);
  rig_disturb(&limit, 5, 1e-2);
  double before = 0.0, expected = rig_output(&limit, "rod");
  for (int k = 0; k < 3; k++) {
    rig r;
    jmodel_setting set = {"m", mass[k]};
    rig_open(&r, WITH, &set, 1, &opt);
    assert_int_equal(r.d->ny, limit.d->ny);
    memcpy(r.y, limit.y, (size_t)r.d->ny * sizeof *r.y);
    r.t = limit.t;
    rig_evaluate(&r);
    double worst = 0.0, largest = 1.0;
    for (int i = 0; i < r.d->part.nu; i++) {
      int u = r.d->part.u[i];
      worst = fmax(worst, fabs(r.qdd[u] - limit.qdd[u]));
      largest = fmax(largest, fabs(limit.qdd[u]));
    }
    assert_true(worst > 0.0);
    if (k > 0) assert_near(before / worst, 10.0, 0.2);
    assert_near(rig_output(&r, "rod"), expected, 100.0 * atof(mass[k]) * (1.0 + fabs(expected)));
    assert_true(worst < 10.0 * atof(mass[k]) * largest);
    before = worst;
    rig_close(&r);
  }
  rig_close(&limit);
}

// A slider on a massless crank and rod, all in a plane: energy, and a rod that pushes along itself.
#define CRANK(rate, stiffness)                                                                    \
  "jounce: 1\nname: crank\ngravity: [0, 0, 0]\nbodies: {crank: {}, rod: {}, slider: {mass: 2}}\n" \
  "hardpoints: {O: [0, 0, 0], P: [0, 0, 0.2], Q: [0.6, 0, 0]}\njoints:\n"                         \
  "  crank: {type: revolute, child: crank, at: O, axis: y, independent: true}\n"                  \
  "  rod: {type: revolute, parent: crank, child: rod, at: P, axis: y}\n"                          \
  "  slider: {type: prismatic, child: slider, at: Q, axis: x}\n"                                  \
  "closures: {pin: {type: point_on_line, line: {point: slider.Q, direction: y}, point: rod.Q}}\n" \
  "forces: {spring: {on: crank, stiffness: " stiffness                                            \
  "}}\n"                                                                                          \
  "sensors:\n  energy: energy.kinetic + " stiffness                                               \
  "/2*crank^2\n"                                                                                  \
  "  across: 0.2*rod.fx + 0.6*rod.fz\n  push: rod.fx\n"                                           \
  "initial: {crank: {value: 0.3, rate: " rate "}}\nsimulation: {end: 2}\n"

static void test_slider_keeps_its_energy_and_the_rod_pushes_along_itself(void** state) {
  (void)state;
  rig r;
  jplant_options opt = fixture_interpreted();
  rig_open_text(&r, "crank.yaml", CRANK("1", "30"), &opt);
  double energy = rig_output(&r, "energy"), push = 0.0;
  for (int k = 1; k <= 5; k++) {
    rig_integrate(&r, 0.2 * k, 1e-11, NULL, NULL);
    assert_near(rig_output(&r, "energy"), energy, 1e-8 * energy);
    // along the line from P to Q, in the rod's own axes that of the design
    assert_near(rig_output(&r, "across"), 0.0, 1e-9);
    push = fmax(push, fabs(rig_output(&r, "push")));
  }
  assert_true(push > 0.1);
  rig_close(&r);
}

static void test_derivatives_are_those_of_differences_by_both_methods(void** state) {
  (void)state;
  static const char* const number[] = {"k_tyre", "hardpoints.fl.B3.z", "bodies.rl.upright.mass"};
  enum { COUNT = 3 };
  static const double size[] = {180000, 0.3, 30};
  const jmodel_setting set = {"simulation.end", "0.08"};
  gradient g;
  gradient_open(&g, WITHOUT, &set, 1, number, COUNT, JKERNEL_INTERP);
  g.opt.solve.rel_tol = g.opt.solve.abs_tol = 1e-10;
  gradient_law(&g, size, 2, 1e-5, 1e-9);
  gradient_close(&g);
}

// ---- what is said ----------------------------------------------------------------------------------

#define ROD(joint)                                                                              \
  "jounce: 1\nname: rod\nbodies: {arm: {mass: 1, com: [0.3, 0, 0], inertia: [0.1, 0.1, 0.1]}, " \
  "rod: {}}\n"                                                                                  \
  "hardpoints: {A: [0.5, 0, 0], B: [0.5, 0.1, 0.4], C: [0.5, 0.3, 0.4]}\njoints:\n"             \
  "  arm: {type: universal, child: arm, axis: y, axis2: z}\n"                                   \
  "  rod: {type: " joint                                                                        \
  ", parent: arm, child: rod, at: A}\n"                                                         \
  "closures: {end: {type: ball, a: rod.B, b: ground.B}}\n"

static void refuse(const char* text, const char* const* said) {
  fixture* f = fixture_parse("rod.yaml", text);
  jo_status status = jplant_create(f->ctx, f->m, NULL, &f->plant);
  assert_refused(f->ctx, status, JO_ERR_SINGULAR, said[0], said[1], said[2]);
  fixture_close(f);
}

static void test_spin_of_a_rod_is_told(void** state) {
  (void)state;
  static const char* const said[] = {"rod.yaml:7: coordinate 'rod.",
                                     "bodies without mass that move: 'rod'", "a universal one"};
  refuse(ROD("spherical"), said);
  // with a universal joint it is a rod
  rig r;
  jplant_options opt = fixture_interpreted();
  rig_open_text(&r, "rod.yaml", ROD("universal, axis: x, axis2: y"), &opt);
  assert_int_equal(r.d->part.nu, 1);
  assert_true(isfinite(r.qdd[r.d->part.u[0]]));
  rig_close(&r);
}

// Three links in a row: they fold without moving the arm.
static void test_links_that_fold_are_told(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\nname: links\nbodies: {arm: {mass: 1, com: [0.3, 0, 0], inertia: [0.1, 0.1, "
      "0.1]}, "
      "one: {}, two: {}, three: {}}\nhardpoints: {A: [0.5, 0, 0], B: [0.6, 0, 0.3], D: [0.3, 0, "
      "0.4], C: "
      "[0.5, 0, 0.5]}\n"
      "joints:\n  arm: {type: revolute, child: arm, axis: y}\n"
      "  one: {type: revolute, parent: arm, child: one, at: A, axis: y}\n"
      "  two: {type: revolute, parent: one, child: two, at: B, axis: y}\n"
      "  three: {type: revolute, parent: two, child: three, at: D, axis: y}\n"
      "closures: {end: {type: point_on_line, line: {point: ground.C, direction: y}, point: "
      "three.C}}\n";
  static const char* const said[] = {"can move at t = 0 s without moving any mass",
                                     "bodies without mass that move: 'one', 'two', 'three'",
                                     "the reduced mass matrix is singular"};
  refuse(text, said);
}

static void test_dead_centre_of_a_massless_crank_ends_the_run(void** state) {
  (void)state;
  fixture* f = fixture_parse("crank.yaml", CRANK("1", "0"));
  jplant_options opt = fixture_interpreted();
  fixture_build(f, &opt);
  jplant_simulate_options how = jplant_simulate_options_default();
  jplant_result* result = NULL;
  jo_status status = jplant_simulate(f->ctx, f->plant, &how, &result);
  assert_refused(f->ctx, status, JO_ERR_SINGULAR, "can move at t = 0.812435",
                 "without moving any mass", "'crank', 'rod'");
  jplant_result_destroy(result);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_massless_rods_need_fewer_operations),
      cmocka_unit_test(test_light_rods_go_to_massless_ones),
      cmocka_unit_test(test_slider_keeps_its_energy_and_the_rod_pushes_along_itself),
      cmocka_unit_test(test_derivatives_are_those_of_differences_by_both_methods),
      cmocka_unit_test(test_spin_of_a_rod_is_told),
      cmocka_unit_test(test_links_that_fold_are_told),
      cmocka_unit_test(test_dead_centre_of_a_massless_crank_ends_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
