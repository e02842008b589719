// SPDX-License-Identifier: Apache-2.0
// How many errors a context was told, those included whose text was lost for want of memory.
#ifndef TEST_ERROR_COUNT_H
#define TEST_ERROR_COUNT_H

#include "base/context.h"

static inline int error_count(const jo_context* ctx) {
  return ctx->nerror;
}

#endif
