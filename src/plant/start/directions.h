// SPDX-License-Identifier: Apache-2.0
// Tangents of the assembly (gen.h, jgen_position) by the interpreter, along several numbers at a time: a lane for each.
#ifndef JPLANT_DIRECTIONS_H
#define JPLANT_DIRECTIONS_H

#include "plant/plant.h"

enum { JPLANT_LANES = 8 };  // numbers at a time; arrays have them innermost

typedef struct jplant_directions {
  const jgen_position* p;
  const double* values;  // of the live numbers
  int nw;
  const jexpr_tape* tape;
  double* work;
  bool* is_used;                             // by number: the equations have it (nw)
  int number[JPLANT_LANES], n;               // that lanes go along
  double *t, *q, *qd;                        // place
  double *dq, *dqd, *dp;                     // directions; dp is that of `number`
  double *r1, *r2, *dz, *ds, *dsd, *dguess;  // outputs
} jplant_directions;

// At time t and values of the live numbers, NULL: the model's. Everything in the arena.
jo_status jplant_directions_begin(jo_context* ctx, jarena* a, const jplant* p, const double* values,
                                  int nw, double t, jplant_directions* out);

void jplant_directions_place(jplant_directions* d, const double* q, const double* qd);

// The next numbers, from `*from` on, which moves on: all of them, or those that the equations have. False: there are none.
bool jplant_directions_next(jplant_directions* d, bool all, int* from);

void jplant_directions_eval(jplant_directions* d);

// A plain vector becomes, or is, that of one lane; NULL: zero.
void jplant_directions_put(double* lanes, int lane, int n, const double* v);
void jplant_directions_get(const double* lanes, int lane, int n, double* v);

#endif
