// SPDX-License-Identifier: Apache-2.0
// Assembly: positions that close all loops and meet the initial conditions, then velocities.
#ifndef JPLANT_ASSEMBLE_H
#define JPLANT_ASSEMBLE_H

#include "gen/gen.h"

// Coordinates that nothing determines stay at their guesses, and their rates are zero: which ones, the
// same pivoting decides that chooses independent coordinates. docs/theory/sensitivity.md, the start
typedef struct jplant_assembly {
  double *q, *qd;   // by coordinate, driven ones included (nq)
  double* J;        // closure Jacobian there (nh x nq)
  double* z;        // initial additional states
  double residual;  // largest closure residual
  bool* stays;      // coordinates left at their guess (nq)
  bool* rests;      // coordinates whose rate nothing determines: it is zero (nq)
  bool* arbitrary;  // of those that stay: might have moved to meet a condition in place of others
  bool* idle;       // of those that rest: might move to meet a rate in place of others
  bool is_moved;    // loops or conditions cannot be met with them at their guesses: they are where
                    // the search came to, and the rest depends on the way there
} jplant_assembly;

// `values`: of the live numbers, NULL: the model's. `from`: coordinates the search begins at (nq), NULL: the guesses.
jo_status jplant_assemble(jo_context* ctx, jarena* a, const jmodel* m, const jgen_position* p,
                          const double* values, const double* from, double t, jplant_assembly* out);

// Velocities at another position q that closes the loops: as the initial conditions say, consistent.
// qd, rests: as in an assembly (nq). Driven coordinates in q are set.
jo_status jplant_assemble_velocity(jo_context* ctx, jarena* a, const jmodel* m,
                                   const jgen_position* p, const double* values, double t,
                                   double* q, double* qd, bool* rests);

#endif
