// SPDX-License-Identifier: Apache-2.0
// Libraries for devices, which compile for up to a minute, kept between runs: one file per key, checked before it is loaded.
#ifndef JBATCH_CACHE_H
#define JBATCH_CACHE_H

#include "base/mem.h"

#define JBATCH_CACHE_NAME 68  // size of a name: 64 digits, ".so" and a zero

// The user's cache folder; made with mode 0700 where missing. Whether it is safe is checked whenever something is loaded.
jo_status jbatch_cache_dir(jo_context* ctx, jarena* a, const char** dir);

// Keep a library in the folder as `name`, by way of `work`, a folder within. Readers see the old file or
// the new one, never half of it.
jo_status jbatch_cache_store(jo_context* ctx, jarena* scratch, const char* library,
                             const char* work, const char* dir, const char* name);

// Load what jbatch_cache_store() kept. A missing, damaged or foreign file, one kept under another name, or one that others may
// write to, is not loaded, and no error: *library is NULL then. A folder that is not ours alone is one.
jo_status jbatch_cache_load(jo_context* ctx, const char* dir, const char* name, void** library);

#endif
