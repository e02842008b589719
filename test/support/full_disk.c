// SPDX-License-Identifier: Apache-2.0
// A full disk for LD_PRELOAD: below the folder FULL_DISK no file can be made, by the program and by what it starts. Folders can,
// and what is there can be read, as on a disk whose last blocks are gone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_full(const char* path, int is_writing) {
  const char* folder = getenv("FULL_DISK");
  return is_writing && folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int no_room(void) {
  errno = ENOSPC;
  return -1;
}

#define OPEN(name)                                            \
  int name(const char* path, int flags, ...) {                \
    static int (*next)(const char*, int, mode_t);             \
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, #name);      \
    va_list more;                                             \
    va_start(more, flags);                                    \
    mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0; \
    va_end(more);                                             \
    if (is_full(path, flags & O_CREAT)) return no_room();     \
    return next(path, flags, mode);                           \
  }
OPEN(open)
OPEN(open64)

#define FOPEN(name)                                            \
  FILE* name(const char* path, const char* mode) {             \
    static FILE* (*next)(const char*, const char*);            \
    if (!next) *(void**)&next = dlsym(RTLD_NEXT, #name);       \
    if (is_full(path, mode[0] != 'r')) return no_room(), NULL; \
    return next(path, mode);                                   \
  }
FOPEN(fopen)
FOPEN(fopen64)
