// SPDX-License-Identifier: Apache-2.0
// What is chosen of a run: defaults by driver, and what is out of range.
#include "loads/options.h"

#include "support/check.h"

static const char text[] =
    "jounce: 1\n"
    "name: cart\n"
    "bodies: {cart: {mass: 2}}\n"
    "joints: {x: {type: prismatic, child: cart, axis: x}}\n"
    "simulation: {start: 1, end: 4}\n";

typedef struct fixture {
  jo_context* ctx;
  jmodel* m;
} fixture;

static int open_model(void** state) {
  fixture* f = calloc(1, sizeof *f);
  *state = f;
  assert_int_equal(jo_context_create(NULL, &f->ctx), JO_OK);
  assert_ok(f->ctx, jmodel_parse(f->ctx, text, strlen(text), "cart.yaml", NULL, 0, &f->m));
  return 0;
}

static int close_model(void** state) {
  fixture* f = *state;
  jmodel_destroy(f->m);
  jo_context_destroy(f->ctx);
  free(f);
  return 0;
}

static void test_defaults_depend_on_the_driver(void** state) {
  const fixture* f = *state;
  static const struct {
    const char *asked, *name;
    jloads_driver driver;
    double rate, tolerance;
  } expected[] = {{NULL, "subcycle", JLOADS_DRIVER_SUBCYCLE, 500.0, 1e-3},
                  {"subcycle", "subcycle", JLOADS_DRIVER_SUBCYCLE, 500.0, 1e-3},
                  {"fixed", "fixed", JLOADS_DRIVER_FIXED, 500.0, 1e-3},
                  {"impulsive", "impulsive", JLOADS_DRIVER_IMPULSIVE, 500.0, 1e-3},
                  {"adaptive", "adaptive", JLOADS_DRIVER_ADAPTIVE, 100.0, 1e-3},
                  {"converged", JLOADS_CONVERGED, JLOADS_DRIVER_ADAPTIVE, 100.0, 1e-8}};
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    jloads_choice c = jloads_choice_default();
    jloads_options o;
    c.driver = expected[i].asked;
    assert_ok(f->ctx, jloads_choose(f->ctx, f->m, &c, &o));
    assert_string_equal(c.driver, expected[i].name);
    assert_int_equal(o.solve.driver, expected[i].driver);
    assert_true(c.rate == expected[i].rate && o.solve.step == 1.0 / c.rate);
    assert_true(c.tolerance == expected[i].tolerance && o.solve.tolerance == c.tolerance);
    assert_true(c.t_end == 4.0 && o.t_end == 4.0 && o.t_start == 1.0);
    assert_true(c.slope == JLOADS_SLOPE && c.reference == JLOADS_REFERENCE);
    assert_false(o.realtime);
  }
}

static void test_what_is_chosen_is_used(void** state) {
  const fixture* f = *state;
  char driver[] = "impulsive";
  jloads_choice c = {driver, 50.0, 2.0, 1e-5, 0.5, true, 3.0, 7.0};
  jloads_options o;
  assert_ok(f->ctx, jloads_choose(f->ctx, f->m, &c, &o));
  assert_true(o.solve.step == 1.0 / 50.0 && o.t_end == 2.0 && o.solve.tolerance == 1e-5);
  assert_true(o.solve.restitution == 0.5 && o.realtime);
  // the name is no longer the caller's
  assert_true(c.driver != driver);
}

static void test_what_is_out_of_range_is_named(void** state) {
  fixture* f = *state;
  jloads_choice good = jloads_choice_default(), bad[11];
  for (int i = 0; i < 11; i++) {
    bad[i] = good;
  }
  bad[0].rate = 0.0;
  bad[1].rate = INFINITY;
  bad[2].tolerance = 1e-16;
  bad[3].slope = 0.0;
  bad[4].slope = NAN;
  bad[5].reference = -1.0;
  bad[6].t_end = 1.0;
  bad[7].driver = "magic";
  bad[8].rate = -5.0;
  bad[9].t_end = INFINITY;
  bad[10].restitution = 1.5;
  const char* const said[] = {"rate 0 ",      "rate inf",          "tolerance is 1e-16",
                              "slope 0 ",     "slope nan",         "reference -1",
                              "end time 1 s", "no driver 'magic'", "rate -5",
                              "end time inf", "restitution 1.5"};
  for (int i = 0; i < 11; i++) {
    jloads_options o;
    assert_int_equal(jloads_choose(f->ctx, f->m, &bad[i], &o), JO_ERR_ARGUMENT);
    assert_non_null(strstr(jo_context_message(f->ctx), said[i]));
    jo_context_clear(f->ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_defaults_depend_on_the_driver),
      cmocka_unit_test(test_what_is_chosen_is_used),
      cmocka_unit_test(test_what_is_out_of_range_is_named),
  };
  return cmocka_run_group_tests(tests, open_model, close_model);
}
