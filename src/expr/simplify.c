// SPDX-License-Identifier: Apache-2.0
// Builders of the expression graph: constant folding, identities and one canonical form, so that
// equal values tend to be equal nodes. Rules hold for finite values up to rounding; a rule that
// could change a value (x/x, sqrt(x)^2) is not here. docs/theory/expressions.md lists them.
//
// Canonical form: signs are carried outwards (-x)*y = -(x*y), x + (-y) = x - y; a constant factor
// is positive; x - c is x + (-c); operands of + * min max == stand in the order of their refs.
#include <math.h>

#include "base/elementary.h"
#include "expr/intern.h"

static uint32_t op_of(const jexpr_graph* g, jexpr_ref r) {
  return g->node[r].op;
}
static double value_of(const jexpr_graph* g, jexpr_ref r) {
  return jexpr_const_value(g, r);
}
static bool is_neg(const jexpr_graph* g, jexpr_ref r) {
  return op_of(g, r) == JEXPR_NEG;
}
static bool both_const(const jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  return jexpr_is_const(g, a) && jexpr_is_const(g, b);
}

static jexpr_ref intern_sorted(jexpr_graph* g, jexpr_op op, jexpr_ref a, jexpr_ref b) {
  return a <= b ? jexpr_intern(g, op, a, b, 0) : jexpr_intern(g, op, b, a, 0);
}

// r as coefficient * rest; a node without constant factor has coefficient 1.
static double split_coefficient(const jexpr_graph* g, jexpr_ref r, jexpr_ref* rest) {
  const jexpr_node* n = &g->node[r];
  *rest = r;
  if (n->op == JEXPR_MUL && jexpr_is_const(g, n->a)) {
    *rest = n->b;
    return value_of(g, n->a);
  }
  if (n->op == JEXPR_MUL && jexpr_is_const(g, n->b)) {
    *rest = n->a;
    return value_of(g, n->b);
  }
  return 1.0;
}

// ---- sums --------------------------------------------------------------------------------------

jexpr_ref jexpr_neg(jexpr_graph* g, jexpr_ref a) {
  if (!a) return JEXPR_POISON;
  if (jexpr_is_const(g, a)) return jexpr_const(g, -value_of(g, a));
  if (is_neg(g, a)) return g->node[a].a;
  return jexpr_intern(g, JEXPR_NEG, a, 0, 0);
}

// A choice with a zero branch. Products go inside, so that an adjoint of zero stays zero where the
// other factor is not finite in the branch not taken.
static bool has_zero_branch(const jexpr_graph* g, jexpr_ref r) {
  const jexpr_node* n = &g->node[r];
  return n->op == JEXPR_SELECT && (jexpr_is_value(g, n->b, 0.0) || jexpr_is_value(g, n->c, 0.0));
}

// Sums of such choices by the same condition are one choice.
static bool same_choice(const jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  return has_zero_branch(g, a) && has_zero_branch(g, b) && g->node[a].a == g->node[b].a;
}

// c + x for a constant c: constants of nested sums are gathered.
static jexpr_ref add_constant(jexpr_graph* g, double c, jexpr_ref x) {
  if (c == 0.0) return x;
  jexpr_node n = g->node[x];
  if (n.op == JEXPR_ADD && jexpr_is_const(g, n.a))
    return add_constant(g, c + value_of(g, n.a), n.b);
  if (n.op == JEXPR_ADD && jexpr_is_const(g, n.b))
    return add_constant(g, c + value_of(g, n.b), n.a);
  if (n.op == JEXPR_SUB && jexpr_is_const(g, n.a)) {
    return jexpr_sub(g, jexpr_const(g, c + value_of(g, n.a)), n.b);
  }
  if (n.op == JEXPR_NEG) return jexpr_sub(g, jexpr_const(g, c), n.a);
  jexpr_ref k = jexpr_const(g, c);
  return k ? intern_sorted(g, JEXPR_ADD, k, x) : JEXPR_POISON;
}

// a + b where one is a difference that contains the other: (x - b) + b = x.
static jexpr_ref cancel_in_sum(const jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  if (op_of(g, a) == JEXPR_SUB && g->node[a].b == b) return g->node[a].a;
  if (op_of(g, b) == JEXPR_SUB && g->node[b].b == a) return g->node[b].a;
  return JEXPR_POISON;
}

jexpr_ref jexpr_add(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  if (!a || !b) return JEXPR_POISON;
  if (both_const(g, a, b)) return jexpr_const(g, value_of(g, a) + value_of(g, b));
  if (jexpr_is_const(g, a)) return add_constant(g, value_of(g, a), b);
  if (jexpr_is_const(g, b)) return add_constant(g, value_of(g, b), a);
  if (is_neg(g, a) && is_neg(g, b)) {
    return jexpr_neg(g, jexpr_add(g, g->node[a].a, g->node[b].a));
  }
  if (is_neg(g, b)) return jexpr_sub(g, a, g->node[b].a);
  if (is_neg(g, a)) return jexpr_sub(g, b, g->node[a].a);
  jexpr_ref rest = cancel_in_sum(g, a, b);
  if (rest) return rest;
  jexpr_ref x, y;
  double cx = split_coefficient(g, a, &x), cy = split_coefficient(g, b, &y);
  if (x == y) return jexpr_mul(g, jexpr_const(g, cx + cy), x);
  if (same_choice(g, a, b)) {
    jexpr_node p = g->node[a], q = g->node[b];
    return jexpr_select(g, p.a, jexpr_add(g, p.b, q.b), jexpr_add(g, p.c, q.c));
  }
  return intern_sorted(g, JEXPR_ADD, a, b);
}

// a - b where one is a sum or difference that contains the other.
static jexpr_ref cancel_in_difference(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  jexpr_node p = g->node[a], q = g->node[b];
  if (p.op == JEXPR_ADD && p.a == b) return p.b;  // (b + x) - b
  if (p.op == JEXPR_ADD && p.b == b) return p.a;
  if (p.op == JEXPR_SUB && p.a == b) return jexpr_neg(g, p.b);  // (b - x) - b
  if (q.op == JEXPR_ADD && q.a == a) return jexpr_neg(g, q.b);  // a - (a + x)
  if (q.op == JEXPR_ADD && q.b == a) return jexpr_neg(g, q.a);
  if (q.op == JEXPR_SUB && q.a == a) return q.b;  // a - (a - x)
  return JEXPR_POISON;
}

jexpr_ref jexpr_sub(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  if (!a || !b) return JEXPR_POISON;
  if (jexpr_is_const(g, b)) return jexpr_add(g, a, jexpr_const(g, -value_of(g, b)));
  if (jexpr_is_value(g, a, 0.0)) return jexpr_neg(g, b);
  if (a == b) return jexpr_const(g, 0.0);
  if (is_neg(g, a) && is_neg(g, b)) return jexpr_sub(g, g->node[b].a, g->node[a].a);
  if (is_neg(g, b)) return jexpr_add(g, a, g->node[b].a);
  if (is_neg(g, a)) return jexpr_neg(g, jexpr_add(g, g->node[a].a, b));
  jexpr_ref rest = cancel_in_difference(g, a, b);
  if (rest) return rest;
  jexpr_ref x, y;
  double cx = split_coefficient(g, a, &x), cy = split_coefficient(g, b, &y);
  if (x == y) return jexpr_mul(g, jexpr_const(g, cx - cy), x);
  if (same_choice(g, a, b)) {
    jexpr_node p = g->node[a], q = g->node[b];
    return jexpr_select(g, p.a, jexpr_sub(g, p.b, q.b), jexpr_sub(g, p.c, q.c));
  }
  // the opposite difference, where it exists, is shared
  jexpr_ref opposite = jexpr_lookup(g, JEXPR_SUB, b, a, 0);
  if (opposite) return jexpr_neg(g, opposite);
  return jexpr_intern(g, JEXPR_SUB, a, b, 0);
}

// ---- products ----------------------------------------------------------------------------------

// c * x for a constant c: constants of nested products are gathered, unless that leaves the range of numbers.
static jexpr_ref mul_constant(jexpr_graph* g, double c, jexpr_ref x) {
  if (c == 0.0) return jexpr_const(g, 0.0);
  if (c < 0.0) return jexpr_neg(g, mul_constant(g, -c, x));
  jexpr_ref rest;
  double k = c * split_coefficient(g, x, &rest);
  if (rest != x && isnormal(k))
    return mul_constant(g, k, rest);  // which may have one that was left
  jexpr_node n = g->node[x];
  if (n.op == JEXPR_DIV && jexpr_is_const(g, n.a) && isnormal(c * value_of(g, n.a))) {
    return jexpr_div(g, jexpr_const(g, c * value_of(g, n.a)), n.b);
  }
  if (c == 1.0) return x;
  jexpr_ref factor = jexpr_const(g, c);
  return factor ? intern_sorted(g, JEXPR_MUL, factor, x) : JEXPR_POISON;
}

jexpr_ref jexpr_mul(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  if (!a || !b) return JEXPR_POISON;
  if (both_const(g, a, b)) return jexpr_const(g, value_of(g, a) * value_of(g, b));
  if (is_neg(g, a) && is_neg(g, b)) return jexpr_mul(g, g->node[a].a, g->node[b].a);
  if (is_neg(g, a)) return jexpr_neg(g, jexpr_mul(g, g->node[a].a, b));
  if (is_neg(g, b)) return jexpr_neg(g, jexpr_mul(g, a, g->node[b].a));
  if (jexpr_is_const(g, a)) return mul_constant(g, value_of(g, a), b);
  if (jexpr_is_const(g, b)) return mul_constant(g, value_of(g, b), a);
  if (has_zero_branch(g, a) || has_zero_branch(g, b)) {
    jexpr_ref choice = has_zero_branch(g, a) ? a : b, factor = choice == a ? b : a;
    jexpr_node n = g->node[choice];
    return jexpr_select(g, n.a, jexpr_mul(g, n.b, factor), jexpr_mul(g, n.c, factor));
  }
  return intern_sorted(g, JEXPR_MUL, a, b);
}

jexpr_ref jexpr_div(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  if (!a || !b) return JEXPR_POISON;
  if (both_const(g, a, b)) return jexpr_const(g, value_of(g, a) / value_of(g, b));
  if (jexpr_is_value(g, a, 0.0)) return a;
  if (is_neg(g, a)) return jexpr_neg(g, jexpr_div(g, g->node[a].a, b));
  if (is_neg(g, b)) return jexpr_neg(g, jexpr_div(g, a, g->node[b].a));
  if (jexpr_is_const(g, a) && value_of(g, a) < 0.0) {
    return jexpr_neg(g, jexpr_div(g, jexpr_const(g, -value_of(g, a)), b));
  }
  if (jexpr_is_const(g, b) && isnormal(1.0 / value_of(g, b))) {
    return jexpr_mul(g, a, jexpr_const(g, 1.0 / value_of(g, b)));
  }
  if (has_zero_branch(g, a)) {
    jexpr_node n = g->node[a];
    return jexpr_select(g, n.a, jexpr_div(g, n.b, b), jexpr_div(g, n.c, b));
  }
  return jexpr_intern(g, JEXPR_DIV, a, b, 0);
}

jexpr_ref jexpr_powi(jexpr_graph* g, jexpr_ref a, int n) {
  if (!a) return JEXPR_POISON;
  if (n < 0) return jexpr_div(g, jexpr_const(g, 1.0), jexpr_powi(g, a, -n));
  if (n == 0) return jexpr_const(g, 1.0);
  jexpr_ref half = jexpr_powi(g, a, n / 2);
  jexpr_ref even = n == 1 ? half : jexpr_mul(g, half, half);
  return n % 2 ? jexpr_mul(g, even, a) : even;
}

#define MAX_EXPANDED_POWER 64

jexpr_ref jexpr_pow(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  if (!a || !b) return JEXPR_POISON;
  if (both_const(g, a, b)) return jexpr_const(g, jm_pow(value_of(g, a), value_of(g, b)));
  if (jexpr_is_const(g, b)) {
    double n = value_of(g, b);
    if (n == floor(n) && fabs(n) <= MAX_EXPANDED_POWER) return jexpr_powi(g, a, (int)n);
    if (n == 0.5) return jexpr_sqrt(g, a);
    if (n == 1.5) return jexpr_mul(g, a, jexpr_sqrt(g, a));
    if (n == -0.5) return jexpr_div(g, jexpr_const(g, 1.0), jexpr_sqrt(g, a));
  }
  return jexpr_intern(g, JEXPR_POW, a, b, 0);
}

// ---- functions of one operand ------------------------------------------------------------------

static double fold_unary(jexpr_op op, double a) {
  const double b = 0.0, c = 0.0;
  (void)b, (void)c;
  // clang-format off
  switch (op) {
#define OP(id, name, arity, class, text, value, da, db) case JEXPR_##id: return value;
#include "expr/ops.def"
    default: return NAN;
  }
  // clang-format on
}

// f(-a) = -f(a) or f(a), where the function is odd or even.
typedef enum parity { NO_PARITY, ODD, EVEN } parity;

static parity parity_of(jexpr_op op) {
  switch (op) {
    case JEXPR_SIN:
    case JEXPR_TAN:
    case JEXPR_ASIN:
    case JEXPR_ATAN:
    case JEXPR_SINH:
    case JEXPR_TANH:
    case JEXPR_SIGN: return ODD;
    case JEXPR_COS:
    case JEXPR_COSH:
    case JEXPR_ABS: return EVEN;
    default: return NO_PARITY;
  }
}

static jexpr_ref unary(jexpr_graph* g, jexpr_op op, jexpr_ref a) {
  if (!a) return JEXPR_POISON;
  if (jexpr_is_const(g, a)) return jexpr_const(g, fold_unary(op, value_of(g, a)));
  if (is_neg(g, a) && parity_of(op) == ODD) return jexpr_neg(g, unary(g, op, g->node[a].a));
  if (is_neg(g, a) && parity_of(op) == EVEN) return unary(g, op, g->node[a].a);
  if (op == JEXPR_ABS && op_of(g, a) == JEXPR_ABS) return a;
  return jexpr_intern(g, op, a, 0, 0);
}

#define UNARY(id, name)                                 \
  jexpr_ref jexpr_##name(jexpr_graph* g, jexpr_ref a) { \
    return unary(g, JEXPR_##id, a);                     \
  }
UNARY(SQRT, sqrt)
UNARY(EXP, exp)
UNARY(LOG, log)
UNARY(SIN, sin)
UNARY(COS, cos)
UNARY(TAN, tan)
UNARY(ASIN, asin)
UNARY(ACOS, acos)
UNARY(ATAN, atan)
UNARY(SINH, sinh)
UNARY(COSH, cosh)
UNARY(TANH, tanh)
UNARY(ABS, abs)
UNARY(SIGN, sign)
UNARY(FLOOR, floor)
#undef UNARY

jexpr_ref jexpr_atan2(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  if (!a || !b) return JEXPR_POISON;
  if (both_const(g, a, b)) return jexpr_const(g, jm_atan2(value_of(g, a), value_of(g, b)));
  return jexpr_intern(g, JEXPR_ATAN2, a, b, 0);
}

// ---- comparisons and choices -------------------------------------------------------------------

static jexpr_ref compare(jexpr_graph* g, jexpr_op op, jexpr_ref a, jexpr_ref b) {
  if (!a || !b) return JEXPR_POISON;
  if (a == b) return jexpr_const(g, op == JEXPR_LT ? 0.0 : 1.0);
  if (both_const(g, a, b)) {
    double x = value_of(g, a), y = value_of(g, b);
    bool holds = op == JEXPR_LT ? x < y : op == JEXPR_LE ? x <= y : x == y;
    return jexpr_const(g, holds ? 1.0 : 0.0);
  }
  return op == JEXPR_EQ ? intern_sorted(g, op, a, b) : jexpr_intern(g, op, a, b, 0);
}

jexpr_ref jexpr_lt(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  return compare(g, JEXPR_LT, a, b);
}
jexpr_ref jexpr_le(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  return compare(g, JEXPR_LE, a, b);
}
jexpr_ref jexpr_eq(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  return compare(g, JEXPR_EQ, a, b);
}

bool jexpr_is_compared(const jexpr_graph* g, jexpr_ref more, jexpr_ref less) {
  return jexpr_lookup(g, JEXPR_LT, less, more, 0) || jexpr_lookup(g, JEXPR_LE, more, less, 0);
}

jexpr_ref jexpr_min(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  if (!a || !b) return JEXPR_POISON;
  if (a == b) return a;
  if (both_const(g, a, b)) return value_of(g, a) < value_of(g, b) ? a : b;
  return intern_sorted(g, JEXPR_MIN, a, b);
}

jexpr_ref jexpr_max(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  if (!a || !b) return JEXPR_POISON;
  if (a == b) return a;
  if (both_const(g, a, b)) return value_of(g, a) > value_of(g, b) ? a : b;
  return intern_sorted(g, JEXPR_MAX, a, b);
}

#define MAX_NESTED_CHOICES 6

// What x is where `cond` holds, or does not, as far as choices tell.
static jexpr_ref chosen(const jexpr_graph* g, jexpr_ref x, jexpr_ref cond, bool holds, int depth) {
  const jexpr_node* n = &g->node[x];
  if (n->op != JEXPR_SELECT || depth == 0) return x;
  if (n->a == cond) return chosen(g, holds ? n->b : n->c, cond, holds, depth - 1);
  jexpr_ref p = chosen(g, n->b, cond, holds, depth - 1);
  return p == chosen(g, n->c, cond, holds, depth - 1) ? p : x;
}

jexpr_ref jexpr_select(jexpr_graph* g, jexpr_ref cond, jexpr_ref if_true, jexpr_ref if_false) {
  if (!cond || !if_true || !if_false) return JEXPR_POISON;
  if (jexpr_is_const(g, cond)) return value_of(g, cond) != 0.0 ? if_true : if_false;
  jexpr_node t = g->node[if_true], f = g->node[if_false];
  if (t.op == JEXPR_SELECT && t.a == cond) if_true = t.b;
  if (f.op == JEXPR_SELECT && f.a == cond) if_false = f.c;
  if (if_true == if_false) return if_true;
  // c ? (d ? (c ? x : y) : y) : y: adjoints of nested choices are full of these
  if (chosen(g, if_true, cond, false, MAX_NESTED_CHOICES) == if_false) return if_true;
  if (chosen(g, if_false, cond, true, MAX_NESTED_CHOICES) == if_true) return if_false;
  return jexpr_intern(g, JEXPR_SELECT, cond, if_true, if_false);
}

// ---- lists -------------------------------------------------------------------------------------

static bool all_const(const jexpr_graph* g, const jexpr_ref* r, int n) {
  for (int i = 0; i < n; i++) {
    if (!jexpr_is_const(g, r[i])) return false;
  }
  return true;
}

static bool any_poison(const jexpr_ref* r, int n) {
  for (int i = 0; i < n; i++) {
    if (!r[i]) return true;
  }
  return false;
}

// first operand, then the list
static jexpr_ref intern_with_list(jexpr_graph* g, jexpr_op op, jexpr_ref x, const jexpr_ref* list,
                                  int n) {
  jexpr_ref* arg = jmem_resize(g->ctx, NULL, (size_t)(n + 1) * sizeof *arg);
  if (!arg) return jexpr_fail(g, jerr_memory(g->ctx));
  arg[0] = x;
  memcpy(arg + 1, list, (size_t)n * sizeof *list);
  jexpr_ref r = jexpr_intern_list(g, op, arg, n + 1);
  jmem_free(g->ctx, arg);
  return r;
}

jexpr_ref jexpr_locate(jexpr_graph* g, jexpr_ref x, const jexpr_ref* X, int n) {
  if (!x || n < 1 || any_poison(X, n)) return JEXPR_POISON;
  if (n <= 2) return jexpr_const(g, 0.0);
  if (jexpr_is_const(g, x) && all_const(g, X, n)) {
    int k = n - 2;
    while (k > 0 && !(value_of(g, X[k]) <= value_of(g, x))) {
      k--;
    }
    return jexpr_const(g, k);
  }
  return intern_with_list(g, JEXPR_LOCATE, x, X, n);
}

jexpr_ref jexpr_pick(jexpr_graph* g, jexpr_ref k, const jexpr_ref* A, int m) {
  if (!k || m < 1 || any_poison(A, m)) return JEXPR_POISON;
  if (jexpr_is_const(g, k)) {
    double i = value_of(g, k);
    return A[i >= 0.0 && i < m ? (int)i : 0];  // as the back ends do
  }
  bool same = true;
  for (int i = 1; i < m; i++) {
    same = same && A[i] == A[0];
  }
  return same ? A[0] : intern_with_list(g, JEXPR_PICK, k, A, m);
}

static bool is_flag(const jexpr_graph* g, jexpr_ref r, int depth) {
  const jexpr_node* n = &g->node[r];
  if (n->op == JEXPR_LT || n->op == JEXPR_LE || n->op == JEXPR_EQ) return true;
  if (n->op == JEXPR_CONST) return value_of(g, r) == 0.0 || value_of(g, r) == 1.0;
  if (depth == 0) return false;
  switch (n->op) {
    case JEXPR_MUL:  // as and, or are written
    case JEXPR_MAX: return is_flag(g, n->a, depth - 1) && is_flag(g, n->b, depth - 1);
    case JEXPR_SELECT: return is_flag(g, n->b, depth - 1) && is_flag(g, n->c, depth - 1);
    default: return false;
  }
}

bool jexpr_is_flag(const jexpr_graph* g, jexpr_ref r) {
  return is_flag(g, r, MAX_NESTED_CHOICES);
}

static jexpr_ref settled(jexpr_graph* g, jexpr_ref r, int depth) {
  const jexpr_node n = g->node[r];
  if (n.op != JEXPR_SELECT || !jexpr_is_flag(g, n.a) || depth == 0) return r;
  jexpr_ref branch[] = {settled(g, n.c, depth - 1), settled(g, n.b, depth - 1)};
  return jexpr_pick(g, n.a, branch, 2);
}

jexpr_ref jexpr_settled(jexpr_graph* g, jexpr_ref r) {
  return settled(g, r, MAX_NESTED_CHOICES);
}

jexpr_ref jexpr_solve_again(jexpr_graph* g, const jexpr_ref* arg, int n) {
  return any_poison(arg, n) ? JEXPR_POISON : jexpr_intern_list(g, JEXPR_SOLVE, arg, n);
}

jexpr_ref jexpr_data(jexpr_graph* g, int group, int which, int du, int dv, jexpr_ref u,
                     jexpr_ref v) {
  jexpr_ref arg[] = {
      jexpr_const(g, group), jexpr_const(g, which), jexpr_const(g, du), jexpr_const(g, dv), u, v};
  return any_poison(arg, 6) ? JEXPR_POISON : jexpr_intern_list(g, JEXPR_DATA, arg, 6);
}

// ---- any operator ------------------------------------------------------------------------------

jexpr_ref jexpr_apply(jexpr_graph* g, jexpr_op op, jexpr_ref a, jexpr_ref b, jexpr_ref c) {
  switch (op) {
    case JEXPR_ADD: return jexpr_add(g, a, b);
    case JEXPR_SUB: return jexpr_sub(g, a, b);
    case JEXPR_MUL: return jexpr_mul(g, a, b);
    case JEXPR_DIV: return jexpr_div(g, a, b);
    case JEXPR_NEG: return jexpr_neg(g, a);
    case JEXPR_POW: return jexpr_pow(g, a, b);
    case JEXPR_ATAN2: return jexpr_atan2(g, a, b);
    case JEXPR_LT:
    case JEXPR_LE:
    case JEXPR_EQ: return compare(g, op, a, b);
    case JEXPR_MIN: return jexpr_min(g, a, b);
    case JEXPR_MAX: return jexpr_max(g, a, b);
    case JEXPR_SELECT: return jexpr_select(g, a, b, c);
    default: break;
  }
  if (jexpr_ops[op].arity == 1) return unary(g, op, a);
  return jexpr_fail(g, JO_ERR_ARGUMENT);
}
