// SPDX-License-Identifier: Apache-2.0
// An allocator that runs out of memory at a chosen call and knows what is alive, for tests of what
// happens then:
//
//   for (long n = 0;; n++) {
//     failing_alloc f;
//     failing_alloc_init(&f, n);
//     jo_status status = work(&f.allocator);       // creates and destroys its own context
//     assert_int_equal(f.live_bytes, 0);
//     if (status >= 0) break;                      // n allocations were enough
//     assert_int_equal(status, JO_ERR_MEMORY);
//   }
#ifndef JTEST_FAILING_ALLOC_H
#define JTEST_FAILING_ALLOC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "jounce/base.h"

typedef struct failing_alloc {
  jo_allocator allocator;  // pass &f.allocator; f must stay where it is
  atomic_long calls;       // allocations and growths asked for so far, of all threads
  long fail_at;            // calls before this number succeed, all later ones fail; < 0: none fail
  bool once;               // only the call fail_at fails, later ones succeed again
  void (*watch)(void* watcher, long call);  // told of every call before it is served; NULL: nobody
  void* watcher;
  atomic_size_t live_bytes;  // handed out and not released
  atomic_int live_blocks;
} failing_alloc;

void failing_alloc_init(failing_alloc* f, long fail_at);

#endif
