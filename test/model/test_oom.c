// SPDX-License-Identifier: Apache-2.0
// Memory ends at every point of reading a model: nothing leaks, nothing crashes, and it is said.
// (libfyaml has an allocator of its own and is not part of this.)
#include "model/model.h"
#include "support/check.h"
#include "support/failing_alloc.h"

static jo_status work(const jo_allocator* allocator, const char* path, const jmodel_setting* set,
                      int nset) {
  jo_context* ctx;
  jmodel* m;
  jo_status status = jo_context_create(allocator, &ctx);
  if (status < 0) return status;
  status = jmodel_load(ctx, path, set, nset, &m);
  assert_true((status < 0) == (m == NULL));
  if (status < 0) assert_true(jo_context_message(ctx)[0] != '\0');
  jmodel_destroy(m);
  jo_context_destroy(ctx);
  return status;
}

static void check_path(const char* path, const jmodel_setting* set, int nset, jo_status last) {
  for (int once = 0; once < 2; once++) {
    for (long n = 0;; n++) {
      failing_alloc f;
      failing_alloc_init(&f, n);
      f.once = once;
      jo_status status = work(&f.allocator, path, set, nset);
      assert_int_equal(f.live_bytes, 0);
      if (f.calls <= n) {  // n allocations were enough
        assert_int_equal(status, last);
        break;
      }
      assert_true(status == JO_ERR_MEMORY || (last < 0 && status == last));
      assert_true(n < 100000);
    }
  }
}

static void test_good_model(void** state) {
  (void)state;
  const jmodel_setting set[] = {{"k", "3"}, {"bodies.arm.com.x", "1"}};
  check_path("test/model/good/full.yaml", set, 2, JO_OK);
}

static void test_included_models(void** state) {
  (void)state;
  check_path("test/model/good/manoeuvre.yaml", NULL, 0, JO_OK);
}

static void test_instances(void** state) {
  (void)state;
  const jmodel_setting set[] = {{"hardpoints.x1.l.P.y", "2"}, {"instances.x3.about", "z"}};
  check_path("test/model/good/templates.yaml", set, 2, JO_OK);
}

static void test_words(void** state) {
  (void)state;
  const jmodel_setting set[] = {{"k", "3 N/mm"}, {"tables.measured.z[1][0]", "2 kN"}};
  check_path("test/model/good/words.yaml", set, 2, JO_OK);
}

static void test_bad_model(void** state) {
  (void)state;
  const jmodel_setting set[] = {{"nothing", "3"}};
  check_path("test/model/bad/many.yaml", set, 1, JO_ERR_MODEL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_good_model), cmocka_unit_test(test_included_models),
      cmocka_unit_test(test_instances),  cmocka_unit_test(test_words),
      cmocka_unit_test(test_bad_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
