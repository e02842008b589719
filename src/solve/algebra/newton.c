// SPDX-License-Identifier: Apache-2.0
// Damped Gauss-Newton for r(x) = 0 in scaled unknowns z = x / x_scale.
//
// Each iteration takes the minimum-norm least-squares step of J dz = -r, cut to max |dz_i| <= reach,
// which is 1 and grows while cut steps do what the linear equations say: what is far away along a
// straight line is no obstacle, and a mechanism still turns by small steps. Where no part of a step
// reduces |r|, Levenberg-Marquardt steps min |J dz + r|^2 + mu |dz|^2 with growing mu follow. Near a
// solution the full step is taken: convergence is quadratic, also when equations are redundant or
// unknowns undetermined.
#include "solve/algebra/newton.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "solve/algebra/linear.h"

#define RCOND        1e-10  // singular values below this part of the largest count as zero
#define DECREASE     1e-4   // part of the predicted decrease of |r| that a step must bring
#define STRAIGHT     0.1    // of a decrease: how far off the prediction it may be for longer steps
#define LONGER       4.0
#define MAX_HALVINGS 12
#define MAX_DAMPINGS 16

typedef struct solver {
  const jsolve_residual* f;
  jo_context* ctx;
  double *r, *J;          // at x
  double *x_try, *r_try;  // candidate
  double *dz, *A, *b;     // step; (nr + nx) x nx and its right-hand side
  double norm;            // |r|_2
  double reach;           // longest step
  double cut;             // part of the whole step that dz is
} solver;

static double scale(const jsolve_residual* f, int j) {
  return f->x_scale ? f->x_scale[j] : 1;
}

static double norm2(int n, const double* v) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += v[i] * v[i];
  return sqrt(s);
}

static double largest(int n, const double* v, int* which) {
  double m = 0;
  *which = 0;
  for (int i = 0; i < n; i++) {
    if (fabs(v[i]) > m) {
      m = fabs(v[i]);
      *which = i;
    }
  }
  return m;
}

static bool allocate(solver* s, jarena* arena) {
  size_t nx = (size_t)s->f->nx, nr = (size_t)s->f->nr;
  s->r = JARENA_ARRAY(arena, nr, double);
  s->r_try = JARENA_ARRAY(arena, nr, double);
  s->J = JARENA_ARRAY(arena, nr * nx, double);
  s->x_try = JARENA_ARRAY(arena, nx, double);
  s->dz = JARENA_ARRAY(arena, nx, double);
  s->A = JARENA_ARRAY(arena, (nr + nx) * nx, double);
  s->b = JARENA_ARRAY(arena, nr + nx, double);
  return s->r && s->r_try && s->J && s->x_try && s->dz && s->A && s->b;
}

// Step dz of the damped least-squares problem; the rank, or why there is none.
static int solve_step(solver* s, double mu) {
  int nx = s->f->nx, nr = s->f->nr, m = mu > 0 ? nr + nx : nr;
  for (int j = 0; j < nx; j++) {
    double* column = s->A + (size_t)j * (size_t)m;
    for (int i = 0; i < nr; i++)
      column[i] = s->J[i + nr * j] * scale(s->f, j);
    for (int i = nr; i < m; i++)
      column[i] = i - nr == j ? sqrt(mu) : 0;
  }
  for (int i = 0; i < m; i++)
    s->b[i] = i < nr ? -s->r[i] : 0;
  return jsolve_least_squares(s->ctx, m, nx, s->A, s->b, RCOND, s->dz);
}

static void cut_step(solver* s) {
  int which;
  double size = largest(s->f->nx, s->dz, &which);
  s->cut = size > s->reach ? s->reach / size : 1;
  for (int j = 0; j < s->f->nx && s->cut < 1; j++)
    s->dz[j] *= s->cut;
}

// After a step that should have taken its part of |r| = before away.
static void adapt_reach(solver* s, double before) {
  bool straight = fabs(s->norm - (1 - s->cut) * before) <= STRAIGHT * s->cut * before;
  s->reach = straight && s->cut < 1 ? LONGER * s->reach : 1;
}

// Try x + part dz; true when |r| decreases enough, and x and r are then the new ones.
static bool try_step(solver* s, double part, double* x) {
  const jsolve_residual* f = s->f;
  for (int j = 0; j < f->nx; j++)
    s->x_try[j] = x[j] + part * scale(f, j) * s->dz[j];
  f->eval(f->user, s->x_try, s->r_try, NULL);
  double norm = norm2(f->nr, s->r_try);
  if (!(norm < (1 - DECREASE * part * s->cut) * s->norm)) return false;
  memcpy(x, s->x_try, (size_t)f->nx * sizeof *x);
  memcpy(s->r, s->r_try, (size_t)f->nr * sizeof *s->r);
  s->norm = norm;
  return true;
}

static bool search_line(solver* s, double* x) {
  double part = 1;
  for (int i = 0; i < MAX_HALVINGS; i++, part *= 0.5) {
    if (try_step(s, part, x)) return true;
  }
  return false;
}

// One iteration. JO_ERR_CONVERGENCE: x cannot be improved.
static jo_status improve(solver* s, double* x) {
  int rank = solve_step(s, 0);
  if (rank < 0) return (jo_status)rank;
  cut_step(s);
  double before = s->norm;
  if (search_line(s, x)) {
    adapt_reach(s, before);
    return JO_OK;
  }
  s->reach = 1;
  int which;
  double size = largest(s->f->nx * s->f->nr, s->J, &which);
  double mu = 1e-6 * size * size;
  for (int i = 0; i < MAX_DAMPINGS && mu > 0; i++, mu *= 10) {
    rank = solve_step(s, mu);
    if (rank < 0) return rank == JO_ERR_MEMORY ? JO_ERR_MEMORY : JO_ERR_CONVERGENCE;
    cut_step(s);
    if (try_step(s, 1, x)) return JO_OK;
  }
  return JO_ERR_CONVERGENCE;
}

// The iteration after the tolerance is met. What would be left without it is small, but it is a function of the parameters
// whose slope may be a thousand times as large. JO_ERR_CONVERGENCE: nothing but rounding is left.
static jo_status polish(solver* s, double* x) {
  if (s->norm == 0.0) return JO_ERR_CONVERGENCE;
  int rank = solve_step(s, 0);
  if (rank < 0) return (jo_status)rank;
  cut_step(s);
  return try_step(s, 1, x) ? JO_OK : JO_ERR_CONVERGENCE;
}

static jo_status iterate(solver* s, const jsolve_newton_options* opt, double* x,
                         jsolve_newton_result* out) {
  const jsolve_residual* f = s->f;
  f->eval(f->user, x, s->r, s->J);
  s->norm = norm2(f->nr, s->r);
  if (!isfinite(s->norm)) return JO_ERR_NUMERIC;
  out->residual = largest(f->nr, s->r, &out->worst);
  bool is_met = out->residual <= opt->tolerance, is_polished = false;
  while (!is_polished && out->iterations < opt->max_iterations) {
    is_polished = is_met;
    jo_status status = is_met ? polish(s, x) : improve(s, x);
    if (status == JO_ERR_CONVERGENCE) break;
    JO_TRY(status);
    out->iterations++;
    out->residual = largest(f->nr, s->r, &out->worst);
    is_met = out->residual <= opt->tolerance;
    f->eval(f->user, x, s->r, s->J);
  }
  out->rank = solve_step(s, 0);
  if (out->rank < 0) return (jo_status)out->rank;
  return out->residual <= opt->tolerance ? JO_OK : JO_ERR_CONVERGENCE;
}

jo_status jsolve_newton(jo_context* ctx, const jsolve_residual* f, const jsolve_newton_options* opt,
                        double* x, jsolve_newton_result* result) {
  solver s = {.f = f, .ctx = ctx, .reach = 1};
  JASSERT(f->nx >= 0 && f->nr >= 0 && opt->tolerance > 0);
  jsolve_newton_result out = {0};
  jarena arena;
  jarena_init(&arena, ctx);
  jo_status status = allocate(&s, &arena) ? iterate(&s, opt, x, &out) : JO_ERR_MEMORY;
  jarena_free(&arena);
  if (result) *result = out;
  return status;
}
