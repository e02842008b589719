// SPDX-License-Identifier: Apache-2.0
// The oracle: poses from joint coordinates, constraints and forces from poses, one linear system.
#include "support/oracle.h"

#include <lapacke.h>

#include "expr/diff.h"
#include "expr/parse.h"
#include "expr/tape.h"
#include "support/check.h"
#include "support/jet.h"

#undef I  // of complex.h

#define RANK_TOLERANCE 1e-12

// ---- model data ----------------------------------------------------------------------------------

typedef struct body {
  double m, com[3], I[3][3];  // inertia about the centre of mass, body axes
  jet33 C;                    // design orientation
  jet3 origin;                // design position of the frame
} body;

typedef struct pose {
  jet33 R;  // body axes -> ground
  jet3 o;   // origin of the body frame
} pose;

struct oracle {
  jo_context* ctx;
  const jmodel* m;
  body* body;
  int n;                             // absolute coordinates: 6 per moving body
  int njoint, nclosure, ndrive, nc;  // constraint equations
};

typedef struct names {
  const oracle* o;
  const double *q, *qd;
  int nlocal;
  const char* name[3];
  double value[3];
} names;

static double evaluate_at(const oracle* o, const jmodel_scalar* x, const names* w, double t,
                          int order);

static bool same(const char* a, const char* b, size_t n) {
  return strlen(a) == n && memcmp(a, b, n) == 0;
}

static jexpr_ref find(void* user, jexpr_graph* g, const char* text, size_t n) {
  const names* w = user;
  const jmodel* m = w->o->m;
  for (int i = 0; i < w->nlocal; i++) {
    if (same(w->name[i], text, n)) return jexpr_const(g, w->value[i]);
  }
  if (same("t", text, n)) return jexpr_input(g, 0, 0);
  for (int i = 0; i < m->nparameter; i++) {
    if (!same(m->parameter[i].name, text, n)) continue;
    return jexpr_const(g, evaluate_at(w->o, &m->parameter[i].value, w, 0.0, 0));
  }
  for (int i = 0; i < m->nnumber; i++) {
    if (same(m->number[i].path, text, n)) return jexpr_const(g, m->number[i].value);
  }
  for (int i = 0; i < m->ncoordinate && w->q; i++) {
    if (same(m->coordinate[i].name, text, n)) return jexpr_const(g, w->q[i]);
    size_t length = strlen(m->coordinate[i].name);
    bool is_rate = n == length + 5 && memcmp(text + length, ".rate", 5) == 0;
    if (is_rate && same(m->coordinate[i].name, text, length)) return jexpr_const(g, w->qd[i]);
  }
  return JEXPR_POISON;
}

static jexpr_ref put_table(const oracle* o, jexpr_graph* g, const jmodel_table* t, jexpr_ref x) {
  jexpr_ref X[64], Y[64];
  names none = {.o = o};
  assert_in_range(t->n, 1, 64);
  for (int i = 0; i < t->n; i++) {
    X[i] = jexpr_const(g, evaluate_at(o, &t->x[i], &none, 0.0, 0));
    Y[i] = jexpr_const(g, evaluate_at(o, &t->y[i], &none, 0.0, 0));
  }
  return jexpr_table(g, t->kind, t->rule, x, X, Y, t->n);
}

static jexpr_ref call(void* user, jexpr_graph* g, const char* name, size_t n, const jexpr_ref* args,
                      int nargs, int* expected) {
  const names* w = user;
  (void)expected;
  for (int k = 0; k < w->o->m->ntable && nargs == 1; k++) {
    const jmodel_table* t = &w->o->m->table[k];
    if (same(t->name, name, n)) return put_table(w->o, g, t, args[0]);
  }
  return JEXPR_POISON;
}

// The order-th derivative by time of a node.
static double node_value(const oracle* o, jexpr_graph* g, jexpr_ref r, double t, int order) {
  jexpr_ref time = jexpr_input(g, 0, 0), one = jexpr_const(g, 1.0);
  for (int i = 0; i < order; i++) {
    jexpr_ref next;
    assert_ok(o->ctx, jexpr_tangent(g, &r, 1, &time, &one, 1, &next));
    r = next;
  }
  jarena a;
  jarena_init(&a, o->ctx);
  jexpr_outputs out = {"y", 1, &r};
  jexpr_fn fn = {"oracle", g, 1, &out};
  jexpr_tape tape;
  assert_ok(o->ctx, jexpr_tape_build(o->ctx, &a, &fn, &tape));
  double* work = JARENA_ARRAY(&a, jexpr_tape_work(&tape, 1) + 1, double);
  assert_non_null(work);
  double y;
  jexpr_tape_init(&tape, 1, work);
  jexpr_tape_eval(&tape, 1, (const double* const[]){&t}, (double* const[]){&y}, work);
  jarena_free(&a);
  return y;
}

static double evaluate_at(const oracle* o, const jmodel_scalar* x, const names* w, double t,
                          int order) {
  if (!x->text) return order > 0 || x->number < 0 ? 0.0 : o->m->number[x->number].value;
  jexpr_graph* g = jexpr_graph_create(o->ctx);
  assert_non_null(g);
  jexpr_group(g, "t", 1, JEXPR_PER_LANE);
  jexpr_scope scope = {find, NULL, (void*)w, call};
  jexpr_ref r;
  assert_ok(o->ctx, jexpr_parse(g, x->text, strlen(x->text), &scope, x->path, &r));
  double y = node_value(o, g, r, t, order);
  jexpr_graph_destroy(g);
  return y;
}

static double fixed(const oracle* o, const jmodel_scalar* x) {
  names none = {.o = o};
  return evaluate_at(o, x, &none, 0.0, 0);
}

static jet3 fixed3(const oracle* o, const jmodel_v3* x) {
  return (jet3){
      {constant(fixed(o, &x->e[0])), constant(fixed(o, &x->e[1])), constant(fixed(o, &x->e[2]))}};
}

static void read_frame(const oracle* o, const jmodel_body* b, body* out) {
  out->C = identity();
  out->origin = vector((const double[]){0.0, 0.0, 0.0});
  if (!b->has_frame) return;
  int i = b->axis_given[0], j = b->axis_given[1], k = 3 - i - j;
  jet3 axis[3];
  axis[i] = unit(fixed3(o, &b->axis[0]));
  jet3 y = fixed3(o, &b->axis[1]);
  axis[j] = unit(sub(y, scale(dot(axis[i], y), axis[i])));
  axis[k] = cross(axis[(k + 1) % 3], axis[(k + 2) % 3]);
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++) {
      out->C.e[r][c] = axis[c].e[r];
    }
  }
  out->origin = fixed3(o, &b->origin);
}

static void read_body(const oracle* o, const jmodel_body* b, body* out) {
  static const int at[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
  read_frame(o, b, out);
  if (!b->has_mass) return;
  out->m = fixed(o, &b->mass);
  for (int i = 0; i < 3; i++) {
    out->com[i] = fixed(o, &b->com.e[i]);
    for (int j = 0; j < 3; j++) {
      out->I[i][j] = fixed(o, &b->inertia[at[i][j]]);
    }
  }
}

static int joint_equations(jmodel_joint_type type) {
  static const int freedom[JMODEL_JOINT_COUNT] = {
#define X(id, name, n) n,
      JMODEL_JOINT_LIST(X)
#undef X
  };
  return 6 - freedom[type];
}

static int closure_equations(jmodel_closure_type type) {
  static const int equations[JMODEL_CLOSURE_COUNT] = {
#define X(id, name, n) n,
      JMODEL_CLOSURE_LIST(X)
#undef X
  };
  return equations[type];
}

oracle* oracle_create(jo_context* ctx, const jmodel* m) {
  oracle* o = calloc(1, sizeof *o);
  assert_non_null(o);
  *o = (oracle){.ctx = ctx, .m = m, .n = 6 * (m->nbody - 1)};
  o->body = calloc((size_t)m->nbody, sizeof *o->body);
  assert_non_null(o->body);
  read_frame(o, &m->body[0], &o->body[0]);
  for (int b = 1; b < m->nbody; b++) {
    read_body(o, &m->body[b], &o->body[b]);
  }
  for (int j = 0; j < m->njoint; j++) {
    o->njoint += joint_equations(m->joint[j].type);
  }
  for (int i = 0; i < m->nclosure; i++) {
    o->nclosure += closure_equations(m->closure[i].type);
  }
  for (int i = 0; i < m->ncoordinate; i++) {
    o->ndrive += m->coordinate[i].is_driven;
  }
  o->nc = o->njoint + o->nclosure + o->ndrive;
  return o;
}

void oracle_destroy(oracle* o) {
  if (!o) return;
  free(o->body);
  free(o);
}

// Points and directions of the model in body axes.
static jet3 point(const oracle* o, const jmodel_point* p) {
  jet3 r = fixed3(o, &p->r);
  if (!p->in_vehicle) return r;
  jet33 T = transposed(&o->body[p->body].C);
  return apply(&T, sub(r, o->body[p->body].origin));
}

static jet3 direction(const oracle* o, const jmodel_vector* v) {
  jet3 r = unit(fixed3(o, &v->v));
  if (!v->in_vehicle) return r;
  jet33 T = transposed(&o->body[v->body].C);
  return apply(&T, r);
}

static jet3 at(const pose* p, jet3 r) {
  return add(p->o, apply(&p->R, r));
}

// ---- poses from joint coordinates ----------------------------------------------------------------

// What a joint looks like in the axes of its parent, all coordinates zero.
typedef struct seat {
  jet3 a, b, p;  // axes, point on the parent
  jet3 c;        // point on the child, in its axes
  jet33 C0;      // child -> parent
} seat;

static seat joint_seat(const oracle* o, const jmodel_joint* j) {
  seat s = {.p = point(o, &j->at_parent), .c = point(o, &j->at_child)};
  jet33 T = transposed(&o->body[j->parent].C);
  s.C0 = product(&T, &o->body[j->child].C);
  bool has_axis = j->type != JMODEL_JOINT_FIXED && j->type != JMODEL_JOINT_SPHERICAL &&
                  j->type != JMODEL_JOINT_FREE;
  if (!has_axis) return s;
  s.a = direction(o, &j->axis_parent);
  bool universal = j->type == JMODEL_JOINT_UNIVERSAL, planar = j->type == JMODEL_JOINT_PLANAR;
  if (planar || universal) {
    s.b = direction(o, &j->axis2);
    if (universal) s.b = apply(&s.C0, s.b);
  }
  // frames of the file only come near: turn the child so that its axis fits
  jet3 from = universal ? s.b : apply(&s.C0, direction(o, &j->axis_child));
  if (planar || universal) s.b = unit(sub(s.b, scale(dot(s.a, s.b), s.a)));
  jet33 fit = turn_from_to(from, universal ? s.b : s.a);
  s.C0 = product(&fit, &s.C0);
  return s;
}

static pose place_child(const oracle* o, const jmodel_joint* j, const pose* parent, const jet* q) {
  seat s = joint_seat(o, j);
  jet33 R = s.C0, A, B;
  jet3 p = s.p;
  switch (j->type) {
    case JMODEL_JOINT_REVOLUTE:
      A = turn_about(s.a, q[0]);
      R = product(&A, &s.C0);
      break;
    case JMODEL_JOINT_PRISMATIC: p = add(p, scale(q[0], s.a)); break;
    case JMODEL_JOINT_CYLINDRICAL:
      p = add(p, scale(q[0], s.a));
      A = turn_about(s.a, q[1]);
      R = product(&A, &s.C0);
      break;
    case JMODEL_JOINT_UNIVERSAL:
      A = turn_about(s.a, q[0]);
      B = turn_about(s.b, q[1]);
      B = product(&B, &s.C0);
      R = product(&A, &B);
      break;
    case JMODEL_JOINT_SPHERICAL:  // in the axes of the vehicle: C^T turns C C0
      R = product(&o->body[j->parent].C, &s.C0);
      for (int k = 2; k >= 0; k--) {
        A = turn_axis(k, q[k]);
        R = product(&A, &R);
      }
      B = transposed(&o->body[j->parent].C);
      R = product(&B, &R);
      break;
    case JMODEL_JOINT_PLANAR:
      p = add(p, add(scale(q[0], s.b), scale(q[1], cross(s.a, s.b))));
      A = turn_about(s.a, q[2]);
      R = product(&A, &s.C0);
      break;
    case JMODEL_JOINT_FREE:
      p = (jet3){{q[0], q[1], q[2]}};
      for (int k = 0; k < 3; k++) {  // roll innermost
        A = turn_axis(k, q[5 - k]);
        R = product(&A, &R);
      }
      break;
    default: break;
  }
  pose child = {product(&parent->R, &R), at(parent, p)};
  child.o = sub(child.o, apply(&child.R, s.c));
  return child;
}

static void place_all(const oracle* o, const jet* q, pose* P) {
  P[0] = (pose){identity(), vector((const double[]){0.0, 0.0, 0.0})};
  for (int k = 0; k < o->m->njoint; k++) {
    const jmodel_joint* j = &o->m->joint[k];
    P[j->child] = place_child(o, j, &P[j->parent], q + j->first_coordinate);
  }
}

static void place_at(const oracle* o, const double* q, const double* qd, const double* qdd,
                     pose* P) {
  jet* x = calloc((size_t)o->m->ncoordinate + 1, sizeof *x);
  assert_non_null(x);
  for (int i = 0; i < o->m->ncoordinate; i++) {
    x[i] = (jet){q[i], qd ? qd[i] : 0.0, qdd ? qdd[i] : 0.0};
  }
  place_all(o, x, P);
  free(x);
}

// Axial vector of the skew part of R^(k) R^T: angular velocity and, for k = 2, acceleration.
static void spin(const jet33* R, int k, double w[3]) {
  double S[3][3] = {{0}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      for (int l = 0; l < 3; l++) {
        S[i][j] += (k == 1 ? R->e[i][l].d : R->e[i][l].a) * R->e[j][l].v;
      }
    }
  }
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, l = (i + 2) % 3;
    w[i] = 0.5 * (S[l][j] - S[j][l]);
  }
}

// Absolute velocities (k = 1) or accelerations (k = 2): centre of mass, then rotation, per body.
static void absolute(const oracle* o, const pose* P, int k, double* x) {
  for (int b = 1; b < o->m->nbody; b++) {
    jet3 c = at(&P[b], vector(o->body[b].com));
    double* y = x + 6 * (b - 1);
    for (int i = 0; i < 3; i++) {
      y[i] = k == 1 ? c.e[i].d : c.e[i].a;
    }
    spin(&P[b].R, k, y + 3);
  }
}

// ---- constraints as functions of poses -----------------------------------------------------------

static void across(jet3 u, jet3 n[2]) {
  int k = 0;
  for (int i = 1; i < 3; i++) {
    if (fabs(u.e[i].v) < fabs(u.e[k].v)) k = i;
  }
  jet3 e = {{constant(k == 0), constant(k == 1), constant(k == 2)}};
  n[0] = unit(cross(u, e));
  n[1] = cross(u, n[0]);
}

static int put3(jet3 x, jet* out) {
  memcpy(out, x.e, sizeof x.e);
  return 3;
}

// x, in ground axes, is across nothing but u of body p
static int put_along(const pose* p, jet3 u, jet3 x, jet* out) {
  jet3 n[2];
  across(u, n);
  out[0] = dot(apply(&p->R, n[0]), x);
  out[1] = dot(apply(&p->R, n[1]), x);
  return 2;
}

static int put_locked(const pose* P, const pose* C, const jet33* C0, jet* out) {
  jet33 seat_axes = product(&P->R, C0);
  for (int k = 0; k < 3; k++) {
    jet3 x, y;
    for (int i = 0; i < 3; i++) {
      x.e[i] = seat_axes.e[i][(k + 1) % 3];
      y.e[i] = C->R.e[i][k];
    }
    out[k] = dot(x, y);
  }
  return 3;
}

static int joint_residual(const oracle* o, const jmodel_joint* j, const pose* P, const pose* C,
                          jet* out) {
  seat s = joint_seat(o, j);
  jet3 gap = sub(at(C, s.c), at(P, s.p)), axis = {0};
  if (j->type != JMODEL_JOINT_FIXED && j->type != JMODEL_JOINT_SPHERICAL &&
      j->type != JMODEL_JOINT_FREE && j->type != JMODEL_JOINT_UNIVERSAL) {
    axis = apply(&C->R, direction(o, &j->axis_child));
  }
  int n = 0;
  switch (j->type) {
    case JMODEL_JOINT_FIXED:
      n += put3(gap, out);
      n += put_locked(P, C, &s.C0, out + n);
      break;
    case JMODEL_JOINT_REVOLUTE:
      n += put3(gap, out);
      n += put_along(P, s.a, axis, out + n);
      break;
    case JMODEL_JOINT_PRISMATIC:
      n += put_along(P, s.a, gap, out);
      n += put_locked(P, C, &s.C0, out + n);
      break;
    case JMODEL_JOINT_CYLINDRICAL:
      n += put_along(P, s.a, gap, out);
      n += put_along(P, s.a, axis, out + n);
      break;
    case JMODEL_JOINT_UNIVERSAL:
      n += put3(gap, out);
      out[n++] = dot(apply(&P->R, s.a), apply(&C->R, direction(o, &j->axis2)));
      break;
    case JMODEL_JOINT_SPHERICAL: n += put3(gap, out); break;
    case JMODEL_JOINT_PLANAR:
      out[n++] = dot(apply(&P->R, s.a), gap);
      n += put_along(P, s.a, axis, out + n);
      break;
    default: break;
  }
  return n;
}

static jet design_length(const oracle* o, const jmodel_closure* c) {
  const body *A = &o->body[c->a.body], *B = &o->body[c->b.body];
  jet3 a = add(A->origin, apply(&A->C, point(o, &c->a)));
  jet3 b = add(B->origin, apply(&B->C, point(o, &c->b)));
  return root(dot(sub(a, b), sub(a, b)));
}

static int closure_residual(const oracle* o, const jmodel_closure* c, const pose* A, const pose* B,
                            jet* out) {
  if (c->type == JMODEL_CLOSURE_PARALLEL) {
    return put_along(A, direction(o, &c->u), apply(&B->R, direction(o, &c->v)), out);
  }
  if (c->type == JMODEL_CLOSURE_PERPENDICULAR) {
    out[0] = dot(apply(&A->R, direction(o, &c->u)), apply(&B->R, direction(o, &c->v)));
    return 1;
  }
  jet3 gap = sub(at(B, point(o, &c->b)), at(A, point(o, &c->a)));
  if (c->type == JMODEL_CLOSURE_DISTANCE) {
    jet length = c->has_length ? constant(fixed(o, &c->length)) : design_length(o, c);
    out[0] = minus(root(dot(gap, gap)), length);
    return 1;
  }
  if (c->type == JMODEL_CLOSURE_POINT_ON_LINE) {
    return put_along(A, direction(o, &c->u), gap, out);
  }
  int n = put3(gap, out);
  if (c->type == JMODEL_CLOSURE_BALL) return n;
  return n + put_along(A, direction(o, &c->u), apply(&B->R, direction(o, &c->v)), out + n);
}

static void closure_bodies(const jmodel_closure* c, int* a, int* b) {
  bool vectors = c->type == JMODEL_CLOSURE_PARALLEL || c->type == JMODEL_CLOSURE_PERPENDICULAR;
  *a = vectors ? c->u.body : c->a.body;
  *b = vectors ? c->v.body : c->b.body;
}

// All residuals of joints and closures. only >= 0: those that touch this body, others zero.
static void residuals(const oracle* o, const pose* P, int only, jet* out) {
  const jmodel* m = o->m;
  int n = 0;
  memset(out, 0, (size_t)(o->njoint + o->nclosure) * sizeof *out);
  for (int k = 0; k < m->njoint; k++) {
    const jmodel_joint* j = &m->joint[k];
    if (only < 0 || only == j->parent || only == j->child) {
      joint_residual(o, j, &P[j->parent], &P[j->child], out + n);
    }
    n += joint_equations(j->type);
  }
  for (int k = 0; k < m->nclosure; k++) {
    int a, b;
    closure_bodies(&m->closure[k], &a, &b);
    if (only < 0 || only == a || only == b) {
      closure_residual(o, &m->closure[k], &P[a], &P[b], out + n);
    }
    n += closure_equations(m->closure[k].type);
  }
}

// ---- the linear system ---------------------------------------------------------------------------

// Everything known at one state. Matrices are column-major.
typedef struct state {
  const oracle* o;
  double t;
  const double *q, *qd;
  pose* P;       // with velocities, joint accelerations zero
  double* v;     // absolute velocities (n)
  double* free;  // absolute accelerations when joint accelerations are zero (n)
  double* A;     // d v / d qd (n x nq)
  double* G;     // d qd / d v, a left inverse of A (nq x n)
  double* K;     // d constraint / d position (nc x n)
  double* bias;  // second derivative of the constraints at zero absolute accelerations (nc)
  double gap, slip;
} state;

static double* numbers(int n) {
  double* x = calloc((size_t)n + 1, sizeof *x);
  assert_non_null(x);
  return x;
}

// A pose that moves with constant velocity of its centre of mass and constant angular velocity.
static pose coasting(const body* b, const pose* at_rest, const double* v) {
  pose p = *at_rest;
  jet3 w = vector(v + 3), com = vector(b->com), c;
  for (int j = 0; j < 3; j++) {
    jet3 x = {{constant(p.R.e[0][j].v), constant(p.R.e[1][j].v), constant(p.R.e[2][j].v)}};
    jet3 first = cross(w, x), second = cross(w, first);
    for (int i = 0; i < 3; i++) {
      p.R.e[i][j] = (jet){x.e[i].v, first.e[i].v, second.e[i].v};
    }
  }
  jet3 now = at(at_rest, com);
  for (int i = 0; i < 3; i++) {
    c.e[i] = (jet){now.e[i].v, v[i], 0.0};
  }
  p.o = sub(c, apply(&p.R, com));
  return p;
}

static void joint_map(state* s) {
  const oracle* o = s->o;
  int n = o->n, nq = o->m->ncoordinate;
  pose* P = calloc((size_t)o->m->nbody, sizeof *P);
  double *e = numbers(nq), *A = numbers(n * nq), *B = numbers(n * n);
  assert_non_null(P);
  for (int k = 0; k < nq; k++) {
    e[k] = 1.0;
    place_at(o, s->q, e, NULL, P);
    absolute(o, P, 1, s->A + k * n);
    e[k] = 0.0;
  }
  memcpy(A, s->A, (size_t)(n * nq) * sizeof *A);
  for (int i = 0; i < n; i++) {
    B[i + i * n] = 1.0;
  }
  if (nq > 0) assert_int_equal(LAPACKE_dgels(LAPACK_COL_MAJOR, 'N', n, nq, n, A, n, B, n), 0);
  for (int k = 0; k < nq; k++) {
    for (int i = 0; i < n; i++) {
      s->G[k + i * nq] = B[k + i * n];
    }
  }
  free(P);
  free(e);
  free(A);
  free(B);
}

static void constraint_map(state* s) {
  const oracle* o = s->o;
  int n = o->n, nc = o->nc, nr = o->njoint + o->nclosure, nq = o->m->ncoordinate;
  pose* P = calloc((size_t)o->m->nbody, sizeof *P);
  jet* r = calloc((size_t)nr + 1, sizeof *r);
  assert_non_null(P);
  assert_non_null(r);
  double rest[6] = {0};
  P[0] = s->P[0];
  for (int b = 1; b < o->m->nbody; b++) {
    P[b] = coasting(&o->body[b], &s->P[b], s->v + 6 * (b - 1));
  }
  residuals(o, P, -1, r);
  for (int i = 0; i < nr; i++) {
    s->bias[i] = r[i].a;
    s->gap = fmax(s->gap, fabs(r[i].v));
    s->slip = fmax(s->slip, fabs(r[i].d));
  }
  for (int b = 1; b < o->m->nbody; b++) {
    P[b] = coasting(&o->body[b], &s->P[b], rest);
  }
  for (int b = 1; b < o->m->nbody; b++) {
    pose still = P[b];
    for (int k = 0; k < 6; k++) {
      double e[6] = {0};
      e[k] = 1.0;
      P[b] = coasting(&o->body[b], &s->P[b], e);
      residuals(o, P, b, r);
      for (int i = 0; i < nr; i++) {
        s->K[i + (6 * (b - 1) + k) * nc] = r[i].d;
      }
    }
    P[b] = still;
  }
  // drives: G (a - free) = sdd
  for (int k = 0, row = nr; k < nq; k++) {
    const jmodel_coordinate* c = &o->m->coordinate[k];
    if (!c->is_driven) continue;
    names w = {.o = o};
    s->bias[row] = -evaluate_at(o, &c->driven, &w, s->t, 2);
    for (int i = 0; i < n; i++) {
      s->K[row + i * nc] = s->G[k + i * nq];
      s->bias[row] -= s->G[k + i * nq] * s->free[i];
    }
    row++;
  }
  free(P);
  free(r);
}

static state* look(const oracle* o, double t, const double* q, const double* qd) {
  int n = o->n, nq = o->m->ncoordinate;
  state* s = calloc(1, sizeof *s);
  assert_non_null(s);
  *s = (state){.o = o, .t = t, .q = q, .qd = qd};
  s->P = calloc((size_t)o->m->nbody, sizeof *s->P);
  assert_non_null(s->P);
  s->v = numbers(n);
  s->free = numbers(n);
  s->A = numbers(n * nq);
  s->G = numbers(nq * n);
  s->K = numbers(o->nc * n);
  s->bias = numbers(o->nc);
  place_at(o, q, qd, NULL, s->P);
  absolute(o, s->P, 1, s->v);
  absolute(o, s->P, 2, s->free);
  joint_map(s);
  constraint_map(s);
  return s;
}

static void forget(state* s) {
  free(s->P);
  free(s->v);
  free(s->free);
  free(s->A);
  free(s->G);
  free(s->K);
  free(s->bias);
  free(s);
}

// Inertia of a body in ground axes.
static void inertia(const state* s, int b, double I[3][3]) {
  const body* k = &s->o->body[b];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      I[i][j] = 0.0;
      for (int p = 0; p < 9; p++) {
        I[i][j] += s->P[b].R.e[i][p / 3].v * k->I[p / 3][p % 3] * s->P[b].R.e[j][p % 3].v;
      }
    }
  }
}

// y = M x for one body
static void momentum(const state* s, int b, const double* x, double* y) {
  double I[3][3];
  inertia(s, b, I);
  for (int i = 0; i < 3; i++) {
    y[i] = s->o->body[b].m * x[i];
    y[3 + i] = I[i][0] * x[3] + I[i][1] * x[4] + I[i][2] * x[5];
  }
}

// ---- forces --------------------------------------------------------------------------------------

static double value(jet x) {
  return x.v;
}

static jet3 values(jet3 x) {
  return (jet3){{constant(x.e[0].v), constant(x.e[1].v), constant(x.e[2].v)}};
}

static jet3 rates(jet3 x) {
  return (jet3){{constant(x.e[0].d), constant(x.e[1].d), constant(x.e[2].d)}};
}

// Force f at ground position x, and moment n, on a body.
static void push(const state* s, int b, jet3 x, jet3 f, jet3 n, double* F) {
  if (b == 0) return;
  jet3 c = values(at(&s->P[b], vector(s->o->body[b].com)));
  jet3 moment = add(n, cross(sub(values(x), c), f));
  for (int i = 0; i < 3; i++) {
    F[6 * (b - 1) + i] += f.e[i].v;
    F[6 * (b - 1) + 3 + i] += moment.e[i].v;
  }
}

static double now(const state* s, const jmodel_scalar* x) {
  names w = {.o = s->o, .q = s->q, .qd = s->qd};
  return evaluate_at(s->o, x, &w, s->t, 0);
}

static double table_value(const oracle* o, int table, double x) {
  jexpr_graph* g = jexpr_graph_create(o->ctx);
  assert_non_null(g);
  jexpr_group(g, "t", 1, JEXPR_PER_LANE);
  jexpr_ref r = put_table(o, g, &o->m->table[table], jexpr_const(g, x));
  double y = node_value(o, g, r, 0.0, 0);
  jexpr_graph_destroy(g);
  return y;
}

static double law(const state* s, const jmodel_force* f, double x, double xd, double* torque) {
  names w = {s->o, s->q, s->qd, 3, {"length", "angle", "rate"}, {x, x, xd}};
  double T = 0.0;
  if (f->has_stiffness) T += now(s, &f->stiffness) * (x - (f->has_free ? now(s, &f->free) : 0.0));
  if (f->has_damping) T += now(s, &f->damping) * xd;
  if (f->has_preload) T += now(s, &f->preload);
  if (f->spring_table >= 0) T += table_value(s->o, f->spring_table, x);
  if (f->damper_table >= 0) T += table_value(s->o, f->damper_table, xd);
  if (f->has_bump) {
    T -= now(s, &f->bump_stiffness) * fmax(0.0, now(s, &f->bump_clearance) - x);
  }
  if (f->has_rebound) {
    T += now(s, &f->rebound_stiffness) * fmax(0.0, x - now(s, &f->rebound_clearance));
  }
  if (f->has_expression) T += evaluate_at(s->o, &f->expression, &w, s->t, 0);
  *torque = f->has_torque ? evaluate_at(s->o, &f->torque, &w, s->t, 0) : 0.0;
  return T;
}

static void push_line(const state* s, const jmodel_force* f, double* F) {
  jet3 a = at(&s->P[f->a.body], point(s->o, &f->a)), b = at(&s->P[f->b.body], point(s->o, &f->b));
  jet3 gap = sub(b, a), none = {0};
  jet length = root(dot(gap, gap));
  double torque, T = law(s, f, length.v, length.d, &torque);
  jet3 pull = scale(constant(T), unit(values(gap)));
  push(s, f->a.body, a, pull, none, F);
  push(s, f->b.body, b, scale(constant(-1.0), pull), none, F);
}

// virtual power Q qd = Q G v
static void push_coordinate(const state* s, int k, double Q, double* F) {
  for (int i = 0; i < s->o->n; i++) {
    F[i] += s->G[k + i * s->o->m->ncoordinate] * Q;
  }
}

static void push_joint(const state* s, const jmodel_force* f, double* F) {
  bool bar = f->type == JMODEL_FORCE_BAR;
  int i = f->coordinate, j = f->coordinate2;
  double x = s->q[i] - (bar ? s->q[j] : 0.0), xd = s->qd[i] - (bar ? s->qd[j] : 0.0), torque;
  double Q = -law(s, f, x, xd, &torque);
  Q += torque;
  push_coordinate(s, i, Q, F);
  if (bar) push_coordinate(s, j, -Q, F);
}

static void push_point(const state* s, const jmodel_force* f, double* F) {
  jet3 force, moment = {0};
  for (int i = 0; i < 3; i++) {
    force.e[i] = constant(now(s, &f->vector.e[i]));
    if (f->has_moment) moment.e[i] = constant(now(s, &f->moment.e[i]));
  }
  if (f->in_body) {
    force = values(apply(&s->P[f->a.body].R, force));
    moment = values(apply(&s->P[f->a.body].R, moment));
  }
  push(s, f->a.body, at(&s->P[f->a.body], point(s->o, &f->a)), force, moment, F);
}

static double clamp_one(double x) {
  return fmax(-1.0, fmin(1.0, x));
}

// The tyre of the buggy benchmark on horizontal ground, word for word.
static void push_tyre(const state* s, const jmodel_tyre* y, double* F) {
  const pose* P = &s->P[y->body];
  jet3 p = at(P, point(s->o, &y->centre)), v = rates(p), none = {0};
  jet3 u = values(apply(&P->R, direction(s->o, &y->axis)));
  jet3 n = vector((const double[]){0.0, 0.0, 1.0}), w = vector(s->v + 6 * (y->body - 1) + 3);
  names here = {s->o, s->q, s->qd, 2, {"x", "y"}, {p.e[0].v, p.e[1].v}};
  double ground = s->o->m->has_road ? evaluate_at(s->o, &s->o->m->road, &here, s->t, 0) : 0.0;
  double R = now(s, &y->radius), h = p.e[2].v - ground, un = value(dot(u, n));
  double sn = sqrt(1.0 - un * un), loaded = h / sn;
  jet3 t = scale(constant(1.0 / sn), sub(n, scale(constant(un), u)));
  double delta = y->loaded_radius ? R - loaded : R * sn - h;
  if (delta <= 0.0) return;
  double Fn = fmax(0.0, now(s, &y->stiffness) * delta - now(s, &y->damping) * value(dot(v, n)));
  jet3 c = values(p);
  if (y->loaded_radius) {
    c = sub(c, scale(constant(loaded), t));
  } else {
    jet3 flat = {{t.e[0], t.e[1], constant(0.0)}};
    c = sub(sub(c, scale(constant(R), flat)), scale(constant(h), n));
  }
  jet3 b = unit(cross(u, n)), l = cross(n, b);
  double vx = value(dot(v, b)), vy = value(dot(v, l));
  double kappa = (value(dot(w, u)) * loaded - vx) / fabs(vx), alpha = atan(-vy / fabs(vx));
  double Fx = now(s, &y->mu_x) * Fn * clamp_one(kappa / now(s, &y->kappa_c));
  double Fy = now(s, &y->mu_y) * Fn * clamp_one(alpha / now(s, &y->alpha_c));
  jet3 f = add(scale(constant(Fx), b), add(scale(constant(Fy), l), scale(constant(Fn), n)));
  push(s, y->body, c, f, none, F);
}

// Applied and gyroscopic forces: M a = F + reactions.
static void forces(const state* s, double* F) {
  const jmodel* m = s->o->m;
  jet3 g = fixed3(s->o, &m->gravity);
  for (int b = 1; b < m->nbody; b++) {
    double p[6], *f = F + 6 * (b - 1);
    const double* v = s->v + 6 * (b - 1);
    momentum(s, b, v, p);
    jet3 gyro = cross(vector(v + 3), vector(p + 3));
    for (int i = 0; i < 3; i++) {
      f[i] += s->o->body[b].m * g.e[i].v;
      f[3 + i] -= gyro.e[i].v;
    }
  }
  for (int k = 0; k < m->nforce; k++) {
    const jmodel_force* f = &m->force[k];
    switch (f->type) {
      case JMODEL_FORCE_LINE: push_line(s, f, F); break;
      case JMODEL_FORCE_JOINT:
      case JMODEL_FORCE_BAR: push_joint(s, f, F); break;
      case JMODEL_FORCE_POINT: push_point(s, f, F); break;
    }
  }
  for (int k = 0; k < m->ntyre; k++) {
    push_tyre(s, &m->tyre[k], F);
  }
}

// ---- solutions -----------------------------------------------------------------------------------

//   [ M  K^T ] [ a      ]   [ top    ]
//   [ K   0  ] [ lambda ] = [ bottom ]      least squares: redundant constraints do no harm
static int solve(const state* s, const double* top, const double* bottom, double* a,
                 double* lambda) {
  int n = s->o->n, nc = s->o->nc, N = n + nc;
  double *S = numbers(N * N), *x = numbers(N), *sv = numbers(N);
  for (int b = 1; b < s->o->m->nbody; b++) {
    for (int k = 0; k < 6; k++) {
      double e[6] = {0};
      int c = 6 * (b - 1);
      e[k] = 1.0;
      momentum(s, b, e, S + c + (c + k) * N);
    }
  }
  for (int i = 0; i < nc; i++) {
    for (int k = 0; k < n; k++) {
      S[n + i + k * N] = S[k + (n + i) * N] = s->K[i + k * nc];
    }
  }
  memcpy(x, top, (size_t)n * sizeof *x);
  memcpy(x + n, bottom, (size_t)nc * sizeof *x);
  lapack_int rank = 0;
  assert_int_equal(LAPACKE_dgelsd(LAPACK_COL_MAJOR, N, N, 1, S, N, x, N, sv, RANK_TOLERANCE, &rank),
                   0);
  memcpy(a, x, (size_t)n * sizeof *x);
  memcpy(lambda, x + n, (size_t)nc * sizeof *x);
  free(S);
  free(x);
  free(sv);
  return (int)rank - n;
}

// Coordinates that explain absolute rates x, and what they leave unexplained.
static double explain(const state* s, const double* x, const double* offset, double* out) {
  int n = s->o->n, nq = s->o->m->ncoordinate;
  double worst = 0.0;
  for (int k = 0; k < nq; k++) {
    out[k] = 0.0;
    for (int i = 0; i < n; i++) {
      out[k] += s->G[k + i * nq] * (x[i] - offset[i]);
    }
  }
  for (int i = 0; i < n; i++) {
    double rest = x[i] - offset[i];
    for (int k = 0; k < nq; k++) {
      rest -= s->A[i + k * n] * out[k];
    }
    worst = fmax(worst, fabs(rest));
  }
  return worst;
}

void oracle_accelerations(const oracle* o, double t, const double* q, const double* qd, double* qdd,
                          double* drive_force, oracle_report* report) {
  state* s = look(o, t, q, qd);
  double *F = numbers(o->n), *a = numbers(o->n), *lambda = numbers(o->nc), *b = numbers(o->nc);
  forces(s, F);
  for (int i = 0; i < o->nc; i++) {
    b[i] = -s->bias[i];
  }
  report->rank = solve(s, F, b, a, lambda);
  report->misfit = explain(s, a, s->free, qdd);
  report->gap = s->gap;
  report->slip = s->slip;
  report->nconstraint = o->nc;
  report->nclosure = o->nclosure;
  for (int k = 0, row = o->njoint + o->nclosure; drive_force && k < o->m->ncoordinate; k++) {
    drive_force[k] = o->m->coordinate[k].is_driven ? -lambda[row++] : 0.0;
  }
  free(F);
  free(a);
  free(lambda);
  free(b);
  forget(s);
}

void oracle_inverse(const oracle* o, double t, const double* q, const double* qd, const double* qdd,
                    double* Q) {
  state* s = look(o, t, q, qd);
  int n = o->n, nq = o->m->ncoordinate;
  double* F = numbers(n);
  forces(s, F);
  for (int b = 1; b < o->m->nbody; b++) {
    double a[6], p[6];
    for (int i = 0; i < 6; i++) {
      int row = 6 * (b - 1) + i;
      a[i] = s->free[row];
      for (int k = 0; k < nq; k++) {
        a[i] += s->A[row + k * n] * qdd[k];
      }
    }
    momentum(s, b, a, p);
    for (int i = 0; i < 6; i++) {
      F[6 * (b - 1) + i] = p[i] - F[6 * (b - 1) + i];
    }
  }
  for (int k = 0; k < nq; k++) {
    Q[k] = 0.0;
    for (int i = 0; i < n; i++) {
      Q[k] += s->A[i + k * n] * F[i];
    }
  }
  free(F);
  forget(s);
}

void oracle_jump(const oracle* o, double t, const double* q, const double* qd_before,
                 double* qd_after, double* impulse) {
  state* s = look(o, t, q, qd_before);
  int n = o->n, nq = o->m->ncoordinate;
  double *p = numbers(n), *v = numbers(n), *lambda = numbers(o->nc), *b = numbers(o->nc);
  double* zero = numbers(n);
  for (int k = 1; k < o->m->nbody; k++) {
    momentum(s, k, s->v + 6 * (k - 1), p + 6 * (k - 1));
  }
  for (int k = 0, row = o->njoint + o->nclosure; k < nq; k++) {
    if (o->m->coordinate[k].is_driven) b[row++] = qd_after[k];
  }
  solve(s, p, b, v, lambda);
  explain(s, v, zero, qd_after);
  for (int k = 0, row = o->njoint + o->nclosure; k < nq; k++) {
    impulse[k] = o->m->coordinate[k].is_driven ? -lambda[row++] : 0.0;
  }
  free(p);
  free(v);
  free(lambda);
  free(b);
  free(zero);
  forget(s);
}

double oracle_kinetic_energy(const oracle* o, const double* q, const double* qd) {
  state* s = look(o, 0.0, q, qd);
  double T = 0.0;
  for (int b = 1; b < o->m->nbody; b++) {
    double p[6];
    momentum(s, b, s->v + 6 * (b - 1), p);
    for (int i = 0; i < 6; i++) {
      T += 0.5 * p[i] * s->v[6 * (b - 1) + i];
    }
  }
  forget(s);
  return T;
}

double oracle_gap(const oracle* o, const double* q) {
  int n = o->njoint + o->nclosure;
  pose* P = calloc((size_t)o->m->nbody, sizeof *P);
  jet* r = calloc((size_t)n + 1, sizeof *r);
  assert_non_null(P);
  assert_non_null(r);
  place_at(o, q, NULL, NULL, P);
  residuals(o, P, -1, r);
  double gap = 0.0;
  for (int i = 0; i < n; i++) {
    gap = fabs(r[i].v) <= gap ? gap : fabs(r[i].v);
  }
  free(P);
  free(r);
  return gap;
}
