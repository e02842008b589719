// SPDX-License-Identifier: Apache-2.0
#include "element/span.h"

jelement_span jelement_span_of(jgen* s, const jmodel_element* m, const jmodel_point* a,
                               const jmodel_point* b, jgen_element* e) {
  jexpr_graph* g = s->g;
  jelement_span p = {.link = {s->body[a->body].link, s->body[b->body].link}, .end = {a, b}};
  bool moving = s->stage >= JGEN_AT_VELOCITY;
  jexpr_v3 x[2], xd[2];
  p.hub = jgen_common_hub(s, p.link[0], p.link[1]);
  for (int i = 0; i < 2; i++) {
    const jgen_relative* k = jgen_relative_of(s, p.hub, p.link[i], moving);
    jexpr_v3 arm = jexpr_m3_apply(g, &k->R, jgen_point_in_link(s, p.end[i]));
    x[i] = jexpr_v3_add(g, k->o, arm);
    if (moving) xd[i] = jexpr_v3_add(g, k->od, jexpr_v3_cross(g, k->w, arm));
    e->end[i] = p.end[i];
  }
  jexpr_v3 way = jexpr_v3_sub(g, x[1], x[0]);
  p.length = e->apart = jexpr_mark(g, jexpr_v3_norm(g, way), "%s: length", m->name);
  p.u = jexpr_v3_scale(g, jexpr_div(g, s->one, p.length), way);
  if (!moving) return p;
  jexpr_ref rate = jexpr_v3_dot(g, p.u, jexpr_v3_sub(g, xd[1], xd[0]));
  p.rate = jexpr_mark(g, rate, "%s: rate", m->name);
  return p;
}

void jelement_span_pull(jgen* s, const jelement_span* p, jexpr_ref T) {
  jexpr_graph* g = s->g;
  jexpr_v3 pull = jexpr_v3_scale(g, T, p->u);
  jexpr_v3 on_a = jexpr_m3_tapply(g, &jgen_relative_of(s, p->hub, p->link[0], false)->R, pull);
  jexpr_v3 on_b = jexpr_m3_tapply(g, &jgen_relative_of(s, p->hub, p->link[1], false)->R, pull);
  jgen_apply(s, p->link[0], jgen_point_in_link(s, p->end[0]), on_a);
  jgen_apply(s, p->link[1], jgen_point_in_link(s, p->end[1]), jexpr_v3_neg(g, on_b));
}
