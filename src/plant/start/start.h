// SPDX-License-Identifier: Apache-2.0
// Where a run begins, and how that moves with the numbers of the model.
#ifndef JPLANT_START_H
#define JPLANT_START_H

#include "model/select.h"
#include "plant/plant.h"

typedef struct jplant_start {
  double* y;         // state (ny)
  double* S;         // its derivatives by the first nw numbers of the dynamics (ny x nw)
  const char** why;  // there is no derivative by a number (nw); NULL: there is
  int* tips;  // a state that a number makes hang or tip over, see static_start.h (nw); -1: none
  jmachine_equilibrium
      rested;  // the rest that jplant_start_find() begins at, judged; growth 0: it is stable, or no rest
} jplant_start;

// Whether other values of the live numbers lie where those of the file must.
jo_status jplant_start_check(jo_context* ctx, const jplant* p, const double* values);

// As the model says: assembled, or moved on to static equilibrium. `values`: of the live numbers,
// NULL: the model's. Results are in the arena.
jo_status jplant_start_find(jo_context* ctx, jarena* a, const jplant* p, int nw,
                            const double* values, jplant_start* out);

// Warns of a start y at an unstable rest and of wheels there that cannot be meant (wheels.h), where the values are not those of
// the plant, which has warned of its own. JO_ERR_MEMORY.
jo_status jplant_start_warn(jo_context* ctx, const jplant* p, const double* values, const double* y,
                            const jmachine_equilibrium* rested);

// Assembled, whatever the model says, by a search that begins at these coordinates (nq) in place of the guesses.
jo_status jplant_start_near(jo_context* ctx, jarena* a, const jplant* p, int nw,
                            const double* values, const double* from, jplant_start* out);

// At static equilibrium, at rest, whatever the model says.
jo_status jplant_start_at_rest(jo_context* ctx, jarena* a, const jplant* p, int nw,
                               const double* values, jplant_start* out);

// A number of the plant's model has no derivative, for this reason. JO_ERR_MODEL.
jo_status jplant_start_refuse(jo_context* ctx, const jmodel* m, int number, const char* why);

// Derivatives by numbers that have none: JO_ERR_MODEL where one was asked for by its name; else they become not a number,
// and the first of them is named in a warning. `by`: what the plant is differentiated for.
jo_status jplant_start_clear(jo_context* ctx, const jplant* p, const jmodel_selection* by,
                             jplant_start* start);

// Outputs at a start with these values of the live numbers (NULL: the model's), and their derivatives (noutput x
// nw, row by row).
jo_status jplant_start_outputs(jo_context* ctx, jarena* a, const jplant* p, int nw,
                               const double* values, const jplant_start* start, double* out,
                               double* dout);

#endif
