// SPDX-License-Identifier: Apache-2.0
// The order of statements where few registers are to hold what is alive between them.
#ifndef JEMIT_REORDER_H
#define JEMIT_REORDER_H

#include "base/mem.h"
#include "expr/pack/packing.h"

// Items in another order, operands before users: what is an output soon is computed first, and depth first. Scratch is in
// the arena. Whoever keeps places of items (packing->at, vectors) renews them.
jo_status jemit_reorder(jo_context* ctx, jarena* a, const jexpr_fn* fn, jexpr_packing* packing);

#endif
