// SPDX-License-Identifier: Apache-2.0
// Quantiles of a stream of values: exact up to JSWEEP_QUANTILE_EXACT of them, beyond from a summary of bounded
// memory whose error is known. docs/theory/statistics.md (W6).
#ifndef JSWEEP_QUANTILE_H
#define JSWEEP_QUANTILE_H

#include <stdint.h>

#include "base/mem.h"

#define JSWEEP_QUANTILE_EXACT  65536
#define JSWEEP_QUANTILE_LEVELS 48

typedef struct jsweep_quantile {
  jo_context* ctx;
  // values of weight 2^h (JSWEEP_QUANTILE_EXACT, made when the first one comes), how many, how often they were halved
  double* level[JSWEEP_QUANTILE_LEVELS];
  int count[JSWEEP_QUANTILE_LEVELS];
  int64_t halved[JSWEEP_QUANTILE_LEVELS];
  int64_t n;
} jsweep_quantile;

void jsweep_quantile_begin(jsweep_quantile* q, jo_context* ctx);
void jsweep_quantile_end(jsweep_quantile* q);

jo_status jsweep_quantile_add(jsweep_quantile* q, double y);
jo_status jsweep_quantile_merge(jsweep_quantile* q, const jsweep_quantile* other);

// The values that the shares p (n, increasing, 0 to 1) of all lie below. Between two values of an exact one it is
// interpolated. Needs at least one value.
jo_status jsweep_quantile_find(const jsweep_quantile* q, const double* p, int n, double* out);

// How far the rank of what is found may be off, as a share of all. 0: exact.
double jsweep_quantile_error(const jsweep_quantile* q);

#endif
