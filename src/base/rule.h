// SPDX-License-Identifier: Apache-2.0
// What values must fulfil, as far as they alone tell: models when they are read, and exported code when its numbers
// are set.
#ifndef JBASE_RULE_H
#define JBASE_RULE_H

#include <stdbool.h>

typedef enum jrule_limit {
  JRULE_FINITE,
  JRULE_NOT_NEGATIVE,
  JRULE_POSITIVE,
  JRULE_RESOLVED,  // a period that can be told from an instant [s]
  JRULE_ABOVE_ONE,
  JRULE_NOT_ZERO,
  JRULE_RIGHT_WAY  // more than 0: a force that acts against what causes it
} jrule_limit;

typedef enum jrule_kind {
  JRULE_LIMIT,      // one value within its limit
  JRULE_INCREASES,  // every value above the one before
  JRULE_TENSOR,     // six values, xx yy zz xy xz yz, are an inertia
  JRULE_DIRECTION,  // three values are not all zero
  JRULE_PLANE,      // twice three values are not parallel
  JRULE_LESS        // the first of two values is less than the second
} jrule_kind;

bool jrule_holds(jrule_kind kind, jrule_limit limit, const double* value, int n);

// "more than 0"
const char* jrule_limit_text(jrule_limit limit);

#endif
