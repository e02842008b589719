// SPDX-License-Identifier: Apache-2.0
// The error norm of the adaptive methods.
//   |v| = sqrt( 1/m sum_i ( v_i / (abs_tol scale_i + rel_tol max(|ya_i|, |yb_i|)) )^2 )
// over the m controlled states (scale_i > 0). One means: as large as the tolerances allow.
#ifndef JSOLVE_NORM_H
#define JSOLVE_NORM_H

#include <stdbool.h>

// To what part of a tolerance stages are solved for: in a step, and while an event is located.
#define JSOLVE_NEWTON_ACCURACY 1e-3
#define JSOLVE_LOCATE_ACCURACY 1e-6

#include "base/mem.h"

typedef struct jsolve_weights {
  int n, ncontrolled;
  double rel_tol;
  double* abs_tol;  // abs_tol scale_i; 1 where not controlled
  double* use;      // 1, or 0 where not controlled
} jsolve_weights;

// scale: n, NULL for ones. False when memory is exhausted.
bool jsolve_weights_init(jsolve_weights* w, jarena* arena, int n, const double* scale,
                         double rel_tol, double abs_tol);

double jsolve_norm(const jsolve_weights* w, const double* v, const double* ya, const double* yb);

bool jsolve_is_finite(int n, const double* v);
int jsolve_first_not_finite(int n, const double* v);  // -1: none

#endif
