// SPDX-License-Identifier: Apache-2.0
#include "expr/solve.h"

#include "base/assert.h"
#include "expr/body.h"
#include "expr/diff.h"
#include "expr/intern.h"
#include "expr/rewrite.h"
#include "expr/whole.h"

// ---- building ------------------------------------------------------------------------------------

jexpr_ref jexpr_hole(jexpr_graph* g) {
  return jexpr_intern(g, JEXPR_HOLE, 0, 0, 0);
}

bool jexpr_has_hole(const jexpr_graph* g, jexpr_ref r) {
  jarena scratch;
  jarena_init(&scratch, g->ctx);
  const bool* need = jexpr_needed(g, &scratch, r);
  bool has = !need;
  for (jexpr_ref k = 1; need && !has && k <= r; k++) {
    has = need[k] && g->node[k].op == JEXPR_HOLE;
  }
  jarena_free(&scratch);
  return has;
}

// What of the graph depends on the hole becomes the body; what that uses of the rest are its values.
typedef struct cut {
  jexpr_copy c;
  bool* inside;
  jexpr_ref arg[JEXPR_SOLVE_VALUES + JEXPR_MAX_VALUES];
  int n;  // values
} cut;

static void fail_values(jexpr_graph* body) {
  jexpr_fail(body, jerr_set(body->ctx, JO_ERR_LIMIT,
                            "the equation of an unknown depends on more than %d values",
                            JEXPR_MAX_VALUES));
}

static void take_value(cut* x, jexpr_ref r) {
  jexpr_graph* to = x->c.to;
  if (x->c.now[r]) return;
  if (jexpr_is_const(x->c.from, r)) {
    x->c.now[r] = jexpr_const(to, jexpr_const_value(x->c.from, r));
    return;
  }
  if (x->n == JEXPR_MAX_VALUES) {
    fail_values(to);
    return;
  }
  to->group[JEXPR_BODY_C].size = x->n + 1;
  x->c.now[r] = jexpr_input(to, JEXPR_BODY_C, x->n);
  x->arg[JEXPR_SOLVE_VALUES + x->n++] = r;
}

static jexpr_ref cut_out(cut* x, jarena* a, jexpr_ref residual, jexpr_ref hole) {
  const jexpr_graph* g = x->c.from;
  const bool* need = jexpr_needed(g, a, residual);
  x->inside = JARENA_ARRAY(a, g->nnode, bool);
  if (!need || !x->inside) return jexpr_fail(x->c.to, jerr_memory(g->ctx));
  x->inside[hole] = true;
  x->c.now[hole] = jexpr_input(x->c.to, JEXPR_BODY_X, 0);
  for (jexpr_ref r = hole + 1; r <= residual && x->c.to->status == JO_OK; r++) {
    int n = jexpr_nargs(g, r);
    for (int k = 0; need[r] && k < n; k++) {
      x->inside[r] = x->inside[r] || x->inside[jexpr_arg(g, r, k)];
    }
    if (!x->inside[r]) continue;
    // an unknown inside of the equation of another
    JASSERT(g->node[r].op != JEXPR_SOLVE);
    for (int k = 0; k < n; k++) {
      if (!x->inside[jexpr_arg(g, r, k)]) take_value(x, jexpr_arg(g, r, k));
    }
    if (x->c.to->status == JO_OK) jexpr_copy_node(&x->c, r);
  }
  JASSERT(x->inside[residual] || x->c.to->status < 0);
  return x->c.now[residual];
}

// F, dF/dx and dF/dc
static jo_status differentiate(jexpr_graph* g, jexpr_body* b, jexpr_ref F) {
  jexpr_ref one = jexpr_const(g, 1.0), x = jexpr_input(g, JEXPR_BODY_X, 0);
  b->eq[0] = F;
  JO_TRY(jexpr_tangent(g, &F, 1, &x, &one, 1, &b->eq[1]));
  for (int k = 0; k < b->n; k++) {
    jexpr_ref c = jexpr_input(g, JEXPR_BODY_C, k);
    JO_TRY(jexpr_tangent(g, &F, 1, &c, &one, 1, &b->partial[k]));
  }
  return g->status;
}

// A graph for an equation of n values; NULL: no memory.
static jexpr_graph* body_create(jexpr_graph* g, int n) {
  jexpr_graph* body = jexpr_graph_create(g->ctx);
  bool ok = body && jexpr_group(body, "x", 1, JEXPR_PER_LANE) == JEXPR_BODY_X &&
            jexpr_group(body, "c", n, JEXPR_PER_LANE) == JEXPR_BODY_C;
  if (ok) return body;
  jexpr_graph_destroy(body);
  jexpr_fail(g, jerr_memory(g->ctx));
  return NULL;
}

// The last of the graph's bodies from now on, or destroyed.
static bool keep_body(jexpr_graph* g, jexpr_graph* body, int n, jexpr_ref F) {
  jexpr_body b = {.graph = body, .n = n};
  b.partial = JARENA_ARRAY(&g->names, n, jexpr_ref);
  jo_status status = body->status;
  if (!b.partial || !jmem_grow(g->ctx, &g->body, &g->body_cap, g->nbody + 1, sizeof *g->body)) {
    status = jerr_memory(g->ctx);
  }
  if (status >= 0) status = differentiate(body, &b, F);
  if (status >= 0) {
    g->body[g->nbody++] = b;
    return true;
  }
  jexpr_graph_destroy(body);
  jexpr_fail(g, status);
  return false;
}

jexpr_ref jexpr_solve(jexpr_graph* g, jexpr_ref residual, jexpr_ref start, jexpr_ref step) {
  jexpr_ref hole = jexpr_hole(g), result = JEXPR_POISON;
  if (!hole || !residual || !start || !step) return JEXPR_POISON;
  jexpr_graph* body = body_create(g, 0);
  if (!body) return JEXPR_POISON;
  jarena scratch;
  jarena_init(&scratch, g->ctx);
  cut* x = jarena_array(&scratch, 1, sizeof *x);
  if (!x || !jexpr_copy_init(&x->c, &scratch, g, body)) {
    jexpr_graph_destroy(body);
    jexpr_fail(g, jerr_memory(g->ctx));
  } else {
    jexpr_ref F = cut_out(x, &scratch, residual, hole);
    if (keep_body(g, body, x->n, F)) {
      x->arg[JEXPR_SOLVE_BODY] = jexpr_const(g, g->nbody - 1);
      x->arg[JEXPR_SOLVE_START] = start;
      x->arg[JEXPR_SOLVE_STEP] = step;
      result = jexpr_solve_again(g, x->arg, JEXPR_SOLVE_VALUES + x->n);
    }
  }
  jarena_free(&scratch);
  return result;
}

// ---- conditions ----------------------------------------------------------------------------------

// What an operator chooses by: on where more > less. is_strict: equality makes a difference, so that "less > more" does
// not stand for "off".
typedef struct choice {
  jexpr_ref more, less, on, off;
  bool is_strict;
} choice;

static bool choice_of(jexpr_graph* g, jexpr_op op, const jexpr_ref* arg, choice* out) {
  jexpr_ref zero = jexpr_const(g, 0.0), one = jexpr_const(g, 1.0), a = arg[0], b = arg[1];
  switch (op) {
    case JEXPR_LT: *out = (choice){b, a, one, zero, true}; return true;
    case JEXPR_LE: *out = (choice){a, b, zero, one, true}; return true;
    case JEXPR_MIN: *out = (choice){b, a, a, b, false}; return true;
    case JEXPR_MAX: *out = (choice){a, b, a, b, false}; return true;
    case JEXPR_ABS: *out = (choice){a, zero, a, jexpr_neg(g, a), false}; return true;
    // where it is not positive: by another choice
    case JEXPR_SIGN: *out = (choice){a, zero, one, zero, true}; return true;
    default: return false;
  }
}

// An equation on its way to one without conditions.
typedef struct holding {
  jexpr_copy c;
  int nvalue;   // of the equation as it was
  bool* moves;  // nodes of it: not those of floors alone, which jump
  jexpr_condition* condition;
  jexpr_ref* difference;  // of each
  int n;
} holding;

static jexpr_ref hold_choice(holding* h, const choice* c) {
  jexpr_graph* to = h->c.to;
  jexpr_ref d = jexpr_sub(to, c->more, c->less), minus = jexpr_neg(to, d);
  int k = 0;
  while (k < h->n && h->difference[k] != d && (c->is_strict || h->difference[k] != minus)) {
    k++;
  }
  bool is_inverted = k < h->n && h->difference[k] != d;
  if (k == h->n) {
    to->group[JEXPR_BODY_C].size = h->nvalue + ++h->n;
    h->difference[k] = d;
    h->condition[k] = (jexpr_condition){c->more, c->less};
  }
  jexpr_ref on = jexpr_input(to, JEXPR_BODY_C, h->nvalue + k);
  return is_inverted ? jexpr_select(to, on, c->off, c->on) : jexpr_select(to, on, c->on, c->off);
}

// What may choose by either side does so as a comparison of the same.
static choice turn(const holding* h, const jexpr_node* n, choice c) {
  const jexpr_graph* from = h->c.from;
  bool is_max = n->op == JEXPR_MAX;
  if (c.is_strict || n->op == JEXPR_ABS) return c;
  if (!jexpr_is_compared(from, is_max ? n->b : n->a, is_max ? n->a : n->b)) return c;
  return (choice){c.less, c.more, c.off, c.on, false};
}

// (E10), (E11) of docs/theory/discrete.md
static jexpr_ref hold_floor(holding* h, jexpr_ref u) {
  jexpr_graph* to = h->c.to;
  jexpr_ref zero = jexpr_const(to, 0.0), one = jexpr_const(to, 1.0);
  choice is_odd = {jexpr_whole_margin(to, u), zero, one, zero, true};
  jexpr_ref mode = hold_choice(h, &is_odd);
  return jexpr_whole_held(to, u, mode);
}

static jexpr_ref hold_condition(holding* h, const jexpr_node* node, choice c) {
  c = turn(h, node, c);
  if (node->op == JEXPR_SIGN) {
    choice negative = {c.less, c.more, jexpr_const(h->c.to, -1.0), c.off, true};
    c.off = hold_choice(h, &negative);
  }
  return hold_choice(h, &c);
}

static bool has_moving_operand(const holding* h, jexpr_ref r) {
  bool any = false;
  for (int i = 0; i < jexpr_nargs(h->c.from, r); i++) {
    any = any || h->moves[jexpr_arg(h->c.from, r, i)];
  }
  return any;
}

static void hold_node(holding* h, jexpr_ref r) {
  const jexpr_node* node = &h->c.from->node[r];
  jexpr_graph* to = h->c.to;
  bool moves = has_moving_operand(h, r);
  h->moves[r] = node->op == JEXPR_INPUT || (moves && node->op != JEXPR_FLOOR);
  if (node->op == JEXPR_CONST) {
    h->c.now[r] = jexpr_const(to, jexpr_const_value(h->c.from, r));
  } else if (node->op == JEXPR_INPUT) {
    h->c.now[r] = jexpr_input(to, (int)node->a, (int)node->b);
  } else {
    choice c;
    jexpr_copy_node(&h->c, r);
    // list: the operands as they are now
    bool is_choice = moves && choice_of(to, (jexpr_op)node->op, h->c.list, &c);
    if (is_choice) h->c.now[r] = hold_condition(h, node, c);
    if (moves && node->op == JEXPR_FLOOR) h->c.now[r] = hold_floor(h, h->c.list[0]);
  }
}

// Into `body`, a new graph; the residual is returned.
static jexpr_ref hold_all(holding* h, jarena* a, const jexpr_body* b, jexpr_graph* body) {
  const bool* need = jexpr_needed(b->graph, a, b->eq[0]);
  h->nvalue = b->n;
  size_t most = 2 * (size_t)b->graph->nnode;  // a sign has two
  h->condition = JARENA_ARRAY(a, most, jexpr_condition);
  h->difference = JARENA_ARRAY(a, most, jexpr_ref);
  h->moves = JARENA_ARRAY(a, b->graph->nnode, bool);
  bool has_room = need && h->condition && h->difference && h->moves;
  if (!has_room || !jexpr_copy_init(&h->c, a, b->graph, body)) {
    return jexpr_fail(body, jerr_memory(body->ctx));
  }
  for (jexpr_ref r = 1; r <= b->eq[0] && body->status == JO_OK; r++) {
    if (need[r]) hold_node(h, r);
  }
  return h->c.now[b->eq[0]];
}

static jexpr_ref solve_held(jexpr_graph* g, const holding* h, jexpr_ref solve, jexpr_held value,
                            void* user) {
  jexpr_ref arg[JEXPR_SOLVE_VALUES + JEXPR_MAX_VALUES];
  int n = jexpr_nargs(g, solve);
  for (int k = 0; k < n; k++) {
    arg[k] = jexpr_arg(g, solve, k);
  }
  for (int k = 0; k < h->n; k++) {
    arg[n + k] = value(user, g, k);
  }
  arg[JEXPR_SOLVE_BODY] = jexpr_const(g, g->nbody - 1);
  return jexpr_solve_again(g, arg, n + h->n);
}

jexpr_ref jexpr_solve_hold(jexpr_graph* g, jarena* a, jexpr_ref solve, jexpr_held value, void* user,
                           jexpr_condition** out, int* n) {
  const jexpr_body* b = jexpr_body_of(g, solve);
  jexpr_graph* body = body_create(g, b->n);
  *n = 0;
  if (!body) return JEXPR_POISON;
  holding h = {0};
  jexpr_ref F = hold_all(&h, a, b, body);
  if (body->status == JO_OK && h.n == 0) {
    jexpr_graph_destroy(body);
    return solve;
  }
  if (body->status == JO_OK && b->n + h.n > JEXPR_MAX_VALUES) fail_values(body);
  if (!keep_body(g, body, b->n + h.n, F)) return JEXPR_POISON;
  jexpr_ref held = solve_held(g, &h, solve, value, user);
  for (int k = 0; held && k < h.n; k++) {
    jexpr_ref ref[2] = {h.condition[k].more, h.condition[k].less}, at[2];
    if (!jexpr_body_at(g, held, ref, 2, at)) return JEXPR_POISON;
    h.condition[k] = (jexpr_condition){at[0], at[1]};
  }
  *out = h.condition;
  *n = h.n;
  return held;
}
