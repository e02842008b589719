// SPDX-License-Identifier: Apache-2.0
// The error norm and checks for finite values: one pass over contiguous arrays, no branches. Sums
// run in four lanes in a fixed order: fast, and the same bits on every run.
#include "solve/norm.h"

#include <assert.h>
#include <math.h>

bool jsolve_weights_init(jsolve_weights* w, jarena* arena, int n, const double* scale,
                         double rel_tol, double abs_tol) {
  *w = (jsolve_weights){.n = n, .rel_tol = rel_tol};
  w->abs_tol = JARENA_ARRAY(arena, n, double);
  w->use = JARENA_ARRAY(arena, n, double);
  if (!w->abs_tol || !w->use) return false;
  for (int i = 0; i < n; i++) {
    double s = scale ? scale[i] : 1;
    w->use[i] = s > 0 ? 1 : 0;
    w->abs_tol[i] = s > 0 ? s * abs_tol : 1;
    w->ncontrolled += s > 0;
  }
  return true;
}

static inline double term(const jsolve_weights* w, int i, const double* v, const double* ya,
                          const double* yb) {
  double a = fabs(ya[i]), b = fabs(yb[i]);
  double e = w->use[i] * v[i] / (w->abs_tol[i] + w->rel_tol * (a > b ? a : b));
  return e * e;
}

double jsolve_norm(const jsolve_weights* w, const double* v, const double* ya, const double* yb) {
  assert(w->ncontrolled <= w->n);
  double s[4] = {0};
  int i = 0;
  for (; i + 4 <= w->n; i += 4) {
    for (int l = 0; l < 4; l++)
      s[l] += term(w, i + l, v, ya, yb);
  }
  for (; i < w->n; i++)
    s[0] += term(w, i, v, ya, yb);
  int m = w->ncontrolled > 0 ? w->ncontrolled : 1;
  return sqrt(((s[0] + s[1]) + (s[2] + s[3])) / m);
}

bool jsolve_is_finite(int n, const double* v) {
  // 0 * v is 0 for every finite v and not a number otherwise
  double s[4] = {0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int l = 0; l < 4; l++)
      s[l] += 0.0 * v[i + l];
  }
  for (; i < n; i++)
    s[0] += 0.0 * v[i];
  return (s[0] + s[1]) + (s[2] + s[3]) == 0.0;
}

int jsolve_first_not_finite(int n, const double* v) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(v[i])) return i;
  }
  return -1;
}
