// SPDX-License-Identifier: Apache-2.0
// Conditions of the model as modes: inputs that stay fixed while a step is taken.
#ifndef JGEN_SWITCHES_H
#define JGEN_SWITCHES_H

#include "gen/build.h"

typedef struct jgen_switch_set {
  int n, cap;
  jgen_switch* sw;
} jgen_switch_set;

// Which groups of inputs are time, state and modes. is_discrete: states that change at events only, NULL: none.
typedef struct jgen_switch_inputs {
  int t, y, mode;
  const bool* is_discrete;
  const char* path;  // of the model
  int nfloor;
  const jgen_floor* floor;  // what floors were written in, for their names (nfloor)
} jgen_switch_inputs;

// Rewrite refs so that every comparison, min, max, abs, sign and floor that changes with time or state inside of steps reads
// a mode instead: select(mode[k], a, b), with switching function g[k] > 0 where the mode is 1. Where g[k] is zero, mode 0 is
// what the expression says: a <= b is "not a > b", and sign and == have two switches. What only compares values that
// jump, floors and discrete states, stays as it is: it changes when they do, and is exact where they are equal.
// The group of modes gets its final size. Switching functions are valid in the same graph.
jo_status jgen_extract_switches(jexpr_graph* g, jarena* a, const jgen_switch_inputs* in,
                                jexpr_ref* refs, int n, jgen_switch_set* out);

#endif
