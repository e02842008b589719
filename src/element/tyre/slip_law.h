// SPDX-License-Identifier: Apache-2.0
// Laws of the slip forces of simple tyres (tyre.c): forces by slips, over friction times load.
#ifndef JELEMENT_SLIP_LAW_H
#define JELEMENT_SLIP_LAW_H

#include "gen/force/element.h"

// A new law: its file, and its line here. The first is that of tyres which name none.
#define JELEMENT_SLIP_LAW_LIST(X) \
  X(linear)                       \
  X(brush)

// Slips, and those at which all of the contact patch slides.
typedef struct jelement_slip {
  jexpr_ref kappa, alpha;      // [1], [rad]
  jexpr_ref kappa_c, alpha_c;  // [1], [rad]
} jelement_slip;

// Writes F_x/(mu_x F_n) and F_y/(mu_y F_n).
typedef void (*jelement_slip_law)(jexpr_graph* g, const jelement_slip* slip, jexpr_ref* x,
                                  jexpr_ref* y);

#define X(name) \
  void jelement_slip_##name(jexpr_graph* g, const jelement_slip* slip, jexpr_ref* x, jexpr_ref* y);
JELEMENT_SLIP_LAW_LIST(X)
#undef X

#endif
