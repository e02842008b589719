// SPDX-License-Identifier: Apache-2.0
// Any attitude by angles that begin anew. docs/theory/attitude.md eqs. (A4)-(A10).
#include "gen/tree/attitude.h"

#include "gen/loop/reduction.h"
#include "gen/switch/events.h"

#define LIMIT 1.0  // of the middle angle [rad]: where it would lock is pi/2

// A joint's turns: coordinates, axes i, j, k in their order, and whether these are right-handed.
typedef struct turns {
  const jmodel_joint* joint;
  int first;  // coordinate
  int i, j, k;
  bool is_right;  // e_i x e_j = e_k, else -e_k
} turns;

static turns turns_of(const jmodel_joint* j) {
  turns t = {j, j->first_coordinate + j->ncoordinate - 3, j->turn[0], j->turn[1], j->turn[2], 0};
  t.is_right = (t.i + 1) % 3 == t.j;
  return t;
}

// epsilon x
static jexpr_ref handed(jgen* s, const turns* t, jexpr_ref x) {
  return t->is_right ? x : jexpr_neg(s->g, x);
}

static jexpr_v3 row(const jexpr_m3* A, int i) {
  return (jexpr_v3){{A->e[i][0], A->e[i][1], A->e[i][2]}};
}

// ---- where the turns count from ------------------------------------------------------------------

typedef struct quaternion {
  jexpr_ref e[4];  // scalar first
} quaternion;

// The turn by an angle about coordinate axis k.
static quaternion about(jgen* s, int k, jexpr_ref angle) {
  jexpr_ref half = jexpr_mul(s->g, jexpr_const(s->g, 0.5), angle);
  quaternion q = {{jexpr_cos(s->g, half), s->zero, s->zero, s->zero}};
  q.e[1 + k] = jexpr_sin(s->g, half);
  return q;
}

static quaternion product(jgen* s, const quaternion* a, const quaternion* b) {
  jexpr_graph* g = s->g;
  jexpr_v3 u = {{a->e[1], a->e[2], a->e[3]}}, v = {{b->e[1], b->e[2], b->e[3]}};
  jexpr_v3 w = jexpr_v3_cross(g, u, v);
  w = jexpr_v3_add(g, w, jexpr_v3_scale(g, a->e[0], v));
  w = jexpr_v3_add(g, w, jexpr_v3_scale(g, b->e[0], u));
  jexpr_ref scalar = jexpr_sub(g, jexpr_mul(g, a->e[0], b->e[0]), jexpr_v3_dot(g, u, v));
  return (quaternion){{scalar, w.e[0], w.e[1], w.e[2]}};
}

// (A5)  of three turns
static quaternion of_turns(jgen* s, const turns* t, const jexpr_ref angle[3]) {
  quaternion a = about(s, t->i, angle[0]), b = about(s, t->j, angle[1]);
  quaternion c = about(s, t->k, angle[2]), ab = product(s, &a, &b);
  return product(s, &ab, &c);
}

static quaternion normalised(jgen* s, const quaternion* q) {
  jexpr_graph* g = s->g;
  jexpr_ref sum = s->zero;
  quaternion out;
  for (int i = 0; i < 4; i++) {
    sum = jexpr_add(g, sum, jexpr_mul(g, q->e[i], q->e[i]));
  }
  jexpr_ref over = jexpr_div(g, s->one, jexpr_sqrt(g, sum));
  for (int i = 0; i < 4; i++) {
    out.e[i] = jexpr_mul(g, q->e[i], over);
  }
  return out;
}

// (A4)
static jexpr_m3 matrix_of(jgen* s, const quaternion* q) {
  jexpr_graph* g = s->g;
  jexpr_ref two = jexpr_const(g, 2.0);
  jexpr_m3 R;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    jexpr_ref x = q->e[1 + i], y = q->e[1 + j], z = q->e[1 + k], w = q->e[0];
    jexpr_ref squares = jexpr_add(g, jexpr_mul(g, y, y), jexpr_mul(g, z, z));
    jexpr_ref xy = jexpr_mul(g, x, y), wz = jexpr_mul(g, w, z);
    R.e[i][i] = jexpr_sub(g, s->one, jexpr_mul(g, two, squares));
    R.e[i][j] = jexpr_mul(g, two, jexpr_sub(g, xy, wz));
    R.e[j][i] = jexpr_mul(g, two, jexpr_add(g, xy, wz));
  }
  return R;
}

static void start_angles(jgen* s, const turns* t, jexpr_ref angle[3]) {
  for (int i = 0; i < 3; i++) {
    angle[i] = jgen_scalar(s, &t->joint->start[i], t->joint->angle[i]);
  }
}

// Quaternion and first and third angle where the turns count from.
static quaternion base_of(jgen* s, const turns* t, jexpr_ref outer[2]) {
  if (s->z) {
    const jexpr_ref* z = s->z + t->joint->first_state;
    outer[0] = z[4];
    outer[1] = z[5];
    return (quaternion){{z[0], z[1], z[2], z[3]}};
  }
  jexpr_ref angle[3];
  start_angles(s, t, angle);
  outer[0] = angle[0];
  outer[1] = angle[2];
  return of_turns(s, t, angle);
}

jexpr_m3 jgen_attitude_base(jgen* s, const jmodel_joint* j) {
  turns t = turns_of(j);
  jexpr_ref outer[2];
  quaternion q = base_of(s, &t, outer);
  return matrix_of(s, &q);
}

jexpr_ref jgen_attitude_start(jgen* s, int state) {
  for (int i = 0; i < s->m->njoint; i++) {
    const jmodel_joint* j = &s->m->joint[i];
    int k = state - j->first_state;
    if (!j->is_any || k < 0 || k >= JMODEL_ATTITUDE_STATES) continue;
    turns t = turns_of(j);
    jexpr_ref angle[3];
    start_angles(s, &t, angle);
    quaternion q = of_turns(s, &t, angle);
    return k < 4 ? q.e[k] : angle[k == 4 ? 0 : 2];
  }
  return JEXPR_POISON;
}

// ---- motion of the child against the parent ------------------------------------------------------

// (A1)  R = R_i R_j R_k, columns of Phi in the child's axes: A = R^T e_i, B = R_k^T e_j, C = e_k
typedef struct columns {
  jexpr_v3 A, B, C;
} columns;

static jexpr_m3 turned(jgen* s, const turns* t) {
  jexpr_graph* g = s->g;
  jexpr_m3 Ri = jexpr_m3_rotation(g, t->i, s->q[t->first]);
  jexpr_m3 Rj = jexpr_m3_rotation(g, t->j, s->q[t->first + 1]);
  jexpr_m3 Rk = jexpr_m3_rotation(g, t->k, s->q[t->first + 2]);
  jexpr_m3 R = jexpr_m3_mul(g, &Ri, &Rj);
  return jexpr_m3_mul(g, &R, &Rk);
}

static jexpr_v3 unit(jgen* s, int k) {
  jexpr_v3 e = jexpr_v3_zero(s->g);
  e.e[k] = s->one;
  return e;
}

static columns columns_of_turns(jgen* s, const turns* t) {
  jexpr_graph* g = s->g;
  jexpr_m3 Rj = jexpr_m3_rotation(g, t->j, s->q[t->first + 1]);
  jexpr_m3 Rk = jexpr_m3_rotation(g, t->k, s->q[t->first + 2]);
  jexpr_m3 R = jexpr_m3_mul(g, &Rj, &Rk);
  return (columns){row(&R, t->i), row(&Rk, t->j), unit(s, t->k)};
}

// (A2)  w = Phi qd      (A3)  al = Phi qdd + A qd_1 x B qd_2 + (A qd_1 + B qd_2) x C qd_3
static jexpr_v3 combine(jgen* s, const columns* c, const jexpr_ref x[3]) {
  jexpr_graph* g = s->g;
  jexpr_v3 v = jexpr_v3_add(g, jexpr_v3_scale(g, x[0], c->A), jexpr_v3_scale(g, x[1], c->B));
  return jexpr_v3_add(g, v, jexpr_v3_scale(g, x[2], c->C));
}

static jexpr_v3 quadratic(jgen* s, const columns* c, const jexpr_ref qd[3]) {
  jexpr_graph* g = s->g;
  jexpr_v3 A = jexpr_v3_scale(g, qd[0], c->A), B = jexpr_v3_scale(g, qd[1], c->B);
  jexpr_v3 C = jexpr_v3_scale(g, qd[2], c->C), AB = jexpr_v3_add(g, A, B);
  return jexpr_v3_add(g, jexpr_v3_cross(g, A, B), jexpr_v3_cross(g, AB, C));
}

// ---- angles of the whole rotation ----------------------------------------------------------------

// (A7)  P = R0 R, and of its angles cos b, which is zero where they lock
typedef struct whole {
  jexpr_m3 P;
  jexpr_ref cosine;
  jexpr_ref outer[2];
} whole;

static whole whole_of(jgen* s, const turns* t) {
  jexpr_graph* g = s->g;
  whole w;
  quaternion q = base_of(s, t, w.outer);
  jexpr_m3 R0 = matrix_of(s, &q), R = turned(s, t);
  w.P = jexpr_m3_mul(g, &R0, &R);
  jexpr_ref x = w.P.e[t->i][t->i], y = w.P.e[t->i][t->j];
  w.cosine = jexpr_sqrt(g, jexpr_add(g, jexpr_mul(g, x, x), jexpr_mul(g, y, y)));
  return w;
}

// (A8)  the angle of (cosine, sine) that is nearest to another
static jexpr_ref nearest(jgen* s, jexpr_ref sine, jexpr_ref cosine, jexpr_ref to) {
  jexpr_graph* g = s->g;
  jexpr_ref st = jexpr_sin(g, to), ct = jexpr_cos(g, to);
  jexpr_ref y = jexpr_sub(g, jexpr_mul(g, sine, ct), jexpr_mul(g, cosine, st));
  jexpr_ref x = jexpr_add(g, jexpr_mul(g, cosine, ct), jexpr_mul(g, sine, st));
  return jexpr_add(g, to, jexpr_atan2(g, y, x));
}

// (A7)  sin b = eps P_ik,  tan a = -eps P_jk / P_kk,  tan c = -eps P_ij / P_ii
static jexpr_ref angle_of(jgen* s, const turns* t, const whole* w, int which) {
  jexpr_graph* g = s->g;
  const jexpr_m3* P = &w->P;
  if (which == 1) return jexpr_atan2(g, handed(s, t, P->e[t->i][t->k]), w->cosine);
  bool first = which == 0;
  jexpr_ref sine = first ? P->e[t->j][t->k] : P->e[t->i][t->j];
  jexpr_ref cosine = first ? P->e[t->k][t->k] : P->e[t->i][t->i];
  jexpr_ref from = jexpr_add(g, w->outer[first ? 0 : 1], s->q[t->first + which]);
  return nearest(s, jexpr_neg(g, handed(s, t, sine)), cosine, from);
}

// (A9)  Phi^-1 of the whole rotation
static void to_angles(jgen* s, const turns* t, const whole* w, jexpr_v3 x, jexpr_ref out[3]) {
  jexpr_graph* g = s->g;
  jexpr_ref ii = w->P.e[t->i][t->i], ij = w->P.e[t->i][t->j], ik = w->P.e[t->i][t->k];
  jexpr_ref xi = x.e[t->i], xj = x.e[t->j];
  jexpr_ref a = jexpr_add(g, jexpr_mul(g, ii, xi), jexpr_mul(g, ij, xj));
  jexpr_ref b = jexpr_sub(g, jexpr_mul(g, ii, xj), jexpr_mul(g, ij, xi));
  out[0] = jexpr_div(g, a, jexpr_mul(g, w->cosine, w->cosine));
  out[1] = jexpr_div(g, b, w->cosine);
  out[2] = jexpr_sub(g, x.e[t->k], jexpr_mul(g, ik, out[0]));
}

static columns columns_of_whole(jgen* s, const turns* t, const whole* w) {
  jexpr_graph* g = s->g;
  columns c = {row(&w->P, t->i), jexpr_v3_zero(g), unit(s, t->k)};
  c.B.e[t->i] = jexpr_neg(g, jexpr_div(g, w->P.e[t->i][t->j], w->cosine));
  c.B.e[t->j] = jexpr_div(g, w->P.e[t->i][t->i], w->cosine);
  return c;
}

static const jmodel_joint* joint_with(jgen* s, const char* name, size_t n, int* which) {
  int j = jmodel_find_attitude(s->m, name, n, which);
  return j >= 0 ? &s->m->joint[j] : NULL;
}

jexpr_ref jgen_attitude_angle(jgen* s, const char* name, size_t n) {
  int which;
  const jmodel_joint* j = joint_with(s, name, n, &which);
  if (!j) return JEXPR_POISON;
  turns t = turns_of(j);
  whole w = whole_of(s, &t);
  return angle_of(s, &t, &w, which);
}

jexpr_ref jgen_attitude_rate(jgen* s, const char* name, size_t n, bool acceleration) {
  jexpr_graph* g = s->g;
  int which;
  const jmodel_joint* j = joint_with(s, name, n, &which);
  if (!j) return JEXPR_POISON;
  turns t = turns_of(j);
  whole w = whole_of(s, &t);
  columns c = columns_of_turns(s, &t);
  jexpr_ref rate[3], *qd = &s->qd[t.first];
  to_angles(s, &t, &w, combine(s, &c, qd), rate);
  if (!acceleration) return rate[which];
  // (A10)  qdd of the angles from al less its quadratic terms
  columns d = columns_of_whole(s, &t, &w);
  jexpr_v3 al = jexpr_v3_add(g, combine(s, &c, &s->qdd[t.first]), quadratic(s, &c, qd));
  jexpr_ref acc[3];
  to_angles(s, &t, &w, jexpr_v3_sub(g, al, quadratic(s, &d, rate)), acc);
  return acc[which];
}

jexpr_ref jgen_attitude_output(jgen* s, int i, const char** name) {
  const jmodel_joint* j = &s->m->joint[s->m->coordinate[i].joint];
  if (!j->is_any || !s->m->coordinate[i].is_angle) return JEXPR_POISON;
  *name = j->angle[i - j->first_coordinate - j->ncoordinate + 3];
  return jgen_attitude_angle(s, *name, strlen(*name));
}

// ---- beginning anew ------------------------------------------------------------------------------

static bool is_held(const jgen* s, const turns* t) {
  for (int i = 0; i < 3; i++) {
    if (s->m->coordinate[t->first + i].is_driven) return true;
  }
  return false;
}

// (A6)  where the middle turn is as large as LIMIT: R0' = R0 R, turns' = 0, and rates of the same angular velocity
static void add_event(jgen_reduction* r, const turns* t) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  const jmodel_joint* joint = t->joint;
  jexpr_ref middle = s->q[t->first + 1], square = jexpr_mul(g, middle, middle);
  jexpr_ref limit = jexpr_const(g, LIMIT * LIMIT);
  jexpr_ref when = jexpr_mark(g, jexpr_lt(g, limit, square), "%s: counts anew", joint->name);
  const char* name = jarena_printf(s->a, "%s: counts anew", joint->name);
  if (!name) g->status = jerr_memory(s->ctx);
  int e = jgen_event_add(s, name, when);
  if (e >= 0) s->event[e].watch = jexpr_sub(g, square, limit);
  jexpr_ref outer[2];
  quaternion base = base_of(s, t, outer), turn = of_turns(s, t, &s->q[t->first]);
  quaternion all = product(s, &base, &turn), unity = normalised(s, &all);
  whole w = whole_of(s, t);
  for (int i = 0; i < 4; i++) {
    jgen_event_set(s, e, JMODEL_SET_STATE, joint->first_state + i, unity.e[i]);
  }
  jgen_event_set(s, e, JMODEL_SET_STATE, joint->first_state + 4, angle_of(s, t, &w, 0));
  jgen_event_set(s, e, JMODEL_SET_STATE, joint->first_state + 5, angle_of(s, t, &w, 2));
  columns c = columns_of_turns(s, t);
  jexpr_v3 rate = combine(s, &c, &s->qd[t->first]);
  const int axis[3] = {t->i, t->j, t->k};
  for (int i = 0; i < 3; i++) {
    jgen_event_set(s, e, JMODEL_SET_POSITION, t->first + i, s->zero);
    // rates that follow from others through the loops do so afterwards, too
    if (r->out->layout.qd[t->first + i] < 0) continue;
    jgen_event_set(s, e, JMODEL_SET_RATE, t->first + i, rate.e[axis[i]]);
  }
}

jo_status jgen_attitude_events(jgen_reduction* r) {
  jgen* s = &r->s;
  for (int i = 0; i < s->m->njoint && s->g->status >= 0; i++) {
    turns t = turns_of(&s->m->joint[i]);
    if (s->m->joint[i].is_any && !is_held(s, &t)) add_event(r, &t);
  }
  return s->g->status;
}
