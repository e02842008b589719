// SPDX-License-Identifier: Apache-2.0
// Memory that machine code is executed from: written first, then made executable and read-only.
#ifndef JKERNEL_CODE_H
#define JKERNEL_CODE_H

#include <stddef.h>

#include "base/err.h"

typedef struct jkernel_code {
  void* memory;  // NULL: none
  size_t size;
} jkernel_code;

jo_status jkernel_code_map(jo_context* ctx, const void* bytes, size_t size, jkernel_code* out);
void jkernel_code_unmap(jkernel_code* code);

#endif
