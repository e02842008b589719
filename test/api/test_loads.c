// SPDX-License-Identifier: Apache-2.0
// Loads as users see them: histories and peaks of elements agree, events are listed and read back, derivatives are
// of the values beside them.
#include "api/objects.h"

#define BOUNCER "test/models/bouncer.yaml"

typedef struct loads {
  fixture* f;
  jo_system* l;
  jo_loads_result* r;
} loads;

static void open_loads(loads* k, jo_loads_driver driver, double rate) {
  jo_loads_options opt = jo_loads_options_default();
  opt.driver = driver;
  opt.rate_hz = rate;
  k->f = open_objects(BOUNCER);
  k->l = make_loads(k->f);
  k->r = make_loads_result(k->f, k->l, &opt);
}

static void close_loads(loads* k) {
  jo_loads_result_destroy(k->r);
  jo_system_destroy(k->l);
  fixture_close(k->f);
}

static void test_loads_drivers_have_names(void** state) {
  (void)state;
  int n = 0;
  while (jo_loads_driver_name(n)) {
    assert_true(*jo_loads_driver_name(n++));
  }
  assert_int_equal(n, 5);
}

static void test_loads_statistics_are_those_of_the_options(void** state) {
  (void)state;
  loads k;
  open_loads(&k, JO_LOADS_SUBCYCLE, 200.0);
  jo_loads_statistics s = jo_loads_result_statistics(k.r);
  assert_string_equal(s.driver, "subcycle");
  assert_near(s.rate, 200.0, 1e-9);
  assert_true(s.is_complete && s.t_reached == s.t_end && s.stiff_steps > 0);
  assert_int_equal(s.steps, (int)floor((s.t_end - s.t_start) * 200.0 + 0.5));
  assert_true(s.worst_step_evaluations <= s.guaranteed_step_evaluations);
  assert_true(s.evaluations >= 3.0 * (double)s.steps);
  close_loads(&k);
}

// Of every element: samples lie between smallest and largest, and none exceeds the peak.
static void test_loads_samples_lie_within_the_peak(void** state) {
  (void)state;
  loads k;
  open_loads(&k, JO_LOADS_ADAPTIVE, 500.0);
  int n = jo_loads_element_count(k.r);
  assert_int_equal(n, 2);
  for (int e = 0; e < n; e++) {
    jo_loads_element x;
    double last = -1.0, most = 0.0;
    const jo_table* history = table_of(jo_loads_tables(k.r), "history");
    const double* sample = history->column[0].value;
    assert_int_equal(history->ncolumn, 1 + n);
    assert_int_equal(jo_loads_element_at(k.r, e, &x), JO_OK);
    assert_true(*x.name && *x.unit && x.smallest <= x.largest && x.damage >= 0.0);
    for (int i = 0; i < history->nrow; i++, sample += 1 + n) {
      double t = sample[0], load = sample[1 + e];
      assert_true(t >= last && load >= x.smallest && load <= x.largest);
      last = t;
      most = fmax(most, fabs(load));
    }
    assert_true(last > 0.0);
    assert_near(most, fabs(x.peak), 1e-9 * most);
  }
  close_loads(&k);
}

static void test_loads_outputs_and_pose_are_those_of_the_end(void** state) {
  (void)state;
  loads k;
  open_loads(&k, JO_LOADS_SUBCYCLE, 500.0);
  const jo_table *sensors = table_of(jo_loads_tables(k.r), "sensors"),
                 *outputs = table_of(jo_loads_tables(k.r), "outputs");
  assert_int_equal(sensors->nrow, jo_model_inspect(k.f->model).sensors);
  for (int i = 0; i < sensors->nrow; i++) {
    assert_true(*sensors->column[0].text[i] && isfinite(jo_table_number(sensors, "value", i)));
    assert_string_equal(sensors->column[0].text[i], outputs->column[0].text[i]);
  }
  // a model without a body on a free joint has no pose
  assert_null(jo_tables_find(jo_loads_tables(k.r), "hull"));
  close_loads(&k);
  fixture* f = fixture_open();
  static const char text[] =
      "jounce: 1\nname: f\ngravity: [0, 0, -10]\nhardpoints: {A: [0, 0, 1]}\n"
      "bodies: {b: {mass: 2, inertia: [1, 1, 1]}}\njoints: {b: {type: free, child: b}}\n"
      "initial: {b.x: {value: 0, rate: 3}, b.z: 5}\nforces: {s: {between: [ground.A, b.A], "
      "stiffness: 0.0, free_length: 1}}\n"
      "simulation: {end: 0.5}\n";
  assert_ok(f->ctx, jo_model_parse(f->ctx, text, strlen(text), "f.yaml", NULL, 0, &f->model));
  jo_system* l = make_loads(f);
  jo_loads_result* r = make_loads_result(f, l, NULL);
  const jo_table* p = table_of(jo_loads_tables(r), "hull");
  assert_string_equal(p->column[0].text[0], "b");
  assert_near(jo_table_number(p, "x", 0), 1.5, 1e-12);
  assert_near(jo_table_number(p, "z", 0), 5.0 - 0.5 * 10.0 * 0.25, 1e-12);
  assert_near(jo_table_number(p, "yaw", 0), 0.0, 1e-12);
  jo_loads_result_destroy(r);
  jo_system_destroy(l);
  fixture_close(f);
}

// Events of a run, saved and opened again: the same ones, and reconstruction has their peaks.
static void test_loads_events_read_back(void** state) {
  (void)state;
  loads k;
  open_loads(&k, JO_LOADS_IMPULSIVE, 500.0);
  const char* path = fixture_below(k.f, "x.events");
  const jo_table* then = table_of(jo_loads_tables(k.r), "events");
  int again = 0;
  assert_true(then->nrow > 0);
  assert_ok(k.f->ctx, jo_loads_save(k.f->ctx, k.r, path));
  jo_load_events* events = make_load_events(k.f, path);
  assert_string_equal(jo_model_name(jo_load_events_model(events)), jo_model_name(k.f->model));
  jo_reconstruct_options opt = jo_reconstruct_options_default();
  jo_reconstruction done;
  assert_ok(k.f->ctx, jo_load_events_reconstruct(k.f->ctx, events, &opt, &done));
  jo_load_event_again e;
  for (int i = 0; jo_load_events_at(events, i, &e) >= 0; i++) {
    assert_near(e.then.t0, jo_table_number(then, "t0", i), 0.0);
    assert_near(e.then.impulse, jo_table_number(then, "impulse", i), 0.0);
    assert_string_equal(e.then.element, then->column[jo_table_column(then, "element")].text[i]);
    again += isfinite(e.peak);
  }
  assert_int_equal(done.events, again);
  assert_true(again > 0);
  jo_load_events_destroy(events);
  close_loads(&k);
}

static void test_loads_plots_are_pictures(void** state) {
  (void)state;
  loads k;
  open_loads(&k, JO_LOADS_SUBCYCLE, 500.0);
  jo_loads_element x;
  assert_int_equal(jo_loads_element_at(k.r, 0, &x), JO_OK);
  const jo_loads_result* const results[] = {k.r};
  const char *const label[] = {"substeps"}, *path = fixture_below(k.f, "x.svg");
  jo_loads_plot plot = {.title = "a blow",
                        .element = x.name,
                        .t1_s = 1.0,
                        .result = results,
                        .label = label,
                        .nresult = 1};
  assert_ok(k.f->ctx, jo_loads_plot_save(k.f->ctx, &plot, path));
  char begin[5] = {0};
  FILE* file = fopen(path, "r");
  assert_non_null(file);
  assert_int_equal(fread(begin, 1, 4, file), 4);
  fclose(file);
  assert_string_equal(begin, "<svg");
  plot.element = "nothing";
  jo_context_clear(k.f->ctx);
  assert_true(jo_loads_plot_save(k.f->ctx, &plot, path) < 0);
  close_loads(&k);
}

static void test_loads_derivatives_have_the_values_of_the_numbers(void** state) {
  (void)state;
  static const char* const wrt[] = {"k", "c"};
  fixture* f = open_objects(QUARTER_CAR);
  jo_loads_sens_options opt = jo_loads_sens_options_default();
  opt.t_end_s = 0.5;
  const jo_system_options use = {.use = JO_USE_HISTORIES, .wrt = wrt, .nwrt = 2, .interpreter = 1};
  jo_system* system = make_system(f, &use);
  jo_loads_sens* s = make_loads_sens(f, system, &opt);
  jo_sens_parameter p;
  assert_int_equal(jo_sens_parameter_at(system, 0, &p), JO_OK);
  assert_near(p.value, 16000.0, 0.0);
  assert_int_equal(jo_sens_parameter_at(system, 1, &p), JO_OK);
  assert_near(p.value, 1100.0, 0.0);
  jo_loads_gradient g;
  int n = 0;
  for (; jo_loads_sens_at(s, n, &g) >= 0; n++) {
    assert_true(*g.name && isfinite(g.peak));
    assert_true(isfinite(g.dpeak[0]) && g.dpeak_error[0] >= 0.0);
  }
  assert_int_equal(n, 3);
  jo_loads_sens_destroy(s);
  jo_system_destroy(system);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_loads_drivers_have_names),
      cmocka_unit_test(test_loads_statistics_are_those_of_the_options),
      cmocka_unit_test(test_loads_samples_lie_within_the_peak),
      cmocka_unit_test(test_loads_outputs_and_pose_are_those_of_the_end),
      cmocka_unit_test(test_loads_events_read_back),
      cmocka_unit_test(test_loads_plots_are_pictures),
      cmocka_unit_test(test_loads_derivatives_have_the_values_of_the_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
