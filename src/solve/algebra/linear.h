// SPDX-License-Identifier: Apache-2.0
// Dense linear algebra: least squares and eigenvalues on top of LAPACK, factorisations of our own (lu.c). What is singular or
// not finite is a status and nothing is reported: the caller knows what the matrix is.
#ifndef JSOLVE_LINEAR_H
#define JSOLVE_LINEAR_H

#include <stdbool.h>

#include "base/err.h"
#include "base/mem.h"

// Minimum-norm least squares A x = b (column-major m x n, destroyed); returns the rank, or a status:
// JO_ERR_NUMERIC where a number is not finite, JO_ERR_MEMORY. Reports neither.
int jsolve_least_squares(jo_context* ctx, int m, int n, double* A, double* b, double rcond,
                         double* x);
// The same of several right-hand sides: B m x nrhs, X n x nrhs, column-major.
int jsolve_least_squares_many(jo_context* ctx, int m, int n, double* A, int nrhs, const double* B,
                              double rcond, double* X);

// LU factors of a column-major n x n matrix in place, and solutions of A X = B or A^T X = B, B column-major
// n x nrhs in place. Nothing is allocated. JO_ERR_SINGULAR where a pivot is zero or an element not finite.
// A row-major matrix is the transpose of a column-major one: factor it as it is, and solve `transposed`.
jo_status jsolve_lu_factor(int n, double* A, int* pivot);
void jsolve_lu_solve(int n, const double* LU, const int* pivot, bool transposed, double* B,
                     int nrhs);

// Eigenvalues (re, im) and, where they are not NULL, right eigenvectors, A v = lambda v, and left ones,
// w^H A = lambda w^H, as LAPACK dgeev packs them.
// A: column-major n x n, destroyed. Sorted by |Im|, then Re, then index, so that output is stable.
jo_status jsolve_eigen(jo_context* ctx, int n, double* A, double* re, double* im, double* right,
                       double* left);

#endif
