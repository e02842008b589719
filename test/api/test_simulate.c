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
  assert_in_range(s.steps, 600, 600 + table_of(jo_result_tables(r), "events")->nrow);
  assert_true(s.evaluations >= 4 * 600 && s.rejected == 0);
  assert_near(s.closure_residual, 0.0, 1e-12);
  jo_result_destroy(r);
  fixture_close(f);
}

static void test_result_rows_and_events_stand_in_order(void** state) {
  (void)state;
  fixture* f = open_objects(QUARTER_CAR);
  jo_result* r = make_result(f, NULL);
  const jo_table *history = history_of(r), *event = table_of(jo_result_tables(r), "events");
  int rows = history->nrow, width = history->ncolumn;
  assert_true(rows > 100 && event->nrow >= 1);
  const double* row = history->column[0].value;
  for (int i = 1; i < rows; i++) {
    assert_true(row[i * width] > row[(i - 1) * width]);
  }
  double last = 0.0;
  bool stepped = false;
  for (int i = 0; i < event->nrow; i++) {
    double t = jo_table_number(event, "t", i), on = jo_table_number(event, "on", i);
    assert_true(t >= last && *event->column[1].text[i] && (on == 0.0 || on == 1.0));
    stepped = stepped || t == 0.2;  // the step of the road, to the bit
    last = t;
  }
  assert_true(stepped);
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
  const jo_tables* all = jo_result_tables(r);
  const jo_table *sensors = table_of(all, "sensors"), *history = history_of(r);
  assert_int_equal(sensors->nrow, 1);
  assert_string_equal(sensors->column[0].text[0], "twice");
  assert_string_equal(sensors->column[2].text[0], "m");
  assert_near(jo_table_number(sensors, "value", 0), 2.0 * 0.5 * cos(2.0), 1e-8);
  const jo_table* final = table_of(all, "final");
  assert_int_equal(history->ncolumn, 1 + final->nrow + 2);
  for (int i = 0; i < final->nrow; i++) {
    const char* name = final->column[0].text[i];
    assert_string_equal(history->column[1 + i].name, name);
    assert_near(jo_table_number(history, name, history->nrow - 1),
                jo_table_number(final, "value", i), 0.0);
  }
  assert_int_equal(table_of(all, "objectives")->nrow, 2);
  assert_near(run_objective(r, 1), 0.5 * cos(2.0) - 0.5, 1e-8);
  assert_null(jo_tables_find(all, "partition_changes"));
  assert_near(jo_table_number(table_of(all, "end"), "complete", 0), 1.0, 0.0);
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
  const jo_table* objectives = table_of(jo_result_tables(run), "objectives");
  assert_int_equal(n, objectives->nrow);
  for (int o = 0; o < n; o++) {
    jo_quantity here;
    double there = run_objective(run, o);
    assert_int_equal(jo_sens_objective_at(r, o, &here), JO_OK);
    assert_string_equal(here.name, objectives->column[0].text[o]);
    assert_near(here.value, there, 10.0 * jo_sens_objective_error(r, o) + 1e-6 * fabs(there));
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
    double psi = run_objective(r, 0);
    // initial positions are assembled once and for all here, and for every point there
    assert_near(p.value[0], psi, 1e-6 * fabs(psi));
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
