// SPDX-License-Identifier: Apache-2.0
// Events again: a blow of which the peak is known, to the third order of the steps, and whatever else pushes.
#include "loads/two_masses.h"

// The stop alone, struck with v: F = v sqrt(k m) sin(w t), m = 1 / (D M^-1 D), after a quarter of a period.
static double felt_mass(void) {
  return (two_M[0] * two_M[3] - two_M[1] * two_M[2]) / two_M[3];
}

// Over exactly a quarter of the period, in n steps: the last sample stands on the peak.
static double peak_error(jo_context* ctx, int n) {
  const double stiffness = 4e5, v = 1.5;
  two_masses k = {.stop = stiffness};
  jloads_driver_system s = two_system(&k);
  double w = sqrt(stiffness / felt_mass()), quarter = 0.5 * acos(-1.0) / w, dt = quarter / n;
  double y[4] = {0.0, 0.0, -v, -v}, peak[2], t_peak[2];
  assert_ok(ctx, jloads_driver_reconstruct(ctx, &s, 0.3, y, quarter - 0.5 * dt, dt, peak, t_peak));
  assert_near(t_peak[0], 0.3 + quarter, 1.01 * dt);
  assert_near(y[2], -v, 0.0);  // the state it begins with is left alone
  return fabs(peak[0] - v * sqrt(stiffness * felt_mass())) / peak[0];
}

static void test_reconstruct_finds_the_peak_of_a_blow(void** state) {
  double coarse = peak_error(two_context(state), 20), fine = peak_error(two_context(state), 80);
  assert_true(fine < 1e-6);
  assert_true(log(coarse / fine) / log(4.0) > 2.7);
}

// Every element has a peak of its own, the largest in size whatever its sign; it may be the first sample.
static void test_reconstruct_keeps_the_largest_of_every_element(void** state) {
  two_masses k = {.stop = 4e5, .spring = 100.0};
  jloads_driver_system s = two_system(&k);
  const double y[4] = {0.02, -1.0, 0.0, 0.0};
  double peak[2], t_peak[2];
  assert_ok(two_context(state),
            jloads_driver_reconstruct(two_context(state), &s, 2.0, y, 0.01, 1e-4, peak, t_peak));
  assert_near(peak[1], -100.0 * 1.02, 1e-9);
  assert_near(t_peak[1], 2.0, 0.0);
  assert_near(peak[0], 0.0, 0.0);  // it does not come down so soon
}

static void test_reconstruct_says_when_memory_is_exhausted(void** state) {
  fixture* f = *state;
  two_masses k = {.stop = 4e5};
  jloads_driver_system s = two_system(&k);
  const double y[4] = {0.0, 0.0, -1.0, -1.0};
  double peak[2], t_peak[2];
  f->memory.fail_at = f->memory.calls;
  assert_int_equal(jloads_driver_reconstruct(f->ctx, &s, 0.0, y, 0.01, 1e-4, peak, t_peak),
                   JO_ERR_MEMORY);
  f->memory.fail_at = -1;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_reconstruct_finds_the_peak_of_a_blow),
      fixture_test(test_reconstruct_keeps_the_largest_of_every_element),
      fixture_test(test_reconstruct_says_when_memory_is_exhausted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
