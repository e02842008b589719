// SPDX-License-Identifier: Apache-2.0
// The system creeps along its accelerations at rest, x' = r(x), by implicit Euler steps that grow as r
// falls (pseudo-transient continuation): at first it sinks as a damped system does, so that wheels in
// the air come down and no unstable equilibrium attracts it; at last the steps are Newton's.
#include "machine/equilibrium.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "solve/linear.h"

#define TOLERANCE    1e-9  // on rates, relative to the largest at the start, at least 1
#define MAX_STEPS    500
#define LENGTH_STEP  0.02  // longest step [m]
#define ANGLE_STEP   0.05  // [rad]
#define FIRST        1e-3  // pseudo-time step [s^2]
#define LONGEST      1e6   // Newton's, but for directions without stiffness
#define SHORTEST     1e-12
#define DIFFERENCE   2e-5  // of the longest step: 1e-6, close to the cube root of rounding
#define FELT         1e-7  // part of the stiffest, per longest step: below it nothing holds
#define CLEAR        0.1   // a pivot need not be the largest of its row
#define ENOUGH       0.9   // a step that leaves more of the residual is tried in parts
#define MAX_HALVINGS 6
#define PUSH         1e-3  // acceleration of what nothing holds, and rate, that is overlooked
#define TRY_EVERY    8     // steps
#define MAX_FINISH   20    // Newton steps with free directions where they began
#define NO_STEP \
  1e-11              // part of the longest step: it is there, whatever rounding leaves of the rates
#define MAX_IDLE 10  // such steps

typedef struct problem {
  const jmachine_about* m;
  const jsolve_system* s;
  double t;
  int n;    // unknowns: q_u, and states that are not held
  int* at;  // where they are in y
  int* of;  // where their rates are in ydot
  double *y, *ydot, *g;
  double* scale;  // longest steps of the unknowns
  double* size;   // of the rates: 1 of accelerations, the nominal size of a state
  double* limit;  // on |r|
  double *x, *r, *plus, *minus;
  double *J, *A, *dx;
  double *begin, *found;  // where the search began, and came to
  bool *stays, *row_done;
} problem;

// Accelerations and rates at x, by their sizes; NaN where the loops cannot be closed.
static void residual(problem* b, const double* x, double* r) {
  const jsolve_system* s = b->s;
  for (int i = 0; i < b->n; i++) {
    b->y[b->at[i]] = x[i];
  }
  bool is_open = s->project && s->project(s->user, b->t, b->y) < 0;
  if (!is_open) {
    jsolve_set_modes(s, b->t, b->y, b->g);
    s->rhs(s->user, b->t, b->y, b->ydot);
  }
  for (int i = 0; i < b->n; i++) {
    r[i] = is_open ? NAN : b->ydot[b->of[i]] / b->size[i];
  }
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

// A z = rhs, m x n, least squares. JO_ERR_NUMERIC: not finite.
static jo_status solve(jo_context* ctx, problem* b, int m, int n, double* rhs, double rcond,
                       double* z) {
  int rank = jsolve_least_squares(ctx, m, n, b->A, rhs, rcond, z);
  return rank < 0 ? (jo_status)rank : JO_OK;
}

// plus = r(x + part dx); its norm
static double try_part(problem* b, const double* x, double part) {
  for (int i = 0; i < b->n; i++) {
    b->x[i] = x[i] + part * b->dx[i];
  }
  residual(b, b->x, b->plus);
  return norm(b->n, b->plus);
}

static double longest_part(const problem* b) {
  double part = 1.0;
  for (int i = 0; i < b->n; i++) {
    part = fmin(part, b->scale[i] / fmax(1e-300, fabs(b->dx[i])));
  }
  return part;
}

static bool is_idle(const problem* b) {
  for (int i = 0; i < b->n; i++) {
    if (!(fabs(b->dx[i]) <= NO_STEP * b->scale[i])) return false;
  }
  return true;
}

static double largest_slope(const problem* b) {
  double largest = 0.0;
  for (int k = 0; k < b->n * b->n; k++) {
    largest = fmax(largest, fabs(b->J[k]) * b->scale[k / b->n]);
  }
  return largest;
}

// What nothing feels and little pushes stays: its steps, ever longer, would cut those of the others.
static void keep_unfelt(problem* b) {
  double largest = largest_slope(b);
  for (int j = 0; j < b->n; j++) {
    double felt = 0.0;
    for (int i = 0; i < b->n; i++) {
      felt = fmax(felt, fabs(b->J[i + b->n * j]) * b->scale[j]);
    }
    if (felt <= FELT * largest && fabs(b->r[j]) <= PUSH) b->dx[j] = 0.0;
  }
}

// dx_i / (delta size_i) - sum_j J_ij dx_j = r_i, solved in steps by their scales, cut to the longest.
// x moved and r is the new one; JO_ERR_CONVERGENCE, JO_ERR_NUMERIC: it did not.
static jo_status creep(jo_context* ctx, problem* b, double delta, double* x) {
  int n = b->n;
  for (int k = 0; k < n * n; k++) {
    b->A[k] = (k % (n + 1) == 0 ? 1.0 / (delta * b->size[k / n]) : 0.0) - b->J[k];
    b->A[k] *= b->scale[k / n];
  }
  memcpy(b->minus, b->r, (size_t)n * sizeof *x);
  JO_TRY(solve(ctx, b, n, n, b->minus, 1e-15, b->dx));
  for (int i = 0; i < n; i++) {
    b->dx[i] *= b->scale[i];
  }
  keep_unfelt(b);
  double cut = longest_part(b), before = norm(n, b->r), after = try_part(b, x, cut);
  double part = cut;
  // what behaves as a root is thrown by Newton as far to the other side: a part of the way is better
  for (int k = 0; k < MAX_HALVINGS && after > ENOUGH * before; k++) {
    part *= 0.5;
    after = try_part(b, x, part);
  }
  if (after > ENOUGH * before) after = try_part(b, x, cut);
  // touching the ground may raise the accelerations, but not without bound
  if (!(after <= 3.0 * before + 30.0 * (cut < 1.0 ? 1.0 : 0.1))) {
    return JO_ERR_CONVERGENCE;
  }
  memcpy(x, b->x, (size_t)n * sizeof *x);
  memcpy(b->r, b->plus, (size_t)n * sizeof *x);
  return JO_OK;
}

// The residual that is largest against its limit. True when none exceeds it.
static bool find_worst(const problem* b, jmachine_equilibrium* out) {
  double worst = -1.0;
  out->residual = 0.0;
  for (int i = 0; i < b->n; i++) {
    double part = isfinite(b->r[i]) ? fabs(b->r[i]) / b->limit[i] : INFINITY;
    if (part <= worst) continue;
    worst = part;
    out->residual = fabs(b->r[i]);
    out->worst = b->at[i];
  }
  return worst <= 1.0;
}

// Accelerations have one limit, each state its own.
static void set_limits(problem* b) {
  double largest = 1.0;
  for (int i = 0; i < b->m->nu; i++) {
    largest = fmax(largest, fabs(b->r[i]));
  }
  for (int i = 0; i < b->n; i++) {
    b->limit[i] = TOLERANCE * (i < b->m->nu ? largest : fmax(1.0, fabs(b->r[i])));
  }
}

// What is pushed and feels no unknown cannot come to rest: the cause, where others are but delayed by it.
static void find_loose(const problem* b, jmachine_equilibrium* out) {
  double largest = largest_slope(b), worst = 0.0;
  for (int i = 0; i < b->n; i++) {
    double felt = 0.0, part = fabs(b->r[i]) / b->limit[i];
    for (int j = 0; j < b->n; j++) {
      felt = fmax(felt, fabs(b->J[i + b->n * j]) * b->scale[j]);
    }
    if (felt > FELT * largest || part <= fmax(1.0, worst)) continue;
    worst = part;
    out->worst = b->at[i];
    out->residual = fabs(b->r[i]);
  }
}

// ---- directions without stiffness ------------------------------------------------------------------

// The pivot of the next elimination: in the row of the largest entry the last column that is not much
// smaller, so that equals do not change places with rounding. False when only zeros remain.
static bool find_pivot(const problem* b, double floor, int* row, int* col) {
  const bool* row_done = b->row_done;
  int n = b->n;
  double largest = floor;
  *row = -1;
  for (int k = 0; k < n * n; k++) {
    if (row_done[k % n] || !b->stays[k / n] || fabs(b->A[k]) <= largest) continue;
    largest = fabs(b->A[k]);
    *row = k % n;
  }
  for (int j = 0; *row >= 0 && j < n; j++) {
    if (b->stays[j] && fabs(b->A[*row + n * j]) >= CLEAR * largest) *col = j;
  }
  return *row >= 0;
}

// Unknowns that are no pivots of J, in the scale of unknowns and of the rates of states, stay. The number
// of the others.
static int find_free(problem* b) {
  bool* row_done = b->row_done;
  int n = b->n, rank = 0, pivot = 0, col = 0;
  double largest = 0.0;
  for (int k = 0; k < n * n; k++) {
    int row = k % n;
    b->A[k] = b->J[k] * b->scale[k / n];
    if (row >= b->m->nu) b->A[k] *= b->size[row] / b->scale[row];
    largest = fmax(largest, fabs(b->A[k]));
  }
  for (int j = 0; j < n; j++) {
    b->stays[j] = true;
    row_done[j] = false;
  }
  for (; find_pivot(b, FELT * largest, &pivot, &col); rank++) {
    assert(rank < n);
    row_done[pivot] = true;
    b->stays[col] = false;
    for (int i = 0; i < n; i++) {
      double f = row_done[i] ? 0.0 : b->A[i + n * col] / b->A[pivot + n * col];
      for (int j = 0; j < n && f != 0.0; j++) {
        b->A[i + n * j] -= f * b->A[pivot + n * j];
      }
    }
  }
  return rank;
}

// J_mm dx_m = -r_m: a Newton step of the unknowns that do not stay, cut to the longest
static jo_status step_others(jo_context* ctx, problem* b, double* x) {
  int n = b->n, m = 0, k = 0;
  for (int j = 0; j < n; j++) {
    if (b->stays[j]) continue;
    b->minus[m++] = -b->r[j];
    for (int i = 0; i < n; i++) {
      if (!b->stays[i]) b->A[k++] = b->J[i + n * j] * b->scale[j];
    }
  }
  JO_TRY(solve(ctx, b, m, m, b->minus, 1e-14, b->plus));
  for (int j = 0, i = 0; j < n; j++) {
    b->dx[j] = b->stays[j] ? 0.0 : b->plus[i++] * b->scale[j];
  }
  try_part(b, x, longest_part(b));
  memcpy(x, b->x, (size_t)n * sizeof *x);
  memcpy(b->r, b->plus, (size_t)n * sizeof *x);
  return JO_OK;
}

// Those that move are at rest, or as near as rounding lets them come, where springs are stiff and bodies light; those
// that stay are not pushed to speak of.
static bool is_at_rest(const problem* b) {
  bool is_near = is_idle(b);
  for (int i = 0; i < b->n; i++) {
    if (b->stays[i] ? !(fabs(b->r[i]) <= PUSH) : !is_near && !(fabs(b->r[i]) <= b->limit[i])) {
      return false;
    }
  }
  return true;
}

// Unknowns that nothing holds drift while the others settle; they go back to where they began, and the
// others find rest again. JO_ERR_CONVERGENCE, JO_ERR_NUMERIC: there is none, x is as it was.
static jo_status put_back(jo_context* ctx, problem* b, double* x) {
  size_t size = (size_t)b->n * sizeof *x;
  jo_status status = JO_ERR_CONVERGENCE;
  memcpy(b->found, x, size);
  for (int j = 0; j < b->n; j++) {
    if (b->stays[j]) x[j] = b->begin[j];
  }
  residual(b, x, b->r);
  bool is_found = false;
  for (int i = 0; i < MAX_FINISH && !is_found; i++) {
    slopes(b, x);
    status = step_others(ctx, b, x);
    if (status < 0) break;
    is_found = is_at_rest(b);
  }
  if (is_found) status = step_others(ctx, b, x);
  if (status >= 0 && is_found && is_at_rest(b)) return JO_OK;
  memcpy(x, b->found, size);
  slopes(b, x);
  return status < 0 ? status : JO_ERR_CONVERGENCE;
}

static bool is_settled(const problem* b) {
  for (int i = 0; i < b->n; i++) {
    if (!(fabs(b->r[i]) <= PUSH)) return false;
  }
  return true;
}

static jo_status search(jo_context* ctx, problem* b, double* x, jmachine_equilibrium* out) {
  double delta = FIRST;
  int idle = 0;
  slopes(b, x);
  set_limits(b);
  bool is_found = find_worst(b, out);
  if (!isfinite(norm(b->n, b->r))) return JO_ERR_NUMERIC;
  while (!is_found && out->iterations < MAX_STEPS && delta > SHORTEST) {
    // what nothing holds may never stop: it goes back as soon as the others have nearly settled
    bool is_time = out->iterations % TRY_EVERY == 0 && is_settled(b);
    if (is_time && find_free(b) < b->n) {
      jo_status status = put_back(ctx, b, x);
      if (status >= 0 || status == JO_ERR_MEMORY) return status;
    }
    double before = norm(b->n, b->r);
    jo_status status = creep(ctx, b, delta, x);
    if (status == JO_ERR_MEMORY) return status;
    if (status < 0) {
      delta *= 0.1;
      continue;
    }
    out->iterations++;
    double gain = before / fmax(1e-300, norm(b->n, b->r));
    delta = fmin(LONGEST, delta * fmin(10.0, fmax(0.3, 1.5 * gain)));
    slopes(b, x);
    idle = delta == LONGEST && is_idle(b) ? idle + 1 : 0;
    is_found = find_worst(b, out) || idle > MAX_IDLE;
  }
  if (!is_found) {
    find_loose(b, out);
    return JO_ERR_CONVERGENCE;
  }
  // once more: quadratic convergence takes it to rounding, and where it does not x is good enough
  jo_status status = creep(ctx, b, LONGEST, x);
  if (status != JO_ERR_MEMORY && find_free(b) < b->n) {
    status = put_back(ctx, b, x);
    out->is_moved = status < 0;
  }
  return status == JO_ERR_MEMORY ? status : JO_OK;
}

// ---- the search ------------------------------------------------------------------------------------

static int most_unknowns(const jmachine_about* m) {
  return m->nu + m->nz;
}

static bool allocate(problem* b, jarena* a, double** x) {
  int most = most_unknowns(b->m);
  double** vector[] = {&b->scale, &b->size, &b->limit, &b->x,     &b->r, &b->plus,
                       &b->minus, &b->dx,   &b->begin, &b->found, x};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
    *vector[i] = JARENA_ARRAY(a, most, double);
    if (!*vector[i]) return false;
  }
  b->at = JARENA_ARRAY(a, most, int);
  b->of = JARENA_ARRAY(a, most, int);
  b->stays = JARENA_ARRAY(a, most, bool);
  b->row_done = JARENA_ARRAY(a, most, bool);
  b->ydot = JARENA_ARRAY(a, b->m->ny, double);
  b->g = JARENA_ARRAY(a, b->m->nswitch, double);
  b->J = JARENA_ARRAY(a, most * most, double);
  b->A = JARENA_ARRAY(a, most * most, double);
  return b->at && b->of && b->stays && b->row_done && b->ydot && b->g && b->J && b->A;
}

static bool is_state(const jmachine_about* m, int at) {
  return at >= m->first_z && at < m->first_z + m->nz;
}

static void list_unknowns(problem* b) {
  const jmachine_about* m = b->m;
  for (int at = 0; at < m->ny; at++) {
    bool is_position = at < m->nu;
    if (!is_position && (!is_state(m, at) || m->is_held[at])) continue;
    int i = b->n++;
    b->at[i] = at;
    b->of[i] = is_position ? m->first_rate + at : at;
    b->size[i] = m->nominal[at];
    b->scale[i] = fmax(m->nominal[at], fabs(b->y[at]));
    if (is_position) b->scale[i] = m->is_angle[i] ? ANGLE_STEP : LENGTH_STEP;
  }
}

static jo_status find(jo_context* ctx, jarena* a, problem* b, jmachine_equilibrium* out) {
  double* x = NULL;
  if (!allocate(b, a, &x)) return JO_ERR_MEMORY;
  list_unknowns(b);
  assert(b->n <= most_unknowns(b->m));
  memset(b->y + b->m->first_rate, 0, (size_t)b->m->nu * sizeof *b->y);
  for (int i = 0; i < b->n; i++) {
    x[i] = b->begin[i] = b->y[b->at[i]];
  }
  jo_status status = search(ctx, b, x, out);
  residual(b, x, b->r);
  if (status == JO_OK) find_worst(b, out);
  for (int j = 0; status == JO_OK && j < b->m->nu; j++) {
    out->determined += !b->stays[j];
  }
  return status;
}

jo_status jmachine_equilibrium_find(jo_context* ctx, const jmachine_about* m,
                                    const jsolve_system* s, double t, double* y, bool* stays,
                                    jmachine_equilibrium* out) {
  problem b = {.m = m, .s = s, .t = t, .y = y};
  *out = (jmachine_equilibrium){.worst = -1};
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = find(ctx, &a, &b, out);
  for (int i = 0; stays && i < m->ny; i++) {
    stays[i] = is_state(m, i);  // held ones
  }
  for (int i = 0; status == JO_OK && stays && i < b.n; i++) {
    stays[b.at[i]] = b.stays[i];
  }
  jarena_free(&a);
  return status;
}
