// SPDX-License-Identifier: Apache-2.0
// The copies of march.c.
#ifndef JBATCH_MARCHES_H
#define JBATCH_MARCHES_H

#include "batch/march/back.h"

typedef struct jbatch_march {
  int lanes;
  long (*carve)(jbatch_group* g, double* store);  // counts doubles; NULL: only that
  // Rounds until a lane of phase RUN, LOCATE or AGAIN ends, or several do; those that are new begin. What came out
  // of lanes that have ended is in psi and out until the next call.
  void (*run)(jbatch_group* g);
  // back along what they kept: its arrays, likewise; and lanes of phase DONE, from end to beginning
  long (*carve_back)(jbatch_back* b, const jbatch_rule* r, double* store);
  void (*back)(jbatch_group* g, jbatch_back* b);
} jbatch_march;

extern const jbatch_march jbatch_march_1, jbatch_march_2, jbatch_march_4, jbatch_march_8;
extern const jbatch_march jbatch_march_4_wide, jbatch_march_8_wide;

// Function f of a group, by its host.
void jbatch_eval(void* host, int f, const double* const* in, double* const* out);

// The step that lane l takes, and a flip of switch k in it, are kept by the host; zero: there is no room.
int jbatch_keep_step(void* host, int l);
int jbatch_keep_flip(void* host, int l, int k, int kind);

// For 1, 2, 4 or 8 lanes; NULL: there is none.
const jbatch_march* jbatch_march_for(int lanes);

#endif
