// SPDX-License-Identifier: Apache-2.0
// The functions of a dynamics, out of the equations of its reduction: outputs are gathered, switches
// taken out of all of them together, and named functions made.
#include "base/assert.h"
#include "expr/rewrite.h"

#include "gen/begin.h"
#include "gen/force/element.h"
#include "gen/force/friction.h"
#include "gen/loop/reduction.h"
#include "gen/switch/switches.h"
#include "gen/tree/attitude.h"

const jgen_fn_info* jgen_fn_about(jgen_fn f) {
  enum { FOLDED = true, LIVE = false };
  static const jgen_fn_info about[JGEN_FN_COUNT] = {
#define FN(id, name, part, use, numbers, tangent, adjoint, ...)                              \
  [JGEN_FN_##id] = {                                                                         \
      #name,   #name "_tangent",    #name "_adjoint",    JGEN_PART_##part,   JGEN_USE_##use, \
      numbers, JGEN_RULE_##tangent, JGEN_RULE_##adjoint, {__VA_ARGS__, NULL}},
#include "gen/functions.def"
  };
  return &about[f];
}

// ---- outputs -------------------------------------------------------------------------------------

static void add_sensor(jgen_sensors* o, const char* name, const char* unit, jexpr_ref ref) {
  o->name[o->n] = name;
  o->unit[o->n] = unit;
  o->ref[o->n++] = ref;
}

static jo_status add_components(jgen* s, int element, jgen_sensors* o) {
  const jmodel_element* e = &s->m->element[element];
  for (int k = 0; k < e->class->ncomponent; k++) {
    const char* name = jarena_printf(s->a, "%s.%s", e->name, e->class->component[k]);
    if (!name) return jerr_memory(s->ctx);
    add_sensor(o, name, e->class->unit(s->m, e, k), jgen_component_value(s, element, k));
  }
  return JO_OK;
}

// force, or force1, force2 ... of several relations
static jo_status add_couplings(jgen* s, jgen_sensors* o) {
  for (int r = 0, k = 0; r < s->nrow; r++) {
    if (s->row[r].coupling < 0) continue;
    const jmodel_coupling* c = &s->m->coupling[s->row[r].coupling];
    k = r > 0 && s->row[r - 1].coupling == s->row[r].coupling ? k + 1 : 1;
    const char* name = c->nrelation == 1 ? jarena_printf(s->a, "%s.force", c->name)
                                         : jarena_printf(s->a, "%s.force%d", c->name, k);
    if (!name) return jerr_memory(s->ctx);
    add_sensor(o, name, c->unit, jexpr_mul(s->g, s->row[r].scale, s->lambda[r]));
  }
  return JO_OK;
}

// sensors of the file, then all coordinates, what elements exert, forces of couplings, and energies
jo_status jgen_write_outputs(jgen_reduction* r, jgen_sensors* o) {
  jgen* s = &r->s;
  const jmodel* m = s->m;
  int cap = m->nsignal + m->ncoordinate + m->ncomponent + jgen_coupling_count(m) + 3;
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
    const char* name = m->coordinate[i].name;
    jexpr_ref angle = jgen_attitude_output(s, i, &name);
    add_sensor(o, name, jgen_coordinate_unit(&m->coordinate[i]), angle ? angle : s->q[i]);
  }
  for (int i = 0; i < m->nelement; i++) {
    JO_TRY(add_components(s, i, o));
  }
  JO_TRY(add_couplings(s, o));
  add_sensor(o, "energy.kinetic", "J", jgen_kinetic_energy(s));
  add_sensor(o, "energy.potential", "J", jgen_potential_energy(s));
  return s->g->status;
}

// ---- functions -----------------------------------------------------------------------------------

// One output of a function, in the order of gen/functions.def; all outputs of a function follow each other.
typedef struct part {
  jgen_fn fn;
  const jexpr_ref* ref;
  int n;
} part;

// A function of the parts from *p on; the next function's.
static jo_status make(jgen_reduction* r, const part** p) {
  jgen_fn f = (*p)->fn;
  const jgen_fn_info* about = jgen_fn_about(f);
  jexpr_outputs o[JGEN_MAX_OUT];
  int n = 0;
  for (; about->out[n]; n++, (*p)++) {
    JASSERT((*p)->fn == f);
    o[n] = jgen_outputs(r->s.a, about->out[n], (*p)->ref, (*p)->n);
  }
  return jgen_function(r->s.g, r->s.a, about->name, o, n, &r->out->fn[f]);
}

static jo_status make_all(jgen_reduction* r, const part* p, int n) {
  for (const part* end = p + n; p < end;) {
    JO_TRY(make(r, &p));
  }
  return JO_OK;
}

static jexpr_ref element_value(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const jgen* s = user;
  const jexpr_node* n = &g->node[r];
  return n->op == JEXPR_INPUT && n->a == JGEN_ELEMENT ? s->component[n->b] : rebuilt;
}

// Forces of elements in place of their placeholders.
static jo_status replace_elements(jgen_reduction* r, jexpr_ref* all, int n) {
  jgen* s = &r->s;
  if (!s->placeholders) return JO_OK;
  for (int i = 0; i < s->m->ncomponent; i++) {
    if (!s->component[i]) s->component[i] = s->zero;  // forces at points have none
  }
  // a force may be an expression of another
  JO_TRY(jexpr_rewrite(s->g, element_value, s, s->component, s->m->ncomponent));
  return jexpr_rewrite(s->g, element_value, s, all, n);
}

// An element with one component is its load; others tell which.
static const char* load_name(jgen* s, int component) {
  const jmodel_element* e = jmodel_element_of(s->m, component);
  if (e->class->ncomponent == 1) return e->name;
  return jarena_printf(s->a, "%s.%s", e->name, e->class->component[component - e->first_component]);
}

// Functions for load prediction; docs/theory/loads.md eqs. (H1)-(H4).
jo_status jgen_write_loads(jgen_reduction* r) {
  jgen* s = &r->s;
  jgen_dynamics* d = r->out;
  jgen_loads* l = &d->loads;
  const jmodel* m = s->m;
  int nu = r->nu, ne = l->ne = m->ncomponent;
  jexpr_ref *F = jgen_refs(r, ne), *W = jgen_refs(r, nu * ne), *c = jgen_refs(r, nu),
            *M = jgen_refs(r, nu * nu);
  jexpr_ref *x = jgen_refs(r, nu), *all = jgen_refs(r, r->nq), *qdd = jgen_refs(r, nu);
  l->name = JARENA_ARRAY(s->a, ne, const char*);
  l->element = JARENA_ARRAY(s->a, ne, jexpr_fn);
  if (!l->name || !l->element) return jerr_memory(s->ctx);
  JO_TRY(s->g->status);
  for (int i = 0; i < ne; i++) {
    F[i] = jexpr_input(s->g, JGEN_ELEMENT, i);
    l->name[i] = load_name(s, i);
    if (!l->name[i]) return jerr_memory(s->ctx);
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
  jgen_hub_rates(s, r->bias, all);
  for (int i = 0; i < nu; i++) {
    qdd[i] = all[r->part->u[i]];
  }
  memcpy(M, r->Mr, (size_t)(nu * nu) * sizeof *M);
  JO_TRY(replace_elements(r, W, nu * ne));
  JO_TRY(replace_elements(r, c, nu));
  JO_TRY(replace_elements(r, F, ne));
  for (int i = 0; i < ne; i++) {
    const char* name = jarena_printf(s->a, "element_%d", i);
    if (!name) return jerr_memory(s->ctx);
    jexpr_outputs o = jgen_outputs(s->a, "F", &F[i], 1);
    JO_TRY(jgen_function(s->g, s->a, name, &o, 1, &l->element[i]));
  }
  const part all_parts[] = {{JGEN_FN_RHS_LOADS, d->fn[JGEN_FN_RHS].out[0].ref, d->ny},
                            {JGEN_FN_RHS_LOADS, F, ne},
                            {JGEN_FN_DIRECTIONS, W, nu * ne},
                            {JGEN_FN_REDUCED, M, nu * nu},
                            {JGEN_FN_REDUCED, c, nu},
                            {JGEN_FN_FINISH, qdd, nu}};
  return make_all(r, all_parts, (int)(sizeof all_parts / sizeof *all_parts));
}

static bool is_quiet(const jgen* s, jexpr_ref g) {
  for (int i = 0; i < s->nevent; i++) {
    if (s->event[i].watch && s->event[i].watch == g) return true;
  }
  return false;
}

// The switches of the conditions, and behind them those of guards.
static jo_status take_switches(jgen_reduction* r, const jgen_switch_set* set,
                               const jexpr_ref* is_short, int n) {
  jgen_dynamics* d = r->out;
  d->first_guard = set->n;
  d->nswitch = set->n + n;
  d->sw = JARENA_ARRAY(r->s.a, d->nswitch, jgen_switch);
  if (!d->sw) return jerr_memory(r->s.ctx);
  for (int i = 0; i < set->n; i++) {
    d->sw[i] = set->sw[i];
    d->sw[i].is_quiet = is_quiet(&r->s, set->sw[i].g);
  }
  for (int i = 0; i < n; i++) {
    const jgen_guarded* guard = &d->guard[i];
    const char* text = jarena_printf(r->s.a, "%s: %s", guard->element->name, guard->text.event);
    if (!text) return jerr_memory(r->s.ctx);
    d->sw[set->n + i] = (jgen_switch){.g = is_short[i], .text = text};
  }
  r->s.g->group[JGEN_MODE].size = d->nswitch;
  return JO_OK;
}

// What the functions of every dynamics give, but the switches, which are found in it.
enum { PARTS = 40 };

static int list_parts(jgen_reduction* r, const jgen_sensors* o, part* p) {
  jgen* s = &r->s;
  int nv = r->nv, nd = r->nd, nt = r->out->nguard, nobjective = r->out->nobjective, n = 0;
  jexpr_ref *qdv = jgen_refs(r, nv), *drive = jgen_refs(r, nd);
  for (int i = 0; qdv && i < nv; i++) {
    qdv[i] = s->qd[r->part->v[i]];
  }
  for (int i = 0; drive && i < nd; i++) {
    drive[i] = s->q[r->part->d[i]];
  }
  p[n++] = (part){JGEN_FN_RHS, r->ydot, r->out->ny};
  p[n++] = (part){JGEN_FN_PROJECT, r->dv, nv};
  p[n++] = (part){JGEN_FN_PROJECT, r->h, nv};
  p[n++] = (part){JGEN_FN_PROJECT, r->lu.inv, nv};
  p[n++] = (part){JGEN_FN_VELOCITY, qdv, nv};
  p[n++] = (part){JGEN_FN_IMPULSE, r->impulse, r->nu};
  p[n++] = (part){JGEN_FN_OUTPUTS, o->ref, o->n};
  p[n++] = (part){JGEN_FN_MOMENTUM, r->momentum, r->nu};
  p[n++] = (part){JGEN_FN_OBJECTIVE, r->objective, nobjective};
  p[n++] = (part){JGEN_FN_SOLVE, r->solve, nv};
  p[n++] = (part){JGEN_FN_SOLVE, r->solve_transposed, nv};
  p[n++] = (part){JGEN_FN_MASS, r->Mr, s->m->has_massless ? r->nu * r->nu : 0};
  p[n++] = (part){JGEN_FN_DRIVE, drive, nd};
  p[n++] = (part){JGEN_FN_DRIVE, r->sd, nd};
  p[n++] = (part){JGEN_FN_DRIVE, r->sdd, nd};
  p[n++] = (part){JGEN_FN_REDUNDANT, r->redundant, r->part->nredundant};
  p[n++] = (part){JGEN_FN_GUARDS, r->guards, nt};
  p[n++] = (part){JGEN_FN_GUARDS, r->guards + nt, nt};
  p[n++] = (part){JGEN_FN_GUARDS, r->guards + 2 * nt, nt};
  p[n++] = (part){JGEN_FN_WINDOWS, r->windows, 2 * r->out->nintegral};
  if (r->implied.is_there) {
    const jgen_implied* k = &r->implied;
    p[n++] = (part){JGEN_FN_RATES, qdv, nv};
    p[n++] = (part){JGEN_FN_RATES, k->rate, nv};
    p[n++] = (part){JGEN_FN_MOTION, r->x, r->nu};
    p[n++] = (part){JGEN_FN_MOTION, k->qdd_v, nv};
    p[n++] = (part){JGEN_FN_MOTION, k->force, r->nu + nv};
    p[n++] = (part){JGEN_FN_MOTION, k->acceleration, nv};
    p[n++] = (part){JGEN_FN_IMPLY, k->lambda, nv};
    p[n++] = (part){JGEN_FN_IMPLY, r->B, nv * r->nu};
    p[n++] = (part){JGEN_FN_IMPLY, k->solve, r->nu};
  }
  if (r->out->nevent > 0) {
    p[n++] = (part){JGEN_FN_CONDITIONS, r->condition, r->out->nevent};
    p[n++] = (part){JGEN_FN_RESET, r->reset, r->out->nreset};
  }
  JASSERT(n <= PARTS);
  return n;
}

// All refs in one list, so that switches are taken out of them together; parts then point into it, and
// so does `is_short`, which comes last.
static jo_status bundle_parts(jgen_reduction* r, part* p, int n, const jexpr_ref** is_short,
                              jexpr_ref** out, int* nout) {
  int nt = r->out->nguard, total = nt, at = 0;
  for (int k = 0; k < n; k++) {
    total += p[k].n;
  }
  jexpr_ref* all = jgen_refs(r, total);
  JO_TRY(r->s.g->status);
  for (int k = 0; k < n; k++) {
    const jexpr_ref* from = p[k].ref;
    p[k].ref = all + at;
    for (int i = 0; i < p[k].n; i++) {
      all[at++] = from[i];
    }
  }
  *is_short = all + at;
  for (int i = 0; i < nt; i++) {
    all[at++] = r->is_short[i];
  }
  for (int i = 0; i < total; i++) {
    if (!all[i]) return r->s.g->status < 0 ? r->s.g->status : JO_ERR_MODEL;
  }
  *out = all;
  *nout = total;
  return JO_OK;
}

jo_status jgen_write_functions(jgen_reduction* r, const jgen_sensors* o, bool modes) {
  jgen* s = &r->s;
  jgen_dynamics* d = r->out;
  part p[PARTS];
  int n = list_parts(r, o, p), nall;
  const jexpr_ref* is_short;
  jexpr_ref* all;
  JO_TRY(s->g->status);
  JO_TRY(bundle_parts(r, p, n, &is_short, &all, &nall));
  JO_TRY(replace_elements(r, all, nall));
  JO_TRY(jgen_friction_replace(r, all, nall));
  jgen_switch_set set = {0};
  if (modes) {
    JO_TRY(jgen_name_choices(s));
    const jgen_switch_inputs in = {JGEN_T,     JGEN_Y,    JGEN_MODE, d->layout.is_discrete,
                                   s->m->path, s->nfloor, s->floor};
    JO_TRY(jgen_extract_switches(s->g, s->a, &in, all, nall, &set));
  }
  JO_TRY(take_switches(r, &set, is_short, modes ? d->nguard : 0));
  jexpr_ref* g = jgen_refs(r, d->nswitch);
  for (int i = 0; g && i < d->nswitch; i++) {
    g[i] = d->sw[i].g;
  }
  JO_TRY(s->g->status);
  p[n++] = (part){JGEN_FN_SWITCHES, g, d->nswitch};
  return make_all(r, p, n);
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
  const jexpr_ref* ydot = d->fn[JGEN_FN_RHS].out[0].ref;
  JO_TRY(jexpr_jacobian_build(s->g, s->a, JEXPR_FORWARD, ydot, d->ny, y, d->ny, &J));
  for (int k = 0; k < d->ny; k++) {
    for (int e = J.col[k]; e < J.col[k + 1]; e++) {
      dense[J.row[e] + k * d->ny] = J.value[e];
    }
  }
  return make_all(r, &(part){JGEN_FN_JACOBIAN, dense, d->ny * d->ny}, 1);
}
