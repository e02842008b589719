// SPDX-License-Identifier: Apache-2.0
// The Jacobian of a plant, d ydot / d y, generated and compiled when an implicit method first needs it.
#ifndef JPLANT_JACOBIAN_H
#define JPLANT_JACOBIAN_H

#include "gen/gen.h"
#include "kernel/kernel.h"

typedef struct jplant_jacobian {
  jo_context* ctx;
  jgen_dynamics* dynamics;  // the same equations once more, in a graph of their own
  jkernel_set* kernels;
} jplant_jacobian;

void jplant_jacobian_destroy(jplant_jacobian* j);

// What a Jacobian is made of; must outlive the shelf.
typedef struct jplant_jacobian_source {
  const jmodel* model;
  const bool* live;  // by number, NULL: parameters
  const jgen_dynamics* dynamics;
  jkernel_options kernel;
} jplant_jacobian_source;

// Jacobians that runs of one plant share: the first run in the shelf's own context leaves it there; runs in
// other contexts (threads of a sweep) use it when it is there, and make their own when it is not.
typedef struct jplant_jacobian_shelf jplant_jacobian_shelf;

// NULL: out of memory. Ownership: caller, release with jplant_jacobian_shelf_destroy().
jplant_jacobian_shelf* jplant_jacobian_shelf_create(jo_context* ctx,
                                                    const jplant_jacobian_source* source);
void jplant_jacobian_shelf_destroy(jplant_jacobian_shelf* s);

// *own is what the caller must destroy, NULL: the shelf's.
jo_status jplant_jacobian_get(jo_context* ctx, jplant_jacobian_shelf* shelf, const jkernel** kernel,
                              jplant_jacobian** own);

#endif
