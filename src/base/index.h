// SPDX-License-Identifier: Apache-2.0
// Names to numbers: finds a name among many without comparing it with each of them. Names are not copied: they live
// as long as the index.
#ifndef JBASE_INDEX_H
#define JBASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

typedef struct jindex_entry jindex_entry;

typedef struct jindex {
  jarena* arena;
  jindex_entry* entry;  // open addressing
  int n, cap;
} jindex;

// An empty index; {0} is one, too, in which nothing can be put.
jindex jindex_of(jarena* a);

// The number of a name in a scope, -1: it is not there. The same name may have a number in each scope.
int jindex_find(const jindex* x, int scope, const char* name, size_t n);

// Puts a number, not negative; the first of a name counts. False: no memory.
bool jindex_put(jindex* x, int scope, const char* name, size_t n, int value);

#endif
