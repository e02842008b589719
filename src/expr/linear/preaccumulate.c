// SPDX-License-Identifier: Apache-2.0
// Vertices of the network of a linear function are eliminated (expr/linear/network.h) as long as what that saves in all directions is
// more than what the products of partials cost, which are made once. First one by one, what saves most first. Then
// several that hang together: the components of a vector are many edges first and few at last. docs/theory/expressions.md eq. (X1)
#include "expr/linear/preaccumulate.h"

#include "expr/linear/network.h"
#include "expr/rewrite.h"

#define TOGETHER 6  // most vertices that are tried together
#define SCANS    3  // over all vertices, at most

// What it saves to eliminate a vertex.
typedef struct entry {
  int gain, vertex, version;
} entry;

typedef struct pass {
  const jexpr_directions* by;
  jexpr_graph* g;
  jexpr_network net;
  jarena a;
  int nnode;   // of the graph before anything was written
  int* along;  // by node
  int* of;     // by node: its vertex, where it moves
  entry* heap;
  int nheap, heap_cap;
  int *near, nnear, *attempt_of,
      attempt;  // vertices around an attempt; by vertex: the last attempt it was near
} pass;

static jo_status fail(pass* k) {
  return k->g->status = jerr_memory(k->g->ctx);
}

// ---- the network -----------------------------------------------------------------------------------

static int unite(int a, int b) {
  bool is_one = a < JEXPR_ALONG_ALL || b < JEXPR_ALONG_ALL || a == b;
  return is_one ? (a > b ? a : b) : JEXPR_ALONG_ALL;
}

static void find_directions(pass* k) {
  const jexpr_graph* g = k->g;
  for (jexpr_ref r = 1; r < (jexpr_ref)k->nnode; r++) {
    bool is_input = g->node[r].op == JEXPR_INPUT;
    k->along[r] = is_input ? k->by->along(k->by->user, g, r) : JEXPR_ALONG_FIXED;
    for (int i = 0; i < jexpr_nargs(g, r); i++) {
      k->along[r] = unite(k->along[r], k->along[jexpr_arg(g, r, i)]);
    }
  }
}

static bool is_moving(const pass* k, jexpr_ref r) {
  return k->along[r] >= JEXPR_ALONG_ALL;
}

static bool is_fixed(const pass* k, jexpr_ref r) {
  return k->along[r] == JEXPR_ALONG_FIXED;
}

// Sums of what is linear, products and quotients with what is fixed.
static bool is_linear(const pass* k, jexpr_ref r) {
  const jexpr_node* n = &k->g->node[r];
  switch (n->op) {
    case JEXPR_ADD:
    case JEXPR_SUB: return !is_fixed(k, n->a) && !is_fixed(k, n->b);
    case JEXPR_NEG: return true;
    case JEXPR_MUL: return is_fixed(k, n->a) || is_fixed(k, n->b);
    case JEXPR_DIV: return is_fixed(k, n->b);
    default: return false;
  }
}

// Of a linear node by its operand i. One quotient serves all directions.
static jexpr_ref partial(jexpr_graph* g, jexpr_ref r, int i) {
  const jexpr_node n = g->node[r];
  switch (n.op) {
    case JEXPR_ADD: return jexpr_const(g, 1.0);
    case JEXPR_SUB: return jexpr_const(g, i == 0 ? 1.0 : -1.0);
    case JEXPR_NEG: return jexpr_const(g, -1.0);
    case JEXPR_MUL: return i == 0 ? n.b : n.a;
    default: return jexpr_div(g, jexpr_const(g, 1.0), n.b);
  }
}

static jo_status read_edges(pass* k, int to, jexpr_ref r) {
  for (int i = 0; i < jexpr_nargs(k->g, r); i++) {
    jexpr_ref a = jexpr_arg(k->g, r, i);
    if (!is_moving(k, a)) continue;
    if (k->net.v[to].is_opaque) {
      k->net.v[k->of[a]].is_kept = true;
    } else {
      JO_TRY(jexpr_network_edge(&k->net, k->of[a], to, partial(k->g, r, i)));
    }
  }
  return JO_OK;
}

static jo_status read_vertex(pass* k, jexpr_ref r) {
  bool is_input = jexpr_nargs(k->g, r) == 0, is_opaque = !is_input && !is_linear(k, r);
  bool is_everywhere = k->along[r] == JEXPR_ALONG_ALL;
  int v = k->of[r] = k->net.nv;
  JO_TRY(jexpr_network_vertex(&k->net, (jexpr_vertex){.ref = r,
                                                      .weight = is_everywhere ? k->by->n : 1,
                                                      .is_seed = is_input && !is_everywhere,
                                                      .is_kept = is_input || is_opaque,
                                                      .is_opaque = is_opaque}));
  return read_edges(k, v, r);
}

static jo_status read_network(pass* k, const jexpr_ref* y, int n) {
  bool* need = jexpr_needed_by(k->g, &k->a, y, n);
  k->along = JARENA_ARRAY(&k->a, k->nnode, int);
  k->of = JARENA_ARRAY(&k->a, k->nnode, int);
  if (!need || !k->along || !k->of) return fail(k);
  find_directions(k);
  for (jexpr_ref r = 1; r < (jexpr_ref)k->nnode; r++) {
    if (need[r] && is_moving(k, r)) JO_TRY(read_vertex(k, r));
  }
  for (int i = 0; i < n; i++) {
    if (is_moving(k, y[i])) k->net.v[k->of[y[i]]].is_kept = true;
  }
  return k->g->status;
}

// ---- one by one ------------------------------------------------------------------------------------

static bool is_before(const entry* a, const entry* b) {
  return a->gain != b->gain ? a->gain > b->gain : a->vertex < b->vertex;
}

static entry pop(pass* k) {
  entry *h = k->heap, top = h[0], last = h[--k->nheap];
  int i = 0;
  for (;;) {
    int child = 2 * i + 1;
    if (child + 1 < k->nheap && is_before(&h[child + 1], &h[child])) child++;
    if (child >= k->nheap || !is_before(&h[child], &last)) break;
    h[i] = h[child];
    i = child;
  }
  h[i] = last;
  return top;
}

static bool can_go(const pass* k, int v) {
  return !k->net.v[v].is_kept && !k->net.v[v].is_gone;
}

// Vertices that save something wait for their turn.
static jo_status push(pass* k, int v) {
  if (!can_go(k, v)) return JO_OK;
  entry x = {jexpr_network_gain(&k->net, v), v, ++k->net.v[v].version};
  if (x.gain <= 0) return JO_OK;
  if (!jmem_grow(k->g->ctx, &k->heap, &k->heap_cap, k->nheap + 1, sizeof *k->heap)) return fail(k);
  int i = k->nheap++;
  for (; i > 0 && is_before(&x, &k->heap[(i - 1) / 2]); i = (i - 1) / 2) {
    k->heap[i] = k->heap[(i - 1) / 2];
  }
  k->heap[i] = x;
  return JO_OK;
}

static jo_status push_neighbours(pass* k, int v) {
  const jexpr_network* net = &k->net;
  for (int e = net->v[v].in; e >= 0; e = net->e[e].next_in) {
    JO_TRY(push(k, net->e[e].from));
  }
  for (int e = net->v[v].out; e >= 0; e = net->e[e].next_out) {
    JO_TRY(push(k, net->e[e].to));
  }
  return JO_OK;
}

// Until no vertex saves anything by itself. What others have changed shows when its turn comes.
static jo_status settle(pass* k) {
  while (k->nheap > 0) {
    entry top = pop(k);
    int v = top.vertex;
    if (!can_go(k, v) || top.version != k->net.v[v].version) continue;
    if (jexpr_network_gain(&k->net, v) != top.gain) {
      JO_TRY(push(k, v));
      continue;
    }
    JO_TRY(jexpr_network_eliminate(&k->net, v));
    JO_TRY(push_neighbours(k, v));
  }
  return JO_OK;
}

// ---- together --------------------------------------------------------------------------------------

static void come_near(pass* k, int v) {
  if (k->attempt_of[v] == k->attempt || k->net.v[v].is_kept) return;
  k->attempt_of[v] = k->attempt;
  k->near[k->nnear++] = v;
}

static void neighbours_come_near(pass* k, int v) {
  const jexpr_network* net = &k->net;
  for (int e = net->v[v].in; e >= 0; e = net->e[e].next_in) {
    come_near(k, net->e[e].from);
  }
  for (int e = net->v[v].out; e >= 0; e = net->e[e].next_out) {
    come_near(k, net->e[e].to);
  }
}

static int best_near(pass* k, int* gain) {
  int best = -1;
  for (int i = 0; i < k->nnear; i++) {
    int v = k->near[i];
    if (!can_go(k, v)) continue;
    int x = jexpr_network_gain(&k->net, v);
    if (best >= 0 && (x < *gain || (x == *gain && v > best))) continue;
    best = v;
    *gain = x;
  }
  return best;
}

// Vertex v goes, then those around that save most, as far as that saves most altogether; nothing, if that is nothing.
static jo_status attempt(pass* k, int v, bool* has_gone) {
  jexpr_network* net = &k->net;
  int gain = jexpr_network_gain(net, v), saved = 0, most = 0, deeds = net->ndeed;
  k->attempt++;
  k->nnear = 0;
  for (int i = 0; i < TOGETHER && v >= 0; i++) {
    saved += gain;
    JO_TRY(jexpr_network_eliminate(net, v));
    if (saved > most) {
      most = saved;
      deeds = net->ndeed;
    }
    neighbours_come_near(k, v);
    v = best_near(k, &gain);
  }
  jexpr_network_undo(net, deeds);
  *has_gone = most > 0;
  return JO_OK;
}

static jo_status push_near(pass* k) {
  for (int i = 0; i < k->nnear; i++) {
    JO_TRY(push(k, k->near[i]));
  }
  return JO_OK;
}

static jo_status scan(pass* k, bool* has_gone) {
  *has_gone = false;
  for (int v = 0; v < k->net.nv; v++) {
    bool done = false;
    if (can_go(k, v)) JO_TRY(attempt(k, v, &done));
    if (!done) continue;
    *has_gone = true;
    JO_TRY(push_near(k));
    JO_TRY(settle(k));
  }
  return JO_OK;
}

static jo_status eliminate(pass* k) {
  k->near = JARENA_ARRAY(&k->a, k->net.nv, int);
  k->attempt_of = JARENA_ARRAY(&k->a, k->net.nv, int);
  if (!k->near || !k->attempt_of) return fail(k);
  for (int v = 0; v < k->net.nv; v++) {
    JO_TRY(push(k, v));
  }
  JO_TRY(settle(k));
  bool goes_on = true;
  for (int i = 0; i < SCANS && goes_on; i++) {
    JO_TRY(scan(k, &goes_on));
  }
  return JO_OK;
}

// ---- along all directions --------------------------------------------------------------------------

static jexpr_ref value_of(pass* k, jexpr_ref r, const jexpr_ref* now, int d) {
  if (is_fixed(k, r)) return r;
  return is_moving(k, r) ? now[k->of[r] * k->by->nwritten + d] : jexpr_const(k->g, 0.0);
}

// What is no sum of multiples, over operands of direction d.
static jexpr_ref rebuild(pass* k, jexpr_ref r, const jexpr_ref* now, int d, jexpr_ref* list) {
  int n = jexpr_nargs(k->g, r);
  for (int i = 0; i < n; i++) {
    list[i] = value_of(k, jexpr_arg(k->g, r, i), now, d);
  }
  return jexpr_rebuild(k->g, (jexpr_op)k->g->node[r].op, list, n);
}

// Edge by edge, each for all directions: a partial is read once.
static void write_sum(pass* k, int v, jexpr_ref* now) {
  const int nd = k->by->nwritten;
  jexpr_ref* sum = now + v * nd;
  for (int d = 0; d < nd; d++) {
    sum[d] = jexpr_const(k->g, 0.0);
  }
  for (int e = k->net.v[v].in; e >= 0; e = k->net.e[e].next_in) {
    const jexpr_ref *x = now + k->net.e[e].from * nd, c = jexpr_network_partial(&k->net, e);
    for (int d = 0; d < nd; d++) {
      sum[d] = jexpr_add(k->g, sum[d], jexpr_mul(k->g, c, x[d]));
    }
  }
}

static int longest_list(const jexpr_graph* g, int nnode) {
  int longest = 3;
  for (jexpr_ref r = 1; r < (jexpr_ref)nnode; r++) {
    int n = jexpr_nargs(g, r);
    if (n > longest) longest = n;
  }
  return longest;
}

static void write_vertex(pass* k, int i, jexpr_ref* now, jexpr_ref* list) {
  const jexpr_vertex* v = &k->net.v[i];
  bool is_input = jexpr_nargs(k->g, v->ref) == 0;
  if (v->is_gone) return;
  if (!is_input && !v->is_opaque) {
    write_sum(k, i, now);
    return;
  }
  for (int d = 0; d < k->by->nwritten; d++) {
    now[i * k->by->nwritten + d] =
        is_input ? k->by->seed(k->by->user, k->g, v->ref, d) : rebuild(k, v->ref, now, d, list);
  }
}

static jo_status write(pass* k, const jexpr_ref* y, int n, jexpr_ref* all) {
  jexpr_ref* now = JARENA_ARRAY(&k->a, k->net.nv * k->by->nwritten, jexpr_ref);
  jexpr_ref* list = JARENA_ARRAY(&k->a, longest_list(k->g, k->nnode), jexpr_ref);
  if (!now || !list) return fail(k);
  JO_TRY(jexpr_network_write_partials(&k->net, &k->a));
  for (int v = 0; v < k->net.nv && k->g->status >= 0; v++) {
    write_vertex(k, v, now, list);
  }
  for (int i = 0; i < n * k->by->nwritten && k->g->status >= 0; i++) {
    all[i] = value_of(k, y[i % n], now, i / n);
  }
  return k->g->status;
}

static jo_status work(pass* k, const jexpr_ref* y, int n, jexpr_ref* all) {
  JO_TRY(read_network(k, y, n));
  JO_TRY(eliminate(k));
  return write(k, y, n, all);
}

jo_status jexpr_preaccumulate(jexpr_graph* g, const jexpr_directions* by, const jexpr_ref* y, int n,
                              jexpr_ref* all) {
  JO_TRY(g->status);
  pass k = {.by = by, .g = g, .nnode = g->nnode};
  jarena_init(&k.a, g->ctx);
  jo_status status = jexpr_network_init(&k.net, g);
  if (status >= 0) status = work(&k, y, n, all);
  jexpr_network_free(&k.net);
  jmem_free(g->ctx, k.heap);
  jarena_free(&k.a);
  return status;
}
