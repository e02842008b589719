// SPDX-License-Identifier: Apache-2.0
// The oracle's mechanics: inertia, forces and constraints in one linear system.
#include "support/oracle.h"
#include "element/data.h"
#include "element/list.h"

#include <lapacke.h>

#include "support/check.h"
#include "support/oracle_parts.h"

#undef I  // of complex.h

#define RANK_TOLERANCE 1e-12

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
    oracle_place(o, s->q, e, NULL, P);
    oracle_absolute(o, P, 1, s->A + k * n);
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
  oracle_residuals(o, P, -1, r);
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
      oracle_residuals(o, P, b, r);
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
    s->bias[row] = -oracle_evaluate(o, &c->driven, &w, s->t, 2);
    for (int i = 0; i < n; i++) {
      s->K[row + i * nc] = s->G[k + i * nq];
      s->bias[row] -= s->G[k + i * nq] * s->free[i];
    }
    row++;
  }
  // couplings: C G (a - free) = 0
  double *e = numbers(nq), *gap = numbers(o->ncoupling), *column = numbers(o->ncoupling);
  int first = nr + o->ndrive;
  for (int i = 0; i < n; i++) {
    memcpy(e, s->G + i * nq, (size_t)nq * sizeof *e);
    oracle_relations(o, e, false, column);
    for (int k = 0; k < o->ncoupling; k++) {
      s->K[first + k + i * nc] = column[k];
      s->bias[first + k] -= column[k] * s->free[i];
    }
  }
  oracle_relations(o, s->q, true, gap);
  oracle_relations(o, s->qd, false, column);
  for (int k = 0; k < o->ncoupling; k++) {
    s->gap = fmax(s->gap, fabs(gap[k]));
    s->slip = fmax(s->slip, fabs(column[k]));
  }
  free(e);
  free(gap);
  free(column);
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
  oracle_place(o, q, qd, NULL, s->P);
  oracle_absolute(o, s->P, 1, s->v);
  oracle_absolute(o, s->P, 2, s->free);
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
  return oracle_evaluate(s->o, x, &w, s->t, 0);
}

static double table_value(const oracle* o, int table, double x) {
  jexpr_graph* g = jexpr_graph_create(o->ctx);
  assert_non_null(g);
  jexpr_group(g, "t", 1, JEXPR_PER_LANE);
  jexpr_ref r = oracle_table(o, g, &o->m->table[table], jexpr_const(g, x));
  double y = oracle_node(o, g, r, 0.0, 0);
  jexpr_graph_destroy(g);
  return y;
}

static double law(const state* s, const jelement_law* f, double x, double xd, double* torque) {
  names w = {s->o, s->q, s->qd, 3, {"length", "angle", "rate"}, {x, x, xd}};
  double T = 0.0;
  if (f->has_stiffness) T += now(s, &f->stiffness) * (x - (f->has_free ? now(s, &f->free) : 0.0));
  if (f->has_damping) T += now(s, &f->damping) * xd;
  if (f->has_preload) T += now(s, &f->preload);
  if (f->spring_table >= 0) T += table_value(s->o, f->spring_table, x);
  if (f->damper_table >= 0) T += table_value(s->o, f->damper_table, xd);
  if (f->bump.is_given) {
    T -= now(s, &f->bump.stiffness) * fmax(0.0, now(s, &f->bump.place) - x);
  }
  if (f->rebound.is_given) {
    T += now(s, &f->rebound.stiffness) * fmax(0.0, x - now(s, &f->rebound.place));
  }
  if (f->has_force) T += oracle_evaluate(s->o, &f->force, &w, s->t, 0);
  *torque = f->has_torque ? oracle_evaluate(s->o, &f->torque, &w, s->t, 0) : 0.0;
  return T;
}

static void push_line(const state* s, const jelement_line_data* f, double* F) {
  jet3 a = at(&s->P[f->ends.a.body], oracle_point(s->o, &f->ends.a)),
       b = at(&s->P[f->ends.b.body], oracle_point(s->o, &f->ends.b));
  jet3 gap = sub(b, a), none = {0};
  jet length = root(dot(gap, gap));
  double torque, T = law(s, &f->law, length.v, length.d, &torque);
  jet3 pull = scale(constant(T), unit(values(gap)));
  push(s, f->ends.a.body, a, pull, none, F);
  push(s, f->ends.b.body, b, scale(constant(-1.0), pull), none, F);
}

// virtual power Q qd = Q G v
static void push_coordinate(const state* s, int k, double Q, double* F) {
  for (int i = 0; i < s->o->n; i++) {
    F[i] += s->G[k + i * s->o->m->ncoordinate] * Q;
  }
}

static void push_joint(const state* s, const jmodel_element* e, double* F) {
  const jelement_coordinate_data* f = e->data;
  int i = e->coordinate;
  double torque, Q = -law(s, &f->law, s->q[i], s->qd[i], &torque);
  push_coordinate(s, i, Q + torque, F);
}

static void push_bar(const state* s, const jelement_bar_data* f, double* F) {
  int i = f->first, j = f->second;
  double Q = -now(s, &f->stiffness) * (s->q[i] - s->q[j]);
  if (f->has_damping) Q -= now(s, &f->damping) * (s->qd[i] - s->qd[j]);
  push_coordinate(s, i, Q, F);
  push_coordinate(s, j, -Q, F);
}

static void push_point(const state* s, const jelement_point_data* f, double* F) {
  jet3 force = {0}, moment = {0};
  for (int i = 0; i < 3; i++) {
    if (f->has_force) force.e[i] = constant(now(s, &f->force.e[i]));
    if (f->has_torque) moment.e[i] = constant(now(s, &f->torque.e[i]));
  }
  if (f->in_body) {
    force = values(apply(&s->P[f->at.body].R, force));
    moment = values(apply(&s->P[f->at.body].R, moment));
  }
  push(s, f->at.body, at(&s->P[f->at.body], oracle_point(s->o, &f->at)), force, moment, F);
}

static double clamp_one(double x) {
  return fmax(-1.0, fmin(1.0, x));
}

// The tyre of the buggy benchmark on horizontal ground, word for word.
static void push_tyre(const state* s, const jelement_tyre_data* y, double* F) {
  const pose* P = &s->P[y->wheel.body];
  jet3 p = at(P, oracle_point(s->o, &y->wheel.centre)), v = rates(p), none = {0};
  jet3 u = values(apply(&P->R, oracle_direction(s->o, &y->wheel.axis)));
  jet3 n = vector((const double[]){0.0, 0.0, 1.0}), w = vector(s->v + 6 * (y->wheel.body - 1) + 3);
  names here = {s->o, s->q, s->qd, 2, {"x", "y"}, {p.e[0].v, p.e[1].v}};
  double ground = s->o->m->has_road ? oracle_evaluate(s->o, &s->o->m->road, &here, s->t, 0) : 0.0;
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
  push(s, y->wheel.body, c, f, none, F);
}

// Applied and gyroscopic forces: M a = F + reactions.
static void forces(const state* s, double* F) {
  const jmodel* m = s->o->m;
  jet3 g = oracle_vector(s->o, &m->gravity);
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
  for (int k = 0; k < m->nelement; k++) {
    const jmodel_element* e = &m->element[k];
    if (e->class == &jelement_line.model) push_line(s, e->data, F);
    if (e->class == &jelement_coordinate.model) push_joint(s, e, F);
    if (e->class == &jelement_bar.model) push_bar(s, e->data, F);
    if (e->class == &jelement_point.model) push_point(s, e->data, F);
    if (e->class == &jelement_tyre.model) push_tyre(s, e->data, F);
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
  report->nclosure = o->nclosure + o->ncoupling;
  for (int k = 0; k < o->ncoupling && k < ORACLE_COUPLINGS; k++) {
    report->coupling[k] = -lambda[o->njoint + o->nclosure + o->ndrive + k];
  }
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
  oracle_place(o, q, NULL, NULL, P);
  oracle_residuals(o, P, -1, r);
  double gap = 0.0;
  for (int i = 0; i < n; i++) {
    gap = fabs(r[i].v) <= gap ? gap : fabs(r[i].v);
  }
  double* relation = numbers(o->ncoupling);
  oracle_relations(o, q, true, relation);
  for (int i = 0; i < o->ncoupling; i++) {
    gap = fmax(gap, fabs(relation[i]));
  }
  free(relation);
  free(P);
  free(r);
  return gap;
}
