// SPDX-License-Identifier: Apache-2.0
// Arithmetic with short names, so that the files of the Magic Formula read as its equations.
#ifndef JELEMENT_MAGIC_MATH_H
#define JELEMENT_MAGIC_MATH_H

#include "element/tyre/magic_formula.h"

typedef const jelement_magic tyre;

#define C(name)     (m->c[JTIR_##name])
#define ANGLE_WIDTH 1e-4  // of camber, where signs are smooth [rad]

static inline jexpr_ref num(tyre* m, double x) {
  return jexpr_const(m->g, x);
}
static inline jexpr_ref sum(tyre* m, jexpr_ref a, jexpr_ref b) {
  return jexpr_add(m->g, a, b);
}
static inline jexpr_ref dif(tyre* m, jexpr_ref a, jexpr_ref b) {
  return jexpr_sub(m->g, a, b);
}
static inline jexpr_ref mul(tyre* m, jexpr_ref a, jexpr_ref b) {
  return jexpr_mul(m->g, a, b);
}
static inline jexpr_ref mul3(tyre* m, jexpr_ref a, jexpr_ref b, jexpr_ref c) {
  return mul(m, mul(m, a, b), c);
}
static inline jexpr_ref mul4(tyre* m, jexpr_ref a, jexpr_ref b, jexpr_ref c, jexpr_ref d) {
  return mul(m, mul3(m, a, b, c), d);
}
static inline jexpr_ref quo(tyre* m, jexpr_ref a, jexpr_ref b) {
  return jexpr_div(m->g, a, b);
}
static inline jexpr_ref square(tyre* m, jexpr_ref a) {
  return mul(m, a, a);
}
// a + b x
static inline jexpr_ref line(tyre* m, jexpr_ref a, jexpr_ref b, jexpr_ref x) {
  return sum(m, a, mul(m, b, x));
}
// a + b x + c x^2
static inline jexpr_ref parabola(tyre* m, jexpr_ref a, jexpr_ref b, jexpr_ref c, jexpr_ref x) {
  return line(m, a, line(m, b, c, x), x);
}
// 1 + a x, 1 + a x + b x^2
static inline jexpr_ref one_plus(tyre* m, jexpr_ref a, jexpr_ref x) {
  return line(m, num(m, 1.0), a, x);
}
static inline jexpr_ref one_plus2(tyre* m, jexpr_ref a, jexpr_ref b, jexpr_ref x) {
  return parabola(m, num(m, 1.0), a, b, x);
}
static inline jexpr_ref one_minus(tyre* m, jexpr_ref a, jexpr_ref x) {
  return dif(m, num(m, 1.0), mul(m, a, x));
}

#endif
