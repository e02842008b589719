// SPDX-License-Identifier: Apache-2.0
// Held floors and angles. docs/theory/discrete.md eqs. (E10)-(E12).
#include "expr/whole.h"

#define PI    3.14159265358979323846
#define LEAST 1e-30  // at whole numbers themselves, so that they have a side

// (E10)  k = m + 2 floor((u - m + 1/2)/2)
jexpr_ref jexpr_whole_held(jexpr_graph* g, jexpr_ref u, jexpr_ref mode) {
  jexpr_ref half = jexpr_const(g, 0.5), off = jexpr_sub(g, u, mode);
  jexpr_ref pairs = jexpr_floor(g, jexpr_mul(g, half, jexpr_add(g, off, half)));
  return jexpr_add(g, mode, jexpr_mul(g, jexpr_const(g, 2.0), pairs));
}

// (E11)  g = +-v (1 - v)/(8 + |k|), positive where k is odd     k = floor(u), v = u - k
// Divided so that what rounding leaves of u is below the floors of switches, which are no less than 1e-14.
jexpr_ref jexpr_whole_margin(jexpr_graph* g, jexpr_ref u) {
  jexpr_ref one = jexpr_const(g, 1.0), half = jexpr_const(g, 0.5), k = jexpr_floor(g, u);
  jexpr_ref v = jexpr_sub(g, u, k), pairs = jexpr_floor(g, jexpr_mul(g, half, k));
  // 2 (k - 2 pairs) - 1
  jexpr_ref odd = jexpr_sub(g, k, jexpr_mul(g, jexpr_const(g, 2.0), pairs));
  jexpr_ref side = jexpr_sub(g, jexpr_mul(g, jexpr_const(g, 2.0), odd), one);
  jexpr_ref room = jexpr_mul(g, v, jexpr_sub(g, one, v));
  jexpr_ref size = jexpr_add(g, jexpr_abs(g, k), jexpr_const(g, 8.0));
  return jexpr_div(g, jexpr_mul(g, side, jexpr_add(g, room, jexpr_const(g, LEAST))), size);
}

// 1 where a >= limit, else 0, and nothing that is watched.
static jexpr_ref reaches(jexpr_graph* g, jexpr_ref a, double limit) {
  const jexpr_ref X[] = {jexpr_const(g, limit - 9.0), jexpr_const(g, limit),
                         jexpr_const(g, limit + 9.0)};
  return jexpr_locate(g, a, X, 3);
}

// (E12)  theta = atan2(y, x) + 2 pi [atan2(y, x) < -3 pi/4]   where x + y + hypot(x, y) >= 0
//        theta = atan2(y, x) - 2 pi [atan2(y, x) >= pi/4]     elsewhere
jexpr_ref jexpr_angle(jexpr_graph* g, jexpr_ref y, jexpr_ref x) {
  jexpr_ref raw = jexpr_atan2(g, y, x), turn = jexpr_const(g, 2.0 * PI);
  jexpr_ref squares = jexpr_add(g, jexpr_mul(g, x, x), jexpr_mul(g, y, y));
  jexpr_ref r = jexpr_sqrt(g, jexpr_add(g, squares, jexpr_const(g, 1e-300)));
  jexpr_ref room = jexpr_add(g, jexpr_add(g, x, y), r);
  jexpr_ref is_upper = jexpr_le(g, jexpr_const(g, 0.0), room);
  jexpr_ref up = jexpr_sub(g, jexpr_const(g, 1.0), reaches(g, raw, -0.75 * PI));
  jexpr_ref down = jexpr_neg(g, reaches(g, raw, 0.25 * PI));
  return jexpr_add(g, raw, jexpr_mul(g, turn, jexpr_select(g, is_upper, up, down)));
}
