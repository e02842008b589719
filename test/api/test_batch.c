// SPDX-License-Identifier: Apache-2.0
// Batches as users have them: names and sizes, values of the system, numbers of points, failures, refusals.
#include "api/objects.h"

static const char* const names[] = {"k", "rod"};

static jo_batch_options two_parameters(void) {
  jo_batch_options opt = jo_batch_options_default();
  opt.parameter = names;
  opt.nparameter = 2;
  opt.method = JO_METHOD_RK4;
  opt.step_s = 2e-3;
  opt.workers = 1;
  return opt;
}

static void test_batch_tells_what_it_has(void** state) {
  (void)state;
  fixture* f = open_objects(QUARTER_CAR);
  const char* const wrt[] = {"k", "c"};
  jo_system* s = fixture_prepare(
      f, (jo_system_options){
             .use = JO_USE_DERIVATIVES, .wrt = wrt, .nwrt = 2, .method = JO_SENS_DIRECT});
  jo_batch_options opt = two_parameters();
  opt.gradient = opt.outputs = 1;
  jo_batch* b = make_batch(f, s, opt);
  const double x[] = {15e3, 1.0, 16e3, 1.0, 17e3, -1.0};
  assert_null(jo_batch_values(b));
  assert_ok(f->ctx, jo_batch_run(b, 3, x));
  jo_batch_info info = jo_batch_inspect(b);
  assert_int_equal(info.points, 3);
  assert_int_equal(info.done, 3);
  assert_int_equal(info.failed, 1);
  assert_int_equal(info.objectives, 2);
  assert_int_equal(info.wrt, 2);
  assert_true(info.lanes > 1 && !info.why_alone && info.outputs > 0);
  assert_string_equal(jo_batch_parameter_name(b, 1), "rod");
  assert_string_equal(jo_batch_objective_name(b, 0), "comfort");
  assert_string_equal(jo_batch_wrt_name(b, 1), "c");
  assert_non_null(jo_batch_output_name(b, 0));
  jo_batch_point p;
  assert_ok(f->ctx, jo_batch_point_at(b, 1, &p));
  assert_true(p.is_done && p.status == JO_OK && p.in_lanes && p.events > 0 && p.steps > 700);
  assert_true(p.value == jo_batch_values(b) + 2 && p.gradient == jo_batch_gradients(b) + 4);
  assert_true(p.output == jo_batch_outputs(b) + info.outputs);
  assert_ok(f->ctx, jo_batch_point_at(b, 2, &p));
  assert_true(p.status < 0 && strlen(p.message) > 0 && isnan(p.value[0]));
  assert_int_equal(jo_batch_point_at(b, 3, &p), JO_ERR_ARGUMENT);
  jo_batch_destroy(b);
  fixture_close(f);
}

// Numbers that do not vary are those the system was set to.
static void test_batch_has_the_values_of_its_system(void** state) {
  (void)state;
  fixture* f = open_objects(QUARTER_CAR);
  const char* name = "c";
  double value[2], c[2] = {1100.0, 1300.0};
  const double x[] = {16e3, 1.0};
  for (int i = 0; i < 2; i++) {
    assert_ok(f->ctx, jo_system_set(f->ctx, f->system, &name, &c[i], 1));
    jo_batch* b = make_batch(f, f->system, two_parameters());
    assert_ok(f->ctx, jo_batch_run(b, 1, x));
    value[i] = jo_batch_values(b)[0];
    jo_simulate_options opt = jo_simulate_options_default();
    opt.method = JO_METHOD_RK4;
    opt.step_s = 2e-3;
    jo_result* r = make_result(f, &opt);
    jo_quantity q;
    assert_ok(f->ctx, jo_result_objective_at(r, 0, &q));
    assert_near(value[i], q.value, 1e-11 * q.value);
    jo_result_destroy(r);
    jo_batch_destroy(b);
  }
  assert_true(value[0] != value[1]);
  fixture_close(f);
}

// By all numbers of the model, as derivatives of one run are.
static void test_batch_has_derivatives_by_all_numbers(void** state) {
  (void)state;
  fixture* f = open_objects(QUARTER_CAR);
  const char* const wrt[] = {"all"};
  jo_system* s = fixture_prepare(
      f, (jo_system_options){
             .use = JO_USE_DERIVATIVES, .wrt = wrt, .nwrt = 1, .method = JO_SENS_ADJOINT});
  jo_batch_options opt = two_parameters();
  opt.gradient = 1;
  jo_batch* b = make_batch(f, s, opt);
  const double x[] = {16e3, 1.0};  // those of the model
  assert_ok(f->ctx, jo_batch_run(b, 1, x));
  jo_sens_options one = jo_sens_options_default();
  one.method = JO_SENS_ADJOINT;
  one.integrator = JO_METHOD_RK4;
  one.step_s = opt.step_s;
  jo_sens_result* r = NULL;
  assert_ok(f->ctx, jo_sens_run(f->ctx, s, &one, &r));
  jo_batch_info info = jo_batch_inspect(b);
  assert_true(info.wrt > 20 && info.alone == 0);
  for (int k = 0; k < info.objectives * info.wrt; k++) {
    double slope = jo_sens_gradient(r)[k];
    double size = fabs(slope) + 1e-3 * fabs(jo_batch_values(b)[k / info.wrt]);
    assert_near(jo_batch_gradients(b)[k], slope, 1e-9 * size);
  }
  jo_sens_result_destroy(r);
  jo_batch_destroy(b);
  fixture_close(f);
}

static void test_batch_refuses_what_cannot_be(void** state) {
  (void)state;
  fixture* f = open_objects(QUARTER_CAR);
  jo_batch* b = NULL;
  const char* const twice[] = {"k", "k"};
  const char* const unknown[] = {"kk"};
  const char* const number[] = {"bodies.body.mass"};
  jo_batch_options opt = two_parameters();
  opt.parameter = twice;
  assert_refused(f->ctx, jo_batch_create(f->ctx, f->system, &opt, &b), JO_ERR_ARGUMENT, "twice");
  opt.parameter = unknown;
  opt.nparameter = 1;
  assert_true(jo_batch_create(f->ctx, f->system, &opt, &b) < 0);
  opt.parameter = number;
  jo_context_clear(f->ctx);
  assert_refused(f->ctx, jo_batch_create(f->ctx, f->system, &opt, &b), JO_ERR_ARGUMENT,
                 "cannot vary");
  opt = two_parameters();
  opt.gradient = 1;
  assert_true(jo_batch_create(f->ctx, f->system, &opt, &b) < 0);
  opt = two_parameters();
  opt.gradient_method = (jo_sens_method)7;
  assert_true(jo_batch_create(f->ctx, f->system, &opt, &b) < 0);
  opt = two_parameters();
  opt.step_s = 0.0;
  assert_true(jo_batch_create(f->ctx, f->system, &opt, &b) < 0);
  assert_null(b);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_batch_tells_what_it_has),
      cmocka_unit_test(test_batch_has_the_values_of_its_system),
      cmocka_unit_test(test_batch_has_derivatives_by_all_numbers),
      cmocka_unit_test(test_batch_refuses_what_cannot_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
