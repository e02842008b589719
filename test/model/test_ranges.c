// SPDX-License-Identifier: Apache-2.0
// Values are judged alike whether the file, a parameter or other values of its numbers give them.
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "support/fixture.h"

enum { NUMBERS = 64 };

static const char text[] =
    "jounce: 1\n"
    "parameters: {m: 2, spare: m - 1, k: 5}\n"
    "signals: {soft: k / 2, late: k + t}\n"
    "bodies: {a: {mass: m, inertia: [1, 1, m]}, b: {mass: spare}}\n"
    "joints: {a: {type: free, child: a}, b: {type: revolute, parent: a, child: b, axis: x}}\n"
    "forces:\n"
    "  one: {on: b, damping: soft}\n"
    "  two: {on: b, damping: late}\n";

// The model, and the values of its numbers.
static fixture* begin(double* number) {
  fixture* f = fixture_parse("m.yaml", text);
  assert_true(f->m->nnumber < NUMBERS);
  for (int i = 0; i < f->m->nnumber; i++) {
    number[i] = f->m->number[i].value;
  }
  return f;
}

static void check_value(const char* name, double value, const char* message) {
  double number[NUMBERS];
  fixture* f = begin(number);
  number[jmodel_find_number(f->m, name)] = value;
  assert_int_equal(jmodel_check_values(f->ctx, f->m, number), JO_ERR_MODEL);
  assert_string_equal(jo_context_message(f->ctx), message);
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 1);
  fixture_close(f);
}

static void test_numbers_of_the_file_are_good(void** state) {
  (void)state;
  double number[NUMBERS];
  fixture* f = begin(number);
  assert_ok(f->ctx, jmodel_check_values(f->ctx, f->m, number));
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
  fixture_close(f);
}

static void test_other_numbers_are_judged_through_expressions(void** state) {
  (void)state;
  check_value("m", -1.0, "m.yaml:4: body 'a': mass is -1 (from m = -1); it must be at least 0");
  check_value("m", 0.5,
              "m.yaml:4: body 'b': mass is -0.5 (from spare = -0.5); it must be at least 0");
  check_value("bodies.a.inertia.xx", -3.0,
              "m.yaml:4: body 'a': the inertia tensor is not positive semidefinite (from m = 2); "
              "check the signs");
  check_value("m", (double)INFINITY,
              "m.yaml:2: parameter 'm': value is infinite; it must be finite");
}

static void test_settings_are_judged_through_expressions(void** state) {
  (void)state;
  const jmodel_setting set = {"m", "-3"};
  jmodel* m;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  assert_int_equal(jmodel_parse(ctx, text, strlen(text), "m.yaml", &set, 1, &m), JO_ERR_MODEL);
  assert_string_equal(jo_context_message(ctx),
                      "m.yaml:4: body 'a': mass is -3 (from m = -3); it must be at least 0");
  fixture_close(f);
}

static void test_mass_must_not_vanish(void** state) {
  (void)state;
  check_value("m", 1.0,
              "m.yaml:4: body 'b': it moves in joint 'b' but neither it nor what it carries has "
              "mass (from spare = 0); give it a mass");
}

// `soft` follows from k alone, `late` from the time: that one cannot be judged.
static void test_signals_are_followed_as_far_as_numbers_go(void** state) {
  (void)state;
  check_value("k", -1.0, "m.yaml:7: force 'one': damping is -0.5; it must be at least 0");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_numbers_of_the_file_are_good),
      cmocka_unit_test(test_other_numbers_are_judged_through_expressions),
      cmocka_unit_test(test_settings_are_judged_through_expressions),
      cmocka_unit_test(test_mass_must_not_vanish),
      cmocka_unit_test(test_signals_are_followed_as_far_as_numbers_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
