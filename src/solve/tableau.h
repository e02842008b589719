// SPDX-License-Identifier: Apache-2.0
// Runge-Kutta methods as data (Butcher tableaux). With k_0 = f(t, y):
//   k_i = f(t + c_i h, y + h sum_{j<i} a_ij k_j + h gamma k_i)
//   y1 = y + h sum_i b_i k_i + h gamma f1,   f1 = f(t + h, y1)
// Mixed methods add a second set of coefficients for local states z, implicit as above with a gamma of its own:
//   Y_i = y + h sum_{j<i} a_ij k_j   but   z of Y_i = z + h sum_{j<i} local_ij k_j + h local_gamma k_i
// Explicit methods have gamma = 0. Every method evaluates f1: it is k_0 of the next step and the end
// slope of the dense output; for the implicit ones, all stiffly accurate, it is the last stage.
#ifndef JSOLVE_TABLEAU_H
#define JSOLVE_TABLEAU_H

#include <stdbool.h>
#include <string.h>

#include "solve/ode.h"

enum { JSOLVE_MAX_STAGES = 6 };  // without f1

typedef struct jsolve_tableau {
  jsolve_method method;
  int stages;
  double gamma;  // 0: explicit
  double
      stable;  // largest |h lambda| with a bounded motion, lambda not growing by itself; methods of fixed steps
  double c[JSOLVE_MAX_STAGES];
  double a[JSOLVE_MAX_STAGES][JSOLVE_MAX_STAGES - 1];
  double b[JSOLVE_MAX_STAGES];
  double local_gamma;  // 0: not a mixed method
  double local[JSOLVE_MAX_STAGES][JSOLVE_MAX_STAGES - 1];
  // local error h sum_i e_i k_i, the last one multiplying f1
  double e[JSOLVE_MAX_STAGES + 1];
  // dense output: cubic Hermite polynomial + x^2 (1-x)^2 h sum_i d_i k_i, x = (t - t0) / h
  double d[JSOLVE_MAX_STAGES + 1];
} jsolve_tableau;

// What a method begins with (auto: its explicit one) and what it takes where the problem is stiff;
// NULL: not a Runge-Kutta method, or no implicit one.
const jsolve_tableau* jsolve_tableau_find(jsolve_method m);
const jsolve_tableau* jsolve_tableau_implicit(jsolve_method m);

// Non-zero coefficients of one linear combination of slopes.
typedef struct jsolve_combination {
  int n;
  int index[JSOLVE_MAX_STAGES + 1];
  double factor[JSOLVE_MAX_STAGES + 1];
} jsolve_combination;

jsolve_combination jsolve_compress(const double* factor, int n);

// All combinations of a tableau.
typedef struct jsolve_scheme {
  const jsolve_tableau* tab;  // NULL: not used
  jsolve_combination a[JSOLVE_MAX_STAGES], b, e, d;
  jsolve_combination a_local[JSOLVE_MAX_STAGES];  // of local states, in mixed steps
} jsolve_scheme;

jsolve_scheme jsolve_scheme_of(const jsolve_tableau* tab);

// out = y + h sum_j factor_j k_j, in one pass; for those who compile it for other machines, in place
static inline void jsolve_combine_here(int n, const double* restrict y, double h,
                                       const jsolve_combination* c, double* const* k,
                                       double* restrict out) {
  const double* p[JSOLVE_MAX_STAGES + 1] = {0};
  double w[JSOLVE_MAX_STAGES + 1] = {0};
  for (int j = 0; j < c->n; j++) {
    p[j] = k[c->index[j]];
    w[j] = h * c->factor[j];
  }
  const double *k0 = p[0], *k1 = p[1], *k2 = p[2], *k3 = p[3], *k4 = p[4], *k5 = p[5], *k6 = p[6];
  const double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3], w4 = w[4], w5 = w[5], w6 = w[6];
#define SUM1 w0* k0[i]
#define SUM2 SUM1 + w1* k1[i]
#define SUM3 SUM2 + w2* k2[i]
#define SUM4 SUM3 + w3* k3[i]
#define SUM5 SUM4 + w4* k4[i]
#define SUM6 SUM5 + w5* k5[i]
#define SUM7 SUM6 + w6* k6[i]
#define CASE(m)                 \
  case m:                       \
    for (int i = 0; i < n; i++) \
      out[i] = y[i] + (SUM##m); \
    break
  switch (c->n) {
    CASE(1);
    CASE(2);
    CASE(3);
    CASE(4);
    CASE(5);
    CASE(6);
    CASE(7);
    default: memcpy(out, y, (size_t)n * sizeof *out);
  }
#undef CASE
#undef SUM7
#undef SUM6
#undef SUM5
#undef SUM4
#undef SUM3
#undef SUM2
#undef SUM1
}

// The same.
void jsolve_combine(int n, const double* restrict y, double h, const jsolve_combination* c,
                    double* const* k, double* restrict out);

#endif
