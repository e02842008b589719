// SPDX-License-Identifier: Apache-2.0
// Numerical differentiation of whole runs: what exact derivatives are checked against, and why nobody
// should use it for anything else.
#ifndef JSENS_NUMERIC_H
#define JSENS_NUMERIC_H

#include "sens/sens.h"

// Runs at changed values of one number. Events are located anew, loops assembled anew.
typedef struct jsens_numeric {
  jo_context* ctx;
  jarena arena;
  const jsens* sens;  // values only; the numbers are parameters of its model
  const int* wrt;     // numbers
  jsens_options opt;
  double* p;  // live numbers
  int nobjective;
  double* psi;  // objectives of the nominal run (nobjective)
  int nevent;   // its events, which and whether they became true
  int* event;
} jsens_numeric;

// Begins with the nominal run. End it whether that failed or not.
jo_status jsens_numeric_begin(jsens_numeric* n, jo_context* ctx, const jsens* s, const int* wrt,
                              const jsens_options* opt);
void jsens_numeric_end(jsens_numeric* n);

// Objectives with number `which` of wrt, a parameter, changed by dp; psi is the caller's (nobjective).
// *same: the events were the nominal ones, in the nominal order; may be NULL.
jo_status jsens_numeric_value(jsens_numeric* n, int which, double dp, double* psi, bool* same);

// Derivative of every objective by central differences at shrinking increments, extrapolated to zero.
// `guess` (nobjective) tells by the expected derivatives how large increments may be. Increments that
// change the order of events are too large: the objective has a kink between. `derivative` and
// `error`, its estimate, are the caller's (nobjective); *increment is the largest used.
jo_status jsens_numeric_derivative(jsens_numeric* n, int which, const double* guess,
                                   double* derivative, double* error, double* increment);

#endif
