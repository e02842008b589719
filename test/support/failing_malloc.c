// SPDX-License-Identifier: Apache-2.0
// A library to be loaded before all others (LD_PRELOAD): malloc, calloc and realloc of the whole process,
// with all its libraries, fail at call $FAIL_AT, and with $FAIL_ON at all later ones. $FAIL_COUNT: the
// number of calls is written to that descriptor at the end.
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// glibc's own, under names that stay when ours stand in front
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t n, size_t size);
void* __libc_realloc(void* p, size_t size);

static atomic_long calls = 0;

static bool is_exhausted(void) {
  const char *at = getenv("FAIL_AT"), *on = getenv("FAIL_ON");
  long call = atomic_fetch_add(&calls, 1), fail_at = at ? strtol(at, NULL, 10) : -1;
  bool fails = fail_at >= 0 && (on ? call >= fail_at : call == fail_at);
  if (fails) errno = ENOMEM;
  return fails;
}

void* malloc(size_t size) {
  return is_exhausted() ? NULL : __libc_malloc(size);
}

void* calloc(size_t n, size_t size) {
  return is_exhausted() ? NULL : __libc_calloc(n, size);
}

void* realloc(void* p, size_t size) {
  return is_exhausted() ? NULL : __libc_realloc(p, size);
}

__attribute__((destructor)) static void tell(void) {
  const char* to = getenv("FAIL_COUNT");
  if (to) dprintf(atoi(to), "%ld\n", atomic_load(&calls));
}
