// SPDX-License-Identifier: Apache-2.0
// Sums over all states and switches, as the integrator needs them at every stage and step. There are two copies of them: one for any machine, and one
// for wider registers. They do the same operations in the same order, without fused ones, and have the same bits.
#ifndef JSOLVE_SUMS_H
#define JSOLVE_SUMS_H

#include "solve/algebra/norm.h"
#include "solve/tableau.h"

// A polynomial along a step: its values are sums of both ends, both slopes and one term more.
typedef struct jsolve_hermite {
  double a0, a1, b0, b1, c;
  const double *y0, *y1, *f0, *f1;
  const double* quartic;  // NULL: cubic
} jsolve_hermite;

// Margins of all switches: how far each is from leaving its mode (events.c).
typedef struct jsolve_margins {
  int n;
  const double* mode;
  double *hysteresis, *largest, *floor;
  bool* is_armed;
} jsolve_margins;

typedef struct jsolve_sums {
  void (*combine)(int n, const double* y, double h, const jsolve_combination* c, double* const* k,
                  double* out);
  double (*norm)(const jsolve_weights* w, const double* v, const double* ya, const double* yb);
  bool (*is_finite)(int n, const double* v);
  // y = (a0 y0 + a1 y1) + (b0 f0 + b1 f1), and + c quartic
  void (*hermite)(int n, const jsolve_hermite* h, double* y);
  // s = +-g + hysteresis; whether some are zero or negative
  void (*margins)(const jsolve_margins* m, const double* g, double* s);
  bool (*has_crossed)(int n, const double* s);
  // a step starts at g: floors, relative to the largest g but not below the least, which switches are armed, hysteresis
  void (*arm)(const jsolve_margins* m, double relative, double least, const double* g);
} jsolve_sums;

// What this machine can do best, and what any can.
const jsolve_sums* jsolve_sums_choose(void);
const jsolve_sums* jsolve_sums_plain(void);

#endif
