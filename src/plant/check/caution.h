// SPDX-License-Identifier: Apache-2.0
// Warnings of values that are set after the model was read, by lists of points too: each cause once.
#ifndef JPLANT_CAUTION_H
#define JPLANT_CAUTION_H

#include "plant/start/wheels.h"

// A fault of wheels at the starts of points.
typedef struct jplant_caution_start {
  int n;                // points that have it
  bool is_new;          // one of them was not warned about with the plant
  int first;            // of them ...
  const jplant* plant;  // ... its plant ...
  double* values;       // ... and its live numbers (np)
} jplant_caution_start;

typedef struct jplant_caution {
  jo_context* ctx;
  jarena* arena;
  const jplant* plant;
  double *before, *number;  // (nnumber)
  bool* told;               // NULL: no value is warned of
  int npoint;
  jplant_caution_start start[JPLANT_WHEEL_FAULTS];
} jplant_caution;

// Memory is of the arena. `values`: of live numbers, of which warnings were given already; NULL: those of the model.
jo_status jplant_caution_begin(jo_context* ctx, jarena* a, const jplant* p, const double* values,
                               jplant_caution* out);
// Other values, of a point or, where that is negative, of the whole.
jo_status jplant_caution_add(jplant_caution* c, const double* values, int point);

// A point that has run: of its start `wheels` are the faults (plant/start/wheels.h), with `plant`, which has the road of the point.
// needs_values is false where values would not be looked at.
bool jplant_caution_needs_values(const jplant_caution* c, unsigned wheels);
jo_status jplant_caution_add_point(jplant_caution* c, const jplant* plant, const double* values,
                                   int point, unsigned wheels);

// Warns of the starts of all points that were added: of each fault once, with how many points have it and the figures of the
// first, whose start is found once more.
jo_status jplant_caution_end(jplant_caution* c);

#endif
