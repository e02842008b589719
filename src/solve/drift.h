// SPDX-License-Identifier: Apache-2.0
// How much of the motion the errors of single steps may have made or taken in a run. With e the error of a step and S_i the range of y_i,
//   drift = max_i  sum |e_i| / S_i
// Two runs whose steps damp a motion to nothing agree, and so do two that make it grow from nothing; the sum of what single steps
// lose or make is then as large as the motion itself. What the equations themselves damp later counts, too: a large drift is a reason
// to look closer, and no proof. docs/theory/integration.md eq. (I17)
#ifndef JSOLVE_DRIFT_H
#define JSOLVE_DRIFT_H

#include "base/mem.h"
#include "solve/ode.h"

// A step from y0 to y1 of length h. f0, f1: slopes at its ends, of fixed steps.
typedef struct jsolve_drift_step {
  double h;
  const double *y0, *y1, *f0, *f1;
} jsolve_drift_step;

typedef struct jsolve_drift {
  const jsolve_system* sys;
  int n;               // states of the motion: the first of y
  double *low, *high;  // of y_i so far
  double* lost;        // sum of |e_i|
  double* pending;     // sum of defects since the last step that was taken in two parts ...
  double since;        // ... relative to the ranges so far
  double* two;         // end of a step in two parts
} jsolve_drift;

// False: out of memory.
bool jsolve_drift_init(jsolve_drift* d, jarena* a, const jsolve_system* sys, const double* y);

// Adds a step with an estimate of its error.
void jsolve_drift_add(jsolve_drift* d, const jsolve_drift_step* step, const double* error);

// Fixed steps have no estimate. Adds the defect of the trapezoidal rule in the step; true: defects are so large since the last such
// step that the step must be taken in two parts, which end in d->two.
bool jsolve_drift_defect(jsolve_drift* d, const jsolve_drift_step* step);
// What it shows: how much of such defects are errors of the steps.
void jsolve_drift_sample(jsolve_drift* d, const jsolve_drift_step* step);

// Sets what the statistics of a run say of it.
void jsolve_drift_tell(const jsolve_drift* d, jsolve_statistics* out);

#endif
