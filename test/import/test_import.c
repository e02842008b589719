// SPDX-License-Identifier: Apache-2.0
// Files of other programs through the public interface: what is told, what is refused, and memory that ends at every
// point. What the models are is tested from outside (test/cli/test_import.py). expat has an allocator of its own.
#include "jounce/import.h"

#include <string.h>

#include "support/check.h"
#include "support/failing_alloc.h"
#include "support/fixture.h"

static const char* const files[] = {"test/data/import/arm.urdf", "test/data/import/walker.xml",
                                    "test/data/import/loops.xml", "test/data/import/buggy.mbs",
                                    "test/data/import/loops.mbs"};

static jo_status work(const jo_allocator* allocator, const char* path) {
  jo_context* ctx;
  jo_imported* taken;
  jo_status status = jo_context_create(allocator, &ctx);
  if (status < 0) return status;
  status = jo_import(ctx, path, &taken);
  assert_true((status < 0) == (taken == NULL));
  if (status < 0) assert_true(jo_context_message(ctx)[0] != '\0');
  if (status >= 0) assert_non_null(strstr(jo_imported_text(taken), "\njounce: 1\n"));
  jo_imported_destroy(taken);
  jo_context_destroy(ctx);
  return status;
}

static void test_memory_ends_anywhere(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    for (int once = 0; once < 2; once++) {
      for (long n = 0;; n++) {
        failing_alloc f;
        failing_alloc_init(&f, n);
        f.once = once;
        jo_status status = work(&f.allocator, files[i]);
        assert_int_equal(f.live_bytes, 0);
        if (f.calls <= n) {
          assert_int_equal(status, JO_OK);
          break;
        }
        assert_int_equal(status, JO_ERR_MEMORY);
        assert_true(n < 100000);
      }
    }
  }
}

static void test_info_and_remarks_are_those_of_the_file(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_imported* taken = NULL;
  assert_ok(f->ctx, jo_import(f->ctx, "test/data/import/loops.mbs", &taken));
  jo_imported_info info = jo_imported_inspect(taken);
  assert_string_equal(info.format, "ROBOTRAN");
  assert_int_equal(info.bodies, 6);
  assert_int_equal(info.joints, 6);
  assert_int_equal(info.closures, 3);
  assert_int_equal(info.remarks, 1);
  jo_import_remark r;
  assert_int_equal(jo_imported_remark_at(taken, 0, &r), JO_OK);
  assert_int_equal(r.kind, JO_IMPORT_CHANGED);
  assert_int_equal(r.line, 56);
  assert_non_null(strstr(r.text, "cut 'pin' ignores"));
  assert_int_equal(jo_imported_remark_at(taken, 1, &r), JO_ERR_ARGUMENT);
  assert_int_equal(jo_imported_remark_at(taken, -1, &r), JO_ERR_ARGUMENT);
  jo_imported_destroy(taken);
  fixture_close(f);
}

static void test_what_is_no_such_file_says_why(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_imported* taken = NULL;
  assert_true(jo_import(f->ctx, "test/data/import/none.urdf", &taken) < 0);
  assert_null(taken);
  assert_non_null(strstr(jo_context_message(f->ctx), "none.urdf"));
  jo_context_clear(f->ctx);
  assert_int_equal(jo_import(f->ctx, "models/mechanisms/pendulum.yaml", &taken), JO_ERR_MODEL);
  assert_non_null(strstr(jo_context_message(f->ctx), "pendulum.yaml:1: not XML"));
  jo_context_clear(f->ctx);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_memory_ends_anywhere),
      cmocka_unit_test(test_info_and_remarks_are_those_of_the_file),
      cmocka_unit_test(test_what_is_no_such_file_says_why),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
