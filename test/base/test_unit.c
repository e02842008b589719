// SPDX-License-Identifier: Apache-2.0
// Units: factors as standards have them, decimals exact, dimensions, and texts that are no units.
#include "base/text/unit.h"

#include "support/fixture.h"

static double value_of(const char* text) {
  size_t n, at, nunit;
  junit u;
  assert_true(junit_split(text, &n, &at, &nunit));
  assert_true(junit_parse(text + at, nunit, &u, NULL, NULL));
  return junit_scale(text, n, &u);
}

// decimal factors give the number that one would write oneself, to the last bit
static void test_unit_decimal_factors_are_exact(void** state) {
  (void)state;
  static const struct {
    const char* text;
    double value;
  } rows[] = {
      {"25 N/mm", 25e3}, {"25.4 mm", 25.4e-3}, {"-0.37 kN*s/m", -0.37e3}, {"2.5 bar", 2.5e5},
      {"1.8 t", 1.8e3},  {"7 g/cm^3", 7e3},    {"3.3 l", 3.3e-3},         {"12 %", 12e-2},
      {"5 ms", 5e-3},    {"1e2 um", 1e-4},     {"4.7 MPa", 4.7e6},        {"0.1 kg m^2", 0.1},
      {"9 1/s", 9.0},    {"6 mm^2", 6e-6},     {"3 mrad", 3e-3},          {" 8 kN ", 8e3},
      {"2m", 2.0},       {"0.6 N m/rad", 0.6}, {"1.1 m^3/(s Pa)", 1.1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_true(value_of(rows[i].text) == rows[i].value);
  }
}

// by definition: inch, pound, standard gravity; NIST SP 811
static void test_unit_other_factors(void** state) {
  (void)state;
  static const struct {
    const char* text;
    double value;
  } rows[] = {
      {"60 km/h", 60.0 / 3.6},
      {"180 deg", 3.14159265358979323846},
      {"1500 rpm", 157.0796326794897},
      {"12 in", 0.3048},
      {"1 lbf", 4.4482216152605},
      {"1 psi", 6894.757293168361},
      {"1 lb", 0.45359237},
      {"60 mph", 26.8224},
      {"2 rev/s", 12.566370614359172},
      {"1 PS", 735.49875},
      {"1 hp", 745.69987158227},
      {"90 N/deg", 90.0 * 180.0 / 3.14159265358979323846},
      {"36 l/min", 6e-4},
      {"1 gn", 9.80665},
      {"2 h", 7200.0},
      {"1 \xc2\xb0", 0.017453292519943295},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    double v = value_of(rows[i].text);
    assert_near(v, rows[i].value, 4e-16 * rows[i].value);
  }
}

static void test_unit_dimensions(void** state) {
  (void)state;
  static const struct {
    const char *a, *b;
    bool is_same;
  } rows[] = {
      {"N", "kg m/s^2", true}, {"N m", "J", true},        {"W", "N m/s", true},
      {"bar", "N/mm^2", true}, {"rpm", "rad/s", true},    {"Hz", "1/s", true},
      {"rpm", "Hz", false},    {"N m", "N m/rad", false}, {"N/m", "N", false},
      {"deg", "rad", true},    {"%", "1", true},          {"m^3/(s Pa)", "m^3/s/Pa", true},
      {"N s/m", "kg/s", true}, {"m^-1", "1/m", true},     {"N\xc2\xb7s/m", "N s/m", true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    junit a, b;
    assert_true(junit_parse(rows[i].a, strlen(rows[i].a), &a, NULL, NULL));
    assert_true(junit_parse(rows[i].b, strlen(rows[i].b), &b, NULL, NULL));
    assert_int_equal(junit_same_dimension(&a, &b), rows[i].is_same);
  }
}

static void test_unit_shown_back(void** state) {
  (void)state;
  static const char* const texts[] = {"25 N/mm", "3 deg",    "60 km/h",
                                      "2.5 bar", "1500 rpm", "12 in"};
  static const char* const si[] = {"N/m", "rad", "m/s", "Pa", "rad/s", "m"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    size_t n, at, nunit;
    junit u;
    char buffer[JUNIT_MAX_TEXT];
    assert_true(junit_split(texts[i], &n, &at, &nunit));
    assert_true(junit_parse(texts[i] + at, nunit, &u, NULL, NULL));
    double given = strtod(texts[i], NULL);
    assert_near(junit_shown(value_of(texts[i]), &u), given, 1e-15 * given);
    junit_si_text(texts[i] + at, nunit, buffer, sizeof buffer);
    assert_string_equal(buffer, si[i]);
  }
  char buffer[8];
  junit_si_text("kN*s/(mm min)", 13, buffer, sizeof buffer);
  assert_string_equal(buffer, "N s/(m ");
}

static void test_unit_what_is_none(void** state) {
  (void)state;
  static const char* const texts[] = {"Nm", "N/",  "/s", "N//m", "N/m)", "(N/m",
                                      "m^", "m^x", "kt", "x",    "",     "m 2"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    junit u;
    assert_false(junit_parse(texts[i], strlen(texts[i]), &u, NULL, NULL));
  }
  junit u;
  const char* bad;
  size_t nbad;
  assert_false(junit_parse("N/mn", 4, &u, &bad, &nbad));
  assert_int_equal(nbad, 2);
  assert_memory_equal(bad, "mn", 2);
  static const char* const no[] = {"5", "5 - 3", "x", "5*m", "", "-", "5 1", "5(m)", "2e3"};
  size_t n, at, nunit;
  for (size_t i = 0; i < sizeof no / sizeof *no; i++) {
    assert_false(junit_split(no[i], &n, &at, &nunit));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_unit_decimal_factors_are_exact),
      cmocka_unit_test(test_unit_other_factors),
      cmocka_unit_test(test_unit_dimensions),
      cmocka_unit_test(test_unit_shown_back),
      cmocka_unit_test(test_unit_what_is_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
