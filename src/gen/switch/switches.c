// SPDX-License-Identifier: Apache-2.0
// Conditions as modes. With its modes held the right-hand side is smooth, so a step never straddles
// a discontinuity; the driver watches the switching functions and flips modes where they cross zero.
#include "gen/switch/switches.h"

#include <string.h>

#include "expr/rewrite.h"
#include "expr/solve.h"
#include "expr/whole.h"

#define MOST_TEXT 40  // characters of an expression in a name

typedef struct extraction {
  jarena* a;
  const jgen_switch_inputs* in;
  jgen_switch_set set;
  bool* varies;  // node changes between events; grown with the graph
  int nvaries, varies_cap;
  int named;          // nodes before anything was replaced, and of each ...
  const char** mark;  // ... its name, NULL: none
  jexpr_ref* owner;   // ... the first named node that depends on it, or itself; 0: none
} extraction;

static bool is_moving(const extraction* x, const jexpr_node* n) {
  if (n->op != JEXPR_INPUT) return false;
  if ((int)n->a == x->in->y) return !x->in->is_discrete || !x->in->is_discrete[n->b];
  return (int)n->a == x->in->t;
}

// Whether a node changes with time or state between events, where modes and discrete states stay; flags are kept up to the
// newest node. What does not is evaluated as it is written. Floors have modes by then, and jump with these.
static bool varies(extraction* x, jexpr_graph* g, jexpr_ref r) {
  if (!jmem_grow(g->ctx, &x->varies, &x->varies_cap, g->nnode, sizeof *x->varies)) {
    g->status = jerr_memory(g->ctx);
    return false;
  }
  for (; x->nvaries < g->nnode; x->nvaries++) {
    jexpr_ref k = (jexpr_ref)x->nvaries;
    const jexpr_node* n = &g->node[k];
    bool v = is_moving(x, n), jumps = n->op == JEXPR_FLOOR;
    for (int i = 0; !v && !jumps && i < jexpr_nargs(g, k); i++) {
      v = x->varies[jexpr_arg(g, k, i)];
    }
    x->varies[k] = v;
  }
  return x->varies[r];
}

// ---- names ---------------------------------------------------------------------------------------

// For every node of the graph as it was: its own mark, and the first marked equation that uses it.
static jo_status find_owners(extraction* x, jexpr_graph* g) {
  int n = g->nnode;
  x->named = n;
  x->mark = JARENA_ARRAY(x->a, n, const char*);
  x->owner = JARENA_ARRAY(x->a, n, jexpr_ref);
  if (!x->mark || !x->owner) return g->status = jerr_memory(g->ctx);
  for (int i = g->nmark - 1; i >= 0; i--) {
    x->mark[g->mark[i].ref] = g->mark[i].text;
  }
  // users stand behind what they use
  for (int k = n - 1; k > 0; k--) {
    if (x->mark[k]) x->owner[k] = (jexpr_ref)k;
    jexpr_ref owner = x->owner[k];
    for (int i = 0; owner && i < jexpr_nargs(g, (jexpr_ref)k); i++) {
      jexpr_ref arg = jexpr_arg(g, (jexpr_ref)k, i);
      if (!x->owner[arg] || owner < x->owner[arg]) x->owner[arg] = owner;
    }
  }
  return JO_OK;
}

// What may stand in a name: a marked equation or a number.
static const char* describe(extraction* x, const jexpr_graph* g, jexpr_ref r) {
  if ((int)r < x->named && x->mark[r]) return x->mark[r];
  return jexpr_is_const(g, r) ? jarena_printf(x->a, "%.6g", jexpr_const_value(g, r)) : NULL;
}

static bool is_time(const extraction* x, const jexpr_graph* g, jexpr_ref r) {
  return g->node[r].op == JEXPR_INPUT && (int)g->node[r].a == x->in->t;
}

// A floor by the expression of the file in which it stands; NULL: it was not written there, or no memory.
static const char* text_of_floor(extraction* x, jexpr_ref r) {
  int i = 0;
  while (i < x->in->nfloor && x->in->floor[i].ref != r)
    i++;
  if (i == x->in->nfloor) return NULL;
  const jmodel_scalar* s = x->in->floor[i].text;
  const char *file = s->place.file ? s->place.file : "", *name = strrchr(file, '/');
  bool is_long = strlen(s->text) > MOST_TEXT, is_own = strcmp(file, x->in->path) == 0;
  return jarena_printf(x->a, "floor in %.*s%s (line %d%s%.30s)", MOST_TEXT, s->text,
                       is_long ? "..." : "", s->place.line, is_own ? "" : " of ",
                       is_own ? ""
                       : name ? name + 1
                              : file);
}

// The node `r` of the original graph makes a switch that is on where `more` exceeds `less`.
static const char* text_of(extraction* x, const jexpr_graph* g, jexpr_ref r, jexpr_ref more,
                           jexpr_ref less) {
  if (is_time(x, g, more) && jexpr_is_const(g, less)) {
    return jarena_printf(x->a, "time > %.6g s", jexpr_const_value(g, less));
  }
  if (is_time(x, g, less) && jexpr_is_const(g, more)) {
    return jarena_printf(x->a, "time < %.6g s", jexpr_const_value(g, more));
  }
  const char *p = describe(x, g, more), *n = describe(x, g, less);
  if (p && n) {
    bool turn = jexpr_is_const(g, more);
    return jarena_printf(x->a, "%s %c %s", turn ? n : p, turn ? '<' : '>', turn ? p : n);
  }
  const char* written = g->node[r].op == JEXPR_FLOOR ? text_of_floor(x, r) : NULL;
  if (written) return written;
  jexpr_ref owner = (int)r < x->named ? x->owner[r] : JEXPR_POISON;
  if (!owner) return jarena_printf(x->a, "condition %d", x->set.n + 1);
  uint32_t op = g->node[r].op;
  const char* word = op == JEXPR_MIN || op == JEXPR_MAX    ? "limit"
                     : op == JEXPR_ABS || op == JEXPR_SIGN ? "sign"
                     : op == JEXPR_FLOOR                   ? "whole number"
                                                           : "condition";
  return jarena_printf(x->a, "%s, %s", x->mark[owner], word);
}

// Several switches of one name get numbers, from the second on.
static const char* unique(extraction* x, const char* text) {
  int same = 0;
  size_t length = text ? strlen(text) : 0;
  for (int k = 0; text && k < x->set.n; k++) {
    const char* other = x->set.sw[k].text;
    same += other && strncmp(other, text, length) == 0 && (!other[length] || other[length] == ' ');
  }
  return same > 0 ? jarena_printf(x->a, "%s %d", text, same + 1) : text;
}

// ---- modes ---------------------------------------------------------------------------------------

// A condition: on where more - less > 0; the originals are what it was before anything was replaced. Where both are equal
// its mode is 0 (jsolve_set_modes): where that makes a difference the condition is strict, and no switch of -d stands for
// it, which would be on there.
typedef struct condition {
  jexpr_ref original, more, less;
  jexpr_ref original_more, original_less;
  bool is_strict;
} condition;

// The mode that is 1 where d = more - less > 0; *inverted when an existing switch watches -d.
static jexpr_ref mode_of(extraction* x, jexpr_graph* g, const condition* c, bool* inverted) {
  jexpr_ref d = jexpr_sub(g, c->more, c->less), minus = jexpr_neg(g, d);
  for (int k = 0; k < x->set.n; k++) {
    *inverted = !c->is_strict && x->set.sw[k].g == minus;
    if (x->set.sw[k].g == d || *inverted) return jexpr_input(g, x->in->mode, k);
  }
  *inverted = false;
  if (!jmem_grow(g->ctx, &x->set.sw, &x->set.cap, x->set.n + 1, sizeof *x->set.sw)) {
    g->status = jerr_memory(g->ctx);
    return JEXPR_POISON;
  }
  const char* text = unique(x, text_of(x, g, c->original, c->original_more, c->original_less));
  if (!text) {
    g->status = jerr_memory(g->ctx);
    return JEXPR_POISON;
  }
  g->group[x->in->mode].size = x->set.n + 1;
  x->set.sw[x->set.n] = (jgen_switch){.g = d, .text = text};
  return jexpr_input(g, x->in->mode, x->set.n++);
}

// where more > less: a, else b
static jexpr_ref choose(extraction* x, jexpr_graph* g, const condition* c, jexpr_ref a,
                        jexpr_ref b) {
  bool inverted;
  jexpr_ref mode = mode_of(x, g, c, &inverted);
  return inverted ? jexpr_select(g, mode, b, a) : jexpr_select(g, mode, a, b);
}

// (E10), (E11)  floor(u) with its jump held; docs/theory/discrete.md
static jexpr_ref hold_floor(extraction* x, jexpr_graph* g, jexpr_ref r, jexpr_ref u) {
  jexpr_ref margin = jexpr_whole_margin(g, u), zero = jexpr_const(g, 0.0);
  condition is_odd = {r, margin, zero, margin, zero, true};
  bool is_inverted;
  jexpr_ref mode = mode_of(x, g, &is_odd, &is_inverted);
  if (mode && !is_inverted) x->set.sw[g->node[mode].b].whole = u;
  return jexpr_whole_held(g, u, mode);
}

// ---- unknowns ------------------------------------------------------------------------------------

// Modes of conditions inside of an equation are numbered before its solution is known, on which they depend.
static jexpr_ref new_mode(void* user, jexpr_graph* g, int k) {
  const extraction* x = user;
  g->group[x->in->mode].size = x->set.n + k + 1;
  return jexpr_input(g, x->in->mode, x->set.n + k);
}

static jexpr_ref hold_conditions(extraction* x, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  jexpr_condition* c;
  int n;
  jexpr_ref held = jexpr_solve_hold(g, x->a, rebuilt, new_mode, x, &c, &n);
  if (!jmem_grow(g->ctx, &x->set.sw, &x->set.cap, x->set.n + n, sizeof *x->set.sw)) {
    g->status = jerr_memory(g->ctx);
    return JEXPR_POISON;
  }
  for (int k = 0; held && k < n; k++) {
    const char* text = unique(x, text_of(x, g, r, c[k].more, c[k].less));
    if (!text) {
      g->status = jerr_memory(g->ctx);
      return JEXPR_POISON;
    }
    x->set.sw[x->set.n++] = (jgen_switch){.g = jexpr_sub(g, c[k].more, c[k].less), .text = text};
  }
  return held;
}

// min, max and abs may choose by either side: by the one of a comparison of the same, so that they share its switch.
static bool is_turned(const jexpr_graph* g, const condition* c) {
  return jexpr_is_compared(g, c->less, c->more) ||
         jexpr_is_compared(g, c->original_less, c->original_more);
}

// where more > less: a, else b; where they are equal, a and b are
static jexpr_ref choose_either(extraction* x, jexpr_graph* g, condition c, jexpr_ref a,
                               jexpr_ref b) {
  condition turned = {c.original, c.less, c.more, c.original_less, c.original_more, false};
  return is_turned(g, &c) ? choose(x, g, &turned, b, a) : choose(x, g, &c, a, b);
}

// Whether the node is a choice by a condition that may change inside of a step.
static bool is_choice(extraction* x, jexpr_graph* g, jexpr_ref r) {
  switch (g->node[r].op) {
    case JEXPR_LT:
    case JEXPR_LE:
    case JEXPR_MIN:
    case JEXPR_MAX:
    case JEXPR_ABS:
    case JEXPR_SIGN:
    case JEXPR_EQ: return varies(x, g, r);
    default: return false;
  }
}

// docs/theory/integration.md eq. (I13): every operator by what it is where a > b and where b > a, and else
static jexpr_ref replace(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  extraction* x = user;
  if (!rebuilt) return rebuilt;
  const jexpr_node n = g->node[rebuilt], o = g->node[r];
  if (n.op == JEXPR_SOLVE) return hold_conditions(x, g, r, rebuilt);
  if (n.op == JEXPR_FLOOR) return varies(x, g, n.a) ? hold_floor(x, g, r, n.a) : rebuilt;
  if (!is_choice(x, g, rebuilt)) return rebuilt;
  jexpr_ref one = jexpr_const(g, 1.0), zero = jexpr_const(g, 0.0), minus = jexpr_const(g, -1.0);
  // rebuilding may have simplified the node to another kind
  bool same = o.op == n.op, is_strict = n.op != JEXPR_MIN && n.op != JEXPR_MAX;
  condition a_over_b = {r, n.a, n.b, same ? o.a : n.a, same ? o.b : n.b, is_strict};
  condition b_over_a = {r, n.b, n.a, same ? o.b : n.b, same ? o.a : n.a, is_strict};
  condition positive = {r, n.a, zero, same ? o.a : n.a, zero, n.op == JEXPR_SIGN};
  condition negative = {r, zero, n.a, zero, same ? o.a : n.a, true};
  switch (n.op) {
    case JEXPR_LT: return choose(x, g, &b_over_a, one, zero);
    case JEXPR_LE: return choose(x, g, &a_over_b, zero, one);
    case JEXPR_EQ: return choose(x, g, &a_over_b, zero, choose(x, g, &b_over_a, zero, one));
    case JEXPR_MIN: return choose_either(x, g, b_over_a, n.a, n.b);
    case JEXPR_MAX: return choose_either(x, g, a_over_b, n.a, n.b);
    case JEXPR_ABS: return choose_either(x, g, positive, n.a, jexpr_neg(g, n.a));
    default: return choose(x, g, &positive, one, choose(x, g, &negative, minus, zero));
  }
}

jo_status jgen_extract_switches(jexpr_graph* g, jarena* a, const jgen_switch_inputs* in,
                                jexpr_ref* refs, int n, jgen_switch_set* out) {
  extraction x = {.a = a, .in = in};
  JO_TRY(find_owners(&x, g));
  jo_status status = jexpr_rewrite(g, replace, &x, refs, n);
  if (status == JO_OK) {
    out->n = x.set.n;
    out->sw = JARENA_ARRAY(a, x.set.n, jgen_switch);
    for (int k = 0; out->sw && k < x.set.n; k++) {
      out->sw[k] = x.set.sw[k];
    }
    if (!out->sw) status = g->status = jerr_memory(g->ctx);
  }
  jmem_free(g->ctx, x.varies);
  jmem_free(g->ctx, x.set.sw);
  return status;
}
