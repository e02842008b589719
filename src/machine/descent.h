// SPDX-License-Identifier: Apache-2.0
// Descent of a system to rest: x' = r(x) by implicit Euler steps, as long as one linearisation is good for, with
// Newton's steps at the end. docs/theory/equilibrium.md eqs. (N1), (N2), (N3).
#ifndef JMACHINE_DESCENT_H
#define JMACHINE_DESCENT_H

#include "machine/machine.h"

#define JMACHINE_PUSH         1e-3  // acceleration of what nothing holds, and rate, that is overlooked
#define JMACHINE_LONGEST_STEP 1e6  // of pseudo-time: Newton's, but for directions without stiffness

typedef struct jmachine_descent {
  const jmachine_about* m;
  const jsolve_system* s;
  double t;
  int n;                        // unknowns
  int* at;                      // where they are in y
  int* of;                      // where their rates are in ydot
  double *y, *base, *ydot, *g;  // the state at hand; the one that loops are closed from
  double* scale;                // longest steps of the unknowns
  double* size;                 // of the rates: 1 of positions, the nominal size of a state
  double* limit;                // on |r|
  double* pull;                 // what the rates are compared with; NULL: zero
  bool
      is_edge;  // beside x loops cannot be closed: accelerations of the others vanish there by themselves
  double part;     // of the last step that its longest unknown let it go
  double longest;  // step of pseudo-time that is allowed
  double *x, *r, *plus, *minus;
  double *J, *A, *dx, *z, *error;
  int* pivot;
} jmachine_descent;

// Storage for up to `most` unknowns, in the arena. False: out of memory.
bool jmachine_descent_open(jmachine_descent* d, jarena* a, int most);

// Unknowns are positions, velocities too (a motion) or not (at rest), and states that are not held.
void jmachine_descent_choose(jmachine_descent* d, bool with_velocities);

// Rates at x by their sizes, NaN where the loops cannot be closed. Modes are those that hold there.
void jmachine_descent_rates(jmachine_descent* d, const double* x, double* r);

// J = d r / d x and r at x, by central differences; loops are closed from there on. Leaves y at x.
void jmachine_descent_slopes(jmachine_descent* d, const double* x);

// The largest part of dx, at most 1, in which no unknown goes farther than its longest step.
double jmachine_descent_longest_part(const jmachine_descent* d);
bool jmachine_descent_is_idle(const jmachine_descent* d);  // nothing moves to speak of

// plus = r(x + part dx), its norm; d->x is there.
double jmachine_descent_try(jmachine_descent* d, const double* x, double part);

// Largest entry of J by the longest steps.
double jmachine_descent_stiffest(const jmachine_descent* d);

// One step of pseudo-time from x, where r and J are known; r is the new one. *misfit: how far off the linear equations
// are, by the step. False: too far, x has not moved.
bool jmachine_descent_step(jmachine_descent* d, double delta, double* x, double* misfit);

// Growth of the fastest growing solution of the linear equations at x [1/s^2], 0: nothing grows to speak of in `longest`.
// *grown: the unknown that grows most.
double jmachine_descent_growth(jmachine_descent* d, double longest, int* grown);

#endif
