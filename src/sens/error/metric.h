// SPDX-License-Identifier: Apache-2.0
// What the derivatives of an objective mean: which numbers matter, and which do not.
#ifndef JSENS_METRIC_H
#define JSENS_METRIC_H

#include "model/model.h"

typedef enum jsens_influence {
  JSENS_MATTERS,
  JSENS_ZERO_VALUE,  // matters, but its value is zero
  JSENS_IDLE,        // below the threshold
  JSENS_NONE         // has no derivative
} jsens_influence;

typedef struct jsens_metric_row {
  int which;  // index into wrt
  jsens_influence influence;
  double value, derivative;
  double
      percent;  // of the objective per 1 % of `size` [%]; of an objective that is zero: its change
  double size;  // |value|, or the natural size of a number that is zero
} jsens_metric_row;

// Magnitude of a number; where it is zero the root mean square of the numbers of its kind, those of
// the same section and last key that are not zero, else of the section; 1 when there are none.
double jsens_natural_size(const jmodel* m, int number);
double jsens_size_at(const jmodel* m, int number, double value);  // with another value

// Rows sorted: those that matter, those of value zero, the idle ones, those without a derivative; each
// by |percent|, then in the order of wrt. `value`: of the numbers (nw). `row` is the caller's (nw).
void jsens_metric(const jmodel* m, const int* wrt, int nw, const double* value, double objective,
                  const double* gradient, double threshold, jsens_metric_row* row);

#endif
