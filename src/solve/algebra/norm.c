// SPDX-License-Identifier: Apache-2.0
// Weights of the error norm, and which value is not finite; the sums themselves are in sums.c.
#include "solve/algebra/norm.h"

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

int jsolve_first_not_finite(int n, const double* v) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(v[i])) return i;
  }
  return -1;
}
