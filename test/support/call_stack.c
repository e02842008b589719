// SPDX-License-Identifier: Apache-2.0
#include "support/call_stack.h"

#include <assert.h>
#include <execinfo.h>

#define DEEPEST 256

int call_stack_depth(void) {
  void* caller[DEEPEST];
  return backtrace(caller, DEEPEST) - 1;  // without this function
}

uint64_t call_stack_hash(int outer) {
  void* caller[DEEPEST];
  int n = backtrace(caller, DEEPEST);
  assert(n < DEEPEST);                    // all of them are seen
  uint64_t hash = 14695981039346656037u;  // FNV-1a, an address at a time
  for (int i = 0; i < n - outer; i++) {
    hash = (hash ^ (uint64_t)(uintptr_t)caller[i]) * 1099511628211u;
    hash ^= hash >> 29;
  }
  return hash;
}
