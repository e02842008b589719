// SPDX-License-Identifier: Apache-2.0
// Arenas hand out zeroed, aligned, separate memory, and give all of it back.
#include "base/mem.h"

#include <limits.h>

#include "support/fixture.h"

static bool is_zero(const unsigned char* p, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (p[i]) return false;
  }
  return true;
}

static void test_mem_arena_blocks_are_zeroed_aligned_and_separate(void** state) {
  fixture* x = *state;
  jarena a;
  jarena_init(&a, x->ctx);
  enum { N = 2000 };
  unsigned char* p[N];
  for (int i = 0; i < N; i++) {
    size_t size = (size_t)(i * 7 % 501);
    p[i] = jarena_alloc(&a, size);
    assert_non_null(p[i]);
    assert_int_equal((uintptr_t)p[i] % _Alignof(max_align_t), 0);
    assert_true(is_zero(p[i], size));
    memset(p[i], i % 255 + 1, size);
  }
  for (int i = 0; i < N; i++) {
    for (size_t k = 0; k < (size_t)(i * 7 % 501); k++) {
      assert_int_equal(p[i][k], i % 255 + 1);
    }
  }
  jarena_free(&a);
}

static void test_mem_arena_is_zeroed_after_restore(void** state) {
  fixture* x = *state;
  jarena a;
  jarena_init(&a, x->ctx);
  assert_non_null(jarena_alloc(&a, 100));
  jarena_mark mark = jarena_save(&a);
  unsigned char* first = jarena_alloc(&a, 1000);
  memset(first, 0xff, 1000);
  jarena_restore(&a, mark);
  unsigned char* second = jarena_alloc(&a, 1000);
  assert_ptr_equal(first, second);
  assert_true(is_zero(second, 1000));
  jarena_free(&a);
}

static void test_mem_arena_restore_gives_blocks_back(void** state) {
  fixture* x = *state;
  jarena a;
  jarena_init(&a, x->ctx);
  jarena_mark empty = jarena_save(&a);
  char* keep = jarena_strdup(&a, "kept");
  size_t before = x->memory.live_bytes;
  jarena_mark mark = jarena_save(&a);
  for (int i = 0; i < 100; i++) {
    assert_non_null(jarena_alloc(&a, 100000));
  }
  jarena_restore(&a, mark);
  assert_int_equal(x->memory.live_bytes, before);
  assert_string_equal(keep, "kept");
  jarena_restore(&a, empty);
  assert_null(a.head);
  assert_non_null(jarena_alloc(&a, 1));
  jarena_free(&a);
}

static void test_mem_arena_needs_few_blocks(void** state) {
  fixture* x = *state;
  jarena a;
  jarena_init(&a, x->ctx);
  long calls = x->memory.calls;
  for (int i = 0; i < 100000; i++) {
    assert_non_null(jarena_alloc(&a, 32));
  }
  // 3.2 MB in blocks of 4 KiB ... 1 MiB: eight doublings, then three of the largest
  assert_in_range(x->memory.calls - calls, 1, 12);
  jarena_free(&a);
}

static void test_mem_arena_refuses_overflowing_sizes(void** state) {
  fixture* x = *state;
  jarena a;
  jarena_init(&a, x->ctx);
  assert_null(jarena_alloc(&a, SIZE_MAX));
  assert_null(jarena_array(&a, SIZE_MAX / 4, 8));
  assert_null(jarena_array(&a, 3, SIZE_MAX / 2));
  assert_non_null(jarena_array(&a, 0, 8));
  jarena_free(&a);
}

static void test_mem_arena_copies_texts(void** state) {
  fixture* x = *state;
  jarena a;
  jarena_init(&a, x->ctx);
  assert_string_equal(jarena_strdup(&a, ""), "");
  assert_string_equal(jarena_strndup(&a, "wheel_fl", 5), "wheel");
  char* text = jarena_printf(&a, "%0*d|%s", 5000, 7, "end");
  assert_int_equal(strlen(text), 5004);
  assert_string_equal(text + 4999, "7|end");
  jarena_free(&a);
}

static void test_mem_arena_survives_running_out_of_memory(void** state) {
  (void)state;
  for (long n = 1; n < 6; n++) {
    failing_alloc f;
    failing_alloc_init(&f, n);
    jo_context* ctx = NULL;
    assert_int_equal(jo_context_create(&f.allocator, &ctx), JO_OK);
    jarena a;
    jarena_init(&a, ctx);
    int got = 0;
    while (jarena_alloc(&a, 4000)) {
      got++;
    }
    assert_true(n == 1 ? got == 0 : got > 0);
    assert_null(jarena_printf(&a, "%4000d", 1));
    assert_null(JARENA_ARRAY(&a, 500, double));
    jarena_free(&a);
    jo_context_destroy(ctx);
    assert_int_equal(f.live_bytes, 0);
  }
}

static void test_mem_grow_keeps_content_and_grows_geometrically(void** state) {
  fixture* x = *state;
  int* item = NULL;
  int cap = 0;
  long calls = x->memory.calls;
  for (int n = 0; n < 10000; n++) {
    assert_true(jmem_grow(x->ctx, &item, &cap, n + 1, sizeof *item));
    item[n] = n;
  }
  for (int n = 0; n < 10000; n++) {
    assert_int_equal(item[n], n);
  }
  assert_in_range(x->memory.calls - calls, 1, 16);
  jmem_free(x->ctx, item);
}

static void test_mem_grow_failure_changes_nothing(void** state) {
  fixture* x = *state;
  int* item = NULL;
  int cap = 0;
  assert_true(jmem_grow(x->ctx, &item, &cap, 1, sizeof *item));
  item[0] = 42;
  int* old = item;
  int old_cap = cap;
  x->memory.fail_at = x->memory.calls;
  assert_false(jmem_grow(x->ctx, &item, &cap, cap + 1, sizeof *item));
  x->memory.fail_at = -1;
  assert_false(jmem_grow(x->ctx, &item, &cap, INT_MAX, SIZE_MAX / 1000));
  assert_ptr_equal(item, old);
  assert_int_equal(cap, old_cap);
  assert_int_equal(item[0], 42);
  jmem_free(x->ctx, item);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_mem_arena_blocks_are_zeroed_aligned_and_separate),
      fixture_test(test_mem_arena_is_zeroed_after_restore),
      fixture_test(test_mem_arena_restore_gives_blocks_back),
      fixture_test(test_mem_arena_needs_few_blocks),
      fixture_test(test_mem_arena_refuses_overflowing_sizes),
      fixture_test(test_mem_arena_copies_texts),
      cmocka_unit_test(test_mem_arena_survives_running_out_of_memory),
      fixture_test(test_mem_grow_keeps_content_and_grows_geometrically),
      fixture_test(test_mem_grow_failure_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
