// SPDX-License-Identifier: Apache-2.0
// Machine code that is being written: bytes, and the places that refer to constants behind them. Encoders
// (emit/encode/x86.c, emit/encode/arm64.c) write it.
#ifndef JEMIT_CODE_H
#define JEMIT_CODE_H

#include <stdint.h>

#include "base/mem.h"
#include "base/system/cpu.h"

typedef void (*jemit_function)(void);

// A register, memory at a general register, or a constant of the pool behind the code.
typedef enum jemit_kind { JEMIT_REGISTER, JEMIT_MEMORY, JEMIT_POOL } jemit_kind;
typedef struct jemit_location {
  jemit_kind kind;
  int reg;        // vector register, or the general one that memory is at
  int32_t at;     // [bytes]
  bool is_splat;  // memory has one double, for all places
  int value;      // for listings: 1 behind the value that is there; 0: none
} jemit_location;

// A place of the code that refers to the pool.
typedef struct jemit_fix {
  uint32_t code, end;  // where the distance stands, and what it counts from
  uint32_t pool;
} jemit_fix;

typedef struct jemit_code {
  jo_context* ctx;
  jcpu_level level;
  struct jemit_listing* listing;  // emit/encode/listing.h; NULL: none
  uint8_t* byte;
  int n, cap;
  jemit_fix* fix;
  int nfix, fix_cap;
  int pool;     // where constants of the function at hand begin in the pool [bytes]
  bool failed;  // no memory; everything after does nothing
} jemit_code;

// The lowest `bytes` bytes of a word, lowest first.
void jemit_code_put(jemit_code* c, uint64_t word, int bytes);
void jemit_code_fix(jemit_code* c, jemit_fix fix);
void jemit_code_free(jemit_code* c);

static inline jemit_location jemit_in_register(int reg) {
  return (jemit_location){.kind = JEMIT_REGISTER, .reg = reg};
}
static inline jemit_location jemit_in_memory(int base, int32_t at) {
  return (jemit_location){.kind = JEMIT_MEMORY, .reg = base, .at = at};
}
static inline jemit_location jemit_in_pool(int32_t at) {
  return (jemit_location){.kind = JEMIT_POOL, .at = at};
}

#endif
