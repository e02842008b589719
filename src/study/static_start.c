// SPDX-License-Identifier: Apache-2.0
// Static equilibrium r(x, p) = 0 in the unknowns x = [q_u z] moves with a number by
// (docs/theory/sensitivity.md, implicit function)
//   r_x dx = -(r_p + r_y S)     S: how the assembled position moves
// Derivatives of r are complex steps through the interpreter: exact to rounding.
#include "study/static_start.h"

#include <complex.h>
#include <string.h>

#include "expr/tape.h"
#include "solve/linear.h"

#define STEP  1e-40  // imaginary: no cancellation, so it may be as small as it likes
#define RCOND 1e-7   // directions less stiff than this part of the stiffest are not held

typedef struct problem {
  const jgen_dynamics* d;
  int nu, nz, n;
  double t;
  jexpr_tape tape;
  double _Complex *p, *y, *mode, *ydot, *work;
  double *B, *A, *copy, *b, *dx;
} problem;

static double _Complex* complexes(jarena* a, int n) {
  return jarena_array(a, (size_t)n + 1, sizeof(double _Complex));
}

static jo_status allocate(problem* b, jo_context* ctx, jarena* a) {
  const jgen_dynamics* d = b->d;
  JO_TRY(jexpr_tape_build(ctx, a, &d->rhs, &b->tape));
  b->p = complexes(a, d->np);
  b->y = complexes(a, d->ny);
  b->mode = complexes(a, d->nswitch);
  b->ydot = complexes(a, d->ny);
  b->work = complexes(a, b->tape.nslot);
  b->B = JARENA_ARRAY(a, d->part.nv * b->nu + 1, double);
  b->A = JARENA_ARRAY(a, b->n * b->n + 1, double);
  b->copy = JARENA_ARRAY(a, b->n * b->n + 1, double);
  b->b = JARENA_ARRAY(a, b->n + 1, double);
  b->dx = JARENA_ARRAY(a, b->n + 1, double);
  bool ok = b->p && b->y && b->mode && b->ydot && b->work && b->B && b->A && b->copy && b->b;
  return ok && b->dx ? JO_OK : jerr_memory(ctx);
}

static void evaluate(problem* b) {
  double _Complex t = b->t;
  const double _Complex* in[JGEN_GROUP_COUNT] = {
      [JGEN_P] = b->p, [JGEN_T] = &t, [JGEN_Y] = b->y, [JGEN_MODE] = b->mode};
  jexpr_tape_eval_complex(&b->tape, in, (double _Complex* const[]){b->ydot}, b->work);
}

static void residual_slope(const problem* b, double* out) {
  for (int i = 0; i < b->n; i++) {
    int at = i < b->nu ? b->d->at_qdu + i : b->d->at_z + i - b->nu;
    out[i] = cimag(b->ydot[at]) / STEP;
  }
}

static void clear_steps(problem* b) {
  for (int i = 0; i < b->d->ny; i++) {
    b->y[i] = creal(b->y[i]);
  }
}

// d q_v = B d q_u, from the velocities, which are linear: qd_v = B qd_u + b
static void dependence(problem* b) {
  const jgen_dynamics* d = b->d;
  for (int j = 0; j < b->nu && d->part.nv > 0; j++) {
    b->y[d->at_qdu + j] = STEP * I;
    evaluate(b);
    b->y[d->at_qdu + j] = 0.0;
    for (int k = 0; k < d->part.nv; k++) {
      b->B[k + j * d->part.nv] = cimag(b->ydot[d->at_qv + k]) / STEP;
    }
  }
}

static void slopes(problem* b) {
  const jgen_dynamics* d = b->d;
  for (int j = 0; j < b->n; j++) {
    b->y[j < b->nu ? d->at_qu + j : d->at_z + j - b->nu] += STEP * I;
    for (int k = 0; j < b->nu && k < d->part.nv; k++) {
      b->y[d->at_qv + k] += STEP * I * b->B[k + j * d->part.nv];
    }
    evaluate(b);
    residual_slope(b, b->A + j * b->n);
    clear_steps(b);
  }
}

// The column of S for one number; velocities count as zero, as they do at rest.
static jo_status move(problem* b, jo_context* ctx, int number, double* S) {
  const jgen_dynamics* d = b->d;
  for (int i = 0; i < d->ny; i++) {
    bool is_velocity = i >= d->at_qdu && i < d->at_qdu + b->nu;
    if (!is_velocity) b->y[i] += STEP * I * S[i];
  }
  b->p[number] += STEP * I;
  evaluate(b);
  b->p[number] = creal(b->p[number]);
  residual_slope(b, b->b);
  clear_steps(b);
  memcpy(b->copy, b->A, (size_t)(b->n * b->n) * sizeof(double));
  if (jsolve_least_squares(ctx, b->n, b->n, b->copy, b->b, RCOND, b->dx) < 0) {
    return JO_ERR_SINGULAR;
  }
  for (int j = 0; j < b->n; j++) {
    S[j < b->nu ? d->at_qu + j : d->at_z + j - b->nu] -= b->dx[j];
    for (int k = 0; j < b->nu && k < d->part.nv; k++) {
      S[d->at_qv + k] -= b->B[k + j * d->part.nv] * b->dx[j];
    }
  }
  return JO_OK;
}

static jo_status differentiate(jo_context* ctx, jarena* a, const jstudy_run* run, double t,
                               const int* wrt, int nw, const double* y, double* S) {
  const jgen_dynamics* d = run->plant->dynamics;
  problem b = {.d = d, .nu = d->part.nu, .nz = d->model->nstate, .t = t};
  b.n = b.nu + b.nz;
  JO_TRY(allocate(&b, ctx, a));
  for (int i = 0; i < d->np; i++) {
    b.p[i] = run->p[i];
  }
  for (int i = 0; i < d->ny; i++) {
    b.y[i] = y[i];
  }
  for (int i = 0; i < d->nswitch; i++) {
    b.mode[i] = run->mode[i];
  }
  dependence(&b);
  slopes(&b);
  for (int k = 0; k < nw; k++) {
    JO_TRY(move(&b, ctx, wrt[k], S + (size_t)k * (size_t)d->ny));
  }
  return JO_OK;
}

jo_status jstudy_static_start(jo_context* ctx, const jstudy_plant* p, const double* values,
                              const int* wrt, int nw, double* y, double* S) {
  const jgen_dynamics* d = p->dynamics;
  double t = p->model->simulation.t_start;
  size_t speeds = (size_t)d->part.nu * sizeof(double);
  jarena a;
  jarena_init(&a, ctx);
  jstudy_run* run = NULL;
  jstudy_equilibrium found;
  double* keep = JARENA_ARRAY(&a, d->part.nu + 1, double);
  jo_status status = keep ? jstudy_run_create(ctx, p, &run) : jerr_memory(ctx);
  if (status >= 0) {
    if (values) memcpy(run->p, values, (size_t)d->np * sizeof *values);
    memcpy(keep, y + d->at_qdu, speeds);
    status = jstudy_equilibrium_find(ctx, d, &run->system, t, y, &found);
    if (status == JO_ERR_CONVERGENCE) {
      jerr_set(ctx, status, "%s: no static equilibrium found to begin at", p->model->path);
    }
  }
  if (status >= 0) status = differentiate(ctx, &a, run, t, wrt, nw, y, S);
  if (status >= 0) memcpy(y + d->at_qdu, keep, speeds);
  jstudy_run_destroy(run);
  jarena_free(&a);
  return status;
}
