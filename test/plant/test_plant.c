// SPDX-License-Identifier: Apache-2.0
// Plants: what is wrong with a model only numbers show, and messages that speak of the model.
#include <string.h>

#include "plant/plant.h"
#include "support/fixture.h"

// A load that is not a number from t = 0.5 s on: the message names the rate it spoils.
static void test_messages_name_states(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\nname: p\n"
      "bodies: {bob: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {rail: {type: prismatic, parent: ground, child: bob, axis: x}}\n"
      "forces: {push: {on: rail, torque: \"sqrt(0.5 - t)\"}}\n";
  fixture* f = fixture_parse("test.yaml", text);
  fixture_build(f, NULL);
  jsolve_options opt = jsolve_options_default();
  double y[2] = {0.0, 0.0}, t;
  jo_status status = jsolve_integrate(f->ctx, &f->run->system, &opt, NULL, 0.0, 1.0, y, &t, NULL);
  assert_refused(f->ctx, status, JO_ERR_NUMERIC, "'rail.rate' or its derivative is not finite");
  fixture_close(f);
}

// A small and a large parallelogram in one model: what an equation may be off by goes with its own largest entry of dh/dq, by
// the turn of the left crank: heights of the beam, and distances of its points from the left crank.
static void test_equations_are_judged_by_their_own_levers(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\nname: p\n"
      "templates:\n"
      "  ring:\n"
      "    parameters: {s: 1}\n"
      "    hardpoints: {A: [0, 0, 0], B: [0.5*s, 0, 0], C: [s, 0, 0], P: [0.1*s, 0.2*s, 0], "
      "Q: [0.6*s, 0.2*s, 0], R: [1.1*s, 0.2*s, 0]}\n"
      "    bodies:\n"
      "      left: {mass: 1, inertia: [1, 1, 1]}\n      middle: {mass: 1, inertia: [1, 1, 1]}\n"
      "      right: {mass: 1, inertia: [1, 1, 1]}\n      beam: {mass: 1, inertia: [1, 1, 1]}\n"
      "    joints:\n"
      "      left: {type: revolute, child: left, at: A, axis: z}\n"
      "      middle: {type: revolute, child: middle, at: B, axis: z}\n"
      "      right: {type: revolute, child: right, at: C, axis: z}\n"
      "      beam: {type: revolute, parent: left, child: beam, at: P, axis: z}\n"
      "    closures:\n"
      "      m: {type: ball, a: beam.Q, b: middle.Q}\n      r: {type: ball, a: beam.R, b: "
      "right.R}\n"
      "instances:\n"
      "  small: {template: ring}\n  large: {template: ring, parameters: {s: 1000}}\n";
  static const struct {
    const char* row;
    double lever;
  } expected[] = {
      {"small.m.1", 0.2},   {"small.m.2", 0.6},   {"small.r.1", 0.2},   {"small.r.2", 1.1},
      {"large.m.1", 200.0}, {"large.m.2", 600.0}, {"large.r.1", 200.0}, {"large.r.2", 1100.0},
  };
  fixture* f = fixture_parse("test.yaml", text);
  assert_ok(f->ctx, jplant_create(f->ctx, f->m, NULL, &f->plant));
  const jplant* p = f->plant;
  int seen = 0;
  for (int i = 0; i < p->position->nh; i++) {
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
      if (strcmp(p->position->row_name[i], expected[k].row) != 0) continue;
      assert_near(p->row_limit[i] / expected[k].lever, 1e-6, 1e-8);
      seen++;
    }
  }
  assert_int_equal(seen, 8);
  fixture_close(f);
}

// A driven coordinate is differentiated for time, along states too; what depends on more is refused.
static void test_drives_are_functions_of_time(void** state) {
  (void)state;
  static const struct {
    const char *drive, *expected;
  } sample[] = {
      {"sin(t) + c*t", NULL},
      {"tab(t)", NULL},
      {"2*x", "'s' depends on coordinate 'x'"},
      {"follow", "'s' depends on coordinate 'x'"},
      {"seen", "'s' depends on coordinate 'x'"},
      {"tab(x)", "'s' depends on coordinate 'x'"},
      {"cart.com.x", "'s' depends on coordinate 'x'"},
      {"pull.length", "'s' depends on coordinate 'x'"},
      {"other", "'s' depends on coordinate 'other'"},
      {"x.rate", "'s': 'x.rate' is a velocity"},
      {"x.acc", "'s': 'x.acc' is an acceleration"},
      {"z", NULL},
  };
  for (size_t i = 0; i < sizeof sample / sizeof *sample; i++) {
    char text[1024];
    snprintf(text, sizeof text,
             "jounce: 1\nname: p\nparameters: {c: 2}\n"
             "bodies: {cart: {mass: 2}, b: {mass: 1}, e: {mass: 1}}\n"
             "joints:\n"
             "  x: {type: prismatic, child: cart, axis: x}\n"
             "  s: {type: prismatic, child: b, axis: y, drive: \"%s\"}\n"
             "  other: {type: prismatic, child: e, axis: z, drive: 3*t}\n"
             "signals: {follow: 3*x}\nsensors: {seen: {value: 1 + x}}\n"
             "states: {z: {derivative: 1}}\ntables: {tab: {x: [0, 1], y: [0, 1]}}\n"
             "forces: {pull: {between: [cart.com, e.com], stiffness: 1, free_length: 1}}\n",
             sample[i].drive);
    fixture* f = fixture_parse("test.yaml", text);
    jo_status status = jplant_create(f->ctx, f->m, NULL, &f->plant);
    if (sample[i].expected) {
      assert_refused(f->ctx, status, JO_ERR_MODEL, "test.yaml:7: ", sample[i].expected,
                     "a driven coordinate is a function of time, parameters and states");
      assert_int_equal(jo_context_diagnostic_count(f->ctx), 1);
    } else {
      assert_ok(f->ctx, status);
    }
    fixture_close(f);
  }
}

// The rate of a quantity is that of its positions; time in it would be left out.
static void test_initial_rates_are_those_of_positions(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\nname: p\nbodies: {cart: {mass: 2}}\n"
      "joints: {x: {type: prismatic, child: cart, axis: x}}\n"
      "initial: {x - 2*t: {value: 1, rate: 2}}\n";
  fixture* f = fixture_parse("test.yaml", text);
  assert_refused(f->ctx, jplant_create(f->ctx, f->m, NULL, &f->plant), JO_ERR_MODEL,
                 "test.yaml:5: 'x - 2*t' depends on time 't'");
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_messages_name_states),
      cmocka_unit_test(test_equations_are_judged_by_their_own_levers),
      cmocka_unit_test(test_drives_are_functions_of_time),
      cmocka_unit_test(test_initial_rates_are_those_of_positions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
