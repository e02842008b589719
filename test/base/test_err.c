// SPDX-License-Identifier: Apache-2.0
// The context keeps what was said, in order, and at least the first error when memory ends.
#include "base/err.h"

#include "support/error_count.h"
#include "support/fixture.h"

static void test_err_first_error_is_the_message(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  assert_string_equal(jo_context_message(ctx), "");
  jerr_warn(ctx, "speed %d km/h is high", 300);
  assert_int_equal(jerr_set(ctx, JO_ERR_MODEL, "body '%s' is unknown", "wheel"), JO_ERR_MODEL);
  assert_int_equal(jerr_set(ctx, JO_ERR_FILE, "second"), JO_ERR_FILE);
  assert_string_equal(jo_context_message(ctx), "body 'wheel' is unknown");
  assert_int_equal(error_count(ctx), 2);
  fixture_close(f);
}

static void test_err_diagnostics_keep_order_and_severity(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  for (int i = 0; i < 100; i++) {
    if (i % 3 == 0) jerr_notice(ctx, "message %d", i);
    if (i % 3 == 1) jerr_warn(ctx, "message %d", i);
    if (i % 3 == 2) jerr_set(ctx, JO_ERR_MODEL, "message %d", i);
  }
  assert_int_equal(jo_context_diagnostic_count(ctx), 100);
  for (int i = 0; i < 100; i++) {
    char expected[32];
    snprintf(expected, sizeof expected, "message %d", i);
    jo_severity severity = JO_ERROR;
    assert_string_equal(jo_context_diagnostic(ctx, i, &severity), expected);
    assert_int_equal(severity, i % 3 == 0 ? JO_NOTICE : i % 3 == 1 ? JO_WARNING : JO_ERROR);
  }
  assert_string_equal(jo_context_diagnostic(ctx, 100, NULL), "");
  fixture_close(f);
}

static void test_err_clear_makes_the_context_as_new(void** state) {
  (void)state;
  failing_alloc f;
  failing_alloc_init(&f, -1);
  jo_context* ctx = NULL;
  assert_int_equal(jo_context_create(&f.allocator, &ctx), JO_OK);
  size_t bytes = f.live_bytes;
  for (int i = 0; i < 50; i++) {
    jerr_set(ctx, JO_ERR_MODEL, "message %d", i);
  }
  jo_context_clear(ctx);
  assert_int_equal(f.live_bytes, bytes);
  assert_int_equal(jo_context_diagnostic_count(ctx), 0);
  assert_int_equal(error_count(ctx), 0);
  assert_string_equal(jo_context_message(ctx), "");
  jo_context_destroy(ctx);
  assert_int_equal(f.live_bytes, 0);
}

static void test_err_survives_running_out_of_memory_anywhere(void** state) {
  (void)state;
  for (long n = 1; n < 30; n++) {
    failing_alloc f;
    failing_alloc_init(&f, n);
    jo_context* ctx = NULL;
    assert_int_equal(jo_context_create(&f.allocator, &ctx), JO_OK);
    for (int i = 0; i < 20; i++) {
      assert_int_equal(jerr_set(ctx, JO_ERR_MODEL, "message %d", i), JO_ERR_MODEL);
    }
    assert_int_equal(jerr_memory(ctx), JO_ERR_MEMORY);
    assert_string_equal(jo_context_message(ctx), "message 0");
    assert_int_equal(error_count(ctx), 21);
    int count = jo_context_diagnostic_count(ctx);
    assert_in_range(count, 1, 21);
    for (int i = 0; i < count; i++) {
      assert_true(strlen(jo_context_diagnostic(ctx, i, NULL)) > 0);
    }
    jo_context_destroy(ctx);
    assert_int_equal(f.live_bytes, 0);
  }
}

static void test_err_memory_never_allocates(void** state) {
  (void)state;
  failing_alloc f;
  failing_alloc_init(&f, 1);
  jo_context* ctx = NULL;
  assert_int_equal(jo_context_create(&f.allocator, &ctx), JO_OK);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(jerr_memory(ctx), JO_ERR_MEMORY);
  }
  assert_int_equal(f.calls, 1);
  assert_string_equal(jo_context_message(ctx), "out of memory");
  jo_context_destroy(ctx);
}

static void test_err_long_first_message_is_cut_not_lost(void** state) {
  (void)state;
  char text[5000];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  jerr_set(ctx, JO_ERR_SYNTAX, "%s", text);
  assert_int_equal(strlen(jo_context_message(ctx)), 1023);
  fixture_close(f);
}

static void test_err_create_tells_failure_and_leaves_null(void** state) {
  (void)state;
  failing_alloc f;
  failing_alloc_init(&f, 0);
  jo_context* ctx = (jo_context*)&f;
  assert_int_equal(jo_context_create(&f.allocator, &ctx), JO_ERR_MEMORY);
  assert_null(ctx);
  jo_allocator incomplete = {0};
  assert_int_equal(jo_context_create(&incomplete, &ctx), JO_ERR_ARGUMENT);
  assert_null(ctx);
  jo_context_destroy(NULL);
}

static void test_err_every_status_has_its_own_text(void** state) {
  (void)state;
  const char* text[] = {
#define X(name, value, what) jo_status_text(name),
      JO_STATUS_LIST(X)
#undef X
  };
  int n = (int)(sizeof text / sizeof *text);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(text[i], text[j]);
    }
  }
  assert_string_equal(jo_status_text((jo_status)-999), "unknown status");
  assert_string_equal(jo_version(), JO_VERSION_STRING);
}

static void test_err_notices_are_told_once(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  for (int i = 0; i < 4; i++) {
    jerr_notice(ctx, "notice %d", i / 2);
    jerr_warn(ctx, "warning");
  }
  assert_int_equal(jo_context_diagnostic_count(ctx), 6);  // two of the former, four of the latter
  jo_context_clear(ctx);
  jerr_notice(ctx, "notice 0");
  assert_int_equal(jo_context_diagnostic_count(ctx), 1);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_err_first_error_is_the_message),
      cmocka_unit_test(test_err_diagnostics_keep_order_and_severity),
      cmocka_unit_test(test_err_notices_are_told_once),
      cmocka_unit_test(test_err_clear_makes_the_context_as_new),
      cmocka_unit_test(test_err_survives_running_out_of_memory_anywhere),
      cmocka_unit_test(test_err_memory_never_allocates),
      cmocka_unit_test(test_err_long_first_message_is_cut_not_lost),
      cmocka_unit_test(test_err_create_tells_failure_and_leaves_null),
      cmocka_unit_test(test_err_every_status_has_its_own_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
