// SPDX-License-Identifier: Apache-2.0
// The Jacobian of a plant, d ydot / d y, generated and compiled when an implicit method first needs it.
#ifndef JSTUDY_JACOBIAN_H
#define JSTUDY_JACOBIAN_H

#include "gen/gen.h"
#include "kernel/kernel.h"

struct jstudy_plant;

typedef struct jstudy_jacobian {
  jo_context* ctx;
  jgen_dynamics* dynamics;  // the same equations once more, in a graph of their own
  jkernel_set* kernels;
} jstudy_jacobian;

// Ownership: caller, release with jstudy_jacobian_destroy().
jo_status jstudy_jacobian_create(jo_context* ctx, const struct jstudy_plant* plant,
                                 jstudy_jacobian** out);
void jstudy_jacobian_destroy(jstudy_jacobian* j);

// Jacobians that runs of one plant share: the first run in the plant's own context leaves it here; runs in
// other contexts (threads of a sweep) use it when it is there, and make their own when it is not.
typedef struct jstudy_jacobian_shelf jstudy_jacobian_shelf;
jstudy_jacobian_shelf* jstudy_jacobian_shelf_create(jo_context* ctx);  // NULL: out of memory
void jstudy_jacobian_shelf_destroy(jstudy_jacobian_shelf* s);

// *own is what the caller must destroy, NULL: the shelf's.
jo_status jstudy_jacobian_get(jo_context* ctx, const struct jstudy_plant* plant,
                              const jkernel** kernel, jstudy_jacobian** own);

#endif
