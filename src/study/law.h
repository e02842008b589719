// SPDX-License-Identifier: Apache-2.0
// Distributions of a parameter, as functions from (0, 1) to its values. Bits are the same on every machine.
#ifndef JSTUDY_LAW_H
#define JSTUDY_LAW_H

#include <stdbool.h>

#include "base/err.h"

typedef enum jstudy_law_kind { JSTUDY_UNIFORM, JSTUDY_NORMAL, JSTUDY_LOGNORMAL } jstudy_law_kind;

// The standard normal distribution and its inverse, p in (0, 1); relative errors near 1e-15 in both tails.
double jstudy_normal(double z);
double jstudy_normal_inverse(double p);

// Values between two ends. Normal and lognormal ones have a mean and a deviation, those before they are cut off at
// the ends, which may be infinite.
typedef struct jstudy_law {
  jstudy_law_kind kind;
  double from, to, mean, deviation;
  // of normal kinds: centre and width of the value or of its logarithm, the ends in units of that, what lies below
  // the lower and the upper one, and whether all of it is mirrored so that it lies in the lower tail
  double centre, width, z_from, z_to, p_from, p_to;
  bool is_mirrored;
} jstudy_law;

// Checks the numbers; errors name the parameter.
jo_status jstudy_law_set(jo_context* ctx, const char* name, jstudy_law* law);

// The value that a share u in (0, 1) of all lies below.
double jstudy_law_at(const jstudy_law* law, double u);

// The constant C of E[(g - E g)^2] <= C E[(s g')^2] for any g of a value of this law (Poincare), where s is 1, or the
// value itself where it is lognormal. docs/theory/statistics.md (W8).
double jstudy_law_poincare(const jstudy_law* law);

#endif
