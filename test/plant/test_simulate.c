// SPDX-License-Identifier: Apache-2.0
// Runs: what the rows are, what events and failures do to them, and that nothing depends on luck.
#include "plant/simulate.h"

#include "support/fixture.h"

// A mass of 2 kg on a slide, pushed with 10 N from t = 0.3 s on: x = 5/2 (t - 0.3)^2.
static const char pushed[] =
    "jounce: 1\n"
    "name: pushed\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  cart: {mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  slide: {type: prismatic, parent: ground, child: cart, at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  push: {on: slide, torque: \"if(t < 0.3, 0, 10)\"}\n"
    "sensors:\n"
    "  a: {value: slide.acc, unit: m/s^2}\n"
    "objectives:\n"
    "  impulse: {integral: push.force, unit: N s}\n"
    "simulation: {end: 1, method: rk4, step: 0.07, output_step: 0.1}\n";

// The same slide with x'' = x^3 and x(0) = x'(0) = 1 leaves every bound in finite time.
static const char escaping[] =
    "jounce: 1\n"
    "name: escaping\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  cart: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  slide: {type: prismatic, parent: ground, child: cart, at: [0, 0, 0], axis: [1, 0, 0]}\n"
    "forces:\n"
    "  push: {on: slide, torque: slide^3}\n"
    "initial:\n"
    "  slide: {value: 1, rate: 1}\n"
    "simulation: {end: 5, tolerance: 1.0e-6, output_step: 0.1}\n";

// `text` NULL: the file `path`. Interpreted: these models are small and compilers slow.
static fixture* open_model(const char* path, const char* text) {
  fixture* f = text ? fixture_parse(path, text) : fixture_load(path, NULL, 0);
  jplant_options opt = fixture_interpreted();
  fixture_build(f, &opt);
  return f;
}

static jplant_result* run(fixture* f, const jplant_simulate_options* opt) {
  jplant_result* r;
  assert_ok(f->ctx, jplant_simulate(f->ctx, f->plant, opt, &r));
  assert_true(r->is_complete);
  return r;
}

static const double* row(const jplant_result* r, int i) {
  return r->row + (size_t)i * (size_t)r->ncolumn;
}

static int column(const jplant_result* r, const char* name) {
  for (int i = 0; i < r->ncolumn; i++) {
    if (strcmp(r->column[i].name, name) == 0) return i;
  }
  fail_msg("no column %s", name);
  return -1;
}

static void test_simulate_rows_stand_on_the_grid_and_end_at_the_end(void** state) {
  (void)state;
  fixture* f = open_model("models/mechanisms/pendulum.yaml", NULL);
  jplant_simulate_options opt = jplant_simulate_options_default();
  opt.t_end = 1.0;
  const double step[] = {0.1, 0.3, 1.0, 7.0};
  const int rows[] = {11, 5, 2, 2};
  for (int k = 0; k < 4; k++) {
    opt.output_step = step[k];
    jplant_result* r = run(f, &opt);
    assert_int_equal(r->nrow, rows[k]);
    for (int i = 0; i < r->nrow - 1; i++) {
      assert_near(row(r, i)[0], i * step[k], 1e-15);
    }
    assert_true(row(r, r->nrow - 1)[0] == 1.0);
    for (int i = 0; i < r->ncolumn; i++) {
      assert_true(row(r, r->nrow - 1)[i] == r->column[i].value);
    }
    jplant_result_destroy(r);
  }
  fixture_close(f);
}

// A first step so long that the loops cannot be closed at its end is halved, without a word.
static void test_simulate_shortens_steps_that_cannot_be_closed(void** state) {
  (void)state;
  fixture* f = open_model("models/mechanisms/spatial_four_bar.yaml", NULL);
  jplant_simulate_options opt = jplant_simulate_options_default();
  f->plant->y0[jgen_first(&f->plant->dynamics->layout, JGEN_QDU)] =
      60.0;  // rate of the crank [rad/s]
  opt.rel_tol = opt.abs_tol = 0.02;
  opt.step = 0.2;
  jplant_result* r = run(f, &opt);
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
  jplant_result_destroy(r);
  fixture_close(f);
}

static void test_simulate_row_is_what_a_run_ending_there_gives(void** state) {
  (void)state;
  fixture* f = open_model("models/mechanisms/four_bar.yaml", NULL);
  jplant_simulate_options opt = jplant_simulate_options_default();
  opt.t_end = 0.5;
  opt.output_step = 0.05;
  jplant_result* r = run(f, &opt);
  for (int i = 1; i < r->nrow; i += 4) {
    opt.t_end = row(r, i)[0];
    jplant_result* shorter = run(f, &opt);
    for (int k = 0; k < r->ncolumn; k++) {
      // tolerance of both runs is 1e-10 per step; forces and energies are of the order of 10
      assert_near(row(r, i)[k], shorter->column[k].value, 1e-6);
    }
    jplant_result_destroy(shorter);
  }
  jplant_result_destroy(r);
  fixture_close(f);
}

// Dense output is of low accuracy at this tolerance; the loops are closed all the same.
static void test_simulate_every_row_closes_the_loops(void** state) {
  (void)state;
  fixture* f = open_model("models/mechanisms/four_bar.yaml", NULL);
  jplant_simulate_options opt = jplant_simulate_options_default();
  opt.rel_tol = opt.abs_tol = 1e-3;
  opt.output_step = 0.003;
  jplant_result* r = run(f, &opt);
  const jgen_dynamics* d = f->plant->dynamics;
  jplant_work* probe;
  assert_ok(f->ctx, jplant_work_create(f->ctx, f->plant, NULL, &probe));
  double* y = calloc((size_t)d->ny + 1, sizeof *y);
  double largest = 0.0;
  for (int i = 0; i < r->nrow; i++) {
    const double* q = row(r, i) + 1 + r->nsensor;  // coordinates follow the sensors
    jgen_scatter(&d->layout, q, NULL, NULL, y);
    largest = fmax(largest, jmachine_closure(&probe->machine, row(r, i)[0], y));
  }
  assert_near(largest, 0.0, 1e-12);
  assert_near(r->closure, 0.0, 1e-12);
  free(y);
  jplant_work_destroy(probe);
  jplant_result_destroy(r);
  fixture_close(f);
}

static void test_simulate_row_per_step_shows_both_sides_of_an_event(void** state) {
  (void)state;
  fixture* f = open_model("pushed.yaml", pushed);
  jplant_simulate_options opt = jplant_simulate_options_default();
  opt.output_step = 0.0;
  jplant_result* r = run(f, &opt);
  assert_int_equal(r->nevent, 1);
  assert_int_equal(r->nrow, r->statistics.steps + 2);  // the start, and the far side of the event
  int a = column(r, "a"), pairs = 0;
  for (int i = 1; i < r->nrow; i++) {
    if (row(r, i)[0] != row(r, i - 1)[0]) continue;
    pairs++;
    assert_near(row(r, i)[0], 0.3, 1e-12);
    assert_near(row(r, i - 1)[a], 0.0, 1e-13);
    assert_near(row(r, i)[a], 5.0, 1e-13);
  }
  assert_int_equal(pairs, 1);
  jplant_result_destroy(r);
  fixture_close(f);
}

// Between events the motion is a parabola, which all these methods follow exactly; stepping over the
// event would cost an error of the order of the step.
static void test_simulate_fixed_steps_stop_at_events(void** state) {
  (void)state;
  fixture* f = open_model("pushed.yaml", pushed);
  const char* const method[] = {"rk2", "rk3", "rk4"};
  for (int k = 0; k < 3; k++) {
    jplant_simulate_options opt = jplant_simulate_options_default();
    opt.method = (jo_method)jsolve_method_find(method[k]);
    jplant_result* r = run(f, &opt);
    assert_string_equal(r->used.method, method[k]);
    assert_true(r->used.is_fixed_step);
    assert_int_equal(r->nevent, 1);
    assert_near(r->event[0].t, 0.3, 1e-12);
    assert_near(r->column[column(r, "slide")].value, 2.5 * 0.49, 1e-11);
    assert_near(jplant_result_objectives(r)[0].value, 7.0, 1e-11);
    jplant_result_destroy(r);
  }
  fixture_close(f);
}

static void test_simulate_failed_run_keeps_what_was_computed(void** state) {
  (void)state;
  fixture* f = open_model("escaping.yaml", escaping);
  jplant_result* r;
  assert_true(jplant_simulate(f->ctx, f->plant, NULL, &r) < 0);
  assert_non_null(r);
  assert_false(r->is_complete);
  assert_true(strlen(jo_context_message(f->ctx)) > 0);
  // (x')^2 = (1 + x^4)/2 escapes between 1 and 2 seconds
  assert_true(r->t_reached > 1.0 && r->t_reached < 2.0);
  assert_int_equal(r->nrow, 1 + (int)(r->t_reached / 0.1));
  int x = column(r, "slide");
  for (int i = 1; i < r->nrow; i++) {
    assert_true(row(r, i)[x] > row(r, i - 1)[x]);
  }
  jplant_result_destroy(r);
  fixture_close(f);
}

static bool stop_half_way(void* user, double fraction) {
  double* last = user;
  assert_true(fraction > *last && fraction <= 1.0);
  *last = fraction;
  return fraction < 0.5;
}

static void test_simulate_progress_grows_and_can_stop_the_run(void** state) {
  (void)state;
  fixture* f = open_model("models/mechanisms/pendulum.yaml", NULL);
  jplant_simulate_options opt = jplant_simulate_options_default();
  double last = 0.0;
  opt.progress = stop_half_way;
  opt.user = &last;
  jplant_result* r;
  assert_int_equal(jplant_simulate(f->ctx, f->plant, &opt, &r), JO_ERR_LIMIT);
  assert_non_null(r);
  assert_false(r->is_complete);
  assert_near(last, 0.5, 0.05);
  assert_true(r->nrow >= 50 && r->nrow < 60);
  jplant_result_destroy(r);
  fixture_close(f);
}

static void test_simulate_options_that_cannot_be_are_refused(void** state) {
  (void)state;
  fixture* f = open_model("pushed.yaml", pushed);
  jplant_simulate_options bad[6];
  for (int i = 0; i < 6; i++) {
    bad[i] = jplant_simulate_options_default();
  }
  bad[0].method = (jo_method)77;
  bad[1].t_end = -1.0;
  bad[2].rel_tol = 0.0;
  bad[3].step = 0.0;
  bad[4].output_step = -0.1;
  bad[5].t_end = INFINITY;
  const char* const word[] = {"no method '77'", "end time",    "tolerance",
                              "step",           "output_step", "end time"};
  for (int i = 0; i < 6; i++) {
    jplant_result* r;
    jo_context_clear(f->ctx);
    assert_int_equal(jplant_simulate(f->ctx, f->plant, &bad[i], &r), JO_ERR_ARGUMENT);
    assert_null(r);
    assert_non_null(strstr(jo_context_message(f->ctx), word[i]));
  }
  fixture_close(f);
}

static void test_simulate_same_run_same_bits(void** state) {
  (void)state;
  fixture* f = open_model("models/mechanisms/four_bar.yaml", NULL);
  jplant_result *a = run(f, NULL), *b = run(f, NULL);
  assert_int_equal(a->nrow, b->nrow);
  assert_memory_equal(a->row, b->row, (size_t)a->nrow * (size_t)a->ncolumn * sizeof *a->row);
  assert_int_equal(a->statistics.evaluations, b->statistics.evaluations);
  assert_int_equal(a->projections, b->projections);
  jplant_result_destroy(a);
  jplant_result_destroy(b);
  fixture_close(f);
}

// What is written changes nothing of what is computed.
static void test_simulate_rows_do_not_disturb_the_run(void** state) {
  (void)state;
  fixture* f = open_model("models/mechanisms/four_bar.yaml", NULL);
  jplant_simulate_options opt = jplant_simulate_options_default();
  opt.output_step = 0.001;
  jplant_result* fine = run(f, &opt);
  opt.output_step = 2.0;
  jplant_result* coarse = run(f, &opt);
  for (int i = 0; i < fine->ncolumn; i++) {
    assert_true(fine->column[i].value == coarse->column[i].value);
  }
  assert_int_equal(fine->projections, coarse->projections);
  assert_int_equal(fine->statistics.evaluations, coarse->statistics.evaluations);
  jplant_result_destroy(fine);
  jplant_result_destroy(coarse);
  fixture_close(f);
}

static void test_simulate_survives_the_end_of_memory(void** state) {
  (void)state;
  fixture* f = open_model("pushed.yaml", pushed);
  failing_alloc* memory = &f->memory;
  size_t live = memory->live_bytes;
  for (long n = 0;; n++) {
    memory->fail_at = memory->calls + n;
    jplant_result* r;
    jo_status status = jplant_simulate(f->ctx, f->plant, NULL, &r);
    memory->fail_at = -1;
    jplant_result_destroy(r);
    jo_context_clear(f->ctx);
    assert_int_equal(memory->live_bytes, live);
    if (status >= 0) break;
    assert_int_equal(status, JO_ERR_MEMORY);
  }
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_simulate_rows_stand_on_the_grid_and_end_at_the_end),
      cmocka_unit_test(test_simulate_row_is_what_a_run_ending_there_gives),
      cmocka_unit_test(test_simulate_shortens_steps_that_cannot_be_closed),
      cmocka_unit_test(test_simulate_every_row_closes_the_loops),
      cmocka_unit_test(test_simulate_row_per_step_shows_both_sides_of_an_event),
      cmocka_unit_test(test_simulate_fixed_steps_stop_at_events),
      cmocka_unit_test(test_simulate_failed_run_keeps_what_was_computed),
      cmocka_unit_test(test_simulate_progress_grows_and_can_stop_the_run),
      cmocka_unit_test(test_simulate_options_that_cannot_be_are_refused),
      cmocka_unit_test(test_simulate_same_run_same_bits),
      cmocka_unit_test(test_simulate_rows_do_not_disturb_the_run),
      cmocka_unit_test(test_simulate_survives_the_end_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
