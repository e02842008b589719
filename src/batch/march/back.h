// SPDX-License-Identifier: Apache-2.0
// What lanes keep of their way, and what they have while they walk it back (back.inc). Plain data, as lanes.h.
#ifndef JBATCH_BACK_H
#define JBATCH_BACK_H

#include "batch/march/lanes.h"

// A switch that flipped.
typedef struct jbatch_flip {
  int step;  // so many steps were taken before it
  int which, kind;
  double mean;  // mean rate of its margin in the step that led to it; infinite: there was none
} jbatch_flip;

// The way of a lane: of each step where it began, time and state one after another; and its flips.
typedef struct jbatch_trail {
  int nstep, nflip, step_cap, flip_cap;
  double* step;  // nstep x (1 + ny)
  jbatch_flip* flip;
} jbatch_trail;

// Weights of a group of lanes on their way back; all objectives go together. Arrays from lambda on are carved out of one.
typedef struct jbatch_back {
  const jbatch_trail* trail;  // by lane
  int nw;                     // numbers
  int first_u, nu;            // independent coordinates, and ...
  int first_z, nz;            // ... states that closures depend on; nz 0: none
  int step[JBATCH_MOST_LANES], flip[JBATCH_MOST_LANES];  // that are left
  double *lambda, *pbar, *pending;                       // nobjective x ny, x nw, x 1
  double *kbar, *ybar[JBATCH_STAGES], *tbar, *part, *before, *behind, *unit;
} jbatch_back;

#endif
