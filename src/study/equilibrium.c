// SPDX-License-Identifier: Apache-2.0
// Damped Gauss-Newton on the accelerations at rest. Where that cannot go on, as with a wheel in the air
// on which no force depends, the system is let down for a while along its accelerations.
#include "study/equilibrium.h"

#include <math.h>
#include <string.h>

#include "solve/newton.h"

#define TOLERANCE      1e-9  // on accelerations, relative to the largest at the start, at least 1
#define MAX_ITERATIONS 60    // of one Newton search
#define MAX_ROUNDS     40    // searches, with moves along the accelerations between
#define MOVES          25    // in one round
#define LENGTH_STEP    0.05  // a large step [m]
#define ANGLE_STEP     0.1   // [rad]
#define DIFFERENCE     1e-6  // of a large step: close to the cube root of rounding

typedef struct problem {
  const jgen_dynamics* d;
  const jsolve_system* s;
  double t;
  int nu, n;  // unknowns: q_u, z
  double *y, *ydot, *g;
  double *scale, *x, *r, *plus, *minus;
} problem;

static void put_unknowns(const problem* b, const double* x) {
  const jgen_dynamics* d = b->d;
  memcpy(b->y + d->at_qu, x, (size_t)b->nu * sizeof *x);
  memcpy(b->y + d->at_z, x + b->nu, (size_t)d->nz * sizeof *x);
}

// Accelerations and rates at x; NaN where the loops cannot be closed.
static void residual(problem* b, const double* x, double* r) {
  const jgen_dynamics* d = b->d;
  const jsolve_system* s = b->s;
  put_unknowns(b, x);
  if (s->project && s->project(s->user, b->t, b->y) < 0) {
    for (int i = 0; i < b->n; i++) {
      r[i] = NAN;
    }
    return;
  }
  jsolve_set_modes(s, b->t, b->y, b->g);
  s->rhs(s->user, b->t, b->y, b->ydot);
  memcpy(r, b->ydot + d->at_qdu, (size_t)b->nu * sizeof *r);
  memcpy(r + b->nu, b->ydot + d->at_z, (size_t)d->nz * sizeof *r);
}

static void evaluate(void* user, const double* x, double* r, double* J) {
  problem* b = user;
  if (J) {
    memcpy(b->x, x, (size_t)b->n * sizeof *x);
    for (int j = 0; j < b->n; j++) {
      double h = DIFFERENCE * b->scale[j];
      b->x[j] = x[j] + h;
      residual(b, b->x, b->plus);
      b->x[j] = x[j] - h;
      residual(b, b->x, b->minus);
      b->x[j] = x[j];
      for (int i = 0; i < b->n; i++) {
        double slope = (b->plus[i] - b->minus[i]) / (2.0 * h);
        J[i + b->n * j] = isfinite(slope) ? slope : 0.0;
      }
    }
  }
  residual(b, x, r);  // last, so that y belongs to x
}

static double norm(int n, const double* v) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    sum += v[i] * v[i];
  }
  return sqrt(sum);
}

// x' = tau^2 x'': down the slope of the potential, in steps as long as they do not overshoot.
static void let_down(problem* b, double* x, double* square) {
  residual(b, x, b->r);
  double before = norm(b->n, b->r);
  for (int k = 0; k < MOVES; k++) {
    double cut = 1.0;
    for (int i = 0; i < b->n; i++) {
      cut = fmin(cut, b->scale[i] / fmax(1e-300, *square * fabs(b->r[i])));
    }
    for (int i = 0; i < b->n; i++) {
      b->x[i] = x[i] + cut * *square * b->r[i];
    }
    residual(b, b->x, b->plus);
    double after = norm(b->n, b->plus);
    if (!(after < 1.5 * before + 1e-9)) {
      *square *= 0.25;
      continue;
    }
    memcpy(x, b->x, (size_t)b->n * sizeof *x);
    memcpy(b->r, b->plus, (size_t)b->n * sizeof *x);
    if (after > before) *square *= 0.7;
    if (after <= before) *square *= 1.1;
    before = after;
  }
}

static jo_status search(jo_context* ctx, problem* b, double* x, jstudy_equilibrium* out) {
  const jsolve_residual f = {b->n, b->n, b, evaluate, b->scale};
  double square = 1e-5, size = 1.0;
  jo_status status = JO_ERR_CONVERGENCE;
  residual(b, x, b->r);
  for (int i = 0; i < b->n; i++) {
    size = fmax(size, fabs(b->r[i]));
  }
  jsolve_newton_options opt = {TOLERANCE * size, MAX_ITERATIONS};
  for (int k = 0; k < MAX_ROUNDS && status == JO_ERR_CONVERGENCE; k++) {
    if (k > 0) let_down(b, x, &square);
    jsolve_newton_result result;
    status = jsolve_newton(ctx, &f, &opt, x, &result);
    out->iterations += result.iterations;
    out->residual = result.residual;
    out->worst = result.worst;
    out->determined = result.rank;
  }
  return status;
}

static bool allocate(problem* b, jarena* a, double** x) {
  const jgen_dynamics* d = b->d;
  b->ydot = JARENA_ARRAY(a, d->ny + 1, double);
  b->g = JARENA_ARRAY(a, d->nswitch + 1, double);
  b->scale = JARENA_ARRAY(a, b->n + 1, double);
  b->x = JARENA_ARRAY(a, b->n + 1, double);
  b->r = JARENA_ARRAY(a, b->n + 1, double);
  b->plus = JARENA_ARRAY(a, b->n + 1, double);
  b->minus = JARENA_ARRAY(a, b->n + 1, double);
  *x = JARENA_ARRAY(a, b->n + 1, double);
  return b->ydot && b->g && b->scale && b->x && b->r && b->plus && b->minus && *x;
}

jo_status jstudy_equilibrium_find(jo_context* ctx, const jgen_dynamics* d, const jsolve_system* s,
                                  double t, double* y, jstudy_equilibrium* out) {
  problem b = {.d = d, .s = s, .t = t, .nu = d->part.nu, .n = d->part.nu + d->nz, .y = y};
  *out = (jstudy_equilibrium){0};
  jarena a;
  double* x;
  jarena_init(&a, ctx);
  jo_status status = allocate(&b, &a, &x) ? JO_OK : jerr_memory(ctx);
  if (status == JO_OK) {
    memset(y + d->at_qdu, 0, (size_t)b.nu * sizeof *y);
    memcpy(x, y + d->at_qu, (size_t)b.nu * sizeof *y);
    memcpy(x + b.nu, y + d->at_z, (size_t)d->nz * sizeof *y);
    for (int i = 0; i < b.n; i++) {
      bool angle = i < b.nu && d->model->coordinate[d->part.u[i]].is_angle;
      b.scale[i] = i >= b.nu ? fmax(1.0, fabs(x[i])) : angle ? ANGLE_STEP : LENGTH_STEP;
    }
    status = search(ctx, &b, x, out);
    residual(&b, x, b.r);
  }
  jarena_free(&a);
  return status;
}
