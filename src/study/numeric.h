// SPDX-License-Identifier: Apache-2.0
// Numerical differentiation of whole runs: what exact derivatives are checked against, and why nobody
// should use it for anything else.
#ifndef JSTUDY_NUMERIC_H
#define JSTUDY_NUMERIC_H

#include "study/sens.h"

// Runs at changed values of one number. Events are located anew, loops assembled anew.
typedef struct jstudy_numeric {
  jo_context* ctx;
  jarena arena;
  const jstudy_sens* sens;
  jstudy_sens_options opt;
  double* p;  // live numbers
  int nobjective;
} jstudy_numeric;

jo_status jstudy_numeric_begin(jstudy_numeric* n, jo_context* ctx, const jstudy_sens* s,
                               const jstudy_sens_options* opt);
void jstudy_numeric_end(jstudy_numeric* n);

// Objectives with number `which` of wrt changed by dp; psi is the caller's (nobjective).
jo_status jstudy_numeric_value(jstudy_numeric* n, int which, double dp, double* psi);

// Derivative of every objective by central differences at shrinking increments, extrapolated to zero
// (Ridders' scheme on Richardson's table). `derivative` and `error`, its estimate, are the caller's
// (nobjective); *increment is the largest used.
jo_status jstudy_numeric_derivative(jstudy_numeric* n, int which, double* derivative, double* error,
                                    double* increment);

#endif
