// SPDX-License-Identifier: Apache-2.0
// Names of an index: all are found, the first of equal ones counts, others are not there.
#include "base/index.h"

#include <stdio.h>
#include <string.h>

#include "support/fixture.h"

static void test_index_finds_every_name(void** state) {
  fixture* f = *state;
  enum { N = 3000 };
  jindex x = {0};
  assert_int_equal(jindex_find(&x, "a", 1), -1);
  assert_true(jindex_create(&f->a, N, &x));
  for (int i = 0; i < N; i++) {
    char name[16];
    snprintf(name, sizeof name, "s%d", i);
    jindex_add(&x, jarena_strdup(&f->a, name), i);
  }
  for (int i = 0; i < N; i++) {
    char name[24];
    snprintf(name, sizeof name, "s%d + 1", i);  // as in an expression: no zero behind it
    assert_int_equal(jindex_find(&x, name, strcspn(name, " ")), i);
  }
  assert_int_equal(jindex_find(&x, "s3000", 5), -1);
  assert_int_equal(jindex_find(&x, "", 0), -1);
}

static void test_index_keeps_the_first(void** state) {
  fixture* f = *state;
  jindex x;
  assert_true(jindex_create(&f->a, 2, &x));
  jindex_add(&x, "k", 7);
  jindex_add(&x, "k", 8);
  assert_int_equal(jindex_find(&x, "k", 1), 7);
  assert_int_equal(jindex_find(&x, "km", 2), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_index_finds_every_name, fixture_setup, fixture_teardown),
      cmocka_unit_test_setup_teardown(test_index_keeps_the_first, fixture_setup, fixture_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
