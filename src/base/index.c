// SPDX-License-Identifier: Apache-2.0
#include "base/index.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

bool jindex_create(jarena* a, int n, jindex* out) {
  // at least half of it stays free: a search ends soon, and always
  size_t cap = 2 * (size_t)n + 1;
  jindex_entry* slot = JARENA_ARRAY(a, cap, jindex_entry);
  if (!slot) return false;
  *out = (jindex){slot, cap};
  return true;
}

// Where a name stands, or would.
static jindex_entry* find(const jindex* x, const char* name, size_t n) {
  size_t at = (size_t)jhash_bytes(name, n) % x->cap;
  while (x->slot[at].name && (x->slot[at].length != n || memcmp(x->slot[at].name, name, n) != 0)) {
    at = (at + 1) % x->cap;
  }
  return &x->slot[at];
}

void jindex_add(jindex* x, const char* name, int value) {
  assert(x->cap > 0);
  size_t n = strlen(name);
  jindex_entry* e = find(x, name, n);
  if (!e->name) *e = (jindex_entry){name, n, value};
}

int jindex_find(const jindex* x, const char* name, size_t n) {
  if (x->cap == 0) return -1;
  const jindex_entry* e = find(x, name, n);
  return e->name ? e->value : -1;
}
