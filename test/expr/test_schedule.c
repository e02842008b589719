// SPDX-License-Identifier: Apache-2.0
// Schedules: what is not asked for is not computed, operands come first, counts are right.
#include "expr/tape/schedule.h"

#include "support/expr_probe.h"
#include "support/random_graph.h"

static jexpr_schedule schedule(probe* p, jarena* a, const jexpr_ref* y, int n) {
  jexpr_outputs out = {"y", n, y};
  jexpr_fn fn = {"f", p->g, 1, &out};
  jexpr_schedule s;
  assert_ok(p->ctx, jexpr_schedule_build(a, &fn, &s));
  return s;
}

static void test_schedule_eliminates_what_no_output_needs(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_ref shared = jexpr_mark(g, jexpr_mul(g, p->x[0], p->x[1]), "shared");
  jexpr_ref y = jexpr_mark(g, jexpr_sin(g, shared), "y");
  jexpr_ref unused = jexpr_mark(g, jexpr_exp(g, jexpr_add(g, shared, p->x[2])), "unused");
  jexpr_schedule s = schedule(p, &a, &y, 1);
  assert_int_equal(s.n, 2);
  assert_int_equal(s.order[0], shared);
  assert_int_equal(s.order[1], y);
  jexpr_equations e = jexpr_count_equations(g, &s, &a);
  assert_int_equal(e.generated, 3);
  assert_int_equal(e.kept, 2);
  s = schedule(p, &a, (jexpr_ref[]){y, unused}, 2);
  assert_int_equal(s.n, 4);
  jarena_free(&a);
}

// An equation that repeats another one is superfluous too.
static void test_schedule_repeated_equation_is_kept_once(void** state) {
  probe* p = *state;
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_ref y = jexpr_mul(p->g, p->x[0], p->x[1]);
  jexpr_mark(p->g, y, "first");
  jexpr_mark(p->g, y, "second");
  jexpr_schedule s = schedule(p, &a, &y, 1);
  jexpr_equations e = jexpr_count_equations(p->g, &s, &a);
  assert_int_equal(e.generated, 2);
  assert_int_equal(e.kept, 1);
  jarena_free(&a);
}

static void test_schedule_counts_by_kind(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_ref x = p->x[0], y = p->x[1];
  jexpr_ref X[3] = {p->x[2], p->x[3], p->x[4]};
  jexpr_ref out[] = {jexpr_add(g, x, y),      jexpr_sub(g, x, y),   jexpr_neg(g, x),
                     jexpr_mul(g, x, y),      jexpr_div(g, x, y),   jexpr_sqrt(g, x),
                     jexpr_sin(g, x),         jexpr_atan2(g, x, y), jexpr_exp(g, x),
                     jexpr_pow(g, x, y),      jexpr_lt(g, x, y),    jexpr_min(g, x, y),
                     jexpr_locate(g, x, X, 3)};
  jexpr_schedule s = schedule(p, &a, out, sizeof out / sizeof *out);
  jexpr_counts n = jexpr_count(g, &s);
  assert_int_equal(n.add, 1);
  assert_int_equal(n.sub, 2);  // and one sign
  assert_int_equal(n.mul, 1);
  assert_int_equal(n.div, 1);
  assert_int_equal(n.root, 1);
  assert_int_equal(n.trig, 2);
  assert_int_equal(n.func, 2);
  assert_int_equal(n.logic, 2);
  assert_int_equal(n.lookup, 1);
  assert_int_equal(n.total, 13);
  jarena_free(&a);
}

// What depends on inputs that keep their order is computed as it was written, all else when it is needed.
static void test_schedule_keeps_order(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jarena a;
  jarena_init(&a, p->ctx);
  int group = jexpr_group(g, "dx", 2, JEXPR_PER_LANE);
  jexpr_ref dx[] = {jexpr_input(g, group, 0), jexpr_input(g, group, 1)};
  jexpr_ref c = jexpr_sin(g, p->x[0]), unused = jexpr_mul(g, c, dx[0]), e = jexpr_cos(g, p->x[1]);
  jexpr_ref y[] = {jexpr_mul(g, e, dx[0]), jexpr_mul(g, e, dx[1]), 0, 0};
  y[2] = jexpr_mul(g, jexpr_exp(g, p->x[2]), y[0]);
  y[3] = jexpr_neg(g, c);
  g->group[group].keeps_order = true;
  jexpr_schedule s = schedule(p, &a, (jexpr_ref[]){y[3], y[2], y[1]}, 3);
  const jexpr_ref order[] = {e, y[0], y[1], g->node[y[2]].b, y[2], c, y[3]};
  assert_int_equal(s.n, 7);
  for (int i = 0; i < 7; i++) {
    bool is_factor = i == 3;  // the operands of a product may stand in either order
    assert_true(s.order[i] == order[i] || (is_factor && s.order[i] == g->node[y[2]].a));
    assert_int_not_equal(s.order[i], unused);
  }
  jarena_free(&a);
}

// y_k = y_{k-1} y_{k-1}: k products with sharing, 2^k - 1 without.
static void test_schedule_expanded_count_grows_exponentially(void** state) {
  probe* p = *state;
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_ref y = p->x[0];
  for (int k = 0; k < 40; k++) {
    y = jexpr_mul(p->g, y, y);
  }
  jexpr_outputs out = {"y", 1, &y};
  jexpr_fn fn = {"f", p->g, 1, &out};
  double expanded;
  assert_ok(p->ctx, jexpr_count_expanded(&a, &fn, &expanded));
  assert_true(expanded == 0x1p40 - 1.0);
  assert_int_equal(schedule(p, &a, &y, 1).n, 40);
  jarena_free(&a);
}

static void test_schedule_of_leaves_is_empty(void** state) {
  probe* p = *state;
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_schedule s = schedule(p, &a, (jexpr_ref[]){p->x[0], jexpr_const(p->g, 1.0)}, 2);
  assert_int_equal(s.n, 0);
  assert_int_equal(s.max_live, 0);
  jarena_free(&a);
}

static void test_schedule_refuses_an_undefined_output(void** state) {
  probe* p = *state;
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_outputs out = {"force", 2, (jexpr_ref[]){p->x[0], JEXPR_POISON}};
  jexpr_fn fn = {"tyre", p->g, 1, &out};
  jexpr_schedule s;
  assert_int_equal(jexpr_schedule_build(&a, &fn, &s), JO_ERR_ARGUMENT);
  assert_non_null(strstr(jo_context_message(p->ctx), "'tyre'"));
  assert_non_null(strstr(jo_context_message(p->ctx), "force[1]"));
  jarena_free(&a);
}

// Values alive after each step, by the last uses that the schedule states.
static int count_live(const jexpr_graph* g, const jexpr_schedule* s, const int* position) {
  int most = 0;
  for (int i = 0; i < s->n; i++) {
    int live = 1;  // the value being made
    for (int j = 0; j < i; j++) {
      bool used_later = false;
      for (int k = i; k < s->n && !used_later; k++) {
        for (int m = 0; m < jexpr_nargs(g, s->order[k]); m++) {
          used_later = used_later || position[jexpr_arg(g, s->order[k], m)] == j;
        }
      }
      live += used_later;
    }
    if (live > most) most = live;
  }
  return most;
}

static void test_schedule_laws_on_random_graphs(void** state) {
  probe* p = *state;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    jexpr_graph* g = jexpr_graph_create(p->ctx);
    random_graph* r = malloc(sizeof *r);
    assert_non_null(r);
    random_graph_build(r, g, seed);
    jarena a;
    jarena_init(&a, p->ctx);
    jexpr_outputs out = {"y", r->noutput, r->output};
    jexpr_fn fn = {"f", g, 1, &out};
    jexpr_schedule s;
    assert_ok(p->ctx, jexpr_schedule_build(&a, &fn, &s));
    int* position = JARENA_ARRAY(&a, g->nnode, int);
    int* last = JARENA_ARRAY(&a, s.n + 1, int);
    for (int i = 0; i < g->nnode; i++) {
      position[i] = -1;
    }
    for (int i = 0; i < s.n; i++) {
      assert_int_equal(position[s.order[i]], -1);  // nothing twice
      position[s.order[i]] = last[i] = i;
      for (int k = 0; k < jexpr_nargs(g, s.order[i]); k++) {
        jexpr_ref arg = jexpr_arg(g, s.order[i], k);
        if (jexpr_nargs(g, arg) == 0) continue;
        assert_true(position[arg] >= 0);  // operands first
        last[position[arg]] = i;
      }
    }
    for (int k = 0; k < r->noutput; k++) {
      if (jexpr_nargs(g, r->output[k]) > 0) last[position[r->output[k]]] = s.n;
    }
    for (int i = 0; i < s.n; i++) {
      assert_int_equal(s.last_use[i], last[i]);
      assert_true(last[i] > i);  // nothing superfluous
    }
    assert_int_equal(s.max_live, count_live(g, &s, position));
    jarena_free(&a);
    jexpr_graph_destroy(g);
    free(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      probe_test(test_schedule_eliminates_what_no_output_needs),
      probe_test(test_schedule_repeated_equation_is_kept_once),
      probe_test(test_schedule_counts_by_kind),
      probe_test(test_schedule_keeps_order),
      probe_test(test_schedule_expanded_count_grows_exponentially),
      probe_test(test_schedule_of_leaves_is_empty),
      probe_test(test_schedule_refuses_an_undefined_output),
      probe_test(test_schedule_laws_on_random_graphs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
