// SPDX-License-Identifier: Apache-2.0
// Assembly: positions that close all loops and meet the initial conditions, then velocities.
#ifndef JPLANT_ASSEMBLE_H
#define JPLANT_ASSEMBLE_H

#include "gen/gen.h"
#include "machine/position.h"

// What the position stage is, without its functions. In the arena.
jo_status jplant_position_table(jo_context* ctx, jarena* a, const jmodel* m, const jgen_position* p,
                                jmachine_position* out);

// The choice of the coordinates that stay at their guesses is near a tie: a change of the geometry by about 10^-4 makes
// `stays` stay in place of `moves`, and the start jumps. -1: it is not.
typedef struct jplant_tie {
  int moves, stays;
} jplant_tie;

// `values`: of the live numbers, NULL: the model's. `from`: coordinates the search begins at (nq), NULL: the guesses.
// tie: NULL: not wanted.
jo_status jplant_assemble(jo_context* ctx, jarena* a, const jmodel* m, const jgen_position* p,
                          const double* values, const double* from, double t,
                          jmachine_assembly* out, jplant_tie* tie);

// Velocities at another position q that closes the loops: as the initial conditions say, consistent.
// qd, rests: as in an assembly (nq). Driven coordinates in q are set.
jo_status jplant_assemble_velocity(jo_context* ctx, jarena* a, const jmodel* m,
                                   const jgen_position* p, const double* values, double t,
                                   double* q, double* qd, bool* rests);

#endif
