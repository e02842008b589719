// SPDX-License-Identifier: Apache-2.0
// Quantiles of a stream of values: exact up to JSTUDY_QUANTILE_EXACT of them, beyond from a summary of bounded
// memory whose error is known. docs/theory/statistics.md (W6).
#ifndef JSTUDY_QUANTILE_H
#define JSTUDY_QUANTILE_H

#include <stdint.h>

#include "base/mem.h"

#define JSTUDY_QUANTILE_EXACT  65536
#define JSTUDY_QUANTILE_LEVELS 48

typedef struct jstudy_quantile {
  jo_context* ctx;
  // values of weight 2^h (JSTUDY_QUANTILE_EXACT, made when the first one comes), how many, how often they were halved
  double* level[JSTUDY_QUANTILE_LEVELS];
  int count[JSTUDY_QUANTILE_LEVELS];
  int64_t halved[JSTUDY_QUANTILE_LEVELS];
  int64_t n;
} jstudy_quantile;

void jstudy_quantile_begin(jstudy_quantile* q, jo_context* ctx);
void jstudy_quantile_end(jstudy_quantile* q);

jo_status jstudy_quantile_add(jstudy_quantile* q, double y);
jo_status jstudy_quantile_merge(jstudy_quantile* q, const jstudy_quantile* other);

// The values that the shares p (n, increasing, 0 to 1) of all lie below. Between two values of an exact one it is
// interpolated. Needs at least one value.
jo_status jstudy_quantile_find(const jstudy_quantile* q, const double* p, int n, double* out);

// How far the rank of what is found may be off, as a share of all. 0: exact.
double jstudy_quantile_error(const jstudy_quantile* q);

#endif
