// SPDX-License-Identifier: Apache-2.0
// Designs: which points of a box of parameters to look at. A point follows from its index alone, so that a design of
// any size takes no memory.
#ifndef JSWEEP_DESIGN_H
#define JSWEEP_DESIGN_H

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "sweep/law.h"

typedef struct jsweep_range {
  const char* name;
  double from,
      to;  // ends; of normal and lognormal values where they are cut off, infinite: nowhere
  int n;   // values on a grid, ends included; samples do not look at it
  jsweep_law_kind law;
  double mean, deviation;  // not of uniform ones
} jsweep_range;

// Sequences of samples.              name in files, what of a longer one the shorter is
typedef enum jsweep_sampling {
  JSWEEP_HALTON,  // its beginning
  JSWEEP_SOBOL,   // its beginning; fills best at powers of two
  JSWEEP_LATIN,   // another sample: each of n slices of every parameter holds one of n points
  JSWEEP_RANDOM   // its beginning
} jsweep_sampling;

const char* jsweep_sampling_name(jsweep_sampling s);

// Correlation of two parameters, of the normal variables that stand behind them (Gaussian copula).
typedef struct jsweep_correlation {
  const char *first, *second;
  double value;
} jsweep_correlation;

typedef struct jsweep_design_options {
  const jsweep_range* range;
  int nrange;
  int nsample;  // points of a sample; 0: a grid
  jsweep_sampling sampling;
  uint64_t seed;  // of the sample
  const jsweep_correlation* correlation;
  int ncorrelation;
  bool has_indices;  // points for Sobol indices: nrange + 2 for each of the sample
} jsweep_design_options;

// Points one after the other that belong together for Sobol indices: A, B, and A with one coordinate of B each.
enum { JAXLE_POINT_A, JAXLE_POINT_B, JAXLE_POINT_AB };

typedef struct jsweep_design jsweep_design;

// In the arena, names of ranges included. JO_ERR_ARGUMENT: ranges or correlations that cannot be.
jo_status jsweep_design_create(jo_context* ctx, jarena* a, const jsweep_design_options* opt,
                               jsweep_design** out);

int jsweep_design_count(const jsweep_design* d);  // of points

// Point i: on a grid all combinations, the last range running fastest. x (nrange); threads: any.
void jsweep_design_at(const jsweep_design* d, int i, double* x);

const jsweep_law* jsweep_design_law(const jsweep_design* d, int k);  // of parameter k, of a sample

#endif
