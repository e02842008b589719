// SPDX-License-Identifier: Apache-2.0
#include "base/index.h"

#include <string.h>

#include "base/hash.h"

struct jindex_entry {
  const char* name;  // NULL: free
  size_t length;
  int scope, value;
};

jindex jindex_of(jarena* a) {
  return (jindex){.arena = a};
}

// Where the name is, or the free entry where it belongs. There is always one.
static size_t place_of(const jindex* x, int scope, const char* name, size_t n) {
  size_t mask = (size_t)x->cap - 1;  // a power of two
  size_t at = (size_t)jhash_mix(jhash_bytes(name, n), (uint64_t)scope) & mask;
  for (;; at = (at + 1) & mask) {
    const jindex_entry* e = &x->entry[at];
    if (!e->name) return at;
    if (e->scope == scope && e->length == n && memcmp(e->name, name, n) == 0) return at;
  }
}

int jindex_find(const jindex* x, int scope, const char* name, size_t n) {
  if (x->cap == 0) return -1;
  const jindex_entry* e = &x->entry[place_of(x, scope, name, n)];
  return e->name ? e->value : -1;
}

static bool grow(jindex* x) {
  jindex old = *x;
  int cap = old.cap ? 2 * old.cap : 64;
  jindex_entry* entry = x->arena ? jarena_array(x->arena, (size_t)cap, sizeof *entry) : NULL;
  if (!entry) return false;
  x->entry = entry;
  x->cap = cap;
  for (int i = 0; i < old.cap; i++) {
    const jindex_entry* e = &old.entry[i];
    if (e->name) x->entry[place_of(x, e->scope, e->name, e->length)] = *e;
  }
  return true;
}

bool jindex_put(jindex* x, int scope, const char* name, size_t n, int value) {
  if (2 * (x->n + 1) > x->cap && !grow(x)) return false;
  jindex_entry* e = &x->entry[place_of(x, scope, name, n)];
  if (e->name) return true;
  *e = (jindex_entry){name, n, scope, value};
  x->n++;
  return true;
}
