// SPDX-License-Identifier: Apache-2.0
// The metric: what comes first, what stands apart, what does not matter.
#include "sens/error/metric.h"

#include "support/fixture.h"

static const char text[] =
    "jounce: 1\n"
    "name: numbers\n"
    "parameters: {k: 200, c: -4, nothing: 0}\n"
    "hardpoints: {P1: [3, 0, 0], P2: [4, 0.5, 0]}\n"
    "bodies: {cart: {mass: 2}}\n"
    "joints: {x: {type: prismatic, child: cart, axis: x, at: P1}}\n"
    "simulation: {end: 1}\n";

static int number(const fixture* f, const char* path) {
  int i = jmodel_find_number(f->m, path);
  assert_true(i >= 0);
  return i;
}

static void test_metric_size_of_a_zero_is_that_of_its_kind(void** state) {
  (void)state;
  fixture* f = fixture_parse("numbers.yaml", text);
  assert_near(jsens_natural_size(f->m, number(f, "k")), 200.0, 0.0);
  assert_near(jsens_natural_size(f->m, number(f, "c")), 4.0, 0.0);
  // a parameter is of no kind
  assert_near(jsens_natural_size(f->m, number(f, "nothing")), 1.0, 0.0);
  // other y of hardpoints; no other z is there, so all coordinates
  assert_near(jsens_natural_size(f->m, number(f, "hardpoints.P1.y")), 0.5, 1e-15);
  assert_near(jsens_natural_size(f->m, number(f, "hardpoints.P1.z")),
              sqrt((9.0 + 16.0 + 0.25) / 3.0), 1e-15);
  fixture_close(f);
}

static void test_metric_sorts_by_influence(void** state) {
  (void)state;
  fixture* f = fixture_parse("numbers.yaml", text);
  const char* const path[] = {"c",       "hardpoints.P1.y", "k", "hardpoints.P2.x",
                              "nothing", "hardpoints.P2.y"};
  const double gradient[] = {0.5, 100.0, 0.01, 1e-7, 0.0, -20.0};
  int wrt[6];
  double value[6];
  for (int i = 0; i < 6; i++) {
    wrt[i] = number(f, path[i]);
    value[i] = f->m->number[wrt[i]].value;
  }
  jsens_metric_row row[6];
  jsens_metric(f->m, wrt, 6, value, -20.0, gradient, 1e-4, row);
  // % per 1 % of a negative objective counts by its magnitude: -20*0.5/20, 0.01*200/20, 0.5*-4/20
  const int order[] = {5, 2, 0, 1, 3, 4};
  const double percent[] = {-0.5, 0.1, -0.1, 2.5, 2e-8, 0.0};
  const jsens_influence influence[] = {JSENS_MATTERS,    JSENS_MATTERS, JSENS_MATTERS,
                                       JSENS_ZERO_VALUE, JSENS_IDLE,    JSENS_IDLE};
  // equal influence: the order of the list
  const int expected[] = {order[0], order[2], order[1], order[3], order[4], order[5]};
  for (int i = 0; i < 6; i++) {
    int k = i == 1 ? 2 : i == 2 ? 1 : i;
    assert_int_equal(row[i].which, expected[i]);
    assert_int_equal(row[i].influence, influence[i]);
    assert_near(row[i].percent, percent[k], 1e-15);
  }
  fixture_close(f);
}

static void test_metric_of_an_objective_that_is_zero(void** state) {
  (void)state;
  fixture* f = fixture_parse("numbers.yaml", text);
  int wrt[] = {number(f, "k")};
  double value[] = {200.0}, gradient[] = {0.3};
  jsens_metric_row row;
  jsens_metric(f->m, wrt, 1, value, 0.0, gradient, 1e-4, &row);
  // the change by one per cent of the number
  assert_near(row.percent, 0.6, 1e-15);
  assert_int_equal(row.influence, JSENS_MATTERS);
  fixture_close(f);
}

static void test_metric_numbers_without_a_derivative_come_last(void** state) {
  (void)state;
  fixture* f = fixture_parse("numbers.yaml", text);
  int wrt[] = {number(f, "k"), number(f, "c"), number(f, "nothing")};
  double value[] = {200.0, -4.0, 0.0}, gradient[] = {NAN, 0.0, 1.0};
  jsens_metric_row row[3];
  jsens_metric(f->m, wrt, 3, value, 1.0, gradient, 1e-4, row);
  assert_int_equal(row[0].influence, JSENS_ZERO_VALUE);
  assert_int_equal(row[1].influence, JSENS_IDLE);
  assert_int_equal(row[2].influence, JSENS_NONE);
  assert_int_equal(row[2].which, 0);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_metric_size_of_a_zero_is_that_of_its_kind),
      cmocka_unit_test(test_metric_sorts_by_influence),
      cmocka_unit_test(test_metric_of_an_objective_that_is_zero),
      cmocka_unit_test(test_metric_numbers_without_a_derivative_come_last),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
