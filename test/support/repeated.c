// SPDX-License-Identifier: Apache-2.0
#include "support/repeated.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "expr/diff.h"
#include "support/random_graph.h"

enum { STEPS_MAX = 256 };

// Frequent ones stand several times.
static const jexpr_op operators[] = {
    JEXPR_ADD, JEXPR_ADD, JEXPR_SUB,    JEXPR_SUB,  JEXPR_SUB, JEXPR_MUL, JEXPR_MUL, JEXPR_MUL,
    JEXPR_MUL, JEXPR_DIV, JEXPR_NEG,    JEXPR_SQRT, JEXPR_SIN, JEXPR_COS, JEXPR_ABS, JEXPR_MIN,
    JEXPR_MAX, JEXPR_LT,  JEXPR_SELECT, JEXPR_ATAN, JEXPR_LE,  JEXPR_EQ,  JEXPR_EXP, JEXPR_TANH};
enum { OPERATORS = sizeof operators / sizeof *operators };

typedef struct program {
  int n, op[STEPS_MAX], a[STEPS_MAX], b[STEPS_MAX], c[STEPS_MAX];
  double factor[STEPS_MAX];
} program;

static void make_program(program* p, int steps, random_source* s) {
  int first = REPEATED_OWN + REPEATED_SHARED;
  p->n = steps;
  for (int i = 0; i < steps; i++) {
    int near = i < 8 ? first + i : 8;
    p->op[i] = random_below(s, OPERATORS);
    p->a[i] = i < 8 ? random_below(s, first + i) : first + i - 1 - random_below(s, near);
    p->b[i] = random_below(s, first + i);
    p->c[i] = random_below(s, first + i);
    p->factor[i] = random_uniform(s, 0.3, 2.0);
  }
}

// One copy: every product with a constant gets one of its own, of either sign.
static jexpr_ref run_program(const program* p, jexpr_graph* g, const jexpr_ref* in, int copy,
                             jexpr_ref* value) {
  int first = REPEATED_OWN + REPEATED_SHARED;
  for (int i = 0; i < first; i++)
    value[i] = in[i];
  for (int i = 0; i < p->n; i++) {
    double own = p->factor[i] * ((copy + i) % 3 == 0 ? -1.0 : 1.0) * (1.0 + 0.01 * copy);
    jexpr_ref a = value[p->a[i]], b = value[p->b[i]];
    if (i % 4 == 0) b = jexpr_mul(g, jexpr_const(g, own), b);
    value[first + i] = jexpr_apply(g, operators[p->op[i]], a, b, value[p->c[i]]);
  }
  return value[first + p->n - 1];
}

static void build(repeated* r, jexpr_graph* g, int copies, int steps, uint64_t seed,
                  jexpr_vary vary) {
  assert(copies <= REPEATED_COPIES && steps <= STEPS_MAX);
  random_source source;
  program p;
  random_seed(&source, seed);
  make_program(&p, steps, &source);
  int x = jexpr_group(g, "x", REPEATED_INPUTS, vary);
  int q = jexpr_group(g, "p", REPEATED_SHARED, JEXPR_UNIFORM);
  jexpr_ref sum = jexpr_const(g, 0.0), value[REPEATED_OWN + REPEATED_SHARED + STEPS_MAX];
  r->noutput = 0;
  for (int copy = 0; copy < copies; copy++) {
    jexpr_ref in[REPEATED_OWN + REPEATED_SHARED];
    for (int i = 0; i < REPEATED_OWN; i++)
      in[i] = jexpr_input(g, x, copy * REPEATED_OWN + i);
    for (int i = 0; i < REPEATED_SHARED; i++)
      in[REPEATED_OWN + i] = jexpr_input(g, q, i);
    jexpr_ref end = run_program(&p, g, in, copy, value);
    sum = copy % 2 == 0 ? jexpr_add(g, sum, end) : jexpr_sub(g, sum, end);
    for (int i = 0; i < 5; i++)
      r->output[r->noutput++] = value[REPEATED_OWN + REPEATED_SHARED + steps - 1 - 3 * i];
  }
  r->output[r->noutput++] = sum;
  r->out = (jexpr_outputs){"y", r->noutput, r->output};
  r->fn = (jexpr_fn){"repeated", g, 1, &r->out};
}

void repeated_build(repeated* r, jexpr_graph* g, int copies, int steps, uint64_t seed) {
  build(r, g, copies, steps, seed, JEXPR_PER_LANE);
}

static jexpr_ref chain_copies(const repeated* r, jexpr_graph* g, int copies) {
  jexpr_ref chain = jexpr_input(g, 1, 0);
  for (int copy = 0; copy < copies; copy++)
    chain = jexpr_add(g, jexpr_mul(g, chain, jexpr_input(g, 1, 1)), r->output[5 * copy]);
  return chain;
}

void repeated_derive(repeated* r, jexpr_graph* g, int copies, int steps, uint64_t seed) {
  jexpr_ref x[REPEATED_INPUTS], d[REPEATED_INPUTS], l[REPEATED_OUTPUTS];
  build(r, g, copies, steps, seed, JEXPR_UNIFORM);
  r->output[r->noutput++] = chain_copies(r, g, copies);
  r->out.n = r->noutput;
  int direction = jexpr_group(g, "d", REPEATED_INPUTS, JEXPR_PER_LANE);
  int weight = jexpr_group(g, "l", REPEATED_OUTPUTS, JEXPR_PER_LANE);
  for (int i = 0; i < REPEATED_INPUTS; i++) {
    x[i] = jexpr_input(g, 0, i);
    d[i] = jexpr_input(g, direction, i);
  }
  for (int i = 0; i < r->noutput; i++)
    l[i] = jexpr_input(g, weight, i);
  jexpr_tangent(g, r->output, r->noutput, x, d, REPEATED_INPUTS, r->tangent);
  jexpr_adjoint(g, r->output, l, r->noutput, x, REPEATED_INPUTS, r->adjoint);
  r->derivative[0] = (jexpr_outputs){"dy", r->noutput, r->tangent};
  r->derivative[1] = (jexpr_outputs){"xbar", REPEATED_INPUTS, r->adjoint};
  r->derivatives = (jexpr_fn){"derivatives", g, 2, r->derivative};
}

static double sample(random_source* s) {
  static const double special[] = {0.0, -0.0, 1.0, -1.0, HUGE_VAL, -HUGE_VAL, 1e-320};
  int kind = random_below(s, 64);
  if (kind < 7) return special[kind];
  return kind == 7 ? (double)NAN : random_uniform(s, -2.0, 2.0);
}

void repeated_lanes(uint64_t seed, int n, double* d) {
  random_source s;
  random_seed(&s, seed);
  for (int i = 0; i < n; i++)
    d[i] = sample(&s);
}

void repeated_inputs(uint64_t seed, double* x, double* p) {
  random_source s;
  random_seed(&s, seed);
  for (int i = 0; i < REPEATED_INPUTS; i++)
    x[i] = sample(&s);
  for (int i = 0; i < REPEATED_SHARED; i++)
    p[i] = sample(&s);
}

void repeated_evaluate(const jkernel* k, uint64_t seed, double* dy, double* xbar) {
  double x[REPEATED_INPUTS], p[REPEATED_SHARED];
  double d[REPEATED_INPUTS * REPEATED_LANES], l[REPEATED_OUTPUTS * REPEATED_LANES];
  double* work = calloc(k->work + 1, sizeof *work);
  assert(work && k->lanes <= REPEATED_LANES);
  repeated_inputs(seed, x, p);
  repeated_lanes(seed, REPEATED_INPUTS * k->lanes, d);
  repeated_lanes(seed + 1, REPEATED_OUTPUTS * k->lanes, l);
  jkernel_init_work(k, work);
  jkernel_eval(k, (const double* const[]){x, p, d, l}, (double* const[]){dy, xbar}, work);
  free(work);
}
