// SPDX-License-Identifier: Apache-2.0
// The copies of march.c.
#ifndef JBATCH_MARCHES_H
#define JBATCH_MARCHES_H

#include "batch/lanes.h"

typedef struct jbatch_march {
  int lanes;
  long (*carve)(jbatch_group* g, double* store);  // counts doubles; NULL: only that
  void (*run)(jbatch_group* g);                   // lanes of phase RUN, from beginning to end
} jbatch_march;

extern const jbatch_march jbatch_march_1, jbatch_march_2, jbatch_march_4, jbatch_march_8;
extern const jbatch_march jbatch_march_4_wide, jbatch_march_8_wide;

// Function f of a group, by its host.
void jbatch_eval(void* host, int f, const double* const* in, double* const* out);

// For 1, 2, 4 or 8 lanes; NULL: there is none.
const jbatch_march* jbatch_march_for(int lanes);

#endif
