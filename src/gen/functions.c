// SPDX-License-Identifier: Apache-2.0
// The functions of a dynamics, out of the equations of its reduction: outputs are gathered, switches
// taken out of all of them together, and named functions made.
#include <assert.h>
#include "expr/rewrite.h"

#include "gen/begin.h"
#include "gen/reduction.h"
#include "gen/switches.h"

// ---- outputs -------------------------------------------------------------------------------------

static void add_sensor(jgen_sensors* o, const char* name, const char* unit, jexpr_ref ref) {
  o->name[o->n] = name;
  o->unit[o->n] = unit;
  o->ref[o->n++] = ref;
}

// sensors of the file, then all coordinates, element forces, tyre loads and energies
jo_status jgen_write_outputs(jgen_reduction* r, jgen_sensors* o) {
  jgen* s = &r->s;
  const jmodel* m = s->m;
  int cap = m->nsignal + m->ncoordinate + m->nforce + m->ntyre + m->nsoil + 3;
  o->ref = jgen_refs(r, cap);
  o->name = JARENA_ARRAY(s->a, cap, const char*);
  o->unit = JARENA_ARRAY(s->a, cap, const char*);
  if (!o->ref || !o->name || !o->unit) return jerr_memory(s->ctx);
  for (int i = 0; i < m->nsignal; i++) {
    if (!m->signal[i].is_output) continue;
    jexpr_ref x = jgen_scalar(s, &m->signal[i].value, m->signal[i].name);
    add_sensor(o, m->signal[i].name, m->signal[i].unit, x);
  }
  for (int i = 0; i < m->ncoordinate; i++) {
    add_sensor(o, m->coordinate[i].name, jgen_coordinate_unit(&m->coordinate[i]), s->q[i]);
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
  assert(b->n + n <= b->cap);
  for (int i = 0; i < n; i++) {
    b->all[b->n++] = ref[i];
  }
  return at;
}

static jo_status make(jgen_reduction* r, const char* name, const char* const* out_name,
                      const jexpr_ref* const* ref, const int* n, int nout, jexpr_fn* fn) {
  jexpr_outputs o[4];
  for (int i = 0; i < nout; i++) {
    o[i] = jgen_outputs(r->s.a, out_name[i], ref[i], n[i]);
  }
  return jgen_function(r->s.g, r->s.a, name, o, nout, fn);
}

static jo_status make_one(jgen_reduction* r, const char* name, const char* out_name,
                          const jexpr_ref* ref, int n, jexpr_fn* fn) {
  return make(r, name, &out_name, &ref, &n, 1, fn);
}

static jexpr_ref element_value(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const jgen* s = user;
  const jexpr_node* n = &g->node[r];
  return n->op == JEXPR_INPUT && n->a == JGEN_ELEMENT ? s->element_value[n->b] : rebuilt;
}

// Forces of elements in place of their placeholders.
static jo_status replace_elements(jgen_reduction* r, jexpr_ref* all, int n) {
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
jo_status jgen_write_loads(jgen_reduction* r) {
  jgen* s = &r->s;
  jgen_dynamics* d = r->out;
  jgen_loads* l = &d->loads;
  const jmodel* m = s->m;
  int nu = r->nu, ne = l->ne = jgen_element_count(m);
  jexpr_ref *F = jgen_refs(r, ne), *W = jgen_refs(r, nu * ne), *c = jgen_refs(r, nu),
            *M = jgen_refs(r, nu * nu);
  jexpr_ref *x = jgen_refs(r, nu), *all = jgen_refs(r, r->nq), *qdd = jgen_refs(r, nu);
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
  JO_TRY(jexpr_jacobian_build(s->g, s->a, JEXPR_FORWARD, r->ydot + jgen_first(&d->layout, JGEN_QDU),
                              nu, F, ne, &J));
  for (int k = 0; k < ne; k++) {
    for (int e = J.col[k]; e < J.col[k + 1]; e++) {
      W[J.row[e] + k * nu] = J.value[e];
    }
  }
  for (int i = 0; i < nu; i++) {
    c[i] = r->c[r->part->u[i]];
    for (int k = 0; k < r->nv; k++) {
      c[i] = jgen_add_product(s->g, c[i], r->B[k * nu + i], r->c[r->part->v[k]]);
    }
    x[i] = all[r->part->u[i]] = jexpr_input(s->g, JGEN_X, i);
  }
  if (s->hub) jgen_unknowns_to_rates(r, x, r->bias, all);
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

// The switches of the conditions, and behind them those of wheels that stand.
static jo_status take_switches(jgen_reduction* r, const jgen_switch_set* set,
                               const jexpr_ref* stands, int n) {
  jgen_dynamics* d = r->out;
  d->first_standing = set->n;
  d->nswitch = set->n + n;
  d->sw = JARENA_ARRAY(r->s.a, d->nswitch + 1, jgen_switch);
  if (!d->sw) return jerr_memory(r->s.ctx);
  for (int i = 0; i < set->n; i++) {
    d->sw[i] = set->sw[i];
  }
  for (int i = 0; i < n; i++) {
    const char* text = jarena_printf(r->s.a, "%s: wheel stands", r->s.m->tyre[i].name);
    if (!text) return jerr_memory(r->s.ctx);
    d->sw[set->n + i] = (jgen_switch){stands[i], text};
  }
  r->s.g->group[JGEN_MODE].size = d->nswitch;
  return JO_OK;
}

jo_status jgen_write_functions(jgen_reduction* r, const jgen_sensors* o, bool modes) {
  jgen* s = &r->s;
  jgen_dynamics* d = r->out;
  jexpr_ref *qdv = jgen_refs(r, r->nv),
            *drive[3] = {jgen_refs(r, r->nd), jgen_refs(r, r->nd), jgen_refs(r, r->nd)};
  int nr = r->part->nredundant, nt = s->m->ntyre;
  bundle b = {.cap = d->ny + 6 * r->nv + 2 * r->nu + o->n + 3 * r->nd + 3 * d->nobjective + 1};
  b.cap += nr + 4 * nt;
  b.all = jgen_refs(r, b.cap);
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
  int inverse = put(&b, r->lu.inv, r->nv);
  int vel = put(&b, qdv, r->nv), imp = put(&b, r->impulse, r->nu), sens = put(&b, o->ref, o->n);
  int mom = put(&b, r->momentum, r->nu), obj = put(&b, r->objective, d->nobjective), dr[3];
  int solve = put(&b, r->solve, r->nv), transposed = put(&b, r->solve_transposed, r->nv);
  for (int i = 0; i < 3; i++) {
    dr[i] = put(&b, drive[i], r->nd);
  }
  int red = put(&b, r->redundant, nr), roll = put(&b, r->rolling, 3 * nt);
  int stand = put(&b, r->stands, nt), win = put(&b, r->windows, 2 * d->nobjective);
  for (int i = 0; i < b.n; i++) {
    if (!b.all[i]) return s->g->status < 0 ? s->g->status : JO_ERR_MODEL;
  }
  JO_TRY(replace_elements(r, b.all, b.n));
  jgen_switch_set set = {0};
  if (modes) {
    JO_TRY(jgen_extract_switches(s->g, s->a, JGEN_T, JGEN_Y, JGEN_MODE, b.all, b.n, &set));
  }
  JO_TRY(take_switches(r, &set, b.all + stand, modes ? nt : 0));
  jexpr_ref* g = jgen_refs(r, d->nswitch);
  for (int i = 0; g && i < d->nswitch; i++) {
    g[i] = d->sw[i].g;
  }
  JO_TRY(s->g->status);
  const jexpr_ref* all = b.all;
  JO_TRY(make_one(r, "rhs", "ydot", all + ydot, d->ny, &d->rhs));
  JO_TRY(make(r, "project", (const char* const[]){"dv", "h", "inverse"},
              (const jexpr_ref* const[]){all + dv, all + h, all + inverse},
              (const int[]){r->nv, r->nv, r->nv}, 3, &d->project));
  JO_TRY(make_one(r, "switches", "g", g, d->nswitch, &d->switches));
  JO_TRY(make_one(r, "outputs", "sensor", all + sens, o->n, &d->outputs));
  JO_TRY(make(r, "drive", (const char* const[]){"s", "sd", "sdd"},
              (const jexpr_ref* const[]){all + dr[0], all + dr[1], all + dr[2]},
              (const int[]){r->nd, r->nd, r->nd}, 3, &d->drive));
  JO_TRY(make_one(r, "velocity", "qd_v", all + vel, r->nv, &d->velocity));
  JO_TRY(make_one(r, "momentum", "P", all + mom, r->nu, &d->momentum));
  JO_TRY(make_one(r, "objective", "psi", all + obj, d->nobjective, &d->objective));
  JO_TRY(make_one(r, "redundant", "h", all + red, nr, &d->redundant));
  JO_TRY(make(r, "rolling", (const char* const[]){"contact", "vx", "vy"},
              (const jexpr_ref* const[]){all + roll, all + roll + nt, all + roll + 2 * nt},
              (const int[]){nt, nt, nt}, 3, &d->rolling));
  JO_TRY(make_one(r, "windows", "from_to", all + win, 2 * d->nobjective, &d->windows));
  JO_TRY(make(r, "solve", (const char* const[]){"x", "y"},
              (const jexpr_ref* const[]){all + solve, all + transposed},
              (const int[]){r->nv, r->nv}, 2, &d->solve));
  return make_one(r, "impulse", "dqd_u", all + imp, r->nu, &d->impulse);
}

jo_status jgen_write_jacobian(jgen_reduction* r) {
  jgen* s = &r->s;
  jgen_dynamics* d = r->out;
  jexpr_ref *y = jgen_refs(r, d->ny), *dense = jgen_refs(r, d->ny * d->ny);
  if (!y || !dense) return s->g->status;
  for (int i = 0; i < d->ny; i++) {
    y[i] = jgen_state(r, i);
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
