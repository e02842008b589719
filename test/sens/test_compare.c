// SPDX-License-Identifier: Apache-2.0
// Error estimates from a run with halved steps: true errors are below them and not far below, by either method.
#include "sens/error/compare.h"

#include <math.h>

#include "base/text/format.h"
#include "support/gradient.h"

#define FAR   30.0   // largest estimate over error that is asked for, of the largest error of a run
#define EXACT 1e-12  // tolerance of the reference

static const char* const number[] = {"m", "l", "k", "stop", "start"};
enum { COUNT = sizeof number / sizeof *number };

static void open_pendulum(gradient* g) {
  gradient_open(g, "test/models/sens_pendulum.yaml", NULL, 0, number, COUNT, JKERNEL_INTERP);
  g->opt.compare = g->opt.keep = g->opt.keep_other = true;
}

static jsens_result* run_at(gradient* g, jsens_method method, double tolerance) {
  g->opt.solve.rel_tol = g->opt.solve.abs_tol = tolerance;
  return gradient_run(g, method, false);
}

// Relative to the objective by the size of the parameter.
static double part(const jsens_result* r, int at, double x) {
  return fabs(x) * r->unit[at % r->nw] / fmax(fabs(r->value[at / r->nw]), 1e-3);
}

static void check_errors(const jsens_result* r, const jsens_result* exact) {
  double error = 0.0, estimate = 0.0;
  for (int i = 0; i < r->nobjective * r->nw; i++) {
    double off = fabs(r->gradient[i] - exact->gradient[i]);
    assert_true(off <= r->gradient_error[i] + exact->gradient_error[i]);
    error = fmax(error, part(r, i, off));
    estimate = fmax(estimate, part(r, i, r->gradient_error[i]));
  }
  assert_true(estimate <= FAR * error);
  for (int i = 0; i < r->nobjective; i++) {
    assert_true(fabs(r->value[i] - exact->value[i]) <= r->value_error[i] + exact->value_error[i]);
  }
}

static void test_compare_errors_hold_and_are_close(void** state) {
  (void)state;
  static const double tolerance[] = {1e-9, 1e-7, 1e-4};
  gradient g;
  open_pendulum(&g);
  jsens_result* exact = run_at(&g, JSENS_DIRECT, EXACT);
  for (int i = 0; i < 3; i++) {
    for (int method = 0; method < 2; method++) {
      jsens_result* r = run_at(&g, (jsens_method)method, tolerance[i]);
      assert_int_equal(r->comparison, JSENS_HALVED);
      check_errors(r, exact);
      jsens_result_destroy(r);
    }
  }
  jsens_result_destroy(exact);
  gradient_close(&g);
}

static void test_compare_halved_runs_take_twice_the_steps(void** state) {
  (void)state;
  gradient g;
  open_pendulum(&g);
  jsens_result* r = run_at(&g, JSENS_DIRECT, 1e-4);
  int64_t n = r->statistics.steps, other = r->other->statistics.steps;
  assert_true(other > 2 * n - 2 * (r->nevent + 1) && other <= 2 * n + r->nevent);
  assert_int_equal(r->nevent, r->other->nevent);
  jsens_result_destroy(r);
  gradient_close(&g);
}

// Derivatives of where a ball is after one bounce at tau = sqrt(2 h/g), with respect to h and e:
//   z = g (e tau s - s^2/2),   s = T - tau
// Steps are exact: errors are those of the event's time, the same part of its tolerance in both runs as often as not.
static void test_compare_errors_have_the_location_of_events(void** state) {
  (void)state;
  static const char* const of_ball[] = {"h", "e"};
  const double G = 9.81, T = 0.643, e = 0.91;
  for (int i = 0; i < 24; i++) {
    char height[16];
    double h = 0.3 + 0.01 * i, tau = sqrt(2.0 * h / G), s = T - tau;
    jformat(height, sizeof height, "%.2f", h);
    jmodel_setting set = {"h", height};
    gradient g;
    gradient_open(&g, "test/models/sens_ball.yaml", &set, 1, of_ball, 2, JKERNEL_INTERP);
    g.opt.compare = true;
    jsens_result* r = run_at(&g, JSENS_DIRECT, 1e-8);
    double exact[2] = {G * (e * (s - tau) + s) * tau / (2.0 * h), G * tau * s};
    for (int j = 0; j < 2; j++) {
      assert_true(fabs(r->gradient[j] - exact[j]) <= r->gradient_error[j]);
      assert_true(part(r, j, r->gradient_error[j]) <= 1e-9);
    }
    jsens_result_destroy(r);
    gradient_close(&g);
  }
}

// Both methods along the same runs have the same derivatives, and so the same differences of them.
static void test_compare_errors_are_those_of_both_methods(void** state) {
  (void)state;
  gradient g;
  open_pendulum(&g);
  jsens_result *r = run_at(&g, JSENS_DIRECT, 1e-7), *other;
  assert_ok(g.ctx, jsens_walk_again(g.ctx, gradient_sens(&g), r, JSENS_ADJOINT, false, &other));
  for (int i = 0; i < r->nobjective * r->nw; i++) {
    double apart = part(r, i, r->gradient_error[i] - other->gradient_error[i]);
    assert_true(apart <= 1e-3 * part(r, i, r->gradient_error[i]) + 1e-12);
  }
  jsens_result_destroy(other);
  jsens_result_destroy(r);
  gradient_close(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_compare_errors_hold_and_are_close),
      cmocka_unit_test(test_compare_halved_runs_take_twice_the_steps),
      cmocka_unit_test(test_compare_errors_have_the_location_of_events),
      cmocka_unit_test(test_compare_errors_are_those_of_both_methods),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
