// SPDX-License-Identifier: Apache-2.0
// Sweeps: check, prepare once, then one run with derivatives per point, shared out to threads.
// Every point writes to its own place; a journal keeps it before the next one begins.
#include "study/sweep.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "base/hash.h"
#include "base/process.h"
#include "base/text.h"
#include "base/thread.h"
#include "plant/limits.h"
#include "sens/doubt.h"
#include "sens/metric.h"

#define MAX_MESSAGE 1024  // of a failed point, in the journal

jstudy_sweep_options jstudy_sweep_options_default(void) {
  return (jstudy_sweep_options){.t_end = NAN, .tolerance = NAN, .step = NAN};
}

// ---- names ---------------------------------------------------------------------------------------

static bool is_listed(const int* list, int n, int i) {
  for (int k = 0; k < n; k++) {
    if (list[k] == i) return true;
  }
  return false;
}

static jo_status find_parameters(jstudy_sweep* s) {
  const jmodel* m = s->model;
  s->parameter = JARENA_ARRAY(&s->arena, s->nrange, int);
  if (!s->parameter) return jerr_memory(s->ctx);
  for (int i = 0; i < s->nrange; i++) {
    const char* name = s->range[i].name;
    JO_TRY(jmodel_number_named(s->ctx, m, name, &s->parameter[i]));
    const jmodel_number* number = &m->number[s->parameter[i]];
    if (!number->is_parameter) {
      return jerr_set(s->ctx, JO_ERR_ARGUMENT,
                      "%s:%d: '%s' cannot vary in a sweep, only parameters can; declare one under "
                      "'parameters:' and use it here",
                      number->place.file, number->place.line, name);
    }
    if (is_listed(s->parameter, i, s->parameter[i])) {
      return jerr_set(s->ctx, JO_ERR_ARGUMENT, "parameter '%s' is given twice", name);
    }
  }
  return JO_OK;
}

// ---- preparation ---------------------------------------------------------------------------------

static jo_status check_model(jo_context* ctx, const jmodel* m) {
  if (m->nobjective == 0) {
    return jerr_set(ctx, JO_ERR_MODEL, "%s: no objective to compute; name one under 'objectives:'",
                    m->path);
  }
  return JO_OK;
}

static jo_status set_run(jstudy_sweep* s, const jstudy_sweep_options* opt) {
  s->run = jsens_options_default(s->model);
  s->run.frozen = opt->frozen;
  if (!isnan(opt->t_end)) s->run.t_end = opt->t_end;
  if (!isnan(opt->tolerance)) s->run.solve.rel_tol = s->run.solve.abs_tol = opt->tolerance;
  if (!isnan(opt->step)) s->run.solve.step = opt->step;
  if (!(s->run.t_end > s->run.t_start) || !isfinite(s->run.t_end)) {
    return jerr_set(s->ctx, JO_ERR_ARGUMENT,
                    "end time %.9g s: must be finite and after the start, %.9g s", s->run.t_end,
                    s->run.t_start);
  }
  JO_TRY(jplant_check_option(s->ctx, "tolerance", opt->tolerance));
  return opt->step != 0.0 ? jplant_check_option(s->ctx, "step", opt->step) : JO_OK;
}

// All points are in memory: their places, values, derivatives and errors.
static jo_status check_size(const jstudy_sweep* s) {
  double points = s->npoint, objectives = s->model->nobjective;
  double numbers = s->nrange + objectives * (2.0 * s->nw + 2.0);
  double each = numbers * sizeof(double) + sizeof(jstudy_sweep_point) + sizeof(int);
  char what[64];
  jformat(what, sizeof what, "%.4g points", points);
  return jplant_check_memory(s->ctx, s->model, points * each, what);
}

static jo_status keep_correlations(jstudy_sweep* s, const jstudy_sweep_options* opt) {
  jstudy_correlation* c = JARENA_ARRAY(&s->arena, opt->ncorrelation, jstudy_correlation);
  if (!c) return jerr_memory(s->ctx);
  for (int i = 0; i < opt->ncorrelation; i++) {
    c[i] = opt->correlation[i];
    c[i].first = jarena_strdup(&s->arena, c[i].first);
    c[i].second = jarena_strdup(&s->arena, c[i].second);
    if (!c[i].first || !c[i].second) return jerr_memory(s->ctx);
  }
  s->correlation = c;
  s->ncorrelation = opt->ncorrelation;
  return JO_OK;
}

static jo_status lay_out(jstudy_sweep* s, const jstudy_sweep_options* opt) {
  s->is_sample = opt->nsample != 0;
  s->sampling = opt->sampling;
  s->seed = opt->seed;
  s->has_indices = opt->has_indices;
  JO_TRY(keep_correlations(s, opt));
  jstudy_design_options design = {.range = s->range,
                                  .nrange = s->nrange,
                                  .nsample = opt->nsample,
                                  .sampling = opt->sampling,
                                  .seed = opt->seed,
                                  .correlation = opt->correlation,
                                  .ncorrelation = opt->ncorrelation,
                                  .has_indices = opt->has_indices};
  JO_TRY(jstudy_design_create(s->ctx, &s->arena, &design, &s->design));
  s->npoint = jstudy_design_count(s->design);
  JO_TRY(check_size(s));
  s->x = jarena_array(&s->arena, (size_t)s->npoint, (size_t)s->nrange * sizeof *s->x);
  if (!s->x) return jerr_memory(s->ctx);
  for (int i = 0; i < s->npoint; i++) {
    jstudy_design_at(s->design, i, s->x + (int64_t)i * s->nrange);
  }
  return JO_OK;
}

static jsens_method choose_method(const jstudy_sweep* s, jstudy_sweep_method wish) {
  if (s->nw == 0) return JSENS_VALUE;
  if (wish == JSTUDY_SWEEP_DIRECT) return JSENS_DIRECT;
  if (wish == JSTUDY_SWEEP_ADJOINT) return JSENS_ADJOINT;
  if (!s->sens->tangents) return JSENS_ADJOINT;
  if (!s->sens->adjoints) return JSENS_DIRECT;
  return jsens_cheaper(s->model->nobjective, s->nw);
}

// Values, derivatives and their errors of a point lie one after the other.
static size_t numbers_of(const jstudy_sweep* s) {
  return (size_t)s->nobjective * (size_t)(2 * s->nw + 1);
}

static size_t doubt_bytes(const jstudy_sweep* s) {
  return (size_t)s->nobjective * sizeof(double);
}

static jo_status allocate_points(jstudy_sweep* s) {
  size_t each = numbers_of(s);
  s->point = JARENA_ARRAY(&s->arena, s->npoint, jstudy_sweep_point);
  double* number = jarena_array(&s->arena, (size_t)s->npoint, each * sizeof *number);
  double* doubt = jarena_array(&s->arena, (size_t)s->npoint, doubt_bytes(s));
  if (!s->point || !number || !doubt) return jerr_memory(s->ctx);
  for (int i = 0; i < s->npoint; i++) {
    s->point[i].doubt = doubt + (int64_t)i * s->nobjective;
    s->point[i].value = number + (size_t)i * each;
    s->point[i].gradient = s->point[i].value + s->nobjective;
    s->point[i].error = s->point[i].gradient + (int64_t)s->nobjective * s->nw;
    for (size_t k = 0; k < each; k++) {
      s->point[i].value[k] = NAN;
    }
  }
  return JO_OK;
}

// ---- journal -------------------------------------------------------------------------------------

// What of a point goes to the journal, in front of its numbers, its doubts and its message.
typedef struct entry {
  int64_t evaluations;
  int32_t index, status, events, length;  // of the message
} entry;

static void describe_design(const jstudy_sweep* s, jtext* t) {
  jtext_printf(t, "design %s %d %d %llu\n",
               s->is_sample ? jstudy_sampling_name(s->sampling) : "grid", s->npoint, s->has_indices,
               (unsigned long long)s->seed);
  for (int i = 0; i < s->nrange; i++) {
    const jstudy_range* r = &s->range[i];
    jtext_printf(t, "%s %a %a %d %d %a %a\n", r->name, r->from, r->to, s->is_sample ? 0 : r->n,
                 (int)r->law, r->mean, r->deviation);
  }
  for (int i = 0; i < s->ncorrelation; i++) {
    const jstudy_correlation* c = &s->correlation[i];
    jtext_printf(t, "correlation %s %s %a\n", c->first, c->second, c->value);
  }
}

// All that the results depend on, as text: what has the same key has the same results.
static void describe(const jstudy_sweep* s, jtext* t) {
  const jsolve_options* o = &s->run.solve;
  jtext_printf(t, "jounce %s\nmodel %s\nsettings %s\n", jo_version(), s->model->sha256,
               s->settings);
  jtext_printf(t, "solve %d %d %d %lld %a %a %a %a %a %a\n", (int)o->method, o->locate_events,
               o->max_events, (long long)o->max_steps, o->rel_tol, o->abs_tol, o->step, o->max_step,
               s->run.t_start, s->run.t_end);
  jtext_printf(t, "doubts, derivatives with errors %d %d %d %a %a", (int)s->method, s->run.frozen,
               s->run.max_states, s->run.derivative_tol, o->shortest_pulse);
  for (int i = 0; i < s->nw; i++) {
    jtext_printf(t, " %s", s->model->number[s->wrt[i]].path);
  }
  jtext_printf(t, "\nkernels %d\n", (int)s->sens->plant->kernels->set->backend);
  describe_design(s, t);
}

static jo_status find_key(jstudy_sweep* s, uint8_t key[JJOURNAL_KEY]) {
  jtext t;
  jtext_init(&t, s->ctx);
  describe(s, &t);
  jo_status status = t.failed ? jerr_memory(s->ctx) : JO_OK;
  if (status >= 0) {
    jsha256 sum;
    jsha256_init(&sum);
    jsha256_add(&sum, t.data, t.length);
    jsha256_finish(&sum, key);
  }
  jtext_free(&t);
  return status;
}

static size_t number_bytes(const jstudy_sweep* s) {
  return numbers_of(s) * sizeof(double);
}

static char* keep_text(jo_context* ctx, const char* text, size_t n) {
  char* copy = jmem_resize(ctx, NULL, n + 1);
  if (!copy) return NULL;
  memcpy(copy, text, n);
  copy[n] = 0;
  return copy;
}

// A point another process finished.
static jo_status recall(void* user, const void* data, size_t size) {
  jstudy_sweep* s = user;
  size_t numbers = number_bytes(s), doubts = doubt_bytes(s),
         before = sizeof(entry) + numbers + doubts;
  entry e;
  if (size < before) return JO_OK;
  memcpy(&e, data, sizeof e);
  if (e.index < 0 || e.index >= s->npoint || e.length < 0 || size != before + (size_t)e.length ||
      s->point[e.index].is_done) {
    return JO_OK;
  }
  jstudy_sweep_point* p = &s->point[e.index];
  const char* text = (const char*)data + before;
  if (e.status < 0) {
    p->message = keep_text(s->ctx, text, (size_t)e.length);
    if (!p->message) return jerr_memory(s->ctx);
  }
  memcpy(p->value, (const char*)data + sizeof e, numbers);
  memcpy(p->doubt, (const char*)data + sizeof e + numbers, doubts);
  p->status = (jo_status)e.status;
  p->events = e.events;
  p->evaluations = e.evaluations;
  p->is_done = true;
  s->ndone++;
  return JO_OK;
}

static jo_status open_journal(jstudy_sweep* s, const jstudy_sweep_options* opt) {
  if (!opt->journal) return JO_OK;
  uint8_t key[JJOURNAL_KEY];
  JO_TRY(find_key(s, key));
  jjournal_options o = {
      .path = opt->journal, .key = key, .restart = opt->restart, .user = s, .record = recall};
  JO_TRY(jjournal_open(s->ctx, &o, &s->journal));
  s->nresumed = s->ndone;
  return JO_OK;
}

static jo_status note(jo_context* ctx, const jstudy_sweep* s, int i) {
  const jstudy_sweep_point* p = &s->point[i];
  size_t numbers = number_bytes(s), doubts = doubt_bytes(s);
  size_t length = p->message ? strlen(p->message) : 0, before = sizeof(entry) + numbers + doubts;
  size_t size = before + length;
  entry e = {p->evaluations, i, p->status, p->events, (int32_t)length};
  char* record = jmem_resize(ctx, NULL, size);
  if (!record) return jerr_memory(ctx);
  memcpy(record, &e, sizeof e);
  memcpy(record + sizeof e, p->value, numbers);
  memcpy(record + sizeof e + numbers, p->doubt, doubts);
  if (length > 0) memcpy(record + before, p->message, length);
  jo_status status = jjournal_append(ctx, s->journal, record, size);
  jmem_free(ctx, record);
  return status;
}

// ---- a sweep -------------------------------------------------------------------------------------

static jo_status prepare(jstudy_sweep* s, const jstudy_sweep_options* opt) {
  s->nrange = opt->nrange;
  s->range = JARENA_ARRAY(&s->arena, opt->nrange, jstudy_range);
  s->settings = jarena_strdup(&s->arena, opt->settings ? opt->settings : "");
  if (!s->range || !s->settings) return jerr_memory(s->ctx);
  for (int i = 0; i < opt->nrange; i++) {
    s->range[i] = opt->range[i];
    s->range[i].name = jarena_strdup(&s->arena, opt->range[i].name);
    if (!s->range[i].name) return jerr_memory(s->ctx);
  }
  JO_TRY(check_model(s->ctx, s->model));
  JO_TRY(find_parameters(s));
  JO_TRY(jsens_check_numbers(s->ctx, s->sens));
  JO_TRY(set_run(s, opt));
  JO_TRY(lay_out(s, opt));
  s->method = choose_method(s, opt->method);
  JO_TRY(jsens_check_method(s->ctx, s->sens, s->method));
  JO_TRY(allocate_points(s));
  return open_journal(s, opt);
}

jo_status jstudy_sweep_create(jo_context* ctx, const jsens* sens, const double* p,
                              const jstudy_sweep_options* opt, jstudy_sweep** out) {
  *out = NULL;
  jstudy_sweep* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jstudy_sweep){.ctx = ctx, .sens = sens, .p = p, .model = sens->plant->model};
  s->progress = opt->progress;
  s->user = opt->user;
  s->wrt = sens->wrt;
  s->nw = sens->nw;
  s->nobjective = sens->plant->dynamics->nobjective;
  s->workers = opt->workers > 0 ? opt->workers : jproc_cpu_count();
  jarena_init(&s->arena, ctx);
  jo_status status = prepare(s, opt);
  if (status < 0) {
    jstudy_sweep_destroy(s);
    return status;
  }
  *out = s;
  return JO_OK;
}

double jstudy_sweep_unit(const jstudy_sweep* s, int i, int j) {
  for (int k = 0; k < s->nrange; k++) {
    double value = s->x[(int64_t)i * s->nrange + k];
    if (s->parameter[k] == s->wrt[j]) return jsens_size_at(s->model, s->wrt[j], value);
  }
  return jsens_unit(s->sens, s->p, j);
}

void jstudy_sweep_destroy(jstudy_sweep* s) {
  if (!s) return;
  for (int i = 0; s->point && i < s->npoint; i++) {
    jmem_free(s->ctx, s->point[i].message);
  }
  jjournal_close(s->journal);
  jarena_free(&s->arena);
  jmem_free(s->ctx, s);
}

void jstudy_sweep_forget(jstudy_sweep* s) {
  jjournal_remove(s->journal);
  s->journal = NULL;
}

// ---- running -------------------------------------------------------------------------------------

typedef struct work {
  jstudy_sweep* s;
  const int* left;         // points to compute
  pthread_mutex_t* guard;  // of the journal
} work;

// Values of the live numbers at a point.
static jo_status set_values(jo_context* ctx, const jstudy_sweep* s, int i, double** out) {
  const jgen_dynamics* d = s->sens->plant->dynamics;
  double* p = jmem_resize(ctx, NULL, ((size_t)d->np + 1) * sizeof *p);
  if (!p) return jerr_memory(ctx);
  memcpy(p, s->p ? s->p : d->p, (size_t)d->np * sizeof *p);
  for (int k = 0; k < s->nrange; k++) {
    for (int n = 0; n < d->np; n++) {
      if (d->live[n] == s->parameter[k]) p[n] = s->x[(int64_t)i * s->nrange + k];
    }
  }
  *out = p;
  return JO_OK;
}

static void take(jstudy_sweep_point* p, const jsens_result* r) {
  memcpy(p->value, r->value, (size_t)r->nobjective * sizeof *p->value);
  size_t n = (size_t)r->nobjective * (size_t)r->nw;
  if (n > 0) {
    memcpy(p->gradient, r->gradient, n * sizeof *p->gradient);
    memcpy(p->error, r->gradient_error, n * sizeof *p->error);
  }
  for (int o = 0; o < r->nobjective; o++) {
    p->doubt[o] = jsens_doubt_value(r, o);
  }
  p->events = r->statistics.events;
  p->evaluations = r->statistics.evaluations;
}

// Failures of the run are the point's; those of the machine end the sweep.
static jo_status compute(jo_context* ctx, const jstudy_sweep* s, jstudy_sweep_point* p, int i) {
  double* values = NULL;
  JO_TRY(set_values(ctx, s, i, &values));
  jsens_options opt = s->run;
  opt.p = values;
  jsens_result* r = NULL;
  p->status = jsens_check(ctx, s->sens, &opt, true);
  if (p->status >= 0) p->status = jsens_run(ctx, s->sens, s->method, &opt, &r);
  jmem_free(ctx, values);
  if (p->status == JO_ERR_MEMORY) return JO_ERR_MEMORY;
  if (p->status >= 0) {
    take(p, r);
  } else {
    const char* text = jo_context_message(ctx);
    if (!*text) text = jo_status_text(p->status);
    size_t n = strlen(text);
    p->message = keep_text(ctx, text, n < MAX_MESSAGE ? n : MAX_MESSAGE);
  }
  jsens_result_destroy(r);
  return p->status < 0 && !p->message ? jerr_memory(ctx) : JO_OK;
}

static jo_status turn(void* user, jo_context* ctx, int k) {
  work* w = user;
  int i = w->left[k];
  jstudy_sweep_point* p = &w->s->point[i];
  JO_TRY(compute(ctx, w->s, p, i));
  if (w->s->journal) {
    pthread_mutex_lock(w->guard);
    jo_status status = note(ctx, w->s, i);
    pthread_mutex_unlock(w->guard);
    JO_TRY(status);
  }
  p->is_done = true;
  return JO_OK;
}

static bool watch(void* user, int done) {
  const jstudy_sweep* s = ((work*)user)->s;
  return !s->progress || s->progress(s->user, s->ndone + done);
}

jo_status jstudy_sweep_run(jstudy_sweep* s) {
  int* left = jmem_resize(s->ctx, NULL, ((size_t)s->npoint + 1) * sizeof *left);
  if (!left) return jerr_memory(s->ctx);
  pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
  work w = {.s = s, .left = left, .guard = &guard};
  jthread_loop loop = {.workers = s->workers, .user = &w, .turn = turn, .watch = watch};
  for (int i = 0; i < s->npoint; i++) {
    if (!s->point[i].is_done) left[loop.n++] = i;
  }
  int done;
  jo_status status = jthread_run(s->ctx, &loop, &done);
  s->ndone = 0;
  for (int i = 0; i < s->npoint; i++) {
    s->ndone += s->point[i].is_done;
  }
  pthread_mutex_destroy(&guard);
  jmem_free(s->ctx, left);
  return status;
}
