// SPDX-License-Identifier: Apache-2.0
// Looks into steps: oscillations that they do not show are found, those that they do show pass.
#include "solve/event/looks.h"

#include "solve/problems.h"

enum { N = 3 };
static const double largest[N] = {1, 1, 1};

// Margins of three switches, the last of which is offset - sin(w x + phase).
static void fill(double* s, double x, double w, double phase, double offset) {
  s[0] = 1;
  s[1] = 2 - x;
  s[2] = offset - sin(w * x + phase);
}

static int judge(jsolve_looks* l, int i, double w, double phase, double offset) {
  for (int j = 0; j < JSOLVE_LOOKS; j++)
    fill(jsolve_looks_next(l), j, w, phase, offset);
  fill(l->behind, i + jsolve_look_behind(i), w, phase, offset);
  return jsolve_looks_hidden(l, i, largest);
}

static void test_looks_resolved_oscillations_pass(void** state) {
  jarena a;
  jsolve_looks l;
  jarena_init(&a, context(state));
  assert_true(jsolve_looks_init(&l, &a, N, 1e-8));
  for (int k = 0; k < 100; k++) {
    assert_int_equal(judge(&l, 1 + k % 2, 0.3, 0.1 * k, 2), -1);
    assert_int_equal(judge(&l, 1 + k % 2, 0.05, 0.1 * k, 1.2), -1);
  }
  jarena_free(&a);
}

static void test_looks_hidden_oscillations_are_found(void** state) {
  jarena a;
  jsolve_looks l;
  jarena_init(&a, context(state));
  assert_true(jsolve_looks_init(&l, &a, N, 1e-8));
  int missed = 0;
  for (int k = 0; k < 4000; k++) {
    // also frequencies of which whole periods lie between looks
    double w = k % 2 ? 2 * 3.14159265358979323846 * (1 + k % 50) : 4 + 0.37 * k;
    int first = judge(&l, 1, w, 0.1 * k, 1.1), second = judge(&l, 2, w, 0.1 * k, 1.1);
    assert_true(first == -1 || first == 2);
    missed += first < 0 && second < 0;
  }
  assert_in_range(missed, 0, 40);
  jarena_free(&a);
}

static void test_looks_dips_between_them_are_found(void** state) {
  jarena a;
  jsolve_looks l;
  jarena_init(&a, context(state));
  assert_true(jsolve_looks_init(&l, &a, N, 1e-8));
  // the top of the sine, in the middle between looks 1 and 2, is beyond the offset; looks are not
  double phase = 0.5 * 3.14159265358979323846 - 0.4 * 1.5;
  assert_int_equal(judge(&l, 1, 0.4, phase, 0.99), 2);
  assert_true(jsolve_looks_near(&l));
  assert_int_equal(judge(&l, 1, 0.4, phase, 1.5), -1);
  assert_false(jsolve_looks_near(&l));
  jarena_free(&a);
}

static void test_looks_dips_beside_them_are_found(void** state) {
  // tops 1e-4 beyond the offset, of 0.028 rad: anywhere between looks 0.5 rad apart
  jarena a;
  jsolve_looks l;
  jarena_init(&a, context(state));
  assert_true(jsolve_looks_init(&l, &a, N, 1e-8));
  for (double x = 0.03; x < 3; x += 0.01) {
    double phase = 0.5 * 3.14159265358979323846 - 0.5 * x;
    if (fabs(x - 1) < 0.03 || fabs(x - 2) < 0.03 || x > 2.97) continue;  // looks that meet it
    assert_int_equal(judge(&l, 1, 0.5, phase, 1 - 1e-4), 2);
    assert_int_equal(judge(&l, 2, 0.5, phase, 1 - 1e-4), 2);
  }
  jarena_free(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_looks_resolved_oscillations_pass),
      fixture_test(test_looks_hidden_oscillations_are_found),
      fixture_test(test_looks_dips_between_them_are_found),
      fixture_test(test_looks_dips_beside_them_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
