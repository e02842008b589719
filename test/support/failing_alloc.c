// SPDX-License-Identifier: Apache-2.0
// Blocks carry their size in front, so that live bytes can be told. A growth always moves the
// block: whoever keeps an old pointer is caught by the address sanitizer.
#include "support/failing_alloc.h"

#include <stdlib.h>
#include <string.h>

typedef union header {
  size_t size;
  max_align_t align;
} header;

static void release(void* user, void* p) {
  failing_alloc* f = user;
  if (!p) return;
  header* h = (header*)p - 1;
  f->live_bytes -= h->size;
  f->live_blocks--;
  free(h);
}

static bool is_exhausted(failing_alloc* f) {
  long call = f->calls++;
  if (f->watch) f->watch(f->watcher, call);
  if (f->fail_at < 0) return false;
  return f->once ? call == f->fail_at : call >= f->fail_at;
}

static void* resize(void* user, void* p, size_t size) {
  failing_alloc* f = user;
  if (is_exhausted(f)) return NULL;
  header* h = malloc(sizeof *h + size);
  if (!h) return NULL;
  h->size = size;
  memset(h + 1, 0xa5, size);  // fresh memory is never zero by luck
  if (p) {
    size_t old = ((header*)p - 1)->size;
    memcpy(h + 1, p, old < size ? old : size);
    release(f, p);
  }
  f->live_bytes += size;
  f->live_blocks++;
  return h + 1;
}

void failing_alloc_init(failing_alloc* f, long fail_at) {
  memset(f, 0, sizeof *f);
  f->allocator = (jo_allocator){resize, release, f};
  f->fail_at = fail_at;
}
