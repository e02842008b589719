// SPDX-License-Identifier: Apache-2.0
// Cycle counts of a load history after ASTM E1049-85, pseudo-damage, and their derivatives by the
// samples of the history. docs/theory/loads.md, section on counting.
#ifndef JSTUDY_RAINFLOW_H
#define JSTUDY_RAINFLOW_H

#include "base/err.h"
#include "base/mem.h"

// Samples of one load: value[i * stride] at t[i * t_stride]. Without times turning points are samples;
// with them they lie on the parabola through a sample and its neighbours, or, where the slope jumps,
// where the parabolas of both sides meet.
typedef struct jstudy_history {
  const double* value;
  int n, stride;
  const double* t;  // [s]; may be NULL
  int t_stride;
  double gate;  // turns smaller than this are left out; 0: none is
} jstudy_history;

#define JSTUDY_TURNING_SAMPLES 6

// A peak or a valley. Its value moves by weight[k] with that of sample `first` + k, k < nweight.
typedef struct jstudy_turning {
  double t, value;
  int sample;  // the turning sample itself
  int first, nweight;
  double weight[JSTUDY_TURNING_SAMPLES];
} jstudy_turning;

// A cycle (count 1) or a half cycle (count 0.5) between two turning points.
typedef struct jstudy_cycle {
  int from, to;
  double range, mean, count;
} jstudy_cycle;

#define JSTUDY_COUNTING_LIST(X)                                             \
  X(RAINFLOW, "rainflow", "E1049 5.4.4: closed cycles, the rest in halves") \
  X(RANGE_PAIR, "range-pair", "E1049 5.4.3: pairs of ranges, no half cycles")

typedef enum jstudy_counting {
#define X(id, name, text) JSTUDY_COUNT_##id,
  JSTUDY_COUNTING_LIST(X)
#undef X
} jstudy_counting;

typedef struct jstudy_rainflow {
  jo_context* ctx;
  int nturning, turning_cap;
  jstudy_turning* turning;
  int ncycle, cycle_cap;
  jstudy_cycle* cycle;
} jstudy_rainflow;

// Count a history. On failure (memory, a sample that is not finite) *r is empty.
// Ownership: caller, release with jstudy_rainflow_free().
jo_status jstudy_rainflow_count(jo_context* ctx, const jstudy_history* h, jstudy_counting method,
                                jstudy_rainflow* r);
void jstudy_rainflow_free(jstudy_rainflow* r);

// Counts in bins of equal width, the first from 0: count[i] of ranges in [i, i + 1) * width, larger
// ones in the last.
void jstudy_rainflow_bins(const jstudy_rainflow* r, double width, int nbin, double* count);

// (R3)  D = sum of count * (range / reference)^slope
double jstudy_rainflow_damage(const jstudy_rainflow* r, double slope, double reference);

// dD / d (sample of the history) for the cycles as they are paired (n); added to.
void jstudy_rainflow_gradient(const jstudy_rainflow* r, double slope, double reference, int n,
                              double* gradient);

// The largest |value| of a history, between samples where times are given.
jstudy_turning jstudy_history_peak(const jstudy_history* h);

#endif
