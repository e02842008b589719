// SPDX-License-Identifier: Apache-2.0
// Bounds over an interval of time contain the values and slopes at every instant of it, and are those values at a point.
#include "solve/event/enclose.h"

#include "base/elementary.h"
#include "solve/problems.h"

enum { SAMPLES = 60, INTERVALS = 400 };

// Two lines in time, x = a + b t and y = c + d t, and one operator of them.
static const double line[4] = {0.3, 1.7, -0.4, 0.9};

static double apply(int op, double x, double y) {
  switch (op) {
    case JSOLVE_ENCLOSE_ADD: return x + y;
    case JSOLVE_ENCLOSE_SUB: return x - y;
    case JSOLVE_ENCLOSE_MUL: return x * y;
    case JSOLVE_ENCLOSE_DIV: return x / y;
    case JSOLVE_ENCLOSE_NEG: return -x;
    case JSOLVE_ENCLOSE_SQRT: return sqrt(x);
    case JSOLVE_ENCLOSE_POW: return jm_pow(x, y);
    case JSOLVE_ENCLOSE_EXP: return jm_exp(x);
    case JSOLVE_ENCLOSE_LOG: return jm_log(x);
    case JSOLVE_ENCLOSE_SIN: return jm_sin(x);
    case JSOLVE_ENCLOSE_COS: return jm_cos(x);
    case JSOLVE_ENCLOSE_TAN: return jm_tan(x);
    case JSOLVE_ENCLOSE_ASIN: return jm_asin(x);
    case JSOLVE_ENCLOSE_ACOS: return jm_acos(x);
    case JSOLVE_ENCLOSE_ATAN: return jm_atan(x);
    case JSOLVE_ENCLOSE_ATAN2: return jm_atan2(x, y);
    case JSOLVE_ENCLOSE_SINH: return jm_sinh(x);
    case JSOLVE_ENCLOSE_COSH: return jm_cosh(x);
    case JSOLVE_ENCLOSE_TANH: return jm_tanh(x);
    case JSOLVE_ENCLOSE_ABS: return fabs(x);
    case JSOLVE_ENCLOSE_SIGN: return (x > 0) - (x < 0);
    case JSOLVE_ENCLOSE_FLOOR: return floor(x);
    case JSOLVE_ENCLOSE_LT: return x < y;
    case JSOLVE_ENCLOSE_LE: return x <= y;
    case JSOLVE_ENCLOSE_EQ: return x == y;
    case JSOLVE_ENCLOSE_MIN: return x < y ? x : y;
    case JSOLVE_ENCLOSE_MAX: return x > y ? x : y;
    default: return x != 0 ? y : x - y;  // select(x, y, x - y)
  }
}

// x, y and x - y are instructions 3, 4 and 5, the operator is 6.
static jsolve_range bounds(int op, double a, double b, double c, double d, double t0, double t1) {
  const double constant[] = {a, b, c, d};
  const int code[] = {JSOLVE_ENCLOSE_TIME,
                      0,
                      0,
                      0,
                      JSOLVE_ENCLOSE_CONSTANT,
                      1,
                      0,
                      0,
                      JSOLVE_ENCLOSE_CONSTANT,
                      0,
                      0,
                      0,
                      JSOLVE_ENCLOSE_MUL,
                      0,
                      1,
                      0,
                      JSOLVE_ENCLOSE_ADD,
                      2,
                      3,
                      0,
                      JSOLVE_ENCLOSE_CONSTANT,
                      3,
                      0,
                      0,
                      JSOLVE_ENCLOSE_CONSTANT,
                      2,
                      0,
                      0,
                      JSOLVE_ENCLOSE_MUL,
                      0,
                      5,
                      0,
                      JSOLVE_ENCLOSE_ADD,
                      6,
                      7,
                      0,
                      JSOLVE_ENCLOSE_SUB,
                      4,
                      8,
                      0,
                      op,
                      4,
                      8,
                      9};
  const jsolve_enclosure e = {.n = 11, .code = code, .nconstant = 4, .constant = constant};
  const jsolve_enclose_inputs in = {0};
  jsolve_range out[11];
  jsolve_enclose(&e, &in, t0, t1, out);
  return out[10];
}

static double random_in(uint64_t* seed, double lo, double hi) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return lo + (hi - lo) * (double)(*seed >> 11) / 9007199254740992.0;
}

static void check(int op, const double* k, double t0, double t1) {
  jsolve_range r = bounds(op, k[0], k[1], k[2], k[3], t0, t1);
  assert_true(r.lo <= r.hi && r.rate_lo <= r.rate_hi);
  double last = NAN, step = (t1 - t0) / SAMPLES;
  for (int i = 0; i <= SAMPLES; i++) {
    double t = i < SAMPLES ? t0 + i * step : t1;
    double f = apply(op, k[0] + k[1] * t, k[2] + k[3] * t);
    if (f == f && !(r.lo <= f && f <= r.hi)) fail_msg("operator %d at %.17g: %.17g", op, t, f);
    // what is not a number on the way, or rounding, says nothing of slopes
    double slope = (f - last) / step, noise = 1e-14 * (fabs(f) + 1) / step;
    if (slope == slope && isfinite(slope) && i < SAMPLES &&
        !(r.rate_lo <= slope + noise && slope - noise <= r.rate_hi))
      fail_msg("operator %d at %.17g: slope %.17g not in %g ... %g", op, t, slope, r.rate_lo,
               r.rate_hi);
    last = f;
  }
}

static void test_enclose_contains_all_values_and_slopes(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int op = JSOLVE_ENCLOSE_ADD; op <= JSOLVE_ENCLOSE_SELECT; op++) {
    check(op, line, 0, 1);
    for (int n = 0; n < INTERVALS; n++) {
      double k[4], size = pow(10, random_in(&seed, -2, 2));
      for (int i = 0; i < 4; i++)
        k[i] = random_in(&seed, -3, 3) * (i % 2 ? size : 1);
      double t0 = random_in(&seed, -2, 2);
      check(op, k, t0, t0 + pow(10, random_in(&seed, -6, 0)));
    }
  }
}

static void test_enclose_meets_extremes_of_waves(void** state) {
  (void)state;
  // a top of sin(w t) stands inside, however far away it is
  const double w = 2e6, pi = 3.14159265358979323846;
  for (int n = 0; n < 200; n++) {
    double top = (0.5 * pi + 2 * pi * (1 + n * 1e6)) / w, near = 1e-8 + 2e-15 * top;
    jsolve_range r = bounds(JSOLVE_ENCLOSE_SIN, 0, w, 0, 0, top - near, top + near);
    assert_true(r.hi >= 1.0 && r.lo > 0.9);
    r = bounds(JSOLVE_ENCLOSE_COS, 0, w, 0, 0, top - near, top + near);
    assert_true(r.lo <= 0.0 && r.hi >= 0.0 && r.lo > -0.5);
  }
}

static void test_enclose_is_tight_where_intervals_are_short(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int n = 0; n < INTERVALS; n++) {
    double t = random_in(&seed, -2, 2), h = 1e-9;
    jsolve_range r = bounds(JSOLVE_ENCLOSE_SIN, 0, 3, 0, 0, t, t + h);
    assert_true(r.hi - r.lo <= 3 * h * 1.01 + 1e-14);
    assert_true(r.rate_hi - r.rate_lo <= 9 * h * 1.01 + 1e-13);
  }
}

static void test_enclose_unknown_values_stay_unknown(void** state) {
  (void)state;
  // 1/t over zero, log of something negative, tan over a pole
  jsolve_range r = bounds(JSOLVE_ENCLOSE_DIV, 1, 0, 0, 1, -1, 1);
  assert_true(r.lo == -INFINITY && r.hi == INFINITY);
  r = bounds(JSOLVE_ENCLOSE_LOG, -2, 0.1, 0, 0, 0, 1);
  assert_true(r.lo == -INFINITY && r.hi == INFINITY);
  r = bounds(JSOLVE_ENCLOSE_TAN, 0, 1, 0, 0, 1, 2);
  assert_true(r.lo == -INFINITY && r.hi == INFINITY && r.rate_hi == INFINITY);
}

// list: x, then 0, 1, 2, 3
static jsolve_range lookup(bool picks, double t0, double t1) {
  const double constant[] = {0, 1, 2, 3};
  const int code[] = {JSOLVE_ENCLOSE_TIME,     0, 0, 0, JSOLVE_ENCLOSE_CONSTANT, 0, 0, 0,
                      JSOLVE_ENCLOSE_CONSTANT, 1, 0, 0, JSOLVE_ENCLOSE_CONSTANT, 2, 0, 0,
                      JSOLVE_ENCLOSE_CONSTANT, 3, 0, 0, JSOLVE_ENCLOSE_LOCATE,   0, 5, 0,
                      JSOLVE_ENCLOSE_PICK,     5, 5, 0};
  const int list[] = {0, 1, 2, 3, 4, 5, 4, 3, 2, 1};
  const jsolve_enclosure e = {
      .n = 7, .code = code, .nconstant = 4, .nlist = 10, .constant = constant, .list = list};
  const jsolve_enclose_inputs in = {0};
  jsolve_range out[7];
  jsolve_enclose(&e, &in, t0, t1, out);
  return out[picks ? 6 : 5];
}

static void test_enclose_tables(void** state) {
  (void)state;
  jsolve_range r = lookup(false, 0.5, 1.5);
  assert_true(r.lo == 0 && r.hi == 1 && r.rate_hi == INFINITY);
  r = lookup(false, -5, 0.9);
  assert_true(r.lo == 0 && r.hi == 0 && r.rate_hi == 0);
  r = lookup(false, 2.5, 9);
  assert_true(r.lo == 2 && r.hi == 2);
  r = lookup(true, 0.5, 1.5);
  assert_true(r.lo == 2 && r.hi == 3 && r.rate_hi == INFINITY);
  r = lookup(true, 1.1, 1.5);
  assert_true(r.lo == 2 && r.hi == 2 && r.rate_hi == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_enclose_contains_all_values_and_slopes),
      cmocka_unit_test(test_enclose_meets_extremes_of_waves),
      cmocka_unit_test(test_enclose_is_tight_where_intervals_are_short),
      cmocka_unit_test(test_enclose_unknown_values_stay_unknown),
      cmocka_unit_test(test_enclose_tables),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
