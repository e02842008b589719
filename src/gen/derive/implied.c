// SPDX-License-Identifier: Apache-2.0
// The equations that rates of dependent coordinates and accelerations solve, by recursion and with stand-ins for the
// solution. Derivatives need these instead of how they were solved: no derivative of a mass matrix, of the Jacobian of
// closures or of their factors. docs/theory/sensitivity.md eqs. (S32)-(S34).
#include "gen/derive/implied.h"

#include "gen/loop/reduction.h"

static jexpr_ref stand_in(jgen_reduction* r, int i) {
  return jexpr_input(r->s.g, JGEN_X, i);
}

// What s knows of motion, to go back to.
typedef struct known {
  jgen_relative** from;
  jgen_absolute* dyn;
  jexpr_ref *qd, *qdd;
} known;

// Relative positions stay; rates and all that follows from them are written anew.
static jgen_relative** forget_velocities(jgen* s) {
  jgen_relative** fresh = JARENA_ARRAY(s->a, s->nlink, jgen_relative*);
  for (int base = 0; fresh && base < s->nlink; base++) {
    if (!s->from[base]) continue;
    jgen_relative* k = JARENA_ARRAY(s->a, s->nlink, jgen_relative);
    if (!k) return NULL;
    for (int l = 0; l < s->nlink; l++) {
      k[l] = s->from[base][l];
      k[l].has_velocity = false;
    }
    fresh[base] = k;
  }
  return fresh;
}

static bool begin(jgen_reduction* r, known* was) {
  jgen* s = &r->s;
  *was = (known){s->from, s->dyn, s->qd, s->qdd};
  s->from = forget_velocities(s);
  s->dyn = JARENA_ARRAY(s->a, s->nlink, jgen_absolute);
  s->qd = jgen_refs(r, r->nq);
  s->qdd = jgen_refs(r, r->nq);
  if (!s->from || !s->dyn) s->g->status = jerr_memory(s->ctx);
  for (int i = 0; s->g->status >= 0 && i < r->nq; i++) {
    s->qd[i] = was->qd[i];
    s->qdd[i] = was->qdd[i];
  }
  return s->g->status >= 0;
}

static void end(jgen_reduction* r, const known* was) {
  r->s.from = was->from;
  r->s.dyn = was->dyn;
  r->s.qd = was->qd;
  r->s.qdd = was->qdd;
}

// ---- closures ------------------------------------------------------------------------------------

// J x for rates x of all coordinates
static jexpr_ref along_coordinates(jgen_reduction* r, const jgen_row* row, const jexpr_ref* x) {
  jexpr_ref sum = r->s.zero;
  for (int i = 0; i < r->nq; i++) {
    sum = jgen_add_product(r->s.g, sum, row->J[i], x[i]);
  }
  return sum;
}

// (S32)  J qd by what the closure pushes: sum of f . (od + w x R r) + n . w
static jexpr_ref rate_of(jgen_reduction* r, const jgen_row* row) {
  jgen* s = &r->s;
  jexpr_graph* g = s->g;
  if (row->coupling >= 0 || row->is_turn) return along_coordinates(r, row, s->qd);
  jexpr_ref sum = s->zero;
  for (int k = 0; k < row->npush; k++) {
    const jgen_push* p = &row->push[k];
    const jgen_relative* m = jgen_relative_of(s, row->base, p->link, true);
    jexpr_v3 sweep = jexpr_v3_cross(g, m->w, jexpr_m3_apply(g, &m->R, p->r));
    sum = jexpr_add(g, sum, jexpr_v3_dot(g, p->f, jexpr_v3_add(g, m->od, sweep)));
    sum = jexpr_add(g, sum, jexpr_v3_dot(g, p->n, m->w));
  }
  return sum;
}

static jo_status write_rates(jgen_reduction* r, const jgen_stand_ins* at) {
  jgen* s = &r->s;
  jgen_row* row;
  int n;
  for (int k = 0; k < r->nv; k++) {
    s->qd[r->part->v[k]] = stand_in(r, at->rate + k);
  }
  JO_TRY(jgen_closures(s, true, &row, &n));
  for (int k = 0; k < r->nv; k++) {
    r->implied.rate[k] = rate_of(r, &row[r->part->row[k]]);
  }
  return s->g->status;
}

static void set_stand_ins(jgen_reduction* r, int x, int qdd) {
  for (int i = 0; i < r->nu; i++) {
    r->s.qdd[r->part->u[i]] = stand_in(r, x + i);
  }
  for (int k = 0; k < r->nv; k++) {
    r->s.qdd[r->part->v[k]] = stand_in(r, qdd + k);
  }
}

// (S33)  J qdd + bias
static jo_status write_accelerations(jgen_reduction* r, const jgen_stand_ins* at) {
  jgen* s = &r->s;
  jgen_row* row;
  int n;
  set_stand_ins(r, at->x, at->qdd_closure);
  JO_TRY(jgen_closures(s, true, &row, &n));
  for (int k = 0; k < r->nv; k++) {
    const jgen_row* e = &row[r->part->row[k]];
    jexpr_ref more = e->coupling >= 0 ? along_coordinates(r, e, s->qdd) : s->zero;
    r->implied.acceleration[k] = jexpr_add(s->g, e->bias, more);
  }
  return s->g->status;
}

// ---- tree ----------------------------------------------------------------------------------------

// What falls on the coordinates u, then v.
static void pick(const jgen_reduction* r, const jexpr_ref* by_coordinate, jexpr_ref* out) {
  for (int i = 0; i < r->nu; i++) {
    out[i] = by_coordinate[r->part->u[i]];
  }
  for (int k = 0; k < r->nv; k++) {
    out[r->nu + k] = by_coordinate[r->part->v[k]];
  }
}

// (S34)  F = M qdd + c - J^T lambda      lambda = J_v^-T (M qdd + c)_v
static jo_status write_forces(jgen_reduction* r, const jgen_stand_ins* at) {
  jgen* s = &r->s;
  jexpr_ref *c = jgen_refs(r, r->nq), *y = jgen_refs(r, r->nu + r->nv);
  JO_TRY(s->g->status);
  set_stand_ins(r, at->x, at->qdd);
  jgen_bias_forces(s, c);
  pick(r, c, y);
  jgen_lu_solve_transposed(&r->lu, y + r->nu, r->implied.lambda);
  jgen_wrench* w = jgen_link_wrenches(s);
  if (!w) return s->g->status;
  for (int k = 0; k < r->nv; k++) {
    const jgen_row* row = &r->row[r->part->row[k]];
    if (row->coupling < 0 && !row->is_turn) {
      jgen_subtract_closure(s, row, stand_in(r, at->lambda + k), w);
    }
  }
  jgen_forces_along(s, w, c);
  for (int k = 0; k < r->nv; k++) {
    const jgen_row* row = &r->row[r->part->row[k]];
    if (row->coupling < 0 && !row->is_turn) continue;
    for (int i = 0; i < r->nq; i++) {
      jexpr_ref own = jexpr_mul(s->g, row->J[i], stand_in(r, at->lambda + k));
      c[i] = jexpr_sub(s->g, c[i], own);
    }
  }
  pick(r, c, r->implied.force);
  return s->g->status;
}

// M_r^-1 b for placeholders b
static void write_solve(jgen_reduction* r) {
  jexpr_graph* g = r->s.g;
  for (int i = 0; i < r->nu; i++) {
    r->implied.solve[i] = jexpr_input(g, JGEN_B, i);
  }
  jgen_solve_mass(r, r->implied.solve);
}

static bool allocate(jgen_reduction* r) {
  jgen_implied* k = &r->implied;
  k->rate = jgen_refs(r, r->nv);
  k->acceleration = jgen_refs(r, r->nv);
  k->force = jgen_refs(r, r->nu + r->nv);
  k->qdd_v = jgen_refs(r, r->nv);
  k->lambda = jgen_refs(r, r->nv);
  k->solve = jgen_refs(r, r->nu);
  return r->s.g->status >= 0;
}

static jo_status write_all(jgen_reduction* r) {
  jgen* s = &r->s;
  jgen_stand_ins at = jgen_stand_ins_of(r->nu, r->nv);
  known was;
  jo_status status = begin(r, &was) ? write_rates(r, &at) : s->g->status;
  end(r, &was);
  JO_TRY(status);
  if (begin(r, &was)) {
    s->accelerates = true;
    status = write_accelerations(r, &at);
    if (status >= 0) status = write_forces(r, &at);
    s->accelerates = false;
  }
  end(r, &was);
  JO_TRY(status);
  write_solve(r);
  return s->g->status;
}

jo_status jgen_write_implied(jgen_reduction* r) {
  jgen* s = &r->s;
  int n = jgen_stand_ins_of(r->nu, r->nv).n;
  if (s->placeholders) return JO_OK;  // forces are not all there
  if (!allocate(r)) return s->g->status;
  s->g->group[JGEN_X].size = n;
  s->g->group[JGEN_B].size = r->nu > r->nv ? r->nu : r->nv;
  for (int k = 0; k < r->nv; k++) {
    r->implied.qdd_v[k] = s->qdd[r->part->v[k]];
  }
  JO_TRY(write_all(r));
  r->implied.is_there = true;
  return JO_OK;
}
