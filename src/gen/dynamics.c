// SPDX-License-Identifier: Apache-2.0
// The dynamics stage: from the tree's equations and the closures to the explicit reduced form
//   ydot = f(t, y, p),  y = [ q_u | q_v | qd_u | z | objectives ]
// docs/theory/dynamics.md eqs. (R1)-(R8): dependent velocities and accelerations are eliminated by
// the factorised closure Jacobian, the reduced mass matrix is factorised, all unrolled.
#include <stdio.h>

#include "expr/rewrite.h"
#include "gen/begin.h"
#include "gen/objective.h"
#include "gen/reduce.h"
#include "gen/sens.h"
#include "gen/switches.h"

typedef struct reduction {
  jgen s;
  jgen_dynamics* out;
  const jgen_partition* part;
  int nq, nu, nv, nd;
  jgen_row* row;
  int nrow;
  jgen_lu lu;
  jexpr_ref* B;         // (R2) d qd_v / d qd_u   (nv x nu, row-major)
  jexpr_ref* Bd;        //      d qd_v / d qd_d   (nv x nd)
  jexpr_ref* gamma;     // (R3) qdd_v at qdd_u = 0 (nv)
  jexpr_ref *sd, *sdd;  // rates of driven coordinates (nd)
  jexpr_ref *M, *c;     // tree (nq x nq, nq)
  jexpr_ref* Mr;        // reduced mass matrix (nu x nu)
  jgen_ldl ldl;         // its factors
  jexpr_ref* x;         // unknowns: accelerations of u, hub ones in hub axes (nu)
  jexpr_ref *dv, *h;    // Newton correction of q_v, closure residuals
  jexpr_ref* momentum;  // conjugate to the independent velocities (nu)
  jexpr_ref* impulse;   // jump of qd_u that restores a momentum (nu)
  jexpr_v3 bias;        // angular acceleration of the hub whose coordinates do not accelerate
  jexpr_ref* ydot;
  jexpr_ref* objective;                 // values at the end (nobjective)
  jexpr_ref *solve, *solve_transposed;  // J_v^-1 b, J_v^-T c (nv)
} reduction;

static jexpr_ref* refs(reduction* r, int n) {
  jexpr_ref* x = JARENA_ARRAY(r->s.a, n + 1, jexpr_ref);
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

static jexpr_ref state(reduction* r, int i) {
  return jexpr_input(r->s.g, JGEN_Y, i);
}

static jo_status set_states(reduction* r) {
  jgen* s = &r->s;
  jgen_dynamics* d = r->out;
  const jmodel* m = s->m;
  d->nz = m->nstate;
  for (int i = 0; i < m->nobjective; i++) {
    d->nz += jgen_objective_states(&m->objective[i]);
  }
  d->nobjective = m->nobjective;
  d->at_qu = 0;
  d->at_qv = r->nu;
  d->at_qdu = r->nu + r->nv;
  d->at_z = d->at_qdu + r->nu;
  d->at_objective = d->at_z + d->nz;
  d->ny = d->at_objective + d->nobjective;
  s->g->group[JGEN_Y].size = s->g->group[JGEN_DY].size = d->ny;
  for (int i = 0; i < r->nu; i++) {
    s->q[r->part->u[i]] = state(r, d->at_qu + i);
    s->qd[r->part->u[i]] = state(r, d->at_qdu + i);
    s->qdd[r->part->u[i]] = s->zero;
  }
  for (int i = 0; i < r->nv; i++) {
    s->q[r->part->v[i]] = state(r, d->at_qv + i);
  }
  s->z = refs(r, d->nz);
  for (int i = 0; s->z && i < d->nz; i++) {
    s->z[i] = state(r, d->at_z + i);
  }
  r->sd = refs(r, r->nd);
  r->sdd = refs(r, r->nd);
  JO_TRY(s->g->status);
  for (int i = 0; i < r->nd; i++) {
    jexpr_ref rate[3];
    int k = r->part->d[i];
    JO_TRY(jgen_drive_rates(s, k, rate));
    s->q[k] = rate[0];
    s->qd[k] = r->sd[i] = rate[1];
    s->qdd[k] = r->sdd[i] = rate[2];
  }
  return s->g->status;
}

// ---- closures ------------------------------------------------------------------------------------

// (R1)  J_v dv = -h                            Newton correction of the dependent coordinates
// (R2)  B = -J_v^-1 J_u,  B_d = -J_v^-1 J_d    qd_v = B qd_u + B_d sd
static void eliminate_velocities(reduction* r) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  int nv = r->nv, nu = r->nu, nd = r->nd;
  jexpr_ref *A = refs(r, nv * nv), *inv = refs(r, nv), *b = refs(r, nv), *x = refs(r, nv);
  r->B = refs(r, nv * nu);
  r->Bd = refs(r, nv * nd);
  r->dv = refs(r, nv);
  r->h = refs(r, nv);
  if (g->status < 0) return;
  for (int k = 0; k < nv; k++) {
    for (int j = 0; j < nv; j++) {
      A[k * nv + j] = r->row[r->part->row[k]].J[r->part->v[j]];
    }
  }
  jgen_lu_factor(&r->lu, g, nv, A, inv, r->part->pivot);
  for (int j = 0; j < nu + nd + 1; j++) {
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
static jo_status eliminate_accelerations(reduction* r) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  int nv = r->nv;
  r->gamma = refs(r, nv);
  jexpr_ref* b = refs(r, nv);
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

// ---- the hub's angles ----------------------------------------------------------------------------

// Unknowns in hub axes to accelerations (or velocity jumps) of the hub's coordinates.
static void hub_rates(reduction* r, const jexpr_ref* x, jexpr_v3 bias, jexpr_ref* by_coordinate) {
  jgen* s = &r->s;
  int first = s->m->joint[s->link[s->hub].joint].first_coordinate;
  jexpr_v3 lin, ang;
  for (int i = 0; i < r->nu; i++) {
    int k = r->part->u[i] - first;
    if (k >= 0 && k < 3) lin.e[k] = x[i];
    if (k >= 3 && k < 6) ang.e[k - 3] = x[i];
  }
  jgen_hub_rates(s, lin, ang, bias, by_coordinate);
}

// ---- reduction -----------------------------------------------------------------------------------

static jexpr_ref mass(const reduction* r, int i, int j) {
  return r->M[i * r->nq + j];
}

static jexpr_ref add_product(jexpr_graph* g, jexpr_ref sum, jexpr_ref a, jexpr_ref b) {
  return jexpr_add(g, sum, jexpr_mul(g, a, b));
}

// W = M_vx + M_vv K for the columns x of a set with dependence K of v on it: (nv x n)
static void carry(reduction* r, const int* set, int n, const jexpr_ref* K, jexpr_ref* W) {
  for (int k = 0; k < r->nv; k++) {
    for (int j = 0; j < n; j++) {
      jexpr_ref sum = mass(r, r->part->v[k], set[j]);
      for (int l = 0; l < r->nv; l++) {
        sum = add_product(r->s.g, sum, mass(r, r->part->v[k], r->part->v[l]), K[l * n + j]);
      }
      W[k * n + j] = sum;
    }
  }
}

// (M_ux + M_uv K)_ij + (B^T W)_ij
static jexpr_ref reduced_entry(reduction* r, int i, const int* set, int n, const jexpr_ref* K,
                               const jexpr_ref* W, int j) {
  jexpr_graph* g = r->s.g;
  int u = r->part->u[i];
  jexpr_ref sum = mass(r, u, set[j]);
  for (int k = 0; k < r->nv; k++) {
    sum = add_product(g, sum, mass(r, u, r->part->v[k]), K[k * n + j]);
    sum = add_product(g, sum, r->B[k * r->nu + i], W[k * n + j]);
  }
  return sum;
}

// (R4)  M_r = M_uu + M_uv B + B^T (M_vu + M_vv B)        (R5)  c_r = c_u + B^T c_v
static void reduce_mass(reduction* r) {
  jexpr_graph* g = r->s.g;
  int nu = r->nu;
  jexpr_ref *W = refs(r, r->nv * nu), *Mr = refs(r, nu * nu), *inv = refs(r, nu);
  int* order = JARENA_ARRAY(r->s.a, nu + 1, int);
  r->Mr = refs(r, nu * nu);
  if (!W || !Mr || !inv || !order || !r->Mr) return;
  carry(r, r->part->u, nu, r->B, W);
  for (int i = 0; i < nu; i++) {
    for (int j = 0; j <= i; j++) {
      jexpr_ref e = reduced_entry(r, i, r->part->u, nu, r->B, W, j);
      Mr[i * nu + j] = Mr[j * nu + i] = jexpr_mark(g, e, "Mr(%d, %d)", i + 1, j + 1);
    }
  }
  memcpy(r->Mr, Mr, (size_t)(nu * nu) * sizeof *Mr);
  jgen_ldl_factor(&r->ldl, g, nu, Mr, inv, order);
}

// (R6)  x = -M_r^-1 c_r
static void solve_accelerations(reduction* r) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  r->x = refs(r, r->nu);
  if (!r->x) return;
  for (int i = 0; i < r->nu; i++) {
    jexpr_ref sum = r->c[r->part->u[i]];
    for (int k = 0; k < r->nv; k++) {
      sum = add_product(g, sum, r->B[k * r->nu + i], r->c[r->part->v[k]]);
    }
    r->x[i] = jexpr_neg(g, jexpr_mark(g, sum, "cr.%d", i + 1));
  }
  jgen_ldl_solve(&r->ldl, r->x);
}

// (R7)  qdd_u from x, qdd_v = B qdd_u + gamma
static void set_accelerations(reduction* r) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  jexpr_v3 bias = r->bias = s->hub ? jgen_hub_bias(s) : jexpr_v3_zero(g);
  for (int i = 0; i < r->nu; i++) {
    s->qdd[r->part->u[i]] = r->x[i];
  }
  for (int k = 0; k < r->nv; k++) {
    jexpr_ref sum = r->gamma[k];
    for (int i = 0; i < r->nu; i++) {
      sum = add_product(g, sum, r->B[k * r->nu + i], r->x[i]);
    }
    s->qdd[r->part->v[k]] = sum;
  }
  if (s->hub) hub_rates(r, r->x, bias, s->qdd);
}

// What the equation of coordinate i in the tree is short of:  y_i = c_i + M_iu x + M_iv B x
static jexpr_ref tree_force(reduction* r, const jexpr_ref* Bx, int i) {
  jexpr_graph* g = r->s.g;
  jexpr_ref sum = r->c[i];
  for (int k = 0; k < r->nu; k++) {
    sum = add_product(g, sum, mass(r, i, r->part->u[k]), r->x[k]);
  }
  for (int k = 0; k < r->nv; k++) {
    sum = add_product(g, sum, mass(r, i, r->part->v[k]), Bx[k]);
  }
  return sum;
}

// (R9)  generalised forces that drive the driven coordinates  Q_d = y_d + B_d^T y_v
// (R10) multipliers of the closures  lambda = J_v^-T y_v; redundant equations carry nothing
static void set_reactions(reduction* r) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  jexpr_ref *Bx = refs(r, r->nv), *y_v = refs(r, r->nv), *lambda = refs(r, r->nv);
  s->lambda = refs(r, r->nrow);
  s->row = r->row;
  s->nrow = r->nrow;
  if (g->status < 0) return;
  for (int k = 0; k < r->nv; k++) {
    for (int i = 0; i < r->nu; i++) {
      Bx[k] = add_product(g, Bx[k], r->B[k * r->nu + i], r->x[i]);
    }
  }
  for (int k = 0; k < r->nv; k++) {
    y_v[k] = tree_force(r, Bx, r->part->v[k]);
  }
  for (int j = 0; j < r->nd; j++) {
    jexpr_ref sum = tree_force(r, Bx, r->part->d[j]);
    for (int k = 0; k < r->nv; k++) {
      sum = add_product(g, sum, r->Bd[k * r->nd + j], y_v[k]);
    }
    s->drive_force[r->part->d[j]] = sum;
  }
  jgen_lu_solve_transposed(&r->lu, y_v, lambda);
  for (int k = 0; k < r->nv; k++) {
    s->lambda[r->part->row[k]] = lambda[k];
  }
}

// Velocities that belong to the unknowns: qd_u, the hub's in hub axes.
static void unknown_velocities(reduction* r, jexpr_ref* x) {
  jgen* s = &r->s;
  for (int i = 0; i < r->nu; i++) {
    x[i] = s->qd[r->part->u[i]];
  }
  if (!s->hub) return;
  int first = s->m->joint[s->link[s->hub].joint].first_coordinate;
  jexpr_v3 v = jgen_from_ground(s, s->hub, jgen_relative_of(s, 0, s->hub, true)->od);
  for (int i = 0; i < r->nu; i++) {
    int k = r->part->u[i] - first;
    if (k >= 0 && k < 3) x[i] = v.e[k];
    if (k >= 3 && k < 6) x[i] = s->dyn[s->hub].w.e[k - 3];
  }
}

// (R8)  momentum  P = M_r x + (M_ud + M_uv B_d + B^T (M_vd + M_vv B_d)) sd
// Where driven coordinates jump, in position or velocity, P stays: M_r dx = P_before - P.
static void write_momentum(reduction* r) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  jexpr_ref *W = refs(r, r->nv * r->nd), *x = refs(r, r->nu), *all = refs(r, r->nq);
  r->momentum = refs(r, r->nu);
  r->impulse = refs(r, r->nu);
  if (!W || !x || !all || !r->momentum || !r->impulse || r->nd == 0) return;
  carry(r, r->part->d, r->nd, r->Bd, W);
  unknown_velocities(r, x);
  for (int i = 0; i < r->nu; i++) {
    for (int j = 0; j < r->nu; j++) {
      r->momentum[i] = add_product(g, r->momentum[i], r->Mr[i * r->nu + j], x[j]);
    }
    for (int j = 0; j < r->nd; j++) {
      jexpr_ref e = reduced_entry(r, i, r->part->d, r->nd, r->Bd, W, j);
      r->momentum[i] = add_product(g, r->momentum[i], e, r->sd[j]);
    }
  }
  for (int i = 0; i < r->nu; i++) {
    x[i] = jexpr_sub(g, jexpr_input(g, JGEN_MOMENTUM, i), r->momentum[i]);
  }
  jgen_ldl_solve(&r->ldl, x);
  for (int i = 0; i < r->nu; i++) {
    all[r->part->u[i]] = x[i];
  }
  if (s->hub) hub_rates(r, x, jexpr_v3_zero(g), all);
  for (int i = 0; i < r->nu; i++) {
    r->impulse[i] = all[r->part->u[i]];
  }
}

static void set_ydot(reduction* r) {
  jgen* s = &r->s;
  jgen_dynamics* d = r->out;
  r->ydot = refs(r, d->ny);
  if (!r->ydot) return;
  for (int i = 0; i < r->nu; i++) {
    r->ydot[d->at_qu + i] = s->qd[r->part->u[i]];
    r->ydot[d->at_qdu + i] = s->qdd[r->part->u[i]];
  }
  for (int i = 0; i < r->nv; i++) {
    r->ydot[d->at_qv + i] = s->qd[r->part->v[i]];
  }
  for (int i = 0; i < s->m->nstate; i++) {
    r->ydot[d->at_z + i] = jgen_scalar(s, &s->m->state[i].derivative, s->m->state[i].name);
  }
  r->objective = refs(r, d->nobjective);
  if (!r->objective) return;
  for (int i = 0, filter = d->at_z + s->m->nstate; i < d->nobjective; i++) {
    const jmodel_objective* o = &s->m->objective[i];
    int n = jgen_objective_states(o);
    jexpr_ref* z = refs(r, n + 1);
    jexpr_ref* zd = refs(r, n + 1);
    if (!z || !zd) return;
    for (int k = 0; k < n; k++) {
      z[k] = state(r, filter + k);
    }
    r->ydot[d->at_objective + i] = jgen_objective_integrand(s, o, z, zd);
    for (int k = 0; k < n; k++) {
      r->ydot[filter++] = zd[k];
    }
    r->objective[i] = jgen_objective_value(s, o, state(r, d->at_objective + i));
  }
}

// J_v^-1 b and J_v^-T c for placeholders b, c: the derivatives of the closure are made of them
static void write_solves(reduction* r) {
  jexpr_graph* g = r->s.g;
  int nv = r->nv;
  jexpr_ref *b = refs(r, nv), *c = refs(r, nv);
  r->solve = refs(r, nv);
  r->solve_transposed = refs(r, nv);
  if (g->status < 0) return;
  for (int i = 0; i < nv; i++) {
    b[i] = jexpr_input(g, JGEN_B, i);
    c[i] = jexpr_input(g, JGEN_C, i);
  }
  jgen_lu_solve(&r->lu, b, r->solve);
  jgen_lu_solve_transposed(&r->lu, c, r->solve_transposed);
}

// ---- outputs -------------------------------------------------------------------------------------

typedef struct sensors {
  int n;
  jexpr_ref* ref;
  const char** name;
  const char** unit;
} sensors;

static void add_sensor(sensors* o, const char* name, const char* unit, jexpr_ref ref) {
  o->name[o->n] = name;
  o->unit[o->n] = unit;
  o->ref[o->n++] = ref;
}

// sensors of the file, then all coordinates, element forces, tyre loads and energies
static jo_status write_outputs(reduction* r, sensors* o) {
  jgen* s = &r->s;
  const jmodel* m = s->m;
  int cap = m->nsignal + m->ncoordinate + m->nforce + m->ntyre + m->nsoil + 3;
  o->ref = refs(r, cap);
  o->name = JARENA_ARRAY(s->a, cap, const char*);
  o->unit = JARENA_ARRAY(s->a, cap, const char*);
  if (!o->ref || !o->name || !o->unit) return jerr_memory(s->ctx);
  for (int i = 0; i < m->nsignal; i++) {
    if (!m->signal[i].is_output) continue;
    jexpr_ref x = jgen_scalar(s, &m->signal[i].value, m->signal[i].name);
    add_sensor(o, m->signal[i].name, m->signal[i].unit, x);
  }
  for (int i = 0; i < m->ncoordinate; i++) {
    add_sensor(o, m->coordinate[i].name, m->coordinate[i].is_angle ? "rad" : "m", s->q[i]);
  }
  for (int i = 0; i < m->nforce; i++) {
    const char* name = jarena_printf(s->a, "%s.force", m->force[i].name);
    if (!name) return jerr_memory(s->ctx);
    bool moment = m->force[i].type != JMODEL_FORCE_LINE && m->force[i].type != JMODEL_FORCE_POINT &&
                  m->coordinate[m->force[i].coordinate].is_angle;
    add_sensor(o, name, moment ? "N m" : "N", jgen_force_of(s, i)->force);
  }
  for (int i = 0; i < m->ntyre; i++) {
    const char* name = jarena_printf(s->a, "%s.fz", m->tyre[i].name);
    if (!name) return jerr_memory(s->ctx);
    add_sensor(o, name, "N", jgen_tyre_of(s, i)->fz);
  }
  for (int i = 0; i < m->nsoil; i++) {
    const char* name = jarena_printf(s->a, "%s.fz", m->soil[i].name);
    if (!name) return jerr_memory(s->ctx);
    add_sensor(o, name, "N", jgen_soil_of(s, i)->fz);
  }
  add_sensor(o, "energy.kinetic", "J", jgen_kinetic_energy(s));
  add_sensor(o, "energy.potential", "J", jgen_potential_energy(s));
  return s->g->status;
}

// ---- functions -----------------------------------------------------------------------------------

// All refs that become outputs of functions, in one list, so that switches are extracted together.
typedef struct bundle {
  jexpr_ref* all;
  int n, cap;
} bundle;

static int put(bundle* b, const jexpr_ref* ref, int n) {
  int at = b->n;
  for (int i = 0; i < n; i++) {
    b->all[b->n++] = ref[i];
  }
  return at;
}

static jo_status make(reduction* r, const char* name, const char* const* out_name,
                      const jexpr_ref* const* ref, const int* n, int nout, jexpr_fn* fn) {
  jexpr_outputs o[4];
  for (int i = 0; i < nout; i++) {
    o[i] = jgen_outputs(r->s.a, out_name[i], ref[i], n[i]);
  }
  return jgen_function(r->s.g, r->s.a, name, o, nout, fn);
}

static jo_status make_one(reduction* r, const char* name, const char* out_name,
                          const jexpr_ref* ref, int n, jexpr_fn* fn) {
  return make(r, name, &out_name, &ref, &n, 1, fn);
}

static jexpr_ref element_value(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const jgen* s = user;
  const jexpr_node* n = &g->node[r];
  return n->op == JEXPR_INPUT && n->a == JGEN_ELEMENT ? s->element_value[n->b] : rebuilt;
}

// Forces of elements in place of their placeholders.
static jo_status replace_elements(reduction* r, jexpr_ref* all, int n) {
  jgen* s = &r->s;
  if (!s->placeholders) return JO_OK;
  for (int i = 0; i < jgen_element_count(s->m); i++) {
    if (!s->element_value[i]) s->element_value[i] = s->zero;  // forces at points have none
  }
  // a force may be an expression of another
  JO_TRY(jexpr_rewrite(s->g, element_value, s, s->element_value, jgen_element_count(s->m)));
  return jexpr_rewrite(s->g, element_value, s, all, n);
}

// Functions for load prediction; docs/theory/loads.md eqs. (H1)-(H4).
static jo_status write_loads(reduction* r) {
  jgen* s = &r->s;
  jgen_dynamics* d = r->out;
  jgen_loads* l = &d->loads;
  const jmodel* m = s->m;
  int nu = r->nu, ne = l->ne = jgen_element_count(m);
  jexpr_ref *F = refs(r, ne), *W = refs(r, nu * ne), *c = refs(r, nu), *M = refs(r, nu * nu);
  jexpr_ref *x = refs(r, nu), *all = refs(r, r->nq), *qdd = refs(r, nu);
  l->name = JARENA_ARRAY(s->a, ne + 1, const char*);
  l->element = JARENA_ARRAY(s->a, ne + 1, jexpr_fn);
  if (!l->name || !l->element) return jerr_memory(s->ctx);
  JO_TRY(s->g->status);
  for (int i = 0; i < ne; i++) {
    F[i] = jexpr_input(s->g, JGEN_ELEMENT, i);
    int tyre = i - m->nforce, soil = tyre - m->ntyre;
    l->name[i] = tyre < 0 ? m->force[i].name : soil < 0 ? m->tyre[tyre].name : m->soil[soil].name;
  }
  jexpr_jacobian J;
  JO_TRY(jexpr_jacobian_build(s->g, s->a, JEXPR_FORWARD, r->ydot + d->at_qdu, nu, F, ne, &J));
  for (int k = 0; k < ne; k++) {
    for (int e = J.col[k]; e < J.col[k + 1]; e++) {
      W[J.row[e] + k * nu] = J.value[e];
    }
  }
  for (int i = 0; i < nu; i++) {
    c[i] = r->c[r->part->u[i]];
    for (int k = 0; k < r->nv; k++) {
      c[i] = add_product(s->g, c[i], r->B[k * nu + i], r->c[r->part->v[k]]);
    }
    x[i] = all[r->part->u[i]] = jexpr_input(s->g, JGEN_X, i);
  }
  if (s->hub) hub_rates(r, x, r->bias, all);
  for (int i = 0; i < nu; i++) {
    qdd[i] = all[r->part->u[i]];
  }
  memcpy(M, r->Mr, (size_t)(nu * nu) * sizeof *M);
  JO_TRY(replace_elements(r, W, nu * ne));
  JO_TRY(replace_elements(r, c, nu));
  JO_TRY(replace_elements(r, F, ne));
  JO_TRY(make(r, "rhs_loads", (const char* const[]){"ydot", "F"},
              (const jexpr_ref* const[]){d->rhs.out[0].ref, F}, (const int[]){d->ny, ne}, 2,
              &l->rhs));
  for (int i = 0; i < ne; i++) {
    const char* name = jarena_printf(s->a, "element_%d", i);
    if (!name) return jerr_memory(s->ctx);
    JO_TRY(make_one(r, name, "F", &F[i], 1, &l->element[i]));
  }
  JO_TRY(make_one(r, "directions", "W", W, nu * ne, &l->directions));
  JO_TRY(make(r, "reduced", (const char* const[]){"M", "c"}, (const jexpr_ref* const[]){M, c},
              (const int[]){nu * nu, nu}, 2, &l->reduced));
  return make_one(r, "finish", "qdd", qdd, nu, &l->finish);
}

static jo_status write_functions(reduction* r, const sensors* o, bool modes) {
  jgen* s = &r->s;
  jgen_dynamics* d = r->out;
  jexpr_ref *qdv = refs(r, r->nv), *drive[3] = {refs(r, r->nd), refs(r, r->nd), refs(r, r->nd)};
  bundle b = {.cap = d->ny + 5 * r->nv + 2 * r->nu + o->n + 3 * r->nd + d->nobjective + 1};
  b.all = refs(r, b.cap);
  JO_TRY(s->g->status);
  for (int i = 0; i < r->nv; i++) {
    qdv[i] = s->qd[r->part->v[i]];
  }
  for (int i = 0; i < r->nd; i++) {
    drive[0][i] = s->q[r->part->d[i]];
    drive[1][i] = r->sd[i];
    drive[2][i] = r->sdd[i];
  }
  int ydot = put(&b, r->ydot, d->ny), dv = put(&b, r->dv, r->nv), h = put(&b, r->h, r->nv);
  int vel = put(&b, qdv, r->nv), imp = put(&b, r->impulse, r->nu), sens = put(&b, o->ref, o->n);
  int mom = put(&b, r->momentum, r->nu), obj = put(&b, r->objective, d->nobjective), dr[3];
  int solve = put(&b, r->solve, r->nv), transposed = put(&b, r->solve_transposed, r->nv);
  for (int i = 0; i < 3; i++) {
    dr[i] = put(&b, drive[i], r->nd);
  }
  for (int i = 0; i < b.n; i++) {
    if (!b.all[i]) return s->g->status < 0 ? s->g->status : JO_ERR_MODEL;
  }
  JO_TRY(replace_elements(r, b.all, b.n));
  jgen_switch_set set = {0};
  if (modes) {
    JO_TRY(jgen_extract_switches(s->g, s->a, JGEN_T, JGEN_Y, JGEN_MODE, b.all, b.n, &set));
  }
  d->nswitch = set.n;
  d->sw = set.sw;
  jexpr_ref* g = refs(r, set.n);
  for (int i = 0; g && i < set.n; i++) {
    g[i] = set.sw[i].g;
  }
  JO_TRY(s->g->status);
  const jexpr_ref* all = b.all;
  JO_TRY(make_one(r, "rhs", "ydot", all + ydot, d->ny, &d->rhs));
  JO_TRY(make(r, "project", (const char* const[]){"dv", "h"},
              (const jexpr_ref* const[]){all + dv, all + h}, (const int[]){r->nv, r->nv}, 2,
              &d->project));
  JO_TRY(make_one(r, "switches", "g", g, set.n, &d->switches));
  JO_TRY(make_one(r, "outputs", "sensor", all + sens, o->n, &d->outputs));
  JO_TRY(make(r, "drive", (const char* const[]){"s", "sd", "sdd"},
              (const jexpr_ref* const[]){all + dr[0], all + dr[1], all + dr[2]},
              (const int[]){r->nd, r->nd, r->nd}, 3, &d->drive));
  JO_TRY(make_one(r, "velocity", "qd_v", all + vel, r->nv, &d->velocity));
  JO_TRY(make_one(r, "momentum", "P", all + mom, r->nu, &d->momentum));
  JO_TRY(make_one(r, "objective", "psi", all + obj, d->nobjective, &d->objective));
  JO_TRY(make(r, "solve", (const char* const[]){"x", "y"},
              (const jexpr_ref* const[]){all + solve, all + transposed},
              (const int[]){r->nv, r->nv}, 2, &d->solve));
  return make_one(r, "impulse", "dqd_u", all + imp, r->nu, &d->impulse);
}

static jo_status write_jacobian(reduction* r) {
  jgen* s = &r->s;
  jgen_dynamics* d = r->out;
  jexpr_ref *y = refs(r, d->ny), *dense = refs(r, d->ny * d->ny);
  if (!y || !dense) return s->g->status;
  for (int i = 0; i < d->ny; i++) {
    y[i] = state(r, i);
  }
  jexpr_jacobian J;
  const jexpr_ref* ydot = d->rhs.out[0].ref;
  JO_TRY(jexpr_jacobian_build(s->g, s->a, JEXPR_FORWARD, ydot, d->ny, y, d->ny, &J));
  for (int k = 0; k < d->ny; k++) {
    for (int e = J.col[k]; e < J.col[k + 1]; e++) {
      dense[J.row[e] + k * d->ny] = J.value[e];
    }
  }
  return make_one(r, "jacobian", "J", dense, d->ny * d->ny, &d->jacobian);
}

static jo_status count_equations(reduction* r) {
  jarena scratch;
  jarena_init(&scratch, r->s.ctx);
  jexpr_schedule schedule;
  jo_status status = jexpr_schedule_build(&scratch, &r->out->rhs, &schedule);
  if (status == JO_OK) {
    r->out->equations = jexpr_count_equations(r->s.g, &schedule, &scratch);
  }
  jarena_free(&scratch);
  return status;
}

// ---- the stage -----------------------------------------------------------------------------------

static int count_live(const jmodel* m, const jgen_options* opt) {
  int n = 0;
  for (int i = 0; i < m->nnumber; i++) {
    n += opt && opt->live ? opt->live[i] : m->number[i].is_parameter;
  }
  return n;
}

static jo_status begin(reduction* r, const jmodel* m, const jgen_options* opt) {
  jgen_dynamics* d = r->out;
  jexpr_graph* g = d->g;
  JO_TRY(jgen_begin(&r->s, g->ctx, m, g, &d->arena));
  d->np = count_live(m, opt);
  // values are shared by all lanes; directions are one per lane
  jexpr_group(g, "p", d->np, JEXPR_UNIFORM);
  jexpr_group(g, "t", 1, JEXPR_UNIFORM);
  jexpr_group(g, "y", 1, JEXPR_UNIFORM);     // sized when the states are known
  jexpr_group(g, "mode", 0, JEXPR_UNIFORM);  // sized when the switches are
  jexpr_group(g, "momentum", r->nu, JEXPR_UNIFORM);
  jexpr_group(g, "road", 2, JEXPR_UNIFORM);
  jexpr_group(g, "dy", 1, JEXPR_PER_LANE);
  jexpr_group(g, "dt", 1, JEXPR_PER_LANE);
  jexpr_group(g, "dp", opt ? opt->nwrt : 0, JEXPR_PER_LANE);
  jexpr_group(g, "dmomentum", r->nu, JEXPR_PER_LANE);
  jexpr_group(g, "lambda", 0, JEXPR_PER_LANE);
  jexpr_group(g, "b", r->nv, JEXPR_PER_LANE);
  jexpr_group(g, "c", r->nv, JEXPR_PER_LANE);
  jexpr_group(g, "element", jgen_element_count(m), JEXPR_UNIFORM);
  jexpr_group(g, "x", r->nu, JEXPR_UNIFORM);
  r->s.placeholders = opt && opt->loads;
  d->live = JARENA_ARRAY(&d->arena, d->np + 1, int);
  d->p = JARENA_ARRAY(&d->arena, d->np + 1, double);
  if (!d->live || !d->p) return jerr_memory(g->ctx);
  r->s.t = jexpr_input(g, JGEN_T, 0);
  return jgen_inputs(&r->s, opt ? opt->live : NULL, JGEN_P, d->live, d->p);
}

static jo_status write_equations(reduction* r) {
  jgen* s = &r->s;
  JO_TRY(set_states(r));
  JO_TRY(jgen_frames(s));
  jgen_hub_keep(s, r->part);
  JO_TRY(jgen_closures(s, false, &r->row, &r->nrow));
  eliminate_velocities(r);
  s->stage = JGEN_AT_VELOCITY;
  JO_TRY(eliminate_accelerations(r));
  JO_TRY(jgen_forces(s));
  jgen_hub_forces(s);
  r->M = refs(r, r->nq * r->nq);
  r->c = refs(r, r->nq);
  JO_TRY(s->g->status);
  jgen_bias_forces(s, r->c);
  jgen_mass_matrix(s, r->M);
  reduce_mass(r);
  solve_accelerations(r);
  JO_TRY(s->g->status);
  set_accelerations(r);
  set_reactions(r);
  s->stage = JGEN_AT_ACCELERATION;
  write_momentum(r);
  write_solves(r);
  set_ydot(r);
  return s->g->status;
}

// The numbers asked for, as indices of live numbers; then tangents and adjoints.
static jo_status write_derivatives(reduction* r, const jgen_options* opt) {
  jgen_dynamics* d = r->out;
  d->sens.nw = opt->nwrt;
  d->sens.wrt = JARENA_ARRAY(&d->arena, opt->nwrt + 1, int);
  if (!d->sens.wrt) return jerr_memory(r->s.ctx);
  for (int i = 0; i < opt->nwrt; i++) {
    int at = 0;
    while (at < d->np && d->live[at] != opt->wrt[i]) {
      at++;
    }
    if (at == d->np)
      return jerr_set(r->s.ctx, JO_ERR_ARGUMENT, "number %d is not live", opt->wrt[i]);
    d->sens.wrt[i] = at;
  }
  return jgen_sens_write(d);
}

static jo_status build(jgen_dynamics* d, const jmodel* m, const jgen_options* opt, bool* follow,
                       bool* again) {
  const jgen_partition* part = &d->part;
  reduction r = {.out = d, .part = part, .nq = m->ncoordinate};
  r.nu = part->nu;
  r.nv = part->nv;
  r.nd = part->nd;
  r.s.follow = follow;
  sensors o = {0};
  JO_TRY(begin(&r, m, opt));
  JO_TRY(write_equations(&r));
  d->nwritten = d->g->nnode;
  JO_TRY(write_outputs(&r, &o));
  if (r.s.retry_follow) {
    for (int b = 0; b < m->nbody; b++) {
      follow[b] = r.s.follow[b];
    }
    *again = true;
    return JO_OK;
  }
  JO_TRY(write_functions(&r, &o, !opt || opt->modes));
  d->noutput = o.n;
  d->output_name = o.name;
  d->output_unit = o.unit;
  JO_TRY(count_equations(&r));
  if (opt && opt->jacobian) JO_TRY(write_jacobian(&r));
  if (opt && opt->loads) JO_TRY(write_loads(&r));
  return opt && opt->nwrt > 0 ? write_derivatives(&r, opt) : JO_OK;
}

static bool copy_ints(jarena* a, int** dst, const int* src, int n) {
  *dst = JARENA_ARRAY(a, n + 1, int);
  for (int i = 0; *dst && i < n; i++) {
    (*dst)[i] = src[i];
  }
  return *dst != NULL;
}

static bool copy_partition(jarena* a, const jgen_partition* from, jgen_partition* to) {
  *to = *from;
  return copy_ints(a, &to->u, from->u, from->nu) && copy_ints(a, &to->v, from->v, from->nv) &&
         copy_ints(a, &to->d, from->d, from->nd) && copy_ints(a, &to->row, from->row, from->nrow) &&
         copy_ints(a, &to->pivot, from->pivot, from->nrow) &&
         copy_ints(a, &to->redundant, from->redundant, from->nredundant);
}

jo_status jgen_dynamics_build(jo_context* ctx, const jmodel* m, const jgen_options* opt,
                              const jgen_partition* part, jgen_dynamics** out) {
  *out = NULL;
  bool* follow = jmem_resize(ctx, NULL, (size_t)m->nbody + 1);
  jgen_dynamics* d = jmem_resize(ctx, NULL, sizeof *d);
  if (!d || !follow) {
    jmem_free(ctx, d);
    jmem_free(ctx, follow);
    return jerr_memory(ctx);
  }
  memset(follow, 0, (size_t)m->nbody + 1);
  bool again = true;
  jo_status status = JO_OK;
  // once, or again when an expression looks at a body whose spin was not followed
  for (int attempt = 0; again && status >= 0 && attempt < 2; attempt++) {
    again = false;
    *d = (jgen_dynamics){.g = jexpr_graph_create(ctx), .model = m};
    jarena_init(&d->arena, ctx);
    status = d->g && copy_partition(&d->arena, part, &d->part) ? build(d, m, opt, follow, &again)
                                                               : jerr_memory(ctx);
    if (again || status < 0) {
      jexpr_graph_destroy(d->g);
      jarena_free(&d->arena);
    }
  }
  jmem_free(ctx, follow);
  if (status < 0) {
    jmem_free(ctx, d);
    return status;
  }
  *out = d;
  return JO_OK;
}

void jgen_dynamics_destroy(jgen_dynamics* d) {
  if (!d) return;
  jo_context* ctx = d->arena.ctx;
  jexpr_graph_destroy(d->g);
  jarena_free(&d->arena);
  jmem_free(ctx, d);
}
