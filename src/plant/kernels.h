// SPDX-License-Identifier: Apache-2.0
// Kernels of generated functions, by the identifiers of gen/functions.def.
#ifndef JPLANT_KERNELS_H
#define JPLANT_KERNELS_H

#include "gen/gen.h"
#include "kernel/kernel.h"

typedef struct jplant_kernels {
  jkernel_set* set;
  const jkernel* of[JGEN_FN_COUNT];  // NULL: not among them
  const jkernel* more;               // what was given apart, in its order
} jplant_kernels;

// What is called often enough here to be compiled, of functions that are not everywhere.
typedef struct jplant_kernels_use {
  bool outputs;  // along the run, not at its end only
  bool guards;   // in every step, not at events only
} jplant_kernels_use;

// One set of the functions of `fn` (JGEN_FN_COUNT) that have a name, and of `more` of them.
// What is called seldom is interpreted.
// Ownership: caller, release with jplant_kernels_destroy().
jo_status jplant_kernels_create(jo_context* ctx, const jexpr_fn* fn, const jexpr_fn* more,
                                int nmore, jplant_kernels_use use, const jkernel_options* opt,
                                jplant_kernels** out);
void jplant_kernels_destroy(jo_context* ctx, jplant_kernels* k);

// Work space of one thread for all of them, in the arena; NULL: out of memory.
double** jplant_kernels_work(jarena* a, const jplant_kernels* k);

static inline void jplant_kernels_eval(const jplant_kernels* k, const jkernel* kernel,
                                       const double* const* in, double* const* out,
                                       double* const* work) {
  jkernel_eval(kernel, in, out, work[kernel - k->set->kernel]);
}

// Doubles that begin on a border of cache lines: kernels read and write whole lines of lanes.
double* jplant_kernels_vector(jarena* a, size_t n);

#endif
