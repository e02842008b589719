// SPDX-License-Identifier: Apache-2.0
// The beginning of a window is an event, but for a window that begins with the run, `from` = t_0: the
// integrand x is there from the start, and nothing is located. What a later beginning takes away is
// that event's saltation, docs/theory/sensitivity.md eq. (S3) with f- = 0, f+ = x:
//   dw(t_0)/dp = -x(t_0) d from/dp
// The other way there is nothing to differentiate: a window does not begin before the run.
#include "plant/start/window_start.h"

#include <complex.h>
#include <string.h>

#include "expr/tape/tape.h"

#define STEP 1e-40  // imaginary: no cancellation

typedef struct problem {
  const jgen_dynamics* d;
  jexpr_tape tape;
  double _Complex *p, *window, *work;
  double* ydot;
} problem;

static jo_status allocate(problem* b, jo_context* ctx, jarena* a) {
  const jgen_dynamics* d = b->d;
  JO_TRY(jexpr_tape_build(ctx, a, &d->fn[JGEN_FN_WINDOWS], &b->tape));
  b->p = jarena_array(a, (size_t)d->np, sizeof *b->p);
  b->window = jarena_array(a, 2 * (size_t)d->nintegral, sizeof *b->window);
  b->work = jarena_array(a, (size_t)b->tape.nslot, sizeof *b->work);
  b->ydot = JARENA_ARRAY(a, d->ny, double);
  return b->p && b->window && b->work && b->ydot ? JO_OK : jerr_memory(ctx);
}

static void evaluate(problem* b) {
  const double _Complex* in[JGEN_GROUP_COUNT] = {[JGEN_P] = b->p};
  jexpr_tape_eval_complex(&b->tape, in, (double _Complex* const[]){b->window}, b->work);
}

static void add_saltation(problem* b, double t, double* S) {
  const jgen_dynamics* d = b->d;
  for (int i = 0; i < d->nintegral; i++) {
    double _Complex from = b->window[2 * i];
    if (!d->model->integrated[i].has_window || creal(from) != t) continue;
    int w = jgen_first(&d->layout, JGEN_INTEGRAL) + i;
    S[w] -= b->ydot[w] * (cimag(from) / STEP);
  }
}

static jo_status differentiate(jo_context* ctx, jarena* a, jplant_work* run, const int* wrt, int nw,
                               const double* y, double* S) {
  problem b = {.d = run->plant->dynamics};
  double t = run->plant->model->simulation.t_start;
  JO_TRY(allocate(&b, ctx, a));
  for (int i = 0; i < b.d->np; i++) {
    b.p[i] = run->p[i];
  }
  run->system.rhs(run->system.user, t, y, b.ydot);
  for (int k = 0; k < nw; k++) {
    b.p[wrt[k]] += STEP * I;
    evaluate(&b);
    b.p[wrt[k]] = run->p[wrt[k]];
    add_saltation(&b, t, S + (int64_t)k * b.d->ny);
  }
  return JO_OK;
}

static bool has_windows(const jmodel* m) {
  for (int i = 0; i < m->nintegrated; i++) {
    if (m->integrated[i].has_window) return true;
  }
  return false;
}

jo_status jplant_window_start(jo_context* ctx, const jplant* p, const double* values,
                              const int* wrt, int nw, const double* y, double* S) {
  if (!has_windows(p->model)) return JO_OK;
  jarena a;
  jarena_init(&a, ctx);
  jplant_work* run = NULL;
  double t = p->model->simulation.t_start;
  jo_status status = jplant_work_create_at(ctx, p, values, t, y, &run);
  if (status >= 0) status = differentiate(ctx, &a, run, wrt, nw, y, S);
  jplant_work_destroy(run);
  jarena_free(&a);
  return status;
}
