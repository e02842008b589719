// SPDX-License-Identifier: Apache-2.0
// A simple eigenvalue of A with left and right eigenvectors w, v moves by docs/theory/sensitivity.md eq.
// (S11):
//   d lambda = w^H dA v / (w^H v)      dA = dA/dp + dA/dy S: the operating point moves along
// The columns of A are tangents of the right-hand side, loops closed; their derivatives are complex
// steps of these through the interpreter: exact to rounding.
#include "sens/modes.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "expr/tape.h"

#define STEP   1e-40  // imaginary: no cancellation, so it may be as small as it likes
#define CLOSE  1e-6   // eigenvalues nearer than this part of themselves are one ...
#define FLOOR  1e-12  // ... or than this part of the largest, which rounding moves them by
#define TWO_PI 6.28318530717958647692

typedef double _Complex cplx;

typedef struct problem {
  const jplant_work* run;
  const jgen_dynamics* d;
  double t;
  int n, nu, nv;
  jexpr_tape rhs, close;
  cplx *p, *y, *mode, *dy, *dp, *ydot, *dydot, *work;
  double* dA;  // column-major n x n
} problem;

static jo_status allocate(problem* b, jo_context* ctx, jarena* a) {
  const jgen_dynamics* d = b->d;
  JO_TRY(jexpr_tape_build(ctx, a, &d->sens.tangent[JGEN_FN_RHS], &b->rhs));
  JO_TRY(jexpr_tape_build(ctx, a, &d->sens.tangent[JGEN_FN_PROJECT], &b->close));
  int nslot = b->rhs.nslot > b->close.nslot ? b->rhs.nslot : b->close.nslot;
  cplx** array[] = {&b->p, &b->y, &b->mode, &b->dy, &b->dp, &b->ydot, &b->dydot, &b->work};
  int size[] = {d->np, d->ny, d->nswitch, d->ny, d->sens.nw, d->ny, d->ny, nslot};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    *array[i] = JARENA_ARRAY(a, size[i], cplx);
    if (!*array[i]) return jerr_memory(ctx);
  }
  b->dA = JARENA_ARRAY(a, b->n * b->n, double);
  return b->dA ? JO_OK : jerr_memory(ctx);
}

static void evaluate(problem* b, const jexpr_tape* tape, cplx* const* out) {
  const cplx t = b->t, zero = 0.0;
  const cplx* in[JGEN_GROUP_COUNT] = {
      [JGEN_P] = b->p,   [JGEN_T] = &t,     [JGEN_Y] = b->y,  [JGEN_MODE] = b->mode,
      [JGEN_DY] = b->dy, [JGEN_DT] = &zero, [JGEN_DP] = b->dp};
  jexpr_tape_eval_complex(tape, in, out, b->work);
}

// dA along one number and the motion S of the operating point
static void fill_slope(problem* b, int number, const double* y, const double* S) {
  const jgen_dynamics* d = b->d;
  for (int i = 0; i < d->ny; i++) {
    b->y[i] = y[i] + STEP * I * S[i];
  }
  for (int i = 0; i < d->np; i++) {
    b->p[i] = b->run->p[i] + (i == d->sens.wrt[number] ? STEP * I : 0.0);
  }
  for (int j = 0; j < b->n; j++) {
    memset(b->dy, 0, (size_t)d->ny * sizeof *b->dy);
    b->dy[jgen_own(&d->layout, j)] = 1.0;
    cplx* dv = b->dy + jgen_first(&d->layout, JGEN_QV);
    if (j < b->nu && b->nv > 0) evaluate(b, &b->close, (cplx* const[]){dv});
    evaluate(b, &b->rhs, (cplx* const[]){b->ydot, b->dydot});
    for (int i = 0; i < b->n; i++) {
      b->dA[i + j * b->n] = cimag(b->dydot[jgen_own(&d->layout, i)]) / STEP;
    }
  }
}

static cplx entry(const double* v, int n, int i) {
  return v[i] + I * v[n + i];
}

static cplx eigenvalue_slope(const problem* b, const jplant_mode* m) {
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
    double limit = size <= JPLANT_RIGID_MODE * largest ? 2.0 * JPLANT_RIGID_MODE * largest
                                                       : CLOSE * size + FLOOR * largest;
    repeated[i] = mode[i].im != 0.0 && 2.0 * mode[i].im <= limit;
    for (int j = 0; j < n; j++) {
      double gap = hypot(mode[i].re - mode[j].re, mode[i].im - mode[j].im);
      repeated[i] = repeated[i] || (i != j && gap <= limit);
    }
  }
}

jo_status jsens_mode_sensitivity(jo_context* ctx, jarena* a, const jplant_work* run, double t,
                                 const jplant_start* start, int nw, const jplant_mode* mode,
                                 int nmode, bool* repeated, jsens_mode_slope* slope) {
  const jgen_dynamics* d = run->plant->dynamics;
  problem b = {.run = run, .d = d, .t = t, .nu = d->part.nu, .nv = d->part.nv};
  b.n = jgen_own_count(&d->layout);
  JO_TRY(allocate(&b, ctx, a));
  for (int i = 0; i < d->nswitch; i++) {
    b.mode[i] = run->mode[i];
  }
  find_repeated(mode, nmode, repeated);
  for (int k = 0; k < nw; k++) {
    fill_slope(&b, k, start->y, start->S + (int64_t)k * d->ny);
    for (int i = 0; i < nmode; i++) {
      slope[(int64_t)i * nw + k] = repeated[i] ? (jsens_mode_slope){NAN, NAN, NAN, NAN}
                                               : slope_of(&mode[i], eigenvalue_slope(&b, &mode[i]));
    }
  }
  return JO_OK;
}
