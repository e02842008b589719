// SPDX-License-Identifier: Apache-2.0
// The hub: rates of its coordinates and motion in its own axes are the same motion, forces on its coordinates have
// the same power as the wrench they become, and it is given up where its axes do not serve.
#include "support/sketch.h"

#define ROUNDING 1e-12

static int open_hub(sketch* k, unsigned seed) {
  random_source source;
  random_seed(&source, seed);
  sketch_open(k, fixture_load("test/models/joint_hub.yaml", NULL, 0), true);
  sketch_randomise(k, &source, 0.9);
  assert_true(k->s.nhub == 1);
  return k->s.hub[0].coordinate[0];
}

// Velocity of the hub's origin, and its angular velocity, in its own axes.
static void own_motion(sketch* k, jexpr_v3* v, jexpr_v3* w) {
  jgen* s = &k->s;
  jgen_absolute_motion(s, s->dyn, true, s->hub[0].link);
  *v = jgen_from_ground(s, s->hub[0].link, jgen_relative_of(s, 0, s->hub[0].link, true)->od);
  *w = s->dyn[s->hub[0].link].w;
}

static void put_unknowns(jexpr_ref* x, jexpr_v3 lin, jexpr_v3 ang) {
  for (int i = 0; i < 3; i++) {
    x[i] = lin.e[i];
    x[3 + i] = ang.e[i];
  }
}

static void test_hub_rates_are_those_of_its_motion(void** state) {
  (void)state;
  sketch k;
  int first = open_hub(&k, 51);
  jexpr_v3 v, w;
  jexpr_ref rate[SKETCH_MAX] = {0};
  double qd[6];
  own_motion(&k, &v, &w);
  put_unknowns(rate + first, v, w);
  jgen_hub_rates(&k.s, NULL, rate);
  sketch_eval(&k, rate + first, 6, qd);
  for (int i = 0; i < 6; i++) {
    assert_near(qd[i], k.qd[first + i], ROUNDING);
  }
  sketch_close(&k);
}

// qdd of the coordinates from true accelerations in hub axes, the bias taken off.
static void test_hub_accelerations_are_those_of_its_motion(void** state) {
  (void)state;
  sketch k;
  int first = open_hub(&k, 52);
  jgen* s = &k.s;
  const jexpr_v3* bias = jgen_hub_bias(s);
  assert_non_null(bias);
  sketch_accelerate(&k);
  jgen_absolute_motion(s, s->abs, false, s->hub[0].link);
  jexpr_ref qdd[SKETCH_MAX] = {0};
  double got[6];
  put_unknowns(qdd + first, s->abs[s->hub[0].link].a, s->abs[s->hub[0].link].al);
  jgen_hub_rates(s, bias, qdd);
  sketch_eval(&k, qdd + first, 6, got);
  for (int i = 0; i < 6; i++) {
    assert_near(got[i], k.qdd[first + i], ROUNDING);
  }
  sketch_close(&k);
}

static void test_hub_forces_have_the_power_of_the_coordinates(void** state) {
  (void)state;
  sketch k;
  int first = open_hub(&k, 53);
  jgen* s = &k.s;
  double power = 0.0;
  for (int i = 0; i < 6; i++) {
    double Q = 1.0 + 0.7 * i;
    s->applied[first + i] = jexpr_const(k.g, Q);
    power += Q * k.qd[first + i];
  }
  jgen_wrench before = s->wrench[s->hub[0].link];
  jgen_hub_forces(s);
  jexpr_v3 v, w;
  own_motion(&k, &v, &w);
  jexpr_v3 f = jexpr_v3_sub(k.g, s->wrench[s->hub[0].link].f, before.f);
  jexpr_v3 n = jexpr_v3_sub(k.g, s->wrench[s->hub[0].link].n, before.n);
  jexpr_ref same = jexpr_add(k.g, jexpr_v3_dot(k.g, f, v), jexpr_v3_dot(k.g, n, w));
  assert_near(sketch_value(&k, same), power, ROUNDING * fabs(power));
  sketch_close(&k);
}

static void test_hub_is_given_up_where_it_does_not_serve(void** state) {
  (void)state;
  static const char start[] =
      "jounce: 1\nname: h\nhardpoints: {A: [1, 0, 0], B: [2, 0, 0]}\n"
      "bodies: {car: {mass: 1, inertia: [1, 1, 1]}, arm: {mass: 1, com: [1, 0, 0], inertia: [1, 1, "
      "1]}}\n"
      "joints:\n  car: {type: free, child: car}\n"
      "  arm: {type: spherical, parent: car, child: arm, at: A}\n";
  static const struct {
    const char* closures;
    bool dependent, stays;
  } row[] = {{"", false, true},
             {"closures: {c: {type: distance, a: car.B, b: arm.B, length: 1}}\n", false, true},
             {"closures: {c: {type: distance, a: ground.B, b: arm.B, length: 1}}\n", false, false},
             {"", true, false}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char text[1024];
    snprintf(text, sizeof text, "%s%s", start, row[i].closures);
    sketch k;
    sketch_open(&k, fixture_parse("hub.yaml", text), true);
    int u[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, v[] = {0};
    // one of the hub's own coordinates is dependent
    jgen_partition part = row[i].dependent ? (jgen_partition){.nu = 8, .nv = 1, .u = u + 1, .v = v}
                                           : (jgen_partition){.nu = 9, .u = u};
    assert_int_equal(k.s.nhub, 1);
    jgen_hub_keep(&k.s, &part);
    assert_int_equal(k.s.nhub, row[i].stays);
    sketch_close(&k);
  }
}

// Accelerations by coordinate of all that hangs on hubs, or of the same tree without them.
static int accelerations(const char* text, bool hubs, unsigned seed, double* qdd) {
  random_source source;
  random_seed(&source, seed);
  sketch k;
  sketch_open(&k, fixture_parse("hub.yaml", text), hubs);
  sketch_randomise(&k, &source, 0.6);
  jgen* s = &k.s;
  jexpr_ref x[SKETCH_MAX];
  assert_ok(k.f->ctx, jgen_write_elements(s));
  jgen_hub_forces(s);
  const jexpr_v3* bias = jgen_hub_bias(s);
  assert_non_null(bias);
  sketch_articulate(&k, 1, x);
  jgen_hub_rates(s, bias, x);
  sketch_eval(&k, x, k.nq, qdd);
  int nhub = s->nhub;
  sketch_close(&k);
  return nhub;
}

// Two bodies that move freely, one of them at the end of a chain of single joints with forces on what is between.
static const char two_hubs[] =
    "jounce: 1\nname: h\nhardpoints: {A: [1, 0, 0.2], B: [2, 0.1, 0]}\n"
    "bodies:\n  p: {}\n  q: {}\n  r: {}\n  s: {}\n  u: {points: {P: [0.3, 0.2, 0.1]}}\n"
    "  car: {mass: 3, com: [0.1, 0.2, 0.3], inertia: [1, 2, 3]}\n"
    "  arm: {mass: 2, com: [1.5, 0, 0], inertia: [1, 1, 1]}\n"
    "  other: {mass: 2, com: [0.2, 0, 0], inertia: [2, 1, 1]}\n"
    "joints:\n  y: {type: prismatic, child: p, axis: y}\n"
    "  x: {type: prismatic, parent: p, child: q, axis: x}\n"
    "  z: {type: prismatic, parent: q, child: r, axis: z}\n"
    "  roll: {type: revolute, parent: r, child: s, at: %s, axis: x}\n"
    "  yaw: {type: revolute, parent: s, child: u, at: A, axis: z}\n"
    "  pitch: {type: revolute, parent: u, child: car, at: A, axis: y}\n"
    "  arm: {type: revolute, parent: car, child: arm, at: B, axis: y}\n"
    "  other: {type: free, child: other}\n"
    "forces:\n  pull: {between: [u.P, ground.B], stiffness: 30, free_length: 0.5}\n"
    "  hold: {between: [q.A, other.B], stiffness: 20, free_length: 0.7}\n"
    "  turn: {on: yaw, torque: 5}\n";

static void test_hub_at_the_end_of_single_joints(void** state) {
  (void)state;
  double with[SKETCH_MAX], without[SKETCH_MAX];
  char text[2048];
  snprintf(text, sizeof text, two_hubs, "A");
  assert_int_equal(accelerations(text, true, 54, with), 2);
  assert_int_equal(accelerations(text, false, 54, without), 0);
  for (int i = 0; i < 13; i++) {
    assert_near(with[i], without[i], 1e-10 * (1.0 + fabs(without[i])));
  }
  // turns that do not go through one point make none
  snprintf(text, sizeof text, two_hubs, "B");
  assert_int_equal(accelerations(text, true, 54, with), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hub_rates_are_those_of_its_motion),
      cmocka_unit_test(test_hub_accelerations_are_those_of_its_motion),
      cmocka_unit_test(test_hub_forces_have_the_power_of_the_coordinates),
      cmocka_unit_test(test_hub_is_given_up_where_it_does_not_serve),
      cmocka_unit_test(test_hub_at_the_end_of_single_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
