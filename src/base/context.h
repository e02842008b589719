// SPDX-License-Identifier: Apache-2.0
// Inside of a context; only err.c and mem.c look in here, and tests that count errors.
#ifndef JBASE_CONTEXT_H
#define JBASE_CONTEXT_H

#include "jounce/base.h"

#define JCONTEXT_FIRST_SIZE 1024
#define JCONTEXT_EMBEDDED   8

typedef struct jcontext_diagnostic {
  jo_severity severity;
  const char* text;
  char* owned;  // the same when it must be freed; NULL for `first` and fixed texts
} jcontext_diagnostic;

// The first error and a few list entries are part of the context, so that a failure can be told
// when there is no memory left.
struct jo_context {
  jo_allocator allocator;
  jo_caller caller;
  int scope;  // jerr_scope
  int nerror;
  char first[JCONTEXT_FIRST_SIZE];  // first error, "" when there is none
  jcontext_diagnostic embedded[JCONTEXT_EMBEDDED];
  jcontext_diagnostic* item;  // `embedded` until that is full
  int n, cap;
};

#endif
