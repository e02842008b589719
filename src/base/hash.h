// SPDX-License-Identifier: Apache-2.0
// Content hashes: a fast 64-bit mix for tables in memory, SHA-256 for files and models.
#ifndef JBASE_HASH_H
#define JBASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t jhash_mix(uint64_t h, uint64_t x) {
  h ^= x + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdu;
  return h ^ (h >> 32);
}

uint64_t jhash_bytes(const void* data, size_t n);

typedef struct jsha256 {
  uint32_t state[8];
  uint64_t length;
  uint8_t block[64];
  size_t fill;
} jsha256;

void jsha256_init(jsha256* s);
void jsha256_add(jsha256* s, const void* data, size_t n);
void jsha256_finish(jsha256* s, uint8_t digest[32]);
void jsha256_hex(const uint8_t digest[32], char hex[65]);

#endif
