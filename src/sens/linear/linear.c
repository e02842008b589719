// SPDX-License-Identifier: Apache-2.0
// Columns of the matrices are tangents of the right-hand side and of the outputs, loops closed. Evaluated in complex
// numbers, with a step along the number and the motion S of the state, their real parts are the matrices and the
// imaginary ones their derivatives, dA = dA/dp + dA/dy S.
#include "sens/linear/linear.h"

#include <complex.h>
#include <string.h>

#include "expr/tape/tape.h"

#define STEP 1e-40  // imaginary: no cancellation, so it may be as small as it likes

typedef double _Complex cplx;

struct jsens_linear_work {
  const jplant_work* run;
  const jgen_dynamics* d;
  double t;
  const int *input, *output;
  jexpr_tape rhs, close, look;
  cplx *p, *y, *mode, *dy, *dp, *ydot, *dydot, *dout, *scratch;
};

typedef struct jsens_linear_work work;

static jo_status build_tapes(jo_context* ctx, jarena* a, work* w, bool looks) {
  const jgen_sens* s = &w->d->sens;
  JO_TRY(jexpr_tape_build(ctx, a, &s->tangent[JGEN_FN_RHS], &w->rhs));
  JO_TRY(jexpr_tape_build(ctx, a, &s->tangent[JGEN_FN_PROJECT], &w->close));
  return looks ? jexpr_tape_build(ctx, a, &s->tangent[JGEN_FN_OUTPUTS], &w->look) : JO_OK;
}

static int largest(int a, int b) {
  return a > b ? a : b;
}

static jo_status allocate(jo_context* ctx, jarena* a, work* w) {
  const jgen_dynamics* d = w->d;
  int nslot = largest(w->rhs.nslot, largest(w->close.nslot, w->look.nslot));
  cplx** array[] = {&w->p,    &w->y,     &w->mode, &w->dy,     &w->dp,
                    &w->ydot, &w->dydot, &w->dout, &w->scratch};
  int size[] = {d->np, d->ny, d->nswitch, d->ny, d->sens.nw, d->ny, d->ny, d->noutput, nslot};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    *array[i] = JARENA_ARRAY(a, size[i], cplx);
    if (!*array[i]) return jerr_memory(ctx);
  }
  return JO_OK;
}

static jo_status allocate_matrices(jo_context* ctx, jarena* a, jsens_linear* l) {
  double** matrix[] = {&l->A, &l->B, &l->C, &l->D, &l->dA, &l->dB, &l->dC, &l->dD};
  int size[] = {l->n * l->n, l->n * l->nin, l->nout * l->n, l->nout * l->nin};
  for (int i = 0; i < 8; i++) {
    *matrix[i] = JARENA_ARRAY(a, size[i % 4], double);
    if (!*matrix[i]) return jerr_memory(ctx);
  }
  return JO_OK;
}

jo_status jsens_linear_begin(jo_context* ctx, jarena* a, const jplant_work* run, double t,
                             const int* input, int nin, const int* output, int nout,
                             jsens_linear* out) {
  const jgen_dynamics* d = run->plant->dynamics;
  work* w = JARENA_NEW(a, work);
  if (!w) return jerr_memory(ctx);
  *w = (work){.run = run, .d = d, .t = t, .input = input, .output = output};
  *out = (jsens_linear){.n = jgen_own_count(&d->layout), .nin = nin, .nout = nout, .work = w};
  JO_TRY(build_tapes(ctx, a, w, nout > 0));
  JO_TRY(allocate(ctx, a, w));
  return allocate_matrices(ctx, a, out);
}

static void evaluate(work* w, const jexpr_tape* tape, cplx* const* out) {
  const cplx t = w->t, zero = 0.0;
  const cplx* in[JGEN_GROUP_COUNT] = {
      [JGEN_P] = w->p,   [JGEN_T] = &t,
      [JGEN_Y] = w->y,   [JGEN_MODE] = w->mode,
      [JGEN_DY] = w->dy, [JGEN_DT] = &zero,
      [JGEN_DP] = w->dp, [JGEN_ROAD] = (const cplx*)(const void*)w->run->road};
  jexpr_tape_eval_complex(tape, in, out, w->scratch);
}

// One column of A and C, or of B and D, along the directions that are set.
static void fill_column(const jsens_linear* l, bool closes, int j, double* M, double* dM, double* N,
                        double* dN) {
  work* w = l->work;
  const jgen_layout* layout = &w->d->layout;
  cplx* dv = w->dy + jgen_first(layout, JGEN_QV);
  if (closes && w->d->part.nv > 0) evaluate(w, &w->close, (cplx* const[]){dv});
  evaluate(w, &w->rhs, (cplx* const[]){w->ydot, w->dydot});
  for (int i = 0; i < l->n; i++) {
    cplx x = w->dydot[jgen_own(layout, i)];
    M[i + j * l->n] = creal(x);
    dM[i + j * l->n] = cimag(x) / STEP;
  }
  if (l->nout > 0) evaluate(w, &w->look, (cplx* const[]){w->dout});
  for (int i = 0; i < l->nout; i++) {
    cplx x = w->dout[w->output[i]];
    N[i + j * l->nout] = creal(x);
    dN[i + j * l->nout] = cimag(x) / STEP;
  }
}

void jsens_linear_fill(jsens_linear* l, int number, const double* y, const double* S) {
  work* w = l->work;
  const jgen_dynamics* d = w->d;
  for (int i = 0; i < d->ny; i++) {
    w->y[i] = y[i] + (number >= 0 ? STEP * I * S[i] : 0.0);
  }
  for (int i = 0; i < d->np; i++) {
    bool moves = number >= 0 && i == d->sens.wrt[number];
    w->p[i] = w->run->p[i] + (moves ? STEP * I : 0.0);
  }
  for (int i = 0; i < d->nswitch; i++) {
    w->mode[i] = w->run->mode[i];
  }
  for (int j = 0; j < l->n; j++) {
    memset(w->dy, 0, (size_t)d->ny * sizeof *w->dy);
    w->dy[jgen_own(&d->layout, j)] = 1.0;
    fill_column(l, j < d->part.nu, j, l->A, l->dA, l->C, l->dC);
  }
  for (int j = 0; j < l->nin; j++) {
    memset(w->dy, 0, (size_t)d->ny * sizeof *w->dy);
    w->dp[w->input[j]] = 1.0;
    fill_column(l, true, j, l->B, l->dB, l->D, l->dD);
    w->dp[w->input[j]] = 0.0;
  }
}
