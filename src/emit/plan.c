// SPDX-License-Identifier: Apache-2.0
// Plan of one emitted function.
//
// Slots are given out by linear scan over chunks: a value leaves its chunk when a later one reads
// it, and its slot is free again after the last chunk that does. Values and slots are visited in
// schedule order, so that the plan depends on nothing else.
#include "emit/plan.h"

#include <string.h>

#include "base/err.h"

static int* int_array(jarena* a, int n, int value) {
  int* x = JARENA_ARRAY(a, n, int);
  for (int i = 0; x && i < n; i++)
    x[i] = value;
  return x;
}

// Sine and cosine of the same argument stand side by side: they are computed together.
static jo_status join_waves(jo_context* ctx, jarena* a, jemit_plan* p) {
  const jexpr_graph* g = p->fn->graph;
  jexpr_schedule* s = &p->schedule;
  int* wave[2] = {int_array(a, g->nnode, -1), int_array(a, g->nnode, -1)};  // sine, cosine of it
  jexpr_ref* order = JARENA_ARRAY(a, s->n, jexpr_ref);
  bool* is_placed = JARENA_ARRAY(a, s->n, bool);
  if (!wave[0] || !wave[1] || !order || !is_placed) return jerr_memory(ctx);
  for (int i = 0; i < s->n; i++) {
    const jexpr_node* node = jexpr_at(g, s->order[i]);
    if (node->op == JEXPR_SIN) wave[0][node->a] = i;
    if (node->op == JEXPR_COS) wave[1][node->a] = i;
  }
  int n = 0;
  for (int i = 0; i < s->n; i++) {
    const jexpr_node* node = jexpr_at(g, s->order[i]);
    if (is_placed[i]) continue;
    order[n++] = s->order[i];
    bool is_wave = node->op == JEXPR_SIN || node->op == JEXPR_COS;
    int other = is_wave ? wave[node->op == JEXPR_SIN][node->a] : -1;
    if (other < 0) continue;
    order[n++] = s->order[other];
    is_placed[other] = true;
  }
  s->order = order;
  return JO_OK;
}

bool jemit_plan_is_pair(const jemit_plan* p, int position) {
  if (position < 0 || position + 1 >= p->schedule.n) return false;
  if (position / p->chunk != (position + 1) / p->chunk) return false;
  const jexpr_graph* g = p->fn->graph;
  const jexpr_node* x = jexpr_at(g, p->schedule.order[position]);
  const jexpr_node* y = jexpr_at(g, p->schedule.order[position + 1]);
  bool is_wave = (x->op == JEXPR_SIN && y->op == JEXPR_COS) ||  //
                 (x->op == JEXPR_COS && y->op == JEXPR_SIN);
  return is_wave && x->a == y->a;
}

static jo_status number_nodes(jo_context* ctx, jarena* a, jemit_plan* p) {
  const jexpr_schedule* s = &p->schedule;
  p->position = int_array(a, p->fn->graph->nnode, -1);
  if (!p->position) return jerr_memory(ctx);
  for (int i = 0; i < s->n; i++)
    p->position[s->order[i]] = i;
  return JO_OK;
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
  p->mark = JARENA_ARRAY(a, p->schedule.n, const char*);
  if (!p->mark) return jerr_memory(ctx);
  for (int i = 0; i < g->nmark; i++) {
    int at = p->position[g->mark[i].ref];
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
  p->first_store = int_array(a, p->schedule.n, -1);
  if (!p->store || !p->leaf || !p->first_store) return jerr_memory(ctx);

  // backwards, so that every list is in the order of the outputs
  int at = n;
  for (int o = fn->nout - 1; o >= 0; o--) {
    for (int i = fn->out[o].n - 1; i >= 0; i--) {
      int position = p->position[fn->out[o].ref[i]];
      p->store[--at] = (jemit_store){o, i, fn->out[o].ref[i], -1};
      if (position >= 0) {
        p->store[at].next = p->first_store[position];
        p->first_store[position] = at;
      }
    }
  }
  for (int i = 0; i < n; i++) {
    if (p->position[p->store[i].ref] < 0) p->leaf[p->nleaf++] = i;
  }
  return JO_OK;
}

static void cut_chunks(jemit_plan* p, int chunk_statements) {
  p->nitem = p->schedule.n + p->nleaf;
  bool one = chunk_statements == 0 || chunk_statements > p->nitem;
  p->chunk = one ? p->nitem : chunk_statements;
  if (p->chunk == 0) p->chunk = 1;
  p->nchunk = (p->nitem + p->chunk - 1) / p->chunk;
  if (p->nchunk == 0) p->nchunk = 1;
}

// Free slots of one kind: a stack.
typedef struct slots {
  int* free;
  int nfree;
  int used;  // ever
} slots;

static int take_slot(slots* s) {
  return s->nfree > 0 ? s->free[--s->nfree] : s->used++;
}

// The last chunk that reads each value.
static void find_last_chunks(const jemit_plan* p, int* last) {
  const jexpr_graph* g = p->fn->graph;
  for (int i = 0; i < p->schedule.n; i++) {
    jexpr_ref r = p->schedule.order[i];
    int n = jexpr_nargs(g, r);
    last[i] = i / p->chunk;
    for (int k = 0; k < n; k++) {
      int at = p->position[jexpr_arg(g, r, k)];
      if (at >= 0) last[at] = i / p->chunk;
    }
  }
}

static jo_status assign_slots(jo_context* ctx, jarena* a, jemit_plan* p) {
  int n = p->schedule.n;
  p->slot = int_array(a, n, -1);
  int* last = int_array(a, n, -1);
  int* ending = int_array(a, p->nchunk, -1);  // values last read in a chunk: head of a list
  int* next = int_array(a, n, -1);
  slots pool[2] = {{.free = int_array(a, n, 0)}, {.free = int_array(a, n, 0)}};
  if (!p->slot || !last || !ending || !next || !pool[0].free || !pool[1].free) {
    return jerr_memory(ctx);
  }
  find_last_chunks(p, last);
  for (int i = 0; i < n; i++) {
    int chunk = i / p->chunk;
    // slots last read in the chunk before this one are free from here on
    if (i % p->chunk == 0 && chunk > 0) {
      for (int v = ending[chunk - 1]; v >= 0; v = next[v]) {
        slots* s = &pool[p->scalar[p->schedule.order[v]]];
        s->free[s->nfree++] = p->slot[v];
      }
    }
    if (last[i] == chunk) continue;
    p->slot[i] = take_slot(&pool[p->scalar[p->schedule.order[i]]]);
    next[i] = ending[last[i]];
    ending[last[i]] = i;
  }
  // vectors first, then scalars
  int vectors = pool[0].used * p->lanes;
  for (int i = 0; i < n; i++) {
    if (p->slot[i] >= 0 && p->scalar[p->schedule.order[i]]) p->slot[i] += vectors;
  }
  p->work = (size_t)vectors + (size_t)pool[1].used;
  return JO_OK;
}

jo_status jemit_plan_build(jo_context* ctx, jarena* a, const jexpr_fn* fn, int lanes,
                           int chunk_statements, jemit_plan* out) {
  jemit_plan p = {.fn = fn, .lanes = lanes};
  JO_TRY(jexpr_graph_status(fn->graph));
  JO_TRY(check_outputs(ctx, fn));
  JO_TRY(jexpr_schedule_build(a, fn, &p.schedule));
  p.counts = jexpr_count(fn->graph, &p.schedule);
  JO_TRY(join_waves(ctx, a, &p));
  JO_TRY(number_nodes(ctx, a, &p));
  JO_TRY(find_scalars(ctx, a, &p));
  JO_TRY(find_marks(ctx, a, &p));
  JO_TRY(collect_stores(ctx, a, &p));
  cut_chunks(&p, chunk_statements);
  JO_TRY(assign_slots(ctx, a, &p));
  *out = p;
  return JO_OK;
}
