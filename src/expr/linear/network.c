// SPDX-License-Identifier: Apache-2.0
#include "expr/linear/network.h"
#include "base/assert.h"

// Operations of an edge along one direction: an addition, and a multiplication by what is not 1 or -1. The first edge into a
// vertex needs no addition, but the vertex a place in memory.
enum { UNIT_COST = 1, EDGE_COST = 2, TERM_COST = 1 };

static jo_status fail(jexpr_network* k) {
  return k->g->status = jerr_memory(k->g->ctx);
}

// More edges than this are not made of the edges of one vertex.
#define MOST_EDGES 4096

// ---- terms -----------------------------------------------------------------------------------------

static uint32_t hash_of(jexpr_term_kind kind, uint32_t a, uint32_t b) {
  uint64_t h = ((uint64_t)a << 32 | b) * 0x9e3779b97f4a7c15u + (uint64_t)kind;
  h ^= h >> 29;
  h *= 0xbf58476d1ce4e5b9u;
  return (uint32_t)(h >> 32);
}

// Where a term stands in the table, or would.
static int place_of(const jexpr_network* k, jexpr_term_kind kind, uint32_t a, uint32_t b) {
  int mask = k->table_size - 1, i = (int)hash_of(kind, a, b) & mask;
  for (; k->table[i] >= 0; i = (i + 1) & mask) {
    const jexpr_term* t = &k->term[k->table[i]];
    if (t->kind == kind && t->a == a && t->b == b) break;
  }
  return i;
}

static jo_status widen_table(jexpr_network* k) {
  int size = k->table_size > 0 ? 2 * k->table_size : 1024;
  int* table = jmem_resize(k->g->ctx, k->table, (size_t)size * sizeof *table);
  if (!table) return fail(k);
  k->table = table;
  k->table_size = size;
  for (int i = 0; i < size; i++) {
    table[i] = -1;
  }
  for (int i = 0; i < k->nterm; i++) {
    table[place_of(k, k->term[i].kind, k->term[i].a, k->term[i].b)] = i;
  }
  return JO_OK;
}

static jo_status make_term(jexpr_network* k, jexpr_term_kind kind, uint32_t a, uint32_t b,
                           int* out) {
  if (2 * k->nterm >= k->table_size) JO_TRY(widen_table(k));
  int i = place_of(k, kind, a, b);
  if (k->table[i] < 0) {
    if (!jmem_grow(k->g->ctx, &k->term, &k->term_cap, k->nterm + 1, sizeof *k->term))
      return fail(k);
    k->term[k->nterm] = (jexpr_term){kind, a, b, JEXPR_POISON, 0};
    k->table[i] = k->nterm++;
  }
  *out = k->table[i];
  return JO_OK;
}

// A term that may have to be made.
typedef struct recipe {
  jexpr_term_kind kind;
  int a, b;
  bool minus, is_ready;  // ready: it is a
} recipe;

static recipe ready(int term, bool minus) {
  return (recipe){JEXPR_TERM_NODE, term, 0, minus, true};
}

static recipe product(const jexpr_edge* x, const jexpr_edge* y) {
  bool minus = x->minus != y->minus;
  if (x->term == JEXPR_TERM_ONE) return ready(y->term, minus);
  if (y->term == JEXPR_TERM_ONE) return ready(x->term, minus);
  bool is_sorted = x->term < y->term;
  return (recipe){JEXPR_TERM_PRODUCT, is_sorted ? x->term : y->term, is_sorted ? y->term : x->term,
                  minus, false};
}

// x + y; of equal ones twice x is written as a sum.
static recipe total(int x, bool x_minus, int y, bool y_minus) {
  bool is_sorted = x <= y;
  return (recipe){x_minus == y_minus ? JEXPR_TERM_SUM : JEXPR_TERM_DIFFERENCE, is_sorted ? x : y,
                  is_sorted ? y : x, is_sorted ? x_minus : y_minus, false};
}

// Whether it has not been made yet.
static bool is_new(const jexpr_network* k, const recipe* r) {
  if (r->is_ready) return false;
  int at = k->table[place_of(k, r->kind, (uint32_t)r->a, (uint32_t)r->b)];
  return at < 0 || k->term[at].uses == 0;
}

// ---- edges -----------------------------------------------------------------------------------------

static jo_status note(jexpr_network* k, jexpr_deed deed) {
  if (!jmem_grow(k->g->ctx, &k->deed, &k->deed_cap, k->ndeed + 1, sizeof *k->deed)) return fail(k);
  k->deed[k->ndeed++] = deed;
  return JO_OK;
}

static void link_in(jexpr_network* k, int e) {
  jexpr_edge* x = &k->e[e];
  int *first = &k->v[x->to].in, before = x->prev_in, behind = x->next_in;
  *(before < 0 ? first : &k->e[before].next_in) = e;
  if (behind >= 0) k->e[behind].prev_in = e;
}

static void link_out(jexpr_network* k, int e) {
  jexpr_edge* x = &k->e[e];
  int *first = &k->v[x->from].out, before = x->prev_out, behind = x->next_out;
  *(before < 0 ? first : &k->e[before].next_out) = e;
  if (behind >= 0) k->e[behind].prev_out = e;
}

static void unlink_in(jexpr_network* k, int e) {
  const jexpr_edge* x = &k->e[e];
  *(x->prev_in < 0 ? &k->v[x->to].in : &k->e[x->prev_in].next_in) = x->next_in;
  if (x->next_in >= 0) k->e[x->next_in].prev_in = x->prev_in;
}

static void unlink_out(jexpr_network* k, int e) {
  const jexpr_edge* x = &k->e[e];
  *(x->prev_out < 0 ? &k->v[x->from].out : &k->e[x->prev_out].next_out) = x->next_out;
  if (x->next_out >= 0) k->e[x->next_out].prev_out = x->prev_out;
}

static jo_status add_edge(jexpr_network* k, int from, int to, int term, bool minus) {
  if (!jmem_grow(k->g->ctx, &k->e, &k->e_cap, k->ne + 1, sizeof *k->e)) return fail(k);
  k->e[k->ne] = (jexpr_edge){from, to, term, minus, -1, k->v[to].in, -1, k->v[from].out};
  link_in(k, k->ne);
  link_out(k, k->ne);
  k->ne++;
  return JO_OK;
}

// ---- making it -------------------------------------------------------------------------------------

jo_status jexpr_network_init(jexpr_network* k, jexpr_graph* g) {
  *k = (jexpr_network){.g = g};
  int one;
  jo_status status = make_term(k, JEXPR_TERM_NODE, jexpr_const(g, 1.0), 0, &one);
  if (status >= 0) JASSERT(one == JEXPR_TERM_ONE);
  return status;
}

void jexpr_network_free(jexpr_network* k) {
  void* const part[] = {k->v, k->e, k->term, k->table, k->deed, k->seen, k->at};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    jmem_free(k->g->ctx, part[i]);
  }
}

jo_status jexpr_network_vertex(jexpr_network* k, jexpr_vertex v) {
  jo_context* ctx = k->g->ctx;
  if (!jmem_grow(ctx, &k->v, &k->v_cap, k->nv + 1, sizeof *k->v) ||
      !jmem_grow(ctx, &k->seen, &k->seen_cap, k->nv + 1, sizeof *k->seen) ||
      !jmem_grow(ctx, &k->at, &k->at_cap, k->nv + 1, sizeof *k->at)) {
    return fail(k);
  }
  v.in = v.out = -1;
  k->seen[k->nv] = 0;
  k->v[k->nv++] = v;
  return JO_OK;
}

jo_status jexpr_network_edge(jexpr_network* k, int from, int to, jexpr_ref partial) {
  const jexpr_graph* g = k->g;
  JASSERT(from < to);
  JO_TRY(g->status);
  bool minus = false;
  int term;
  if (g->node[partial].op == JEXPR_NEG) {
    partial = g->node[partial].a;
    minus = true;
  } else if (jexpr_is_value(g, partial, -1.0)) {
    partial = jexpr_const(k->g, 1.0);
    minus = true;
  }
  JO_TRY(make_term(k, JEXPR_TERM_NODE, partial, 0, &term));
  k->term[term].uses = 1;
  return add_edge(k, from, to, term, minus);
}

// ---- elimination -----------------------------------------------------------------------------------

static int cost_of(const jexpr_network* k, int from, bool is_unit) {
  const jexpr_vertex* v = &k->v[from];
  return v->weight * (is_unit || v->is_seed ? UNIT_COST : EDGE_COST);
}

static int edge_cost(const jexpr_network* k, int e) {
  return cost_of(k, k->e[e].from, k->e[e].term == JEXPR_TERM_ONE);
}

// Edges from vertex p, to be found by where they end.
static void look_along(jexpr_network* k, int p) {
  k->round++;
  for (int e = k->v[p].out; e >= 0; e = k->e[e].next_out) {
    k->seen[k->e[e].to] = k->round;
    k->at[k->e[e].to] = e;
  }
}

static int edge_to(const jexpr_network* k, int s) {
  return k->seen[s] == k->round ? k->at[s] : -1;
}

// What it costs that what comes along edge i goes on along edge o.
static int cost_of_joining(const jexpr_network* k, int i, int o) {
  int p = k->e[i].from, old = edge_to(k, k->e[o].to);
  recipe r = product(&k->e[i], &k->e[o]);
  int terms = is_new(k, &r);
  bool is_unit = r.is_ready && r.a == JEXPR_TERM_ONE;
  if (old < 0) return cost_of(k, p, is_unit) + TERM_COST * terms;
  const jexpr_edge* e = &k->e[old];
  if (r.is_ready && r.a == e->term && r.minus != e->minus) return -edge_cost(k, old);
  recipe sum = total(e->term, e->minus, r.a, r.minus);
  terms += !r.is_ready || is_new(k, &sum);
  return cost_of(k, p, false) - edge_cost(k, old) + TERM_COST * terms;
}

int jexpr_network_gain(jexpr_network* k, int v) {
  const jexpr_vertex* x = &k->v[v];
  int gain = 0, nin = 0, nout = 0;
  for (int e = x->in; e >= 0; e = k->e[e].next_in, nin++) {
    gain += edge_cost(k, e);
  }
  for (int e = x->out; e >= 0; e = k->e[e].next_out, nout++) {
    gain += edge_cost(k, e);
  }
  if ((long)nin * nout > MOST_EDGES) return -MOST_EDGES;
  for (int i = x->in; i >= 0; i = k->e[i].next_in) {
    look_along(k, k->e[i].from);
    for (int o = x->out; o >= 0; o = k->e[o].next_out) {
      gain -= cost_of_joining(k, i, o);
    }
  }
  return gain;
}

static jo_status use(jexpr_network* k, const recipe* r, int* term) {
  *term = r->a;
  if (r->is_ready) return JO_OK;
  JO_TRY(make_term(k, r->kind, (uint32_t)r->a, (uint32_t)r->b, term));
  k->term[*term].uses++;
  return note(k, (jexpr_deed){JEXPR_DEED_USED, *term, 0, false});
}

static jo_status remove_edge(jexpr_network* k, int e) {
  unlink_in(k, e);
  unlink_out(k, e);
  return note(k, (jexpr_deed){JEXPR_DEED_REMOVED, e, 0, false});
}

static jo_status join(jexpr_network* k, int i, int o) {
  int p = k->e[i].from, s = k->e[o].to, old = edge_to(k, s), term;
  recipe r = product(&k->e[i], &k->e[o]);
  JO_TRY(use(k, &r, &term));
  if (old < 0) {
    JO_TRY(add_edge(k, p, s, term, r.minus));
    return note(k, (jexpr_deed){JEXPR_DEED_ADDED, k->ne - 1, 0, false});
  }
  jexpr_edge was = k->e[old];
  if (term == was.term && r.minus != was.minus) return remove_edge(k, old);
  recipe sum = total(was.term, was.minus, term, r.minus);
  JO_TRY(use(k, &sum, &term));
  k->e[old].term = term;
  k->e[old].minus = sum.minus;
  return note(k, (jexpr_deed){JEXPR_DEED_CHANGED, old, was.term, was.minus});
}

jo_status jexpr_network_eliminate(jexpr_network* k, int v) {
  jexpr_vertex* x = &k->v[v];
  JASSERT(!x->is_kept && !x->is_gone);
  for (int i = x->in; i >= 0; i = k->e[i].next_in) {
    look_along(k, k->e[i].from);
    for (int o = x->out; o >= 0; o = k->e[o].next_out) {
      JO_TRY(join(k, i, o));
    }
  }
  // its own edges stay with it, for what comes back
  for (int i = x->in; i >= 0; i = k->e[i].next_in) {
    unlink_out(k, i);
  }
  for (int o = x->out; o >= 0; o = k->e[o].next_out) {
    unlink_in(k, o);
  }
  x->is_gone = true;
  return note(k, (jexpr_deed){JEXPR_DEED_VERTEX, v, 0, false});
}

static int last_of(const jexpr_network* k, int e, bool is_in) {
  while (e >= 0) {
    int next = is_in ? k->e[e].next_in : k->e[e].next_out;
    if (next < 0) return e;
    e = next;
  }
  return -1;
}

// Edges come back in the opposite order.
static void bring_back(jexpr_network* k, int v) {
  const jexpr_vertex* x = &k->v[v];
  for (int o = last_of(k, x->out, false); o >= 0; o = k->e[o].prev_out) {
    link_in(k, o);
  }
  for (int i = last_of(k, x->in, true); i >= 0; i = k->e[i].prev_in) {
    link_out(k, i);
  }
  k->v[v].is_gone = false;
}

void jexpr_network_undo(jexpr_network* k, int ndeed) {
  while (k->ndeed > ndeed) {
    jexpr_deed d = k->deed[--k->ndeed];
    switch (d.kind) {
      case JEXPR_DEED_VERTEX: bring_back(k, d.at); break;
      case JEXPR_DEED_ADDED:
        unlink_out(k, d.at);
        unlink_in(k, d.at);
        k->ne = d.at;
        break;
      case JEXPR_DEED_REMOVED:
        link_out(k, d.at);
        link_in(k, d.at);
        break;
      case JEXPR_DEED_CHANGED:
        k->e[d.at].term = d.term;
        k->e[d.at].minus = d.minus;
        break;
      case JEXPR_DEED_USED: k->term[d.at].uses--; break;
    }
  }
}

// ---- partials --------------------------------------------------------------------------------------

static jexpr_ref write_term(jexpr_network* k, const jexpr_term* t) {
  if (t->kind == JEXPR_TERM_NODE) return t->a;
  jexpr_ref a = k->term[t->a].ref, b = k->term[t->b].ref;
  switch (t->kind) {
    case JEXPR_TERM_PRODUCT: return jexpr_mul(k->g, a, b);
    case JEXPR_TERM_SUM: return jexpr_add(k->g, a, b);
    default: return jexpr_sub(k->g, a, b);
  }
}

// Terms stand behind those they are made of.
jo_status jexpr_network_write_partials(jexpr_network* k, jarena* a) {
  bool* need = JARENA_ARRAY(a, k->nterm, bool);
  if (!need) return fail(k);
  for (int v = 0; v < k->nv; v++) {
    if (k->v[v].is_gone) continue;
    for (int e = k->v[v].in; e >= 0; e = k->e[e].next_in) {
      need[k->e[e].term] = true;
    }
  }
  for (int t = k->nterm - 1; t >= 0; t--) {
    if (!need[t] || k->term[t].kind == JEXPR_TERM_NODE) continue;
    need[k->term[t].a] = need[k->term[t].b] = true;
  }
  for (int t = 0; t < k->nterm; t++) {
    if (need[t]) k->term[t].ref = write_term(k, &k->term[t]);
  }
  return k->g->status;
}

jexpr_ref jexpr_network_partial(jexpr_network* k, int e) {
  jexpr_ref r = k->term[k->e[e].term].ref;
  return k->e[e].minus ? jexpr_neg(k->g, r) : r;
}
