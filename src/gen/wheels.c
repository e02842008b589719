// SPDX-License-Identifier: Apache-2.0
// Where wheels are and what they spin about, for checks of what a file says of them. Only the check of a start evaluates these:
// they are part of no function.
#include "gen/begin.h"
#include "model/element.h"

// The joint that a body spins in; NULL: it hangs in none, or in one of another kind.
static const jmodel_joint* spins_in(const jmodel* m, int body) {
  for (int i = 0; i < m->njoint; i++) {
    const jmodel_joint* j = &m->joint[i];
    if (j->child == body) return j->type == JMODEL_JOINT_REVOLUTE ? j : NULL;
  }
  return NULL;
}

// Squared distance of the centre from the axis: |(c - p) x a|^2, a of length 1
static jexpr_ref off_axis(jgen* s, const jmodel_joint* j, jexpr_v3 centre) {
  jexpr_graph* g = s->g;
  jexpr_v3 p = jgen_point_in_link(s, &j->at_child), a = jgen_direction_in_link(s, &j->axis_child);
  jexpr_v3 x = jexpr_v3_cross(g, jexpr_v3_sub(g, centre, p), a);
  return jexpr_v3_dot(g, x, x);
}

static jgen_wheel place(jgen* s, const jmodel_element* e, const jmodel_shape* w) {
  jgen_wheel out = {.element = e, .joint = spins_in(s->m, w->body)};
  int link = s->body[w->body].link;
  jexpr_v3 centre = jgen_point_in_link(s, w->a);
  out.c = jgen_ground_position(s, link, centre);
  out.u = jgen_to_ground(s, link, jgen_direction_in_link(s, w->axis));
  if (out.joint) out.off = off_axis(s, out.joint, centre);
  return out;
}

jo_status jgen_place_wheels(jgen* s, jgen_position* out) {
  const jmodel* m = s->m;
  jmodel_shape shape[JMODEL_MAX_SHAPES];
  out->wheel = JARENA_ARRAY(s->a, m->nelement, jgen_wheel);
  if (!out->wheel) return jerr_memory(s->ctx);
  for (int i = 0; i < m->nelement; i++) {
    const jmodel_element* e = &m->element[i];
    if (!e->class->spins || e->class->draw(e, shape) == 0) continue;
    out->wheel[out->nwheel++] = place(s, e, &shape[0]);
  }
  return s->g->status;
}
