// SPDX-License-Identifier: Apache-2.0
// Tables: hand-computed values, interpolation and monotony, continuation beyond the ends,
// derivatives with respect to x, X_k and Y_k. Agreement with an independent implementation over
// random data is part of test_random.c.
#include "expr/table.h"

#include "expr/diff.h"
#include "support/expr_probe.h"
#include "support/random_graph.h"

#define TOL 1e-14  // a dozen operations on values of order one to ten

enum { MAX_POINTS = 8 };

static jexpr_ref constant_table(probe* p, jexpr_table_kind kind, jexpr_extrapolation rule,
                                const double* X, const double* Y, int n) {
  jexpr_ref rX[MAX_POINTS], rY[MAX_POINTS];
  for (int k = 0; k < n; k++) {
    rX[k] = jexpr_const(p->g, X[k]);
    rY[k] = jexpr_const(p->g, Y[k]);
  }
  return jexpr_table(p->g, kind, rule, p->x[0], rX, rY, n);
}

static double at(probe* p, jexpr_ref r, double x) {
  return probe_eval(p, r, (double[PROBE_INPUTS]){x});
}

static double slope_at(probe* p, jexpr_ref r, double x) {
  jexpr_ref one = jexpr_const(p->g, 1.0), dr;
  assert_ok(p->ctx, jexpr_tangent(p->g, &r, 1, p->x, &one, 1, &dr));
  return at(p, dr, x);
}

static const double X4[] = {0.0, 1.0, 2.0, 3.0}, squares[] = {0.0, 1.0, 4.0, 9.0};

static void test_table_linear_by_hand(void** state) {
  probe* p = *state;
  const double X[] = {-1.0, 0.0, 2.0, 2.5}, Y[] = {3.0, 1.0, 2.0, 2.0};
  jexpr_ref r = constant_table(p, JEXPR_TABLE_LINEAR, JEXPR_EXTRAPOLATE_LINEAR, X, Y, 4);
  const double x[] = {-2.0, -1.0, -0.5, 0.0, 1.0, 2.0, 2.25, 2.5, 4.0};
  const double y[] = {5.0, 3.0, 2.0, 1.0, 1.5, 2.0, 2.0, 2.0, 2.0};
  for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
    assert_near(at(p, r, x[i]), y[i], TOL);
  }
  assert_near(slope_at(p, r, -0.5), -2.0, TOL);
  assert_near(slope_at(p, r, 1.0), 0.5, TOL);
  assert_near(slope_at(p, r, -5.0), -2.0, TOL);
}

// x^2 at 0 1 2 3: chords 1 3 5, so slopes 0 (limited), 3/2, 15/4, 6; at the middle of an interval
// the cubic is (y0 + y1)/2 + h (s0 - s1)/8.
static void test_table_cubic_by_hand(void** state) {
  probe* p = *state;
  jexpr_ref r = constant_table(p, JEXPR_TABLE_CUBIC, JEXPR_EXTRAPOLATE_LINEAR, X4, squares, 4);
  const double slope[] = {0.0, 1.5, 3.75, 6.0};
  for (int k = 0; k < 4; k++) {
    assert_near(at(p, r, X4[k]), squares[k], TOL);
    assert_near(slope_at(p, r, X4[k]), slope[k], TOL);
  }
  for (int k = 0; k < 3; k++) {
    double expected = (squares[k] + squares[k + 1]) / 2.0 + (slope[k] - slope[k + 1]) / 8.0;
    assert_near(at(p, r, k + 0.5), expected, TOL);
  }
}

// Spacing 1 and 2, chords 1 and 2: w1 = 5, w2 = 4, so the middle slope is 9/(5/1 + 4/2) = 9/7; the
// end slopes ((2 h0 + h1) d0 - h0 d1)/(h0 + h1) are (4 1 - 1 2)/3 = 2/3 and (5 2 - 2 1)/3 = 8/3.
static void test_table_cubic_with_unequal_spacing(void** state) {
  probe* p = *state;
  const double X[] = {0.0, 1.0, 3.0}, Y[] = {0.0, 1.0, 5.0};
  jexpr_ref r = constant_table(p, JEXPR_TABLE_CUBIC, JEXPR_EXTRAPOLATE_HOLD, X, Y, 3);
  assert_near(slope_at(p, r, 1.0), 9.0 / 7.0, TOL);
  assert_near(at(p, r, 0.5), 0.5 + (2.0 / 3.0 - 9.0 / 7.0) / 8.0, TOL);
  assert_near(at(p, r, 2.0), 3.0 + 2.0 * (9.0 / 7.0 - 8.0 / 3.0) / 8.0, TOL);
}

static void test_table_continuation_beyond_the_ends(void** state) {
  probe* p = *state;
  static const jexpr_table_kind kinds[] = {JEXPR_TABLE_LINEAR, JEXPR_TABLE_CUBIC};
  const double end_slope[] = {5.0, 6.0};
  for (int i = 0; i < 2; i++) {
    jexpr_ref go_on = constant_table(p, kinds[i], JEXPR_EXTRAPOLATE_LINEAR, X4, squares, 4);
    jexpr_ref hold = constant_table(p, kinds[i], JEXPR_EXTRAPOLATE_HOLD, X4, squares, 4);
    assert_near(at(p, go_on, 5.0), 9.0 + 2.0 * end_slope[i], TOL);
    assert_near(slope_at(p, go_on, 5.0), end_slope[i], TOL);
    assert_near(at(p, hold, 5.0), 9.0, 0.0);
    assert_near(at(p, hold, -5.0), 0.0, 0.0);
    assert_near(slope_at(p, hold, 5.0), 0.0, 0.0);
    assert_near(slope_at(p, hold, -5.0), 0.0, 0.0);
    assert_near(at(p, go_on, 1.3), at(p, hold, 1.3), TOL);  // the same inside
  }
}

#define NX 4
#define NY 5
static const double GX[NX] = {-1.0, 0.0, 1.5, 2.0}, GY[NY] = {0.0, 1.0, 1.5, 3.0, 3.5};

static jexpr_ref surface(probe* p, jexpr_table_kind kind, jexpr_extrapolation rule, int nx, int ny,
                         double (*z)(double, double), jexpr_ref x, jexpr_ref y) {
  jexpr_ref X[NX], Y[NY], Z[NX * NY];
  for (int i = 0; i < nx; i++) {
    X[i] = jexpr_const(p->g, GX[i]);
    for (int j = 0; j < ny; j++) {
      Y[j] = jexpr_const(p->g, GY[j]);
      Z[i * ny + j] = jexpr_const(p->g, z(GX[i], GY[j]));
    }
  }
  jexpr_grid grid = {nx, ny, X, Y, Z};
  return jexpr_table2(p->g, kind, rule, x, y, &grid);
}

static double at2(probe* p, jexpr_ref r, double x, double y) {
  return probe_eval(p, r, (double[PROBE_INPUTS]){x, y});
}

static double bilinear(double x, double y) {
  return 1.0 + 2.0 * x - 3.0 * y + 0.5 * x * y;
}

static double hills(double x, double y) {
  return (x - 0.4) * (x - 0.4) * (1.0 + 0.3 * y) - (y - 1.2) * (y - 1.2) * 0.5 * x;
}

// what is linear in either variable comes out as it is, inside and beyond
static void test_table2_reproduces_bilinear(void** state) {
  probe* p = *state;
  for (int kind = JEXPR_TABLE_LINEAR; kind <= JEXPR_TABLE_CUBIC; kind++) {
    jexpr_ref r = surface(p, (jexpr_table_kind)kind, JEXPR_EXTRAPOLATE_LINEAR, NX, NY, bilinear,
                          p->x[0], p->x[1]);
    jexpr_ref held = surface(p, (jexpr_table_kind)kind, JEXPR_EXTRAPOLATE_HOLD, NX, NY, bilinear,
                             p->x[0], p->x[1]);
    for (double x = -2.3; x < 3.0; x += 0.31) {
      for (double y = -1.1; y < 5.0; y += 0.37) {
        double in_x = fmin(fmax(x, -1.0), 2.0), in_y = fmin(fmax(y, 0.0), 3.5);
        assert_near(at2(p, r, x, y), bilinear(x, y), 10.0 * TOL);
        assert_near(at2(p, held, x, y), bilinear(in_x, in_y), 10.0 * TOL);
      }
    }
  }
}

// along lines of the grid it is the table of one variable
static void test_table2_of_lines_is_one_table(void** state) {
  probe* p = *state;
  for (int kind = JEXPR_TABLE_LINEAR; kind <= JEXPR_TABLE_CUBIC; kind++) {
    jexpr_table_kind k = (jexpr_table_kind)kind;
    jexpr_ref r = surface(p, k, JEXPR_EXTRAPOLATE_LINEAR, NX, NY, hills, p->x[0], p->x[1]);
    for (int i = 0; i < NX; i++) {
      double line[NY];
      for (int j = 0; j < NY; j++) {
        line[j] = hills(GX[i], GY[j]);
      }
      jexpr_ref one = constant_table(p, k, JEXPR_EXTRAPOLATE_LINEAR, GY, line, NY);
      for (double y = -1.0; y < 5.0; y += 0.23) {
        assert_near(at2(p, r, GX[i], y), at(p, one, y), 20.0 * TOL);
      }
    }
  }
}

// values and slopes of the bicubic table have no jump at lines of the grid and at the edges
static void test_table2_cubic_is_smooth(void** state) {
  probe* p = *state;
  const double e = 1e-9;
  jexpr_ref r =
      surface(p, JEXPR_TABLE_CUBIC, JEXPR_EXTRAPOLATE_LINEAR, NX, NY, hills, p->x[0], p->x[1]);
  jexpr_ref d[2], one = jexpr_const(p->g, 1.0);
  for (int k = 0; k < 2; k++) {
    assert_ok(p->ctx, jexpr_tangent(p->g, &r, 1, &p->x[k], &one, 1, &d[k]));
  }
  for (double s = -0.7; s < 4.0; s += 0.3) {
    for (int i = 0; i < NX; i++) {
      for (int k = 0; k < 2; k++) {
        assert_near(at2(p, d[k], GX[i] - e, s), at2(p, d[k], GX[i] + e, s), 1e-7);
      }
    }
    for (int j = 0; j < NY; j++) {
      for (int k = 0; k < 2; k++) {
        assert_near(at2(p, d[k], s, GY[j] - e), at2(p, d[k], s, GY[j] + e), 1e-7);
      }
    }
  }
}

// (T8), (T9) by hand: x^2 y^2 at 0 1 2, both ways. Slopes along x at y: y^2 (0, 3/2, 4); those along y at the corners of
// the upper cell likewise, and mixed slopes 2.25 6 / 6 16.
static double product(double x, double y) {
  return x * x * y * y;
}

static void test_table2_cubic_by_hand(void** state) {
  probe* p = *state;
  jexpr_ref X[3], Z[9];
  for (int i = 0; i < 3; i++) {
    X[i] = jexpr_const(p->g, i);
    for (int j = 0; j < 3; j++) {
      Z[3 * i + j] = jexpr_const(p->g, product(i, j));
    }
  }
  jexpr_grid grid = {3, 3, X, X, Z};
  jexpr_ref r =
      jexpr_table2(p->g, JEXPR_TABLE_CUBIC, JEXPR_EXTRAPOLATE_HOLD, p->x[0], p->x[1], &grid);
  // at the middle of a cell weights are 1/2 1/2 1/8 -1/8, and along x alone (1 + 4)/2 + (3/2 - 4)/8 = 35/16
  assert_near(at2(p, r, 1.5, 1.5), 35.0 / 16.0 * 35.0 / 16.0, TOL);
  assert_near(at2(p, r, 0.5, 1.5), 5.0 / 16.0 * 35.0 / 16.0, TOL);
  assert_near(at2(p, r, 1.0, 1.5), 35.0 / 16.0, TOL);
}

// one row, one column, one number
static void test_table2_of_one_line(void** state) {
  probe* p = *state;
  jexpr_ref x = p->x[0], y = p->x[1];
  jexpr_extrapolation rule = JEXPR_EXTRAPOLATE_LINEAR;
  jexpr_ref row = surface(p, JEXPR_TABLE_LINEAR, rule, 1, 2, bilinear, x, y);
  jexpr_ref column = surface(p, JEXPR_TABLE_LINEAR, rule, 2, 1, bilinear, x, y);
  jexpr_ref point = surface(p, JEXPR_TABLE_CUBIC, rule, 1, 1, bilinear, x, y);
  assert_near(at2(p, row, 7.0, 0.5), bilinear(-1.0, 0.5), TOL);
  assert_near(at2(p, column, -0.5, 7.0), bilinear(-0.5, 0.0), TOL);
  assert_true(jexpr_is_value(p->g, point, bilinear(-1.0, 0.0)));
}

static void test_table_of_one_and_two_points(void** state) {
  probe* p = *state;
  const double X[] = {1.0, 3.0}, Y[] = {2.0, 8.0};
  for (int kind = JEXPR_TABLE_LINEAR; kind <= JEXPR_TABLE_CUBIC; kind++) {
    jexpr_table_kind k = (jexpr_table_kind)kind;
    jexpr_ref one = constant_table(p, k, JEXPR_EXTRAPOLATE_LINEAR, X, Y, 1);
    assert_true(jexpr_is_value(p->g, one, 2.0));
    jexpr_ref two = constant_table(p, k, JEXPR_EXTRAPOLATE_LINEAR, X, Y, 2);
    assert_near(at(p, two, 0.0), -1.0, TOL);
    assert_near(at(p, two, 2.0), 5.0, TOL);
    assert_near(at(p, two, 4.0), 11.0, TOL);
  }
}

static void test_table_constant_argument_folds(void** state) {
  probe* p = *state;
  jexpr_ref X[4], Y[4], x = jexpr_const(p->g, 1.5);
  for (int k = 0; k < 4; k++) {
    X[k] = jexpr_const(p->g, X4[k]);
    Y[k] = jexpr_const(p->g, squares[k]);
  }
  jexpr_ref r = jexpr_table(p->g, JEXPR_TABLE_LINEAR, JEXPR_EXTRAPOLATE_LINEAR, x, X, Y, 4);
  assert_true(jexpr_is_value(p->g, r, 2.5));
  r = jexpr_table(p->g, JEXPR_TABLE_CUBIC, JEXPR_EXTRAPOLATE_LINEAR, x, X, Y, 4);
  assert_true(jexpr_is_const(p->g, r));
  assert_near(jexpr_const_value(p->g, r), 2.21875, TOL);
}

// Values at x_i = i last / (n - 1), all lanes of one evaluation.
static void sample(probe* p, jexpr_ref r, double last, int n, double* y) {
  jarena a;
  jarena_init(&a, p->ctx);
  jexpr_outputs out = {"y", 1, &r};
  jexpr_fn fn = {"sample", p->g, 1, &out};
  jexpr_tape t;
  assert_ok(p->ctx, jexpr_tape_build(p->ctx, &a, &fn, &t));
  double* work = JARENA_ARRAY(&a, jexpr_tape_work(&t, n), double);
  double* x = JARENA_ARRAY(&a, n * PROBE_INPUTS, double);
  assert_true(work && x);
  for (int i = 0; i < n; i++) {
    x[i] = last * i / (n - 1);
  }
  jexpr_tape_init(&t, n, work);
  jexpr_tape_eval(&t, n, (const double* [1]){x}, &y, work);
  jarena_free(&a);
}

// Through increasing points goes an increasing curve, however uneven they are.
static void test_table_cubic_is_monotone(void** state) {
  probe* p = *state;
  random_source s;
  random_seed(&s, 7);
  for (int trial = 0; trial < 50; trial++) {
    double X[MAX_POINTS] = {0.0}, Y[MAX_POINTS] = {0.0};
    for (int k = 1; k < MAX_POINTS; k++) {
      X[k] = X[k - 1] + pow(10.0, random_uniform(&s, -1.0, 1.0));
      Y[k] = Y[k - 1] + pow(10.0, random_uniform(&s, -2.0, 2.0));
    }
    jexpr_ref r = constant_table(p, JEXPR_TABLE_CUBIC, JEXPR_EXTRAPOLATE_LINEAR, X, Y, MAX_POINTS);
    double y[201];
    sample(p, r, X[MAX_POINTS - 1], 201, y);
    for (int i = 1; i < 201; i++) {
      assert_true(y[i] >= y[i - 1] - 1e-12 * Y[MAX_POINTS - 1]);  // rounding
    }
  }
}

static void test_table_cubic_is_flat_at_an_extremum(void** state) {
  probe* p = *state;
  const double X[] = {0.0, 1.0, 2.0, 3.0}, Y[] = {0.0, 2.0, 2.0, 1.0};
  jexpr_ref r = constant_table(p, JEXPR_TABLE_CUBIC, JEXPR_EXTRAPOLATE_LINEAR, X, Y, 4);
  assert_near(slope_at(p, r, 1.0), 0.0, 0.0);
  assert_near(slope_at(p, r, 2.0), 0.0, 0.0);
  assert_near(at(p, r, 1.5), 2.0, 0.0);  // no overshoot
}

static void test_table_cubic_slope_is_continuous(void** state) {
  probe* p = *state;
  const double X[] = {0.0, 0.5, 2.0, 2.2, 4.0}, Y[] = {1.0, -1.0, 0.5, 3.0, 3.5};
  jexpr_ref r = constant_table(p, JEXPR_TABLE_CUBIC, JEXPR_EXTRAPOLATE_LINEAR, X, Y, 5);
  for (int k = 0; k < 5; k++) {  // curvature is below 1e3, so the slope moves by less than 1e-5
    assert_near(slope_at(p, r, X[k] - 1e-9), slope_at(p, r, X[k] + 1e-9), 1e-5);
    assert_near(at(p, r, X[k] - 1e-9), at(p, r, X[k] + 1e-9), 1e-7);
  }
}

// Data as inputs: x = x_0, X = x_1 x_2 x_3 and constants, Y = x_4 ... x_7.
static void test_table_derivatives_with_respect_to_all_data(void** state) {
  probe* p = *state;
  jexpr_graph* g = p->g;
  jexpr_ref X[4] = {p->x[1], p->x[2], p->x[3], jexpr_const(g, 4.0)}, *Y = p->x + 4;
  const double in[][PROBE_INPUTS] = {{0.3, 0.0, 1.0, 2.5, 0.0, 1.0, 4.0, 4.5},
                                     {1.7, 0.1, 1.2, 2.4, 3.0, 1.0, 0.5, -2.0},
                                     {3.1, -0.2, 0.9, 2.2, 0.0, 1.0, -0.5, 2.0},
                                     {-1.0, 0.0, 1.0, 2.0, 1.0, 3.0, 3.5, 0.0},
                                     {6.0, 0.0, 1.0, 2.0, 1.0, 3.0, 3.5, 4.6}};
  for (int v = 0; v < 4; v++) {
    jexpr_table_kind kind = v & 1 ? JEXPR_TABLE_CUBIC : JEXPR_TABLE_LINEAR;
    jexpr_extrapolation rule = v & 2 ? JEXPR_EXTRAPOLATE_HOLD : JEXPR_EXTRAPOLATE_LINEAR;
    jexpr_ref y = jexpr_table(g, kind, rule, p->x[0], X, Y, 4), one = jexpr_const(g, 1.0);
    jexpr_ref forward[PROBE_INPUTS], reverse[PROBE_INPUTS];
    for (int k = 0; k < PROBE_INPUTS; k++) {
      assert_ok(p->ctx, jexpr_tangent(g, &y, 1, &p->x[k], &one, 1, &forward[k]));
    }
    assert_ok(p->ctx, jexpr_adjoint(g, &y, &one, 1, p->x, PROBE_INPUTS, reverse));
    for (size_t i = 0; i < sizeof in / sizeof *in; i++) {
      for (int k = 0; k < PROBE_INPUTS; k++) {
        double expected = probe_complex_step(p, y, in[i], k);
        assert_near(probe_eval(p, forward[k], in[i]), expected, 1e-12);
        assert_near(probe_eval(p, reverse[k], in[i]), expected, 1e-12);
      }
    }
  }
}

static void test_table_poison(void** state) {
  probe* p = *state;
  jexpr_ref Y[3] = {p->x[0], JEXPR_POISON, p->x[1]};
  for (int kind = JEXPR_TABLE_LINEAR; kind <= JEXPR_TABLE_CUBIC; kind++) {
    jexpr_table_kind k = (jexpr_table_kind)kind;
    assert_int_equal(jexpr_table(p->g, k, JEXPR_EXTRAPOLATE_HOLD, p->x[2], p->x + 3, Y, 3), 0);
    assert_int_equal(jexpr_table(p->g, k, JEXPR_EXTRAPOLATE_HOLD, 0, p->x + 3, p->x, 3), 0);
    assert_int_equal(jexpr_table(p->g, k, JEXPR_EXTRAPOLATE_HOLD, p->x[2], p->x, Y, 0), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      probe_test(test_table_linear_by_hand),
      probe_test(test_table_cubic_by_hand),
      probe_test(test_table_cubic_with_unequal_spacing),
      probe_test(test_table_continuation_beyond_the_ends),
      probe_test(test_table_of_one_and_two_points),
      probe_test(test_table2_reproduces_bilinear),
      probe_test(test_table2_of_lines_is_one_table),
      probe_test(test_table2_cubic_is_smooth),
      probe_test(test_table2_cubic_by_hand),
      probe_test(test_table2_of_one_line),
      probe_test(test_table_constant_argument_folds),
      probe_test(test_table_cubic_is_monotone),
      probe_test(test_table_cubic_is_flat_at_an_extremum),
      probe_test(test_table_cubic_slope_is_continuous),
      probe_test(test_table_derivatives_with_respect_to_all_data),
      probe_test(test_table_poison),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
