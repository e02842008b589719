// SPDX-License-Identifier: Apache-2.0
// An allocator for LD_PRELOAD that fails: at the n-th allocation (FAIL_AT), and at all that follow it
// with FAIL_ON=1. With FAIL_COUNT=FILE it writes how many there were. Counted from main to its end,
// and what the program itself asks for; with FAIL_LIBRARIES=1 also what the libraries below it do.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_long count;
static atomic_int in_main;
static int (*real_main)(int, char**, char**);
static long fail_at = -1;
static int fail_on, with_libraries;
static uintptr_t program_from, program_to;

// glibc's own, under names that stay when ours stand in front
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t n, size_t size);
void* __libc_realloc(void* p, size_t size);

// The first object is the program.
static int find_program(struct dl_phdr_info* info, size_t size, void* user) {
  (void)size, (void)user;
  program_from = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    uintptr_t from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    uintptr_t to = from + info->dlpi_phdr[i].p_memsz;
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    if (from < program_from) program_from = from;
    if (to > program_to) program_to = to;
  }
  return 1;
}

__attribute__((constructor)) static void init(void) {
  const char* at = getenv("FAIL_AT");
  fail_at = at ? atol(at) : -1;
  fail_on = getenv("FAIL_ON") != NULL;
  with_libraries = getenv("FAIL_LIBRARIES") != NULL;
  dl_iterate_phdr(find_program, NULL);
  unsetenv("LD_PRELOAD");  // compilers keep their memory
}

static void tell(void) {
  const char* path = getenv("FAIL_COUNT");
  long n = count;
  FILE* f = path ? fopen(path, "w") : NULL;
  if (f) fprintf(f, "%ld\n", n);
  if (f) fclose(f);
}

static int watched_main(int argc, char** argv, char** envp) {
  in_main = 1;
  int code = real_main(argc, argv, envp);
  in_main = 0;
  tell();
  return code;
}

typedef int start(int (*)(int, char**, char**), int, char**, void (*)(void), void (*)(void),
                  void (*)(void), void*);
start __libc_start_main;

int __libc_start_main(int (*program)(int, char**, char**), int argc, char** argv,
                      void (*before)(void), void (*after)(void), void (*loader)(void),
                      void* stack) {
  void* symbol = dlsym(RTLD_NEXT, "__libc_start_main");
  start* next;
  memcpy(&next, &symbol, sizeof next);  // ISO C has no cast from objects to functions
  real_main = program;
  return next(watched_main, argc, argv, before, after, loader, stack);
}

static int fails(void* caller) {
  uintptr_t at = (uintptr_t)caller;
  if (!in_main || (!with_libraries && (at < program_from || at >= program_to))) return 0;
  long n = atomic_fetch_add(&count, 1);
  if (fail_at < 0 || (fail_on ? n < fail_at : n != fail_at)) return 0;
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void* calloc(size_t n, size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void* realloc(void* p, size_t size) {
  return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}
