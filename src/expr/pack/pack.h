// SPDX-License-Identifier: Apache-2.0
// Packs: nodes of one operator that are computed together, each in a lane of a vector.
//
// Vehicles repeat themselves: corners, arms, left and right are the same equations over other states, parameters and
// constants. Where a graph repeats itself, one vector operation does the work of several, with the bits of each.
// Nothing here knows C: any emitter can use it. See docs/theory/expressions.md, section Packs.
#ifndef JEXPR_PACK_H
#define JEXPR_PACK_H

#include "expr/pack/packing.h"

// A kernel may evaluate several lanes, each with its own inputs. Values that vary between them are vectors already: a pack
// of w of these is one of w * lanes numbers.
typedef struct jexpr_pack_options {
  int width;           // most numbers in the vector of a pack, a power of two; 1: no packs
  bool reorder;        // false: no packs either, and the order is that of the schedule
  int lanes;           // that values which vary have, a power of two; 0 as 1
  const bool* varies;  // between lanes; NULL: no node does                   (by node)
} jexpr_pack_options;

// Items for everything in a schedule. All is in the arena.
jo_status jexpr_pack_build(jarena* a, const jexpr_fn* fn, const jexpr_schedule* s,
                           const jexpr_pack_options* opt, jexpr_packing* out);

#endif
