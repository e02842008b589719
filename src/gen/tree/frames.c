// SPDX-License-Identifier: Apache-2.0
// Links: every joint as a chain of one-coordinate motions, and the constant data of bodies in the
// frames of their links. docs/theory/dynamics.md, section "Links".
#include <math.h>

#include "gen/build.h"
#include "gen/tree/attitude.h"
#include "model/element.h"

#define AXIS_TOLERANCE 1e-12  // an axis this close to a coordinate axis is that axis

// ---- constant rotations --------------------------------------------------------------------------

// Rounding dirt of constant matrices would hide zeros and ones from the simplifier.
static jexpr_ref snap(jexpr_graph* g, jexpr_ref r) {
  if (!r || !jexpr_is_const(g, r)) return r;
  double v = jexpr_const_value(g, r);
  double nearest = nearbyint(v);
  return fabs(v - nearest) < AXIS_TOLERANCE && fabs(nearest) <= 1.0 ? jexpr_const(g, nearest) : r;
}

static jexpr_m3 snap_m3(jexpr_graph* g, jexpr_m3 A) {
  for (int i = 0; i < 9; i++) {
    A.e[i / 3][i % 3] = snap(g, A.e[i / 3][i % 3]);
  }
  return A;
}

static jexpr_v3 normalised(jexpr_graph* g, jexpr_v3 a) {
  jexpr_ref inverse = jexpr_div(g, jexpr_const(g, 1.0), jexpr_v3_norm(g, a));
  jexpr_v3 r = jexpr_v3_scale(g, inverse, a);
  for (int i = 0; i < 3; i++) {
    r.e[i] = snap(g, r.e[i]);
  }
  return r;
}

static jexpr_v3 column(const jexpr_m3* A, int j) {
  return (jexpr_v3){{A->e[0][j], A->e[1][j], A->e[2][j]}};
}

static void set_column(jexpr_m3* A, int j, jexpr_v3 x) {
  for (int i = 0; i < 3; i++) {
    A->e[i][j] = x.e[i];
  }
}

// Skew matrix of v.
static jexpr_m3 skew(jexpr_graph* g, jexpr_v3 v) {
  jexpr_m3 S = jexpr_m3_zero(g);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    S.e[k][j] = v.e[i];
    S.e[j][k] = jexpr_neg(g, v.e[i]);
  }
  return S;
}

// Half a turn about coordinate axis k.
static jexpr_m3 half_turn(jexpr_graph* g, int k) {
  jexpr_m3 R = jexpr_m3_zero(g);
  for (int i = 0; i < 3; i++) {
    R.e[i][i] = jexpr_const(g, i == k ? 1.0 : -1.0);
  }
  return R;
}

// A vector of constants that is nothing but rounding.
static bool is_dirt(const jexpr_graph* g, jexpr_v3 v) {
  for (int i = 0; i < 3; i++) {
    if (!jexpr_is_const(g, v.e[i])) return false;
    if (!(fabs(jexpr_const_value(g, v.e[i])) < AXIS_TOLERANCE)) return false;
  }
  return true;
}

// The smallest rotation that takes unit vector a to unit vector b:
//   R = 1 + [v]x + [v]x[v]x / (1 + a.b)      v = a x b
// Its angle is told by v: 1 - a.b of an angle of 1e-6 is 5e-13 already.
static jexpr_m3 smallest_rotation(jgen* s, jexpr_v3 a, jexpr_v3 b) {
  jexpr_graph* g = s->g;
  jexpr_v3 v = jexpr_v3_cross(g, a, b);
  jexpr_ref c = jexpr_v3_dot(g, a, b);
  double c_value = jgen_value(s, c);
  if (c_value > 0.0 && is_dirt(g, v)) return jexpr_m3_identity(g);
  if (c_value < -1.0 + 1e-6) {  // opposite: turn half way about the coordinate axis most across
    int k = 0;
    for (int i = 1; i < 3; i++) {
      if (fabs(jgen_value(s, a.e[i])) < fabs(jgen_value(s, a.e[k]))) k = i;
    }
    jexpr_m3 H = half_turn(g, k);
    jexpr_m3 rest = smallest_rotation(s, jexpr_m3_apply(g, &H, a), b);
    return jexpr_m3_mul(g, &rest, &H);
  }
  jexpr_m3 S = skew(g, v), SS = jexpr_m3_mul(g, &S, &S), R = jexpr_m3_identity(g);
  jexpr_ref f = jexpr_div(g, jexpr_const(g, 1.0), jexpr_add(g, jexpr_const(g, 1.0), c));
  for (int i = 0; i < 9; i++) {
    jexpr_ref* e = &R.e[i / 3][i % 3];
    *e = jexpr_add(g, *e, jexpr_add(g, S.e[i / 3][i % 3], jexpr_mul(g, f, SS.e[i / 3][i % 3])));
  }
  return snap_m3(g, R);
}

// A frame whose coordinate axis *k points along unit vector a, as close to the given frame as can be.
static jexpr_m3 frame_along(jgen* s, jexpr_v3 a, int* k) {
  jexpr_graph* g = s->g;
  *k = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(jgen_value(s, a.e[i])) > fabs(jgen_value(s, a.e[*k]))) *k = i;
  }
  jexpr_v3 e = jexpr_v3_zero(g);
  bool negative = jgen_value(s, a.e[*k]) < 0.0;
  e.e[*k] = jexpr_const(g, negative ? -1.0 : 1.0);
  jexpr_m3 R = smallest_rotation(s, e, a);
  if (!negative) return R;
  jexpr_m3 H = half_turn(g, (*k + 1) % 3);
  return jexpr_m3_mul(g, &R, &H);
}

// ---- design position -----------------------------------------------------------------------------

// A frame by two of its axes, the second made orthogonal to the first: columns, vehicle components.
static jexpr_m3 frame_of(jgen* s, const int given[2], const jmodel_v3 axis[2]) {
  jexpr_graph* g = s->g;
  int i = given[0], j = given[1], k = 3 - i - j;
  jexpr_v3 x = normalised(g, jgen_vector(s, &axis[0], "frame axis"));
  jexpr_v3 y = jgen_vector(s, &axis[1], "frame axis");
  y = normalised(g, jexpr_v3_sub(g, y, jexpr_v3_scale(g, jexpr_v3_dot(g, x, y), x)));
  jexpr_v3 z = jexpr_v3_cross(g, x, y);  // right-handed for (i, j, k) cyclic
  if ((i + 1) % 3 != j) z = jexpr_v3_neg(g, z);
  jexpr_m3 C;
  set_column(&C, i, x);
  set_column(&C, j, y);
  set_column(&C, k, z);
  return snap_m3(g, C);
}

jexpr_m3 jgen_design_orientation(jgen* s, int body) {
  const jmodel_body* b = &s->m->body[body];
  if (body == 0 || !b->has_frame) return jexpr_m3_identity(s->g);
  return frame_of(s, b->axis_given, b->axis);
}

jexpr_m3 jgen_vehicle_axes_in_link(jgen* s, int body) {
  jexpr_m3 C = jgen_design_orientation(s, body), D = jexpr_m3_mul(s->g, &C, &s->body[body].E);
  jexpr_m3 T = jexpr_m3_transpose(&D);
  return snap_m3(s->g, T);
}

jexpr_m3 jgen_frame_in_link(jgen* s, int body, const int given[2], const jmodel_v3 axis[2]) {
  jexpr_graph* g = s->g;
  jexpr_m3 A = frame_of(s, given, axis), C = jgen_design_orientation(s, body);
  jexpr_m3 CT = jexpr_m3_transpose(&C), ET = jexpr_m3_transpose(&s->body[body].E);
  jexpr_m3 in_body = jexpr_m3_mul(g, &CT, &A);
  return snap_m3(g, jexpr_m3_mul(g, &ET, &in_body));
}

static jexpr_v3 design_origin(jgen* s, int body) {
  const jmodel_body* b = &s->m->body[body];
  return body == 0 || !b->has_frame ? jexpr_v3_zero(s->g) : jgen_vector(s, &b->origin, "origin");
}

// Coordinates of a model point in the frame of its body.
static jexpr_v3 point_in_body(jgen* s, const jmodel_point* p) {
  jexpr_v3 r = jgen_vector(s, &p->r, p->name);
  if (!p->in_vehicle) return r;
  jexpr_m3 C = jgen_design_orientation(s, p->body);
  return jexpr_m3_tapply(s->g, &C, jexpr_v3_sub(s->g, r, design_origin(s, p->body)));
}

static jexpr_v3 direction_in_body(jgen* s, const jmodel_vector* v) {
  jexpr_v3 r = normalised(s->g, jgen_vector(s, &v->v, v->name));
  if (!v->in_vehicle) return r;
  jexpr_m3 C = jgen_design_orientation(s, v->body);
  return jexpr_m3_tapply(s->g, &C, r);
}

// Where the child's joint point of a free joint stands in the parent's frame at the design position.
jexpr_v3 jgen_design_position(jgen* s, const jmodel_joint* j) {
  jexpr_graph* g = s->g;
  jexpr_m3 Cp = jgen_design_orientation(s, j->parent), Cc = jgen_design_orientation(s, j->child);
  jexpr_v3 r = jexpr_m3_apply(g, &Cc, point_in_body(s, &j->at_child));
  r = jexpr_v3_sub(g, jexpr_v3_add(g, r, design_origin(s, j->child)), design_origin(s, j->parent));
  r = jexpr_m3_tapply(g, &Cp, r);
  for (int i = 0; i < 3; i++) {
    if (j->sign[i] < 0) r.e[i] = jexpr_neg(g, r.e[i]);
  }
  return r;
}

jexpr_v3 jgen_point_in_link(jgen* s, const jmodel_point* p) {
  const jgen_body_frame* f = &s->body[p->body];
  return jexpr_m3_tapply(s->g, &f->E, jexpr_v3_sub(s->g, point_in_body(s, p), f->o));
}

jexpr_v3 jgen_com_in_link(jgen* s, int body) {
  const jmodel_body* b = &s->m->body[body];
  jmodel_point com = {"com", body, b->com_in_vehicle, b->com};
  return jgen_point_in_link(s, &com);
}

jexpr_v3 jgen_direction_in_link(jgen* s, const jmodel_vector* v) {
  return jexpr_m3_tapply(s->g, &s->body[v->body].E, direction_in_body(s, v));
}

bool jgen_body_direction(jgen* s, int body, const char* name, size_t n, jexpr_v3* d) {
  const jmodel_body* b = &s->m->body[body];
  const jexpr_m3* E = &s->body[body].E;
  if (n == 1 && name[0] >= 'x' && name[0] <= 'z') {
    int k = name[0] - 'x';
    *d = (jexpr_v3){{E->e[k][0], E->e[k][1], E->e[k][2]}};
    return true;
  }
  for (int i = 0; i < b->nvector; i++) {
    if (strlen(b->vector[i].name) != n || memcmp(b->vector[i].name, name, n) != 0) continue;
    jexpr_v3 v = normalised(s->g, jgen_vector(s, &b->vector[i].value, b->vector[i].name));
    *d = jexpr_m3_tapply(s->g, E, v);
    return true;
  }
  return false;
}

bool jgen_find_point(jgen* s, int body, const char* name, size_t n, jmodel_point* out) {
  const jmodel* m = s->m;
  const jmodel_body* b = &m->body[body];
  for (int i = 0; i < b->npoint; i++) {
    if (strlen(b->point[i].name) == n && memcmp(b->point[i].name, name, n) == 0) {
      *out = (jmodel_point){b->point[i].name, body, false, b->point[i].value};
      return true;
    }
  }
  const jmodel_named_v3* hard = jmodel_find_hardpoint(m, body, name, n);
  if (hard) *out = (jmodel_point){hard->name, body, true, hard->value};
  return hard != NULL;
}

// ---- joints as chains of links -------------------------------------------------------------------

// What is known of a joint before its links are made. Everything in the parent's *link* frame.
typedef struct seat {
  int parent;     // link
  jexpr_v3 d;     // joint point
  jexpr_m3 C0;    // child body frame -> parent link frame, all coordinates zero
  jexpr_v3 a, b;  // first and second axis
} seat;

static jexpr_m3 guess_orientation(jgen* s, const jmodel_joint* j) {
  jexpr_graph* g = s->g;
  jexpr_m3 Cp = jgen_design_orientation(s, j->parent), Cc = jgen_design_orientation(s, j->child);
  jexpr_m3 CpT = jexpr_m3_transpose(&Cp);
  jexpr_m3 C = jexpr_m3_mul(g, &CpT, &Cc);
  jexpr_m3 ET = jexpr_m3_transpose(&s->body[j->parent].E);
  return snap_m3(g, jexpr_m3_mul(g, &ET, &C));
}

static jexpr_v3 across(jexpr_graph* g, jexpr_v3 x, jexpr_v3 a) {
  return normalised(g, jexpr_v3_sub(g, x, jexpr_v3_scale(g, jexpr_v3_dot(g, x, a), a)));
}

static seat joint_seat(jgen* s, const jmodel_joint* j) {
  jexpr_graph* g = s->g;
  const jmodel_joint_class* c = jmodel_joint_class_of(j->type);
  seat k = {.parent = s->body[j->parent].link};
  k.C0 = guess_orientation(s, j);
  if (c->is_place) {
    const jgen_body_frame* p = &s->body[j->parent];
    k.d = jexpr_m3_tapply(g, &p->E, jexpr_v3_neg(g, p->o));
    return k;
  }
  k.d = jgen_point_in_link(s, &j->at_parent);
  if (!c->axis) return k;
  k.a = jgen_direction_in_link(s, &j->axis_parent);
  if (c->axis2 == JMODEL_AXIS_CHILD) {
    // the second axis is the child's, put exactly across the first
    jexpr_v3 w = jexpr_m3_apply(g, &k.C0, direction_in_body(s, &j->axis2));
    k.b = across(g, w, k.a);
    jexpr_m3 fix = smallest_rotation(s, w, k.b);
    k.C0 = jexpr_m3_mul(g, &fix, &k.C0);
    return k;
  }
  jexpr_v3 w = jexpr_m3_apply(g, &k.C0, direction_in_body(s, &j->axis_child));
  jexpr_m3 fix = smallest_rotation(s, w, k.a);
  k.C0 = jexpr_m3_mul(g, &fix, &k.C0);
  if (c->axis2) k.b = across(g, jgen_direction_in_link(s, &j->axis2), k.a);
  return k;
}

static int add_link(jgen* s, int parent, int joint, int coordinate, jgen_motion motion, int axis) {
  jgen_link* l = &s->link[s->nlink];
  jexpr_graph* g = s->g;
  *l = (jgen_link){.parent = parent, .body = -1, .joint = joint, .coordinate = coordinate};
  l->motion = motion;
  l->axis = axis;
  l->Rc = jexpr_m3_identity(g);
  l->d = jexpr_v3_zero(g);
  l->m = s->zero;
  l->s = jexpr_v3_zero(g);
  l->I = jexpr_m3_zero(g);
  return s->nlink++;
}

// Motions of a joint and their axes in its frame, one at least.
static int joint_motions(const jmodel_joint* j, jgen_motion* motion, int* axis) {
  const jmodel_joint_class* c = jmodel_joint_class_of(j->type);
  int n = j->ncoordinate;
  motion[0] = JGEN_FIXED;
  axis[0] = 0;
  for (int i = 0; i < n; i++) {
    motion[i] = c->coordinate[i].motion == JMODEL_TURN ? JGEN_TURN : JGEN_SLIDE;
    axis[i] = c->order && i >= n - 3 ? j->turn[i - (n - 3)] : c->coordinate[i].axis;
  }
  return n > 0 ? n : 1;
}

// The axis about which links are turned half round for a coordinate that counts backwards, -1: none. Turns of any
// attitude do so together: their signs are those of half a turn about one axis.
static int backwards(const jmodel_joint* j, jgen_motion motion, int i, int along) {
  if (!j->is_any || motion != JGEN_TURN) return j->sign[i] < 0 ? (along + 1) % 3 : -1;
  for (int k = 0; k < 3; k++) {
    int next = (k + 1) % 3, last = 3 - k - next, forward = j->ncoordinate - 3 + k;
    bool is_axis = j->sign[forward] >= 0 && j->sign[j->ncoordinate - 3 + next] < 0 &&
                   j->sign[j->ncoordinate - 3 + last] < 0;
    if (is_axis) return j->turn[k];
  }
  return -1;
}

// The constant turn from the parent's frame to the joint's, and the axis of one-axis joints in it.
static jexpr_m3 joint_frame(jgen* s, const jmodel_joint* j, const seat* k, int* one_axis) {
  jexpr_graph* g = s->g;
  const jmodel_joint_class* c = jmodel_joint_class_of(j->type);
  if (j->ncoordinate == 0) return jexpr_m3_identity(g);
  if (j->has_frame) {
    static const int given[] = {0, 1};
    return jgen_frame_in_link(s, j->parent, given, j->frame);
  }
  if (!c->axis) {  // along the vehicle's axes, or the parent's
    jexpr_m3 C = c->is_place ? jexpr_m3_identity(g) : jgen_design_orientation(s, j->parent);
    jexpr_m3 D = snap_m3(g, jexpr_m3_mul(g, &C, &s->body[j->parent].E));
    return jexpr_m3_transpose(&D);
  }
  if (c->axis2) {
    bool is_first = c->axis2 == JMODEL_AXIS_CHILD;
    jexpr_m3 R;
    set_column(&R, 0, is_first ? k->a : k->b);
    set_column(&R, 1, is_first ? k->b : jexpr_v3_cross(g, k->a, k->b));
    set_column(&R, 2, is_first ? jexpr_v3_cross(g, k->a, k->b) : k->a);
    return snap_m3(g, R);
  }
  return frame_along(s, k->a, one_axis);
}

static bool is_identity(const jexpr_graph* g, const jexpr_m3* A) {
  for (int i = 0; i < 9; i++) {
    if (!jexpr_is_value(g, A->e[i / 3][i % 3], i / 3 == i % 3 ? 1.0 : 0.0)) return false;
  }
  return true;
}

// From links turned half round about axis `from` to those about `to`; -1: not turned.
static jexpr_m3 half_turns(jexpr_graph* g, int from, int to, int* now) {
  jexpr_m3 R = jexpr_m3_identity(g);
  *now = to;
  if (from == to) return R;
  if (from >= 0) R = half_turn(g, from);
  if (to < 0) return R;
  jexpr_m3 H = half_turn(g, to);
  return jexpr_m3_mul(g, &R, &H);
}

static void add_joint(jgen* s, int joint) {
  const jmodel_joint* j = &s->m->joint[joint];
  jexpr_graph* g = s->g;
  seat k = joint_seat(s, j);
  jgen_motion motion[JMODEL_JOINT_COORDINATES];
  int axis[JMODEL_JOINT_COORDINATES], one_axis = -1;
  int n = joint_motions(j, motion, axis);
  jexpr_m3 Rc = joint_frame(s, j, &k, &one_axis);
  int parent = k.parent;
  int turned =
      -1;  // the axis about which the links are turned half round, that a coordinate counts backwards
  for (int i = 0; i < n; i++) {
    int coordinate = motion[i] == JGEN_FIXED ? -1 : j->first_coordinate + i;
    int along = one_axis >= 0 ? one_axis : axis[i];
    int l = add_link(s, parent, joint, coordinate, motion[i], along);
    jexpr_m3 D = half_turns(g, turned, backwards(j, motion[i], i, along), &turned);
    if (!is_identity(g, &D)) Rc = jexpr_m3_mul(g, &Rc, &D);
    s->link[l].Rc = i == 0 ? Rc : D;
    if (j->is_any && i == n - 3) {  // R0, docs/theory/attitude.md eq. (A4)
      jexpr_m3 R0 = jgen_attitude_base(s, j);
      s->link[l].Rc = jexpr_m3_mul(g, &s->link[l].Rc, &R0);
    }
    if (i == 0) s->link[l].d = k.d;
    s->link[l].turned = !is_identity(g, &s->link[l].Rc);
    parent = l;
  }
  int last = s->nlink - 1;
  s->link[last].body = j->child;
  // E: child link frame in the child body frame = C0^T Rc; o: the joint point on the child
  jexpr_m3 C0T = jexpr_m3_transpose(&k.C0);
  s->body[j->child].link = last;
  s->body[j->child].E = snap_m3(g, jexpr_m3_mul(g, &C0T, &Rc));
  s->body[j->child].o = point_in_body(s, &j->at_child);
}

// ---- mass data in link frames --------------------------------------------------------------------

// I_o = E^T I_com E + m ((c.c) 1 - c c^T)       c: centre of mass from the link origin
static void set_mass(jgen* s, int body) {
  const jmodel_body* b = &s->m->body[body];
  jgen_link* l = &s->link[s->body[body].link];
  jexpr_graph* g = s->g;
  const jexpr_m3* E = &s->body[body].E;
  if (!b->has_mass) return;
  l->has_mass = true;
  l->m = jgen_scalar(s, &b->mass, "mass");
  jexpr_v3 c = jgen_com_in_link(s, body);
  l->s = jexpr_v3_scale(g, l->m, c);
  static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  jexpr_m3 I;
  for (int i = 0; i < 9; i++) {
    I.e[i / 3][i % 3] = jgen_scalar(s, &b->inertia[at[i / 3][i % 3]], "inertia");
  }
  jexpr_m3 ET = jexpr_m3_transpose(E), EI = jexpr_m3_mul(g, &ET, &I);
  I = jexpr_m3_mul(g, &EI, E);
  jexpr_ref cc = jexpr_v3_dot(g, c, l->s);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) {
      jexpr_ref shift = jexpr_neg(g, jexpr_mul(g, c.e[i < k ? i : k], l->s.e[i < k ? k : i]));
      if (i == k) shift = jexpr_add(g, cc, shift);
      l->I.e[i][k] = jexpr_add(g, I.e[i < k ? i : k][i < k ? k : i], shift);
    }
  }
}

// ---- bodies whose spin need not be followed ------------------------------------------------------

static bool near(const jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  if (a == b) return true;
  if (!jexpr_is_const(g, a) || !jexpr_is_const(g, b)) return false;
  double x = jexpr_const_value(g, a), y = jexpr_const_value(g, b);
  return fabs(x - y) <= 1e-14 * (1.0 + fabs(x));
}

static bool on_axis(const jgen* s, jexpr_v3 r, int axis) {
  for (int i = 0; i < 3; i++) {
    if (i != axis && !near(s->g, r.e[i], s->zero)) return false;
  }
  return true;
}

static bool points_on_axis(jgen* s, int body, int axis) {
  const jmodel_body* b = &s->m->body[body];
  for (int i = 0; i < b->npoint; i++) {
    jmodel_point p = {b->point[i].name, body, false, b->point[i].value};
    if (!on_axis(s, jgen_point_in_link(s, &p), axis)) return false;
  }
  for (int i = 0; i < s->m->nclosure; i++) {
    const jmodel_closure* c = &s->m->closure[i];
    if (c->a.body == body || c->b.body == body || c->u.body == body || c->v.body == body) {
      return false;
    }
  }
  for (int i = 0; i < s->m->nelement; i++) {
    const jmodel_element* e = &s->m->element[i];
    if (e->class->follows && e->class->follows(e, body)) return false;
  }
  return true;
}

static bool has_child(const jgen* s, int link) {
  for (int i = 1; i < s->nlink; i++) {
    if (s->link[i].parent == link) return true;
  }
  return false;
}

// A leaf that turns about its axis of symmetry looks the same at every angle: its frame stays with
// the parent, which saves its sine, cosine and all transformations.
static bool spins_free(jgen* s, int link) {
  const jgen_link* l = &s->link[link];
  if (l->motion != JGEN_TURN || l->body < 0 || !l->has_mass || has_child(s, link)) return false;
  if (s->follow[l->body] || s->m->joint[l->joint].ncoordinate != 1) return false;
  int k = l->axis, i = (k + 1) % 3, j = (k + 2) % 3;
  bool symmetric = near(s->g, l->I.e[i][i], l->I.e[j][j]) && near(s->g, l->I.e[i][j], s->zero) &&
                   near(s->g, l->I.e[i][k], s->zero) && near(s->g, l->I.e[j][k], s->zero);
  return symmetric && on_axis(s, l->s, k) && points_on_axis(s, l->body, k);
}

static void make_symmetric(jgen* s, jgen_link* l) {
  int k = l->axis, i = (k + 1) % 3, j = (k + 2) % 3;
  for (int n = 0; n < 9; n++) {
    if (n / 3 != n % 3) l->I.e[n / 3][n % 3] = s->zero;
  }
  l->I.e[j][j] = l->I.e[i][i];
  l->s.e[i] = l->s.e[j] = s->zero;
}

// ---- what carries what ----------------------------------------------------------------------------

// What several links hang on carries them: a chassis, a trailer, an axle. Their motion is written relative to it.
static void set_carriers(jgen* s) {
  for (int l = 1; l < s->nlink; l++) {
    s->carrier[s->link[l].parent]++;
  }
  for (int l = 0; l < s->nlink; l++) {
    bool carries = s->carrier[l] > 1 || jgen_is_hub(s, l);
    s->carrier[l] = l == 0 || carries ? l : s->carrier[s->link[l].parent];
  }
}

// ---- rotations and shifts of the coordinates -------------------------------------------------------

static void set_motion(jgen* s, jgen_link* l) {
  jexpr_graph* g = s->g;
  l->R = l->Rc;
  l->shift = l->d;
  jexpr_ref q = l->coordinate >= 0 ? s->q[l->coordinate] : s->zero;
  if (l->motion == JGEN_TURN && !l->spins_free) {
    jexpr_m3 T = jexpr_m3_rotation(g, l->axis, q);
    l->R = jexpr_m3_mul(g, &l->Rc, &T);
  }
  if (l->motion == JGEN_SLIDE) {
    jexpr_v3 axis = column(&l->Rc, l->axis);
    l->shift = jexpr_v3_add(g, l->d, jexpr_v3_scale(g, q, axis));
  }
}

jo_status jgen_frames(jgen* s) {
  const jmodel* m = s->m;
  jexpr_graph* g = s->g;
  s->link = JARENA_ARRAY(s->a, m->ncoordinate + m->njoint + 1, jgen_link);
  s->body = JARENA_ARRAY(s->a, m->nbody, jgen_body_frame);
  if (!s->link || !s->body) return jerr_memory(s->ctx);
  s->nlink = 0;
  add_link(s, -1, -1, -1, JGEN_FIXED, 0);
  s->link[0].body = 0;
  s->link[0].R = jexpr_m3_identity(g);
  s->body[0] = (jgen_body_frame){0, jexpr_m3_identity(g), jexpr_v3_zero(g)};
  for (int j = 0; j < m->njoint; j++) {
    add_joint(s, j);
  }
  for (int b = 1; b < m->nbody; b++) {
    set_mass(s, b);
  }
  for (int i = 1; i < s->nlink; i++) {
    s->link[i].spins_free = spins_free(s, i);
    if (s->link[i].spins_free) make_symmetric(s, &s->link[i]);
    set_motion(s, &s->link[i]);
  }
  JO_TRY(jgen_find_hubs(s));
  set_carriers(s);
  return g->status;
}
