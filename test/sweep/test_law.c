// SPDX-License-Identifier: Apache-2.0
// Distributions: the normal one against libm, moments of laws against their formulas, ends, refusals.
#include "sweep/law.h"

#include "support/fixture.h"

#define LAW(kind_, from_, to_, mean_, deviation_) \
  { .kind = kind_, .from = from_, .to = to_, .mean = mean_, .deviation = deviation_ }

static void test_law_normal_is_that_of_libm(void** state) {
  (void)state;
  for (double z = -37; z <= 9; z += 0.01) {
    // the rounding of the argument is z^2 ulps in the tail, of either; the difference from 1/2 loses a digit
    double expected = 0.5 * erfc(-z / sqrt(2)), tolerance = (20 + z * z) * 6e-16;
    assert_near(jsweep_normal(z), expected, tolerance * expected);
  }
}

static void test_law_inverse_is_the_inverse(void** state) {
  (void)state;
  assert_true(jsweep_normal_inverse(0.5) == 0);
  // known to 16 digits
  assert_near(jsweep_normal_inverse(0.975), 1.959963984540054, 4e-15);
  assert_near(jsweep_normal_inverse(1e-300), -37.0471, 1e-4);
  for (double p = 1e-300; p < 0.5; p *= 1.7) {
    double z = jsweep_normal_inverse(p);
    assert_near(jsweep_normal(z), p, (20 + z * z) * 6e-16 * p);
    if (p > 1e-3) assert_near(jsweep_normal_inverse(1 - p), -z, 1e-12);
  }
}

typedef struct moments {
  double mean, deviation;
} moments;

// By the midpoint rule in u: bounded laws converge fast, tails of others cost the third digit.
static moments measure(const jsweep_law* l) {
  enum { N = 200000 };
  double sum = 0, square = 0;
  for (int i = 0; i < N; i++) {
    double x = jsweep_law_at(l, (i + 0.5) / N);
    assert_true(x >= l->from && x <= l->to);
    sum += x;
    square += x * x;
  }
  double mean = sum / N;
  return (moments){mean, sqrt(square / N - mean * mean)};
}

static void test_law_moments(void** state) {
  fixture* f = *state;
  jsweep_law uniform = {.from = 2, .to = 5};
  jsweep_law normal = LAW(JSWEEP_NORMAL, -INFINITY, INFINITY, 7, 2);
  jsweep_law lognormal = LAW(JSWEEP_LOGNORMAL, -INFINITY, INFINITY, 7, 2);
  assert_ok(f->ctx, jsweep_law_set(f->ctx, "a", &uniform));
  assert_ok(f->ctx, jsweep_law_set(f->ctx, "a", &normal));
  assert_ok(f->ctx, jsweep_law_set(f->ctx, "a", &lognormal));
  moments u = measure(&uniform), n = measure(&normal), l = measure(&lognormal);
  assert_near(u.mean, 3.5, 1e-9);
  assert_near(u.deviation, 3 / sqrt(12), 1e-9);
  assert_near(n.mean, 7, 1e-9);
  assert_near(n.deviation, 2, 1e-4);
  assert_near(l.mean, 7, 1e-4);
  assert_near(l.deviation, 2, 1e-3);
  // half a normal law: mean sqrt(2/pi) above the centre
  jsweep_law half = LAW(JSWEEP_NORMAL, 7, INFINITY, 7, 2);
  assert_ok(f->ctx, jsweep_law_set(f->ctx, "a", &half));
  assert_near(measure(&half).mean, 7 + 2 * sqrt(2 / acos(-1)), 1e-4);
  // far out on either side the law still has its digits: above 8 deviations it falls off like exp(-8 z)
  for (int sign = -1; sign <= 1; sign += 2) {
    jsweep_law far = LAW(JSWEEP_NORMAL, sign > 0 ? 8 : -9, sign > 0 ? 9 : -8, 0, 1);
    assert_ok(f->ctx, jsweep_law_set(f->ctx, "a", &far));
    assert_near(measure(&far).mean, sign * 8.1213, 1e-3);
  }
}

// The variance of x itself is the least the inequality allows; equality of a normal law, pi^2/12 of a uniform one.
static void test_law_poincare_bounds_the_variance(void** state) {
  fixture* f = *state;
  const jsweep_law laws[] = {{.from = 2, .to = 5},
                             LAW(JSWEEP_NORMAL, -INFINITY, INFINITY, 7, 2),
                             LAW(JSWEEP_NORMAL, 5, 10, 7, 2),
                             LAW(JSWEEP_NORMAL, 6.9, 7.1, 7, 2)};
  for (int i = 0; i < 4; i++) {
    jsweep_law l = laws[i];
    assert_ok(f->ctx, jsweep_law_set(f->ctx, "a", &l));
    double deviation = measure(&l).deviation;
    assert_true(jsweep_law_poincare(&l) >= deviation * deviation * (1 - 1e-4));
    assert_true(jsweep_law_poincare(&l) <= 2.2 * deviation * deviation);
  }
}

static void test_law_mistakes_are_named(void** state) {
  fixture* f = *state;
  static const struct {
    jsweep_law law;
    const char* part;
  } bad[] = {{{.from = 0, .to = INFINITY}, "must be finite"},
             {LAW(JSWEEP_NORMAL, 0, 1, NAN, 1), "its mean must be finite"},
             {LAW(JSWEEP_NORMAL, 0, 1, 1, 0), "positive"},
             {LAW(JSWEEP_NORMAL, 0, 0, 1, 1), "the second must be larger"},
             {LAW(JSWEEP_NORMAL, 1e3, 2e3, 0, 1), "nothing of its distribution"},
             {LAW(JSWEEP_LOGNORMAL, -2, -1, 1, 1), "nothing of its distribution"},
             {LAW(JSWEEP_LOGNORMAL, 0, 1, -1, 1), "must be positive"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    jsweep_law l = bad[i].law;
    assert_refused(f->ctx, jsweep_law_set(f->ctx, "a", &l), JO_ERR_ARGUMENT, "parameter 'a'",
                   bad[i].part);
    jo_context_clear(f->ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_law_normal_is_that_of_libm),
      cmocka_unit_test(test_law_inverse_is_the_inverse),
      cmocka_unit_test_setup_teardown(test_law_moments, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(test_law_poincare_bounds_the_variance, fixture_setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(test_law_mistakes_are_named, fixture_setup, fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
