// SPDX-License-Identifier: Apache-2.0
// What load drivers share: third-order steps, counts, samples in order of time, limits, and messages.
#include "loads/two_masses.h"

static void test_load_run_driver_names_round_trip(void** state) {
  (void)state;
  for (int d = 0; d < JLOADS_DRIVER_COUNT; d++) {
    assert_int_equal(jloads_driver_find(jloads_driver_name((jloads_driver)d)), d);
  }
  assert_int_equal(jloads_driver_find("nothing"), -1);
  assert_string_equal(jloads_driver_name(JLOADS_DRIVER_COUNT), "");
}

// Above the stop both swing smoothly: fixed steps converge with the third order, and keep the energy so.
static double energy_lost(jo_context* ctx, double step) {
  two_masses k = {.spring = 40.0, .weight = 0.0};
  jloads_driver_system s = two_system(&k);
  jloads_driver_options o = two_options(JLOADS_DRIVER_FIXED, step);
  double y[4] = {2.0, 1.5, 0.3, -0.2}, before = two_energy(&k, y);
  assert_ok(ctx, jloads_driver_run(ctx, &s, &o, NULL, 0.0, 1.0, y, NULL, NULL));
  return fabs(two_energy(&k, y) - before);
}

static void test_load_run_fixed_steps_are_of_third_order(void** state) {
  double coarse = energy_lost(two_context(state), 0.02),
         fine = energy_lost(two_context(state), 0.005);
  assert_near(log(coarse / fine) / log(4.0), 3.0, 0.3);
}

typedef struct samples {
  int n, between;
  double t_last;
} samples;

static jo_status on_sample(void* user, double t, const double* y, const double* F) {
  samples* s = user;
  assert_true(t >= s->t_last && isfinite(F[0]) && isfinite(F[1]));
  s->t_last = t;
  s->between += !y;
  s->n++;
  return JO_OK;
}

static void test_load_run_samples_every_step_and_the_end(void** state) {
  for (int d = 0; d < JLOADS_DRIVER_COUNT; d++) {
    two_masses k = {.stop = 1e5, .spring = 40.0, .weight = 5.0};
    jloads_driver_system s = two_system(&k);
    jloads_driver_options o = two_options((jloads_driver)d, 0.01);
    samples seen = {0};
    jloads_driver_observer obs = {.user = &seen, .sample = on_sample};
    jloads_driver_statistics stats;
    double y[4] = {0.3, 0.2, 0.0, 0.0}, t;
    assert_ok(two_context(state),
              jloads_driver_run(two_context(state), &s, &o, &obs, 0.0, 0.2, y, &t, &stats));
    assert_near(t, 0.2, 1e-12);
    assert_near(seen.t_last, 0.2, 1e-12);
    assert_int_equal(seen.n - seen.between, stats.steps + 1);
    if (d != JLOADS_DRIVER_ADAPTIVE) assert_int_equal(stats.steps, 20);
    assert_true(stats.evaluations >= 3.0 * (double)stats.steps);
    if (stats.guaranteed > 0.0) assert_true(stats.worst_step <= stats.guaranteed + 1e-12);
  }
}

static void test_load_run_steps_are_counted_beforehand(void** state) {
  jo_context* ctx = two_context(state);
  two_masses k = {.spring = 40.0};
  jloads_driver_system s = two_system(&k);
  jloads_driver_options o = two_options(JLOADS_DRIVER_FIXED, 0.01);
  double y[4] = {1.0, 1.0, 0.0, 0.0};
  o.max_steps = 100;
  assert_ok(ctx, jloads_driver_check_steps(ctx, &o, 0.0, 1.0));
  assert_refused(ctx, jloads_driver_run(ctx, &s, &o, NULL, 0.0, 2.0, y, NULL, NULL), JO_ERR_LIMIT,
                 "there are 200 steps of 0.01 s, more than the limit of 100");
  assert_near(y[0], 1.0, 0.0);
}

static void test_load_run_names_what_is_not_finite(void** state) {
  static const char* const name[] = {"low", "high", "low.rate", "high.rate"};
  jo_context* ctx = two_context(state);
  two_masses k = {.stop = 1e30, .spring = 1e30};
  jloads_driver_system s = two_system(&k);
  s.state_name = name;
  jloads_driver_options o = two_options(JLOADS_DRIVER_FIXED, 0.5);
  double y[4] = {1.0, 0.0, 0.0, 0.0};
  assert_refused(ctx, jloads_driver_run(ctx, &s, &o, NULL, 0.0, 50.0, y, NULL, NULL),
                 JO_ERR_NUMERIC, "'low", "is not finite", "the step is too long");
}

static jo_status count_projections(void* user, double t, double* y) {
  (void)t, (void)y;
  return ++((two_masses*)user)->projections > 7 ? JO_ERR_CONVERGENCE : JO_OK;
}

static void test_load_run_projects_every_step_and_ends_where_that_fails(void** state) {
  jo_context* ctx = two_context(state);
  two_masses k = {.spring = 40.0};
  jloads_driver_system s = two_system(&k);
  s.project = count_projections;
  jloads_driver_options o = two_options(JLOADS_DRIVER_FIXED, 0.01);
  jloads_driver_statistics stats;
  double y[4] = {1.0, 1.0, 0.0, 0.0}, t;
  assert_int_equal(jloads_driver_run(ctx, &s, &o, NULL, 0.0, 1.0, y, &t, &stats),
                   JO_ERR_CONVERGENCE);
  assert_int_equal(k.projections, 8);
  assert_int_equal(stats.steps, 8);
  assert_near(t, 0.08, 1e-12);
}

static void test_load_run_has_room_for_everything_or_says_so(void** state) {
  (void)state;
  for (long n = 1;; n++) {
    failing_alloc memory;
    failing_alloc_init(&memory, n);
    jo_context* ctx = NULL;
    assert_int_equal(jo_context_create(&memory.allocator, &ctx), JO_OK);
    two_masses k = {.stop = 1e5, .spring = 40.0, .weight = 5.0};
    jloads_driver_system s = two_system(&k);
    jloads_driver_options o = two_options(JLOADS_DRIVER_SUBCYCLE, 0.01);
    double y[4] = {0.1, 0.2, 0.0, 0.0};
    jo_status status = jloads_driver_run(ctx, &s, &o, NULL, 0.0, 0.1, y, NULL, NULL);
    jo_context_destroy(ctx);
    assert_int_equal(memory.live_bytes, 0);
    if (status >= 0) break;
    assert_int_equal(status, JO_ERR_MEMORY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_load_run_driver_names_round_trip),
      fixture_test(test_load_run_fixed_steps_are_of_third_order),
      fixture_test(test_load_run_samples_every_step_and_the_end),
      fixture_test(test_load_run_steps_are_counted_beforehand),
      fixture_test(test_load_run_names_what_is_not_finite),
      fixture_test(test_load_run_projects_every_step_and_ends_where_that_fails),
      fixture_test(test_load_run_has_room_for_everything_or_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
