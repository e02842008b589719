// SPDX-License-Identifier: Apache-2.0
// The table of methods: names and numbers tell methods apart, and tableaux are what it says of them.
#include "solve/method.h"

#include "solve/tableau.h"
#include "support/check.h"

static void test_method_names_and_numbers_are_its_own(void** state) {
  (void)state;
  bool seen[JSOLVE_METHOD_COUNT] = {0};
  int n = 0;
  for (const jsolve_method_info* m; (m = jsolve_method_at(n, false)); n++) {
    assert_in_range(m->method, 0, JSOLVE_METHOD_COUNT - 1);
    assert_false(seen[m->method]);
    seen[m->method] = true;
    assert_ptr_equal(jsolve_method_about(m->method), m);
    assert_int_equal(jsolve_method_find(m->name), m->method);
    assert_string_equal(jsolve_method_name(m->method), m->name);
    assert_true(m->about[0] != '\0');
  }
  assert_int_equal(n, JSOLVE_METHOD_COUNT);
  assert_null(jsolve_method_at(-1, false));
  assert_int_equal(jsolve_method_find("euler"), -1);
}

// Journals of sweeps hold them.
static void test_method_numbers_never_change(void** state) {
  (void)state;
  static const char* const name[] = {"rk2", "rk3",     "rk4",  "dopri5", "adams",
                                     "bdf", "esdirk5", "auto", "imex4",  "imex3"};
  for (int m = 0; m < 10; m++) {
    assert_int_equal(jsolve_method_find(name[m]), m);
  }
}

static void test_method_lists_for_messages(void** state) {
  (void)state;
  char names[JSOLVE_METHOD_NAMES];
  assert_string_equal(jsolve_method_names(true, " or ", names),
                      "auto, dopri5, esdirk5, rk2, rk3, rk4, imex4 or imex3");
  assert_string_equal(jsolve_method_names(false, " and ", names),
                      "auto, dopri5, esdirk5, rk2, rk3, rk4, imex4, imex3, adams and bdf");
  assert_null(jsolve_method_at(8, true));
}

// sum_i b_i c_i^(k-1) = 1/k up to the order; implicit ones end with a stage of weight gamma.
static void check_quadrature(const jsolve_tableau* tab, int order) {
  for (int k = 1; k <= order; k++) {
    double sum = tab->gamma;
    for (int i = 0; i < tab->stages; i++) {
      sum += tab->b[i] * pow(tab->c[i], k - 1);
    }
    assert_near(sum, 1.0 / k, 1e-14);  // coefficients are rounded
  }
}

static void test_method_tableaux_are_what_the_table_says(void** state) {
  (void)state;
  for (int i = 0; jsolve_method_at(i, false); i++) {
    const jsolve_method_info* m = jsolve_method_at(i, false);
    const jsolve_tableau* tab = jsolve_tableau_find(m->method);
    const jsolve_tableau* implicit = jsolve_tableau_implicit(m->method);
    assert_int_equal(tab != NULL, m->is_own);
    assert_int_equal(implicit != NULL,
                     m->is_own && (m->kind == JSOLVE_IMPLICIT || m->kind == JSOLVE_BOTH));
    if (tab) assert_int_equal(tab->local_gamma > 0.0, m->kind == JSOLVE_MIXED);
    if (!tab) continue;
    assert_int_equal(tab->gamma > 0.0, m->kind == JSOLVE_IMPLICIT);
    check_quadrature(tab, m->order);
    if (implicit) check_quadrature(implicit, m->order);
    bool has_error = false;
    for (int k = 0; k <= tab->stages; k++) {
      has_error = has_error || tab->e[k] != 0.0;
    }
    assert_int_equal(has_error, !m->is_fixed);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_method_names_and_numbers_are_its_own),
      cmocka_unit_test(test_method_numbers_never_change),
      cmocka_unit_test(test_method_lists_for_messages),
      cmocka_unit_test(test_method_tableaux_are_what_the_table_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
