// SPDX-License-Identifier: Apache-2.0
// Elementary functions: close to those of the C library, exact at special values, and lanes of any width give the
// bits of single values.
#include "base/elementary.h"

#include <math.h>
#include <string.h>

#include "support/check.h"

// the text as it stands in emitted code, next to the functions of the library
#define jm_sin    own_sin
#define jm_cos    own_cos
#define jm_sincos own_sincos
#define jm_tan    own_tan
#define jm_asin   own_asin
#define jm_acos   own_acos
#define jm_atan   own_atan
#define jm_atan2  own_atan2
#define jm_exp    own_exp
#define jm_log    own_log
#define jm_pow    own_pow
#define jm_sinh   own_sinh
#define jm_cosh   own_cosh
#define jm_tanh   own_tanh
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#define JM_WIDTH 1
#include "base/elementary_text.h"
#define JM_WIDTH 2
#include "base/elementary_text.h"
#define JM_WIDTH 4
#include "base/elementary_text.h"
#define JM_WIDTH 8
#include "base/elementary_text.h"
#define JM_WIDTH 16
#include "base/elementary_text.h"
#undef jm_sin
#undef jm_cos
#undef jm_sincos
#undef jm_tan
#undef jm_asin
#undef jm_acos
#undef jm_atan
#undef jm_atan2
#undef jm_exp
#undef jm_log
#undef jm_pow
#undef jm_sinh
#undef jm_cosh
#undef jm_tanh

// ---- arguments

static uint64_t draw(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  uint64_t x = *seed;
  x ^= x >> 32;
  return x * 0x9e3779b97f4a7c15u;
}

static double of_bits(uint64_t i) {
  double x;
  memcpy(&x, &i, sizeof x);
  return x;
}

static uint64_t bits_of(double x) {
  uint64_t i;
  memcpy(&i, &x, sizeof i);
  return i;
}

static double between(uint64_t* seed, double low, double high) {
  return low + (high - low) * (double)(draw(seed) >> 11) * 0x1p-53;
}

static const double special[] = {0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 0.5,
                                 -0.5,
                                 2.0,
                                 -3.0,
                                 HUGE_VAL,
                                 -HUGE_VAL,
                                 NAN,
                                 5e-324,
                                 -5e-324,
                                 1e-310,
                                 2.2250738585072014e-308,
                                 1.7976931348623157e308,
                                 -1.7976931348623157e308,
                                 1.5707963267948966,
                                 3.141592653589793,
                                 0.41421356237309503,
                                 0.41421356237309509,
                                 2.414213562373095,
                                 0.70710678118654746,
                                 0.70710678118654757,
                                 262143.99999999997,
                                 262144.0,
                                 1e22,
                                 6381956970095103.0 * 0x1p797,  // next to a multiple of pi/2
                                 708.0,
                                 709.782712893384,
                                 709.7827128933841,
                                 -708.3964185322641,
                                 -745.1332191019411,
                                 -745.1332191019412,
                                 22.0,
                                 22.000000000000004,
                                 0.99999999999999989,
                                 1.0000000000000002,
                                 1e-8,
                                 1e-300,
                                 1e300};
enum { SPECIALS = sizeof special / sizeof *special };

// One of five kinds: small, moderate, large, of any size up to 1e17, of any bits.
static double any(uint64_t* seed, uint64_t kind) {
  switch (kind % 5) {
    case 0: return between(seed, -1.0, 1.0);
    case 1: return between(seed, -10.0, 10.0);
    case 2: return between(seed, -1e5, 1e5);
    case 3: return exp(between(seed, -40.0, 40.0)) * (draw(seed) % 2 ? 1.0 : -1.0);
    default: return of_bits(draw(seed));
  }
}

// ---- accuracy

// |value - exact| in units of the last digit; 0: the double next to the exact value, or both not a number
static double ulps(double value, long double exact) {
  if (value == (double)exact || (isnan(value) && isnan(exact))) return 0.0;
  if (!isfinite(value) || !isfinite(exact)) return HUGE_VAL;
  int e;
  (void)frexpl(exact, &e);
  return (double)(fabsl((long double)value - exact) / ldexpl(1.0L, e < -1021 ? -1074 : e - 53));
}

typedef struct function {
  const char* name;
  double (*own)(double);
  long double (*exact)(long double);
  double limit;  // bounds the exponent of what is asked
} function;

static const function list[] = {
    {"sin", jm_sin, sinl, 0.0},      {"cos", jm_cos, cosl, 0.0},    {"tan", jm_tan, tanl, 0.0},
    {"asin", jm_asin, asinl, 1.0},   {"acos", jm_acos, acosl, 1.0}, {"atan", jm_atan, atanl, 0.0},
    {"exp", jm_exp, expl, 740.0},    {"log", jm_log, logl, 0.0},    {"sinh", jm_sinh, sinhl, 710.0},
    {"cosh", jm_cosh, coshl, 710.0}, {"tanh", jm_tanh, tanhl, 0.0}};
enum { FUNCTIONS = sizeof list / sizeof *list };

// The largest errors found in a long search are below 1.25 (bench/README.md); long double is exact to 0.01 or so.
#define MOST_ULPS 1.3
#define ARGUMENTS 40000

static void expect_close(const char* name, double x, double y, double value, long double exact) {
  if (ulps(value, exact) <= MOST_ULPS) return;
  print_error("%s(%.17g, %.17g) is %.17g, off by %.3g ulp\n", name, x, y, value,
              ulps(value, exact));
  fail();
}

static void test_functions_are_exact_to_about_an_ulp(void** state) {
  (void)state;
  uint64_t seed = 1;
  for (int k = 0; k < FUNCTIONS; k++) {
    const function* f = &list[k];
    for (int i = 0; i < ARGUMENTS + SPECIALS; i++) {
      double x = i < SPECIALS ? special[i] : any(&seed, draw(&seed) >> 40);
      if (f->limit > 0.0 && i % 2 == 1) x = between(&seed, -f->limit, f->limit);
      expect_close(f->name, x, 0.0, f->own(x), f->exact(x));
    }
  }
}

static void test_functions_of_two_are_exact_to_about_an_ulp(void** state) {
  (void)state;
  uint64_t seed = 2;
  for (int i = 0; i < 4 * ARGUMENTS; i++) {
    uint64_t kind = draw(&seed) >> 40;
    double x = any(&seed, kind), y = any(&seed, kind % 3 ? kind : draw(&seed) >> 40);
    expect_close("atan2", x, y, jm_atan2(x, y), atan2l(x, y));
    // powers of any size: y log x is anything a double can hold
    double e = i % 2 ? y : between(&seed, -745.0, 710.0) / log(fabs(x));
    expect_close("pow", x, e, jm_pow(x, e), powl(x, e));
    // and large powers of what is near 1
    double near = between(&seed, 0.5, 2.0), p = between(&seed, -700.0, 700.0) / log(near);
    expect_close("pow", near, p, jm_pow(near, p), powl(near, p));
  }
}

// ---- special values

static void expect_bits(const char* name, double x, double y, double value, double expected) {
  if (bits_of(value) == bits_of(expected) || (isnan(value) && isnan(expected))) return;
  print_error("%s(%.17g, %.17g) is %.17g, expected %.17g\n", name, x, y, value, expected);
  fail();
}

// What the C standard says of them (annex F), and the C library does.
static void test_special_values_are_those_of_the_standard(void** state) {
  (void)state;
  static double (*const reference[])(double) = {sin, cos, tan,  asin, acos, atan,
                                                exp, log, sinh, cosh, tanh};
  static const double x[] = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, NAN, 5e-324, -5e-324, 1e-310};
  for (int k = 0; k < FUNCTIONS; k++) {
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
      if (x[i] != 1e-310 || k != 7) {
        expect_bits(list[k].name, x[i], 0.0, list[k].own(x[i]), reference[k](x[i]));
      }
    }
    expect_bits(list[k].name, 1.0, 0.0, list[k].own(1.0), reference[k](1.0));
  }
  static const double y[] = {0.0, -0.0, 1.0,      -1.0,      2.0,   -3.0,  NAN,
                             1e9, -1e9, HUGE_VAL, -HUGE_VAL, 1e300, -1e300};
  for (size_t i = 0; i < sizeof y / sizeof *y; i++) {
    for (size_t j = 0; j < sizeof y / sizeof *y; j++) {
      expect_bits("pow", y[i], y[j], jm_pow(y[i], y[j]), pow(y[i], y[j]));
      expect_bits("atan2", y[i], y[j], jm_atan2(y[i], y[j]), atan2(y[i], y[j]));
    }
  }
  static const double z[] = {0.0, -0.0, -1.0, -2.0, HUGE_VAL, -HUGE_VAL, NAN, 1.0};
  for (size_t i = 0; i < sizeof z / sizeof *z; i++) {
    expect_bits("pow", z[i], 0.5, jm_pow(z[i], 0.5), pow(z[i], 0.5));
    expect_bits("pow", z[i], -0.5, jm_pow(z[i], -0.5), pow(z[i], -0.5));
  }
  expect_bits("acos", 1.0, 0.0, jm_acos(1.0), 0.0);
  expect_bits("acos", 1.5, 0.0, jm_acos(1.5), NAN);
  expect_bits("asin", -1.5, 0.0, jm_asin(-1.5), NAN);
  expect_bits("log", -2.0, 0.0, jm_log(-2.0), NAN);
  expect_bits("exp", 709.782712893384, 0.0, jm_exp(709.782712893384), 1.7976931348622732e308);
}

// ---- lanes

#define LANES 16

// Function and width: all lanes of a block of arguments.
#define EXPECT_LANES_1(f, width)                                              \
  for (int at = 0; at < LANES; at += (width)) {                               \
    jm_v##width v;                                                            \
    memcpy(&v, x + at, sizeof v);                                             \
    v = jm_##f##_v##width(v);                                                 \
    for (int l = 0; l < (width); l++)                                         \
      expect_bits(#f " in lanes", x[at + l], width, v[l], jm_##f(x[at + l])); \
  }
#define EXPECT_LANES_2(f, width)                                                             \
  for (int at = 0; at < LANES; at += (width)) {                                              \
    jm_v##width v, w;                                                                        \
    memcpy(&v, x + at, sizeof v);                                                            \
    memcpy(&w, y + at, sizeof w);                                                            \
    v = jm_##f##_v##width(v, w);                                                             \
    for (int l = 0; l < (width); l++)                                                        \
      expect_bits(#f " in lanes", x[at + l], y[at + l], v[l], jm_##f(x[at + l], y[at + l])); \
  }
#define EXPECT_SINCOS(width)                                                     \
  for (int at = 0; at < LANES; at += (width)) {                                  \
    jm_v##width v, s, c;                                                         \
    memcpy(&v, x + at, sizeof v);                                                \
    jm_sincos_v##width(v, &s, &c);                                               \
    for (int l = 0; l < (width); l++) {                                          \
      expect_bits("sincos in lanes", x[at + l], width, s[l], jm_sin(x[at + l])); \
      expect_bits("sincos in lanes", x[at + l], width, c[l], jm_cos(x[at + l])); \
    }                                                                            \
  }
#define ALL_WIDTHS(expect, f) expect(f, 2) expect(f, 4) expect(f, 8) expect(f, 16)

static void expect_lanes(const double x[LANES], const double y[LANES]) {
  ALL_WIDTHS(EXPECT_LANES_1, sin)
  ALL_WIDTHS(EXPECT_LANES_1, cos)
  ALL_WIDTHS(EXPECT_LANES_1, tan)
  ALL_WIDTHS(EXPECT_LANES_1, asin)
  ALL_WIDTHS(EXPECT_LANES_1, acos)
  ALL_WIDTHS(EXPECT_LANES_1, atan)
  ALL_WIDTHS(EXPECT_LANES_1, exp)
  ALL_WIDTHS(EXPECT_LANES_1, log)
  ALL_WIDTHS(EXPECT_LANES_1, sinh)
  ALL_WIDTHS(EXPECT_LANES_1, cosh)
  ALL_WIDTHS(EXPECT_LANES_1, tanh)
  ALL_WIDTHS(EXPECT_LANES_2, atan2)
  ALL_WIDTHS(EXPECT_LANES_2, pow)
  EXPECT_SINCOS(2) EXPECT_SINCOS(4) EXPECT_SINCOS(8) EXPECT_SINCOS(16)
}

// Blocks of one kind, which mostly stay on the common path, and blocks of all kinds.
static void test_lanes_give_the_bits_of_single_values(void** state) {
  (void)state;
  uint64_t seed = 3;
  for (int block = 0; block < 4000; block++) {
    double x[LANES], y[LANES];
    for (int l = 0; l < LANES; l++) {
      uint64_t kind = (uint64_t)(block % 6 < 5 ? block % 6 : l);
      x[l] = block % 7 == 6 ? special[draw(&seed) % SPECIALS] : any(&seed, kind);
      y[l] = block % 11 == 10 ? special[draw(&seed) % SPECIALS] : any(&seed, kind);
    }
    expect_lanes(x, y);
  }
}

static void test_sincos_gives_the_bits_of_both(void** state) {
  (void)state;
  uint64_t seed = 4;
  for (int i = 0; i < 10000 + SPECIALS; i++) {
    double x = i < SPECIALS ? special[i] : any(&seed, draw(&seed) >> 40), s, c;
    jm_sincos(x, &s, &c);
    expect_bits("sincos", x, 0.0, s, jm_sin(x));
    expect_bits("sincos", x, 0.0, c, jm_cos(x));
  }
}

// The bits themselves, which no machine, compiler or C library may change: a sum over arguments.
static void test_bits_are_those_of_every_machine(void** state) {
  (void)state;
  uint64_t seed = 5, sum = 0;
  for (int i = 0; i < 20000; i++) {
    // arguments by exact operations alone
    double x = i % 2 ? between(&seed, -20.0, 20.0) : ldexp(between(&seed, -1.0, 1.0), i % 60 - 30);
    double y = between(&seed, -20.0, 20.0);
    for (int k = 0; k < FUNCTIONS; k++) {
      double value = list[k].own(x);
      if (!isnan(value)) sum = sum * 31 + bits_of(value);
    }
    sum = sum * 31 + bits_of(jm_atan2(y, x));
    sum = sum * 31 + bits_of(jm_pow(fabs(x) + 0x1p-40, y));
  }
  assert_int_equal(sum, UINT64_C(0x2137c5262d428a62));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_functions_are_exact_to_about_an_ulp),
      cmocka_unit_test(test_functions_of_two_are_exact_to_about_an_ulp),
      cmocka_unit_test(test_special_values_are_those_of_the_standard),
      cmocka_unit_test(test_lanes_give_the_bits_of_single_values),
      cmocka_unit_test(test_sincos_gives_the_bits_of_both),
      cmocka_unit_test(test_bits_are_those_of_every_machine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
