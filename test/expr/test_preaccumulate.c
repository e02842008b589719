// SPDX-License-Identifier: Apache-2.0
// Linear functions along several directions: the same values as direction by direction, fewer operations, and the same nodes
// whichever directions are written.
#include "expr/linear/preaccumulate.h"

#include "expr/diff.h"
#include "expr/linear/network.h"
#include "expr/rewrite.h"
#include "expr/tape/schedule.h"
#include "support/expr_probe.h"
#include "support/random_graph.h"

enum { ND = 5, NIN = RANDOM_MAX_INPUT, NOUT = RANDOM_MAX_OUTPUT, NGRAPH = 100 };

// Inputs of group `dx`: the first `nall` go along all directions, the others along one each.
typedef struct seeds {
  int group, nall, n;
  int nwritten, d;  // d: the direction that is written direction by direction
} seeds;

static int along(void* user, const jexpr_graph* g, jexpr_ref input) {
  const seeds* s = user;
  const jexpr_node* n = &g->node[input];
  if ((int)n->a != s->group) return JEXPR_ALONG_FIXED;
  int k = (int)n->b;
  return k < s->nall ? JEXPR_ALONG_ALL : k - s->nall < ND ? k - s->nall : JEXPR_ALONG_NONE;
}

static jexpr_ref seed(void* user, jexpr_graph* g, jexpr_ref input, int d) {
  const seeds* s = user;
  int k = (int)g->node[input].b, takes_part = along(user, g, input);
  if (takes_part == JEXPR_ALONG_ALL) return jexpr_input(g, s->group, s->n + d * s->n + k);
  return jexpr_const(g, takes_part == d ? 1.0 : 0.0);
}

static jexpr_ref replace(void* user, jexpr_graph* g, jexpr_ref r, jexpr_ref rebuilt) {
  const seeds* s = user;
  const jexpr_node* n = &g->node[r];
  bool is_seed = n->op == JEXPR_INPUT && (int)n->a == s->group && (int)n->b < s->n;
  return is_seed ? seed(user, g, r, s->d) : rebuilt;
}

static int operations(const jexpr_graph* g, const jexpr_ref* y, int n) {
  jarena a;
  jarena_init(&a, g->ctx);
  jexpr_outputs out = {"y", n, y};
  jexpr_fn fn = {"f", g, 1, &out};
  jexpr_schedule s;
  assert_ok(g->ctx, jexpr_schedule_build(&a, &fn, &s));
  jarena_free(&a);
  return s.n;
}

// ---- random graphs ---------------------------------------------------------------------------------

typedef struct scene {
  random_graph r;
  seeds s;
  jexpr_ref dy[NOUT], all[NOUT * ND], plain[NOUT * ND];
} scene;

static void write_tangent(scene* at) {
  random_graph* r = &at->r;
  jexpr_graph* g = r->g;
  jexpr_ref dx[NIN];
  at->s = (seeds){.n = r->ninput, .nall = (r->ninput + 1) / 2, .nwritten = ND};
  at->s.group = jexpr_group(g, "dx", r->ninput * (ND + 1), JEXPR_PER_LANE);
  for (int k = 0; k < r->ninput; k++) {
    dx[k] = jexpr_input(g, at->s.group, k);
  }
  assert_ok(g->ctx, jexpr_tangent(g, r->output, r->noutput, r->input, dx, r->ninput, at->dy));
}

static void write_both(scene* at) {
  random_graph* r = &at->r;
  jexpr_directions by = {ND, ND, &at->s, along, seed};
  assert_ok(r->g->ctx, jexpr_preaccumulate(r->g, &by, at->dy, r->noutput, at->all));
  for (at->s.d = 0; at->s.d < ND; at->s.d++) {
    jexpr_ref* y = at->plain + at->s.d * r->noutput;
    memcpy(y, at->dy, (size_t)r->noutput * sizeof *y);
    assert_ok(r->g->ctx, jexpr_rewrite(r->g, replace, &at->s, y, r->noutput));
  }
}

static void evaluate(scene* at, const double* x, const jexpr_ref* y, double* value) {
  random_graph* r = &at->r;
  jarena a;
  jarena_init(&a, r->g->ctx);
  double dx[NIN * (ND + 1)];
  for (int i = 0; i < r->ninput * (ND + 1); i++) {
    dx[i] = cos(1.0 + i);
  }
  const double* in[RANDOM_MAX_GROUP + 2];
  for (int i = 0; i < r->ngroup; i++) {
    in[i] = x + r->group_start[i];
  }
  in[r->ngroup] = (const double*)&random_graph_data;
  in[at->s.group] = dx;
  jexpr_outputs out = {"y", r->noutput * ND, y};
  jexpr_fn fn = {"f", r->g, 1, &out};
  jexpr_tape t;
  double* work;
  assert_ok(r->g->ctx, jexpr_tape_prepare(r->g->ctx, &a, &fn, &t, &work));
  jexpr_tape_eval(&t, 1, in, &value, work);
  jarena_free(&a);
}

// Roundings of some dozens of operations on values of order one, and of sums of them.
static void check_values(scene* at, const double* x) {
  double a[NOUT * ND], b[NOUT * ND], scale = 1.0;
  evaluate(at, x, at->all, a);
  evaluate(at, x, at->plain, b);
  for (int i = 0; i < at->r.noutput * ND; i++) {
    scale = fmax(scale, fabs(b[i]));
  }
  for (int i = 0; i < at->r.noutput * ND; i++) {
    assert_near(a[i], b[i], 1e-12 * scale);
  }
}

static void test_preaccumulate_keeps_values_of_random_graphs(void** state) {
  (void)state;
  static scene at;
  int with = 0, without = 0;
  for (int i = 0; i < NGRAPH; i++) {
    fixture* f = fixture_open();
    double x[NIN];
    random_graph_build(&at.r, fixture_graph(f), (uint64_t)i + 1);
    write_tangent(&at);
    write_both(&at);
    with += operations(at.r.g, at.all, at.r.noutput * ND);
    without += operations(at.r.g, at.plain, at.r.noutput * ND);
    if (random_graph_point(&at.r, x)) check_values(&at, x);
    assert_true(jexpr_graph_is_valid(at.r.g));
    fixture_close(f);
  }
  assert_true(with < 0.9 * without);
}

// Another time the same nodes come out, and along the first direction alone, too.
static void test_preaccumulate_depends_on_no_number_of_written_directions(void** state) {
  (void)state;
  static scene at;
  fixture* f = fixture_open();
  random_graph_build(&at.r, fixture_graph(f), 7);
  write_tangent(&at);
  write_both(&at);
  jexpr_ref one[NOUT];
  jexpr_directions by = {ND, 1, &at.s, along, seed};
  assert_ok(f->ctx, jexpr_preaccumulate(at.r.g, &by, at.dy, at.r.noutput, one));
  assert_memory_equal(one, at.all, (size_t)at.r.noutput * sizeof *one);
  fixture_close(f);
}

// ---- known ones ------------------------------------------------------------------------------------

static jexpr_ref dot(jexpr_graph* g, const jexpr_ref* a, const jexpr_ref* x) {
  jexpr_ref sum = jexpr_mul(g, a[0], x[0]);
  for (int k = 1; k < 3; k++) {
    sum = jexpr_add(g, sum, jexpr_mul(g, a[k], x[k]));
  }
  return sum;
}

// C B A dx along 20 directions: nine multiplications and six additions in each, and no more than three products of matrices
// for all (two are enough).
static void test_preaccumulate_multiplies_matrices_once(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  enum { DIRECTIONS = 20 };
  seeds s = {.nall = 3, .n = 3};
  int group = jexpr_group(g, "a", 27, JEXPR_PER_LANE);
  s.group = jexpr_group(g, "dx", 3 * (DIRECTIONS + 1), JEXPR_PER_LANE);
  jexpr_ref x[3], y[3], all[3 * DIRECTIONS];
  for (int k = 0; k < 3; k++) {
    x[k] = jexpr_input(g, s.group, k);
  }
  for (int m = 0; m < 3; m++) {
    for (int i = 0; i < 3; i++) {
      jexpr_ref row[3];
      for (int k = 0; k < 3; k++) {
        row[k] = jexpr_input(g, group, 9 * m + 3 * i + k);
      }
      y[i] = dot(g, row, x);
    }
    memcpy(x, y, sizeof x);
  }
  jexpr_directions by = {DIRECTIONS, DIRECTIONS, &s, along, seed};
  assert_ok(p->ctx, jexpr_preaccumulate(g, &by, y, 3, all));
  assert_true(operations(g, all, 3 * DIRECTIONS) <= DIRECTIONS * 15 + 3 * 45);
}

// What is zero along a direction leaves no operation there.
static void test_preaccumulate_knows_where_inputs_are_zero(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  seeds s = {.nall = 0, .n = ND + 1};
  s.group = jexpr_group(g, "dx", ND + 1, JEXPR_PER_LANE);
  jexpr_ref y = jexpr_const(g, 0.0), all[ND];
  for (int k = 0; k < ND; k++) {
    y = jexpr_add(g, y, jexpr_mul(g, p->x[k], jexpr_input(g, s.group, k)));
  }
  y = jexpr_add(g, y, jexpr_mul(g, p->x[ND], jexpr_input(g, s.group, ND)));  // along none
  jexpr_directions by = {ND, ND, &s, along, seed};
  assert_ok(p->ctx, jexpr_preaccumulate(g, &by, &y, 1, all));
  assert_memory_equal(all, p->x, sizeof all);
}

// ---- network ---------------------------------------------------------------------------------------

enum { VERTICES = 40 };

static jo_status make_network(jexpr_network* k, probe* p) {
  random_source source;
  random_seed(&source, 3);
  for (int v = 0; v < VERTICES; v++) {
    bool is_end = v < 4 || v >= VERTICES - 4;
    JO_TRY(jexpr_network_vertex(k, (jexpr_vertex){.weight = ND, .is_kept = is_end}));
    for (int from = 0; from < v; from++) {
      if (random_below(&source, 8) > 0) continue;
      jexpr_ref c = random_below(&source, 3) == 0 ? jexpr_const(p->g, -1.0)
                                                  : p->x[random_below(&source, PROBE_INPUTS)];
      JO_TRY(jexpr_network_edge(k, from, v, c));
    }
  }
  return JO_OK;
}

static int count_edges(const jexpr_network* k) {
  int n = 0;
  for (int v = 0; v < k->nv; v++) {
    for (int e = k->v[v].in; !k->v[v].is_gone && e >= 0; e = k->e[e].next_in) {
      n++;
    }
  }
  return n;
}

// All gains and edges are as before, however much was eliminated in between.
static void test_network_comes_back_after_undoing(void** state) {
  probe* p = *state;
  jexpr_network k;
  int gain[VERTICES];
  assert_ok(p->ctx, jexpr_network_init(&k, p->g));
  assert_ok(p->ctx, make_network(&k, p));
  int edges = count_edges(&k);
  for (int v = 4; v < VERTICES - 4; v++) {
    gain[v] = jexpr_network_gain(&k, v);
  }
  for (int stride = 1; stride < 5; stride++) {
    for (int v = 4; v < VERTICES - 4; v += stride) {
      assert_ok(p->ctx, jexpr_network_eliminate(&k, v));
    }
    if (stride == 1)
      assert_true(count_edges(&k) <= 16 + 12);  // from the first four, and among the last
    jexpr_network_undo(&k, 0);
    assert_int_equal(count_edges(&k), edges);
    for (int v = 4; v < VERTICES - 4; v++) {
      assert_int_equal(jexpr_network_gain(&k, v), gain[v]);
    }
  }
  jexpr_network_free(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_preaccumulate_keeps_values_of_random_graphs),
      cmocka_unit_test(test_preaccumulate_depends_on_no_number_of_written_directions),
      probe_test(test_preaccumulate_multiplies_matrices_once),
      probe_test(test_preaccumulate_knows_where_inputs_are_zero),
      probe_test(test_network_comes_back_after_undoing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
