// SPDX-License-Identifier: Apache-2.0
// What is computed where: a schedule cut into chunks, and the work slots that carry values from one
// chunk to later ones.
#ifndef JEMIT_PLAN_H
#define JEMIT_PLAN_H

#include "base/mem.h"
#include "expr/pack/pack.h"
#include "expr/tape/schedule.h"

typedef struct jemit_plan_options {
  int lanes;             // evaluated together
  int pack;              // most numbers in the vector of a pack, 1: no packs
  int chunk_statements;  // most in a chunk; 0: all in one
  bool threads;          // lanes of a pack are threads, each with a work array of its own
  bool reorder;          // statements in the order of emit/reorder.h
} jemit_plan_options;

// An output element, in a list of those that take the same value.
typedef struct jemit_store {
  int group;
  int index;
  jexpr_ref ref;
  int next;  // -1: last
} jemit_store;

// Items are the statements, single nodes and packs, then the stores of outputs that are leaves. Chunk
// k holds items k * chunk ... (k + 1) * chunk - 1.
typedef struct jemit_plan {
  const jexpr_fn* fn;
  int lanes;
  bool threads;
  jexpr_schedule schedule;
  jexpr_packing packing;
  jexpr_counts counts;
  bool* scalar;       // one value for all lanes                          (by node)
  const char** mark;  // NULL: none                                       (by item)
  int* first_store;   // -1: none                                         (by item)
  int* slot;          // index into the work array; -1: not needed by a later chunk (by item)
  jemit_store* store;
  int nleaf;
  int* leaf;  // stores of leaves                                         (nleaf)
  int nitem, chunk, nchunk;
  size_t work;  // doubles
} jemit_plan;

// Everything is in the arena.
jo_status jemit_plan_build(jo_context* ctx, jarena* a, const jexpr_fn* fn,
                           const jemit_plan_options* opt, jemit_plan* out);

// Numbers of a value, and of all values of an item: one, or one for each lane.
int jemit_plan_lanes(const jemit_plan* p, jexpr_ref r);
int jemit_plan_numbers(const jemit_plan* p, const jexpr_item* item);
// The most numbers that any value has.
int jemit_plan_widest(const jemit_plan* p);

// Whether the statement and the next one are sine and cosine of the same argument, in one chunk.
bool jemit_plan_is_pair(const jemit_plan* p, int item);

#endif
