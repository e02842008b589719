// SPDX-License-Identifier: Apache-2.0
// Memory: the context's allocator, arenas, growable arrays.
#ifndef JBASE_MEM_H
#define JBASE_MEM_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "jounce/base.h"

// The context's allocator. jmem_resize returns NULL when memory is exhausted, leaving `p` as it was.
void* jmem_resize(jo_context* ctx, void* p, size_t size);
void jmem_free(jo_context* ctx, void* p);

// Other libraries allocate by themselves, and some go on as if nothing were when there is no memory: a text
// comes out empty, a file ends early. Between these two calls, whether memory ended somewhere.
void jmem_watch(void);
bool jmem_has_ended(void);

// An arena: allocations are zeroed, aligned for any type, and freed together. One of no bytes is not NULL: an
// array without elements needs no room for one.
typedef struct jarena_block jarena_block;
typedef struct jarena {
  jo_context* ctx;
  jarena_block* head;  // newest block
} jarena;

typedef struct jarena_mark {
  jarena_block* block;
  size_t used;
} jarena_mark;

void jarena_init(jarena* a, jo_context* ctx);
void jarena_free(jarena* a);  // everything; the arena may be used again

void* jarena_alloc(jarena* a, size_t size);            // NULL when memory is exhausted
void* jarena_array(jarena* a, size_t n, size_t size);  // n * size, checked for overflow
#define JARENA_ARRAY(a, n, type) ((type*)jarena_array((a), (size_t)(n), sizeof(type)))
#define JARENA_NEW(a, type)      ((type*)jarena_alloc((a), sizeof(type)))

char* jarena_strdup(jarena* a, const char* s);
char* jarena_strndup(jarena* a, const char* s, size_t n);
char* jarena_printf(jarena* a, const char* format, ...) __attribute__((format(printf, 2, 3)));
char* jarena_vprintf(jarena* a, const char* format, va_list args)
    __attribute__((format(printf, 2, 0)));

jarena_mark jarena_save(const jarena* a);
void jarena_restore(jarena* a, jarena_mark mark);

// Make room for one more element in a growable array: true on success.
//   if (!jmem_grow(ctx, &v->item, &v->cap, v->n + 1, sizeof *v->item)) return jerr_memory(ctx);
bool jmem_grow(jo_context* ctx, void* array_pointer, int* cap, int need, size_t size);

#endif
