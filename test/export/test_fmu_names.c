// SPDX-License-Identifier: Apache-2.0
// Names of variables: as the standard writes them, each once, whatever a model calls its parts.
#include "export/fmu_names.h"

#include "support/fixture.h"

static void test_names_are_structured(void** state) {
  fixture* f = *state;
  const char* const all[][3] = {
      {NULL, "k_f", "k_f"},
      {NULL, "wheel[1].z", "wheel[1].z"},
      {NULL, "wheel[1,2]", "wheel[1,2]"},
      {NULL, "wheel[]", "'wheel[]'"},
      {NULL, "wheel[1,]", "'wheel[1,]'"},
      {NULL, "wheel[1]x", "'wheel[1]x'"},
      {"states", "tyre: delta > 0", "states.'tyre: delta > 0'"},
      {"states", "a.b c.d", "states.a.'b c'.d"},
      {NULL, "1st", "'1st'"},
      {NULL, "it's \"x\" \\", "'it\\'s \\\"x\\\" \\\\'"},
      {NULL, "a..b", "a.'_'.b"},
      {NULL, "", "'_'"},
      {NULL, "a`b", "'a_b'"},
  };
  jexport_fmu_names names = {.a = &f->a};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    assert_true(jexport_fmu_can_structure(all[i][1]));
    assert_string_equal(jexport_fmu_name(&names, all[i][0], all[i][1], false), all[i][2]);
  }
  assert_string_equal(jexport_fmu_name(&names, "states", "z", true), "der(states.z)");
}

static void test_names_are_given_once(void** state) {
  fixture* f = *state;
  jexport_fmu_names names = {.a = &f->a};
  assert_string_equal(jexport_fmu_name(&names, NULL, "a", false), "a");
  assert_string_equal(jexport_fmu_name(&names, NULL, "a_2", false), "a_2");
  assert_string_equal(jexport_fmu_name(&names, NULL, "a", false), "a_3");
  assert_string_equal(jexport_fmu_name(&names, NULL, "b c", false), "'b c'");
  assert_string_equal(jexport_fmu_name(&names, NULL, "b c", false), "'b c_2'");
  for (int i = 0; i < 200; i++)  // the list grows
    assert_non_null(jexport_fmu_name(&names, NULL, "x", false));
  assert_string_equal(jexport_fmu_name(&names, NULL, "x", false), "x_201");
}

static void test_names_stay_as_they_are_where_they_must(void** state) {
  fixture* f = *state;
  assert_false(jexport_fmu_can_structure("h\xc3\xb6he"));
  assert_false(jexport_fmu_can_structure("a\tb"));
  jexport_fmu_names names = {.a = &f->a, .is_flat = true};
  assert_string_equal(jexport_fmu_name(&names, "states", "h\xc3\xb6he x", true),
                      "der(states.h\xc3\xb6he x)");
}

static void test_identifiers(void** state) {
  fixture* f = *state;
  assert_string_equal(jexport_fmu_identifier(&f->a, "sedan on the four-poster"),
                      "sedan_on_the_four_poster");
  assert_string_equal(jexport_fmu_identifier(&f->a, "3 h\xc3\xb6hen"), "_3_h_hen");
  assert_string_equal(jexport_fmu_identifier(&f->a, ""), "_");
  assert_string_equal(jexport_fmu_identifier(&f->a, "../x; rm"), "_x_rm");
  const char* cut = jexport_fmu_identifier(
      &f->a, "a_very_long_name_of_a_model_that_goes_on_and_on_and_on_until_nobody_reads_it");
  assert_int_equal(strlen(cut), 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_names_are_structured), fixture_test(test_names_are_given_once),
      fixture_test(test_names_stay_as_they_are_where_they_must), fixture_test(test_identifiers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
