// SPDX-License-Identifier: Apache-2.0
#include "solve/event/looks.h"

#include <math.h>

#include "base/assert.h"
#include "solve/constants.h"

#define NEAR   0.1  // of the largest margin
#define ERRORS 1    // ... and what errors of the states make of them, in tolerances

double jsolve_look_behind(int i) {
  return i == 1 ? 0.019865217 : 0.012732395;
}

bool jsolve_looks_init(jsolve_looks* l, jarena* a, int n, double tolerance) {
  *l = (jsolve_looks){.n = n, .noise = fmax(JSOLVE_ROUNDING, ERRORS * tolerance)};
  double* data = JARENA_ARRAY(a, (JSOLVE_LOOKS + 1) * (size_t)n, double);
  for (int i = 0; data && i < JSOLVE_LOOKS; i++, data += n)
    l->s[i] = data;
  l->behind = data;
  return data;
}

double* jsolve_looks_next(jsolve_looks* l) {
  double* oldest = l->s[0];
  for (int i = 0; i + 1 < JSOLVE_LOOKS; i++)
    l->s[i] = l->s[i + 1];
  return l->s[JSOLVE_LOOKS - 1] = oldest;
}

// Lagrange's polynomials of the nodes 0 ... 3 at x.
static void weights(double x, double* w) {
  w[0] = (x - 1) * (x - 2) * (x - 3) / -6;
  w[1] = x * (x - 2) * (x - 3) / 2;
  w[2] = x * (x - 1) * (x - 3) / -2;
  w[3] = x * (x - 1) * (x - 2) / 6;
}

// The same at a quarter, the middle and three quarters between looks i and i + 1.
static const double between[3][3 * JSOLVE_LOOKS] = {
    {77. / 128, 77. / 128, -33. / 128, 7. / 128, 5. / 16, 15. / 16, -5. / 16, 1. / 16, 15. / 128,
     135. / 128, -27. / 128, 5. / 128},
    {-7. / 128, 105. / 128, 35. / 128, -5. / 128, -1. / 16, 9. / 16, 9. / 16, -1. / 16, -5. / 128,
     35. / 128, 105. / 128, -7. / 128},
    {5. / 128, -27. / 128, 135. / 128, 15. / 128, 1. / 16, -5. / 16, 15. / 16, 5. / 16, 7. / 128,
     -33. / 128, 77. / 128, 77. / 128}};

static double larger(double a, double b) {
  return a > b ? a : b;
}

static double smaller(double a, double b) {
  return a < b ? a : b;
}

// How far the look behind is off the cubic with these weights, beyond noise.
static inline double miss(const jsolve_looks* l, const double* w, const double* largest, int k) {
  double p = (w[0] * l->s[0][k] + w[1] * l->s[1][k]) + (w[2] * l->s[2][k] + w[3] * l->s[3][k]);
  return fabs(l->behind[k] - p) - l->noise * larger(1, largest[k]);
}

// The least of a parabola through three values at equal distances, between them.
static double vertex(double a, double b, double c) {
  double bend = a - 2 * b + c, slope = 0.5 * (c - a);
  return fabs(slope) <= bend && bend > 0 ? b - 0.5 * slope * slope / bend : b;
}

// Whether a margin may cross between two looks at which it has not, s[i] and s[i + 1], by the cubic through all of them, which
// may be wrong by `error` in between.
static bool dips(const double s[JSOLVE_LOOKS], int i, double error) {
  const double* w = between[i];
  double p[5] = {s[i], 0, 0, 0, s[i + 1]}, least = INFINITY;
  for (int j = 1; j < 4; j++, w += JSOLVE_LOOKS)
    p[j] = (w[0] * s[0] + w[1] * s[1]) + (w[2] * s[2] + w[3] * s[3]);
  for (int j = 1; j < 4; j++)
    least = smaller(least, vertex(p[j - 1], p[j], p[j + 1]));
  return s[i] > 0 && s[i + 1] > 0 && !(least > error);
}

// Whether switch k may be hidden: a margin that is not near zero has no dip, whatever the cubic does.
static inline int is_candidate(const jsolve_looks* l, double x, const double* w,
                               const double* largest, int k) {
  const double a = l->s[0][k], b = l->s[1][k], c = l->s[2][k], d = l->s[3][k];
  double least = smaller(smaller(a, b), smaller(c, d)), most = larger(larger(a, b), larger(c, d));
  double off = miss(l, w, largest, k), size = larger(fabs(most), fabs(least));
  double low = least - JSOLVE_OVERSHOOT * (most - least);
  return (off > JSOLVE_HIDDEN * x * size) | !(low > JSOLVE_BETWEEN / x * larger(off, 0));
}

static bool is_hidden(const jsolve_looks* l, double x, const double* w, const double* largest,
                      int k) {
  const double s[] = {l->s[0][k], l->s[1][k], l->s[2][k], l->s[3][k]};
  double size = larger(larger(fabs(s[0]), fabs(s[1])), larger(fabs(s[2]), fabs(s[3])));
  double off = miss(l, w, largest, k), error = JSOLVE_BETWEEN / x * larger(off, 0);
  return off > JSOLVE_HIDDEN * x * size || dips(s, 0, error) || dips(s, 1, error) ||
         dips(s, 2, error);
}

int jsolve_looks_hidden(const jsolve_looks* l, int i, const double* largest) {
  JASSERT(i == 1 || i == 2);
  const double x = jsolve_look_behind(i);
  double w[JSOLVE_LOOKS];
  weights(i + x, w);
  int n = 0;
  for (int k = 0; k < l->n; k++)
    n += is_candidate(l, x, w, largest, k);
  for (int k = 0; n > 0 && k < l->n; k++) {
    if (!is_candidate(l, x, w, largest, k)) continue;
    bool is_known = l->is_known && l->is_known[k];
    if (!is_known && is_hidden(l, x, w, largest, k)) return k;
    n--;
  }
  return -1;
}

bool jsolve_looks_near(const jsolve_looks* l) {
  int n = 0;
  for (int k = 0; k < l->n; k++) {
    const double a = l->s[0][k], b = l->s[1][k], c = l->s[2][k], d = l->s[3][k];
    double least = smaller(smaller(a, b), smaller(c, d)), most = larger(larger(a, b), larger(c, d));
    n += !(least > JSOLVE_OVERSHOOT * (most - least));
  }
  for (int k = 0; n > 0 && k < l->n; k++) {
    const double s[] = {l->s[0][k], l->s[1][k], l->s[2][k], l->s[3][k]};
    double most = larger(larger(s[0], s[1]), larger(s[2], s[3])), error = NEAR * most;
    if (dips(s, 0, error) || dips(s, 1, error) || dips(s, 2, error)) return true;
  }
  return false;
}
