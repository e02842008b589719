// SPDX-License-Identifier: Apache-2.0
// At static equilibrium forces balance: springs sag as the handbook says, wheels carry the weight.
#include "machine/equilibrium.h"

#include "support/check.h"
#include "support/rig.h"

#define GRAVITY 9.81

// sprung mass on a spring on an unsprung mass on a stiffer one: a quarter car
static const char quarter_car[] =
    "jounce: 1\n"
    "name: quarter_car\n"
    "parameters: {ms: 300, mu: 40, ks: 20000, kt: 180000, cs: 1500}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  wheel: {mass: mu, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
    "  chassis: {mass: ms, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  lower: {type: prismatic, parent: ground, child: wheel, at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  upper: {type: prismatic, parent: wheel, child: chassis, at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  tyre: {on: lower, stiffness: kt}\n"
    "  strut: {on: upper, stiffness: ks, damping: cs}\n"
    "simulation: {end: 1}\n";

static int coordinate(const rig* l, const char* name) {
  int k = jmodel_find_coordinate(l->m, name);
  for (int i = 0; i < l->plant->dynamics->part.nu; i++) {
    if (l->plant->dynamics->part.u[i] == k) return i;
  }
  fail_msg("%s is not independent", name);
  return -1;
}

static double output(rig* l, const char* name) {
  rig_evaluate(l);
  return rig_output(l, name);
}

static void test_equilibrium_quarter_car_sags_by_weight_over_stiffness(void** state) {
  (void)state;
  rig l;
  jplant_options opt = fixture_interpreted();
  rig_open_text(&l, "quarter_car.yaml", quarter_car, &opt);
  jmachine_equilibrium found;
  rig_disturb(&l, 1, 0.05);
  assert_ok(l.ctx, jplant_find_equilibrium(l.ctx, l.plant, l.t, l.y, &found));
  const double* q = l.y + jgen_first(&l.plant->dynamics->layout, JGEN_QU);
  // the search ends at accelerations of 1e-8 and less: lengths of 1e-11
  assert_near(q[coordinate(&l, "lower")], -340.0 * GRAVITY / 180000.0, 1e-10);
  assert_near(q[coordinate(&l, "upper")], -300.0 * GRAVITY / 20000.0, 1e-10);
  assert_near(found.residual, 0.0, 1e-6);
  assert_int_equal(found.determined, 2);
  rig_close(&l);
}

// all wheels carry the weight, wherever the search begins: on the ground or in the air
static void check_buggy(rig* l) {
  static const char* const load[] = {"load_fr", "load_fl", "load_rr", "load_rl"};
  jmachine_equilibrium found;
  assert_ok(l->ctx, jplant_find_equilibrium(l->ctx, l->plant, l->t, l->y, &found));
  assert_near(found.residual, 0.0, 1e-6);
  assert_int_equal(found.determined,
                   7);  // heave, pitch, roll and four wheels: x y yaw and spins free
  double sum = 0.0, mass = 0.0;
  for (int i = 0; i < 4; i++) {
    sum += output(l, load[i]);
  }
  for (int b = 1; b < l->m->nbody; b++) {
    if (!l->m->body[b].has_mass) continue;
    int k = l->m->body[b].mass.number;
    assert_true(k >= 0 || l->m->body[b].mass.text);
    int p = k >= 0 ? k : jmodel_find_number(l->m, l->m->body[b].mass.text);
    assert_true(p >= 0);
    mass += l->m->number[p].value;
  }
  assert_near(sum / (mass * GRAVITY), 1.0, 1e-9);
  const jgen_dynamics* d = l->plant->dynamics;
  for (int i = 0; i < d->part.nu; i++) {
    assert_true(l->y[jgen_first(&d->layout, JGEN_QDU) + i] == 0.0);
  }
}

static void test_equilibrium_buggy_wheel_loads_are_its_weight(void** state) {
  (void)state;
  rig l;
  jplant_options opt = fixture_interpreted();
  rig_open(&l, "models/buggy/step_descent.yaml", NULL, 0, &opt);
  check_buggy(&l);
  double height = output(&l, "z1");
  rig_disturb(&l, 0, 0.0);
  l.y[jgen_first(&l.plant->dynamics->layout, JGEN_QU) + coordinate(&l, "chassis.z")] += 0.2;
  jsolve_set_modes(&l.run->system, l.t, l.y, l.g);
  assert_near(output(&l, "load_fr"), 0.0, 0.0);
  check_buggy(&l);
  assert_near(output(&l, "z1"), height, 1e-8);
  rig_close(&l);
}

// nothing holds a falling body
static void test_equilibrium_says_what_is_not_at_rest(void** state) {
  (void)state;
  static const char stone[] =
      "jounce: 1\nname: stone\nbodies:\n  stone: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
      "joints:\n  fall: {type: prismatic, parent: ground, child: stone, at: [0, 0, 0],"
      " axis: [0, 0, 1]}\nsimulation: {end: 1}\n";
  rig l;
  jplant_options opt = fixture_interpreted();
  rig_open_text(&l, "stone.yaml", stone, &opt);
  jmachine_equilibrium found;
  assert_int_equal(jplant_find_equilibrium(l.ctx, l.plant, 0.0, l.y, &found), JO_ERR_CONVERGENCE);
  assert_non_null(strstr(jo_context_message(l.ctx), "'fall'"));
  assert_near(found.residual, GRAVITY, 0.01);
  rig_close(&l);
}

// start_at: static moves positions only; velocities remain those of the initial conditions
static void test_equilibrium_is_where_a_static_start_begins(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\nname: settled\ninclude: models/buggy/step_descent.yaml\n"
      "simulation: {end: 1, start_at: static}\n";
  rig l;
  jplant_options opt = fixture_interpreted();
  rig_open_text(&l, "settled.yaml", text, &opt);
  const jgen_dynamics* d = l.plant->dynamics;
  assert_near(l.y[jgen_first(&d->layout, JGEN_QDU) + coordinate(&l, "chassis.x")], 3.0, 1e-12);
  assert_near(l.y[jgen_first(&d->layout, JGEN_QDU) + coordinate(&l, "fr.wheel")], 11.0, 1e-12);
  double moved[64];
  memcpy(moved, l.y, (size_t)d->ny * sizeof *moved);
  jmachine_equilibrium found;
  assert_ok(l.ctx, jplant_find_equilibrium(l.ctx, l.plant, 0.0, l.y, &found));
  for (int i = 0; i < d->part.nu; i++) {
    assert_near(l.y[jgen_first(&d->layout, JGEN_QU) + i],
                moved[jgen_first(&d->layout, JGEN_QU) + i], 1e-9);
  }
  rig_close(&l);
}

// A mass on oil behind a throttle, and gas behind the oil: pressures of some 1e6 Pa are found from a good
// guess and from bad ones. m g = area (p - 1e5).
static const char oil_strut[] =
    "jounce: 1\nname: oil\nparameters: {start: 3.0e6}\n"
    "bodies: {mass: {mass: 300}}\n"
    "joints: {z: {type: prismatic, child: mass, axis: z}}\n"
    "signals: {gas: 2.0e6*(1.0e-3/(1.0e-3 + 1.0e-3*z))^1.3, drop: oil - gas}\n"
    "forces: {strut: {on: z, force: -1.0e-3*(oil - 1.0e5)}}\n"
    "states:\n"
    "  oil:\n"
    "    derivative: -1.0e12*(1.0e-3*z.rate + 1.0e-6*drop/(drop^2 + 1.0e6)^0.25)\n"
    "    initial: start\n"
    "    nominal: 1.0e6\n"
    "simulation: {end: 1}\n";

static void test_equilibrium_of_pressures_is_found_from_good_and_bad_guesses(void** state) {
  (void)state;
  static const double guess[] = {3.0e6, 1.0e5, 1.0e7};
  jplant_options opt = fixture_interpreted();
  for (int i = 0; i < 3; i++) {
    rig l;
    rig_open_text(&l, "oil.yaml", oil_strut, &opt);
    const jgen_dynamics* d = l.plant->dynamics;
    jmachine_equilibrium found;
    l.y[jgen_first(&d->layout, JGEN_Z)] = guess[i];
    assert_ok(l.ctx, jplant_find_equilibrium(l.ctx, l.plant, l.t, l.y, &found));
    double p = 300.0 * GRAVITY / 1e-3 + 1e5;
    assert_near(l.y[jgen_first(&d->layout, JGEN_Z)], p, 1e-9 * p);
    // p (V0 + A z)^1.3 = p0 V0^1.3
    assert_near(l.y[jgen_first(&d->layout, JGEN_QU)], pow(2.0e6 / p, 1.0 / 1.3) - 1.0, 1e-9);
    assert_int_equal(found.determined, 1);
    assert_true(found.iterations < 60);
    rig_close(&l);
  }
}

static void test_equilibrium_nominal_sizes_are_scales_of_errors(void** state) {
  (void)state;
  rig l;
  jplant_options opt = fixture_interpreted();
  rig_open_text(&l, "oil.yaml", oil_strut, &opt);
  const jgen_dynamics* d = l.plant->dynamics;
  assert_true(l.run->system.error_scale[jgen_first(&d->layout, JGEN_Z)] == 1.0e6);
  assert_true(l.run->system.error_scale[jgen_first(&d->layout, JGEN_QU)] == 1.0);
  rig_close(&l);
}

// the integrator of a controller has no rest but where its error vanishes
#define CONTROLLED(hold)                                                             \
  "jounce: 1\nname: controlled\nbodies: {mass: {mass: 2}}\n"                         \
  "joints: {z: {type: prismatic, child: mass, axis: z}}\n"                           \
  "forces: {spring: {on: z, stiffness: 100}, actuator: {on: z, force: -3*offset}}\n" \
  "states: {sum: {derivative: z + 0.1, initial: 0.5" hold                            \
  "},\n         offset: {derivative: 2*(sum - offset), nominal: 0.1}}\n"             \
  "simulation: {end: 1}\n"

static void test_equilibrium_holds_states_that_are_to_be_held(void** state) {
  (void)state;
  jplant_options opt = fixture_interpreted();
  jmachine_equilibrium found;
  rig l;
  rig_open_text(&l, "held.yaml", CONTROLLED(", hold: true"), &opt);
  const jgen_dynamics* d = l.plant->dynamics;
  assert_ok(l.ctx, jplant_find_equilibrium(l.ctx, l.plant, l.t, l.y, &found));
  assert_true(l.y[jgen_first(&d->layout, JGEN_Z)] == 0.5);
  assert_near(l.y[jgen_first(&d->layout, JGEN_Z) + 1], 0.5, 1e-10);
  assert_near(l.y[jgen_first(&d->layout, JGEN_QU)], (3.0 * 0.5 - 2.0 * GRAVITY) / 100.0, 1e-10);
  rig_close(&l);
  rig_open_text(&l, "free.yaml", CONTROLLED(""), &opt);
  assert_ok(l.ctx, jplant_find_equilibrium(l.ctx, l.plant, l.t, l.y, &found));
  assert_near(l.y[jgen_first(&l.plant->dynamics->layout, JGEN_QU)], -0.1, 1e-9);
  rig_close(&l);
}

// two masses on one spring, and nothing else along their way: the first stays, the second finds its place
static void test_equilibrium_a_free_pair_stays_with_its_first(void** state) {
  (void)state;
  static const char pair[] =
      "jounce: 1\nname: pair\nbodies: {a: {mass: 2}, b: {mass: 3}}\n"
      "joints: {a: {type: prismatic, child: a, axis: x, guess: 0.4},"
      " b: {type: prismatic, child: b, axis: x}}\n"
      "forces: {spring: {between: [a.origin, b.origin], stiffness: 50, free_length: 0.3}}\n"
      "simulation: {end: 1}\n";
  rig l;
  jplant_options opt = fixture_interpreted();
  rig_open_text(&l, "pair.yaml", pair, &opt);
  jmachine_equilibrium found;
  assert_ok(l.ctx, jplant_find_equilibrium(l.ctx, l.plant, l.t, l.y, &found));
  const double* q = l.y + jgen_first(&l.plant->dynamics->layout, JGEN_QU);
  assert_int_equal(found.determined, 1);
  assert_false(found.is_moved);
  assert_true(q[coordinate(&l, "a")] == 0.4);
  assert_near(q[coordinate(&l, "b")], 0.1, 1e-9);
  rig_close(&l);
}

// At the foot of a smooth bump the slope of the road just holds a car, and a little farther away nothing does: it stays
// where it began rather than roll to where the search ends. Wherever that was, it was no function of the bump.
static void test_equilibrium_what_rolls_to_where_nothing_holds_it_stays(void** state) {
  (void)state;
  static const char foot[] =
      "jounce: 1\nname: foot\n"
      "bodies: {frame: {}, car: {mass: 360}, carrier: {mass: 22},"
      " wheel: {mass: 18, inertia: [0.28, 0.4, 0.28]}}\n"
      "joints:\n"
      "  x: {type: prismatic, child: frame, axis: x}\n"
      "  z: {type: prismatic, child: car, parent: frame, axis: z}\n"
      "  strut: {type: prismatic, child: carrier, parent: car, at: [0, 0, 0.32], axis: z}\n"
      "  spin: {type: revolute, child: wheel, parent: carrier, axis: y}\n"
      "forces: {spring: {on: strut, stiffness: 16390, damping: 1915}}\n"
      "tyres: {tyre: {wheel: wheel, radius: 0.32, stiffness: 256000, damping: 108,"
      " kappa_c: 0.4, alpha_c: 0.2, mu_x: 0.8, mu_y: 0.8}}\n"
      "road: \"0.006*exp(-((x - 0.72)/0.2372)^2)\"\n"
      "simulation: {end: 1}\n";
  rig l;
  jplant_options opt = fixture_interpreted();
  rig_open_text(&l, "foot.yaml", foot, &opt);
  jmachine_equilibrium found;
  assert_ok(l.ctx, jplant_find_equilibrium(l.ctx, l.plant, l.t, l.y, &found));
  const double* q = l.y + jgen_first(&l.plant->dynamics->layout, JGEN_QU);
  assert_int_equal(found.determined, 2);
  assert_false(found.is_moved);
  assert_true(q[coordinate(&l, "x")] == 0.0);
  assert_near(q[coordinate(&l, "strut")], 360.0 * GRAVITY / 16390.0, 1e-4);
  rig_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_equilibrium_quarter_car_sags_by_weight_over_stiffness),
      cmocka_unit_test(test_equilibrium_buggy_wheel_loads_are_its_weight),
      cmocka_unit_test(test_equilibrium_says_what_is_not_at_rest),
      cmocka_unit_test(test_equilibrium_is_where_a_static_start_begins),
      cmocka_unit_test(test_equilibrium_of_pressures_is_found_from_good_and_bad_guesses),
      cmocka_unit_test(test_equilibrium_nominal_sizes_are_scales_of_errors),
      cmocka_unit_test(test_equilibrium_holds_states_that_are_to_be_held),
      cmocka_unit_test(test_equilibrium_a_free_pair_stays_with_its_first),
      cmocka_unit_test(test_equilibrium_what_rolls_to_where_nothing_holds_it_stays),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
