// SPDX-License-Identifier: Apache-2.0
// Functions of a plant that few runs need, generated and compiled when one first does.
#ifndef JPLANT_EXTRA_H
#define JPLANT_EXTRA_H

#include "gen/gen.h"
#include "kernel/kernel.h"

typedef enum jplant_extra_kind {
  JPLANT_JACOBIAN,  // of implicit methods: d ydot / d y
  JPLANT_LOCAL,     // of mixed ones: feeds and rates of local states
  JPLANT_GAINS,     // and for their derivatives: what local states do to all other rates
  JPLANT_EXTRA_COUNT
} jplant_extra_kind;

typedef struct jplant_extra {
  jo_context* ctx;
  jgen_dynamics* dynamics;  // the same equations once more, in a graph of their own
  jkernel_set* kernels;     // in the order of gen/functions.def; NULL: there is nothing to compute
} jplant_extra;

void jplant_extra_destroy(jplant_extra* x);

// What they are made of; must outlive the shelf.
typedef struct jplant_extra_source {
  const jmodel* model;
  const bool* live;  // by number, NULL: parameters
  const jgen_dynamics* dynamics;
  jkernel_options kernel;
} jplant_extra_source;

// What runs of one plant share: the first run in the shelf's own context leaves it there; runs in other
// contexts (threads of a sweep) use it when it is there, and make their own when it is not.
typedef struct jplant_extra_shelf jplant_extra_shelf;

// NULL: out of memory. Ownership: caller, release with jplant_extra_shelf_destroy().
jplant_extra_shelf* jplant_extra_shelf_create(jo_context* ctx, const jplant_extra_source* source);
void jplant_extra_shelf_destroy(jplant_extra_shelf* s);

// *own is what the caller must destroy, NULL: the shelf's.
jo_status jplant_extra_get(jo_context* ctx, jplant_extra_shelf* shelf, jplant_extra_kind kind,
                           const jplant_extra** out, jplant_extra** own);

#endif
