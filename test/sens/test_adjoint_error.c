// SPDX-License-Identifier: Apache-2.0
// Errors of weights, and whether derivatives show them: a run is repeated only if they do.
#include "support/gradient.h"

// The rack begins to steer at 1 s. Steps that follow are at the limit of stability, and errors of weights of the roll are several
// times as large as the weights. They decay within a few steps.
static void open_lane_change(gradient* g) {
  static const char* const five[] = {"k_f", "c_f", "k_r", "c_r", "m_c"};
  gradient_open(g, "models/buggy/double_lane_change.yaml", NULL, 0, five, 5, JKERNEL_AUTO);
  g->opt.keep = true;
}

static double roughest(const jsens_result* r) {
  double most = 0.0;
  for (int i = 0; i < r->nentry; i++) {
    most = fmax(most, r->rough[i]);
  }
  return most;
}

static jsens_result* derive(gradient* g, double tolerance, jsens_method method) {
  g->opt.solve.rel_tol = g->opt.solve.abs_tol = tolerance;
  return gradient_run(g, method, false);
}

static void test_errors_of_weights_that_decay_repeat_no_run(void** state) {
  (void)state;
  gradient g;
  open_lane_change(&g);
  jsens_result *r = derive(&g, 1e-6, JSENS_ADJOINT), *direct = derive(&g, 1e-6, JSENS_DIRECT);
  jsens_result* fine = derive(&g, 1e-10, JSENS_ADJOINT);
  assert_true(roughest(r) > 1.0);
  assert_int_equal(r->passes, 1);
  assert_int_equal(direct->passes, 1);
  for (int j = 0; j < r->nw; j++) {
    double size = fabs(r->gradient[j]);
    assert_near(r->gradient[j] / size, direct->gradient[j] / size,
                1e-11);  // rounding of 1400 steps
    assert_true(fabs(r->gradient[j] - fine->gradient[j]) < r->gradient_error[j]);
  }
  jsens_result_destroy(r);
  jsens_result_destroy(direct);
  jsens_result_destroy(fine);
  gradient_close(&g);
}

static void test_errors_of_weights_that_derivatives_show_repeat_it(void** state) {
  (void)state;
  gradient g;
  open_lane_change(&g);
  jsens_result *r = derive(&g, 1e-5, JSENS_ADJOINT), *fine = derive(&g, 1e-10, JSENS_ADJOINT);
  assert_true(r->passes > 1);
  assert_true(roughest(r) < 0.5);
  for (int j = 0; j < r->nw; j++) {
    assert_true(fabs(r->gradient[j] - fine->gradient[j]) < r->gradient_error[j]);
  }
  jsens_result_destroy(r);
  jsens_result_destroy(fine);
  gradient_close(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_errors_of_weights_that_decay_repeat_no_run),
      cmocka_unit_test(test_errors_of_weights_that_derivatives_show_repeat_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
