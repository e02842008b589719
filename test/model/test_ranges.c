// SPDX-License-Identifier: Apache-2.0
// Values are judged alike whether the file, a parameter or other values of its numbers give them.
#include <math.h>
#include <string.h>

#include "model/model.h"
#include "support/check.h"

static const char text[] =
    "jounce: 1\n"
    "parameters: {m: 2, spare: m - 1, k: 5}\n"
    "signals: {soft: k / 2, late: k + t}\n"
    "bodies: {a: {mass: m, inertia: [1, 1, m]}, b: {mass: spare}}\n"
    "joints: {a: {type: free, child: a}, b: {type: revolute, parent: a, child: b, axis: x}}\n"
    "forces:\n"
    "  one: {on: b, damping: soft}\n"
    "  two: {on: b, damping: late}\n";

typedef struct fixture {
  jo_context* ctx;
  jmodel* m;
  double number[64];
} fixture;

static fixture begin(void) {
  fixture f = {0};
  assert_int_equal(jo_context_create(NULL, &f.ctx), JO_OK);
  assert_ok(f.ctx, jmodel_parse(f.ctx, text, strlen(text), "m.yaml", NULL, 0, &f.m));
  assert_true(f.m->nnumber < 64);
  for (int i = 0; i < f.m->nnumber; i++) {
    f.number[i] = f.m->number[i].value;
  }
  return f;
}

static void end(fixture* f) {
  jmodel_destroy(f->m);
  jo_context_destroy(f->ctx);
}

static void assert_refused(const char* name, double value, const char* message) {
  fixture f = begin();
  f.number[jmodel_find_number(f.m, name)] = value;
  assert_int_equal(jmodel_check_values(f.ctx, f.m, f.number), JO_ERR_MODEL);
  assert_string_equal(jo_context_message(f.ctx), message);
  assert_int_equal(jo_context_diagnostic_count(f.ctx), 1);
  end(&f);
}

static void test_numbers_of_the_file_are_good(void** state) {
  (void)state;
  fixture f = begin();
  assert_ok(f.ctx, jmodel_check_values(f.ctx, f.m, f.number));
  assert_int_equal(jo_context_diagnostic_count(f.ctx), 0);
  end(&f);
}

static void test_other_numbers_are_judged_through_expressions(void** state) {
  (void)state;
  assert_refused("m", -1.0, "m.yaml:4: body 'a': mass is -1 (from m = -1); it must be at least 0");
  assert_refused("m", 0.5,
                 "m.yaml:4: body 'b': mass is -0.5 (from spare = -0.5); it must be at least 0");
  assert_refused(
      "bodies.a.inertia.xx", -3.0,
      "m.yaml:4: body 'a': the inertia tensor is not positive semidefinite (from m = 2); "
      "check the signs");
  assert_refused("m", (double)INFINITY,
                 "m.yaml:2: parameter 'm': value is infinite; it must be finite");
}

static void test_settings_are_judged_through_expressions(void** state) {
  (void)state;
  const jmodel_setting set = {"m", "-3"};
  jo_context* ctx;
  jmodel* m;
  assert_int_equal(jo_context_create(NULL, &ctx), JO_OK);
  assert_int_equal(jmodel_parse(ctx, text, strlen(text), "m.yaml", &set, 1, &m), JO_ERR_MODEL);
  assert_string_equal(jo_context_message(ctx),
                      "m.yaml:4: body 'a': mass is -3 (from m = -3); it must be at least 0");
  jo_context_destroy(ctx);
}

static void test_mass_must_not_vanish(void** state) {
  (void)state;
  assert_refused("m", 1.0,
                 "m.yaml:4: body 'b': it moves in joint 'b' but neither it nor what it carries has "
                 "mass (from spare = 0); give it a mass");
}

// `soft` follows from k alone, `late` from the time: that one cannot be judged.
static void test_signals_are_followed_as_far_as_numbers_go(void** state) {
  (void)state;
  assert_refused("k", -1.0, "m.yaml:7: force 'one': damping is -0.5; it must be at least 0");
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
