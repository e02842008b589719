// SPDX-License-Identifier: Apache-2.0
// The Jacobian of a plant, d ydot / d y, generated and compiled when an implicit method first needs it.
#ifndef JSTUDY_JACOBIAN_H
#define JSTUDY_JACOBIAN_H

#include "gen/gen.h"
#include "kernel/kernel.h"

typedef struct jstudy_jacobian {
  jo_context* ctx;
  jgen_dynamics* dynamics;  // the same equations once more, in a graph of their own
  jkernel_set* kernels;
} jstudy_jacobian;

void jstudy_jacobian_destroy(jstudy_jacobian* j);

// What a Jacobian is made of; must outlive the shelf.
typedef struct jstudy_jacobian_source {
  const jmodel* model;
  const bool* live;  // by number, NULL: parameters
  const jgen_dynamics* dynamics;
  jkernel_options kernel;
} jstudy_jacobian_source;

// Jacobians that runs of one plant share: the first run in the shelf's own context leaves it there; runs in
// other contexts (threads of a sweep) use it when it is there, and make their own when it is not.
typedef struct jstudy_jacobian_shelf jstudy_jacobian_shelf;

// NULL: out of memory. Ownership: caller, release with jstudy_jacobian_shelf_destroy().
jstudy_jacobian_shelf* jstudy_jacobian_shelf_create(jo_context* ctx,
                                                    const jstudy_jacobian_source* source);
void jstudy_jacobian_shelf_destroy(jstudy_jacobian_shelf* s);

// *own is what the caller must destroy, NULL: the shelf's.
jo_status jstudy_jacobian_get(jo_context* ctx, jstudy_jacobian_shelf* shelf, const jkernel** kernel,
                              jstudy_jacobian** own);

#endif
