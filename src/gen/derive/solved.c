// SPDX-License-Identifier: Apache-2.0
// Rates qd_v solve h_t = 0, accelerations x and qdd_v solve F = 0 and h_tt = 0. Along a direction that leaves their
// stand-ins where they are (d'), with dx = 0 in the first of the next two,                    docs/theory/sensitivity.md
//   (S35)  dqd_v = -J_v^-1 d'h_t        da = -J_v^-1 d'h_tt
//   (S36)  dx = -M_r^-1 (d'F_u + B^T d'F_v), qdd_v moved by da        dqdd_v = da + B dx
// and backward, line by line,
//   (S37)  m = M_r^-1 (xbar + B^T vbar)        F_u: -m    F_v: -B m    a: vbar
//   (S38)  h_tt: -J_v^-T abar                  h_t: -J_v^-T rbar
#include "gen/derive/solved.h"

#include "expr/rewrite.h"
#include "gen/derive/implied.h"

bool jgen_seeds_begin(jarena* a, jgen_seeds* l, int cap) {
  *l = (jgen_seeds){JARENA_ARRAY(a, cap, jexpr_ref), JARENA_ARRAY(a, cap, jexpr_ref), 0, cap};
  return l->x && l->dx;
}

void jgen_seeds_add(jgen_seeds* l, const jexpr_ref* x, const jexpr_ref* dx, int n) {
  for (int i = 0; i < n; i++, l->n++) {
    l->x[l->n] = x[i];
    l->dx[l->n] = dx ? dx[i] : JEXPR_POISON;
  }
}

// ---- what there is -------------------------------------------------------------------------------

typedef struct solved {
  jgen_dynamics* d;
  jexpr_graph* g;
  jarena* a;
  int nu, nv;
  jexpr_ref zero;
  const jexpr_ref *rate, *h_t;  // of dependent coordinates, and what it solves (nv)
  const jexpr_ref *x, *qdd_v;   // accelerations ...
  const jexpr_ref *F, *h_tt;    // ... and what they solve (nu + nv, nv)
  const jexpr_ref *lambda, *B;  // multipliers by stand-ins (nv), (nv x nu)
  jexpr_ref* stand_in;          // all of them
  jgen_stand_ins at;
} solved;

static const jexpr_ref* out(const jgen_dynamics* d, jgen_fn f, int i) {
  return d->fn[f].out[i].ref;
}

static bool is_there(const jgen_dynamics* d) {
  return d->fn[JGEN_FN_MOTION].name != NULL;
}

int jgen_solved_count(const jgen_dynamics* d) {
  return is_there(d) ? d->part.nu + 2 * d->part.nv : 0;
}

static jexpr_ref* refs(solved* k, int n) {
  jexpr_ref* x = JARENA_ARRAY(k->a, n, jexpr_ref);
  if (!x) k->g->status = jerr_memory(k->g->ctx);
  for (int i = 0; x && i < n; i++) {
    x[i] = k->zero;
  }
  return x;
}

static jo_status begin(jgen_dynamics* d, solved* k) {
  *k = (solved){.d = d, .g = d->g, .a = &d->arena, .nu = d->part.nu, .nv = d->part.nv};
  k->zero = jexpr_const(d->g, 0.0);
  k->rate = out(d, JGEN_FN_RATES, 0);
  k->h_t = out(d, JGEN_FN_RATES, 1);
  k->x = out(d, JGEN_FN_MOTION, 0);
  k->qdd_v = out(d, JGEN_FN_MOTION, 1);
  k->F = out(d, JGEN_FN_MOTION, 2);
  k->h_tt = out(d, JGEN_FN_MOTION, 3);
  k->lambda = out(d, JGEN_FN_IMPLY, 0);
  k->B = out(d, JGEN_FN_IMPLY, 1);
  k->at = jgen_stand_ins_of(k->nu, k->nv);
  k->stand_in = refs(k, k->at.n);
  for (int i = 0; k->stand_in && i < k->at.n; i++) {
    k->stand_in[i] = jexpr_input(d->g, JGEN_X, i);
  }
  return d->g->status;
}

// ---- replacing -----------------------------------------------------------------------------------

typedef struct swap {
  int group;
  const jexpr_ref* to;
} swap;

static jexpr_ref replace_input(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const swap* k = user;
  const jexpr_node* n = &g->node[r];
  return n->op == JEXPR_INPUT && (int)n->a == k->group ? k->to[n->b] : rebuilt;
}

jo_status jgen_put_inputs(jexpr_graph* g, int group, const jexpr_ref* to, jexpr_ref* r, int n) {
  swap by = {group, to};
  return jexpr_rewrite(g, replace_input, &by, r, n);
}

static void copy(const jexpr_ref* from, int n, jexpr_ref* to) {
  for (int i = 0; i < n; i++) {
    to[i] = from[i];
  }
}

// Stand-ins give way to what they stand for: multipliers first, which are made of the others.
static jo_status put_values(solved* k, jexpr_ref* r, int n) {
  jexpr_ref* to = refs(k, k->at.n);
  if (!to) return k->g->status;
  copy(k->stand_in, k->at.n, to);
  copy(k->lambda, k->nv, to + k->at.lambda);
  JO_TRY(jgen_put_inputs(k->g, JGEN_X, to, r, n));
  copy(k->x, k->nu, to + k->at.x);
  copy(k->qdd_v, k->nv, to + k->at.qdd);
  copy(k->qdd_v, k->nv, to + k->at.qdd_closure);
  copy(k->rate, k->nv, to + k->at.rate);
  return jgen_put_inputs(k->g, JGEN_X, to, r, n);
}

// x = A^-1 b or A^-T b, by the function that solves for placeholders
static jo_status solve(solved* k, const jexpr_ref* by, int group, const jexpr_ref* b, int n,
                       jexpr_ref* x) {
  copy(by, n, x);
  return jgen_put_inputs(k->g, group, b, x, n);
}

static jo_status solve_closure(solved* k, const jexpr_ref* b, jexpr_ref* x) {
  return solve(k, out(k->d, JGEN_FN_SOLVE, 0), JGEN_B, b, k->nv, x);
}

static jo_status solve_transposed(solved* k, const jexpr_ref* c, jexpr_ref* y) {
  return solve(k, out(k->d, JGEN_FN_SOLVE, 1), JGEN_C, c, k->nv, y);
}

static jo_status solve_mass(solved* k, const jexpr_ref* b, jexpr_ref* x) {
  return solve(k, out(k->d, JGEN_FN_IMPLY, 2), JGEN_B, b, k->nu, x);
}

static void negate(solved* k, jexpr_ref* x, int n) {
  for (int i = 0; i < n; i++) {
    x[i] = jexpr_neg(k->g, x[i]);
  }
}

// u += B^T v, and v += B u
static void add_product(solved* k, jexpr_ref* u, jexpr_ref* v, bool transposed) {
  for (int i = 0; i < k->nv * k->nu; i++) {
    int row = i / k->nu, col = i % k->nu;
    jexpr_ref* to = transposed ? &u[col] : &v[row];
    jexpr_ref term = jexpr_mul(k->g, k->B[i], transposed ? v[row] : u[col]);
    *to = jexpr_add(k->g, *to, term);
  }
}

// The node whose multiple by 1 or -1 stands in the graph: others may have been written with it. Poison: it is an input or a
// constant, which have derivatives of their own.
static jexpr_ref bare(const jexpr_graph* g, jexpr_ref r, bool* minus) {
  *minus = false;
  while (g->node[r].op == JEXPR_NEG) {
    r = g->node[r].a;
    *minus = !*minus;
  }
  return jexpr_nargs(g, r) > 0 ? r : JEXPR_POISON;
}

// ---- direct --------------------------------------------------------------------------------------

static void add_bare(solved* k, jgen_seeds* l, const jexpr_ref* x, const jexpr_ref* dx, int n) {
  for (int i = 0; i < n; i++) {
    bool minus;
    jexpr_ref r = bare(k->g, x[i], &minus), d = minus ? jexpr_neg(k->g, dx[i]) : dx[i];
    if (r) jgen_seeds_add(l, &r, &d, 1);
  }
}

static jo_status tangent(solved* k, const jexpr_ref* y, int n, const jgen_seeds* l, jexpr_ref* dy) {
  return jexpr_tangent(k->g, y, n, l->x, l->dx, l->n, dy);
}

// (S35)
static jo_status tangent_of_rates(solved* k, jgen_seeds* l) {
  jexpr_ref *dh = refs(k, k->nv), *d = refs(k, k->nv);
  JO_TRY(k->g->status);
  JO_TRY(tangent(k, k->h_t, k->nv, l, dh));
  negate(k, dh, k->nv);
  JO_TRY(solve_closure(k, dh, d));
  JO_TRY(put_values(k, d, k->nv));
  add_bare(k, l, k->rate, d, k->nv);
  return k->g->status;
}

// (S36)
static jo_status tangent_of_accelerations(solved* k, jgen_seeds* l) {
  int nu = k->nu, nv = k->nv, n = l->n;
  jexpr_ref *dh = refs(k, nv), *dF = refs(k, nu + nv), *d = refs(k, nu + nv);
  jexpr_ref *dx = d, *da = d + nu;
  JO_TRY(k->g->status);
  JO_TRY(tangent(k, k->h_tt, nv, l, dh));
  negate(k, dh, nv);
  JO_TRY(solve_closure(k, dh, da));
  jgen_seeds_add(l, k->stand_in + k->at.qdd, da, nv);
  JO_TRY(tangent(k, k->F, nu + nv, l, dF));
  l->n = n;
  add_product(k, dF, dF + nu, true);
  negate(k, dF, nu);
  JO_TRY(solve_mass(k, dF, dx));
  add_product(k, dx, da, false);
  JO_TRY(put_values(k, d, nu + nv));
  add_bare(k, l, k->x, dx, nu);
  add_bare(k, l, k->qdd_v, da, nv);
  return k->g->status;
}

jo_status jgen_solved_tangent(jgen_dynamics* d, jgen_seeds* l) {
  solved k;
  if (!is_there(d)) return JO_OK;
  JO_TRY(begin(d, &k));
  JO_TRY(tangent_of_rates(&k, l));
  return tangent_of_accelerations(&k, l);
}

// ---- adjoint -------------------------------------------------------------------------------------

// Nodes of a block, and which of the unknowns they are, with which sign.
typedef struct nodes {
  jexpr_ref* ref;
  int* of;
  bool* minus;
  int n;
} nodes;

static jo_status find_nodes(solved* k, const jexpr_ref* x, int n, int first, nodes* out) {
  for (int i = 0; i < n; i++) {
    bool minus;
    jexpr_ref r = bare(k->g, x[i], &minus);
    if (!r) continue;
    out->ref[out->n] = r;
    out->of[out->n] = first + i;
    out->minus[out->n++] = minus;
  }
  return k->g->status;
}

static jo_status nodes_begin(solved* k, nodes* out, int cap) {
  *out = (nodes){JARENA_ARRAY(k->a, cap, jexpr_ref), JARENA_ARRAY(k->a, cap, int),
                 JARENA_ARRAY(k->a, cap, bool), 0};
  return out->ref && out->of && out->minus ? JO_OK : jerr_memory(k->g->ctx);
}

typedef struct weights {
  solved* k;
  nodes at;
} weights;

// By unknown what falls on their nodes.
static void gather(weights* w, const jexpr_ref* xbar, jexpr_ref* bar) {
  for (int i = 0; i < w->at.n; i++) {
    jexpr_graph* g = w->k->g;
    jexpr_ref* to = &bar[w->at.of[i]];
    *to = w->at.minus[i] ? jexpr_sub(g, *to, xbar[i]) : jexpr_add(g, *to, xbar[i]);
  }
}

// (S37)
static jo_status weigh_accelerations(void* user, const jexpr_ref* xbar, jexpr_ref* bybar) {
  weights* w = user;
  solved* k = w->k;
  int nu = k->nu, nv = k->nv;
  jexpr_ref *bar = refs(k, nu + nv), *m = bybar, *Bm = bybar + nu;
  JO_TRY(k->g->status);
  gather(w, xbar, bar);
  copy(bar + nu, nv, bybar + nu + nv);
  add_product(k, bar, bar + nu, true);
  JO_TRY(solve_mass(k, bar, m));
  negate(k, m, nu);
  for (int i = 0; i < nv; i++) {
    Bm[i] = k->zero;
  }
  add_product(k, m, Bm, false);
  return k->g->status;
}

// (S38)
static jo_status weigh_closures(void* user, const jexpr_ref* xbar, jexpr_ref* bybar) {
  weights* w = user;
  solved* k = w->k;
  jexpr_ref* bar = refs(k, k->nv);
  JO_TRY(k->g->status);
  gather(w, xbar, bar);
  JO_TRY(solve_transposed(k, bar, bybar));
  negate(k, bybar, k->nv);
  return k->g->status;
}

enum { ACCELERATIONS, CLOSURES, RATES, BLOCKS };

static jo_status find_blocks(solved* k, weights w[BLOCKS], jexpr_implied block[BLOCKS]) {
  int nu = k->nu, nv = k->nv;
  jexpr_ref *by = refs(k, nu + 2 * nv), *stand_in = k->stand_in + k->at.qdd;
  JO_TRY(k->g->status);
  for (int b = 0; b < BLOCKS; b++) {
    w[b].k = k;
    JO_TRY(nodes_begin(k, &w[b].at, nu + nv));
  }
  JO_TRY(find_nodes(k, k->x, nu, 0, &w[ACCELERATIONS].at));
  JO_TRY(find_nodes(k, k->qdd_v, nv, nu, &w[ACCELERATIONS].at));
  JO_TRY(find_nodes(k, k->rate, nv, 0, &w[RATES].at));
  for (int i = 0; i < nv; i++) {
    w[CLOSURES].at.ref[i] = stand_in[i];
    w[CLOSURES].at.of[i] = i;
  }
  w[CLOSURES].at.n = nv;
  copy(k->F, nu + nv, by);
  copy(stand_in, nv, by + nu + nv);
  block[ACCELERATIONS] =
      (jexpr_implied){.by = by, .nby = nu + 2 * nv, .weigh = weigh_accelerations};
  block[CLOSURES] = (jexpr_implied){.by = k->h_tt, .nby = nv, .weigh = weigh_closures};
  block[RATES] = (jexpr_implied){.by = k->h_t, .nby = nv, .weigh = weigh_closures};
  for (int b = 0; b < BLOCKS; b++) {
    block[b].x = w[b].at.ref;
    block[b].nx = w[b].at.n;
    block[b].user = &w[b];
  }
  return JO_OK;
}

jo_status jgen_solved_adjoint(jgen_dynamics* d, const jexpr_ref* y, const jexpr_ref* ybar, int n,
                              const jgen_seeds* l, jexpr_ref* xbar) {
  solved k;
  weights w[BLOCKS];
  jexpr_implied block[BLOCKS];
  if (!is_there(d)) return jexpr_adjoint(d->g, y, ybar, n, l->x, l->n, xbar);
  JO_TRY(begin(d, &k));
  JO_TRY(find_blocks(&k, w, block));
  JO_TRY(jexpr_adjoint_implied(d->g, y, ybar, n, l->x, l->n, block, BLOCKS, xbar));
  return put_values(&k, xbar, l->n);
}
