// SPDX-License-Identifier: Apache-2.0
// A simple eigenvalue of A with left and right eigenvectors w, v moves by docs/theory/sensitivity.md eq.
// (S11):
//   d lambda = w^H dA v / (w^H v)      dA = dA/dp + dA/dy S: the operating point moves along
#include "sens/linear/modes.h"

#include <complex.h>
#include <math.h>

#include "sens/linear/linear.h"

#define CLOSE  1e-6   // eigenvalues nearer than this part of themselves are one ...
#define FLOOR  1e-12  // ... or than this part of the largest, which rounding moves them by
#define TWO_PI 6.28318530717958647692

typedef double _Complex cplx;

static cplx entry(const double* v, int n, int i) {
  return v[i] + I * v[n + i];
}

static cplx eigenvalue_slope(const jsens_linear* b, const jplant_mode* m) {
  cplx top = 0.0, bottom = 0.0;
  for (int j = 0; j < b->n; j++) {
    cplx v = entry(m->right, b->n, j);
    bottom += conj(entry(m->left, b->n, j)) * v;
    for (int i = 0; i < b->n; i++) {
      top += conj(entry(m->left, b->n, i)) * b->dA[i + j * b->n] * v;
    }
  }
  return top / bottom;
}

// frequency = im / 2 pi, damping = -re / |lambda|
static jsens_mode_slope slope_of(const jplant_mode* m, cplx slope) {
  double re = creal(slope), im = m->im != 0.0 ? cimag(slope) : 0.0;
  double size = hypot(m->re, m->im), by = (m->re * re + m->im * im) / size;
  return (jsens_mode_slope){re, im, im / TWO_PI, (m->re * by / size - re) / size};
}

// Eigenvalues that are not simple, to rounding; a conjugate pair that is nearly real counts with itself.
// Double zeros come out as roots of rounding, far from each other in comparison.
static void find_repeated(const jplant_mode* mode, int n, bool* repeated) {
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    largest = fmax(largest, hypot(mode[i].re, mode[i].im));
  }
  for (int i = 0; i < n; i++) {
    double size = hypot(mode[i].re, mode[i].im);
    double limit = CLOSE * size + FLOOR * largest;
    repeated[i] = mode[i].im != 0.0 && (mode[i].is_zero || 2.0 * mode[i].im <= limit);
    for (int j = 0; j < n; j++) {
      double gap = hypot(mode[i].re - mode[j].re, mode[i].im - mode[j].im);
      bool is_same = gap <= limit || (mode[i].is_zero && mode[j].is_zero);
      repeated[i] = repeated[i] || (i != j && is_same);
    }
  }
}

jo_status jsens_mode_sensitivity(jo_context* ctx, jarena* a, const jplant_work* run, double t,
                                 const jplant_start* start, int nw, const jplant_mode* mode,
                                 int nmode, bool* repeated, jsens_mode_slope* slope) {
  const jgen_dynamics* d = run->plant->dynamics;
  jsens_linear b;
  JO_TRY(jsens_linear_begin(ctx, a, run, t, NULL, 0, NULL, 0, &b));
  find_repeated(mode, nmode, repeated);
  for (int k = 0; k < nw; k++) {
    jsens_linear_fill(&b, k, start->y, start->S + (int64_t)k * d->ny);
    for (int i = 0; i < nmode; i++) {
      slope[(int64_t)i * nw + k] = repeated[i] ? (jsens_mode_slope){NAN, NAN, NAN, NAN}
                                               : slope_of(&mode[i], eigenvalue_slope(&b, &mode[i]));
    }
  }
  return JO_OK;
}
