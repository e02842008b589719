// SPDX-License-Identifier: Apache-2.0
// Texts with names that refer to each other, in an order in which each can be read with everything it
// names known already: whoever reads them so needs no stack for long chains.
#ifndef JEXPR_ORDER_H
#define JEXPR_ORDER_H

#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

typedef struct jexpr_texts {
  int n;
  void* user;
  const char* (*text)(void* user, int i);                    // NULL: nothing to read, it is known
  int (*find)(void* user, const char* name, size_t length);  // -1: none of these
} jexpr_texts;

// What `root` needs, directly or not, and `root` itself at the end: *norder entries of order, which
// has room for n. *cyclic is a text that needs itself, -1 when there is none.
jo_status jexpr_order(jo_context* ctx, const jexpr_texts* texts, int root, int* order, int* norder,
                      int* cyclic);

// Levels of nesting, over all texts that are being read within each other: parentheses count one, a
// name that needs another text JEXPR_NAME_LEVELS. From JEXPR_DEEP on texts are put in order first.
#define JEXPR_NAME_LEVELS 8
#define JEXPR_DEEP        120
#define JEXPR_DEEPEST     600

#endif
