// SPDX-License-Identifier: Apache-2.0
// What tests of the expression engine start from: a context with a counting allocator, a graph with
// a group of inputs, evaluation of single nodes and their complex-step derivatives.
#ifndef JTEST_EXPR_PROBE_H
#define JTEST_EXPR_PROBE_H

#include <complex.h>

#include "expr/graph.h"
#include "expr/tape/tape.h"
#include "support/fixture.h"

enum { PROBE_INPUTS = 8 };

typedef struct probe {
  fixture* f;
  jo_context* ctx;  // of the fixture
  jexpr_graph* g;
  jexpr_ref x[PROBE_INPUTS];
} probe;

static inline int probe_setup(void** state) {
  probe* p = calloc(1, sizeof *p);
  if (!p) return -1;
  p->f = fixture_open();
  p->ctx = p->f->ctx;
  p->g = fixture_graph(p->f);
  int group = jexpr_group(p->g, "x", PROBE_INPUTS, JEXPR_PER_LANE);
  for (int k = 0; k < PROBE_INPUTS; k++) {
    p->x[k] = jexpr_input(p->g, group, k);
  }
  *state = p;
  return 0;
}

// Every test also checks that the graph is in order and that nothing leaks.
static inline int probe_teardown(void** state) {
  probe* p = *state;
  bool valid = jexpr_graph_is_valid(p->g);
  fixture_close(p->f);
  free(p);
  if (!valid) print_error("the graph is not valid\n");
  return valid ? 0 : -1;
}

#define probe_test(f) cmocka_unit_test_setup_teardown(f, probe_setup, probe_teardown)

// Values of n nodes at x.
static inline void probe_eval_all(probe* p, const jexpr_ref* r, int n, const double* x, double* y) {
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_outputs out = {"y", n, r};
  jexpr_fn fn = {"probe", p->g, 1, &out};
  jexpr_tape t;
  check_ok(p->ctx, jexpr_tape_build(p->ctx, &a, &fn, &t), "jexpr_tape_build", __FILE__, __LINE__);
  double* work = JARENA_ARRAY(&a, jexpr_tape_work(&t, 1) + 1, double);
  assert_non_null(work);
  jexpr_tape_init(&t, 1, work);
  jexpr_tape_eval(&t, 1, &x, &y, work);
  jarena_free(&a);
}

static inline double probe_eval(probe* p, jexpr_ref r, const double* x) {
  double y;
  probe_eval_all(p, &r, 1, x, &y);
  return y;
}

// d r / d x_k at x by the complex step.
static inline double probe_complex_step(probe* p, jexpr_ref r, const double* x, int k) {
  const double h = 1e-30;
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_outputs out = {"y", 1, &r};
  jexpr_fn fn = {"probe", p->g, 1, &out};
  jexpr_tape t;
  check_ok(p->ctx, jexpr_tape_build(p->ctx, &a, &fn, &t), "jexpr_tape_build", __FILE__, __LINE__);
  double complex* work = JARENA_ARRAY(&a, t.nslot + 1, double complex);
  assert_non_null(work);
  double complex z[PROBE_INPUTS], y;
  for (int i = 0; i < PROBE_INPUTS; i++) {
    z[i] = x[i] + (i == k ? I * h : 0.0);
  }
  jexpr_tape_eval_complex(&t, (const double complex* [1]){z}, (double complex* [1]){&y}, work);
  jarena_free(&a);
  return cimag(y) / h;
}

#endif
