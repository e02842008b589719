// SPDX-License-Identifier: Apache-2.0
// Slip forces that grow linearly up to friction, each direction on its own. docs/theory/tyre.md eq. (Y5)
#include "element/tyre/slip_law.h"

static jexpr_ref clamp_one(jexpr_graph* g, jexpr_ref x) {
  return jexpr_max(g, jexpr_min(g, x, jexpr_const(g, 1.0)), jexpr_const(g, -1.0));
}

void jelement_slip_linear(jexpr_graph* g, const jelement_slip* slip, jexpr_ref* x, jexpr_ref* y) {
  *x = clamp_one(g, jexpr_div(g, slip->kappa, slip->kappa_c));
  *y = clamp_one(g, jexpr_div(g, slip->alpha, slip->alpha_c));
}
