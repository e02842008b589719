// SPDX-License-Identifier: Apache-2.0
// Archives: what was put in comes out, the same files are the same bytes, and what does not fit is refused.
#include "base/text/zip.h"

#include <string.h>
#include <zlib.h>

#include "base/system/file.h"
#include "support/fixture.h"

#define LARGE 300000

static void fill(char* data, size_t n) {
  uint32_t x = 1;
  for (size_t i = 0; i < n; i++) {
    x = x * 1664525u + 1013904223u;
    data[i] = (char)(i % 7 < 5 ? 'a' + i % 11 : x >> 24);
  }
}

static jo_status write_archive(jo_context* ctx, const char* path, const char* large) {
  jzip z;
  jzip_init(&z, ctx);
  jo_status status = jzip_add(&z, "a.txt", "hello, hello, hello", 19);
  if (status >= 0) status = jzip_add(&z, "folder/empty", "", 0);
  if (status >= 0) status = jzip_add(&z, "folder/large.bin", large, LARGE);
  if (status >= 0) status = jzip_write(&z, path, NULL);
  jzip_free(&z);
  return status;
}

static uint32_t number(const char* at, int bytes) {
  uint32_t x = 0;
  for (int i = bytes - 1; i >= 0; i--)
    x = x << 8 | (unsigned char)at[i];
  return x;
}

// The i-th file of an archive, found by its directory and inflated.
static void check_file(const char* data, size_t size, int i, const char* name, const char* content,
                       size_t length) {
  const char* end = data + size - 22;
  assert_int_equal(number(end, 4), 0x06054b50u);
  assert_int_equal(number(end + 10, 2), 3);
  const char* at = data + number(end + 16, 4);
  for (int k = 0; k < i; k++)
    at += 46 + number(at + 28, 2);
  assert_int_equal(number(at, 4), 0x02014b50u);
  assert_int_equal(number(at + 6, 2), 20);            // needed to extract
  assert_int_equal(number(at + 10, 2), 8);            // deflate
  assert_int_equal(number(at + 12, 4), 0x00210000u);  // 1980-01-01
  assert_int_equal(number(at + 24, 4), length);
  assert_int_equal(number(at + 28, 2), strlen(name));
  assert_memory_equal(at + 46, name, strlen(name));
  assert_int_equal(number(at + 16, 4), crc32(0, (const Bytef*)content, (uInt)length));
  const char* local = data + number(at + 42, 4);
  assert_int_equal(number(local, 4), 0x04034b50u);
  assert_memory_equal(local + 4, at + 6, 26);  // both headers say the same
  static char out[LARGE + 1];
  z_stream s = {.next_in = (Bytef*)(local + 30 + strlen(name)),
                .avail_in = number(at + 20, 4),
                .next_out = (Bytef*)out,
                .avail_out = sizeof out};
  assert_int_equal(inflateInit2(&s, -MAX_WBITS), Z_OK);
  assert_int_equal(inflate(&s, Z_FINISH), Z_STREAM_END);
  assert_int_equal(s.total_out, length);
  assert_int_equal(s.avail_in, 0);
  inflateEnd(&s);
  assert_memory_equal(out, content, length);
}

static void test_zip_gives_back_what_was_put_in(void** state) {
  fixture* f = *state;
  static char large[LARGE];
  fill(large, LARGE);
  const char* path[] = {fixture_below(f, "one.zip"), fixture_below(f, "two.zip")};
  char* data[2];
  size_t size[2];
  for (int i = 0; i < 2; i++) {
    assert_int_equal(write_archive(f->ctx, path[i], large), JO_OK);
    assert_int_equal(jfile_read(f->ctx, &f->a, path[i], 1 << 24, &data[i], &size[i]), JO_OK);
  }
  assert_int_equal(size[0], size[1]);
  assert_memory_equal(data[0], data[1], size[0]);
  assert_true(size[0] < LARGE);
  check_file(data[0], size[0], 0, "a.txt", "hello, hello, hello", 19);
  check_file(data[0], size[0], 1, "folder/empty", "", 0);
  check_file(data[0], size[0], 2, "folder/large.bin", large, LARGE);
}

static void test_zip_refuses_what_does_not_fit(void** state) {
  fixture* f = *state;
  jzip z;
  jzip_init(&z, f->ctx);
  assert_refused(f->ctx, jzip_add(&z, "huge", "", (size_t)1 << 32), JO_ERR_LIMIT, "huge", "4 GiB");
  z.nfile = 65534;
  jo_context_clear(f->ctx);
  assert_refused(f->ctx, jzip_add(&z, "many", "", 0), JO_ERR_LIMIT, "65534");
  jzip_free(&z);
}

static void test_zip_memory_ends_anywhere(void** state) {
  fixture* f = *state;
  static char large[LARGE];
  fill(large, LARGE);
  const char* path = fixture_below(f, "oom.zip");
  for (long n = 0;; n++) {
    failing_alloc memory;
    failing_alloc_init(&memory, n);
    jo_context* ctx = NULL;
    jo_status status = jo_context_create(&memory.allocator, &ctx);
    if (status >= 0) status = write_archive(ctx, path, large);
    jo_context_destroy(ctx);
    assert_int_equal(memory.live_bytes, 0);
    if (status >= 0) break;
    assert_int_equal(status, JO_ERR_MEMORY);
    assert_false(jfile_exists(path));
  }
  assert_true(jfile_exists(path));
}

int main(void) {
  const struct CMUnitTest tests[] = {fixture_test(test_zip_gives_back_what_was_put_in),
                                     fixture_test(test_zip_refuses_what_does_not_fit),
                                     fixture_test(test_zip_memory_ends_anywhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
