// SPDX-License-Identifier: Apache-2.0
// The expression parser: values against hand computation and libm, structure of what is built,
// every message with its column, limits, and running out of memory.
#include "expr/parse/parse.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "expr/tape/tape.h"
#include "support/error_count.h"

#define PI 3.14159265358979323846

// A correctly parsed expression does the same operations as the C one; integer powers are products
// in another order, which costs a few units in the last place.
#define TOLERANCE 1e-14

static const char* const names[] = {"t", "x", "y", "z", "k_f", "chassis.z", "front.spring.k"};
#define NNAME 7
static const double values[NNAME] = {1.5, 2.0, 3.0, -0.25, 1000.0, 0.125, 2e4};

typedef struct fixture {
  jo_context* ctx;
  jexpr_graph* g;
  jexpr_ref input[NNAME];
  bool has_pi;  // a model that calls something pi
} fixture;

static bool is_word(const char* s, size_t n, const char* word) {
  return n == strlen(word) && memcmp(s, word, n) == 0;
}

static jexpr_ref find(void* user, jexpr_graph* g, const char* name, size_t length) {
  fixture* f = user;
  for (int i = 0; i < NNAME; i++) {
    if (is_word(name, length, names[i])) return f->input[i];
  }
  if (f->has_pi && is_word(name, length, "pi")) return f->input[0];
  if (is_word(name, length, "endless")) return jexpr_const(g, INFINITY);
  return JEXPR_POISON;
}

static const char* suggest(void* user, int i) {
  (void)user;
  return i < NNAME ? names[i] : NULL;
}

// twice(x) = 2 x, and a name with a dot
static jexpr_ref call(void* user, jexpr_graph* g, const char* name, size_t length,
                      const jexpr_ref* args, int nargs, int* expected) {
  (void)user;
  if (!is_word(name, length, "twice") && !is_word(name, length, "table.rear")) return JEXPR_POISON;
  if (nargs != 1) {
    *expected = 1;
    return JEXPR_POISON;
  }
  return jexpr_mul(g, jexpr_const(g, 2.0), args[0]);
}

static void open_fixture(fixture* f, const jo_allocator* allocator) {
  *f = (fixture){.ctx = NULL};
  if (jo_context_create(allocator, &f->ctx) < 0) return;
  f->g = jexpr_graph_create(f->ctx);
  if (!f->g) return;
  int group = jexpr_group(f->g, "u", NNAME, JEXPR_PER_LANE);
  for (int i = 0; i < NNAME; i++) {
    f->input[i] = jexpr_input(f->g, group, i);
  }
}

static void close_fixture(fixture* f) {
  jexpr_graph_destroy(f->g);
  jo_context_destroy(f->ctx);
}

static int setup(void** state) {
  fixture* f = malloc(sizeof *f);
  if (!f) return -1;
  open_fixture(f, NULL);
  *state = f;
  return f->g ? 0 : -1;
}

static int teardown(void** state) {
  close_fixture(*state);
  free(*state);
  return 0;
}

static jo_status parse_bytes(fixture* f, const char* text, size_t n, jexpr_ref* out) {
  jexpr_scope scope = {.find = find, .suggest = suggest, .user = f, .call = call};
  return jexpr_parse(f->g, text, n, &scope, "car.yaml:7", out);
}

static jexpr_ref parse(fixture* f, const char* text) {
  jexpr_ref ref = JEXPR_POISON;
  jo_status status = parse_bytes(f, text, strlen(text), &ref);
  if (status < 0) fail_msg("%s: %s", text, jo_context_message(f->ctx));
  return ref;
}

static double evaluate(fixture* f, jexpr_ref ref, const double* u) {
  jarena arena;
  jarena_init(&arena, f->ctx);
  jexpr_outputs out = {"y", 1, &ref};
  jexpr_fn fn = {"f", f->g, 1, &out};
  jexpr_tape tape;
  assert_int_equal(jexpr_tape_build(f->ctx, &arena, &fn, &tape), JO_OK);
  double* work = JARENA_ARRAY(&arena, jexpr_tape_work(&tape, 1), double);
  assert_non_null(work);
  double y = 0.0;
  const double* in[] = {u};
  double* results[] = {&y};
  jexpr_tape_init(&tape, 1, work);
  jexpr_tape_eval(&tape, 1, in, results, work);
  jarena_free(&arena);
  return y;
}

static void assert_value(fixture* f, const char* text, double expected) {
  double y = evaluate(f, parse(f, text), values);
  if (!(fabs(y - expected) <= TOLERANCE * fmax(1.0, fabs(expected)))) {
    fail_msg("%s = %.17g, expected %.17g", text, y, expected);
  }
}

// ---- values

typedef struct value_row {
  const char* text;
  double value;  // with t = 1.5, x = 2, y = 3, z = -0.25
} value_row;

static void test_parse_numbers(void** state) {
  static const value_row rows[] = {
      {"1", 1},       {".5", 0.5},    {"0.5", 0.5},     {"1.", 1},      {"2e-3", 0.002},
      {"2E+3", 2000}, {".25e1", 2.5}, {"007", 7},       {"1.5e2", 150}, {"0", 0},
      {"0.1", 0.1},   {"1e-400", 0},  {"1e308", 1e308}, {"  1\n\t", 1}, {"1\r\n+\n2", 3},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    assert_value(*state, rows[i].text, rows[i].value);
  }
}

static void test_parse_precedence(void** state) {
  static const value_row rows[] = {
      {"1 + 2*3", 7},
      {"(1 + 2)*3", 9},
      {"1 - 2 - 3", -4},
      {"1 - (2 - 3)", 2},
      {"2/4/2", 0.25},
      {"2/(4/2)", 1},
      {"2*3/4*2", 3},
      {"-x^2", -4},
      {"(-x)^2", 4},
      {"-2^2", -4},
      {"2^-1", 0.5},
      {"x^-1", 0.5},
      {"2^3^2", 512},
      {"(2^3)^2", 64},
      {"x**y", 8},
      {"2**-x", 0.25},
      {"2^-1^2", 0.5},
      {"--x", 2},
      {"-+-x", 2},
      {"1--1", 2},
      {"2*-x", -4},
      {"2*-x^2", -8},
      {"2^x*3", 12},
      {"2*x^2+1", 9},
      {"4^0.5", 2},
      {"x^0.5", 1.4142135623730951},
      {"x^64", 18446744073709551616.0},
      {"x^65", 36893488147419103232.0},
      {"x^-64", 5.421010862427522e-20},
      {"x^0", 1},
      {"y^1.5", 5.196152422706632},
      {"1 + 2 < 4", 1},
      {"1 < 2 + 4", 1},
      {"x < y", 1},
      {"y < x", 0},
      {"x <= 2", 1},
      {"x < 2", 0},
      {"x > y", 0},
      {"y > x", 1},
      {"x >= 2", 1},
      {"x > 2", 0},
      {"x == 2", 1},
      {"x == 3", 0},
      {"x != 2", 0},
      {"x != 3", 1},
      {"(x < y) < 2", 1},
      {"not x < y", 0},
      {"!(x < y)", 0},
      {"not 0", 1},
      {"not x", 0},
      {"not not x", 1},
      {"!!z", 1},
      {"x and y", 1},
      {"x and 0*y", 0},
      {"z or 0", 1},
      {"0 or 0", 0},
      {"0 or 1 and 0", 0},
      {"(0 or 1) and 0", 0},
      {"1 or 1 and 0", 1},
      {"(1 or 1) and 0", 0},
      {"not 1 or 1", 1},
      {"not (1 or 1)", 0},
      {"not 0 and 0", 0},
      {"x < y && y > 2 || 0", 1},
      {"x > 1 and y > 1 and z > 1", 0},
      {"1 + (x < y)", 2},
      {"chassis.z * front.spring.k", 2500},
      {"pi", PI},
      {"tau/2", PI},
      {"if(x < y, 10, 20)", 10},
      {"if(x > y, 10, 20)", 20},
      {"if(z, 10, 20)", 10},
      {"if(0, 10, if(1, 30, 40))", 30},
      {"twice(x + 1)", 6},
      {"table.rear(y)", 6},
      {"sin (0)", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    assert_value(*state, rows[i].text, rows[i].value);
  }
}

static void test_parse_excitation_of_a_wheel(void** state) {
  fixture* f = *state;
  const char* sine = "0.326 + 0.0045*sin(2*(t-1))";
  const char* bump = "if(t < 1, 0,\n   if(t > 1 + tau/4, 0.1, 0.05*(1 - cos(2*(t - 1)))))";
  for (double t = 0.0; t < 3.0; t += 0.125) {
    double u[NNAME] = {t};
    double y = evaluate(f, parse(f, sine), u);
    assert_true(fabs(y - (0.326 + 0.0045 * sin(2 * (t - 1)))) <= TOLERANCE);
    double h = t < 1 ? 0 : t > 1 + PI / 2 ? 0.1 : 0.05 * (1 - cos(2 * (t - 1)));
    assert_true(fabs(evaluate(f, parse(f, bump), u) - h) <= TOLERANCE);
  }
}

static double sign_of(double x) {
  return (double)((x > 0) - (x < 0));
}

static double step_of(double x) {
  return x < 0 ? 0 : 1;
}

static double radians(double x) {
  return x * PI / 180;
}

static double modulo(double a, double b) {
  return a - b * floor(a / b);
}

static double smaller(double a, double b) {
  return a < b ? a : b;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

static void assert_at(fixture* f, const char* text, double a, double b, double expected) {
  double u[NNAME] = {0, a, b};
  double y = evaluate(f, parse(f, text), u);
  bool same = isnan(expected) ? isnan(y) : fabs(y - expected) <= TOLERANCE * fabs(expected);
  if (!same) fail_msg("%s at %g, %g = %.17g, expected %.17g", text, a, b, y, expected);
}

static void test_parse_functions_of_one_argument(void** state) {
  static const struct {
    const char* text;
    double (*reference)(double);
  } rows[] = {
      {"sqrt(x)", sqrt},    {"exp(x)", exp},      {"log(x)", log},     {"sin(x)", sin},
      {"cos(x)", cos},      {"tan(x)", tan},      {"asin(x)", asin},   {"acos(x)", acos},
      {"atan(x)", atan},    {"sinh(x)", sinh},    {"cosh(x)", cosh},   {"tanh(x)", tanh},
      {"abs(x)", fabs},     {"sign(x)", sign_of}, {"floor(x)", floor}, {"ceil(x)", ceil},
      {"step(x)", step_of}, {"deg(x)", radians},
  };
  static const double points[] = {-2.5, -1, -0.75, 0, 0.3, 1, 2.5, 45};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    for (size_t k = 0; k < sizeof points / sizeof points[0]; k++) {
      double expected = rows[i].reference(points[k]);
      if (isfinite(expected)) assert_at(*state, rows[i].text, points[k], 0, expected);
    }
  }
}

static void test_parse_functions_of_two_arguments(void** state) {
  static const struct {
    const char* text;
    double (*reference)(double, double);
  } rows[] = {
      {"pow(x, y)", pow},    {"atan2(x, y)", atan2}, {"hypot(x, y)", hypot},
      {"mod(x, y)", modulo}, {"min(x, y)", smaller}, {"max(x, y)", larger},
  };
  static const double points[][2] = {{1, 2}, {2, 1}, {-3, 2}, {7, -3}, {0.5, 0.25}, {-7.5, -2}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    for (size_t k = 0; k < sizeof points / sizeof points[0]; k++) {
      double a = points[k][0], b = points[k][1];
      assert_at(*state, rows[i].text, a, b, rows[i].reference(a, b));
    }
  }
}

static void test_parse_functions_of_more_arguments(void** state) {
  static const value_row rows[] = {
      {"min(x, y, z)", -0.25}, {"max(x, y, z)", 3},        {"min(5, 4, 3, 2, 1, 2)", 1},
      {"sum(x)", 2},           {"sum(1, 2, 3)", 6},        {"mean(1, 2, 6)", 3},
      {"max(x, 1, 2.5)", 2.5}, {"clamp(x, 0, 1)", 1},      {"clamp(x, 3, 4)", 3},
      {"clamp(x, 0, 5)", 2},   {"clamp(z, -1, 1)", -0.25},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    assert_value(*state, rows[i].text, rows[i].value);
  }
}

// ---- what is built

static void test_parse_same_meaning_is_same_node(void** state) {
  static const char* const pairs[][2] = {
      {"x > y", "y < x"},
      {"x >= y", "y <= x"},
      {"x != y", "1 - (x == y)"},
      {"x != y", "not x == y"},
      {"x < y and y < z", "(x < y)*(y < z)"},
      {"x < y or y < z", "max(x < y, y < z)"},
      {"x and y", "(x != 0)*(y != 0)"},
      {"(x and y) and t", "x and y and t"},
      {"not x", "x == 0"},
      {"not (x < y)", "1 - (x < y)"},
      {"step(x) and y < z", "step(x)*(y < z)"},
      {"x^0.5", "sqrt(x)"},
      {"pow(x, 0.5)", "sqrt(x)"},
      {"x^2", "x*x"},
      {"pow(x, 2)", "x^2"},
      {"x**3", "x^3"},
      {"x && y || !z", "x and y or not z"},
      {"+x", "x"},
      {"min(x, y, z)", "min(min(x, y), z)"},
      {"clamp(x, y, z)", "min(max(x, y), z)"},
      {"deg(180)", "pi"},
      {"2*pi", "tau"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    jexpr_ref a = parse(*state, pairs[i][0]);
    jexpr_ref b = parse(*state, pairs[i][1]);
    if (a != b) fail_msg("'%s' and '%s' are different nodes", pairs[i][0], pairs[i][1]);
  }
}

static void test_parse_integer_powers_are_products(void** state) {
  fixture* f = *state;
  assert_int_equal(parse(f, "x^7"), jexpr_powi(f->g, f->input[1], 7));
  assert_int_equal(parse(f, "x^-3"), jexpr_powi(f->g, f->input[1], -3));
  assert_int_equal(jexpr_at(f->g, parse(f, "x^65"))->op, JEXPR_POW);
  assert_int_equal(jexpr_at(f->g, parse(f, "x^y"))->op, JEXPR_POW);
}

// ---- mistakes

typedef struct error_row {
  const char* text;
  const char* message;
} error_row;

static const error_row errors[] = {
    // ends and brackets
    {"", "column 1: the expression is empty"},
    {" \n\t ", "column 1: the expression is empty"},
    {"1 +", "column 4: unexpected end; a value is missing"},
    {"x <", "column 4: unexpected end; a value is missing"},
    {"x and ", "column 7: unexpected end; a value is missing"},
    {"-", "column 2: unexpected end; a value is missing"},
    {"2^", "column 3: unexpected end; a value is missing"},
    {"not", "column 4: unexpected end; a value is missing"},
    {"(1 + 2", "column 7: expected ')' to close '(' at column 1"},
    {"1+(x*2", "column 7: expected ')' to close '(' at column 3"},
    {"sin(x", "column 6: expected ')' to close '(' at column 4"},
    {"sin((x)", "column 8: expected ')' to close '(' at column 4"},
    {"sin(", "column 5: unexpected end; a value is missing"},
    {"sum()", "column 1: sum takes at least 1 argument, got 0"},
    {"max(1,", "column 7: unexpected end; a value is missing"},
    {"(1, 2)", "column 3: expected ')' to close '(' at column 1"},
    {"(0,5)*x", "column 3: expected ')' to close '(' at column 1; write the decimal point as '.'"},
    {"1 + 2)", "column 6: unexpected ')'; it closes no '('"},
    {"()", "column 2: unexpected ')'; a value is missing before it"},
    {"(1 +)", "column 5: unexpected ')'; a value is missing before it"},
    // misplaced tokens
    {"* 2", "column 1: unexpected '*'; a value is missing before it"},
    {"1 + / 2", "column 5: unexpected '/'; a value is missing before it"},
    {"1 2", "column 3: unexpected '2'; an operator is missing before it"},
    {"x y", "column 3: unexpected 'y'; an operator is missing before it"},
    {"2 (x)", "column 3: unexpected '('; an operator is missing before it"},
    {"(x 2)", "column 4: unexpected '2'; an operator is missing before it"},
    {"x not y", "column 3: unexpected 'not'; an operator is missing before it"},
    {"2 * not x", "column 5: unexpected 'not'; put the negation in parentheses"},
    {"x == !y", "column 6: unexpected '!'; put the negation in parentheses"},
    {"1, 2", "column 2: unexpected ','"},
    {"0,5*x", "column 2: unexpected ','; write the decimal point as '.'"},
    {"max(,1)", "column 5: unexpected ','; a value is missing before it"},
    {"max(1,)", "column 7: unexpected ')'; a value is missing before it"},
    {"x < y < z", "column 7: comparisons do not chain; write 'a < b and b < c'"},
    {"1 == x != 2", "column 8: comparisons do not chain; write 'a < b and b < c'"},
    // numbers and names
    {"1.2.3", "column 1: '1.2.3' is not a number"},
    {"1 + 3x", "column 5: '3x' is not a number; a product needs '*'"},
    {"2e", "column 1: '2e' is not a number"},
    {"1e5.2", "column 1: '1e5.2' is not a number"},
    {"0x1F", "column 1: '0x1F' is not a number; a product needs '*'"},
    {".5.", "column 1: '.5.' is not a number"},
    {"1e999", "column 1: the number '1e999' is too large"},
    {".1e999", "column 1: the number '.1e999' is too large"},
    {"x + .", "column 5: unexpected '.'"},
    {"chassis.", "column 1: 'chassis.' is not a name; a letter follows each '.'"},
    {"x.5", "column 1: 'x.5' is not a name; a letter follows each '.'"},
    {"chassis..z", "column 1: 'chassis..z' is not a name; a letter follows each '.'"},
    {"k_ff*2", "column 1: unknown name 'k_ff'; did you mean 'k_f'?"},
    {"1 + K_F", "column 5: unknown name 'K_F'; did you mean 'k_f'?"},
    {"chasis.z", "column 1: unknown name 'chasis.z'; did you mean 'chassis.z'?"},
    {"front.spring.c", "column 1: unknown name 'front.spring.c'; did you mean 'front.spring.k'?"},
    {"Pi", "column 1: unknown name 'Pi'; did you mean 'pi'?"},
    {"w", "column 1: unknown name 'w'"},
    {"velocity", "column 1: unknown name 'velocity'"},
    {"2*e", "column 3: unknown name 'e'; use exp(1)"},
    {"true", "column 1: unknown name 'true'; use 1"},
    {"x + sin", "column 5: 'sin' is a function; write sin(...)"},
    {"if x < y", "column 1: 'if' is a function; write if(...)"},
    // calls
    {"sin(x, y)", "column 1: sin takes 1 argument, got 2"},
    {"sin()", "column 1: sin takes 1 argument, got 0"},
    {"1 + atan2(x)", "column 5: atan2 takes 2 arguments, got 1"},
    {"pow(x)", "column 1: pow takes 2 arguments, got 1"},
    {"if(x < y, 1)", "column 1: if takes 3 arguments, got 2"},
    {"min(x)", "column 1: min takes at least 2 arguments, got 1"},
    {"max()", "column 1: max takes at least 2 arguments, got 0"},
    {"twice(x, y, z)", "column 1: twice takes 1 argument, got 3"},
    {"sine(x)", "column 1: unknown function 'sine'; did you mean 'sin'?"},
    {"Sqrt(x)", "column 1: unknown function 'Sqrt'; did you mean 'sqrt'?"},
    {"ln(x)", "column 1: unknown function 'ln'; use log"},
    {"bessel(x)", "column 1: unknown function 'bessel'"},
    {"select(x, 1, 2)", "column 1: unknown function 'select'; use if"},
    {"add(x, y)", "column 1: unknown function 'add'"},
    {"locate(x, 1, 2)", "column 1: unknown function 'locate'"},
    {"x(y + 1)", "column 1: 'x' is not a function; a product needs '*'"},
    {"pi(2)", "column 1: 'pi' is not a function; a product needs '*'"},
    // characters; columns count characters, not bytes
    {"x = 2", "column 3: unexpected '='; compare with '=='"},
    {"x & y", "column 3: unexpected '&'; write 'and'"},
    {"x | y", "column 3: unexpected '|'; write 'or'"},
    {"x % 2", "column 3: unexpected '%'; use mod(a, b)"},
    {"x ? 1 : 2", "column 3: unexpected '?'; use if(condition, a, b)"},
    {"q[3]", "column 1: unknown name 'q'"},
    {"x[3]", "column 2: unexpected '['; group with '(' and ')'; names have no index"},
    {"x $ y", "column 3: unexpected '$'"},
    {"(x ; y)", "column 4: unexpected ';'"},
    {"x \xe2\x88\x92 1", "column 3: unexpected '\xe2\x88\x92'; use '-'"},
    {"\xe2\x88\x92x", "column 1: unexpected '\xe2\x88\x92'; use '-'"},
    {"2\xc2\xb7x", "column 2: unexpected '\xc2\xb7'; use '*'"},
    {"x\xc2\xb2", "column 2: unexpected '\xc2\xb2'; use '^2'"},
    {"2*\xcf\x80", "column 3: unexpected '\xcf\x80'; use pi"},
    {"\xc3\xa4 + 1", "column 1: unexpected '\xc3\xa4'; names use A-Z, a-z, 0-9, '_' and '.'"},
    {"x\xc2\xa0+ 1", "column 2: unexpected '\xc2\xa0'; it is a no-break space; use ' '"},
    {"x + \xff", "column 5: byte 0xff is not UTF-8"},
    {"x + \xe2\x88", "column 5: byte 0xe2 is not UTF-8"},
    {"x + \xed\xa0\x80", "column 5: byte 0xed is not UTF-8"},
    {"x + \x01", "column 5: unexpected control character 0x01"},
    {"x +\n  y +\n  z z", "column 15: unexpected 'z'; an operator is missing before it"},
    // constants beyond the range
    {"1/0", "column 2: the expression is not finite"},
    {"x/0", "column 2: the expression is not finite"},
    {"0/0", "column 2: the expression is not finite"},
    {"x/(y - y)", "column 2: the expression is not finite"},
    {"x + 1/0", "column 6: the expression is not finite"},
    {"log(0)", "column 1: the expression is not finite"},
    {"1 + sqrt(-1)", "column 5: the expression is not finite"},
    {"10^400", "column 3: the expression is not finite"},
    {"0^-1", "column 2: the expression is not finite"},
    {"1e308*10", "column 6: the expression is not finite"},
    {"-1e308 - 1e308", "column 8: the expression is not finite"},
    {"mod(1, 0)", "column 1: the expression is not finite"},
    {"2*endless", "column 3: the expression is not finite"},
};

static void test_parse_messages(void** state) {
  fixture* f = *state;
  for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
    jexpr_ref ref = 99;
    jo_context_clear(f->ctx);
    jo_status status = parse_bytes(f, errors[i].text, strlen(errors[i].text), &ref);
    char expected[256];
    snprintf(expected, sizeof expected, "car.yaml:7: %s", errors[i].message);
    assert_string_equal(jo_context_message(f->ctx), expected);
    assert_true(status < 0);
    assert_int_equal(ref, JEXPR_POISON);
    assert_int_equal(error_count(f->ctx), 1);
    // the mistake is the user's: the graph stays usable
    assert_int_equal(jexpr_graph_status(f->g), JO_OK);
  }
}

static void test_parse_says_which_kind_of_mistake(void** state) {
  fixture* f = *state;
  jexpr_ref ref;
  assert_int_equal(parse_bytes(f, "x +", 3, &ref), JO_ERR_SYNTAX);
  assert_int_equal(parse_bytes(f, "1/0", 3, &ref), JO_ERR_NUMERIC);
}

static void test_parse_reads_given_bytes_only(void** state) {
  fixture* f = *state;
  jexpr_ref ref;
  assert_int_equal(parse_bytes(f, "x+y)))", 3, &ref), JO_OK);
  assert_int_equal(ref, parse(f, "x + y"));
  assert_int_equal(parse_bytes(f, "12345", 2, &ref), JO_OK);
  assert_true(jexpr_is_value(f->g, ref, 12.0));
  assert_int_equal(parse_bytes(f, ".5e3", 2, &ref), JO_OK);
  assert_true(jexpr_is_value(f->g, ref, 0.5));
  assert_int_equal(parse_bytes(f, "x\0y", 3, &ref), JO_ERR_SYNTAX);
  assert_string_equal(jo_context_message(f->ctx),
                      "car.yaml:7: column 2: unexpected control character 0x00");
}

static void test_parse_without_scope_and_place(void** state) {
  fixture* f = *state;
  jexpr_ref ref;
  assert_int_equal(jexpr_parse(f->g, "2*pi", 4, NULL, NULL, &ref), JO_OK);
  assert_true(jexpr_is_value(f->g, ref, 2 * PI));
  assert_int_equal(jexpr_parse(f->g, "f(x)", 4, NULL, NULL, &ref), JO_ERR_SYNTAX);
  assert_string_equal(jo_context_message(f->ctx), "column 3: unknown name 'x'");
}

static void test_parse_model_name_wins_over_constant_with_a_warning(void** state) {
  fixture* f = *state;
  f->has_pi = true;
  assert_int_equal(parse(f, "1*pi"), f->input[0]);
  jo_severity severity = JO_NOTICE;
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 1);
  assert_string_equal(jo_context_diagnostic(f->ctx, 0, &severity),
                      "car.yaml:7: column 3: 'pi' is a name of the model here, not the constant");
  assert_int_equal(severity, JO_WARNING);
}

// ---- limits

// `head` n times, then `middle`, then `tail` n times.
static char* nested(const char* head, const char* middle, const char* tail, int n) {
  size_t size = (strlen(head) + strlen(tail)) * (size_t)n + strlen(middle) + 1;
  char* text = malloc(size);
  assert_non_null(text);
  text[0] = '\0';
  for (int i = 0; i < n; i++) {
    strcat(text, head);
  }
  strcat(text, middle);
  for (int i = 0; i < n; i++) {
    strcat(text, tail);
  }
  return text;
}

static void test_parse_depth_is_limited(void** state) {
  fixture* f = *state;
  static const char* const shapes[][3] = {
      {"(", "x", ")"}, {"sin(", "x", ")"}, {"-", "x", ""},        {"not ", "x", ""},
      {"+", "x", ""},  {"2^", "0", ""},    {"if(x,1,", "x", ")"}, {"1+(", "x", ")"},
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    char* good = nested(shapes[i][0], shapes[i][1], shapes[i][2], 200);
    char* deep = nested(shapes[i][0], shapes[i][1], shapes[i][2], 201);
    char* deepest = nested(shapes[i][0], shapes[i][1], shapes[i][2], 7000);
    jexpr_ref ref;
    jo_context_clear(f->ctx);
    // towers of powers overflow, which is another matter
    if (strcmp(shapes[i][0], "2^") != 0) parse(f, good);
    assert_int_equal(parse_bytes(f, deep, strlen(deep), &ref), JO_ERR_LIMIT);
    assert_non_null(strstr(jo_context_message(f->ctx), "nested deeper than 200 levels"));
    assert_int_equal(parse_bytes(f, deepest, strlen(deepest), &ref), JO_ERR_LIMIT);
    free(good);
    free(deep);
    free(deepest);
  }
}

static void test_parse_argument_count_is_limited(void** state) {
  fixture* f = *state;
  jexpr_ref ref;
  char* good = nested("", "max(x", ",1", 63);
  char* many = nested("", "max(x", ",1", 64);
  good = realloc(good, strlen(good) + 2);
  assert_non_null(good);
  strcat(good, ")");
  assert_value(f, good, 2.0);
  assert_int_equal(parse_bytes(f, many, strlen(many), &ref), JO_ERR_LIMIT);
  assert_string_equal(jo_context_message(f->ctx), "car.yaml:7: column 133: more than 64 arguments");
  free(good);
  free(many);
}

static void test_parse_length_is_limited(void** state) {
  fixture* f = *state;
  jexpr_ref ref;
  char* text = nested("x+", "x", " ", 32767 / 3 * 2);
  size_t n = strlen(text);
  assert_true(n < 65536);
  assert_int_equal(parse_bytes(f, text, n, &ref), JO_OK);
  free(text);

  text = nested(" ", "x", " ", 32768);
  assert_int_equal(parse_bytes(f, text, 65536, &ref), JO_OK);
  assert_int_equal(ref, f->input[1]);
  assert_int_equal(parse_bytes(f, text, 65537, &ref), JO_ERR_LIMIT);
  assert_string_equal(jo_context_message(f->ctx),
                      "car.yaml:7: column 65537: the expression is longer than 65536 bytes");
  free(text);
}

static void test_parse_long_words_are_cut_in_messages(void** state) {
  fixture* f = *state;
  jexpr_ref ref;
  char* text = nested("a", "", "b", 20000);
  assert_int_equal(parse_bytes(f, text, strlen(text), &ref), JO_ERR_SYNTAX);
  assert_true(strlen(jo_context_message(f->ctx)) < 120);
  free(text);
}

// ---- memory

typedef struct meter {
  int left;   // allocations until memory is exhausted
  int alive;  // blocks held
} meter;

static void* metered_resize(void* user, void* p, size_t size) {
  meter* m = user;
  if (m->left == 0) return NULL;
  m->left--;
  void* q = realloc(p, size);
  if (!p && q) m->alive++;
  return q;
}

static void metered_release(void* user, void* p) {
  meter* m = user;
  if (p) m->alive--;
  free(p);
}

static void test_parse_survives_want_of_memory(void** state) {
  (void)state;
  // enough distinct nodes and constants to make every array of the graph grow
  char text[32768] = "0";
  for (int i = 0; i < 1500; i++) {
    snprintf(text + strlen(text), sizeof text - strlen(text), "+sin(x*%d.5)", i);
  }
  jo_status status = JO_ERR_MEMORY;
  int failures = 0;
  for (int limit = 0; status != JO_OK; limit++) {
    assert_true(limit < 10000);
    meter m = {limit, 0};
    jo_allocator allocator = {metered_resize, metered_release, &m};
    fixture f;
    open_fixture(&f, &allocator);
    if (f.g && jexpr_graph_status(f.g) == JO_OK) {
      jexpr_ref ref = 99;
      status = parse_bytes(&f, text, strlen(text), &ref);
      if (status != JO_OK) {
        failures++;
        assert_int_equal(status, JO_ERR_MEMORY);
        assert_int_equal(ref, JEXPR_POISON);
        assert_string_equal(jo_context_message(f.ctx), "out of memory");
        // nothing more can be built, and nothing is reported again
        assert_int_equal(parse_bytes(&f, "x", 1, &ref), JO_ERR_MEMORY);
        assert_int_equal(error_count(f.ctx), 1);
      }
    }
    close_fixture(&f);
    assert_int_equal(m.alive, 0);
  }
  assert_true(failures > 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_parse_numbers),
      TEST(test_parse_precedence),
      TEST(test_parse_excitation_of_a_wheel),
      TEST(test_parse_functions_of_one_argument),
      TEST(test_parse_functions_of_two_arguments),
      TEST(test_parse_functions_of_more_arguments),
      TEST(test_parse_same_meaning_is_same_node),
      TEST(test_parse_integer_powers_are_products),
      TEST(test_parse_messages),
      TEST(test_parse_says_which_kind_of_mistake),
      TEST(test_parse_reads_given_bytes_only),
      TEST(test_parse_without_scope_and_place),
      TEST(test_parse_model_name_wins_over_constant_with_a_warning),
      TEST(test_parse_depth_is_limited),
      TEST(test_parse_argument_count_is_limited),
      TEST(test_parse_length_is_limited),
      TEST(test_parse_long_words_are_cut_in_messages),
      TEST(test_parse_survives_want_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
