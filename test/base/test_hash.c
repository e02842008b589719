// SPDX-License-Identifier: Apache-2.0
// SHA-256 against the examples of FIPS 180-4 and NIST's test vectors; the table hash spreads.
#include "base/hash.h"

#include "support/check.h"

static void hash_hex(const void* data, size_t n, char hex[65]) {
  jsha256 s;
  uint8_t digest[32];
  jsha256_init(&s);
  jsha256_add(&s, data, n);
  jsha256_finish(&s, digest);
  jsha256_hex(digest, hex);
}

static void test_hash_sha256_published_vectors(void** state) {
  (void)state;
  const struct {
    const char* text;
    const char* hex;
  } list[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
       "lmnopqrsmnopqrstnopqrstu",
       "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
  };
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    char hex[65];
    hash_hex(list[i].text, strlen(list[i].text), hex);
    assert_string_equal(hex, list[i].hex);
  }
}

static void test_hash_sha256_million_letters(void** state) {
  (void)state;
  char piece[1000];
  memset(piece, 'a', sizeof piece);
  jsha256 s;
  jsha256_init(&s);
  for (int i = 0; i < 1000; i++) {
    jsha256_add(&s, piece, sizeof piece);
  }
  uint8_t digest[32];
  char hex[65];
  jsha256_finish(&s, digest);
  jsha256_hex(digest, hex);
  assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_hash_sha256_does_not_depend_on_the_pieces(void** state) {
  (void)state;
  char data[300];
  for (size_t i = 0; i < sizeof data; i++) {
    data[i] = (char)(i * 31);
  }
  for (size_t n = 0; n <= sizeof data; n++) {
    char whole[65], pieces[65];
    hash_hex(data, n, whole);
    jsha256 s;
    uint8_t digest[32];
    jsha256_init(&s);
    size_t step = n % 67 + 1;
    for (size_t at = 0; at < n; at += step) {
      jsha256_add(&s, data + at, n - at < step ? n - at : step);
    }
    jsha256_finish(&s, digest);
    jsha256_hex(digest, pieces);
    assert_string_equal(whole, pieces);
  }
}

static void test_hash_bytes_spreads_small_differences(void** state) {
  (void)state;
  // 20000 keys in 2^16 buckets: random hashing leaves 73.7 % of them empty
  static unsigned char bucket[1 << 16];
  int used = 0;
  for (uint32_t i = 0; i < 20000; i++) {
    uint32_t key[3] = {3, i, 0};
    uint64_t h = jhash_bytes(key, sizeof key) & 0xffff;
    used += !bucket[h];
    bucket[h] = 1;
  }
  assert_near(used, 17234, 400);  // 2^16 (1 - exp(-20000 / 2^16)) = 17234, five sigma
  assert_true(jhash_bytes("ab", 2) != jhash_bytes("ab\0", 3));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_hash_sha256_published_vectors),
      cmocka_unit_test(test_hash_sha256_million_letters),
      cmocka_unit_test(test_hash_sha256_does_not_depend_on_the_pieces),
      cmocka_unit_test(test_hash_bytes_spreads_small_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
