// SPDX-License-Identifier: Apache-2.0
// The search for rest, by one means after another until one finds it: descent from where it begins (descent.h); the
// motion itself, with its dampers, by the same steps; continuation from a load under which it is at rest where it
// begins; descent from beside the start. What is found is polished by Newton's steps, and is the same by all of them.
#include "machine/equilibrium.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "machine/descent.h"
#include "solve/algebra/linear.h"

#define TOLERANCE 1e-9  // on rates, relative to the largest at the start, at least 1
#define GENTLE \
  1e3  // rates at the start up to which that is so; beyond, to what a longest step changes
#define FIRST       1e-3  // pseudo-time step [s^2], and step of a motion [s]
#define SHORTEST    1e-9
#define LONGEST_S   1.0   // step of a motion [s]
#define FASTER      10.0  // a step may be longer than the one before by this
#define LINEAR      0.5   // misfit of a step that is just right
#define FELT        1e-7  // part of the stiffest, per longest step: below it nothing holds
#define CLEAR       0.1   // a pivot need not be the largest of its row
#define TRY_EVERY   8     // steps
#define MAX_FINISH  20    // Newton steps with free directions where they began
#define MAX_IDLE    10    // steps in which nothing moves
#define MAX_POLISH  4
#define MAX_DESCENT 500
#define MAX_MOTION  400
#define MAX_RELEASE 100
#define MAX_NEWTON  8    // steps at one load
#define MAX_BESIDE  3    // other starts
#define BESIDE      2.0  // longest steps
#define UNHURRIED   0.3  // of the time in which what is unstable grows by e

typedef struct search {
  jmachine_descent d;
  double* start;          // the state it began at (ny)
  double *begin, *found;  // unknowns there; those that the descent came to
  double *keep, *load, *held;
  double* y;  // scratch (ny)
  bool *stays, *stayed, *row_done;
  bool is_back;  // what nothing holds is where it began, and the others at rest
} search;

// (N6)  How large a rate may be at rest. A start deep in a stiff stop, where rates are huge, says nothing of that.
static double limit_of(const jmachine_descent* d, int i) {
  double change = 0.0;
  if (d->limit[i] <= TOLERANCE * GENTLE) return d->limit[i];
  for (int j = 0; j < d->n; j++) {
    change = fmax(change, fabs(d->J[i + d->n * j]) * d->scale[j]);
  }
  return fmin(d->limit[i], TOLERANCE * fmax(GENTLE, change));
}

// The residual that is largest against its limit. True when none exceeds it.
static bool find_worst(const search* b, jmachine_equilibrium* out) {
  const jmachine_descent* d = &b->d;
  double worst = -1.0;
  out->residual = 0.0;
  for (int i = 0; i < d->n; i++) {
    double part = isfinite(d->r[i]) ? fabs(d->r[i]) / limit_of(d, i) : INFINITY;
    if (part <= worst) continue;
    worst = part;
    out->residual = fabs(d->r[i]);
    out->worst = d->at[i];
  }
  return worst <= 1.0 && !d->is_edge;
}

// Accelerations have one limit, each state its own.
static void set_limits(search* b) {
  jmachine_descent* d = &b->d;
  double largest = 1.0;
  for (int i = 0; i < d->m->nu; i++) {
    largest = fmax(largest, fabs(d->r[i]));
  }
  for (int i = 0; i < d->n; i++) {
    d->limit[i] = TOLERANCE * (i < d->m->nu ? largest : fmax(1.0, fabs(d->r[i])));
  }
}

// What is pushed and feels no unknown cannot come to rest: the cause, where others are but delayed by it.
static void find_loose(const search* b, jmachine_equilibrium* out) {
  const jmachine_descent* d = &b->d;
  double largest = jmachine_descent_stiffest(d), worst = 0.0;
  for (int i = 0; i < d->n; i++) {
    double felt = 0.0, part = fabs(d->r[i]) / limit_of(d, i);
    for (int j = 0; j < d->n; j++) {
      felt = fmax(felt, fabs(d->J[i + d->n * j]) * d->scale[j]);
    }
    if (felt > FELT * largest || part <= fmax(1.0, worst)) continue;
    worst = part;
    out->worst = d->at[i];
    out->residual = fabs(d->r[i]);
    out->is_loose = true;
  }
}

// ---- directions without stiffness ------------------------------------------------------------------

// The pivot of the next elimination: in the row of the largest entry the last column that is not much
// smaller, so that equals do not change places with rounding. False when only zeros remain.
static bool find_pivot(const search* b, double floor, int* row, int* col) {
  const bool* row_done = b->row_done;
  int n = b->d.n;
  double largest = floor;
  *row = -1;
  for (int k = 0; k < n * n; k++) {
    if (row_done[k % n] || !b->stays[k / n] || fabs(b->d.A[k]) <= largest) continue;
    largest = fabs(b->d.A[k]);
    *row = k % n;
  }
  for (int j = 0; *row >= 0 && j < n; j++) {
    if (b->stays[j] && fabs(b->d.A[*row + n * j]) >= CLEAR * largest) *col = j;
  }
  return *row >= 0;
}

// Unknowns that are no pivots of J, in the scale of unknowns and of the rates of states, stay. The number
// of the others.
static int find_free(search* b) {
  bool* row_done = b->row_done;
  int n = b->d.n, rank = 0, pivot = 0, col = 0;
  double largest = 0.0;
  for (int k = 0; k < n * n; k++) {
    int row = k % n;
    b->d.A[k] = b->d.J[k] * b->d.scale[k / n];
    if (row >= b->d.m->nu) b->d.A[k] *= b->d.size[row] / b->d.scale[row];
    largest = fmax(largest, fabs(b->d.A[k]));
  }
  for (int j = 0; j < n; j++) {
    b->stays[j] = true;
    row_done[j] = false;
  }
  for (; find_pivot(b, FELT * largest, &pivot, &col); rank++) {
    JASSERT(rank < n);
    row_done[pivot] = true;
    b->stays[col] = false;
    for (int i = 0; i < n; i++) {
      double f = row_done[i] ? 0.0 : b->d.A[i + n * col] / b->d.A[pivot + n * col];
      for (int j = 0; j < n && f != 0.0; j++) {
        b->d.A[i + n * j] -= f * b->d.A[pivot + n * j];
      }
    }
  }
  return rank;
}

// J_mm dx_m = -r_m: a Newton step of the unknowns that do not stay, cut to the longest
static jo_status step_others(jo_context* ctx, search* b, double* x) {
  int n = b->d.n, m = 0, k = 0;
  for (int j = 0; j < n; j++) {
    if (b->stays[j]) continue;
    b->d.minus[m++] = -b->d.r[j];
    for (int i = 0; i < n; i++) {
      if (!b->stays[i]) b->d.A[k++] = b->d.J[i + n * j] * b->d.scale[j];
    }
  }
  int rank = jsolve_least_squares(ctx, m, m, b->d.A, b->d.minus, 1e-14, b->d.plus);
  if (rank < 0) return (jo_status)rank;
  for (int j = 0, i = 0; j < n; j++) {
    b->d.dx[j] = b->stays[j] ? 0.0 : b->d.plus[i++] * b->d.scale[j];
  }
  jmachine_descent_try(&b->d, x, jmachine_descent_longest_part(&b->d));
  memcpy(x, b->d.x, (size_t)n * sizeof *x);
  memcpy(b->d.r, b->d.plus, (size_t)n * sizeof *x);
  return JO_OK;
}

// Those that move are at rest, or as near as rounding lets them come, where springs are stiff and bodies light; those
// that stay are not pushed to speak of.
static bool is_at_rest(const search* b) {
  bool is_near = jmachine_descent_is_idle(&b->d);
  for (int i = 0; i < b->d.n; i++) {
    if (b->stays[i] ? !(fabs(b->d.r[i]) <= JMACHINE_PUSH)
                    : !is_near && !(fabs(b->d.r[i]) <= limit_of(&b->d, i))) {
      return false;
    }
  }
  return true;
}

// The others find rest, with those that stay where they began. JO_ERR_CONVERGENCE, JO_ERR_NUMERIC: there is none.
static jo_status find_others(jo_context* ctx, search* b, double* x) {
  jo_status status = JO_ERR_CONVERGENCE;
  for (int j = 0; j < b->d.n; j++) {
    if (b->stays[j]) x[j] = b->begin[j];
  }
  jmachine_descent_rates(&b->d, x, b->d.r);
  bool is_found = false;
  for (int i = 0; i < MAX_FINISH && !is_found; i++) {
    jmachine_descent_slopes(&b->d, x);
    status = step_others(ctx, b, x);
    if (status < 0) return status;
    is_found = is_at_rest(b);
  }
  if (is_found) status = step_others(ctx, b, x);
  return status >= 0 && !(is_found && is_at_rest(b)) ? JO_ERR_CONVERGENCE : status;
}

// Whether what moved is held where it came to, too. What hardly anything held where the descent was, as a wheel at the
// foot of a bump, goes on to where nothing pushes it: there it is free like the others, and stays. `rank`: held ones.
static bool is_held(search* b, double* x, int* rank) {
  size_t size = (size_t)b->d.n * sizeof *b->stays;
  jmachine_descent_slopes(&b->d, x);
  memcpy(b->stayed, b->stays, size);
  int held = find_free(b);
  bool is_less = held < *rank;
  if (is_less) *rank = held;
  if (!is_less) memcpy(b->stays, b->stayed, size);
  return !is_less;
}

// Unknowns that nothing holds drift while the others settle; they go back to where they began, and the
// others find rest again. JO_ERR_CONVERGENCE, JO_ERR_NUMERIC: there is none, x is as it was.
static jo_status put_back(jo_context* ctx, search* b, int rank, double* x) {
  size_t size = (size_t)b->d.n * sizeof *x;
  jo_status status;
  memcpy(b->found, x, size);
  do {
    status = find_others(ctx, b, x);
  } while (status >= 0 && !is_held(b, x, &rank));
  if (status >= 0) return status;
  memcpy(x, b->found, size);
  jmachine_descent_slopes(&b->d, x);
  find_free(b);
  return status;
}

static bool is_settled(const search* b) {
  if (b->d.is_edge) return false;
  for (int i = 0; i < b->d.n; i++) {
    if (!(fabs(b->d.r[i]) <= JMACHINE_PUSH)) return false;
  }
  return true;
}

// ---- descent -----------------------------------------------------------------------------------------

// The next step of pseudo-time: as long as one linearisation is good for, and not much longer than the longest steps of the
// unknowns: what drifts would cut those of the others.
static double next_step(const jmachine_descent* d, double delta, bool holds, double misfit) {
  if (!holds) return delta * fmax(0.1, fmin(0.5, LINEAR / misfit));
  if (d->part < 1.0) return delta * fmax(0.1, fmin(1.0, 2.0 * d->part));
  return fmin(d->longest, delta * fmin(FASTER, fmax(1.0, LINEAR / fmax(misfit, 1e-300))));
}

// Steps that are long beside the time in which something grows go the wrong way, to what is unstable. Where it is nearly at
// rest, that is where the descent led to.
static double unhurried(search* b, double delta) {
  int grown;
  double growth = is_settled(b) ? 0.0 : jmachine_descent_growth(&b->d, delta, &grown);
  return growth * delta > UNHURRIED ? UNHURRIED / growth : delta;
}

// x descends until nothing accelerates; r and J are those there. JO_ERR_CONVERGENCE: it does not come to rest.
static jo_status descend(jo_context* ctx, search* b, int most, double* x,
                         jmachine_equilibrium* out) {
  jmachine_descent* d = &b->d;
  double delta = FIRST, misfit;
  int idle = 0;
  b->is_back = false;
  jmachine_descent_slopes(d, x);
  bool is_found = find_worst(b, out);
  for (int k = 0; !is_found && k < most && delta > SHORTEST;) {
    // what nothing holds may never stop: it goes back as soon as the others have nearly settled
    int rank = k % TRY_EVERY == 0 && is_settled(b) ? find_free(b) : d->n;
    if (rank < d->n) {
      jo_status status = put_back(ctx, b, rank, x);
      b->is_back = status >= 0;
      if (status >= 0 || status == JO_ERR_MEMORY) return status;
    }
    delta = unhurried(b, delta);
    bool holds = jmachine_descent_step(d, delta, x, &misfit);
    delta = next_step(d, delta, holds, misfit);
    if (!holds) continue;
    k++;
    out->iterations++;
    jmachine_descent_slopes(d, x);
    idle = delta == d->longest && jmachine_descent_is_idle(d) ? idle + 1 : 0;
    is_found = find_worst(b, out) || (idle > MAX_IDLE && !d->is_edge);
  }
  return is_found ? JO_OK : JO_ERR_CONVERGENCE;
}

// Quadratic convergence takes it to rounding, and where it does not x is good enough; what nothing holds goes back.
static jo_status polish(jo_context* ctx, search* b, double* x, jmachine_equilibrium* out) {
  jmachine_descent* d = &b->d;
  double misfit;
  if (b->is_back) return JO_OK;
  for (int k = 0; k < MAX_POLISH && !jmachine_descent_is_idle(d); k++) {
    if (!jmachine_descent_step(d, JMACHINE_LONGEST_STEP, x, &misfit)) break;
    jmachine_descent_slopes(d, x);
  }
  int rank = find_free(b);
  if (rank == d->n) return JO_OK;
  jo_status status = put_back(ctx, b, rank, x);
  out->is_moved = status < 0;
  return status == JO_ERR_MEMORY ? status : JO_OK;
}

// ---- other means -------------------------------------------------------------------------------------

// The search goes on from a state, at rest.
static void go_to(search* b, const double* y, double* x) {
  jmachine_descent* d = &b->d;
  jmachine_descent_choose(d, false);
  memmove(d->base, y, (size_t)d->m->ny * sizeof *y);
  memset(d->base + d->m->first_rate, 0, (size_t)d->m->nu * sizeof *y);
  for (int i = 0; i < d->n; i++) {
    x[i] = d->base[d->at[i]];
  }
}

// The motion from the start, by steps that damp it besides, until it is slow; then descent.
static jo_status move(jo_context* ctx, search* b, double* x, jmachine_equilibrium* out) {
  jmachine_descent* d = &b->d;
  double delta = FIRST, misfit;
  go_to(b, b->start, x);
  jmachine_descent_choose(d, true);
  for (int i = 0; i < d->n; i++) {
    x[i] = d->base[d->at[i]];
  }
  jmachine_descent_slopes(d, x);
  for (int k = 0; k < MAX_MOTION && delta > SHORTEST && !is_settled(b);) {
    bool holds = jmachine_descent_step(d, delta, x, &misfit);
    delta = fmin(LONGEST_S, next_step(d, delta, holds, misfit));
    if (!holds) continue;
    k++;
    out->iterations++;
    jmachine_descent_slopes(d, x);
  }
  go_to(b, d->base, x);
  return descend(ctx, b, MAX_DESCENT, x, out);
}

// Nearly at rest under the load in d->pull, close to x. False: it is not.
static bool is_at_load(search* b, double* x) {
  jmachine_descent* d = &b->d;
  double misfit;
  for (int k = 0; k < MAX_NEWTON; k++) {
    jmachine_descent_slopes(d, x);
    if (is_settled(b)) return true;
    if (!jmachine_descent_step(d, JMACHINE_LONGEST_STEP, x, &misfit)) return false;
  }
  return false;
}

// docs/theory/equilibrium.md eq. (N4): r(x) = (1 - s) r(x0), s from 0 to 1. At the start the model is at rest under a load,
// which is taken away.
static jo_status release(jo_context* ctx, search* b, double* x, jmachine_equilibrium* out) {
  jmachine_descent* d = &b->d;
  double s = 0.0, ds = 0.1;
  size_t size = (size_t)d->n * sizeof *x, whole = (size_t)d->m->ny * sizeof *x;
  go_to(b, b->start, x);
  jmachine_descent_rates(d, x, b->load);
  for (int k = 0; k < MAX_RELEASE && s < 1.0 && ds > 1e-4; k++) {
    double next = fmin(1.0, s + ds);
    memcpy(b->keep, x, size);
    memcpy(b->y, d->base, whole);
    for (int i = 0; i < d->n; i++) {
      b->held[i] = (1.0 - next) * b->load[i];
    }
    d->pull = b->held;
    bool is_met = is_at_load(b, x);
    d->pull = NULL;
    ds *= is_met ? 2.0 : 0.25;
    if (is_met) {
      s = next;
      continue;
    }
    memcpy(x, b->keep, size);
    memcpy(d->base, b->y, whole);
  }
  out->released = s;
  return s < 1.0 ? JO_ERR_CONVERGENCE : descend(ctx, b, MAX_DESCENT, x, out);
}

// Descent from beside the start; from which side, `which` says.
static jo_status begin_beside(jo_context* ctx, search* b, int which, double* x,
                              jmachine_equilibrium* out) {
  jmachine_descent* d = &b->d;
  go_to(b, b->start, x);
  for (int i = 0; i < d->m->nu; i++) {
    int side = (i * (which + 2) + which) % 3 - 1;
    x[i] += BESIDE * side * d->scale[i];
  }
  return descend(ctx, b, MAX_DESCENT, x, out);
}

// By the means that are left, one after another.
static jo_status try_others(jo_context* ctx, search* b, double* x, jmachine_equilibrium* out) {
  jmachine_equilibrium first = *out;
  jo_status status = release(ctx, b, x, out);
  if (status == JO_ERR_CONVERGENCE) status = move(ctx, b, x, out);
  for (; status == JO_ERR_CONVERGENCE && out->beside < MAX_BESIDE; out->beside++) {
    status = begin_beside(ctx, b, out->beside, x, out);
  }
  if (status >= 0) return status;
  // what the descent was left with says more than any other
  first.iterations = out->iterations;
  first.released = out->released;
  first.beside = out->beside;
  *out = first;
  return status;
}

// ---- the search --------------------------------------------------------------------------------------

static bool is_finite(const jmachine_descent* d) {
  for (int i = 0; i < d->n; i++) {
    if (!isfinite(d->r[i])) return false;
  }
  return true;
}

// Whether it was loops that ended the descent: a longest step farther along they cannot be closed.
static bool is_at_edge(search* b) {
  jmachine_descent* d = &b->d;
  if (d->is_edge) return true;
  double largest = 0.0;
  for (int i = 0; i < d->m->nu; i++) {
    largest = fmax(largest, fabs(d->r[i]) / d->scale[i]);
  }
  for (int i = 0; i < d->n; i++) {
    d->dx[i] = i < d->m->nu && largest > 0.0 ? d->r[i] / largest : 0.0;
  }
  for (int i = 0; i < d->n; i++) {
    b->keep[i] = d->base[d->at[i]];
  }
  return !isfinite(jmachine_descent_try(d, b->keep, 1.0));
}

static jo_status search_all(jo_context* ctx, search* b, double* x, jmachine_equilibrium* out) {
  jmachine_descent* d = &b->d;
  jmachine_descent_slopes(d, x);
  set_limits(b);
  find_worst(b, out);
  if (!is_finite(d)) return JO_ERR_NUMERIC;
  jo_status status = descend(ctx, b, MAX_DESCENT, x, out);
  if (status == JO_ERR_CONVERGENCE) {
    out->is_edge = is_at_edge(b);
    if (!out->is_edge) find_loose(b, out);
    if (!out->is_loose) status = try_others(ctx, b, x, out);
  }
  if (status >= 0) status = polish(ctx, b, x, out);
  if (status < 0) return status;
  int grown = 0;
  double growth = jmachine_descent_growth(d, JMACHINE_LONGEST_STEP, &grown);
  out->growth = sqrt(growth);  // q'' = growth q
  out->growing = d->at[grown];
  return status;
}

static bool is_state(const jmachine_about* m, int at) {
  return at >= m->first_z && at < m->first_z + m->nz;
}

static bool allocate(search* b, jarena* a, double** x) {
  const jmachine_about* m = b->d.m;
  int most = 2 * m->nu + m->nz;
  double** vector[] = {&b->begin, &b->found, &b->keep, &b->load, &b->held, x};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
    *vector[i] = JARENA_ARRAY(a, most, double);
    if (!*vector[i]) return false;
  }
  b->start = JARENA_ARRAY(a, m->ny, double);
  b->y = JARENA_ARRAY(a, m->ny, double);
  b->stays = JARENA_ARRAY(a, most, bool);
  b->stayed = JARENA_ARRAY(a, most, bool);
  b->row_done = JARENA_ARRAY(a, most, bool);
  return b->start && b->y && b->stays && b->stayed && b->row_done &&
         jmachine_descent_open(&b->d, a, most);
}

static jo_status find(jo_context* ctx, jarena* a, search* b, jmachine_equilibrium* out) {
  jmachine_descent* d = &b->d;
  double* x = NULL;
  if (!allocate(b, a, &x)) return JO_ERR_MEMORY;
  memcpy(b->start, d->y, (size_t)d->m->ny * sizeof *x);
  go_to(b, b->start, x);
  memcpy(b->begin, x, (size_t)d->n * sizeof *x);
  jo_status status = search_all(ctx, b, x, out);
  jmachine_descent_rates(d, x, d->r);
  if (status == JO_OK) find_worst(b, out);
  for (int j = 0; status == JO_OK && j < d->m->nu; j++) {
    out->determined += !b->stays[j];
  }
  return status;
}

jo_status jmachine_equilibrium_find(jo_context* ctx, const jmachine_about* m,
                                    const jsolve_system* s, double t, double* y, bool* stays,
                                    jmachine_equilibrium* out) {
  search b = {.d = {.m = m, .s = s, .t = t, .y = y}};
  *out = (jmachine_equilibrium){.worst = -1};
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = find(ctx, &a, &b, out);
  for (int i = 0; stays && i < m->ny; i++) {
    stays[i] = is_state(m, i);  // held ones
  }
  for (int i = 0; status == JO_OK && stays && i < b.d.n; i++) {
    stays[b.d.at[i]] = b.stays[i];
  }
  jarena_free(&a);
  return status;
}
