// SPDX-License-Identifier: Apache-2.0
// Unknowns of equations: their values to rounding, also where Newton alone does not get there, their derivatives
// of first and second order, what they are over others, and equations without a solution.
#include "expr/solve.h"

#include <math.h>

#include "expr/body.h"
#include "expr/diff.h"
#include "expr/tape/blame.h"
#include "support/expr_probe.h"

#define ROUNDING 4e-16

static int calls;

static void fall(void* user, double x, double F[2]) {
  const double* a = user;
  calls++;
  F[0] = a[0] - cbrt(x - a[1]);
  F[1] = -1.0 / (3.0 * cbrt((x - a[1]) * (x - a[1])));
}

// Newton diverges from everywhere on a cube root.
static void test_solve_value_is_bracketed(void** state) {
  (void)state;
  const double at[][2] = {{0.0, 3.0}, {1e-3, 3.0}, {-20.0, 3.0}, {50.0, -1e5}, {0.0, 1e12}};
  for (int i = 0; i < 5; i++) {
    double a[2] = {at[i][0], at[i][1]};
    double want = a[1] + a[0] * a[0] * a[0];
    calls = 0;
    double x = jexpr_solve_value(fall, a, 0.25, 1.0);
    // the slope at zero is infinite, and the last step of Newton not its own square there
    double rounding = ROUNDING * (fabs(want) + 3.0 * fabs(want - a[1]));
    assert_near(x, want, a[0] == 0.0 ? 2e-12 * (fabs(want) + 1.25) : rounding);
    assert_in_range(calls, 1, 120);
  }
}

static void steep(void* user, double x, double F[2]) {
  const double* a = user;
  F[0] = a[0] - x * sqrt(sqrt(x * x + 1e-12)) - a[1] * x;
  F[1] = -1.0;  // wrong: the bracket alone
}

static void test_solve_value_needs_no_slope(void** state) {
  (void)state;
  double a[2] = {1e4, 1e-3};
  double x = jexpr_solve_value(steep, a, 0.0, 1e-3), F[2];
  steep(a, x, F);
  assert_near(F[0], 0.0, 1e-11);
}

static void flat(void* user, double x, double F[2]) {
  const double* least = user;
  F[0] = *least + exp(-x);
  F[1] = -exp(-x);
}

static void test_solve_value_without_a_root_is_not_a_number(void** state) {
  (void)state;
  double least = 1.0;
  assert_true(isnan(jexpr_solve_value(flat, &least, 0.0, 1.0)));
  least = NAN;
  assert_true(isnan(jexpr_solve_value(flat, &least, 0.0, 1.0)));
  least = -0.5;
  assert_near(jexpr_solve_value(flat, &least, 0.0, 1.0), log(2.0), ROUNDING);
}

// a - x exp(x) = 0 with a = x0 x1: the function of Lambert
static jexpr_ref lambert(probe* p) {
  jexpr_graph* g = p->g;
  jexpr_ref x = jexpr_hole(g), a = jexpr_mul(g, p->x[0], p->x[1]);
  jexpr_ref F = jexpr_sub(g, a, jexpr_mul(g, x, jexpr_exp(g, x)));
  return jexpr_solve(g, F, jexpr_const(g, 0.0), jexpr_const(g, 0.1));
}

static void test_solve_node(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref W = lambert(p), one = jexpr_const(g, 1.0), d, dd, bar[2];
  const double at[PROBE_INPUTS] = {2.0, 0.7};
  double a = 1.4, w = probe_eval(p, W, at);
  assert_near(w * exp(w), a, 4 * ROUNDING);
  // W' = W/(a (1 + W)),  W'' = -W^2 (2 + W)/(a^2 (1 + W)^3)
  double first = w / (a * (1.0 + w)), second = -w * w * (2.0 + w) / (a * a * pow(1.0 + w, 3.0));
  assert_ok(p->ctx, jexpr_tangent(g, &W, 1, &p->x[0], &one, 1, &d));
  assert_near(probe_eval(p, d, at), 0.7 * first, 4 * ROUNDING);
  assert_near(probe_complex_step(p, W, at, 0), 0.7 * first, 4 * ROUNDING);
  assert_ok(p->ctx, jexpr_tangent(g, &d, 1, &p->x[0], &one, 1, &dd));
  assert_near(probe_eval(p, dd, at), 0.49 * second, 4 * ROUNDING);
  assert_ok(p->ctx, jexpr_adjoint(g, &W, &one, 1, p->x, 2, bar));
  assert_near(probe_eval(p, bar[0], at), 0.7 * first, 4 * ROUNDING);
  assert_near(probe_eval(p, bar[1], at), 2.0 * first, 4 * ROUNDING);
  double blamed;
  const double* in[] = {at};
  assert_ok(p->ctx, jexpr_blame_value(p->ctx, g, W, in, &blamed));
  assert_true(blamed == w);
}

// An unknown whose equation is written with another.
static void test_solve_over_another(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref W = lambert(p), x = jexpr_hole(g), one = jexpr_const(g, 1.0), d;
  jexpr_ref F = jexpr_sub(g, W, jexpr_add(g, x, jexpr_mul(g, p->x[2], x)));
  jexpr_ref y = jexpr_solve(g, F, W, one);
  const double at[PROBE_INPUTS] = {2.0, 0.7, 3.0};
  double w = probe_eval(p, W, at);
  assert_near(probe_eval(p, y, at), w / 4.0, ROUNDING);
  assert_ok(p->ctx, jexpr_tangent(g, &y, 1, &p->x[1], &one, 1, &d));
  assert_near(probe_eval(p, d, at), 2.0 * w / (1.4 * (1.0 + w)) / 4.0, 4 * ROUNDING);
  assert_near(probe_complex_step(p, y, at, 1), 2.0 * w / (1.4 * (1.0 + w)) / 4.0, 4 * ROUNDING);
}

static void test_solve_tells_what_has_a_hole(void** state) {
  probe* p = *state;
  jexpr_ref x = jexpr_hole(p->g);
  assert_true(jexpr_has_hole(p->g, jexpr_sin(p->g, x)));
  assert_false(jexpr_has_hole(p->g, lambert(p)));
  assert_int_equal(jexpr_solve(p->g, JEXPR_POISON, x, x), JEXPR_POISON);
}

static jexpr_ref held_value(void* user, jexpr_graph* g, int k) {
  const probe* p = user;
  (void)g;
  return p->x[4 + k];
}

// x + 3 max(x - 1, 0) + |x - 1| = x0, and x - 1 < 0 once more: one condition, which a value holds.
static void test_solve_holds_conditions(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref one = jexpr_const(g, 1.0), zero = jexpr_const(g, 0.0), x = jexpr_hole(g);
  jexpr_ref over = jexpr_sub(g, x, one), three = jexpr_const(g, 3.0);
  jexpr_ref sum = jexpr_add(g, x, jexpr_mul(g, three, jexpr_max(g, over, zero)));
  sum = jexpr_add(g, sum, jexpr_select(g, jexpr_lt(g, over, zero), jexpr_neg(g, over), over));
  jexpr_ref y = jexpr_solve(g, jexpr_sub(g, p->x[0], sum), zero, three);
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_condition* c;
  int n;
  jexpr_ref held = jexpr_solve_hold(g, &a, y, held_value, p, &c, &n);
  assert_int_equal(n, 1);
  // free: 5 x - 4 = x0 above, 1 = x0 below, where it is flat; held: either,
  // everywhere. The condition is on where the comparison holds, below
  const double on[PROBE_INPUTS] = {-3.0, [4] = 0.0}, off[PROBE_INPUTS] = {11.0, [4] = 0.0};
  assert_near(probe_eval(p, y, off), 3.0, ROUNDING * 3.0);
  assert_near(probe_eval(p, held, off), 3.0, ROUNDING * 3.0);
  assert_near(probe_eval(p, held, on), 0.2, ROUNDING);
  jexpr_ref d = jexpr_sub(g, c[0].more, c[0].less);
  assert_near(fabs(probe_eval(p, d, off)), 2.0, ROUNDING * 3.0);
  assert_near(fabs(probe_eval(p, d, on)), 0.8, ROUNDING);
  // without conditions it is the same node
  jexpr_ref W = lambert(p);
  assert_int_equal(jexpr_solve_hold(g, &a, W, held_value, p, &c, &n), W);
  assert_int_equal(n, 0);
  jarena_free(&a);
}

// x + floor(x) + (floor(x) > 2) = x0: one condition, whether floor(x) is odd; what compares it alone makes none.
static void test_solve_holds_floors(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref zero = jexpr_const(g, 0.0), two = jexpr_const(g, 2.0), x = jexpr_hole(g);
  jexpr_ref whole = jexpr_floor(g, x), sum = jexpr_add(g, x, whole);
  sum = jexpr_add(g, sum, jexpr_lt(g, two, whole));
  jexpr_ref y = jexpr_solve(g, jexpr_sub(g, p->x[0], sum), zero, two);
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_condition* c;
  int n;
  jexpr_ref held = jexpr_solve_hold(g, &a, y, held_value, p, &c, &n);
  assert_int_equal(n, 1);
  const double odd[PROBE_INPUTS] = {7.25, [4] = 1.0}, even[PROBE_INPUTS] = {8.95, [4] = 0.0};
  assert_near(probe_eval(p, held, odd), 3.25, ROUNDING * 4.0);
  assert_near(probe_eval(p, held, even), 3.95, ROUNDING * 4.0);
  jexpr_ref d = jexpr_sub(g, c[0].more, c[0].less);
  assert_true(probe_eval(p, d, odd) > 0.0);
  jarena_free(&a);
}

static void test_solve_blames_equations_without_a_solution(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref F = jexpr_add(g, p->x[0], jexpr_exp(g, jexpr_neg(g, jexpr_hole(g))));
  jexpr_ref y = jexpr_solve(g, F, p->x[1], jexpr_const(g, 1.0));
  const double at[PROBE_INPUTS] = {1.0};
  const double* in[] = {at};
  char text[JEXPR_BLAME_SIZE];
  assert_true(isnan(probe_eval(p, y, at)));
  jexpr_blame(p->ctx, g, jexpr_sin(g, y), in, text);
  assert_string_equal(text, "the solution");
  jexpr_mark(g, y, "tee: pressure");
  jexpr_blame(p->ctx, g, jexpr_sin(g, y), in, text);
  assert_string_equal(text, "the solution for 'tee: pressure'");
}

static void test_solve_refuses_too_many_values(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref x = jexpr_hole(g), sum = x;
  for (int i = 0; i <= JEXPR_MAX_VALUES; i++) {
    jexpr_ref value = jexpr_sin(g, jexpr_add(g, p->x[0], jexpr_const(g, i)));
    sum = jexpr_add(g, sum, jexpr_mul(g, x, jexpr_exp(g, jexpr_mul(g, x, value))));
  }
  assert_int_equal(jexpr_solve(g, sum, x, x), JEXPR_POISON);
  assert_int_equal(g->status, JO_ERR_LIMIT);
  g->status = JO_OK;
  jo_context_clear(p->ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_solve_value_is_bracketed),
      cmocka_unit_test(test_solve_value_needs_no_slope),
      cmocka_unit_test(test_solve_value_without_a_root_is_not_a_number),
      probe_test(test_solve_node),
      probe_test(test_solve_over_another),
      probe_test(test_solve_tells_what_has_a_hole),
      probe_test(test_solve_holds_conditions),
      probe_test(test_solve_holds_floors),
      probe_test(test_solve_blames_equations_without_a_solution),
      probe_test(test_solve_refuses_too_many_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
