// SPDX-License-Identifier: Apache-2.0
// What a function looks like in packs (expr/pack/pack.h): items in an order, and the vectors they read.
#ifndef JEXPR_PACKING_H
#define JEXPR_PACKING_H

#include "expr/tape/schedule.h"

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

// The lane of a node in its item.
int jexpr_pack_lane(const jexpr_packing* p, jexpr_ref r);

// What an item reads, lane by lane: the number of operands, and the k-th. Values and leaves.
int jexpr_pack_nargs(const jexpr_graph* g, const jexpr_item* item);
jexpr_ref jexpr_pack_arg_of(const jexpr_graph* g, const jexpr_vector* vector,
                            const jexpr_item* item, int k);

bool jexpr_vector_is_const(const jexpr_graph* g, const jexpr_vector* v);

// The same value in all lanes.
bool jexpr_vector_is_one(const jexpr_vector* v);

#endif
