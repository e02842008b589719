// SPDX-License-Identifier: Apache-2.0
// Builders return canonical nodes: identities hold as equality of refs. That values do not change
// is a law of test_random.c.
#include "expr/graph.h"
#include "support/expr_probe.h"

// names of a small algebra
#define ALGEBRA                                          \
  probe* p = *state;                                     \
  jexpr_graph* g = p->g;                                 \
  const jexpr_ref x = p->x[0], y = p->x[1], z = p->x[2]; \
  (void)x, (void)y, (void)z
#define c(v)       jexpr_const(g, (v))
#define add        jexpr_add
#define sub        jexpr_sub
#define mul        jexpr_mul
#define quo        jexpr_div
#define neg        jexpr_neg
#define SAME(a, b) assert_int_equal((a), (b))

static void test_simplify_sums(void** state) {
  ALGEBRA;
  SAME(add(g, x, c(0)), x);
  SAME(add(g, c(0), x), x);
  SAME(sub(g, x, c(0)), x);
  SAME(sub(g, c(0), x), neg(g, x));
  SAME(sub(g, x, x), c(0));
  SAME(add(g, x, x), mul(g, c(2), x));
  SAME(add(g, mul(g, c(2), x), mul(g, c(3), x)), mul(g, c(5), x));
  SAME(sub(g, mul(g, c(3), x), mul(g, c(2), x)), x);
  SAME(sub(g, mul(g, c(2), x), mul(g, c(2), x)), c(0));
  SAME(add(g, c(1), add(g, x, c(2))), add(g, x, c(3)));
  SAME(add(g, c(-2), add(g, x, c(2))), x);
  SAME(sub(g, x, c(2)), add(g, x, c(-2)));
  SAME(add(g, c(1), sub(g, c(2), x)), sub(g, c(3), x));
}

static void test_simplify_cancellation(void** state) {
  ALGEBRA;
  SAME(add(g, sub(g, x, y), y), x);
  SAME(add(g, y, sub(g, x, y)), x);
  SAME(sub(g, add(g, x, y), y), x);
  SAME(sub(g, add(g, x, y), x), y);
  SAME(sub(g, sub(g, x, y), x), neg(g, y));
  SAME(sub(g, x, add(g, x, y)), neg(g, y));
  SAME(sub(g, x, sub(g, x, y)), y);
}

static void test_simplify_products(void** state) {
  ALGEBRA;
  SAME(mul(g, x, c(0)), c(0));
  SAME(mul(g, x, c(1)), x);
  SAME(mul(g, x, c(-1)), neg(g, x));
  SAME(mul(g, c(2), mul(g, c(3), x)), mul(g, c(6), x));
  SAME(mul(g, c(0.5), mul(g, c(2), x)), x);
  SAME(quo(g, x, c(4)), mul(g, c(0.25), x));
  SAME(quo(g, c(0), x), c(0));
  SAME(quo(g, x, c(1)), x);
  SAME(mul(g, c(3), quo(g, c(2), x)), quo(g, c(6), x));
}

static void test_simplify_order_of_operands(void** state) {
  ALGEBRA;
  SAME(add(g, x, y), add(g, y, x));
  SAME(mul(g, x, y), mul(g, y, x));
  SAME(jexpr_min(g, x, y), jexpr_min(g, y, x));
  SAME(jexpr_max(g, x, y), jexpr_max(g, y, x));
  SAME(jexpr_eq(g, x, y), jexpr_eq(g, y, x));
}

static void test_simplify_signs_go_outwards(void** state) {
  ALGEBRA;
  jexpr_ref nx = neg(g, x), ny = neg(g, y);
  SAME(neg(g, nx), x);
  SAME(mul(g, nx, y), neg(g, mul(g, x, y)));
  SAME(mul(g, nx, ny), mul(g, x, y));
  SAME(mul(g, c(-2), x), neg(g, mul(g, c(2), x)));
  SAME(quo(g, nx, y), neg(g, quo(g, x, y)));
  SAME(quo(g, x, ny), neg(g, quo(g, x, y)));
  SAME(quo(g, c(-2), y), neg(g, quo(g, c(2), y)));
  SAME(add(g, x, ny), sub(g, x, y));
  SAME(add(g, nx, y), sub(g, y, x));
  SAME(add(g, nx, ny), neg(g, add(g, x, y)));
  SAME(sub(g, x, ny), add(g, x, y));
  SAME(sub(g, nx, y), neg(g, add(g, x, y)));
  SAME(sub(g, nx, ny), sub(g, y, x));
  SAME(sub(g, y, x), neg(g, sub(g, x, y)));
  SAME(add(g, c(2), nx), sub(g, c(2), x));
}

static void test_simplify_parity_of_functions(void** state) {
  ALGEBRA;
  static const jexpr_op odd[] = {JEXPR_SIN,  JEXPR_TAN,  JEXPR_ASIN, JEXPR_ATAN,
                                 JEXPR_SINH, JEXPR_TANH, JEXPR_SIGN};
  static const jexpr_op even[] = {JEXPR_COS, JEXPR_COSH, JEXPR_ABS};
  jexpr_ref nx = neg(g, x);
  for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
    SAME(jexpr_apply(g, odd[i], nx, 0, 0), neg(g, jexpr_apply(g, odd[i], x, 0, 0)));
  }
  for (size_t i = 0; i < sizeof even / sizeof *even; i++) {
    SAME(jexpr_apply(g, even[i], nx, 0, 0), jexpr_apply(g, even[i], x, 0, 0));
  }
  SAME(jexpr_abs(g, jexpr_abs(g, x)), jexpr_abs(g, x));
  SAME(jexpr_abs(g, neg(g, jexpr_abs(g, x))), jexpr_abs(g, x));
}

static void test_simplify_constants_fold_in_every_operator(void** state) {
  ALGEBRA;
  for (int op = JEXPR_ADD; op < JEXPR_OP_COUNT; op++) {
    int arity = jexpr_ops[op].arity;
    if (arity < 0) continue;
    jexpr_ref folded = jexpr_apply(g, (jexpr_op)op, c(0.5), c(0.75), c(0.25));
    assert_true(jexpr_is_const(g, folded));
    // the interpreter, with the same operands as inputs, is the reference
    double in[PROBE_INPUTS] = {0.5, 0.75, 0.25};
    double expected = probe_eval(p, jexpr_apply(g, (jexpr_op)op, x, y, z), in);
    assert_near(jexpr_const_value(g, folded), expected, 1e-15);  // division multiplies by 1/c
  }
}

static void test_simplify_powers(void** state) {
  ALGEBRA;
  SAME(jexpr_pow(g, x, c(0)), c(1));
  SAME(jexpr_pow(g, x, c(1)), x);
  SAME(jexpr_pow(g, x, c(2)), mul(g, x, x));
  SAME(jexpr_pow(g, x, c(4)), mul(g, mul(g, x, x), mul(g, x, x)));
  SAME(jexpr_pow(g, x, c(-1)), quo(g, c(1), x));
  SAME(jexpr_pow(g, x, c(0.5)), jexpr_sqrt(g, x));
  SAME(jexpr_pow(g, x, c(1.5)), mul(g, x, jexpr_sqrt(g, x)));
  SAME(jexpr_pow(g, x, c(-0.5)), quo(g, c(1), jexpr_sqrt(g, x)));
  assert_int_equal(jexpr_at(g, jexpr_pow(g, x, c(1.3)))->op, JEXPR_POW);
  double at[PROBE_INPUTS] = {1.1};
  for (int n = -9; n <= 9; n++) {
    assert_near(probe_eval(p, jexpr_powi(g, x, n), at), pow(1.1, n), 1e-14);
  }
}

static void test_simplify_comparisons(void** state) {
  ALGEBRA;
  SAME(jexpr_lt(g, x, x), c(0));
  SAME(jexpr_le(g, x, x), c(1));
  SAME(jexpr_eq(g, x, x), c(1));
  SAME(jexpr_min(g, x, x), x);
  SAME(jexpr_max(g, x, x), x);
  assert_int_not_equal(jexpr_lt(g, x, y), jexpr_lt(g, y, x));
}

static void test_simplify_choices(void** state) {
  ALGEBRA;
  jexpr_ref t = jexpr_lt(g, x, y), u = jexpr_lt(g, y, z);
  SAME(jexpr_select(g, c(1), x, y), x);
  SAME(jexpr_select(g, c(0), x, y), y);
  SAME(jexpr_select(g, t, x, x), x);
  SAME(jexpr_select(g, t, jexpr_select(g, t, x, y), z), jexpr_select(g, t, x, z));
  SAME(jexpr_select(g, t, x, jexpr_select(g, t, y, z)), jexpr_select(g, t, x, z));
  // choices with a zero branch: factors go inside, equal conditions are joined
  // a choice that was made before, inside of another
  jexpr_ref inner = jexpr_select(g, u, c(0), jexpr_select(g, t, x, c(0)));
  SAME(jexpr_select(g, t, inner, c(0)), inner);
  SAME(jexpr_select(g, u, c(0), jexpr_select(g, t, inner, c(0))), inner);
  SAME(jexpr_select(g, t, y, jexpr_select(g, u, y, jexpr_select(g, t, y, x))),
       jexpr_select(g, u, y, jexpr_select(g, t, y, x)));
  assert_int_equal(jexpr_at(g, jexpr_select(g, t, inner, y))->op, JEXPR_SELECT);

  jexpr_ref xt = jexpr_select(g, t, x, c(0)), yt = jexpr_select(g, t, y, c(0));
  SAME(mul(g, xt, z), jexpr_select(g, t, mul(g, x, z), c(0)));
  SAME(quo(g, xt, z), jexpr_select(g, t, quo(g, x, z), c(0)));
  SAME(add(g, xt, yt), jexpr_select(g, t, add(g, x, y), c(0)));
  SAME(sub(g, xt, yt), jexpr_select(g, t, sub(g, x, y), c(0)));
  SAME(add(g, xt, jexpr_select(g, t, c(0), z)), jexpr_select(g, t, x, z));
  assert_int_equal(jexpr_at(g, add(g, xt, jexpr_select(g, u, y, c(0))))->op, JEXPR_ADD);
}

// A settled choice is a pick: factors stay outside, nested ones come along, and conditions must be 1 or 0.
static void test_simplify_settled(void** state) {
  ALGEBRA;
  jexpr_ref t = jexpr_lt(g, x, y), u = jexpr_le(g, y, z), both = mul(g, t, u);
  assert_true(jexpr_is_flag(g, t) && jexpr_is_flag(g, both));
  assert_true(jexpr_is_flag(g, jexpr_max(g, t, u)) &&
              jexpr_is_flag(g, jexpr_select(g, x, t, c(0))));
  assert_false(jexpr_is_flag(g, x) || jexpr_is_flag(g, mul(g, t, x)));
  jexpr_ref inner = jexpr_select(g, u, x, c(0)), pair[] = {c(0), x}, outer[] = {z, 0};
  jexpr_ref chosen = jexpr_settled(g, inner);
  SAME(chosen, jexpr_pick(g, u, pair, 2));
  assert_int_equal(jexpr_at(g, mul(g, chosen, z))->op, JEXPR_MUL);
  outer[1] = chosen;
  SAME(jexpr_settled(g, jexpr_select(g, t, inner, z)), jexpr_pick(g, t, outer, 2));
  SAME(jexpr_settled(g, jexpr_select(g, y, x, c(0))), jexpr_select(g, y, x, c(0)));
  SAME(jexpr_settled(g, x), x);
}

static void test_simplify_lists(void** state) {
  ALGEBRA;
  jexpr_ref X[4] = {c(0), c(1), c(2), c(3)}, same[3] = {x, x, x};
  SAME(jexpr_locate(g, c(-1), X, 4), c(0));
  SAME(jexpr_locate(g, c(1), X, 4), c(1));
  SAME(jexpr_locate(g, c(9), X, 4), c(2));
  SAME(jexpr_locate(g, x, X, 2), c(0));
  SAME(jexpr_pick(g, c(2), p->x, 4), z);
  SAME(jexpr_pick(g, y, same, 3), x);
}

// What could change a value is left alone.
static void test_simplify_keeps_what_could_differ(void** state) {
  ALGEBRA;
  assert_int_equal(jexpr_at(g, quo(g, x, x))->op, JEXPR_DIV);
  jexpr_ref root = jexpr_sqrt(g, x);
  assert_int_equal(jexpr_at(g, mul(g, root, root))->op, JEXPR_MUL);
  assert_int_equal(jexpr_at(g, quo(g, x, c(0)))->op, JEXPR_DIV);
}

// Constants of nested products are gathered only where that changes nothing: not to zero, not to infinity.
static void test_simplify_gathers_within_range(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  const double at[PROBE_INPUTS] = {1e300, 1e-300};
  jexpr_ref small = jexpr_const(g, 1e-200), large = jexpr_const(g, 1e200);
  jexpr_ref x = jexpr_mul(g, small, jexpr_mul(g, small, p->x[0]));
  jexpr_ref y = jexpr_mul(g, large, jexpr_mul(g, large, p->x[1]));
  jexpr_ref z = jexpr_mul(g, small, jexpr_div(g, small, p->x[1]));
  assert_near(probe_eval(p, x, at), 1e-100, 1e-114);
  assert_near(probe_eval(p, y, at), 1e100, 1e86);
  assert_near(probe_eval(p, z, at), 1e-100, 1e-114);
  // and where it does not
  assert_int_equal(jexpr_mul(g, large, jexpr_mul(g, small, p->x[0])), p->x[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      probe_test(test_simplify_sums),
      probe_test(test_simplify_cancellation),
      probe_test(test_simplify_products),
      probe_test(test_simplify_order_of_operands),
      probe_test(test_simplify_signs_go_outwards),
      probe_test(test_simplify_parity_of_functions),
      probe_test(test_simplify_constants_fold_in_every_operator),
      probe_test(test_simplify_powers),
      probe_test(test_simplify_comparisons),
      probe_test(test_simplify_choices),
      probe_test(test_simplify_settled),
      probe_test(test_simplify_lists),
      probe_test(test_simplify_keeps_what_could_differ),
      probe_test(test_simplify_gathers_within_range),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
