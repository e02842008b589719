// SPDX-License-Identifier: Apache-2.0
// Names and what they stand for: found in constant time, however many there are.
#ifndef JBASE_INDEX_H
#define JBASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

typedef struct jindex_entry {
  const char* name;  // NULL: free
  size_t length;
  int value;
} jindex_entry;

// Open addressing. Names are not copied. One that is all zero has no names and takes none.
typedef struct jindex {
  jindex_entry* slot;
  size_t cap;
} jindex;

// Room for at most n names; false: no memory.
bool jindex_create(jarena* a, int n, jindex* out);

// The first of a name counts.
void jindex_add(jindex* x, const char* name, int value);

// The value of a name, which need not end with a zero; -1: there is none.
int jindex_find(const jindex* x, const char* name, size_t n);

#endif
