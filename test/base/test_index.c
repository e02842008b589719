// SPDX-License-Identifier: Apache-2.0
// Names to numbers: found in their scope, by their length, however many there are.
#include "base/index.h"

#include <stdio.h>
#include <string.h>

#include "support/check.h"

#define MANY 20000

static void test_index_finds_all_of_many_names(void** state) {
  (void)state;
  jo_context* ctx = NULL;
  jarena a;
  assert_int_equal(jo_context_create(NULL, &ctx), JO_OK);
  jarena_init(&a, ctx);
  jindex x = jindex_of(&a);
  assert_int_equal(jindex_find(&x, 0, "a", 1), -1);
  static char name[MANY][24];
  for (int i = 0; i < MANY; i++) {
    snprintf(name[i], sizeof name[i], "link_%d", i);
    assert_true(jindex_put(&x, i % 3, name[i], strlen(name[i]), i));
  }
  for (int i = 0; i < MANY; i++) {
    size_t n = strlen(name[i]);
    assert_int_equal(jindex_find(&x, i % 3, name[i], n), i);
    assert_int_equal(jindex_find(&x, (i + 1) % 3, name[i], n), -1);
    assert_int_equal(jindex_find(&x, i % 3, name[i], n - 1) == i, 0);
  }
  jarena_free(&a);
  jo_context_destroy(ctx);
}

static void test_index_keeps_the_first(void** state) {
  (void)state;
  jo_context* ctx = NULL;
  jarena a;
  assert_int_equal(jo_context_create(NULL, &ctx), JO_OK);
  jarena_init(&a, ctx);
  jindex x = jindex_of(&a);
  assert_true(jindex_put(&x, 0, "k", 1, 7));
  assert_true(jindex_put(&x, 0, "k", 1, 8));
  assert_int_equal(jindex_find(&x, 0, "k", 1), 7);
  assert_int_equal(jindex_find(&x, 0, "km", 2), -1);
  jarena_free(&a);
  jo_context_destroy(ctx);
}

static void test_index_without_an_arena_holds_nothing(void** state) {
  (void)state;
  jindex x = {0};
  assert_int_equal(jindex_find(&x, 0, "a", 1), -1);
  assert_false(jindex_put(&x, 0, "a", 1, 7));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_index_finds_all_of_many_names),
      cmocka_unit_test(test_index_keeps_the_first),
      cmocka_unit_test(test_index_without_an_arena_holds_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
