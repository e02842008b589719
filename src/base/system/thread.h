// SPDX-License-Identifier: Apache-2.0
// A loop whose turns are taken by several threads.
#ifndef JBASE_THREAD_H
#define JBASE_THREAD_H

#include <stdbool.h>

#include "base/mem.h"

// The turns of a loop. A turn must write to its own place only: then what comes out
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
  // Where turns come from elsewhere: the number of the next one, any that no other turn under way has,
  // JTHREAD_WAIT while there is none yet, or JTHREAD_END. Called by one worker at a time; n says no more
  // than how many workers there may be. NULL: 0, 1, ... n - 1.
  int (*next)(void* user);
  // Set to a context whose memory is safe beside the workers', for `watch` to use while the loop runs; NULL: none.
  jo_context** watcher;
  long pause_ns;  // between two calls of `watch` while no turn ends; 0: a tenth of a second
} jthread_loop;

enum { JTHREAD_END = -1, JTHREAD_WAIT = -2 };

// Returns when every turn begun has ended; `*done` of them were taken. The error of a turn is
// reported in `ctx`; of several, that of the lowest turn.
jo_status jthread_run(jo_context* ctx, const jthread_loop* loop, int* done);

#endif
