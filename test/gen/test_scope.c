// SPDX-License-Identifier: Apache-2.0
// Names in expressions: what they stand for, and what is said of those that stand for nothing here.
#include "support/sketch.h"

static const char text[] =
    "jounce: 1\nname: s\nparameters: {k: 3, twice: 2*k}\nhardpoints: {A: [1, 0, 0]}\n"
    "bodies: {arm: {mass: 2, com: [0.5, 0, 0], inertia: [1, 1, 1]}, b: {mass: 1}, f: {mass: 1, "
    "inertia: [1, 1, 1]}}\n"
    "joints:\n"
    "  swing: {type: revolute, child: arm, axis: y}\n"
    "  rail: {type: prismatic, child: b, axis: x}\n"
    "  ball: {type: spherical, child: f}\n"
    "tables: {curve: {x: [0, 1, 2], y: [0, 10, 30]}}\n"
    "forces: {spring: {on: rail, stiffness: k}}\n"
    "signals: {double: 2*rail, loop_a: loop_b, loop_b: loop_a, quad: 2*double}\n"
    "states: {heat: {initial: 1, derivative: -heat}}\n"
    "objectives: {cost: {integral: rail}}\n";

static void open_scope(sketch* k) {
  sketch_open(k, fixture_parse("s.yaml", text), false);
  k->q[0] = 0.6;  // swing
  k->qd[0] = 1.5;
  k->q[1] = 0.25;  // rail
  k->qd[1] = -0.5;
  k->t = 4.0;
  k->z[0] = 7.0;
}

static jexpr_ref read(sketch* k, const char* expression) {
  jmodel_scalar x = {.text = expression, .number = -1, .place = {"s.yaml", 42}};
  return jgen_scalar(&k->s, &x, "it");
}

static void test_scope_names_have_their_values(void** state) {
  (void)state;
  const double c = cos(0.6), s = sin(0.6);
  const struct {
    const char* text;
    double value;
  } row[] = {{"k", 3.0},
             {"twice + 1", 7.0},
             {"t", 4.0},
             {"rail", 0.25},
             {"rail.rate", -0.5},
             {"double", 0.5},
             {"quad", 1.0},
             {"heat", 7.0},
             {"curve(1.5)", 20.0},
             {"curve(4*rail)", 10.0},
             {"bodies.arm.mass", 2.0},
             {"hardpoints.A.x", 1.0},
             {"arm.A.x", c},
             {"arm.A.z", -s},
             {"arm.A.vx", -1.5 * s},
             {"arm.A.vz", -1.5 * c},
             {"arm.com.x", 0.5 * c},
             {"spring.force", -0.75},
             {"energy.potential", 2.0 * 9.81 * -0.5 * s}};
  sketch k;
  open_scope(&k);
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    jexpr_ref r = read(&k, row[i].text);
    if (!r) fail_msg("%s: %s", row[i].text, jo_context_message(k.f->ctx));
    double value = sketch_value(&k, r);
    if (!(fabs(value - row[i].value) < 1e-13)) fail_msg("%s is %.17g", row[i].text, value);
  }
  sketch_close(&k);
}

static void test_scope_says_what_names_do_not_stand_for(void** state) {
  (void)state;
  static const struct {
    const char *text, *told;
  } row[] = {{"2*tvice", "unknown name 'tvice'; did you mean 'twice'?"},
             {"heart", "did you mean 'heat'?"},
             {"curve + 1", "a table; write it with its argument"},
             {"curve(1, 2)", "curve"},
             {"ball", "a joint of several coordinates or none; add which"},
             {"spring", "an element; add what of it"},
             {"arm", "a body; add the point and the component"},
             {"cost", "an objective; it has no value before the end"},
             {"arm.nowhere.x", "unknown name 'arm.nowhere.x'"},
             {"arm.A.w", "unknown name 'arm.A.w'"},
             {"loop_a", "'loop_a' is defined by itself"},
             {"rail.acc", "'rail.acc' is an acceleration; it is not known here"},
             {"swing.fx", "'swing.fx' is a reaction; it is not known here"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    sketch k;
    open_scope(&k);
    assert_int_equal(read(&k, row[i].text), JEXPR_POISON);
    assert_true(jexpr_graph_status(k.g) < 0);
    const char* message = jo_context_message(k.f->ctx);
    if (!strstr(message, row[i].told)) fail_msg("%s: %s", row[i].text, message);
    sketch_close(&k);
  }
}

// With the positions alone velocities, forces and states are not known, nor coordinates before those.
static void test_scope_knows_what_its_stage_knows(void** state) {
  (void)state;
  static const struct {
    const char *text, *told;
  } row[] = {{"rail.rate", "'rail.rate' is a velocity"},
             {"arm.A.vx", "'arm.A.vx' is a velocity"},
             {"spring.force", "'spring.force' is a velocity or a force"},
             {"heat", "'heat' is a state"}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    sketch k;
    open_scope(&k);
    k.s.stage = JGEN_AT_POSITION;
    k.s.z = NULL;
    assert_int_equal(read(&k, row[i].text), JEXPR_POISON);
    const char* message = jo_context_message(k.f->ctx);
    if (!strstr(message, row[i].told)) fail_msg("%s: %s", row[i].text, message);
    assert_non_null(strstr(message, "s.yaml:42: 'it'"));
    sketch_close(&k);
  }
  sketch k;
  open_scope(&k);
  k.s.q[1] = JEXPR_POISON;
  assert_int_equal(read(&k, "rail"), JEXPR_POISON);
  assert_non_null(strstr(jo_context_message(k.f->ctx), "a coordinate, which is not known yet"));
  sketch_close(&k);
}

// Local names stand before all others, and go as they came.
static void test_scope_local_names_come_first(void** state) {
  (void)state;
  sketch k;
  open_scope(&k);
  jgen_push_local(&k.s, "k", jexpr_const(k.g, 11.0));
  jgen_push_local(&k.s, "x", jexpr_const(k.g, 0.5));
  assert_near(sketch_value(&k, read(&k, "k*x")), 5.5, 0.0);
  jgen_pop_local(&k.s, 2);
  assert_near(sketch_value(&k, read(&k, "k")), 3.0, 0.0);
  assert_near(jgen_value(&k.s, read(&k, "twice^2")), 36.0, 0.0);
  sketch_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_scope_names_have_their_values),
      cmocka_unit_test(test_scope_says_what_names_do_not_stand_for),
      cmocka_unit_test(test_scope_knows_what_its_stage_knows),
      cmocka_unit_test(test_scope_local_names_come_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
