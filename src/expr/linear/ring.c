// SPDX-License-Identifier: Apache-2.0
// An order of groups that is kept while groups are joined.
#include "expr/linear/ring.h"

#include <string.h>

jo_status jexpr_rings_open(jarena* a, const jexpr_graph* g, const jexpr_schedule* s,
                           jexpr_rings* out) {
  jexpr_rings r = {.g = g};
  r.place = JARENA_ARRAY(a, g->nnode, int);
  r.next = JARENA_ARRAY(a, g->nnode, jexpr_ref);
  r.stack = JARENA_ARRAY(a, g->nnode, jexpr_ref);
  r.last = JARENA_ARRAY(a, s->n, jexpr_ref);
  r.moved = JARENA_ARRAY(a, s->n, jexpr_ref);
  r.is_below = JARENA_ARRAY(a, s->n, bool);
  if (!r.place || !r.next || !r.stack || !r.last || !r.moved || !r.is_below) {
    return jerr_memory(a->ctx);
  }
  for (int i = 0; i < g->nnode; i++)
    r.place[i] = -1;
  for (int i = 0; i < s->n; i++)
    r.place[s->order[i]] = 0;
  // by creation: what repeats stands closer together than depth first
  for (int i = 0, n = 0; i < g->nnode; i++) {
    if (r.place[i] < 0) continue;
    r.place[i] = n;
    r.next[i] = r.last[n++] = (jexpr_ref)i;
  }
  *out = r;
  return JO_OK;
}

// Puts the operands of a node on the stack that stand at `first` or behind it and were not seen.
static int add_operands(jexpr_rings* r, jexpr_ref node, int first, int depth) {
  for (int k = 0; k < jexpr_nargs(r->g, node); k++) {
    jexpr_ref below = jexpr_arg(r->g, node, k);
    int at = r->place[below];
    if (at < first || r->is_below[at]) continue;
    r->is_below[at] = true;
    r->stack[depth++] = r->last[at];
  }
  return depth;
}

// Marks the groups from `first` on that the one at `place` waits for, itself too.
static void mark_below(jexpr_rings* r, int place, int first) {
  int depth = 0;
  r->is_below[place] = true;
  r->stack[depth++] = r->last[place];
  while (depth > 0) {
    jexpr_ref last = r->stack[--depth], node = last;
    do {
      node = r->next[node];
      depth = add_operands(r, node, first, depth);
    } while (node != last);
  }
}

static void put_group(jexpr_rings* r, jexpr_ref last, int place) {
  jexpr_ref node = last;
  r->last[place] = last;
  do {
    node = r->next[node];
    r->place[node] = place;
  } while (node != last);
}

// What the group at `b` waits for, then the group of both, then the others.
static void move_groups(jexpr_rings* r, int a, int b) {
  int n = 0, place = a;
  jexpr_ref first = r->last[a], second = r->last[b], after = r->next[first];
  for (int i = a + 1; i < b; i++) {
    if (!r->is_below[i] && r->last[i]) r->moved[n++] = r->last[i];
  }
  for (int i = a + 1; i < b; i++) {
    if (r->is_below[i]) put_group(r, r->last[i], place++);
  }
  r->next[first] = r->next[second];
  r->next[second] = after;
  put_group(r, second, place++);
  for (int i = 0; i < n; i++)
    put_group(r, r->moved[i], place++);
  while (place <= b)
    r->last[place++] = 0;
}

static bool join_two(jexpr_rings* r, jexpr_ref x, jexpr_ref y) {
  int a = r->place[x] < r->place[y] ? r->place[x] : r->place[y];
  int b = r->place[x] < r->place[y] ? r->place[y] : r->place[x];
  if (a == b) return true;
  mark_below(r, b, a);
  bool is_ring = r->is_below[a];
  if (!is_ring) move_groups(r, a, b);
  memset(r->is_below + a, 0, (size_t)(b - a + 1) * sizeof *r->is_below);
  return !is_ring;
}

bool jexpr_rings_join(jexpr_rings* r, const jexpr_ref* node, int n) {
  for (int i = 1; i < n; i++) {
    if (!join_two(r, node[0], node[i])) return false;
  }
  return true;
}
