// SPDX-License-Identifier: Apache-2.0
// Couplings: agreement with Newton-Euler in absolute coordinates, multipliers too; energy; what gears of
// textbooks do; derivatives by all they are made of; and the operations they cost.
#include "support/gradient.h"
#include "support/laws.h"

#define MODEL(name) "test/models/coupling_" name ".yaml"

static void test_accelerations_are_those_of_the_oracle(void** state) {
  law_oracle(*state, 0.1, 1.0, 1e-11);
}

static void test_mass_matrix_is_positive_definite_and_of_the_energy(void** state) {
  law_mass_matrix(*state);
}

// Couplings do no work, or the energy would not stay.
static void test_energy_is_conserved_without_dissipation(void** state) {
  const jmodel_setting set[] = {{"c", "0"}};
  law_run run = law_constant(*state, set, 1, "conserved", 0.4, 1e-11);
  assert_true(run.steps > 20);
  assert_true(run.kinetic > 0.3);
  assert_near(run.drift, 0.0, 1e-8);
}

static void test_energy_is_the_work_done_and_relations_hold(void** state) {
  law_run run = law_constant(*state, NULL, 0, "balance", 0.4, 1e-7);
  assert_near(run.drift, 0.0, 1e-4);
  assert_near(run.gap, 0.0, 1e-10);
}

static void test_compiled_is_interpreted(void** state) {
  law_backends(*state);
}

// What the oracle finds for its constraint equations, which are the relations as the file has them.
static void test_forces_are_those_of_the_oracle(void** state) {
  rig r;
  jplant_options opt = fixture_interpreted();
  rig_open(&r, *state, NULL, 0, &opt);
  oracle* o = oracle_create(r.ctx, r.m);
  random_source source;
  random_seed(&source, 271);
  int n = 0;
  for (int i = 0; i < r.m->ncoupling; i++) {
    n += r.m->coupling[i].nrelation;
  }
  assert_in_range(n, 1, 3);
  for (int k = 0; k < 5; k++) {
    double qdd[16], force[16];
    oracle_report report;
    rig_perturb(&r, &source, 0.05, 0.5);
    oracle_accelerations(o, r.t, r.q, r.qd, qdd, force, &report);
    for (int i = 0; i < n; i++) {
      char name[24];
      snprintf(name, sizeof name, "coupling_%d", i + 1);
      double expected = report.coupling[i];
      assert_near(rig_output(&r, name), expected, 1e-9 * (1.0 + fabs(expected)));
    }
  }
  oracle_destroy(o);
  rig_close(&r);
}

static void test_degrees_of_freedom_are_counted(void** state) {
  (void)state;
  static const struct {
    const char* path;
    int dof, dependent, redundant, driven;
  } expected[] = {{MODEL("gear"), 2, 2, 0, 0},
                  {MODEL("ring"), 2, 4, 0, 0},
                  {MODEL("hub"), 8, 1, 0, 0},
                  {MODEL("chassis"), 6, 3, 0, 0},
                  {MODEL("driven"), 6, 2, 0, 1}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    rig r;
    jplant_options opt = fixture_interpreted();
    rig_open(&r, expected[i].path, NULL, 0, &opt);
    assert_int_equal(r.d->part.nu, expected[i].dof);
    assert_int_equal(r.d->part.nv, expected[i].dependent);
    assert_int_equal(r.d->part.nredundant, expected[i].redundant);
    assert_int_equal(r.d->part.nd, expected[i].driven);
    rig_close(&r);
  }
}

// ---- textbooks -------------------------------------------------------------------------------------

#define SHAFTS                                                                         \
  "jounce: 1\nname: shafts\ngravity: [0, 0, 0]\nparameters: {i: 3.5, T: 0}\nbodies:\n" \
  "  a: {mass: 1, inertia: [0.2, 0.2, 0.2]}\n"                                         \
  "  b: {mass: 1, inertia: [0.5, 0.5, 0.5]}\n"                                         \
  "  c: {mass: 4, inertia: [0.3, 0.3, 0.3]}\n"                                         \
  "joints:\n"                                                                          \
  "  a: {type: revolute, child: a, axis: x}\n"                                         \
  "  b: {type: revolute, child: b, axis: x}\n"                                         \
  "  c: {type: revolute, child: c, axis: x}\n"                                         \
  "forces: {torque: {on: a, torque: 6}, left: {on: b, torque: -1}, right: {on: c, torque: 2}}\n"

static void open_shafts(rig* r, const char* text) {
  jplant_options opt = fixture_interpreted();
  rig_open_text(r, "shafts.yaml", text, &opt);
}

// a = i b: (I_b + i^2 I_a) b'' = T_b + i T_a, and b gets i times the torque of a
static void test_gear(void** state) {
  (void)state;
  rig r;
  open_shafts(&r, SHAFTS
              "couplings: {box: {gear: [a, b], ratio: i}}\n"
              "sensors: {acc: b.acc, acc_a: a.acc, force: box.force, mx: b.mx}\n");
  double acc = (-1.0 + 3.5 * 6.0) / (0.5 + 3.5 * 3.5 * 0.2);
  assert_near(rig_output(&r, "acc"), acc, 1e-12);
  assert_near(rig_output(&r, "acc_a"), 3.5 * acc, 1e-12);
  assert_near(rig_output(&r, "force"), 0.2 * 3.5 * acc - 6.0, 1e-12);
  // the joint transmits what turns its body: its own torque and the share of the coupling
  assert_near(rig_output(&r, "mx"), -1.0 - 3.5 * rig_output(&r, "force"), 1e-12);
  assert_near(rig_output(&r, "mx"), 0.5 * acc, 1e-12);
  rig_close(&r);
}

// Open: both outputs get half of i times the torque that reaches the gearing. Locked: they turn alike.
static void test_differential(void** state) {
  (void)state;
  rig r;
  open_shafts(&r, SHAFTS
              "couplings: {d: {differential: {input: a, outputs: [b, c], ratio: i}}}\n"
              "sensors: {in: a.acc, left: b.acc, right: c.acc, force: d.force}\n");
  double through = -rig_output(&r, "force");  // from a to the gearing
  assert_near(0.5 * rig_output(&r, "left"), -1.0 + 0.5 * 3.5 * through, 1e-12);
  assert_near(0.3 * rig_output(&r, "right"), 2.0 + 0.5 * 3.5 * through, 1e-12);
  assert_near(0.2 * rig_output(&r, "in"), 6.0 - through, 1e-12);
  assert_near(rig_output(&r, "in"), 0.5 * 3.5 * (rig_output(&r, "left") + rig_output(&r, "right")),
              1e-12);
  rig_close(&r);
  open_shafts(
      &r, SHAFTS
      "couplings: {d: {differential: {input: a, outputs: [b, c], ratio: i, locked: true}}}\n"
      "sensors: {left: b.acc, right: c.acc}\n");
  double acc = (1.0 + 3.5 * 6.0) / (0.8 + 3.5 * 3.5 * 0.2);
  assert_near(rig_output(&r, "left"), acc, 1e-12);
  assert_near(rig_output(&r, "right"), acc, 1e-12);
  rig_close(&r);
}

// r_a a = r_b b = r_c c; the belt's forces are multipliers per metre of belt
static void test_belt(void** state) {
  (void)state;
  rig r;
  open_shafts(&r, SHAFTS
              "couplings: {v: {belt: {pulleys: [a, b, c], radii: [0.1, 0.2, 0.4]}}}\n"
              "sensors: {acc_a: a.acc, acc_b: b.acc, acc_c: c.acc, f1: v.force1, f2: v.force2}\n");
  double acc = (6.0 / 0.1 - 1.0 / 0.2 + 2.0 / 0.4) / (0.2 / 0.01 + 0.5 / 0.04 + 0.3 / 0.16);
  assert_near(0.1 * rig_output(&r, "acc_a"), acc, 1e-12);
  assert_near(0.2 * rig_output(&r, "acc_b"), acc, 1e-12);
  assert_near(0.4 * rig_output(&r, "acc_c"), acc, 1e-12);
  assert_near(0.5 * acc / 0.2, -1.0 - 0.2 * rig_output(&r, "f1"), 1e-12);
  assert_near(0.3 * acc / 0.4, 2.0 - 0.4 * rig_output(&r, "f2"), 1e-12);
  rig_close(&r);
}

// A nut of mass m on a screw that nobody holds back: m lead/turn drives it round.
static void test_screw(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\nname: screw\ngravity: [0, 0, -9.81]\nbodies:\n"
      "  nut: {mass: 2, inertia: [0.01, 0.01, 0.01]}\n"
      "joints: {nut: {type: cylindrical, child: nut, axis: z}}\n"
      "couplings: {thread: {screw: {angle: nut.a, slide: nut.s, lead: 0.2}}}\n"
      "sensors: {acc: nut.s.acc, turn: nut.a.acc, force: thread.force, fz: nut.fz, mz: nut.mz}\n";
  rig r;
  open_shafts(&r, text);
  double p = 0.2 / 6.283185307179586, acc = -2.0 * 9.81 / (2.0 + 0.01 / (p * p));
  assert_near(rig_output(&r, "acc"), acc, 1e-12);
  assert_near(rig_output(&r, "turn"), acc / p, 1e-11);
  assert_near(rig_output(&r, "force"), 2.0 * (acc + 9.81), 1e-12);
  assert_near(rig_output(&r, "fz"), rig_output(&r, "force"), 1e-12);
  assert_near(rig_output(&r, "mz"), -p * rig_output(&r, "force"), 1e-12);
  rig_close(&r);
}

// ---- cost ------------------------------------------------------------------------------------------

static int operations(const char* text) {
  rig r;
  jplant_options opt = fixture_interpreted();
  rig_open_text(&r, "cost.yaml", text, &opt);
  int total = rig_operations(&r);
  rig_close(&r);
  return total;
}

// Three shafts against one with the inertia and the torque of all: what elimination by hand gives, and the
// rates of the two that follow.
static void test_coupled_shafts_cost_what_elimination_by_hand_does(void** state) {
  (void)state;
  int coupled = operations(
      SHAFTS "couplings: {one: {gear: [b, a], ratio: 2}, two: {gear: [c, a], ratio: 5}}\n");
  int alone = operations(
      "jounce: 1\nname: one\ngravity: [0, 0, 0]\nparameters: {i: 3.5, T: 0}\nbodies:\n"
      "  a: {mass: 1, inertia: [9.7, 9.7, 9.7]}\njoints: {a: {type: revolute, child: a, axis: x}}\n"
      "forces: {torque: {on: a, torque: 14}}\n");
  assert_in_range(coupled, alone, alone + 2);
}

// ---- derivatives -----------------------------------------------------------------------------------

static const char* const number[] = {
    "i",    "lead",   "shift",          "radius",          "swing",         "k",
    "lock", "offset", "hardpoints.T.x", "bodies.rod.mass", "hardpoints.S.z"};
enum { COUNT = sizeof number / sizeof *number };
static const double size_of[COUNT] = {1.8, 0.9, 0.1, 0.2, 0.3, 180, 0.8, 0.1, 0.5, 0.5, 0.5};

static void test_derivatives_are_those_of_differences_by_both_methods(void** state) {
  (void)state;
  gradient g;
  gradient_open(&g, "test/models/sens_coupling.yaml", NULL, 0, number, COUNT, JKERNEL_INTERP);
  gradient_law(&g, size_of, 3, 2e-7, 1e-10);
  gradient_close(&g);
}

#define LAW(name, f) \
  { name ": " #f, f, NULL, NULL, (void*)MODEL(name) }
#define LAWS(name)                                                        \
  LAW(name, test_accelerations_are_those_of_the_oracle),                  \
      LAW(name, test_mass_matrix_is_positive_definite_and_of_the_energy), \
      LAW(name, test_energy_is_conserved_without_dissipation),            \
      LAW(name, test_energy_is_the_work_done_and_relations_hold),         \
      LAW(name, test_compiled_is_interpreted), LAW(name, test_forces_are_those_of_the_oracle)

int main(void) {
  const struct CMUnitTest tests[] = {
      LAWS("gear"),
      LAWS("ring"),
      LAWS("hub"),
      LAWS("chassis"),
      LAW("driven", test_accelerations_are_those_of_the_oracle),
      LAW("driven", test_forces_are_those_of_the_oracle),
      LAW("driven", test_compiled_is_interpreted),
      cmocka_unit_test(test_degrees_of_freedom_are_counted),
      cmocka_unit_test(test_gear),
      cmocka_unit_test(test_differential),
      cmocka_unit_test(test_belt),
      cmocka_unit_test(test_screw),
      cmocka_unit_test(test_coupled_shafts_cost_what_elimination_by_hand_does),
      cmocka_unit_test(test_derivatives_are_those_of_differences_by_both_methods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
