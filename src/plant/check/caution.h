// SPDX-License-Identifier: Apache-2.0
// Warnings of values that are set after the model was read, by lists of points too: each cause once.
#ifndef JPLANT_CAUTION_H
#define JPLANT_CAUTION_H

#include "plant/plant.h"

typedef struct jplant_caution {
  jo_context* ctx;
  const jplant* plant;
  double *before, *number;  // (nnumber)
  bool* told;               // NULL: there is nothing to warn of
} jplant_caution;

// Memory is of the arena. `values`: of live numbers, of which warnings were given already; NULL: those of the model.
jo_status jplant_caution_begin(jo_context* ctx, jarena* a, const jplant* p, const double* values,
                               jplant_caution* out);
// Other values, of a point or, where that is negative, of the whole.
jo_status jplant_caution_add(jplant_caution* c, const double* values, int point);

#endif
