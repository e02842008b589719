// SPDX-License-Identifier: Apache-2.0
// Arithmetic on lanes: whatever registers it is compiled for, the bits are those of one number after another.
#include "sens/lanes.h"

#include <math.h>
#include <stdlib.h>

#include "support/fixture.h"

enum { STATES = 131, LANES = 8, N = STATES * LANES };

static double* noise(int n, unsigned seed) {
  double* x = malloc((size_t)n * sizeof *x);
  assert_non_null(x);
  for (int i = 0; i < n; i++) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = ldexp((double)seed / 4294967296.0 - 0.5, (int)(seed >> 8) % 12);
  }
  return x;
}

typedef struct vectors {
  bool use[STATES];
  double* nominal;
  double* v[8];
  jsens_lane_scales scales;
} vectors;

static void open_vectors(vectors* s) {
  s->nominal = noise(STATES, 7);
  for (int i = 0; i < STATES; i++) {
    s->nominal[i] = fabs(s->nominal[i]) + 0.01;
    s->use[i] = i % 5 != 3;
  }
  for (int i = 0; i < 8; i++) {
    s->v[i] = noise(N, 100u + (unsigned)i);
  }
  s->scales = jsens_lane_scales_of(STATES, s->use, s->nominal);
}

static void close_vectors(vectors* s) {
  free(s->nominal);
  for (int i = 0; i < 8; i++) {
    free(s->v[i]);
  }
}

// Sums of slopes as the integrator has them, at any length.
static void test_combinations_are_those_of_the_integrator(void** state) {
  (void)state;
  vectors s;
  open_vectors(&s);
  double out[2][N];
  for (int terms = 0; terms <= JSOLVE_MAX_STAGES + 1; terms++) {
    jsolve_combination c = {.n = terms};
    for (int j = 0; j < terms; j++) {
      c.index[j] = terms - 1 - j;
      c.factor[j] = 0.3 - 0.17 * j;
    }
    for (int n = 1; n <= N; n = 3 * n + 2) {
      jsens_lanes_choose()->combine(n, s.v[7], 0.013, &c, s.v, out[0]);
      jsolve_combine(n, s.v[7], 0.013, &c, s.v, out[1]);
      for (int i = 0; i < n; i++) {
        assert_true(out[0][i] == out[1][i]);
      }
    }
  }
  memcpy(out[0], s.v[0], sizeof out[0]);
  jsens_lanes_choose()->add(N, out[0], 0.7, s.v[1]);
  for (int i = 0; i < N; i++) {
    assert_true(out[0][i] == s.v[0][i] + 0.7 * s.v[1][i]);
  }
  close_vectors(&s);
}

// The end of a step and its error, whose slopes are read once.
static void test_two_combinations_are_one_after_the_other(void** state) {
  (void)state;
  vectors s;
  open_vectors(&s);
  jsolve_scheme scheme = jsolve_scheme_of(jsolve_tableau_find(JSOLVE_DOPRI5));
  jsolve_combination error = scheme.e;
  assert_false(jsens_can_share(&scheme.b, &error));  // the slope at the end is of the error alone
  error.n--;
  assert_true(jsens_can_share(&scheme.b, &error));
  double out[4][N], *zero = calloc(N, sizeof *zero);
  assert_non_null(zero);
  for (int n = 1; n <= N; n = 3 * n + 2) {
    jsens_lanes_choose()->combine_both(n, s.v[7], 0.013, &scheme.b, &error, s.v, out[0], out[1]);
    jsolve_combine(n, s.v[7], 0.013, &scheme.b, s.v, out[2]);
    jsolve_combine(n, zero, 0.013, &error, s.v, out[3]);
    assert_memory_equal(out[0], out[2], (size_t)n * sizeof **out);
    assert_memory_equal(out[1], out[3], (size_t)n * sizeof **out);
  }
  error.index[1]++;
  assert_false(jsens_can_share(&scheme.b, &error));
  free(zero);
  close_vectors(&s);
}

static double size_of(const vectors* s, const double* x, int lanes, int l) {
  double sum = 0.0;
  for (int i = 0; i < STATES; i++) {
    double v = x[i * lanes + l] / s->nominal[i];
    if (s->use[i]) sum += v * v;
  }
  return sqrt(sum);
}

static double square_of_part(const vectors* s, const jsens_tail* t, int part, int lanes, int l) {
  double sum = 0.0;
  for (int i = 0; i < STATES; i++) {
    double slope[JSENS_TAIL_NODES];
    for (int n = 0; n < JSENS_TAIL_NODES; n++) {
      slope[n] = s->v[n][i * lanes + l];
    }
    double v = 1.0 / s->nominal[i] * jsens_tail_sum(t, part, slope);
    if (s->use[i]) sum += v * v;
  }
  return sum;
}

static double common_of(const vectors* s, const double* x, const double* y, int stride) {
  double sum = 0.0;
  for (int i = 0; i < STATES; i++) {
    double n = s->nominal[i];
    if (s->use[i]) sum += x[i] * y[i * stride] / (n * n);
  }
  return sum;
}

static void check_sizes(vectors s, jsolve_method method) {
  const jsens_lanes* a = jsens_lanes_choose();
  jsens_tail t = jsens_tail_of(jsolve_tableau_find(method));
  assert_true(t.is_there);
  const double* const slope[] = {s.v[0], s.v[1], s.v[2], s.v[3], s.v[4]};
  for (int lanes = 1; lanes <= LANES; lanes++) {
    double size[LANES], square[JSENS_TAIL_PARTS * LANES];
    a->sizes(&s.scales, lanes, s.v[5], size);
    a->tail(&s.scales, &t, lanes, slope, square);
    for (int l = 0; l < lanes; l++) {
      assert_true(size[l] == size_of(&s, s.v[5], lanes, l));
      for (int m = 0; m < JSENS_TAIL_PARTS; m++) {
        assert_true(square[m * lanes + l] == square_of_part(&s, &t, m, lanes, l));
      }
    }
    double together = a->common(&s.scales, s.v[6], s.v[5], lanes);
    assert_true(together == common_of(&s, s.v[6], s.v[5], lanes));
  }
}

static void test_sizes_are_those_of_one_lane_after_another(void** state) {
  (void)state;
  vectors s;
  open_vectors(&s);
  assert_false(s.scales.is_plain);
  check_sizes(s, JSOLVE_DOPRI5);
  check_sizes(s, JSOLVE_IMEX4);
  for (int i = 0; i < STATES; i++) {
    s.nominal[i] = 1.0;
  }
  s.scales = jsens_lane_scales_of(STATES, s.use, s.nominal);
  assert_true(s.scales.is_plain);
  check_sizes(s, JSOLVE_DOPRI5);
  close_vectors(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_combinations_are_those_of_the_integrator),
      cmocka_unit_test(test_two_combinations_are_one_after_the_other),
      cmocka_unit_test(test_sizes_are_those_of_one_lane_after_another),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
