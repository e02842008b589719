// SPDX-License-Identifier: Apache-2.0
// Results: statistics are those of what was asked for, rows and events stand in order, and values at the end are
// the last row's; derivatives and sweeps have the same values.
#include "api/objects.h"

static void test_result_statistics_are_those_of_the_options(void** state) {
  (void)state;
  fixture* f = open_objects(QUARTER_CAR);
  jo_simulate_options opt = jo_simulate_options_default();
  opt.t_end_s = 0.6;
  opt.method = JO_METHOD_RK4;
  opt.step_s = 1e-3;
  opt.output_step_s = 0.1;
  jo_result* r = make_result(f, &opt);
  jo_statistics s = jo_result_statistics(r);
  assert_true(s.is_complete && s.is_fixed_step && s.t_start == 0.0 && s.t_end == 0.6 &&
              s.t_reached == 0.6);
  assert_string_equal(s.method, "rk4");
  assert_near(s.step, 1e-3, 0.0);
  assert_near(s.output_step, 0.1, 0.0);
  // 600 of the grid, and those that events cut
  assert_in_range(s.steps, 600, 600 + jo_result_event_count(r));
  assert_true(s.evaluations >= 4 * 600 && s.rejected == 0);
  assert_near(s.closure_residual, 0.0, 1e-12);
  jo_result_destroy(r);
  fixture_close(f);
}

static void test_result_rows_and_events_stand_in_order(void** state) {
  (void)state;
  fixture* f = open_objects(QUARTER_CAR);
  jo_result* r = make_result(f, NULL);
  int rows = jo_result_row_count(r), events = jo_result_event_count(r);
  assert_true(rows > 100 && events >= 1);
  const double* row = jo_result_rows(r);
  int width = jo_result_column_count(r);
  for (int i = 1; i < rows; i++) {
    assert_true(row[i * width] > row[(i - 1) * width]);
  }
  double last = 0.0;
  bool stepped = false;
  jo_event e;
  for (int i = 0; i < events; i++) {
    assert_int_equal(jo_result_event_at(r, i, &e), JO_OK);
    assert_true(e.t >= last && *e.name);
    stepped = stepped || e.t == 0.2;  // the step of the road, to the bit
    last = e.t;
  }
  assert_true(stepped);
  assert_true(jo_result_event_at(r, events, &e) < 0);
  jo_result_destroy(r);
  fixture_close(f);
}

// Outputs begin with the sensors of the file and have their values at the end: those of the last row.
static void test_result_outputs_are_those_of_the_last_row(void** state) {
  fixture* f = *state;
  static const char text[] =
      "jounce: 1\nname: s\nbodies: {b: {mass: 2}}\njoints: {x: {type: prismatic, child: b, axis: "
      "x}}\n"
      "forces: {s: {on: x, stiffness: 8}}\ninitial: {x: 0.5}\nsensors: {twice: {value: 2*x, unit: "
      "m}}\n"
      "objectives: {end: {final: x}, all: {integral: x.rate}}\nsimulation: {end: 1, tolerance: "
      "1.0e-10}\n";
  assert_ok(f->ctx, jo_model_parse(f->ctx, text, strlen(text), "s.yaml", NULL, 0, &f->model));
  fixture_system(f, NULL, 0);
  jo_result* r = make_result(f, NULL);
  jo_quantity q;
  assert_int_equal(jo_result_sensor_count(r), 1);
  assert_int_equal(jo_result_output_at(r, 0, &q), JO_OK);
  assert_string_equal(q.name, "twice");
  assert_string_equal(q.unit, "m");
  assert_near(q.value, 2.0 * 0.5 * cos(2.0), 1e-8);
  const double* last = jo_result_rows(r) + (jo_result_row_count(r) - 1) * jo_result_column_count(r);
  bool found = false;
  for (int i = 0; i < jo_result_column_count(r); i++) {
    found = found || last[i] == q.value;
  }
  assert_true(found);
  assert_int_equal(jo_result_objective_count(r), 2);
  assert_int_equal(jo_result_objective_at(r, 1, &q), JO_OK);
  assert_near(q.value, 0.5 * cos(2.0) - 0.5, 1e-8);
  assert_true(jo_result_objective_at(r, 2, &q) < 0);
  jo_result_destroy(r);
}

// ---- derivatives ---------------------------------------------------------------------------------

static void test_sens_lists_and_errors_belong_together(void** state) {
  (void)state;
  static const char* const name[] = {"k", "c", "bodies.body.mass"};
  fixture* f = open_objects(QUARTER_CAR);
  const jo_system_options use = {.wrt = name, .nwrt = 3, .interpreter = 1};
  jo_system* s = make_system(f, &use);
  jo_sens_result* r = make_sens_result(f, s);
  jo_result* run = make_result(f, NULL);
  jo_sens_parameter p;
  for (int k = 0; k < 3; k++) {
    assert_int_equal(jo_sens_parameter_at(s, k, &p), JO_OK);
    assert_string_equal(p.name, name[k]);
    assert_int_equal(jo_sens_parameter_find(s, name[k]), k);
  }
  assert_near(p.value, 250.0, 0.0);
  assert_true(jo_sens_parameter_at(s, 3, &p) < 0);
  int n = jo_sens_objective_count(r);
  assert_int_equal(n, jo_result_objective_count(run));
  for (int o = 0; o < n; o++) {
    jo_quantity here, there;
    assert_int_equal(jo_sens_objective_at(r, o, &here), JO_OK);
    assert_int_equal(jo_result_objective_at(run, o, &there), JO_OK);
    assert_string_equal(here.name, there.name);
    assert_near(here.value, there.value,
                10.0 * jo_sens_objective_error(r, o) + 1e-6 * fabs(there.value));
    assert_true(jo_sens_objective_error(r, o) >= 0.0);
    for (int k = 0; k < 3; k++) {
      double d = jo_sens_derivative(r, o, k);
      assert_true(isfinite(d) && jo_sens_derivative_error(r, o, k) < 0.01 * fabs(d));
    }
  }
  assert_true(isnan(jo_sens_objective_error(r, n)) && isnan(jo_sens_derivative_error(r, 0, 3)));
  assert_string_equal(jo_sens_method_name(JO_SENS_DIRECT), "direct");
  assert_string_equal(jo_sens_method_name(JO_SENS_ADJOINT), "adjoint");
  jo_result_destroy(run);
  jo_sens_result_destroy(r);
  jo_system_destroy(s);
  fixture_close(f);
}

// Points of a sweep are runs with those numbers.
static void test_sweep_points_are_runs(void** state) {
  (void)state;
  static const jo_range range[] = {{.name = "k", .from = 15000.0, .to = 17000.0, .n = 3},
                                   {.name = "step", .from = 0.05, .to = 0.06, .n = 2}};
  static const char* const wrt[] = {"c"};
  fixture* f = open_objects(QUARTER_CAR);
  jo_sweep_options opt = jo_sweep_options_default();
  opt.range = range;
  opt.nrange = 2;
  opt.t_end_s = 0.5;
  const jo_system_options use = {.wrt = wrt, .nwrt = 1, .interpreter = 1};
  jo_system* system = make_system(f, &use);
  jo_sweep* s = make_sweep(f, system, opt);
  assert_ok(f->ctx, jo_sweep_run(s));
  jo_sweep_info i = jo_sweep_inspect(s);
  assert_true(i.points == 6 && i.done == 6 && i.failed == 0 && i.parameters == 2 && i.wrt == 1 &&
              !i.is_sample);
  assert_string_equal(jo_sweep_parameter_name(s, 0), "k");
  assert_string_equal(jo_sweep_parameter_name(s, 1), "step");
  assert_string_equal(jo_sweep_wrt_name(s, 0), "c");
  assert_string_equal(jo_sweep_objective_name(s, 0), "comfort");
  assert_int_equal(i.objectives, 2);
  jo_simulate_options run = jo_simulate_options_default();
  run.t_end_s = 0.5;
  for (int k = 0; k < i.points; k += 5) {
    static const char* const name[] = {"k", "step"};
    jo_sweep_point p;
    jo_quantity q;
    assert_int_equal(jo_sweep_point_at(s, k, &p), JO_OK);
    assert_true(p.is_done && p.status >= 0 && !*p.message && isfinite(p.gradient[0]));
    // all numbers at once
    assert_int_equal(jo_sweep_column_count(s), 2 * (1 + 2));
    assert_ptr_equal(p.parameter, jo_sweep_parameters(s) + 2 * k);
    assert_ptr_equal(p.value, jo_sweep_rows(s) + 6 * k);
    assert_ptr_equal(p.gradient, jo_sweep_rows(s) + 6 * k + 2);
    assert_ptr_equal(p.gradient_error, jo_sweep_rows(s) + 6 * k + 4);
    assert_ok(f->ctx, jo_system_set(f->ctx, f->system, name, p.parameter, 2));
    jo_result* r = make_result(f, &run);
    assert_int_equal(jo_result_objective_at(r, 0, &q), JO_OK);
    // initial positions are assembled once and for all here, and for every point there
    assert_near(p.value[0], q.value, 1e-6 * fabs(q.value));
    jo_result_destroy(r);
  }
  jo_sweep_destroy(s);
  jo_system_destroy(system);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_result_statistics_are_those_of_the_options),
      cmocka_unit_test(test_result_rows_and_events_stand_in_order),
      fixture_test(test_result_outputs_are_those_of_the_last_row),
      cmocka_unit_test(test_sens_lists_and_errors_belong_together),
      cmocka_unit_test(test_sweep_points_are_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
