// SPDX-License-Identifier: Apache-2.0
// States that elements and model add, as equations of their own. What their rates have of everything else, the
// feeds u, is written apart, so that they can be solved for with the motion given at little cost:
//   (I5)  u = u(t, y)      dz/dt = f(u, z)      A = df/dz
#include "expr/rewrite.h"
#include "gen/begin.h"
#include "gen/loop/reduction.h"

#define MOST_NODES 1500  // of a rate, that depend on states: more are the motion itself

typedef struct splitter {
  jgen_reduction* r;
  jexpr_graph* g;
  jarena scratch;
  int nnode;  // of the equations as they are
  const jexpr_ref* ydot;
  bool* is_local;    // states of y (ny)
  bool* depends;     // nodes, on a local state (nnode)
  bool* needed;      // nodes, by what is looked at (nnode)
  int* feed;         // nodes that are feeds: their number from 1 on (nnode)
  jexpr_ref* outer;  // the feeds
  int nfeed;
} splitter;

// Operands precede users.
static void mark_dependent(splitter* s) {
  const jexpr_graph* g = s->g;
  for (jexpr_ref r = 1; r < (jexpr_ref)s->nnode; r++) {
    const jexpr_node* n = jexpr_at(g, r);
    bool d = n->op == JEXPR_INPUT && n->a == JGEN_Y && s->is_local[n->b];
    for (int k = 0; k < jexpr_nargs(g, r) && !d; k++) {
      d = s->depends[jexpr_arg(g, r, k)];
    }
    s->depends[r] = d;
  }
}

static void mark_needed(splitter* s) {
  for (jexpr_ref r = (jexpr_ref)s->nnode - 1; r > 0; r--) {
    for (int k = 0; s->needed[r] && k < jexpr_nargs(s->g, r); k++) {
      s->needed[jexpr_arg(s->g, r, k)] = true;
    }
  }
}

static int count_dependent(splitter* s, jexpr_ref root) {
  int n = 0;
  memset(s->needed, 0, (size_t)s->nnode * sizeof *s->needed);
  s->needed[root] = true;
  mark_needed(s);
  for (int r = 1; r < s->nnode; r++) {
    n += s->needed[r] && s->depends[r];
  }
  return n;
}

// States whose rates follow from few equations; those that depend on none of them need not be solved for.
static int choose_states(splitter* s) {
  const jgen_span* z = &s->r->out->layout.block[JGEN_Z];
  int n = 0;
  for (int i = z->first; i < z->first + z->n; i++) {
    s->is_local[i] = true;
  }
  mark_dependent(s);
  for (int i = z->first; i < z->first + z->n; i++) {
    s->is_local[i] = count_dependent(s, s->ydot[i]) <= MOST_NODES;
  }
  mark_dependent(s);
  for (int i = z->first; i < z->first + z->n; i++) {
    s->is_local[i] = s->is_local[i] && s->depends[s->ydot[i]];
    n += s->is_local[i];
  }
  mark_dependent(s);
  return n;
}

// What the rates use that does not depend on the states.
static void find_feeds(splitter* s, const jexpr_ref* rate, int n) {
  memset(s->needed, 0, (size_t)s->nnode * sizeof *s->needed);
  for (int i = 0; i < n; i++) {
    s->needed[rate[i]] = true;
  }
  mark_needed(s);
  for (jexpr_ref r = 1; r < (jexpr_ref)s->nnode; r++) {
    for (int k = 0; s->needed[r] && s->depends[r] && k < jexpr_nargs(s->g, r); k++) {
      jexpr_ref a = jexpr_arg(s->g, r, k);
      if (s->depends[a] || jexpr_is_const(s->g, a) || s->feed[a]) continue;
      s->outer[s->nfeed] = a;
      s->feed[a] = ++s->nfeed;
    }
  }
}

static jexpr_ref replace(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const splitter* s = user;
  bool is_feed = r < (jexpr_ref)s->nnode && s->feed[r];
  return is_feed ? jexpr_input(g, JGEN_FEED, s->feed[r] - 1) : rebuilt;
}

static bool make_pattern(jarena* a, const jexpr_jacobian* J, jgen_sparse* out) {
  out->n = J->nnz;
  out->row = J->row;
  out->col = JARENA_ARRAY(a, J->nnz, int);
  for (int k = 0; out->col && k < J->ncol; k++) {
    for (int e = J->col[k]; e < J->col[k + 1]; e++) {
      out->col[e] = k;
    }
  }
  return out->col != NULL;
}

static jo_status make(splitter* s, jgen_fn f, const jexpr_outputs* out, int n) {
  return jgen_function(s->g, s->r->s.a, jgen_fn_about(f)->name, out, n, &s->r->out->fn[f]);
}

// Rates of local states from their feeds, and the feeds.
static jo_status write_local(splitter* s, jgen_local* l, const jexpr_ref* z) {
  jgen_reduction* r = s->r;
  jexpr_ref* rate = jgen_refs(r, l->n);
  if (!rate) return s->g->status;
  for (int i = 0; i < l->n; i++) {
    rate[i] = s->ydot[l->state[i]];
  }
  find_feeds(s, rate, l->n);
  s->g->group[JGEN_FEED].size = l->nfeed = s->nfeed;
  JO_TRY(jexpr_rewrite(s->g, replace, s, rate, l->n));
  jexpr_jacobian J;
  JO_TRY(jexpr_jacobian_build(s->g, r->s.a, JEXPR_FORWARD, rate, l->n, z, l->n, &J));
  jexpr_ref* outer = jgen_refs(r, s->nfeed);
  if (!outer || !make_pattern(r->s.a, &J, &l->entry)) return jerr_memory(r->s.ctx);
  memcpy(outer, s->outer, (size_t)s->nfeed * sizeof *outer);
  const jgen_fn_info *feeds = jgen_fn_about(JGEN_FN_FEEDS), *local = jgen_fn_about(JGEN_FN_LOCAL);
  jexpr_outputs u = jgen_outputs(r->s.a, feeds->out[0], outer, s->nfeed);
  jexpr_outputs f[2] = {jgen_outputs(r->s.a, local->out[0], rate, l->n),
                        jgen_outputs(r->s.a, local->out[1], J.value, J.nnz)};
  JO_TRY(make(s, JGEN_FN_FEEDS, &u, 1));
  return make(s, JGEN_FN_LOCAL, f, 2);
}

static jo_status write_gains(splitter* s, jgen_local* l, const jexpr_ref* z) {
  jgen_reduction* r = s->r;
  int ny = r->out->ny;
  jexpr_ref* rate = jgen_refs(r, ny);
  if (!rate) return s->g->status;
  for (int i = 0; i < ny; i++) {
    rate[i] = s->is_local[i] ? r->s.zero : s->ydot[i];
  }
  jexpr_jacobian J;
  JO_TRY(jexpr_jacobian_build(s->g, r->s.a, JEXPR_FORWARD, rate, ny, z, l->n, &J));
  if (!make_pattern(r->s.a, &J, &l->gain)) return jerr_memory(r->s.ctx);
  jexpr_outputs G = jgen_outputs(r->s.a, jgen_fn_about(JGEN_FN_GAINS)->out[0], J.value, J.nnz);
  return make(s, JGEN_FN_GAINS, &G, 1);
}

static jo_status write(splitter* s, const jgen_options* opt, jgen_local* l) {
  jexpr_ref* z = jgen_refs(s->r, l->n);
  if (!z) return s->g->status;
  for (int i = 0; i < l->n; i++) {
    z[i] = jgen_state(s->r, l->state[i]);
  }
  if (opt->gains) JO_TRY(write_gains(s, l, z));
  return opt->local ? write_local(s, l, z) : JO_OK;
}

static jo_status split(splitter* s, const jgen_options* opt) {
  jgen_dynamics* d = s->r->out;
  jgen_local* l = &d->local;
  s->is_local = JARENA_ARRAY(&s->scratch, d->ny, bool);
  s->depends = JARENA_ARRAY(&s->scratch, s->nnode, bool);
  s->needed = JARENA_ARRAY(&s->scratch, s->nnode, bool);
  s->feed = JARENA_ARRAY(&s->scratch, s->nnode, int);
  s->outer = JARENA_ARRAY(&s->scratch, s->nnode, jexpr_ref);
  l->state = JARENA_ARRAY(&d->arena, d->layout.block[JGEN_Z].n, int);
  bool ok = s->is_local && s->depends && s->needed && s->feed && s->outer && l->state;
  if (!ok) return jerr_memory(s->g->ctx);
  if (choose_states(s) == 0) return JO_OK;
  for (int i = 0; i < d->ny; i++) {
    if (s->is_local[i]) l->state[l->n++] = i;
  }
  return write(s, opt, l);
}

jo_status jgen_write_local(jgen_reduction* r, const jgen_options* opt) {
  jexpr_graph* g = r->s.g;
  splitter s = {.r = r, .g = g, .nnode = g->nnode, .ydot = r->out->fn[JGEN_FN_RHS].out[0].ref};
  jarena_init(&s.scratch, g->ctx);
  jo_status status = split(&s, opt);
  jarena_free(&s.scratch);
  return status;
}
