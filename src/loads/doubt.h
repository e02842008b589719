// SPDX-License-Identifier: Apache-2.0
// Where loads of the impulsive driver should not be trusted.
#ifndef JLOADS_DOUBT_H
#define JLOADS_DOUBT_H

#include "loads/loads.h"

// Reasons, one bit each: name, and what to tell.
#define JLOADS_DOUBT_LIST(X)                                                                     \
  X(LATER, 1, "later", "an earlier reversal of the coordinate has changed the motion")           \
  X(CONSECUTIVE, 2, "consecutive", "the coordinate was flagged in the step before: it may lock") \
  X(COUPLING, 4, "coupling", "no force on the coordinate itself is stiff")

typedef enum jloads_doubt {
#define X(id, value, name, text) JLOADS_DOUBT_##id = value,
  JLOADS_DOUBT_LIST(X)
#undef X
} jloads_doubt;

// Doubts about each event of a run with the impulsive driver (nevent); none about other drivers.
jo_status jloads_doubts(jo_context* ctx, const jloads* l, const jloads_options* opt,
                        const jloads_result* r, unsigned* doubt);

#endif
