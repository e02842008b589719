// SPDX-License-Identifier: Apache-2.0
// Two coordinates with a mass matrix that couples them, for the load drivers: a stiff stop under the first, a soft
// spring between both, weight. y = [ q0 q1 | v0 v1 ], M qdd + c = 0, c = weight - D F.
#ifndef JTEST_TWO_MASSES_H
#define JTEST_TWO_MASSES_H

#include "loads/driver/run.h"
#include "support/fixture.h"

typedef struct two_masses {
  double stop, spring;  // stiffnesses [N/m]
  double weight;        // [N], of each
  int projections;
} two_masses;

static const double two_M[4] = {3.0, 1.0, 1.0, 2.0};
static const double two_D[4] = {1.0, 0.0, 1.0,
                                -1.0};  // force of element e on coordinate i: [i + 2 e]

static inline double two_element(void* user, int e, double t, const double* y) {
  const two_masses* k = user;
  (void)t;
  return e == 0 ? k->stop * fmax(0.0, -y[0]) : -k->spring * (y[0] - y[1]);
}

// M^-1 b
static inline void two_solve(const double* b, double* x) {
  double det = two_M[0] * two_M[3] - two_M[1] * two_M[2];
  x[0] = (two_M[3] * b[0] - two_M[1] * b[1]) / det;
  x[1] = (two_M[0] * b[1] - two_M[2] * b[0]) / det;
}

static inline void two_reduced(void* user, double t, const double* y, double* M, double* c) {
  const two_masses* k = user;
  memcpy(M, two_M, sizeof two_M);
  for (int i = 0; i < 2; i++) {
    c[i] = k->weight;
    for (int e = 0; e < 2; e++) {
      c[i] -= two_D[i + 2 * e] * two_element(user, e, t, y);
    }
  }
}

static inline void two_finish(void* user, double t, const double* y, const double* x, double* qdd) {
  (void)user, (void)t, (void)y;
  memcpy(qdd, x, 2 * sizeof *x);
}

static inline void two_rhs(void* user, double t, const double* y, double* ydot, double* F) {
  double M[4], c[2];
  two_reduced(user, t, y, M, c);
  const double b[2] = {-c[0], -c[1]};
  two_solve(b, ydot + 2);
  ydot[0] = y[2];
  ydot[1] = y[3];
  for (int e = 0; e < 2; e++) {
    F[e] = two_element(user, e, t, y);
  }
}

static inline void two_directions(void* user, double t, const double* y, double* W) {
  (void)user, (void)t, (void)y;
  two_solve(two_D, W);
  two_solve(two_D + 2, W + 2);
}

static const double two_cost[2] = {0.1, 0.2};

static inline jloads_driver_system two_system(two_masses* k) {
  return (jloads_driver_system){.n = 4,
                                .nu = 2,
                                .at_q = 0,
                                .at_qd = 2,
                                .ne = 2,
                                .user = k,
                                .rhs = two_rhs,
                                .element = two_element,
                                .directions = two_directions,
                                .reduced = two_reduced,
                                .finish = two_finish,
                                .element_cost = two_cost,
                                .directions_cost = 1.0,
                                .reduced_cost = 1.0};
}

static inline double two_energy(const two_masses* k, const double* y) {
  const double *q = y, *v = y + 2;
  double T = 0.5 * (two_M[0] * v[0] * v[0] + 2.0 * two_M[1] * v[0] * v[1] + two_M[3] * v[1] * v[1]);
  double pressed = fmax(0.0, -q[0]), apart = q[0] - q[1];
  return T + 0.5 * k->stop * pressed * pressed + 0.5 * k->spring * apart * apart +
         k->weight * (q[0] + q[1]);
}

static inline jloads_driver_options two_options(jloads_driver driver, double step) {
  jloads_driver_options o = jloads_driver_options_default();
  o.driver = driver;
  o.step = step;
  return o;
}

static inline jo_context* two_context(void** state) {
  return ((fixture*)*state)->ctx;
}

#endif
