// SPDX-License-Identifier: Apache-2.0
// Compiled three times (CMakeLists.txt): for any machine, for wider registers with JSENS_LANES_WIDE, and for the widest with
// JSENS_LANES_WIDEST.
#include "sens/lanes.h"

#include <math.h>
#include <string.h>

#include "base/system/cpu.h"

enum {
  WIDE = 8,
  BLOCK = 64,
  SHARED = 5
};  // lanes that the compiler can count; states at a time; slopes

static void combine(int n, const double* y, double h, const jsolve_combination* c, double* const* k,
                    double* out) {
  jsolve_combine_here(n, y, h, c, k, out);
}

// Two sums of the same slopes, which are read once.
static void combine_both(int n, const double* restrict y, double h, const jsolve_combination* b,
                         const jsolve_combination* e, double* const* k, double* restrict out,
                         double* restrict error) {
  const double *k0 = k[b->index[0]], *k1 = k[b->index[1]], *k2 = k[b->index[2]],
               *k3 = k[b->index[3]], *k4 = k[b->index[4]];
  const double *f = b->factor, *g = e->factor;
  const double b0 = h * f[0], b1 = h * f[1], b2 = h * f[2], b3 = h * f[3], b4 = h * f[4];
  const double e0 = h * g[0], e1 = h * g[1], e2 = h * g[2], e3 = h * g[3], e4 = h * g[4];
  for (int i = 0; i < n; i++) {
    double s0 = k0[i], s1 = k1[i], s2 = k2[i], s3 = k3[i], s4 = k4[i];
    out[i] = y[i] + (b0 * s0 + b1 * s1 + b2 * s2 + b3 * s3 + b4 * s4);
    error[i] = 0.0 + (e0 * s0 + e1 * s1 + e2 * s2 + e3 * s3 + e4 * s4);
  }
}

static void add(int n, double* restrict x, double a, const double* restrict y) {
  for (int i = 0; i < n; i++) {
    x[i] += a * y[i];
  }
}

// x / nominal, and where all nominals are 1, x
static inline double scaled(const jsens_lane_scales* s, bool is_plain, int i, double x) {
  return is_plain ? x : x / s->nominal[i];
}

static inline void add_squares(const jsens_lane_scales* s, bool is_plain, int lanes,
                               const double* x, double* restrict sum) {
  for (int i = 0; i < s->n; i++) {
    if (!s->use[i]) continue;
    for (int l = 0; l < lanes; l++) {
      double v = scaled(s, is_plain, i, x[i * lanes + l]);
      sum[l] += v * v;
    }
  }
}

static void sizes(const jsens_lane_scales* s, int lanes, const double* x, double* size) {
  double sum[WIDE] = {0};
  if (lanes == WIDE && s->is_plain) {
    add_squares(s, true, WIDE, x, sum);
  } else if (lanes == WIDE) {
    add_squares(s, false, WIDE, x, sum);
  } else {
    add_squares(s, false, lanes, x, sum);
  }
  for (int l = 0; l < lanes; l++) {
    size[l] = sqrt(sum[l]);
  }
}

// Weights that are zero are left out: parts are made of the slopes that jsens_tail_of() gives them.
static inline void add_parts(const jsens_lane_scales* s, const jsens_tail* t, bool is_plain,
                             int lanes, const double* const* slope, double* restrict square) {
  const double *u = t->weight[JSENS_TAIL_FIRST], *v = t->weight[JSENS_TAIL_SECOND],
               *w = t->weight[JSENS_TAIL_THIRD], *x = t->weight[JSENS_TAIL_AGAIN];
  double *first = square, *second = square + lanes, *third = square + 2 * lanes,
         *again = square + 3 * lanes;
  for (int i = 0; i < s->n; i++) {
    if (!s->use[i]) continue;
    double scale = is_plain ? 1.0 : 1.0 / s->nominal[i];
    const double *a = slope[0] + i * lanes, *b = slope[1] + i * lanes, *c = slope[2] + i * lanes,
                 *d = slope[3] + i * lanes, *e = slope[4] + i * lanes,
                 *end = slope[t->end] + i * lanes;
    for (int l = 0; l < lanes; l++) {
      double p = scale * (u[0] * a[l] + u[t->end] * end[l]);
      double q = scale * (v[0] * a[l] + v[1] * b[l] + v[t->end] * end[l]);
      double r = scale * (w[0] * a[l] + w[1] * b[l] + w[2] * c[l] + w[t->end] * end[l]);
      double z = scale * (x[3] * d[l] + x[4] * e[l]);
      first[l] += p * p;
      second[l] += q * q;
      third[l] += r * r;
      again[l] += z * z;
    }
  }
}

static void tail(const jsens_lane_scales* s, const jsens_tail* t, int lanes,
                 const double* const slope[JSENS_TAIL_NODES], double* square) {
  double sum[JSENS_TAIL_PARTS * WIDE] = {0};
  if (lanes == WIDE && s->is_plain) {
    add_parts(s, t, true, WIDE, slope, sum);
  } else if (lanes == WIDE) {
    add_parts(s, t, false, WIDE, slope, sum);
  } else {
    add_parts(s, t, false, lanes, slope, sum);
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
      term[i] = x[first + i] * y[(first + i) * stride];
    }
    for (int i = 0; i < n && !s->is_plain; i++) {
      double nominal = s->nominal[first + i];
      term[i] /= nominal * nominal;
    }
    for (int i = 0; i < n; i++) {
      if (s->use[first + i]) sum += term[i];
    }
  }
  return sum;
}

#define ALL \
  { combine, combine_both, add, sizes, tail, common }

#if defined JSENS_LANES_WIDEST
extern const jsens_lanes jsens_lanes_widest;
const jsens_lanes jsens_lanes_widest = ALL;
#elif defined JSENS_LANES_WIDE
extern const jsens_lanes jsens_lanes_wide;
const jsens_lanes jsens_lanes_wide = ALL;
#else
static const jsens_lanes plain = ALL;

jsens_lane_scales jsens_lane_scales_of(int n, const bool* use, const double* nominal) {
  jsens_lane_scales s = {n, use, nominal, true};
  for (int i = 0; i < n; i++) {
    s.is_plain = s.is_plain && nominal[i] == 1.0;
  }
  return s;
}

bool jsens_can_share(const jsolve_combination* b, const jsolve_combination* e) {
  bool same = b->n == SHARED && e->n == SHARED;
  for (int i = 0; same && i < SHARED; i++) {
    same = b->index[i] == e->index[i];
  }
  return same;
}

#ifdef JSENS_HAS_WIDE_LANES
extern const jsens_lanes jsens_lanes_wide, jsens_lanes_widest;
const jsens_lanes* jsens_lanes_choose(void) {
  if (jcpu_chosen() >= JCPU_V4) return &jsens_lanes_widest;
  return jcpu_chosen() >= JCPU_V3 ? &jsens_lanes_wide : &plain;
}
#else
const jsens_lanes* jsens_lanes_choose(void) {
  return &plain;
}
#endif
#endif
