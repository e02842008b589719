// SPDX-License-Identifier: Apache-2.0
// Designs: which points of a box of parameters to look at. A point follows from its index alone, so that a design of
// any size takes no memory.
#ifndef JSTUDY_DESIGN_H
#define JSTUDY_DESIGN_H

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "study/law.h"

typedef struct jstudy_range {
  const char* name;
  double from,
      to;  // ends; of normal and lognormal values where they are cut off, infinite: nowhere
  int n;   // values on a grid, ends included; samples do not look at it
  jstudy_law_kind law;
  double mean, deviation;  // not of uniform ones
} jstudy_range;

// Sequences of samples.              name in files, what of a longer one the shorter is
typedef enum jstudy_sampling {
  JSTUDY_HALTON,  // its beginning
  JSTUDY_SOBOL,   // its beginning; fills best at powers of two
  JSTUDY_LATIN,   // another sample: each of n slices of every parameter holds one of n points
  JSTUDY_RANDOM   // its beginning
} jstudy_sampling;

const char* jstudy_sampling_name(jstudy_sampling s);

// Correlation of two parameters, of the normal variables that stand behind them (Gaussian copula).
typedef struct jstudy_correlation {
  const char *first, *second;
  double value;
} jstudy_correlation;

typedef struct jstudy_design_options {
  const jstudy_range* range;
  int nrange;
  int nsample;  // points of a sample; 0: a grid
  jstudy_sampling sampling;
  uint64_t seed;  // of the sample
  const jstudy_correlation* correlation;
  int ncorrelation;
  bool has_indices;  // points for Sobol indices: nrange + 2 for each of the sample
} jstudy_design_options;

// Points one after the other that belong together for Sobol indices: A, B, and A with one coordinate of B each.
enum { JSTUDY_POINT_A, JSTUDY_POINT_B, JSTUDY_POINT_AB };

typedef struct jstudy_design jstudy_design;

// In the arena, names of ranges included. JO_ERR_ARGUMENT: ranges or correlations that cannot be.
jo_status jstudy_design_create(jo_context* ctx, jarena* a, const jstudy_design_options* opt,
                               jstudy_design** out);

int jstudy_design_count(const jstudy_design* d);  // of points

// Point i: on a grid all combinations, the last range running fastest. x (nrange); threads: any.
void jstudy_design_at(const jstudy_design* d, int i, double* x);

const jstudy_law* jstudy_design_law(const jstudy_design* d, int k);  // of parameter k, of a sample

#endif
