// SPDX-License-Identifier: Apache-2.0
// Distributions of a parameter, as functions from (0, 1) to its values. Bits are the same on every machine.
#ifndef JSWEEP_LAW_H
#define JSWEEP_LAW_H

#include <stdbool.h>

#include "base/err.h"

typedef enum jsweep_law_kind { JSWEEP_UNIFORM, JSWEEP_NORMAL, JSWEEP_LOGNORMAL } jsweep_law_kind;

// The standard normal distribution and its inverse, p in (0, 1); relative errors near 1e-15 in both tails.
double jsweep_normal(double z);
double jsweep_normal_inverse(double p);

// Values between two ends. Normal and lognormal ones have a mean and a deviation, those before they are cut off at
// the ends, which may be infinite.
typedef struct jsweep_law {
  jsweep_law_kind kind;
  double from, to, mean, deviation;
  // of normal kinds: centre and width of the value or of its logarithm, the ends in units of that, what lies below
  // the lower and the upper one, and whether all of it is mirrored so that it lies in the lower tail
  double centre, width, z_from, z_to, p_from, p_to;
  bool is_mirrored;
} jsweep_law;

// Checks the numbers; errors name the parameter.
jo_status jsweep_law_set(jo_context* ctx, const char* name, jsweep_law* law);

// The value that a share u in (0, 1) of all lies below.
double jsweep_law_at(const jsweep_law* law, double u);

// The constant C of E[(g - E g)^2] <= C E[(s g')^2] for any g of a value of this law (Poincare), where s is 1, or the
// value itself where it is lognormal. docs/theory/statistics.md (W8).
double jsweep_law_poincare(const jsweep_law* law);

#endif
