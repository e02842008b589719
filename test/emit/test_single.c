// SPDX-License-Identifier: Apache-2.0
// Functions in single precision: compiled for the host they are the interpreter's to the roundings of floats, and what
// one of their groups of outputs depends on is its, bit by bit.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/file.h"
#include "base/system/process.h"
#include "emit/c/emit.h"
#include "expr/tape/tape.h"
#include "support/fixture.h"

#define NVALUE 160
#define NEXACT 4

static int setup(void** state) {
  fixture_setup(state);
  fixture_graph(*state);
  return 0;
}

typedef struct bench {
  jexpr_ref value[NVALUE], exact[NEXACT];
  jexpr_outputs out[2];
  jexpr_fn fn;
} bench;

static const double input[8] = {0.625, 0.8125, 0.375, 1.7, 0.71, 0.83, 0.29, 1.3};

// All operators on the inputs of a side, the same ones on both, so that they come in pairs.
static int build_side(jexpr_graph* g, int group, int side, jexpr_ref* value) {
  jexpr_ref in[4], list[12];
  int n = 0;
  for (int i = 0; i < 4; i++)
    in[i] = jexpr_input(g, group, 4 * side + i);
  for (int i = 0; i < 12; i++)
    list[i] = jexpr_const(g, -0.3 + 0.1 * i);
  for (int op = 1; op < JEXPR_OP_COUNT; op++) {
    if (jexpr_ops[op].arity < 1) continue;
    jexpr_ref a = jexpr_apply(g, (jexpr_op)op, in[0], in[1], in[2]);
    value[n++] = jexpr_add(g, jexpr_mul(g, a, jexpr_const(g, -0.7)), in[3]);
  }
  value[n++] = jexpr_locate(g, in[0], list, 5);
  value[n++] = jexpr_locate(g, in[0], list, 12);
  value[n++] = jexpr_pick(g, jexpr_mul(g, in[0], jexpr_const(g, 11.0)), list, 12);
  value[n++] = jexpr_pick(g, jexpr_lt(g, in[0], in[1]), in + 1, 2);
  value[n++] = jexpr_pick(g, in[3], in + 1, 3);
  return n;
}

// Outputs of single precision, and some that are not, with operands in common.
static void build(jexpr_graph* g, bench* b) {
  int x = jexpr_group(g, "x", 8, JEXPR_PER_LANE), n = 0;
  for (int side = 0; side < 2; side++) {
    jexpr_ref a = jexpr_input(g, x, 4 * side), c = jexpr_input(g, x, 4 * side + 3);
    n += build_side(g, x, side, b->value + n);
    jexpr_ref fade = jexpr_exp(g, jexpr_neg(g, jexpr_mul(g, a, c)));  // packs read what it negates
    b->exact[2 * side] = jexpr_sub(g, jexpr_mul(g, jexpr_sin(g, a), c), fade);
    b->exact[2 * side + 1] = c;
    b->value[n++] = jexpr_mul(g, b->exact[2 * side], jexpr_cos(g, a));
  }
  assert_true(n <= NVALUE);
  b->out[0] = (jexpr_outputs){"y", n, b->value};
  b->out[1] = (jexpr_outputs){"g", NEXACT, b->exact};
  b->fn = (jexpr_fn){"both", g, 2, b->out};
}

static void interpret(fixture* f, const bench* b, double* y, double* g) {
  jexpr_tape tape;
  double* work;
  const double* in[] = {input};
  double* out[] = {y, g};
  assert_ok(f->ctx, jexpr_tape_prepare(f->ctx, &f->a, &b->fn, &tape, &work));
  jexpr_tape_eval(&tape, 1, in, out, work);
}

// A program that prints what the function gives, number by number.
static const char* program_text(fixture* f, const bench* b, const jemit_unit* unit) {
  const char* text = "#include <stdio.h>\n#include \"kernel_0.c\"\nint main(void) {\n";
  text = jarena_printf(&f->a, "%s  double y[%d], g[%d], w[%zu];\n  const double x[] = {", text,
                       NVALUE, NEXACT, unit->entry[0].work + 1);
  for (int i = 0; i < 8; i++)
    text = jarena_printf(&f->a, "%s%a, ", text, input[i]);
  return jarena_printf(&f->a,
                       "%s};\n  const double* in[] = {x};\n  double* out[] = {y, g};\n"
                       "  %s(in, out, w);\n"
                       "  for (int i = 0; i < %d; i++) printf(\"%%a\\n\", y[i]);\n"
                       "  for (int i = 0; i < %d; i++) printf(\"%%a\\n\", g[i]);\n}\n",
                       text, unit->entry[0].symbol, b->out[0].n, NEXACT);
}

static void write_below(fixture* f, const char* name, const char* text) {
  assert_ok(f->ctx, jfile_write(f->ctx, fixture_below(f, name), text, strlen(text)));
}

// What the program says.
static char* run_program(fixture* f, const char* const* argv) {
  const char* log = fixture_below(f, "log");
  jproc_command run = {.argv = argv, .output_path = log};
  char* text;
  size_t size;
  assert_ok(f->ctx, jproc_run(f->ctx, &run, 1, &(jproc_options){.jobs = 1}));
  assert_ok(f->ctx, jfile_read(f->ctx, &f->a, log, 1 << 20, &text, &size));
  if (run.exit_code != 0) print_error("%s: %.2000s\n", argv[0], text);
  assert_int_equal(run.exit_code, 0);
  return text;
}

// Compiles and runs it; false: no compiler here.
static bool compute(fixture* f, const bench* b, const jemit_unit* unit, double* y, double* g) {
  if (!jproc_find(&f->a, "gcc")) return false;
  for (int i = 0; i < unit->nfile; i++)
    write_below(f, unit->file[i].name, unit->file[i].text);
  write_below(f, "main.c", program_text(f, b, unit));
  const char* program = fixture_below(f, "program");
  const char* const compile[] = {"gcc",
                                 "-std=c17",
                                 "-Wall",
                                 "-Wno-unused-function",
                                 "-Wno-attributes",
                                 "-Werror",
                                 "-O1",
                                 "-o",
                                 program,
                                 fixture_below(f, "main.c"),
                                 "-lm",
                                 NULL};
  const char* const run[] = {program, NULL};
  run_program(f, compile);
  char* text = run_program(f, run);
  for (int i = 0; i < b->out[0].n + NEXACT; i++)
    *(i < b->out[0].n ? &y[i] : &g[i - b->out[0].n]) = strtod(text, &text);
  return true;
}

// Each operator is a rounding of its operands and one of its own; the largest factor is that of tan.
static void compare(fixture* f, const bench* b, const jemit_unit* unit) {
  double y[NVALUE], g[NEXACT], y_exact[NVALUE], g_exact[NEXACT];
  interpret(f, b, y_exact, g_exact);
  if (!compute(f, b, unit, y, g)) return;
  int differ = 0;
  for (int i = 0; i < b->out[0].n; i++) {
    assert_near(y[i], y_exact[i], 5e-7 * fmax(1.0, fabs(y_exact[i])));
    differ += y[i] != y_exact[i];
  }
  assert_true(differ > b->out[0].n / 2);
  assert_memory_equal(g, g_exact, sizeof g);
}

static void test_single_precision_of_all_operators(void** state) {
  fixture* f = *state;
  bench b;
  build(f->g, &b);
  const int exact = 1;
  const struct {
    int pack, chunk, whole;
  } how[] = {{2, 0, 0}, {1, 0, 0}, {1, 7, 0}, {2, 7, 0}, {2, 7, 1}, {2, 7, 1000}};
  for (int i = 0; i < 6; i++) {
    jemit_unit unit;
    jemit_options opt = jemit_options_default();
    opt.device = true;
    opt.single = &exact;
    opt.pack = how[i].pack;
    opt.chunk_statements = how[i].chunk;
    opt.whole_statements = how[i].whole;
    opt.file_statements = 0;
    assert_ok(f->ctx, jemit_c(f->ctx, &f->a, &b.fn, 1, &opt, &unit));
    assert_true(unit.entry[0].is_single);
    assert_int_equal(strstr(unit.file[1].text, "jk_v2f ") != NULL, how[i].pack == 2);
    assert_int_equal(strstr(unit.file[1].text, "JK_NARROW2(") != NULL, how[i].pack == 2);
    bool is_cut = how[i].chunk > 0 && how[i].whole < 1000;
    assert_int_equal(strstr(unit.file[1].text, "JK_WORK(") != NULL, is_cut);
    compare(f, &b, &unit);
  }
}

// Constants too large for floats leave a function as it is; those that would be zero are not.
static void test_single_precision_keeps_to_its_range(void** state) {
  fixture* f = *state;
  const double constant[] = {1e39, -HUGE_VAL, -1e-60};
  int x = jexpr_group(f->g, "x", 2, JEXPR_PER_LANE);
  for (int i = 0; i < 3; i++) {
    jexpr_ref y = jexpr_add(f->g, jexpr_input(f->g, x, 0), jexpr_const(f->g, constant[i]));
    jexpr_ref z = jexpr_input(f->g, x, 1);
    const jexpr_outputs out[] = {{"y", 1, &y}, {"g", 1, &z}};
    jexpr_fn fn = {"wide", f->g, 2, out};
    jemit_unit unit, plain;
    jemit_options opt = jemit_options_default();
    opt.device = true;
    assert_ok(f->ctx, jemit_c(f->ctx, &f->a, &fn, 1, &opt, &plain));
    const int exact = 1;
    opt.single = &exact;
    assert_ok(f->ctx, jemit_c(f->ctx, &f->a, &fn, 1, &opt, &unit));
    assert_int_equal(unit.entry[0].is_single, i == 2);
    if (i < 2) assert_string_equal(unit.sha256, plain.sha256);
    if (i == 2) assert_non_null(strstr(unit.file[1].text, "(-1.1754943508222875e-38f)"));
  }
}

static void test_single_precision_is_for_devices(void** state) {
  fixture* f = *state;
  bench b;
  build(f->g, &b);
  jemit_unit unit;
  const int exact = 1;
  jemit_options opt = jemit_options_default();
  opt.single = &exact;
  assert_int_equal(jemit_c(f->ctx, &f->a, &b.fn, 1, &opt, &unit), JO_ERR_ARGUMENT);
  assert_non_null(strstr(jo_context_message(f->ctx), "single precision is for devices"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      CASE(test_single_precision_of_all_operators),
      CASE(test_single_precision_keeps_to_its_range),
      CASE(test_single_precision_is_for_devices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
