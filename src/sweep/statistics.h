// SPDX-License-Identifier: Apache-2.0
// What a sample says of the values that came out: moments, quantiles, Sobol indices, and bounds on them by derivatives.
// Knows neither vehicles nor sweeps: points come from a design, values from a function. docs/theory/statistics.md
#ifndef JSWEEP_STATISTICS_H
#define JSWEEP_STATISTICS_H

#include "sweep/design.h"

#define JSWEEP_QUANTILES 7
extern const double jsweep_quantile_share[JSWEEP_QUANTILES];

typedef struct jsweep_source {
  const jsweep_design* design;
  int npoint, nrange, noutput;
  bool has_indices, is_sample, is_correlated;
  int nw;             // derivatives of an output at a point
  const int* column;  // which of them is by parameter k; -1: none (nrange)
  void* user;
  // Values (noutput) and derivatives (noutput x nw) of point i; they may stay where they are until the next call.
  // JO_EVENT: the point failed, it does not count. Called for all points in their order, twice.
  jo_status (*read)(void* user, int i, const double** y, const double** gradient);
} jsweep_source;

// Numbers of one output. Errors are standard deviations. Arrays are by parameter.
typedef struct jsweep_statistic {
  int n;  // points that count
  double mean, mean_error, deviation, deviation_error, least, most;
  double quantile[JSWEEP_QUANTILES], rank_error;
  double *first, *first_error, *total, *total_error;  // Sobol indices; NULL: not of this design
  // mean square derivative, bound on the total index; NULL: no derivatives
  double *slope, *slope_error, *bound, *bound_error;
} jsweep_statistic;

// (noutput), in the arena. Numbers that there are none of (no point, one point) are NaN.
jo_status jsweep_statistics_of(jo_context* ctx, jarena* a, const jsweep_source* s,
                               jsweep_statistic** out);

#endif
