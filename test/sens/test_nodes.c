// SPDX-License-Identifier: Apache-2.0
// Local errors by nodes: none of what is smooth, the jumps of what is not.
#include "sens/nodes.h"

#include <math.h>

#include "support/fixture.h"

enum { N = 3, STEPS = 12 };

// Steps of several lengths, as they occur.
static double time_of(int node) {
  static const double length[] = {0.1, 0.12, 0.09, 0.1, 0.11, 0.1};
  double t = 0.3;
  for (int i = 0; i < node; i++) {
    t += length[i % 6];
  }
  return t;
}

// t^i and its derivative
static void put_power(double t, int i, double* x, double* slope) {
  *x = pow(t, i);
  *slope = i > 0 ? i * pow(t, i - 1) : 0.0;
}

static void test_nodes_of_polynomials_have_no_error(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jsens_nodes s;
  double error[N], *x, *slope;
  assert_true(jsens_nodes_begin(&f->a, N, &s));
  for (int n = 0; n <= STEPS; n++) {
    jsens_nodes_next(&s, time_of(n), &x, &slope);
    for (int i = 0; i < N; i++) {
      put_power(time_of(n), 4 * i, &x[i], &slope[i]);
    }
    bool is_known = jsens_nodes_error(&s, jsens_lanes_choose(), error);
    assert_int_equal(is_known, n + 1 >= JSENS_LEAST_NODES);
    for (int i = 0; i < (n + 1 < JSENS_NODES ? 2 : N) && is_known; i++) {
      assert_near(error[i], 0.0, 1e-13 * fabs(x[i]) + 1e-15);
    }
  }
  fixture_close(f);
}

// Jumps of one size between nodes are what is found, whatever the smooth part is and in which direction time goes.
static void test_nodes_tell_jumps(void** state) {
  (void)state;
  fixture* f = fixture_open();
  double error[N], *x, *slope;
  for (int direction = -1; direction <= 1; direction += 2) {
    jsens_nodes s;
    assert_true(jsens_nodes_begin(&f->a, N, &s));
    for (int n = 0; n <= STEPS; n++) {
      double t = direction * time_of(n);
      jsens_nodes_next(&s, t, &x, &slope);
      for (int i = 0; i < N; i++) {
        put_power(t, i + 2, &x[i], &slope[i]);
        x[i] += 1e-6 * (i + 1) * n;
      }
    }
    assert_true(jsens_nodes_error(&s, jsens_lanes_choose(), error));
    for (int i = 0; i < N; i++) {
      assert_near(error[i], 1e-6 * (i + 1), 1e-12);
    }
  }
  fixture_close(f);
}

// The local error of a Runge-Kutta step of order five, with its sign: y' = -y by its stability function
// 1 + z + ... + z^5/120 + z^6/600, which is off by z^6/3600.
static void test_nodes_tell_the_error_of_steps(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jsens_nodes s;
  double error[N] = {0}, *x, *slope, y = 1.0, h = 0.2, z = -h;
  double factor = 1 + z * (1 + z / 2 * (1 + z / 3 * (1 + z / 4 * (1 + z / 5 * (1 + z / 5)))));
  assert_true(jsens_nodes_begin(&f->a, 1, &s));
  for (int n = 0; n < JSENS_NODES; n++, y *= factor) {
    jsens_nodes_next(&s, n * h, &x, &slope);
    *x = y;
    *slope = -y;
  }
  assert_true(jsens_nodes_error(&s, jsens_lanes_choose(), error));
  double truth = (factor - exp(z)) * y / pow(factor, 3.5);  // in the middle of the four steps
  assert_near(error[0] / truth, 1.0, 0.2);                  // up to a term of order z
  fixture_close(f);
}

static void test_nodes_stand_for_all_steps(void** state) {
  (void)state;
  fixture* f = fixture_open();
  for (int steps = JSENS_LEAST_NODES - 1; steps <= STEPS; steps++) {
    jsens_nodes s;
    double *x, *slope;
    int all = 0;
    assert_true(jsens_nodes_begin(&f->a, N, &s));
    for (int n = 0; n <= steps; n++) {
      jsens_nodes_next(&s, n, &x, &slope);
      all += jsens_nodes_steps(&s);
    }
    assert_int_equal(all + jsens_nodes_steps_left(&s), steps);
  }
  fixture_close(f);
}

static void test_nodes_that_coincide_tell_nothing(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jsens_nodes s;
  double error[N], *x, *slope;
  assert_true(jsens_nodes_begin(&f->a, N, &s));
  for (int n = 0; n < JSENS_NODES; n++) {
    jsens_nodes_next(&s, n < 3 ? n : 2, &x, &slope);
  }
  assert_false(jsens_nodes_error(&s, jsens_lanes_choose(), error));
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nodes_of_polynomials_have_no_error),
      cmocka_unit_test(test_nodes_tell_jumps),
      cmocka_unit_test(test_nodes_tell_the_error_of_steps),
      cmocka_unit_test(test_nodes_stand_for_all_steps),
      cmocka_unit_test(test_nodes_that_coincide_tell_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
