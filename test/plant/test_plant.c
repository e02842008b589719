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
      cmocka_unit_test(test_drives_are_functions_of_time),
      cmocka_unit_test(test_initial_rates_are_those_of_positions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
