// SPDX-License-Identifier: Apache-2.0
// Elimination, order and counts. What does not reach a requested output is never visited, which is
// the elimination of superfluous equations; what is visited is put in an order in which values are
// used soon after they are made.
#include "expr/tape/schedule.h"
#include "base/assert.h"

// ---- order -------------------------------------------------------------------------------------

// Nodes that outputs depend on. A graph has many functions, so that most of its nodes belong to others.
static bool* find_reached(const jexpr_fn* fn, jarena* a) {
  const jexpr_graph* g = fn->graph;
  bool* is_reached = JARENA_ARRAY(a, g->nnode, bool);
  for (int o = 0; is_reached && o < fn->nout; o++) {
    for (int i = 0; i < fn->out[o].n; i++) {
      is_reached[fn->out[o].ref[i]] = true;
    }
  }
  for (jexpr_ref r = (jexpr_ref)g->nnode - 1; is_reached && r > 0; r--) {
    for (int k = 0; is_reached[r] && k < jexpr_nargs(g, r); k++) {
      is_reached[jexpr_arg(g, r, k)] = true;
    }
  }
  return is_reached;
}

// Values that must be alive at once to compute a node, as if nothing were shared (Sethi-Ullman):
// a guide for which operand to compute first.
static int* appetite(const jexpr_graph* g, jarena* a, const bool* is_reached) {
  int* need = JARENA_ARRAY(a, g->nnode, int);
  for (jexpr_ref r = 1; need && r < (jexpr_ref)g->nnode; r++) {
    if (!is_reached[r]) continue;
    int n = jexpr_nargs(g, r), most = 0, second = 0;
    for (int k = 0; k < n; k++) {
      int m = need[jexpr_arg(g, r, k)];
      if (m > most) {
        second = most;
        most = m;
      } else if (m > second) {
        second = m;
      }
    }
    need[r] = n == 0 ? 0 : n == 1 ? (most > 0 ? most : 1) : most > second ? most : second + 1;
  }
  return need;
}

typedef struct walk {
  const jexpr_graph* g;
  const int* need;
  bool* done;
  jexpr_ref* stack;
  jexpr_ref* order;
  int n;
} walk;

// The operand not yet computed that needs most; the later node among equals.
static jexpr_ref next_operand(const walk* w, jexpr_ref r) {
  jexpr_ref best = 0;
  for (int k = 0; k < jexpr_nargs(w->g, r); k++) {
    jexpr_ref a = jexpr_arg(w->g, r, k);
    if (w->done[a] || jexpr_nargs(w->g, a) == 0) continue;
    if (!best || w->need[a] > w->need[best] || (w->need[a] == w->need[best] && a > best)) best = a;
  }
  return best;
}

static void visit(walk* w, jexpr_ref root) {
  if (w->done[root] || jexpr_nargs(w->g, root) == 0) return;
  int depth = 0;
  w->stack[depth++] = root;
  while (depth > 0) {
    jexpr_ref r = w->stack[depth - 1];
    jexpr_ref a = next_operand(w, r);
    if (a) {
      w->stack[depth++] = a;
    } else {
      w->done[r] = true;
      w->order[w->n++] = r;
      JASSERT(w->n < w->g->nnode);
      depth--;
    }
  }
}

// Position of the last user of every node: order position, or n for an output.
static void find_last_uses(const jexpr_fn* fn, const jexpr_schedule* s, int* position,
                           int* last_use) {
  const jexpr_graph* g = fn->graph;
  for (int i = 0; i < s->n; i++) {
    position[s->order[i]] = i + 1;  // 0: not listed
    last_use[i] = i;
  }
  for (int i = 0; i < s->n; i++) {
    for (int k = 0; k < jexpr_nargs(g, s->order[i]); k++) {
      int p = position[jexpr_arg(g, s->order[i], k)];
      if (p) last_use[p - 1] = i;
    }
  }
  for (int o = 0; o < fn->nout; o++) {
    for (int i = 0; i < fn->out[o].n; i++) {
      int p = position[fn->out[o].ref[i]];
      if (p) last_use[p - 1] = s->n;
    }
  }
}

// Most values alive at once. An output is stored when made: it counts until its last use inside.
static int count_live(const jexpr_graph* g, const jexpr_schedule* s, const int* position,
                      int* last_inside) {
  for (int i = 0; i < s->n; i++) {
    last_inside[i] = i;
    for (int k = 0; k < jexpr_nargs(g, s->order[i]); k++) {
      int p = position[jexpr_arg(g, s->order[i], k)];
      if (p) last_inside[p - 1] = i;
    }
  }
  int live = 0, most = 0;
  for (int i = 0; i < s->n; i++) {
    live++;
    if (live > most) most = live;
    for (int k = 0; k < jexpr_nargs(g, s->order[i]); k++) {
      int p = position[jexpr_arg(g, s->order[i], k)];
      if (p && last_inside[p - 1] == i) {
        last_inside[p - 1] = -1;  // counted once, also when used twice here
        live--;
      }
    }
    if (last_inside[i] == i) live--;
  }
  return most;
}

static jo_status analyse(jarena* a, const jexpr_fn* fn, jexpr_schedule* s) {
  int* position = JARENA_ARRAY(a, fn->graph->nnode, int);
  int* scratch = JARENA_ARRAY(a, s->n, int);
  s->last_use = JARENA_ARRAY(a, s->n, int);
  if (!position || !scratch || !s->last_use) return jerr_memory(a->ctx);
  find_last_uses(fn, s, position, s->last_use);
  s->max_live = count_live(fn->graph, s, position, scratch);
  return JO_OK;
}

// The same nodes in the order in which the formalism made them.
static jo_status creation_order(jarena* a, const jexpr_fn* fn, const bool* done, int n,
                                jexpr_schedule* s) {
  s->n = 0;
  s->order = JARENA_ARRAY(a, n, jexpr_ref);
  if (!s->order) return jerr_memory(a->ctx);
  for (jexpr_ref r = 1; r < (jexpr_ref)fn->graph->nnode; r++) {
    if (done[r]) s->order[s->n++] = r;
  }
  return analyse(a, fn, s);
}

// Nodes that depend on inputs that keep their order; NULL in *out: there are none.
static jo_status find_ordered(const jexpr_graph* g, jarena* a, const bool* is_reached, bool** out) {
  bool any = false;
  for (int i = 0; i < g->ngroup; i++) {
    any = any || g->group[i].keeps_order;
  }
  *out = NULL;
  if (!any) return JO_OK;
  bool* is_ordered = JARENA_ARRAY(a, g->nnode, bool);
  if (!is_ordered) return jerr_memory(a->ctx);
  for (jexpr_ref r = 1; r < (jexpr_ref)g->nnode; r++) {
    if (!is_reached[r]) continue;
    const jexpr_node* n = &g->node[r];
    is_ordered[r] = n->op == JEXPR_INPUT && g->group[n->a].keeps_order;
    for (int k = 0; k < jexpr_nargs(g, r); k++) {
      is_ordered[r] = is_ordered[r] || is_ordered[jexpr_arg(g, r, k)];
    }
  }
  *out = is_ordered;
  return JO_OK;
}

jo_status jexpr_schedule_build(jarena* a, const jexpr_fn* fn, jexpr_schedule* out) {
  const jexpr_graph* g = fn->graph;
  JO_TRY(g->status);
  bool* is_reached = find_reached(fn, a);
  if (!is_reached) return jerr_memory(a->ctx);
  walk w = {.g = g, .need = appetite(g, a, is_reached)};
  w.done = JARENA_ARRAY(a, g->nnode, bool);
  w.stack = JARENA_ARRAY(a, g->nnode, jexpr_ref);
  w.order = JARENA_ARRAY(a, g->nnode, jexpr_ref);
  if (!w.need || !w.done || !w.stack || !w.order) return jerr_memory(a->ctx);
  bool* ordered;
  JO_TRY(find_ordered(g, a, is_reached, &ordered));
  for (jexpr_ref r = 1; ordered && r < (jexpr_ref)g->nnode; r++) {
    if (ordered[r]) visit(&w, r);
  }
  for (int o = 0; o < fn->nout; o++) {
    for (int i = 0; i < fn->out[o].n; i++) {
      if (!fn->out[o].ref[i]) {
        return jerr_set(g->ctx, JO_ERR_ARGUMENT, "function '%s': output %s[%d] is undefined",
                        fn->name, fn->out[o].name, i);
      }
      visit(&w, fn->out[o].ref[i]);
    }
  }
  jexpr_schedule depth_first = {.n = w.n, .order = w.order}, creation;
  JO_TRY(analyse(a, fn, &depth_first));
  JO_TRY(creation_order(a, fn, w.done, w.n, &creation));
  *out = !ordered && creation.max_live < depth_first.max_live ? creation : depth_first;
  return JO_OK;
}

// ---- counts ------------------------------------------------------------------------------------

static int* counter_of(jexpr_counts* c, uint32_t op) {
  switch (op) {
    case JEXPR_ADD: return &c->add;
    case JEXPR_SUB:
    case JEXPR_NEG: return &c->sub;
    case JEXPR_MUL: return &c->mul;
    case JEXPR_DIV: return &c->div;
    case JEXPR_SQRT: return &c->root;
    case JEXPR_SIN:
    case JEXPR_COS:
    case JEXPR_TAN:
    case JEXPR_ASIN:
    case JEXPR_ACOS:
    case JEXPR_ATAN:
    case JEXPR_ATAN2: return &c->trig;
    case JEXPR_LOCATE:
    case JEXPR_PICK:
    case JEXPR_DATA: return &c->lookup;
    default: break;
  }
  return jexpr_ops[op].class_ == JEXPR_CLASS_FUNC ? &c->func : &c->logic;
}

jexpr_counts jexpr_count(const jexpr_graph* g, const jexpr_schedule* s) {
  jexpr_counts c = {0};
  for (int i = 0; i < s->n; i++) {
    ++*counter_of(&c, g->node[s->order[i]].op);
  }
  c.total = s->n;
  return c;
}

jo_status jexpr_count_expanded(jarena* a, const jexpr_fn* fn, double* add_sub_mul) {
  const jexpr_graph* g = fn->graph;
  double* size = JARENA_ARRAY(a, g->nnode, double);
  if (!size) return jerr_memory(g->ctx);
  for (jexpr_ref r = 1; r < (jexpr_ref)g->nnode; r++) {
    uint32_t op = g->node[r].op;
    bool counts = op == JEXPR_ADD || op == JEXPR_SUB || op == JEXPR_MUL || op == JEXPR_NEG;
    size[r] = counts;
    for (int k = 0; k < jexpr_nargs(g, r); k++) {
      size[r] += size[jexpr_arg(g, r, k)];
    }
  }
  *add_sub_mul = 0.0;
  for (int o = 0; o < fn->nout; o++) {
    for (int i = 0; i < fn->out[o].n; i++) {
      *add_sub_mul += size[fn->out[o].ref[i]];
    }
  }
  return JO_OK;
}

jexpr_equations jexpr_count_equations(const jexpr_graph* g, const jexpr_schedule* s,
                                      jarena* scratch) {
  jexpr_equations e = {.generated = g->nmark};
  jarena_mark mark = jarena_save(scratch);
  bool* kept = JARENA_ARRAY(scratch, g->nnode, bool);
  for (int i = 0; kept && i < s->n; i++) {
    kept[s->order[i]] = true;
  }
  for (int i = 0; kept && i < g->nmark; i++) {
    e.kept += kept[g->mark[i].ref];
    kept[g->mark[i].ref] = false;  // an equation that repeats another is superfluous too
  }
  jarena_restore(scratch, mark);
  return e;
}
