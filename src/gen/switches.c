// SPDX-License-Identifier: Apache-2.0
// Conditions as modes. With its modes held the right-hand side is smooth, so a step never straddles
// a discontinuity; the driver watches the switching functions and flips modes where they cross zero.
#include "gen/switches.h"

#include "expr/rewrite.h"

typedef struct extraction {
  jarena* a;
  int group_t, group_y, group_mode;
  jgen_switch_set set;
  bool* varies;  // node depends on t or y; grown with the graph
  int nvaries, varies_cap;
} extraction;

// Whether a node depends on time or state; flags are kept up to the newest node.
static bool varies(extraction* x, jexpr_graph* g, jexpr_ref r) {
  if (!jmem_grow(g->ctx, &x->varies, &x->varies_cap, g->nnode, sizeof *x->varies)) {
    g->status = jerr_memory(g->ctx);
    return false;
  }
  for (; x->nvaries < g->nnode; x->nvaries++) {
    jexpr_ref k = (jexpr_ref)x->nvaries;
    const jexpr_node* n = &g->node[k];
    bool v = n->op == JEXPR_INPUT && ((int)n->a == x->group_t || (int)n->a == x->group_y);
    for (int i = 0; !v && i < jexpr_nargs(g, k); i++) {
      v = x->varies[jexpr_arg(g, k, i)];
    }
    x->varies[k] = v;
  }
  return x->varies[r];
}

static const char* describe(const jexpr_graph* g, jexpr_ref r) {
  for (int i = 0; i < g->nmark; i++) {
    if (g->mark[i].ref == r) return g->mark[i].text;
  }
  return NULL;
}

static const char* text_of(extraction* x, const jexpr_graph* g, jexpr_ref r) {
  const char* text = describe(g, r);
  const jexpr_node* n = &g->node[r];
  if (!text && (n->op == JEXPR_NEG || n->op == JEXPR_ADD || n->op == JEXPR_SUB)) {
    text = describe(g, n->a);
    if (!text && n->op != JEXPR_NEG) text = describe(g, n->b);
  }
  bool time = n->op == JEXPR_ADD || n->op == JEXPR_SUB;
  for (int i = 0; time && i < 2; i++) {
    const jexpr_node* k = &g->node[i ? n->b : n->a];
    bool is_t = k->op == JEXPR_INPUT && (int)k->a == x->group_t;
    if (is_t && jexpr_is_const(g, i ? n->a : n->b)) {
      double c = jexpr_const_value(g, i ? n->a : n->b);
      return jarena_printf(x->a, "time %.6g s", c < 0.0 ? -c : c);
    }
  }
  return text ? text : jarena_printf(x->a, "condition %d", x->set.n + 1);
}

// The mode that is 1 where d > 0; *inverted when an existing switch watches -d.
static jexpr_ref mode_of(extraction* x, jexpr_graph* g, jexpr_ref d, bool* inverted) {
  jexpr_ref minus = jexpr_neg(g, d);
  for (int k = 0; k < x->set.n; k++) {
    *inverted = x->set.sw[k].g == minus;
    if (x->set.sw[k].g == d || *inverted) return jexpr_input(g, x->group_mode, k);
  }
  *inverted = false;
  if (!jmem_grow(g->ctx, &x->set.sw, &x->set.cap, x->set.n + 1, sizeof *x->set.sw)) {
    g->status = jerr_memory(g->ctx);
    return JEXPR_POISON;
  }
  g->group[x->group_mode].size = x->set.n + 1;
  x->set.sw[x->set.n] = (jgen_switch){d, text_of(x, g, d)};
  return jexpr_input(g, x->group_mode, x->set.n++);
}

// where d > 0: a, else b
static jexpr_ref choose(extraction* x, jexpr_graph* g, jexpr_ref d, jexpr_ref a, jexpr_ref b) {
  bool inverted;
  jexpr_ref mode = mode_of(x, g, d, &inverted);
  return inverted ? jexpr_select(g, mode, b, a) : jexpr_select(g, mode, a, b);
}

static jexpr_ref replace(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  (void)r;
  extraction* x = user;
  if (!rebuilt) return rebuilt;
  const jexpr_node n = g->node[rebuilt];
  bool condition = n.op == JEXPR_LT || n.op == JEXPR_LE || n.op == JEXPR_MIN || n.op == JEXPR_MAX ||
                   n.op == JEXPR_ABS || n.op == JEXPR_SIGN;
  if (!condition || !varies(x, g, rebuilt)) return rebuilt;
  jexpr_ref one = jexpr_const(g, 1.0), zero = jexpr_const(g, 0.0);
  switch (n.op) {
    case JEXPR_LT:
    case JEXPR_LE: return choose(x, g, jexpr_sub(g, n.b, n.a), one, zero);
    case JEXPR_MIN: return choose(x, g, jexpr_sub(g, n.b, n.a), n.a, n.b);
    case JEXPR_MAX: return choose(x, g, jexpr_sub(g, n.a, n.b), n.a, n.b);
    case JEXPR_ABS: return choose(x, g, n.a, n.a, jexpr_neg(g, n.a));
    default: return choose(x, g, n.a, one, jexpr_const(g, -1.0));
  }
}

jo_status jgen_extract_switches(jexpr_graph* g, jarena* a, int group_t, int group_y, int group_mode,
                                jexpr_ref* refs, int n, jgen_switch_set* out) {
  extraction x = {.a = a, .group_t = group_t, .group_y = group_y, .group_mode = group_mode};
  jo_status status = jexpr_rewrite(g, replace, &x, refs, n);
  if (status == JO_OK) {
    out->n = x.set.n;
    out->sw = JARENA_ARRAY(a, x.set.n + 1, jgen_switch);
    for (int k = 0; out->sw && k < x.set.n; k++) {
      out->sw[k] = x.set.sw[k];
    }
    if (!out->sw) status = g->status = jerr_memory(g->ctx);
  }
  jmem_free(g->ctx, x.varies);
  jmem_free(g->ctx, x.set.sw);
  return status;
}
