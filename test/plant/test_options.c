// SPDX-License-Identifier: Apache-2.0
// Options of runs: what is given, the model's simulation block for the rest, and what is refused.
#include "plant/options.h"

#include "support/fixture.h"

static const char model[] =
    "jounce: 1\n"
    "name: slide\n"
    "bodies:\n"
    "  cart: {mass: 2}\n"
    "joints:\n"
    "  slide: {type: prismatic, parent: ground, child: cart, axis: [1, 0, 0]}\n"
    "simulation: {start: 1, end: 3, method: rk4, step: 0.01, rel_tol: 1.0e-5, abs_tol: 1.0e-6, "
    "output_step: 0.2,\n"
    "  max_step: 0.5, max_steps: 1000}\n";

static int open_model(void** state) {
  *state = fixture_parse("slide.yaml", model);
  return 0;
}

static int close_model(void** state) {
  fixture_close(*state);
  return 0;
}

static void test_options_are_the_models_where_none_are_given(void** state) {
  const fixture* f = *state;
  jplant_simulate_options opt = jplant_simulate_options_default();
  jplant_simulate_used u;
  jsolve_options s;
  assert_ok(f->ctx, jplant_options_choose(f->ctx, f->m, &opt, true, &u, &s));
  assert_string_equal(u.method, "rk4");
  assert_true(u.is_fixed_step && u.t_start == 1.0 && u.t_end == 3.0 && u.output_step == 0.2);
  assert_true(s.method == JSOLVE_RK4 && s.step == 0.01 && s.max_step == 0.5 && s.max_steps == 1000);
  assert_true(s.rel_tol == 1e-5 && s.abs_tol == 1e-6);
}

static void test_options_that_are_given_take_their_place(void** state) {
  const fixture* f = *state;
  jplant_simulate_options opt = {.method = JO_METHOD_DOPRI5,
                                 .t_end = 2.0,
                                 .rel_tol = 1e-3,
                                 .abs_tol = 1e-4,
                                 .step = 0.0,
                                 .output_step = 0.0,
                                 .max_step = 0.0,
                                 .max_events = 7};
  jplant_simulate_used u;
  jsolve_options s;
  assert_ok(f->ctx, jplant_options_choose(f->ctx, f->m, &opt, false, &u, &s));
  assert_string_equal(u.method, "dopri5");
  assert_true(!u.is_fixed_step && u.t_end == 2.0 && u.step == 0.0 && u.output_step == 0.0);
  assert_true(s.method == JSOLVE_DOPRI5 && s.step == 0.0 && s.max_step == 0.0);
  assert_true(s.rel_tol == 1e-3 && s.abs_tol == 1e-4 && s.max_events == 7);
}

static void test_options_that_cannot_be_are_named(void** state) {
  const fixture* f = *state;
  jplant_simulate_options bad[8];
  for (int i = 0; i < 8; i++) {
    bad[i] = jplant_simulate_options_default();
  }
  bad[0].t_end = 1.0;
  bad[1].t_end = INFINITY;
  bad[2].rel_tol = 0.2;
  bad[3].abs_tol = 0.0;
  bad[4].step = 0.0;
  bad[5].max_step = -1.0;
  bad[6].method = (jo_method)77;
  bad[7].step = 1e-3;
  const char* const said[] = {"end time 1 s",
                              "end time inf",
                              "tolerance is 0.2",
                              "abs_tol is 0",
                              "step 0 s: method rk4 needs",
                              "max_step is -1",
                              "no method '77'",
                              "more than the limit of 1000"};
  for (int i = 0; i < 8; i++) {
    jplant_simulate_used u;
    jsolve_options s;
    jo_context_clear(f->ctx);
    assert_int_equal(jplant_options_choose(f->ctx, f->m, &bad[i], false, &u, &s),
                     i == 7 ? JO_ERR_LIMIT : JO_ERR_ARGUMENT);
    assert_non_null(strstr(jo_context_message(f->ctx), said[i]));
  }
}

// Values may be had of any method, derivatives of Runge-Kutta methods alone.
static void test_options_of_derivatives_need_a_tableau(void** state) {
  const fixture* f = *state;
  jplant_simulate_options opt = jplant_simulate_options_default();
  jplant_simulate_used u;
  jsolve_options s;
  opt.method = JO_METHOD_BDF;
  assert_ok(f->ctx, jplant_options_choose(f->ctx, f->m, &opt, false, &u, &s));
  assert_int_equal(jplant_options_choose(f->ctx, f->m, &opt, true, &u, &s), JO_ERR_ARGUMENT);
  assert_non_null(strstr(jo_context_message(f->ctx), "method bdf: derivatives need auto"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_options_are_the_models_where_none_are_given),
      cmocka_unit_test(test_options_that_are_given_take_their_place),
      cmocka_unit_test(test_options_of_derivatives_need_a_tableau),
      cmocka_unit_test(test_options_that_cannot_be_are_named),
  };
  return cmocka_run_group_tests(tests, open_model, close_model);
}
