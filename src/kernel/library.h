// SPDX-License-Identifier: Apache-2.0
// Shared libraries of compiled functions.
#ifndef JKERNEL_LIBRARY_H
#define JKERNEL_LIBRARY_H

#include "base/err.h"

// Loads a library; release with jkernel_library_close(), which takes NULL too.
jo_status jkernel_library_open(jo_context* ctx, const char* path, void** library);
void jkernel_library_close(void* library);

// The address of a function; NULL: there is none of that name.
typedef void (*jkernel_symbol)(void);
jkernel_symbol jkernel_library_find(void* library, const char* name);

#endif
