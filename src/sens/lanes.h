// SPDX-License-Identifier: Apache-2.0
// Arithmetic on vectors of states with their lanes, around the kernels. There are three copies of it: for any machine, for
// wider registers, and for the widest. They do the same operations in the same order, without fused ones, and have the same bits.
#ifndef JSENS_LANES_H
#define JSENS_LANES_H

#include "sens/error/tail.h"

// Which states count, and by what they are measured.
typedef struct jsens_lane_scales {
  int n;
  const bool* use;
  const double* nominal;
  bool is_plain;  // all nominals are 1
} jsens_lane_scales;

typedef struct jsens_lanes {
  // out = y + h sum_j factor_j k_j, as jsolve_combine()
  void (*combine)(int n, const double* y, double h, const jsolve_combination* c, double* const* k,
                  double* out);
  // the same for two combinations of the same slopes, jsens_can_share(): out = y + ..., error = 0 + ...
  void (*combine_both)(int n, const double* restrict y, double h, const jsolve_combination* b,
                       const jsolve_combination* e, double* const* k, double* restrict out,
                       double* restrict error);
  // x += a y
  void (*add)(int n, double* restrict x, double a, const double* restrict y);
  // sizes of states in their scales, one by lane
  void (*sizes)(const jsens_lane_scales* s, int lanes, const double* x, double* size);
  // (S26)  squares of the sizes of the parts that slopes are made of: parts x lanes
  void (*tail)(const jsens_lane_scales* s, const jsens_tail* t, int lanes,
               const double* const slope[JSENS_TAIL_NODES], double* square);
  // what x has in common with one lane of y, whose elements lie `stride` apart, in their scales
  double (*common)(const jsens_lane_scales* s, const double* x, const double* y, int stride);
} jsens_lanes;

// Scales of n states, of which some are used.
jsens_lane_scales jsens_lane_scales_of(int n, const bool* use, const double* nominal);

// Whether two combinations are sums of the same five slopes, as those of Dormand and Prince are.
bool jsens_can_share(const jsolve_combination* b, const jsolve_combination* e);

// What this machine can do best.
const jsens_lanes* jsens_lanes_choose(void);

#endif
