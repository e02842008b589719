// SPDX-License-Identifier: Apache-2.0
// Elementary functions of our own: the same bits in the interpreter, in compiled equations and in exports, on any
// machine, with any compiler and C library. docs/theory/expressions.md says how they compute and how exact they are.
//
// One text for all. It stands in the library (base/elementary.c) and at the head of emitted C, once for single
// values and once for every width of vectors in use:
//
//   #define JM_WIDTH 4
//   #include "base/elementary_text.h"     jm_sin_v4 and so on, on jm_v4, a vector of 4 doubles
//
// JM_WIDTH 1, or none, gives jm_sin and so on, on double, which must come first. Nothing but + - * / sqrt, integers
// and choices is used: no fused operations, no tables looked up by value, no function of the C library. Arguments
// that need more (huge ones, subnormals, what is not finite) are rare: vectors then go lane by lane through the
// function of single values, so that lanes give its bits by construction.
//
// Constants: tools/elementary.py. Roundings are to nearest, products must not be contracted into sums
// (-ffp-contract=off, and -std=c17 or the like), nor sums reordered.

#ifndef JM_ONCE
#define JM_ONCE

#include <math.h>

// Emitted code says what it needs: JM_SOME, and JM_NEEDS_<function> for every one of them.
#ifndef JM_SOME
#define JM_NEEDS_sin
#define JM_NEEDS_tan
#define JM_NEEDS_asin
#define JM_NEEDS_atan
#define JM_NEEDS_atan2
#define JM_NEEDS_exp
#define JM_NEEDS_sinh
#define JM_NEEDS_tanh
#define JM_NEEDS_log
#define JM_NEEDS_pow
#endif
#if defined(JM_NEEDS_sin) || defined(JM_NEEDS_cos)
#define JM_HAS_WAVES
#endif
#if defined(JM_NEEDS_asin) || defined(JM_NEEDS_acos)
#define JM_HAS_ARCS
#endif
#if defined(JM_NEEDS_sinh) || defined(JM_NEEDS_cosh)
#define JM_HAS_CATENARIES
#endif

// vectors are of gcc and clang; device code of CUDA has single values only
#if defined(__GNUC__) && !defined(__CUDACC__)
#define JM_HAS_VECTORS
#endif
// without effects: compilers may leave out and move calls
#if defined(__GNUC__)
#define JM_CONST       __attribute__((const, unused))
#define JM_USED_OR_NOT __attribute__((unused))
#else
#define JM_CONST
#define JM_USED_OR_NOT
#endif
// threads of a device go one way together, through one copy of each function: fetching code is what holds them back
#if defined(__CUDACC__)
#define JM_ONE_WAY
#define JM_FUNCTION static __device__ __noinline__
#define JM_INSIDE   static __device__ __forceinline__
#define JM_SELDOM   static __device__ __noinline__
#endif
#ifndef JM_FUNCTION
#define JM_FUNCTION static
#endif
#if defined(JM_INSIDE)
#elif defined(__GNUC__)
#define JM_INSIDE static inline __attribute__((always_inline, unused))
#define JM_SELDOM static __attribute__((noinline, cold, unused))
#else
#define JM_INSIDE static inline
#define JM_SELDOM static
#endif

// x + JM_MAGIC has round(x) in its last bits
#define JM_MAGIC      0x1.8p52
#define JM_MAGIC_BITS 0x4338000000000000LL
#define JM_SIGN       ((long long)(1ULL << 63))
#define JM_PI         0x1.921fb54442d18p+1
#define JM_PI_LOW     0x1.1a62633145c07p-53
#define JM_TAN_EIGHTH 0x1.a827999fcef32p-2
#define JM_LOG2_HIGH  0x1.62e42fefa2000p-1
#define JM_LOG2_LOW   0x1.9ef35793c7673p-41

#if defined(JM_HAS_VECTORS)
typedef double jm_v2 __attribute__((vector_size(16)));
typedef long long jm_i2 __attribute__((vector_size(16)));
#endif
typedef union jm_word {
  double x;
  long long i;
} jm_word;

JM_INSIDE long long jm_bits(double x) {
  const jm_word w = {x};
  return w.i;
}
JM_INSIDE double jm_of_bits(long long i) {
  jm_word w;
  w.i = i;
  return w.x;
}
// the first 26 bits: the product of two such heads is exact
JM_INSIDE double jm_head(double x) {
#if defined(JM_HAS_VECTORS)
  // without a detour through integer registers
  const jm_v2 v = {x, 0.0};
  return ((jm_v2)((jm_i2)v & (jm_i2){~0x7ffffffLL, 0}))[0];
#else
  return jm_of_bits(jm_bits(x) & ~0x7ffffffLL);
#endif
}
// 2^n, n = -1022 ... 1023
JM_INSIDE double jm_power(long long n) {
  return jm_of_bits((long long)(((unsigned long long)n + 1023) << 52));
}
JM_INSIDE int jm_is_finite(double x) {
  return fabs(x) < jm_of_bits(0x7ff0000000000000LL);
}

// Polynomials, in pieces: short chains of operations. z2 = z^2, z4 = z^4, z8 = z^8
#define JM_POLY2(z, a, b)           ((a) + (z) * (b))
#define JM_POLY4(z, z2, a, b, c, d) (JM_POLY2(z, a, b) + (z2)*JM_POLY2(z, c, d))
#define JM_SIN_POLY(z, z2, z4)                                                          \
  (JM_POLY4(z, z2, -0x1.5555555555555p-3, 0x1.1111111110bb3p-7, -0x1.a01a019e83e2fp-13, \
            0x1.71de3796c9a99p-19) +                                                    \
   (z4)*JM_POLY2(z, -0x1.ae600b3d9cb49p-26, 0x1.5e0b2d10529edp-33))
#define JM_COS_POLY(z, z2, z4)                                                          \
  (JM_POLY4(z, z2, 0x1.5555555555555p-5, -0x1.6c16c16c16967p-10, 0x1.a01a019f4ec90p-16, \
            -0x1.27e4fa17f651bp-22) +                                                   \
   (z4)*JM_POLY2(z, 0x1.1eeb69036c2e8p-29, -0x1.907db4622eaffp-37))
#define JM_ATAN_POLY(z, z2, z4)                                                              \
  ((JM_POLY4(z, z2, -0x1.5555555555555p-2, 0x1.99999999993a7p-3, -0x1.249249243a59ep-3,      \
             0x1.c71c7187aeee5p-4) +                                                         \
    (z4)*JM_POLY4(z, z2, -0x1.745d0b84896f5p-4, 0x1.3b126ac830bbdp-4, -0x1.10faddcf6a5ebp-4, \
                  0x1.dfecca06c4a49p-5)) +                                                   \
   ((z4) * (z4)) *                                                                           \
       (JM_POLY2(z, -0x1.a0b9a4f215f58p-5, 0x1.41ba2550845b6p-5) + (z2) * -0x1.3afc6842fa2a5p-6))
#define JM_ASIN_POLY(z, z2, z4)                                                              \
  (JM_POLY4(z, z2, 0x1.5555555555556p-3, 0x1.3333333332e3cp-4, 0x1.6db6db6e3f4c1p-5,         \
            0x1.f1c71c15d189bp-6) +                                                          \
   (z4) * (JM_POLY4(z, z2, 0x1.6e8bb2fa8a394p-6, 0x1.1c4d1a5732c8ep-6, 0x1.c9d2262adf1a8p-7, \
                    0x1.780879d4a50e2p-7) +                                                  \
           (z4) * (JM_POLY4(z, z2, 0x1.53005d16e53a9p-7, 0x1.5f67209238822p-8,               \
                            0x1.2145f93ea7d43p-6, -0x1.f37902742d0dbp-7) +                   \
                   (z4)*0x1.db761ef669b67p-6)))
#define JM_EXP_POLY(r, r2, r4, r8)                                                              \
  ((JM_POLY4(r, r2, 0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555558p-5, 0x1.11111111100dbp-7) + \
    (r4)*JM_POLY4(r, r2, 0x1.6c16c16c151fcp-10, 0x1.a01a01abe84bap-13, 0x1.a01a01acfacc0p-16,   \
                  0x1.71de0230beb99p-19)) +                                                     \
   (r8) *                                                                                       \
       (JM_POLY2(r, 0x1.27e4cccdeb2f7p-22, 0x1.af4deb0af45a9p-26) + (r2)*0x1.1f8b4c6b3c913p-29))
#define JM_LOG_POLY(z, z2, z4)                                                       \
  (JM_POLY4(z, z2, 0x1.5555555555558p-1, 0x1.9999999995218p-2, 0x1.2492492e05210p-2, \
            0x1.c71c62cea98a6p-3) +                                                  \
   (z4) * (JM_POLY2(z, 0x1.7462ba9b1f690p-3, 0x1.39fdaa578d824p-3) + (z2)*0x1.2b60775512323p-3))
#define JM_POW_POLY(z, z2, z4)                                                            \
  (JM_POLY4(z, z2, 0x1.999999999999ap-2, 0x1.2492492492523p-2, 0x1.c71c71c6ea329p-3,      \
            0x1.745d177aeebd6p-3) +                                                       \
   (z4)*JM_POLY4(z, z2, 0x1.3b1395b02d732p-3, 0x1.1118ce8c9dc2cp-3, 0x1.df7b7d5e46a29p-4, \
                 0x1.e03b1b37a2dc8p-4))

#define JM_JOIN_AGAIN(name, width)   jm_##name##_v##width
#define JM_JOIN(name, width)         JM_JOIN_AGAIN(name, width)
#define JM_TYPE_AGAIN(letter, width) jm_##letter##width
#define JM_TYPE(letter, width)       JM_TYPE_AGAIN(letter, width)
// the same in all lanes
#define jm_all2(x)  ((jm_v2){x, x})
#define jm_all4(x)  ((jm_v4){x, x, x, x})
#define jm_all8(x)  ((jm_v8){x, x, x, x, x, x, x, x})
#define jm_all16(x) ((jm_v16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x})

// x = m pi/2 + (r + low), m in the last bits of n; pi/2 in parts of 33, 33 and 53 bits, so that the products with m
// are exact or small. Good for |x| < 2^18, and r not as small as to be made of what is left out: JM_TURN_IS_RARE.
#define JM_TURN(x)                                                        \
  const JM_REAL turns = (x)*0x1.45f306dc9c883p-1 + JM_MAGIC;              \
  const JM_REAL m = turns - JM_MAGIC;                                     \
  const JM_REAL first = (x)-m * 0x1.921fb54400000p+0;                     \
  const JM_REAL second = m * 0x1.0b4611a600000p-34;                       \
  const JM_REAL r = first - second;                                       \
  const JM_REAL low = ((first - r) - second) - m * 0x1.3198a2e037073p-69; \
  const JM_INT n = JM_BITS(turns)
#define JM_TURN_IS_RARE(x) \
  (JM_NOT(JM_TEST(JM_ABS(x) < 262144.0)) | JM_TEST(JM_ABS(r) < JM_ABS(m) * 0x1p-40))
// sine and cosine of r + low; the first as r + sine_rest, the second as one + cosine_rest
#define JM_WAVE                                                           \
  const JM_REAL z = r * r;                                                \
  const JM_REAL z2 = z * z;                                               \
  const JM_REAL z4 = z2 * z2;                                             \
  const JM_REAL half = 0.5 * z;                                           \
  const JM_REAL one = 1.0 - half;                                         \
  const JM_REAL sine_rest = low * one + (r * z) * JM_SIN_POLY(z, z2, z4); \
  const JM_REAL cosine_rest = ((1.0 - one) - half) + (z2 * JM_COS_POLY(z, z2, z4) - r * low)
// -0 has the sine -0
#define JM_SINE(x)       JM_PICK(JM_TEST(JM_ABS(x) < 0x1p-27), x, r + sine_rest)
#define JM_SINE_OF(s, c) JM_FLIP(JM_PICK(JM_TEST((n & 1) != 0), c, s), JM_SHIFT_LEFT(n & 2, 62))
#define JM_COSINE_OF(s, c) \
  JM_FLIP(JM_PICK(JM_TEST((n & 1) != 0), s, c), JM_SHIFT_LEFT(JM_MORE(n, 1) & 2, 62))

// Angles below pi/4 need no reduction: the same operations with m = 0. Only single values of a host branch.
#define JM_SMALL_TURN 0.785
#define JM_SMALL_WAVE      \
  const double z = x * x;  \
  const double z2 = z * z; \
  const double z4 = z2 * z2
#define JM_SMALL_SINE (x + (x * z) * JM_SIN_POLY(z, z2, z4))
#define JM_SMALL_COSINE(half, one) \
  ((one) + (((1.0 - (one)) - (half)) + z2 * JM_COS_POLY(z, z2, z4)))

// t = a/b as t_head + t_low, with what a and b lack; b must not be near the ends of the range
#define JM_DIVIDE(t, a, a_low, b, b_low)                                                   \
  const JM_REAL t##_inverse = 1.0 / (b);                                                   \
  const JM_REAL t = (a)*t##_inverse;                                                       \
  const JM_REAL t##_head = JM_HEAD(t);                                                     \
  const JM_REAL t##_b = JM_HEAD(b);                                                        \
  const JM_REAL t##_low =                                                                  \
      ((((a)-t##_head * t##_b) - t##_head * ((b)-t##_b)) + ((a_low)-t##_head * (b_low))) * \
      t##_inverse

// x = n log 2 + (r + low), and bow = exp(r) - 1 - r; 2^n is left to do
#define JM_SCALE(x, x_low)                                    \
  const JM_REAL powers = (x)*0x1.71547652b82fep+0 + JM_MAGIC; \
  const JM_REAL m = powers - JM_MAGIC;                        \
  const JM_REAL first = (x)-m * JM_LOG2_HIGH;                 \
  const JM_REAL second = m * JM_LOG2_LOW - (x_low);           \
  const JM_REAL r = first - second;                           \
  const JM_REAL low = (first - r) - second;                   \
  const JM_REAL r2 = r * r;                                   \
  const JM_REAL r4 = r2 * r2;                                 \
  const JM_REAL r8 = r4 * r4;                                 \
  const JM_REAL bow = r2 * JM_EXP_POLY(r, r2, r4, r8);        \
  const JM_INT n = JM_LESS(JM_BITS(powers), JM_MAGIC_BITS)
// exp(r + low)
#define JM_GROWTH(g)                 \
  const JM_REAL g##_first = 1.0 + r; \
  const JM_REAL g = g##_first + ((((1.0 - g##_first) + r) + low) + bow)
// exp(|x|) - 1 = excess + excess_low, for n >= 0
#define JM_EXCESS                                      \
  const JM_REAL scale = JM_POWER(n);                   \
  const JM_REAL q = bow + low;                         \
  const JM_REAL inner = r + q;                         \
  const JM_REAL inner_low = ((r - inner) + q) * scale; \
  const JM_REAL body = inner * scale;                  \
  const JM_REAL less = scale - 1.0;                    \
  const JM_REAL excess = less + body;                  \
  const JM_REAL excess_low = ((less - excess) + body) + (inner_low + ((scale - less) - 1.0))

// x = 2^e f with f in sqrt(1/2) ... sqrt(2); f - 1 and e - 1023
#define JM_MANTISSA(x)                                                                          \
  const JM_INT word = JM_BITS(x);                                                               \
  const JM_INT biased =                                                                         \
      JM_SHIFT_RIGHT(JM_MORE(word, 0x3ff0000000000000LL - 0x3fe6a09e667f3bcdLL), 52);           \
  const JM_REAL f = JM_OF_BITS(JM_MINUS(word, JM_SHIFT_LEFT(JM_LESS(biased, 1023), 52))) - 1.0; \
  const JM_REAL e = JM_OF_BITS(biased | 0x4330000000000000LL) - (0x1p52 + 1023.0)
// log x = whole + whole_low, to about 2^-65, with `more` powers of two: 2 s + 2/3 s^3 + ..., the cube in two parts
#define JM_LOG_LONG(x, more)                                                             \
  JM_MANTISSA(x);                                                                        \
  const JM_REAL sum = 2.0 + f;                                                           \
  const JM_REAL sum_low = f - (sum - 2.0);                                               \
  JM_DIVIDE(s, f, 0.0, sum, sum_low);                                                    \
  const JM_REAL square = s_head * s_head;                                                \
  const JM_REAL square_low = s_low * (s_head + s);                                       \
  const JM_REAL z = square + square_low;                                                 \
  const JM_REAL z2 = z * z;                                                              \
  const JM_REAL z4 = z2 * z2;                                                            \
  const JM_REAL tail = z2 * JM_POW_POLY(z, z2, z4);                                      \
  const JM_REAL square_head = JM_HEAD(square);                                           \
  const JM_REAL square_tail = (square - square_head) + square_low;                       \
  const JM_REAL w = square_head * 0x1.5555550000000p-1;                                  \
  const JM_REAL w_low =                                                                  \
      (square_head * 0x1.5555555555555p-27 + square_tail * 0x1.5555555555555p-1) + tail; \
  const JM_REAL w_head = JM_HEAD(w);                                                     \
  const JM_REAL w_tail = (w - w_head) + w_low;                                           \
  const JM_REAL cube = s_head * w_head;                                                  \
  const JM_REAL twice = 2.0 * s_head;                                                    \
  const JM_REAL part = twice + cube;                                                     \
  const JM_REAL part_low =                                                               \
      (((twice - part) + cube) + 2.0 * s_low) + (s_head * w_tail + s_low * (w + w_low)); \
  const JM_REAL powers_of_two = e + (more);                                              \
  const JM_REAL big = powers_of_two * JM_LOG2_HIGH;                                      \
  const JM_REAL most = big + part;                                                       \
  const JM_REAL rest = (((big - most) + part) + powers_of_two * JM_LOG2_LOW) + part_low; \
  const JM_REAL whole = most + rest;                                                     \
  const JM_REAL whole_low = (most - whole) + rest
// y (whole + whole_low) = product + product_low
#define JM_TIMES_LOG(y)                                        \
  const JM_REAL y_head = JM_HEAD(y);                           \
  const JM_REAL y_tail = (y)-y_head;                           \
  const JM_REAL whole_head = JM_HEAD(whole);                   \
  const JM_REAL whole_tail = (whole - whole_head) + whole_low; \
  const JM_REAL product = y_head * whole_head;                 \
  const JM_REAL product_low = y_head * whole_tail + y_tail * whole

// The angle of a/b, 0 <= a <= b, as angle + angle_low: a/b, or pi/4 and (a - b)/(a + b)
#define JM_ANGLE(a, b)                                                                \
  const JM_MASK is_wide = JM_TEST((a) > JM_TAN_EIGHTH * (b));                         \
  const JM_REAL difference = (a) - (b);                                               \
  const JM_REAL total = (b) + (a);                                                    \
  const JM_REAL above = JM_PICK(is_wide, difference, (a));                            \
  const JM_REAL above_low = JM_PICK(is_wide, (a) - (difference + (b)), JM_ALL(0.0));  \
  const JM_REAL below = JM_PICK(is_wide, total, (b));                                 \
  const JM_REAL below_low = JM_PICK(is_wide, (a) - (total - (b)), JM_ALL(0.0));       \
  JM_DIVIDE(t, above, above_low, below, below_low);                                   \
  const JM_REAL z = t * t;                                                            \
  const JM_REAL z2 = z * z;                                                           \
  const JM_REAL z4 = z2 * z2;                                                         \
  const JM_REAL bend = (t * z) * JM_ATAN_POLY(z, z2, z4);                             \
  const JM_REAL eighth = JM_PICK(is_wide, JM_ALL(0.25 * JM_PI), JM_ALL(0.0));         \
  const JM_REAL eighth_low = JM_PICK(is_wide, JM_ALL(0.25 * JM_PI_LOW), JM_ALL(0.0)); \
  const JM_REAL angle = eighth + t_head;                                              \
  const JM_REAL angle_low = (t_head - (angle - eighth)) + (t_low + (bend + eighth_low))
// base + base_low + sign (angle + angle_low)
#define JM_TURNED(base, base_low, sign, result) \
  const JM_REAL turned = JM_FLIP(angle, sign);  \
  const JM_REAL turned_sum = (base) + turned;   \
  const JM_REAL result =                        \
      turned_sum + ((turned - (turned_sum - (base))) + ((base_low) + JM_FLIP(angle_low, sign)))
#endif

#ifndef JM_WIDTH
#define JM_WIDTH 1
#endif
#undef JM
#undef JM_REAL
#undef JM_INT
#undef JM_MASK
#undef JM_ABS
#undef JM_HEAD
#undef JM_SIGNED
#undef JM_BITS
#undef JM_OF_BITS
#undef JM_TEST
#undef JM_NOT
#undef JM_PICK
#undef JM_MORE
#undef JM_LESS
#undef JM_MINUS
#undef JM_SHIFT_LEFT
#undef JM_SHIFT_RIGHT
#undef JM_ALL
#undef JM_SIGN_IF
#undef JM_ANY
#undef JM_SQRT
#undef JM_EACH_1
#undef JM_EACH_2
// integers wrap: sums and shifts are those of unsigned numbers, by a constant k or lane by lane
#if JM_WIDTH == 1
#define JM(name)                 jm_##name
#define JM_REAL                  double
#define JM_INT                   long long
#define JM_MASK                  int
#define JM_ABS(x)                fabs(x)
#define JM_HEAD(x)               jm_head(x)
#define JM_SIGNED(a, x)          copysign(a, x)
#define JM_BITS(x)               jm_bits(x)
#define JM_OF_BITS(i)            jm_of_bits(i)
#define JM_TEST(condition)       ((int)(condition))
#define JM_NOT(mask)             ((int)!(mask))
#define JM_PICK(mask, a, b)      ((mask) ? (a) : (b))
#define JM_MORE(i, k)            ((long long)((unsigned long long)(i) + (unsigned long long)(k)))
#define JM_LESS(i, k)            ((long long)((unsigned long long)(i) - (unsigned long long)(k)))
#define JM_MINUS(i, j)           JM_LESS(i, j)
#define JM_SHIFT_LEFT(i, count)  ((long long)((unsigned long long)(i) << (count)))
#define JM_SHIFT_RIGHT(i, count) ((i) >> (count))
#define JM_ALL(x)                (x)
#define JM_SIGN_IF(mask)         ((mask) ? JM_SIGN : 0)
#define JM_ANY(mask)             (mask)
#define JM_SQRT(x)               sqrt(x)
#define JM_EACH_1(name)
#define JM_EACH_2(name)
#else
#define JM(name)                 JM_JOIN(name, JM_WIDTH)
#define JM_REAL                  JM_TYPE(v, JM_WIDTH)
#define JM_INT                   JM_TYPE(i, JM_WIDTH)
#define JM_MASK                  JM_INT
#define JM_ABS(x)                JM_OF_BITS(JM_BITS(x) & ~JM_SIGN)
#define JM_HEAD(x)               JM_OF_BITS(JM_BITS(x) & ~0x7ffffffLL)
#define JM_SIGNED(a, x)          JM_OF_BITS(JM_BITS(a) | (JM_BITS(x) & JM_SIGN))
#define JM_BITS(x)               ((JM_INT)(x))
#define JM_OF_BITS(i)            ((JM_REAL)(i))
#define JM_TEST(condition)       ((JM_INT)(condition))
#define JM_NOT(mask)             (~(mask))
#define JM_PICK(mask, a, b)      JM(pick)(mask, a, b)
#define JM_MORE(i, k)            ((JM_INT)((JM_TYPE(u, JM_WIDTH))(i) + (unsigned long long)(k)))
#define JM_LESS(i, k)            ((JM_INT)((JM_TYPE(u, JM_WIDTH))(i) - (unsigned long long)(k)))
#define JM_MINUS(i, j)           ((JM_INT)((JM_TYPE(u, JM_WIDTH))(i) - (JM_TYPE(u, JM_WIDTH))(j)))
#define JM_SHIFT_LEFT(i, count)  ((JM_INT)((JM_TYPE(u, JM_WIDTH))(i) << (count)))
#define JM_SHIFT_RIGHT(i, count) ((JM_INT)((JM_TYPE(u, JM_WIDTH))(i) >> (count)))
#define JM_ALL(x)                JM_TYPE(all, JM_WIDTH)(x)
#define JM_SIGN_IF(mask)         ((mask)&JM_SIGN)
#define JM_ANY(mask)             JM(any)(mask)
#define JM_SQRT(x)               JM(sqrt)(x)
// rare arguments in some lane: all of them one by one
#define JM_EACH_1(name)                            \
  JM_SELDOM JM_REAL JM(name##_seldom)(JM_REAL x) { \
    for (int lane = 0; lane < JM_WIDTH; lane++)    \
      x[lane] = jm_##name(x[lane]);                \
    return x;                                      \
  }
#define JM_EACH_2(name)                                       \
  JM_SELDOM JM_REAL JM(name##_seldom)(JM_REAL x, JM_REAL y) { \
    for (int lane = 0; lane < JM_WIDTH; lane++)               \
      x[lane] = jm_##name(x[lane], y[lane]);                  \
    return x;                                                 \
  }

typedef double JM_REAL __attribute__((vector_size(8 * JM_WIDTH)));
typedef long long JM_INT __attribute__((vector_size(8 * JM_WIDTH)));
typedef unsigned long long JM_TYPE(u, JM_WIDTH) __attribute__((vector_size(8 * JM_WIDTH)));

JM_INSIDE JM_REAL JM(pick)(JM_INT mask, JM_REAL a, JM_REAL b) {
  return (JM_REAL)((mask & (JM_INT)a) | (~mask & (JM_INT)b));
}
JM_INSIDE int JM(any)(JM_INT mask) {
  long long all = mask[0];
  for (int lane = 1; lane < JM_WIDTH; lane++)
    all |= mask[lane];
  return all != 0;
}
JM_INSIDE JM_REAL JM(sqrt)(JM_REAL x) {
  for (int lane = 0; lane < JM_WIDTH; lane++)
    x[lane] = sqrt(x[lane]);
  return x;
}
#endif
#define JM_FLIP(x, sign) JM_OF_BITS(JM_BITS(x) ^ (sign))
#define JM_POWER(n)      JM_OF_BITS(JM_SHIFT_LEFT(JM_MORE(n, 1023), 52))

// ---- sine, cosine, tangent

#if defined(JM_HAS_WAVES) || defined(JM_NEEDS_tan)
#if JM_WIDTH == 1
// 64 bits of a long number below bit `end`; words have 32 bits, the least first
JM_INSIDE unsigned long long jm_cut(const unsigned* word, int end) {
  const int first = end - 64;
  const int k = first / 32;
  const int shift = first % 32;
  const unsigned long long low = word[k] | (unsigned long long)word[k + 1] << 32;
  return shift == 0 ? low : low >> shift | (unsigned long long)word[k + 2] << (64 - shift);
}

// Any x to r + low = x - n pi/2, with as many bits of 2/pi as it takes: those whose product with x is a multiple of 4
// are left out, those below 2^-137 are not needed.
JM_SELDOM int jm_turn(double x, double* r, double* low) {
  static const unsigned two_over_pi[] = {
      0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
      0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
      0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu,
      0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u,
      0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
      0x1f8d5d08u, 0x56033046u, 0xfc7b6babu};
  enum { WORDS = 7 };
  const long long bits = jm_bits(x) & ~JM_SIGN;
  const int exponent = (int)(bits >> 52) - 1075;
  const unsigned long long mantissa =
      ((unsigned long long)bits & 0xfffffffffffffULL) | 0x10000000000000ULL;
  const int first = exponent >= 2 ? (exponent - 2) / 32 : 0;
  // product, the least word first
  unsigned product[WORDS + 4] = {0};
  for (int i = 0; i < WORDS; i++) {
    const unsigned long long w = two_over_pi[first + WORDS - 1 - i];
    const unsigned long long a = (mantissa & 0xffffffffULL) * w + product[i];
    const unsigned long long b = (mantissa >> 32) * w + product[i + 1] + (a >> 32);
    product[i] = (unsigned)a;
    product[i + 1] = (unsigned)b;
    product[i + 2] = (unsigned)(b >> 32);
  }
  // n and 128 bits of the fraction behind it
  const int point = 32 * (first + WORDS) - exponent;
  int n = (int)(jm_cut(product, point + 2) >> 62);
  unsigned long long high = jm_cut(product, point);
  unsigned long long next = jm_cut(product, point - 64);
  int is_negative = high >> 63 != 0;
  if (is_negative) {
    n++;
    next = ~next + 1;
    high = ~high + (next == 0);
  }
  // to two doubles, from pieces of 48, 48 and 32 bits
  const double a = (double)(high >> 16) * 0x1p-48;
  const double b = (double)((high & 0xffff) << 32 | next >> 32) * 0x1p-96;
  const double c = (double)(next & 0xffffffff) * 0x1p-128;
  const double sum = a + b;
  const double sum_low = ((a - sum) + b) + c;
  const double whole = sum + sum_low;
  const double whole_low = (sum - whole) + sum_low;
  // times pi/2
  const double head = jm_head(whole);
  const double tail = (whole - head) + whole_low;
  const double pi_head = jm_head(0.5 * JM_PI);
  const double pi_tail = (0.5 * JM_PI - pi_head) + 0.5 * JM_PI_LOW;
  const double p = head * pi_head;
  const double p_low = head * pi_tail + tail * (0.5 * JM_PI);
  const double angle = p + p_low;
  if (jm_bits(x) < 0) is_negative = !is_negative;
  *r = is_negative ? -angle : angle;
  *low = is_negative ? (angle - p) - p_low : (p - angle) + p_low;
  return jm_bits(x) < 0 ? -n : n;
}

#endif
#endif

#ifdef JM_HAS_WAVES
#if JM_WIDTH == 1
JM_SELDOM void jm_sincos_seldom(double x, double* sine, double* cosine) {
  double r;
  double low;
  if (!jm_is_finite(x)) {
    *sine = *cosine = x - x;
    return;
  }
  const long long n = jm_turn(x, &r, &low);
  JM_WAVE;
  const double s = r + sine_rest;
  const double c = one + cosine_rest;
  *sine = JM_SINE_OF(s, c);
  *cosine = JM_COSINE_OF(s, c);
}
JM_SELDOM double jm_sin_seldom(double x) {
  double s;
  double c;
  jm_sincos_seldom(x, &s, &c);
  return s;
}
JM_SELDOM double jm_cos_seldom(double x) {
  double s;
  double c;
  jm_sincos_seldom(x, &s, &c);
  return c;
}
#endif
JM_EACH_1(sin)
JM_EACH_1(cos)

JM_FUNCTION JM_CONST JM_REAL JM(sin)(JM_REAL x) {
#if JM_WIDTH == 1 && !defined(JM_ONE_WAY)
  if (fabs(x) < JM_SMALL_TURN) {
    if (fabs(x) < 0x1p-27) return x;
    JM_SMALL_WAVE;
    return JM_SMALL_SINE;
  }
#endif
  JM_TURN(x);
  if (JM_ANY(JM_TURN_IS_RARE(x))) return JM(sin_seldom)(x);
  JM_WAVE;
  const JM_REAL s = JM_SINE(x);
  const JM_REAL c = one + cosine_rest;
  return JM_SINE_OF(s, c);
}

JM_FUNCTION JM_CONST JM_REAL JM(cos)(JM_REAL x) {
#if JM_WIDTH == 1 && !defined(JM_ONE_WAY)
  if (fabs(x) < JM_SMALL_TURN) {
    JM_SMALL_WAVE;
    const double half = 0.5 * z;
    const double one = 1.0 - half;
    return JM_SMALL_COSINE(half, one);
  }
#endif
  JM_TURN(x);
  if (JM_ANY(JM_TURN_IS_RARE(x))) return JM(cos_seldom)(x);
  JM_WAVE;
  const JM_REAL s = JM_SINE(x);
  const JM_REAL c = one + cosine_rest;
  return JM_COSINE_OF(s, c);
}

#if JM_WIDTH != 1
JM_SELDOM void JM(sincos_seldom)(JM_REAL x, JM_REAL* sine, JM_REAL* cosine) {
  *sine = JM(sin_seldom)(x);
  *cosine = JM(cos_seldom)(x);
}
#endif
// both at once
#if defined(__CUDACC__)
JM_INSIDE void jm_sincos_inside(double x, double* sine, double* cosine) {
#else
JM_FUNCTION JM_USED_OR_NOT void JM(sincos)(JM_REAL x, JM_REAL* sine, JM_REAL* cosine) {
#endif
#if JM_WIDTH == 1 && !defined(JM_ONE_WAY)
  if (fabs(x) < JM_SMALL_TURN) {
    JM_SMALL_WAVE;
    const double half = 0.5 * z;
    const double one = 1.0 - half;
    *sine = fabs(x) < 0x1p-27 ? x : JM_SMALL_SINE;
    *cosine = JM_SMALL_COSINE(half, one);
    return;
  }
#endif
  JM_TURN(x);
  if (JM_ANY(JM_TURN_IS_RARE(x))) {
    JM(sincos_seldom)(x, sine, cosine);
    return;
  }
  JM_WAVE;
  const JM_REAL s = JM_SINE(x);
  const JM_REAL c = one + cosine_rest;
  *sine = JM_SINE_OF(s, c);
  *cosine = JM_COSINE_OF(s, c);
}
#if defined(__CUDACC__)
JM_FUNCTION double2 jm_sincos_both(double x) {  // in registers
  double2 both;
  jm_sincos_inside(x, &both.x, &both.y);
  return both;
}
JM_INSIDE void jm_sincos(double x, double* sine, double* cosine) {
  const double2 both = jm_sincos_both(x);
  *sine = both.x;
  *cosine = both.y;
}
#endif
#endif

#ifdef JM_NEEDS_tan
#ifndef JM_TANGENT
// sin/cos or -cos/sin of r
#define JM_TANGENT                                         \
  JM_WAVE;                                                 \
  const JM_REAL s = r + sine_rest;                         \
  const JM_REAL s_low = (r - s) + sine_rest;               \
  const JM_REAL c = one + cosine_rest;                     \
  const JM_REAL c_low = (one - c) + cosine_rest;           \
  const JM_MASK is_odd = JM_TEST((n & 1) != 0);            \
  const JM_REAL above = JM_PICK(is_odd, c, s);             \
  const JM_REAL above_low = JM_PICK(is_odd, c_low, s_low); \
  const JM_REAL below = JM_PICK(is_odd, s, c);             \
  const JM_REAL below_low = JM_PICK(is_odd, s_low, c_low); \
  JM_DIVIDE(t, above, above_low, below, below_low);        \
  const JM_REAL tangent = JM_FLIP(t_head + t_low, JM_SHIFT_LEFT(n & 1, 63))
#endif
#if JM_WIDTH == 1
JM_SELDOM double jm_tan_seldom(double x) {
  if (!jm_is_finite(x)) return x - x;
  double r;
  double low;
  const long long n = jm_turn(x, &r, &low);
  JM_TANGENT;
  return tangent;
}
#endif
JM_EACH_1(tan)
JM_FUNCTION JM_CONST JM_REAL JM(tan)(JM_REAL x) {
  JM_TURN(x);
  if (JM_ANY(JM_TURN_IS_RARE(x))) return JM(tan_seldom)(x);
  JM_TANGENT;
  return JM_PICK(JM_TEST(JM_ABS(x) < 0x1p-27), x, tangent);
}
#endif

// ---- angles

#ifdef JM_NEEDS_atan
// x; pi/4 + the angle of (x - 1)/(x + 1); pi/2 - the angle of 1/x: below tan(pi/8), below tan(3 pi/8), above
JM_FUNCTION JM_CONST JM_REAL JM(atan)(JM_REAL x) {
  const JM_REAL size = JM_ABS(x);
#if JM_WIDTH == 1
  double above, above_low = 0.0, below, below_low = 0.0, base, base_low;
  if (size <= JM_TAN_EIGHTH) {
    const double z = x * x;
    const double z2 = z * z;
    const double z4 = z2 * z2;
    return copysign(size + (size * z) * JM_ATAN_POLY(z, z2, z4), x);
  }
  if (size > 1.0 / JM_TAN_EIGHTH) {
    above = -1.0;
    below = size > 0x1p60 ? 0x1p60 : size;
    base = 0.5 * JM_PI;
    base_low = 0.5 * JM_PI_LOW;
  } else {
    above = size - 1.0;
    above_low = size - (above + 1.0);
    below = size + 1.0;
    below_low = size - (below - 1.0);
    base = 0.25 * JM_PI;
    base_low = 0.25 * JM_PI_LOW;
  }
#else
  const JM_MASK is_small = JM_TEST(size <= JM_TAN_EIGHTH);
  const JM_MASK is_large = JM_TEST(size > 1.0 / JM_TAN_EIGHTH);
  const JM_MASK is_plain = is_small | is_large;
  const JM_REAL within = JM_PICK(JM_TEST(size > 0x1p60), JM_ALL(0x1p60), size);
  const JM_REAL difference = size - 1.0;
  const JM_REAL total = size + 1.0;
  const JM_REAL above = JM_PICK(is_small, size, JM_PICK(is_large, JM_ALL(-1.0), difference));
  const JM_REAL above_low = JM_PICK(is_plain, JM_ALL(0.0), size - (difference + 1.0));
  const JM_REAL below = JM_PICK(is_small, JM_ALL(1.0), JM_PICK(is_large, within, total));
  const JM_REAL below_low = JM_PICK(is_plain, JM_ALL(0.0), size - (total - 1.0));
  const JM_REAL base = JM_PICK(is_large, JM_ALL(0.5 * JM_PI), JM_ALL(0.25 * JM_PI));
  const JM_REAL base_low = JM_PICK(is_large, JM_ALL(0.5 * JM_PI_LOW), JM_ALL(0.25 * JM_PI_LOW));
#endif
  JM_DIVIDE(t, above, above_low, below, below_low);
  const JM_REAL z = t * t;
  const JM_REAL z2 = z * z;
  const JM_REAL z4 = z2 * z2;
  const JM_REAL bend = (t * z) * JM_ATAN_POLY(z, z2, z4);
  const JM_REAL angle = base + t_head;
  const JM_REAL result = angle + ((t_head - (angle - base)) + (t_low + (bend + base_low)));
#if JM_WIDTH == 1
  return copysign(result, x);
#else
  return JM_SIGNED(JM_PICK(is_small, size + bend, result), x);
#endif
}
#endif

#ifdef JM_NEEDS_atan2
// y and x neither huge nor tiny, not both zero
JM_INSIDE JM_REAL JM(direction)(JM_REAL y, JM_REAL x) {
  const JM_REAL height = JM_ABS(y);
  const JM_REAL width = JM_ABS(x);
  const JM_INT sign = JM_BITS(y) & JM_SIGN;
  const JM_INT back = JM_BITS(x) & JM_SIGN;
  const JM_MASK is_steep = JM_TEST(height > width);
  const JM_REAL a = JM_PICK(is_steep, width, height);
  const JM_REAL b = JM_PICK(is_steep, height, width);
  JM_ANGLE(a, b);
  // 0 + angle, pi/2 - angle, pi/2 + angle or pi - angle
  const JM_MASK is_back = JM_TEST(back != 0);
  const JM_REAL flat = JM_PICK(is_back, JM_ALL(JM_PI), JM_ALL(0.0));
  const JM_REAL flat_low = JM_PICK(is_back, JM_ALL(JM_PI_LOW), JM_ALL(0.0));
  const JM_REAL base = JM_PICK(is_steep, JM_ALL(0.5 * JM_PI), flat);
  const JM_REAL base_low = JM_PICK(is_steep, JM_ALL(0.5 * JM_PI_LOW), flat_low);
  const JM_INT way = back ^ JM_SIGN_IF(is_steep);
  JM_TURNED(base, base_low, way, result);
  return JM_FLIP(result, sign);
}

#if JM_WIDTH == 1
JM_SELDOM double jm_atan2_seldom(double y, double x) {
  if (x != x || y != y) return x + y;
  double height = fabs(y);
  double width = fabs(x);
  const double one_x = jm_bits(x) < 0 ? -1.0 : 1.0;
  const double one_y = jm_bits(y) < 0 ? -1.0 : 1.0;
  if (!jm_is_finite(height) || !jm_is_finite(width)) {
    height = jm_is_finite(height) ? 0.0 : 1.0;
    width = jm_is_finite(width) ? 0.0 : 1.0;
  } else if (height == 0.0 && width == 0.0) {
    width = 1.0;
  } else if (height < width * 0x1p-80) {
    if (one_x > 0.0) return y / x;
    height = 0.0;
    width = 1.0;
  } else if (width < height * 0x1p-80) {
    width = 0.0;
    height = 1.0;
  } else {
    const double scale = height > 1.0 || width > 1.0 ? 0x1p-600 : 0x1p600;
    height *= scale;
    width *= scale;
  }
  return jm_direction(one_y * height, one_x * width);
}
#endif
JM_EACH_2(atan2)
JM_FUNCTION JM_CONST JM_REAL JM(atan2)(JM_REAL y, JM_REAL x) {
  const JM_REAL height = JM_ABS(y);
  const JM_REAL width = JM_ABS(x);
  const JM_MASK is_steep = JM_TEST(height > width);
  const JM_REAL a = JM_PICK(is_steep, width, height);
  const JM_REAL b = JM_PICK(is_steep, height, width);
  if (JM_ANY(JM_NOT(JM_TEST(b < 0x1p400)) | JM_NOT(JM_TEST(b > 0x1p-400)) |
             (JM_TEST(a < 0x1p-500) & JM_TEST(a != 0.0)))) {
    return JM(atan2_seldom)(y, x);
  }
  return JM(direction)(y, x);
}
#endif

#ifdef JM_HAS_ARCS
#ifndef JM_ARC
// asin: base - sign (root + rest)
#define JM_ARC(x)                                                                                \
  const JM_REAL size = JM_ABS(x);                                                                \
  const JM_MASK is_small = JM_TEST(size <= 0.5);                                                 \
  const JM_REAL z = JM_PICK(is_small, (x) * (x), 0.5 - 0.5 * size);                              \
  const JM_REAL root = JM_PICK(is_small, size, JM_SQRT(z));                                      \
  const JM_REAL root_head = JM_HEAD(root);                                                       \
  const JM_REAL root_low = JM_PICK(is_small, root - root_head,                                   \
                                   (z - root_head * root_head) / (root + root_head + 0x1p-900)); \
  const JM_REAL z2 = z * z;                                                                      \
  const JM_REAL z4 = z2 * z2;                                                                    \
  const JM_REAL bend = (root * z) * JM_ASIN_POLY(z, z2, z4)
#endif
JM_FUNCTION JM_CONST JM_REAL JM(asin)(JM_REAL x) {
  JM_ARC(x);
  const JM_REAL base = 0.5 * JM_PI - 2.0 * root_head;
  const JM_REAL base_low = ((0.5 * JM_PI - base) - 2.0 * root_head) + 0.5 * JM_PI_LOW;
  const JM_REAL large = base + (base_low - 2.0 * (root_low + bend));
  return JM_SIGNED(JM_PICK(is_small, size + bend, large), x);
}
JM_FUNCTION JM_CONST JM_REAL JM(acos)(JM_REAL x) {
  JM_ARC(x);
  // pi/2 - asin x; 2 asin sqrt((1 - x)/2); pi - 2 asin sqrt((1 + x)/2)
  const JM_INT sign = JM_BITS(x) & JM_SIGN;
  const JM_REAL far = JM_PICK(JM_TEST(sign != 0), JM_ALL(JM_PI), JM_ALL(0.0));
  const JM_REAL far_low = JM_PICK(JM_TEST(sign != 0), JM_ALL(JM_PI_LOW), JM_ALL(0.0));
  const JM_REAL base = JM_PICK(is_small, JM_ALL(0.5 * JM_PI), far);
  const JM_REAL base_low = JM_PICK(is_small, JM_ALL(0.5 * JM_PI_LOW), far_low);
  const JM_REAL times = JM_PICK(is_small, JM_ALL(-1.0), JM_ALL(2.0));
  const JM_REAL step = JM_FLIP(times * root_head, sign);
  const JM_REAL step_low = JM_FLIP(times * (root_low + bend), sign);
  const JM_REAL sum = base + step;
  return sum + ((step - (sum - base)) + (base_low + step_low));
}
#endif

// ---- exponentials

#if JM_WIDTH == 1
// 2^n g, in two steps: the first keeps g away from both ends of the range
JM_INSIDE double jm_grow(double g, long long n) {
  const long long half = n / 2;
  return g * jm_power(half) * jm_power(n - half);
}
// 2^more exp(x)
JM_SELDOM double jm_exp_scaled(double x, long long more) {
  if (x != x) return x;
  if (x > 1000.0) return x * 0x1p1023;
  if (x < -1000.0) return 0.0;
  JM_SCALE(x, 0.0);
  JM_GROWTH(g);
  return jm_grow(g, n + more);
}
#endif

#ifdef JM_NEEDS_exp
#if JM_WIDTH == 1
JM_SELDOM double jm_exp_seldom(double x) {
  return jm_exp_scaled(x, 0);
}
#endif
JM_EACH_1(exp)
JM_FUNCTION JM_CONST JM_REAL JM(exp)(JM_REAL x) {
  if (JM_ANY(JM_NOT(JM_TEST(JM_ABS(x) < 708.0)))) return JM(exp_seldom)(x);
  JM_SCALE(x, 0.0);
  JM_GROWTH(g);
  return g * JM_POWER(n);
}
#endif

#ifdef JM_NEEDS_tanh
// (exp(2 x) - 1)/(exp(2 x) + 1)
JM_FUNCTION JM_CONST JM_REAL JM(tanh)(JM_REAL x) {
  const JM_REAL size = JM_ABS(x);
#if JM_WIDTH == 1
  if (size > 22.0) return copysign(1.0, x);
  if (size < 0x1p-28) return x;
#endif
  const JM_REAL two = 2.0 * JM_PICK(JM_TEST(size > 22.0), JM_ALL(22.0), size);
  JM_SCALE(two, 0.0);
  JM_EXCESS;
  const JM_REAL more = scale + 1.0;
  const JM_REAL sum = more + body;
  const JM_REAL sum_low = ((more - sum) + body) + (inner_low + ((scale - more) + 1.0));
  JM_DIVIDE(t, excess, excess_low, sum, sum_low);
  const JM_REAL result = JM_SIGNED(t_head + t_low, x);
  return JM_PICK(JM_TEST(size < 0x1p-28), x, result);
}
#endif

#ifdef JM_HAS_CATENARIES
#if JM_WIDTH == 1
JM_SELDOM double jm_cosh_seldom(double x) {
  return jm_exp_scaled(fabs(x), -1);
}
JM_SELDOM double jm_sinh_seldom(double x) {
  const double big = jm_exp_scaled(fabs(x), -1);
  return jm_bits(x) < 0 ? -big : big;
}
#endif
JM_EACH_1(sinh)
JM_EACH_1(cosh)
// E = exp|x| - 1: (E + E/(E + 1))/2
JM_FUNCTION JM_CONST JM_REAL JM(sinh)(JM_REAL x) {
  const JM_REAL size = JM_ABS(x);
  if (JM_ANY(JM_NOT(JM_TEST(size < 708.0)))) return JM(sinh_seldom)(x);
  JM_SCALE(size, 0.0);
  JM_EXCESS;
  const JM_REAL sum = scale + body;
  const JM_REAL sum_low = ((scale - sum) + body) + inner_low;
  JM_DIVIDE(t, excess, excess_low, sum, sum_low);
  const JM_REAL both = excess + t_head;
  const JM_REAL both_low = ((excess - both) + t_head) + (excess_low + t_low);
  const JM_REAL result = JM_SIGNED(0.5 * (both + both_low), x);
  return JM_PICK(JM_TEST(size < 0x1p-28), x, result);
}

JM_FUNCTION JM_CONST JM_REAL JM(cosh)(JM_REAL x) {
  const JM_REAL size = JM_ABS(x);
  if (JM_ANY(JM_NOT(JM_TEST(size < 708.0)))) return JM(cosh_seldom)(x);
  JM_SCALE(size, 0.0);
  const JM_REAL scale = JM_POWER(n);
  const JM_REAL q = bow + low;
  const JM_REAL inner = r + q;
  const JM_REAL inner_low = ((r - inner) + q) * scale;
  const JM_REAL body = inner * scale;
  const JM_REAL sum = scale + body;
  const JM_REAL sum_low = ((scale - sum) + body) + inner_low;
  JM_DIVIDE(t, JM_ALL(1.0), 0.0, sum, sum_low);
  const JM_REAL both = sum + t_head;
  const JM_REAL both_low = ((sum - both) + t_head) + (sum_low + t_low);
  return 0.5 * (both + both_low);
}
#endif

// ---- logarithm and powers

#ifdef JM_NEEDS_log
#if JM_WIDTH == 1
JM_SELDOM double jm_log_seldom(double x);
#endif
JM_EACH_1(log)
JM_FUNCTION JM_CONST JM_REAL JM(log)(JM_REAL x) {
  if (JM_ANY(JM_NOT(JM_TEST(x >= 0x1p-1022)) | JM_TEST(x > 0x1.fffffffffffffp1023)))
    return JM(log_seldom)(x);
  JM_MANTISSA(x);
  const JM_REAL s = f / (2.0 + f);
  const JM_REAL z = s * s;
  const JM_REAL z2 = z * z;
  const JM_REAL z4 = z2 * z2;
  const JM_REAL half = 0.5 * f * f;
  const JM_REAL big = e * JM_LOG2_HIGH;
  const JM_REAL sum = big + f;
  const JM_REAL early = ((f - (sum - big)) + e * JM_LOG2_LOW) - half;
  const JM_REAL tail = z * JM_LOG_POLY(z, z2, z4);
  return sum + (early + s * (half + tail));
}
#if JM_WIDTH == 1
JM_SELDOM double jm_log_seldom(double x) {
  if (x != x || (x > 0.0 && !jm_is_finite(x))) return x;
  if (x < 0.0) return (x - x) / 0.0;
  if (x == 0.0) return -1.0 / 0.0;
  return jm_log(x * 0x1p54) - 54.0 * (JM_LOG2_HIGH + JM_LOG2_LOW);
}
#endif
#endif

#ifdef JM_NEEDS_pow
// exp(x + x_low)
JM_INSIDE JM_REAL JM(raise)(JM_REAL x, JM_REAL x_low) {
  JM_SCALE(x, x_low);
  JM_GROWTH(g);
  return g * JM_POWER(n);
}

#if JM_WIDTH == 1
JM_SELDOM double jm_raise_any(double x, double x_low) {
  JM_SCALE(x, x_low);
  JM_GROWTH(g);
  return jm_grow(g, n);
}
JM_SELDOM double jm_pow_seldom(double x, double y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (x != x || y != y) return x + y;
  const double size = fabs(x);
  const double infinity = 1.0 / 0.0;
  if (!jm_is_finite(y)) {
    if (size == 1.0) return 1.0;
    return (size > 1.0) == (y > 0.0) ? infinity : 0.0;
  }
  // whether y is an odd or an even integer; from 2^53 on all are even
  const double y_size = fabs(y);
  const int is_large = y_size >= 0x1p53;
  const long long whole_y = is_large ? 0 : (long long)y_size;
  const int is_integer = is_large || (double)whole_y == y_size;
  const double sign = jm_bits(x) < 0 && is_integer && (whole_y & 1) != 0 ? -1.0 : 1.0;
  if (size == 0.0 || !jm_is_finite(size)) {
    return (size == 0.0) == (y > 0.0) ? sign * 0.0 : sign * infinity;
  }
  if (x < 0.0 && !is_integer) return (x - x) / 0.0;
  if (size == 1.0) return sign;
  // beyond any double, too
  const double power = y_size > 0x1p70 ? (y > 0.0 ? 0x1p70 : -0x1p70) : y;
  const int is_subnormal = size < 0x1p-1022;
  const double base = is_subnormal ? size * 0x1p54 : size;
  JM_LOG_LONG(base, is_subnormal ? -54.0 : 0.0);
  JM_TIMES_LOG(power);
  if (product > 1000.0) return sign * infinity;
  if (product < -1000.0) return sign * 0.0;
  return sign * jm_raise_any(product, product_low);
}
#endif
JM_EACH_2(pow)
JM_FUNCTION JM_CONST JM_REAL JM(pow)(JM_REAL x, JM_REAL y) {
  JM_LOG_LONG(x, 0.0);
  JM_TIMES_LOG(y);
  if (JM_ANY(JM_NOT(JM_TEST(x >= 0x1p-1022)) | JM_TEST(x > 0x1.fffffffffffffp1023) |
             JM_NOT(JM_TEST(JM_ABS(product) < 708.0))))
    return JM(pow_seldom)(x, y);
  return JM(raise)(product, product_low);
}
#endif
#undef JM_WIDTH
