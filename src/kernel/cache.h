// SPDX-License-Identifier: Apache-2.0
// Compiled libraries kept between runs: one file per key, checked before it is loaded.
#ifndef JKERNEL_CACHE_H
#define JKERNEL_CACHE_H

#include "base/mem.h"

#define JKERNEL_CACHE_NAME 68  // size of a name: 64 digits, ".so" and a zero

// The folder: `wanted`, or the user's cache folder when it is NULL; made with mode 0700 where missing.
// Whether it is safe is looked at whenever something is loaded.
jo_status jkernel_cache_dir(jo_context* ctx, jarena* a, const char* wanted, const char** dir);

// Keep a library in the folder as `name`, by way of `work`, a folder within. Readers see the old file or
// the new one, never half of it.
jo_status jkernel_cache_store(jo_context* ctx, jarena* scratch, const char* library,
                              const char* work, const char* dir, const char* name);

// Load what jkernel_cache_store() kept. A missing, damaged or foreign file, one kept under another name, or one that others may
// write to, is not loaded, and no error: *library is NULL then. A folder that is not ours alone is one.
jo_status jkernel_cache_load(jo_context* ctx, const char* dir, const char* name, void** library);

// Load a library just made; release with jkernel_library_close(), which takes NULL too.
jo_status jkernel_library_open(jo_context* ctx, const char* path, void** library);
void jkernel_library_close(void* library);

// Address of a function; NULL: there is none of that name.
typedef void (*jkernel_symbol)(void);
jkernel_symbol jkernel_library_find(void* library, const char* name);

#endif
