// SPDX-License-Identifier: Apache-2.0
// What a step leaves out: nothing of what is smooth, as much as there is of a corner.
#include "sens/error/tail.h"

#include <math.h>

#include "support/fixture.h"

// Parts of slopes f(x) along a step of length one.
static void parts_of(const jsens_tail* t, const jsolve_tableau* tab, double (*f)(double),
                     double size[JSENS_TAIL_PARTS]) {
  double slope[JSENS_TAIL_NODES];
  for (int n = 0; n < JSENS_TAIL_NODES; n++) {
    slope[n] = f(t->stage[n] == tab->stages ? 1.0 : tab->c[t->stage[n]]);
  }
  for (int m = 0; m < JSENS_TAIL_PARTS; m++) {
    size[m] = fabs(jsens_tail_sum(t, m, slope));
  }
}

static double third_polynomial(double x) {
  return 20.0 * x * x * x - 30.0 * x * x + 12.0 * x - 1.0;
}

static double parabola(double x) {
  return 3.0 + x - 2.0 * x * x;
}

static double slow_wave(double x) {
  return sin(0.3 * x + 0.5);
}

static double corner(double x) {
  return tanh((x - 0.55) / 0.01);
}

static void test_tail_coefficients_are_those_of_legendre(void** state) {
  (void)state;
  const jsolve_method method[] = {JSOLVE_DOPRI5, JSOLVE_IMEX4};
  for (int i = 0; i < 2; i++) {
    const jsolve_tableau* tab = jsolve_tableau_find(method[i]);
    jsens_tail t = jsens_tail_of(tab);
    double size[JSENS_TAIL_PARTS];
    assert_true(t.is_there);
    parts_of(&t, tab, third_polynomial, size);
    assert_near(size[JSENS_TAIL_THIRD], 1.0, 1e-13);
    assert_near(size[JSENS_TAIL_AGAIN], 0.0, 1e-15);
    parts_of(&t, tab, parabola, size);
    assert_near(size[JSENS_TAIL_THIRD], 0.0, 1e-13);
    assert_near(size[JSENS_TAIL_SECOND], 2.0 / 6.0, 1e-13);
  }
}

static void test_tail_of_what_is_resolved_is_nothing(void** state) {
  (void)state;
  const jsolve_tableau* tab = jsolve_tableau_find(JSOLVE_DOPRI5);
  jsens_tail t = jsens_tail_of(tab);
  double size[JSENS_TAIL_PARTS];
  parts_of(&t, tab, slow_wave, size);
  assert_true(jsens_tail_share(&t, size) == 0.0);
  // of a corner it is no less than what the step is off by: 0.54 of it lie before 0.8, in truth 0.55 before the corner
  parts_of(&t, tab, corner, size);
  assert_true(jsens_tail_share(&t, size) * size[JSENS_TAIL_THIRD] > 2.0 * (0.55 - 0.5404));
  // a difference of slopes at one time is that of stiff states, which the embedded method tells
  size[JSENS_TAIL_AGAIN] = 2.0 * size[JSENS_TAIL_THIRD];
  assert_true(jsens_tail_share(&t, size) == 0.0);
}

static void test_tail_is_not_there_without_its_stages(void** state) {
  (void)state;
  assert_false(jsens_tail_of(jsolve_tableau_find(JSOLVE_ESDIRK5)).is_there);
  assert_false(jsens_tail_of(jsolve_tableau_find(JSOLVE_RK2)).is_there);
  assert_false(jsens_tail_of(jsolve_tableau_find(JSOLVE_IMEX3)).is_there);
}

static void test_tail_stretches_that_may_cancel(void** state) {
  (void)state;
  jsens_stretches s = {0};
  assert_near(jsens_stretches_doubt(&s), 1.0, 0.0);
  jsens_stretches_add(&s, 1.0, true);
  jsens_stretches_add(&s, 2.0, false);
  assert_near(jsens_stretches_doubt(&s), 1.0, 0.0);
  jsens_stretches_add(&s, 3.0, true);
  assert_true(jsens_stretches_doubt(&s) > 2.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tail_coefficients_are_those_of_legendre),
      cmocka_unit_test(test_tail_of_what_is_resolved_is_nothing),
      cmocka_unit_test(test_tail_is_not_there_without_its_stages),
      cmocka_unit_test(test_tail_stretches_that_may_cancel),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
