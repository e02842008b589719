// SPDX-License-Identifier: Apache-2.0
// LAPACK behind a few functions. Work space comes from the context: the LAPACKE "work" interface never
// allocates. Matrices are looked at first, since LAPACK may hang on values that are not finite, and so are
// sizes, since it ends the process over those.
#include "solve/algebra/linear.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"

static bool all_finite(size_t n, const double* v) {
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(v[i])) return false;
  }
  return true;
}

// dgelsy: QR with column pivoting, rank decided by `rcond`, then the minimum-norm solution.
static int least_squares(jarena* arena, int m, int n, double* A, int nrhs, const double* B,
                         double rcond, double* X) {
  int ldb = m > n ? m : n, rank = 0;
  double size = 0;
  double* rhs = JARENA_ARRAY(arena, ldb * nrhs, double);
  lapack_int* pivot = JARENA_ARRAY(arena, n, lapack_int);
  if (!rhs || !pivot) return JO_ERR_MEMORY;
  lapack_int info = LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, nrhs, A, m, rhs, ldb, pivot, rcond,
                                        &rank, &size, -1);
  double* work = info == 0 ? JARENA_ARRAY(arena, (size_t)size, double) : NULL;
  if (info == 0 && !work) return JO_ERR_MEMORY;
  if (info == 0) {
    for (int k = 0; k < nrhs; k++) {
      memcpy(rhs + k * ldb, B + k * m, (size_t)m * sizeof *B);
    }
    info = LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, nrhs, A, m, rhs, ldb, pivot, rcond, &rank,
                               work, (lapack_int)size);
  }
  for (int k = 0; info == 0 && k < nrhs; k++) {
    if (!all_finite((size_t)n, rhs + k * ldb)) return JO_ERR_NUMERIC;
    memcpy(X + k * n, rhs + k * ldb, (size_t)n * sizeof *X);
  }
  return info == 0 ? rank : JO_ERR_NUMERIC;
}

int jsolve_least_squares_many(jo_context* ctx, int m, int n, double* A, int nrhs, const double* B,
                              double rcond, double* X) {
  JASSERT(m >= 0 && n >= 0 && nrhs > 0);
  size_t rows = (size_t)m, columns = (size_t)n, sides = (size_t)nrhs;
  memset(X, 0, columns * sides * sizeof *X);
  if (m == 0 || n == 0) return 0;
  if (!all_finite(rows * columns, A) || !all_finite(rows * sides, B)) return JO_ERR_NUMERIC;
  jarena arena;
  jarena_init(&arena, ctx);
  int rank = least_squares(&arena, m, n, A, nrhs, B, rcond, X);
  jarena_free(&arena);
  return rank;
}

int jsolve_least_squares(jo_context* ctx, int m, int n, double* A, double* b, double rcond,
                         double* x) {
  return jsolve_least_squares_many(ctx, m, n, A, 1, b, rcond, x);
}

static bool comes_before(const double* re, const double* im, int i, int j) {
  double a = fabs(im[i]), b = fabs(im[j]);
  if (a != b) return a < b;
  if (re[i] != re[j]) return re[i] < re[j];
  return i < j;
}

// Reorder n columns of length `rows`: column i becomes what was column order[i].
static void permute(int n, int rows, const int* order, double* columns, double* copy) {
  size_t length = (size_t)rows;
  memcpy(copy, columns, (size_t)n * length * sizeof *copy);
  for (int i = 0; i < n; i++) {
    memcpy(columns + (size_t)i * length, copy + (size_t)order[i] * length, length * sizeof *copy);
  }
}

// Conjugate pairs stay together: their |Im| and Re are equal to the bit.
static void sort(int n, double* re, double* im, double* right, double* left, int* order,
                 double* copy) {
  for (int i = 0; i < n; i++) {
    int j = i;
    for (; j > 0 && comes_before(re, im, i, order[j - 1]); j--)
      order[j] = order[j - 1];
    order[j] = i;
  }
  permute(n, 1, order, re, copy);
  permute(n, 1, order, im, copy);
  if (right) permute(n, n, order, right, copy);
  if (left) permute(n, n, order, left, copy);
}

static jo_status eigen(jarena* arena, int n, double* A, double* re, double* im, double* right,
                       double* left) {
  jo_context* ctx = arena->ctx;
  char want = right ? 'V' : 'N', want_left = left ? 'V' : 'N';
  double size = 0;
  lapack_int info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, want_left, want, n, A, n, re, im, left, n,
                                       right, n, &size, -1);
  double* work = JARENA_ARRAY(arena, (size_t)size, double);
  int* order = JARENA_ARRAY(arena, n, int);
  double* copy = JARENA_ARRAY(arena, (size_t)n * (size_t)n, double);
  if (!work || !order || !copy) return jerr_memory(ctx);
  if (info == 0) {
    info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, want_left, want, n, A, n, re, im, left, n, right, n,
                              work, (lapack_int)size);
  }
  if (info != 0) {
    return jerr_set(ctx, JO_ERR_CONVERGENCE, "eigenvalues: the QR algorithm does not converge");
  }
  sort(n, re, im, right, left, order, copy);
  return JO_OK;
}

jo_status jsolve_eigen(jo_context* ctx, int n, double* A, double* re, double* im, double* right,
                       double* left) {
  if (n <= 0) return JO_OK;
  if (!all_finite((size_t)n * (size_t)n, A)) {
    return jerr_set(ctx, JO_ERR_NUMERIC,
                    "eigenvalues: the matrix has elements that are not finite");
  }
  jarena arena;
  jarena_init(&arena, ctx);
  jo_status status = eigen(&arena, n, A, re, im, right, left);
  jarena_free(&arena);
  return status;
}
