// SPDX-License-Identifier: Apache-2.0
// Storage of the graph: equal expressions are one node, poison sticks, marks count.
#include "expr/graph.h"

#include "support/expr_probe.h"

static void test_graph_equal_expressions_are_one_node(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref a = jexpr_mul(g, jexpr_sin(g, p->x[0]), jexpr_add(g, p->x[1], p->x[2]));
  int n = g->nnode;
  jexpr_ref b = jexpr_mul(g, jexpr_add(g, p->x[2], p->x[1]), jexpr_sin(g, p->x[0]));
  assert_int_equal(a, b);
  assert_int_equal(g->nnode, n);
  assert_int_not_equal(jexpr_div(g, p->x[0], p->x[1]), jexpr_div(g, p->x[1], p->x[0]));
}

static void test_graph_constants_are_shared_by_value(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  assert_int_equal(jexpr_const(g, 0.1), jexpr_const(g, 0.1));
  assert_int_equal(jexpr_const(g, 0.0), jexpr_const(g, -0.0));
  assert_int_equal(jexpr_const(g, NAN), jexpr_const(g, -(double)NAN));
  assert_int_not_equal(jexpr_const(g, 1.0), jexpr_const(g, nextafter(1.0, 2.0)));
  assert_true(jexpr_const_value(g, jexpr_const(g, 1e-310)) == 1e-310);
  assert_true(jexpr_is_value(g, jexpr_const(g, -2.5), -2.5));
  assert_false(jexpr_is_value(g, p->x[0], 0.0));
}

static void test_graph_lists_are_shared(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref X[4] = {p->x[1], p->x[2], p->x[3], p->x[4]};
  jexpr_ref k = jexpr_locate(g, p->x[0], X, 4), v = jexpr_pick(g, k, X, 4);
  assert_int_equal(k, jexpr_locate(g, p->x[0], X, 4));
  assert_int_equal(v, jexpr_pick(g, k, X, 4));
  assert_int_not_equal(v, jexpr_pick(g, k, X, 3));
  assert_int_equal(jexpr_nargs(g, k), 5);
  assert_int_equal(jexpr_arg(g, k, 0), p->x[0]);
  assert_int_equal(jexpr_arg(g, k, 4), p->x[4]);
}

static void test_graph_index_survives_growth(void** state) {
  probe* p = *state;
  enum { N = 20000 };
  static jexpr_ref r[N];
  for (int i = 0; i < N; i++) {
    r[i] = jexpr_mul(p->g, jexpr_const(p->g, 2.0 + i), p->x[i % PROBE_INPUTS]);
  }
  for (int i = 0; i < N; i++) {
    assert_int_equal(r[i], jexpr_mul(p->g, p->x[i % PROBE_INPUTS], jexpr_const(p->g, 2.0 + i)));
  }
}

static void test_graph_inputs_know_group_and_index(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  int group = jexpr_group(g, "p", 3, JEXPR_UNIFORM);
  jexpr_ref r = jexpr_input(g, group, 2);
  assert_int_equal(jexpr_at(g, r)->op, JEXPR_INPUT);
  assert_int_equal(jexpr_at(g, r)->a, group);
  assert_int_equal(jexpr_at(g, r)->b, 2);
  assert_string_equal(g->group[group].name, "p");
  assert_int_equal(r, jexpr_input(g, group, 2));
}

static void test_graph_input_outside_its_group_is_an_error(void** state) {
  probe* p = *state;
  assert_int_equal(jexpr_input(p->g, 0, PROBE_INPUTS), JEXPR_POISON);
  assert_int_equal(jexpr_input(p->g, 1, 0), JEXPR_POISON);
  assert_int_equal(jexpr_input(p->g, 0, -1), JEXPR_POISON);
  assert_int_equal(jexpr_graph_status(p->g), JO_ERR_ARGUMENT);
  assert_int_equal(jo_context_diagnostic_count(p->ctx), 1);  // reported once
}

static void test_graph_poison_sticks_to_every_operator(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref x = p->x[0], bad = JEXPR_POISON;
  for (int op = JEXPR_ADD; op < JEXPR_OP_COUNT; op++) {
    int arity = jexpr_ops[op].arity;
    for (int k = 0; k < arity; k++) {
      jexpr_ref r =
          jexpr_apply(g, (jexpr_op)op, k == 0 ? bad : x, k == 1 ? bad : x, k == 2 ? bad : x);
      if (r != JEXPR_POISON) fail_msg("%s operand %d", jexpr_ops[op].name, k);
    }
  }
  jexpr_ref list[3] = {x, bad, x};
  assert_int_equal(jexpr_locate(g, x, list, 3), JEXPR_POISON);
  assert_int_equal(jexpr_pick(g, x, list, 3), JEXPR_POISON);
  assert_int_equal(jexpr_locate(g, bad, p->x, 3), JEXPR_POISON);
  assert_int_equal(jexpr_pick(g, bad, p->x, 3), JEXPR_POISON);
  assert_int_equal(jexpr_powi(g, bad, 3), JEXPR_POISON);
  assert_int_equal(jexpr_mark(g, bad, "nothing"), JEXPR_POISON);
  assert_int_equal(g->nmark, 0);
}

static void test_graph_marks_count_equations_not_leaves(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref y = jexpr_add(g, p->x[0], p->x[1]);
  assert_int_equal(jexpr_mark(g, y, "body %d: w.%d", 3, 1), y);
  assert_int_equal(jexpr_mark(g, p->x[0], "an input"), p->x[0]);
  jexpr_mark(g, jexpr_const(g, 2.0), "a constant");
  assert_int_equal(g->nmark, 1);
  assert_int_equal(g->mark[0].ref, y);
  assert_string_equal(g->mark[0].text, "body 3: w.1");
}

static void test_graph_destroy_accepts_null(void** state) {
  probe* p = *state;
  int before = p->f->memory.live_blocks;
  jexpr_graph_destroy(NULL);
  assert_int_equal(p->f->memory.live_blocks, before);
}

static void test_graph_has_a_limit_of_nodes(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  jexpr_graph* g = jexpr_graph_create(ctx);
  assert_non_null(g);
  g->max_nodes = 100;
  g->limit_hint = "; write less";
  jexpr_ref last = JEXPR_POISON;
  for (int i = 0; i < 1000; i++) {
    last = jexpr_const(g, i + 0.5);
  }
  assert_int_equal(last, JEXPR_POISON);
  assert_int_equal(g->nnode, 100);
  assert_int_equal(jexpr_graph_status(g), JO_ERR_LIMIT);
  assert_int_equal(jo_context_diagnostic_count(ctx), 1);
  assert_string_equal(jo_context_message(ctx),
                      "the equations have more than 100 terms, the limit; write less");
  jexpr_graph_destroy(g);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      probe_test(test_graph_equal_expressions_are_one_node),
      probe_test(test_graph_constants_are_shared_by_value),
      probe_test(test_graph_lists_are_shared),
      probe_test(test_graph_index_survives_growth),
      probe_test(test_graph_inputs_know_group_and_index),
      probe_test(test_graph_input_outside_its_group_is_an_error),
      probe_test(test_graph_poison_sticks_to_every_operator),
      probe_test(test_graph_marks_count_equations_not_leaves),
      probe_test(test_graph_destroy_accepts_null),
      cmocka_unit_test(test_graph_has_a_limit_of_nodes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
