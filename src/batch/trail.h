// SPDX-License-Identifier: Apache-2.0
// Adjoint derivatives of a group of lanes: what each keeps of its way, and gradients from the way back.
#ifndef JBATCH_TRAIL_H
#define JBATCH_TRAIL_H

#include "batch/batch.h"
#include "batch/march/back.h"

typedef struct jbatch_trails {
  jo_context* ctx;
  const jbatch* b;
  jbatch_trail of[JBATCH_MOST_LANES];
  double* S0[JBATCH_MOST_LANES];  // d y0 / d number of lanes (ny x nw)
  int max_steps;                  // that a lane may keep
  jbatch_back back;
  jo_status status;  // of memory: where it is an error, lanes have been left
} jbatch_trails;

// Ownership: caller, release with jbatch_trails_free(); arrays of the way back are in the arena.
jo_status jbatch_trails_begin(jbatch_trails* k, jo_context* ctx, jarena* a, const jbatch* b);
void jbatch_trails_free(jbatch_trails* k);

// Lane l begins another way, from a start with these derivatives; NULL: it has none.
void jbatch_trails_start(jbatch_trails* k, int l, const double* S);

// The step that lane l of the group takes, from where it is; a flip of switch `which` there. False: there is no room.
bool jbatch_trails_step(jbatch_trails* k, const jbatch_group* g, int l);
bool jbatch_trails_flip(jbatch_trails* k, const jbatch_group* g, int l, int which, int kind);

// Back from the ends of all lanes that are done.
jo_status jbatch_trails_walk(jbatch_trails* k, jbatch_group* g);

// The gradient of lane l, nobjective x nw: weights of the numbers along the way, and of the start.
void jbatch_trails_gradient(const jbatch_trails* k, int l, double* gradient);

#endif
