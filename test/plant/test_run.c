// SPDX-License-Identifier: Apache-2.0
// Runs are opened, advanced and closed in one place, with the checks that all of them share.
#include "plant/run.h"

#include "plant/simulate.h"
#include "support/fixture.h"

// A mass on a spring with a stop, whose windowed objective ends at t = w.
static const char model[] =
    "jounce: 1\n"
    "name: slide\n"
    "parameters: {k: 40, w: 0.8, x0: 0.1}\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  cart: {mass: k/20}\n"
    "joints:\n"
    "  slide: {type: prismatic, parent: ground, child: cart, axis: [1, 0, 0]}\n"
    "forces:\n"
    "  spring: {on: slide, stiffness: k}\n"
    "  stop: {on: slide, torque: \"if(slide < 0, -1000*slide, 0)\"}\n"
    "initial: {slide: x0}\n"
    "objectives:\n"
    "  mean: {integral: slide, window: [0.1, w]}\n"
    "simulation: {end: 1, method: dopri5}\n";

static int open_model(void** state) {
  fixture* f = fixture_parse("slide.yaml", model);
  jplant_options opt = fixture_interpreted();
  opt.gen.modes = true;
  fixture_build(f, &opt);
  *state = f;
  return 0;
}

static int close_model(void** state) {
  fixture_close(*state);
  return 0;
}

static double* value_of(const fixture* f, double* p, const char* name) {
  const jgen_dynamics* d = f->plant->dynamics;
  memcpy(p, d->p, (size_t)d->np * sizeof *p);
  for (int i = 0; i < d->np; i++) {
    if (strcmp(f->m->number[d->live[i]].path, name) == 0) return &p[i];
  }
  fail_msg("no live number %s", name);
  return NULL;
}

static jsolve_options solve_of(const fixture* f) {
  jsolve_options solve = jplant_solve_options(f->m);
  solve.is_whole = true;
  return solve;
}

// In parts the last state is that of a whole run within its tolerance, and in one piece it has the same bits.
static void test_run_advances_to_where_a_simulation_ends(void** state) {
  const fixture* f = *state;
  jarena a;
  jarena_init(&a, f->ctx);
  jsolve_options solve = solve_of(f);
  jplant_run_options open = {.t_end = 1.0};
  jplant_result* whole;
  assert_ok(f->ctx, jplant_simulate(f->ctx, f->plant, NULL, &whole));
  for (int parts = 1; parts < 4; parts++) {
    jplant_run run;
    assert_ok(f->ctx, jplant_run_open(f->ctx, &a, f->plant, &open, &run));
    assert_true(run.t == 0.0 && run.y[0] == 0.1);
    for (int i = 1; i <= parts; i++) {
      assert_ok(f->ctx, jplant_run_advance(&run, &solve, NULL, (double)i / parts, NULL));
      assert_true(run.t == (double)i / parts);
    }
    double psi;
    jmachine_objectives(&run.work->machine, run.t, run.y, &psi);
    double value = jplant_result_objectives(whole)[0].value;
    assert_near(psi, value, parts == 1 ? 0.0 : 1e-6);
    jplant_run_close(&run);
  }
  jplant_result_destroy(whole);
  jarena_free(&a);
}

static void test_run_begins_with_its_values_in_its_modes(void** state) {
  const fixture* f = *state;
  jarena a;
  jarena_init(&a, f->ctx);
  double p[16];
  assert_true(f->plant->dynamics->np <= 16);
  *value_of(f, p, "x0") = -0.2;
  jplant_run_options open = {.p = p, .t_end = 1.0};
  jplant_run run, again;
  assert_ok(f->ctx, jplant_run_open(f->ctx, &a, f->plant, &open, &run));
  assert_true(run.y[0] == -0.2);
  assert_memory_equal(run.work->p, p, (size_t)f->plant->dynamics->np * sizeof *p);
  assert_ok(f->ctx, jplant_run_open_at(f->ctx, &a, f->plant, p, run.t, run.y, &again));
  int on = 0, n = f->plant->dynamics->nswitch;
  for (int i = 0; i < n; i++) {
    on += run.work->mode[i] > 0.5;
  }
  assert_true(on > 0);  // it stands in the stop
  assert_memory_equal(run.work->mode, again.work->mode, (size_t)n * sizeof *run.work->mode);
  jplant_run_close(&again);
  jplant_run_close(&run);
  jarena_free(&a);
}

// Windows and ranges are those of the values of the run; who asks for no objective, or goes beside values that were checked,
// is not held to them.
static void test_run_is_refused_where_values_or_windows_are(void** state) {
  const fixture* f = *state;
  static const struct {
    const char* name;
    double value, t_end;
    bool is_near;
    const char* said;
  } row[] = {
      {"w", 0.8, 1.0, false, NULL},
      {"w", 1.2, 1.0, false, "reaches outside of the run [0, 1] s"},
      {"w", 1.2, 2.0, false, NULL},
      {"w", 1.2, NAN, false, NULL},
      {"w", 0.05, 1.0, false, "it must begin before it ends"},
      {"k", -1.0, 1.0, false, "mass"},
      {"k", -1.0, 1.0, true, NULL},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    jarena a;
    double p[16];
    jarena_init(&a, f->ctx);
    *value_of(f, p, row[i].name) = row[i].value;
    jplant_run_options open = {.p = p, .t_end = row[i].t_end, .is_near = row[i].is_near};
    jplant_run run;
    jo_status status = jplant_run_open(f->ctx, &a, f->plant, &open, &run);
    assert_int_equal(status < 0, row[i].said != NULL);
    if (row[i].said && !strstr(jo_context_message(f->ctx), row[i].said)) {
      fail_msg("%s", jo_context_message(f->ctx));
    }
    if (row[i].said) assert_null(run.work);
    jplant_run_close(&run);
    jo_context_clear(f->ctx);
    jarena_free(&a);
  }
}

static void test_run_gives_all_memory_back_where_it_ends(void** state) {
  fixture* f = *state;
  double p[16];
  *value_of(f, p, "x0") = 0.3;
  jplant_run_options open = {.p = p, .t_end = 1.0};
  int failed = 0;
  for (int n = 0;; n++) {
    jarena a;
    jplant_run run;
    jarena_init(&a, f->ctx);
    f->memory.fail_at = f->memory.calls + n;
    jo_status status = jplant_run_open(f->ctx, &a, f->plant, &open, &run);
    f->memory.fail_at = -1;
    if (status >= 0) jplant_run_close(&run);
    jarena_free(&a);
    jo_context_clear(f->ctx);
    if (status >= 0) break;
    assert_int_equal(status, JO_ERR_MEMORY);
    assert_null(run.work);
    failed++;
  }
  assert_true(failed > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_run_advances_to_where_a_simulation_ends),
      cmocka_unit_test(test_run_begins_with_its_values_in_its_modes),
      cmocka_unit_test(test_run_is_refused_where_values_or_windows_are),
      cmocka_unit_test(test_run_gives_all_memory_back_where_it_ends),
  };
  return cmocka_run_group_tests(tests, open_model, close_model);
}
