// SPDX-License-Identifier: Apache-2.0
// The hub: a body on a free joint to the ground, as a rule the chassis. Its unknown accelerations are
// the true ones in its own axes instead of those of its six coordinates, so that the attitude of the
// vehicle stays out of the mass matrix. docs/theory/dynamics.md eqs. (D16), (R7).
#include "gen/element.h"

static int first_coordinate(const jgen* s) {
  return s->m->joint[s->link[s->hub].joint].first_coordinate;
}

// Hub axes serve only while the hub's six coordinates are independent and no closure touches them.
void jgen_hub_keep(jgen* s, const jgen_partition* part) {
  if (!s->hub) return;
  int first = first_coordinate(s), independent = 0;
  for (int i = 0; i < part->nu; i++) {
    independent += part->u[i] >= first && part->u[i] < first + 6;
  }
  bool touched = false;
  for (int i = 0; i < s->m->nclosure; i++) {
    const jmodel_closure* c = &s->m->closure[i];
    bool by_vectors = c->type == JMODEL_CLOSURE_PARALLEL || c->type == JMODEL_CLOSURE_PERPENDICULAR;
    int a = s->body[by_vectors ? c->u.body : c->a.body].link;
    int b = s->body[by_vectors ? c->v.body : c->b.body].link;
    touched = touched || jgen_is_below(s, a, s->hub) != jgen_is_below(s, b, s->hub);
  }
  for (int i = 0; i < 6; i++) {
    touched = touched || jgen_is_coupled(s->m, first + i);
  }
  if (independent < 6 || touched) s->hub = 0;
}

// Angles yaw, pitch, roll of the hub's free joint: qd_R = Phi^-1 w, rows of Phi^-1 in hub axes.
typedef struct euler {
  jexpr_v3 yaw, pitch, roll;
} euler;

static euler euler_inverse(jgen* s) {
  jexpr_graph* g = s->g;
  int first = first_coordinate(s);
  jexpr_ref th = s->q[first + 4], ph = s->q[first + 5];
  jexpr_ref sp = jexpr_sin(g, ph), cp = jexpr_cos(g, ph);
  jexpr_ref st = jexpr_sin(g, th), over = jexpr_div(g, s->one, jexpr_cos(g, th));
  euler e;
  e.yaw = (jexpr_v3){{s->zero, jexpr_mul(g, sp, over), jexpr_mul(g, cp, over)}};
  e.pitch = (jexpr_v3){{s->zero, cp, jexpr_neg(g, sp)}};
  e.roll = (jexpr_v3){{s->one, jexpr_mul(g, st, e.yaw.e[1]), jexpr_mul(g, st, e.yaw.e[2])}};
  return e;
}

// Generalised forces on the hub's coordinates as a wrench in hub axes: f = R^T Q_T, n = Phi^-T Q_R.
void jgen_hub_forces(jgen* s) {
  jexpr_graph* g = s->g;
  if (!s->hub) return;
  int first = first_coordinate(s);
  bool any = false;
  for (int i = 0; i < 6; i++) {
    any = any || !jexpr_is_value(g, s->applied[first + i], 0.0);
  }
  if (!any) return;
  jexpr_v3 Q = {{s->applied[first], s->applied[first + 1], s->applied[first + 2]}};
  jgen_apply(s, s->hub, jexpr_v3_zero(g), jgen_from_ground(s, s->hub, Q));
  euler e = euler_inverse(s);
  jexpr_v3 n = jexpr_v3_scale(g, s->applied[first + 3], e.yaw);
  n = jexpr_v3_add(g, n, jexpr_v3_scale(g, s->applied[first + 4], e.pitch));
  n = jexpr_v3_add(g, n, jexpr_v3_scale(g, s->applied[first + 5], e.roll));
  s->wrench[s->hub].n = jexpr_v3_add(g, s->wrench[s->hub].n, n);
}

// Accelerations (or velocity jumps) in hub axes to those of the hub's coordinates.
//   qdd_T = R lin     qdd_R = Phi^-1 (ang - bias)
void jgen_hub_rates(jgen* s, jexpr_v3 lin, jexpr_v3 ang, jexpr_v3 bias, jexpr_ref* by_coordinate) {
  jexpr_graph* g = s->g;
  int first = first_coordinate(s);
  lin = jgen_to_ground(s, s->hub, lin);
  ang = jexpr_v3_sub(g, ang, bias);
  euler e = euler_inverse(s);
  for (int i = 0; i < 3; i++) {
    by_coordinate[first + i] = lin.e[i];
  }
  by_coordinate[first + 3] = jexpr_v3_dot(g, e.yaw, ang);
  by_coordinate[first + 4] = jexpr_v3_dot(g, e.pitch, ang);
  by_coordinate[first + 5] = jexpr_v3_dot(g, e.roll, ang);
}

// Angular acceleration of the hub, hub axes, when its coordinates do not accelerate.
jexpr_v3 jgen_hub_bias(jgen* s) {
  jgen_absolute* motion = JARENA_ARRAY(s->a, s->nlink, jgen_absolute);
  if (!motion) {
    s->g->status = jerr_memory(s->ctx);
    return jexpr_v3_zero(s->g);
  }
  jgen_absolute_motion(s, motion, false, s->hub);
  return motion[s->hub].al;
}
