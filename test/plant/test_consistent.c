// SPDX-License-Identifier: Apache-2.0
// Numbers along which redundant equations stop following from the others have no derivatives.
#include "plant/start/consistent.h"

#include "jounce/jounce.h"
#include "sens/sens.h"
#include "support/fixture.h"

#define BEAM "test/models/parallelogram.yaml"

static jo_status prepare(fixture* f, const char* name, jo_system** out) {
  jo_system_options opt = {.wrt = &name, .nwrt = 1, .interpreter = 1};
  return jo_system_create(f->ctx, f->model, &opt, out);
}

static void test_number_that_keeps_the_redundancy_has_a_derivative(void** state) {
  (void)state;
  static const char* const name[] = {"load", "bodies.left.mass", "gravity.y", "hardpoints.A.y"};
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  fixture_model(f, BEAM, NULL, 0);
  for (int i = 0; i < 3; i++) {
    jo_system* system;
    jo_sens_result* r;
    assert_ok(ctx, prepare(f, name[i], &system));
    assert_ok(ctx, jo_sens_run(ctx, system, NULL, &r));
    assert_true(isfinite(jo_sens_derivative(r, 0, 0)));
    jo_sens_result_destroy(r);
    jo_system_destroy(system);
  }
  fixture_close(f);
}

// The beam does not turn, so that the cranks are a pendulum: I th'' = m g cos th, through where they lie flat at 0.36 s.
static double pendulum(double load, double left, double g) {
  double I = 0.03 + (2.0 + left) * 0.0225 + load * 0.09;
  double slope = (0.3 + 0.15 * left + 0.3 * load) * g / I, y[2] = {1.2, 0.0};
  enum { STEPS = 4000 };
  const double h = 0.5 / STEPS;
  for (int i = 0; i < STEPS; i++) {
    double k[4][2];
    for (int s = 0; s < 4; s++) {
      double a = s == 0 ? 0.0 : s == 3 ? h : 0.5 * h;
      double th = y[0] + (s > 0 ? a * k[s - 1][0] : 0.0);
      k[s][0] = y[1] + (s > 0 ? a * k[s - 1][1] : 0.0);
      k[s][1] = slope * cos(th);
    }
    for (int c = 0; c < 2; c++) {
      y[c] += h / 6.0 * (k[0][c] + 2.0 * k[1][c] + 2.0 * k[2][c] + k[3][c]);
    }
  }
  return y[0];
}

static void test_derivatives_by_masses_pass_a_singular_position(void** state) {
  (void)state;
  static const char* const name[] = {"load", "bodies.left.mass", "gravity.y"};
  static const double at[] = {2.0, 1.0, -9.81};
  const double h = 1e-4;
  for (int i = 0; i < 3; i++) {
    fixture* f = fixture_open();
    jo_context* ctx = f->ctx;
    jo_system* system;
    jo_sens_result* r;
    fixture_model(f, BEAM, NULL, 0);
    assert_ok(ctx, prepare(f, name[i], &system));
    double value[2];
    for (int side = 0; side < 2; side++) {
      double v[3] = {at[0], at[1], at[2]};
      v[i] += side ? h : -h;
      value[side] = pendulum(v[0], v[1], v[2]);
    }
    double expected = (value[1] - value[0]) / (2.0 * h);
    for (int method = JO_SENS_DIRECT; method <= JO_SENS_ADJOINT; method++) {
      jo_sens_options opt = jo_sens_options_default();
      opt.method = (jo_sens_method)method;
      assert_ok(ctx, jo_sens_run(ctx, system, &opt, &r));
      assert_near(jo_sens_derivative(r, 0, 0), expected, 1e-7 * fabs(expected));
      jo_sens_result_destroy(r);
    }
    jo_system_destroy(system);
    fixture_close(f);
  }
}

static void test_number_that_breaks_the_redundancy_is_refused(void** state) {
  (void)state;
  static const char* const name[] = {"third", "shift", "hardpoints.B.x",
                                     "bodies.right.points.tip.x"};
  for (int i = 0; i < 4; i++) {
    fixture* f = fixture_open();
    jo_context* ctx = f->ctx;
    jo_system* system;
    fixture_model(f, BEAM, NULL, 0);
    assert_int_equal(prepare(f, name[i], &system), JO_ERR_MODEL);
    assert_null(system);
    char text[128];
    snprintf(text, sizeof text, "nothing has a derivative with respect to '%s': closure equation '",
             name[i]);
    assert_non_null(strstr(jo_context_message(ctx), text));
    fixture_close(f);
  }
}

// Asked for by a pattern they are told of, and have no number.
static void test_pattern_leaves_out_what_has_no_derivative(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  jo_system* system;
  jo_sens_result* r;
  fixture_model(f, BEAM, NULL, 0);
  assert_ok(ctx, prepare(f, "parameters", &system));
  assert_int_equal(jo_context_diagnostic_count(ctx), 1);
  assert_ok(ctx, jo_sens_run(ctx, system, NULL, &r));
  assert_true(isnan(jo_sens_derivative(r, 0, jo_sens_parameter_find(system, "third"))));
  assert_true(isnan(jo_sens_derivative(r, 0, jo_sens_parameter_find(system, "shift"))));
  assert_true(isfinite(jo_sens_derivative(r, 0, jo_sens_parameter_find(system, "load"))));
  jo_sens_result_destroy(r);
  jo_system_destroy(system);
  fixture_close(f);
}

// Also where the system was set to other values.
static void test_pattern_leaves_them_out_at_other_values(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  jo_system* system;
  jo_sens_result* r;
  const char* name = "load";
  const double value = 1.25;
  fixture_model(f, BEAM, NULL, 0);
  assert_ok(ctx, prepare(f, "parameters", &system));
  assert_ok(ctx, jo_system_set(ctx, system, &name, &value, 1));
  assert_ok(ctx, jo_sens_run(ctx, system, NULL, &r));
  assert_true(isnan(jo_sens_derivative(r, 0, jo_sens_parameter_find(system, "third"))));
  assert_true(isfinite(jo_sens_derivative(r, 0, jo_sens_parameter_find(system, "load"))));
  jo_sens_result_destroy(r);
  jo_system_destroy(system);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_number_that_keeps_the_redundancy_has_a_derivative),
      cmocka_unit_test(test_derivatives_by_masses_pass_a_singular_position),
      cmocka_unit_test(test_number_that_breaks_the_redundancy_is_refused),
      cmocka_unit_test(test_pattern_leaves_out_what_has_no_derivative),
      cmocka_unit_test(test_pattern_leaves_them_out_at_other_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
