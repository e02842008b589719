// SPDX-License-Identifier: Apache-2.0
// Kinematics. Relative motion in the frame of a link that carries others serves loops, springs and tyres, where it does
// not depend on how the vehicle stands in space; absolute motion in link frames serves the equations
// of motion. docs/theory/dynamics.md eqs. (D1)-(D8), (D23).
#include "base/assert.h"
#include "gen/build.h"

void jgen_mark_v3(jgen* s, jexpr_v3 v, const char* what, int link) {
  const jgen_link* l = &s->link[link];
  const char* name = l->body >= 0 ? s->m->body[l->body].name : s->m->joint[l->joint].name;
  for (int i = 0; i < 3; i++) {
    jexpr_mark(s->g, v.e[i], "%s: %s.%d", name, what, i + 1);
  }
}

bool jgen_is_below(const jgen* s, int link, int ancestor) {
  JASSERT(link >= 0 && link < s->nlink && ancestor >= 0);
  while (link > ancestor) {
    JASSERT(s->link[link].parent < link);  // parents stand first
    link = s->link[link].parent;
  }
  return link == ancestor;
}

int jgen_common_base(const jgen* s, int link_a, int link_b) {
  while (link_a != link_b) {
    int* later = link_a > link_b ? &link_a : &link_b;
    *later = s->link[*later].parent;  // parents stand first
  }
  return link_a;
}

static jexpr_v3 axis_column(const jexpr_m3* R, int k) {
  return (jexpr_v3){{R->e[0][k], R->e[1][k], R->e[2][k]}};
}

// ---- relative motion -----------------------------------------------------------------------------

// (D1)  R_i = R_h R_hi      o_i = o_h + R_h shift_i      e_i = R_i axis
static void relative_position(jgen* s, jgen_relative* r, int base, int link) {
  jexpr_graph* g = s->g;
  const jgen_link* l = &s->link[link];
  jgen_relative* me = &r[link];
  if (link == base) {
    me->R = jexpr_m3_identity(g);
    me->o = me->axis = jexpr_v3_zero(g);
  } else {
    const jgen_relative* h = &r[l->parent];
    me->R = jexpr_m3_mul(g, &h->R, &l->R);
    me->o = jexpr_v3_add(g, h->o, jexpr_m3_apply(g, &h->R, l->shift));
    me->axis = l->motion == JGEN_FIXED ? jexpr_v3_zero(g) : axis_column(&me->R, l->axis);
    if (l->spins_free) me->axis = axis_column(&me->R, l->axis);
    jgen_mark_v3(s, me->o, "rel o", link);
    for (int i = 0; i < 9; i++) {
      jexpr_mark(g, me->R.e[i / 3][i % 3], "%s: rel R.%d%d",
                 l->body >= 0 ? s->m->body[l->body].name : s->m->joint[l->joint].name, i / 3 + 1,
                 i % 3 + 1);
    }
  }
  me->has_position = true;
}

// (D2)  w_i = w_h + e_i qd          od_i = od_h + w_h x (o_i - o_h) (+ e_i qd)
// (D3)  al_i = al_h + w_h x e_i qd  odd_i = odd_h + al_h x r + w_h x (w_h x r) (+ 2 w_h x e_i qd)
// and e_i qdd on one of the last two, where that is asked for
static void relative_velocity(jgen* s, jgen_relative* r, int base, int link) {
  jexpr_graph* g = s->g;
  const jgen_link* l = &s->link[link];
  jgen_relative* me = &r[link];
  me->has_velocity = true;
  if (link == base) {
    me->w = me->od = me->al = me->odd = jexpr_v3_zero(g);
    return;
  }
  const jgen_relative* h = &r[l->parent];
  jexpr_v3 arm = jexpr_v3_sub(g, me->o, h->o);
  jexpr_v3 sweep = jexpr_v3_cross(g, h->w, arm);
  me->w = h->w;
  me->al = h->al;
  me->od = jexpr_v3_add(g, h->od, sweep);
  me->odd = jexpr_v3_add(
      g, h->odd, jexpr_v3_add(g, jexpr_v3_cross(g, h->al, arm), jexpr_v3_cross(g, h->w, sweep)));
  if (l->motion == JGEN_FIXED) return;
  jexpr_v3 e = jexpr_v3_scale(g, s->qd[l->coordinate], me->axis);
  jexpr_v3 turned = jexpr_v3_cross(g, h->w, e);
  if (l->motion == JGEN_TURN) {
    me->w = jexpr_v3_add(g, h->w, e);
    me->al = jexpr_v3_add(g, h->al, turned);
  } else {
    me->od = jexpr_v3_add(g, me->od, e);
    me->odd = jexpr_v3_add(g, me->odd, jexpr_v3_scale(g, jexpr_const(g, 2.0), turned));
  }
  if (s->accelerates) {
    jexpr_v3* to = l->motion == JGEN_TURN ? &me->al : &me->odd;
    *to = jexpr_v3_add(g, *to, jexpr_v3_scale(g, s->qdd[l->coordinate], me->axis));
  }
  jgen_mark_v3(s, me->w, "rel w", link);
  jgen_mark_v3(s, me->od, "rel od", link);
  jgen_mark_v3(s, me->odd, "rel odd", link);
}

// What is known of a link is known of all links between it and the base.
const jgen_relative* jgen_relative_of(jgen* s, int base, int link, bool velocity) {
  JASSERT(jgen_is_below(s, link, base));
  static const jgen_relative unknown;  // poison
  if (!s->from[base]) s->from[base] = JARENA_ARRAY(s->a, s->nlink, jgen_relative);
  jgen_relative* r = s->from[base];
  if (!r) {
    s->g->status = jerr_memory(s->ctx);
    return &unknown;
  }
  if (r[link].has_position && (!velocity || r[link].has_velocity)) return &r[link];
  const char* before = jgen_write_for(s, "kinematics");
  int n = 0;
  for (int l = link; !r[l].has_position || (velocity && !r[l].has_velocity);) {
    s->path[n++] = l;
    if (l == base) break;
    l = s->link[l].parent;
  }
  while (n > 0) {
    int l = s->path[--n];
    if (!r[l].has_position) relative_position(s, r, base, l);
    if (velocity && !r[l].has_velocity) relative_velocity(s, r, base, l);
  }
  jgen_write_for(s, before);
  return &r[link];
}

// ---- absolute motion -----------------------------------------------------------------------------

// (D7)  beta = [al]x + [w]x[w]x
static jexpr_m3 beta_of(jgen* s, jexpr_v3 w, jexpr_v3 al) {
  jexpr_graph* g = s->g;
  jexpr_m3 B;
  jexpr_ref sq[3];
  for (int i = 0; i < 3; i++) {
    sq[i] = jexpr_mul(g, w.e[i], w.e[i]);
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    jexpr_ref ww = jexpr_mul(g, w.e[j], w.e[k]);
    B.e[i][i] = jexpr_neg(g, jexpr_add(g, sq[j], sq[k]));
    B.e[j][k] = jexpr_sub(g, ww, al.e[i]);
    B.e[k][j] = jexpr_add(g, ww, al.e[i]);
  }
  return B;
}

static jexpr_v3 along(jgen* s, int axis, jexpr_ref value) {
  jexpr_v3 v = jexpr_v3_zero(s->g);
  v.e[axis] = value;
  return v;
}

// (D5)  w_i = R^T w_h + e qd           (D6)  al_i = R^T al_h + (R^T w_h) x e qd + e qdd
// (D8)  a_i = R^T (a_h + beta_h shift) (+ 2 (R^T w_h) x e qd + e qdd for a slide)
static void step_motion(jgen* s, jgen_absolute* motion, bool bias, int link) {
  jexpr_graph* g = s->g;
  const jgen_link* l = &s->link[link];
  const jgen_absolute* h = &motion[l->parent];
  jgen_absolute* me = &motion[link];
  jexpr_v3 w_h = jexpr_m3_tapply(g, &l->R, h->w);
  jexpr_v3 swept = jexpr_v3_add(g, h->a, jexpr_m3_apply(g, &h->beta, l->shift));
  me->w = w_h;
  me->al = jexpr_m3_tapply(g, &l->R, h->al);
  me->a = jexpr_m3_tapply(g, &l->R, swept);
  if (l->motion != JGEN_FIXED) {
    jexpr_v3 e = along(s, l->axis, s->qd[l->coordinate]);
    jexpr_ref qdd = s->qdd[l->coordinate];
    jexpr_v3 edd = along(s, l->axis, qdd);
    jexpr_v3 turned = jexpr_v3_cross(g, w_h, e);
    if (l->motion == JGEN_TURN) {
      me->w = jexpr_v3_add(g, w_h, e);
      me->al = jexpr_v3_add(g, me->al, jexpr_v3_add(g, turned, edd));
    } else {
      jexpr_v3 coriolis = jexpr_v3_scale(g, jexpr_const(g, 2.0), turned);
      me->a = jexpr_v3_add(g, me->a, jexpr_v3_add(g, coriolis, edd));
    }
  }
  if (bias && jgen_is_hub(s, link)) {
    // unknowns: true accelerations in hub axes; what remains at zero unknowns is gravity
    const int* of_hub = jgen_hub_at(s, link)->coordinate;
    me->al = jexpr_v3_zero(g);
    me->a = jgen_from_ground(s, link, motion[0].a);
    for (int i = 0; s->accelerates && i < 3; i++) {
      me->a.e[i] = jexpr_add(g, me->a.e[i], s->qdd[of_hub[i]]);
      me->al.e[i] = s->qdd[of_hub[3 + i]];
    }
  }
  me->beta = beta_of(s, me->w, me->al);
}

static void absolute_motion(jgen* s, jgen_absolute* motion, bool bias, int link) {
  if (link == 0) {
    jexpr_v3 zero = jexpr_v3_zero(s->g);
    motion[0].w = motion[0].al = zero;
    // an upward acceleration of the ground stands for gravity
    motion[0].a = bias ? jexpr_v3_neg(s->g, jgen_vector(s, &s->m->gravity, "gravity")) : zero;
    motion[0].beta = jexpr_m3_zero(s->g);
    return;
  }
  step_motion(s, motion, bias, link);
  if (bias && jgen_is_before_hub(s, link)) return;
  jgen_mark_v3(s, motion[link].w, "w", link);
  jgen_mark_v3(s, motion[link].al, "al", link);
  jgen_mark_v3(s, motion[link].a, "a", link);
  for (int i = 0; i < 9; i++) {
    jexpr_mark(s->g, motion[link].beta.e[i / 3][i % 3], "beta.%d%d", i / 3 + 1, i % 3 + 1);
  }
}

void jgen_absolute_motion(jgen* s, jgen_absolute* motion, bool bias, int link) {
  if (motion[link].done) return;
  const char* before = jgen_write_for(s, "kinematics");
  while (!motion[link].done) {
    // the first link on the way that can be written
    int l = link;
    while (l > 0 && !motion[s->link[l].parent].done) {
      l = s->link[l].parent;
    }
    motion[l].done = true;
    absolute_motion(s, motion, bias, l);
  }
  jgen_write_for(s, before);
}

// ---- points in the ground's frame ------------------------------------------------------------------

// Angular velocity of a link, its frame: (D5), which is known before any acceleration.
static jexpr_v3 turning_of(jgen* s, int link) {
  jexpr_graph* g = s->g;
  int n = 0;
  for (int l = link; l > 0 && !s->has_turning[l]; l = s->link[l].parent) {
    s->path[n++] = l;
  }
  if (!s->has_turning[0]) s->turning[0] = jexpr_v3_zero(g);
  s->has_turning[0] = true;
  while (n > 0) {
    const jgen_link* l = &s->link[s->path[--n]];
    jexpr_v3 w = jexpr_m3_tapply(g, &l->R, s->turning[l->parent]);
    if (l->motion == JGEN_TURN) w = jexpr_v3_add(g, w, along(s, l->axis, s->qd[l->coordinate]));
    s->turning[s->path[n]] = w;
    s->has_turning[s->path[n]] = true;
  }
  return s->turning[link];
}

// What carries a carrier; 0: the ground.
static int next_carrier(const jgen* s, int carrier) {
  return s->carrier[s->link[carrier].parent];
}

// (D23)  c on h, x and R relative to it:   R_c = R_h R      o_c = o_h + R_h x
static void stand_position(jgen* s, int carrier) {
  jexpr_graph* g = s->g;
  int next = next_carrier(s, carrier);
  const jgen_relative* k = jgen_relative_of(s, next, carrier, false);
  const jgen_stand* h = &s->stand[next];
  jgen_stand* me = &s->stand[carrier];
  me->R = next ? jexpr_m3_mul(g, &h->R, &k->R) : k->R;
  me->o = next ? jexpr_v3_add(g, h->o, jexpr_m3_apply(g, &h->R, k->o)) : k->o;
  me->has_position = true;
}

//        od_c = od_h + R_h (w_h x x + xd)      and in its own axes v_c = R^T (v_h + w_h x x + xd)
static void stand_velocity(jgen* s, int carrier) {
  jexpr_graph* g = s->g;
  int next = next_carrier(s, carrier);
  const jgen_relative* k = jgen_relative_of(s, next, carrier, true);
  const jgen_stand* h = &s->stand[next];
  jgen_stand* me = &s->stand[carrier];
  me->od = me->v = k->od;
  if (next) {
    jexpr_v3 local = jexpr_v3_add(g, jexpr_v3_cross(g, turning_of(s, next), k->o), k->od);
    me->od = jexpr_v3_add(g, h->od, jexpr_m3_apply(g, &h->R, local));
    me->v = jexpr_v3_add(g, h->v, local);
  }
  me->v = jexpr_m3_tapply(g, &k->R, me->v);
  me->has_velocity = true;
}

// How what carries a link stands and moves; all that carry it are known then.
static const jgen_stand* stand_of(jgen* s, int carrier, bool velocity) {
  jgen_stand* me = &s->stand[carrier];
  if (me->has_position && (!velocity || me->has_velocity)) return me;
  const char* before = jgen_write_for(s, "kinematics");
  while (!me->has_position || (velocity && !me->has_velocity)) {
    int c = carrier;  // the outermost that is not known yet
    for (int l = carrier; l > 0; l = next_carrier(s, l)) {
      if (!s->stand[l].has_position || (velocity && !s->stand[l].has_velocity)) c = l;
    }
    if (!s->stand[c].has_position) stand_position(s, c);
    if (velocity && !s->stand[c].has_velocity) stand_velocity(s, c);
  }
  jgen_write_for(s, before);
  return me;
}

jexpr_m3 jgen_ground_rotation(jgen* s, int link) {
  int carrier = s->carrier[link];
  const jgen_relative* k = jgen_relative_of(s, carrier, link, false);
  return carrier ? jexpr_m3_mul(s->g, &stand_of(s, carrier, false)->R, &k->R) : k->R;
}

// by way of what carries it: two products with a vector are cheaper than one of matrices
jexpr_v3 jgen_to_ground(jgen* s, int link, jexpr_v3 x) {
  int carrier = s->carrier[link];
  jexpr_v3 y = jexpr_m3_apply(s->g, &jgen_relative_of(s, carrier, link, false)->R, x);
  return carrier ? jexpr_m3_apply(s->g, &stand_of(s, carrier, false)->R, y) : y;
}

jexpr_v3 jgen_from_ground(jgen* s, int link, jexpr_v3 x) {
  int carrier = s->carrier[link];
  if (carrier) x = jexpr_m3_tapply(s->g, &stand_of(s, carrier, false)->R, x);
  return jexpr_m3_tapply(s->g, &jgen_relative_of(s, carrier, link, false)->R, x);
}

jexpr_v3 jgen_ground_position(jgen* s, int link, jexpr_v3 r) {
  jexpr_graph* g = s->g;
  int carrier = s->carrier[link];
  const jgen_relative* k = jgen_relative_of(s, carrier, link, false);
  jexpr_v3 x = jexpr_v3_add(g, k->o, jexpr_m3_apply(g, &k->R, r));
  if (!carrier) return x;
  const jgen_stand* c = stand_of(s, carrier, false);
  return jexpr_v3_add(g, c->o, jexpr_m3_apply(g, &c->R, x));
}

// w_c x x + xd      x, xd: relative to what carries it, in its frame
static jexpr_v3 velocity_on_carrier(jgen* s, int link, jexpr_v3 r) {
  jexpr_graph* g = s->g;
  int carrier = s->carrier[link];
  const jgen_relative* k = jgen_relative_of(s, carrier, link, true);
  jexpr_v3 arm = jexpr_m3_apply(g, &k->R, r);
  jexpr_v3 xd = jexpr_v3_add(g, k->od, jexpr_v3_cross(g, k->w, arm));
  if (!carrier) return xd;
  jexpr_v3 x = jexpr_v3_add(g, k->o, arm);
  return jexpr_v3_add(g, jexpr_v3_cross(g, turning_of(s, carrier), x), xd);
}

// od_c + R_c (w_c x x + xd)
jexpr_v3 jgen_ground_velocity(jgen* s, int link, jexpr_v3 r) {
  jexpr_v3 local = velocity_on_carrier(s, link, r);
  if (!s->carrier[link]) return local;
  const jgen_stand* c = stand_of(s, s->carrier[link], true);
  return jexpr_v3_add(s->g, c->od, jexpr_m3_apply(s->g, &c->R, local));
}

// ---- the same in the axes of what carries it -------------------------------------------------------

jexpr_v3 jgen_to_carrier(jgen* s, int link, jexpr_v3 x) {
  return jexpr_m3_apply(s->g, &jgen_relative_of(s, s->carrier[link], link, false)->R, x);
}

jexpr_v3 jgen_from_carrier(jgen* s, int link, jexpr_v3 x) {
  return jexpr_m3_tapply(s->g, &jgen_relative_of(s, s->carrier[link], link, false)->R, x);
}

jexpr_v3 jgen_ground_to_carrier(jgen* s, int link, jexpr_v3 x) {
  int carrier = s->carrier[link];
  return carrier ? jexpr_m3_tapply(s->g, &stand_of(s, carrier, false)->R, x) : x;
}

// v_c + w_c x x + xd
jexpr_v3 jgen_carried_velocity(jgen* s, int link, jexpr_v3 r) {
  jexpr_v3 local = velocity_on_carrier(s, link, r);
  if (!s->carrier[link]) return local;
  return jexpr_v3_add(s->g, stand_of(s, s->carrier[link], true)->v, local);
}

jexpr_v3 jgen_carried_turning(jgen* s, int link) {
  int carrier = s->carrier[link];
  return jexpr_v3_add(s->g, turning_of(s, carrier), jgen_relative_of(s, carrier, link, true)->w);
}

jexpr_v3 jgen_ground_acceleration(jgen* s, int link, jexpr_v3 r) {
  jexpr_graph* g = s->g;
  jgen_absolute_motion(s, s->abs, false, link);
  const jgen_absolute* k = &s->abs[link];
  return jgen_to_ground(s, link, jexpr_v3_add(g, k->a, jexpr_m3_apply(g, &k->beta, r)));
}
