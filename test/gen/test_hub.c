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
  assert_true(k->s.hub > 0);
  return k->f->m->joint[k->s.link[k->s.hub].joint].first_coordinate;
}

// Velocity of the hub's origin, and its angular velocity, in its own axes.
static void own_motion(sketch* k, jexpr_v3* v, jexpr_v3* w) {
  jgen* s = &k->s;
  jgen_absolute_motion(s, s->dyn, true, s->hub);
  *v = jgen_from_ground(s, s->hub, jgen_relative_of(s, 0, s->hub, true)->od);
  *w = s->dyn[s->hub].w;
}

static void test_hub_rates_are_those_of_its_motion(void** state) {
  (void)state;
  sketch k;
  int first = open_hub(&k, 51);
  jexpr_v3 v, w;
  jexpr_ref rate[SKETCH_MAX] = {0};
  double qd[6];
  own_motion(&k, &v, &w);
  jgen_hub_rates(&k.s, v, w, jexpr_v3_zero(k.g), rate);
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
  jexpr_v3 bias = jgen_hub_bias(s);
  sketch_accelerate(&k);
  jgen_absolute_motion(s, s->abs, false, s->hub);
  jexpr_ref qdd[SKETCH_MAX] = {0};
  double got[6];
  jgen_hub_rates(s, s->abs[s->hub].a, s->abs[s->hub].al, bias, qdd);
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
  jgen_wrench before = s->wrench[s->hub];
  jgen_hub_forces(s);
  jexpr_v3 v, w;
  own_motion(&k, &v, &w);
  jexpr_v3 f = jexpr_v3_sub(k.g, s->wrench[s->hub].f, before.f);
  jexpr_v3 n = jexpr_v3_sub(k.g, s->wrench[s->hub].n, before.n);
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
    assert_true(k.s.hub > 0);
    jgen_hub_keep(&k.s, &part);
    assert_int_equal(k.s.hub > 0, row[i].stays);
    sketch_close(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hub_rates_are_those_of_its_motion),
      cmocka_unit_test(test_hub_accelerations_are_those_of_its_motion),
      cmocka_unit_test(test_hub_forces_have_the_power_of_the_coordinates),
      cmocka_unit_test(test_hub_is_given_up_where_it_does_not_serve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
