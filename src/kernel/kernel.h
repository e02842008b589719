// SPDX-License-Identifier: Apache-2.0
// Callable functions from graphs, whichever back end evaluates them.
#ifndef JKERNEL_KERNEL_H
#define JKERNEL_KERNEL_H

#include "base/err.h"
#include "emit/c/emit.h"
#include "expr/tape/schedule.h"
#include "expr/tape/tape.h"
#include "kernel/code.h"

typedef enum jkernel_backend {
  JKERNEL_AUTO,  // machine code; where there is none for the processor, compiled, or interpreted without a compiler
  JKERNEL_INTERP,   // interpreted
  JKERNEL_CC,       // compiled by a C compiler; an error when that fails
  JKERNEL_MACHINE,  // machine code; an error where there is none for the processor
} jkernel_backend;

typedef struct jkernel_options {
  jkernel_backend backend;
  int lanes;             // lanes per evaluation, lane-innermost arrays
  const char* compiler;  // NULL: $JOUNCE_CC, else cc, gcc, clang
  int optimize;          // -O level
  const bool*
      is_seldom;  // per function: called too seldom to be worth compiling, so interpreted; NULL: none
  jemit_options emit;             // `lanes` is taken from above
  struct jemit_listing* listing;  // emit/encode/listing.h, filled with machine code; NULL: none
} jkernel_options;

jkernel_options jkernel_options_default(void);

// Lanes up to which an evaluation costs less than several with fewer: what does not vary is computed once for all of
// them. Machine code takes as many registers as it needs; compilers take wide vectors to pieces through memory.
int jkernel_most_lanes(jkernel_backend backend);

typedef void (*jkernel_function)(const double* const* in, double* const* out, double* work);

typedef struct jkernel {
  const char* name;
  int lanes;
  size_t work;                // doubles of work space
  size_t code_bytes;          // of machine code; 0: it is another back end's
  jkernel_function function;  // NULL: interpreted
  jexpr_tape tape;            // filled when interpreted
  jexpr_counts counts;
  int packed[JEXPR_PACK_LANES + 1];  // of these, in packs of so many lanes (expr/pack/pack.h)
} jkernel;

// Immutable once built; any number of threads may evaluate, each with its own work space.
typedef struct jkernel_set {
  jo_context* ctx;
  jarena arena;
  jkernel_backend backend;  // INTERP, CC or MACHINE, what it came to
  double compile_seconds;   // wall time in the compiler
  void* library;            // of compiled functions; NULL: none
  jkernel_code code;
  int n;
  jkernel* kernel;  // as the functions were given
} jkernel_set;

// On failure *out is NULL and the context says why (for a compiler error: its first lines).
// Ownership: caller, release with jkernel_destroy().
jo_status jkernel_build(jo_context* ctx, const jexpr_fn* fn, int nfn, const jkernel_options* opt,
                        jkernel_set** out);
void jkernel_destroy(jkernel_set* set);

const jkernel* jkernel_find(const jkernel_set* set, const char* name);  // NULL: none

// Prepare work space of k->work doubles, once; then evaluate as often as wanted.
void jkernel_init_work(const jkernel* k, double* work);

static inline void jkernel_eval(const jkernel* k, const double* const* in, double* const* out,
                                double* work) {
  if (k->function) {
    k->function(in, out, work);
  } else {
    jexpr_tape_eval(&k->tape, k->lanes, in, out, work);
  }
}

#endif
