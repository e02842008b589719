// SPDX-License-Identifier: Apache-2.0
// Where wheels are and what they spin about, for checks of what a file says of them. Only the check of a start evaluates these:
// they are part of no function.
#include "gen/begin.h"
#include "model/element.h"

// The joint that a body spins in, or another that it is fixed to; NULL: it hangs in none, or in one of another kind.
static const jmodel_joint* spins_in(const jmodel* m, int body) {
  for (int i = m->njoint - 1; i >= 0; i--) {  // parents before children
    const jmodel_joint* j = &m->joint[i];
    if (j->child != body) continue;
    if (j->ncoordinate > 0) return jmodel_joint_is_hinge(j->type) ? j : NULL;
    body = j->parent;
  }
  return NULL;
}

// Squares of the distance of the centre from the axis, |(c - p) x a|^2, and of the sine of the angle between that and the axis
// of the wheel, |u x a|^2; a, u of length 1
static void compare_axes(jgen* s, const jmodel_joint* j, jgen_wheel* w) {
  jexpr_graph* g = s->g;
  int link = s->body[j->child].link;
  jexpr_v3 p = jgen_ground_position(s, link, jgen_point_in_link(s, &j->at_child));
  jexpr_v3 a = jgen_to_ground(s, link, jgen_direction_in_link(s, &j->axis_child));
  jexpr_v3 off = jexpr_v3_cross(g, jexpr_v3_sub(g, w->c, p), a), tilt = jexpr_v3_cross(g, w->u, a);
  w->off = jexpr_v3_dot(g, off, off);
  w->tilt = jexpr_v3_dot(g, tilt, tilt);
}

static jgen_wheel place(jgen* s, const jmodel_element* e, const jmodel_shape* w) {
  jgen_wheel out = {.element = e, .joint = spins_in(s->m, w->body)};
  int link = s->body[w->body].link;
  out.c = jgen_ground_position(s, link, jgen_point_in_link(s, w->a));
  out.u = jgen_to_ground(s, link, jgen_direction_in_link(s, w->axis));
  if (out.joint) compare_axes(s, out.joint, &out);
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
