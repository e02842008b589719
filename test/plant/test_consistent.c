// SPDX-License-Identifier: Apache-2.0
// Numbers along which redundant equations stop following from the others have no derivatives.
#include "plant/consistent.h"

#include "jounce/jounce.h"
#include "sens/sens.h"
#include "support/fixture.h"

#define BEAM "test/models/parallelogram.yaml"

// Until before the cranks lie flat, a singular position through which there are no derivatives.
static const jo_setting before_flat = {"simulation.end", "0.3"};

static jo_status prepare(fixture* f, const char* name, jo_system** out) {
  jo_system_options opt = {.wrt = &name, .nwrt = 1, .interpreter = 1};
  return jo_system_create(f->ctx, f->model, &opt, out);
}

static void test_number_that_keeps_the_redundancy_has_a_derivative(void** state) {
  (void)state;
  static const char* const name[] = {"load", "bodies.left.mass", "gravity.y", "hardpoints.A.y"};
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  fixture_model(f, BEAM, &before_flat, 1);
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

static void test_number_that_breaks_the_redundancy_is_refused(void** state) {
  (void)state;
  static const char* const name[] = {"third", "shift", "hardpoints.B.x",
                                     "bodies.right.points.tip.x"};
  for (int i = 0; i < 4; i++) {
    fixture* f = fixture_open();
    jo_context* ctx = f->ctx;
    jo_system* system;
    fixture_model(f, BEAM, &before_flat, 1);
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
  fixture_model(f, BEAM, &before_flat, 1);
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
  fixture_model(f, BEAM, &before_flat, 1);
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
      cmocka_unit_test(test_number_that_breaks_the_redundancy_is_refused),
      cmocka_unit_test(test_pattern_leaves_out_what_has_no_derivative),
      cmocka_unit_test(test_pattern_leaves_them_out_at_other_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
