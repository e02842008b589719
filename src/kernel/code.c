// SPDX-License-Identifier: Apache-2.0
#define _DEFAULT_SOURCE  // MAP_ANONYMOUS
#include "kernel/code.h"

#include <string.h>
#include <sys/mman.h>

jo_status jkernel_code_map(jo_context* ctx, const void* bytes, size_t size, jkernel_code* out) {
  void* memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return jerr_memory(ctx);
  memcpy(memory, bytes, size);
  // processors may fetch instructions past what was written last
  __builtin___clear_cache((char*)memory, (char*)memory + size);
  if (mprotect(memory, size, PROT_READ | PROT_EXEC) != 0) {
    munmap(memory, size);
    return jerr_set(ctx, JO_ERR_COMPILER,
                    "this system does not let programs execute code that they make at run time; "
                    "hint: use the interpreter, or the C compiler");
  }
  *out = (jkernel_code){memory, size};
  return JO_OK;
}

void jkernel_code_unmap(jkernel_code* code) {
  if (code->memory) munmap(code->memory, code->size);
  *code = (jkernel_code){0};
}
