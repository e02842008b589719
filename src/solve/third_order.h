// SPDX-License-Identifier: Apache-2.0
// One step of Kutta's third order, the tableau of rk3, with its embedded midpoint rule, for any right-hand
// side: what load prediction is made of. docs/theory/loads.md eq. (H5):
//   k_i = f(c_i, y + h sum_{j<i} a_ij k_j)
//   y1 = y + h (k_1 + 4 k_2 + k_3) / 6      error h (k_1 - 2 k_2 + k_3) / 6
#ifndef JSOLVE_THIRD_ORDER_H
#define JSOLVE_THIRD_ORDER_H

#include <stdbool.h>

enum { JSOLVE_NODES = 3 };

typedef struct jsolve_third_order {
  int n;
  // slope at node i, where part c of the step is over
  void (*slope)(void* user, int i, double c, const double* y, double* k);
  void* user;
  double* const* k;  // slopes of the nodes (n each)
  double* arg;       // scratch (n)
  // terms are added to y one after the other, else their sum is: the same rule, another rounding. Runs of
  // load prediction keep the one they have had, to the bit.
  bool in_turn;
} jsolve_third_order;

// Slopes of the nodes from `first` on; those before are there already.
void jsolve_third_order_nodes(const jsolve_third_order* s, int first, double h, const double* y);

// From the slopes: the end of the step, which may be y itself, and its error.
void jsolve_third_order_end(const jsolve_third_order* s, double h, const double* y, double* y1);
void jsolve_third_order_error(const jsolve_third_order* s, double h, double* restrict error);

// h (f_1 + 4 f_2 + f_3) / 6, and the embedded h (f_1 - 2 f_2 + f_3) / 6, of any values at the nodes.
double jsolve_third_order_sum(double h, double f1, double f2, double f3);
double jsolve_third_order_defect(double h, double f1, double f2, double f3);

#endif
