// SPDX-License-Identifier: Apache-2.0
// Least squares and eigenvalues against solutions known on paper.
#include "solve/algebra/linear.h"

#include "solve/problems.h"
#include "support/random_graph.h"

static void test_linear_solves_square_system(void** state) {
  double A[] = {2, 1, 1, 3}, b[] = {5, 10}, x[2];
  assert_int_equal(jsolve_least_squares(context(state), 2, 2, A, b, 1e-12, x), 2);
  assert_near(x[0], 1, 1e-14);
  assert_near(x[1], 3, 1e-14);
}

static void test_linear_residual_is_normal_to_the_columns(void** state) {
  // overdetermined: A^T (b - A x) = 0
  double A[] = {1, 1, 1, 1, 0, 1, 2, 3}, copy[8], b[] = {1, 3, 2, 5}, x[2];
  memcpy(copy, A, sizeof A);
  double keep[4];
  memcpy(keep, b, sizeof b);
  assert_int_equal(jsolve_least_squares(context(state), 4, 2, A, b, 1e-12, x), 2);
  for (int j = 0; j < 2; j++) {
    double dot = 0;
    for (int i = 0; i < 4; i++)
      dot += copy[i + 4 * j] * (keep[i] - copy[i] * x[0] - copy[i + 4] * x[1]);
    assert_near(dot, 0, 1e-13);
  }
}

static void test_linear_minimum_norm_of_a_deficient_system(void** state) {
  // x + y = 2 twice: the shortest solution is (1, 1)
  double A[] = {1, 1, 1, 1}, b[] = {2, 2}, x[2];
  assert_int_equal(jsolve_least_squares(context(state), 2, 2, A, b, 1e-12, x), 1);
  assert_near(x[0], 1, 1e-14);
  assert_near(x[1], 1, 1e-14);
}

static void test_linear_many_sides_are_each_alone(void** state) {
  const double A[] = {1, 1, 1, 1, 0, 1, 2, 3}, B[] = {1, 3, 2, 5, 0, 0, 0, 0, 4, -1, 2, 7};
  double copy[8], side[4], X[6], x[2];
  memcpy(copy, A, sizeof A);
  assert_int_equal(jsolve_least_squares_many(context(state), 4, 2, copy, 3, B, 1e-12, X), 2);
  for (int k = 0; k < 3; k++) {
    memcpy(copy, A, sizeof A);
    memcpy(side, B + 4 * k, sizeof side);
    assert_int_equal(jsolve_least_squares(context(state), 4, 2, copy, side, 1e-12, x), 2);
    assert_near(X[2 * k], x[0], 1e-14);
    assert_near(X[2 * k + 1], x[1], 1e-14);
  }
}

static void test_linear_not_finite_fails(void** state) {
  double A[] = {1, NAN, 1, 1}, b[] = {2, 2}, x[2], re[2], im[2];
  assert_int_equal(jsolve_least_squares(context(state), 2, 2, A, b, 1e-12, x), JO_ERR_NUMERIC);
  assert_int_equal(jsolve_eigen(context(state), 2, A, re, im, NULL, NULL), JO_ERR_NUMERIC);
}

// a row-major matrix is solved transposed
static void test_linear_lu_solves_both_ways(void** state) {
  (void)state;
  double A[9] = {0, 2, 1, 1, 1, 0, 3, 0, 1}, LU[9], plain[3] = {1, 2, 3}, turned[3] = {1, 2, 3};
  int pivot[3];
  memcpy(LU, A, sizeof A);
  assert_int_equal(jsolve_lu_factor(3, LU, pivot), JO_OK);
  jsolve_lu_solve(3, LU, pivot, false, plain, 1);
  jsolve_lu_solve(3, LU, pivot, true, turned, 1);
  for (int i = 0; i < 3; i++) {
    double by_column = 0, by_row = 0;
    for (int j = 0; j < 3; j++) {
      by_column += A[i + 3 * j] * plain[j];
      by_row += A[3 * i + j] * turned[j];
    }
    assert_near(by_column, i + 1, 1e-14);
    assert_near(by_row, i + 1, 1e-14);
  }
}

static void test_linear_lu_changes_rows(void** state) {
  (void)state;
  enum { N = 6 };
  random_source source;
  random_seed(&source, 201);
  for (int round = 0; round < 50; round++) {
    int n = 1 + random_below(&source, N);
    double A[N * N], b[N], M[N * N], x[N];
    int pivot[N];
    for (int i = 0; i < n * n; i++) {
      A[i] = M[i] = random_uniform(&source, -1.0, 1.0);
    }
    for (int i = 0; i < n; i++) {
      // zeros on the diagonal: rows must change places
      A[i * n + i] = M[i * n + i] = n > 1 && i % 2 == 0 ? 0.0 : 2.0;
      A[i * n + (i + 1) % n] += 3.0;
      M[i * n + (i + 1) % n] = A[i * n + (i + 1) % n];
      b[i] = x[i] = random_uniform(&source, -1.0, 1.0);
    }
    assert_int_equal(jsolve_lu_factor(n, M, pivot), JO_OK);
    jsolve_lu_solve(n, M, pivot, true, x, 1);
    for (int i = 0; i < n; i++) {
      double sum = 0.0;
      for (int k = 0; k < n; k++) {
        sum += A[i * n + k] * x[k];
      }
      assert_near(sum, b[i], 1e-11);
    }
  }
}

static void test_linear_lu_of_a_singular_matrix_is_a_status(void** state) {
  (void)state;
  double singular[4] = {1, 2, 2, 4}, lost[4] = {1, 0, NAN, 1};
  int pivot[2];
  assert_int_equal(jsolve_lu_factor(2, singular, pivot), JO_ERR_SINGULAR);
  assert_int_equal(jsolve_lu_factor(2, lost, pivot), JO_ERR_SINGULAR);
  assert_int_equal(jsolve_lu_factor(0, NULL, NULL), JO_OK);
}

// Two equal masses m between three equal springs k and dampers c in a row:
//   modes (1, 1) with k and c, (1, -1) with 3 k and 3 c
static void two_masses(double m, double c, double k, double A[16]) {
  double row[4][4] = {{0, 0, 1, 0},
                      {0, 0, 0, 1},
                      {-2 * k / m, k / m, -2 * c / m, c / m},
                      {k / m, -2 * k / m, c / m, -2 * c / m}};
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++)
      A[i + 4 * j] = row[i][j];
  }
}

static void test_linear_eigenvalues_of_two_damped_masses(void** state) {
  double m = 2, c = 0.3, k = 50, A[16], re[4], im[4], right[16];
  two_masses(m, c, k, A);
  assert_ok(context(state), jsolve_eigen(context(state), 4, A, re, im, right, NULL));
  for (int mode = 0; mode < 2; mode++) {
    double f = mode ? 3 : 1, decay = f * c / (2 * m);
    double omega = sqrt(f * k / m - decay * decay);
    for (int i = 2 * mode; i < 2 * mode + 2; i++) {
      assert_near(re[i], -decay, 1e-13);
      assert_near(fabs(im[i]), omega, 1e-12);
    }
    assert_true(im[2 * mode] > 0 && im[2 * mode + 1] == -im[2 * mode]);
    // both masses in the same direction, then against each other; real and imaginary part
    for (int part = 0; part < 2; part++) {
      const double* v = right + 4 * (2 * mode + part);
      assert_near(v[1], mode ? -v[0] : v[0], 1e-13);
    }
  }
}

static void test_linear_eigenvalues_are_sorted(void** state) {
  // diagonal: real eigenvalues by size; order of the input does not matter
  double A[9] = {3, 0, 0, 0, -1, 0, 0, 0, 2}, re[3], im[3], right[9];
  assert_ok(context(state), jsolve_eigen(context(state), 3, A, re, im, right, NULL));
  assert_near(re[0], -1, 0);
  assert_near(re[1], 2, 0);
  assert_near(re[2], 3, 0);
  assert_near(fabs(right[1]), 1, 0);
  assert_near(fabs(right[5]), 1, 0);
  assert_near(fabs(right[6]), 1, 0);
}

// w^H v of different eigenvalues vanishes, and w^H A = lambda w^H
static void test_linear_left_eigenvectors_belong_to_the_right_ones(void** state) {
  double A[16], copy[16], re[4], im[4], right[16], left[16];
  two_masses(2, 0.3, 50, A);
  memcpy(copy, A, sizeof A);
  assert_ok(context(state), jsolve_eigen(context(state), 4, copy, re, im, right, left));
  for (int mode = 0; mode < 4; mode += 2) {
    const double *w = left + 4 * mode, *wi = w + 4;
    for (int j = 0; j < 4; j++) {
      double sum = 0, turn = 0;  // (w - i wi)^T A = (re + i im) (w - i wi)^T
      for (int i = 0; i < 4; i++) {
        sum += w[i] * A[i + 4 * j];
        turn -= wi[i] * A[i + 4 * j];
      }
      assert_near(sum, re[mode] * w[j] + im[mode] * wi[j], 1e-12);
      assert_near(turn, im[mode] * w[j] - re[mode] * wi[j], 1e-12);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_linear_solves_square_system),
      fixture_test(test_linear_residual_is_normal_to_the_columns),
      fixture_test(test_linear_minimum_norm_of_a_deficient_system),
      fixture_test(test_linear_many_sides_are_each_alone),
      fixture_test(test_linear_not_finite_fails),
      fixture_test(test_linear_lu_solves_both_ways),
      fixture_test(test_linear_lu_changes_rows),
      fixture_test(test_linear_lu_of_a_singular_matrix_is_a_status),
      fixture_test(test_linear_eigenvalues_of_two_damped_masses),
      fixture_test(test_linear_eigenvalues_are_sorted),
      fixture_test(test_linear_left_eigenvectors_belong_to_the_right_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
