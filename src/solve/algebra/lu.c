// SPDX-License-Identifier: Apache-2.0
// LU with partial pivoting. Matrices are small, and runs shall have the same digits on every machine and in exported
// code: libraries choose the order of their sums by the processor.
#include <math.h>

#include "base/assert.h"
#include "solve/algebra/linear.h"

static bool all_finite(int n, const double* A) {
  for (int i = 0; i < n * n; i++) {
    if (!isfinite(A[i])) return false;
  }
  return true;
}

static void swap_rows(int n, double* A, int i, int j) {
  for (int c = 0; c < n && i != j; c++) {
    double x = A[i + n * c];
    A[i + n * c] = A[j + n * c];
    A[j + n * c] = x;
  }
}

jo_status jsolve_lu_factor(int n, double* A, int* pivot) {
  JASSERT(n >= 0);
  if (!all_finite(n, A)) return JO_ERR_SINGULAR;
  for (int k = 0; k < n; k++) {
    pivot[k] = k;
    for (int i = k + 1; i < n; i++) {
      if (fabs(A[i + n * k]) > fabs(A[pivot[k] + n * k])) pivot[k] = i;
    }
    swap_rows(n, A, k, pivot[k]);
    double d = A[k + n * k];
    if (d == 0.0) return JO_ERR_SINGULAR;
    for (int i = k + 1; i < n; i++) {
      A[i + n * k] /= d;
    }
    for (int c = k + 1; c < n; c++) {
      double f = A[k + n * c];
      for (int i = k + 1; i < n && f != 0.0; i++) {
        A[i + n * c] -= A[i + n * k] * f;
      }
    }
  }
  return JO_OK;
}

static void exchange(double* b, int i, int j) {
  double x = b[i];
  b[i] = b[j];
  b[j] = x;
}

// P A = L U:  L U x = P b
static void solve_plain(int n, const double* LU, const int* pivot, double* b) {
  for (int k = 0; k < n; k++) {
    exchange(b, k, pivot[k]);
  }
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++) {
      b[i] -= LU[i + n * k] * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    b[k] /= LU[k + n * k];
    for (int i = 0; i < k; i++) {
      b[i] -= LU[i + n * k] * b[k];
    }
  }
}

// A^T x = b:  U^T L^T P x = b
static void solve_transposed(int n, const double* LU, const int* pivot, double* b) {
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < k; i++) {
      b[k] -= LU[i + n * k] * b[i];
    }
    b[k] /= LU[k + n * k];
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int i = k + 1; i < n; i++) {
      b[k] -= LU[i + n * k] * b[i];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    exchange(b, k, pivot[k]);
  }
}

void jsolve_lu_solve(int n, const double* LU, const int* pivot, bool transposed, double* B,
                     int nrhs) {
  for (int c = 0; c < nrhs; c++) {
    if (transposed) {
      solve_transposed(n, LU, pivot, B + (size_t)c * (size_t)n);
    } else {
      solve_plain(n, LU, pivot, B + (size_t)c * (size_t)n);
    }
  }
}
