// SPDX-License-Identifier: Apache-2.0
// Implicit stages: reduction of the Jacobian, simplified Newton iteration, and the linear maps of a
// stage for derivatives.
#include "solve/stiff/implicit.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/elementary.h"
#include "solve/algebra/linear.h"

#define MAX_ITERATIONS 12
#define TOO_SLOW       0.8  // rates of convergence above this end an iteration
#define POWER_ROUNDS   24
#define ROUNDING       64  // units in the last place

bool jsolve_implicit_init(jsolve_implicit* s, jarena* arena, const jsolve_system* sys) {
  *s = (jsolve_implicit){.sys = sys, .nq = sys->nq, .nv = sys->nv, .nw = sys->nw, .rate = 1};
  if (!sys->has_parts) s->nw = sys->n;
  s->at_v = s->nq;
  s->at_w = s->nq + s->nv;
  s->at_r = s->at_w + s->nw;
  s->nr = sys->n - s->at_r;
  JASSERT(s->nq <= s->nw && s->nr >= 0);  // q' is the beginning of w
  size_t n = (size_t)sys->n, rows = (size_t)(s->nw + s->nr);
  s->J = JARENA_ARRAY(arena, n * n, double);
  s->A = JARENA_ARRAY(arena, rows * (size_t)s->nw, double);
  s->K = JARENA_ARRAY(arena, rows * (size_t)s->nq, double);
  s->M = JARENA_ARRAY(arena, (size_t)s->nw * (size_t)s->nw, double);
  s->pivot = JARENA_ARRAY(arena, s->nw, int);
  s->delta = JARENA_ARRAY(arena, n, double);
  s->f = JARENA_ARRAY(arena, n, double);
  return s->J && s->A && s->K && s->M && s->pivot && s->delta && s->f;
}

// K = f_q + f_v B, with B from the velocities of v, which are linear in w_q
static void reduce(jsolve_implicit* s) {
  int n = s->sys->n, rows = s->nw + s->nr;
  for (int j = 0; j < s->nw; j++) {
    memcpy(s->A + (int64_t)j * rows, s->J + s->at_w + (int64_t)(s->at_w + j) * n,
           (size_t)rows * sizeof *s->A);
  }
  for (int j = 0; j < s->nq; j++) {
    double* column = s->K + (int64_t)j * rows;
    memcpy(column, s->J + s->at_w + (int64_t)j * n, (size_t)rows * sizeof *column);
    for (int k = 0; k < s->nv; k++) {
      double B = s->J[s->at_v + k + (int64_t)(s->at_w + j) * n];
      const double* f_v = s->J + s->at_w + (int64_t)(s->at_v + k) * n;
      for (int i = 0; B != 0 && i < rows; i++)
        column[i] += B * f_v[i];
    }
  }
}

jo_status jsolve_implicit_linearise(jsolve_implicit* s, double t, const double* y) {
  int n = s->sys->n;
  s->sys->jacobian(s->sys->user, t, y, s->J);
  s->b_factor = 0;
  s->rate = 1;
  if (!jsolve_is_finite(n * n, s->J)) return JO_ERR_NUMERIC;
  reduce(s);
  return JO_OK;
}

jo_status jsolve_implicit_factor(jsolve_implicit* s, double b) {
  int rows = s->nw + s->nr, nw = s->nw;
  for (int j = 0; j < nw; j++) {
    for (int i = 0; i < nw; i++) {
      double m = -b * s->A[i + (int64_t)j * rows];
      if (j < s->nq) m -= b * b * s->K[i + (int64_t)j * rows];
      s->M[i + (int64_t)j * nw] = m + (i == j);
    }
  }
  s->b = b;
  s->b_factor = 0;
  s->rate = 1;
  JO_TRY(jsolve_lu_factor(nw, s->M, s->pivot));
  s->b_factor = b;
  return JO_OK;
}

static double norm_of_w(const jsolve_implicit* s, const jsolve_weights* weights, const double* d,
                        const double* Y) {
  double sum = 0;
  for (int i = 0; i < s->nw; i++) {
    int at = s->at_w + i;
    double x = weights->use[at] * d[i] / (weights->abs_tol[at] + weights->rel_tol * fabs(Y[at]));
    sum += x * x;
  }
  return sqrt(sum / (s->nw > 0 ? s->nw : 1));
}

// Corrections that are nothing but rounding of w and of what it is made of.
static bool is_rounding(const jsolve_implicit* s, const double* base, const double* Y) {
  for (int i = 0; i < s->nw; i++) {
    int at = s->at_w + i;
    double size = fabs(Y[at]) + fabs(base[at]) + fabs(s->b * s->f[at]);
    if (fabs(s->delta[i]) > ROUNDING * DBL_EPSILON * size) return false;
  }
  return true;
}

// f at q = q̄ + b w_q, v closed
static jo_status evaluate(jsolve_implicit* s, double t, const double* base, double* Y) {
  for (int i = 0; i < s->nq; i++)
    Y[i] = base[i] + s->b * Y[s->at_w + i];
  if (s->sys->project && s->sys->project(s->sys->user, t, Y) < 0) return JO_ERR_CONVERGENCE;
  s->evaluations++;
  s->sys->rhs(s->sys->user, t, Y, s->f);
  return jsolve_is_finite(s->sys->n, s->f) ? JO_OK : JO_ERR_CONVERGENCE;
}

// Slopes from the solution: those of w from w itself, since f would amplify what Newton left; those of
// the rest with a last correction.
static void set_slopes(const jsolve_implicit* s, const double* base, double* Y, double* k) {
  int rows = s->nw + s->nr;
  for (int i = 0; i < s->nw; i++)
    k[s->at_w + i] = (Y[s->at_w + i] - base[s->at_w + i]) / s->b;
  for (int i = 0; i < s->nq; i++) {
    k[i] = Y[s->at_w + i];
    Y[i] = base[i] + s->b * k[i];
  }
  memcpy(k + s->at_v, s->f + s->at_v, (size_t)s->nv * sizeof *k);
  for (int i = 0; i < s->nr; i++) {
    double slope = s->f[s->at_r + i];
    for (int j = 0; j < s->nw; j++) {
      double a = s->A[s->nw + i + (int64_t)j * rows];
      if (j < s->nq) a += s->b * s->K[s->nw + i + (int64_t)j * rows];
      slope += a * s->delta[j];
    }
    k[s->at_r + i] = slope;
    Y[s->at_r + i] = base[s->at_r + i] + s->b * slope;
  }
}

jo_status jsolve_implicit_stage(jsolve_implicit* s, const jsolve_weights* weights, double t,
                                const double* base, double accuracy, double* Y, double* k) {
  JASSERT(accuracy > 0);
  double last = 0;
  for (int i = 0; i < s->nw + s->nr; i++)
    Y[s->at_w + i] = base[s->at_w + i] + s->b * k[s->at_w + i];
  for (int it = 0; it < MAX_ITERATIONS; it++) {
    JO_TRY(evaluate(s, t, base, Y));
    for (int i = 0; i < s->nw; i++)
      s->delta[i] = base[s->at_w + i] + s->b * s->f[s->at_w + i] - Y[s->at_w + i];
    jsolve_lu_solve(s->nw, s->M, s->pivot, false, s->delta, 1);
    for (int i = 0; i < s->nw; i++)
      Y[s->at_w + i] += s->delta[i];
    double size = norm_of_w(s, weights, s->delta, Y);
    if (!isfinite(size)) return JO_ERR_CONVERGENCE;
    if (it > 0) {
      s->rate = fmax(0.2 * s->rate, last > 0 ? size / last : 0);
    }
    double left = s->rate < 1 ? size * s->rate / (1 - s->rate) : size;
    if (left <= accuracy || is_rounding(s, base, Y)) {
      set_slopes(s, base, Y, k);
      return JO_OK;
    }
    if (it > 0 && s->rate > TOO_SLOW && size > accuracy) return JO_ERR_CONVERGENCE;
    last = size;
  }
  return JO_ERR_CONVERGENCE;
}

// M dk_w = r_w + b K r_q,   dk_q = r_q + b dk_w,q,   dk_psi = r_psi + b (A dk_w + K dk_q)
static void tangent_column(jsolve_implicit* s, double* r) {
  int rows = s->nw + s->nr;
  for (int j = 0; j < s->nq; j++) {
    for (int i = 0; i < s->nw; i++)
      r[s->at_w + i] += s->b * s->K[i + (int64_t)j * rows] * r[j];
  }
  jsolve_lu_solve(s->nw, s->M, s->pivot, false, r + s->at_w, 1);
  memset(r + s->at_v, 0, (size_t)s->nv * sizeof *r);
  for (int j = 0; j < s->nq; j++)
    r[j] += s->b * r[s->at_w + j];
  for (int i = 0; i < s->nr; i++) {
    double sum = 0;
    for (int j = 0; j < s->nw; j++)
      sum += s->A[s->nw + i + (int64_t)j * rows] * r[s->at_w + j];
    for (int j = 0; j < s->nq; j++)
      sum += s->K[s->nw + i + (int64_t)j * rows] * r[j];
    r[s->at_r + i] += s->b * sum;
  }
}

void jsolve_implicit_tangent(jsolve_implicit* s, double* r, int nrhs) {
  JASSERT(s->b_factor == s->b);  // factors of another step would do for Newton, not here
  for (int k = 0; k < nrhs; k++)
    tangent_column(s, r + (int64_t)k * s->sys->n);
}

// mu_q += b K_psi^T mu_psi,   M^T nu_w = mu_w + b (A_psi^T mu_psi + [mu_q 0]),
// nu_q = mu_q + b K^T nu_w
static void adjoint_column(jsolve_implicit* s, double* mu) {
  int rows = s->nw + s->nr;
  for (int i = 0; i < s->nr; i++) {
    double weight = s->b * mu[s->at_r + i];
    for (int j = 0; weight != 0 && j < s->nq; j++)
      mu[j] += weight * s->K[s->nw + i + (int64_t)j * rows];
    for (int j = 0; weight != 0 && j < s->nw; j++)
      mu[s->at_w + j] += weight * s->A[s->nw + i + (int64_t)j * rows];
  }
  for (int j = 0; j < s->nq; j++)
    mu[s->at_w + j] += s->b * mu[j];
  jsolve_lu_solve(s->nw, s->M, s->pivot, true, mu + s->at_w, 1);
  memset(mu + s->at_v, 0, (size_t)s->nv * sizeof *mu);
  for (int j = 0; j < s->nq; j++) {
    for (int i = 0; i < s->nw; i++)
      mu[j] += s->b * s->K[i + (int64_t)j * rows] * mu[s->at_w + i];
  }
}

void jsolve_implicit_adjoint(jsolve_implicit* s, double* mu, int nrhs) {
  JASSERT(s->b_factor == s->b);
  for (int k = 0; k < nrhs; k++)
    adjoint_column(s, mu + (int64_t)k * s->sys->n);
}

void jsolve_implicit_damp(const jsolve_implicit* s, double* x) {
  jsolve_lu_solve(s->nw, s->M, s->pivot, false, x + s->at_w, 1);
}

void jsolve_implicit_filter(const jsolve_implicit* s, double* x) {
  jsolve_implicit_damp(s, x);
  memset(x + s->at_r, 0, (size_t)s->nr * sizeof *x);
}

// Growth per application, geometric mean over the later rounds: positions and velocities take turns.
double jsolve_implicit_radius(const jsolve_implicit* s, double* x) {
  int rows = s->nw + s->nr, n = s->nq + s->nw;
  double *y = s->f, growth = 0;
  for (int i = 0; i < n; i++)
    x[i] = 1.0 + 0.1 * (i % 7);
  for (int round = 0; round < POWER_ROUNDS; round++) {
    for (int i = 0; i < n; i++)
      y[i] = i < s->nq ? x[s->nq + i] : 0;
    for (int j = 0; j < n; j++) {
      const double* column =
          j < s->nq ? s->K + (int64_t)j * rows : s->A + (int64_t)(j - s->nq) * rows;
      for (int i = 0; i < s->nw; i++)
        y[s->nq + i] += column[i] * x[j];
    }
    double size = 0;
    for (int i = 0; i < n; i++)
      size = fmax(size, fabs(y[i]));
    if (!(size > 0) || !isfinite(size)) return 0;
    if (round >= POWER_ROUNDS / 2) growth += jm_log(size);
    for (int i = 0; i < n; i++)
      x[i] = y[i] / size;
  }
  return jm_exp(growth / (POWER_ROUNDS - POWER_ROUNDS / 2));
}
