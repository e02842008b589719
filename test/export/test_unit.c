// SPDX-License-Identifier: Apache-2.0
// Units: what is read is right, and what could mean two things is not read.
#include "export/unit.h"

#include "support/check.h"

typedef struct expected {
  const char* text;
  double factor;
  int power[JEXPORT_BASE_UNITS];  // kg m s A K mol cd rad
} expected;

static void test_unit_powers_and_factors(void** state) {
  (void)state;
  const expected all[] = {
      {"m", 1.0, {0, 1}},
      {"N s/m", 1.0, {1, 0, -1}},
      {"N/m", 1.0, {1, 0, -2}},
      {"kg m^2", 1.0, {1, 2}},
      {"kg*m2", 1.0, {1, 2}},
      {"m/s/s", 1.0, {0, 1, -2}},
      {"m^3/(s Pa)", 1.0, {-1, 4, 1}},
      {"N m s/rad", 1.0, {1, 2, -1, 0, 0, 0, 0, -1}},
      {"(m/s)/s", 1.0, {0, 1, -2}},
      {"1/rad", 1.0, {0, 0, 0, 0, 0, 0, 0, -1}},
      {"s^-1", 1.0, {0, 0, -1}},
      {"s^(-2)", 1.0, {0, 0, -2}},
      {"rad^2/s", 1.0, {0, 0, -1, 0, 0, 0, 0, 2}},
      {"mm", 1e-3, {0, 1}},
      {"mm^2", 1e-6, {0, 2}},
      {"kN", 1e3, {1, 1, -2}},
      {"km/h", 1e3 / 3600.0, {0, 1, -1}},
      {"min", 60.0, {0, 0, 1}},
      {"bar", 1e5, {1, -1, -2}},
      {"deg", 0.017453292519943295, {0, 0, 0, 0, 0, 0, 0, 1}},
      {"mol", 1.0, {0, 0, 0, 0, 0, 1}},
      {"V", 1.0, {1, 2, -3, -1}},
      {"A s/m", 1.0, {0, -1, 1, 1}},
      {"%", 1e-2, {0}},
      {"1", 1.0, {0}},
      {"-", 1.0, {0}},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    jexport_unit u;
    if (!jexport_unit_parse(all[i].text, &u)) fail_msg("'%s' is not read", all[i].text);
    for (int k = 0; k < JEXPORT_BASE_UNITS; k++) {
      if (u.power[k] != all[i].power[k]) {
        fail_msg("'%s': %s^%d, not ^%d", all[i].text, jexport_base_unit_name((jexport_base_unit)k),
                 u.power[k], all[i].power[k]);
      }
    }
    // factors are products of a few numbers
    assert_true(fabs(u.factor / all[i].factor - 1.0) < 1e-14);
  }
}

static void test_unit_refuses_what_is_not_clear(void** state) {
  (void)state;
  const char* const none[] = {"",     "N/m^(n+1)", "furlong", "N/m s", "m^",        "m^2.5",
                              "(m",   "m)",        "m^(2",    "/s",    "m/",        "12",
                              "m^99", "kkg",       "degC",    "m ^2",  "\xc2\xb5m", "((((((m))))))",
                              "kmin", "m s^--1"};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    jexport_unit u = {.factor = -7.0};
    if (jexport_unit_parse(none[i], &u)) fail_msg("'%s' is read", none[i]);
    assert_true(u.factor == -7.0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_unit_powers_and_factors),
                                     cmocka_unit_test(test_unit_refuses_what_is_not_clear)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
