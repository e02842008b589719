// SPDX-License-Identifier: Apache-2.0
#include "support/dense.h"

#include <lapacke.h>
#include <stdlib.h>

bool dense_solve(int n, double* A, double* b) {
  lapack_int* pivot = malloc(((size_t)n + 1) * sizeof *pivot);
  bool ok = pivot && LAPACKE_dgesv(LAPACK_ROW_MAJOR, n, 1, A, n, pivot, b, 1) == 0;
  free(pivot);
  return ok;
}

bool dense_is_positive(int n, double* A) {
  return LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, A, n) == 0;
}

int dense_rank(int m, int n, double* A, double tolerance) {
  int most = m < n ? m : n, rank = 0;
  if (most == 0) return 0;
  double *s = malloc((size_t)most * sizeof *s), *rest = malloc((size_t)most * sizeof *rest);
  bool ok = s && rest;
  ok = ok && LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', m, n, A, n, s, NULL, 1, NULL, 1, rest) == 0;
  for (int i = 0; ok && i < most; i++) {
    rank += s[i] > tolerance * s[0];
  }
  free(s);
  free(rest);
  return ok ? rank : -1;
}
