// SPDX-License-Identifier: Apache-2.0
// Storage of the expression graph: nodes, their hash index, input groups and marks.
// Simplification is in simplify.c; this file only guarantees that equal nodes are one node.
#include "expr/graph.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/hash.h"
#include "base/text/format.h"
#include "expr/intern.h"

#define FIRST_TABLE_SIZE 1024
#define MARK_LENGTH      96

const jexpr_op_info jexpr_ops[JEXPR_OP_COUNT] = {
    [JEXPR_NIL] = {"poison", 0, JEXPR_CLASS_LEAF, ""},
#define OP(id, name, arity, class, text, value, da, db) \
  [JEXPR_##id] = {#name, arity, JEXPR_CLASS_##class, text},
#include "expr/ops.def"
};

jexpr_ref jexpr_fail(jexpr_graph* g, jo_status status) {
  if (g->status == JO_OK) g->status = status;
  return JEXPR_POISON;
}

static jexpr_ref fail_memory(jexpr_graph* g) {
  return jexpr_fail(g, jerr_memory(g->ctx));
}

// ---- hash index --------------------------------------------------------------------------------

static bool is_list(uint32_t op) {
  return jexpr_ops[op].arity < 0;
}

static uint32_t hash_list(uint32_t op, const uint32_t* arg, uint32_t n) {
  uint64_t h = jhash_mix(op, n);
  for (uint32_t i = 0; i < n; i++) {
    h = jhash_mix(h, arg[i]);
  }
  return (uint32_t)h;
}

static uint32_t hash_node(const jexpr_graph* g, const jexpr_node* n) {
  if (is_list(n->op)) return hash_list(n->op, g->list + n->a, n->b);
  return (uint32_t)jhash_mix(jhash_mix(n->op, (uint64_t)n->a << 32 | n->b), n->c);
}

static bool same_fixed(const jexpr_node* n, const jexpr_node* m) {
  return n->op == m->op && n->a == m->a && n->b == m->b && n->c == m->c;
}

static bool same_list(const jexpr_graph* g, const jexpr_node* n, uint32_t op, const uint32_t* arg,
                      uint32_t count) {
  return n->op == op && n->b == count && memcmp(g->list + n->a, arg, count * sizeof *arg) == 0;
}

// Slot of the node, or the empty slot where it belongs.
static jexpr_slot* find_fixed(const jexpr_graph* g, const jexpr_node* n, uint32_t hash) {
  uint32_t mask = (uint32_t)g->table_size - 1;
  jexpr_slot* slot = &g->table[hash & mask];
  while (slot->ref && (slot->hash != hash || !same_fixed(&g->node[slot->ref], n))) {
    slot = &g->table[(slot - g->table + 1) & mask];
  }
  return slot;
}

static jexpr_slot* find_list(const jexpr_graph* g, uint32_t op, const uint32_t* arg, uint32_t n,
                             uint32_t hash) {
  uint32_t mask = (uint32_t)g->table_size - 1;
  jexpr_slot* slot = &g->table[hash & mask];
  while (slot->ref && (slot->hash != hash || !same_list(g, &g->node[slot->ref], op, arg, n))) {
    slot = &g->table[(slot - g->table + 1) & mask];
  }
  return slot;
}

static bool rehash(jexpr_graph* g, int size) {
  jexpr_slot* table = jmem_resize(g->ctx, NULL, (size_t)size * sizeof *table);
  if (!table) return false;
  memset(table, 0, (size_t)size * sizeof *table);
  uint32_t mask = (uint32_t)size - 1;
  for (int i = 0; i < g->table_size; i++) {
    uint32_t at = g->table[i].hash & mask;
    if (!g->table[i].ref) continue;
    while (table[at].ref) {
      at = (at + 1) & mask;
    }
    table[at] = g->table[i];
  }
  jmem_free(g->ctx, g->table);
  g->table = table;
  g->table_size = size;
  return true;
}

static void fail_limit(jexpr_graph* g) {
  if (g->status < 0) return;
  g->status = jerr_set(g->ctx, JO_ERR_LIMIT, "the equations have more than %d terms, the limit%s",
                       g->max_nodes, g->limit_hint);
}

// Room for one more node, in the array and in the index (kept at most half full).
static bool make_room(jexpr_graph* g) {
  if (g->nnode >= g->max_nodes) {
    fail_limit(g);
    return false;
  }
  if (!jmem_grow(g->ctx, &g->node, &g->node_cap, g->nnode + 1, sizeof *g->node)) return false;
  return 2 * g->nnode < g->table_size || rehash(g, 2 * g->table_size);
}

jexpr_ref jexpr_lookup(const jexpr_graph* g, jexpr_op op, jexpr_ref a, jexpr_ref b, jexpr_ref c) {
  jexpr_node n = {op, a, b, c};
  return find_fixed(g, &n, hash_node(g, &n))->ref;
}

jexpr_ref jexpr_intern(jexpr_graph* g, jexpr_op op, jexpr_ref a, jexpr_ref b, jexpr_ref c) {
  JASSERT(op < JEXPR_OP_COUNT && jexpr_ops[op].arity >= 0);
  if (!make_room(g)) return g->status < 0 ? JEXPR_POISON : fail_memory(g);
  jexpr_node n = {op, a, b, c};
  uint32_t hash = hash_node(g, &n);
  jexpr_slot* slot = find_fixed(g, &n, hash);
  if (!slot->ref) {
    *slot = (jexpr_slot){(uint32_t)g->nnode, hash};
    g->node[g->nnode++] = n;
  }
  return slot->ref;
}

jexpr_ref jexpr_intern_list(jexpr_graph* g, jexpr_op op, const jexpr_ref* arg, int n) {
  JASSERT(is_list(op) && n > 0);
  if (!make_room(g)) return g->status < 0 ? JEXPR_POISON : fail_memory(g);
  uint32_t hash = hash_list(op, arg, (uint32_t)n);
  jexpr_slot* slot = find_list(g, op, arg, (uint32_t)n, hash);
  if (slot->ref) return slot->ref;
  if (!jmem_grow(g->ctx, &g->list, &g->list_cap, g->nlist + n, sizeof *g->list)) {
    return fail_memory(g);
  }
  memcpy(g->list + g->nlist, arg, (size_t)n * sizeof *arg);
  *slot = (jexpr_slot){(uint32_t)g->nnode, hash};
  g->node[g->nnode] = (jexpr_node){op, (uint32_t)g->nlist, (uint32_t)n, 0};
  g->nlist += n;
  return (jexpr_ref)g->nnode++;
}

// ---- life --------------------------------------------------------------------------------------

jexpr_graph* jexpr_graph_create(jo_context* ctx) {
  jexpr_graph* g = jmem_resize(ctx, NULL, sizeof *g);
  if (!g) {
    jerr_memory(ctx);
    return NULL;
  }
  memset(g, 0, sizeof *g);
  g->ctx = ctx;
  g->max_nodes = INT32_MAX / 4;
  g->limit_hint = "";
  jarena_init(&g->names, ctx);
  bool ok = jmem_grow(ctx, &g->node, &g->node_cap, FIRST_TABLE_SIZE / 2, sizeof *g->node) &&
            rehash(g, FIRST_TABLE_SIZE);
  if (!ok) {
    jerr_memory(ctx);
    jexpr_graph_destroy(g);
    return NULL;
  }
  g->node[0] = (jexpr_node){JEXPR_NIL, 0, 0, 0};
  g->nnode = 1;
  return g;
}

void jexpr_graph_destroy(jexpr_graph* g) {
  if (!g) return;
  jo_context* ctx = g->ctx;
  jmem_free(ctx, g->node);
  jmem_free(ctx, g->list);
  jmem_free(ctx, g->table);
  jmem_free(ctx, g->group);
  jmem_free(ctx, g->mark);
  for (int i = 0; i < g->nbody; i++) {
    jexpr_graph_destroy(g->body[i].graph);
  }
  jmem_free(ctx, g->body);
  jarena_free(&g->names);
  jmem_free(ctx, g);
}

jo_status jexpr_graph_status(const jexpr_graph* g) {
  return g->status;
}

// ---- leaves and marks --------------------------------------------------------------------------

jexpr_ref jexpr_const(jexpr_graph* g, double value) {
  if (value == 0.0) value = 0.0;  // one zero
  if (isnan(value)) value = NAN;  // one not-a-number
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return jexpr_intern(g, JEXPR_CONST, 0, (uint32_t)bits, (uint32_t)(bits >> 32));
}

int jexpr_group(jexpr_graph* g, const char* name, int size, jexpr_vary vary) {
  JASSERT(size >= 0);
  const char* copy = jarena_strdup(&g->names, name);
  if (!copy || !jmem_grow(g->ctx, &g->group, &g->group_cap, g->ngroup + 1, sizeof *g->group)) {
    fail_memory(g);
    return -1;
  }
  g->group[g->ngroup] = (jexpr_group_info){.name = copy, .size = size, .vary = vary};
  return g->ngroup++;
}

jexpr_ref jexpr_input(jexpr_graph* g, int group, int index) {
  if (group < 0 || group >= g->ngroup || index < 0 || index >= g->group[group].size) {
    return jexpr_fail(g, g->status < 0 ? g->status
                                       : jerr_set(g->ctx, JO_ERR_ARGUMENT,
                                                  "no input %d in group %d", index, group));
  }
  return jexpr_intern(g, JEXPR_INPUT, (uint32_t)group, (uint32_t)index, 0);
}

jexpr_ref jexpr_mark(jexpr_graph* g, jexpr_ref a, const char* format, ...) {
  if (!a || jexpr_ops[g->node[a].op].class_ == JEXPR_CLASS_LEAF) return a;
  char text[MARK_LENGTH];
  va_list args;
  va_start(args, format);
  jformat_v(text, sizeof text, format, args);
  va_end(args);
  const char* copy = jarena_strdup(&g->names, text);
  if (!copy || !jmem_grow(g->ctx, &g->mark, &g->mark_cap, g->nmark + 1, sizeof *g->mark)) {
    return fail_memory(g);
  }
  g->mark[g->nmark++] = (jexpr_mark_info){a, copy};
  return a;
}

// ---- reading -----------------------------------------------------------------------------------

// ---- structural check --------------------------------------------------------------------------

static bool operands_precede(const jexpr_graph* g, jexpr_ref r) {
  for (int k = 0; k < jexpr_nargs(g, r); k++) {
    jexpr_ref a = jexpr_arg(g, r, k);
    if (a == JEXPR_POISON || a >= r) return false;
  }
  return true;
}

static bool index_finds(const jexpr_graph* g, jexpr_ref r) {
  jexpr_node n = g->node[r];
  uint32_t hash = hash_node(g, &n);
  const jexpr_slot* slot =
      is_list(n.op) ? find_list(g, n.op, g->list + n.a, n.b, hash) : find_fixed(g, &n, hash);
  return slot->ref == r;
}

static bool is_canonical(jexpr_graph* g, jexpr_ref r) {
  jexpr_node n = g->node[r];
  if (jexpr_ops[n.op].class_ == JEXPR_CLASS_LEAF || is_list(n.op)) return true;
  return jexpr_apply(g, (jexpr_op)n.op, n.a, n.b, n.c) == r;
}

jexpr_data_args jexpr_data_of(const jexpr_graph* g, jexpr_ref r) {
  int n[4];
  for (int k = 0; k < 4; k++) {
    n[k] = (int)jexpr_const_value(g, jexpr_arg(g, r, k));
  }
  return (jexpr_data_args){n[0], n[1], n[2], n[3], jexpr_arg(g, r, 4), jexpr_arg(g, r, 5)};
}

bool jexpr_graph_is_valid(jexpr_graph* g) {
  int n = g->nnode;
  for (int r = 1; r < n; r++) {
    jexpr_ref ref = (jexpr_ref)r;
    if (!operands_precede(g, ref) || !index_finds(g, ref) || !is_canonical(g, ref)) return false;
  }
  return g->nnode == n;  // rebuilding canonical nodes makes no new ones
}
