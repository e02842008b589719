// SPDX-License-Identifier: Apache-2.0
// Derivatives of the dynamics as further functions of the same graph: Jacobian-vector products for
// the direct method, vector-Jacobian products for the adjoint one. docs/theory/sensitivity.md
// eqs. (S1)-(S9) name them.
#include "gen/derive/sens.h"

#include <string.h>

#include "base/assert.h"
#include "expr/linear/cut.h"
#include "expr/linear/preaccumulate.h"
#include "expr/rewrite.h"
#include "gen/begin.h"
#include "gen/derive/solved.h"
#include "gen/objective.h"

typedef struct writer {
  jgen_dynamics* d;
  jexpr_graph* g;
  jarena* a;
  int ny, nu, nv, nw;
  jexpr_ref t;
  jexpr_ref *y, *w;    // inputs: states, numbers
  jexpr_ref *dy, *dw;  // their directions
  jexpr_ref dt;
  jexpr_ref* lambda;
  jexpr_ref* folded;  // refs of all functions that fold
  int nfolded;
} writer;

static jexpr_ref* refs(writer* k, int n) {
  jexpr_ref* x = JARENA_ARRAY(k->a, n, jexpr_ref);
  if (!x) k->g->status = jerr_memory(k->g->ctx);
  return x;
}

static jexpr_ref* inputs(writer* k, int group, int n) {
  jexpr_ref* x = refs(k, n);
  for (int i = 0; x && i < n; i++) {
    x[i] = jexpr_input(k->g, group, i);
  }
  return x;
}

static const jexpr_ref* out(const writer* k, jgen_fn f, int i) {
  return k->d->fn[f].out[i].ref;
}

static bool seeds(writer* k, jgen_seeds* l, int cap) {
  bool ok = jgen_seeds_begin(k->a, l, cap);
  if (!ok) k->g->status = jerr_memory(k->g->ctx);
  return ok;
}

// Momenta and their directions, where a function reads them.
static jo_status add_momentum(writer* k, jgen_seeds* l) {
  jexpr_ref* P = inputs(k, JGEN_MOMENTUM, k->nu);
  jexpr_ref* dP = inputs(k, JGEN_DMOMENTUM, k->nu);
  if (!P || !dP) return k->g->status;
  jgen_seeds_add(l, P, dP, k->nu);
  return JO_OK;
}

static jo_status put(writer* k, const char* name, const char* const* names,
                     const jexpr_ref* const* ref, const int* n, int nout, jexpr_fn* fn) {
  jexpr_outputs o[JGEN_MAX_OUT];
  for (int i = 0; i < nout; i++) {
    o[i] = jgen_outputs(k->a, names[i], ref[i], n[i]);
  }
  return jgen_function(k->g, k->a, name, o, nout, fn);
}

// ---- direct method -------------------------------------------------------------------------------

// (S1)  the first output of a function along (dy, dp) and what else the rule says. VALUED: with the value,
// since one pass over the right-hand side serves both
static jo_status tangent_of(writer* k, jgen_fn f, jgen_fn_rule rule) {
  const jexpr_ref* y = out(k, f, 0);
  int n = k->d->fn[f].out[0].n;
  jexpr_ref* dy = refs(k, n);
  jgen_seeds l;
  if (!seeds(k, &l, k->ny + k->nw + 1 + k->nu + jgen_solved_count(k->d)) || !dy) {
    return k->g->status;
  }
  jgen_seeds_add(&l, k->y, k->dy, k->ny);
  jgen_seeds_add(&l, k->w, k->dw, k->nw);
  bool is_timed = rule == JGEN_RULE_TIMED || rule == JGEN_RULE_IMPULSIVE;
  if (is_timed || k->d->sens.times_tangents) jgen_seeds_add(&l, &k->t, &k->dt, 1);
  if (rule == JGEN_RULE_IMPULSIVE) JO_TRY(add_momentum(k, &l));
  JO_TRY(jgen_solved_tangent(k->d, &l));
  JO_TRY(jexpr_tangent(k->g, y, n, l.x, l.dx, l.n, dy));
  bool is_valued = rule == JGEN_RULE_VALUED;
  return put(k, jgen_fn_about(f)->tangent_name,
             is_valued ? (const char* const[]){"ydot", "dydot"} : (const char* const[]){"d"},
             is_valued ? (const jexpr_ref* const[]){y, dy} : (const jexpr_ref* const[]){dy},
             (const int[]){n, n}, is_valued ? 2 : 1, &k->d->sens.tangent[f]);
}

// (S2)  dv = -J_v^-1 (h_u du + h_z dz + h_t dt + h_p dp)
static jo_status closure_tangent(writer* k, jgen_fn f) {
  jgen_dynamics* d = k->d;
  int nv = k->nv;
  jexpr_ref *dh = refs(k, nv), *dv = refs(k, nv);
  jgen_seeds l;
  if (!dh || !dv || !seeds(k, &l, k->ny + k->nw + 1)) return k->g->status;
  int u = jgen_first(&d->layout, JGEN_QU);
  jgen_seeds_add(&l, k->y + u, k->dy + u, k->nu);
  // what closures have of states: those that drive coordinates, references of angles that are set at events
  const jgen_span* z = &d->layout.block[JGEN_Z];
  jgen_seeds_add(&l, k->y + z->first, k->dy + z->first, z->n);
  jgen_seeds_add(&l, k->w, k->dw, k->nw);
  jgen_seeds_add(&l, &k->t, &k->dt, 1);
  JO_TRY(jexpr_tangent(k->g, out(k, f, 1), nv, l.x, l.dx, l.n, dh));
  for (int i = 0; i < nv; i++) {
    dh[i] = jexpr_neg(k->g, dh[i]);
    dv[i] = out(k, JGEN_FN_SOLVE, 0)[i];
  }
  JO_TRY(jgen_put_inputs(k->g, JGEN_B, dh, dv, nv));
  return put(k, jgen_fn_about(f)->tangent_name, (const char* const[]){"dv"},
             (const jexpr_ref* const[]){dv}, &nv, 1, &d->sens.tangent[f]);
}

// Where the end of the run moves, objectives move with it.
static jgen_fn_rule tangent_rule(const jgen_dynamics* d, jgen_fn f) {
  if (!d->fn[f].name) return JGEN_RULE_NONE;
  bool is_timed = f == JGEN_FN_OBJECTIVE && d->end_event >= 0;
  return is_timed ? JGEN_RULE_TIMED : jgen_fn_about(f)->tangent;
}

static jo_status write_tangents(writer* k) {
  for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
    jgen_fn_rule rule = tangent_rule(k->d, f);
    if (rule == JGEN_RULE_NONE) continue;
    JO_TRY(rule == JGEN_RULE_CLOSURE ? closure_tangent(k, f) : tangent_of(k, f, rule));
  }
  return JO_OK;
}

// ---- all directions at once ----------------------------------------------------------------------

// A function and its directions: the numbers one by one, and the motion behind all of them.
typedef struct spreading {
  const writer* k;
  bool has_motion;
} spreading;

static int takes_part(void* user, const jexpr_graph* g, jexpr_ref input) {
  const spreading* s = user;
  const jexpr_node* n = &g->node[input];
  if (n->a == JGEN_DY) return JEXPR_ALONG_ALL;
  if (n->a == JGEN_DP) return (int)n->b;
  if (n->a == JGEN_DT) return s->has_motion ? s->k->nw : JEXPR_ALONG_NONE;
  return JEXPR_ALONG_FIXED;
}

// What stands for an input of (dy, dp, dt) along direction j; where there is one, it is given.
static jexpr_ref seed(void* user, jexpr_graph* g, jexpr_ref input, int j) {
  const spreading* s = user;
  const jexpr_node n = g->node[input];
  if (s->k->d->sens.is_one) return input;
  switch (n.a) {
    case JGEN_DY: return jexpr_input(g, JGEN_DY, j * s->k->ny + (int)n.b);
    case JGEN_DP: return jexpr_const(g, (int)n.b == j ? 1.0 : 0.0);
    default: return jexpr_const(g, j == s->k->nw ? 1.0 : 0.0);
  }
}

// The last output of a tangent, once for each direction; values that come before it stay. Where there is one direction, operations
// are saved as if there were all: results are the same to the last bit.
static jo_status spread(writer* k, jgen_fn f, bool has_motion) {
  jexpr_fn* fn = &k->d->sens.tangent[f];
  const jexpr_outputs* last = &fn->out[fn->nout - 1];
  int n = last->n, nd = k->d->sens.is_one ? 1 : k->nw + has_motion;
  jexpr_ref* all = refs(k, n * nd);
  if (!all) return k->g->status;
  spreading s = {k, has_motion};
  jexpr_directions by = {k->nw + has_motion, nd, &s, takes_part, seed};
  JO_TRY(jexpr_preaccumulate(k->g, &by, last->ref, n, all));
  jexpr_outputs o[2] = {fn->out[0], {0}};
  o[fn->nout - 1] = jgen_outputs(k->a, last->name, all, n * nd);
  return jgen_function(k->g, k->a, fn->name, o, fn->nout, fn);
}

// What batches take; no others are kept.
static jo_status spread_tangents(writer* k) {
  static const jgen_fn taken[] = {JGEN_FN_RHS, JGEN_FN_PROJECT, JGEN_FN_SWITCHES,
                                  JGEN_FN_OBJECTIVE};
  bool is_taken[JGEN_FN_COUNT] = {false};
  k->g->group[JGEN_DY].size = k->ny * (k->d->sens.is_one ? 1 : k->nw + 1);
  k->g->group[JGEN_DY].keeps_order = !k->d->sens.is_one;  // all directions side by side
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    is_taken[taken[i]] = true;
    JO_TRY(spread(k, taken[i], taken[i] == JGEN_FN_SWITCHES));
  }
  for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
    if (!is_taken[f]) k->d->sens.tangent[f] = (jexpr_fn){0};
  }
  return JO_OK;
}

// ---- what directions have in common ----------------------------------------------------------------

static bool is_direction(const jexpr_node* input) {
  return input->a == JGEN_DY || input->a == JGEN_DP || input->a == JGEN_DT;
}

// A tangent along one direction, and before it what all of them share, with the values that stood beside it.
static jo_status part(writer* k, jgen_fn f) {
  jexpr_fn* fn = &k->d->sens.tangent[f];
  jexpr_outputs last = fn->out[fn->nout - 1], o[JGEN_MAX_OUT + 1];
  jexpr_ref *d = refs(k, last.n), *common = NULL;
  int ncommon = 0;
  if (!d) return k->g->status;
  memcpy(d, last.ref, (size_t)last.n * sizeof *d);
  JO_TRY(jexpr_cut(k->g, k->a, is_direction, JGEN_COMMON, d, last.n, &common, &ncommon));
  memcpy(o, fn->out, (size_t)(fn->nout - 1) * sizeof *o);
  o[fn->nout - 1] = jgen_outputs(k->a, "common", common, ncommon);
  JO_TRY(jgen_function(k->g, k->a, fn->name, o, fn->nout, &k->d->sens.common[f]));
  o[0] = jgen_outputs(k->a, last.name, d, last.n);
  return jgen_function(k->g, k->a, fn->name, o, 1, fn);
}

static jo_status part_tangents(writer* k) {
  for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
    if (k->d->sens.tangent[f].name) JO_TRY(part(k, f));
  }
  return JO_OK;
}

// ---- adjoint method ------------------------------------------------------------------------------

// (S5)  lambda^T d(y)/d(state, time, number [, momentum])
static jo_status weigh(writer* k, jgen_fn f, const jexpr_ref* y, int n, const jexpr_ref* bar,
                       bool momentum) {
  jgen_seeds l;
  int np = momentum ? k->nu : 0, total = k->ny + 1 + k->nw + np;
  jexpr_ref* x = refs(k, total);
  if (!x || !seeds(k, &l, total)) return k->g->status;
  jgen_seeds_add(&l, k->y, NULL, k->ny);
  jgen_seeds_add(&l, &k->t, NULL, 1);
  jgen_seeds_add(&l, k->w, NULL, k->nw);
  if (momentum) JO_TRY(add_momentum(k, &l));
  JO_TRY(jgen_solved_adjoint(k->d, y, bar, n, &l, x));
  return put(k, jgen_fn_about(f)->adjoint_name,
             (const char* const[]){"ybar", "tbar", "pbar", "Pbar"},
             (const jexpr_ref* const[]){x, x + k->ny, x + k->ny + 1, x + k->ny + 1 + k->nw},
             (const int[]){k->ny, 1, k->nw, np}, momentum ? 4 : 3, &k->d->sens.adjoint[f]);
}

static bool is_asked_for(const jmodel* m, int integral) {
  for (int i = 0; i < m->nobjective; i++) {
    if (m->objective[i].integral == integral) return true;
  }
  return false;
}

// Integrals and filters of objectives that nobody asks for have no weights: where they have no slope, 0 times infinite would
// spoil those of the others.
static jexpr_ref* weights_of_rates(writer* k) {
  const jmodel* m = k->d->model;
  const jgen_layout* l = &k->d->layout;
  jexpr_ref* bar = refs(k, k->ny);
  if (!bar) return NULL;
  memcpy(bar, k->lambda, (size_t)k->ny * sizeof *bar);
  for (int i = 0, filter = jgen_first(l, JGEN_FILTER); i < m->nintegrated; i++) {
    int n = jgen_objective_states(&m->integrated[i]);
    for (int r = 0; r < n && !is_asked_for(m, i); r++) {
      bar[filter + r] = jexpr_const(k->g, 0.0);
    }
    if (!is_asked_for(m, i)) bar[jgen_first(l, JGEN_INTEGRAL) + i] = jexpr_const(k->g, 0.0);
    filter += n;
  }
  return bar;
}

// The same holds for an integral while another objective has the weight: without one its signal is not differentiated.
static const jexpr_ref* weighted_rates(writer* k, const jexpr_ref* bar) {
  const jexpr_ref* ydot = out(k, JGEN_FN_RHS, 0);
  const jgen_layout* l = &k->d->layout;
  jexpr_ref* y = refs(k, k->ny);
  if (!y) return NULL;
  memcpy(y, ydot, (size_t)k->ny * sizeof *y);
  for (int i = 0; k->d->nobjective > 1 && i < k->d->model->nintegrated; i++) {
    int w = jgen_first(l, JGEN_INTEGRAL) + i;
    if (!jexpr_is_const(k->g, bar[w])) {
      y[w] = jexpr_select(k->g, bar[w], ydot[w], jexpr_const(k->g, 0.0));
    }
  }
  return y;
}

static jo_status adjoint_of(writer* k, jgen_fn f, jgen_fn_rule rule) {
  int n = k->d->fn[f].out[0].n;
  const jexpr_ref* bar = f == JGEN_FN_RHS ? weights_of_rates(k) : k->lambda;
  const jexpr_ref* y = bar && f == JGEN_FN_RHS ? weighted_rates(k, bar) : out(k, f, 0);
  if (!bar || !y) return k->g->status;
  return weigh(k, f, y, n, bar, rule == JGEN_RULE_IMPULSIVE);
}

// One objective has a weight at a time. The root of an integral that is zero has an infinite slope, which 0 times spoils the
// others: without a weight it is taken of one. So have roots in what is taken at the end: without a weight they are not.
static jo_status objective_adjoint(writer* k, jgen_fn f) {
  const jmodel* m = k->d->model;
  jexpr_graph* g = k->g;
  int n = k->d->nobjective;
  jexpr_ref *psi = refs(k, n), *y = refs(k, k->ny), zero = jexpr_const(g, 0.0);
  if (!psi || !y) return g->status;
  memcpy(psi, out(k, f, 0), (size_t)n * sizeof *psi);
  memcpy(y, k->y, (size_t)k->ny * sizeof *y);
  for (int i = 0; i < n; i++) {
    jexpr_ref* w = &y[jgen_first(&k->d->layout, JGEN_INTEGRAL) + m->objective[i].integral];
    if (!jgen_objective_has_root(&m->objective[i])) continue;
    *w = jexpr_select(g, jexpr_eq(g, k->lambda[i], zero), jexpr_const(g, 1.0), *w);
  }
  JO_TRY(jgen_put_inputs(g, JGEN_Y, y, psi, n));
  for (int i = 0; n > 1 && i < n; i++) {
    if (m->objective[i].has_final) psi[i] = jexpr_select(g, k->lambda[i], psi[i], zero);
  }
  return weigh(k, f, psi, n, k->lambda, false);
}

// (S6)  closure: mu = J_v^-T vbar, then -mu^T (h_u, h_t, h_p); what falls on v itself is left out
static jo_status closure_adjoint(writer* k, jgen_fn f) {
  int nv = k->nv;
  jexpr_ref* mu = refs(k, nv);
  if (!mu) return k->g->status;
  for (int i = 0; i < nv; i++) {
    mu[i] = out(k, JGEN_FN_SOLVE, 1)[i];
  }
  JO_TRY(jgen_put_inputs(k->g, JGEN_C, k->lambda, mu, nv));
  for (int i = 0; i < nv; i++) {
    mu[i] = jexpr_neg(k->g, mu[i]);
  }
  return weigh(k, f, out(k, f, 1), nv, mu, false);
}

// Outputs have one where it was asked for: they are many, and few use it.
static jgen_fn_rule adjoint_rule(const jgen_dynamics* d, jgen_fn f) {
  if (!d->fn[f].name) return JGEN_RULE_NONE;
  bool is_asked = f == JGEN_FN_OUTPUTS && d->sens.weighs_outputs;
  return is_asked ? JGEN_RULE_PLAIN : jgen_fn_about(f)->adjoint;
}

static jo_status write_adjoints(writer* k) {
  for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
    jgen_fn_rule rule = adjoint_rule(k->d, f);
    if (rule == JGEN_RULE_NONE) continue;
    JO_TRY(rule == JGEN_RULE_CLOSURE ? closure_adjoint(k, f)
           : f == JGEN_FN_OBJECTIVE  ? objective_adjoint(k, f)
                                     : adjoint_of(k, f, rule));
  }
  return JO_OK;
}

// Weights of the longest output.
static int count_weights(const jgen_dynamics* d) {
  int most = 0;
  for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
    if (adjoint_rule(d, f) == JGEN_RULE_NONE) continue;
    int n = d->fn[f].out[0].n;
    most = n > most ? n : most;
  }
  return most;
}

// ---- values instead of numbers -------------------------------------------------------------------

static jexpr_ref fold_number(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const jgen_dynamics* d = user;
  const jexpr_node n = g->node[r];
  if (n.op != JEXPR_INPUT || n.a != JGEN_P) return rebuilt;
  const jmodel_number* number = &d->model->number[d->live[n.b]];
  return number->is_parameter ? rebuilt : jexpr_const(g, d->p[n.b]);
}

// Calls `each` for all functions that fold and for all derivatives, in one order.
static jo_status for_each_folded(writer* k, jo_status (*each)(writer* k, jexpr_fn* fn)) {
  jgen_dynamics* d = k->d;
  for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
    if (jgen_fn_about(f)->is_folded && d->fn[f].name) JO_TRY(each(k, &d->fn[f]));
  }
  for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
    if (d->sens.tangent[f].name) JO_TRY(each(k, &d->sens.tangent[f]));
  }
  for (jgen_fn f = 0; f < JGEN_FN_COUNT; f++) {
    if (d->sens.adjoint[f].name) JO_TRY(each(k, &d->sens.adjoint[f]));
  }
  return JO_OK;
}

static jo_status count_refs(writer* k, jexpr_fn* fn) {
  for (int o = 0; o < fn->nout; o++) {
    k->nfolded += fn->out[o].n;
  }
  return JO_OK;
}

static jo_status gather_refs(writer* k, jexpr_fn* fn) {
  for (int o = 0; o < fn->nout; o++) {
    for (int i = 0; i < fn->out[o].n; i++) {
      k->folded[k->nfolded++] = fn->out[o].ref[i];
    }
  }
  return JO_OK;
}

// A function of the same name and outputs takes the place of the one that was gathered.
static jo_status put_folded(writer* k, jexpr_fn* fn) {
  jexpr_outputs o[JGEN_MAX_OUT];
  JASSERT(fn->nout <= JGEN_MAX_OUT);
  for (int i = 0; i < fn->nout; i++) {
    o[i] = jgen_outputs(k->a, fn->out[i].name, k->folded + k->nfolded, fn->out[i].n);
    k->nfolded += fn->out[i].n;
  }
  return jgen_function(k->g, k->a, fn->name, o, fn->nout, fn);
}

static jo_status fold_numbers(writer* k) {
  jgen_dynamics* d = k->d;
  bool any = false;
  for (int i = 0; i < d->np; i++) {
    any = any || !d->model->number[d->live[i]].is_parameter;
  }
  if (!any) return JO_OK;
  JO_TRY(for_each_folded(k, count_refs));
  int n = k->nfolded;
  k->folded = refs(k, n);
  if (!k->folded) return k->g->status;
  k->nfolded = 0;
  JO_TRY(for_each_folded(k, gather_refs));
  JO_TRY(jexpr_rewrite(k->g, fold_number, d, k->folded, n));
  k->nfolded = 0;
  return for_each_folded(k, put_folded);
}

jo_status jgen_sens_write(jgen_dynamics* d) {
  jexpr_graph* g = d->g;
  writer k = {.d = d, .g = g, .a = &d->arena, .ny = d->ny, .nu = d->part.nu, .nv = d->part.nv};
  k.nw = d->sens.nw;
  k.t = jexpr_input(g, JGEN_T, 0);
  k.dt = jexpr_input(g, JGEN_DT, 0);
  k.y = inputs(&k, JGEN_Y, k.ny);
  k.dy = inputs(&k, JGEN_DY, k.ny);
  k.dw = inputs(&k, JGEN_DP, k.nw);
  k.w = refs(&k, k.nw);
  int most = count_weights(d);
  g->group[JGEN_LAMBDA].size = most;
  k.lambda = inputs(&k, JGEN_LAMBDA, most);
  JO_TRY(g->status);
  for (int i = 0; i < k.nw; i++) {
    k.w[i] = jexpr_input(g, JGEN_P, d->sens.wrt[i]);
  }
  if (!d->sens.weighs_only) JO_TRY(write_tangents(&k));
  bool is_along = d->sens.is_spread && !d->sens.weighs_only;
  JO_TRY(is_along ? spread_tangents(&k) : write_adjoints(&k));
  JO_TRY(fold_numbers(&k));
  return is_along && d->sens.is_one ? part_tangents(&k) : JO_OK;
}
