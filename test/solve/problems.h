// SPDX-License-Identifier: Apache-2.0
// Small problems with known solutions, and what the tests of the solve layer share.
#ifndef JTEST_PROBLEMS_H
#define JTEST_PROBLEMS_H

#include "solve/ode.h"
#include "support/fixture.h"

static inline jo_context* context(void** state) {
  return ((fixture*)*state)->ctx;
}

// y' = -2 t y^2, y(0) = 1: y = 1 / (1 + t^2); next to it its square z = y^2, z' = -4 t y z.
static inline void rational_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  f[0] = -2 * t * y[0] * y[0];
  f[1] = -4 * t * y[0] * y[1];
}

static inline double rational(double t) {
  return 1 / (1 + t * t);
}

static inline jsolve_system rational_system(void) {
  return (jsolve_system){.n = 2, .rhs = rational_rhs};
}

// Nonlinear, on a circle: y = (cos t, sin t).
static inline void circle_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  (void)t;
  double r2 = y[0] * y[0] + y[1] * y[1];
  f[0] = -y[1] * r2;
  f[1] = y[0] * r2;
}

static inline jsolve_options fixed(jsolve_method m, double step) {
  jsolve_options o = jsolve_options_default();
  o.method = m;
  o.step = step;
  return o;
}

static inline jsolve_options adaptive(jsolve_method m, double tol) {
  jsolve_options o = jsolve_options_default();
  o.method = m;
  o.rel_tol = o.abs_tol = tol;
  return o;
}

// Slope of log(error) over log(step).
static inline double observed_order(double e_coarse, double e_fine, double ratio) {
  return log(e_coarse / e_fine) / log(ratio);
}

// Pendulum of length 1 as a point mass in the plane, y = (x, z, vx, vz), with its rod as a force:
// only the projection keeps it on the circle for ever. m = 1, g = 9.81.
#define PENDULUM_G 9.81

static inline void pendulum_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  (void)t;
  // rod force from the second derivative of x^2 + z^2 = 1
  double v2 = y[2] * y[2] + y[3] * y[3];
  double lambda = (v2 - PENDULUM_G * y[1]) / (y[0] * y[0] + y[1] * y[1]);
  f[0] = y[2];
  f[1] = y[3];
  f[2] = -lambda * y[0];
  f[3] = -lambda * y[1] - PENDULUM_G;
}

static inline jo_status pendulum_project(void* user, double t, double* y) {
  (void)user;
  (void)t;
  double r = sqrt(y[0] * y[0] + y[1] * y[1]);
  y[0] /= r;
  y[1] /= r;
  double radial = y[0] * y[2] + y[1] * y[3];
  y[2] -= radial * y[0];
  y[3] -= radial * y[1];
  return JO_OK;
}

static inline jsolve_system pendulum_system(void) {
  return (jsolve_system){.n = 4, .rhs = pendulum_rhs, .project = pendulum_project};
}

static inline double pendulum_energy(const double* y) {
  return 0.5 * (y[2] * y[2] + y[3] * y[3]) + PENDULUM_G * y[1];
}

// Ball over a floor: y = (height, speed); switch 0: height above the floor. Each touch reverses the
// speed and keeps the part `restitution`.
typedef struct ball {
  double restitution;
  double mode[1];
} ball;

static inline void ball_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  (void)t;
  f[0] = y[1];
  f[1] = -10;
}

static inline void ball_switches(void* user, double t, const double* y, double* g) {
  (void)user;
  (void)t;
  g[0] = y[0];
}

static inline jo_status ball_event(void* user, double t, double* y, const int* flipped, int n) {
  ball* b = user;
  (void)t;
  (void)flipped;
  (void)n;
  if (b->mode[0] < 0.5 && y[1] < 0) y[1] *= -b->restitution;
  return JO_OK;
}

static inline jsolve_system ball_system(ball* b) {
  return (jsolve_system){.n = 2,
                         .user = b,
                         .rhs = ball_rhs,
                         .nswitch = 1,
                         .switches = ball_switches,
                         .mode = b->mode,
                         .event = ball_event};
}

// Events as they come.
enum { LOG_MAX = 64 };

typedef struct event_log {
  int n;
  jsolve_event event[LOG_MAX];
  double before[LOG_MAX], after[LOG_MAX];  // last state
  int nstate;
} event_log;

static inline jo_status log_event(void* user, const jsolve_event* e, const double* before,
                                  const double* after) {
  event_log* log = user;
  if (log->n == LOG_MAX) return JO_ERR_LIMIT;
  log->event[log->n] = *e;
  log->before[log->n] = before[log->nstate - 1];
  log->after[log->n] = after[log->nstate - 1];
  log->n++;
  return JO_OK;
}

#endif
