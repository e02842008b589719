// SPDX-License-Identifier: Apache-2.0
// Loop closures: residuals, Jacobian rows and quadratic velocity terms, written in the frame of the base of
// both bodies, the nearest link that carries them. Every type is made of differences of points and of scalar products.
// docs/theory/dynamics.md eqs. (L1)-(L5), (L7).
#include <math.h>
#include <stdio.h>

#include "gen/build.h"

// A vector that moves with the coordinates: x, its derivative by each coordinate, its velocity, and
// its acceleration without the terms in qdd.
typedef struct moving {
  jexpr_v3 x;
  jexpr_v3* by_q;  // (ncoordinate)
  jexpr_v3 xd, xdd;
  int npart;  // what it hangs on: points with a sign, or a direction
  struct part {
    int link;
    jexpr_v3 r, x;  // in the link's frame, and in the base's
    double sign;
    bool is_direction;
  } part[2];
} moving;

typedef struct writer {
  jgen* s;
  bool velocity;
  jgen_row* rows;
  int n, cap;
  const char* name;
  int closure, base;  // being written
  int first;          // its first equation
} writer;

static bool make_moving(writer* w, moving* v) {
  jgen* s = w->s;
  v->by_q = JARENA_ARRAY(s->a, s->m->ncoordinate, jexpr_v3);
  for (int i = 0; v->by_q && i < s->m->ncoordinate; i++) {
    v->by_q[i] = jexpr_v3_zero(s->g);
  }
  v->x = v->xd = v->xdd = jexpr_v3_zero(s->g);
  v->npart = 0;
  return v->by_q != NULL;
}

// (L1)  point: dx/dq_j = e_j x (x - o_j) for a turn, e_j for a slide, along the path to the base
static bool moving_point(writer* w, int base, const jmodel_point* p, moving* v) {
  jgen* s = w->s;
  jexpr_graph* g = s->g;
  if (!make_moving(w, v)) return false;
  int link = s->body[p->body].link;
  const jgen_relative* k = jgen_relative_of(s, base, link, w->velocity);
  jexpr_v3 r = jgen_point_in_link(s, p), arm = jexpr_m3_apply(g, &k->R, r);
  v->x = jexpr_v3_add(g, k->o, arm);
  v->part[v->npart++] = (struct part){link, r, v->x, 1.0, false};
  for (int l = link; l != base; l = s->link[l].parent) {
    const jgen_relative* j = jgen_relative_of(s, base, l, false);
    if (s->link[l].motion == JGEN_FIXED) continue;
    v->by_q[s->link[l].coordinate] = s->link[l].motion == JGEN_SLIDE
                                         ? j->axis
                                         : jexpr_v3_cross(g, j->axis, jexpr_v3_sub(g, v->x, j->o));
  }
  if (w->velocity) {
    jexpr_v3 sweep = jexpr_v3_cross(g, k->w, arm);
    v->xd = jexpr_v3_add(g, k->od, sweep);
    v->xdd = jexpr_v3_add(
        g, k->odd, jexpr_v3_add(g, jexpr_v3_cross(g, k->al, arm), jexpr_v3_cross(g, k->w, sweep)));
  }
  return true;
}

// (L2)  direction: dx/dq_j = e_j x x for a turn
static bool moving_direction(writer* w, int base, int link, jexpr_v3 in_link, moving* v) {
  jgen* s = w->s;
  jexpr_graph* g = s->g;
  if (!make_moving(w, v)) return false;
  const jgen_relative* k = jgen_relative_of(s, base, link, w->velocity);
  v->x = jexpr_m3_apply(g, &k->R, in_link);
  v->part[v->npart++] = (struct part){link, jexpr_v3_zero(g), v->x, 1.0, true};
  for (int l = link; l != base; l = s->link[l].parent) {
    if (s->link[l].motion != JGEN_TURN) continue;
    jexpr_v3 axis = jgen_relative_of(s, base, l, false)->axis;
    v->by_q[s->link[l].coordinate] = jexpr_v3_cross(g, axis, v->x);
  }
  if (w->velocity) {
    v->xd = jexpr_v3_cross(g, k->w, v->x);
    v->xdd = jexpr_v3_add(g, jexpr_v3_cross(g, k->al, v->x), jexpr_v3_cross(g, k->w, v->xd));
  }
  return true;
}

static bool difference(writer* w, const moving* a, const moving* b, moving* out) {
  jexpr_graph* g = w->s->g;
  if (!make_moving(w, out)) return false;
  out->part[0] = a->part[0];
  out->part[1] = b->part[0];
  out->part[1].sign = -1.0;
  out->npart = 2;
  out->x = jexpr_v3_sub(g, a->x, b->x);
  out->xd = jexpr_v3_sub(g, a->xd, b->xd);
  out->xdd = jexpr_v3_sub(g, a->xdd, b->xdd);
  for (int i = 0; i < w->s->m->ncoordinate; i++) {
    out->by_q[i] = jexpr_v3_sub(g, a->by_q[i], b->by_q[i]);
  }
  return true;
}

static jgen_row* new_row(writer* w) {
  jgen* s = w->s;
  if (w->n == w->cap) return NULL;
  jgen_row* r = &w->rows[w->n];
  r->J = JARENA_ARRAY(s->a, s->m->ncoordinate, jexpr_ref);
  r->name = jarena_printf(s->a, "%s.%d", w->name, w->n - w->first + 1);
  if (!r->J || !r->name) return NULL;
  w->n++;
  return r;
}

// h has gradient G by the vector v: forces sign G on its points, moment x X G on its direction
static void put_push(writer* w, jgen_row* r, const moving* v, jexpr_v3 G) {
  jexpr_graph* g = w->s->g;
  r->closure = w->closure;
  r->coupling = -1;
  r->base = w->base;
  for (int i = 0; i < v->npart; i++) {
    const struct part* p = &v->part[i];
    jexpr_v3 zero = jexpr_v3_zero(g), f = jexpr_v3_scale(g, jexpr_const(g, p->sign), G);
    r->push[r->npush++] = p->is_direction
                              ? (jgen_push){p->link, zero, zero, jexpr_v3_cross(g, v->x, G)}
                              : (jgen_push){p->link, p->r, f, zero};
  }
}

static void mark_row(writer* w, jgen_row* r) {
  if (!w->velocity) return;
  jexpr_graph* g = w->s->g;
  jexpr_mark(g, r->h, "%s: h", r->name);
  jexpr_mark(g, r->bias, "%s: bias", r->name);
  for (int i = 0; i < w->s->m->ncoordinate; i++) {
    jexpr_mark(g, r->J[i], "%s: J %s", r->name, w->s->m->coordinate[i].name);
  }
}

// (L3)  h = x_c                    one component of a difference of points
static bool put_component(writer* w, const moving* v, int c) {
  jgen_row* r = new_row(w);
  if (!r) return false;
  r->h = v->x.e[c];
  jexpr_v3 along = jexpr_v3_zero(w->s->g);
  along.e[c] = w->s->one;
  put_push(w, r, v, along);
  r->bias = v->xdd.e[c];
  for (int i = 0; i < w->s->m->ncoordinate; i++) {
    r->J[i] = v->by_q[i].e[c];
  }
  mark_row(w, r);
  return true;
}

// (L4)  h = a.b     J = a_q.b + a.b_q     bias = a''.b + 2 a'.b' + a.b''
static bool put_product(writer* w, const moving* a, const moving* b) {
  jexpr_graph* g = w->s->g;
  jgen_row* r = new_row(w);
  if (!r) return false;
  r->h = jexpr_v3_dot(g, a->x, b->x);
  put_push(w, r, a, b->x);
  put_push(w, r, b, a->x);
  jexpr_ref twice = jexpr_mul(g, jexpr_const(g, 2.0), jexpr_v3_dot(g, a->xd, b->xd));
  r->bias = jexpr_add(g, jexpr_add(g, jexpr_v3_dot(g, a->xdd, b->x), twice),
                      jexpr_v3_dot(g, a->x, b->xdd));
  for (int i = 0; i < w->s->m->ncoordinate; i++) {
    r->J[i] = jexpr_add(g, jexpr_v3_dot(g, a->by_q[i], b->x), jexpr_v3_dot(g, a->x, b->by_q[i]));
  }
  mark_row(w, r);
  return true;
}

// What a force u on one of its points does along the coordinates: u . dx/dq_j = e_j . ((x - o_j) x u) for a turn. Turns
// about one point share the moment.
static void add_columns(writer* w, const struct part* p, jexpr_v3 u, jexpr_ref* J) {
  jgen* s = w->s;
  jexpr_graph* g = s->g;
  for (int l = p->link; l != w->base; l = s->link[l].parent) {
    if (s->link[l].motion == JGEN_FIXED) continue;
    const jgen_relative* k = jgen_relative_of(s, w->base, l, false);
    jexpr_v3 along = u;
    if (s->link[l].motion == JGEN_TURN) {
      along = jexpr_v3_cross(g, jexpr_v3_sub(g, p->x, k->o), u);
    }
    jexpr_ref* to = &J[s->link[l].coordinate];
    jexpr_ref own = jexpr_v3_dot(g, k->axis, along);
    *to = p->sign > 0.0 ? jexpr_add(g, *to, own) : jexpr_sub(g, *to, own);
  }
}

// u . x'' of one of its points: x'' = o'' + al x r + w x (w x r), r = x - o;   u . (al x r) = al . (r x u)
static jexpr_ref acceleration_along(writer* w, const struct part* p, jexpr_v3 u) {
  jexpr_graph* g = w->s->g;
  const jgen_relative* k = jgen_relative_of(w->s, w->base, p->link, true);
  jexpr_v3 arm = jexpr_v3_sub(g, p->x, k->o), sweep = jexpr_v3_cross(g, k->w, arm);
  jexpr_v3 a = jexpr_v3_add(g, k->odd, jexpr_v3_cross(g, k->w, sweep));
  jexpr_ref turned = jexpr_v3_dot(g, k->al, jexpr_v3_cross(g, arm, u));
  return jexpr_add(g, jexpr_v3_dot(g, u, a), turned);
}

// (L5)  h = (x.x / L - L) / 2      residual of a length, to first order
//       J = u.x_q      bias = x'.x'/L + u.x''      u = x / L
static bool put_length(writer* w, const moving* v, jexpr_ref L) {
  jexpr_graph* g = w->s->g;
  jgen_row* r = new_row(w);
  if (!r) return false;
  jexpr_ref inverse = jexpr_div(g, jexpr_const(g, 1.0), L);
  jexpr_v3 u = jexpr_v3_scale(g, inverse, v->x);
  put_push(w, r, v, u);
  jexpr_ref xx = jexpr_v3_dot(g, v->x, v->x);
  r->h = jexpr_mul(g, jexpr_const(g, 0.5), jexpr_sub(g, jexpr_mul(g, xx, inverse), L));
  for (int i = 0; i < w->s->m->ncoordinate; i++) {
    r->J[i] = w->s->zero;
  }
  for (int k = 0; k < v->npart; k++) {
    add_columns(w, &v->part[k], u, r->J);
  }
  if (w->velocity) r->bias = jexpr_mul(g, inverse, jexpr_v3_dot(g, v->xd, v->xd));
  for (int k = 0; k < v->npart && w->velocity; k++) {
    jexpr_ref own = acceleration_along(w, &v->part[k], u);
    r->bias = v->part[k].sign > 0.0 ? jexpr_add(g, r->bias, own) : jexpr_sub(g, r->bias, own);
  }
  mark_row(w, r);
  return true;
}

// (L7)  h_i = 2 n_i/d, n_i = a_k.b_j - a_j.b_k, d = 1 + a_1.b_1 + a_2.b_2 + a_3.b_3: twice the tangent of half the angle
// by which b is turned against a, about axis i. Half a turn is no zero of it, as it is of n_i.
//   J = (2 n_q - h d_q)/d      bias = 2 n''/d, since h = h' = 0; with the terms in qdd: and - h d_q qdd/d
static bool put_turn(writer* w, const moving a[3], const moving b[3], int i) {
  jexpr_graph* g = w->s->g;
  jgen_row* r = new_row(w);
  if (!r) return false;
  int j = (i + 1) % 3, k = (i + 2) % 3;
  const moving* from[2][2] = {{&a[k], &b[j]}, {&a[j], &b[k]}};
  jexpr_ref n[2], bias[2], d = w->s->one, two = jexpr_const(g, 2.0);
  for (int m = 0; m < 3; m++) {
    d = jexpr_add(g, d, jexpr_v3_dot(g, a[m].x, b[m].x));
  }
  jexpr_ref f = jexpr_div(g, two, d);
  for (int m = 0; m < 2; m++) {
    const moving *x = from[m][0], *y = from[m][1];
    n[m] = jexpr_v3_dot(g, x->x, y->x);
    jexpr_ref twice = jexpr_mul(g, two, jexpr_v3_dot(g, x->xd, y->xd));
    bias[m] = jexpr_add(g, jexpr_add(g, jexpr_v3_dot(g, x->xdd, y->x), twice),
                        jexpr_v3_dot(g, x->x, y->xdd));
    jexpr_ref sign = m == 0 ? f : jexpr_neg(g, f);
    put_push(w, r, x, jexpr_v3_scale(g, sign, y->x));
    put_push(w, r, y, jexpr_v3_scale(g, sign, x->x));
  }
  r->h = jexpr_mul(g, f, jexpr_sub(g, n[0], n[1]));
  r->bias = jexpr_mul(g, f, jexpr_sub(g, bias[0], bias[1]));
  jexpr_ref half = jexpr_mul(g, jexpr_const(g, 0.5), r->h);
  for (int q = 0; q < w->s->m->ncoordinate; q++) {
    jexpr_ref by[2], dq = w->s->zero;
    for (int m = 0; m < 2; m++) {
      const moving *x = from[m][0], *y = from[m][1];
      by[m] = jexpr_add(g, jexpr_v3_dot(g, x->by_q[q], y->x), jexpr_v3_dot(g, x->x, y->by_q[q]));
    }
    for (int m = 0; m < 3; m++) {
      dq = jexpr_add(g, dq, jexpr_v3_dot(g, a[m].by_q[q], b[m].x));
      dq = jexpr_add(g, dq, jexpr_v3_dot(g, a[m].x, b[m].by_q[q]));
    }
    jexpr_ref nq = jexpr_sub(g, by[0], by[1]), off = jexpr_mul(g, half, dq);
    r->J[q] = jexpr_mul(g, f, jexpr_sub(g, nq, off));
    if (w->s->accelerates) {
      jexpr_ref more = jexpr_mul(g, f, jexpr_mul(g, off, w->s->qdd[q]));
      r->bias = jexpr_sub(g, r->bias, more);
    }
  }
  r->is_turn = true;
  mark_row(w, r);
  return true;
}

// The axes of the vehicle as they are fixed to a body in the design position.
static bool moving_frame(writer* w, int base, int body, moving v[3]) {
  jgen* s = w->s;
  jexpr_m3 E = jgen_vehicle_axes_in_link(s, body);
  for (int k = 0; k < 3; k++) {
    jexpr_v3 e = {{E.e[0][k], E.e[1][k], E.e[2][k]}};
    if (!moving_direction(w, base, s->body[body].link, e, &v[k])) return false;
  }
  return true;
}

// two bodies turned to each other as in the design position
static bool put_locked(writer* w, int base, int body_a, int body_b) {
  moving a[3], b[3];
  if (!moving_frame(w, base, body_a, a) || !moving_frame(w, base, body_b, b)) return false;
  for (int i = 0; i < 3; i++) {
    if (!put_turn(w, a, b, i)) return false;
  }
  return true;
}

// Two directions of a link across a given one.
static void across(jgen* s, jexpr_v3 u, jexpr_v3 n[2]) {
  jexpr_graph* g = s->g;
  int k = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(jgen_value(s, u.e[i])) < fabs(jgen_value(s, u.e[k]))) k = i;
  }
  jexpr_v3 e = jexpr_v3_zero(g);
  e.e[k] = s->one;
  n[0] = jexpr_v3_cross(g, u, e);
  jexpr_ref length = jexpr_v3_norm(g, n[0]);
  n[0] = jexpr_v3_scale(g, jexpr_div(g, s->one, length), n[0]);
  n[1] = jexpr_v3_cross(g, u, n[0]);
}

// a direction across `u` (fixed to its body) times the vector v, twice
static bool put_across(writer* w, int base, const jmodel_vector* u, const moving* v) {
  jgen* s = w->s;
  jexpr_v3 n[2];
  across(s, jgen_direction_in_link(s, u), n);
  for (int i = 0; i < 2; i++) {
    moving d;
    if (!moving_direction(w, base, s->body[u->body].link, n[i], &d)) return false;
    if (!put_product(w, &d, v)) return false;
  }
  return true;
}

static jexpr_ref length_of(writer* w, const jmodel_closure* c) {
  jgen* s = w->s;
  if (c->has_length) return jgen_scalar(s, &c->length, "length");
  // not given: the distance at the design position, all coordinates as they stand there
  const jmodel_point* end[2] = {&c->a, &c->b};
  jexpr_v3 r[2];
  for (int i = 0; i < 2; i++) {
    r[i] = jgen_vector(s, &end[i]->r, end[i]->name);
    if (end[i]->in_vehicle || end[i]->body == 0 || !s->m->body[end[i]->body].has_frame) continue;
    jerr_set(s->ctx, JO_ERR_MODEL, "%s:%d: closure '%s': length is needed; give length: in metres",
             c->place.file, c->place.line, c->name);
    s->g->status = JO_ERR_MODEL;
  }
  return jexpr_v3_norm(s->g, jexpr_v3_sub(s->g, r[0], r[1]));
}

static bool put_coincident(writer* w, const moving* ab) {
  for (int i = 0; i < 3; i++) {
    if (!put_component(w, ab, i)) return false;
  }
  return true;
}

// u, or v, as it moves with its body.
static bool moving_axis(writer* w, int base, const jmodel_vector* axis, moving* v) {
  jgen* s = w->s;
  jexpr_v3 in_link = jgen_direction_in_link(s, axis);
  return moving_direction(w, base, s->body[axis->body].link, in_link, v);
}

// Conditions on points: `ab` leads from a to b.
static bool put_points(writer* w, const jmodel_closure* c, unsigned conditions, int base,
                       const moving* ab) {
  moving u;
  if ((conditions & JMODEL_MEET) && !put_coincident(w, ab)) return false;
  if ((conditions & JMODEL_ON_LINE) && !put_across(w, base, &c->u, ab)) return false;
  if (conditions & JMODEL_IN_PLANE) {
    if (!moving_axis(w, base, &c->u, &u) || !put_product(w, &u, ab)) return false;
  }
  return !(conditions & JMODEL_APART) || put_length(w, ab, length_of(w, c));
}

// Conditions on directions. `first` is held, its directions across are taken along.
static bool put_directions(writer* w, const jmodel_closure* c, unsigned conditions, int base,
                           const jmodel_vector* first, const jmodel_vector* second) {
  moving u, v;
  if (conditions & JMODEL_ALONG) {
    if (!moving_axis(w, base, second, &v) || !put_across(w, base, first, &v)) return false;
  }
  if (conditions & JMODEL_ACROSS) {
    if (!moving_axis(w, base, &c->u, &u) || !moving_axis(w, base, &c->v, &v)) return false;
    if (!put_product(w, &u, &v)) return false;
  }
  return !(conditions & JMODEL_LOCKED) || put_locked(w, base, c->a.body, c->b.body);
}

static bool put_closure(writer* w, const jmodel_closure* c) {
  jgen* s = w->s;
  const jmodel_closure_class* class_ = jmodel_closure_class_of(c->type);
  int la = s->body[c->a.body].link, lb = s->body[c->b.body].link,
      base = jgen_common_base(s, la, lb);
  moving a, b, ab;
  w->name = c->name;
  w->closure = (int)(c - s->m->closure);
  w->base = base;
  w->first = w->n;
  if (class_->ends == JMODEL_ENDS_VECTORS) {
    return put_directions(w, c, class_->conditions, base, &c->v, &c->u);
  }
  if (!moving_point(w, base, &c->a, &a) || !moving_point(w, base, &c->b, &b)) return false;
  if (!difference(w, &b, &a, &ab)) return false;
  return put_points(w, c, class_->conditions, base, &ab) &&
         put_directions(w, c, class_->conditions, base, &c->u, &c->v);
}

jo_status jgen_closures(jgen* s, bool velocity, jgen_row** rows, int* n) {
  writer w = {.s = s, .velocity = velocity};
  const char* before = jgen_write_for(s, "closures");
  for (int i = 0; i < s->m->nclosure; i++) {
    w.cap += jmodel_closure_equations(jmodel_closure_class_of(s->m->closure[i].type));
  }
  int ncoupling = jgen_coupling_count(s->m);
  w.rows = JARENA_ARRAY(s->a, w.cap + ncoupling, jgen_row);
  if (!w.rows) return jerr_memory(s->ctx);
  for (int i = 0; i < s->m->nclosure; i++) {
    if (!put_closure(&w, &s->m->closure[i]) && s->g->status == JO_OK) return jerr_memory(s->ctx);
  }
  if (!jgen_couplings(s, w.rows + w.n) && s->g->status == JO_OK) {
    return jerr_memory(s->ctx);
  }
  jgen_write_for(s, before);
  *rows = w.rows;
  *n = w.n + ncoupling;
  return s->g->status;
}
