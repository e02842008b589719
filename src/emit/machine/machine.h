// SPDX-License-Identifier: Apache-2.0
// Functions over a graph as machine code, straight from their plans: no compiler, no files.
#ifndef JEMIT_MACHINE_H
#define JEMIT_MACHINE_H

#include "emit/encode/listing.h"
#include "emit/machine/operations.h"

typedef struct jemit_machine_options {
  int lanes;  // evaluated together
  int pack;   // most numbers in the vector of a pack (expr/pack/pack.h)
  jcpu_level level;
  const jemit_functions* functions;
  jemit_listing* listing;  // that is filled; NULL: none
} jemit_machine_options;

// A function of the unit: as jemit_entry (emit/c/emit.h).
typedef struct jemit_machine_entry {
  uint32_t start, bytes;  // in the code
  size_t work;            // doubles of work space
  jexpr_counts counts;
  int packed[JEXPR_PACK_LANES + 1];
} jemit_machine_entry;

// Code and, behind it, constants: position-independent but for the addresses of functions and lists that it has inside.
typedef struct jemit_machine_unit {
  uint8_t* code;
  size_t size;
  int nentry;
  jemit_machine_entry* entry;  // by function, then equations of unknowns
  int nlist;
  jemit_list** list;  // those with an equation; `function` is to be set when the code has its place
} jemit_machine_unit;

// Levels that there is machine code for.
bool jemit_machine_has(jcpu_level level);

// The unit is in `a`; what its code reads at run time is in `lists`, which lives as long as the code.
jo_status jemit_machine(jo_context* ctx, jarena* a, jarena* lists, const jexpr_fn* fn, int nfn,
                        const jemit_machine_options* opt, jemit_machine_unit* out);

#endif
