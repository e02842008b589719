// SPDX-License-Identifier: Apache-2.0
// Compiled twice (CMakeLists.txt): for any machine, and for wider registers with JSENS_LANES_WIDE.
#include "sens/lanes.h"

#include <math.h>
#include <string.h>

#include "base/system/cpu.h"

enum { WIDE = 8, HALF = 4, BLOCK = 64 };  // lanes that the compiler can count; states at a time

static void combine(int n, const double* y, double h, const jsolve_combination* c, double* const* k,
                    double* out) {
  jsolve_combine_here(n, y, h, c, k, out);
}

static void add(int n, double* restrict x, double a, const double* restrict y) {
  for (int i = 0; i < n; i++) {
    x[i] += a * y[i];
  }
}

static inline void add_squares(const jsens_lane_scales* s, int lanes, const double* x,
                               double* restrict sum) {
  for (int i = 0; i < s->n; i++) {
    if (!s->use[i]) continue;
    for (int l = 0; l < lanes; l++) {
      double v = x[i * lanes + l] / s->nominal[i];
      sum[l] += v * v;
    }
  }
}

static void sizes(const jsens_lane_scales* s, int lanes, const double* x, double* size) {
  double sum[WIDE] = {0};
  switch (lanes) {
    case WIDE: add_squares(s, WIDE, x, sum); break;
    case HALF: add_squares(s, HALF, x, sum); break;
    default: add_squares(s, lanes, x, sum);
  }
  for (int l = 0; l < lanes; l++) {
    size[l] = sqrt(sum[l]);
  }
}

static inline void add_part(const double* w, double scale, int lanes, int at,
                            const double* const* slope, double* restrict square) {
  const double *a = slope[0] + at, *b = slope[1] + at, *c = slope[2] + at, *d = slope[3] + at,
               *e = slope[4] + at;
  for (int l = 0; l < lanes; l++) {
    double v = scale * (w[0] * a[l] + w[1] * b[l] + w[2] * c[l] + w[3] * d[l] + w[4] * e[l]);
    square[l] += v * v;
  }
}

static inline void add_parts(const jsens_lane_scales* s, const jsens_tail* t, int lanes,
                             const double* const* slope, double* restrict square) {
  for (int i = 0; i < s->n; i++) {
    if (!s->use[i]) continue;
    double scale = 1.0 / s->nominal[i];
    for (int m = 0; m < JSENS_TAIL_PARTS; m++) {
      add_part(t->weight[m], scale, lanes, i * lanes, slope, square + m * lanes);
    }
  }
}

static void tail(const jsens_lane_scales* s, const jsens_tail* t, int lanes,
                 const double* const slope[JSENS_TAIL_NODES], double* square) {
  double sum[JSENS_TAIL_PARTS * WIDE] = {0};
  switch (lanes) {
    case WIDE: add_parts(s, t, WIDE, slope, sum); break;
    case HALF: add_parts(s, t, HALF, slope, sum); break;
    default: add_parts(s, t, lanes, slope, sum);
  }
  memcpy(square, sum, (size_t)(JSENS_TAIL_PARTS * lanes) * sizeof *square);
}

// Terms side by side, then their sum one after another.
static double common(const jsens_lane_scales* s, const double* x, const double* y, int stride) {
  double sum = 0.0;
  for (int first = 0; first < s->n; first += BLOCK) {
    int n = s->n - first < BLOCK ? s->n - first : BLOCK;
    double term[BLOCK];
    for (int i = 0; i < n; i++) {
      term[i] = y[(first + i) * stride];
    }
    for (int i = 0; i < n; i++) {
      double nominal = s->nominal[first + i];
      term[i] = x[first + i] * term[i] / (nominal * nominal);
    }
    for (int i = 0; i < n; i++) {
      if (s->use[first + i]) sum += term[i];
    }
  }
  return sum;
}

#define ALL \
  { combine, add, sizes, tail, common }

#ifdef JSENS_LANES_WIDE
extern const jsens_lanes jsens_lanes_wide;
const jsens_lanes jsens_lanes_wide = ALL;
#else
static const jsens_lanes plain = ALL;

#ifdef JSENS_HAS_WIDE_LANES
extern const jsens_lanes jsens_lanes_wide;
const jsens_lanes* jsens_lanes_choose(void) {
  return jcpu_chosen() >= JCPU_V3 ? &jsens_lanes_wide : &plain;
}
#else
const jsens_lanes* jsens_lanes_choose(void) {
  return &plain;
}
#endif
#endif
