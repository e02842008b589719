// SPDX-License-Identifier: Apache-2.0
#include "kernel/library.h"

#include <dlfcn.h>
#include <string.h>

jo_status jkernel_library_open(jo_context* ctx, const char* path, void** library) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* why = dlerror();
    return jerr_set(ctx, JO_ERR_COMPILER, "compiled kernel cannot be loaded: %s",
                    why ? why : "no reason given");
  }
  *library = handle;
  return JO_OK;
}

void jkernel_library_close(void* library) {
  if (library) dlclose(library);
}

jkernel_symbol jkernel_library_find(void* library, const char* name) {
  // ISO C knows no cast from an object pointer to a function pointer
  void* address = dlsym(library, name);
  jkernel_symbol symbol = NULL;
  memcpy(&symbol, &address, sizeof symbol);
  return symbol;
}
