// SPDX-License-Identifier: Apache-2.0
#include "expr/linear/cut.h"

#include "expr/rewrite.h"
#include "expr/tape/schedule.h"

#define MADE_AGAIN 0x7fffffff  // a slot

typedef struct cut {
  jexpr_graph* g;
  int nnode;      // of the graph before anything was written
  bool* is_late;  // by node
  int* slot;      // by node: its input among those that stand for what is kept; -1: none
  int nkept, group;
  int* rank;  // of these inputs
} cut;

static void find_late(cut* c, bool (*is_late)(const jexpr_node* input)) {
  const jexpr_graph* g = c->g;
  for (jexpr_ref r = 1; r < (jexpr_ref)c->nnode; r++) {
    c->slot[r] = -1;
    c->is_late[r] = g->node[r].op == JEXPR_INPUT && is_late(&g->node[r]);
    for (int k = 0; k < jexpr_nargs(g, r); k++) {
      c->is_late[r] = c->is_late[r] || c->is_late[jexpr_arg(g, r, k)];
    }
  }
}

// Signs cost nothing.
static jexpr_ref bare(const jexpr_graph* g, jexpr_ref r) {
  while (g->node[r].op == JEXPR_NEG) {
    r = g->node[r].a;
  }
  return r;
}

// Leaves are at hand.
static void keep(cut* c, jexpr_ref r) {
  r = bare(c->g, r);
  if (jexpr_nargs(c->g, r) > 0 && !c->is_late[r] && c->slot[r] < 0) c->slot[r] = 0;
}

static bool is_at_hand(const cut* c, jexpr_ref r) {
  r = bare(c->g, r);
  return jexpr_nargs(c->g, r) == 0 || c->slot[r] >= 0;
}

// A sum or a product of what is at hand in the second part is made there.
static bool is_made_again(const cut* c, jexpr_ref r) {
  const jexpr_node* n = &c->g->node[r];
  bool is_cheap = n->op == JEXPR_ADD || n->op == JEXPR_SUB || n->op == JEXPR_MUL;
  return is_cheap && is_at_hand(c, n->a) && is_at_hand(c, n->b);
}

static void find_kept(cut* c, const bool* need, const jexpr_ref* y, int n) {
  const jexpr_graph* g = c->g;
  for (jexpr_ref r = 1; r < (jexpr_ref)c->nnode; r++) {
    for (int k = 0; need[r] && c->is_late[r] && k < jexpr_nargs(g, r); k++) {
      keep(c, jexpr_arg(g, r, k));
    }
  }
  for (int i = 0; i < n; i++) {
    keep(c, y[i]);
  }
  for (jexpr_ref r = 1; r < (jexpr_ref)c->nnode; r++) {
    if (c->slot[r] >= 0) c->slot[r] = is_made_again(c, r) ? MADE_AGAIN : c->nkept++;
  }
}

static bool is_kept(const cut* c, jexpr_ref r) {
  return c->slot[r] >= 0 && c->slot[r] != MADE_AGAIN;
}

static jexpr_ref stand_in(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const cut* c = user;
  return is_kept(c, r) ? jexpr_input(g, c->group, c->slot[r]) : rebuilt;
}

static jexpr_ref renumber(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const cut* c = user;
  const jexpr_node n = g->node[r];
  if (n.op != JEXPR_INPUT || n.a != (uint32_t)c->group) return rebuilt;
  return jexpr_input(g, c->group, c->rank[n.b]);
}

// Where inputs of the group stand among those that the second part reads, in the order in which it does.
static jo_status rank_kept(cut* c, jarena* a, const jexpr_ref* y, int n) {
  const jexpr_outputs out = {"y", n, y};
  const jexpr_fn fn = {"late", c->g, 1, &out};
  jexpr_schedule s;
  int next = 0;
  c->rank = JARENA_ARRAY(a, c->nkept, int);
  if (!c->rank) return jerr_memory(c->g->ctx);
  JO_TRY(jexpr_schedule_build(a, &fn, &s));
  for (int i = 0; i < c->nkept; i++) {
    c->rank[i] = -1;
  }
  for (int i = 0; i < s.n; i++) {
    for (int k = 0; k < jexpr_nargs(c->g, s.order[i]); k++) {
      const jexpr_node* x = &c->g->node[jexpr_arg(c->g, s.order[i], k)];
      bool stands_in = x->op == JEXPR_INPUT && x->a == (uint32_t)c->group;
      if (stands_in && c->rank[x->b] < 0) c->rank[x->b] = next++;
    }
  }
  for (int i = 0; i < c->nkept; i++) {  // those that are outputs
    if (c->rank[i] < 0) c->rank[i] = next++;
  }
  return JO_OK;
}

static jo_status work(cut* c, jarena* a, jarena* scratch, jexpr_ref* y, int n, jexpr_ref** kept) {
  *kept = JARENA_ARRAY(a, c->nkept, jexpr_ref);
  if (!*kept) return jerr_memory(c->g->ctx);
  jexpr_group_info* group = &c->g->group[c->group];
  if (group->size < c->nkept) group->size = c->nkept;
  JO_TRY(jexpr_rewrite(c->g, stand_in, c, y, n));
  JO_TRY(rank_kept(c, scratch, y, n));
  for (jexpr_ref r = 1; r < (jexpr_ref)c->nnode; r++) {
    if (is_kept(c, r)) (*kept)[c->rank[c->slot[r]]] = r;
  }
  return jexpr_rewrite(c->g, renumber, c, y, n);
}

jo_status jexpr_cut(jexpr_graph* g, jarena* a, bool (*is_late)(const jexpr_node* input), int group,
                    jexpr_ref* y, int n, jexpr_ref** kept, int* nkept) {
  JO_TRY(g->status);
  cut c = {.g = g, .nnode = g->nnode, .group = group};
  jarena scratch;
  jarena_init(&scratch, g->ctx);
  c.is_late = JARENA_ARRAY(&scratch, c.nnode, bool);
  c.slot = JARENA_ARRAY(&scratch, c.nnode, int);
  bool* need = jexpr_needed_by(g, &scratch, y, n);
  jo_status status = c.is_late && c.slot && need ? JO_OK : jerr_memory(g->ctx);
  if (status >= 0) {
    find_late(&c, is_late);
    find_kept(&c, need, y, n);
    status = work(&c, a, &scratch, y, n, kept);
    *nkept = c.nkept;
  }
  jarena_free(&scratch);
  return status;
}
