// SPDX-License-Identifier: Apache-2.0
// A force along the line between two points, tension positive: springs, dampers, struts.
#include "element/data.h"
#include "element/list.h"

typedef jelement_line_data line;

static const char* const keys[] = {"between",      "stiffness", "damping",     "free_length",
                                   "preload",      "spring",    "damper",      "bump_stop",
                                   "rebound_stop", "force",     "description", NULL};

static const jmodel_field fields[] = {JELEMENT_LAW_FIELDS(line)};

static bool read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e) {
  line* f = e->data;
  const jmodel_node* ends = jmodel_node_find(map, "between");
  jelement_law_read(at, map, e->place, true, &f->law);
  return jelement_read_ends(at, ends, "between", &f->a, &f->b);
}

// docs/theory/dynamics.md eq. (F1):
//   x = |b - a|    u = (b - a) / x    xd = u . (bd - ad)    a is pulled by T u, b by -T u
static void put_kinematics(jgen* s, const jmodel_element* m, jgen_element* e, jexpr_v3* u) {
  const line* f = m->data;
  jexpr_graph* g = s->g;
  int la = s->body[f->a.body].link, lb = s->body[f->b.body].link;
  int hub = jgen_common_hub(s, la, lb);
  bool moving = s->stage >= JGEN_AT_VELOCITY;
  const int link[2] = {la, lb};
  const jmodel_point* point[2] = {&f->a, &f->b};
  jexpr_v3 x[2], xd[2];
  for (int i = 0; i < 2; i++) {
    const jgen_relative* k = jgen_relative_of(s, hub, link[i], moving);
    jexpr_v3 arm = jexpr_m3_apply(g, &k->R, jgen_point_in_link(s, point[i]));
    x[i] = jexpr_v3_add(g, k->o, arm);
    if (moving) xd[i] = jexpr_v3_add(g, k->od, jexpr_v3_cross(g, k->w, arm));
    e->end[i] = point[i];
  }
  jexpr_v3 way = jexpr_v3_sub(g, x[1], x[0]);
  e->apart = jexpr_mark(g, jexpr_v3_norm(g, way), "%s: length", m->name);
  e->signal[JELEMENT_LENGTH] = e->signal[JELEMENT_ANGLE] = e->apart;
  *u = jexpr_v3_scale(g, jexpr_div(g, s->one, e->apart), way);
  if (!moving) return;
  jexpr_ref rate = jexpr_v3_dot(g, *u, jexpr_v3_sub(g, xd[1], xd[0]));
  e->signal[JELEMENT_RATE] = jexpr_mark(g, rate, "%s: rate", m->name);
}

static void write(jgen* s, const jmodel_element* m, jgen_element* e) {
  const line* f = m->data;
  jexpr_graph* g = s->g;
  jexpr_v3 u;
  put_kinematics(s, m, e, &u);
  if (s->stage < JGEN_AT_VELOCITY) return;
  jexpr_ref x = e->signal[JELEMENT_LENGTH], xd = e->signal[JELEMENT_RATE];
  jexpr_ref force = jelement_law_value(s, &f->law, m->name, x, xd);
  force = jgen_component(s, m, 0, jexpr_mark(g, force, "%s: force", m->name));
  e->signal[JELEMENT_FORCE] = force;
  e->signal[JELEMENT_POWER] = jexpr_neg(g, jexpr_mul(g, force, xd));
  int la = s->body[f->a.body].link, lb = s->body[f->b.body].link;
  int hub = jgen_common_hub(s, la, lb);
  jexpr_v3 pull = jexpr_v3_scale(g, force, u);
  jexpr_v3 on_a = jexpr_m3_tapply(g, &jgen_relative_of(s, hub, la, false)->R, pull);
  jexpr_v3 on_b = jexpr_m3_tapply(g, &jgen_relative_of(s, hub, lb, false)->R, pull);
  jgen_apply(s, la, jgen_point_in_link(s, &f->a), on_a);
  jgen_apply(s, lb, jgen_point_in_link(s, &f->b), jexpr_v3_neg(g, on_b));
}

static int draw(const jmodel_element* m, jmodel_shape* out) {
  const line* f = m->data;
  out[0] = (jmodel_shape){.kind = JMODEL_SHAPE_LINE, .a = &f->a, .b = &f->b};
  return 1;
}

static bool follows(const jmodel_element* m, int body) {
  const line* f = m->data;
  return f->a.body == body || f->b.body == body;
}

const jgen_element_class jelement_line = {.model = {.kind = "force",
                                                    .section = "forces",
                                                    .key = "between",
                                                    .keys = keys,
                                                    .size = sizeof(line),
                                                    .ncomponent = 1,
                                                    .component = jelement_law_component,
                                                    .unit = jelement_newton,
                                                    .read = read,
                                                    .mirrors = true,
                                                    .field = fields,
                                                    .nfield = JELEMENT_COUNT(fields),
                                                    .draw = draw,
                                                    .follows = follows},
                                          .signal = jelement_law_signals,
                                          .nposition = JELEMENT_LAW_POSITIONS,
                                          .what = JELEMENT_LAW_WHAT,
                                          .write = write};
