// SPDX-License-Identifier: Apache-2.0
#include "emit/reorder.h"

#include "base/err.h"

typedef struct walk {
  const jexpr_graph* g;
  const jexpr_packing* packing;
  int* depth;     // by item: longest chain of operands
  bool* is_seen;  // by item
  int* stack;     // items; those whose operands are being computed: as their complement
  int top;
  jexpr_item* out;
  int nout;
} walk;

static int operand_count(const walk* w, int i) {
  return jexpr_pack_nargs(w->g, &w->packing->item[i]);
}

// The item that computes operand k of item i; -1: it is a leaf.
static int operand_of(const walk* w, int i, int k) {
  const jexpr_packing* p = w->packing;
  return p->at[jexpr_pack_arg_of(w->g, p->vector, &p->item[i], k)];
}

// Returns how many operands there are in all.
static int measure(walk* w) {
  int total = 0;
  for (int i = 0; i < w->packing->n; i++) {
    int n = operand_count(w, i);
    total += n;
    for (int k = 0; k < n; k++) {
      int at = operand_of(w, i, k);
      if (at >= 0 && w->depth[at] >= w->depth[i]) w->depth[i] = w->depth[at] + 1;
    }
  }
  return total;
}

static bool is_shallower(const walk* w, int a, int b) {
  return w->depth[a] != w->depth[b] ? w->depth[a] < w->depth[b] : a < b;
}

// Operands onto the stack, the deepest on top.
static void push_operands(walk* w, int i) {
  int first = w->top, n = operand_count(w, i);
  for (int k = 0; k < n; k++) {
    int at = operand_of(w, i, k), to = w->top;
    if (at < 0 || w->is_seen[at]) continue;
    for (; to > first && is_shallower(w, at, w->stack[to - 1]); to--)
      w->stack[to] = w->stack[to - 1];
    w->stack[to] = at;
    w->top++;
  }
}

static void compute(walk* w, int root) {
  w->stack[w->top++] = root;
  while (w->top > 0) {
    int i = w->stack[--w->top];
    if (i < 0) {
      w->out[w->nout++] = w->packing->item[~i];
    } else if (!w->is_seen[i]) {
      w->is_seen[i] = true;
      w->stack[w->top++] = ~i;
      push_operands(w, i);
    }
  }
}

// Items by depth, those of one depth in their order.
static int* by_depth(const walk* w, jarena* a, int n) {
  int deepest = 0;
  for (int i = 0; i < n; i++)
    deepest = w->depth[i] > deepest ? w->depth[i] : deepest;
  int* first = JARENA_ARRAY(a, deepest + 2, int);
  int* order = JARENA_ARRAY(a, n, int);
  if (!first || !order) return NULL;
  for (int i = 0; i < n; i++)
    first[w->depth[i] + 1]++;
  for (int d = 0; d < deepest; d++)
    first[d + 1] += first[d];
  for (int i = 0; i < n; i++)
    order[first[w->depth[i]]++] = i;
  return order;
}

static bool* find_outputs(const jexpr_fn* fn, const jexpr_packing* p, jarena* a) {
  bool* is_output = JARENA_ARRAY(a, p->n, bool);
  for (int o = 0; is_output && o < fn->nout; o++) {
    for (int i = 0; i < fn->out[o].n; i++) {
      int at = p->at[fn->out[o].ref[i]];
      if (at >= 0) is_output[at] = true;
    }
  }
  return is_output;
}

jo_status jemit_reorder(jo_context* ctx, jarena* a, const jexpr_fn* fn, jexpr_packing* packing) {
  const int n = packing->n;
  walk w = {.g = fn->graph, .packing = packing};
  w.depth = JARENA_ARRAY(a, n, int);
  w.is_seen = JARENA_ARRAY(a, n, bool);
  w.out = JARENA_ARRAY(a, n, jexpr_item);
  bool* is_output = find_outputs(fn, packing, a);
  if (!w.depth || !w.is_seen || !w.out || !is_output) return jerr_memory(ctx);
  w.stack = JARENA_ARRAY(a, measure(&w) + n + 1, int);
  int* order = by_depth(&w, a, n);
  if (!w.stack || !order) return jerr_memory(ctx);
  for (int i = 0; i < n; i++) {
    if (is_output[order[i]]) compute(&w, order[i]);
  }
  packing->item = w.out;
  packing->n = w.nout;
  return JO_OK;
}
