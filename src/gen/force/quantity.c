// SPDX-License-Identifier: Apache-2.0
// Positions, motions and directions of one body as another sees them, in the axes of any.
// docs/theory/dynamics.md eqs. (Q1)-(Q7), docs/format.md:
//
//   of [.from. whom] [.in. whose axes] . component
//
// Everything is written in the axes of one link, the base: the vehicle body where all links involved hang on
// it, so that what does not depend on how the vehicle stands in space does not cost it; else the ground.
#include <stdio.h>

#include "expr/whole.h"
#include "gen/build.h"

typedef struct word {
  const char* s;
  size_t n;
} word;

static bool is(word w, const char* text) {
  return strlen(text) == w.n && memcmp(w.s, text, w.n) == 0;
}

typedef enum kind { NONE, BODY, POINT, DIRECTION } kind;

// Something fixed to a body.
typedef struct thing {
  kind kind;
  int body, link;
  jexpr_v3 r;  // the point, or a direction of length one; link frame
} thing;

typedef enum measure {
  POSITION,
  VELOCITY,
  ACCELERATION,
  DIRECTED,
  TURNS,
  TURNS_FASTER,
  ANGLE
} measure;

typedef struct question {
  word name;
  thing of, from;  // from.kind NONE: the ground
  int axes;        // body; -1: not said
  measure what;
  int k;  // component
} question;

// ---- words ---------------------------------------------------------------------------------------

static thing find_thing(jgen* s, word w) {
  thing t = {.kind = NONE};
  for (size_t n = 1; n <= w.n && t.kind == NONE; n++) {
    if (n < w.n && w.s[n] != '.') continue;
    for (int b = 0; b < s->m->nbody && t.kind == NONE; b++) {
      if (!is((word){w.s, n}, s->m->body[b].name)) continue;
      word rest = {w.s + n + 1, n < w.n ? w.n - n - 1 : 0};
      t.body = b;
      t.link = s->body[b].link;
      if (n == w.n) {
        t.kind = BODY;
      } else if (jgen_body_point(s, b, rest.s, rest.n, &t.r)) {
        t.kind = POINT;
      } else if (jgen_body_direction(s, b, rest.s, rest.n, &t.r)) {
        t.kind = DIRECTION;
      }
    }
  }
  return t;
}

static size_t find_keyword(word w, const char* keyword) {
  return jmodel_quantity_keyword(w.s, w.n, keyword);
}

static bool read_component(word field, kind of, measure* what, int* k) {
  static const char* const angle[3] = {"roll", "pitch", "yaw"};
  static const struct {
    kind of;
    const char* prefix;
    measure what;
  } list[] = {{POINT, "", POSITION},     {POINT, "v", VELOCITY}, {POINT, "a", ACCELERATION},
              {DIRECTION, "", DIRECTED}, {BODY, "w", TURNS},     {BODY, "dw", TURNS_FASTER}};
  for (*k = 0; *k < 3; ++*k) {
    *what = ANGLE;
    if (of == BODY && is(field, angle[*k])) return true;
  }
  *k = field.n > 0 ? field.s[field.n - 1] - 'x' : -1;
  for (size_t i = 0; i < sizeof list / sizeof *list && *k >= 0 && *k < 3; i++) {
    *what = list[i].what;
    if (list[i].of == of && is((word){field.s, field.n - 1}, list[i].prefix)) return true;
  }
  return false;
}

static jexpr_ref refuse(jgen* s, const question* q, word about, const char* cause) {
  s->g->status =
      jerr_set(s->ctx, JO_ERR_MODEL, "%s: '%.*s': %s%s%.*s%s", s->where, (int)q->name.n, q->name.s,
               cause, about.n > 0 ? " '" : "", (int)about.n, about.s, about.n > 0 ? "'" : "");
  return JEXPR_POISON;
}

// ---- vectors in the axes of the base -----------------------------------------------------------------

static jexpr_v3 to_base(jgen* s, int base, int link, jexpr_v3 v) {
  if (link == base) return v;
  if (base == 0) return jgen_to_ground(s, link, v);
  return jexpr_m3_apply(s->g, &jgen_relative_of(s, base, link, false)->R, v);
}

static jexpr_v3 from_base(jgen* s, int base, int link, jexpr_v3 v) {
  if (link == base) return v;
  if (base == 0) return jgen_from_ground(s, link, v);
  return jexpr_m3_tapply(s->g, &jgen_relative_of(s, base, link, false)->R, v);
}

static jexpr_v3 position(jgen* s, int base, const thing* t) {
  if (base == 0) return jgen_ground_position(s, t->link, t->r);
  const jgen_relative* k = jgen_relative_of(s, base, t->link, false);
  return jexpr_v3_add(s->g, k->o, jexpr_m3_apply(s->g, &k->R, t->r));
}

static jexpr_v3 velocity(jgen* s, int base, const thing* t) {
  if (base == 0) return jgen_ground_velocity(s, t->link, t->r);
  const jgen_relative* k = jgen_relative_of(s, base, t->link, true);
  jexpr_v3 arm = jexpr_m3_apply(s->g, &k->R, t->r);
  return jexpr_v3_add(s->g, k->od, jexpr_v3_cross(s->g, k->w, arm));
}

// Of the base: what moves with it has none.
static jexpr_v3 turning(jgen* s, int base, int link) {
  if (base != 0) return jgen_relative_of(s, base, link, true)->w;
  jgen_absolute_motion(s, s->dyn, true, link);
  return to_base(s, 0, link, s->dyn[link].w);
}

static const jgen_absolute* true_motion(jgen* s, int link) {
  jgen_absolute_motion(s, s->abs, false, link);
  return &s->abs[link];
}

static jexpr_v3 acceleration(jgen* s, int base, const thing* t) {
  const jgen_absolute* k = true_motion(s, t->link);
  jexpr_v3 a = jexpr_v3_add(s->g, k->a, jexpr_m3_apply(s->g, &k->beta, t->r));
  return to_base(s, base, t->link, a);
}

// ---- what is asked for -----------------------------------------------------------------------------

// (Q2)  v = v_P - v_Q - w_B x p
static jexpr_v3 seen_velocity(jgen* s, int base, const question* q, jexpr_v3 p) {
  jexpr_graph* g = s->g;
  jexpr_v3 v = velocity(s, base, &q->of);
  if (q->from.body == 0) return v;
  v = jexpr_v3_sub(g, v, velocity(s, base, &q->from));
  return jexpr_v3_sub(g, v, jexpr_v3_cross(g, turning(s, base, q->from.link), p));
}

// (Q3)  a = a_P - a_Q - al_B x p - w_B x (w_B x p) - 2 w_B x v
static jexpr_v3 seen_acceleration(jgen* s, int base, const question* q, jexpr_v3 p) {
  jexpr_graph* g = s->g;
  jexpr_v3 a = acceleration(s, base, &q->of);
  if (q->from.body == 0) return a;
  const jgen_absolute* k = true_motion(s, q->from.link);
  jexpr_v3 w = to_base(s, base, q->from.link, k->w), al = to_base(s, base, q->from.link, k->al);
  jexpr_v3 v = jexpr_v3_scale(g, jexpr_const(g, 2.0), seen_velocity(s, base, q, p));
  a = jexpr_v3_sub(g, a, acceleration(s, base, &q->from));
  a = jexpr_v3_sub(g, a, jexpr_v3_cross(g, al, p));
  jexpr_v3 turned = jexpr_v3_add(g, jexpr_v3_cross(g, w, p), v);
  return jexpr_v3_sub(g, a, jexpr_v3_cross(g, w, turned));
}

// (Q1)  p = r_P - r_Q, and its rates as they are seen from the body of Q
static jexpr_v3 point_vector(jgen* s, int base, const question* q) {
  jexpr_v3 p = jexpr_v3_zero(s->g);
  bool is_needed =
      q->what == POSITION || q->from.body != 0;  // rates seen from the ground do without
  if (is_needed) p = position(s, base, &q->of);
  if (is_needed && q->from.kind != NONE) p = jexpr_v3_sub(s->g, p, position(s, base, &q->from));
  if (q->what == POSITION) return p;
  return q->what == VELOCITY ? seen_velocity(s, base, q, p) : seen_acceleration(s, base, q, p);
}

// (Q4)  w = w_A - w_B        (Q5)  al = al_A - al_B - w_B x w
static jexpr_v3 turn_vector(jgen* s, int base, const question* q) {
  jexpr_graph* g = s->g;
  int a = q->of.link, b = q->from.link;
  bool seen = q->from.body != 0;
  if (q->what == TURNS && seen) {
    return jexpr_v3_sub(g, turning(s, base, a), turning(s, base, b));
  }
  if (q->what == TURNS) {
    jgen_absolute_motion(s, s->dyn, true, a);
    return to_base(s, base, a, s->dyn[a].w);
  }
  jexpr_v3 al = to_base(s, base, a, true_motion(s, a)->al);
  if (!seen) return al;
  jexpr_v3 w_a = to_base(s, base, a, s->abs[a].w);
  const jgen_absolute* k = true_motion(s, b);
  jexpr_v3 w_b = to_base(s, base, b, k->w), al_b = to_base(s, base, b, k->al);
  jexpr_v3 w = jexpr_v3_sub(g, w_a, w_b);
  return jexpr_v3_sub(g, jexpr_v3_sub(g, al, al_b), jexpr_v3_cross(g, w_b, w));
}

// How a body has turned from its design position: vehicle axes to the axes of the base.
static jexpr_m3 turned(jgen* s, int base, const thing* t) {
  jexpr_graph* g = s->g;
  const jexpr_m3* E = &s->body[t->body].E;
  jexpr_m3 C = jgen_design_orientation(s, t->body), D;
  for (int k = 0; k < 3; k++) {
    jexpr_v3 axis = {{C.e[k][0], C.e[k][1], C.e[k][2]}};  // of the vehicle, in the body's frame
    jexpr_v3 column = to_base(s, base, t->link, jexpr_m3_tapply(g, E, axis));
    for (int i = 0; i < 3; i++) {
      D.e[i][k] = column.e[i];
    }
  }
  return D;
}

// (Q6)  D = D_B^T D_A = Rz(yaw) Ry(pitch) Rx(roll)
static jexpr_ref angle(jgen* s, int base, const question* q) {
  jexpr_graph* g = s->g;
  jexpr_m3 D = turned(s, base, &q->of), B = turned(s, base, &q->from);
  B = jexpr_m3_transpose(&B);
  D = jexpr_m3_mul(g, &B, &D);
  jexpr_ref x = D.e[0][0], y = D.e[1][0], z = jexpr_neg(g, D.e[2][0]);
  if (q->k == 2) return jexpr_angle(g, y, x);
  if (q->k == 0) return jexpr_angle(g, D.e[2][1], D.e[2][2]);
  return jexpr_atan2(g, z, jexpr_sqrt(g, jexpr_add(g, jexpr_mul(g, x, x), jexpr_mul(g, y, y))));
}

static jexpr_ref answer(jgen* s, const question* q) {
  jexpr_graph* g = s->g;
  int axes = s->body[q->axes].link, of = q->of.link, from = q->from.link;
  bool seen = q->from.body != 0;
  bool is_absolute = (q->what == POSITION || q->what == VELOCITY) && !seen;
  int base = jgen_common_base(s, of, q->what == ANGLE ? from : axes);
  if (seen) base = jgen_common_base(s, base, from);
  if (is_absolute) base = 0;
  if (q->what == ANGLE) return angle(s, base, q);
  // (Q7)  components along the axes
  jexpr_v3 v;
  bool same = !seen && axes == of && (q->what == TURNS || q->what == TURNS_FASTER);
  switch (q->what) {
    case DIRECTED: v = to_base(s, base, of, q->of.r); break;
    case TURNS:
    case TURNS_FASTER: v = turn_vector(s, same ? of : base, q); break;
    default: v = point_vector(s, base, q); break;
  }
  v = from_base(s, same ? of : base, axes, v);
  return jexpr_m3_apply(g, &s->body[q->axes].E, v).e[q->k];
}

// ---- asking ----------------------------------------------------------------------------------------

// The frame of a body that spins freely is followed where more than its axis is looked at.
static void follow(jgen* s, const question* q) {
  const jgen_link* l = &s->link[q->of.link];
  bool off_axis = q->of.kind == BODY && q->what == ANGLE;
  for (int k = 0; k < 3 && q->of.kind != BODY; k++) {
    off_axis = off_axis || (k != l->axis && !jexpr_is_value(s->g, q->of.r.e[k], 0.0));
  }
  if (off_axis) jgen_want_follow(s, q->of.body);
  if (q->from.kind != NONE) jgen_want_follow(s, q->from.body);
  jgen_want_follow(s, q->axes);
}

static bool read_question(jgen* s, word name, question* q) {
  *q = (question){.name = name, .axes = -1};
  size_t in = find_keyword(name, ".in."), from = find_keyword(name, ".from.");
  if (in < from && from < name.n) return false;
  size_t dot = name.n;
  while (dot > 0 && name.s[dot - 1] != '.') {
    dot--;
  }
  if (dot < 2) return false;
  word component = {name.s + dot, name.n - dot};
  size_t end = from < name.n ? from : in < name.n ? in : dot - 1;
  q->of = find_thing(s, (word){name.s, end});
  if (q->of.kind == NONE) return false;
  if (!read_component(component, q->of.kind, &q->what, &q->k)) {
    if (in == name.n && from == name.n) return false;
    refuse(s, q, component, "there is no component");
    return true;
  }
  if (from < name.n) {
    size_t start = from + strlen(".from.");
    word whom = {name.s + start, (in < name.n ? in : dot - 1) - start};
    q->from = find_thing(s, whom);
    if (q->from.kind != BODY && q->from.kind != POINT)
      refuse(s, q, whom, "there is no body or point");
  }
  if (in < name.n) {
    word whose = {name.s + in + 4, dot - 1 - (in + 4)};
    thing t = find_thing(s, whose);
    if (t.kind != BODY) refuse(s, q, whose, "there is no body");
    q->axes = t.body;
  }
  return true;
}

// What of the question makes no sense; NULL: it does.
static const char* nonsense(const question* q) {
  bool is_turn = q->what == TURNS || q->what == TURNS_FASTER || q->what == ANGLE;
  if (q->what == DIRECTED && q->from.kind != NONE) {
    return "a direction is not from anything; leave '.from.' out";
  }
  if (is_turn && q->from.kind == POINT) return "bodies turn, not points; write '.from.body'";
  if (q->what == ANGLE && q->axes >= 0) return "angles are not along axes; leave '.in.' out";
  return NULL;
}

jexpr_ref jgen_quantity(jgen* s, const char* name, size_t n) {
  question q;
  if (!read_question(s, (word){name, n}, &q) || s->g->status < 0) return JEXPR_POISON;
  const char* cause = nonsense(&q);
  if (cause) return refuse(s, &q, (word){"", 0}, cause);
  if (q.axes < 0) q.axes = q.from.kind != NONE ? q.from.body : q.of.kind == BODY ? q.of.body : 0;
  bool is_rate = q.what == VELOCITY || q.what == TURNS;
  if (is_rate && s->stage < JGEN_AT_VELOCITY) return jgen_not_yet(s, name, n, "a velocity");
  bool is_second = q.what == ACCELERATION || q.what == TURNS_FASTER;
  if (is_second && s->stage < JGEN_AT_ACCELERATION)
    return jgen_not_yet(s, name, n, "an acceleration");
  if (q.from.kind == BODY) {
    q.from.kind = POINT;
    jgen_body_point(s, q.from.body, "origin", 6, &q.from.r);
  }
  follow(s, &q);
  return answer(s, &q);
}
