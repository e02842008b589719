// SPDX-License-Identifier: Apache-2.0
// Compiled twice (CMakeLists.txt): for any machine, and for wider registers with JSOLVE_SUMS_WIDE. One pass over contiguous
// arrays, no branches. What is added up runs in four lanes in a fixed order: fast, and the same bits on every run.
#include "solve/algebra/sums.h"

#include <float.h>
#include <math.h>

#include "base/assert.h"

static void combine(int n, const double* y, double h, const jsolve_combination* c, double* const* k,
                    double* out) {
  jsolve_combine_here(n, y, h, c, k, out);
}

static inline double term(const jsolve_weights* w, int i, const double* v, const double* ya,
                          const double* yb) {
  double a = fabs(ya[i]), b = fabs(yb[i]);
  double e = w->use[i] * v[i] / (w->abs_tol[i] + w->rel_tol * (a > b ? a : b));
  return e * e;
}

static double norm(const jsolve_weights* w, const double* v, const double* ya, const double* yb) {
  JASSERT(w->ncontrolled <= w->n);
  double s[4] = {0};
  int i = 0;
  for (; i + 4 <= w->n; i += 4) {
    for (int l = 0; l < 4; l++)
      s[l] += term(w, i + l, v, ya, yb);
  }
  for (; i < w->n; i++)
    s[0] += term(w, i, v, ya, yb);
  int m = w->ncontrolled > 0 ? w->ncontrolled : 1;
  return sqrt(((s[0] + s[1]) + (s[2] + s[3])) / m);
}

static bool is_finite(int n, const double* v) {
  // 0 * v is 0 for every finite v and not a number otherwise
  double s[4] = {0};
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    for (int l = 0; l < 4; l++)
      s[l] += 0.0 * v[i + l];
  }
  for (; i < n; i++)
    s[0] += 0.0 * v[i];
  return (s[0] + s[1]) + (s[2] + s[3]) == 0.0;
}

static void hermite(int n, const jsolve_hermite* h, double* restrict y) {
  double a0 = h->a0, a1 = h->a1, b0 = h->b0, b1 = h->b1, c = h->c;
  const double *y0 = h->y0, *y1 = h->y1, *f0 = h->f0, *f1 = h->f1, *quartic = h->quartic;
  for (int i = 0; i < n; i++) {
    y[i] = (a0 * y0[i] + a1 * y1[i]) + (b0 * f0[i] + b1 * f1[i]);
  }
  for (int i = 0; quartic && i < n; i++) {
    y[i] += c * quartic[i];
  }
}

static void margins(const jsolve_margins* m, const double* restrict g, double* restrict s) {
  const double* restrict mode = m->mode, * restrict hysteresis = m->hysteresis;
  for (int k = 0, n = m->n; k < n; k++) {
    s[k] = (mode[k] > 0.5 ? g[k] : -g[k]) + hysteresis[k];
  }
}

// As a rule none has: all are looked at, without branches.
static bool has_crossed(int n, const double* s) {
  int crossed = 0;
  for (int k = 0; k < n; k++) {
    crossed += s[k] <= 0;
  }
  return crossed > 0;
}

static void arm(const jsolve_margins* m, double relative, double least, const double* restrict g) {
  double* restrict largest = m->largest, * restrict floor = m->floor, * restrict off = m->hysteresis;
  const double* restrict mode = m->mode;
  bool* restrict is_armed = m->is_armed;
  for (int k = 0, n = m->n; k < n; k++) {
    double size = fabs(g[k]), s = mode[k] > 0.5 ? g[k] : -g[k];
    if (size > largest[k] && size <= DBL_MAX) largest[k] = size;
    double part = relative * largest[k];
    floor[k] = part > least ? part : least;
    is_armed[k] = is_armed[k] || s > floor[k];
    off[k] = is_armed[k] ? 0 : floor[k];
  }
}

#define ALL \
  { combine, norm, is_finite, hermite, margins, has_crossed, arm }

#ifdef JSOLVE_SUMS_WIDE
extern const jsolve_sums jsolve_sums_wide;
const jsolve_sums jsolve_sums_wide = ALL;
#else
static const jsolve_sums plain = ALL;

const jsolve_sums* jsolve_sums_plain(void) {
  return &plain;
}

#ifdef JSOLVE_HAS_WIDE_SUMS
#include "base/system/cpu.h"
extern const jsolve_sums jsolve_sums_wide;
// By what the processor has, not by what was chosen: this is called at every stage, too often to read the environment.
const jsolve_sums* jsolve_sums_choose(void) {
  return jcpu_has_v3() ? &jsolve_sums_wide : &plain;
}
#else
const jsolve_sums* jsolve_sums_choose(void) {
  return &plain;
}
#endif

void jsolve_combine(int n, const double* restrict y, double h, const jsolve_combination* c,
                    double* const* k, double* restrict out) {
  jsolve_sums_choose()->combine(n, y, h, c, k, out);
}

double jsolve_norm(const jsolve_weights* w, const double* v, const double* ya, const double* yb) {
  return jsolve_sums_choose()->norm(w, v, ya, yb);
}

bool jsolve_is_finite(int n, const double* v) {
  return jsolve_sums_choose()->is_finite(n, v);
}
#endif
