// SPDX-License-Identifier: Apache-2.0
// Packs from families: cut to the lanes there are, dropped again where bringing values into lanes and out of them
// costs more than it saves, and put in an order.
//
// Members of a pack have the same height in the graph, operands a smaller one: packs cannot wait for each other in a
// ring, however they are cut.
#include "expr/pack/pack.h"

#include <string.h>

#include "base/assert.h"
#include "base/hash.h"
#include "expr/linear/ring.h"
#include "expr/pack/sign.h"
#include "expr/pack/twin.h"

// What an operator costs in a scalar unit, in additions; 0: it has no vector form.
static int cost_of(uint32_t op) {
  switch (op) {
    case JEXPR_ADD:
    case JEXPR_SUB:
    case JEXPR_MUL:
    case JEXPR_ABS: return 1;
    case JEXPR_LT:
    case JEXPR_LE:
    case JEXPR_EQ:
    case JEXPR_MIN:
    case JEXPR_MAX:
    case JEXPR_SELECT: return 2;
    case JEXPR_DIV:
    case JEXPR_SQRT: return 4;
    default: break;
  }
  bool is_function = jexpr_ops[op].class_ == JEXPR_CLASS_FUNC && jexpr_ops[op].arity > 0;
  return is_function ? 20 : 0;
}

typedef struct builder {
  const jexpr_graph* g;
  const jexpr_fn* fn;
  const jexpr_schedule* schedule;
  const jexpr_pack_options* opt;
  jexpr_twins twins;
  bool has_near;  // among what varies
  jexpr_packing out;
  int npack;
  jexpr_item* pack;  // a pack of width 0 was dropped
  int* pack_of;      // -1: none                                         (by node)
  bool* is_read;     // as a single value, by something that is in no such pack (by node)
  int* use;          // of a vector by packs                             (by vector)
  int* matched;      // uses of a pack as it is                          (by pack)
  uint32_t* table;   // vectors, open addressing; index + 1
  uint32_t table_size;
} builder;

static bool varies(const builder* b, jexpr_ref r) {
  return b->opt->varies && b->opt->varies[r];
}

// ---- cutting -----------------------------------------------------------------------------------

// Most nodes in a pack with this one. Twins vary together: so do the groups of inputs they have the colour of.
static int most_in_pack(const builder* b, jexpr_ref r, int most) {
  int fit = varies(b, r) ? b->opt->width / b->opt->lanes : b->opt->width;
  return fit < most ? fit : most;
}

static void add_pack(builder* b, const jexpr_ref* node, int width) {
  jexpr_item* p = &b->pack[b->npack];
  uint32_t op = b->g->node[node[0]].op;
  *p = (jexpr_item){.width = width, .op = op == JEXPR_SUB ? JEXPR_ADD : (jexpr_op)op};
  p->narg = jexpr_ops[op].arity;
  memcpy(p->node, node, (size_t)width * sizeof *node);
  for (int i = 0; i < width; i++)
    b->pack_of[node[i]] = b->npack;
  b->npack++;
}

static void cut_families(builder* b, int most) {
  for (int f = 0; f < b->twins.nfamily; f++) {
    const jexpr_ref* node = b->twins.member + b->twins.first[f];
    int n = b->twins.first[f + 1] - b->twins.first[f];
    int width = most_in_pack(b, node[0], most);
    if (cost_of(b->g->node[node[0]].op) == 0 || width < 2) continue;
    for (int i = 0; i + 1 < n; i += width) {
      while (width > n - i)
        width /= 2;
      add_pack(b, node + i, width);
    }
  }
}

// ---- vectors -----------------------------------------------------------------------------------

static bool is_pack(const builder* b, int item, const jexpr_vector* v) {
  const jexpr_item* p = &b->pack[item];
  return p->width == v->width && memcmp(p->node, v->lane, (size_t)v->width * sizeof *v->lane) == 0;
}

static int find_vector(builder* b, jexpr_vector* v) {
  uint64_t h = (uint64_t)v->width;
  for (int i = 0; i < v->width; i++)
    h = jhash_mix(h, v->lane[i]);
  uint32_t at = (uint32_t)h & (b->table_size - 1);
  for (; b->table[at] != 0; at = (at + 1) & (b->table_size - 1)) {
    const jexpr_vector* known = &b->out.vector[b->table[at] - 1];
    if (known->width == v->width && memcmp(known->lane, v->lane, sizeof v->lane) == 0) {
      return (int)b->table[at] - 1;
    }
  }
  int item = b->pack_of[v->lane[0]];
  v->item = item >= 0 && is_pack(b, item, v) ? item : -1;
  b->use[b->out.nvector] = 0;
  b->out.vector[b->out.nvector] = *v;
  b->table[at] = (uint32_t)++b->out.nvector;
  return b->out.nvector - 1;
}

// What the packs there are read.
static void find_vectors(builder* b) {
  memset(b->table, 0, b->table_size * sizeof *b->table);
  memset(b->matched, 0, (size_t)b->npack * sizeof *b->matched);
  b->out.nvector = 0;
  for (int i = 0; i < b->npack; i++) {
    jexpr_item* p = &b->pack[i];
    for (int k = 0; p->width > 0 && k < p->narg; k++) {
      jexpr_vector v = {.width = p->width};
      p->arg[k].flip = 0;
      for (int lane = 0; lane < p->width; lane++) {
        jexpr_term t = b->twins.term[p->node[lane]][k];
        v.lane[lane] = t.ref;
        p->arg[k].flip |= (unsigned)t.flip << lane;
      }
      p->arg[k].vector = find_vector(b, &v);
      b->use[p->arg[k].vector]++;
      int item = b->out.vector[p->arg[k].vector].item;
      if (item >= 0) b->matched[item]++;
    }
  }
}

// ---- what it costs -----------------------------------------------------------------------------

// Lanes that all come from one pack are one shuffle; so is what does not vary where it meets what does.
static int gather_cost(const builder* b, const jexpr_item* reader, const jexpr_vector* v) {
  if (jexpr_vector_is_const(b->g, v)) return 0;
  if (v->item >= 0) return varies(b, reader->node[0]) && !varies(b, v->lane[0]);
  if (jexpr_vector_is_one(v)) return 1;
  int source = b->pack_of[v->lane[0]];
  for (int i = 1; i < v->width && source >= 0; i++) {
    if (b->pack_of[v->lane[i]] != source) source = -1;
  }
  return source >= 0 ? 1 : v->width;
}

// Values that are needed by themselves: operands of single nodes, outputs, lanes of what is gathered. What varies reads
// what does not from memory, into all lanes at once, which costs nothing.
static void find_reads(builder* b) {
  memset(b->is_read, 0, (size_t)b->g->nnode * sizeof *b->is_read);
  for (int i = 0; i < b->schedule->n; i++) {
    jexpr_ref r = b->schedule->order[i];
    for (int k = 0; b->pack_of[r] < 0 && k < jexpr_nargs(b->g, r); k++) {
      jexpr_ref below = jexpr_arg(b->g, r, k);
      if (varies(b, below) == varies(b, r)) b->is_read[below] = true;
    }
  }
  for (int o = 0; o < b->fn->nout; o++) {
    for (int i = 0; i < b->fn->out[o].n; i++)
      b->is_read[b->fn->out[o].ref[i]] = true;
  }
}

static int count_reads(const builder* b, const jexpr_item* p) {
  int n = 0;
  for (int i = 0; i < p->width; i++)
    n += b->is_read[p->node[i]];
  return n;
}

// Whether single nodes were cheaper than this pack, with all others as they are. In half additions, for what
// several packs share.
static bool is_loss(const builder* b, int index) {
  const jexpr_item* p = &b->pack[index];
  int keep = 2 * count_reads(b, p);
  int drop = 2 * (p->width - 1) * cost_of((uint32_t)p->op);
  if (b->matched[index] > 0) drop += 2 * p->width;
  for (int k = 0; k < p->narg; k++) {
    const jexpr_vector* v = &b->out.vector[p->arg[k].vector];
    keep += 2 * gather_cost(b, p, v) / b->use[p->arg[k].vector];
    if (v->item < 0 || varies(b, v->lane[0]) != varies(b, p->node[0])) continue;
    drop += 2 * (p->width - count_reads(b, &b->pack[v->item]));
  }
  return keep > drop;
}

static void drop_pack(builder* b, int index) {
  jexpr_item* p = &b->pack[index];
  for (int i = 0; i < p->width; i++)
    b->pack_of[p->node[i]] = -1;
  p->width = 0;
}

#define ROUNDS 12

static void drop_losses(builder* b) {
  for (int round = 0; round < ROUNDS; round++) {
    int dropped = 0;
    find_vectors(b);
    find_reads(b);
    for (int i = 0; i < b->npack; i++) {
      if (b->pack[i].width == 0 || !is_loss(b, i)) continue;
      drop_pack(b, i);
      dropped++;
    }
    if (dropped == 0) return;
  }
  find_vectors(b);
}

// Packs of near twins that would wait for each other, the later ones. What varies is of no use to what does not.
static jo_status drop_rings(jarena* a, builder* b) {
  jexpr_rings rings;
  JO_TRY(jexpr_rings_open(a, b->g, b->schedule, &rings));
  for (int i = 0; i < b->npack; i++) {
    const jexpr_item* p = &b->pack[i];
    if (p->width == 0 || !varies(b, p->node[0])) continue;
    if (!jexpr_rings_join(&rings, p->node, p->width)) drop_pack(b, i);
  }
  return JO_OK;
}

// Packs of at most so many nodes.
static jo_status choose_packs(jarena* a, builder* b, int most) {
  int nnode = b->g->nnode, n = b->schedule->n;
  b->pack = JARENA_ARRAY(a, n / 2 + 1, jexpr_item);
  b->pack_of = JARENA_ARRAY(a, nnode, int);
  b->is_read = JARENA_ARRAY(a, nnode, bool);
  b->matched = JARENA_ARRAY(a, n / 2 + 1, int);
  if (!b->pack || !b->pack_of || !b->is_read || !b->matched) return jerr_memory(a->ctx);
  for (int r = 0; r < nnode; r++)
    b->pack_of[r] = -1;
  b->npack = 0;
  cut_families(b, most);
  int vectors = JEXPR_TERMS * b->npack + 1;
  b->table_size = 64;
  while (b->table_size < 2 * (uint32_t)vectors)
    b->table_size *= 2;
  b->table = JARENA_ARRAY(a, b->table_size, uint32_t);
  b->use = JARENA_ARRAY(a, vectors, int);
  b->out.vector = JARENA_ARRAY(a, vectors, jexpr_vector);
  if (!b->table || !b->use || !b->out.vector) return jerr_memory(a->ctx);
  drop_losses(b);
  if (!b->has_near) return JO_OK;
  JO_TRY(drop_rings(a, b));
  drop_losses(b);
  return JO_OK;
}

// A few wide packs among narrow ones make values wait for each other more than they save (bench/README.md).
static bool is_narrow(const builder* b) {
  int wide = 0;
  for (int i = 0; i < b->npack; i++) {
    if (b->pack[i].width > 2) wide += b->pack[i].width;
  }
  return 10 * wide < b->schedule->n;
}

// ---- order -------------------------------------------------------------------------------------

// Items before they have an order: packs, then single nodes.
typedef struct walk {
  const builder* b;
  int n;
  jexpr_item* item;
  int* of;    // item of a node; -1: none                                    (by node)
  int* need;  // values alive at once to compute it                          (by item)
  bool* done;
  int* stack;
  int* order;
  int norder;
} walk;

static int count_args(const walk* w, int item) {
  return jexpr_pack_nargs(w->b->g, &w->item[item]);
}

// The item of an operand; -1: a leaf.
static int operand_of(const walk* w, int item, int k) {
  return w->of[jexpr_pack_arg_of(w->b->g, w->b->out.vector, &w->item[item], k)];
}

static jo_status list_items(jarena* a, walk* w) {
  const builder* b = w->b;
  w->item = JARENA_ARRAY(a, b->schedule->n, jexpr_item);
  w->of = JARENA_ARRAY(a, b->g->nnode, int);
  if (!w->item || !w->of) return jerr_memory(a->ctx);
  for (int r = 0; r < b->g->nnode; r++)
    w->of[r] = -1;
  for (int i = 0; i < b->schedule->n; i++) {
    jexpr_ref r = b->schedule->order[i];
    int pack = b->pack_of[r];
    if (pack >= 0 && r != b->pack[pack].node[0]) continue;
    jexpr_item single = {.width = 1, .op = (jexpr_op)b->g->node[r].op, .node = {r}};
    w->item[w->n] = pack >= 0 ? b->pack[pack] : single;
    for (int k = 0; k < w->item[w->n].width; k++)
      w->of[w->item[w->n].node[k]] = w->n;
    w->n++;
  }
  return JO_OK;
}

static int next_operand(const walk* w, int item) {
  int best = -1;
  for (int k = 0; k < count_args(w, item); k++) {
    int below = operand_of(w, item, k);
    if (below < 0 || w->done[below]) continue;
    bool later = best >= 0 && w->need[below] == w->need[best] &&
                 w->item[below].node[0] > w->item[best].node[0];
    if (best < 0 || w->need[below] > w->need[best] || later) best = below;
  }
  return best;
}

static void visit(walk* w, int root) {
  if (root < 0 || w->done[root]) return;
  int depth = 0;
  w->stack[depth++] = root;
  while (depth > 0) {
    int item = w->stack[depth - 1];
    int below = next_operand(w, item);
    if (below >= 0) {
      w->stack[depth++] = below;
    } else {
      w->done[item] = true;
      w->order[w->norder++] = item;
      depth--;
    }
  }
}

// Items as their first nodes were made, each after what it waits for.
static void order_by_creation(walk* w) {
  for (int r = 1; r < w->b->g->nnode; r++)
    visit(w, w->of[r]);
}

static void order_by_depth(walk* w) {
  for (int o = 0; o < w->b->fn->nout; o++) {
    for (int i = 0; i < w->b->fn->out[o].n; i++)
      visit(w, w->of[w->b->fn->out[o].ref[i]]);
  }
}

// As in the schedule of single nodes.
static void find_needs(walk* w, const int* order) {
  for (int i = 0; i < w->n; i++) {
    int item = order[i], most = 0, second = 0, last = -1, n = 0;
    for (int k = 0; k < count_args(w, item); k++) {
      int below = operand_of(w, item, k);
      int m = below >= 0 ? w->need[below] : 0;
      if (below >= 0 && below == last) continue;
      last = below;
      n++;
      if (m > most) {
        second = most;
        most = m;
      } else if (m > second) {
        second = m;
      }
    }
    w->need[item] = n == 1 ? (most > 0 ? most : 1) : most > second ? most : second + 1;
  }
}

// Most values alive at once, of those in the order.
static int count_live(const walk* w, const int* order, int n, int* last_use) {
  int live = 0, most = 0;
  for (int i = 0; i < w->n; i++)
    last_use[i] = -1;
  for (int i = 0; i < n; i++) {
    last_use[order[i]] = i;
    for (int k = 0; k < count_args(w, order[i]); k++) {
      int below = operand_of(w, order[i], k);
      if (below >= 0 && last_use[below] >= 0) last_use[below] = i;
    }
  }
  for (int i = 0; i < n; i++) {
    live++;
    if (live > most) most = live;
    for (int k = 0; k < count_args(w, order[i]); k++) {
      int below = operand_of(w, order[i], k);
      if (below < 0 || last_use[below] != i) continue;
      last_use[below] = -1;  // counted once
      live--;
    }
    if (last_use[order[i]] == i) live--;
  }
  return most;
}

// Cycles until a result can be used, about.
static int latency_of(const jexpr_item* item) {
  switch (item->op) {
    case JEXPR_ADD:
    case JEXPR_SUB:
    case JEXPR_MUL: return 4;
    case JEXPR_DIV: return 14;
    case JEXPR_SQRT: return 20;
    default: return jexpr_ops[item->op].class_ == JEXPR_CLASS_FUNC ? 40 : 5;
  }
}

#define WINDOW 64  // items that are looked at for one that need not wait
#define ISSUED 4   // in a cycle

// When all operands of an item are there, in cycles / ISSUED; -1: some are not even begun.
static int ready_at(const walk* w, int item, const int* finish) {
  int ready = 0;
  for (int k = 0; k < count_args(w, item); k++) {
    int below = operand_of(w, item, k);
    if (below >= 0 && finish[below] < 0) return -1;
    if (below >= 0 && finish[below] > ready) ready = finish[below];
  }
  return ready;
}

// An order in which fewer items wait for the one before: the first of the next ones in `order` that is ready, or
// will be first. Processors do that too, but do not see as far.
static void fill_waits(const walk* w, const int* order, int n, int* finish, bool* is_out,
                       int* out) {
  for (int i = 0; i < w->n; i++)
    finish[i] = -1;
  int head = 0;
  for (int now = 0, nout = 0; nout < n; nout++, now++) {
    while (is_out[head])
      head++;
    int best = head, when = ready_at(w, order[head], finish);
    for (int i = head + 1, seen = 1; i < n && seen < WINDOW && when > now; i++) {
      if (is_out[i]) continue;
      seen++;
      int ready = ready_at(w, order[i], finish);
      if (ready < 0 || ready >= when) continue;
      best = i;
      when = ready;
    }
    if (when > now) now = when;
    finish[order[best]] = now + ISSUED * latency_of(&w->item[order[best]]);
    is_out[best] = true;
    out[nout] = order[best];
  }
}

static void keep_order(const walk* w, const int* order, jexpr_packing* out) {
  const jexpr_graph* g = w->b->g;
  for (int r = 0; r < g->nnode; r++)
    out->at[r] = -1;
  for (int i = 0; i < w->norder; i++) {
    out->item[i] = w->item[order[i]];
    for (int k = 0; k < out->item[i].width; k++)
      out->at[out->item[i].node[k]] = i;
    if (out->item[i].width > 1) out->packed[out->item[i].width] += out->item[i].width;
  }
  out->n = w->norder;
  for (int i = 0; i < out->nvector; i++) {
    if (out->vector[i].item >= 0) out->vector[i].item = out->at[out->vector[i].lane[0]];
  }
}

static void clear_done(walk* w) {
  for (int i = 0; i < w->n; i++)
    w->done[i] = false;
}

// All items in two orders, and room for a part of each.
typedef struct orders {
  int n;
  int *creation, *depth;
  int *by_creation, *by_depth;  // those of one kind
  int* scratch;                 // by item
} orders;

// Items that vary between lanes, or those that do not.
static int take_kind(const walk* w, const int* order, int n, bool kind, int* out) {
  int taken = 0;
  for (int i = 0; i < n; i++) {
    if (varies(w->b, w->item[order[i]].node[0]) == kind) out[taken++] = order[i];
  }
  return taken;
}

// Puts items of one kind in order; returns how many there are. What varies does not wait long as it is, and has more to
// store and load where it lives longer (bench/README.md).
static int order_kind(walk* w, const orders* o, bool kind, int* out) {
  int n = take_kind(w, o->creation, o->n, kind, o->by_creation);
  take_kind(w, o->depth, o->n, kind, o->by_depth);
  int by_creation = count_live(w, o->by_creation, n, o->scratch);
  int by_depth = count_live(w, o->by_depth, n, o->scratch);
  // creation interleaves what is independent
  const int* base = by_creation <= by_depth + by_depth / 2 ? o->by_creation : o->by_depth;
  if (kind) {
    memcpy(out, base, (size_t)n * sizeof *out);
  } else {
    clear_done(w);
    fill_waits(w, base, n, o->scratch, w->done, out);
  }
  return n;
}

static bool open_orders(jarena* a, int n, orders* o) {
  o->creation = JARENA_ARRAY(a, n, int);
  o->depth = JARENA_ARRAY(a, n, int);
  o->by_creation = JARENA_ARRAY(a, n, int);
  o->by_depth = JARENA_ARRAY(a, n, int);
  o->scratch = JARENA_ARRAY(a, n, int);
  return o->creation && o->depth && o->by_creation && o->by_depth && o->scratch;
}

static void find_orders(walk* w, orders* o) {
  w->order = o->creation;
  order_by_creation(w);
  find_needs(w, o->creation);
  clear_done(w);
  w->order = o->depth;
  w->norder = 0;
  order_by_depth(w);
  // negations that packs have taken over are not reached
  for (int i = 0; i < w->n; i++) {
    if (w->done[o->creation[i]]) o->creation[o->n++] = o->creation[i];
  }
}

// What does not vary between lanes first: what varies reads it from memory, into all lanes at once.
static jo_status put_in_order(jarena* a, builder* b) {
  walk w = {.b = b};
  orders o = {0};
  JO_TRY(list_items(a, &w));
  w.need = JARENA_ARRAY(a, w.n, int);
  w.done = JARENA_ARRAY(a, w.n, bool);
  w.stack = JARENA_ARRAY(a, w.n, int);
  b->out.item = JARENA_ARRAY(a, w.n, jexpr_item);
  b->out.at = JARENA_ARRAY(a, b->g->nnode, int);
  bool ok = open_orders(a, w.n, &o) && w.need && w.done && w.stack && b->out.item && b->out.at;
  if (!ok) return jerr_memory(a->ctx);
  find_orders(&w, &o);
  int n = order_kind(&w, &o, false, w.stack);
  order_kind(&w, &o, true, w.stack + n);
  keep_order(&w, w.stack, &b->out);
  return JO_OK;
}

// ---- all of it ---------------------------------------------------------------------------------

static jo_status keep_schedule(jarena* a, const jexpr_graph* g, const jexpr_schedule* s,
                               jexpr_packing* out) {
  *out = (jexpr_packing){.n = s->n};
  out->item = JARENA_ARRAY(a, s->n, jexpr_item);
  out->at = JARENA_ARRAY(a, g->nnode, int);
  if (!out->item || !out->at) return jerr_memory(a->ctx);
  for (int r = 0; r < g->nnode; r++)
    out->at[r] = -1;
  for (int i = 0; i < s->n; i++) {
    jexpr_ref r = s->order[i];
    out->item[i] = (jexpr_item){.width = 1, .op = (jexpr_op)g->node[r].op, .node = {r}};
    out->at[r] = i;
  }
  return JO_OK;
}

jo_status jexpr_pack_build(jarena* a, const jexpr_fn* fn, const jexpr_schedule* s,
                           const jexpr_pack_options* opt, jexpr_packing* out) {
  int width = opt->width;
  JASSERT(width >= 1 && width <= JEXPR_PACK_LANES && (width & (width - 1)) == 0);
  if (!opt->reorder) return keep_schedule(a, fn->graph, s, out);
  builder b = {.g = fn->graph, .fn = fn, .schedule = s, .opt = opt};
  b.has_near = opt->varies && opt->lanes > 1 && width > opt->lanes;
  if (width > 1) JO_TRY(jexpr_twins_find(a, fn, s, b.has_near ? opt->varies : NULL, &b.twins));
  JO_TRY(choose_packs(a, &b, width));
  if (width > 2 && is_narrow(&b)) JO_TRY(choose_packs(a, &b, 2));
  JO_TRY(put_in_order(a, &b));
  JO_TRY(jexpr_sign_settle(a, fn, opt->varies, &b.out));
  *out = b.out;
  return JO_OK;
}
