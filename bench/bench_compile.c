// SPDX-License-Identifier: Apache-2.0
// How long compiled kernels take to make, to find again and to evaluate, by compiler.
//
//   bench_compile [--big] [statements]
//
// The equations are an inverse-dynamics recursion over a seeded tree of bodies with one rotation
// each. One function without chunks is compiled for comparison: of a quarter of the size, or with
// --big of the full size, which can take minutes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "base/system/process.h"
#include "expr/vec.h"
#include "kernel/kernel.h"

#define STATEMENTS_PER_BODY 153  // of the recursion below, about
#define BODIES_MAX          2000

typedef struct body {
  int parent, axis;
  double mass, d[3], l[3], J[3];
  jexpr_m3 R;
  jexpr_v3 w, wd, a, f, n;
} body;

typedef struct tree {
  jexpr_graph* g;
  body* b;
  int n;
  jexpr_ref* torque;
  jexpr_outputs out;
  jexpr_fn fn;
} tree;

static void stop(const jo_context* ctx, const char* what) {
  fprintf(stderr, "bench_compile: %s: %s\n", what, ctx ? jo_context_message(ctx) : "");
  exit(1);
}

static double uniform(unsigned* seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (double)(1u << 24);
}

static void choose_bodies(tree* t) {
  unsigned seed = 2024;
  for (int i = 0; i < t->n; i++) {
    body* b = &t->b[i];
    // mostly chains, now and then a branch
    b->parent = i == 0 ? -1 : uniform(&seed) < 0.8 ? i - 1 : (int)(uniform(&seed) * i);
    b->axis = (int)(3.0 * uniform(&seed)) % 3;
    b->mass = 1.0 + uniform(&seed);
    for (int k = 0; k < 3; k++) {
      b->d[k] = uniform(&seed) - 0.5;
      b->l[k] = uniform(&seed) - 0.5;
      b->J[k] = 0.1 + uniform(&seed);
    }
  }
}

static jexpr_v3 vector(jexpr_graph* g, const double x[3]) {
  return jexpr_v3_const(g, x[0], x[1], x[2]);
}

static jexpr_v3 unit(jexpr_graph* g, int axis, jexpr_ref s) {
  jexpr_v3 v = jexpr_v3_zero(g);
  v.e[axis] = s;
  return v;
}

// Acceleration of a point at r: a + wd x r + w x (w x r).
static jexpr_v3 point(jexpr_graph* g, const body* b, jexpr_v3 r) {
  jexpr_v3 centripetal = jexpr_v3_cross(g, b->w, jexpr_v3_cross(g, b->w, r));
  return jexpr_v3_add(g, jexpr_v3_add(g, b->a, jexpr_v3_cross(g, b->wd, r)), centripetal);
}

static void forward(tree* t, int i, const jexpr_ref q[3]) {
  jexpr_graph* g = t->g;
  body* b = &t->b[i];
  body ground = {.w = jexpr_v3_zero(g), .wd = jexpr_v3_zero(g), .a = jexpr_v3_const(g, 0, 0, 9.81)};
  const body* h = b->parent < 0 ? &ground : &t->b[b->parent];
  b->R = jexpr_m3_rotation(g, b->axis, q[0]);
  jexpr_v3 w_h = jexpr_m3_tapply(g, &b->R, h->w);
  jexpr_v3 phi_qd = unit(g, b->axis, q[1]);
  b->w = jexpr_v3_add(g, w_h, phi_qd);
  b->wd = jexpr_v3_add(g, jexpr_m3_tapply(g, &b->R, h->wd), jexpr_v3_cross(g, w_h, phi_qd));
  b->wd = jexpr_v3_add(g, b->wd, unit(g, b->axis, q[2]));
  b->a = jexpr_m3_tapply(g, &b->R, point(g, h, b->parent < 0 ? jexpr_v3_zero(g) : vector(g, b->d)));
  for (int k = 0; k < 3; k++)
    jexpr_mark(g, b->w.e[k], "body_%d: w.%d", i, k);
}

static void load(tree* t, int i) {
  jexpr_graph* g = t->g;
  body* b = &t->b[i];
  jexpr_v3 Jw, Jwd;
  for (int k = 0; k < 3; k++) {
    Jw.e[k] = jexpr_mul(g, jexpr_const(g, b->J[k]), b->w.e[k]);
    Jwd.e[k] = jexpr_mul(g, jexpr_const(g, b->J[k]), b->wd.e[k]);
  }
  b->f = jexpr_v3_scale(g, jexpr_const(g, b->mass), point(g, b, vector(g, b->l)));
  b->n = jexpr_v3_add(g, Jwd, jexpr_v3_cross(g, b->w, Jw));
  b->n = jexpr_v3_add(g, b->n, jexpr_v3_cross(g, vector(g, b->l), b->f));
}

static void backward(tree* t, int i) {
  jexpr_graph* g = t->g;
  const body* b = &t->b[i];
  t->torque[i] = b->n.e[b->axis];
  if (b->parent < 0) return;
  body* h = &t->b[b->parent];
  jexpr_v3 f = jexpr_m3_apply(g, &b->R, b->f);
  jexpr_v3 n = jexpr_m3_apply(g, &b->R, b->n);
  h->f = jexpr_v3_add(g, h->f, f);
  h->n = jexpr_v3_add(g, h->n, jexpr_v3_add(g, n, jexpr_v3_cross(g, vector(g, b->d), f)));
}

static void build_tree(jo_context* ctx, int nbody, tree* t) {
  *t = (tree){.g = jexpr_graph_create(ctx), .n = nbody};
  t->b = calloc((size_t)nbody, sizeof *t->b);
  t->torque = calloc((size_t)nbody, sizeof *t->torque);
  if (!t->g || !t->b || !t->torque) stop(ctx, "no memory");
  choose_bodies(t);
  const int group[3] = {jexpr_group(t->g, "q", nbody, JEXPR_PER_LANE),
                        jexpr_group(t->g, "qd", nbody, JEXPR_PER_LANE),
                        jexpr_group(t->g, "qdd", nbody, JEXPR_PER_LANE)};
  for (int i = 0; i < nbody; i++) {
    jexpr_ref q[3];
    for (int k = 0; k < 3; k++)
      q[k] = jexpr_input(t->g, group[k], i);
    forward(t, i, q);
  }
  for (int i = 0; i < nbody; i++)
    load(t, i);
  for (int i = nbody - 1; i >= 0; i--)
    backward(t, i);
  t->out = (jexpr_outputs){"torque", nbody, t->torque};
  t->fn = (jexpr_fn){"inverse", t->g, 1, &t->out};
  if (jexpr_graph_status(t->g) < 0) stop(ctx, "graph");
}

static void free_tree(tree* t) {
  jexpr_graph_destroy(t->g);
  free(t->b);
  free(t->torque);
}

static int statements(jo_context* ctx, const tree* t) {
  jarena a;
  jexpr_schedule s = {0};
  jarena_init(&a, ctx);
  if (jexpr_schedule_build(&a, &t->fn, &s) < 0) stop(ctx, "schedule");
  jarena_free(&a);
  return s.n;
}

// Microseconds per evaluation and lane; `sum` of the outputs keeps the work alive.
static double evaluate(const tree* t, const jkernel* k, double* sum) {
  int lanes = k->lanes;
  size_t n = (size_t)(t->n * lanes);
  double* x = calloc(4 * n, sizeof *x);
  double* work = aligned_alloc(128, ((k->work + 16) * sizeof *work + 127) / 128 * 128);
  if (!x || !work) stop(NULL, "no memory");
  for (size_t i = 0; i < 3 * n; i++)
    x[i] = sin(1.0 + (double)(i / (size_t)lanes));
  const double* const in[] = {x, x + n, x + 2 * n};
  double* const out[] = {x + 3 * n};
  jkernel_init_work(k, work);
  int count = 0;
  double start = jclock_wall(), time = 0.0;
  for (; time < 0.3; time = jclock_wall() - start) {
    for (int i = 0; i < 20; i++)
      jkernel_eval(k, in, out, work);
    count += 20;
  }
  *sum = 0.0;
  for (int i = 0; i < t->n; i++)
    *sum += x[3 * n + (size_t)(i * lanes)];
  free(x);
  free(work);
  return 1e6 * time / count / lanes;
}

// Build once; what it took in seconds.
static double build(jo_context* ctx, const tree* t, const jkernel_options* opt, jkernel_set** set) {
  double start = jclock_wall();
  if (jkernel_build(ctx, &t->fn, 1, opt, set) < 0) stop(ctx, "build");
  return jclock_wall() - start;
}

static void bench_compiler(jo_context* ctx, const tree* t, jkernel_options opt, double expected) {
  double sum = 0.0;
  jkernel_set* set = NULL;
  double seconds = build(ctx, t, &opt, &set);
  double time = evaluate(t, &set->kernel[0], &sum);
  printf("%-8s -O%d %6d %7d %11.3f %12.2f %8zu  %s\n", opt.compiler, opt.optimize, opt.lanes,
         opt.emit.chunk_statements, seconds, time, set->kernel[0].work,
         sum == expected ? "same" : "DIFFERS");
  fflush(stdout);
  jkernel_destroy(set);
}

static double bench_interpreter(jo_context* ctx, const tree* t) {
  jkernel_options opt = jkernel_options_default();
  opt.backend = JKERNEL_INTERP;
  for (opt.lanes = 8;; opt.lanes = 1) {
    double sum = 0.0;
    jkernel_set* set = NULL;
    double seconds = build(ctx, t, &opt, &set);
    double time = evaluate(t, &set->kernel[0], &sum);
    printf("%-8s     %6d %7s %11.3f %12.2f %8zu\n", "interp", opt.lanes, "", seconds, time,
           set->kernel[0].work);
    jkernel_destroy(set);
    if (opt.lanes == 1) return sum;
  }
}

static void head(jo_context* ctx, const tree* t) {
  printf("\n%d bodies, %d statements, %d jobs\n", t->n, statements(ctx, t), jproc_cpu_count());
  printf("%-8s     %6s %7s %11s %12s %8s\n", "", "lanes", "chunk", "build [s]", "eval [us]",
         "work");
}

int main(int argc, char** argv) {
  bool big = false;
  int wanted = 20000;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--big") == 0) {
      big = true;
    } else {
      wanted = atoi(argv[i]);
    }
  }
  int nbody = wanted / STATEMENTS_PER_BODY;
  if (nbody < 4 || nbody > BODIES_MAX) stop(NULL, "usage: bench_compile [--big] [statements]");
  jo_context* ctx = NULL;
  jarena a;
  if (jo_context_create(NULL, &ctx) < 0) return 1;
  jarena_init(&a, ctx);
  const char* const compiler[] = {"gcc", "clang"};
  jkernel_options opt = jkernel_options_default();
  opt.backend = JKERNEL_CC;

  // chunks, by compiler and level
  tree t;
  build_tree(ctx, nbody, &t);
  head(ctx, &t);
  double expected = bench_interpreter(ctx, &t);
  for (int c = 0; c < 2; c++) {
    opt.compiler = compiler[c];
    if (!jproc_find(&a, opt.compiler)) continue;
    for (opt.optimize = 1; opt.optimize <= 2; opt.optimize++)
      bench_compiler(ctx, &t, opt, expected);
    opt.optimize = 1;
    opt.lanes = 8;
    bench_compiler(ctx, &t, opt, expected);
    opt.lanes = 1;
  }

  // one function against chunks
  if (!big) {
    free_tree(&t);
    build_tree(ctx, nbody / 4 < 4 ? 4 : nbody / 4, &t);
  }
  head(ctx, &t);
  expected = bench_interpreter(ctx, &t);
  opt.optimize = jkernel_options_default().optimize;
  for (int c = 0; c < 2; c++) {
    opt.compiler = compiler[c];
    if (!jproc_find(&a, opt.compiler)) continue;
    opt.emit.title = "one function against chunks";
    opt.emit.chunk_statements = jemit_options_default().chunk_statements;
    bench_compiler(ctx, &t, opt, expected);
    opt.emit.chunk_statements = 0;
    bench_compiler(ctx, &t, opt, expected);
  }
  free_tree(&t);
  jarena_free(&a);
  jo_context_destroy(ctx);
  return 0;
}
