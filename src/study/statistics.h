// SPDX-License-Identifier: Apache-2.0
// What a sample says of the values that came out: moments, quantiles, Sobol indices, and bounds on them by derivatives.
// Knows neither vehicles nor sweeps: points come from a design, values from a function. docs/theory/statistics.md
#ifndef JSTUDY_STATISTICS_H
#define JSTUDY_STATISTICS_H

#include "study/design.h"

#define JSTUDY_QUANTILES 7
extern const double jstudy_quantile_share[JSTUDY_QUANTILES];

typedef struct jstudy_source {
  const jstudy_design* design;
  int npoint, nrange, noutput;
  bool has_indices, is_sample, is_correlated;
  int nw;             // derivatives of an output at a point
  const int* column;  // which of them is by parameter k; -1: none (nrange)
  void* user;
  // Values (noutput) and derivatives (noutput x nw) of point i; they may stay where they are until the next call.
  // JO_EVENT: the point failed, it does not count. Called for all points in their order, twice.
  jo_status (*read)(void* user, int i, const double** y, const double** gradient);
} jstudy_source;

// Numbers of one output. Errors are standard deviations. Arrays are by parameter.
typedef struct jstudy_statistic {
  int n;  // points that count
  double mean, mean_error, deviation, deviation_error, least, most;
  double quantile[JSTUDY_QUANTILES], rank_error;
  double *first, *first_error, *total, *total_error;  // Sobol indices; NULL: not of this design
  // mean square derivative, bound on the total index; NULL: no derivatives
  double *slope, *slope_error, *bound, *bound_error;
} jstudy_statistic;

// (noutput), in the arena. Numbers that there are none of (no point, one point) are NaN.
jo_status jstudy_statistics(jo_context* ctx, jarena* a, const jstudy_source* s,
                            jstudy_statistic** out);

#endif
