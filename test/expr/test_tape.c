// SPDX-License-Identifier: Apache-2.0
// The interpreter: lanes do not influence each other, outputs of every kind, nothing allocated, and
// the complex evaluation is the real one on real numbers.
#include "expr/tape/tape.h"

#include "support/expr_probe.h"
#include "support/random_graph.h"

enum { LANES = 24, MAX_LANES = 8 };

// All LANES points through the tape, `lanes` at a time.
static void eval_in_batches(const random_graph* r, const jexpr_tape* t, int lanes,
                            double (*x)[RANDOM_MAX_INPUT], double (*y)[RANDOM_MAX_OUTPUT]) {
  double in_store[RANDOM_MAX_INPUT * MAX_LANES], out_store[RANDOM_MAX_OUTPUT * MAX_LANES];
  double* work = malloc(jexpr_tape_work(t, lanes) * sizeof *work + 1);
  assert_non_null(work);
  const double* in[RANDOM_MAX_GROUP + 1];
  double* out[1] = {out_store};
  for (int k = 0; k < r->ngroup; k++) {
    in[k] = in_store + r->group_start[k] * lanes;
  }
  in[r->ngroup] = jdata_as_input(&random_graph_data);
  jexpr_tape_init(t, lanes, work);
  for (int first = 0; first < LANES; first += lanes) {
    for (int i = 0; i < r->ninput * lanes; i++) {
      in_store[i] = x[first + i % lanes][i / lanes];
    }
    jexpr_tape_eval(t, lanes, in, out, work);
    for (int i = 0; i < r->noutput * lanes; i++) {
      y[first + i % lanes][i / lanes] = out_store[i];
    }
  }
  free(work);
}

static void test_tape_lanes_agree_bitwise(void** state) {
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
    jexpr_tape t;
    assert_ok(p->ctx, jexpr_tape_build(p->ctx, &a, &fn, &t));
    double x[LANES][RANDOM_MAX_INPUT];
    for (int i = 0; i < LANES * RANDOM_MAX_INPUT; i++) {
      x[i / RANDOM_MAX_INPUT][i % RANDOM_MAX_INPUT] = random_uniform(&r->source, -2.0, 2.0);
    }
    double one[LANES][RANDOM_MAX_OUTPUT] = {{0}}, other[LANES][RANDOM_MAX_OUTPUT] = {{0}};
    eval_in_batches(r, &t, 1, x, one);
    eval_in_batches(r, &t, 3, x, other);
    assert_memory_equal(one, other, sizeof one);
    eval_in_batches(r, &t, 8, x, other);
    assert_memory_equal(one, other, sizeof one);
    jarena_free(&a);
    jexpr_graph_destroy(g);
    free(r);
  }
}

static void test_tape_uniform_group_is_one_value_for_all_lanes(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  int group = jexpr_group(g, "p", 2, JEXPR_UNIFORM);
  jexpr_ref y = jexpr_mul(g, p->x[0], jexpr_input(g, group, 1));
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_outputs out = {"y", 1, &y};
  jexpr_fn fn = {"f", g, 1, &out};
  jexpr_tape t;
  assert_ok(p->ctx, jexpr_tape_build(p->ctx, &a, &fn, &t));
  const double x[3 * PROBE_INPUTS] = {1.0, 2.0, 3.0}, parameter[2] = {5.0, 7.0};
  double result[3], *work = JARENA_ARRAY(&a, jexpr_tape_work(&t, 3), double);
  jexpr_tape_init(&t, 3, work);
  jexpr_tape_eval(&t, 3, (const double* [2]){x, parameter}, (double* [1]){result}, work);
  assert_memory_equal(result, ((double[3]){7.0, 14.0, 21.0}), sizeof result);
  jarena_free(&a);
}

// Leaves, repeated nodes, a node that is both output and operand, an empty group.
static void test_tape_outputs_of_every_kind(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref sum = jexpr_add(g, p->x[0], p->x[1]), c = jexpr_const(g, 2.5);
  jexpr_ref first[] = {p->x[3], c, sum, sum}, third[] = {jexpr_sin(g, sum), p->x[3], p->x[0]};
  const jexpr_outputs out[] = {{"a", 4, first}, {"b", 0, NULL}, {"c", 3, third}};
  const jexpr_fn fn = {"f", g, 3, out};
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_tape t;
  assert_ok(p->ctx, jexpr_tape_build(p->ctx, &a, &fn, &t));
  const double x[PROBE_INPUTS] = {0.25, 0.5, 0.0, 9.0};
  double y[4], z[3], *work = JARENA_ARRAY(&a, jexpr_tape_work(&t, 1), double);
  jexpr_tape_init(&t, 1, work);
  for (int again = 0; again < 2; again++) {  // constants survive an evaluation
    memset(y, 0, sizeof y);
    memset(z, 0, sizeof z);
    jexpr_tape_eval(&t, 1, (const double* [1]){x}, (double* [3]){y, NULL, z}, work);
    assert_memory_equal(y, ((double[]){9.0, 2.5, 0.75, 0.75}), sizeof y);
    assert_memory_equal(z, ((double[]){sin(0.75), 9.0, 0.25}), sizeof z);
  }
  jarena_free(&a);
}

static void test_tape_slots_are_reused(void** state) {
  probe* p = *state;
  jexpr_ref y = p->x[0];
  for (int k = 0; k < 1000; k++) {
    y = jexpr_sin(p->g, y);
  }
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_outputs out = {"y", 1, &y};
  jexpr_fn fn = {"f", p->g, 1, &out};
  jexpr_tape t;
  assert_ok(p->ctx, jexpr_tape_build(p->ctx, &a, &fn, &t));
  assert_in_range(t.nslot, 1, 2);
  jarena_free(&a);
}

static void test_tape_evaluation_allocates_nothing(void** state) {
  probe* p = *state;
  random_graph* r = malloc(sizeof *r);
  assert_non_null(r);
  jexpr_graph* g = jexpr_graph_create(p->ctx);
  random_graph_build(r, g, 3);
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_outputs out = {"y", r->noutput, r->output};
  jexpr_fn fn = {"f", g, 1, &out};
  jexpr_tape t;
  assert_ok(p->ctx, jexpr_tape_build(p->ctx, &a, &fn, &t));
  double* work = JARENA_ARRAY(&a, jexpr_tape_work(&t, 8), double);
  double complex* complex_work = JARENA_ARRAY(&a, t.nslot, double complex);
  double x[RANDOM_MAX_INPUT * 8] = {0}, y[RANDOM_MAX_OUTPUT * 8];
  double complex z[RANDOM_MAX_INPUT] = {0}, w[RANDOM_MAX_OUTPUT];
  long calls = p->f->memory.calls;
  p->f->memory.fail_at = calls;  // and nothing could be
  jexpr_tape_init(&t, 8, work);
  jexpr_tape_eval(&t, 8, (const double* [3]){x, x, x}, (double* [1]){y}, work);
  jexpr_tape_eval_complex(&t, (const double complex* [3]){z, z, z}, (double complex* [1]){w},
                          complex_work);
  assert_int_equal(p->f->memory.calls, calls);
  p->f->memory.fail_at = -1;
  jarena_free(&a);
  jexpr_graph_destroy(g);
  free(r);
}

// Every operator: on real numbers the complex evaluation has the real value, without imaginary part.
static void test_tape_complex_is_real_on_real_numbers(void** state) {
  probe* p = *state;
  const double points[][PROBE_INPUTS] = {{0.6, 0.35, -0.8}, {0.2, -0.7, 0.5}, {0.9, 0.9, 0.1}};
  for (int op = JEXPR_ADD; op < JEXPR_OP_COUNT; op++) {
    if (jexpr_ops[op].arity < 0) continue;
    jexpr_ref y = jexpr_apply(p->g, (jexpr_op)op, p->x[0], p->x[1], p->x[2]);
    jarena a;
    jarena_init(&a, p->ctx);
    jexpr_outputs out = {"y", 1, &y};
    jexpr_fn fn = {"f", p->g, 1, &out};
    jexpr_tape t;
    assert_ok(p->ctx, jexpr_tape_build(p->ctx, &a, &fn, &t));
    double complex* work = JARENA_ARRAY(&a, t.nslot, double complex);
    for (int i = 0; i < 3; i++) {
      double complex z[PROBE_INPUTS], w;
      for (int k = 0; k < PROBE_INPUTS; k++) {
        z[k] = points[i][k];
      }
      jexpr_tape_eval_complex(&t, (const double complex* [1]){z}, (double complex* [1]){&w}, work);
      assert_near(creal(w), probe_eval(p, y, points[i]), 1e-15);  // other libm functions
      assert_near(cimag(w), 0.0, 0.0);
    }
    jarena_free(&a);
  }
}

static void test_tape_locate_finds_the_interval(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref k = jexpr_locate(g, p->x[0], p->x + 1, 5), v = jexpr_pick(g, k, p->x + 1, 5);
  const double X[5] = {-1.0, 0.0, 0.5, 2.0, 3.0};
  const struct {
    double x, k;
  } cases[] = {{-5.0, 0}, {-1.0, 0}, {-0.5, 0}, {0.0, 1}, {0.49, 1}, {0.5, 2},
               {1.9, 2},  {2.0, 3},  {2.5, 3},  {3.0, 3}, {99.0, 3}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double x[PROBE_INPUTS] = {cases[i].x};
    memcpy(x + 1, X, sizeof X);
    assert_near(probe_eval(p, k, x), cases[i].k, 0.0);
    assert_near(probe_eval(p, v, x), X[(int)cases[i].k], 0.0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      probe_test(test_tape_lanes_agree_bitwise),
      probe_test(test_tape_uniform_group_is_one_value_for_all_lanes),
      probe_test(test_tape_outputs_of_every_kind),
      probe_test(test_tape_slots_are_reused),
      probe_test(test_tape_evaluation_allocates_nothing),
      probe_test(test_tape_complex_is_real_on_real_numbers),
      probe_test(test_tape_locate_finds_the_interval),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
