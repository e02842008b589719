// SPDX-License-Identifier: Apache-2.0
// The copies of march.c.
#ifndef JBATCH_MARCHES_H
#define JBATCH_MARCHES_H

#include "batch/lanes.h"

typedef struct jbatch_march {
  int lanes;
  long (*carve)(jbatch_group* g, double* store);  // counts doubles; NULL: only that
  // Rounds until a lane of phase RUN, LOCATE or AGAIN ends, or several do; those that are new begin. What came out
  // of lanes that have ended is in psi and out until the next call.
  void (*run)(jbatch_group* g);
} jbatch_march;

extern const jbatch_march jbatch_march_1, jbatch_march_2, jbatch_march_4, jbatch_march_8;
extern const jbatch_march jbatch_march_4_wide, jbatch_march_8_wide;

// Function f of a group, by its host.
void jbatch_eval(void* host, int f, const double* const* in, double* const* out);

// For 1, 2, 4 or 8 lanes; NULL: there is none.
const jbatch_march* jbatch_march_for(int lanes);

#endif
