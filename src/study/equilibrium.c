// SPDX-License-Identifier: Apache-2.0
// The system creeps along its accelerations at rest, x' = r(x), by implicit Euler steps that grow as r
// falls (pseudo-transient continuation): at first it sinks as a damped system does, so that wheels in
// the air come down and no unstable equilibrium attracts it; at last the steps are Newton's.
#include "study/equilibrium.h"

#include <math.h>
#include <string.h>

#include "solve/linear.h"

#define TOLERANCE   1e-9  // on accelerations, relative to the largest at the start, at least 1
#define MAX_STEPS   500
#define LENGTH_STEP 0.02  // longest step [m]
#define ANGLE_STEP  0.05  // [rad]
#define FIRST       1e-3  // pseudo-time step [s^2]
#define LONGEST     1e6   // Newton's, but for directions without stiffness
#define SHORTEST    1e-12
#define DIFFERENCE  2e-5  // of the longest step: 1e-6, close to the cube root of rounding
#define UNFELT      1e-8  // a push below this part of the stiffest, per longest step, is none
#define RCOND       1e-7  // directions stiffer than this part of the stiffest are held by forces

typedef struct problem {
  const jgen_dynamics* d;
  const jsolve_system* s;
  double t;
  int nu, n;  // unknowns: q_u, z
  double *y, *ydot, *g;
  double *scale, *x, *r, *plus, *minus;
  double *J, *A, *dx;
} problem;

static void put_unknowns(const problem* b, const double* x) {
  const jgen_dynamics* d = b->d;
  memcpy(b->y + d->at_qu, x, (size_t)b->nu * sizeof *x);
  memcpy(b->y + d->at_z, x + b->nu, (size_t)d->model->nstate * sizeof *x);
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
  memcpy(r + b->nu, b->ydot + d->at_z, (size_t)d->model->nstate * sizeof *r);
}

// Central differences. Leaves y at x.
static void slopes(problem* b, const double* x) {
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
      b->J[i + b->n * j] = isfinite(slope) ? slope : 0.0;
    }
  }
  residual(b, x, b->r);
}

static double norm(int n, const double* v) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    sum += v[i] * v[i];
  }
  return sqrt(sum);
}

// (1/delta - J) dx = r, cut to the longest step. True when x moved; r is then the new one.
static bool creep(jo_context* ctx, problem* b, double delta, double* x) {
  int n = b->n;
  for (int k = 0; k < n * n; k++) {
    b->A[k] = (k % (n + 1) == 0 ? 1.0 / delta : 0.0) - b->J[k];
  }
  memcpy(b->minus, b->r, (size_t)n * sizeof *x);
  if (jsolve_least_squares(ctx, n, n, b->A, b->minus, 1e-15, b->dx) < 0) return false;
  double cut = 1.0;
  for (int i = 0; i < n; i++) {
    cut = fmin(cut, b->scale[i] / fmax(1e-300, fabs(b->dx[i])));
  }
  for (int i = 0; i < n; i++) {
    b->x[i] = x[i] + cut * b->dx[i];
  }
  residual(b, b->x, b->plus);
  // touching the ground may raise the accelerations, but not without bound
  double before = norm(n, b->r), after = norm(n, b->plus);
  if (!(after <= 3.0 * before + 30.0 * (cut < 1.0 ? 1.0 : 0.1))) return false;
  memcpy(x, b->x, (size_t)n * sizeof *x);
  memcpy(b->r, b->plus, (size_t)n * sizeof *x);
  return true;
}

static void look(const problem* b, jstudy_equilibrium* out) {
  out->residual = 0.0;
  for (int i = 0; i < b->n; i++) {
    if (fabs(b->r[i]) <= out->residual) continue;
    out->residual = fabs(b->r[i]);
    out->worst = i;
  }
}

static jo_status search(jo_context* ctx, problem* b, double* x, jstudy_equilibrium* out) {
  double delta = FIRST;
  slopes(b, x);
  look(b, out);
  if (!isfinite(norm(b->n, b->r))) return JO_ERR_NUMERIC;
  double limit = TOLERANCE * fmax(1.0, out->residual);
  while (out->residual > limit && out->iterations < MAX_STEPS && delta > SHORTEST) {
    double before = norm(b->n, b->r);
    if (!creep(ctx, b, delta, x)) {
      delta *= 0.1;
      continue;
    }
    out->iterations++;
    double gain = before / fmax(1e-300, norm(b->n, b->r));
    delta = fmin(LONGEST, delta * fmin(10.0, fmax(0.3, 1.5 * gain)));
    slopes(b, x);
    look(b, out);
  }
  if (out->residual > limit) return JO_ERR_CONVERGENCE;
  creep(ctx, b, LONGEST, x);  // once more: quadratic convergence takes it to rounding
  look(b, out);
  return JO_OK;
}

// How many directions forces hold, in the scale of the unknowns.
static int held(jo_context* ctx, problem* b) {
  int n = b->n;
  for (int k = 0; k < n * n; k++) {
    b->A[k] = b->J[k] * b->scale[k / n];
  }
  memset(b->plus, 0, (size_t)n * sizeof *b->plus);
  return jsolve_least_squares(ctx, n, n, b->A, b->plus, RCOND, b->dx);
}

// Unknowns that no force feels drift while the others settle; they go back to where they began.
static void put_back(problem* b, const double* begin, double* x) {
  double largest = 0.0;
  for (int k = 0; k < b->n * b->n; k++) {
    largest = fmax(largest, fabs(b->J[k]) * b->scale[k / b->n]);
  }
  for (int j = 0; j < b->n; j++) {
    double felt = 0.0;
    for (int i = 0; i < b->n; i++) {
      felt = fmax(felt, fabs(b->J[i + b->n * j]) * b->scale[j]);
    }
    if (felt <= UNFELT * largest) x[j] = begin[j];
  }
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
  b->J = JARENA_ARRAY(a, b->n * b->n + 1, double);
  b->A = JARENA_ARRAY(a, b->n * b->n + 1, double);
  b->dx = JARENA_ARRAY(a, b->n + 1, double);
  *x = JARENA_ARRAY(a, b->n + 1, double);
  return b->J && b->A && b->dx && b->ydot && b->g && b->scale && b->x && b->r && b->plus &&
         b->minus && *x;
}

jo_status jstudy_equilibrium_find(jo_context* ctx, const jgen_dynamics* d, const jsolve_system* s,
                                  double t, double* y, jstudy_equilibrium* out) {
  problem b = {
      .d = d, .s = s, .t = t, .nu = d->part.nu, .n = d->part.nu + d->model->nstate, .y = y};
  *out = (jstudy_equilibrium){0};
  jarena a;
  double* x = NULL;
  jarena_init(&a, ctx);
  double* begin = JARENA_ARRAY(&a, b.n + 1, double);
  jo_status status = begin && allocate(&b, &a, &x) ? JO_OK : jerr_memory(ctx);
  if (status == JO_OK) {
    memset(y + d->at_qdu, 0, (size_t)b.nu * sizeof *y);
    memcpy(x, y + d->at_qu, (size_t)b.nu * sizeof *y);
    memcpy(x + b.nu, y + d->at_z, (size_t)d->model->nstate * sizeof *y);
    for (int i = 0; i < b.n; i++) {
      bool angle = i < b.nu && d->model->coordinate[d->part.u[i]].is_angle;
      b.scale[i] = i >= b.nu ? fmax(1.0, fabs(x[i])) : angle ? ANGLE_STEP : LENGTH_STEP;
    }
    memcpy(begin, x, (size_t)b.n * sizeof *x);
    status = search(ctx, &b, x, out);
    if (status == JO_OK) put_back(&b, begin, x);
    out->determined = status == JO_OK ? held(ctx, &b) : 0;
    residual(&b, x, b.r);
  }
  jarena_free(&a);
  return status;
}
