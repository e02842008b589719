// SPDX-License-Identifier: Apache-2.0
// The tracked vehicle over a bump (models/tracked): the converged motion and loads of the reading
// "strict" of Critchley and Jayakumar (2010), as an independent solver found them, and what the four load
// drivers make of it.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loads/loads.h"
#include "plant/simulate.h"
#include "support/fixture.h"

#define MODEL  "models/tracked/bump.yaml"
#define NARM   10
#define LANDED 16.0  // the bump lies before, the landing after [s]

static fixture* load(const char* bump_start) {
  jmodel_setting set = {"bump_start", bump_start};
  return fixture_load(MODEL, &set, bump_start ? 1 : 0);
}

static double cell(const jplant_result* r, int row, const char* name) {
  for (int c = 0; c < r->ncolumn; c++) {
    if (strcmp(r->column[c].name, name) == 0) return r->row[row * r->ncolumn + c];
  }
  fail_msg("no column %s", name);
  return NAN;
}

static int row_at(const jplant_result* r, double t) {
  int best = 0;
  for (int i = 0; i < r->nrow; i++) {
    if (fabs(r->row[i * r->ncolumn] - t) < fabs(r->row[best * r->ncolumn] - t)) best = i;
  }
  assert_near(r->row[best * r->ncolumn], t, 1e-9);
  return best;
}

// start: z, pitch and arm angles; then positions [m] and angles [deg] as printed, to 1e-4
static void test_converged_motion(void** state) {
  (void)state;
  static const double table[4][7] = {
      {6, -0.000262, -0.002469, 0.851749, -11.797858, 0.377496, -0.002827},
      {12, 31.700565, -6.638119, 0.853633, -11.822427, -0.563960, 0},
      {14.5, 64.720713, -13.549877, 0.851949, -11.822427, 0.368227, 0},
      {20, 136.333241, -24.693436, 0.847471, -5.762748, 0.318134, -0.007337}};
  static const char* const name[6] = {"x", "y", "z", "yaw_deg", "pitch_deg", "roll_deg"};
  static const double arm[5] = {0.08024, 0.06217, 0.04410, 0.02601, 0.00792};
  fixture* f = load(NULL);
  jplant_result* r;
  fixture_build(f, NULL);
  jplant_simulate_options opt = jplant_simulate_options_default();
  opt.rel_tol = opt.abs_tol = 1e-9;
  assert_ok(f->ctx, jplant_simulate(f->ctx, f->plant, &opt, &r));
  assert_near(cell(r, 0, "x"), 0.0, 1e-12);
  assert_near(cell(r, 0, "z"), 0.851749, 1e-6);
  assert_near(cell(r, 0, "pitch_deg"), 0.3774, 1e-4);
  for (int i = 0; i < NARM; i++) {
    char coordinate[24];
    snprintf(coordinate, sizeof coordinate, "arm_%d.arm", i + 1);
    assert_near(cell(r, 0, coordinate), arm[i % 5], 1e-5);
  }
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 6; k++) {
      assert_near(cell(r, row_at(r, table[i][0]), name[k]), table[i][1 + k], 1e-4);
    }
  }
  jplant_result_destroy(r);
  fixture_close(f);
}

static jloads_result* run(jo_context* ctx, const jloads* l, jloads_driver driver, double step,
                          double tolerance, bool completes) {
  jloads_options opt = jloads_options_default(l->plant->model);
  opt.solve.driver = driver;
  opt.solve.step = step;
  opt.solve.tolerance = tolerance;
  jloads_result* r;
  jo_status status = jloads_run(ctx, l, &opt, &r);
  assert_non_null(r);
  assert_int_equal(status >= 0, completes);
  jo_context_clear(ctx);
  return r;
}

// Largest moment of arm 1 at the bump, as sampled [kN m].
static double bump_peak(const jloads_result* r) {
  double peak = 0.0;
  for (int i = 0; i < r->nsample; i++) {
    const double* s = r->sample + (size_t)i * (size_t)(1 + r->ne);
    if (s[0] < LANDED && s[1] < peak) peak = s[1];
  }
  return 1e-3 * peak;
}

typedef struct bench {
  fixture* base;
  jo_context* ctx;
  jmodel* m;
  jloads* l;
  jloads_result* truth;  // adaptive, converged
} bench;

static void open_bench(bench* b, const char* bump_start, double tolerance) {
  b->base = load(bump_start);
  b->ctx = b->base->ctx;
  b->m = b->base->m;
  assert_ok(b->ctx, jloads_create(b->ctx, b->m, NULL, &b->l));
  b->truth = run(b->ctx, b->l, JLOADS_DRIVER_ADAPTIVE, 0.01, tolerance, true);
}

static void close_bench(bench* b) {
  jloads_result_destroy(b->truth);
  jloads_destroy(b->l);
  fixture_close(b->base);
}

static void test_peaks_of_plain_drivers(void** state) {
  (void)state;
  bench b;
  open_bench(&b, NULL, 1e-8);
  assert_near(bump_peak(b.truth), -144.91, 0.05);
  assert_near(b.truth->peak[0].t, 14.758, 1e-3);

  // the paper's tolerance: about 13.9 k evaluations (5 %), smallest step near the landing
  jloads_result* r = run(b.ctx, b.l, JLOADS_DRIVER_ADAPTIVE, 0.01, 1e-3, true);
  assert_near(r->statistics.evaluations, 13.9e3, 0.05 * 13.9e3);
  assert_near(bump_peak(r), -144.8, 0.1);
  assert_near(r->statistics.t_smallest, 16.6, 0.1);
  jloads_result_destroy(r);

  // fixed steps: the printed peaks to 0.1 kN m; at 200 Hz the landing is not survived
  static const double rate[3] = {200, 500, 1000}, peak[3] = {-125.6, -140.7, -142.7};
  for (int i = 0; i < 3; i++) {
    r = run(b.ctx, b.l, JLOADS_DRIVER_FIXED, 1.0 / rate[i], 1e-3, i > 0);
    assert_near(bump_peak(r), peak[i], 0.1);
    if (i == 0) assert_near(r->t_end, 16.8, 0.05);
    jloads_result_destroy(r);
  }
  close_bench(&b);
}

// Every arm within 1 %, hull within 2 cm and 0.1 deg, at a bounded cost.
static void check_subcycle(bench* b, double rate, double cost) {
  jloads_result* r = run(b->ctx, b->l, JLOADS_DRIVER_SUBCYCLE, 1.0 / rate, 1e-3, true);
  for (int e = 0; e < NARM; e++) {
    assert_near(r->peak[e].value, b->truth->peak[e].value, 0.01 * fabs(b->truth->peak[e].value));
  }
  for (int i = 0; i < 3; i++) {
    assert_near(r->out_end[i], b->truth->out_end[i], 0.02);
  }
  assert_near(r->out_end[3], b->truth->out_end[3], 0.1);
  double ratio = r->statistics.evaluations / (3.0 * (double)r->statistics.steps);
  assert_in_range((int)(1000.0 * ratio), 1000, (int)(1000.0 * cost));
  assert_true(r->statistics.worst_step <= r->statistics.guaranteed);
  jloads_result_destroy(r);
}

static void test_subcycle(void** state) {
  (void)state;
  bench b;
  open_bench(&b, NULL, 1e-8);
  check_subcycle(&b, 200, 1.6);
  check_subcycle(&b, 500, 1.3);
  check_subcycle(&b, 1000, 1.15);
  close_bench(&b);
}

static void test_subcycle_at_shifted_bumps(void** state) {
  (void)state;
  for (int i = 1; i <= 20; i++) {
    char start[32];
    snprintf(start, sizeof start, "%.17g", 70.0 + 0.23 * i);
    bench b;
    open_bench(&b, start, 1e-6);
    check_subcycle(&b, 200, 1.6);
    close_bench(&b);
  }
}

// The paper's scheme: the first impact of arm 1 comes out within 1 % from the state its first flag
// recorded. At 200 Hz arm 1 is flagged 90 ms before the impact, and a mass matrix frozen for that long
// costs 2.2 %. Later impacts are not to be trusted: arms flagged step after step stay where they are.
static void test_impulsive(void** state) {
  (void)state;
  bench b;
  open_bench(&b, NULL, 1e-6);
  static const double rate[3] = {200, 500, 1000}, error[3] = {0.025, 0.01, 0.01};
  for (int i = 0; i < 3; i++) {
    jloads_options opt = jloads_options_default(b.m);
    opt.solve.driver = JLOADS_DRIVER_IMPULSIVE;
    opt.solve.step = 1.0 / rate[i];
    jloads_result* r;
    jloads_run(b.ctx, b.l, &opt, &r);
    assert_non_null(r);
    int first = 0;
    while (first < r->nevent && r->event[first].element != 0) {
      first++;
    }
    assert_true(first < r->nevent);
    assert_near(r->event[first].reconstructed, -144.91e3, error[i] * 144.91e3);
    // the motion is lost: a heading off by degrees
    assert_true(fabs(r->out_end[3] - b.truth->out_end[3]) > 1.0);
    jloads_result_destroy(r);
    jo_context_clear(b.ctx);
  }
  close_bench(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_converged_motion), cmocka_unit_test(test_peaks_of_plain_drivers),
      cmocka_unit_test(test_subcycle),         cmocka_unit_test(test_subcycle_at_shifted_bumps),
      cmocka_unit_test(test_impulsive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
