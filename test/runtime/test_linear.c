// SPDX-License-Identifier: Apache-2.0
// Least squares of exported code against LAPACK: all shapes, and ranks that are not full.
#define jsolve_least_squares plain_least_squares
#include "runtime/linear.c"
#undef jsolve_least_squares

#include "support/fixture.h"

int jsolve_least_squares(jo_context* ctx, int m, int n, double* A, double* b, double rcond,
                         double* x);

#define MOST 12

static double draw(unsigned* seed) {
  *seed = *seed * 1664525U + 1013904223U;
  return (double)(*seed >> 8) / (1 << 23) - 1.0;
}

// A = L R of a given rank.
static void fill(unsigned* seed, int m, int n, int rank, double* A) {
  double L[MOST * MOST], R[MOST * MOST];
  for (int i = 0; i < MOST * MOST; i++) {
    L[i] = draw(seed);
    R[i] = draw(seed);
  }
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < n; j++) {
      A[i + m * j] = 0.0;
      for (int k = 0; k < rank; k++) {
        A[i + m * j] += L[i + MOST * k] * R[k + MOST * j];
      }
    }
  }
}

static void test_least_squares_is_lapacks(void** state) {
  fixture* f = *state;
  unsigned seed = 7;
  int short_of_rank = 0;
  for (int round = 0; round < 400; round++) {
    int m = 1 + (int)(seed >> 9) % MOST, n = 1 + (int)(seed >> 17) % MOST;
    int most = m < n ? m : n, rank = 1 + round % most;
    double A[MOST * MOST], copy[MOST * MOST], b[MOST], b_copy[MOST], x[MOST], y[MOST];
    fill(&seed, m, n, rank, A);
    memcpy(copy, A, sizeof A);
    for (int i = 0; i < m; i++) {
      b[i] = b_copy[i] = draw(&seed);
    }
    int found = plain_least_squares(f->ctx, m, n, A, b, 1e-10, x);
    assert_int_equal(found, jsolve_least_squares(f->ctx, m, n, copy, b_copy, 1e-10, y));
    assert_int_equal(found, rank);
    short_of_rank += rank < n;
    double size = 1.0;
    for (int i = 0; i < n; i++) {
      size = fmax(size, fabs(y[i]));
    }
    for (int i = 0; i < n; i++) {
      assert_near(x[i], y[i], 1e-9 * size);
    }
  }
  assert_true(short_of_rank > 100);
}

static void test_least_squares_of_nothing_and_of_what_is_not_finite(void** state) {
  fixture* f = *state;
  double A[4] = {1.0, 0.0, 0.0, NAN}, b[2] = {1.0, 1.0}, x[2] = {5.0, 5.0};
  assert_int_equal(plain_least_squares(f->ctx, 0, 2, A, b, 1e-10, x), 0);
  assert_true(x[0] == 0.0 && x[1] == 0.0);
  assert_int_equal(plain_least_squares(f->ctx, 2, 2, A, b, 1e-10, x), JO_ERR_NUMERIC);
  A[3] = 0.0;
  assert_int_equal(plain_least_squares(f->ctx, 2, 2, A, b, 1e-10, x), 1);
  assert_true(x[0] == 1.0 && x[1] == 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_least_squares_is_lapacks),
      fixture_test(test_least_squares_of_nothing_and_of_what_is_not_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
