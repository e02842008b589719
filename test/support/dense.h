// SPDX-License-Identifier: Apache-2.0
// Dense linear algebra for tests, by LAPACK. Matrices are row-major and are destroyed.
#ifndef JTEST_DENSE_H
#define JTEST_DENSE_H

#include <stdbool.h>

// x = A^-1 b in place of b (n). False: A is singular.
bool dense_solve(int n, double* A, double* b);

// Whether a symmetric matrix is positive definite.
bool dense_is_positive(int n, double* A);

// Singular values above `tolerance` times the largest, of A (m x n).
int dense_rank(int m, int n, double* A, double tolerance);

#endif
