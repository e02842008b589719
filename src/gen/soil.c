// SPDX-License-Identifier: Apache-2.0
// A road wheel under a track on soft soil. docs/theory/soil.md eqs. (B1)-(B6), after Bekker's
// pressure-sinkage relation and the shear law of Critchley and Jayakumar (2010).
#include "gen/road.h"

static jexpr_ref clip(jgen* s, jexpr_ref x, jexpr_ref limit) {
  jexpr_graph* g = s->g;
  return jexpr_max(g, jexpr_min(g, x, limit), jexpr_neg(g, limit));
}

// (B2)  N = length width (k_c / min(length, width) + k_phi) delta^n, zero out of the ground.
// The power is taken of delta^2, which has no branch at zero; a length of 1e-15 m beside it keeps the
// derivative, infinite at zero for n < 1, finite where an event leaves delta at exactly that.
static jexpr_ref normal_force(jgen* s, const jmodel_soil* b, jexpr_ref delta) {
  jexpr_graph* g = s->g;
  jexpr_ref length = jgen_scalar(s, &b->length, b->name),
            width = jgen_scalar(s, &b->width, b->name);
  jexpr_ref shorter = jexpr_min(g, length, width);
  jexpr_ref pressure = jexpr_add(g, jexpr_div(g, jgen_scalar(s, &b->k_c, b->name), shorter),
                                 jgen_scalar(s, &b->k_phi, b->name));
  jexpr_ref half = jexpr_mul(g, jexpr_const(g, 0.5), jgen_scalar(s, &b->exponent, b->name));
  jexpr_ref square = jexpr_add(g, jexpr_mul(g, delta, delta), jexpr_const(g, 1e-30));
  jexpr_ref depth = jexpr_pow(g, square, half);
  jexpr_ref N = jexpr_mul(g, jexpr_mul(g, jexpr_mul(g, length, width), pressure), depth);
  return jexpr_select(g, jexpr_lt(g, s->zero, delta), N, s->zero);
}

static void put_soil(jgen* s, const jmodel_soil* b, jgen_element* e) {
  jexpr_graph* g = s->g;
  int wheel = s->body[b->body].link, track = s->body[b->track].link;
  jexpr_v3 r = jgen_point_in_link(s, &b->centre);
  jexpr_v3 p = jgen_ground_position(s, wheel, r), v = jgen_ground_velocity(s, wheel, r);
  jgen_road under = jgen_road_under(s, p.e[0], p.e[1]);
  jexpr_v3 n = under.n;
  jexpr_ref radius = jgen_scalar(s, &b->radius, b->name);

  // (B1) sinkage by the tangent plane under the centre; the contact point from the centre
  jexpr_ref height = jexpr_mul(g, jexpr_sub(g, p.e[2], under.z), n.e[2]);
  e->delta = jexpr_mark(g, jexpr_sub(g, radius, height), "%s: delta", b->name);
  e->fz = jexpr_mark(g, normal_force(s, b, e->delta), "%s: N", b->name);
  e->fz = jgen_element_force(s, s->m->nforce + s->m->ntyre + (int)(b - s->m->soil), e->fz);
  jexpr_v3 arm = jexpr_v3_neg(g, jexpr_v3_scale(g, height, n));

  // (B3) directions: t = lateral x n along the track, l = n x t
  jexpr_v3 side = jgen_to_ground(s, track, jgen_direction_in_link(s, &b->lateral));
  jexpr_v3 t = jexpr_v3_cross(g, side, n);
  t = jexpr_v3_scale(g, jexpr_div(g, s->one, jexpr_v3_norm(g, t)), t);
  jexpr_v3 l = jexpr_v3_cross(g, n, t);

  jgen_absolute_motion(s, s->dyn, true, wheel);
  jgen_absolute_motion(s, s->dyn, true, track);

  // (B4) speed of the coincident point of the carrier along t, of the wheel's along l
  jexpr_v3 origin = jgen_ground_position(s, track, jexpr_v3_zero(g));
  jexpr_v3 offset = jexpr_v3_sub(g, jexpr_v3_add(g, p, arm), origin);
  jexpr_v3 on_track = jgen_from_ground(s, track, offset);
  jexpr_v3 turn = jgen_to_ground(s, track, s->dyn[track].w);  // the same for all wheels of a track
  jexpr_v3 v_track = jexpr_v3_add(g, jgen_ground_velocity(s, track, jexpr_v3_zero(g)),
                                  jexpr_v3_cross(g, turn, offset));
  jexpr_ref v_long = jexpr_v3_dot(g, v_track, t);
  jexpr_v3 w = jgen_to_ground(s, wheel, s->dyn[wheel].w);
  jexpr_ref v_lat = jexpr_v3_dot(g, jexpr_v3_add(g, v, jexpr_v3_cross(g, w, arm)), l);

  // (B5) shear, limited by friction
  jexpr_ref shear = jgen_scalar(s, &b->shear, b->name);
  jexpr_ref slip = jexpr_sub(g, v_long, jgen_scalar(s, &b->track_speed, b->name));
  e->kappa = clip(s, jexpr_mul(g, shear, slip), jgen_scalar(s, &b->friction_long, b->name));
  e->alpha = clip(s, jexpr_mul(g, shear, v_lat), jgen_scalar(s, &b->friction_lat, b->name));
  e->fx = jexpr_neg(g, jexpr_mul(g, e->fz, e->kappa));
  e->fy = jexpr_neg(g, jexpr_mul(g, e->fz, e->alpha));

  // (B6) normal and lateral force on the wheel, longitudinal force on the carrier of the track
  jexpr_v3 F = jexpr_v3_add(g, jexpr_v3_scale(g, e->fz, n), jexpr_v3_scale(g, e->fy, l));
  jexpr_v3 moment = jgen_from_ground(s, wheel, jexpr_v3_cross(g, arm, F));
  jgen_apply(s, wheel, r, jgen_from_ground(s, wheel, F));
  s->wrench[wheel].n = jexpr_v3_add(g, s->wrench[wheel].n, moment);
  jexpr_v3 drive = jexpr_v3_scale(g, e->fx, t);
  jgen_apply(s, track, on_track, jgen_from_ground(s, track, drive));
  e->force = e->fz;
  jexpr_ref on_wheel =
      jexpr_add(g, jexpr_v3_dot(g, F, v), jexpr_v3_dot(g, moment, s->dyn[wheel].w));
  e->power = jexpr_add(g, on_wheel, jexpr_mul(g, e->fx, v_long));
}

jgen_element* jgen_soil_of(jgen* s, int k) {
  jgen_element* e = &s->soil[k];
  if (e->busy) return e;
  e->busy = 1;
  if (s->stage >= JGEN_AT_VELOCITY) put_soil(s, &s->m->soil[k], e);
  e->busy = 2;
  return e;
}
