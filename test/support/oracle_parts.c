// SPDX-License-Identifier: Apache-2.0
// The oracle's view of a model: numbers from expressions, poses from joint coordinates, constraints
// from poses.
#include "support/oracle_parts.h"

#include "expr/diff.h"
#include "expr/parse/parse.h"
#include "expr/tape/tape.h"
#include "support/check.h"

// ---- model data ----------------------------------------------------------------------------------

static bool same(const char* a, const char* b, size_t n) {
  return strlen(a) == n && memcmp(a, b, n) == 0;
}

static jexpr_ref built(jexpr_graph* g, const jmodel_scalar* x, const names* w);

static jexpr_ref find(void* user, jexpr_graph* g, const char* text, size_t n) {
  const names* w = user;
  const jmodel* m = w->o->m;
  for (int i = 0; i < w->nlocal; i++) {
    if (same(w->name[i], text, n)) return jexpr_const(g, w->value[i]);
  }
  if (same("t", text, n)) return jexpr_input(g, 0, 0);
  for (int i = 0; i < m->nparameter; i++) {
    if (!same(m->parameter[i].name, text, n)) continue;
    return jexpr_const(g, oracle_evaluate(w->o, &m->parameter[i].value, w, 0.0, 0));
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
  for (int i = 0; i < m->nsignal; i++) {
    if (same(m->signal[i].name, text, n)) return built(g, &m->signal[i].value, w);
  }
  return JEXPR_POISON;
}

jexpr_ref oracle_table(const oracle* o, jexpr_graph* g, const jmodel_table* t, jexpr_ref x) {
  jexpr_ref X[64], Y[64];
  names none = {.o = o};
  assert_in_range(t->n, 1, 64);
  for (int i = 0; i < t->n; i++) {
    X[i] = jexpr_const(g, oracle_evaluate(o, &t->x[i], &none, 0.0, 0));
    Y[i] = jexpr_const(g, oracle_evaluate(o, &t->y[i], &none, 0.0, 0));
  }
  return jexpr_table(g, t->kind, t->rule, x, X, Y, t->n);
}

static jexpr_ref call(void* user, jexpr_graph* g, const char* name, size_t n, const jexpr_ref* args,
                      int nargs, int* expected) {
  const names* w = user;
  (void)expected;
  for (int k = 0; k < w->o->m->ntable && nargs == 1; k++) {
    const jmodel_table* t = &w->o->m->table[k];
    if (same(t->name, name, n)) return oracle_table(w->o, g, t, args[0]);
  }
  return JEXPR_POISON;
}

// An expression as nodes of a graph whose first input is the time.
static jexpr_ref built(jexpr_graph* g, const jmodel_scalar* x, const names* w) {
  if (!x->text) return jexpr_const(g, x->number < 0 ? 0.0 : w->o->m->number[x->number].value);
  jexpr_scope scope = {.find = find, .user = (void*)w, .call = call};
  jexpr_ref r;
  assert_ok(w->o->ctx, jexpr_parse(g, x->text, strlen(x->text), &scope, x->path, &r));
  return r;
}

// The order-th derivative by time of a node.
double oracle_node(const oracle* o, jexpr_graph* g, jexpr_ref r, double t, int order) {
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

double oracle_evaluate(const oracle* o, const jmodel_scalar* x, const names* w, double t,
                       int order) {
  if (!x->text) return order > 0 || x->number < 0 ? 0.0 : o->m->number[x->number].value;
  jexpr_graph* g = jexpr_graph_create(o->ctx);
  assert_non_null(g);
  jexpr_group(g, "t", 1, JEXPR_PER_LANE);
  double y = oracle_node(o, g, built(g, x, w), t, order);
  jexpr_graph_destroy(g);
  return y;
}

static double fixed(const oracle* o, const jmodel_scalar* x) {
  names none = {.o = o};
  return oracle_evaluate(o, x, &none, 0.0, 0);
}

jet3 oracle_vector(const oracle* o, const jmodel_v3* x) {
  return (jet3){
      {constant(fixed(o, &x->e[0])), constant(fixed(o, &x->e[1])), constant(fixed(o, &x->e[2]))}};
}

static void read_frame(const oracle* o, const jmodel_body* b, body* out) {
  out->C = identity();
  out->origin = vector((const double[]){0.0, 0.0, 0.0});
  if (!b->has_frame) return;
  int i = b->axis_given[0], j = b->axis_given[1], k = 3 - i - j;
  jet3 axis[3];
  axis[i] = unit(oracle_vector(o, &b->axis[0]));
  jet3 y = oracle_vector(o, &b->axis[1]);
  axis[j] = unit(sub(y, scale(dot(axis[i], y), axis[i])));
  axis[k] = cross(axis[(k + 1) % 3], axis[(k + 2) % 3]);
  for (int c = 0; c < 3; c++) {
    for (int r = 0; r < 3; r++) {
      out->C.e[r][c] = axis[c].e[r];
    }
  }
  out->origin = oracle_vector(o, &b->origin);
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
  return 6 - jmodel_joint_freedom(jmodel_joint_class_of(type));
}

static int closure_equations(jmodel_closure_type type) {
  return jmodel_closure_equations(jmodel_closure_class_of(type));
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
  for (int i = 0; i < m->ncoupling; i++) {
    o->ncoupling += m->coupling[i].nrelation;
  }
  o->nc = o->njoint + o->nclosure + o->ndrive + o->ncoupling;
  return o;
}

void oracle_destroy(oracle* o) {
  if (!o) return;
  free(o->body);
  free(o);
}

// Points and directions of the model in body axes.
jet3 oracle_point(const oracle* o, const jmodel_point* p) {
  jet3 r = oracle_vector(o, &p->r);
  if (!p->in_vehicle) return r;
  jet33 T = transposed(&o->body[p->body].C);
  return apply(&T, sub(r, o->body[p->body].origin));
}

jet3 oracle_direction(const oracle* o, const jmodel_vector* v) {
  jet3 r = unit(oracle_vector(o, &v->v));
  if (!v->in_vehicle) return r;
  jet33 T = transposed(&o->body[v->body].C);
  return apply(&T, r);
}

// ---- poses from joint coordinates ----------------------------------------------------------------

// What a joint looks like in the axes of its parent, all coordinates zero.
typedef struct seat {
  jet3 a, b, p;  // axes, point on the parent
  jet3 c;        // point on the child, in its axes
  jet33 C0;      // child -> parent
} seat;

static seat joint_seat(const oracle* o, const jmodel_joint* j) {
  seat s = {.p = oracle_point(o, &j->at_parent), .c = oracle_point(o, &j->at_child)};
  jet33 T = transposed(&o->body[j->parent].C);
  s.C0 = product(&T, &o->body[j->child].C);
  bool has_axis = j->type != JMODEL_JOINT_FIXED && j->type != JMODEL_JOINT_SPHERICAL &&
                  j->type != JMODEL_JOINT_FREE;
  if (!has_axis) return s;
  s.a = oracle_direction(o, &j->axis_parent);
  bool universal = j->type == JMODEL_JOINT_UNIVERSAL,
       planar = j->type == JMODEL_JOINT_PLANAR || j->type == JMODEL_JOINT_PIN_SLOT;
  if (planar || universal) {
    s.b = oracle_direction(o, &j->axis2);
    if (universal) s.b = apply(&s.C0, s.b);
  }
  // frames of the file only come near: turn the child so that its axis fits
  jet3 from = universal ? s.b : apply(&s.C0, oracle_direction(o, &j->axis_child));
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
    case JMODEL_JOINT_PIN_SLOT:
      p = add(p, scale(q[0], s.b));
      A = turn_about(s.a, q[1]);
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

void oracle_place(const oracle* o, const double* q, const double* qd, const double* qdd, pose* P) {
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
void oracle_absolute(const oracle* o, const pose* P, int k, double* x) {
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
    axis = apply(&C->R, oracle_direction(o, &j->axis_child));
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
      out[n++] = dot(apply(&P->R, s.a), apply(&C->R, oracle_direction(o, &j->axis2)));
      break;
    case JMODEL_JOINT_SPHERICAL: n += put3(gap, out); break;
    case JMODEL_JOINT_PLANAR:
      out[n++] = dot(apply(&P->R, s.a), gap);
      n += put_along(P, s.a, axis, out + n);
      break;
    case JMODEL_JOINT_PIN_SLOT:
      n += put_along(P, s.b, gap, out);
      n += put_along(P, s.a, axis, out + n);
      break;
    default: break;
  }
  return n;
}

static jet design_length(const oracle* o, const jmodel_closure* c) {
  const body *A = &o->body[c->a.body], *B = &o->body[c->b.body];
  jet3 a = add(A->origin, apply(&A->C, oracle_point(o, &c->a)));
  jet3 b = add(B->origin, apply(&B->C, oracle_point(o, &c->b)));
  return root(dot(sub(a, b), sub(a, b)));
}

static int closure_residual(const oracle* o, const jmodel_closure* c, const pose* A, const pose* B,
                            jet* out) {
  if (c->type == JMODEL_CLOSURE_PARALLEL) {
    return put_along(A, oracle_direction(o, &c->u), apply(&B->R, oracle_direction(o, &c->v)), out);
  }
  if (c->type == JMODEL_CLOSURE_PERPENDICULAR) {
    out[0] =
        dot(apply(&A->R, oracle_direction(o, &c->u)), apply(&B->R, oracle_direction(o, &c->v)));
    return 1;
  }
  jet3 gap = sub(at(B, oracle_point(o, &c->b)), at(A, oracle_point(o, &c->a)));
  if (c->type == JMODEL_CLOSURE_DISTANCE) {
    jet length = c->has_length ? constant(fixed(o, &c->length)) : design_length(o, c);
    out[0] = minus(root(dot(gap, gap)), length);
    return 1;
  }
  if (c->type == JMODEL_CLOSURE_POINT_ON_LINE) {
    return put_along(A, oracle_direction(o, &c->u), gap, out);
  }
  if (c->type == JMODEL_CLOSURE_POINT_IN_PLANE) {
    out[0] = dot(apply(&A->R, oracle_direction(o, &c->u)), gap);
    return 1;
  }
  if (c->type == JMODEL_CLOSURE_PLANAR) {
    jet3 v = apply(&B->R, oracle_direction(o, &c->v));
    out[0] = dot(apply(&A->R, oracle_direction(o, &c->u)), gap);
    return 1 + put_along(A, oracle_direction(o, &c->u), v, out + 1);
  }
  jet33 T = transposed(&o->body[c->a.body].C), C0 = product(&T, &o->body[c->b.body].C);
  bool slides = c->type == JMODEL_CLOSURE_PRISMATIC || c->type == JMODEL_CLOSURE_CYLINDRICAL;
  int n = slides ? put_along(A, oracle_direction(o, &c->u), gap, out) : put3(gap, out);
  if (c->type == JMODEL_CLOSURE_BALL) return n;
  if (c->type == JMODEL_CLOSURE_FIXED || c->type == JMODEL_CLOSURE_PRISMATIC) {
    return n + put_locked(A, B, &C0, out + n);
  }
  if (c->type == JMODEL_CLOSURE_UNIVERSAL) {
    out[n] =
        dot(apply(&A->R, oracle_direction(o, &c->u)), apply(&B->R, oracle_direction(o, &c->v)));
    return n + 1;
  }
  return n + put_along(A, oracle_direction(o, &c->u), apply(&B->R, oracle_direction(o, &c->v)),
                       out + n);
}

static void closure_bodies(const jmodel_closure* c, int* a, int* b) {
  bool vectors = c->type == JMODEL_CLOSURE_PARALLEL || c->type == JMODEL_CLOSURE_PERPENDICULAR;
  *a = vectors ? c->u.body : c->a.body;
  *b = vectors ? c->v.body : c->b.body;
}

// All residuals of joints and closures. only >= 0: those that touch this body, others zero.
void oracle_residuals(const oracle* o, const pose* P, int only, jet* out) {
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

// sum of coefficients times x of a relation
static double relation_sum(const oracle* o, const jmodel_relation* r, const double* x) {
  double sum = 0.0;
  for (int k = 0; k < r->nterm; k++) {
    double scale = r->term[k].has_scale ? fixed(o, &r->term[k].scale) : 1.0;
    sum += r->term[k].factor * scale * x[r->term[k].coordinate];
  }
  return sum;
}

void oracle_relations(const oracle* o, const double* x, bool offsets, double* out) {
  for (int i = 0, n = 0; i < o->m->ncoupling; i++) {
    for (int k = 0; k < o->m->coupling[i].nrelation; k++) {
      const jmodel_relation* r = &o->m->coupling[i].relation[k];
      out[n++] = relation_sum(o, r, x) - (offsets ? fixed(o, &r->offset) : 0.0);
    }
  }
}
