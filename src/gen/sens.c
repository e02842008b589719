// SPDX-License-Identifier: Apache-2.0
// Derivatives of the dynamics as further functions of the same graph: Jacobian-vector products for
// the direct method, vector-Jacobian products for the adjoint one. docs/theory/sensitivity.md
// eqs. (S1)-(S9) name them.
#include "gen/sens.h"

#include "expr/rewrite.h"
#include "gen/begin.h"

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
} writer;

static jexpr_ref* refs(writer* k, int n) {
  jexpr_ref* x = JARENA_ARRAY(k->a, n + 1, jexpr_ref);
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

static const jexpr_ref* out(const jexpr_fn* fn, int i) {
  return fn->out[i].ref;
}

// ---- lists of what is differentiated for ---------------------------------------------------------

typedef struct list {
  jexpr_ref *x, *dx;
  int n;
} list;

static bool list_begin(writer* k, list* l, int cap) {
  *l = (list){refs(k, cap), refs(k, cap), 0};
  return l->x && l->dx;
}

static void list_add(list* l, const jexpr_ref* x, const jexpr_ref* dx, int n) {
  for (int i = 0; i < n; i++, l->n++) {
    l->x[l->n] = x[i];
    l->dx[l->n] = dx ? dx[i] : JEXPR_POISON;
  }
}

// ---- direct method -------------------------------------------------------------------------------

// outputs of `fn` along (dy, dw) and, where asked, dt
static jo_status tangent(writer* k, const jexpr_ref* y, int n, bool time, const list* more,
                         jexpr_ref** dy) {
  list l;
  *dy = refs(k, n);
  if (!list_begin(k, &l, k->ny + k->nw + 1 + (more ? more->n : 0)) || !*dy) return k->g->status;
  list_add(&l, k->y, k->dy, k->ny);
  list_add(&l, k->w, k->dw, k->nw);
  if (time) list_add(&l, &k->t, &k->dt, 1);
  if (more) list_add(&l, more->x, more->dx, more->n);
  return jexpr_tangent(k->g, y, n, l.x, l.dx, l.n, *dy);
}

static jo_status put(writer* k, const char* name, const char* const* names,
                     const jexpr_ref* const* ref, const int* n, int nout, jexpr_fn* fn) {
  jexpr_outputs o[4];
  for (int i = 0; i < nout; i++) {
    o[i] = jgen_outputs(k->a, names[i], ref[i], n[i]);
  }
  return jgen_function(k->g, k->a, name, o, nout, fn);
}

static jo_status tangent_of(writer* k, const char* name, const jexpr_fn* of, bool time,
                            const list* more, jexpr_fn* fn) {
  jexpr_ref* dy;
  int n = of->out[0].n;
  JO_TRY(tangent(k, out(of, 0), n, time, more, &dy));
  return put(k, name, (const char* const[]){"d"}, (const jexpr_ref* const[]){dy}, &n, 1, fn);
}

// (S1)  ydot and its derivative together: one pass over the right-hand side serves both
static jo_status rhs_tangent(writer* k) {
  jexpr_ref* dy;
  const jexpr_ref* ydot = out(&k->d->rhs, 0);
  JO_TRY(tangent(k, ydot, k->ny, false, NULL, &dy));
  return put(k, "rhs_tangent", (const char* const[]){"ydot", "dydot"},
             (const jexpr_ref* const[]){ydot, dy}, (const int[]){k->ny, k->ny}, 2,
             &k->d->sens.rhs_tangent);
}

typedef struct swap {
  int group;
  const jexpr_ref* to;
} swap;

static jexpr_ref replace_input(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const swap* k = user;
  const jexpr_node* n = &g->node[r];
  return n->op == JEXPR_INPUT && (int)n->a == k->group ? k->to[n->b] : rebuilt;
}

// (S2)  dv = -J_v^-1 (h_u du + h_t dt + h_p dp)
static jo_status close_tangent(writer* k) {
  jgen_dynamics* d = k->d;
  int nv = k->nv;
  jexpr_ref *dh = refs(k, nv), *dv = refs(k, nv);
  list l;
  if (!dh || !dv || !list_begin(k, &l, k->nu + k->nw + 1)) return k->g->status;
  int u = jgen_first(&d->layout, JGEN_QU);
  list_add(&l, k->y + u, k->dy + u, k->nu);
  list_add(&l, k->w, k->dw, k->nw);
  list_add(&l, &k->t, &k->dt, 1);
  JO_TRY(jexpr_tangent(k->g, out(&d->project, 1), nv, l.x, l.dx, l.n, dh));
  for (int i = 0; i < nv; i++) {
    dh[i] = jexpr_neg(k->g, dh[i]);
    dv[i] = out(&d->solve, 0)[i];
  }
  swap b = {JGEN_B, dh};
  JO_TRY(jexpr_rewrite(k->g, replace_input, &b, dv, nv));
  return put(k, "close_tangent", (const char* const[]){"dv"}, (const jexpr_ref* const[]){dv}, &nv,
             1, &d->sens.close_tangent);
}

static jo_status write_tangents(writer* k) {
  jgen_dynamics* d = k->d;
  jgen_sens* s = &d->sens;
  JO_TRY(rhs_tangent(k));
  JO_TRY(close_tangent(k));
  JO_TRY(tangent_of(k, "switch_tangent", &d->switches, true, NULL, &s->switch_tangent));
  JO_TRY(tangent_of(k, "momentum_tangent", &d->momentum, true, NULL, &s->momentum_tangent));
  list more;
  jexpr_ref* P = inputs(k, JGEN_MOMENTUM, k->nu);
  jexpr_ref* dP = inputs(k, JGEN_DMOMENTUM, k->nu);
  if (!P || !dP || !list_begin(k, &more, k->nu)) return k->g->status;
  list_add(&more, P, dP, k->nu);
  JO_TRY(tangent_of(k, "impulse_tangent", &d->impulse, true, &more, &s->impulse_tangent));
  JO_TRY(tangent_of(k, "objective_tangent", &d->objective, false, NULL, &s->objective_tangent));
  return tangent_of(k, "output_tangent", &d->outputs, false, NULL, &s->output_tangent);
}

// ---- adjoint method ------------------------------------------------------------------------------

// (S5)  lambda^T d(y)/d(state, time, number [, momentum])
static jo_status adjoint_of(writer* k, const char* name, const jexpr_ref* y, int n,
                            const jexpr_ref* bar, bool momentum, jexpr_fn* fn) {
  list l;
  int np = momentum ? k->nu : 0, total = k->ny + 1 + k->nw + np;
  jexpr_ref* x = refs(k, total);
  if (!x || !list_begin(k, &l, total)) return k->g->status;
  list_add(&l, k->y, NULL, k->ny);
  list_add(&l, &k->t, NULL, 1);
  list_add(&l, k->w, NULL, k->nw);
  if (momentum) {
    jexpr_ref* P = inputs(k, JGEN_MOMENTUM, k->nu);
    if (!P) return k->g->status;
    list_add(&l, P, NULL, k->nu);
  }
  JO_TRY(jexpr_adjoint(k->g, y, bar, n, l.x, l.n, x));
  return put(k, name, (const char* const[]){"ybar", "tbar", "pbar", "Pbar"},
             (const jexpr_ref* const[]){x, x + k->ny, x + k->ny + 1, x + k->ny + 1 + k->nw},
             (const int[]){k->ny, 1, k->nw, np}, momentum ? 4 : 3, fn);
}

// (S6)  closure: mu = J_v^-T vbar, then -mu^T (h_u, h_t, h_p); what falls on v itself is left out
static jo_status close_adjoint(writer* k) {
  jgen_dynamics* d = k->d;
  int nv = k->nv;
  jexpr_ref* mu = refs(k, nv);
  if (!mu) return k->g->status;
  for (int i = 0; i < nv; i++) {
    mu[i] = out(&d->solve, 1)[i];
  }
  swap c = {JGEN_C, k->lambda};
  JO_TRY(jexpr_rewrite(k->g, replace_input, &c, mu, nv));
  for (int i = 0; i < nv; i++) {
    mu[i] = jexpr_neg(k->g, mu[i]);
  }
  return adjoint_of(k, "close_adjoint", out(&d->project, 1), nv, mu, false, &d->sens.close_adjoint);
}

static jo_status write_adjoints(writer* k) {
  jgen_dynamics* d = k->d;
  jgen_sens* s = &d->sens;
  const jexpr_ref* l = k->lambda;
  JO_TRY(adjoint_of(k, "rhs_adjoint", out(&d->rhs, 0), k->ny, l, false, &s->rhs_adjoint));
  JO_TRY(close_adjoint(k));
  JO_TRY(adjoint_of(k, "switch_adjoint", out(&d->switches, 0), d->nswitch, l, false,
                    &s->switch_adjoint));
  JO_TRY(adjoint_of(k, "momentum_adjoint", out(&d->momentum, 0), k->nu, l, false,
                    &s->momentum_adjoint));
  JO_TRY(
      adjoint_of(k, "impulse_adjoint", out(&d->impulse, 0), k->nu, l, true, &s->impulse_adjoint));
  return adjoint_of(k, "objective_adjoint", out(&d->objective, 0), d->nobjective, l, false,
                    &s->objective_adjoint);
}

// ---- values instead of numbers -------------------------------------------------------------------

static jexpr_ref fold_number(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const jgen_dynamics* d = user;
  const jexpr_node n = g->node[r];
  if (n.op != JEXPR_INPUT || n.a != JGEN_P) return rebuilt;
  const jmodel_number* number = &d->model->number[d->live[n.b]];
  return number->is_parameter ? rebuilt : jexpr_const(g, d->p[n.b]);
}

static int collect(jexpr_fn* const* fn, int nfn, jexpr_ref* all, bool back) {
  int n = 0;
  for (int f = 0; f < nfn; f++) {
    for (int o = 0; fn[f]->name && o < fn[f]->nout; o++) {
      jexpr_ref* ref = (jexpr_ref*)fn[f]->out[o].ref;  // ours, in the arena of the dynamics
      for (int i = 0; i < fn[f]->out[o].n; i++, n++) {
        if (all && back) ref[i] = all[n];
        if (all && !back) all[n] = ref[i];
      }
    }
  }
  return n;
}

static jo_status fold_numbers(writer* k) {
  jgen_dynamics* d = k->d;
  jgen_sens* s = &d->sens;
  bool any = false;
  for (int i = 0; i < d->np; i++) {
    any = any || !d->model->number[d->live[i]].is_parameter;
  }
  if (!any) return JO_OK;
  jexpr_fn* fn[] = {&d->rhs,
                    &d->project,
                    &d->switches,
                    &d->outputs,
                    &d->drive,
                    &d->velocity,
                    &d->momentum,
                    &d->impulse,
                    &d->objective,
                    &d->redundant,
                    &d->rolling,
                    &s->rhs_tangent,
                    &s->close_tangent,
                    &s->switch_tangent,
                    &s->momentum_tangent,
                    &s->impulse_tangent,
                    &s->objective_tangent,
                    &s->output_tangent,
                    &s->rhs_adjoint,
                    &s->close_adjoint,
                    &s->switch_adjoint,
                    &s->momentum_adjoint,
                    &s->impulse_adjoint,
                    &s->objective_adjoint};
  int nfn = (int)(sizeof fn / sizeof *fn), n = collect(fn, nfn, NULL, false);
  jexpr_ref* all = refs(k, n);
  if (!all) return k->g->status;
  collect(fn, nfn, all, false);
  JO_TRY(jexpr_rewrite(k->g, fold_number, d, all, n));
  collect(fn, nfn, all, true);
  return JO_OK;
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
  int most = k.ny > d->nswitch ? k.ny : d->nswitch;
  if (d->nobjective > most) most = d->nobjective;
  g->group[JGEN_LAMBDA].size = most;
  k.lambda = inputs(&k, JGEN_LAMBDA, most);
  JO_TRY(g->status);
  for (int i = 0; i < k.nw; i++) {
    k.w[i] = jexpr_input(g, JGEN_P, d->sens.wrt[i]);
  }
  JO_TRY(write_tangents(&k));
  JO_TRY(write_adjoints(&k));
  return fold_numbers(&k);
}
