// SPDX-License-Identifier: Apache-2.0
// The error norm is the sum it is said to be, for any number of states; values that are not finite are found.
#include "solve/algebra/norm.h"

#include "support/fixture.h"
#include "support/random_graph.h"

enum { MAX = 13 };

static void test_norm_is_the_weighted_root_mean_square(void** state) {
  fixture* f = *state;
  random_source source;
  random_seed(&source, 191);
  for (int n = 1; n <= MAX; n++) {
    double v[MAX], a[MAX], b[MAX], scale[MAX], sum = 0.0;
    int m = 0;
    for (int i = 0; i < n; i++) {
      v[i] = random_uniform(&source, -1.0, 1.0);
      a[i] = random_uniform(&source, -3.0, 3.0);
      b[i] = random_uniform(&source, -3.0, 3.0);
      scale[i] = i % 3 == 1 ? 0.0 : random_uniform(&source, 0.1, 10.0);
      if (scale[i] == 0.0) continue;
      m++;
      sum += pow(v[i] / (1e-3 * scale[i] + 1e-2 * fmax(fabs(a[i]), fabs(b[i]))), 2);
    }
    jsolve_weights w;
    assert_true(jsolve_weights_init(&w, &f->a, n, scale, 1e-2, 1e-3));
    assert_int_equal(w.ncontrolled, m);
    assert_near(jsolve_norm(&w, v, a, b), sqrt(sum / m), 1e-13 * sqrt(sum / m));
    // the same whichever end is larger
    assert_near(jsolve_norm(&w, v, b, a), jsolve_norm(&w, v, a, b), 0.0);
  }
}

// One where the tolerances are used up, zero where nothing is controlled, homogeneous in between.
static void test_norm_is_one_at_the_tolerance(void** state) {
  fixture* f = *state;
  const double y[3] = {2.0, -4.0, 0.0}, error[3] = {0.1 + 0.02, 0.1 + 0.04, 0.1}, none[3] = {0};
  jsolve_weights w;
  assert_true(jsolve_weights_init(&w, &f->a, 3, NULL, 0.01, 0.1));
  assert_near(jsolve_norm(&w, error, y, y), 1.0, 1e-15);
  double twice[3] = {2.0 * error[0], 2.0 * error[1], 2.0 * error[2]};
  assert_near(jsolve_norm(&w, twice, y, y), 2.0, 1e-15);
  assert_true(jsolve_weights_init(&w, &f->a, 3, none, 0.01, 0.1));
  assert_near(jsolve_norm(&w, error, y, y), 0.0, 0.0);
}

static void test_norm_finds_what_is_not_finite(void** state) {
  (void)state;
  static const double wrong[] = {NAN, INFINITY, -INFINITY};
  for (int n = 1; n <= MAX; n++) {
    double v[MAX];
    for (int i = 0; i < n; i++) {
      v[i] = i % 2 ? 1e308 : -5e-324;
    }
    assert_true(jsolve_is_finite(n, v));
    assert_int_equal(jsolve_first_not_finite(n, v), -1);
    for (int i = 0; i < n; i++) {
      double old = v[i];
      v[i] = wrong[i % 3];
      assert_false(jsolve_is_finite(n, v));
      assert_int_equal(jsolve_first_not_finite(n, v), i);
      v[i] = old;
    }
  }
}

static void test_norm_says_when_memory_is_exhausted(void** state) {
  fixture* f = *state;
  jsolve_weights w;
  jarena a;
  jarena_init(&a, f->ctx);
  f->memory.fail_at = f->memory.calls;
  assert_false(jsolve_weights_init(&w, &a, MAX, NULL, 1e-6, 1e-6));
  f->memory.fail_at = -1;
  jarena_free(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_norm_is_the_weighted_root_mean_square),
      fixture_test(test_norm_is_one_at_the_tolerance),
      fixture_test(test_norm_finds_what_is_not_finite),
      fixture_test(test_norm_says_when_memory_is_exhausted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
