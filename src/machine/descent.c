// SPDX-License-Identifier: Apache-2.0
// A system at rest creeps along its accelerations, x' = r(x): it sinks as a damped system does, so that wheels in the
// air come down and stops are met from the side they are approached from. With
// D the sizes of the rates, docs/theory/equilibrium.md:
//   (N1)  (D/delta - J) dx = r(x)                               implicit Euler, one linearisation
//   (N2)  (D/delta - J) e = r(x + s dx) - r(x) - s J dx         its error behind the part s of a step
// A step holds where |e| <= s |dx| / 2 in the scale of the unknowns, else delta is shorter. This measures what the
// equations do beside their linearisation and not the size of r, which rises where something stiff is met.
#include "machine/descent.h"

#include <math.h>
#include <string.h>

#include "solve/algebra/linear.h"

#define LENGTH_STEP 0.02  // longest step [m]
#define ANGLE_STEP  0.05  // [rad]
#define SPEED_STEP  0.5   // [m/s, rad/s]
#define DIFFERENCE  2e-5  // of the longest step: 1e-6, close to the cube root of rounding
#define FELT        1e-7  // part of the stiffest, per longest step: below it nothing holds
#define LINEAR      0.5   // error of a step that holds, by its length
#define NO_STEP \
  1e-11              // part of the longest step: it is there, whatever rounding leaves of the rates
#define ROUNDS   30  // of the search for what grows
#define GROWS    1.3   // by this much a round
#define TURNS    0.1   // in the last round: more is no direction of its own
#define SHORTEST 1e-6  // times of growth looked at [s^2]
#define SLOWEST  1e2
#define FINER \
  3.0  // from one to the next: at one of them anything that grows does so by 2 and more a round

bool jmachine_descent_open(jmachine_descent* d, jarena* a, int most) {
  double** vector[] = {&d->scale, &d->size,  &d->limit, &d->x, &d->r,
                       &d->plus,  &d->minus, &d->dx,    &d->z, &d->error};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
    *vector[i] = JARENA_ARRAY(a, most, double);
    if (!*vector[i]) return false;
  }
  d->at = JARENA_ARRAY(a, most, int);
  d->of = JARENA_ARRAY(a, most, int);
  d->pivot = JARENA_ARRAY(a, most, int);
  d->base = JARENA_ARRAY(a, d->m->ny, double);
  d->ydot = JARENA_ARRAY(a, d->m->ny, double);
  d->g = JARENA_ARRAY(a, d->m->nswitch, double);
  d->J = JARENA_ARRAY(a, (size_t)most * (size_t)most, double);
  d->A = JARENA_ARRAY(a, (size_t)most * (size_t)most, double);
  if (!d->at || !d->of || !d->pivot || !d->base || !d->ydot || !d->g || !d->J || !d->A) {
    return false;
  }
  memcpy(d->base, d->y, (size_t)d->m->ny * sizeof *d->y);
  d->longest = JMACHINE_LONGEST_STEP;
  return true;
}

static void add_unknown(jmachine_descent* d, int at, int of, double size, double scale) {
  int i = d->n++;
  d->at[i] = at;
  d->of[i] = of;
  d->size[i] = size;
  d->scale[i] = scale;
}

void jmachine_descent_choose(jmachine_descent* d, bool with_velocities) {
  const jmachine_about* m = d->m;
  d->n = 0;
  for (int i = 0; i < m->nu; i++) {
    double scale = m->is_angle[i] ? ANGLE_STEP : LENGTH_STEP;
    add_unknown(d, i, with_velocities ? i : m->first_rate + i, m->nominal[i], scale);
  }
  for (int i = 0; with_velocities && i < m->nu; i++) {
    add_unknown(d, m->first_rate + i, m->first_rate + i, 1.0, SPEED_STEP);
  }
  for (int at = m->first_z; at < m->first_z + m->nz; at++) {
    if (m->is_held[at]) continue;
    add_unknown(d, at, at, m->nominal[at], fmax(m->nominal[at], fabs(d->y[at])));
  }
}

void jmachine_descent_rates(jmachine_descent* d, const double* x, double* r) {
  const jsolve_system* s = d->s;
  // an attempt that could not be closed leaves nothing to begin the next one from
  memcpy(d->y, d->base, (size_t)d->m->ny * sizeof *d->y);
  for (int i = 0; i < d->n; i++) {
    d->y[d->at[i]] = x[i];
  }
  bool is_open = jsolve_close(s, d->t, d->y, d->g) < 0;
  if (!is_open) s->rhs(s->user, d->t, d->y, d->ydot);
  for (int i = 0; i < d->n; i++) {
    r[i] = is_open ? NAN : d->ydot[d->of[i]] / d->size[i];
    if (d->pull) r[i] -= d->pull[i];
  }
}

void jmachine_descent_slopes(jmachine_descent* d, const double* x) {
  memcpy(d->x, x, (size_t)d->n * sizeof *x);
  jmachine_descent_rates(d, x, d->r);
  memcpy(d->base, d->y, (size_t)d->m->ny * sizeof *d->y);
  d->is_edge = false;
  for (int j = 0; j < d->n; j++) {
    double h = DIFFERENCE * d->scale[j];
    d->x[j] = x[j] + h;
    jmachine_descent_rates(d, d->x, d->plus);
    d->x[j] = x[j] - h;
    jmachine_descent_rates(d, d->x, d->minus);
    d->x[j] = x[j];
    for (int i = 0; i < d->n; i++) {
      double slope = (d->plus[i] - d->minus[i]) / (2.0 * h);
      d->J[i + d->n * j] = isfinite(slope) ? slope : 0.0;
      d->is_edge = d->is_edge || !isfinite(slope);
    }
  }
  jmachine_descent_rates(d, x, d->r);
}

static double norm(int n, const double* v) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    sum += v[i] * v[i];
  }
  return sqrt(sum);
}

double jmachine_descent_try(jmachine_descent* d, const double* x, double part) {
  for (int i = 0; i < d->n; i++) {
    d->x[i] = x[i] + part * d->dx[i];
  }
  jmachine_descent_rates(d, d->x, d->plus);
  return norm(d->n, d->plus);
}

double jmachine_descent_longest_part(const jmachine_descent* d) {
  double part = 1.0;
  for (int i = 0; i < d->n; i++) {
    part = fmin(part, d->scale[i] / fmax(1e-300, fabs(d->dx[i])));
  }
  return part;
}

bool jmachine_descent_is_idle(const jmachine_descent* d) {
  for (int i = 0; i < d->n; i++) {
    if (!(fabs(d->dx[i]) <= NO_STEP * d->scale[i])) return false;
  }
  return true;
}

double jmachine_descent_stiffest(const jmachine_descent* d) {
  double largest = 0.0;
  for (int k = 0; k < d->n * d->n; k++) {
    largest = fmax(largest, fabs(d->J[k]) * d->scale[k / d->n]);
  }
  return largest;
}

// What nothing feels does not cut the steps of the others: it stays where little pushes it, and goes by its own longest
// step where much does.
static void keep_unfelt(jmachine_descent* d) {
  double largest = jmachine_descent_stiffest(d);
  for (int j = 0; j < d->n; j++) {
    double felt = 0.0;
    for (int i = 0; i < d->n; i++) {
      felt = fmax(felt, fabs(d->J[i + d->n * j]) * d->scale[j]);
    }
    if (felt > FELT * largest) continue;
    d->z[j] = fabs(d->r[j]) <= JMACHINE_PUSH ? 0.0 : fmax(-1.0, fmin(1.0, d->z[j]));
  }
}

// The matrix of (N1), by the scales of the unknowns.
static bool factor(jmachine_descent* d, double delta) {
  int n = d->n;
  for (int k = 0; k < n * n; k++) {
    d->A[k] = (k % (n + 1) == 0 ? 1.0 / (delta * d->size[k / n]) : 0.0) - d->J[k];
    d->A[k] *= d->scale[k / n];
  }
  return jsolve_lu_factor(n, d->A, d->pivot) >= 0;
}

// (N2), by the scales of the unknowns; its norm
static double find_error(jmachine_descent* d, double part) {
  int n = d->n;
  for (int i = 0; i < n; i++) {
    d->error[i] = d->plus[i] - d->r[i];
    for (int j = 0; j < n; j++) {
      d->error[i] -= part * d->J[i + n * j] * d->dx[j];
    }
  }
  jsolve_lu_solve(n, d->A, d->pivot, false, d->error, 1);
  return norm(n, d->error);
}

bool jmachine_descent_step(jmachine_descent* d, double delta, double* x, double* misfit) {
  int n = d->n;
  *misfit = INFINITY;
  if (!factor(d, delta)) return false;
  memcpy(d->z, d->r, (size_t)n * sizeof *x);
  jsolve_lu_solve(n, d->A, d->pivot, false, d->z, 1);
  keep_unfelt(d);
  for (int i = 0; i < n; i++) {
    d->dx[i] = d->z[i] * d->scale[i];
  }
  double part = d->part = jmachine_descent_longest_part(d);
  if (!isfinite(norm(n, d->dx)) || !isfinite(jmachine_descent_try(d, x, part))) return false;
  *misfit = find_error(d, part) / fmax(1e-300, part * norm(n, d->z));
  if (!(*misfit <= LINEAR) && !jmachine_descent_is_idle(d)) return false;
  memcpy(x, d->x, (size_t)n * sizeof *x);
  memcpy(d->r, d->plus, (size_t)n * sizeof *x);
  return true;
}

// v = (1 - tau J)^-1 (1 + tau J) v in the scale of the unknowns, turned back to length 1; its length before.
static double grow(jmachine_descent* d, double tau, double* v) {
  int n = d->n;
  for (int i = 0; i < n; i++) {
    d->error[i] = v[i] * d->scale[i];
    for (int j = 0; j < n; j++) {
      d->error[i] += tau * d->size[i] * d->J[i + n * j] * d->scale[j] * v[j];
    }
  }
  for (int i = 0; i < n; i++) {
    v[i] = d->error[i] / (tau * d->size[i]);
  }
  jsolve_lu_solve(n, d->A, d->pivot, false, v, 1);
  double length = norm(n, v);
  for (int i = 0; i < n && length > 0.0; i++) {
    v[i] /= length;
  }
  return length;
}

// How far a direction of length 1 moves in a round: nothing, where it is one that grows. What shrinks slowly and turns its sign
// each round makes a sum with a free direction longer and shorter in turn.
static double turn(jmachine_descent* d, double tau, double* v, double* factor) {
  memcpy(d->dx, v, (size_t)d->n * sizeof *v);
  *factor = grow(d, tau, v);
  for (int i = 0; i < d->n; i++) {
    d->dx[i] -= v[i];
  }
  return norm(d->n, d->dx);
}

static int largest_of(int n, const double* v) {
  int most = 0;
  for (int i = 1; i < n; i++) {
    if (fabs(v[i]) > 1.000001 * fabs(v[most])) most = i;
  }
  return most;
}

// (N3): the Cayley transform takes what grows, and nothing else, out of the unit circle, whatever tau is; tau = 1/growth
// shows it best. A direction without symmetries begins.
double jmachine_descent_growth(jmachine_descent* d, double longest, int* grown) {
  int n = d->n;
  double most = 0.0;
  *grown = 0;
  for (double tau = SHORTEST; n > 0 && tau <= fmin(SLOWEST, 10.0 * longest); tau *= FINER) {
    double factor_of = 1.0, turned = 0.0;
    if (!factor(d, tau)) continue;
    for (int i = 0; i < n; i++) {
      d->z[i] = (double)(7 * i % 11) - 4.3;
    }
    for (int k = 0; k < ROUNDS; k++) {
      turned = turn(d, tau, d->z, &factor_of);
    }
    // factor = (1 + tau mu)/(1 - tau mu), mu < 1/tau; a larger mu a shorter tau has shown
    double mu = (factor_of - 1.0) / (factor_of + 1.0) / tau;
    if (!(factor_of > GROWS) || turned > TURNS || mu <= most) continue;
    most = mu;
    *grown = largest_of(n, d->z);
  }
  return most;
}
