// SPDX-License-Identifier: Apache-2.0
// Work shared out: to threads here, and to the other processes of a team.
//
// Rank 0 hands out points in their order and keeps what comes back, as it comes; its own threads take points
// too. Another process asks for as many as it has room for, sends what is done along, and asks for more at a time when it ran
// out before the answer came. So messages are few where points are quick, and the last points are shared by
// all: rank 0 gives no more than a part of what is left.
//
//   to rank 0:  HELLO key; DONE room, records (each behind its size); BYE records; FAILED text
//   from it:    GIVE points; END: no more, and with a value of 1 those that wait are not to be computed
// Nobody sends while an answer to it is on the way, so that two never wait for each other.
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/system/clock.h"
#include "base/system/thread.h"
#include "base/text/format.h"
#include "sweep/parts.h"

#define TEAM_PAUSE 1000000L  // between two looks at messages [ns]
#define SHARE      4  // what a process gets at most: this part of its even share of what is left
#define MAX_ROOM   JSWEEP_CHUNK
#define FLUSH      50  // looks after which what is done is sent although there is room for nothing

enum { HELLO, DONE, BYE, FAILED, GIVE, END };

typedef struct head {
  int32_t kind, value;
} head;

typedef struct chunk {
  bool is_busy;
  int n;
  int* index;  // (evaluator.chunk)
} chunk;

typedef struct work {
  jsweep* s;
  jo_context* ctx;        // of the thread that watches
  char text[512];         // why messages failed
  pthread_mutex_t guard;  // of all below
  chunk* chunk;           // of the workers
  int nchunk;
  int next;          // rank 0: points below are handed out
  int away;          // rank 0: processes that have not said goodbye
  bool stop;         // no more points
  jo_status status;  // of messages
  // another process than rank 0: points that wait, what is done, and what was asked for
  int* queue;
  int head, waiting, room;
  char* out;
  size_t out_size, out_capacity;
  bool is_asking, is_over, ran_dry;
  int looks;  // since the last message
} work;

static bool is_member(const jsweep* s) {
  return s->team && s->team->rank > 0;
}

static bool has_team(const jsweep* s) {
  return s->team && s->team->size > 1;
}

// ---- points to compute ---------------------------------------------------------------------------

// The next points that are not done, at most n.
static int hand_out(work* w, int* index, int n) {
  int k = 0;
  while (k < n && !w->stop && w->next < w->s->npoint) {
    if (!jsweep_is_done(w->s, w->next)) index[k++] = w->next;
    w->next++;
  }
  return k;
}

static int take_waiting(work* w, int* index, int n) {
  int k = 0;
  while (k < n && w->waiting > 0) {
    index[k++] = w->queue[w->head++];
    w->waiting--;
  }
  if (w->waiting == 0) w->ran_dry = true;
  return k;
}

static int next_chunk(void* user) {
  work* w = user;
  int i = 0;
  pthread_mutex_lock(&w->guard);
  while (w->chunk[i].is_busy) {
    i++;
  }
  chunk* c = &w->chunk[i];
  c->n = (is_member(w->s) ? take_waiting : hand_out)(w, c->index, w->s->evaluator.chunk);
  c->is_busy = c->n > 0;
  if (c->n == 0) i = is_member(w->s) && !w->is_over ? JTHREAD_WAIT : JTHREAD_END;
  pthread_mutex_unlock(&w->guard);
  return i;
}

// ---- computing them ------------------------------------------------------------------------------

static jo_status put_out(jo_context* ctx, work* w, const void* data, size_t size) {
  if (w->out_size + size > w->out_capacity) {
    size_t capacity = 2 * (w->out_size + size);
    char* more = jmem_resize(ctx, w->out, capacity);
    if (!more) return jerr_memory(ctx);
    w->out = more;
    w->out_capacity = capacity;
  }
  memcpy(w->out + w->out_size, data, size);
  w->out_size += size;
  return JO_OK;
}

static jo_status deliver(jo_context* ctx, work* w, const char* record, size_t size) {
  w->s->ncomputed++;
  if (!is_member(w->s)) return jsweep_keep(ctx, w->s, record, size);
  uint32_t n = (uint32_t)size;
  JO_TRY(put_out(ctx, w, &n, sizeof n));
  JO_TRY(put_out(ctx, w, record, size));
  w->s->ndone++;
  return JO_OK;
}

static jo_status finish(jo_context* ctx, work* w, int i, const jsweep_point* p) {
  char* record;
  size_t size;
  JO_TRY(jsweep_write(ctx, w->s, i, p, &record, &size));
  pthread_mutex_lock(&w->guard);
  jo_status status = deliver(ctx, w, record, size);
  pthread_mutex_unlock(&w->guard);
  jmem_free(ctx, record);
  return status;
}

static jo_status compute(jo_context* ctx, work* w, const chunk* c, jarena* a) {
  const jsweep* s = w->s;
  size_t doubts = (size_t)s->nobjective, numbers = doubts * (size_t)(2 * s->nw + 1);
  jsweep_point* point = JARENA_ARRAY(a, c->n, jsweep_point);
  double* number = jarena_array(a, (size_t)c->n, numbers * sizeof *number);
  jsens_value_doubt* doubt = jarena_array(a, (size_t)c->n, doubts * sizeof *doubt);
  if (!point || !number || !doubt) return jerr_memory(ctx);
  for (int k = 0; k < c->n; k++) {
    jsweep_place(s, &point[k], number + (size_t)k * numbers, doubt + (size_t)k * doubts);
  }
  jo_status status = s->evaluator.evaluate(s->evaluator.user, ctx, s, c->index, c->n, point);
  for (int k = 0; k < c->n; k++) {
    if (status >= 0) status = finish(ctx, w, c->index[k], &point[k]);
    jmem_free(ctx, point[k].message);
  }
  return status;
}

static jo_status turn(void* user, jo_context* ctx, int i) {
  work* w = user;
  jarena a;
  jarena_init(&a, ctx);
  jo_status status = compute(ctx, w, &w->chunk[i], &a);
  jarena_free(&a);
  pthread_mutex_lock(&w->guard);
  w->chunk[i].is_busy = false;
  pthread_mutex_unlock(&w->guard);
  return status;
}

// ---- rank 0 --------------------------------------------------------------------------------------

static bool go_on(work* w) {
  jsweep* s = w->s;
  pthread_mutex_lock(&w->guard);
  int done = s->ndone;
  pthread_mutex_unlock(&w->guard);
  return !s->progress || s->progress(s->user, done);
}

static jo_status answer(work* w, int to, int room) {
  const jsweep_team* team = w->s->team;
  struct {
    head h;
    int32_t index[MAX_ROOM];
  } m = {.h = {END, w->stop}};
  int64_t left = w->s->npoint - w->next, most = 1 + left / ((int64_t)SHARE * team->size);
  if (room > MAX_ROOM) room = MAX_ROOM;
  int n = hand_out(w, m.index, room < most ? room : (int)most);
  if (n > 0) m.h = (head){GIVE, n};
  return team->send(team->user, to, &m, sizeof m.h + (size_t)n * sizeof *m.index);
}

static jo_status keep_records(work* w, const char* data, size_t size) {
  uint32_t n;
  for (size_t at = 0; size - at >= sizeof n; at += sizeof n + n) {
    memcpy(&n, data + at, sizeof n);
    if (n > size - at - sizeof n) break;
    JO_TRY(jsweep_keep(w->ctx, w->s, data + at + sizeof n, n));
  }
  return JO_OK;
}

static jo_status refuse(work* w, int from, const char* what) {
  w->stop = true;
  return jerr_set(w->ctx, JO_ERR_ARGUMENT, "process %d of the team: %s", from, what);
}

static jo_status hear(work* w, int from, const char* data, size_t size) {
  jsweep* s = w->s;
  head h = {FAILED, 0};
  if (size >= sizeof h) memcpy(&h, data, sizeof h);
  const char* rest = data + sizeof h;
  size_t n = size >= sizeof h ? size - sizeof h : 0;
  jo_status status = JO_OK;
  if (h.kind == HELLO) {
    if (n != sizeof s->key || memcmp(rest, s->key, n) != 0) {
      status = refuse(w, from, "is at other work: another model, other options or version");
    }
    jo_status sent = answer(w, from, h.value);
    return status < 0 ? status : sent;
  }
  if (h.kind == FAILED || h.kind == BYE) w->away--;
  if (h.kind == FAILED) return refuse(w, from, n > 0 && !rest[n - 1] ? rest : "failed");
  JO_TRY(keep_records(w, rest, n));
  return h.kind == DONE && h.value > 0 ? answer(w, from, h.value) : JO_OK;
}

// The first error counts.
static void give_up(work* w, jo_status status) {
  w->stop = true;
  if (w->status < 0) return;
  w->status = status;
  jformat(w->text, sizeof w->text, "%s", jo_context_message(w->ctx));
}

// All messages that wait. The first error is kept, and the others are still answered.
static void serve(work* w) {
  const jsweep_team* team = w->s->team;
  int from;
  size_t size;
  while (team->poll(team->user, &from, &size)) {
    char* data = jmem_resize(w->ctx, NULL, size + 1);
    jo_status status = data ? team->receive(team->user, from, data, size) : jerr_memory(w->ctx);
    pthread_mutex_lock(&w->guard);
    if (status >= 0) status = hear(w, from, data, size);
    if (status < 0) give_up(w, status);
    pthread_mutex_unlock(&w->guard);
    jmem_free(w->ctx, data);
    if (!data) return;
  }
}

static bool watch(void* user, int done) {
  (void)done;
  work* w = user;
  if (has_team(w->s)) serve(w);
  if (!go_on(w)) {
    pthread_mutex_lock(&w->guard);
    w->stop = true;
    pthread_mutex_unlock(&w->guard);
  }
  return !w->stop;
}

static void pause_a_moment(void) {
  nanosleep(&(struct timespec){0, TEAM_PAUSE}, NULL);
}

// ---- another process -----------------------------------------------------------------------------

// What is done, behind the head that is kept free for it.
static jo_status send_out(work* w, int kind, int value) {
  const jsweep_team* team = w->s->team;
  head h = {kind, value};
  memcpy(w->out, &h, sizeof h);
  jo_status status = team->send(team->user, 0, w->out, w->out_size);
  w->out_size = sizeof h;
  w->is_asking = value > 0;
  w->looks = 0;
  return status;
}

static void take_points(work* w, const char* data, int n) {
  memmove(w->queue, w->queue + w->head, (size_t)w->waiting * sizeof *w->queue);
  w->head = 0;
  for (int k = 0; k < n && w->waiting < 2 * MAX_ROOM; k++) {
    int32_t index;
    memcpy(&index, data + (size_t)k * sizeof index, sizeof index);
    if (index >= 0 && index < w->s->npoint) w->queue[w->waiting++] = index;
  }
}

static jo_status hear_answer(work* w) {
  const jsweep_team* team = w->s->team;
  int from;
  size_t size;
  if (!team->poll(team->user, &from, &size)) return JO_OK;
  char* data = jmem_resize(w->ctx, NULL, size + 1);
  if (!data) return jerr_memory(w->ctx);
  head h = {END, 1};
  jo_status status = team->receive(team->user, from, data, size);
  if (status >= 0 && size >= sizeof h) memcpy(&h, data, sizeof h);
  w->is_asking = false;
  if (h.kind == GIVE) {
    int n = (int)((size - sizeof h) / sizeof(int32_t));
    take_points(w, data + sizeof h, n);
  } else {
    w->is_over = true;
    if (h.value) w->waiting = 0;
  }
  jmem_free(w->ctx, data);
  return status;
}

// Ask when less waits than is under way; for twice as much when it ran out last time.
static jo_status ask(work* w) {
  w->looks++;
  if (w->is_asking || w->is_over) return JO_OK;
  if (w->waiting <= w->room / 2) {
    if (w->ran_dry && 2 * w->room <= MAX_ROOM) w->room *= 2;
    w->ran_dry = false;
    return send_out(w, DONE, w->room - w->waiting);
  }
  return w->out_size > sizeof(head) && w->looks > FLUSH ? send_out(w, DONE, 0) : JO_OK;
}

static bool exchange(void* user, int done) {
  (void)done;
  work* w = user;
  pthread_mutex_lock(&w->guard);
  jo_status status = hear_answer(w);
  if (status >= 0) status = ask(w);
  if (status < 0) give_up(w, status);
  pthread_mutex_unlock(&w->guard);
  return w->status >= 0;
}

static jo_status say_hello(work* w) {
  w->queue = jmem_resize(w->ctx, NULL, 2 * MAX_ROOM * sizeof *w->queue);
  w->room = 2 * w->s->workers * w->s->evaluator.chunk;
  if (w->room > MAX_ROOM) w->room = MAX_ROOM;
  if (!w->queue) return jerr_memory(w->ctx);
  head h = {0};
  JO_TRY(put_out(w->ctx, w, &h, sizeof h));
  JO_TRY(put_out(w->ctx, w, w->s->key, sizeof w->s->key));
  return send_out(w, HELLO, w->room);
}

// The answer that is on the way, then what is left to tell.
static jo_status say_goodbye(work* w, jo_status status) {
  while (w->is_asking && w->status >= 0) {
    pause_a_moment();
    jo_status heard = hear_answer(w);
    if (heard < 0) return heard;
  }
  if (status >= 0) return send_out(w, BYE, 0);
  const char* text = jo_context_message(w->ctx);
  w->out_size = sizeof(head);
  jo_status put = put_out(w->ctx, w, text, strlen(text) + 1);
  if (put >= 0) send_out(w, FAILED, 0);
  return status;
}

// ---- all of it -----------------------------------------------------------------------------------

static jo_status make_chunks(work* w) {
  jsweep* s = w->s;
  w->nchunk = s->workers;
  w->chunk = JARENA_ARRAY(&s->arena, w->nchunk, chunk);
  if (!w->chunk) return jerr_memory(s->ctx);
  for (int i = 0; i < w->nchunk; i++) {
    w->chunk[i].index = JARENA_ARRAY(&s->arena, s->evaluator.chunk, int);
    if (!w->chunk[i].index) return jerr_memory(s->ctx);
  }
  return JO_OK;
}

static jo_status fail_as_told(const work* w) {
  return w->status < 0 ? jerr_set(w->s->ctx, w->status, "%s", w->text) : JO_OK;
}

static jo_status run_alone(work* w, jthread_loop* loop) {
  int done;
  loop->watch = watch;
  jo_status status = jthread_run(w->s->ctx, loop, &done);
  w->stop = w->stop || status < 0;
  double since = jclock_wall();
  while (w->away > 0 && has_team(w->s)) {
    watch(w, 0);
    pause_a_moment();
  }
  w->s->waited_s = jclock_wall() - since;
  return status < 0 ? status : fail_as_told(w);
}

static jo_status run_as_member(work* w, jthread_loop* loop) {
  int done;
  loop->watch = exchange;
  JO_TRY(say_hello(w));
  jo_status status = jthread_run(w->s->ctx, loop, &done);
  return say_goodbye(w, status < 0 ? status : fail_as_told(w));
}

static int points_left(const jsweep* s) {
  return is_member(s) ? s->npoint : s->npoint - s->ndone;
}

jo_status jsweep_run(jsweep* s) {
  work w = {.s = s, .ctx = s->ctx, .away = has_team(s) ? s->team->size - 1 : 0};
  if (pthread_mutex_init(&w.guard, NULL) != 0) {
    return jerr_set(s->ctx, JO_ERR_LIMIT, "the system gives no locks for threads");
  }
  int left = points_left(s);
  jthread_loop loop = {.n = left < s->workers ? left : s->workers,
                       .workers = s->workers,
                       .user = &w,
                       .turn = turn,
                       .next = next_chunk,
                       .watcher = has_team(s) ? &w.ctx : NULL,
                       .pause_ns = has_team(s) ? TEAM_PAUSE : 0};
  jarena_mark mark = jarena_save(&s->arena);
  jo_status status = make_chunks(&w);
  if (status >= 0) status = (is_member(s) ? run_as_member : run_alone)(&w, &loop);
  jarena_restore(&s->arena, mark);
  jmem_free(s->ctx, w.queue);
  jmem_free(s->ctx, w.out);
  pthread_mutex_destroy(&w.guard);
  return status < 0 ? status : jsweep_judge_single(s);
}
