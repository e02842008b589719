// SPDX-License-Identifier: Apache-2.0
// Emitted text: deterministic, golden for a tiny function, harmless whatever the names are, and
// free of warnings under both compilers.
#include "emit/c/emit.h"

#include <unistd.h>

#include "base/system/file.h"
#include "base/system/process.h"
#include "emit/c/names.h"
#include "support/fixture.h"

// ---- a bench of functions

static int setup(void** state) {
  fixture_setup(state);
  fixture_graph(*state);
  return 0;
}

// Pendulum-like: y = {g sin q0 + 2 q1, -1.5, q0}, e = {q1^2}.
typedef struct tiny {
  jexpr_ref y[3];
  jexpr_ref e[1];
  jexpr_outputs out[2];
  jexpr_fn fn;
} tiny;

static void build_tiny(jexpr_graph* g, tiny* t) {
  int q = jexpr_group(g, "q", 2, JEXPR_PER_LANE);
  int p = jexpr_group(g, "sin", 1, JEXPR_UNIFORM);
  jexpr_ref q0 = jexpr_input(g, q, 0), q1 = jexpr_input(g, q, 1);
  jexpr_ref s = jexpr_mark(g, jexpr_sin(g, q0), "arm: R.%d", 2);
  jexpr_ref gs = jexpr_mul(g, jexpr_input(g, p, 0), s);
  t->y[0] = jexpr_add(g, gs, jexpr_mul(g, jexpr_const(g, 2.0), q1));
  t->y[1] = jexpr_const(g, -1.5);
  t->y[2] = q0;
  t->e[0] = jexpr_mul(g, q1, q1);
  t->out[0] = (jexpr_outputs){"y", 3, t->y};
  t->out[1] = (jexpr_outputs){"q", 1, t->e};
  t->fn = (jexpr_fn){"tiny", g, 2, t->out};
}

static jemit_unit emit(fixture* f, const jexpr_fn* fn, int nfn, const jemit_options* opt) {
  jemit_unit unit;
  assert_ok(f->ctx, jemit_c(f->ctx, &f->a, fn, nfn, opt, &unit));
  return unit;
}

// ---- text

static void test_emit_tiny_is_golden(void** state) {
  fixture* f = *state;
  tiny t;
  build_tiny(f->g, &t);
  jemit_options opt = jemit_options_default();
  opt.title = "golden";
  jemit_unit unit = emit(f, &t.fn, 1, &opt);
  assert_int_equal(unit.nfile, 2);
  const char* path = "test/golden/emit_tiny.c";
  if (getenv("JOUNCE_REGOLD")) {
    assert_ok(f->ctx, jfile_write(f->ctx, path, unit.file[1].text, unit.file[1].length));
  }
  char* golden = NULL;
  size_t n = 0;
  assert_ok(f->ctx, jfile_read(f->ctx, &f->a, path, 1 << 20, &golden, &n));
  assert_string_equal(unit.file[1].text, golden);
}

static void test_emit_is_deterministic(void** state) {
  fixture* f = *state;
  tiny t;
  build_tiny(f->g, &t);
  for (int lanes = 1; lanes <= 4; lanes *= 4) {
    jemit_options opt = jemit_options_default();
    opt.lanes = lanes;
    jemit_unit one = emit(f, &t.fn, 1, &opt);
    jemit_unit two = emit(f, &t.fn, 1, &opt);
    assert_string_equal(one.sha256, two.sha256);
    assert_int_equal(one.nfile, two.nfile);
    for (int i = 0; i < one.nfile; i++)
      assert_string_equal(one.file[i].text, two.file[i].text);
  }
}

static void test_emit_does_not_depend_on_unused_nodes(void** state) {
  fixture* f = *state;
  tiny a, b;
  build_tiny(f->g, &a);
  jexpr_graph* g = jexpr_graph_create(f->ctx);
  assert_non_null(g);
  for (int i = 0; i < 100; i++) {  // constants of its own, so that nothing is shared with `tiny`
    jexpr_ref x = jexpr_const(g, 1000.5 + i);
    jexpr_mark(g, jexpr_mul(g, x, jexpr_const(g, 77.0)), "garbage");
  }
  build_tiny(g, &b);
  assert_true(jexpr_group(g, "never_read", 3, JEXPR_PER_LANE) > 0);
  jemit_options opt = jemit_options_default();
  jemit_unit one = emit(f, &a.fn, 1, &opt);
  jemit_unit two = emit(f, &b.fn, 1, &opt);
  assert_string_equal(one.sha256, two.sha256);
  jexpr_graph_destroy(g);
}

static void test_emit_splits_as_asked(void** state) {
  fixture* f = *state;
  int x = jexpr_group(f->g, "x", 1, JEXPR_PER_LANE);
  jexpr_ref v = jexpr_input(f->g, x, 0);
  for (int i = 0; i < 100; i++)
    v = jexpr_sin(f->g, v);
  jexpr_outputs out = {"y", 1, &v};
  jexpr_fn fn = {"chain", f->g, 1, &out};
  jemit_options opt = jemit_options_default();
  opt.chunk_statements = 10;
  opt.file_statements = 30;
  jemit_unit unit = emit(f, &fn, 1, &opt);
  assert_int_equal(unit.entry[0].statements, 100);
  assert_int_equal(unit.nfile, 1 + 4);  // 30 + 30 + 30 + 10
  // one value crosses each border, and a slot is free again one chunk later
  assert_true(unit.entry[0].work <= 2);
  assert_non_null(strstr(unit.file[0].text, "JK_HIDDEN void jkc_0_9("));
  assert_null(strstr(unit.file[0].text, "jkc_0_10("));
}

static void test_emit_rejects_what_it_cannot_do(void** state) {
  fixture* f = *state;
  tiny t;
  build_tiny(f->g, &t);
  jemit_unit unit;
  jemit_options opt = jemit_options_default();
  const int bad[] = {0, -1, 3, 5, 32};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    opt.lanes = bad[i];
    assert_int_equal(jemit_c(f->ctx, &f->a, &t.fn, 1, &opt, &unit), JO_ERR_ARGUMENT);
  }
  opt = jemit_options_default();
  t.y[1] = JEXPR_POISON;
  jo_context_clear(f->ctx);
  assert_int_equal(jemit_c(f->ctx, &f->a, &t.fn, 1, &opt, &unit), JO_ERR_ARGUMENT);
  assert_non_null(strstr(jo_context_message(f->ctx), "y[1]"));
}

static void test_names_that_may_stand(void** state) {
  (void)state;
  assert_true(jemit_is_plain_name("q"));
  assert_true(jemit_is_plain_name("qdd"));
  assert_true(jemit_is_plain_name("t"));
  assert_true(jemit_is_plain_name("tx1"));
  assert_true(jemit_is_plain_name("wheel_fl"));
  const char* const bad[] = {
      "v3",  "g12", "t1_2", "",      "t1",     "l12",
      "in",  "in3", "out",  "out0",  "w",      "sin",
      "pow", "int", "for",  "Upper", "a b",    "x*/",
      "é",   "1a",  "_a",   "jk_x",  "double", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
    assert_false(jemit_is_plain_name(bad[i]));
}

// ---- compilers

// Exit code of `compiler` over all sources of the unit, warnings being errors. Those of clang come before
// optimisation, those of gcc with it.
static void compile_strictly(fixture* f, const jemit_unit* unit, const char* compiler) {
  if (!jproc_find(&f->a, compiler)) return;
  bool is_checked_only = CHECK_SANITIZED || strcmp(compiler, "clang") == 0;
  for (int i = 0; i < unit->nfile; i++) {
    const char* path = fixture_below(f, unit->file[i].name);
    assert_ok(f->ctx, jfile_write(f->ctx, path, unit->file[i].text, unit->file[i].length));
  }
  for (int i = 1; i < unit->nfile; i++) {
    const char* source = fixture_below(f, unit->file[i].name);
    const char* log = fixture_below(f, "log");
    const char* const argv[] = {compiler,
                                "-std=c17",
                                "-Wall",
                                "-Wextra",
                                "-Wpedantic",
                                "-Wconversion",
                                "-Werror",
                                "-Wtrigraphs",
                                "-O1",
                                "-Wmissing-prototypes",
                                is_checked_only ? "-fsyntax-only" : "-c",
                                source,
                                "-o",
                                "/dev/null",
                                NULL};
    jproc_command run = {.argv = argv, .output_path = log};
    assert_ok(f->ctx, jproc_run(f->ctx, &run, 1, &(jproc_options){.jobs = 1}));
    if (run.exit_code != 0) {
      char* text = NULL;
      size_t n = 0;
      assert_ok(f->ctx, jfile_read(f->ctx, &f->a, log, 1 << 24, &text, &n));
      print_error("%s: %.2000s\n", compiler, text);
    }
    assert_int_equal(run.exit_code, 0);
  }
}

static void compile_with_both(fixture* f, const jexpr_fn* fn, int nfn) {
  const int lanes[] = {1, 4, 16};
  const int chunk[] = {0, 3};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 2; k++) {
      jemit_options opt = jemit_options_default();
      opt.lanes = lanes[i];
      opt.chunk_statements = chunk[k];
      opt.title = "a title */ int x; /* ?\?/";
      jemit_unit unit = emit(f, fn, nfn, &opt);
      compile_strictly(f, &unit, "gcc");
      compile_strictly(f, &unit, "clang");
    }
  }
}

#define NVALUE 96

// Every operator, over varying and uniform operands, negative and infinite constants, and lists.
static jexpr_fn build_all_operators(jexpr_graph* g, jexpr_ref* value, jexpr_outputs* out) {
  int x = jexpr_group(g, "x", 4, JEXPR_PER_LANE);
  int p = jexpr_group(g, "p", 4, JEXPR_UNIFORM);
  jexpr_ref in[8];
  for (int i = 0; i < 4; i++)
    in[i] = jexpr_input(g, x, i);
  for (int i = 0; i < 4; i++)
    in[4 + i] = jexpr_input(g, p, i);
  int n = 0;
  for (int op = 1; op < JEXPR_OP_COUNT; op++) {
    if (jexpr_ops[op].arity < 1) continue;
    value[n++] = jexpr_apply(g, (jexpr_op)op, in[0], in[1], in[2]);
    value[n++] = jexpr_apply(g, (jexpr_op)op, in[4], in[1], in[5]);
  }
  jexpr_ref list[12];
  for (int i = 0; i < 12; i++)
    list[i] = jexpr_const(g, -3.0 + i);
  value[n++] = jexpr_locate(g, in[0], list, 5);
  value[n++] = jexpr_locate(g, in[4], list, 12);
  value[n++] = jexpr_locate(g, in[0], in + 1, 3);
  value[n++] = jexpr_locate(g, in[0], in + 4, 4);
  value[n++] = jexpr_pick(g, in[0], list, 12);
  value[n++] = jexpr_pick(g, in[0], in + 1, 2);
  value[n++] = jexpr_pick(g, in[4], in + 1, 2);
  value[n++] = jexpr_pick(g, in[4], in + 1, 5);
  value[n++] = jexpr_pick(g, jexpr_lt(g, in[0], in[1]), in + 1, 2);
  value[n++] = jexpr_pick(g, jexpr_lt(g, in[4], in[5]), in + 1, 2);
  value[n++] = jexpr_mul(g, in[3], jexpr_const(g, -HUGE_VAL));
  assert_true(n <= NVALUE);
  *out = (jexpr_outputs){"y", n, value};
  return (jexpr_fn){"all", g, 1, out};
}

static void test_emitted_code_has_no_warnings(void** state) {
  fixture* f = *state;
  jexpr_ref value[NVALUE];
  jexpr_outputs out;
  jexpr_fn fn = build_all_operators(f->g, value, &out);
  compile_with_both(f, &fn, 1);
}

static void test_hostile_names_stay_names(void** state) {
  fixture* f = *state;
  static char longest[10001];
  memset(longest, '*', 5000);
  memset(longest + 5000, '/', 5000);
  const char* const name[] = {"*/ int x; /*", "?\?/",  "a\nint y;\n", "\"quoted\\",
                              "// c \\\n",    longest, "while",       "",
                              "\xff\xfe",     "in",    "t0"};
  enum { N = sizeof name / sizeof name[0] };
  jexpr_ref value[N];
  jexpr_outputs out[N];
  jexpr_fn fn[N];
  jexpr_ref sum = jexpr_const(f->g, 1.0);
  for (int i = 0; i < N; i++) {
    int group = jexpr_group(f->g, name[i], 1, JEXPR_PER_LANE);
    if (group < 0) continue;  // a graph may refuse a name
    jexpr_ref x = jexpr_input(f->g, group, 0);
    sum = jexpr_mark(f->g, jexpr_add(f->g, jexpr_sin(f->g, x), sum), "%s", name[i]);
  }
  jo_context_clear(f->ctx);
  for (int i = 0; i < N; i++) {
    value[i] = sum;
    out[i] = (jexpr_outputs){name[i], 1, &value[i]};
    fn[i] = (jexpr_fn){name[i], f->g, N, out};
  }
  compile_with_both(f, fn, N);

  // what is the user's is cut to what is harmless
  jemit_options opt = jemit_options_default();
  jemit_unit unit = emit(f, fn, N, &opt);
  assert_string_equal(unit.entry[0].symbol, "jk_0____int_x____");
  assert_true(strlen(unit.entry[5].symbol) < 80);
  for (int i = 0; i < unit.nfile; i++) {
    assert_null(strstr(unit.file[i].text, "*/ int x"));
    assert_null(strstr(unit.file[i].text, "?\?"));
    assert_null(strchr(unit.file[i].text, '\\'));
  }
}

// ---- memory

static jo_status emit_with(const jo_allocator* allocator) {
  jo_context* ctx = NULL;
  jo_status status = jo_context_create(allocator, &ctx);
  if (status < 0) return status;
  jarena a;
  jarena_init(&a, ctx);
  jexpr_graph* g = jexpr_graph_create(ctx);
  status = JO_ERR_MEMORY;
  if (g) {
    tiny t;
    jemit_unit unit;
    jemit_options opt = jemit_options_default();
    opt.chunk_statements = 1;
    opt.file_statements = 1;
    opt.lanes = 2;
    build_tiny(g, &t);
    status = jexpr_graph_status(g);
    if (status >= 0) status = jemit_c(ctx, &a, &t.fn, 1, &opt, &unit);
  }
  jexpr_graph_destroy(g);
  jarena_free(&a);
  jo_context_destroy(ctx);
  return status;
}

static void test_emit_survives_lack_of_memory(void** state) {
  (void)state;
  for (long n = 0; n < 100000; n++) {
    failing_alloc f;
    failing_alloc_init(&f, n);
    jo_status status = emit_with(&f.allocator);
    assert_int_equal(f.live_bytes, 0);
    if (status >= 0) return;
    assert_int_equal(status, JO_ERR_MEMORY);
  }
  fail();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_emit_tiny_is_golden, setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(test_emit_is_deterministic, setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(test_emit_does_not_depend_on_unused_nodes, setup,
                                      fixture_teardown),
      cmocka_unit_test_setup_teardown(test_emit_splits_as_asked, setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(test_emit_rejects_what_it_cannot_do, setup, fixture_teardown),
      cmocka_unit_test(test_names_that_may_stand),
      cmocka_unit_test_setup_teardown(test_emitted_code_has_no_warnings, setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(test_hostile_names_stay_names, setup, fixture_teardown),
      cmocka_unit_test(test_emit_survives_lack_of_memory),
  };
  return cmocka_run_group_tests_name("emit.emit", tests, NULL, NULL);
}
