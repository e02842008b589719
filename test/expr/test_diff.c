// SPDX-License-Identifier: Apache-2.0
// Differentiation: every rule against the complex step, both modes against each other, finite
// derivatives beside guarded singularities, structure of sparse Jacobians.
#include "expr/diff.h"

#include "support/expr_probe.h"

#define TOL 1e-14  // one rule: a few roundings of values of order one

static jexpr_ref tangent(probe* p, jexpr_ref y, int k) {
  jexpr_ref one = jexpr_const(p->g, 1.0), dy;
  assert_ok(p->ctx, jexpr_tangent(p->g, &y, 1, &p->x[k], &one, 1, &dy));
  return dy;
}

static jexpr_ref adjoint(probe* p, jexpr_ref y, int k) {
  jexpr_ref one = jexpr_const(p->g, 1.0), xbar;
  assert_ok(p->ctx, jexpr_adjoint(p->g, &y, &one, 1, &p->x[k], 1, &xbar));
  return xbar;
}

// d y / d x_k in both modes is `expected`.
static void assert_derivative(probe* p, jexpr_ref y, int k, const double* x, double expected) {
  assert_near(probe_eval(p, tangent(p, y, k), x), expected, TOL * fmax(1.0, fabs(expected)));
  assert_near(probe_eval(p, adjoint(p, y, k), x), expected, TOL * fmax(1.0, fabs(expected)));
}

static void test_diff_every_rule_agrees_with_complex_step(void** state) {
  probe* p = *state;
  const double x[PROBE_INPUTS] = {0.6, 0.35, -0.8};
  for (int op = JEXPR_ADD; op < JEXPR_OP_COUNT; op++) {
    int arity = jexpr_ops[op].arity;
    for (int k = 0; k < arity; k++) {
      jexpr_ref y = jexpr_apply(p->g, (jexpr_op)op, p->x[0], p->x[1], p->x[2]);
      assert_derivative(p, y, k, x, probe_complex_step(p, y, x, k));
    }
  }
}

static void test_diff_rules_hold_in_all_quadrants(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  const double x[4][PROBE_INPUTS] = {{0.6, 0.4}, {0.6, -0.4}, {-0.6, 0.4}, {-0.6, -0.4}};
  jexpr_ref y[] = {jexpr_atan2(g, p->x[0], p->x[1]), jexpr_abs(g, p->x[0]),
                   jexpr_min(g, p->x[0], p->x[1]), jexpr_max(g, p->x[0], p->x[1]),
                   jexpr_powi(g, p->x[0], -3)};
  for (int i = 0; i < 4; i++) {
    for (size_t j = 0; j < sizeof y / sizeof *y; j++) {
      assert_derivative(p, y[j], 0, x[i], probe_complex_step(p, y[j], x[i], 0));
      assert_derivative(p, y[j], 1, x[i], probe_complex_step(p, y[j], x[i], 1));
    }
  }
}

static void test_diff_chain_rule_through_shared_node(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref s = jexpr_sin(g, jexpr_mul(g, p->x[0], p->x[1]));
  jexpr_ref y = jexpr_add(g, jexpr_mul(g, s, s), jexpr_exp(g, s));
  const double x[PROBE_INPUTS] = {0.7, 0.9};
  double u = 0.63, expected = (2.0 * sin(u) + exp(sin(u))) * cos(u) * 0.9;
  assert_derivative(p, y, 0, x, expected);
}

static void test_diff_of_leaves(void** state) {
  probe* p = *state;
  assert_int_equal(tangent(p, p->x[2], 2), jexpr_const(p->g, 1.0));
  assert_int_equal(adjoint(p, p->x[2], 2), jexpr_const(p->g, 1.0));
  assert_int_equal(tangent(p, p->x[2], 1), jexpr_const(p->g, 0.0));
  assert_int_equal(adjoint(p, jexpr_const(p->g, 3.0), 1), jexpr_const(p->g, 0.0));
}

// Steps have no derivative, not even a hidden one.
static void test_diff_of_steps_is_zero(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref zero = jexpr_const(g, 0.0);
  jexpr_ref y[] = {jexpr_floor(g, p->x[0]),       jexpr_sign(g, p->x[0]),
                   jexpr_lt(g, p->x[0], p->x[1]), jexpr_le(g, p->x[0], p->x[1]),
                   jexpr_eq(g, p->x[0], p->x[1]), jexpr_locate(g, p->x[0], p->x + 1, 4)};
  for (size_t i = 0; i < sizeof y / sizeof *y; i++) {
    assert_int_equal(tangent(p, y[i], 0), zero);
    assert_int_equal(adjoint(p, y[i], 0), zero);
  }
}

// if(x > 0, f(x), 0) where f is not finite at x <= 0: the derivative there is 0 in both modes.
static void assert_zero_left_of_origin(probe* p, jexpr_ref f) {
  jexpr_graph* g = p->g;
  jexpr_ref zero = jexpr_const(g, 0.0);
  jexpr_ref y = jexpr_select(g, jexpr_lt(g, zero, p->x[0]), f, zero);
  const double left[PROBE_INPUTS] = {-0.5}, at[PROBE_INPUTS] = {0.0}, right[PROBE_INPUTS] = {0.5};
  assert_derivative(p, y, 0, left, 0.0);
  assert_derivative(p, y, 0, at, 0.0);
  assert_derivative(p, y, 0, right, probe_complex_step(p, y, right, 0));
  // a second derivative of either mode
  assert_derivative(p, adjoint(p, y, 0), 0, left, 0.0);
  assert_derivative(p, tangent(p, y, 0), 0, left, 0.0);
}

static void test_diff_guarded_singularities_stay_finite(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref x = p->x[0], root = jexpr_sqrt(g, x), log = jexpr_log(g, x);
  jexpr_ref power = jexpr_pow(g, x, jexpr_const(g, 1.3));
  assert_zero_left_of_origin(p, root);
  assert_zero_left_of_origin(p, log);
  assert_zero_left_of_origin(p, power);
  assert_zero_left_of_origin(p, jexpr_div(g, jexpr_const(g, 1.0), x));
  // the singular value used several times inside the branch
  assert_zero_left_of_origin(p, jexpr_add(g, root, jexpr_div(g, x, root)));
  assert_zero_left_of_origin(p, jexpr_mul(g, jexpr_sin(g, root), jexpr_exp(g, root)));
  // with another choice inside the branch
  jexpr_ref inner = jexpr_select(g, jexpr_lt(g, x, jexpr_const(g, 2.0)), root, log);
  assert_zero_left_of_origin(p, inner);
  assert_zero_left_of_origin(p, jexpr_add(g, inner, root));
  assert_zero_left_of_origin(p, jexpr_mul(g, inner, jexpr_max(g, root, log)));
}

// The same singular value behind two different guards.
static void test_diff_two_guards_of_one_singularity(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref zero = jexpr_const(g, 0.0), one = jexpr_const(g, 1.0), x = p->x[0];
  jexpr_ref root = jexpr_sqrt(g, x), twice = jexpr_mul(g, root, jexpr_cos(g, root));
  jexpr_ref a = jexpr_select(g, jexpr_lt(g, zero, x), root, zero);
  jexpr_ref b = jexpr_select(g, jexpr_lt(g, one, x), twice, zero);
  jexpr_ref y = jexpr_add(g, a, b);
  const double at[3][PROBE_INPUTS] = {{-0.5}, {0.5}, {1.5}};
  assert_derivative(p, y, 0, at[0], 0.0);
  assert_derivative(p, y, 0, at[1], 0.5 / sqrt(0.5));
  assert_derivative(p, y, 0, at[2], probe_complex_step(p, y, at[2], 0));
  y = jexpr_sub(g, a, b);
  assert_derivative(p, y, 0, at[0], 0.0);
  assert_derivative(p, y, 0, at[2], probe_complex_step(p, y, at[2], 0));
}

static void test_diff_min_and_max_pass_the_derivative_of_their_value(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref a = jexpr_mul(g, jexpr_const(g, 2.0), p->x[0]), b = jexpr_sin(g, p->x[0]);
  const double x[PROBE_INPUTS] = {0.8};
  assert_derivative(p, jexpr_max(g, a, b), 0, x, 2.0);
  assert_derivative(p, jexpr_min(g, a, b), 0, x, cos(0.8));
}

// A limiter: min(1/x, 5) at x = 0, where the operand left out is infinite.
static void test_diff_limiters_stay_finite(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref inverse = jexpr_div(g, jexpr_const(g, 1.0), p->x[0]), five = jexpr_const(g, 5.0);
  const double at[PROBE_INPUTS] = {0.0};
  assert_derivative(p, jexpr_min(g, inverse, five), 0, at, 0.0);
  assert_derivative(p, jexpr_max(g, jexpr_neg(g, inverse), jexpr_neg(g, five)), 0, at, 0.0);
}

// Directions may be inputs; a repeated output gets the same derivative.
static void test_diff_tangent_along_a_direction_of_inputs(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref f = jexpr_mul(g, p->x[0], jexpr_sin(g, p->x[1])), y[2] = {f, f}, dy[2];
  assert_ok(p->ctx, jexpr_tangent(g, y, 2, p->x, p->x + 2, 2, dy));
  const double x[PROBE_INPUTS] = {0.5, 0.7, 1.5, -2.0};
  assert_int_equal(dy[0], dy[1]);
  assert_near(probe_eval(p, dy[0], x), 1.5 * sin(0.7) - 2.0 * 0.5 * cos(0.7), TOL);
}

static void test_diff_adjoint_sums_over_outputs(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref y[3] = {jexpr_mul(g, p->x[0], p->x[1]), jexpr_exp(g, p->x[1]), p->x[0]};
  jexpr_ref ybar[3] = {jexpr_const(g, 2.0), p->x[2], jexpr_const(g, 5.0)}, xbar[2];
  assert_ok(p->ctx, jexpr_adjoint(g, y, ybar, 3, p->x, 2, xbar));
  const double x[PROBE_INPUTS] = {0.5, 0.7, 3.0};
  assert_near(probe_eval(p, xbar[0], x), 2.0 * 0.7 + 5.0, TOL);
  assert_near(probe_eval(p, xbar[1], x), 2.0 * 0.5 + 3.0 * exp(0.7), 10 * TOL);
}

static void test_diff_marks_follow_equations(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref u = jexpr_mark(g, jexpr_mul(g, p->x[0], p->x[1]), "u");
  jexpr_ref y = jexpr_mark(g, jexpr_sin(g, u), "y");
  tangent(p, y, 0);
  assert_int_equal(g->nmark, 3);  // d u is the input x_1, no equation
  assert_string_equal(g->mark[2].text, "d y");
}

// y_i = x_i x_{i+1} has a Jacobian of two diagonals.
static void test_diff_jacobian_structure(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  enum { N = 5 };
  jexpr_ref y[N];
  for (int i = 0; i < N; i++) {
    y[i] = jexpr_mul(g, p->x[i], p->x[i + 1]);
  }
  static const jexpr_mode modes[] = {JEXPR_FORWARD, JEXPR_REVERSE, JEXPR_CHEAPER};
  for (int m = 0; m < 3; m++) {
    jarena a;
    jarena_init(&a, p->ctx);
    jexpr_jacobian J;
    assert_ok(p->ctx, jexpr_jacobian_build(g, &a, modes[m], y, N, p->x, N, &J));
    assert_int_equal(J.nrow, N);
    assert_int_equal(J.ncol, N);
    assert_int_equal(J.nnz, 2 * N - 1);
    assert_int_equal(J.col[0], 0);
    assert_int_equal(J.col[N], J.nnz);
    for (int k = 0, e = 0; k < N; k++) {
      for (int i = k > 0 ? k - 1 : 0; i <= k; i++, e++) {
        assert_in_range(e, J.col[k], J.col[k + 1] - 1);
        assert_int_equal(J.row[e], i);
        assert_int_equal(J.value[e], p->x[i == k ? k + 1 : k - 1]);
      }
    }
    jarena_free(&a);
  }
}

static void test_diff_jacobian_without_entries(void** state) {
  probe* p = *state;
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_ref y = jexpr_floor(p->g, p->x[0]);
  jexpr_jacobian J;
  assert_ok(p->ctx, jexpr_jacobian_build(p->g, &a, JEXPR_CHEAPER, &y, 1, p->x, 3, &J));
  assert_int_equal(J.nnz, 0);
  assert_int_equal(J.col[3], 0);
  assert_ok(p->ctx, jexpr_jacobian_build(p->g, &a, JEXPR_CHEAPER, &y, 1, p->x, 0, &J));
  assert_int_equal(J.nnz, 0);
  jarena_free(&a);
}

static void test_diff_refuses_poison(void** state) {
  probe* p = *state;
  jexpr_ref bad = JEXPR_POISON, one = jexpr_const(p->g, 1.0), out = one;
  assert_int_equal(jexpr_tangent(p->g, &bad, 1, p->x, &one, 1, &out), JO_ERR_ARGUMENT);
  assert_int_equal(jexpr_adjoint(p->g, p->x, &one, 1, &bad, 1, &out), JO_ERR_ARGUMENT);
  assert_int_equal(out, one);  // untouched
}

// s = x_0 x_1 as what solves x_2 - x_0 x_1 = 0, x_2 standing in for it; the equation shares a node with the solution.
static jo_status weigh_product(void* user, const jexpr_ref* xbar, jexpr_ref* bybar) {
  bybar[0] = jexpr_neg(((probe*)user)->g, xbar[0]);
  return JO_OK;
}

static void test_diff_of_what_is_solved_for_is_that_of_its_equation(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref s = jexpr_mul(g, p->x[0], p->x[1]), one = jexpr_const(g, 1.0), bar[2], d, ds;
  jexpr_ref equation = jexpr_sub(g, p->x[2], s), y = jexpr_mul(g, jexpr_sin(g, s), p->x[0]);
  jexpr_implied block = {&s, 1, &equation, 1, weigh_product, p};
  assert_ok(p->ctx, jexpr_adjoint_implied(g, &y, &one, 1, p->x, 2, &block, 1, bar));
  const double x[PROBE_INPUTS] = {0.5, 0.7, 0.35};
  assert_near(probe_eval(p, bar[0], x), cos(0.35) * 0.35 + sin(0.35), TOL);
  assert_near(probe_eval(p, bar[1], x), cos(0.35) * 0.25, TOL);
  // and along x_0, the derivative of s given
  assert_ok(p->ctx, jexpr_tangent(g, &equation, 1, p->x, &one, 1, &d));
  ds = jexpr_neg(g, d);
  const jexpr_ref from[] = {p->x[0], s}, along[] = {one, ds};
  assert_ok(p->ctx, jexpr_tangent(g, &y, 1, from, along, 2, &d));
  assert_near(probe_eval(p, d, x), cos(0.35) * 0.35 + sin(0.35), TOL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      probe_test(test_diff_every_rule_agrees_with_complex_step),
      probe_test(test_diff_rules_hold_in_all_quadrants),
      probe_test(test_diff_chain_rule_through_shared_node),
      probe_test(test_diff_of_leaves),
      probe_test(test_diff_of_steps_is_zero),
      probe_test(test_diff_guarded_singularities_stay_finite),
      probe_test(test_diff_two_guards_of_one_singularity),
      probe_test(test_diff_min_and_max_pass_the_derivative_of_their_value),
      probe_test(test_diff_limiters_stay_finite),
      probe_test(test_diff_tangent_along_a_direction_of_inputs),
      probe_test(test_diff_adjoint_sums_over_outputs),
      probe_test(test_diff_marks_follow_equations),
      probe_test(test_diff_jacobian_structure),
      probe_test(test_diff_jacobian_without_entries),
      probe_test(test_diff_of_what_is_solved_for_is_that_of_its_equation),
      probe_test(test_diff_refuses_poison),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
