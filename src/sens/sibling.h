// SPDX-License-Identifier: Apache-2.0
// Derivative kernels of plants whose partition a run came to (plant/chart.h), made when a walk first needs them.
#ifndef JSENS_SIBLING_H
#define JSENS_SIBLING_H

#include "plant/plant.h"

typedef struct jsens_kernels {
  jo_context* ctx;
  const jplant* plant;
  jplant_kernels *tangents, *adjoints;  // NULL: not prepared
} jsens_kernels;

typedef struct jsens_kernel_options {
  bool direct, adjoint, histories;
  int lanes;  // of the direct method
  jkernel_options kernel;
} jsens_kernel_options;

jo_status jsens_kernels_create(jo_context* ctx, const jplant* p, const jsens_kernel_options* opt,
                               jsens_kernels** out);
void jsens_kernels_destroy(jsens_kernels* k);

// Like the family of the plants themselves: what is made in its own context stays.
typedef struct jsens_kernel_shelf jsens_kernel_shelf;

// NULL: out of memory. Ownership: caller, release with jsens_kernel_shelf_destroy().
jsens_kernel_shelf* jsens_kernel_shelf_create(jo_context* ctx, const jsens_kernel_options* opt);
jsens_kernel_shelf* jsens_kernel_shelf_like(jo_context* ctx, const jsens_kernel_shelf* s);  // empty
void jsens_kernel_shelf_destroy(jsens_kernel_shelf* s);

// *own is what the caller must destroy, NULL: the shelf's.
jo_status jsens_kernel_shelf_get(jo_context* ctx, jsens_kernel_shelf* s, const jplant* p,
                                 const jsens_kernels** out, jsens_kernels** own);

#endif
