// SPDX-License-Identifier: Apache-2.0
// Rings: groups that are joined never wait for themselves, whatever was joined before, and only those are refused.
#include "expr/linear/ring.h"

#include "support/fixture.h"
#include "support/random_graph.h"

enum { NODES = 60 };

typedef struct graph {
  jexpr_fn fn;
  jexpr_outputs out;
  jexpr_ref node[NODES];
  jexpr_schedule s;
} graph;

// Sums and products of any earlier two.
static void make_graph(fixture* f, graph* x, uint64_t seed) {
  random_source s;
  random_seed(&s, seed);
  jexpr_graph* g = fixture_graph(f);
  int q = jexpr_group(g, "q", NODES, JEXPR_PER_LANE);
  for (int i = 0; i < NODES; i++) {
    jexpr_ref a = i > 3 ? x->node[random_below(&s, i)] : jexpr_input(g, q, 0);
    jexpr_ref b = i > 3 && i % 3 ? x->node[random_below(&s, i)] : jexpr_input(g, q, i);
    x->node[i] = jexpr_mul(g, jexpr_sin(g, a), jexpr_add(g, b, jexpr_input(g, q, i)));
  }
  x->out = (jexpr_outputs){"y", NODES, x->node};
  x->fn = (jexpr_fn){"any", g, 1, &x->out};
  assert_ok(f->ctx, jexpr_schedule_build(&f->a, &x->fn, &x->s));
}

// Whether any group waits for itself: groups whose operands are all gone go, until none can.
static bool has_ring(const graph* x, const int* group, int ngroup) {
  const jexpr_graph* g = x->fn.graph;
  bool *gone = calloc((size_t)ngroup, sizeof *gone), *waits = calloc((size_t)ngroup, sizeof *waits);
  int left = ngroup, before = ngroup + 1;
  while (left < before) {
    before = left;
    memset(waits, 0, (size_t)ngroup * sizeof *waits);
    for (int i = 0; i < x->s.n; i++) {
      jexpr_ref r = x->s.order[i];
      for (int k = 0; k < jexpr_nargs(g, r); k++) {
        int below = group[jexpr_arg(g, r, k)];
        if (below >= 0 && !gone[below]) waits[group[r]] = true;
      }
    }
    for (int i = 0; i < ngroup; i++) {
      left -= !gone[i] && !waits[i];
      gone[i] = gone[i] || !waits[i];
    }
  }
  free(gone);
  free(waits);
  return left > 0;
}

static void unite(const graph* x, int* group, int a, int b) {
  for (int i = 0; i < x->s.n; i++) {
    if (group[x->s.order[i]] == b) group[x->s.order[i]] = a;
  }
}

static void test_rings_are_refused_and_nothing_else_is(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    fixture* f = fixture_open();
    graph x;
    make_graph(f, &x, seed);
    jexpr_rings rings;
    random_source s;
    random_seed(&s, seed + 100);
    assert_ok(f->ctx, jexpr_rings_open(&f->a, f->g, &x.s, &rings));
    int *group = JARENA_ARRAY(&f->a, f->g->nnode, int),
        *with = JARENA_ARRAY(&f->a, f->g->nnode, int);
    for (int r = 0; r < f->g->nnode; r++)
      group[r] = -1;
    for (int i = 0; i < x.s.n; i++)
      group[x.s.order[i]] = i;
    int refused = 0;
    for (int i = 0; i < 60; i++) {
      jexpr_ref pair[2] = {x.node[random_below(&s, NODES)], x.node[random_below(&s, NODES)]};
      memcpy(with, group, (size_t)f->g->nnode * sizeof *with);
      unite(&x, with, with[pair[0]], with[pair[1]]);
      bool is_ring = has_ring(&x, with, x.s.n);
      assert_int_equal(jexpr_rings_join(&rings, pair, 2), !is_ring);
      if (!is_ring) memcpy(group, with, (size_t)f->g->nnode * sizeof *with);
      refused += is_ring;
    }
    assert_in_range(refused, 1, 59);
    fixture_close(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rings_are_refused_and_nothing_else_is),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
