// SPDX-License-Identifier: Apache-2.0
// What is blamed is the operation that turned finite operands into something else, on the way the value
// took, and nothing that a choice left aside.
#include "expr/tape/blame.h"

#include <math.h>

#include "support/expr_probe.h"

static void assert_blamed(probe* p, jexpr_ref r, double x, double y, const char* expected) {
  char text[JEXPR_BLAME_SIZE];
  const double in[PROBE_INPUTS] = {x, y};
  jexpr_blame(p->ctx, p->g, r, (const double* const[]){in}, text);
  assert_string_equal(text, expected);
}

static void test_blame_names_the_operation_and_its_operands(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref x = p->x[0], y = p->x[1], root = jexpr_sqrt(g, jexpr_sub(g, x, y));
  jexpr_ref all = jexpr_add(g, jexpr_mul(g, x, root), jexpr_sin(g, y));
  assert_blamed(p, all, 1.0, 3.5, "sqrt(-2.5)");
  assert_blamed(p, all, 3.5, 1.0, "");
  assert_blamed(p, jexpr_div(g, x, y), 2.0, 0.0, "2 / 0");
  assert_blamed(p, jexpr_pow(g, x, y), -2.0, 0.5, "pow(-2, 0.5)");
  assert_blamed(p, jexpr_mul(g, x, y), 1e200, 1e200, "1e+200 * 1e+200");
}

static void test_blame_follows_the_choice_that_was_made(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref x = p->x[0], y = p->x[1];
  const jexpr_ref either[2] = {jexpr_log(g, x), jexpr_sqrt(g, y)};
  jexpr_ref is_low = jexpr_lt(g, x, jexpr_const(g, 0.0));
  jexpr_ref r = jexpr_select(g, is_low, either[0], either[1]);
  assert_blamed(p, r, -1.0, -4.0, "log(-1)");
  assert_blamed(p, r, 1.0, -4.0, "sqrt(-4)");
  assert_blamed(p, r, 1.0, 4.0, "");
  const jexpr_ref ends[3] = {jexpr_const(g, -5.0), y, jexpr_const(g, 9.0)};
  r = jexpr_pick(g, jexpr_locate(g, x, ends, 3), either, 2);
  assert_blamed(p, r, -3.0, -2.0, "log(-3)");
  assert_blamed(p, r, 1.0, -2.0, "sqrt(-2)");
}

static void test_blame_has_nothing_to_say_about_inputs(void** state) {
  probe* p = *state;
  assert_blamed(p, jexpr_add(p->g, p->x[0], p->x[1]), (double)NAN, 1.0, "");
  assert_blamed(p, JEXPR_POISON, 1.0, 1.0, "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      probe_test(test_blame_names_the_operation_and_its_operands),
      probe_test(test_blame_follows_the_choice_that_was_made),
      probe_test(test_blame_has_nothing_to_say_about_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
