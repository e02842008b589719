// SPDX-License-Identifier: Apache-2.0
// SHA-256 as in FIPS 180-4, and a fast hash of bytes for tables in memory.
#include "base/hash.h"

#include <string.h>

uint64_t jhash_bytes(const void* data, size_t n) {
  const unsigned char* p = data;
  uint64_t h = jhash_mix(0x6a6f756e6365u, n);
  for (; n >= 8; p += 8, n -= 8) {
    uint64_t word;
    memcpy(&word, p, 8);
    h = jhash_mix(h, word);
  }
  if (n) {
    uint64_t word = 0;
    memcpy(&word, p, n);
    h = jhash_mix(h, word);
  }
  return h;
}

// FIPS 180-4, 4.2.2: first 32 bits of the fractional parts of the cube roots of the first 64 primes.
static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static inline uint32_t rotr(uint32_t x, int n) {
  return x >> n | x << (32 - n);
}

static inline uint32_t load_be32(const uint8_t* p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void store_be32(uint8_t* p, uint32_t x) {
  p[0] = (uint8_t)(x >> 24);
  p[1] = (uint8_t)(x >> 16);
  p[2] = (uint8_t)(x >> 8);
  p[3] = (uint8_t)x;
}

// 4.1.2: the functions of a round.
#define CH(x, y, z)  ((z) ^ ((x) & ((y) ^ (z))))
#define MAJ(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))
#define SIGMA0(x)    (rotr(x, 2) ^ rotr(x, 13) ^ rotr(x, 22))
#define SIGMA1(x)    (rotr(x, 6) ^ rotr(x, 11) ^ rotr(x, 25))
#define GAMMA0(x)    (rotr(x, 7) ^ rotr(x, 18) ^ (x) >> 3)
#define GAMMA1(x)    (rotr(x, 17) ^ rotr(x, 19) ^ (x) >> 10)

// One round; instead of moving eight variables along, the caller renames them.
#define ROUND(a, b, c, d, e, f, g, h, t)                       \
  do {                                                         \
    uint32_t t1 = (h) + SIGMA1(e) + CH(e, f, g) + K[t] + W[t]; \
    (d) += t1;                                                 \
    (h) = t1 + SIGMA0(a) + MAJ(a, b, c);                       \
  } while (0)

// 6.2.2: one block.
static void compress(uint32_t H[8], const uint8_t* block) {
  uint32_t W[64];
  for (int t = 0; t < 16; t++) {
    W[t] = load_be32(block + 4 * t);
  }
  for (int t = 16; t < 64; t++) {
    W[t] = GAMMA1(W[t - 2]) + W[t - 7] + GAMMA0(W[t - 15]) + W[t - 16];
  }
  uint32_t a = H[0], b = H[1], c = H[2], d = H[3], e = H[4], f = H[5], g = H[6], h = H[7];
  for (int t = 0; t < 64; t += 8) {
    ROUND(a, b, c, d, e, f, g, h, t);
    ROUND(h, a, b, c, d, e, f, g, t + 1);
    ROUND(g, h, a, b, c, d, e, f, t + 2);
    ROUND(f, g, h, a, b, c, d, e, t + 3);
    ROUND(e, f, g, h, a, b, c, d, t + 4);
    ROUND(d, e, f, g, h, a, b, c, t + 5);
    ROUND(c, d, e, f, g, h, a, b, t + 6);
    ROUND(b, c, d, e, f, g, h, a, t + 7);
  }
  const uint32_t add[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; i++) {
    H[i] += add[i];
  }
}

void jsha256_init(jsha256* s) {
  // 5.3.3
  *s = (jsha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c,
                           0x1f83d9ab, 0x5be0cd19}};
}

void jsha256_add(jsha256* s, const void* data, size_t n) {
  const uint8_t* p = data;
  s->length += n;
  if (s->fill) {
    size_t take = sizeof s->block - s->fill < n ? sizeof s->block - s->fill : n;
    memcpy(s->block + s->fill, p, take);
    s->fill += take;
    p += take;
    n -= take;
    if (s->fill < sizeof s->block) return;
    compress(s->state, s->block);
    s->fill = 0;
  }
  for (; n >= 64; p += 64, n -= 64) {
    compress(s->state, p);
  }
  if (n) memcpy(s->block, p, n);
  s->fill = n;
}

void jsha256_finish(jsha256* s, uint8_t digest[32]) {
  // 5.1.1: a one bit, zeros, the length in bits
  uint64_t bits = 8 * s->length;
  uint8_t tail[72] = {0x80};
  size_t zeros_to = (s->fill < 56 ? 56 : 120) - s->fill;
  store_be32(tail + zeros_to, (uint32_t)(bits >> 32));
  store_be32(tail + zeros_to + 4, (uint32_t)bits);
  jsha256_add(s, tail, zeros_to + 8);
  for (int i = 0; i < 8; i++) {
    store_be32(digest + 4 * i, s->state[i]);
  }
}

void jsha256_hex(const uint8_t digest[32], char hex[65]) {
  for (int i = 0; i < 32; i++) {
    hex[2 * i] = "0123456789abcdef"[digest[i] >> 4];
    hex[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
  }
  hex[64] = '\0';
}
