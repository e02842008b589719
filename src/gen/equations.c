// SPDX-License-Identifier: Apache-2.0
// From the tree's equations and the closures to the explicit reduced form
//   ydot = f(t, y, p),  y as in gen/layout.h
// docs/theory/dynamics.md eqs. (R1)-(R10): dependent velocities and accelerations are eliminated by
// the factorised closure Jacobian, the reduced mass matrix is factorised, all unrolled.
#include "base/assert.h"
#include "gen/begin.h"
#include "gen/force/friction.h"
#include "gen/tree/articulated.h"

#include <limits.h>
#include "gen/loop/reduction.h"
#include "gen/objective.h"

// Above these the matrix is not written at all: operations of its factors for every link, where articulated bodies take about
// 300 of all kinds, and unknowns
#define MOST_PRODUCTS 300
#define MOST_UNKNOWNS 400

jexpr_ref* jgen_refs(jgen_reduction* r, int n) {
  jexpr_ref* x = JARENA_ARRAY(r->s.a, n, jexpr_ref);
  if (!x) {
    r->s.g->status = jerr_memory(r->s.ctx);
    return NULL;
  }
  for (int i = 0; i < n; i++) {
    x[i] = r->s.zero;
  }
  return x;
}

// ---- states and drives ---------------------------------------------------------------------------

jexpr_ref jgen_state(jgen_reduction* r, int i) {
  return jexpr_input(r->s.g, JGEN_Y, i);
}

static jexpr_ref* state_block(jgen_reduction* r, jgen_block b) {
  const jgen_span* at = &r->out->layout.block[b];
  jexpr_ref* y = jgen_refs(r, at->n);
  for (int i = 0; y && i < at->n; i++) {
    y[i] = jgen_state(r, at->first + i);
  }
  return y;
}

static jo_status set_states(jgen_reduction* r) {
  jgen* s = &r->s;
  jgen_dynamics* d = r->out;
  const jgen_layout* l = &d->layout;
  JO_TRY(jgen_layout_build(s->a, s->m, r->part, &d->layout));
  JASSERT(r->nu + r->nv + r->nd == r->nq && r->nv == r->part->nrow);
  d->ny = l->ny;
  d->nobjective = s->m->nobjective;
  d->nintegral = l->block[JGEN_INTEGRAL].n;
  s->g->group[JGEN_Y].size = s->g->group[JGEN_DY].size = d->ny;
  for (int i = 0; i < r->nu; i++) {
    s->q[r->part->u[i]] = jgen_state(r, l->q[r->part->u[i]]);
    s->qd[r->part->u[i]] = jgen_state(r, l->qd[r->part->u[i]]);
    s->qdd[r->part->u[i]] = s->zero;
  }
  for (int i = 0; i < r->nv; i++) {
    s->q[r->part->v[i]] = jgen_state(r, l->q[r->part->v[i]]);
  }
  s->z = state_block(r, JGEN_Z);
  r->filter = state_block(r, JGEN_FILTER);
  r->sd = jgen_refs(r, r->nd);
  r->sdd = jgen_refs(r, r->nd);
  JO_TRY(s->g->status);
  for (int i = 0; i < r->nd; i++) {
    jexpr_ref rate[3];
    int k = r->part->d[i];
    JO_TRY(jgen_drive_position(s, k, &rate[0]));
    s->q[k] = rate[0];
    if (jgen_drive_has_states(s, rate[0])) {
      d->drives_by_states = true;
      continue;
    }
    JO_TRY(jgen_drive_rates(s, rate));
    s->qd[k] = r->sd[i] = rate[1];
    s->qdd[k] = r->sdd[i] = rate[2];
  }
  return s->g->status;
}

// Rates of coordinates that are driven by states may depend on positions, which are known now.
static jo_status set_driven_velocities(jgen_reduction* r) {
  jgen* s = &r->s;
  for (int i = 0; i < r->nd; i++) {
    int k = r->part->d[i];
    if (!jgen_drive_has_states(s, s->q[k])) continue;
    JO_TRY(jgen_drive_velocity(s, k, s->q[k], &r->sd[i]));
    s->qd[k] = jexpr_mark(s->g, r->sd[i], "%s: driven rate", s->m->coordinate[k].name);
  }
  return s->g->status;
}

static jo_status set_driven_accelerations(jgen_reduction* r) {
  jgen* s = &r->s;
  for (int i = 0; i < r->nd; i++) {
    int k = r->part->d[i];
    if (!jgen_drive_has_states(s, s->q[k])) continue;
    JO_TRY(jgen_drive_acceleration(s, r->sd[i], &r->sdd[i]));
    s->qdd[k] = r->sdd[i];
  }
  return s->g->status;
}

// ---- closures ------------------------------------------------------------------------------------

// (R1)  J_v dv = -h                            Newton correction of the dependent coordinates
// (R2)  B = -J_v^-1 J_u,  B_d = -J_v^-1 J_d    qd_v = B qd_u + B_d sd
static void eliminate_velocities(jgen_reduction* r) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  int nv = r->nv, nu = r->nu, nd = r->nd;
  jexpr_ref *A = jgen_refs(r, nv * nv), *inv = jgen_refs(r, nv), *b = jgen_refs(r, nv),
            *x = jgen_refs(r, nv);
  r->B = jgen_refs(r, nv * nu);
  r->Bd = jgen_refs(r, nv * nd);
  r->dv = jgen_refs(r, nv);
  r->h = jgen_refs(r, nv);
  if (g->status < 0) return;
  for (int k = 0; k < nv; k++) {
    for (int j = 0; j < nv; j++) {
      A[k * nv + j] = r->row[r->part->row[k]].J[r->part->v[j]];
    }
  }
  jgen_lu_factor(&r->lu, g, nv, A, inv, r->part->pivot);
  for (int j = 0; j < nu + nd + 1 && g->status >= 0; j++) {
    int column = j < nu ? r->part->u[j] : j < nu + nd ? r->part->d[j - nu] : -1;
    bool zero = true;
    for (int k = 0; k < nv; k++) {
      const jgen_row* row = &r->row[r->part->row[k]];
      b[k] = jexpr_neg(g, column >= 0 ? row->J[column] : row->h);
      if (column < 0) r->h[k] = row->h;
      zero = zero && jexpr_is_value(g, b[k], 0.0);
    }
    if (zero) continue;
    jgen_lu_solve(&r->lu, b, x);
    for (int k = 0; k < nv; k++) {
      if (j < nu) r->B[k * nu + j] = jexpr_mark(g, x[k], "B(%d, %d)", k + 1, j + 1);
      if (j >= nu && j < nu + nd) r->Bd[k * nd + j - nu] = x[k];
      if (j == nu + nd) r->dv[k] = x[k];
    }
  }
  for (int k = 0; k < nv; k++) {
    jexpr_ref sum = s->zero;
    for (int j = 0; j < nu; j++) {
      sum = jexpr_add(g, sum, jexpr_mul(g, r->B[k * nu + j], s->qd[r->part->u[j]]));
    }
    for (int j = 0; j < nd; j++) {
      sum = jexpr_add(g, sum, jexpr_mul(g, r->Bd[k * nd + j], r->sd[j]));
    }
    s->qd[r->part->v[k]] = jexpr_mark(g, sum, "%s: rate", s->m->coordinate[r->part->v[k]].name);
  }
}

// (R3)  gamma = -J_v^-1 (bias + J_d sdd)
static jo_status eliminate_accelerations(jgen_reduction* r) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  int nv = r->nv;
  r->gamma = jgen_refs(r, nv);
  jexpr_ref* b = jgen_refs(r, nv);
  int n;
  JO_TRY(jgen_closures(s, true, &r->row, &n));
  for (int k = 0; k < nv; k++) {
    const jgen_row* row = &r->row[r->part->row[k]];
    jexpr_ref sum = row->bias;
    for (int j = 0; j < r->nd; j++) {
      sum = jexpr_add(g, sum, jexpr_mul(g, row->J[r->part->d[j]], r->sdd[j]));
    }
    b[k] = jexpr_neg(g, sum);
  }
  jgen_lu_solve(&r->lu, b, r->gamma);
  for (int k = 0; k < nv; k++) {
    int i = r->part->v[k];
    s->qdd[i] = jexpr_mark(g, r->gamma[k], "%s: gamma", s->m->coordinate[i].name);
  }
  return g->status;
}

// ---- jgen_reduction -----------------------------------------------------------------------------------

static jexpr_ref mass(const jgen_reduction* r, int i, int j) {
  return r->M[i * r->nq + j];
}

jexpr_ref jgen_add_product(jexpr_graph* g, jexpr_ref sum, jexpr_ref a, jexpr_ref b) {
  return jexpr_add(g, sum, jexpr_mul(g, a, b));
}

// W = M_vx + M_vv K for the columns x of a set with dependence K of v on it: (nv x n)
static void carry(jgen_reduction* r, const int* set, int n, const jexpr_ref* K, jexpr_ref* W) {
  for (int k = 0; k < r->nv && r->s.g->status >= 0; k++) {
    for (int j = 0; j < n; j++) {
      jexpr_ref sum = mass(r, r->part->v[k], set[j]);
      for (int l = 0; l < r->nv; l++) {
        sum = jgen_add_product(r->s.g, sum, mass(r, r->part->v[k], r->part->v[l]), K[l * n + j]);
      }
      W[k * n + j] = sum;
    }
  }
}

// (M_ux + M_uv K)_ij + (B^T W)_ij
static jexpr_ref reduced_entry(jgen_reduction* r, int i, const int* set, int n, const jexpr_ref* K,
                               const jexpr_ref* W, int j) {
  jexpr_graph* g = r->s.g;
  int u = r->part->u[i];
  jexpr_ref sum = mass(r, u, set[j]);
  for (int k = 0; k < r->nv; k++) {
    sum = jgen_add_product(g, sum, mass(r, u, r->part->v[k]), K[k * n + j]);
    sum = jgen_add_product(g, sum, r->B[k * r->nu + i], W[k * n + j]);
  }
  return sum;
}

// (R4)  M_r = M_uu + M_uv B + B^T (M_vu + M_vv B), of the matrix of all coordinates
static void reduce_by_coordinates(jgen_reduction* r, jexpr_ref* Mr) {
  int nu = r->nu;
  jexpr_ref* W = jgen_refs(r, r->nv * nu);
  if (!W) return;
  carry(r, r->part->u, nu, r->B, W);
  for (int i = 0; i < nu && r->s.g->status >= 0; i++) {
    for (int j = 0; j <= i; j++) {
      Mr[i * nu + j] = Mr[j * nu + i] = reduced_entry(r, i, r->part->u, nu, r->B, W, j);
    }
  }
}

// The same by (D24), (D25).
static void reduce_by_unknowns(jgen_reduction* r, jexpr_ref* Mr) {
  int nu = r->nu;
  jexpr_ref* K = jgen_refs(r, r->nq * nu);
  if (!K) return;
  for (int i = 0; i < nu; i++) {
    K[r->part->u[i] * nu + i] = r->s.one;
    for (int k = 0; k < r->nv; k++) {
      K[r->part->v[k] * nu + i] = r->B[k * nu + i];
    }
  }
  jgen_reduced_matrix(&r->s, nu, K, Mr);
}

// Operations of a matrix, all that it is made of included.
static int count_operations(jgen_reduction* r, const jexpr_ref* A, int n) {
  jarena scratch;
  jarena_init(&scratch, r->s.ctx);
  jexpr_outputs out = {"A", n, A};
  jexpr_fn fn = {"count", r->s.g, 1, &out};
  jexpr_schedule schedule = {0};
  jo_status status = jexpr_schedule_build(&scratch, &fn, &schedule);
  if (status < 0) r->s.g->status = status;
  jarena_free(&scratch);
  return schedule.n;
}

// M_r by the way that takes fewer operations: small mechanisms whose unknowns move nearly all of their links fare better by
// their coordinates. (R5)  c_r = c_u + B^T c_v
static void reduce_mass(jgen_reduction* r) {
  jexpr_graph* g = r->s.g;
  int nu = r->nu, size = nu * nu;
  jexpr_ref *Mr = jgen_refs(r, size), *other = jgen_refs(r, size), *inv = jgen_refs(r, nu);
  int* order = JARENA_ARRAY(r->s.a, nu, int);
  r->Mr = jgen_refs(r, size);
  if (!order) g->status = jerr_memory(r->s.ctx);
  if (!Mr || !other || !inv || !order || !r->Mr) return;
  reduce_by_unknowns(r, Mr);
  if (r->nv > 0) reduce_by_coordinates(r, other);
  if (g->status < 0) return;
  bool is_other = r->nv > 0 && count_operations(r, other, size) < count_operations(r, Mr, size);
  if (is_other) memcpy(Mr, other, (size_t)size * sizeof *Mr);
  for (int i = 0; i < nu && g->status >= 0; i++) {
    for (int j = 0; j <= i; j++) {
      jexpr_mark(g, Mr[i * nu + j], "Mr(%d, %d)", i + 1, j + 1);
    }
  }
  if (g->status < 0) return;
  memcpy(r->Mr, Mr, (size_t)size * sizeof *Mr);
  jgen_write_for(&r->s, "factorisation");
  jgen_ldl_factor(&r->ldl, g, nu, Mr, inv, order);
  jgen_write_for(&r->s, "reduction");
}

// (R5)  of what falls on coordinates, what falls on unknown i
static jexpr_ref along_unknown(jgen_reduction* r, const jexpr_ref* by_coordinate, int i) {
  jexpr_ref sum = by_coordinate[r->part->u[i]];
  for (int k = 0; k < r->nv; k++) {
    sum = jgen_add_product(r->s.g, sum, r->B[k * r->nu + i], by_coordinate[r->part->v[k]]);
  }
  return sum;
}

// (R6)  x = -M_r^-1 c_r
static void solve_accelerations(jgen_reduction* r) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  r->x = jgen_refs(r, r->nu);
  if (!r->x) return;
  for (int i = 0; i < r->nu; i++) {
    jexpr_ref sum = along_unknown(r, r->c, i);
    r->x[i] = jexpr_neg(g, jexpr_mark(g, sum, "cr.%d", i + 1));
  }
  jgen_write_for(s, "factorisation");
  jgen_ldl_solve(&r->ldl, r->x);
}

// (R7)  qdd_u from x, qdd_v = B qdd_u + gamma
static void set_accelerations(jgen_reduction* r) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  r->bias = jgen_hub_bias(s);
  if (!r->bias) return;
  for (int i = 0; i < r->nu; i++) {
    s->qdd[r->part->u[i]] = r->x[i];
  }
  for (int k = 0; k < r->nv; k++) {
    jexpr_ref sum = r->gamma[k];
    for (int i = 0; i < r->nu; i++) {
      sum = jgen_add_product(g, sum, r->B[k * r->nu + i], r->x[i]);
    }
    s->qdd[r->part->v[k]] = sum;
  }
  jgen_hub_rates(s, r->bias, s->qdd);
}

// What the equation of coordinate i in the tree is short of:  y_i = c_i + M_iu x + M_iv B x
static jexpr_ref tree_force(jgen_reduction* r, const jexpr_ref* Bx, int i) {
  jexpr_graph* g = r->s.g;
  jexpr_ref sum = r->c[i];
  for (int k = 0; k < r->nu; k++) {
    sum = jgen_add_product(g, sum, mass(r, i, r->part->u[k]), r->x[k]);
  }
  for (int k = 0; k < r->nv; k++) {
    sum = jgen_add_product(g, sum, mass(r, i, r->part->v[k]), Bx[k]);
  }
  return sum;
}

// The same of all dependent and driven coordinates.
static bool tree_forces(jgen_reduction* r, jexpr_ref* y) {
  jgen* s = &r->s;
  jexpr_ref *Bx = jgen_refs(r, r->nv), *rate = jgen_refs(r, r->nq), *more = jgen_refs(r, r->nq);
  if (!Bx || !rate || !more || r->nv + r->nd == 0) return s->g->status >= 0;
  for (int k = 0; k < r->nv; k++) {
    for (int i = 0; i < r->nu; i++) {
      Bx[k] = jgen_add_product(s->g, Bx[k], r->B[k * r->nu + i], r->x[i]);
    }
  }
  for (int i = 0; r->M && i < r->nq; i++) {
    bool is_unknown = true;
    for (int k = 0; k < r->nv; k++) {
      is_unknown = is_unknown && r->part->v[k] != i;
    }
    for (int k = 0; k < r->nd; k++) {
      is_unknown = is_unknown && r->part->d[k] != i;
    }
    if (!is_unknown) y[i] = tree_force(r, Bx, i);
  }
  if (r->M) return s->g->status >= 0;
  for (int i = 0; i < r->nu; i++) {
    rate[r->part->u[i]] = r->x[i];
  }
  for (int k = 0; k < r->nv; k++) {
    rate[r->part->v[k]] = Bx[k];
  }
  jgen_mass_times(s, rate, more);
  for (int i = 0; i < r->nq; i++) {
    y[i] = jexpr_add(s->g, r->c[i], more[i]);
  }
  return s->g->status >= 0;
}

// (R9)  generalised forces that drive the driven coordinates  Q_d = y_d + B_d^T y_v
// (R10) multipliers of the closures  lambda = J_v^-T y_v; redundant equations carry nothing
static void set_reactions(jgen_reduction* r) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  jexpr_ref *y = jgen_refs(r, r->nq), *y_v = jgen_refs(r, r->nv), *lambda = jgen_refs(r, r->nv);
  s->lambda = jgen_refs(r, r->nrow);
  s->row = r->row;
  s->nrow = r->nrow;
  if (g->status < 0) return;
  if (!tree_forces(r, y)) return;
  for (int k = 0; k < r->nv; k++) {
    y_v[k] = y[r->part->v[k]];
  }
  for (int j = 0; j < r->nd; j++) {
    jexpr_ref sum = y[r->part->d[j]];
    for (int k = 0; k < r->nv; k++) {
      sum = jgen_add_product(g, sum, r->Bd[k * r->nd + j], y_v[k]);
    }
    s->drive_force[r->part->d[j]] = sum;
  }
  jgen_lu_solve_transposed(&r->lu, y_v, lambda);
  for (int k = 0; k < r->nv; k++) {
    s->lambda[r->part->row[k]] = lambda[k];
  }
}

// Velocities that belong to the unknowns: qd_u, the hub's in hub axes.
static void unknown_velocities(jgen_reduction* r, jexpr_ref* x) {
  jgen* s = &r->s;
  for (int i = 0; i < r->nu; i++) {
    x[i] = s->qd[r->part->u[i]];
  }
  for (int h = 0; h < s->nhub; h++) {
    int hub = s->hub[h].link;
    jexpr_v3 v = jgen_from_ground(s, hub, jgen_relative_of(s, 0, hub, true)->od);
    for (int i = 0; i < 6 * r->nu; i++) {
      int k = i % 6;
      if (r->part->u[i / 6] != s->hub[h].coordinate[k]) continue;
      x[i / 6] = k < 3 ? v.e[k] : s->dyn[hub].w.e[k - 3];
    }
  }
}

// (R8)  momentum  P = M_r x + (M_ud + M_uv B_d + B^T (M_vd + M_vv B_d)) sd
static void momentum_by_matrix(jgen_reduction* r, const jexpr_ref* x) {
  jexpr_graph* g = r->s.g;
  jexpr_ref* W = jgen_refs(r, r->nv * r->nd);
  if (!W) return;
  carry(r, r->part->d, r->nd, r->Bd, W);
  for (int i = 0; i < r->nu; i++) {
    for (int j = 0; j < r->nu; j++) {
      r->momentum[i] = jgen_add_product(g, r->momentum[i], r->Mr[i * r->nu + j], x[j]);
    }
    for (int j = 0; j < r->nd; j++) {
      jexpr_ref e = reduced_entry(r, i, r->part->d, r->nd, r->Bd, W, j);
      r->momentum[i] = jgen_add_product(g, r->momentum[i], e, r->sd[j]);
    }
  }
}

// The same as  P = P_u + B^T P_v,  those of the coordinates by (D26)
static void momentum_by_recursion(jgen_reduction* r, const jexpr_ref* x) {
  jgen* s = &r->s;
  jexpr_ref *rate = jgen_refs(r, r->nq), *P = jgen_refs(r, r->nq);
  if (!rate || !P) return;
  memcpy(rate, s->qd, (size_t)r->nq * sizeof *rate);
  for (int i = 0; i < r->nu; i++) {
    rate[r->part->u[i]] = x[i];
  }
  jgen_mass_times(s, rate, P);
  for (int i = 0; i < r->nu; i++) {
    r->momentum[i] = along_unknown(r, P, i);
  }
}

// Where driven coordinates jump, in position or velocity, P stays: M_r dx = P_before - P.
static void write_momentum(jgen_reduction* r) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  jexpr_ref *x = jgen_refs(r, r->nu), *all = jgen_refs(r, r->nq);
  r->momentum = jgen_refs(r, r->nu);
  r->impulse = jgen_refs(r, r->nu);
  if (!x || !all || !r->momentum || !r->impulse || r->nd == 0) return;
  unknown_velocities(r, x);
  if (r->M) {
    momentum_by_matrix(r, x);
  } else {
    momentum_by_recursion(r, x);
  }
  for (int i = 0; i < r->nu; i++) {
    x[i] = jexpr_sub(g, jexpr_input(g, JGEN_MOMENTUM, i), r->momentum[i]);
  }
  jgen_solve_mass(r, x);
  for (int i = 0; i < r->nu; i++) {
    all[r->part->u[i]] = x[i];
  }
  jgen_hub_rates(s, NULL, all);
  for (int i = 0; i < r->nu; i++) {
    r->impulse[i] = all[r->part->u[i]];
  }
}

// ---- which way -----------------------------------------------------------------------------------

static jo_status write_matrix(jgen_reduction* r) {
  jgen* s = &r->s;
  r->M = jgen_refs(r, r->nq * r->nq);
  JO_TRY(s->g->status);
  jgen_write_for(s, "mass matrix");
  jgen_mass_matrix(s, r->M);
  JO_TRY(s->g->status);
  jgen_write_for(s, "reduction");
  reduce_mass(r);
  solve_accelerations(r);
  jgen_write_for(s, JGEN_REST);
  return s->g->status;
}

static jo_status articulate(jgen_reduction* r, jgen_articulated* t, jexpr_ref* x) {
  jgen* s = &r->s;
  jexpr_ref* all = jgen_refs(r, r->nq);
  JO_TRY(s->g->status);
  jgen_write_for(s, "articulated bodies");
  jgen_articulated_factor(t);
  jgen_wrench* p = s->g->status < 0 ? NULL : jgen_link_wrenches(s);
  if (p) jgen_articulated_solve(t, p, s->applied, all);
  jgen_write_for(s, JGEN_REST);
  for (int i = 0; i < r->nu; i++) {
    x[i] = all[r->part->u[i]];
  }
  return s->g->status;
}

// The matrix, or articulated bodies with more or less of the branches merged, whatever takes the fewest operations. Matrices
// that are certain to take more are not written, nor articulated bodies where there is nothing to them: then the matrix has
// the same zeros.
static jo_status find_accelerations(jgen_reduction* r) {
  static const int merged[] = {1, 3, 6};
  jgen* s = &r->s;
  jexpr_ref* x = jgen_refs(r, r->nu);
  jgen_articulated* t = jgen_articulated_create(s, r->part, r->B, 1);
  r->c = jgen_refs(r, r->nq);
  JO_TRY(s->g->status);
  jgen_write_for(s, "forces");
  jgen_bias_forces(s, r->c);
  JO_TRY(s->g->status);
  bool needs_matrix =
      s->placeholders || s->m->has_massless || r->nu == 0 || r->way == JGEN_BY_MATRIX;
  double most = MOST_PRODUCTS * (double)s->nlink;
  bool is_long = r->nu > MOST_UNKNOWNS || jgen_articulated_matrix_products(t) > most ||
                 r->way == JGEN_BY_ARTICULATED;
  if (needs_matrix || !is_long) JO_TRY(write_matrix(r));
  if (needs_matrix || (!is_long && jgen_articulated_is_flat(t))) return s->g->status;
  int least = is_long ? INT_MAX : count_operations(r, r->x, r->nu);
  int tries = is_long ? 1 : (int)(sizeof merged / sizeof *merged);
  for (int i = 0; i < tries; i++) {
    if (i > 0) t = jgen_articulated_create(s, r->part, r->B, merged[i]);
    JO_TRY(s->g->status);
    JO_TRY(articulate(r, t, x));
    int n = count_operations(r, x, r->nu);
    if (n >= least) continue;
    least = n;
    r->articulated = t;
    r->x = jgen_refs(r, r->nu);
    JO_TRY(s->g->status);
    memcpy(r->x, x, (size_t)r->nu * sizeof *x);
  }
  if (r->articulated) r->M = r->Mr = NULL;
  return s->g->status;
}

void jgen_solve_mass(jgen_reduction* r, jexpr_ref* b) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  if (!r->articulated) {
    jgen_ldl_solve(&r->ldl, b);
    return;
  }
  jexpr_ref *applied = jgen_refs(r, r->nq), *x = jgen_refs(r, r->nq);
  jgen_wrench* p = JARENA_ARRAY(s->a, s->nlink, jgen_wrench);
  if (!p) g->status = jerr_memory(s->ctx);
  if (g->status < 0) return;
  for (int i = 0; i < r->nu; i++) {
    applied[r->part->u[i]] = b[i];
  }
  for (int l = 0; l < s->nlink; l++) {
    p[l] = (jgen_wrench){jexpr_v3_zero(g), jexpr_v3_zero(g)};
    const jgen_hub* h = jgen_hub_at(s, l);
    for (int i = 0; h && i < 3; i++) {
      p[l].f.e[i] = jexpr_neg(g, applied[h->coordinate[i]]);
      p[l].n.e[i] = jexpr_neg(g, applied[h->coordinate[3 + i]]);
    }
  }
  jgen_articulated_solve(r->articulated, p, applied, x);
  for (int i = 0; i < r->nu; i++) {
    b[i] = x[r->part->u[i]];
  }
}

static void set_objectives(jgen_reduction* r) {
  jgen* s = &r->s;
  const jgen_layout* l = &r->out->layout;
  r->objective = jgen_refs(r, r->out->nobjective);
  if (!r->objective) return;
  for (int i = 0, filter = 0; i < r->out->nintegral; i++) {
    const jmodel_objective* o = &s->m->integrated[i];
    jexpr_ref* rate = r->ydot + jgen_first(l, JGEN_FILTER) + filter;
    r->ydot[jgen_first(l, JGEN_INTEGRAL) + i] =
        jgen_objective_integrand(s, o, r->filter + filter, rate);
    filter += jgen_objective_states(o);
  }
  for (int i = 0; i < r->out->nobjective; i++) {
    const jmodel_objective* o = &s->m->objective[i];
    jexpr_ref w = jgen_state(r, jgen_first(l, JGEN_INTEGRAL) + o->integral);
    r->objective[i] = jgen_objective_value(s, o, w);
  }
}

static void set_ydot(jgen_reduction* r) {
  jgen* s = &r->s;
  const jgen_layout* l = &r->out->layout;
  r->ydot = jgen_refs(r, l->ny);
  if (!r->ydot) return;
  for (int c = 0; c < r->nq; c++) {
    if (l->q[c] >= 0) r->ydot[l->q[c]] = s->qd[c];
    if (l->qd[c] >= 0) r->ydot[l->qd[c]] = s->qdd[c];
  }
  for (int i = 0; i < s->m->nstate; i++) {
    const jmodel_state* z = &s->m->state[i];
    r->ydot[jgen_first(l, JGEN_Z) + i] = z->is_discrete   ? s->zero
                                         : z->element < 0 ? jgen_scalar(s, &z->derivative, z->name)
                                                          : jgen_own_rate(s, i);
  }
  set_objectives(r);
}

// J_v^-1 b and J_v^-T c for placeholders b, c: the derivatives of the closure are made of them
static void write_solves(jgen_reduction* r) {
  jexpr_graph* g = r->s.g;
  int nv = r->nv;
  jexpr_ref *b = jgen_refs(r, nv), *c = jgen_refs(r, nv);
  r->solve = jgen_refs(r, nv);
  r->solve_transposed = jgen_refs(r, nv);
  if (g->status < 0) return;
  for (int i = 0; i < nv; i++) {
    b[i] = jexpr_input(g, JGEN_B, i);
    c[i] = jexpr_input(g, JGEN_C, i);
  }
  jgen_lu_solve(&r->lu, b, r->solve);
  jgen_lu_solve_transposed(&r->lu, c, r->solve_transposed);
}

jo_status jgen_write_equations(jgen_reduction* r) {
  jgen* s = &r->s;
  JO_TRY(set_states(r));
  JO_TRY(jgen_frames(s));
  jgen_hub_keep(s, r->part);
  JO_TRY(set_driven_velocities(r));
  JO_TRY(jgen_closures(s, false, &r->row, &r->nrow));
  jgen_write_for(s, "dependent rates");
  eliminate_velocities(r);
  JO_TRY(s->g->status);
  s->stage = JGEN_AT_VELOCITY;
  JO_TRY(set_driven_accelerations(r));
  JO_TRY(eliminate_accelerations(r));
  jgen_write_for(s, JGEN_REST);
  JO_TRY(jgen_write_elements(s));
  jgen_hub_forces(s);
  JO_TRY(find_accelerations(r));
  set_accelerations(r);
  set_reactions(r);
  s->stage = JGEN_AT_ACCELERATION;
  write_momentum(r);
  write_solves(r);
  set_ydot(r);
  JO_TRY(s->g->status);
  return jgen_friction_solve(r);
}
