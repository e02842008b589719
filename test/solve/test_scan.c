// SPDX-License-Identifier: Apache-2.0
// Looks into long steps: how many there are, that a smooth step passes, and that a pulse inside of one is seen
// before it begins.
#include "solve/event/scan.h"

#include "solve/problems.h"

static void test_scan_spacing_follows_the_shortest_pulse(void** state) {
  (void)state;
  jsolve_options o = jsolve_options_default();
  assert_near(jsolve_scan_spacing(&o, 0.0, 10.0), 0.01, 1e-15);  // half of 20 ms
  assert_near(jsolve_scan_spacing(&o, 5.0, 5.1), 0.002, 1e-15);  // half a 25th of the run
  assert_near(jsolve_scan_spacing(&o, 0.0, 1e4), 0.1, 1e-12);    // not without end
  o.shortest_pulse = 0.4;
  assert_near(jsolve_scan_spacing(&o, 0.0, 10.0), 0.2, 1e-15);
  o.shortest_pulse = 1e-9;
  assert_near(jsolve_scan_spacing(&o, 0.0, 10.0), 1e-4, 1e-15);
  // parts of the shortest run there is are zero, but not their length
  o = jsolve_options_default();
  assert_true(jsolve_scan_spacing(&o, 0.0, 5e-324) > 0.0);
}

static void test_scan_parts_are_no_longer_than_the_spacing(void** state) {
  (void)state;
  jsolve_run run = {.scan_spacing = 0.01};
  for (double h = 1e-4; h < 2.0; h *= 1.37) {
    int parts = jsolve_scan_parts(&run, h);
    assert_true(h / parts <= 0.01 * (1.0 + 1e-12));
    if (parts > 1) assert_true(h / (parts - 1) > 0.01 * (1.0 - 1e-12));
  }
  assert_int_equal(jsolve_scan_parts(&run, 0.01), 1);
}

// ---- a step by hand ------------------------------------------------------------------------------

// y' = pulse(t), and a dense output that knows nothing of it: y = 0
typedef struct pulse {
  double from, to, height;
} pulse;

static void pulse_rhs(void* user, double t, const double* y, double* f) {
  const pulse* p = user;
  (void)y;
  f[0] = t > p->from && t < p->to ? p->height : 0.0;
}

static void flat(const jsolve_dense* d, double t, double* y) {
  (void)d, (void)t;
  y[0] = 0.0;
}

static void halve(jsolve_stepper* s, double* defect) {
  (void)s;
  defect[0] *= 1e-9;
}

static bool scan(fixture* f, pulse* p, bool filtered, double* t_good, int64_t* looks) {
  static const jsolve_dense dense = {flat, flat};
  jsolve_options opt = jsolve_options_default();
  jsolve_system sys = {.n = 1, .user = p, .rhs = pulse_rhs};
  jsolve_stepper stepper = {.dense = &dense, .filter = filtered ? halve : NULL};
  double room[3];
  jsolve_run run = {.ctx = f->ctx,
                    .sys = &sys,
                    .opt = &opt,
                    .stepper = &stepper,
                    .t = 1.0,
                    .t_new = 3.0,
                    .scan = room,
                    .scan_spacing = 0.1};
  assert_true(jsolve_weights_init(&run.weights, &f->a, 1, NULL, 1e-6, 1e-6));
  bool passes = jsolve_scan_step(&run, t_good);
  *looks = run.stats.scans;
  return passes;
}

static void test_scan_sees_a_pulse_and_stops_before_it(void** state) {
  fixture* f = *state;
  for (double from = 1.03; from < 2.7; from += 0.17) {
    pulse p = {from, from + 0.2, 1.0};  // two looks long
    double t_good = NAN;
    int64_t looks;
    assert_false(scan(f, &p, false, &t_good, &looks));
    assert_true(t_good > 1.0 && t_good < p.to);
    assert_true(t_good <= fmax(from, 1.1) && t_good > from - 0.21);
    assert_true(looks < 20);
  }
}

static void test_scan_passes_a_step_that_is_what_it_seems(void** state) {
  fixture* f = *state;
  pulse p = {0.0, 0.0, 0.0};
  double t_good;
  int64_t looks;
  assert_true(scan(f, &p, false, &t_good, &looks));
  assert_int_equal(looks, 19);
  // a hundred tolerances are not worth a shorter step
  p = (pulse){1.4, 1.7, 4e-5};
  assert_true(scan(f, &p, false, &t_good, &looks));
  p.height = 6e-5;
  assert_false(scan(f, &p, false, &t_good, &looks));
}

// What an implicit method damps at once is taken out first.
static void test_scan_leaves_stiff_components_to_the_filter(void** state) {
  fixture* f = *state;
  pulse p = {1.4, 1.7, 1.0};
  double t_good;
  int64_t looks;
  assert_false(scan(f, &p, false, &t_good, &looks));
  assert_true(scan(f, &p, true, &t_good, &looks));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_scan_spacing_follows_the_shortest_pulse),
      fixture_test(test_scan_parts_are_no_longer_than_the_spacing),
      fixture_test(test_scan_sees_a_pulse_and_stops_before_it),
      fixture_test(test_scan_passes_a_step_that_is_what_it_seems),
      fixture_test(test_scan_leaves_stiff_components_to_the_filter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
