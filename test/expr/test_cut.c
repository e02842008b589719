// SPDX-License-Identifier: Apache-2.0
// Functions in two parts: together they give the bits of the whole, and the first knows nothing of what comes late.
#include "expr/linear/cut.h"

#include "expr/diff.h"
#include "expr/rewrite.h"
#include "support/expr_probe.h"
#include "support/random_graph.h"

enum { NIN = RANDOM_MAX_INPUT, NOUT = RANDOM_MAX_OUTPUT, NGRAPH = 100 };

static int late_group;

static bool is_late(const jexpr_node* input) {
  return (int)input->a == late_group;
}

// Tangents of a random graph along dx, which comes late: whole, and in two parts.
typedef struct scene {
  random_graph r;
  jarena a;
  jexpr_ref whole[NOUT], part[NOUT], *kept;
  int nkept, group;
  double dx[NIN];
} scene;

static void write_parts(scene* at) {
  random_graph* r = &at->r;
  jexpr_ref dx[NIN];
  late_group = jexpr_group(r->g, "dx", r->ninput, JEXPR_PER_LANE);
  at->group = jexpr_group(r->g, "kept", 0, JEXPR_PER_LANE);
  for (int k = 0; k < r->ninput; k++) {
    dx[k] = jexpr_input(r->g, late_group, k);
    at->dx[k] = cos(1.0 + k);
  }
  assert_ok(r->g->ctx,
            jexpr_tangent(r->g, r->output, r->noutput, r->input, dx, r->ninput, at->whole));
  memcpy(at->part, at->whole, sizeof at->part);
  assert_ok(r->g->ctx, jexpr_cut(r->g, &at->a, is_late, at->group, at->part, r->noutput, &at->kept,
                                 &at->nkept));
}

static void evaluate(scene* at, const double* x, const double* kept, const jexpr_ref* y, int n,
                     double* value) {
  random_graph* r = &at->r;
  const double* in[RANDOM_MAX_GROUP + 3];
  for (int i = 0; i < r->ngroup; i++) {
    in[i] = x + r->group_start[i];
  }
  in[r->ngroup] = (const double*)&random_graph_data;
  in[late_group] = at->dx;
  in[at->group] = kept;
  jexpr_outputs out = {"y", n, y};
  jexpr_fn fn = {"f", r->g, 1, &out};
  jexpr_tape t;
  double* work;
  assert_ok(r->g->ctx, jexpr_tape_prepare(r->g->ctx, &at->a, &fn, &t, &work));
  jexpr_tape_eval(&t, 1, in, &value, work);
}

static void check_values(scene* at, const double* x) {
  double whole[NOUT], part[NOUT];
  double* kept = JARENA_ARRAY(&at->a, at->nkept, double);
  assert_non_null(kept);
  evaluate(at, x, NULL, at->whole, at->r.noutput, whole);
  evaluate(at, x, NULL, at->kept, at->nkept, kept);
  evaluate(at, x, kept, at->part, at->r.noutput, part);
  assert_memory_equal(part, whole, (size_t)at->r.noutput * sizeof *part);
}

// What the first part gives has nothing late in it, and the second reads all of it, in its order.
static void check_parts(scene* at) {
  const jexpr_graph* g = at->r.g;
  bool* early = jexpr_needed_by(g, &at->a, at->kept, at->nkept);
  bool* read = jexpr_needed_by(g, &at->a, at->part, at->r.noutput);
  assert_true(early && read);
  int nread = 0;
  for (jexpr_ref r = 1; r < (jexpr_ref)g->nnode; r++) {
    bool is_input = g->node[r].op == JEXPR_INPUT;
    assert_false(early[r] && is_input && is_late(&g->node[r]));
    nread += read[r] && is_input && (int)g->node[r].a == at->group;
  }
  assert_int_equal(nread, at->nkept);
}

static void test_cut_keeps_bits_of_random_graphs(void** state) {
  (void)state;
  static scene at;
  int kept = 0;
  for (int i = 0; i < NGRAPH; i++) {
    fixture* f = fixture_open();
    double x[NIN];
    jarena_init(&at.a, f->ctx);
    random_graph_build(&at.r, fixture_graph(f), (uint64_t)i + 1);
    write_parts(&at);
    check_parts(&at);
    if (random_graph_point(&at.r, x)) check_values(&at, x);
    assert_true(jexpr_graph_is_valid(at.r.g));
    kept += at.nkept;
    jarena_free(&at.a);
    fixture_close(f);
  }
  assert_true(kept > NGRAPH);
}

// sin x and its negative are one value, and twice what is kept is made again.
static void test_cut_keeps_what_is_needed(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref sine = jexpr_sin(g, p->x[0]), product = jexpr_mul(g, sine, p->x[1]), *kept;
  late_group = jexpr_group(g, "dx", 3, JEXPR_PER_LANE);
  int group = jexpr_group(g, "kept", 0, JEXPR_PER_LANE), nkept;
  jexpr_ref y[3] = {jexpr_div(g, jexpr_input(g, late_group, 0), sine),
                    jexpr_div(g, jexpr_neg(g, sine), jexpr_input(g, late_group, 1)),
                    jexpr_mul(g, product, jexpr_input(g, late_group, 2))};
  assert_ok(p->ctx, jexpr_cut(g, &p->f->a, is_late, group, y, 3, &kept, &nkept));
  assert_int_equal(nkept, 1);
  assert_int_equal(kept[0], sine);
  assert_int_equal(g->group[group].size, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cut_keeps_bits_of_random_graphs),
      probe_test(test_cut_keeps_what_is_needed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
