// SPDX-License-Identifier: Apache-2.0
// Compiled kernels compute what the interpreter computes, bit for bit, whatever the lanes, the
// chunks and the compiler; failures of a compiler are told.
#include "kernel/kernel.h"

#include "base/system/cpu.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/system/file.h"
#include "base/system/process.h"
#include "emit/machine/machine.h"
#include "expr/solve.h"
#include "expr/vec.h"
#include "support/error_count.h"
#include "support/fixture.h"

// ---- a graph with a varying and a uniform group

#define NX     5
#define NP     4
#define NVALUE 400

typedef struct functions {
  fixture* base;
  jo_context* ctx;
  jexpr_graph* g;
  jexpr_ref in[NX + NP];
  jexpr_ref value[NVALUE];
  int n;
  jexpr_outputs out[2];
  jexpr_fn fn[2];
  const char* dir;  // of the test's own
} functions;

static int setup(void** state) {
  functions* f = calloc(1, sizeof *f);
  f->base = fixture_open();
  f->ctx = f->base->ctx;
  f->g = fixture_graph(f->base);
  f->dir = fixture_dir(f->base);
  int x = jexpr_group(f->g, "x", NX, JEXPR_PER_LANE);
  int p = jexpr_group(f->g, "p", NP, JEXPR_UNIFORM);
  for (int i = 0; i < NX; i++)
    f->in[i] = jexpr_input(f->g, x, i);
  for (int i = 0; i < NP; i++)
    f->in[NX + i] = jexpr_input(f->g, p, i);
  *state = f;
  return 0;
}

static int teardown(void** state) {
  functions* f = *state;
  fixture_close(f->base);
  free(f);
  return 0;
}

static void add_value(functions* f, jexpr_ref r) {
  assert_true(f->n < NVALUE);
  f->value[f->n++] = r;
}

// All operators over varying, uniform and mixed operands.
static void add_operators(functions* f) {
  const int operand[][3] = {
      {0, 1, 2}, {NX, NX + 1, NX + 2}, {NX, 1, 2}, {0, NX, NX + 1}, {NX, NX + 1, 2}};
  for (int op = 1; op < JEXPR_OP_COUNT; op++) {
    if (jexpr_ops[op].arity < 1) continue;
    for (size_t k = 0; k < sizeof operand / sizeof operand[0]; k++) {
      const int* o = operand[k];
      add_value(f, jexpr_apply(f->g, (jexpr_op)op, f->in[o[0]], f->in[o[1]], f->in[o[2]]));
    }
    add_value(f, jexpr_apply(f->g, (jexpr_op)op, f->in[0], jexpr_const(f->g, -2.0), f->in[1]));
    add_value(f, jexpr_apply(f->g, (jexpr_op)op, jexpr_const(f->g, 2.0), f->in[1], f->in[0]));
  }
}

static void add_lists(functions* f) {
  jexpr_graph* g = f->g;
  jexpr_ref few[6], many[20], mixed[4];
  for (int i = 0; i < 6; i++)
    few[i] = jexpr_const(g, -1.0 + 0.5 * i);
  for (int i = 0; i < 20; i++)
    many[i] = jexpr_const(g, -2.0 + 0.25 * i);
  // breakpoints that are not constant ascend by construction
  mixed[0] = f->in[NX];
  for (int i = 1; i < 4; i++)
    mixed[i] = jexpr_add(g, mixed[i - 1], jexpr_exp(g, f->in[i]));
  const jexpr_ref at[] = {f->in[0], f->in[NX + 1]};
  for (int i = 0; i < 2; i++) {
    jexpr_ref k = jexpr_locate(g, at[i], few, 6);
    add_value(f, k);
    add_value(f, jexpr_pick(g, k, few, 5));
    add_value(f, jexpr_pick(g, k, f->in, 5));
    add_value(f, jexpr_pick(g, k, f->in, 2));
    add_value(f, jexpr_pick(g, k, f->in + NX, 2));
    add_value(f, jexpr_pick(g, k, mixed, 4));
    add_value(f, jexpr_locate(g, at[i], many, 20));
    add_value(f, jexpr_locate(g, at[i], many, 3));
    add_value(f, jexpr_pick(g, jexpr_locate(g, at[i], many, 20), many, 20));
    add_value(f, jexpr_locate(g, at[i], mixed, 4));
    add_value(f, jexpr_pick(g, at[i], many, 7));  // indices out of range too
  }
}

// Unknowns of equations, with values that differ between lanes, that do not, and both.
static void add_unknowns(functions* f) {
  jexpr_graph* g = f->g;
  const int value[][2] = {{0, 1}, {NX, NX + 1}, {0, NX}};
  for (int k = 0; k < 3; k++) {
    jexpr_ref a = f->in[value[k][0]], b = f->in[value[k][1]], x = jexpr_hole(g);
    jexpr_ref F = jexpr_sub(g, a, jexpr_add(g, x, jexpr_exp(g, jexpr_add(g, x, b))));
    F = jexpr_sub(g, F, jexpr_max(g, x, jexpr_const(g, 0.0)));
    add_value(f, jexpr_solve(g, F, b, jexpr_const(g, 0.5)));
  }
}

// Two functions: one of everything, one of a few values that are leaves.
static void finish_functions(functions* f) {
  add_value(f, f->in[0]);
  add_value(f, f->in[NX]);
  add_value(f, jexpr_const(f->g, -1.5));
  f->out[0] = (jexpr_outputs){"y", f->n, f->value};
  f->out[1] = (jexpr_outputs){"leaf", 3, f->value + f->n - 3};
  f->fn[0] = (jexpr_fn){"all", f->g, 2, f->out};
  f->fn[1] = (jexpr_fn){"leaves", f->g, 1, f->out + 1};
  assert_ok(f->ctx, jexpr_graph_status(f->g));
}

static jkernel_options options(void) {
  jkernel_options opt = jkernel_options_default();
  opt.optimize = 1;
  return opt;
}

static void* checked_alloc(size_t n) {
  void* p = calloc(n ? n : 1, 1);
  assert_non_null(p);
  return p;
}

// ---- evaluation

// Values in and around the range of the tables, the singular ones first.
static double sample(unsigned* seed) {
  static const double special[] = {0.0, -0.0, 1.0, -1.0, 0.5, HUGE_VAL, -HUGE_VAL, 1e-320, 3.0};
  *seed = *seed * 1664525u + 1013904223u;
  unsigned r = *seed >> 8;
  if (r % 8 == 0) return special[(r >> 3) % 9];
  if (r % 64 == 1) return (double)NAN;
  return (double)(r % 10007) / 2000.0 - 2.5;
}

// The value of output i in lane l of one evaluation.
static void evaluate(const jkernel* k, const double* x, const double* p, double* y, double* leaf) {
  double* work = checked_alloc((k->work + 1) * sizeof *work);
  const double* const in[] = {x, p};
  double* const out[] = {y, leaf};
  jkernel_init_work(k, work);
  jkernel_eval(k, in, out, work);
  free(work);
}

static bool is_same(double a, double b) {
  return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

static void assert_same_values(const functions* f, const double* a, const double* b, int lanes) {
  for (int i = 0; i < f->n * lanes; i++) {
    if (is_same(a[i], b[i])) continue;
    const jexpr_node* node = jexpr_at(f->g, f->value[i / lanes]);
    print_error("output %d (%s), lane %d: %.17g is not %.17g\n", i / lanes,
                jexpr_ops[node->op].name, i % lanes, a[i], b[i]);
    fail();
  }
}

static void compare_kernels(const functions* f, const jkernel* a, const jkernel* b, int rounds) {
  int lanes = a->lanes;
  size_t n = (size_t)(f->n * lanes);
  double* x = checked_alloc((size_t)(NX * lanes) * sizeof *x);
  double* ya = checked_alloc(n * sizeof *ya);
  double* yb = checked_alloc(n * sizeof *yb);
  double leaf[3 * 16], p[NP];
  unsigned seed = 12345;
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < NX * lanes; i++)
      x[i] = sample(&seed);
    for (int i = 0; i < NP; i++)
      p[i] = sample(&seed);
    evaluate(a, x, p, ya, leaf);
    evaluate(b, x, p, yb, leaf);
    assert_same_values(f, ya, yb, lanes);
    for (int l = 0; l < lanes; l++) {
      assert_true(is_same(leaf[l], x[l]));
      assert_true(is_same(leaf[lanes + l], p[0]));
      assert_true(is_same(leaf[2 * lanes + l], -1.5));
    }
  }
  free(x);
  free(ya);
  free(yb);
}

static jkernel_set* build(functions* f, const jkernel_options* opt) {
  jkernel_set* set = NULL;
  assert_ok(f->ctx, jkernel_build(f->ctx, f->fn, 2, opt, &set));
  return set;
}

static void compare_with_interpreter(functions* f, const jkernel_options* opt, int rounds) {
  jkernel_options interp = *opt;
  interp.backend = JKERNEL_INTERP;
  jkernel_set* a = build(f, &interp);
  jkernel_set* b = build(f, opt);
  assert_int_equal(a->backend, JKERNEL_INTERP);
  assert_int_equal(b->backend, opt->backend);
  assert_int_equal(a->kernel[0].counts.total, b->kernel[0].counts.total);
  compare_kernels(f, &a->kernel[0], &b->kernel[0], rounds);
  jkernel_destroy(a);
  jkernel_destroy(b);
}

static void test_compiled_equals_interpreted(void** state) {
  functions* f = *state;
  add_operators(f);
  add_lists(f);
  add_unknowns(f);
  finish_functions(f);
  const char* const compiler[] = {"gcc", "clang"};
  const int lanes[] = {1, 4, 8, 2, 16};
  for (int c = 0; c < 2; c++) {
    if (!jproc_find(&f->base->a, compiler[c])) continue;
    for (int i = 0; i < 5; i++) {
      jkernel_options opt = options();
      opt.backend = JKERNEL_CC;
      opt.compiler = compiler[c];
      opt.lanes = lanes[i];
      opt.optimize = 2;
      compare_with_interpreter(f, &opt, 200);
    }
  }
}

// Levels of the processor that there is machine code for, from the highest down.
static const char* const levels[] = {"x86-64-v4", "x86-64-v3", "x86-64-v2"};

static void compare_machine_code(functions* f, int rounds) {
  static const int lanes[] = {1, 4, 8, 2, 16}, pack[] = {1, 2, 4, 8};
  for (int k = 0; k < 3; k++) {
    setenv("JOUNCE_CPU", levels[k], 1);
    jcpu_level level;
    if (jcpu_detect() < JCPU_V4 - (jcpu_level)k) continue;
    assert_ok(f->ctx, jcpu_choose(f->ctx, &level));
    for (int i = 0; i < 20; i++) {
      jkernel_options opt = options();
      opt.backend = JKERNEL_MACHINE;
      opt.lanes = lanes[i % 5];
      opt.emit.pack = pack[i / 5];
      compare_with_interpreter(f, &opt, rounds);
    }
  }
  unsetenv("JOUNCE_CPU");
}

static void test_machine_code_equals_interpreted(void** state) {
  functions* f = *state;
  add_operators(f);
  add_lists(f);
  add_unknowns(f);
  finish_functions(f);
  compare_machine_code(f, 200);
}

// A web in which values live long: every statement takes an old and a new one.
static void add_web(functions* f) {
  jexpr_ref v[300];
  for (int i = 0; i < NX + NP; i++)
    v[i] = f->in[i];
  unsigned seed = 7;
  for (int i = NX + NP; i < 300; i++) {
    seed = seed * 1664525u + 1013904223u;
    jexpr_ref old = v[(int)(seed >> 8) % i];
    jexpr_ref x = i % 3 == 0   ? jexpr_sin(f->g, jexpr_add(f->g, v[i - 1], old))
                  : i % 3 == 1 ? jexpr_mul(f->g, v[i - 1], old)
                               : jexpr_sub(f->g, v[i - 1], old);
    v[i] = x;
    if (i % 5 == 0) add_value(f, x);
  }
}

static void test_machine_code_spills(void** state) {
  functions* f = *state;
  add_web(f);
  finish_functions(f);
  compare_machine_code(f, 50);
}

static void test_chunks_do_not_change_values(void** state) {
  functions* f = *state;
  add_web(f);
  finish_functions(f);
  const int chunk[] = {1, 7, 400, 0};
  const int lanes[] = {1, 4};
  for (int c = 0; c < 4; c++) {
    for (int i = 0; i < 2; i++) {
      jkernel_options opt = options();
      opt.backend = JKERNEL_CC;
      opt.lanes = lanes[i];
      opt.emit.chunk_statements = chunk[c];
      opt.emit.file_statements = c == 1 ? 100 : 2000;
      compare_with_interpreter(f, &opt, 50);
    }
  }
}

// Rotations and cross products, as recursions over bodies have them: sums and differences of
// products side by side, which compilers like to fuse into one rounding.
static void add_rotations(functions* f) {
  jexpr_graph* g = f->g;
  jexpr_v3 u = {{f->in[0], f->in[1], f->in[2]}};
  jexpr_v3 v = {{f->in[1], f->in[3], f->in[4]}};
  for (int i = 0; i < 60; i++) {
    jexpr_m3 R = jexpr_m3_rotation(g, i % 3, f->in[i % NX]);
    jexpr_v3 d = jexpr_v3_const(g, 0.31 + 0.01 * i, -0.27, 0.43 - 0.02 * i);
    u = jexpr_m3_tapply(g, &R, u);
    v = jexpr_v3_add(g, jexpr_m3_apply(g, &R, v), jexpr_v3_cross(g, d, u));
    v = jexpr_v3_add(g, v, jexpr_v3_cross(g, u, jexpr_v3_cross(g, u, d)));
    for (int k = 0; k < 3; k++)
      add_value(f, v.e[k]);
  }
}

static void test_products_and_sums_are_rounded_apart(void** state) {
  functions* f = *state;
  add_rotations(f);
  finish_functions(f);
  const char* const compiler[] = {"gcc", "clang"};
  const int chunk[] = {20, 60, 150, 400};  // different neighbours, different temptations
  for (int i = 0; i < 8; i++) {
    if (!jproc_find(&f->base->a, compiler[i % 2])) continue;
    jkernel_options opt = options();
    opt.backend = JKERNEL_CC;
    opt.compiler = compiler[i % 2];
    opt.optimize = 2;
    opt.emit.chunk_statements = chunk[i / 2];
    compare_with_interpreter(f, &opt, 100);
  }
}

static void test_find_by_name(void** state) {
  functions* f = *state;
  finish_functions(f);
  jkernel_options opt = options();
  opt.backend = JKERNEL_INTERP;
  jkernel_set* set = build(f, &opt);
  assert_ptr_equal(jkernel_find(set, "leaves"), &set->kernel[1]);
  assert_null(jkernel_find(set, "leave"));
  jkernel_destroy(set);
  jkernel_destroy(NULL);
}

// ---- compilers that are not there or do not work

static int count_notices(const jo_context* ctx) {
  int n = 0;
  for (int i = 0; i < jo_context_diagnostic_count(ctx); i++) {
    jo_severity severity;
    jo_context_diagnostic(ctx, i, &severity);
    n += severity == JO_NOTICE;
  }
  return n;
}

static void test_without_compiler(void** state) {
  functions* f = *state;
  if (!jcpu_flag()) skip();  // all levels have machine code
  finish_functions(f);
  const char* path = getenv("PATH");
  const char* own = getenv("JOUNCE_CC");
  const char* saved = jarena_strdup(&f->base->a, path ? path : "");
  const char* saved_own = own ? jarena_strdup(&f->base->a, own) : NULL;
  unsetenv("JOUNCE_CC");
  setenv("PATH", f->dir, 1);
  jkernel_set* set = NULL;
  jkernel_options opt = options();
  setenv("JOUNCE_CPU", "x86-64", 1);  // without machine code
  jo_status automatic = jkernel_build(f->ctx, f->fn, 2, &opt, &set);
  unsetenv("JOUNCE_CPU");
  int notices = count_notices(f->ctx);
  int errors = error_count(f->ctx);
  jkernel_set* none = NULL;
  opt.backend = JKERNEL_CC;
  jo_status forced = jkernel_build(f->ctx, f->fn, 2, &opt, &none);
  setenv("PATH", saved, 1);
  if (saved_own) setenv("JOUNCE_CC", saved_own, 1);

  assert_int_equal(automatic, JO_OK);
  assert_int_equal(set->backend, JKERNEL_INTERP);
  assert_null(set->kernel[0].function);
  assert_int_equal(notices, 1);
  assert_int_equal(errors, 0);
  assert_int_equal(forced, JO_ERR_COMPILER);
  assert_null(none);
  assert_non_null(strstr(jo_context_message(f->ctx), "no C compiler"));
  jkernel_destroy(set);
}

static void test_seldom_functions_are_interpreted(void** state) {
  static const bool seldom[] = {false, true}, all_seldom[] = {true, true};
  static const jkernel_backend backend[] = {JKERNEL_CC, JKERNEL_MACHINE};
  functions* f = *state;
  add_operators(f);
  finish_functions(f);
  jkernel_options opt = options(), interp = opt;
  interp.backend = JKERNEL_INTERP;
  jkernel_set* reference = build(f, &interp);
  for (int i = 0; i < 2; i++) {
    opt.backend = backend[i];
    if (opt.backend == JKERNEL_MACHINE && !jemit_machine_has(jcpu_chosen())) continue;
    opt.is_seldom = NULL;
    jkernel_set* all = build(f, &opt);
    opt.is_seldom = seldom;
    jkernel_set* one = build(f, &opt);
    opt.is_seldom = all_seldom;
    jkernel_set* none = build(f, &opt);
    assert_int_equal(one->backend, opt.backend);
    assert_non_null(all->kernel[1].function);
    assert_non_null(one->kernel[0].function);
    assert_null(one->kernel[1].function);
    assert_null(none->kernel[0].function);
    compare_kernels(f, &reference->kernel[0], &one->kernel[0], 20);
    compare_kernels(f, &one->kernel[0], &all->kernel[0], 20);
    const double x[NX] = {1.0, 2.0, 3.0}, p[NP] = {4.0};
    double a[3], b[3];
    evaluate(&one->kernel[1], x, p, a, NULL);
    evaluate(&all->kernel[1], x, p, b, NULL);
    assert_memory_equal(a, b, sizeof a);
    jkernel_destroy(none);
    jkernel_destroy(one);
    jkernel_destroy(all);
  }
  jkernel_destroy(reference);
}

static void test_failing_compiler_is_named(void** state) {
  functions* f = *state;
  finish_functions(f);
  const char* bad = jarena_printf(&f->base->a, "%s/badcc", f->dir);
  const char script[] = "#!/bin/sh\necho 'cannot compile on a sunday'\nexit 3\n";
  assert_ok(f->ctx, jfile_write(f->ctx, bad, script, sizeof script - 1));
  assert_int_equal(chmod(bad, 0700), 0);
  jkernel_set* set = NULL;
  jkernel_options opt = options();
  opt.backend = JKERNEL_CC;
  opt.compiler = bad;
  assert_int_equal(jkernel_build(f->ctx, f->fn, 2, &opt, &set), JO_ERR_COMPILER);
  assert_null(set);
  const char* message = jo_context_message(f->ctx);
  assert_non_null(strstr(message, bad));
  assert_non_null(strstr(message, "cannot compile on a sunday"));
  assert_non_null(strstr(message, "3"));
}

static void test_bad_options(void** state) {
  functions* f = *state;
  finish_functions(f);
  jkernel_set* set = NULL;
  jkernel_options opt = options();
  opt.lanes = 0;
  assert_int_equal(jkernel_build(f->ctx, f->fn, 2, &opt, &set), JO_ERR_ARGUMENT);
  opt.lanes = 3;
  assert_int_equal(jkernel_build(f->ctx, f->fn, 2, &opt, &set), JO_ERR_ARGUMENT);
  opt.backend = JKERNEL_INTERP;  // the interpreter takes any number of lanes
  assert_ok(f->ctx, jkernel_build(f->ctx, f->fn, 2, &opt, &set));
  jkernel_destroy(set);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_compiled_equals_interpreted, setup, teardown),
      cmocka_unit_test_setup_teardown(test_machine_code_equals_interpreted, setup, teardown),
      cmocka_unit_test_setup_teardown(test_machine_code_spills, setup, teardown),
      cmocka_unit_test_setup_teardown(test_chunks_do_not_change_values, setup, teardown),
      cmocka_unit_test_setup_teardown(test_products_and_sums_are_rounded_apart, setup, teardown),
      cmocka_unit_test_setup_teardown(test_find_by_name, setup, teardown),
      cmocka_unit_test_setup_teardown(test_without_compiler, setup, teardown),
      cmocka_unit_test_setup_teardown(test_seldom_functions_are_interpreted, setup, teardown),
      cmocka_unit_test_setup_teardown(test_failing_compiler_is_named, setup, teardown),
      cmocka_unit_test_setup_teardown(test_bad_options, setup, teardown),
  };
  return cmocka_run_group_tests_name("kernel.kernel", tests, NULL, NULL);
}
