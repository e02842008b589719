// SPDX-License-Identifier: Apache-2.0
// Dense linear algebra on top of LAPACK: rank-revealing factorisations and eigenvalues.
#ifndef JSOLVE_LINEAR_H
#define JSOLVE_LINEAR_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"

// Minimum-norm least squares A x = b (column-major m x n, destroyed); returns the rank, or a status:
// JO_ERR_NUMERIC, nothing reported, where a number is not finite; JO_ERR_MEMORY, reported.
int jsolve_least_squares(jo_context* ctx, int m, int n, double* A, double* b, double rcond,
                         double* x);

// LU factors of a column-major n x n matrix in place, and solutions of A X = B or A^T X = B, B column-major
// n x nrhs in place. Nothing is allocated. JO_ERR_SINGULAR, nothing reported, where a pivot is zero or
// an element not finite.
jo_status jsolve_lu_factor(int n, double* A, int* pivot);
void jsolve_lu_solve(int n, const double* LU, const int* pivot, bool transposed, double* B,
                     int nrhs);

// Eigenvalues (re, im) and, where they are not NULL, right eigenvectors, A v = lambda v, and left ones,
// w^H A = lambda w^H, as LAPACK dgeev packs them.
// A: column-major n x n, destroyed. Sorted by |Im|, then Re, then index, so that output is stable.
jo_status jsolve_eigen(jo_context* ctx, int n, double* A, double* re, double* im, double* right,
                       double* left);

#endif
