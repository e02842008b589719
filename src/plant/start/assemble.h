// SPDX-License-Identifier: Apache-2.0
// Assembly: positions that close all loops and meet the initial conditions, then velocities.
#ifndef JPLANT_ASSEMBLE_H
#define JPLANT_ASSEMBLE_H

#include "gen/gen.h"
#include "machine/position.h"

// What the position stage is, without its functions. In the arena.
jo_status jplant_position_table(jo_context* ctx, jarena* a, const jmodel* m, const jgen_position* p,
                                jmachine_position* out);

// `values`: of the live numbers, NULL: the model's. `from`: coordinates the search begins at (nq), NULL: the guesses.
jo_status jplant_assemble(jo_context* ctx, jarena* a, const jmodel* m, const jgen_position* p,
                          const double* values, const double* from, double t,
                          jmachine_assembly* out);

// Velocities at another position q that closes the loops: as the initial conditions say, consistent.
// qd, rests: as in an assembly (nq). Driven coordinates in q are set.
jo_status jplant_assemble_velocity(jo_context* ctx, jarena* a, const jmodel* m,
                                   const jgen_position* p, const double* values, double t,
                                   double* q, double* qd, bool* rests);

#endif
