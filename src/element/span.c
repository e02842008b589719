// SPDX-License-Identifier: Apache-2.0
#include "element/span.h"

bool jelement_read_ends(const jmodel_at* at, const jmodel_node* ends, const char* label,
                        jelement_ends* out) {
  if (!jmodel_is(at, ends, JMODEL_NODE_LIST, label)) return false;
  if (ends->n != 2) {
    jmodel_mistake(at, ends->place, "%s needs 2 points, got %d", label, ends->n);
    return false;
  }
  const char* path_a = jmodel_format(at->r, "%s.%s[0]", at->path, label);
  const char* path_b = jmodel_format(at->r, "%s.%s[1]", at->path, label);
  bool has_a = jmodel_body_point_at(at, ends->first, label, path_a, &out->a);
  if (!jmodel_body_point_at(at, ends->last, label, path_b, &out->b) || !has_a) return false;
  if (out->a.body != out->b.body) return true;
  jmodel_mistake(at, ends->place, "%s: both ends are on body '%s'", label,
                 at->r->m->body[out->a.body].name);
  return false;
}

int jelement_draw_line(const jmodel_element* e, jmodel_shape* out) {
  const jelement_ends* ends = e->data;
  out[0] = (jmodel_shape){.kind = JMODEL_SHAPE_LINE, .a = &ends->a, .b = &ends->b};
  return 1;
}

bool jelement_ends_follow(const jmodel_element* e, int body) {
  const jelement_ends* ends = e->data;
  return ends->a.body == body || ends->b.body == body;
}

jelement_span jelement_span_of(jgen* s, const jmodel_element* m, const jelement_ends* ends,
                               jgen_element* e) {
  jexpr_graph* g = s->g;
  const jmodel_point *a = &ends->a, *b = &ends->b;
  jelement_span p = {.link = {s->body[a->body].link, s->body[b->body].link}, .end = {a, b}};
  bool moving = s->stage >= JGEN_AT_VELOCITY;
  jexpr_v3 x[2], xd[2];
  p.base = jgen_common_base(s, p.link[0], p.link[1]);
  for (int i = 0; i < 2; i++) {
    const jgen_relative* k = jgen_relative_of(s, p.base, p.link[i], moving);
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
  jexpr_v3 on_a = jexpr_m3_tapply(g, &jgen_relative_of(s, p->base, p->link[0], false)->R, pull);
  jexpr_v3 on_b = jexpr_m3_tapply(g, &jgen_relative_of(s, p->base, p->link[1], false)->R, pull);
  jgen_apply(s, p->link[0], jgen_point_in_link(s, p->end[0]), on_a);
  jgen_apply(s, p->link[1], jgen_point_in_link(s, p->end[1]), jexpr_v3_neg(g, on_b));
}
