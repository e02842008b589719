// SPDX-License-Identifier: Apache-2.0
// Numbers have a point, whatever the host's locale, wherever text comes from.
#include "base/text/format.h"

#include <stdio.h>

#include "base/err.h"
#include "base/text/text.h"
#include "support/comma_locale.h"
#include "support/fixture.h"

static void test_format_counts_what_does_not_fit(void** state) {
  (void)state;
  char buffer[4];
  assert_int_equal(jformat(buffer, sizeof buffer, "%d", 123456), 6);
  assert_string_equal(buffer, "123");
  assert_int_equal(jformat(NULL, 0, "%.2f", 1.0), 4);
}

static void test_format_ignores_the_locale_and_leaves_it(void** state) {
  (void)state;
  if (!comma_locale_choose()) skip();
  char buffer[64];
  jformat(buffer, sizeof buffer, "%.1f %g", 0.5, 1.25);
  assert_string_equal(buffer, "0.5 1.25");
  snprintf(buffer, sizeof buffer, "%.1f", 0.5);
  assert_string_equal(buffer, "0,5");
  comma_locale_leave();
}

static void test_format_is_behind_texts_arenas_and_messages(void** state) {
  (void)state;
  if (!comma_locale_choose()) skip();
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  assert_string_equal(jarena_printf(&f->a, "%.2f", 0.25), "0.25");
  jtext t;
  jtext_init(&t, ctx);
  jtext_printf(&t, "%g ", 2.5);
  jtext_number(&t, 0.1);
  assert_string_equal(t.data, "2.5 0.1");
  jerr_set(ctx, JO_ERR_NUMERIC, "at %g", 1.5);
  jerr_warn(ctx, "after %g", 2.5);
  assert_string_equal(jo_context_message(ctx), "at 1.5");
  assert_string_equal(jo_context_diagnostic(ctx, 1, NULL), "after 2.5");
  jtext_free(&t);
  fixture_close(f);
  comma_locale_leave();
}

static void test_format_in_the_c_locale(void** state) {
  (void)state;
  char buffer[64];
  assert_int_equal(jformat(buffer, sizeof buffer, "%.1f %g %s", 0.5, -1e-7, "x"), 12);
  assert_string_equal(buffer, "0.5 -1e-07 x");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_format_in_the_c_locale),
      cmocka_unit_test(test_format_counts_what_does_not_fit),
      cmocka_unit_test(test_format_ignores_the_locale_and_leaves_it),
      cmocka_unit_test(test_format_is_behind_texts_arenas_and_messages),
  };
  return cmocka_run_group_tests_name("base.format", tests, NULL, NULL);
}
