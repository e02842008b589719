// SPDX-License-Identifier: Apache-2.0
// Sums over states: whatever registers they are compiled for, the bits are the same.
#include "solve/algebra/sums.h"

#include <math.h>

#include "support/fixture.h"

enum { STATES = 131, VECTORS = 8 };

typedef struct vectors {
  double v[VECTORS][STATES], abs_tol[STATES], use[STATES];
  double* k[VECTORS];
} vectors;

static void fill(vectors* s) {
  unsigned seed = 11;
  for (int i = 0; i < VECTORS * STATES; i++) {
    seed = seed * 1664525u + 1013904223u;
    s->v[i / STATES][i % STATES] = ldexp((double)seed / 4294967296.0 - 0.5, (int)(seed >> 8) % 12);
  }
  for (int i = 0; i < STATES; i++) {
    s->abs_tol[i] = 1e-3 + fabs(s->v[7][i]);
    s->use[i] = i % 5 != 3 ? 1.0 : 0.0;
  }
  for (int i = 0; i < VECTORS; i++) {
    s->k[i] = s->v[i];
  }
}

static void test_sums_of_slopes(void** state) {
  (void)state;
  static vectors s;
  fill(&s);
  double out[3][STATES];
  for (int terms = 0; terms <= JSOLVE_MAX_STAGES + 1; terms++) {
    jsolve_combination c = {.n = terms};
    for (int j = 0; j < terms; j++) {
      c.index[j] = terms - 1 - j;
      c.factor[j] = 0.3 - 0.17 * j;
    }
    for (int n = 1; n <= STATES; n += 13) {
      size_t bytes = (size_t)n * sizeof(double);
      jsolve_sums_plain()->combine(n, s.v[7], 0.07, &c, s.k, out[0]);
      jsolve_sums_choose()->combine(n, s.v[7], 0.07, &c, s.k, out[1]);
      jsolve_combine(n, s.v[7], 0.07, &c, s.k, out[2]);
      assert_memory_equal(out[0], out[1], bytes);
      assert_memory_equal(out[0], out[2], bytes);
    }
  }
}

static void test_sums_along_a_step(void** state) {
  (void)state;
  static vectors s;
  fill(&s);
  double out[2][STATES];
  jsolve_hermite h = {0.7, 0.3, 0.01, -0.02, 0.05, s.v[0], s.v[1], s.v[2], s.v[3], NULL};
  for (int k = 0; k < 2; k++, h.quartic = s.v[4]) {
    for (int n = 1; n <= STATES; n += 13) {
      jsolve_sums_plain()->hermite(n, &h, out[0]);
      jsolve_sums_choose()->hermite(n, &h, out[1]);
      assert_memory_equal(out[0], out[1], (size_t)n * sizeof(double));
    }
  }
}

static void test_sums_of_the_norm(void** state) {
  (void)state;
  static vectors s;
  fill(&s);
  for (int n = 1; n <= STATES; n += 13) {
    jsolve_weights w = {.n = n, .rel_tol = 0.1, .abs_tol = s.abs_tol, .use = s.use};
    w.ncontrolled = n / 2;
    double a = jsolve_sums_plain()->norm(&w, s.v[0], s.v[1], s.v[2]);
    assert_true(a > 0.0 && a == jsolve_sums_choose()->norm(&w, s.v[0], s.v[1], s.v[2]));
    assert_true(a == jsolve_norm(&w, s.v[0], s.v[1], s.v[2]));
  }
}

typedef struct switches {
  double mode[STATES], hysteresis[STATES], largest[STATES], floor[STATES], s[STATES];
  bool is_armed[STATES];
} switches;

static bool start(const jsolve_sums* by, switches* w, const double* g) {
  jsolve_margins m = {STATES, w->mode, w->hysteresis, w->largest, w->floor, w->is_armed};
  for (int i = 0; i < STATES; i++) {
    w->mode[i] = i % 3 == 0 ? 1.0 : 0.0;
    w->is_armed[i] = i % 7 == 0;
    w->largest[i] = 0.1 * i;
  }
  by->arm(&m, 1e-2, 1e-3, g);
  by->margins(&m, g, w->s);
  return by->has_crossed(STATES, w->s);
}

static void test_sums_of_switches(void** state) {
  (void)state;
  static vectors s;
  static switches a, b;
  fill(&s);
  s.v[0][5] = INFINITY;
  s.v[0][6] = NAN;
  s.v[0][8] = 0.0;
  assert_true(start(jsolve_sums_plain(), &a, s.v[0]));
  assert_true(start(jsolve_sums_choose(), &b, s.v[0]));
  assert_memory_equal(&a, &b, sizeof a);
  for (int i = 0; i < STATES; i++) {
    a.s[i] = 1e-300;
  }
  assert_false(jsolve_sums_choose()->has_crossed(STATES, a.s));
  a.s[STATES - 1] = 0.0;
  assert_true(jsolve_sums_choose()->has_crossed(STATES, a.s));
}

static void test_sums_find_what_is_not_finite(void** state) {
  (void)state;
  static vectors s;
  const double odd[] = {INFINITY, -INFINITY, NAN};
  fill(&s);
  for (int i = 0; i < STATES; i++) {
    double kept = s.v[0][i];
    s.v[0][i] = odd[i % 3];
    assert_false(jsolve_sums_plain()->is_finite(STATES, s.v[0]));
    assert_false(jsolve_sums_choose()->is_finite(STATES, s.v[0]));
    assert_true(jsolve_sums_choose()->is_finite(i, s.v[0]));
    s.v[0][i] = kept;
  }
  assert_true(jsolve_is_finite(STATES, s.v[0]));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sums_of_slopes),
      cmocka_unit_test(test_sums_along_a_step),
      cmocka_unit_test(test_sums_of_the_norm),
      cmocka_unit_test(test_sums_of_switches),
      cmocka_unit_test(test_sums_find_what_is_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
