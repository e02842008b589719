// SPDX-License-Identifier: Apache-2.0
#include "element/tyre/patch.h"

#define LEAST_PART 0.05  // of the relaxation length that is left where the tyre slides (M40)
#define MOST_SLIP  3.0   // that is left of sliding at a standstill, of where forces bend (M41)
#define SOFT       0.01  // speed below which nothing relaxes, per low speed (M41)
#define AIR_TIME   0.05  // in which slips vanish in the air [s]
#define TYPICAL    0.01  // slip

void jelement_patch_states(const jmodel_at* at, jmodel_element* e) {
  static const char* const slip[] = {"sx", "sy"};
  for (int i = 0; i < 2; i++) {
    jmodel_state* s = jmodel_own_state(at, e, slip[i], "-", TYPICAL, "0");
    if (s) s->is_held = true;
  }
}

jexpr_ref jelement_square(jgen* s, jexpr_ref x) {
  return jexpr_mul(s->g, x, x);
}

jelement_slow jelement_slow_at(jgen* s, jexpr_ref vx, jexpr_ref low_speed) {
  jexpr_graph* g = s->g;
  jelement_slow at = {.vx = vx, .low_speed = low_speed};
  jexpr_ref slow = jelement_square(s, jexpr_div(g, vx, low_speed));
  at.root = jexpr_exp(g, jexpr_mul(g, jexpr_const(g, -0.5), jelement_square(s, slow)));
  at.low = jelement_square(s, at.root);
  return at;
}

jexpr_ref jelement_patch_part(jgen* s, jexpr_ref bent) {
  jexpr_ref part =
      jexpr_div(s->g, jexpr_const(s->g, 1.0 - LEAST_PART), jexpr_add(s->g, s->one, bent));
  return jexpr_add(s->g, part, jexpr_const(s->g, LEAST_PART));
}

jexpr_ref jelement_patch_moving(jgen* s, const jelement_slow* at, jexpr_ref sliding) {
  jexpr_graph* g = s->g;
  jexpr_ref soft = jexpr_mul(g, jexpr_const(g, SOFT), at->low_speed);
  sliding = jexpr_mul(g, sliding, jexpr_const(g, 1.0 / (MOST_SLIP * MOST_SLIP)));
  sliding = jexpr_mul(g, at->low, jexpr_add(g, sliding, jelement_square(s, soft)));
  jexpr_ref moving = jexpr_sqrt(g, jexpr_add(g, jelement_square(s, at->vx), sliding));
  return jexpr_sub(g, moving, jexpr_mul(g, at->root, soft));
}

jexpr_ref jelement_patch_slip(jgen* s, const jelement_slow* at, const jelement_patch* p,
                              jexpr_ref time) {
  jexpr_graph* g = s->g;
  time = jexpr_mul(g, jexpr_mul(g, at->low, time), p->part);
  jexpr_ref more = jexpr_div(g, jexpr_mul(g, time, p->slide), p->sigma);
  return p->is_against ? jexpr_sub(g, p->slip, more) : jexpr_add(g, p->slip, more);
}

jexpr_ref jelement_patch_rate(jgen* s, const jelement_patch* p, jexpr_ref is_down) {
  jexpr_graph* g = s->g;
  jexpr_ref relaxes = jexpr_mul(g, p->moving, p->slip);
  jexpr_ref rate = p->is_against ? jexpr_neg(g, jexpr_add(g, p->slide, relaxes))
                                 : jexpr_sub(g, p->slide, relaxes);
  rate = jexpr_div(g, rate, jexpr_mul(g, p->sigma, p->part));
  return jexpr_select(g, is_down, rate, jexpr_mul(g, jexpr_const(g, -1.0 / AIR_TIME), p->slip));
}
