// SPDX-License-Identifier: Apache-2.0
// Loops on threads: every turn is taken once, errors come back, a wish to stop is heard.
#include "base/system/thread.h"

#include <pthread.h>
#include <time.h>

#include "base/err.h"
#include "support/fixture.h"

#define N 500

typedef struct bench {
  int taken[N];  // a turn writes to its own place only
  int fail_at;   // this turn and later ones fail; N: none
  int stop_at;   // the watch says stop once so many are done; N: never
  int watched;
  int last_done;
} bench;

static jo_status take(void* user, jo_context* ctx, int i) {
  bench* b = user;
  // memory of the worker's context comes from the caller's, whatever the threads
  jarena a;
  jarena_init(&a, ctx);
  int* room = JARENA_ARRAY(&a, 100 + i, int);
  jo_status status = room ? JO_OK : jerr_memory(ctx);
  jarena_free(&a);
  if (status < 0) return status;
  // assertions belong to the main thread
  if (*jo_context_message(ctx)) return JO_ERR_ARGUMENT;
  b->taken[i]++;
  return i >= b->fail_at ? jerr_set(ctx, JO_ERR_NUMERIC, "turn %d", i) : JO_OK;
}

static bool look(void* user, int done) {
  bench* b = user;
  b->watched++;
  assert_true(done >= b->last_done);
  b->last_done = done;
  return done < b->stop_at;
}

static jo_status run(jo_context* ctx, bench* b, int workers, int* done) {
  jthread_loop loop = {.n = N, .workers = workers, .user = b, .turn = take, .watch = look};
  return jthread_run(ctx, &loop, done);
}

static void test_thread_every_turn_once(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  for (int workers = 0; workers <= 4; workers++) {
    bench b = {.fail_at = N, .stop_at = N};
    int done = -1;
    assert_ok(ctx, run(ctx, &b, workers, &done));
    assert_int_equal(done, N);
    assert_true(b.watched > 0);
    for (int i = 0; i < N; i++) {
      assert_int_equal(b.taken[i], 1);
    }
  }
  fixture_close(f);
}

static void test_thread_no_turns(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  int done = -1;
  jthread_loop loop = {.n = 0, .turn = take};
  assert_ok(ctx, jthread_run(ctx, &loop, &done));
  assert_int_equal(done, 0);
  fixture_close(f);
}

static void test_thread_an_error_ends_the_loop(void** state) {
  (void)state;
  for (int workers = 1; workers <= 4; workers++) {
    fixture* f = fixture_open();
    jo_context* ctx = f->ctx;
    bench b = {.fail_at = 37, .stop_at = N};
    int done;
    assert_int_equal(run(ctx, &b, workers, &done), JO_ERR_NUMERIC);
    // turns begin in order, so that the lowest one that fails is always among those taken
    assert_string_equal(jo_context_message(ctx), "turn 37");
    assert_true(done >= 38 && done < 38 + workers);
    fixture_close(f);
  }
}

static jo_status rest(void* user, jo_context* ctx, int i) {
  (void)ctx;
  ((bench*)user)->taken[i]++;
  nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  return JO_OK;
}

static void test_thread_stops_when_told(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  bench b = {.stop_at = 5};
  jthread_loop loop = {.n = N, .workers = 2, .user = &b, .turn = rest, .watch = look};
  int done, taken = 0;
  assert_ok(ctx, jthread_run(ctx, &loop, &done));
  for (int i = 0; i < N; i++) {
    taken += b.taken[i];
  }
  assert_int_equal(taken, done);
  assert_true(done >= 5 && done < N);
  fixture_close(f);
}

static void test_thread_memory_ends_anywhere(void** state) {
  (void)state;
  for (long n = 0;; n += 7) {
    failing_alloc f;
    failing_alloc_init(&f, n);
    jo_context* ctx = NULL;
    bench b = {.fail_at = N, .stop_at = N};
    int done;
    jo_status status = jo_context_create(&f.allocator, &ctx);
    if (status >= 0) status = run(ctx, &b, 3, &done);
    jo_context_destroy(ctx);
    assert_int_equal(f.live_bytes, 0);
    if (status >= 0) break;
    assert_int_equal(status, JO_ERR_MEMORY);
  }
}

// Turns that come from elsewhere: the watch hands out ten at a time, with memory beside the workers'.
typedef struct supply {
  bench b;
  jo_context* ctx;
  pthread_mutex_t guard;
  int next, end;
  bool is_over;
} supply;

static int next_of(void* user) {
  supply* s = user;
  pthread_mutex_lock(&s->guard);
  int i = s->next < s->end ? s->next++ : s->is_over ? JTHREAD_END : JTHREAD_WAIT;
  pthread_mutex_unlock(&s->guard);
  return i;
}

static bool hand_out(void* user, int done) {
  supply* s = user;
  (void)done;
  void* room = jmem_resize(s->ctx, NULL, 1000);
  jmem_free(s->ctx, room);
  pthread_mutex_lock(&s->guard);
  if (s->next == s->end) s->end = s->end + 10 < N ? s->end + 10 : N;
  s->is_over = s->end == N;
  pthread_mutex_unlock(&s->guard);
  return room;
}

static jo_status take_supplied(void* user, jo_context* ctx, int i) {
  return take(&((supply*)user)->b, ctx, i);
}

static void test_thread_turns_that_come_later(void** state) {
  (void)state;
  fixture* f = fixture_open();
  for (int workers = 1; workers <= 4; workers++) {
    supply s = {
        .b = {.fail_at = N, .stop_at = N}, .ctx = f->ctx, .guard = PTHREAD_MUTEX_INITIALIZER};
    jthread_loop loop = {.n = workers,
                         .workers = workers,
                         .user = &s,
                         .turn = take_supplied,
                         .watch = hand_out,
                         .next = next_of,
                         .watcher = &s.ctx,
                         .pause_ns = 100000};
    int done = -1;
    assert_ok(f->ctx, jthread_run(f->ctx, &loop, &done));
    assert_int_equal(done, N);
    assert_ptr_equal(s.ctx, f->ctx);
    for (int i = 0; i < N; i++) {
      assert_int_equal(s.b.taken[i], 1);
    }
  }
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_thread_every_turn_once),
      cmocka_unit_test(test_thread_no_turns),
      cmocka_unit_test(test_thread_an_error_ends_the_loop),
      cmocka_unit_test(test_thread_stops_when_told),
      cmocka_unit_test(test_thread_turns_that_come_later),
      cmocka_unit_test(test_thread_memory_ends_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
