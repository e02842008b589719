// SPDX-License-Identifier: Apache-2.0
// Tyre on a road: linear normal force, linear saturated slip forces. docs/theory/tyre.md eqs. (Y1)-(Y7),
// which state the two readings of the buggy benchmark.
#include "gen/road.h"

static jexpr_ref clamp_one(jgen* s, jexpr_ref x) {
  return jexpr_max(s->g, jexpr_min(s->g, x, s->one), jexpr_const(s->g, -1.0));
}

static void put_tyre(jgen* s, const jmodel_tyre* y, jgen_element* e) {
  jexpr_graph* g = s->g;
  int link = s->body[y->body].link;
  jexpr_v3 r = jgen_point_in_link(s, &y->centre), axis = jgen_direction_in_link(s, &y->axis);
  jexpr_v3 p = jgen_ground_position(s, link, r), v = jgen_ground_velocity(s, link, r);
  jexpr_v3 u = jgen_to_ground(s, link, axis);
  jgen_road under = jgen_road_under(s, p.e[0], p.e[1]);
  jexpr_v3 n = under.n;
  jgen_absolute_motion(s, s->dyn, true, link);
  jexpr_ref spin = jexpr_v3_dot(g, s->dyn[link].w, axis);
  jexpr_ref R = jgen_scalar(s, &y->radius, y->name);

  // (Y1) height over the tangent plane, in-plane upward direction t, loaded radius
  jexpr_ref h = jexpr_mul(g, jexpr_sub(g, p.e[2], under.z), n.e[2]);
  jexpr_ref un = jexpr_v3_dot(g, u, n);
  jexpr_ref sn = jexpr_sqrt(g, jexpr_sub(g, s->one, jexpr_mul(g, un, un)));
  jexpr_ref inverse = jexpr_div(g, s->one, sn);
  jexpr_v3 t = jexpr_v3_sub(g, n, jexpr_v3_scale(g, un, u));
  t = jexpr_v3_scale(g, inverse, t);
  jexpr_ref loaded = jexpr_mul(g, h, inverse);

  // (Y2) indentation and contact point, from the wheel centre
  jexpr_v3 arm;
  if (y->loaded_radius) {
    e->delta = jexpr_sub(g, R, loaded);
    arm = jexpr_v3_neg(g, jexpr_v3_scale(g, loaded, t));
  } else {
    e->delta = jexpr_sub(g, jexpr_mul(g, R, sn), h);
    jexpr_v3 flat = jexpr_v3_sub(g, t, jexpr_v3_scale(g, jexpr_v3_dot(g, t, n), n));
    arm = jexpr_v3_add(g, jexpr_v3_scale(g, R, flat), jexpr_v3_scale(g, h, n));
    arm = jexpr_v3_neg(g, arm);
  }
  jexpr_mark(g, e->delta, "%s: delta", y->name);

  // (Y3) normal force
  jexpr_ref elastic = jexpr_mul(g, jgen_scalar(s, &y->stiffness, y->name), e->delta);
  jexpr_ref viscous = jexpr_mul(g, jgen_scalar(s, &y->damping, y->name), jexpr_v3_dot(g, v, n));
  jexpr_ref push = jexpr_max(g, jexpr_sub(g, elastic, viscous), s->zero);
  e->fz = jexpr_select(g, jexpr_lt(g, s->zero, e->delta), push, s->zero);
  jexpr_mark(g, e->fz, "%s: Fn", y->name);
  e->fz = jgen_element_force(s, s->m->nforce + (int)(y - s->m->tyre), e->fz);

  // (Y4) slips      b = u x n / |u x n|,  l = n x b
  jexpr_v3 b = jexpr_v3_scale(g, inverse, jexpr_v3_cross(g, u, n));
  jexpr_v3 l = jexpr_v3_cross(g, n, b);
  jexpr_ref vx = jexpr_v3_dot(g, v, b), vy = jexpr_v3_dot(g, v, l);
  e->vx = vx;
  e->vy = vy;
  // no slip at a standstill, where it is not defined: static equilibrium is that without friction
  jexpr_ref over = jexpr_div(g, s->one, jexpr_abs(g, vx));
  over = jexpr_select(g, jexpr_eq(g, vx, s->zero), s->zero, over);
  e->kappa = jexpr_mul(g, jexpr_sub(g, jexpr_mul(g, spin, loaded), vx), over);
  e->alpha = jexpr_neg(g, jexpr_atan(g, jexpr_mul(g, vy, over)));

  // (Y5) slip forces
  jexpr_ref kc = jgen_scalar(s, &y->kappa_c, y->name), ac = jgen_scalar(s, &y->alpha_c, y->name);
  jexpr_ref mx = jexpr_mul(g, jgen_scalar(s, &y->mu_x, y->name), e->fz);
  jexpr_ref my = jexpr_mul(g, jgen_scalar(s, &y->mu_y, y->name), e->fz);
  e->fx = jexpr_mul(g, mx, clamp_one(s, jexpr_div(g, e->kappa, kc)));
  e->fy = jexpr_mul(g, my, clamp_one(s, jexpr_div(g, e->alpha, ac)));
  jexpr_mark(g, e->fx, "%s: Fx", y->name);
  jexpr_mark(g, e->fy, "%s: Fy", y->name);

  // (Y6) force on the wheel at the contact point
  jexpr_v3 F = jexpr_v3_add(g, jexpr_v3_scale(g, e->fx, b), jexpr_v3_scale(g, e->fy, l));
  F = jexpr_v3_add(g, F, jexpr_v3_scale(g, e->fz, n));
  jexpr_v3 moment = jexpr_v3_cross(g, arm, F);
  jexpr_v3 n_link = jgen_from_ground(s, link, moment);
  jgen_apply(s, link, r, jgen_from_ground(s, link, F));
  s->wrench[link].n = jexpr_v3_add(g, s->wrench[link].n, n_link);
  e->force = e->fz;
  e->power = jexpr_add(g, jexpr_v3_dot(g, F, v), jexpr_v3_dot(g, n_link, s->dyn[link].w));
}

jgen_element* jgen_tyre_of(jgen* s, int k) {
  jgen_element* e = &s->tyre[k];
  if (e->busy) return e;
  e->busy = 1;
  if (s->stage >= JGEN_AT_VELOCITY) put_tyre(s, &s->m->tyre[k], e);
  e->busy = 2;
  return e;
}
