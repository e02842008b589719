// SPDX-License-Identifier: Apache-2.0
// Unrolled factorisations solve what they were made of, with zeros wherever they stand.
#include "gen/loop/reduce.h"

#include "support/expr_probe.h"
#include "support/random_graph.h"

#define ROUNDING 1e-11

enum { N = 7 };

typedef struct system_of {
  fixture* f;
  jexpr_graph* g;
  int n;
  double A[N * N], b[N];
  jexpr_ref a[N * N], rhs[N];
} system_of;

// Entries are inputs; zeros of the pattern are the constant, as closures and trees have them.
static void as_inputs(system_of* s) {
  s->f = fixture_open();
  s->g = fixture_graph(s->f);
  jexpr_group(s->g, "A", N * N, JEXPR_PER_LANE);
  jexpr_group(s->g, "b", N, JEXPR_PER_LANE);
  for (int i = 0; i < s->n * s->n; i++) {
    s->a[i] = s->A[i] == 0.0 ? jexpr_const(s->g, 0.0) : jexpr_input(s->g, 0, i);
  }
  for (int i = 0; i < s->n; i++) {
    s->rhs[i] = jexpr_input(s->g, 1, i);
  }
}

static void evaluate(const system_of* s, const jexpr_ref* ref, double* x) {
  jexpr_outputs o = {"x", s->n, ref};
  jexpr_fn fn = {"x", s->g, 1, &o};
  jexpr_tape tape;
  double* work;
  assert_ok(s->f->ctx, jexpr_graph_status(s->g));
  assert_ok(s->f->ctx, jexpr_tape_prepare(s->f->ctx, &s->f->a, &fn, &tape, &work));
  jexpr_tape_eval(&tape, 1, (const double* const[]){s->A, s->b}, &x, work);
}

static void shuffle(random_source* source, int* order, int n) {
  for (int i = 0; i < n; i++) {
    order[i] = i;
  }
  for (int i = n - 1; i > 0; i--) {
    int k = random_below(source, i + 1), old = order[i];
    order[i] = order[k];
    order[k] = old;
  }
}

// Sparse, with large pivots at (k, col[k]).
static void random_system(random_source* source, system_of* s, int* col) {
  s->n = 1 + random_below(source, N);
  shuffle(source, col, s->n);
  for (int i = 0; i < s->n * s->n; i++) {
    s->A[i] = random_below(source, 3) ? 0.0 : random_uniform(source, -1.0, 1.0);
  }
  for (int k = 0; k < s->n; k++) {
    s->A[k * s->n + col[k]] = random_uniform(source, 4.0, 6.0);
    s->b[k] = random_uniform(source, -1.0, 1.0);
  }
}

static void test_reduce_lu_solves_both_ways(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 101);
  for (int round = 0; round < 40; round++) {
    system_of s;
    int col[N];
    jgen_lu lu;
    jexpr_ref inverse[N], b[N], x[N], y[N];
    double got[N], transposed[N];
    random_system(&source, &s, col);
    as_inputs(&s);
    jgen_lu_factor(&lu, s.g, s.n, s.a, inverse, col);
    memcpy(b, s.rhs, sizeof b);
    jgen_lu_solve(&lu, b, x);
    jgen_lu_solve_transposed(&lu, s.rhs, y);
    evaluate(&s, x, got);
    evaluate(&s, y, transposed);
    for (int i = 0; i < s.n; i++) {
      double row = 0.0, column = 0.0;
      for (int k = 0; k < s.n; k++) {
        row += s.A[i * s.n + k] * got[k];
        column += s.A[k * s.n + i] * transposed[k];
      }
      assert_near(row, s.b[i], ROUNDING);
      assert_near(column, s.b[i], ROUNDING);
    }
    fixture_close(s.f);
  }
}

// A = B B^T with a sparse B: symmetric, positive definite.
static void random_positive(random_source* source, system_of* s) {
  double B[N * N];
  s->n = 1 + random_below(source, N);
  for (int i = 0; i < s->n * s->n; i++) {
    bool own = i / s->n == i % s->n;
    B[i] = own                       ? random_uniform(source, 1.0, 2.0)
           : random_below(source, 4) ? 0.0
                                     : random_uniform(source, -1.0, 1.0);
  }
  for (int i = 0; i < s->n * s->n; i++) {
    s->A[i] = 0.0;
    for (int k = 0; k < s->n; k++) {
      s->A[i] += B[i / s->n * s->n + k] * B[i % s->n * s->n + k];
    }
  }
  for (int i = 0; i < s->n; i++) {
    s->b[i] = random_uniform(source, -1.0, 1.0);
  }
}

static void test_reduce_ldl_solves(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 102);
  for (int round = 0; round < 40; round++) {
    system_of s;
    jgen_ldl ldl;
    jexpr_ref inverse[N], x[N];
    int order[N], seen[N] = {0};
    double got[N], d[N];
    random_positive(&source, &s);
    as_inputs(&s);
    jgen_ldl_factor(&ldl, s.g, s.n, s.a, inverse, order);
    memcpy(x, s.rhs, sizeof x);
    jgen_ldl_solve(&ldl, x);
    evaluate(&s, x, got);
    evaluate(&s, inverse, d);
    for (int i = 0; i < s.n; i++) {
      double row = 0.0;
      for (int k = 0; k < s.n; k++) {
        row += s.A[i * s.n + k] * got[k];
      }
      assert_near(row, s.b[i], 1e-9);  // conditions of some 1e3
      assert_true(d[i] > 0.0);
      assert_int_equal(seen[order[i]]++, 0);
    }
    fixture_close(s.f);
  }
}

// An arrow that points the wrong way: eliminated from its tip nothing fills in.
static void test_reduce_ldl_takes_least_degree_first(void** state) {
  (void)state;
  system_of s = {.n = N};
  jgen_ldl ldl;
  jexpr_ref inverse[N];
  int order[N];
  for (int i = 0; i < N; i++) {
    s.A[i] = s.A[i * N] = 1.0;
    s.A[i * N + i] = 9.0;
  }
  as_inputs(&s);
  jgen_ldl_factor(&ldl, s.g, N, s.a, inverse, order);
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < N; k++) {
      bool filled = i != k && i > 0 && k > 0;
      if (filled) assert_true(jexpr_is_value(s.g, ldl.A[i * N + k], 0.0));
    }
  }
  fixture_close(s.f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reduce_lu_solves_both_ways),
      cmocka_unit_test(test_reduce_ldl_solves),
      cmocka_unit_test(test_reduce_ldl_takes_least_degree_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
