// SPDX-License-Identifier: Apache-2.0
// Values that jump, with their jumps held: whole numbers, and angles from -pi to pi. docs/theory/discrete.md.
#ifndef JEXPR_WHOLE_H
#define JEXPR_WHOLE_H

#include "expr/graph.h"

// floor(u) as a mode has it: 1 where it is odd, 0 where it is even. It changes with the mode alone as long as u is less
// than half a number outside of where the mode is right.
jexpr_ref jexpr_whole_held(jexpr_graph* g, jexpr_ref u, jexpr_ref mode);
// Its switching function: positive where floor(u) is odd, else negative; never zero.
jexpr_ref jexpr_whole_margin(jexpr_graph* g, jexpr_ref u);

// atan2(y, x) whose jump from pi to -pi is that of a comparison, which a mode can hold.
jexpr_ref jexpr_angle(jexpr_graph* g, jexpr_ref y, jexpr_ref x);

#endif
