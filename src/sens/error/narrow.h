// SPDX-License-Identifier: Apache-2.0
// Steps that hold something narrower than they are, as the estimated errors of the steps of a run show them: corners that are
// rounded, such as those of tyre forces where a slip passes zero. docs/theory/sensitivity.md, Comparison.
#ifndef JSENS_NARROW_H
#define JSENS_NARROW_H

#include "sens/record.h"

#define JSENS_SLIVER 0.1  // of a step: a time so close to its end is passed

typedef struct jsens_narrow {
  const jsens_record* record;
  double order;  // the power of the length of steps that their errors go with
} jsens_narrow;

jsens_narrow jsens_narrow_of(const jsens_record* record, jsolve_method method);

// Whether the errors of explicit step i and of one beside it, for their lengths, are so far apart that one of them holds
// something narrow.
bool jsens_narrow_shows(const jsens_narrow* n, int i);

// Error of a smooth step of length h from t on, in tolerances (S49). INFINITY: not known.
double jsens_narrow_expected(const jsens_narrow* n, double t, double h);

#endif
