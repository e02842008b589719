// SPDX-License-Identifier: Apache-2.0
// Packs: nodes of one operator that are computed together, each in a lane of a vector.
//
// Vehicles repeat themselves: corners, arms, left and right are the same equations over other states, parameters and
// constants. Where a graph repeats itself, one vector operation does the work of several, with the bits of each.
// Nothing here knows C: any emitter can use it. See docs/theory/expressions.md, section Packs.
#ifndef JEXPR_PACK_H
#define JEXPR_PACK_H

#include "expr/schedule.h"

#define JEXPR_PACK_LANES 8  // at most

// What a pack reads: a value in every lane, those of the lanes in `flip` with their sign changed. It is the pack
// `item` itself, lane by lane, or gathered from single values, leaves and lanes of other packs: item = -1.
typedef struct jexpr_vector {
  int width;
  int item;
  jexpr_ref lane[JEXPR_PACK_LANES];
} jexpr_vector;

typedef struct jexpr_pack_arg {
  int vector;     // index
  unsigned flip;  // bit by lane
} jexpr_pack_arg;

// A statement: one node, or a pack. A pack of sums has ADD for its operator, also where some of its lanes are
// differences: these have the sign of an operand changed.
typedef struct jexpr_item {
  int width;  // 1: a single node
  jexpr_op op;
  jexpr_ref node[JEXPR_PACK_LANES];
  int narg;               // of a pack
  jexpr_pack_arg arg[3];  //
} jexpr_item;

typedef struct jexpr_packing {
  int n;
  jexpr_item* item;  // in an order in which operands precede users
  int* at;           // item that computes a node; -1: none                          (by node)
  int nvector;
  jexpr_vector* vector;              // no two are the same
  int packed[JEXPR_PACK_LANES + 1];  // nodes in packs of so many lanes
} jexpr_packing;

typedef struct jexpr_pack_options {
  int lanes;     // most lanes of a pack, a power of two; 1: no packs
  bool reorder;  // false: no packs either, and the order is that of the schedule
} jexpr_pack_options;

// Items for everything in a schedule. All is in the arena.
jo_status jexpr_pack_build(jarena* a, const jexpr_fn* fn, const jexpr_schedule* s,
                           const jexpr_pack_options* opt, jexpr_packing* out);

// The lane of a node in its item.
int jexpr_pack_lane(const jexpr_packing* p, jexpr_ref r);

// What an item reads, lane by lane: the number of operands, and the k-th. Values and leaves.
int jexpr_pack_nargs(const jexpr_graph* g, const jexpr_item* item);
jexpr_ref jexpr_pack_arg_of(const jexpr_graph* g, const jexpr_vector* vector,
                            const jexpr_item* item, int k);

#endif
