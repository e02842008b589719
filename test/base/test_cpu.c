// SPDX-License-Identifier: Apache-2.0
// Levels of the processor: those it has can be chosen, others are rejected by name.
#include "base/system/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "support/fixture.h"

#define COUNT(level, name, lanes) +1
enum { LEVELS = 0 JCPU_LEVELS(COUNT) };

static int free_variable(void** state) {
  unsetenv("JOUNCE_CPU");
  return fixture_teardown(state);
}

static void test_level_is_the_highest_unless_chosen(void** state) {
  fixture* f = *state;
  jcpu_level level;
  static const char* const same[] = {"", "native"};
  unsetenv("JOUNCE_CPU");
  assert_int_equal(jcpu_choose(f->ctx, &level), JO_OK);
  assert_int_equal(level, jcpu_detect());
  for (int i = 0; i < 2; i++) {
    setenv("JOUNCE_CPU", same[i], 1);
    assert_int_equal(jcpu_choose(f->ctx, &level), JO_OK);
    assert_int_equal(level, jcpu_detect());
  }
}

// Of all levels those of this processor are taken, with vectors that never get narrower; the others are errors that name it.
static void test_level_must_be_there(void** state) {
  fixture* f = *state;
  int taken = 0, lanes = 0;
  for (int i = 0; i < LEVELS; i++) {
    const char* name = jcpu_name((jcpu_level)i);
    jcpu_level level = jcpu_detect();
    setenv("JOUNCE_CPU", name, 1);
    if (jcpu_choose(f->ctx, &level) >= 0) {
      taken++;
      assert_int_equal(level, i);
      assert_int_equal(jcpu_chosen(), i);
      assert_true(jcpu_lanes(level) >= lanes && jcpu_lanes(level) <= JCPU_MAX_LANES);
      lanes = jcpu_lanes(level);
      if (jcpu_flag()) assert_string_equal(jcpu_flag() + strlen("-march="), name);
    } else {
      assert_non_null(strstr(jo_context_message(f->ctx), name));
      assert_non_null(strstr(jo_context_message(f->ctx), jcpu_name(jcpu_detect())));
      assert_int_equal(jcpu_chosen(), jcpu_detect());
    }
    jo_context_clear(f->ctx);
  }
  assert_true(taken > 0);
  assert_int_equal(jcpu_has_v3(), jcpu_detect() >= JCPU_V3);
}

static void test_unknown_level_is_rejected(void** state) {
  fixture* f = *state;
  const char* level = "untouched";
  int lanes = 0;
  setenv("JOUNCE_CPU", "pentium", 1);
  assert_int_equal(jo_processor(f->ctx, &level, &lanes), JO_ERR_ARGUMENT);
  assert_non_null(strstr(jo_context_message(f->ctx), "JOUNCE_CPU is 'pentium'; it must be"));
  assert_string_equal(level, "untouched");
  setenv("JOUNCE_CPU", "native", 1);
  jo_context_clear(f->ctx);
  assert_int_equal(jo_processor(f->ctx, &level, &lanes), JO_OK);
  assert_string_equal(level, jcpu_name(jcpu_detect()));
  assert_int_equal(lanes, jcpu_lanes(jcpu_detect()));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_level_is_the_highest_unless_chosen, fixture_setup,
                                      free_variable),
      cmocka_unit_test_setup_teardown(test_level_must_be_there, fixture_setup, free_variable),
      cmocka_unit_test_setup_teardown(test_unknown_level_is_rejected, fixture_setup, free_variable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
