// SPDX-License-Identifier: Apache-2.0
// Workers take the next turn from a counter until there is none. The caller's thread takes no
// turns: it watches, so that progress shows and a wish to stop is heard while turns are long.
#include "base/system/thread.h"

#include <limits.h>
#include <pthread.h>
#include <time.h>

#include "base/assert.h"
#include "base/context.h"
#include "base/err.h"
#include "base/system/process.h"
#include "base/text/format.h"

#define WATCH_TIME 100000000L  // between two looks of the caller [ns]

typedef struct crew {
  const jthread_loop* loop;
  jo_context* ctx;        // the caller's
  pthread_mutex_t guard;  // of all below
  pthread_cond_t news;    // a turn or a worker ended
  pthread_cond_t more;    // there may be a next turn
  pthread_mutex_t memory;
  int next, done, working;
  bool stop;
  int failed;  // lowest turn that failed, INT_MAX: none
  jo_status status;
  char message[JCONTEXT_FIRST_SIZE];
} crew;

// ---- memory: the caller's allocator, one worker at a time ------------------------------------------

static void* resize_guarded(void* user, void* p, size_t size) {
  crew* c = user;
  pthread_mutex_lock(&c->memory);
  void* q = jmem_resize(c->ctx, p, size);
  pthread_mutex_unlock(&c->memory);
  return q;
}

static void release_guarded(void* user, void* p) {
  crew* c = user;
  pthread_mutex_lock(&c->memory);
  jmem_free(c->ctx, p);
  pthread_mutex_unlock(&c->memory);
}

// ---- workers ---------------------------------------------------------------------------------------

static struct timespec soon(const crew* c) {
  struct timespec t = {0};
  clock_gettime(CLOCK_MONOTONIC, &t);
  t.tv_nsec += c->loop->pause_ns > 0 ? c->loop->pause_ns : WATCH_TIME;
  if (t.tv_nsec >= 1000000000L) {
    t.tv_nsec -= 1000000000L;
    t.tv_sec++;
  }
  return t;
}

static int next_turn(crew* c) {
  if (c->loop->next) return c->loop->next(c->loop->user);
  return c->next < c->loop->n ? c->next++ : JTHREAD_END;
}

static int take_turn(crew* c) {
  int i = JTHREAD_WAIT;
  pthread_mutex_lock(&c->guard);
  while (i == JTHREAD_WAIT) {
    i = c->stop ? JTHREAD_END : next_turn(c);
    if (i != JTHREAD_WAIT) break;
    struct timespec until = soon(c);
    pthread_cond_timedwait(&c->more, &c->guard, &until);
  }
  pthread_mutex_unlock(&c->guard);
  return i;
}

static void end_turn(crew* c, int i, jo_status status, const char* message) {
  pthread_mutex_lock(&c->guard);
  c->done++;
  if (status < 0) {
    c->stop = true;
    if (i < c->failed) {
      c->failed = i;
      c->status = status;
      jformat(c->message, sizeof c->message, "%s", message);
    }
  }
  pthread_cond_signal(&c->news);
  pthread_mutex_unlock(&c->guard);
}

static void* work(void* user) {
  crew* c = user;
  const jo_allocator memory = {resize_guarded, release_guarded, c};
  jo_context* ctx = NULL;
  jo_status status = jo_context_create(&memory, &ctx);
  if (ctx) jo_context_set_caller(ctx, c->ctx->caller);
  if (ctx) ctx->scope = c->ctx->scope;
  // without a context the turn taken is one that failed
  for (int i = take_turn(c); i >= 0; i = take_turn(c)) {
    if (ctx) {
      jo_context_clear(ctx);
      status = c->loop->turn(c->loop->user, ctx, i);
    }
    end_turn(c, i, status, ctx ? jo_context_message(ctx) : "");
  }
  jo_context_destroy(ctx);
  pthread_mutex_lock(&c->guard);
  c->working--;
  JASSERT(c->working >= 0);
  pthread_cond_signal(&c->news);
  pthread_mutex_unlock(&c->guard);
  return NULL;
}

// ---- the caller ------------------------------------------------------------------------------------

static void watch(crew* c) {
  pthread_mutex_lock(&c->guard);
  while (c->working > 0) {
    struct timespec until = soon(c);
    pthread_cond_timedwait(&c->news, &c->guard, &until);
    if (!c->loop->watch) continue;
    int done = c->done;
    pthread_mutex_unlock(&c->guard);
    bool go_on = c->loop->watch(c->loop->user, done);
    pthread_mutex_lock(&c->guard);
    if (!go_on) c->stop = true;
    pthread_cond_broadcast(&c->more);
  }
  int done = c->done;
  pthread_mutex_unlock(&c->guard);
  // the end is always told, also when all turns were over before the first look
  if (c->loop->watch) c->loop->watch(c->loop->user, done);
}

static bool prepare(crew* c) {
  pthread_condattr_t attr;
  if (pthread_condattr_init(&attr) != 0) return false;
  bool ok = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
            pthread_cond_init(&c->news, &attr) == 0;
  if (ok && pthread_cond_init(&c->more, &attr) != 0) {
    pthread_cond_destroy(&c->news);
    ok = false;
  }
  pthread_condattr_destroy(&attr);
  if (!ok) return false;
  if (pthread_mutex_init(&c->guard, NULL) == 0) {
    if (pthread_mutex_init(&c->memory, NULL) == 0) return true;
    pthread_mutex_destroy(&c->guard);
  }
  pthread_cond_destroy(&c->news);
  pthread_cond_destroy(&c->more);
  return false;
}

// As many as the system gives: fewer do the same work.
static int start_workers(crew* c, pthread_t* thread, int n) {
  int started = 0;
  jmem_watch();
  pthread_mutex_lock(&c->guard);
  while (started < n && pthread_create(&thread[started], NULL, work, c) == 0) {
    started++;
  }
  c->working = started;
  pthread_mutex_unlock(&c->guard);
  return started;
}

static jo_status run_crew(crew* c, pthread_t* thread, int n) {
  if (c->loop->watcher) {
    const jo_allocator memory = {resize_guarded, release_guarded, c};
    if (jo_context_create(&memory, c->loop->watcher) < 0) return jerr_memory(c->ctx);
  }
  int started = start_workers(c, thread, n);
  if (started == 0 && jmem_has_ended()) return jerr_memory(c->ctx);
  watch(c);
  for (int i = 0; i < started; i++) {
    pthread_join(thread[i], NULL);
  }
  if (started == 0) return jerr_set(c->ctx, JO_ERR_LIMIT, "the system gives no thread");
  if (c->status == JO_ERR_MEMORY) return jerr_memory(c->ctx);
  return c->status < 0 ? jerr_set(c->ctx, c->status, "%s", c->message) : JO_OK;
}

jo_status jthread_run(jo_context* ctx, const jthread_loop* loop, int* done) {
  *done = 0;
  if (loop->n <= 0) return JO_OK;
  int n = loop->workers > 0 ? loop->workers : jproc_cpu_count();
  if (n > loop->n) n = loop->n;
  crew c = {.loop = loop, .ctx = ctx, .failed = INT_MAX};
  pthread_t* thread = jmem_resize(ctx, NULL, (size_t)n * sizeof *thread);
  if (!thread) return jerr_memory(ctx);
  jo_status status = JO_ERR_LIMIT;
  jo_context* before = loop->watcher ? *loop->watcher : NULL;
  if (prepare(&c)) {
    status = run_crew(&c, thread, n);
    if (loop->watcher) {
      jo_context_destroy(*loop->watcher);
      *loop->watcher = before;
    }
    pthread_mutex_destroy(&c.memory);
    pthread_mutex_destroy(&c.guard);
    pthread_cond_destroy(&c.news);
    pthread_cond_destroy(&c.more);
  } else {
    jerr_set(ctx, status, "the system gives no locks for threads");
  }
  jmem_free(ctx, thread);
  *done = c.done;
  JASSERT(loop->next || c.done <= loop->n);
  return status;
}
