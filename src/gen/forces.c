// SPDX-License-Identifier: Apache-2.0
// Force elements: springs, dampers, stops, bars and free expressions, on lines, coordinates, points.
#include "gen/build.h"

void jgen_apply(jgen* s, int link, jexpr_v3 r, jexpr_v3 f) {
  if (link == 0) return;
  jgen_wrench* w = &s->wrench[link];
  w->f = jexpr_v3_add(s->g, w->f, f);
  w->n = jexpr_v3_add(s->g, w->n, jexpr_v3_cross(s->g, r, f));
}

jexpr_ref jgen_element_force(jgen* s, int element, jexpr_ref value) {
  if (!s->placeholders || !value) return value;
  s->element_value[element] = value;
  return jexpr_input(s->g, JGEN_ELEMENT, element);
}

// stiffness depth, or stiffness (exp(exponent depth) - 1); zero while there is no contact
static jexpr_ref stop_force(jgen* s, const char* name, const jmodel_scalar* stiffness,
                            jexpr_ref depth, const jmodel_scalar* exponent) {
  jexpr_graph* g = s->g;
  depth = jexpr_max(g, depth, s->zero);
  if (exponent) {
    jexpr_ref power = jexpr_exp(g, jexpr_mul(g, jgen_scalar(s, exponent, name), depth));
    depth = jexpr_sub(g, power, s->one);
  }
  return jexpr_mul(g, jgen_scalar(s, stiffness, name), depth);
}

// stiffness (x - free) + damping xd + preload + tables + stops + expression
static jexpr_ref characteristic(jgen* s, const jmodel_force* f, jexpr_ref x, jexpr_ref xd) {
  jexpr_graph* g = s->g;
  jexpr_ref T = s->zero;
  if (f->has_stiffness) {
    jexpr_ref stretch = f->has_free ? jexpr_sub(g, x, jgen_scalar(s, &f->free, f->name)) : x;
    T = jexpr_mul(g, jgen_scalar(s, &f->stiffness, f->name), stretch);
  }
  if (f->has_damping) {
    T = jexpr_add(g, T, jexpr_mul(g, jgen_scalar(s, &f->damping, f->name), xd));
  }
  if (f->has_preload) T = jexpr_add(g, T, jgen_scalar(s, &f->preload, f->name));
  if (f->spring_table >= 0) T = jexpr_add(g, T, jgen_table_at(s, f->spring_table, x));
  if (f->damper_table >= 0) T = jexpr_add(g, T, jgen_table_at(s, f->damper_table, xd));
  if (f->has_bump) {
    jexpr_ref in = jexpr_sub(g, jgen_scalar(s, &f->bump_clearance, f->name), x);
    jexpr_ref push = stop_force(s, f->name, &f->bump_stiffness, in,
                                f->has_bump_exponent ? &f->bump_exponent : NULL);
    T = jexpr_sub(g, T, push);
  }
  if (f->has_rebound) {
    jexpr_ref out = jexpr_sub(g, x, jgen_scalar(s, &f->rebound_clearance, f->name));
    jexpr_ref pull = stop_force(s, f->name, &f->rebound_stiffness, out,
                                f->has_rebound_exponent ? &f->rebound_exponent : NULL);
    T = jexpr_add(g, T, pull);
  }
  if (f->has_expression) {
    jgen_push_local(s, "length", x);
    jgen_push_local(s, "angle", x);
    jgen_push_local(s, "rate", xd);
    T = jexpr_add(g, T, jgen_scalar(s, &f->expression, f->name));
    jgen_pop_local(s, 3);
  }
  return T;
}

// Tension along the line from a to b; docs/theory/dynamics.md eq. (F1):
//   x = |b - a|    u = (b - a) / x    xd = u . (bd - ad)    a is pulled by T u, b by -T u
static void line_kinematics(jgen* s, const jmodel_force* f, jgen_element* e, jexpr_v3* u) {
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
  }
  jexpr_v3 line = jexpr_v3_sub(g, x[1], x[0]);
  e->x = jexpr_mark(g, jexpr_v3_norm(g, line), "%s: length", f->name);
  *u = jexpr_v3_scale(g, jexpr_div(g, s->one, e->x), line);
  if (moving) {
    e->xd = jexpr_v3_dot(g, *u, jexpr_v3_sub(g, xd[1], xd[0]));
    jexpr_mark(g, e->xd, "%s: rate", f->name);
  }
}

static void put_line(jgen* s, const jmodel_force* f, jgen_element* e) {
  jexpr_graph* g = s->g;
  jexpr_v3 u;
  line_kinematics(s, f, e, &u);
  if (s->stage < JGEN_AT_VELOCITY) return;
  e->force = jexpr_mark(g, characteristic(s, f, e->x, e->xd), "%s: force", f->name);
  e->force = jgen_element_force(s, (int)(f - s->m->force), e->force);
  e->power = jexpr_neg(g, jexpr_mul(g, e->force, e->xd));
  int la = s->body[f->a.body].link, lb = s->body[f->b.body].link;
  int hub = jgen_common_hub(s, la, lb);
  jexpr_v3 pull = jexpr_v3_scale(g, e->force, u);
  jexpr_v3 on_a = jexpr_m3_tapply(g, &jgen_relative_of(s, hub, la, false)->R, pull);
  jexpr_v3 on_b = jexpr_m3_tapply(g, &jgen_relative_of(s, hub, lb, false)->R, pull);
  jgen_apply(s, la, jgen_point_in_link(s, &f->a), on_a);
  jgen_apply(s, lb, jgen_point_in_link(s, &f->b), jexpr_v3_neg(g, on_b));
}

static void put_joint(jgen* s, const jmodel_force* f, jgen_element* e) {
  jexpr_graph* g = s->g;
  bool bar = f->type == JMODEL_FORCE_BAR, moving = s->stage >= JGEN_AT_VELOCITY;
  int i = f->coordinate, j = f->coordinate2;
  e->x = bar ? jexpr_sub(g, s->q[i], s->q[j]) : s->q[i];
  if (!moving) return;
  e->xd = bar ? jexpr_sub(g, s->qd[i], s->qd[j]) : s->qd[i];
  e->force = jexpr_neg(g, characteristic(s, f, e->x, e->xd));
  if (f->has_torque) {
    jgen_push_local(s, "length", e->x);
    jgen_push_local(s, "angle", e->x);
    jgen_push_local(s, "rate", e->xd);
    e->force = jexpr_add(g, e->force, jgen_scalar(s, &f->torque, f->name));
    jgen_pop_local(s, 3);
  }
  jexpr_mark(g, e->force, "%s: force", f->name);
  e->force = jgen_element_force(s, (int)(f - s->m->force), e->force);
  e->power = jexpr_mul(g, e->force, e->xd);
  s->applied[i] = jexpr_add(g, s->applied[i], e->force);
  if (bar) s->applied[j] = jexpr_sub(g, s->applied[j], e->force);
}

static void put_point(jgen* s, const jmodel_force* f, jgen_element* e) {
  jexpr_graph* g = s->g;
  int link = s->body[f->a.body].link;
  jexpr_v3 r = jgen_point_in_link(s, &f->a);
  if (s->stage < JGEN_AT_VELOCITY) return;
  jexpr_v3 force = jgen_vector(s, &f->vector, f->name), moment = jexpr_v3_zero(g);
  if (f->has_moment) moment = jgen_vector(s, &f->moment, f->name);
  if (f->in_body) {
    force = jexpr_m3_tapply(g, &s->body[f->a.body].E, force);
    moment = jexpr_m3_tapply(g, &s->body[f->a.body].E, moment);
  } else {
    force = jgen_from_ground(s, link, force);
    moment = jgen_from_ground(s, link, moment);
  }
  jgen_apply(s, link, r, force);
  s->wrench[link].n = jexpr_v3_add(g, s->wrench[link].n, moment);
  jgen_absolute_motion(s, s->dyn, true, link);
  jexpr_v3 v = jgen_from_ground(s, link, jgen_ground_velocity(s, link, r));
  e->force = jexpr_v3_norm(g, force);
  e->power = jexpr_add(g, jexpr_v3_dot(g, force, v), jexpr_v3_dot(g, moment, s->dyn[link].w));
}

jgen_element* jgen_force_of(jgen* s, int k) {
  const jmodel_force* f = &s->m->force[k];
  jgen_element* e = &s->force[k];
  if (e->busy) return e;
  e->busy = 1;
  switch (f->type) {
    case JMODEL_FORCE_LINE: put_line(s, f, e); break;
    case JMODEL_FORCE_JOINT:
    case JMODEL_FORCE_BAR: put_joint(s, f, e); break;
    case JMODEL_FORCE_POINT: put_point(s, f, e); break;
  }
  e->busy = 2;
  return e;
}

jo_status jgen_forces(jgen* s) {
  for (int k = 0; k < s->m->nforce; k++) {
    jgen_force_of(s, k);
  }
  for (int k = 0; k < s->m->ntyre; k++) {
    jgen_tyre_of(s, k);
  }
  for (int k = 0; k < s->m->nsoil; k++) {
    jgen_soil_of(s, k);
  }
  return s->g->status;
}
