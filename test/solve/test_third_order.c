// SPDX-License-Identifier: Apache-2.0
// The third-order step of load prediction is that of rk3's tableau, and its embedded error one order less.
#include "solve/third_order.h"

#include "solve/tableau.h"
#include "support/check.h"

// y' = [y_1, -y_0 + t]
static void slope(void* user, int i, double c, const double* y, double* k) {
  const double* step = user;  // t, h
  (void)i;
  k[0] = y[1];
  k[1] = -y[0] + step[0] + c * step[1];
}

typedef struct fixture {
  double step[2], k[JSOLVE_NODES][2], arg[2];
  double* of[JSOLVE_NODES];
  jsolve_third_order s;
} fixture;

static void set_up(fixture* f, double h, bool in_turn) {
  *f = (fixture){.step = {0.3, h}};
  for (int i = 0; i < JSOLVE_NODES; i++) {
    f->of[i] = f->k[i];
  }
  f->s = (jsolve_third_order){2, slope, f->step, f->of, f->arg, in_turn};
}

static const double start[2] = {0.7, -0.4};

static void test_third_order_is_the_tableau_of_rk3(void** state) {
  (void)state;
  const jsolve_tableau* tab = jsolve_tableau_find(JSOLVE_RK3);
  fixture f;
  set_up(&f, 0.2, false);
  jsolve_third_order_nodes(&f.s, 0, 0.2, start);
  double k[JSOLVE_NODES][2], y1[2], expected[2] = {start[0], start[1]};
  for (int i = 0; i < JSOLVE_NODES; i++) {
    double arg[2] = {start[0], start[1]};
    for (int j = 0; j < i; j++) {
      arg[0] += 0.2 * tab->a[i][j] * k[j][0];
      arg[1] += 0.2 * tab->a[i][j] * k[j][1];
    }
    slope(f.step, i, tab->c[i], arg, k[i]);
    expected[0] += 0.2 * tab->b[i] * k[i][0];
    expected[1] += 0.2 * tab->b[i] * k[i][1];
  }
  jsolve_third_order_end(&f.s, 0.2, start, y1);
  for (int n = 0; n < 2; n++) {
    for (int i = 0; i < JSOLVE_NODES; i++) {
      assert_near(f.k[i][n], k[i][n], 1e-15);  // rounding of values about one
    }
    assert_near(y1[n], expected[n], 1e-15);
  }
}

static void test_third_order_ways_to_sum_differ_by_rounding(void** state) {
  (void)state;
  fixture f, g;
  double y1[2], z1[2] = {start[0], start[1]};
  set_up(&f, 0.2, false);
  set_up(&g, 0.2, true);
  jsolve_third_order_nodes(&f.s, 0, 0.2, start);
  slope(g.step, 0, 0.0, start, g.k[0]);  // the first node is there already
  jsolve_third_order_nodes(&g.s, 1, 0.2, start);
  jsolve_third_order_end(&f.s, 0.2, start, y1);
  jsolve_third_order_end(&g.s, 0.2, z1, z1);
  assert_near(y1[0], z1[0], 1e-15);
  assert_near(y1[1], z1[1], 1e-15);
}

// y = t + A cos t + B sin t through start at t = 0.3
static double exact(double t) {
  double c = cos(0.3), s = sin(0.3), p = start[0] - 0.3, v = start[1] - 1.0;
  return t + (p * c - v * s) * cos(t) + (p * s + v * c) * sin(t);
}

static double error_of(double h, double* stated) {
  fixture f;
  double y1[2], error[2];
  set_up(&f, h, false);
  jsolve_third_order_nodes(&f.s, 0, h, start);
  jsolve_third_order_end(&f.s, h, start, y1);
  jsolve_third_order_error(&f.s, h, error);
  *stated = fabs(error[0]);
  return fabs(y1[0] - exact(0.3 + h));
}

static void test_third_order_has_its_order(void** state) {
  (void)state;
  double stated[2], wide = error_of(0.02, &stated[0]), narrow = error_of(0.01, &stated[1]);
  assert_near(log2(wide / narrow), 4.0, 0.1);          // of one step
  assert_near(log2(stated[0] / stated[1]), 3.0, 0.1);  // the embedded rule is of order two
}

static void test_third_order_sums_any_values(void** state) {
  (void)state;
  assert_near(jsolve_third_order_sum(3.0, 1.0, 1.0, 1.0), 3.0, 0.0);
  assert_near(jsolve_third_order_defect(3.0, 1.0, 2.0, 3.0), 0.0, 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_third_order_is_the_tableau_of_rk3),
      cmocka_unit_test(test_third_order_ways_to_sum_differ_by_rounding),
      cmocka_unit_test(test_third_order_has_its_order),
      cmocka_unit_test(test_third_order_sums_any_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
