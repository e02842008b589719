// SPDX-License-Identifier: Apache-2.0
// What elements went through, of histories made by hand: loads of a run that broke down, smooth peaks
// outside of events, peaks between samples, cycles and their damage.
#include "loads/evaluate.h"

#include "support/check.h"

enum { NE = 2, CAP = 2000 };

typedef struct bench {
  jo_context* ctx;
  jarena arena;
  jloads_options opt;
  jloads_result r;
  double sample[CAP * (1 + NE)];
  jloads_peak peak[NE];
  jloads_event event[4];
  jloads_evaluation found;
} bench;

static int open_bench(void** state) {
  bench* b = calloc(1, sizeof *b);
  *state = b;
  assert_int_equal(jo_context_create(NULL, &b->ctx), JO_OK);
  jarena_init(&b->arena, b->ctx);
  b->opt.solve.driver = JLOADS_DRIVER_FIXED;
  b->opt.t_start = -1.0;
  b->r = (jloads_result){.ctx = b->ctx,
                         .ne = NE,
                         .sample = b->sample,
                         .peak = b->peak,
                         .event = b->event,
                         .is_complete = true};
  return 0;
}

static int close_bench(void** state) {
  bench* b = *state;
  jarena_free(&b->arena);
  jo_context_destroy(b->ctx);
  free(b);
  return 0;
}

static void add_sample(bench* b, double t, double F0, double F1) {
  double* row = b->sample + (1 + NE) * b->r.nsample++;
  assert_true(b->r.nsample <= CAP);
  row[0] = b->r.t_end = t;
  row[1] = F0;
  row[2] = F1;
}

static void add_event(bench* b, int element, double t0, double t1) {
  b->event[b->r.nevent++] =
      (jloads_event){.event = {.which = element, .t0 = t0, .t1 = t1}, .element = element};
}

static const jloads_summary* evaluate(bench* b, double slope, double reference) {
  assert_ok(b->ctx,
            jloads_evaluate(b->ctx, &b->arena, &b->opt, &b->r, slope, reference, &b->found));
  return b->found.element;
}

// ---- runs that break down ------------------------------------------------------------------------

// Loads of 10 in both directions every 0.1 s until 2 s, then what the run ended with.
static void break_down(bench* b, const double* end, int n) {
  for (int i = 0; i <= 20; i++) {
    add_sample(b, 0.1 * i, i % 2 ? 10.0 : -10.0, 0.0);
  }
  for (int i = 0; i < n; i++) {
    add_sample(b, 2.0 + 0.1 * (i + 1), 0.0, end[i]);
  }
  b->r.is_complete = false;
}

static void test_loads_that_run_away_before_a_breakdown_do_not_count(void** state) {
  bench* b = *state;
  // 5 times what was there half a second before the end may be, more may not; nor what follows
  const double end[] = {49.0, -51.0, 20.0};
  break_down(b, end, 3);
  const jloads_summary* e = evaluate(b, 1.0, 1.0);
  assert_int_equal(b->found.nmeaningful, 22);
  assert_true(b->found.t_meaningful == b->sample[21 * (1 + NE)]);
  assert_near(e[0].peak, -10.0, 0.0);
  assert_near(e[1].peak, 49.0, 0.0);
  assert_near(e[1].smallest, 0.0, 0.0);
  assert_near(e[1].largest, 49.0, 0.0);
}

static void test_loads_that_are_not_finite_do_not_count(void** state) {
  bench* b = *state;
  const double end[] = {20.0, NAN, INFINITY};
  break_down(b, end, 3);
  const jloads_summary* e = evaluate(b, 1.0, 1.0);
  assert_int_equal(b->found.nmeaningful, 22);
  assert_near(e[1].peak, 20.0, 0.0);
  assert_true(isfinite(e[1].damage));
}

static void test_runs_that_are_complete_count_whatever_they_say(void** state) {
  bench* b = *state;
  const double end[] = {49.0, -1e6, 20.0};
  break_down(b, end, 3);
  b->r.is_complete = true;
  const jloads_summary* e = evaluate(b, 1.0, 1.0);
  assert_int_equal(b->found.nmeaningful, b->r.nsample);
  assert_true(b->found.t_meaningful == b->r.t_end);
  assert_near(e[1].peak, -1e6, 0.0);
}

static void test_a_run_without_samples_has_the_peaks_it_was_given(void** state) {
  bench* b = *state;
  b->peak[1] = (jloads_peak){-3.0, 0.25};
  const jloads_summary* e = evaluate(b, 1.0, 1.0);
  assert_true(b->found.nmeaningful == 0 && b->found.t_meaningful == b->opt.t_start);
  assert_true(e[1].peak == -3.0 && e[1].t_peak == 0.25);
  assert_true(e[1].smooth_peak == 0.0 && e[1].cycles == 0.0 && e[1].damage == 0.0);
}

// ---- peaks ---------------------------------------------------------------------------------------

static void test_smooth_peaks_are_outside_of_the_elements_own_events(void** state) {
  bench* b = *state;
  const double F[] = {1.0, 3.0, 90.0, -95.0, 4.0, 2.0, 80.0, -5.0, 1.0};
  for (int i = 0; i < 9; i++) {
    add_sample(b, i, F[i], F[i]);
  }
  add_event(b, 0, 2.0, 3.0);  // both ends belong to it
  add_event(b, 1, 1.5, 3.5);
  add_event(b, 0, 5.5, 6.5);
  const jloads_summary* e = evaluate(b, 1.0, 1.0);
  assert_near(e[0].peak, -95.0, 0.0);
  assert_near(e[0].smooth_peak, -5.0, 0.0);
  assert_near(e[1].smooth_peak, 80.0, 0.0);
  // where nothing is stiff it is the peak
  b->r.nevent = 0;
  e = evaluate(b, 1.0, 1.0);
  assert_near(e[0].smooth_peak, -95.0, 0.0);
}

// Samples of parabolas beside their vertices: 1 - (t - 0.04)^2 and its negative.
static void sample_parabolas(bench* b) {
  for (int i = -10; i <= 10; i++) {
    double t = 0.1 * i, F = 1.0 - (t - 0.04) * (t - 0.04);
    add_sample(b, t, F, -F);
  }
}

static void test_plain_drivers_peak_at_samples(void** state) {
  bench* b = *state;
  sample_parabolas(b);
  b->peak[0] = (jloads_peak){1.0, 0.04};
  const jloads_driver driver[] = {JLOADS_DRIVER_FIXED, JLOADS_DRIVER_ADAPTIVE};
  for (int i = 0; i < 2; i++) {
    b->opt.solve.driver = driver[i];
    const jloads_summary* e = evaluate(b, 1.0, 1.0);
    assert_true(e[0].peak == b->sample[10 * (1 + NE) + 1] && e[0].peak < 1.0);
    assert_true(e[0].t_peak == 0.0);
    assert_true(e[1].peak == -e[0].peak);
  }
}

static void test_other_drivers_peak_between_samples(void** state) {
  bench* b = *state;
  sample_parabolas(b);
  b->peak[0] = (jloads_peak){1.25, 0.045};
  const jloads_driver driver[] = {JLOADS_DRIVER_SUBCYCLE, JLOADS_DRIVER_IMPULSIVE};
  for (int i = 0; i < 2; i++) {
    b->opt.solve.driver = driver[i];
    // as found on the way, reconstructed events included
    b->r.is_complete = true;
    const jloads_summary* e = evaluate(b, 1.0, 1.0);
    assert_true(e[0].peak == 1.25 && e[0].t_peak == 0.045);
    // a run that broke down has found what means nothing: its samples have the peak, a parabola exactly
    b->r.is_complete = false;
    e = evaluate(b, 1.0, 1.0);
    assert_int_equal(b->found.nmeaningful, b->r.nsample);
    assert_near(e[0].peak, 1.0, 1e-14);
    assert_near(e[1].peak, -1.0, 1e-14);
  }
}

// ---- cycles --------------------------------------------------------------------------------------

// Ten cycles between -2 and 6 of element 0, sampled eleven times each, where 6 and -2 are met or not.
static void sample_cycles(bench* b, double phase) {
  for (int i = 0; i <= 110; i++) {
    double angle = 2.0 * 3.14159265358979323846 * (i / 11.0 + phase);
    add_sample(b, 0.01 * i, 2.0 + 4.0 * sin(angle), 7.0);
  }
}

static void test_damage_is_that_of_the_cycles(void** state) {
  bench* b = *state;
  for (int i = 0; i <= 20; i++) {
    add_sample(b, i, i % 2 ? 6.0 : -2.0, 7.0);
  }
  const jloads_summary* e = evaluate(b, 3.0, 4.0);
  assert_near(e[0].cycles, 10.0, 0.0);
  assert_near(e[0].largest_range, 8.0, 0.0);
  assert_near(e[0].damage, 10.0 * 8.0, 1e-12);  // 10 (8/4)^3
  assert_true(e[0].smallest == -2.0 && e[0].largest == 6.0);
  // a load that does not move wears nothing
  assert_true(e[1].cycles == 0.0 && e[1].largest_range == 0.0 && e[1].damage == 0.0);
  assert_true(e[1].peak == 7.0);
}

static void test_ranges_between_samples_are_nearer_to_the_truth(void** state) {
  bench* b = *state;
  sample_cycles(b, 0.0);
  double plain = evaluate(b, 1.0, 1.0)[0].largest_range;
  assert_true(plain < 8.0);
  b->opt.solve.driver = JLOADS_DRIVER_SUBCYCLE;
  double between = evaluate(b, 1.0, 1.0)[0].largest_range;
  assert_true(fabs(between - 8.0) < 0.1 * fabs(plain - 8.0));
}

static void test_bins_hold_all_cycles(void** state) {
  bench* b = *state;
  sample_cycles(b, 0.1);
  const jloads_summary* e = evaluate(b, 1.0, 1.0);
  double width, count[7], sum = 0.0;
  assert_ok(b->ctx, jloads_evaluation_cycles(b->ctx, &b->found, 0, JLOADS_COUNT_RAINFLOW, 7, &width,
                                             count));
  assert_near(width, e[0].largest_range / 7.0, 0.0);
  for (int i = 0; i < 7; i++) {
    sum += count[i];
  }
  assert_near(sum, e[0].cycles, 1e-12);
  assert_true(count[6] > 0.0);
  // of nothing the width is as good as any
  assert_ok(b->ctx, jloads_evaluation_cycles(b->ctx, &b->found, 1, JLOADS_COUNT_RAINFLOW, 7, &width,
                                             count));
  assert_true(width > 0.0 && count[0] == 0.0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_bench, close_bench)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_loads_that_run_away_before_a_breakdown_do_not_count),
      TEST(test_loads_that_are_not_finite_do_not_count),
      TEST(test_runs_that_are_complete_count_whatever_they_say),
      TEST(test_a_run_without_samples_has_the_peaks_it_was_given),
      TEST(test_smooth_peaks_are_outside_of_the_elements_own_events),
      TEST(test_plain_drivers_peak_at_samples),
      TEST(test_other_drivers_peak_between_samples),
      TEST(test_damage_is_that_of_the_cycles),
      TEST(test_ranges_between_samples_are_nearer_to_the_truth),
      TEST(test_bins_hold_all_cycles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
