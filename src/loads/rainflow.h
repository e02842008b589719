// SPDX-License-Identifier: Apache-2.0
// Cycle counts of a load history after ASTM E1049-85, pseudo-damage, and their derivatives by the
// samples of the history. docs/theory/loads.md, section on counting.
#ifndef JLOADS_RAINFLOW_H
#define JLOADS_RAINFLOW_H

#include "base/err.h"
#include "base/mem.h"

// Samples of one load: value[i * stride] at t[i * t_stride]. Without times turning points are samples;
// with them they lie on the parabola through a sample and its neighbours, or, where the slope jumps,
// where the parabolas of both sides meet.
typedef struct jloads_history {
  const double* value;
  int n, stride;
  const double* t;  // [s]; may be NULL
  int t_stride;
  double gate;  // turns smaller than this are left out; 0: none is
} jloads_history;

#define JLOADS_TURNING_SAMPLES 6

// A peak or a valley. Its value moves by weight[k] with that of sample `first` + k, k < nweight.
typedef struct jloads_turning {
  double t, value;
  int sample;  // the turning sample itself
  int first, nweight;
  double weight[JLOADS_TURNING_SAMPLES];
} jloads_turning;

// A cycle (count 1) or a half cycle (count 0.5) between two turning points.
typedef struct jloads_cycle {
  int from, to;
  double range, mean, count;
} jloads_cycle;

#define JLOADS_COUNTING_LIST(X)                                             \
  X(RAINFLOW, "rainflow", "E1049 5.4.4: closed cycles, the rest in halves") \
  X(RANGE_PAIR, "range-pair", "E1049 5.4.3: pairs of ranges, no half cycles")

typedef enum jloads_counting {
#define X(id, name, text) JLOADS_COUNT_##id,
  JLOADS_COUNTING_LIST(X)
#undef X
} jloads_counting;

typedef struct jloads_rainflow {
  jo_context* ctx;
  int nturning, turning_cap;
  jloads_turning* turning;
  int ncycle, cycle_cap;
  jloads_cycle* cycle;
} jloads_rainflow;

// Count a history. On failure (memory, a sample that is not finite) *r is empty.
// Ownership: caller, release with jloads_rainflow_free().
jo_status jloads_rainflow_count(jo_context* ctx, const jloads_history* h, jloads_counting method,
                                jloads_rainflow* r);
void jloads_rainflow_free(jloads_rainflow* r);

// Counts in bins of equal width, the first from 0: count[i] of ranges in [i, i + 1) * width, larger
// ones in the last.
void jloads_rainflow_bins(const jloads_rainflow* r, double width, int nbin, double* count);

// (R3)  D = sum of count * (range / reference)^slope
double jloads_rainflow_damage(const jloads_rainflow* r, double slope, double reference);

// dD / d (sample of the history) for the cycles as they are paired (n); added to.
void jloads_rainflow_gradient(const jloads_rainflow* r, double slope, double reference, int n,
                              double* gradient);

// The largest |value| of a history, between samples where times are given.
jloads_turning jloads_history_peak(const jloads_history* h);

#endif
