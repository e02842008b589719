// SPDX-License-Identifier: Apache-2.0
// Reactions: what the parent exerts on each link through its joint, from Newton-Euler with the true
// accelerations, applied forces and the forces of the closures. docs/theory/dynamics.md eq. (D17).
#include "gen/build.h"

void jgen_subtract_closure(jgen* s, const jgen_row* row, jexpr_ref lambda, jgen_wrench* w) {
  jexpr_graph* g = s->g;
  for (int k = 0; k < row->npush; k++) {
    const jgen_push* p = &row->push[k];
    if (p->link == 0) continue;
    const jexpr_m3* R = &jgen_relative_of(s, row->base, p->link, false)->R;
    jexpr_v3 f = jexpr_m3_tapply(g, R, jexpr_v3_scale(g, lambda, p->f));
    jexpr_v3 n = jexpr_m3_tapply(g, R, jexpr_v3_scale(g, lambda, p->n));
    w[p->link].f = jexpr_v3_sub(g, w[p->link].f, f);
    n = jexpr_v3_add(g, n, jexpr_v3_cross(g, p->r, f));
    w[p->link].n = jexpr_v3_sub(g, w[p->link].n, n);
  }
}

// What the motion of a link needs beyond the forces applied to it.
static jgen_wrench needed(jgen* s, int link) {
  jexpr_graph* g = s->g;
  const jgen_link* l = &s->link[link];
  jgen_absolute_motion(s, s->abs, false, link);
  jgen_absolute motion = s->abs[link];
  jexpr_v3 gravity = jgen_from_ground(s, link, jgen_vector(s, &s->m->gravity, "gravity"));
  motion.a = jexpr_v3_sub(g, motion.a, gravity);
  jgen_inertia own = {l->m, l->s, l->I};
  jgen_wrench w = jgen_inertial_wrench(s, &own, &motion);
  w.f = jexpr_v3_sub(g, w.f, s->wrench[link].f);
  w.n = jexpr_v3_sub(g, w.n, s->wrench[link].n);
  return w;
}

const jgen_wrench* jgen_reactions(jgen* s) {
  if (s->reaction) return s->reaction;
  jgen_wrench* w = JARENA_ARRAY(s->a, s->nlink, jgen_wrench);
  if (!w) {
    s->g->status = jerr_memory(s->ctx);
    return NULL;
  }
  w[0] = (jgen_wrench){jexpr_v3_zero(s->g), jexpr_v3_zero(s->g)};
  for (int l = 1; l < s->nlink; l++) {
    w[l] = needed(s, l);
  }
  for (int i = 0; i < s->nrow; i++) {
    jgen_subtract_closure(s, &s->row[i], s->lambda[i], w);
  }
  for (int l = s->nlink - 1; l > 0; l--) {
    jgen_pass_to_parent(s, w, l);
  }
  return s->reaction = w;
}
