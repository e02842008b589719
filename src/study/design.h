// SPDX-License-Identifier: Apache-2.0
// Designs: which points of a box of parameters to look at.
#ifndef JSTUDY_DESIGN_H
#define JSTUDY_DESIGN_H

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"

typedef struct jstudy_range {
  const char* name;
  double from, to;
  int n;  // values on a grid, ends included; samples do not look at it
} jstudy_range;

// All combinations, the last range running fastest. x (npoint x nrange) is in the arena.
jo_status jstudy_design_grid(jo_context* ctx, jarena* a, const jstudy_range* range, int nrange,
                             double** x, int* npoint);

// The first `npoint` points of a Halton sequence in the box, its digits permuted and the whole
// shifted as `seed` says: they fill the box evenly, and more of them contain the fewer.
jo_status jstudy_design_sample(jo_context* ctx, jarena* a, const jstudy_range* range, int nrange,
                               int npoint, uint64_t seed, double** x);

#endif
