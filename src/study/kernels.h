// SPDX-License-Identifier: Apache-2.0
// Kernels of generated functions, by the identifiers of gen/functions.def.
#ifndef JSTUDY_KERNELS_H
#define JSTUDY_KERNELS_H

#include "gen/gen.h"
#include "kernel/kernel.h"

typedef struct jstudy_kernels {
  jkernel_set* set;
  const jkernel* of[JGEN_FN_COUNT];  // NULL: not among them
  const jkernel* more;               // what was given apart, in its order
} jstudy_kernels;

// What is called often enough here to be compiled, of functions that are not everywhere.
typedef struct jstudy_kernels_use {
  bool outputs;  // along the run, not at its end only
  bool wheels;   // in every step, not at events only
} jstudy_kernels_use;

// One set of the functions of `fn` (JGEN_FN_COUNT) that have a name, and of `more` of them.
// Functions of one library are the same whoever asks, so that commands share them; outputs, about as large as
// all others together, have one of their own. What is called seldom is interpreted.
// Ownership: caller, release with jstudy_kernels_destroy().
jo_status jstudy_kernels_create(jo_context* ctx, const jexpr_fn* fn, const jexpr_fn* more,
                                int nmore, jstudy_kernels_use use, const jkernel_options* opt,
                                jstudy_kernels** out);
void jstudy_kernels_destroy(jo_context* ctx, jstudy_kernels* k);

// Work space of one thread for all of them, in the arena; NULL: out of memory.
double** jstudy_kernels_work(jarena* a, const jstudy_kernels* k);

static inline void jstudy_kernels_eval(const jstudy_kernels* k, const jkernel* kernel,
                                       const double* const* in, double* const* out,
                                       double* const* work) {
  jkernel_eval(kernel, in, out, work[kernel - k->set->kernel]);
}

// Doubles that begin on a border of cache lines: kernels read and write whole lines of lanes.
double* jstudy_kernels_vector(jarena* a, size_t n);

#endif
