// SPDX-License-Identifier: Apache-2.0
// Sweeps: the same bytes whatever the workers and the kills, failed points, derivatives.
#include "sweep/sweep.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/system/file.h"
#include "report/sweep.h"
#include "support/fixture.h"

#define QUARTER_CAR "test/models/sweep_quarter_car.yaml"
#define AT_REST     "test/models/sweep_static.yaml"

typedef struct subject {
  fixture* base;
  jo_context* ctx;
  jarena* arena;
  const char *out, *journal;
  jsens* sens;    // values and derivatives by all of `wrt`, both methods
  jsens* fewer;   // by the first two of them
  jsens* values;  // no derivatives
} subject;

static const char* const wrt[] = {"k", "c", "at"};

static jo_status prepare(jo_context* ctx, const jmodel* m, int nwrt, jsens** out) {
  int number[3];
  for (int i = 0; i < nwrt; i++) {
    number[i] = jmodel_find_number(m, wrt[i]);
  }
  jsens_setup setup = {.wrt = number, .nwrt = nwrt, .direct = nwrt > 0, .adjoint = nwrt > 0};
  setup.kernel = jkernel_options_default();
  setup.kernel.backend = JKERNEL_INTERP;
  return jsens_create(ctx, m, &setup, out);
}

static void forget(subject* f) {
  jsens_destroy(f->sens);
  jsens_destroy(f->fewer);
  jsens_destroy(f->values);
  f->sens = f->fewer = f->values = NULL;
}

static void prepare_all(subject* f) {
  assert_ok(f->ctx, prepare(f->ctx, f->base->m, 3, &f->sens));
  assert_ok(f->ctx, prepare(f->ctx, f->base->m, 2, &f->fewer));
  assert_ok(f->ctx, prepare(f->ctx, f->base->m, 0, &f->values));
}

static int setup(void** state) {
  subject* f = calloc(1, sizeof *f);
  f->base = fixture_load(QUARTER_CAR, NULL, 0);
  f->ctx = f->base->ctx;
  f->arena = &f->base->a;
  f->out = fixture_below(f->base, "sweep.csv");
  f->journal = fixture_below(f->base, "sweep.csv.journal");
  prepare_all(f);
  *state = f;
  return 0;
}

static int teardown(void** state) {
  subject* f = *state;
  forget(f);
  fixture_close(f->base);
  free(f);
  return 0;
}

// ---- sweeps --------------------------------------------------------------------------------------

static const jsweep_range ranges[] = {{.name = "k", .from = 8000, .to = 24000, .n = 4},
                                      {.name = "rod", .from = -1, .to = 2, .n = 3},
                                      {.name = "at", .from = 0.1, .to = 0.4, .n = 2}};

static jsweep_options options(int workers) {
  jsweep_options o = jsweep_options_default();
  o.range = ranges;
  o.nrange = 3;
  o.workers = workers;
  return o;
}

static jsweep* open_of(subject* f, const jsens* sens, const jsweep_options* o) {
  jsweep* s = NULL;
  assert_ok(f->ctx, jsweep_create(f->ctx, sens, NULL, o, &s));
  return s;
}

static jsweep* open_sweep(subject* f, const jsweep_options* o) {
  return open_of(f, f->sens, o);
}

// Bytes of the file of a sweep, in the arena.
static const char* save(subject* f, const jsweep* s, size_t* size) {
  char* data;
  assert_ok(f->ctx, jreport_sweep(f->ctx, s, f->out));
  assert_ok(f->ctx, jfile_read(f->ctx, f->arena, f->out, 1 << 24, &data, size));
  return data;
}

static const char* bytes_of(subject* f, const jsweep_options* o, size_t* size) {
  jsweep* s = open_sweep(f, o);
  assert_ok(f->ctx, jsweep_run(s));
  assert_int_equal(s->ndone, s->npoint);
  const char* data = save(f, s, size);
  jsweep_destroy(s);
  return data;
}

static void test_sweep_workers_do_not_show(void** state) {
  subject* f = *state;
  for (int method = 0; method < 3; method++) {
    size_t size, again;
    jsweep_options o = options(1);
    o.method = (jsweep_method)method;
    const char* one = bytes_of(f, &o, &size);
    for (int workers = 2; workers <= 5; workers++) {
      o.workers = workers;
      const char* many = bytes_of(f, &o, &again);
      assert_int_equal(size, again);
      assert_memory_equal(one, many, size);
    }
  }
}

// Every point of a sweep is what a run of its own gives with the parameters set.
static void compare_with_runs(subject* f, const char* path) {
  jsweep_options o = options(2);
  forget(f);
  jmodel_destroy(f->base->m);
  assert_ok(f->ctx, jmodel_load(f->ctx, path, NULL, 0, &f->base->m));
  prepare_all(f);
  jsweep* s = open_sweep(f, &o);
  assert_ok(f->ctx, jsweep_run(s));
  for (int i = 0; i < s->npoint; i++) {
    if (s->point[i].status < 0) continue;
    char text[3][40];
    jmodel_setting set[3];
    for (int k = 0; k < 3; k++) {
      snprintf(text[k], sizeof text[k], "%.17g", s->x[3 * i + k]);
      set[k] = (jmodel_setting){ranges[k].name, text[k]};
    }
    jmodel* m;
    jsens* sens;
    jsens_result* r;
    assert_ok(f->ctx, jmodel_load(f->ctx, path, set, 3, &m));
    assert_ok(f->ctx, prepare(f->ctx, m, 3, &sens));
    jsens_options run = jsens_options_default(m);
    assert_ok(f->ctx, jsens_run(f->ctx, sens, JSENS_DIRECT, &run, &r));
    assert_int_equal(r->nobjective, s->nobjective);
    // the same arithmetic but for the assembly's last digits; the tolerance of the runs is 1e-8
    for (int k = 0; k < r->nobjective; k++) {
      assert_near(s->point[i].value[k], r->value[k], 1e-10 * fabs(r->value[k]));
    }
    for (int k = 0; k < r->nobjective * 3; k++) {
      assert_near(s->point[i].gradient[k], r->gradient[k], 1e-7 * fabs(r->gradient[k]) + 1e-12);
    }
    jsens_result_destroy(r);
    jsens_destroy(sens);
    jmodel_destroy(m);
  }
  jsweep_destroy(s);
}

static void test_sweep_points_are_runs_of_their_own(void** state) {
  compare_with_runs(*state, QUARTER_CAR);
}

static void test_sweep_points_begin_at_rest_of_their_own(void** state) {
  compare_with_runs(*state, AT_REST);
}

// log(rod) has no value for rod <= 0: those points fail, say why, and the others do not mind.
static void test_sweep_failed_points_stay_in_place(void** state) {
  subject* f = *state;
  jsweep_options o = options(3);
  jsweep* s = open_sweep(f, &o);
  assert_ok(f->ctx, jsweep_run(s));
  assert_int_equal(s->ndone, 24);
  assert_string_equal(jo_context_message(f->ctx), "");
  for (int i = 0; i < s->npoint; i++) {
    const jsweep_point* p = &s->point[i];
    bool fails = s->x[3 * i + 1] <= 0;
    assert_int_equal(p->status < 0, fails);
    assert_int_equal(p->message != NULL, fails);
    for (int k = 0; k < s->nobjective * 4; k++) {
      assert_int_equal(isnan(p->value[k]), fails);
    }
  }
  jsweep_destroy(s);
}

static void test_sweep_values_alone(void** state) {
  subject* f = *state;
  jsweep_options o = options(2);
  jsweep *s = open_sweep(f, &o), *v = open_of(f, f->values, &o);
  assert_ok(f->ctx, jsweep_run(s));
  assert_ok(f->ctx, jsweep_run(v));
  for (int i = 0; i < s->npoint; i++) {
    size_t size = (size_t)s->nobjective * sizeof(double);
    assert_memory_equal(s->point[i].value, v->point[i].value, size);
  }
  jsweep_destroy(s);
  jsweep_destroy(v);
}

// ---- kills ---------------------------------------------------------------------------------------

static long journal_size(const subject* f) {
  FILE* file = fopen(f->journal, "rb");
  if (!file) return -1;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  fclose(file);
  return size;
}

static void refuse_without_journal(subject* f, const jsweep_options* o) {
  jsweep* s;
  assert_refused(f->ctx, jsweep_create(f->ctx, f->sens, NULL, o, &s), JO_ERR_ARGUMENT,
                 "need a journal");
  jo_context_clear(f->ctx);
}

// A kill leaves the journal cut off anywhere. Whatever is left, the end is the same, byte by byte.
static void test_sweep_goes_on_after_a_kill(void** state) {
  subject* f = *state;
  size_t size, again;
  jsweep_options o = options(1);
  const char* whole = bytes_of(f, &o, &size);
  o.journal = f->journal;
  uint64_t random = 1;
  bool some = false;
  for (int round = 0; round < 25; round++) {
    o.workers = 1 + round % 3;
    jsweep* s = open_sweep(f, &o);
    assert_ok(f->ctx, jsweep_run(s));
    jsweep_destroy(s);  // as if it was killed before the file was written
    long full = journal_size(f);
    random = random * 6364136223846793005u + 1442695040888963407u;
    assert_int_equal(truncate(f->journal, (long)((random >> 33) % (uint64_t)full)), 0);
    s = open_sweep(f, &o);
    int resumed = s->nresumed;
    assert_true(resumed < s->npoint);
    some = some || resumed > 3;
    assert_ok(f->ctx, jsweep_run(s));
    assert_int_equal(s->ndone, s->npoint);
    const char* data = save(f, s, &again);
    assert_int_equal(again, size);
    assert_memory_equal(data, whole, size);
    jsweep_forget(s);
    assert_int_equal(journal_size(f), -1);
    jsweep_destroy(s);
  }
  assert_true(some);
}

typedef struct stopper {
  int at, last;
} stopper;

static bool stop_at(void* user, int done) {
  stopper* s = user;
  s->last = done;
  return done < s->at;
}

static void test_sweep_goes_on_after_a_stop(void** state) {
  subject* f = *state;
  size_t size, again;
  jsweep_options o = options(2);
  const char* whole = bytes_of(f, &o, &size);
  stopper stop = {.at = 0};
  o.journal = f->journal;
  o.progress = stop_at;
  o.user = &stop;
  int rounds = 0, done = 0;
  for (; done < 24; rounds++) {
    jsweep* s = open_sweep(f, &o);
    assert_int_equal(s->nresumed, done);
    stop.at = done + 1;
    assert_ok(f->ctx, jsweep_run(s));
    assert_true(s->ndone > done);
    done = s->ndone;
    assert_int_equal(stop.last, done);
    if (done == 24) {
      const char* data = save(f, s, &again);
      assert_int_equal(again, size);
      assert_memory_equal(data, whole, size);
    }
    jsweep_destroy(s);
  }
}

// Results that stay in the journal are those in memory, also after a kill; failed points and their reasons, too.
static void test_sweep_streamed_is_the_same(void** state) {
  subject* f = *state;
  size_t size, again;
  jsweep_options o = options(2);
  const char* whole = bytes_of(f, &o, &size);
  o.stream = true;
  refuse_without_journal(f, &o);
  o.journal = f->journal;
  for (int round = 0; round < 3; round++) {
    jsweep* s = open_sweep(f, &o);
    assert_null(s->point);
    assert_null(s->x);
    assert_ok(f->ctx, jsweep_run(s));
    assert_int_equal(s->ndone, s->npoint);
    assert_int_equal(s->nfailed, 8);
    const char* data = save(f, s, &again);
    assert_int_equal(again, size);
    assert_memory_equal(data, whole, size);
    jsweep_destroy(s);
    assert_int_equal(truncate(f->journal, journal_size(f) / 2), 0);
  }
}

// ---- teams ---------------------------------------------------------------------------------------

// Processes as threads: a box of messages for each, in their order.
#define TEAM 3

typedef struct message {
  struct message* next;
  int from;
  size_t size;
  char data[];
} message;

typedef struct office {
  pthread_mutex_t guard;
  message* box[TEAM];
} office;

typedef struct member {
  office* office;
  const subject* f;
  jsweep_team team;
  jsweep_options options;
  jo_status status;
  int done;
  char text[200];
} member;

static jo_status post(void* user, int to, const void* data, size_t size) {
  member* m = user;
  message* letter = malloc(sizeof *letter + size);
  *letter = (message){.from = m->team.rank, .size = size};
  memcpy(letter->data, data, size);
  pthread_mutex_lock(&m->office->guard);
  message** at = &m->office->box[to];
  while (*at) {
    at = &(*at)->next;
  }
  *at = letter;
  pthread_mutex_unlock(&m->office->guard);
  return JO_OK;
}

static bool look_in(void* user, int* from, size_t* size) {
  member* m = user;
  pthread_mutex_lock(&m->office->guard);
  const message* letter = m->office->box[m->team.rank];
  if (letter) *from = letter->from;
  if (letter) *size = letter->size;
  pthread_mutex_unlock(&m->office->guard);
  return letter;
}

static jo_status collect(void* user, int from, void* data, size_t size) {
  member* m = user;
  pthread_mutex_lock(&m->office->guard);
  message* letter = m->office->box[m->team.rank];
  m->office->box[m->team.rank] = letter->next;
  pthread_mutex_unlock(&m->office->guard);
  if (letter->from != from || letter->size != size) return JO_ERR_ARGUMENT;
  memcpy(data, letter->data, size);
  free(letter);
  return JO_OK;
}

static void* take_part(void* user) {
  member* m = user;
  jo_context* ctx = NULL;
  jmodel* model = NULL;
  jsens* sens = NULL;
  jsweep* s = NULL;
  m->status = jo_context_create(NULL, &ctx);
  if (m->status >= 0) m->status = jmodel_load(ctx, QUARTER_CAR, NULL, 0, &model);
  if (m->status >= 0) m->status = prepare(ctx, model, 3, &sens);
  if (m->status >= 0) m->status = jsweep_create(ctx, sens, NULL, &m->options, &s);
  if (m->status >= 0) m->status = jsweep_run(s);
  snprintf(m->text, sizeof m->text, "%s", jo_context_message(ctx));
  m->done = s ? s->ndone : 0;
  jsweep_destroy(s);
  jsens_destroy(sens);
  jmodel_destroy(model);
  jo_context_destroy(ctx);
  return NULL;
}

// Rank 0 here, the others on threads of their own. Returns what rank 0 has, NULL where it failed.
static jsweep* run_team(subject* f, int size, jsweep_options o, const jsweep_options* other,
                        member* team) {
  office mail = {.guard = PTHREAD_MUTEX_INITIALIZER};
  pthread_t thread[TEAM];
  for (int i = 0; i < size; i++) {
    team[i] = (member){.office = &mail, .f = f, .options = i > 0 && other ? *other : o};
    team[i].team = (jsweep_team){i, size, size, &team[i], post, look_in, collect};
    team[i].options.team = &team[i].team;
    if (i > 0) pthread_create(&thread[i], NULL, take_part, &team[i]);
  }
  jsweep* s = open_sweep(f, &team[0].options);
  team[0].status = jsweep_run(s);
  for (int i = 1; i < size; i++) {
    pthread_join(thread[i], NULL);
  }
  for (int i = 0; i < size; i++) {
    assert_null(mail.box[i]);
  }
  return s;
}

static void test_sweep_teams_do_not_show(void** state) {
  subject* f = *state;
  size_t size, again;
  jsweep_options o = options(1);
  const char* whole = bytes_of(f, &o, &size);
  o.journal = f->journal;
  int computed_elsewhere = 0;
  for (int n = 1; n <= TEAM; n++) {
    for (int round = 0; round < 4; round++) {
      o.workers = 1 + round % 2;
      o.stream = round > 1;
      member team[TEAM];
      jsweep* s = run_team(f, n, o, NULL, team);
      int elsewhere = 0;
      for (int i = 0; i < n; i++) {
        assert_int_equal(team[i].status, JO_OK);
        if (i > 0) elsewhere += team[i].done;
      }
      assert_true(elsewhere <= s->npoint - s->nresumed);
      computed_elsewhere += elsewhere;
      assert_int_equal(s->ndone, s->npoint);
      const char* data = save(f, s, &again);
      assert_int_equal(again, size);
      assert_memory_equal(data, whole, size);
      jsweep_destroy(s);
      // killed: the rest is there for the next one
      assert_int_equal(truncate(f->journal, journal_size(f) / (round + 2)), 0);
    }
  }
  assert_true(computed_elsewhere > 0);
}

static void test_sweep_team_at_other_work(void** state) {
  subject* f = *state;
  jsweep_options o = options(1), other = o;
  other.tolerance = 1e-6;
  member team[TEAM];
  jsweep* s = run_team(f, 2, o, &other, team);
  assert_int_equal(team[0].status, JO_ERR_ARGUMENT);
  assert_non_null(strstr(jo_context_message(f->ctx), "process 1 of the team: is at other work"));
  jsweep_destroy(s);
  jo_context_clear(f->ctx);
}

// What an evaluator of chunks fails with ends the sweep everywhere.
static jo_status refuse_to_compute(void* user, jo_context* ctx, const jsweep* s, const int* index,
                                   int n, jsweep_point* point) {
  (void)user, (void)s, (void)index, (void)n, (void)point;
  return jerr_set(ctx, JO_ERR_LIMIT, "no more paper");
}

// Rank 0 is slow, so that the others come to it.
static jo_status take_time(void* user, jo_context* ctx, const jsweep* s, const int* index, int n,
                           jsweep_point* point) {
  (void)user, (void)ctx, (void)s, (void)index, (void)n, (void)point;
  nanosleep(&(struct timespec){0, 100000000}, NULL);
  return JO_OK;
}

static void test_sweep_team_that_fails(void** state) {
  subject* f = *state;
  const jsweep_evaluator broken = {.chunk = 5, .evaluate = refuse_to_compute};
  const jsweep_evaluator slow = {.chunk = 1, .evaluate = take_time};
  jsweep_options o = options(1), other = o;
  o.evaluator = &slow;
  other.evaluator = &broken;
  member team[TEAM];
  jsweep* s = run_team(f, 3, o, &other, team);
  assert_int_equal(team[0].status, JO_ERR_ARGUMENT);
  assert_non_null(strstr(jo_context_message(f->ctx), "of the team: no more paper"));
  jsweep_destroy(s);
  jo_context_clear(f->ctx);
}

// Anything that changes results makes it another sweep; the number of workers does not.
static void test_sweep_journal_of_another_sweep(void** state) {
  subject* f = *state;
  jsweep_options o = options(1), other;
  o.journal = f->journal;
  jsweep* s = open_sweep(f, &o);
  assert_ok(f->ctx, jsweep_run(s));
  jsweep_destroy(s);
  jsweep_range moved[3] = {ranges[0], ranges[1], ranges[2]};
  moved[1].to = 3;
  for (int what = 0; what < 8; what++) {
    other = o;
    if (what == 0) other.range = moved;
    if (what == 2) other.frozen = true;
    if (what == 3) other.tolerance = 1e-7;
    if (what == 4) other.settings = "c=1200";
    if (what == 5) other.method = JSWEEP_ADJOINT;
    if (what >= 6) other.nsample = 24;
    if (what == 7) other.sampling = JSWEEP_SOBOL;
    const jsens* sens = what == 1 ? f->fewer : f->sens;
    assert_int_equal(jsweep_create(f->ctx, sens, NULL, &other, &s), JO_ERR_FILE);
    assert_null(s);
    assert_non_null(strstr(jo_context_message(f->ctx), f->journal));
    jo_context_clear(f->ctx);
  }
  o.workers = 2;
  s = open_sweep(f, &o);
  assert_int_equal(s->nresumed, 24);
  jsweep_destroy(s);
  other.restart = true;
  s = open_sweep(f, &other);
  assert_int_equal(s->nresumed, 0);
  jsweep_destroy(s);
}

// ---- mistakes ------------------------------------------------------------------------------------

static void refuse(subject* f, const jsweep_options* o, const char* part) {
  jsweep* s;
  jo_context_clear(f->ctx);
  assert_int_equal(jsweep_create(f->ctx, f->sens, NULL, o, &s), JO_ERR_ARGUMENT);
  assert_null(s);
  if (!strstr(jo_context_message(f->ctx), part)) {
    print_error("'%s' is not in '%s'\n", part, jo_context_message(f->ctx));
    fail();
  }
}

static void test_sweep_mistakes_are_named(void** state) {
  subject* f = *state;
  static const struct {
    const char *name, *part;
  } bad[] = {{"stepp", "did you mean 'step'"},
             {"bodies.body.mass", "only parameters can"},
             {"k_2", "is computed (2*k)"}};
  for (int i = 0; i < 3; i++) {
    jsweep_range range = {.name = bad[i].name, .from = 1, .to = 2, .n = 3};
    jsweep_options o = options(1);
    o.range = &range;
    o.nrange = 1;
    refuse(f, &o, bad[i].part);
  }
  jsweep_options o = options(1);
  const jsweep_range twice[] = {ranges[0], ranges[0]};
  o.range = twice;
  o.nrange = 2;
  refuse(f, &o, "'k' is given twice");
  o = options(1);
  o.nrange = 0;
  refuse(f, &o, "no parameter");
  o = options(1);
  o.t_end = -1;
  refuse(f, &o, "end time");
  o = options(1);
  o.tolerance = 0;
  refuse(f, &o, "tolerance");
}

static void test_sweep_method_that_is_not_prepared_is_refused(void** state) {
  subject* f = *state;
  int number = jmodel_find_number(f->base->m, "k");
  jsens_setup setup = {.wrt = &number, .nwrt = 1, .kernel = jkernel_options_default()};
  setup.kernel.backend = JKERNEL_INTERP;
  for (int direct = 0; direct < 2; direct++) {
    jsens* sens;
    jsweep* s;
    setup.direct = direct == 1;
    setup.adjoint = direct == 0;
    assert_ok(f->ctx, jsens_create(f->ctx, f->base->m, &setup, &sens));
    jsweep_options o = options(1);
    o.method = direct ? JSWEEP_ADJOINT : JSWEEP_DIRECT;
    assert_refused(f->ctx, jsweep_create(f->ctx, sens, NULL, &o, &s), JO_ERR_ARGUMENT,
                   "the system was not prepared for", direct ? "adjoint" : "direct");
    assert_null(s);
    jo_context_clear(f->ctx);
    // left open it is the one that is there
    o.method = JSWEEP_AUTO;
    s = open_of(f, sens, &o);
    assert_int_equal(s->method, direct ? JSENS_DIRECT : JSENS_ADJOINT);
    jsweep_destroy(s);
    jsens_destroy(sens);
  }
}

// Points side by side: those of runs to what locating events leaves, failed ones failed as they do, and the same bytes from any
// number of workers and processes and after a kill.
static void test_sweep_points_side_by_side(void** state) {
  subject* f = *state;
  jsweep_options o = options(1);
  o.method = JSWEEP_DIRECT;
  jsweep* alone = open_sweep(f, &o);
  assert_ok(f->ctx, jsweep_run(alone));
  o.side_by_side = true;
  jsweep* s = open_sweep(f, &o);
  assert_null(s->batch->why_alone);
  assert_ok(f->ctx, jsweep_run(s));
  assert_int_equal(s->ndone, s->npoint);
  int failed = 0;
  for (int i = 0; i < s->npoint; i++) {
    const jsweep_point *a = &alone->point[i], *b = &s->point[i];
    assert_int_equal(a->status, b->status);
    failed += a->status < 0;
    if (a->status < 0) assert_string_equal(a->message, b->message);
    for (int k = 0; a->status >= 0 && k < s->nobjective; k++) {
      assert_near(b->value[k], a->value[k], 1e-8 * fabs(a->value[k]));
    }
    for (int k = 0; a->status >= 0 && k < s->nobjective * s->nw; k++) {
      double size = fabs(a->value[k / s->nw]) / jsweep_unit(s, s->x + i * s->nrange, k % s->nw);
      assert_near(b->gradient[k], a->gradient[k], 1e-6 * fmax(fabs(a->gradient[k]), size));
    }
  }
  assert_true(failed > 0 && failed < s->npoint);
  jsweep_destroy(alone);
  jsweep_destroy(s);
}

static void test_sweep_side_by_side_the_same_bytes(void** state) {
  subject* f = *state;
  size_t size, again;
  jsweep_options o = options(1);
  o.side_by_side = true;
  const char* whole = bytes_of(f, &o, &size);
  o.journal = f->journal;
  for (int n = 1; n <= TEAM; n++) {
    o.workers = n;
    member team[TEAM];
    jsweep* s = run_team(f, n, o, NULL, team);
    const char* data = save(f, s, &again);
    assert_int_equal(again, size);
    assert_memory_equal(data, whole, size);
    jsweep_destroy(s);
    assert_int_equal(truncate(f->journal, journal_size(f) / 2), 0);
  }
}

static jsweep_options in_single_precision(void) {
  jsweep_options o = options(1);
  o.side_by_side = o.single = true;
  o.device = JBATCH_DEVICE_HOST;
  o.tolerance = 1e-5;
  return o;
}

// The errors of a sweep in single precision are those of its points in double precision that it looked at.
static void test_sweep_single_precision_states_its_error(void** state) {
  subject* f = *state;
  jsweep_options o = in_single_precision();
  jsweep* s = open_sweep(f, &o);
  assert_ok(f->ctx, jsweep_run(s));
  o.single = false;
  jsweep* exact = open_sweep(f, &o);
  assert_ok(f->ctx, jsweep_run(exact));
  assert_false(exact->single.is_single);
  int checked = 0, n = s->nobjective;
  double worst = 0.0;
  for (int k = 0; k < n; k++) {
    double off = 0.0, most = 0.0;
    checked = 0;
    for (int i = 0; i < s->npoint; i++) {
      const jsweep_point *p = &s->point[i], *q = &exact->point[i];
      assert_int_equal(p->status, q->status);
      if (p->status < 0) continue;
      assert_int_equal(isnan(p->error[0]), i % 3 > 0);
      if (i % 3 > 0) continue;
      checked++;
      off = fmax(off, fabs(p->value[k] - q->value[k]));
      most = fmax(most, fabs(p->value[k]));
      for (int j = 0; j < n * s->nw; j++)
        assert_near(p->error[j], fabs(p->gradient[j] - q->gradient[j]), 0.0);
    }
    worst = fmax(worst, off / most);
  }
  assert_int_equal(s->single.checked, checked);
  assert_true(checked > 2 && worst > 0.0);
  // the difference is kept relative to the value, with a rounding or two; sizes as measured: 2.2e-8, 5.8e-5
  assert_near(s->single.value_error, worst, 1e-15 * worst);
  assert_true(s->single.value_error < 1e-5 && s->single.gradient_error < 1e-4);
  jsweep_destroy(exact);
  jsweep_destroy(s);
}

static void test_sweep_single_precision_the_same_bytes(void** state) {
  subject* f = *state;
  size_t size, again;
  jsweep_options o = in_single_precision();
  const char* whole = bytes_of(f, &o, &size);
  assert_non_null(strstr(whole, "precision: single"));
  o.journal = f->journal;
  for (int n = 1; n <= TEAM; n++) {
    member team[TEAM];
    jsweep* s = run_team(f, n, o, NULL, team);
    const char* data = save(f, s, &again);
    assert_int_equal(again, size);
    assert_memory_equal(data, whole, size);
    jsweep_destroy(s);
    assert_int_equal(truncate(f->journal, journal_size(f) / 2), 0);
  }
}

static void test_sweep_side_by_side_refusals(void** state) {
  subject* f = *state;
  jsweep* s;
  jsweep_options o = options(1);
  o.side_by_side = true;
  o.frozen = true;
  assert_refused(f->ctx, jsweep_create(f->ctx, f->sens, NULL, &o, &s), JO_ERR_ARGUMENT,
                 "points side by side", "frozen");
  jo_context_clear(f->ctx);
  o.frozen = false;
  o.method = JSWEEP_ADJOINT;
  assert_refused(f->ctx, jsweep_create(f->ctx, f->sens, NULL, &o, &s), JO_ERR_ARGUMENT,
                 "points side by side", "direct");
}

static void memory_ends_anywhere(subject* f, bool side_by_side, bool single, long step) {
  jsweep_range range = {.name = "k", .from = 8000, .to = 9000, .n = 2};
  jsweep_options o = options(2);
  o.side_by_side = side_by_side;
  o.single = single;
  o.device = single ? JBATCH_DEVICE_HOST : JBATCH_DEVICE_CPU;
  o.range = &range;
  o.nrange = 1;
  o.t_end = 0.25;
  o.journal = f->journal;
  for (long n = 0;; n += step) {
    failing_alloc a;
    failing_alloc_init(&a, n);
    jo_context* ctx = NULL;
    jmodel* m = NULL;
    jsens* sens = NULL;
    jsweep* s = NULL;
    jo_status status = jo_context_create(&a.allocator, &ctx);
    if (status >= 0) status = jmodel_load(ctx, QUARTER_CAR, NULL, 0, &m);
    if (status >= 0) status = prepare(ctx, m, 0, &sens);
    if (status >= 0) status = jsweep_create(ctx, sens, NULL, &o, &s);
    if (status >= 0) status = jsweep_run(s);
    if (status >= 0) status = jreport_sweep(ctx, s, f->out);
    jsweep_destroy(s);
    jsens_destroy(sens);
    jmodel_destroy(m);
    jo_context_destroy(ctx);
    assert_int_equal(a.live_bytes, 0);
    if (status >= 0) break;
    assert_int_equal(status, JO_ERR_MEMORY);
  }
}

static void test_sweep_memory_ends_anywhere(void** state) {
  subject* f = *state;
  memory_ends_anywhere(f, false, false, 41);
  assert_int_equal(unlink(f->journal), 0);  // it is another's
  memory_ends_anywhere(f, true, false, 211);
  assert_int_equal(unlink(f->journal), 0);
  memory_ends_anywhere(f, true, true, 401);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      CASE(test_sweep_workers_do_not_show),
      CASE(test_sweep_points_are_runs_of_their_own),
      CASE(test_sweep_points_begin_at_rest_of_their_own),
      CASE(test_sweep_failed_points_stay_in_place),
      CASE(test_sweep_values_alone),
      CASE(test_sweep_goes_on_after_a_kill),
      CASE(test_sweep_goes_on_after_a_stop),
      CASE(test_sweep_streamed_is_the_same),
      CASE(test_sweep_teams_do_not_show),
      CASE(test_sweep_team_at_other_work),
      CASE(test_sweep_team_that_fails),
      CASE(test_sweep_journal_of_another_sweep),
      CASE(test_sweep_mistakes_are_named),
      CASE(test_sweep_method_that_is_not_prepared_is_refused),
      CASE(test_sweep_points_side_by_side),
      CASE(test_sweep_side_by_side_the_same_bytes),
      CASE(test_sweep_single_precision_states_its_error),
      CASE(test_sweep_single_precision_the_same_bytes),
      CASE(test_sweep_side_by_side_refusals),
      CASE(test_sweep_memory_ends_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
