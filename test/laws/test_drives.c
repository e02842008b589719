// SPDX-License-Identifier: Apache-2.0
// Coordinates driven by velocities and by states: the same motion, forces and impulses as of those driven by the
// solution as a function of time; derivatives by all that drives are made of; what is refused, and why.
#include "support/gradient.h"
#include "support/laws.h"

// The ring of closure_driven.yaml, its left body driven otherwise.
#define RING(drive)                                                                      \
  "jounce: 1\nname: ring\ninclude: closure_driven.yaml\njoints:\n  left: {drive: " drive \
  "}\n"                                                                                  \
  "sensors: {acc: left.acc, rate: left.rate, ball: ring.force2}\n"

static void open_ring(rig* r, const char* text) {
  jplant_options opt = fixture_interpreted();
  rig_open_text(r, "test/models/ring.yaml", text, &opt);
}

static const char* const compared[] = {"acc",  "rate",     "ball",  "drive_force",   "balance",
                                       "left", "middle.a", "right", "energy.kinetic"};

static void check_same(const char* a, const char* b, double until) {
  rig one, two;
  open_ring(&one, a);
  open_ring(&two, b);
  for (int k = 0; k <= 4; k++) {
    double t = until * k / 4;
    if (k > 0) {
      rig_integrate(&one, t, 1e-11, NULL, NULL);
      rig_integrate(&two, t, 1e-11, NULL, NULL);
    }
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++) {
      double expected = rig_output(&one, compared[i]);
      assert_near(rig_output(&two, compared[i]), expected, 2e-8 * (1.0 + fabs(expected)));
    }
  }
  rig_close(&one);
  rig_close(&two);
}

static void test_velocity_is_the_position_it_integrates_to(void** state) {
  (void)state;
  check_same(RING("0.2*sin(3*t) + 0.05"), RING("{velocity: 0.6*cos(3*t), from: 0.05}"), 0.5);
}

// Through a jump of the velocity, with the impulse it takes.
static void test_velocity_that_jumps_is_an_impulse(void** state) {
  (void)state;
  static const char velocity[] =
      RING("{velocity: \"if(t < 0.4, 0.6*cos(3*t), -0.5 + 0.6*(t - 0.4))\"}");
  static const char position[] =
      RING("\"if(t < 0.4, 0.2*sin(3*t), 0.2*sin(1.2) - 0.5*(t - 0.4) + 0.3*(t - 0.4)^2)\"");
  check_same(position, velocity, 0.8);
}

static void test_position_of_states_is_their_solution(void** state) {
  (void)state;
  check_same(RING("0.2*sin(3*t) + 0.01"),
             RING("{position: 0.5*x + 0.01}") "states:\n  x: {derivative: v}\n"
                                              "  v: {derivative: -9*x, initial: 1.2}\n",
             0.5);
}

// s' = -s + t through a position: the crank itself
static void test_velocity_may_depend_on_positions(void** state) {
  (void)state;
  check_same(RING("t - 1 + 1.05*exp(-t)"), RING("{velocity: t - left, from: 0.05}"), 0.5);
}

// The rate of c is given, that of what carries it depends on where x begins: r' = 3 - 0.5 x
static void test_start_has_the_rates_of_driven_velocities_there(void** state) {
  (void)state;
  rig r;
  static const char text[] =
      "jounce: 1\nname: p\nbodies: {cart: {mass: 2}, b: {mass: 1}, c: {mass: 1}}\n"
      "joints:\n  x: {type: prismatic, child: cart, axis: z}\n"
      "  s: {type: prismatic, child: b, axis: x, drive: {velocity: 0.5*x}}\n"
      "  r: {type: prismatic, parent: b, child: c, axis: x}\n"
      "sensors: {v: c.com.vx, own: r.rate}\ninitial: {x: 1, c.com.x: {value: 2, rate: 3}}\n"
      "simulation: {end: 1}\n";
  jplant_options opt = fixture_interpreted();
  rig_open_text(&r, "start.yaml", text, &opt);
  assert_near(rig_output(&r, "own"), 2.5, 1e-14);
  assert_near(rig_output(&r, "v"), 3.0, 1e-14);
  rig_close(&r);
}

static void test_compiled_is_interpreted(void** state) {
  (void)state;
  law_backends("test/models/sens_drive.yaml");
}

// ---- derivatives -----------------------------------------------------------------------------------

static const char* const number[] = {"lag", "gain", "swing", "pull",           "start",
                                     "k",   "when", "kick",  "hardpoints.C.x", "bodies.bob.mass"};
enum { COUNT = sizeof number / sizeof *number };
static const double size_of[COUNT] = {0.08, 1.4, 0.8, 0.5, 0.1, 120, 0.2, 0.3, 0.5, 0.6};

static void test_derivatives_are_those_of_differences_by_both_methods(void** state) {
  (void)state;
  gradient g;
  gradient_open(&g, "test/models/sens_drive.yaml", NULL, 0, number, COUNT, JKERNEL_INTERP);
  gradient_law(&g, size_of, 3, 2e-6, 1e-9);
  gradient_close(&g);
}

// ---- what is refused -------------------------------------------------------------------------------

static void test_what_has_no_derivative_is_refused(void** state) {
  (void)state;
  static const struct {
    const char *drive, *more, *said[3];
  } sample[] = {
      {"{velocity: x.rate}",
       "",
       {"'s.drive': 'x.rate' is a velocity", "a driven velocity is", NULL}},
      {"{velocity: push}", "", {"'s.drive': 'push' is an input", "let a state follow", NULL}},
      {"{position: push}", "", {"'s': 'push' is an input", "let a state follow it", NULL}},
      {"{position: x}", "", {"'s' depends on coordinate 'x'", "drive its velocity", NULL}},
      {"{position: z}",
       "states: {z: {derivative: push - z}}\n",
       {"'z': 'push' is an input", "a coordinate is driven by this state", NULL}},
      {"{position: z}",
       "states: {z: {derivative: x.rate}}\n",
       {"'z': 'x.rate' is a velocity", "a coordinate is driven by this state", NULL}},
      {"{position: z}",
       "states: {z: {derivative: 1, initial: x}}\n",
       {"depends on coordinate 'x'", "its initial value is an expression of parameters", NULL}},
      {"{position: z}",
       "states: {z: {derivative: -z}}\nsimulation: {start_at: static}\n",
       {"'s' is driven by state 'z'", "hold: true", NULL}},
  };
  for (size_t i = 0; i < sizeof sample / sizeof *sample; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "jounce: 1\nname: p\ninputs: {push: 1}\nbodies: {cart: {mass: 2}, b: {mass: 1}}\n"
             "joints:\n  x: {type: prismatic, child: cart, axis: x}\n"
             "  s: {type: prismatic, child: b, axis: y, drive: %s}\n%s",
             sample[i].drive, sample[i].more);
    fixture* f = fixture_parse("test.yaml", text);
    jo_status status = jplant_create(f->ctx, f->m, NULL, &f->plant);
    assert_refused(f->ctx, status, JO_ERR_MODEL, sample[i].said[0], sample[i].said[1]);
    fixture_close(f);
  }
}

// Held where the static start is, the drive goes on from there.
static void test_static_start_holds_a_driven_velocity(void** state) {
  (void)state;
  rig r;
  static const char text[] =
      "jounce: 1\nname: p\ngravity: [0, 0, -10]\nbodies: {cart: {mass: 2}, b: {mass: 1}}\n"
      "joints:\n  x: {type: prismatic, child: cart, axis: z}\n"
      "  s: {type: prismatic, child: b, axis: y, drive: {velocity: 0.3*t, from: 0.2}}\n"
      "forces: {hold: {on: x, stiffness: 100}}\nsensors: {at: s, v: s.rate, a: s.acc}\n"
      "simulation: {start_at: static, end: 1}\n";
  jplant_options opt = fixture_interpreted();
  rig_open_text(&r, "static.yaml", text, &opt);
  assert_near(rig_output(&r, "at"), 0.2, 0.0);
  assert_near(rig_output(&r, "x"), -0.2, 1e-9);
  rig_integrate(&r, 1.0, 1e-10, NULL, NULL);
  assert_near(rig_output(&r, "at"), 0.35, 1e-9);
  assert_near(rig_output(&r, "a"), 0.3, 1e-12);
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_velocity_is_the_position_it_integrates_to),
      cmocka_unit_test(test_velocity_that_jumps_is_an_impulse),
      cmocka_unit_test(test_position_of_states_is_their_solution),
      cmocka_unit_test(test_velocity_may_depend_on_positions),
      cmocka_unit_test(test_start_has_the_rates_of_driven_velocities_there),
      cmocka_unit_test(test_compiled_is_interpreted),
      cmocka_unit_test(test_derivatives_are_those_of_differences_by_both_methods),
      cmocka_unit_test(test_what_has_no_derivative_is_refused),
      cmocka_unit_test(test_static_start_holds_a_driven_velocity),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
