// SPDX-License-Identifier: Apache-2.0
// Where wheels touch the ground.
#include "element/tyre/contact.h"

#define TINY 1e-60  // under a root that is zero where a wheel just touches [N^2]

bool jelement_read_wheel(const jmodel_at* at, const jmodel_node* map, jmodel_place place,
                         jelement_wheel* w) {
  jmodel_reader* r = at->r;
  const jmodel_node* wheel = jmodel_need(at, map, "wheel");
  const jmodel_node* centre = jmodel_node_find(map, "centre");
  const jmodel_node* axis = jmodel_node_find(map, "axis");
  w->body = wheel ? jmodel_body_at(at, wheel, "wheel") : -1;
  if (w->body < 0) return false;
  if (w->body == 0) {
    jmodel_mistake(at, wheel->place, "wheel: the ground is no wheel");
    return false;
  }
  w->centre = jmodel_origin(r, w->body, place);
  w->axis = jmodel_own_axis(at, map, w->body, 1);
  if (centre) {
    const char* path = jmodel_format(r, "%s.centre", at->path);
    if (!jmodel_point_at(at, centre, "centre", path, &w->centre)) return false;
    if (w->centre.body < 0) w->centre.body = w->body;
  }
  if (axis) {
    const char* path = jmodel_format(r, "%s.axis", at->path);
    if (!jmodel_axis_at(at, axis, "axis", path, &w->axis)) return false;
    if (w->axis.body < 0) w->axis.body = w->body;
  }
  return true;
}

int jelement_draw_wheel(const jelement_wheel* w, const jmodel_scalar* radius, jmodel_shape* out) {
  out[0] = (jmodel_shape){JMODEL_SHAPE_WHEEL, &w->centre, NULL, w->body, &w->axis, radius};
  return 1;
}

static bool is_const(const jexpr_graph* g, jexpr_v3 v) {
  return jexpr_is_const(g, v.e[0]) && jexpr_is_const(g, v.e[1]) && jexpr_is_const(g, v.e[2]);
}

jelement_disc jelement_disc_on_road(jgen* s, const jmodel_element* m, const jelement_wheel* w,
                                    const jelement_contact* contact, const jmodel_scalar* radius,
                                    bool loaded_radius, bool turns) {
  jexpr_graph* g = s->g;
  int link = s->body[w->body].link;
  jelement_disc d = {.hub = {.link = link, .r = jgen_point_in_link(s, &w->centre)}};
  jexpr_v3 in_link = jgen_direction_in_link(s, &w->axis);
  d.hub.p = jgen_ground_position(s, link, d.hub.r);
  jexpr_v3 u = jgen_to_ground(s, link, in_link);
  jgen_road under = jelement_contact_plane(s, m, contact, u, d.hub.p);
  // a flat ground has simple components, but each vector has to be brought there
  d.in_ground = !turns && is_const(g, under.n);
  d.hub.v = d.in_ground ? jgen_ground_velocity(s, link, d.hub.r)
                        : jgen_carried_velocity(s, link, d.hub.r);
  d.u = d.in_ground ? u : jgen_to_carrier(s, link, in_link);
  jexpr_v3 n = d.hub.n = d.in_ground ? under.n : jgen_ground_to_carrier(s, link, under.n);
  d.hub.z = under.z;
  jgen_absolute_motion(s, s->dyn, true, link);
  d.spin = jexpr_v3_dot(g, s->dyn[link].w, in_link);
  jexpr_ref R = jgen_scalar(s, radius, m->name);

  // (Y1) height over the tangent plane, in-plane upward direction t, loaded radius
  jexpr_ref h = jexpr_mul(g, jexpr_sub(g, d.hub.p.e[2], under.z), under.n.e[2]);
  d.un = jexpr_v3_dot(g, d.u, n);
  d.sn = jexpr_sqrt(g, jexpr_sub(g, s->one, jexpr_mul(g, d.un, d.un)));
  d.inverse = jexpr_div(g, s->one, d.sn);
  d.t = jexpr_v3_sub(g, n, jexpr_v3_scale(g, d.un, d.u));
  d.t = jexpr_v3_scale(g, d.inverse, d.t);
  d.loaded = jexpr_mul(g, h, d.inverse);

  // (Y2) indentation and contact point, from the wheel centre
  if (loaded_radius) {
    d.delta = jexpr_sub(g, R, d.loaded);
    d.arm = jexpr_v3_neg(g, jexpr_v3_scale(g, d.loaded, d.t));
  } else {
    d.delta = jexpr_sub(g, jexpr_mul(g, R, d.sn), h);
    jexpr_v3 flat = jexpr_v3_sub(g, d.t, jexpr_v3_scale(g, jexpr_v3_dot(g, d.t, n), n));
    d.arm = jexpr_v3_add(g, jexpr_v3_scale(g, R, flat), jexpr_v3_scale(g, h, n));
    d.arm = jexpr_v3_neg(g, d.arm);
  }
  jexpr_mark(g, d.delta, "%s: delta", m->name);
  return d;
}

// (Y10)     a + b - sqrt(a^2 + b^2) > 0  where a > 0 and b > 0, and nowhere else
jexpr_ref jelement_is_down(jgen* s, const jmodel_element* m, jexpr_ref depth, jexpr_ref push) {
  jexpr_graph* g = s->g;
  jexpr_ref both = depth;
  if (push != depth) {
    jexpr_ref squares = jexpr_add(g, jexpr_mul(g, depth, depth), jexpr_mul(g, push, push));
    jexpr_ref root = jexpr_sqrt(g, jexpr_add(g, squares, jexpr_const(g, TINY)));
    both = jexpr_sub(g, jexpr_add(g, depth, push), root);
  }
  return jexpr_lt(g, s->zero, jexpr_mark(g, both, "%s: contact", m->name));
}

jexpr_v3 jelement_disc_turning(jgen* s, const jelement_disc* d) {
  int link = d->hub.link;
  return d->in_ground ? jgen_to_ground(s, link, s->dyn[link].w) : jgen_carried_turning(s, link);
}

jexpr_ref jelement_push_disc(jgen* s, const jelement_disc* d, jexpr_v3 F, jexpr_v3 M) {
  jexpr_graph* g = s->g;
  int link = d->hub.link;
  jexpr_v3 moment = jexpr_v3_add(g, jexpr_v3_cross(g, d->arm, F), M);
  moment = d->in_ground ? jgen_from_ground(s, link, moment) : jgen_from_carrier(s, link, moment);
  jexpr_v3 force = d->in_ground ? jgen_from_ground(s, link, F) : jgen_from_carrier(s, link, F);
  jgen_apply(s, link, d->hub.r, force);
  jgen_turn(s, link, moment);
  return jexpr_add(g, jexpr_v3_dot(g, F, d->hub.v), jexpr_v3_dot(g, moment, s->dyn[link].w));
}

jexpr_ref jelement_push_wheel(jgen* s, const jelement_hub* hub, jexpr_v3 arm, jexpr_v3 F) {
  jexpr_graph* g = s->g;
  jexpr_v3 moment = jgen_from_ground(s, hub->link, jexpr_v3_cross(g, arm, F));
  jgen_apply(s, hub->link, hub->r, jgen_from_ground(s, hub->link, F));
  jgen_turn(s, hub->link, moment);
  return jexpr_add(g, jexpr_v3_dot(g, F, hub->v), jexpr_v3_dot(g, moment, s->dyn[hub->link].w));
}
