// SPDX-License-Identifier: Apache-2.0
// Elementary functions: largest error found, and time per value, against those of the C library.
//
//   bench_functions [ARGUMENTS]      of each kind, 200000 unless told
#define _GNU_SOURCE
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif
#include "base/elementary_text.h"
#define JM_WIDTH 4
#include "base/elementary_text.h"
#define JM_WIDTH 8
#include "base/elementary_text.h"

// ---- arguments

static uint64_t seed = 1;

static uint64_t draw(void) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  uint64_t x = seed;
  x ^= x >> 32;
  return x * 0x9e3779b97f4a7c15u;
}

static double between(double low, double high) {
  return low + (high - low) * (double)(draw() >> 11) * 0x1p-53;
}

// Kinds of arguments: small, moderate, large, of any size, of any bits.
enum { KINDS = 5 };

static double argument(int kind, double limit) {
  switch (kind) {
    case 0: return between(-1.0, 1.0);
    case 1: return between(-10.0, 10.0);
    case 2: return between(-limit, limit);
    case 3: return exp(between(-40.0, log(limit))) * (draw() % 2 ? 1.0 : -1.0);
    default: return jm_of_bits((long long)draw());
  }
}

// |value - exact| in units of the last digit of a double
static double ulps(double value, long double exact) {
  if (!isfinite(value) || !isfinite((double)exact)) {
    bool is_same = value == (double)exact || (isnan(value) && isnan(exact));
    return is_same ? 0.0 : HUGE_VAL;
  }
  int e;
  (void)frexpl(exact, &e);
  return (double)(fabsl((long double)value - exact) / ldexpl(1.0L, e < -1021 ? -1074 : e - 53));
}

// ---- times

enum { N = 1024, ROUNDS = 200 };
static double x[N] __attribute__((aligned(64))), y[N] __attribute__((aligned(64)));
static double out[N] __attribute__((aligned(64)));

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// ns per value, the best of a few
#define TIME(best, ...)                                   \
  do {                                                    \
    best = HUGE_VAL;                                      \
    for (int again = 0; again < 9; again++) {             \
      double t0 = now();                                  \
      for (int round = 0; round < ROUNDS; round++) {      \
        __VA_ARGS__                                       \
        __asm__ volatile("" ::: "memory");                \
      }                                                   \
      best = fmin(best, (now() - t0) / ROUNDS / N * 1e9); \
    }                                                     \
  } while (0)

static void put(const char* name, double own, double libm, const double t[4]) {
  printf("| %-5s | %.2f | %.2f | %.1f | %.1f | %.1f | %.1f |\n", name, own, libm, t[0], t[1], t[2],
         t[3]);
}

#define MEASURE_1(f, limit, low, high)                                                         \
  do {                                                                                         \
    double own = 0.0, libm = 0.0, t[4];                                                        \
    for (int i = 0; i < count; i++) {                                                          \
      double a = argument(i % KINDS, limit);                                                   \
      own = fmax(own, ulps(jm_##f(a), f##l(a)));                                               \
      libm = fmax(libm, ulps(f(a), f##l(a)));                                                  \
    }                                                                                          \
    for (int i = 0; i < N; i++)                                                                \
      x[i] = between(low, high);                                                               \
    TIME(t[0], for (int i = 0; i < N; i++) out[i] = f(x[i]););                                 \
    TIME(t[1], for (int i = 0; i < N; i++) out[i] = jm_##f(x[i]););                            \
    TIME(t[2],                                                                                 \
         for (int i = 0; i < N; i += 4) * (jm_v4*)(out + i) = jm_##f##_v4(*(jm_v4*)(x + i));); \
    TIME(t[3],                                                                                 \
         for (int i = 0; i < N; i += 8) * (jm_v8*)(out + i) = jm_##f##_v8(*(jm_v8*)(x + i));); \
    put(#f, own, libm, t);                                                                     \
  } while (0)

static void measure_pairs(int count) {
  double own = 0.0, libm = 0.0, own_pow = 0.0, libm_pow = 0.0, t[4];
  for (int i = 0; i < count; i++) {
    double a = argument(i % KINDS, 1e17), b = argument(draw() % 3 ? i % KINDS : i % 2, 1e17);
    own = fmax(own, ulps(jm_atan2(a, b), atan2l(a, b)));
    libm = fmax(libm, ulps(atan2(a, b), atan2l(a, b)));
    // bases of any size and near 1, powers of any size
    double base = i % 2 ? fabs(a) : between(0.5, 2.0), e = between(-745.0, 710.0) / log(base);
    own_pow = fmax(own_pow, ulps(jm_pow(base, e), powl(base, e)));
    libm_pow = fmax(libm_pow, ulps(pow(base, e), powl(base, e)));
  }
  for (int i = 0; i < N; i++) {
    x[i] = between(0.1, 3.0);
    y[i] = between(-3.0, 3.0);
  }
#define PAIR(f, v) *(jm_v##v*)(out + i) = jm_##f##_v##v(*(jm_v##v*)(x + i), *(jm_v##v*)(y + i))
  TIME(t[0], for (int i = 0; i < N; i++) out[i] = pow(x[i], y[i]););
  TIME(t[1], for (int i = 0; i < N; i++) out[i] = jm_pow(x[i], y[i]););
  TIME(t[2], for (int i = 0; i < N; i += 4) PAIR(pow, 4););
  TIME(t[3], for (int i = 0; i < N; i += 8) PAIR(pow, 8););
  put("pow", own_pow, libm_pow, t);
  TIME(t[0], for (int i = 0; i < N; i++) out[i] = atan2(x[i], y[i]););
  TIME(t[1], for (int i = 0; i < N; i++) out[i] = jm_atan2(x[i], y[i]););
  TIME(t[2], for (int i = 0; i < N; i += 4) PAIR(atan2, 4););
  TIME(t[3], for (int i = 0; i < N; i += 8) PAIR(atan2, 8););
  put("atan2", own, libm, t);
  for (int i = 0; i < N; i++)
    x[i] = between(-0.7, 0.7);
  double s[2];
  TIME(
      t[0], for (int i = 0; i < N; i++) {
        sincos(x[i], s, s + 1);
        out[i] = s[0] + s[1];
      });
  TIME(
      t[1], for (int i = 0; i < N; i++) {
        jm_sincos(x[i], s, s + 1);
        out[i] = s[0] + s[1];
      });
  TIME(
      t[2], for (int i = 0; i < N; i += 4) {
        jm_v4 a, b;
        jm_sincos_v4(*(jm_v4*)(x + i), &a, &b);
        *(jm_v4*)(out + i) = a + b;
      });
  TIME(
      t[3], for (int i = 0; i < N; i += 8) {
        jm_v8 a, b;
        jm_sincos_v8(*(jm_v8*)(x + i), &a, &b);
        *(jm_v8*)(out + i) = a + b;
      });
  printf("| both  | | | %.1f | %.1f | %.1f | %.1f |\n", t[0], t[1], t[2], t[3]);
}

int main(int argc, char** argv) {
  int count = argc > 1 ? atoi(argv[1]) : 200000;
  count *= KINDS;
  printf("| function | largest error [ulp] | libm | ns, libm | single | 4 lanes | 8 lanes |\n");
  printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
  MEASURE_1(sin, 1e5, -3.0, 3.0);
  MEASURE_1(cos, 1e5, -3.0, 3.0);
  MEASURE_1(tan, 1e5, -3.0, 3.0);
  MEASURE_1(asin, 1.0, -1.0, 1.0);
  MEASURE_1(acos, 1.0, -1.0, 1.0);
  MEASURE_1(atan, 1e17, -3.0, 3.0);
  MEASURE_1(exp, 740.0, -3.0, 3.0);
  MEASURE_1(log, 1e17, 0.1, 3.0);
  MEASURE_1(sinh, 710.0, -3.0, 3.0);
  MEASURE_1(cosh, 710.0, -3.0, 3.0);
  MEASURE_1(tanh, 22.0, -3.0, 3.0);
  measure_pairs(count);
  return 0;
}
