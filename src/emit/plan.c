// SPDX-License-Identifier: Apache-2.0
// Plan of one emitted function.
//
// Slots are given out by linear scan over chunks: a value leaves its chunk when a later one reads
// it, and its slot is free again after the last chunk that does. Values and slots are visited in
// the order of the items, so that the plan depends on nothing else.
#include "emit/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "emit/reorder.h"

static int* int_array(jarena* a, int n, int value) {
  int* x = JARENA_ARRAY(a, n, int);
  for (int i = 0; x && i < n; i++)
    x[i] = value;
  return x;
}

// What a sine or cosine is of: the operand of a single node, or the vector of a pack behind those; -1: it is none.
static int wave_of(const jemit_plan* p, const jexpr_item* item) {
  if (item->op != JEXPR_SIN && item->op != JEXPR_COS) return -1;
  if (item->width == 1) return (int)jexpr_at(p->fn->graph, item->node[0])->a;
  return item->arg[0].flip ? -1 : p->fn->graph->nnode + item->arg[0].vector;
}

// Items have been moved.
static void number_items(jexpr_packing* packing) {
  for (int i = 0; i < packing->n; i++) {
    for (int k = 0; k < packing->item[i].width; k++)
      packing->at[packing->item[i].node[k]] = i;
  }
  for (int i = 0; i < packing->nvector; i++) {
    jexpr_vector* v = &packing->vector[i];
    if (v->item >= 0) v->item = packing->at[v->lane[0]];
  }
}

// Sine and cosine of the same argument stand side by side: they are computed together.
static jo_status join_waves(jo_context* ctx, jarena* a, jemit_plan* p) {
  jexpr_packing* packing = &p->packing;
  int n = packing->n, arguments = p->fn->graph->nnode + packing->nvector;
  int* wave[2] = {int_array(a, arguments, -1), int_array(a, arguments, -1)};  // sine, cosine of it
  jexpr_item* item = JARENA_ARRAY(a, n, jexpr_item);
  bool* is_placed = JARENA_ARRAY(a, n, bool);
  if (!wave[0] || !wave[1] || !item || !is_placed) return jerr_memory(ctx);
  for (int i = 0; i < n; i++) {
    int of = wave_of(p, &packing->item[i]);
    if (of >= 0) wave[packing->item[i].op == JEXPR_COS][of] = i;
  }
  int placed = 0;
  for (int i = 0; i < n; i++) {
    if (is_placed[i]) continue;
    item[placed++] = packing->item[i];
    int of = wave_of(p, &packing->item[i]);
    int other = of >= 0 ? wave[packing->item[i].op == JEXPR_SIN][of] : -1;
    if (other < 0) continue;
    item[placed++] = packing->item[other];
    is_placed[other] = true;
  }
  packing->item = item;
  number_items(packing);
  return JO_OK;
}

int jemit_plan_lanes(const jemit_plan* p, jexpr_ref r) {
  return p->scalar[r] ? 1 : p->lanes;
}

int jemit_plan_numbers(const jemit_plan* p, const jexpr_item* item) {
  return item->width * jemit_plan_lanes(p, item->node[0]);
}

int jemit_plan_widest(const jemit_plan* p) {
  int most = p->lanes;
  for (int i = 0; i < p->packing.n; i++) {
    int n = jemit_plan_numbers(p, &p->packing.item[i]);
    if (n > most) most = n;
  }
  return most;
}

bool jemit_plan_is_pair(const jemit_plan* p, int item) {
  if (item < 0 || item + 1 >= p->packing.n) return false;
  if (item / p->chunk != (item + 1) / p->chunk) return false;
  const jexpr_item *x = &p->packing.item[item], *y = x + 1;
  return wave_of(p, x) >= 0 && wave_of(p, x) == wave_of(p, y) && x->op != y->op;
}

// A node is one value for all lanes when all it depends on is. With one lane everything is.
static jo_status find_scalars(jo_context* ctx, jarena* a, jemit_plan* p) {
  const jexpr_graph* g = p->fn->graph;
  p->scalar = JARENA_ARRAY(a, g->nnode, bool);
  if (!p->scalar) return jerr_memory(ctx);
  for (int r = 0; r < g->nnode; r++) {
    const jexpr_node* node = &g->node[r];
    if (p->lanes == 1 || node->op == JEXPR_CONST) {
      p->scalar[r] = true;
    } else if (node->op == JEXPR_INPUT) {
      p->scalar[r] = g->group[node->a].vary == JEXPR_UNIFORM;
    }
  }
  // leaves are not in the schedule; operands stand before users in it
  for (int i = 0; i < p->schedule.n && p->lanes > 1; i++) {
    jexpr_ref r = p->schedule.order[i];
    int n = jexpr_nargs(g, r);
    p->scalar[r] = true;
    for (int k = 0; k < n; k++)
      p->scalar[r] = p->scalar[r] && p->scalar[jexpr_arg(g, r, k)];
  }
  return JO_OK;
}

// A node may be marked several times: the first name is where it was first computed.
static jo_status find_marks(jo_context* ctx, jarena* a, jemit_plan* p) {
  const jexpr_graph* g = p->fn->graph;
  p->mark = JARENA_ARRAY(a, p->packing.n, const char*);
  if (!p->mark) return jerr_memory(ctx);
  for (int i = 0; i < g->nmark; i++) {
    int at = p->packing.at[g->mark[i].ref];
    if (at >= 0 && !p->mark[at]) p->mark[at] = g->mark[i].text;
  }
  return JO_OK;
}

static jo_status check_outputs(jo_context* ctx, const jexpr_fn* fn) {
  for (int o = 0; o < fn->nout; o++) {
    for (int i = 0; i < fn->out[o].n; i++) {
      jexpr_ref r = fn->out[o].ref[i];
      if (r == JEXPR_POISON || r >= (jexpr_ref)fn->graph->nnode) {
        return jerr_set(ctx, JO_ERR_ARGUMENT, "function '%s': output %s[%d] has no value", fn->name,
                        fn->out[o].name, i);
      }
    }
  }
  return JO_OK;
}

static jo_status collect_stores(jo_context* ctx, jarena* a, jemit_plan* p) {
  const jexpr_fn* fn = p->fn;
  int n = 0;
  for (int o = 0; o < fn->nout; o++)
    n += fn->out[o].n;
  p->store = JARENA_ARRAY(a, n, jemit_store);
  p->leaf = int_array(a, n, -1);
  p->first_store = int_array(a, p->packing.n, -1);
  if (!p->store || !p->leaf || !p->first_store) return jerr_memory(ctx);

  // backwards, so that every list is in the order of the outputs
  int at = n;
  for (int o = fn->nout - 1; o >= 0; o--) {
    for (int i = fn->out[o].n - 1; i >= 0; i--) {
      int position = p->packing.at[fn->out[o].ref[i]];
      p->store[--at] = (jemit_store){o, i, fn->out[o].ref[i], -1};
      if (position >= 0) {
        p->store[at].next = p->first_store[position];
        p->first_store[position] = at;
      }
    }
  }
  for (int i = 0; i < n; i++) {
    if (p->packing.at[p->store[i].ref] < 0) p->leaf[p->nleaf++] = i;
  }
  return JO_OK;
}

static void cut_chunks(jemit_plan* p, int chunk_statements) {
  p->nitem = p->packing.n + p->nleaf;
  bool one = chunk_statements == 0 || chunk_statements > p->nitem;
  p->chunk = one ? p->nitem : chunk_statements;
  if (p->chunk == 0) p->chunk = 1;
  p->nchunk = (p->nitem + p->chunk - 1) / p->chunk;
  if (p->nchunk == 0) p->nchunk = 1;
}

// Free slots of one size: a stack, the lowest on top.
typedef struct slots {
  int* free;
  int nfree;
  int used;  // ever
} slots;

#define SIZES 5  // of slots: 1, 2, 4, 8, 16 doubles

static int compare_slots(const void* a, const void* b) {
  const int *x = a, *y = b;
  return (*x < *y) - (*x > *y);
}

static int take_slot(slots* s) {
  return s->nfree > 0 ? s->free[--s->nfree] : s->used++;
}

// Doubles that the value of an item takes, as a power of two.
static int size_of(const jemit_plan* p, int item) {
  const jexpr_item* it = &p->packing.item[item];
  if (p->threads) return 0;
  int doubles = jemit_plan_numbers(p, it), size = 0;
  while (1 << size < doubles)
    size++;
  return size;
}

// The last chunk that reads each value.
static void find_last_chunks(const jemit_plan* p, int* last) {
  const jexpr_graph* g = p->fn->graph;
  for (int i = 0; i < p->packing.n; i++) {
    const jexpr_item* item = &p->packing.item[i];
    int n = jexpr_pack_nargs(g, item);
    last[i] = i / p->chunk;
    for (int k = 0; k < n; k++) {
      int at = p->packing.at[jexpr_pack_arg_of(g, p->packing.vector, item, k)];
      if (at >= 0) last[at] = i / p->chunk;
    }
  }
}

static jo_status assign_slots(jo_context* ctx, jarena* a, jemit_plan* p) {
  int n = p->packing.n;
  p->slot = int_array(a, n, -1);
  int* last = int_array(a, n, -1);
  int* ending = int_array(a, p->nchunk, -1);  // values last read in a chunk: head of a list
  int* next = int_array(a, n, -1);
  slots pool[SIZES] = {{0}};
  bool ok = p->slot && last && ending && next;
  for (int k = 0; k < SIZES; k++) {
    pool[k].free = int_array(a, n, 0);
    ok = ok && pool[k].free;
  }
  if (!ok) return jerr_memory(ctx);
  find_last_chunks(p, last);
  for (int i = 0; i < n; i++) {
    int chunk = i / p->chunk;
    // slots last read in the chunk before this one are free from here on
    if (i % p->chunk == 0 && chunk > 0) {
      for (int v = ending[chunk - 1]; v >= 0; v = next[v]) {
        slots* s = &pool[size_of(p, v)];
        s->free[s->nfree++] = p->slot[v];
      }
      for (int k = 0; k < SIZES; k++)
        qsort(pool[k].free, (size_t)pool[k].nfree, sizeof *pool[k].free, compare_slots);
    }
    if (last[i] == chunk) continue;
    p->slot[i] = take_slot(&pool[size_of(p, i)]);
    next[i] = ending[last[i]];
    ending[last[i]] = i;
  }
  // the widest first
  int base[SIZES];
  for (int k = SIZES - 1; k >= 0; k--) {
    base[k] = (int)p->work;
    p->work += (size_t)pool[k].used << k;
  }
  for (int i = 0; i < n; i++) {
    int size = size_of(p, i);
    if (p->slot[i] >= 0) p->slot[i] = base[size] + (p->slot[i] << size);
  }
  return JO_OK;
}

static jo_status build_packs(jo_context* ctx, jarena* a, const jemit_plan_options* opt,
                             jemit_plan* p) {
  int n = p->fn->graph->nnode;
  bool* varies = JARENA_ARRAY(a, n, bool);
  if (!varies) return jerr_memory(ctx);
  for (int r = 0; r < n; r++)
    varies[r] = !p->scalar[r];
  jexpr_pack_options packs = {opt->pack, opt->pack > 1, opt->lanes, varies};
  return jexpr_pack_build(a, p->fn, &p->schedule, &packs, &p->packing);
}

jo_status jemit_plan_build(jo_context* ctx, jarena* a, const jexpr_fn* fn,
                           const jemit_plan_options* opt, jemit_plan* out) {
  jemit_plan p = {.fn = fn, .lanes = opt->lanes, .threads = opt->threads};
  JO_TRY(jexpr_graph_status(fn->graph));
  JO_TRY(check_outputs(ctx, fn));
  JO_TRY(jexpr_schedule_build(a, fn, &p.schedule));
  JO_TRY(find_scalars(ctx, a, &p));
  JO_TRY(build_packs(ctx, a, opt, &p));
  p.counts = jexpr_count(fn->graph, &p.schedule);
  if (opt->reorder) {
    JO_TRY(jemit_reorder(ctx, a, fn, &p.packing));
    number_items(&p.packing);
  }
  JO_TRY(join_waves(ctx, a, &p));
  JO_TRY(find_marks(ctx, a, &p));
  JO_TRY(collect_stores(ctx, a, &p));
  cut_chunks(&p, opt->chunk_statements);
  JO_TRY(assign_slots(ctx, a, &p));
  *out = p;
  return JO_OK;
}
