// SPDX-License-Identifier: Apache-2.0
// Assembly: positions that close all loops and meet the initial conditions, then velocities.
#ifndef JSTUDY_ASSEMBLE_H
#define JSTUDY_ASSEMBLE_H

#include "gen/gen.h"

typedef struct jstudy_assembly {
  double *q, *qd;   // by coordinate, driven ones included (nq)
  double* J;        // closure Jacobian there (nh x nq)
  double* z;        // initial additional states
  double residual;  // largest closure residual
} jstudy_assembly;

// `values`: of the live numbers, NULL: the model's.
jo_status jstudy_assemble(jo_context* ctx, jarena* a, const jmodel* m, const jgen_position* p,
                          const double* values, double t, jstudy_assembly* out);

// Velocities at another position q that closes the loops: as the initial conditions say, consistent.
jo_status jstudy_assemble_velocity(jo_context* ctx, jarena* a, const jmodel* m,
                                   const jgen_position* p, double t, const double* q, double* qd);

#endif
