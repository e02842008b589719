// SPDX-License-Identifier: Apache-2.0
// The semi-explicit variant: symbolic pieces, numeric factorisation and reduction. It computes the
// accelerations of a plant by the other way, for comparison of results and of cost.
#ifndef JPLANT_SEMI_H
#define JPLANT_SEMI_H

#include "plant/plant.h"

typedef struct jplant_semi {
  jo_context* ctx;
  jarena arena;
  const jplant* plant;
  jgen_pieces* pieces;
  jkernel_set* kernels;
  const jkernel *drive, *closure, *tree, *finish;
  double* work[4];  // of the kernels, in the order above
  double *q, *qd, *qdd, *x;
  double *drive_rate, *J_entry, *h, *M_entry, *c, *bias;
  double *J, *M;    // dense, row-major: nv x nq, nq x nq
  double* lu;       // of J_v (nv x nv)
  double* B;        // row-major nv x (nu + nd + 1): B, B_d, gamma
  double *W, *Mr;   // M_vu + M_vv B, reduced mass matrix
  double *cv, *cr;  // tree forces with the known accelerations
  int* pivot;
} jplant_semi;

// Ownership: caller, release with jplant_semi_destroy(). The plant must outlive it. One thread.
jo_status jplant_semi_create(jo_context* ctx, const jplant* plant, const jkernel_options* opt,
                             jplant_semi** out);
void jplant_semi_destroy(jplant_semi* s);

// Accelerations of all coordinates at a state of the plant: qdd (nq). p: live numbers.
// JO_ERR_SINGULAR: the mechanism is at a singular position; reports nothing.
jo_status jplant_semi_accelerations(jplant_semi* s, const double* p, double t, const double* y,
                                    double* qdd);

#endif
