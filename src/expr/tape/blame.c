// SPDX-License-Identifier: Apache-2.0
// Blame: evaluate node by node, then walk from the value back through operands that are not finite.
#include "expr/tape/blame.h"

#include <math.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/data.h"
#include "base/elementary.h"
#include "base/text/format.h"
#include "expr/body.h"

typedef struct blame {
  const jexpr_graph* g;
  jarena* scratch;
  const double* const* in;
  double* value;  // by node
  bool* used;
} blame;

static double operand(const blame* b, jexpr_ref r, int k) {
  return k < jexpr_nargs(b->g, r) ? b->value[jexpr_arg(b->g, r, k)] : 0.0;
}

// locate(x, X ...): the interval of x; pick(k, A ...): A_k
static int picked(const blame* b, jexpr_ref r) {
  int n = jexpr_nargs(b->g, r) - 1;
  double k = operand(b, r, 0);
  return 1 + (k >= 0.0 && k < n ? (int)k : 0);
}

static double list_value(const blame* b, jexpr_ref r) {
  if (b->g->node[r].op == JEXPR_PICK) return operand(b, r, picked(b, r));
  int n = jexpr_nargs(b->g, r) - 1, k = 0;
  while (k + 2 < n && operand(b, r, k + 2) <= operand(b, r, 0)) {
    k++;
  }
  return k;
}

static bool begin(blame* b, jexpr_ref r);

// An unknown: its equation evaluated in the same way.
typedef struct equation {
  const jexpr_body* body;
  jarena* scratch;
  double c[JEXPR_MAX_VALUES];
} equation;

static void equation_at(void* user, double x, double F[2]) {
  const equation* e = user;
  const double* in[2] = {&x, e->c};
  for (int i = 0; i < 2; i++) {
    jarena_mark mark = jarena_save(e->scratch);
    blame b = {.g = e->body->graph, .scratch = e->scratch, .in = in};
    F[i] = begin(&b, e->body->eq[i]) ? b.value[e->body->eq[i]] : NAN;
    jarena_restore(e->scratch, mark);
  }
}

static double solved(const blame* b, jexpr_ref r) {
  equation e = {.body = jexpr_body_of(b->g, r), .scratch = b->scratch};
  for (int k = 0; k < e.body->n; k++) {
    e.c[k] = operand(b, r, JEXPR_SOLVE_VALUES + k);
  }
  return jexpr_solve_value(equation_at, &e, operand(b, r, JEXPR_SOLVE_START),
                           operand(b, r, JEXPR_SOLVE_STEP));
}

static double apply(jexpr_op op, double a, double b, double c) {
  (void)a, (void)b, (void)c;
  // clang-format off
  switch (op) {
#define OP(id, name, arity, class, text, value, da, db) case JEXPR_##id: return value;
#include "expr/ops.def"
    default: return NAN;
  }
  // clang-format on
}

static double data_value(const blame* b, jexpr_ref r) {
  jexpr_data_args d = jexpr_data_of(b->g, r);
  const double* in = b->in[d.group];
  return in ? jdata_of_input(in, d.which, d.du, d.dv, b->value[d.u], b->value[d.v]) : 0.0;
}

static double node_value(const blame* b, jexpr_ref r) {
  const jexpr_node* node = &b->g->node[r];
  switch (node->op) {
    case JEXPR_CONST: return jexpr_const_value(b->g, r);
    case JEXPR_INPUT: return b->in[node->a] ? b->in[node->a][node->b] : 0.0;
    case JEXPR_LOCATE:
    case JEXPR_PICK: return list_value(b, r);
    case JEXPR_SOLVE: return solved(b, r);
    case JEXPR_DATA: return data_value(b, r);
    default: return apply((jexpr_op)node->op, operand(b, r, 0), operand(b, r, 1), operand(b, r, 2));
  }
}

// Operands precede users: one pass down marks what r depends on, one pass up evaluates it.
static void evaluate(blame* b, jexpr_ref r) {
  b->used[r] = true;
  for (jexpr_ref k = r; k > 0; k--) {
    for (int i = 0; b->used[k] && i < jexpr_nargs(b->g, k); i++) {
      b->used[jexpr_arg(b->g, k, i)] = true;
    }
  }
  for (jexpr_ref k = 1; k <= r; k++) {
    if (b->used[k]) b->value[k] = node_value(b, k);
  }
}

// Does operand k of r reach its value? Of choices one does.
static bool counts(const blame* b, jexpr_ref r, int k) {
  switch (b->g->node[r].op) {
    case JEXPR_SELECT: return k == (operand(b, r, 0) != 0.0 ? 1 : 2);
    case JEXPR_PICK: return k == picked(b, r);
    default: return true;
  }
}

static jexpr_ref culprit(const blame* b, jexpr_ref r) {
  for (int k = 0; k < jexpr_nargs(b->g, r);) {
    jexpr_ref a = jexpr_arg(b->g, r, k);
    if (isfinite(b->value[a]) || !counts(b, r, k)) {
      k++;
      continue;
    }
    r = a;
    k = 0;
  }
  return r;
}

static const char* name_of(const jexpr_graph* g, jexpr_ref r) {
  for (int i = 0; i < g->nmark; i++) {
    if (g->mark[i].ref == r) return g->mark[i].text;
  }
  return NULL;
}

static void describe(const blame* b, jexpr_ref r, char* text) {
  static const char sign[JEXPR_OP_COUNT] = {
      [JEXPR_ADD] = '+', [JEXPR_SUB] = '-', [JEXPR_MUL] = '*', [JEXPR_DIV] = '/'};
  jexpr_op op = (jexpr_op)b->g->node[r].op;
  int n = jexpr_ops[op].arity;
  if (op == JEXPR_SOLVE) {
    const char* name = name_of(b->g, r);
    jformat(text, JEXPR_BLAME_SIZE, "the solution%s%s%s", name ? " for '" : "", name ? name : "",
            name ? "'" : "");
  }
  if (n <= 0) return;
  double x = operand(b, r, 0), y = operand(b, r, 1);
  if (sign[op]) {
    jformat(text, JEXPR_BLAME_SIZE, "%.6g %c %.6g", x, sign[op], y);
  } else if (n == 1) {
    jformat(text, JEXPR_BLAME_SIZE, "%s(%.6g)", jexpr_ops[op].name, x);
  } else {
    jformat(text, JEXPR_BLAME_SIZE, "%s(%.6g, %.6g)", jexpr_ops[op].name, x, y);
  }
}

// Evaluate r into storage of `scratch`; false: no memory, or nothing to evaluate.
static bool begin(blame* b, jexpr_ref r) {
  b->value = JARENA_ARRAY(b->scratch, (size_t)r + 1, double);
  b->used = JARENA_ARRAY(b->scratch, (size_t)r + 1, bool);
  if (!r || !b->value || !b->used) return false;
  evaluate(b, r);
  return true;
}

void jexpr_blame(jo_context* ctx, const jexpr_graph* g, jexpr_ref r, const double* const* in,
                 char text[JEXPR_BLAME_SIZE]) {
  jarena scratch;
  jarena_init(&scratch, ctx);
  blame b = {.g = g, .scratch = &scratch, .in = in};
  text[0] = '\0';
  if (begin(&b, r) && !isfinite(b.value[r])) describe(&b, culprit(&b, r), text);
  jarena_free(&scratch);
}

jo_status jexpr_blame_value(jo_context* ctx, const jexpr_graph* g, jexpr_ref r,
                            const double* const* in, double* out) {
  JASSERT(r);
  jarena scratch;
  jarena_init(&scratch, ctx);
  blame b = {.g = g, .scratch = &scratch, .in = in};
  bool ok = begin(&b, r);
  if (ok) *out = b.value[r];
  jarena_free(&scratch);
  return ok ? JO_OK : jerr_memory(ctx);
}
