// SPDX-License-Identifier: Apache-2.0
// The brush model with a parabolic pressure: slips in both directions share the friction. docs/theory/tyre.md eq. (Y11)
#include "element/tyre/slip_law.h"

#define LEAST 1e-20  // of rho^2: the root has a slope where nothing slips

// (Y11)  x = kappa/kappa_c     y = tan(alpha)/tan(alpha_c)     rho = sqrt(x^2 + y^2)
//        F/(mu F_n) = (x, y) (3 - 3 rho + rho^2)  where rho < 1,  else (x, y)/rho
void jelement_slip_brush(jexpr_graph* g, const jelement_slip* slip, jexpr_ref* x, jexpr_ref* y) {
  jexpr_ref one = jexpr_const(g, 1.0), three = jexpr_const(g, 3.0);
  *x = jexpr_div(g, slip->kappa, slip->kappa_c);
  *y = jexpr_div(g, jexpr_tan(g, slip->alpha), jexpr_tan(g, slip->alpha_c));
  jexpr_ref squares = jexpr_add(g, jexpr_mul(g, *x, *x), jexpr_mul(g, *y, *y));
  jexpr_ref rho = jexpr_sqrt(g, jexpr_add(g, squares, jexpr_const(g, LEAST)));
  jexpr_ref sticks = jexpr_sub(g, three, jexpr_mul(g, rho, jexpr_sub(g, three, rho)));
  jexpr_ref part = jexpr_select(g, jexpr_lt(g, rho, one), sticks, jexpr_div(g, one, rho));
  *x = jexpr_mul(g, *x, part);
  *y = jexpr_mul(g, *y, part);
}
