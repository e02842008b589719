// SPDX-License-Identifier: Apache-2.0
// Least squares of exports, in place of LAPACK: Householder reflections with column pivoting, twice where the rank is
// not full, which gives the solution of least norm.
#include <math.h>
#include <string.h>

#include "solve/algebra/linear.h"

static bool all_finite(size_t n, const double* v) {
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(v[i])) return false;
  }
  return true;
}

// ---- least squares -----------------------------------------------------------------------------------

static void exchange(double* b, int i, int j) {
  double x = b[i];
  b[i] = b[j];
  b[j] = x;
}

// v becomes (1, v_2/v_1, ...) without its first entry, and x_1 the entry that the reflection 1 - tau v v^T leaves.
static double reflect_first(int n, double* x) {
  double rest = 0.0;
  for (int i = 1; i < n; i++) {
    rest = hypot(rest, x[i]);
  }
  if (rest == 0.0) return 0.0;
  double beta = -copysign(hypot(x[0], rest), x[0]), tau = (beta - x[0]) / beta;
  for (int i = 1; i < n; i++) {
    x[i] /= x[0] - beta;
  }
  x[0] = beta;
  return tau;
}

// x -= tau v (v^T x), v = (1, v[1], ...)
static void reflect(int n, double tau, const double* v, double* x) {
  double s = x[0];
  for (int i = 1; i < n; i++) {
    s += v[i] * x[i];
  }
  s *= tau;
  x[0] -= s;
  for (int i = 1; i < n; i++) {
    x[i] -= s * v[i];
  }
}

static double length(int n, const double* x) {
  double s = 0.0;
  for (int i = 0; i < n; i++) {
    s = hypot(s, x[i]);
  }
  return s;
}

// A P = Q R, b becomes Q^T b; the rank: diagonal entries above rcond of the first.
static int triangulate(int m, int n, double* A, double* b, double rcond, int* column) {
  int rank = 0;
  for (int k = 0; k < n; k++) {
    column[k] = k;
  }
  for (int k = 0; k < m && k < n; k++, rank++) {
    int best = k;
    double most = -1.0;
    for (int c = k; c < n; c++) {
      double size = length(m - k, A + k + (size_t)m * (size_t)c);
      if (size > most) best = c;
      most = fmax(most, size);
    }
    if (most <= rcond * fabs(A[0]) * (k > 0) || most == 0.0) break;
    int kept = column[k];
    column[k] = column[best];
    column[best] = kept;
    for (int i = 0; i < m && best != k; i++) {
      exchange(A, i + m * k, i + m * best);
    }
    double* v = A + k + (size_t)m * (size_t)k;
    double tau = reflect_first(m - k, v);
    for (int c = k + 1; c < n; c++) {
      reflect(m - k, tau, v, A + k + (size_t)m * (size_t)c);
    }
    reflect(m - k, tau, v, b + k);
  }
  return rank;
}

// R_11^T w = c where [R_11 R_12]^T = Z [T; 0]: the least z with [R_11 R_12] z = c is Z (T^-T c)
static void least_norm(int m, int n, int rank, const double* A, const double* b, double* Z,
                       double* tau, double* z) {
  for (int i = 0; i < rank; i++) {
    for (int c = 0; c < n; c++) {
      Z[c + n * i] = c >= i ? A[i + m * c] : 0.0;
    }
  }
  for (int k = 0; k < rank; k++) {
    tau[k] = reflect_first(n - k, Z + k + (size_t)n * (size_t)k);
    for (int c = k + 1; c < rank; c++) {
      reflect(n - k, tau[k], Z + k + (size_t)n * (size_t)k, Z + k + (size_t)n * (size_t)c);
    }
  }
  for (int i = 0; i < n; i++) {
    z[i] = i < rank ? b[i] : 0.0;
  }
  for (int k = 0; k < rank; k++) {
    for (int i = 0; i < k; i++) {
      z[k] -= Z[i + n * k] * z[i];
    }
    z[k] /= Z[k + n * k];
  }
  for (int k = rank - 1; k >= 0; k--) {
    reflect(n - k, tau[k], Z + k + (size_t)n * (size_t)k, z + k);
  }
}

static int least_squares(jarena* a, int m, int n, double* A, double* b, double rcond, double* x) {
  int* column = JARENA_ARRAY(a, n, int);
  double *Z = JARENA_ARRAY(a, (size_t)n * (size_t)n, double), *tau = JARENA_ARRAY(a, n, double);
  double* z = JARENA_ARRAY(a, n, double);
  if (!column || !Z || !tau || !z) return JO_ERR_MEMORY;
  int rank = triangulate(m, n, A, b, rcond, column);
  least_norm(m, n, rank, A, b, Z, tau, z);
  if (!all_finite((size_t)n, z)) return JO_ERR_NUMERIC;
  for (int i = 0; i < n; i++) {
    x[column[i]] = z[i];
  }
  return rank;
}

int jsolve_least_squares(jo_context* ctx, int m, int n, double* A, double* b, double rcond,
                         double* x) {
  memset(x, 0, (size_t)n * sizeof *x);
  if (m == 0 || n == 0) return 0;
  if (!all_finite((size_t)m * (size_t)n, A) || !all_finite((size_t)m, b)) return JO_ERR_NUMERIC;
  jarena a;
  jarena_init(&a, ctx);
  int rank = least_squares(&a, m, n, A, b, rcond, x);
  jarena_free(&a);
  return rank;
}
