// SPDX-License-Identifier: Apache-2.0
// Conditions of the model as modes: inputs that stay fixed while a step is taken.
#ifndef JGEN_SWITCHES_H
#define JGEN_SWITCHES_H

#include "gen/gen.h"

typedef struct jgen_switch_set {
  int n, cap;
  jgen_switch* sw;
} jgen_switch_set;

// Rewrite refs so that every comparison, min, max, abs and sign that depends on time or on states
// that change inside of steps reads a mode instead: select(mode[k], a, b), with switching function
// g[k] > 0 where the mode is 1. Where g[k] is zero, mode 0 is what the expression says: a <= b is
// "not a > b", and sign and == have two switches. is_discrete: of the states, which change at events
// only, so that comparisons of nothing else need no mode; NULL: none of them.
// The group `group_mode` gets its final size. Switching functions are valid in the same graph.
jo_status jgen_extract_switches(jexpr_graph* g, jarena* a, int group_t, int group_y, int group_mode,
                                const bool* is_discrete, jexpr_ref* refs, int n,
                                jgen_switch_set* out);

#endif
