// SPDX-License-Identifier: Apache-2.0
// Systems whose values are set, and runs that are driven from outside: what a model with those values, and
// a run at one go, give.
#include "api/objects.h"

#define BUGGY "models/buggy/step_descent.yaml"
#define CART  "examples/cart_pole.yaml"

static fixture* open_system(const char* path, const jo_setting* set, int nset,
                            const char* variable) {
  fixture* f = fixture_open();
  fixture_model(f, path, set, nset);
  fixture_system(f, &variable, variable != NULL);
  return f;
}

// The first objective of a run.
static double objective(const fixture* f) {
  jo_result* r = NULL;
  assert_ok(f->ctx, jo_simulate(f->ctx, f->system, NULL, &r));
  double psi = run_objective(r, 0);
  jo_result_destroy(r);
  return psi;
}

// ---- values --------------------------------------------------------------------------------------

static void test_set_values_are_those_of_a_model_with_them(void** state) {
  (void)state;
  static const jo_setting set[] = {{"k_f", "12000"}, {"tyres.fl.tyre.radius", "0.27"}};
  static const char* const name[] = {"k_f", "tyres.fl.tyre.radius"};
  fixture *there = open_system(BUGGY, set, 1, NULL), *here = open_system(BUGGY, NULL, 0, NULL);
  double before = objective(here), value = 12000.0, old;
  assert_ok(here->ctx, jo_system_get(here->ctx, here->system, "k_f", &old));
  assert_ok(here->ctx, jo_system_set(here->ctx, here->system, name, &value, 1));
  assert_true(objective(here) == objective(there));
  // and back
  assert_ok(here->ctx, jo_system_set(here->ctx, here->system, name, &old, 1));
  assert_true(objective(here) == before);
  fixture_close(there);
  fixture_close(here);
}

static void test_set_a_number_that_was_named(void** state) {
  (void)state;
  static const jo_setting set[] = {{"bodies.pole.com.y", "0.1"}};
  const char* name = "bodies.pole.com.y";
  double value = 0.1;
  fixture *there = open_system(CART, set, 1, NULL), *here = open_system(CART, NULL, 0, name);
  assert_ok(here->ctx, jo_system_set(here->ctx, here->system, &name, &value, 1));
  assert_near(objective(here), objective(there), 1e-9);
  fixture_close(there);
  fixture_close(here);
}

static void test_set_refuses_and_keeps(void** state) {
  (void)state;
  fixture* f = open_system(CART, NULL, 0, NULL);
  static const char* const name[][2] = {
      {"tilt", "no_such"}, {"tilt", "bodies.cart.com.x"}, {"tilt", "m_cart"}};
  static const double value[2] = {0.7, -3.0};
  static const char* const told[] = {"no parameter or number is named 'no_such'",
                                     "'bodies.cart.com.x' is a constant of the code", "mass is -3"};
  for (int i = 0; i < 3; i++) {
    double now;
    jo_context_clear(f->ctx);
    assert_true(jo_system_set(f->ctx, f->system, name[i], value, 2) < 0);
    assert_non_null(strstr(jo_context_message(f->ctx), told[i]));
    assert_ok(f->ctx, jo_system_get(f->ctx, f->system, "tilt", &now));
    assert_true(now == 0.2);
  }
  fixture_close(f);
}

// ---- runs ----------------------------------------------------------------------------------------

static void test_run_in_pieces_is_the_run_at_one_go(void** state) {
  (void)state;
  static const struct {
    const char* path;
    double end, allowed;
  } cases[] = {{CART, 2.0, 2e-6}, {BUGGY, 1.2, 1e-5}};
  for (int k = 0; k < 2; k++) {
    fixture* f = open_system(cases[k].path, NULL, 0, NULL);
    jo_run *whole = NULL, *parts = NULL;
    assert_ok(f->ctx, jo_run_create(f->ctx, f->system, NULL, &whole));
    assert_ok(f->ctx, jo_run_create(f->ctx, f->system, NULL, &parts));
    assert_ok(f->ctx, jo_run_advance(f->ctx, whole, cases[k].end));
    for (int i = 1; i <= 40; i++) {
      assert_ok(f->ctx, jo_run_advance(f->ctx, parts, i * cases[k].end / 40.0));
    }
    assert_true(jo_run_time(whole) == jo_run_time(parts));
    for (int i = 0; i < jo_run_state_count(whole); i++) {
      double a = jo_run_state(whole)[i], b = jo_run_state(parts)[i];
      assert_near(a, b, cases[k].allowed * (1.0 + fabs(a)));
    }
    jo_run_destroy(parts);
    jo_run_destroy(whole);
    fixture_close(f);
  }
}

// The classical Runge-Kutta method outside gives what the run gives inside.
static void test_rhs_is_that_of_the_run(void** state) {
  (void)state;
  enum { STEPS = 2000, MOST = 16 };
  fixture* f = open_system(CART, NULL, 0, NULL);
  jo_simulate_options opt = jo_simulate_options_default();
  opt.tolerance = 1e-11;
  jo_run* r = NULL;
  assert_ok(f->ctx, jo_run_create(f->ctx, f->system, &opt, &r));
  int n = jo_run_state_count(r);
  assert_in_range(n, 1, MOST);
  double y[MOST], k[4][MOST], x[MOST], h = 1.0 / STEPS;
  memcpy(y, jo_run_state(r), (size_t)n * sizeof *y);
  for (int step = 0; step < STEPS; step++) {
    static const double at[4] = {0.0, 0.5, 0.5, 1.0};
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < n; i++) {
        x[i] = y[i] + (s > 0 ? h * at[s] * k[s - 1][i] : 0.0);
      }
      assert_ok(f->ctx, jo_run_rhs(f->ctx, r, (step + at[s]) * h, x, k[s]));
    }
    for (int i = 0; i < n; i++) {
      y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
    }
  }
  assert_ok(f->ctx, jo_run_advance(f->ctx, r, 1.0));
  for (int i = 0; i < n; i++) {
    assert_near(y[i], jo_run_state(r)[i], 1e-8);
  }
  jo_run_destroy(r);
  fixture_close(f);
}

static void test_inputs_act_from_when_they_are_set(void** state) {
  (void)state;
  fixture* f = open_system(CART, NULL, 0, NULL);
  jo_run* r = NULL;
  jo_quantity q;
  assert_ok(f->ctx, jo_run_create(f->ctx, f->system, NULL, &r));
  assert_int_equal(jo_run_input_count(r), 1);
  assert_int_equal(jo_run_input_find(r, "pull"), -1);
  int push = jo_run_input_find(r, "push");
  double rate[16], pushed[16];
  assert_ok(f->ctx, jo_run_rhs(f->ctx, r, 0.0, jo_run_state(r), rate));
  assert_ok(f->ctx, jo_run_set_input(f->ctx, r, push, 4.0));
  assert_int_equal(jo_run_input_at(r, push, &q), JO_OK);
  assert_string_equal(q.name, "push");
  assert_string_equal(q.unit, "N");
  assert_true(q.value == 4.0);
  assert_ok(f->ctx, jo_run_rhs(f->ctx, r, 0.0, jo_run_state(r), pushed));
  bool differs = false;
  for (int i = 0; i < jo_run_state_count(r); i++) {
    differs = differs || rate[i] != pushed[i];
  }
  assert_true(differs);
  // the system and its other runs do not know
  double value;
  assert_ok(f->ctx, jo_system_get(f->ctx, f->system, "push", &value));
  assert_true(value == 0.0);
  assert_true(jo_run_set_input(f->ctx, r, 1, 0.0) == JO_ERR_ARGUMENT);
  assert_true(jo_run_set_input(f->ctx, r, push, NAN) == JO_ERR_ARGUMENT);
  assert_true(jo_run_advance(f->ctx, r, -1.0) == JO_ERR_ARGUMENT);
  jo_run_destroy(r);
  fixture_close(f);
}

static void test_state_is_set_on_the_loops(void** state) {
  (void)state;
  fixture* f = open_system("models/mechanisms/four_bar.yaml", NULL, 0, NULL);
  jo_run* r = NULL;
  assert_ok(f->ctx, jo_run_create(f->ctx, f->system, NULL, &r));
  int n = jo_run_state_count(r);
  double y[32], closed[32];
  assert_in_range(n, 1, 32);
  assert_ok(f->ctx, jo_run_advance(f->ctx, r, 0.3));
  memcpy(y, jo_run_state(r), (size_t)n * sizeof *y);
  memcpy(closed, y, sizeof y);
  for (int i = 0; i < n; i++) {  // dependent coordinates stand behind the independent one
    if (i == 1 || i == 2) y[i] += 1e-3;
  }
  assert_ok(f->ctx, jo_run_set_state(f->ctx, r, 0.3, y));
  for (int i = 0; i < n; i++) {
    assert_near(jo_run_state(r)[i], closed[i], 1e-9);
  }
  y[0] = NAN;
  assert_true(jo_run_set_state(f->ctx, r, 0.3, y) == JO_ERR_ARGUMENT);
  jo_run_destroy(r);
  fixture_close(f);
}

// States and outputs by name; outputs are those of the state as it stands.
static void test_run_states_and_outputs_have_names(void** state) {
  (void)state;
  fixture* f = open_system(CART, NULL, 0, NULL);
  jo_run* r = make_run(f);
  assert_ok(f->ctx, jo_run_advance(f->ctx, r, 0.2));
  jo_quantity q, y;
  int n = jo_run_output_count(r), same = 0;
  double value[64];
  assert_in_range(n, 1, 64);
  assert_ok(f->ctx, jo_run_outputs(f->ctx, r, value));
  for (int i = 0; i < jo_run_state_count(r); i++) {
    assert_int_equal(jo_run_state_at(r, i, &y), JO_OK);
    assert_true(*y.name && y.value == jo_run_state(r)[i]);
    for (int k = 0; jo_run_output_at(r, k, &q) >= 0; k++) {
      if (strcmp(q.name, y.name) != 0) continue;
      assert_near(value[k], y.value, 0.0);
      same++;
    }
  }
  assert_true(same >= 2);  // coordinates are outputs, too
  assert_true(jo_run_state_at(r, jo_run_state_count(r), &y) < 0);
  assert_true(jo_run_output_at(r, n, &q) < 0);
  jo_run_destroy(r);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_set_values_are_those_of_a_model_with_them),
      cmocka_unit_test(test_set_a_number_that_was_named),
      cmocka_unit_test(test_set_refuses_and_keeps),
      cmocka_unit_test(test_run_in_pieces_is_the_run_at_one_go),
      cmocka_unit_test(test_rhs_is_that_of_the_run),
      cmocka_unit_test(test_inputs_act_from_when_they_are_set),
      cmocka_unit_test(test_state_is_set_on_the_loops),
      cmocka_unit_test(test_run_states_and_outputs_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
