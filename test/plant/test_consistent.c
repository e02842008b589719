// SPDX-License-Identifier: Apache-2.0
// Numbers along which redundant equations stop following from the others have no derivatives.
#include "plant/consistent.h"

#include "jounce/jounce.h"
#include "sens/sens.h"
#include "support/fixture.h"

#define BEAM "test/models/parallelogram.yaml"

static jo_status prepare(jo_context* ctx, const jo_model* m, const char* name, jo_sens** sens) {
  const char* const names[] = {name};
  jo_sens_setup setup = {.name = names, .nname = 1, .interpreter = 1};
  return jo_sens_create(ctx, m, &setup, sens);
}

static void test_number_that_keeps_the_redundancy_has_a_derivative(void** state) {
  (void)state;
  static const char* const name[] = {"load", "bodies.left.mass", "gravity.y", "hardpoints.A.y"};
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  fixture_model(f, BEAM, NULL, 0);
  for (int i = 0; i < 3; i++) {
    jo_sens* sens;
    jo_sens_result* r;
    assert_ok(ctx, prepare(ctx, f->model, name[i], &sens));
    assert_ok(ctx, jo_sens_run(ctx, sens, NULL, &r));
    assert_true(isfinite(jo_sens_derivative(r, 0, 0)));
    jo_sens_result_destroy(r);
    jo_sens_destroy(sens);
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
    jo_sens* sens;
    fixture_model(f, BEAM, NULL, 0);
    assert_int_equal(prepare(ctx, f->model, name[i], &sens), JO_ERR_MODEL);
    assert_null(sens);
    char text[128];
    snprintf(text, sizeof text, "nothing has a derivative by '%s': closure equation '", name[i]);
    assert_non_null(strstr(jo_context_message(ctx), text));
    fixture_close(f);
  }
}

// Asked for by a pattern they are told of, and have no number.
static void test_pattern_leaves_out_what_has_no_derivative(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  jo_sens* sens;
  jo_sens_result* r;
  fixture_model(f, BEAM, NULL, 0);
  assert_ok(ctx, prepare(ctx, f->model, "parameters", &sens));
  assert_int_equal(jo_context_diagnostic_count(ctx), 1);
  assert_ok(ctx, jo_sens_run(ctx, sens, NULL, &r));
  assert_true(isnan(jo_sens_derivative(r, 0, jo_sens_parameter_find(sens, "third"))));
  assert_true(isnan(jo_sens_derivative(r, 0, jo_sens_parameter_find(sens, "shift"))));
  assert_true(isfinite(jo_sens_derivative(r, 0, jo_sens_parameter_find(sens, "load"))));
  jo_sens_result_destroy(r);
  jo_sens_destroy(sens);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_number_that_keeps_the_redundancy_has_a_derivative),
      cmocka_unit_test(test_number_that_breaks_the_redundancy_is_refused),
      cmocka_unit_test(test_pattern_leaves_out_what_has_no_derivative),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
