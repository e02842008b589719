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

// A history is the column of a result, and its last row what the output is at the end.
static void test_batch_has_histories(void** state) {
  (void)state;
  fixture* f = open_objects(QUARTER_CAR);
  const char* const column[] = {"spring.force", "hop"};
  jo_batch_options opt = two_parameters();
  opt.history = column;
  opt.nhistory = 2;
  opt.history_step_s = 0.01;
  opt.outputs = 1;
  jo_batch* b = make_batch(f, f->system, opt);
  double x[4];
  for (int k = 0; k < 2; k++) {
    assert_ok(f->ctx, jo_system_get(f->ctx, f->system, names[k], &x[k]));
    x[2 + k] = x[k];
  }
  assert_null(jo_batch_histories(b));
  assert_ok(f->ctx, jo_batch_run(b, 2, x));
  jo_batch_info info = jo_batch_inspect(b);
  jo_simulate_options plain = jo_simulate_options_default();
  plain.method = JO_METHOD_RK4;
  plain.step_s = 2e-3;
  plain.output_step_s = 0.01;
  jo_result* r = make_result(f, &plain);
  const jo_table* history = history_of(r);
  assert_int_equal(info.times, history->nrow);
  assert_int_equal(info.histories, 2);
  const double *row = history->column[0].value, *t = jo_batch_times(b);
  jo_batch_point p;
  assert_ok(f->ctx, jo_batch_point_at(b, 1, &p));
  assert_true(p.history == jo_batch_histories(b) + 2 * info.times);
  for (int k = 0; k < 2; k++) {
    int at = jo_table_column(history, column[k]), n = history->ncolumn;
    assert_true(at > 0);
    assert_string_equal(jo_batch_history_name(b, k), column[k]);
    for (int i = 0; i < info.times; i++) {
      assert_true(t[i] == row[i * n]);
      assert_near(p.history[2 * i + k], row[i * n + at], 1e-12 * (1.0 + fabs(row[i * n + at])));
    }
    for (int i = 0; i < info.outputs; i++) {
      if (strcmp(jo_batch_output_name(b, i), column[k]) != 0) continue;
      assert_true(p.output[i] == p.history[2 * (info.times - 1) + k]);
    }
  }
  assert_null(jo_batch_history_name(b, 2));
  jo_result_destroy(r);
  jo_batch_destroy(b);
  fixture_close(f);
}

// What AUTO comes to is told; points that are run by themselves are run here.
static void test_batch_tells_its_device(void** state) {
  (void)state;
  fixture* f = open_objects(QUARTER_CAR);
  jo_batch_options opt = two_parameters();
  jo_batch* b = make_batch(f, f->system, opt);
  assert_int_equal(jo_batch_inspect(b).device, JO_BATCH_CPU);
  jo_batch_destroy(b);
  opt.device = JO_BATCH_CUDA;
  bool has_cuda = jo_batch_create(f->ctx, f->system, &opt, &b) >= 0;
  if (has_cuda) assert_int_equal(jo_batch_inspect(b).device, JO_BATCH_CUDA);
  jo_batch_destroy(b);
  opt.device = JO_BATCH_AUTO;
  b = make_batch(f, f->system, opt);
  assert_int_equal(jo_batch_inspect(b).device, has_cuda ? JO_BATCH_CUDA : JO_BATCH_CPU);
  jo_batch_destroy(b);
  opt.method = JO_METHOD_AUTO;
  b = make_batch(f, f->system, opt);
  assert_non_null(jo_batch_inspect(b).why_alone);
  assert_int_equal(jo_batch_inspect(b).device, JO_BATCH_CPU);
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
    double psi = run_objective(r, 0);
    assert_near(value[i], psi, 1e-11 * psi);
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

// Initial conditions and any other numbers, named by their paths when the system is made; against derivatives of the same
// point by itself.
static void test_batch_varies_any_number(void** state) {
  (void)state;
  fixture* f = open_objects(QUARTER_CAR);
  const char* const path[] = {"initial.heave.rate", "bodies.body.mass"};
  jo_system* s = fixture_prepare(f, (jo_system_options){.use = JO_USE_DERIVATIVES,
                                                        .wrt = path,
                                                        .nwrt = 2,
                                                        .variable = path,
                                                        .nvariable = 2,
                                                        .method = JO_SENS_DIRECT});
  jo_batch_options opt = two_parameters();
  opt.parameter = path;
  opt.gradient = 1;
  jo_batch* b = make_batch(f, s, opt);
  const double x[] = {0.0, 250.0, 0.3, 260.0, -0.2, 240.0};
  assert_ok(f->ctx, jo_batch_run(b, 3, x));
  jo_sens_options alone = jo_sens_options_default();
  alone.integrator = JO_METHOD_RK4;
  alone.step_s = 2e-3;
  for (int i = 0; i < 3; i++) {
    jo_batch_point p;
    jo_sens_result* r = NULL;
    assert_ok(f->ctx, jo_batch_point_at(b, i, &p));
    assert_true(p.in_lanes && p.status == JO_OK);
    assert_ok(f->ctx, jo_system_set(f->ctx, s, path, x + 2 * i, 2));
    assert_ok(f->ctx, jo_sens_run(f->ctx, s, &alone, &r));
    for (int o = 0; o < 2; o++) {
      jo_quantity q;
      assert_ok(f->ctx, jo_sens_objective_at(r, o, &q));
      assert_near(p.value[o], q.value, 1e-11 * fabs(q.value));
      for (int k = 0; k < 2; k++) {
        double slope = jo_sens_gradient(r)[o * 2 + k];
        assert_near(p.gradient[o * 2 + k], slope, 1e-9 * fabs(slope));
        assert_true(slope != 0.0);
      }
    }
    jo_sens_result_destroy(r);
  }
  assert_true(jo_batch_values(b)[0] != jo_batch_values(b)[2]);
  jo_batch_destroy(b);
  fixture_close(f);
}

// A time series for each point: heights of a table.
static void test_batch_varies_inputs(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\n"
      "name: pushed\n"
      "bodies: {mass: {mass: 2}}\n"
      "joints: {x: {type: prismatic, child: mass, axis: x}}\n"
      "tables: {push: {x: [0, 0.1, 0.3, 0.5], y: [0, 1, 2, 0]}}\n"
      "forces: {push: {on: x, torque: push(t)}, spring: {on: x, stiffness: 50, damping: 1}}\n"
      "objectives: {way: {final: x}}\n"
      "simulation: {end: 0.5}\n";
  fixture* f = fixture_open();
  jo_model* m = NULL;
  jo_system* s = NULL;
  const char* const all[] = {"tables.push.*"};
  const char* const y[] = {"tables.push.y[0]", "tables.push.y[1]", "tables.push.y[2]",
                           "tables.push.y[3]"};
  const jo_system_options use = {.variable = all, .nvariable = 1, .interpreter = 1};
  assert_ok(f->ctx, jo_model_parse(f->ctx, text, strlen(text), "pushed.yaml", NULL, 0, &m));
  assert_ok(f->ctx, jo_system_create(f->ctx, m, &use, &s));
  jo_batch_options opt = two_parameters();
  opt.parameter = y;
  opt.nparameter = 4;
  jo_batch* b = make_batch(f, s, opt);
  const double x[] = {0, 1, 2, 0, 3, -1, 4, 1, 0, 0, 0, 7};
  assert_ok(f->ctx, jo_batch_run(b, 3, x));
  for (int i = 0; i < 3; i++) {
    jo_simulate_options plain = jo_simulate_options_default();
    jo_result* r = NULL;
    plain.method = JO_METHOD_RK4;
    plain.step_s = 2e-3;
    assert_ok(f->ctx, jo_system_set(f->ctx, s, y, x + 4 * i, 4));
    assert_ok(f->ctx, jo_simulate(f->ctx, s, &plain, &r));
    assert_near(jo_batch_values(b)[i], run_objective(r, 0), 1e-14);
    assert_true(fabs(run_objective(r, 0)) > 1e-4);
    jo_result_destroy(r);
  }
  jo_batch_destroy(b);
  jo_system_destroy(s);
  jo_model_destroy(m);
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
                 "when the system is made");
  opt = two_parameters();
  opt.gradient = 1;
  assert_true(jo_batch_create(f->ctx, f->system, &opt, &b) < 0);
  opt = two_parameters();
  opt.history = unknown;
  opt.nhistory = 1;
  jo_context_clear(f->ctx);
  assert_refused(f->ctx, jo_batch_create(f->ctx, f->system, &opt, &b), JO_ERR_ARGUMENT,
                 "no output is named 'kk'");
  opt = two_parameters();
  const jo_model* const road[] = {f->model, NULL};
  opt.road = road;
  opt.nroad = 1;
  jo_context_clear(f->ctx);
  assert_refused(f->ctx, jo_batch_create(f->ctx, f->system, &opt, &b), JO_ERR_ARGUMENT,
                 "no table in the road");
  opt.nroad = 2;
  jo_context_clear(f->ctx);
  assert_refused(f->ctx, jo_batch_create(f->ctx, f->system, &opt, &b), JO_ERR_ARGUMENT,
                 "road 1 is NULL");
  opt = two_parameters();
  opt.gradient_method = (jo_sens_method)7;
  assert_true(jo_batch_create(f->ctx, f->system, &opt, &b) < 0);
  opt = two_parameters();
  opt.step_s = 0.0;
  assert_true(jo_batch_create(f->ctx, f->system, &opt, &b) < 0);
  assert_null(b);
  fixture_close(f);
}

// Of the first run three points are repeated with shorter steps.
static void test_batch_warns_of_steps_that_are_too_long(void** state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    fixture* f = open_objects(QUARTER_CAR);
    jo_batch_options opt = two_parameters();
    opt.step_s = i == 0 ? 4e-2 : 1e-3;
    jo_batch* b = make_batch(f, f->system, opt);
    const double x[] = {15e3, 1.0, 16e3, 1.0, 17e3, 1.0, 18e3, 1.0};
    int said = jo_context_diagnostic_count(f->ctx);
    assert_ok(f->ctx, jo_batch_run(b, 4, x));
    int more = jo_context_diagnostic_count(f->ctx);
    assert_int_equal(more > said, i == 0);
    for (int k = said; k < more; k++) {
      const char* text = jo_context_diagnostic(f->ctx, k, NULL);
      assert_non_null(strstr(text, "of 3 points that were checked, of 4: "));
      assert_non_null(strstr(text, "hint: a smaller 'step' of the options"));
    }
    assert_ok(f->ctx, jo_batch_run(b, 4, x));
    assert_int_equal(jo_context_diagnostic_count(f->ctx), more);
    jo_batch_destroy(b);
    fixture_close(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_batch_tells_what_it_has),
      cmocka_unit_test(test_batch_has_histories),
      cmocka_unit_test(test_batch_tells_its_device),
      cmocka_unit_test(test_batch_has_the_values_of_its_system),
      cmocka_unit_test(test_batch_varies_any_number),
      cmocka_unit_test(test_batch_varies_inputs),
      cmocka_unit_test(test_batch_has_derivatives_by_all_numbers),
      cmocka_unit_test(test_batch_refuses_what_cannot_be),
      cmocka_unit_test(test_batch_warns_of_steps_that_are_too_long),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
