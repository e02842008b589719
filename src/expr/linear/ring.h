// SPDX-License-Identifier: Apache-2.0
// Rings: nodes that are computed at once must not wait for each other, not through others either.
//
// All groups of nodes stand in an order in which operands precede users. Joining two of them looks at what stands
// between: whatever the later one waits for moves in front of both.
#ifndef JEXPR_RING_H
#define JEXPR_RING_H

#include "expr/tape/schedule.h"

typedef struct jexpr_rings {
  const jexpr_graph* g;
  int* place;        // of a node's group in the order; -1: it has none          (by node)
  jexpr_ref* last;   // of the group at a place; 0: none is there any more      (by place)
  jexpr_ref* next;   // in the ring of a group                                  (by node)
  bool* is_below;    // what the later one waits for                            (by place)
  jexpr_ref* moved;  // (by place)
  jexpr_ref* stack;  //
} jexpr_rings;

// Every node of the schedule by itself. All is in the arena.
jo_status jexpr_rings_open(jarena* a, const jexpr_graph* g, const jexpr_schedule* s,
                           jexpr_rings* out);

// Puts nodes into one group. False where a group would wait for itself: some may have been joined then.
bool jexpr_rings_join(jexpr_rings* r, const jexpr_ref* node, int n);

#endif
