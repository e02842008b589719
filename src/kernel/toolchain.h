// SPDX-License-Identifier: Apache-2.0
// The C compiler: finding and running it.
#ifndef JKERNEL_TOOLCHAIN_H
#define JKERNEL_TOOLCHAIN_H

#include "base/mem.h"
#include "emit/c/emit.h"

#define JKERNEL_FLAGS_MAX 64

typedef struct jkernel_toolchain {
  const char* name;  // what was looked for
  const char* path;  // of the compiler; NULL: there is none
  const char* flag[JKERNEL_FLAGS_MAX];
  int nflag;
  const char* processor;  // the flag among them that names it; NULL: none
  bool spares_passes;     // of gcc that gain nothing
  double limit_s;         // wall time of one command; 0: no limit
} jkernel_toolchain;

// `compiler` may be NULL: $JOUNCE_CC, else cc, gcc, clang. Not finding one is no error. The limit is
// $JOUNCE_CC_TIMEOUT, else 600 s.
jo_status jkernel_toolchain_find(jo_context* ctx, jarena* a, const char* compiler, int optimize,
                                 jkernel_toolchain* out);

// Writes the unit to the folder and makes a shared library of it there. On failure the message holds the first lines of the compiler's output.
jo_status jkernel_toolchain_compile(jo_context* ctx, jarena* a, const jkernel_toolchain* tc,
                                    const jemit_unit* unit, const char* dir, const char** library);

// A shared library of sources that is not for this processor alone, `dir`/`name`. Sources are paths below `dir`,
// where all files are already; `flag` come behind those of the compiler. The first are emitted equations and are
// compiled as kernels are, the others are optimized more.
typedef struct jkernel_library {
  const char *dir, *name;
  const char* const* source;
  int nsource, nequation;
  const char* const* flag;
  int nflag, jobs;
} jkernel_library;

jo_status jkernel_toolchain_link(jo_context* ctx, jarena* a, const jkernel_toolchain* tc,
                                 const jkernel_library* library);

#endif
