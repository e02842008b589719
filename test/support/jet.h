// SPDX-License-Identifier: Apache-2.0
// Truncated Taylor series in time: value, first and second derivative, of numbers, vectors, rotations.
#ifndef JTEST_JET_H
#define JTEST_JET_H

#include <math.h>

// Value, first and second derivative.
typedef struct jet {
  double v, d, a;
} jet;

typedef struct jet3 {
  jet e[3];
} jet3;

typedef struct jet33 {
  jet e[3][3];
} jet33;

static inline jet constant(double v) {
  return (jet){v, 0.0, 0.0};
}

static inline jet plus(jet x, jet y) {
  return (jet){x.v + y.v, x.d + y.d, x.a + y.a};
}

static inline jet minus(jet x, jet y) {
  return (jet){x.v - y.v, x.d - y.d, x.a - y.a};
}

static inline jet times(jet x, jet y) {
  return (jet){x.v * y.v, x.d * y.v + x.v * y.d, x.a * y.v + 2.0 * x.d * y.d + x.v * y.a};
}

static inline jet over(jet x, jet y) {
  jet z = {x.v / y.v, 0.0, 0.0};
  z.d = (x.d - z.v * y.d) / y.v;
  z.a = (x.a - 2.0 * z.d * y.d - z.v * y.a) / y.v;
  return z;
}

static inline jet root(jet x) {
  jet z = {sqrt(x.v), 0.0, 0.0};
  z.d = x.d / (2.0 * z.v);
  z.a = (x.a - 2.0 * z.d * z.d) / (2.0 * z.v);
  return z;
}

static inline jet sine(jet x) {
  double s = sin(x.v), c = cos(x.v);
  return (jet){s, c * x.d, c * x.a - s * x.d * x.d};
}

static inline jet cosine(jet x) {
  double s = sin(x.v), c = cos(x.v);
  return (jet){c, -s * x.d, -s * x.a - c * x.d * x.d};
}

static inline jet3 vector(const double* x) {
  return (jet3){{constant(x[0]), constant(x[1]), constant(x[2])}};
}

static inline jet3 add(jet3 x, jet3 y) {
  return (jet3){{plus(x.e[0], y.e[0]), plus(x.e[1], y.e[1]), plus(x.e[2], y.e[2])}};
}

static inline jet3 sub(jet3 x, jet3 y) {
  return (jet3){{minus(x.e[0], y.e[0]), minus(x.e[1], y.e[1]), minus(x.e[2], y.e[2])}};
}

static inline jet3 scale(jet f, jet3 x) {
  return (jet3){{times(f, x.e[0]), times(f, x.e[1]), times(f, x.e[2])}};
}

static inline jet dot(jet3 x, jet3 y) {
  return plus(plus(times(x.e[0], y.e[0]), times(x.e[1], y.e[1])), times(x.e[2], y.e[2]));
}

static inline jet3 cross(jet3 x, jet3 y) {
  jet3 z;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    z.e[i] = minus(times(x.e[j], y.e[k]), times(x.e[k], y.e[j]));
  }
  return z;
}

static inline jet3 unit(jet3 x) {
  return scale(over(constant(1.0), root(dot(x, x))), x);
}

static inline jet3 apply(const jet33* A, jet3 x) {
  jet3 y;
  for (int i = 0; i < 3; i++) {
    y.e[i] =
        plus(plus(times(A->e[i][0], x.e[0]), times(A->e[i][1], x.e[1])), times(A->e[i][2], x.e[2]));
  }
  return y;
}

static inline jet33 transposed(const jet33* A) {
  jet33 T;
  for (int i = 0; i < 9; i++) {
    T.e[i / 3][i % 3] = A->e[i % 3][i / 3];
  }
  return T;
}

static inline jet33 product(const jet33* A, const jet33* B) {
  jet33 C;
  for (int j = 0; j < 3; j++) {
    jet3 y = apply(A, (jet3){{B->e[0][j], B->e[1][j], B->e[2][j]}});
    for (int i = 0; i < 3; i++) {
      C.e[i][j] = y.e[i];
    }
  }
  return C;
}

static inline jet33 identity(void) {
  jet33 C;
  for (int i = 0; i < 9; i++) {
    C.e[i / 3][i % 3] = constant(i / 3 == i % 3 ? 1.0 : 0.0);
  }
  return C;
}

// Rodrigues: x cos + (e x x) sin + e (e.x)(1 - cos), column by column.
static inline jet33 turn(jet3 e, jet s, jet c) {
  jet33 C;
  for (int j = 0; j < 3; j++) {
    jet3 x = {{constant(j == 0), constant(j == 1), constant(j == 2)}};
    jet3 y = add(scale(c, x), scale(s, cross(e, x)));
    y = add(y, scale(times(dot(e, x), minus(constant(1.0), c)), e));
    for (int i = 0; i < 3; i++) {
      C.e[i][j] = y.e[i];
    }
  }
  return C;
}

static inline jet33 turn_about(jet3 e, jet angle) {
  return turn(e, sine(angle), cosine(angle));
}

static inline jet33 turn_axis(int k, jet angle) {
  return turn_about((jet3){{constant(k == 0), constant(k == 1), constant(k == 2)}}, angle);
}

// The smallest turn from unit vector x to unit vector y (not opposite).
static inline jet33 turn_from_to(jet3 x, jet3 y) {
  jet3 n = cross(x, y);
  jet s2 = dot(n, n);
  if (s2.v < 1e-30) return identity();
  jet s = root(s2);
  return turn(scale(over(constant(1.0), s), n), s, dot(x, y));
}

#endif
