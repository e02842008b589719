// SPDX-License-Identifier: Apache-2.0
#include "solve/third_order.h"

#include "base/assert.h"
#include "solve/tableau.h"

// Weights are those of the tableau times six: whole numbers, so that nothing is rounded but the sums.
static inline double sum(double sixth, double f1, double f2, double f3) {
  return sixth * (f1 + 4.0 * f2 + f3);
}

static inline double defect(double sixth, double f1, double f2, double f3) {
  return sixth * (f1 - 2.0 * f2 + f3);
}

double jsolve_third_order_sum(double h, double f1, double f2, double f3) {
  return sum(h / 6.0, f1, f2, f3);
}

double jsolve_third_order_defect(double h, double f1, double f2, double f3) {
  return defect(h / 6.0, f1, f2, f3);
}

// y + h (a_0 k_0 + a_1 k_1), the argument of a node
static void combine(const jsolve_third_order* s, double h, const double* y, const double* a) {
  const double* restrict k0 = s->k[0], * restrict k1 = s->k[1], a0 = a[0], a1 = a[1];
  const double w0 = h * a0, w1 = h * a1;
  double* restrict arg = s->arg;
  if (a1 == 0.0) {
    for (int i = 0; i < s->n; i++) {
      arg[i] = y[i] + w0 * k0[i];
    }
  } else if (s->in_turn) {
    for (int i = 0; i < s->n; i++) {
      arg[i] = y[i] + w0 * k0[i] + w1 * k1[i];
    }
  } else {
    for (int i = 0; i < s->n; i++) {
      arg[i] = y[i] + h * (a0 * k0[i] + a1 * k1[i]);
    }
  }
}

void jsolve_third_order_nodes(const jsolve_third_order* s, int first, double h, const double* y) {
  JASSERT(first == 0 || first == 1);  // the rest follows from what comes before
  const jsolve_tableau* tab = jsolve_tableau_find(JSOLVE_RK3);
  for (int i = first; i < JSOLVE_NODES; i++) {
    if (i > 0) combine(s, h, y, tab->a[i]);
    s->slope(s->user, i, tab->c[i], i > 0 ? s->arg : y, s->k[i]);
  }
}

void jsolve_third_order_end(const jsolve_third_order* s, double h, const double* y, double* y1) {
  const double *k0 = s->k[0], *k1 = s->k[1], *k2 = s->k[2], sixth = h / 6.0;
  for (int i = 0; i < s->n; i++) {
    y1[i] = y[i] + sum(sixth, k0[i], k1[i], k2[i]);
  }
}

void jsolve_third_order_error(const jsolve_third_order* s, double h, double* restrict error) {
  const double* restrict k0 = s->k[0], * restrict k1 = s->k[1], * restrict k2 = s->k[2];
  const double sixth = h / 6.0;
  for (int i = 0; i < s->n; i++) {
    error[i] = defect(sixth, k0[i], k1[i], k2[i]);
  }
}
