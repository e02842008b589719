// SPDX-License-Identifier: Apache-2.0
// From functions over a graph to C source: deterministic, readable, split so that compilers stay
// linear, and free of any text of the user that is not harmless.
#ifndef JEMIT_EMIT_H
#define JEMIT_EMIT_H

#include "base/mem.h"
#include "expr/pack/pack.h"
#include "expr/tape/schedule.h"

enum { JEMIT_DOUBLE = -1 };

typedef struct jemit_options {
  int lanes;  // lanes evaluated together; 1: plain doubles, else a vector type
  int pack;  // most numbers in the vector of a pack (expr/pack/pack.h); 1: no packs, and plain C where there is one lane
  int chunk_statements;  // most statements in one C function; 0: all in one
  int file_statements;   // about so many statements in one source file; 0: all in one
  int whole_statements;  // functions of at most so many are not cut, others have the order of emit/reorder.h; 0: none
  const bool* alone;  // functions that have no packs; NULL: none
  bool device;        // also for CUDA: emit/c/device.h
  // devices: functions that are to be in single precision (emit/c/real.h) but for one of their groups of outputs and what
  // that depends on: which, by function (one behind the last: none), or JEMIT_DOUBLE; NULL: no function is
  const int* single;
  const char* title;  // one line for the head comment, sanitised; may be NULL
} jemit_options;

jemit_options jemit_options_default(void);

typedef struct jemit_file {
  const char* name;  // "kernel_0.c"
  const char* text;
  size_t length;
} jemit_file;

// What the emitted function needs from its caller.
typedef struct jemit_entry {
  const char* name;    // of the jexpr_fn
  const char* symbol;  // C symbol: jk_<index>_<sanitised name>
  size_t work;         // doubles of work space; a thread of a device needs half of them
  int statements;
  jexpr_counts counts;
  int packed[JEXPR_PACK_LANES + 1];  // of these, in packs of so many lanes
  bool is_single;  // in single precision: it was to be, and its constants allow it
} jemit_entry;

typedef struct jemit_unit {
  int lanes;
  int nfile;
  jemit_file* file;  // a shared header first, then sources
  int nentry;
  jemit_entry* entry;  // by function
  char sha256[65];     // of all texts
} jemit_unit;

// Lanes and packs that there is code for, C or machine code.
jo_status jemit_check_lanes(jo_context* ctx, int lanes, int pack);

// Every emitted function is
//   void SYMBOL(const double* const* in, double* const* out, double* work);
// arrays lane-innermost as in expr/tape/tape.h.
jo_status jemit_c(jo_context* ctx, jarena* a, const jexpr_fn* fn, int nfn, const jemit_options* opt,
                  jemit_unit* out);

#endif
