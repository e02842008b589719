// SPDX-License-Identifier: Apache-2.0
// A loop whose turns are taken by several threads.
#ifndef JBASE_THREAD_H
#define JBASE_THREAD_H

#include <stdbool.h>

#include "base/mem.h"

// The turns 0 ... n - 1 of a loop. A turn must write to its own place only: then what comes out
// does not depend on the number of workers.
typedef struct jthread_loop {
  int n;
  int workers;  // threads, at most; 0: one per processor
  void* user;
  // One turn, on any of the threads. `ctx` is the worker's own, empty before every turn, and draws
  // on the memory of the caller's. A negative status ends the loop.
  jo_status (*turn)(void* user, jo_context* ctx, int i);
  // Called on the caller's thread after turns, a few times per second between them, and at the end;
  // false: no turn begins any more. May be NULL.
  bool (*watch)(void* user, int done);
} jthread_loop;

// Returns when every turn begun has ended; `*done` of them were taken. The error of a turn is
// reported in `ctx`; of several, that of the lowest turn.
jo_status jthread_run(jo_context* ctx, const jthread_loop* loop, int* done);

#endif
