// SPDX-License-Identifier: Apache-2.0
// The allocator of a context, arenas and growable arrays.
//
// An arena is a chain of blocks, newest first; block sizes double from 4 KiB to 1 MiB, larger
// requests get a block of their own. Memory is zeroed when handed out, so restored room is too. Under the
// address sanitizer what was not handed out may not be touched, and there is some of it behind every request.
#include "base/mem.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/context.h"
#include "base/text/format.h"

// Tests of exhausted memory set both to 1: every request is then an allocation that can fail.
#ifndef BLOCK_MIN
#define BLOCK_MIN ((size_t)4 << 10)
#define BLOCK_MAX ((size_t)1 << 20)
#endif
#define ALIGN _Alignof(max_align_t)

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#define RED_ZONE    ALIGN
#define CLOSE(p, n) ASAN_POISON_MEMORY_REGION((p), (n))
#define OPEN(p, n)  ASAN_UNPOISON_MEMORY_REGION((p), (n))
#else
#define RED_ZONE    ((size_t)0)
#define CLOSE(p, n) ((void)(p), (void)(n))
#define OPEN(p, n)  ((void)(p), (void)(n))
#endif

struct jarena_block {
  jarena_block* older;
  size_t size, used;  // bytes of `data`
  _Alignas(max_align_t) char data[];
};

void* jmem_resize(jo_context* ctx, void* p, size_t size) {
  // realloc(p, 0) may free or not: never ask.
  return ctx->allocator.resize(ctx->allocator.user, p, size ? size : 1);
}

void jmem_free(jo_context* ctx, void* p) {
  if (p) ctx->allocator.release(ctx->allocator.user, p);
}

void jmem_watch(void) {
  errno = 0;
}

bool jmem_has_ended(void) {
  return errno == ENOMEM;
}

bool jmem_grow(jo_context* ctx, void* array_pointer, int* cap, int need, size_t size) {
  JASSERT(need >= 0 && *cap >= 0 && size > 0);
  if (need <= *cap) return true;
  int next = *cap < 8 ? 8 : *cap > INT_MAX / 2 ? INT_MAX : 2 * *cap;
  if (next < need) next = need;
  if ((size_t)next > SIZE_MAX / size) return false;
  // the pointer is of any object type: go through its bytes
  void* old;
  memcpy(&old, array_pointer, sizeof old);
  void* p = jmem_resize(ctx, old, (size_t)next * size);
  if (!p) return false;
  memcpy(array_pointer, &p, sizeof p);
  *cap = next;
  return true;
}

void jarena_init(jarena* a, jo_context* ctx) {
  *a = (jarena){.ctx = ctx};
}

void jarena_free(jarena* a) {
  jarena_restore(a, (jarena_mark){NULL, 0});
}

static jarena_block* add_block(jarena* a, size_t need) {
  size_t size = a->head ? 2 * a->head->size : BLOCK_MIN;
  if (size > BLOCK_MAX) size = BLOCK_MAX;
  if (size < need) size = need;
  jarena_block* b = jmem_resize(a->ctx, NULL, sizeof *b + size);
  if (!b) return NULL;
  b->older = a->head;
  b->size = size;
  b->used = 0;
  CLOSE(b->data, size);
  a->head = b;
  return b;
}

void* jarena_alloc(jarena* a, size_t size) {
  JASSERT(a->ctx);  // an arena that was never begun
  if (size > PTRDIFF_MAX / 4) return NULL;
  size_t need = (size + ALIGN - 1) / ALIGN * ALIGN;
  if (need == 0) need = ALIGN;
  need += RED_ZONE;
  jarena_block* b = a->head;
  if (!b || b->size - b->used < need) b = add_block(a, need);
  if (!b) return NULL;
  void* p = b->data + b->used;
  b->used += need;
  OPEN(p, size);
  return memset(p, 0, size);
}

void* jarena_array(jarena* a, size_t n, size_t size) {
  if (size && n > SIZE_MAX / size) return NULL;
  return jarena_alloc(a, n * size);
}

char* jarena_strdup(jarena* a, const char* s) {
  return jarena_strndup(a, s, strlen(s));
}

char* jarena_strndup(jarena* a, const char* s, size_t n) {
  char* copy = n < SIZE_MAX ? jarena_alloc(a, n + 1) : NULL;
  if (copy && n) memcpy(copy, s, n);
  return copy;
}

char* jarena_vprintf(jarena* a, const char* format, va_list args) {
  va_list counted;
  va_copy(counted, args);
  int length = jformat_v(NULL, 0, format, counted);
  va_end(counted);
  char* text = length < 0 ? NULL : jarena_alloc(a, (size_t)length + 1);
  if (text) jformat_v(text, (size_t)length + 1, format, args);
  return text;
}

char* jarena_printf(jarena* a, const char* format, ...) {
  va_list args;
  va_start(args, format);
  char* text = jarena_vprintf(a, format, args);
  va_end(args);
  return text;
}

jarena_mark jarena_save(const jarena* a) {
  return (jarena_mark){a->head, a->head ? a->head->used : 0};
}

void jarena_restore(jarena* a, jarena_mark mark) {
  while (a->head != mark.block) {
    jarena_block* b = a->head;
    a->head = b->older;
    OPEN(b->data, b->size);
    jmem_free(a->ctx, b);
  }
  if (!a->head) return;
  JASSERT(mark.used <= a->head->used);  // marks are restored in the reverse order of saving
  CLOSE(a->head->data + mark.used, a->head->size - mark.used);
  a->head->used = mark.used;
}
