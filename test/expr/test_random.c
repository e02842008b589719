// SPDX-License-Identifier: Apache-2.0
// Laws on 1,000 random graphs: simplification keeps the value, the compiled kernel computes what
// the interpreter computes, first and second derivatives in both modes agree with the complex step,
// Hessians are symmetric, graphs stay valid.
//
// Errors are measured against max(1, |value|, largest entry of the same array): inner values are of
// order one by construction, so sums that cancel leave absolute errors of that order times eps, and
// an entry of a gradient inherits roundings of the larger entries it is computed along with.
#include <complex.h>

#include "expr/diff.h"
#include "expr/tape/tape.h"
#include "kernel/kernel.h"
#include "support/fixture.h"
#include "support/random_graph.h"

enum { NGRAPH = 1000, BATCH = 50, NIN = RANDOM_MAX_INPUT, NOUT = RANDOM_MAX_OUTPUT };

#define TOL_KERNEL   1e-13  // same operations; a compiler may only reorder commutative ones
#define TOL_SIMPLIFY 1e-12  // simplification changes roundings, of some dozens of operations
#define TOL_FIRST    1e-12
#define TOL_SECOND   1e-11  // products of two derivatives
#define STEP         1e-30  // complex step: its square is far below eps

// Everything asked of one graph, as outputs of one function.
typedef struct probe {
  random_graph r;
  int seed;
  double x[NIN];
  double direction[NIN];
  jexpr_ref tangent[NOUT];        // along `direction`
  jexpr_ref forward[NIN * NOUT];  // Jacobian by tangents, column after column
  jexpr_ref reverse[NIN * NOUT];  // the same by adjoints
  jexpr_ref twice[NIN * NOUT];    // d tangent / d x, column after column
  jexpr_ref gradient[NIN];        // of the sum of the outputs
  jexpr_ref hessian[NIN * NIN];
} probe;

enum { VALUE, TANGENT, FORWARD, REVERSE, TWICE, GRADIENT, HESSIAN, NOUTPUT };

typedef struct values {
  double y[NOUT], tangent[NOUT], forward[NIN * NOUT], reverse[NIN * NOUT], twice[NIN * NOUT];
  double gradient[NIN], hessian[NIN * NIN];
} values;

static void build_first(probe* p) {
  random_graph* r = &p->r;
  jexpr_graph* g = r->g;
  int nx = r->ninput, ny = r->noutput;
  jexpr_ref one = jexpr_const(g, 1.0), seed[NIN], row[NIN];
  for (int k = 0; k < nx; k++) {
    p->direction[k] = random_uniform(&r->source, -1.0, 1.0);
    seed[k] = jexpr_const(g, p->direction[k]);
    assert_ok(g->ctx, jexpr_tangent(g, r->output, ny, &r->input[k], &one, 1, p->forward + k * ny));
  }
  for (int i = 0; i < ny; i++) {
    assert_ok(g->ctx, jexpr_adjoint(g, &r->output[i], &one, 1, r->input, nx, row));
    for (int k = 0; k < nx; k++) {
      p->reverse[k * ny + i] = row[k];
    }
  }
  assert_ok(g->ctx, jexpr_tangent(g, r->output, ny, r->input, seed, nx, p->tangent));
}

static void build_second(probe* p) {
  random_graph* r = &p->r;
  jexpr_graph* g = r->g;
  int nx = r->ninput, ny = r->noutput;
  jexpr_ref one = jexpr_const(g, 1.0), ones[NOUT] = {one, one, one, one};
  assert_ok(g->ctx, jexpr_adjoint(g, r->output, ones, ny, r->input, nx, p->gradient));
  for (int k = 0; k < nx; k++) {
    const jexpr_ref* x = &r->input[k];
    assert_ok(g->ctx, jexpr_tangent(g, p->tangent, ny, x, &one, 1, p->twice + k * ny));
    assert_ok(g->ctx, jexpr_tangent(g, p->gradient, nx, x, &one, 1, p->hessian + k * nx));
  }
}

static void input_pointers(const random_graph* r, const double* x, const double** in) {
  for (int k = 0; k < r->ngroup; k++) {
    in[k] = x + r->group_start[k];
  }
  in[r->ngroup] = jdata_as_input(&random_graph_data);
}

static double scale_of(const double* expected, int n) {
  double scale = 1.0;
  for (int i = 0; i < n; i++) {
    scale = fmax(scale, fabs(expected[i]));
  }
  return scale;
}

static void check_all(const probe* p, const char* what, int line, const double* got,
                      const double* expected, int n, double tol) {
  double scale = scale_of(expected, n);
  for (int i = 0; i < n; i++) {
    char name[64];
    snprintf(name, sizeof name, "seed %d: %s[%d] / %.3g", p->seed, what, i, scale);
    check_near(got[i] / scale, expected[i] / scale, tol, name, __FILE__, line);
  }
}
#define assert_all_near(p, got, expected, n, tol) \
  check_all((p), #got, __LINE__, (got), (expected), (n), (tol))

// Derivative of the outputs of `t` along `direction` by the complex step.
static void complex_step(const random_graph* r, const jexpr_tape* t, const double* x,
                         const double* direction, values* derivative) {
  double complex z[NIN], *work = malloc((size_t)t->nslot * sizeof *work);
  double complex y[NOUT], tangent[NOUT], forward[NIN * NOUT], reverse[NIN * NOUT];
  double complex twice[NIN * NOUT], gradient[NIN], hessian[NIN * NIN];
  double complex* const out[NOUTPUT] = {y, tangent, forward, reverse, twice, gradient, hessian};
  const double complex* in[RANDOM_MAX_GROUP + 1];
  for (int k = 0; k < r->ngroup; k++) {
    in[k] = z + r->group_start[k];
  }
  in[r->ngroup] = (const double complex*)(const void*)&random_graph_data;
  for (int i = 0; i < r->ninput; i++) {
    z[i] = x[i] + I * (STEP * direction[i]);
  }
  jexpr_tape_eval_complex(t, in, out, work);
  for (int i = 0; i < r->noutput; i++) {
    derivative->y[i] = cimag(y[i]) / STEP;
    derivative->tangent[i] = cimag(tangent[i]) / STEP;
  }
  for (int i = 0; i < r->ninput; i++) {
    derivative->gradient[i] = cimag(gradient[i]) / STEP;
  }
  free(work);
}

static void check_derivatives(const probe* p, const jexpr_tape* t, const values* v) {
  const random_graph* r = &p->r;
  int nx = r->ninput, ny = r->noutput;
  values d;
  complex_step(r, t, p->x, p->direction, &d);
  assert_all_near(p, v->tangent, d.y, ny, TOL_FIRST);
  assert_all_near(p, v->reverse, v->forward, nx * ny, TOL_FIRST);
  double jacobian[NIN * NOUT] = {0}, twice[NIN * NOUT] = {0}, hessian[NIN * NIN] = {0};
  for (int k = 0; k < nx; k++) {
    double unit[NIN] = {0};
    unit[k] = 1.0;
    complex_step(r, t, p->x, unit, &d);
    memcpy(jacobian + k * ny, d.y, (size_t)ny * sizeof *jacobian);
    memcpy(twice + k * ny, d.tangent, (size_t)ny * sizeof *twice);
    memcpy(hessian + k * nx, d.gradient, (size_t)nx * sizeof *hessian);
  }
  assert_all_near(p, v->forward, jacobian, nx * ny, TOL_FIRST);
  assert_all_near(p, v->twice, twice, nx * ny, TOL_SECOND);
  assert_all_near(p, v->hessian, hessian, nx * nx, TOL_SECOND);
  double transposed[NIN * NIN];
  for (int i = 0; i < nx * nx; i++) {
    transposed[i] = v->hessian[i % nx * nx + i / nx];
  }
  assert_all_near(p, v->hessian, transposed, nx * nx, TOL_SECOND);
}

// Interpreter against the plain evaluation, and all derivatives.
static void check_interpreted(const probe* p, const jexpr_fn* fn) {
  const random_graph* r = &p->r;
  jarena a;
  jarena_init(&a, r->g->ctx);
  jexpr_tape t;
  assert_ok(r->g->ctx, jexpr_tape_build(r->g->ctx, &a, fn, &t));
  double* work = JARENA_ARRAY(&a, jexpr_tape_work(&t, 1), double);
  assert_non_null(work);
  values v;
  double* const out[NOUTPUT] = {v.y,     v.tangent,  v.forward, v.reverse,
                                v.twice, v.gradient, v.hessian};
  const double* in[RANDOM_MAX_GROUP + 1];
  input_pointers(r, p->x, in);
  jexpr_tape_init(&t, 1, work);
  jexpr_tape_eval(&t, 1, in, out, work);
  double plain[NOUT];
  random_graph_eval(r, p->x, plain);
  assert_all_near(p, v.y, plain, r->noutput, TOL_SIMPLIFY);
  check_derivatives(p, &t, &v);
  jarena_free(&a);
}

// A graph with a point away from its kinks; seeds without one are passed over.
static probe* make_probe(jo_context* ctx, int* seed) {
  probe* p = malloc(sizeof *p);
  assert_non_null(p);
  for (;;) {
    jexpr_graph* g = jexpr_graph_create(ctx);
    assert_non_null(g);
    p->seed = (*seed)++;
    random_graph_build(&p->r, g, (uint64_t)p->seed);
    assert_ok(ctx, jexpr_graph_status(g));
    if (random_graph_point(&p->r, p->x)) break;
    jexpr_graph_destroy(g);
  }
  build_first(p);
  return p;
}

static void free_probe(probe* p) {
  jexpr_graph_destroy(p->r.g);
  free(p);
}

static void check_probe(probe* p) {
  build_second(p);
  int nx = p->r.ninput, ny = p->r.noutput;
  const jexpr_outputs out[NOUTPUT] = {
      {"y", ny, p->r.output},           {"tangent", ny, p->tangent},
      {"forward", nx * ny, p->forward}, {"reverse", nx * ny, p->reverse},
      {"twice", nx * ny, p->twice},     {"gradient", nx, p->gradient},
      {"hessian", nx * nx, p->hessian}};
  const jexpr_fn fn = {"all", p->r.g, NOUTPUT, out};
  check_interpreted(p, &fn);
  assert_true(jexpr_graph_is_valid(p->r.g));
}

static void note_operators(const jexpr_graph* g, bool* seen) {
  for (int r = 1; r < g->nnode; r++) {
    seen[g->node[r].op] = true;
  }
}

static void test_random_graphs_obey_calculus(void** state) {
  (void)state;
  bool seen[JEXPR_OP_COUNT] = {true};
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  int seed = 1;
  for (int i = 0; i < NGRAPH; i++) {
    probe* p = make_probe(ctx, &seed);
    note_operators(p->r.g, seen);
    check_probe(p);
    free_probe(p);
  }
  assert_in_range(seed, NGRAPH, NGRAPH + NGRAPH / 10);  // few seeds have no usable point
  for (int op = 0; op < JEXPR_OP_COUNT; op++) {
    if (!seen[op]) fail_msg("no graph contains %s", jexpr_ops[op].name);
  }
  fixture_close(f);
}

// Values and tangents of BATCH graphs in one library.
static void check_batch(jo_context* ctx, probe* const* p) {
  jexpr_outputs out[BATCH][2];
  jexpr_fn fn[BATCH];
  char name[BATCH][24];
  for (int i = 0; i < BATCH; i++) {
    snprintf(name[i], sizeof name[i], "graph_%d", i);
    out[i][0] = (jexpr_outputs){"y", p[i]->r.noutput, p[i]->r.output};
    out[i][1] = (jexpr_outputs){"tangent", p[i]->r.noutput, p[i]->tangent};
    fn[i] = (jexpr_fn){name[i], p[i]->r.g, 2, out[i]};
  }
  jkernel_options opt = jkernel_options_default();
  opt.optimize = 1;
  jkernel_set *compiled, *interpreted;
  opt.backend = JKERNEL_CC;
  assert_ok(ctx, jkernel_build(ctx, fn, BATCH, &opt, &compiled));
  opt.backend = JKERNEL_INTERP;
  assert_ok(ctx, jkernel_build(ctx, fn, BATCH, &opt, &interpreted));
  for (int i = 0; i < BATCH; i++) {
    const jkernel* pair[2] = {&compiled->kernel[i], &interpreted->kernel[i]};
    double y[2][NOUT], tangent[2][NOUT];
    const double* in[RANDOM_MAX_GROUP + 1];
    input_pointers(&p[i]->r, p[i]->x, in);
    for (int j = 0; j < 2; j++) {
      double* work = calloc(pair[j]->work + 1, sizeof *work);
      jkernel_init_work(pair[j], work);
      jkernel_eval(pair[j], in, (double* const[]){y[j], tangent[j]}, work);
      free(work);
    }
    assert_all_near(p[i], y[0], y[1], p[i]->r.noutput, TOL_KERNEL);
    assert_all_near(p[i], tangent[0], tangent[1], p[i]->r.noutput, TOL_KERNEL);
  }
  jkernel_destroy(compiled);
  jkernel_destroy(interpreted);
}

static void test_random_kernels_agree_with_interpreter(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  int seed = 1;
  int n = CHECK_SANITIZED ? 2 * BATCH : NGRAPH;
  for (int done = 0; done < n; done += BATCH) {
    probe* p[BATCH];
    for (int i = 0; i < BATCH; i++) {
      p[i] = make_probe(ctx, &seed);
    }
    check_batch(ctx, p);
    for (int i = 0; i < BATCH; i++) {
      free_probe(p[i]);
    }
  }
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_random_graphs_obey_calculus),
      cmocka_unit_test(test_random_kernels_agree_with_interpreter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
