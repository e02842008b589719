// SPDX-License-Identifier: Apache-2.0
// Texts in order: everything a text names before it, long chains without a stack, cycles told.
#include "expr/tape/order.h"

#include "support/fixture.h"

#define LONG 50000

typedef struct texts {
  char (*text)[24];  // text i stands for name "a<i>"
  int n, asked;
} texts;

static const char* text_of(void* user, int i) {
  texts* t = user;
  t->asked++;
  return t->text[i];
}

static int find(void* user, const char* name, size_t n) {
  const texts* t = user;
  char digits[16] = {0};
  if (n < 2 || n > 10 || name[0] != 'a') return -1;
  memcpy(digits, name + 1, n - 1);
  int i = atoi(digits);
  return i < t->n ? i : -1;
}

static jo_status order_of(jo_context* ctx, texts* t, int root, int* order, int* n, int* cyclic) {
  jexpr_texts list = {t->n, t, text_of, find};
  return jexpr_order(ctx, &list, root, order, n, cyclic);
}

static void test_order_puts_names_before_their_users(void** state) {
  (void)state;
  char text[][24] = {"a3*(a1 + sin(a2))", "a2 + b7 + 2e3", "1", "a2^a1", "a0"};
  texts t = {text, 5, 0};
  int order[5], n, cyclic;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  assert_int_equal(order_of(ctx, &t, 0, order, &n, &cyclic), JO_OK);
  assert_int_equal(cyclic, -1);
  assert_int_equal(n, 4);  // a4 is not needed
  int wanted[] = {2, 1, 3, 0};
  assert_memory_equal(order, wanted, sizeof wanted);
  assert_int_equal(t.asked, 4);
  fixture_close(f);
}

static void test_order_has_room_for_long_chains_and_sees_cycles(void** state) {
  (void)state;
  texts t = {calloc(LONG, sizeof *t.text), LONG, 0};
  int *order = calloc(LONG, sizeof *order), n, cyclic;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  for (int i = 0; i < LONG; i++) {
    snprintf(t.text[i], sizeof t.text[i], "a%d + 1", i + 1);
  }
  assert_int_equal(order_of(ctx, &t, 0, order, &n, &cyclic), JO_OK);
  assert_int_equal(cyclic, -1);
  assert_int_equal(n, LONG);
  for (int i = 0; i < LONG; i++) {
    assert_int_equal(order[i], LONG - 1 - i);
  }
  snprintf(t.text[LONG - 1], sizeof t.text[0], "a17");
  assert_int_equal(order_of(ctx, &t, 0, order, &n, &cyclic), JO_OK);
  assert_int_equal(cyclic, 17);
  fixture_close(f);
  free(t.text);
  free(order);
}

static void test_order_says_when_memory_is_exhausted(void** state) {
  (void)state;
  char text[][24] = {"a1", "1"};
  texts t = {text, 2, 0};
  for (long k = 0;; k++) {
    failing_alloc f;
    failing_alloc_init(&f, k);
    jo_context* ctx;
    if (jo_context_create(&f.allocator, &ctx) < 0) continue;
    int order[2], n, cyclic;
    jo_status status = order_of(ctx, &t, 0, order, &n, &cyclic);
    jo_context_destroy(ctx);
    assert_int_equal(f.live_bytes, 0);
    assert_true(status == JO_OK || status == JO_ERR_MEMORY);
    if (status == JO_OK) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_order_puts_names_before_their_users),
      cmocka_unit_test(test_order_has_room_for_long_chains_and_sees_cycles),
      cmocka_unit_test(test_order_says_when_memory_is_exhausted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
