// SPDX-License-Identifier: Apache-2.0
// Where loads of the impulsive driver should not be trusted.
#ifndef JSTUDY_LOAD_DOUBT_H
#define JSTUDY_LOAD_DOUBT_H

#include "study/loads.h"

// Reasons, one bit each: name, and what to tell.
#define JSTUDY_DOUBT_LIST(X)                                                                     \
  X(LATER, 1, "later", "an earlier reversal of the coordinate has changed the motion")           \
  X(CONSECUTIVE, 2, "consecutive", "the coordinate was flagged in the step before: it may lock") \
  X(COUPLING, 4, "coupling", "no force on the coordinate itself is stiff")

typedef enum jstudy_doubt {
#define X(id, value, name, text) JSTUDY_DOUBT_##id = value,
  JSTUDY_DOUBT_LIST(X)
#undef X
} jstudy_doubt;

// Doubts about each event of a run with the impulsive driver (nevent); none about other drivers.
jo_status jstudy_load_doubts(jo_context* ctx, const jstudy_loads* l, const jstudy_load_options* opt,
                             const jstudy_load_result* r, unsigned* doubt);

#endif
