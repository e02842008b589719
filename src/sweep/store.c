// SPDX-License-Identifier: Apache-2.0
// Where the points of a sweep are: in memory, or in its journal.
#include <math.h>
#include <string.h>

#include "sweep/parts.h"

// What of a point goes to the journal, in front of its numbers, its doubts and its message.
typedef struct entry {
  int64_t evaluations;
  double resolving, growth;
  int32_t index, status, events, length;  // of the message
  int32_t unresolved, flags, growing;
  uint32_t wheels;
} entry;

enum { IS_CHECKED = 1, IS_NEAR = 2 };  // flags

// Values, derivatives and their errors of a point lie one after the other.
static size_t number_bytes(const jsweep* s) {
  return (size_t)s->nobjective * (size_t)(2 * s->nw + 1) * sizeof(double);
}

static size_t doubt_bytes(const jsweep* s) {
  return (size_t)s->nobjective * sizeof(jsens_value_doubt);
}

static size_t bytes_before_message(const jsweep* s) {
  return sizeof(entry) + number_bytes(s) + doubt_bytes(s);
}

void jsweep_place(const jsweep* s, jsweep_point* p, double* number, jsens_value_doubt* doubt) {
  p->verdict = (jsens_verdict){.value = doubt};
  memset(doubt, 0, doubt_bytes(s));
  p->value = number;
  p->gradient = number + s->nobjective;
  p->error = p->gradient + (int64_t)s->nobjective * s->nw;
  for (size_t k = 0; k < number_bytes(s) / sizeof *number; k++) {
    number[k] = NAN;
  }
}

bool jsweep_is_done(const jsweep* s, int i) {
  return s->point ? s->point[i].is_done : s->at && s->at[i] > 0;
}

// ---- records -------------------------------------------------------------------------------------

jo_status jsweep_write(jo_context* ctx, const jsweep* s, int i, const jsweep_point* p, char** out,
                       size_t* size) {
  size_t numbers = number_bytes(s), doubts = doubt_bytes(s), before = bytes_before_message(s);
  size_t length = p->message ? strlen(p->message) : 0;
  const jsens_verdict* v = &p->verdict;
  entry e = {.evaluations = p->evaluations,
             .resolving = v->resolving,
             .index = i,
             .status = p->status,
             .events = p->events,
             .length = (int32_t)length,
             .growth = v->growth,
             .growing = v->growing,
             .wheels = v->wheels,
             .unresolved = v->unresolved,
             .flags = (v->is_checked ? IS_CHECKED : 0) | (v->is_near ? IS_NEAR : 0)};
  char* record = jmem_resize(ctx, NULL, before + length);
  if (!record) return jerr_memory(ctx);
  memcpy(record, &e, sizeof e);
  memcpy(record + sizeof e, p->value, numbers);
  memcpy(record + sizeof e + numbers, v->value, doubts);
  if (length > 0) memcpy(record + before, p->message, length);
  *out = record;
  *size = before + length;
  return JO_OK;
}

// Whether a record is of a point that is not done.
static bool read_entry(const jsweep* s, const void* record, size_t size, entry* e) {
  size_t before = bytes_before_message(s);
  if (size < before) return false;
  memcpy(e, record, sizeof *e);
  return e->index >= 0 && e->index < s->npoint && e->length >= 0 &&
         size == before + (size_t)e->length && !jsweep_is_done(s, e->index);
}

static void take_numbers(const jsweep* s, const entry* e, const char* record, jsweep_point* p) {
  memcpy(p->value, record + sizeof *e, number_bytes(s));
  jsens_verdict* v = &p->verdict;
  memcpy(v->value, record + sizeof *e + number_bytes(s), doubt_bytes(s));
  v->is_checked = (e->flags & IS_CHECKED) != 0;
  v->is_near = (e->flags & IS_NEAR) != 0;
  v->unresolved = e->unresolved;
  v->resolving = e->resolving;
  v->growth = e->growth;
  v->growing = e->growing;
  v->wheels = e->wheels;
  p->status = (jo_status)e->status;
  p->events = e->events;
  p->evaluations = e->evaluations;
  p->is_done = true;
}

static char* keep_text(jo_context* ctx, const char* text, size_t n) {
  char* copy = jmem_resize(ctx, NULL, n + 1);
  if (!copy) return NULL;
  memcpy(copy, text, n);
  copy[n] = 0;
  return copy;
}

static jo_status take_record(jo_context* ctx, jsweep* s, const void* record, size_t size,
                             int64_t at) {
  entry e;
  if (!read_entry(s, record, size, &e)) return JO_OK;
  if (s->at) {
    s->at[e.index] = at;
  } else {
    jsweep_point* p = &s->point[e.index];
    const char* text = (const char*)record + bytes_before_message(s);
    if (e.length > 0) {
      p->message = keep_text(ctx, text, (size_t)e.length);
      if (!p->message) return jerr_memory(ctx);
    }
    take_numbers(s, &e, record, p);
  }
  s->ndone++;
  s->nfailed += e.status < 0;
  return JO_OK;
}

jo_status jsweep_keep(jo_context* ctx, jsweep* s, const void* record, size_t size) {
  int64_t at = 0;
  entry e;
  if (!read_entry(s, record, size, &e)) return JO_OK;
  if (s->journal) JO_TRY(jjournal_append(ctx, s->journal, record, size, &at));
  return take_record(ctx, s, record, size, at);
}

// ---- journal -------------------------------------------------------------------------------------

static jo_status recall(void* user, const void* data, size_t size, int64_t at) {
  jsweep* s = user;
  return take_record(s->ctx, s, data, size, at);
}

jo_status jsweep_recall(jsweep* s, const jsweep_options* opt) {
  if (!opt->journal || (s->team && s->team->rank > 0)) return JO_OK;
  jjournal_options o = {
      .path = opt->journal, .key = s->key, .restart = opt->restart, .user = s, .record = recall};
  JO_TRY(jjournal_open(s->ctx, &o, &s->journal));
  s->nresumed = s->ndone;
  return JO_OK;
}

void jsweep_forget(jsweep* s) {
  if (s->journal) jjournal_forget(s->journal);
}

// ---- looking at points ---------------------------------------------------------------------------

jo_status jsweep_look(jo_context* ctx, jarena* a, const jsweep* s, jsweep_cursor* c) {
  *c = (jsweep_cursor){.ctx = ctx, .s = s};
  if (s->point) return JO_OK;
  c->record = jarena_array(a, 1, bytes_before_message(s));
  c->x = JARENA_ARRAY(a, s->nrange, double);
  double* number = jarena_array(a, 1, number_bytes(s));
  jsens_value_doubt* doubt = JARENA_ARRAY(a, s->nobjective, jsens_value_doubt);
  if (!c->record || !c->x || !number || !doubt) return jerr_memory(ctx);
  jsweep_place(s, &c->point, number, doubt);
  return JO_OK;
}

static jo_status read_message(jsweep_cursor* c, int i, const entry* e) {
  size_t n = (size_t)e->length < sizeof c->message ? (size_t)e->length : sizeof c->message - 1;
  int64_t at = c->s->at[i] + (int64_t)bytes_before_message(c->s);
  JO_TRY(jjournal_read(c->ctx, c->s->journal, at, c->message, n));
  c->message[n] = 0;
  c->point.message = c->message;
  return JO_OK;
}

jo_status jsweep_at(jsweep_cursor* c, int i, const jsweep_point** p, const double** x) {
  const jsweep* s = c->s;
  if (s->point) {
    *p = &s->point[i];
    *x = s->x + (int64_t)i * s->nrange;
    return JO_OK;
  }
  jsweep_place(s, &c->point, c->point.value, c->point.verdict.value);
  c->point.is_done = false;
  c->point.status = JO_OK;
  c->point.message = NULL;
  if (jsweep_is_done(s, i) && s->journal) {
    entry e;
    JO_TRY(jjournal_read(c->ctx, s->journal, s->at[i], c->record, bytes_before_message(s)));
    memcpy(&e, c->record, sizeof e);
    take_numbers(s, &e, c->record, &c->point);
    if (e.length > 0) JO_TRY(read_message(c, i, &e));
  }
  jsweep_design_at(s->design, i, c->x);
  *p = &c->point;
  *x = c->x;
  return JO_OK;
}

// ---- statistics ----------------------------------------------------------------------------------

static jo_status read_point(void* user, int i, const double** y, const double** gradient) {
  const jsweep_point* p;
  const double* x;
  JO_TRY(jsweep_at(user, i, &p, &x));
  *y = p->value;
  *gradient = p->gradient;
  return p->is_done && p->status >= 0 ? JO_OK : JO_EVENT;
}

jo_status jsweep_statistics(jsweep* s) {
  jsweep_cursor c;
  JO_TRY(jsweep_look(s->ctx, &s->arena, s, &c));
  int* column = JARENA_ARRAY(&s->arena, s->nrange, int);
  if (!column) return jerr_memory(s->ctx);
  for (int k = 0; k < s->nrange; k++) {
    column[k] = -1;
    for (int j = 0; j < s->nw; j++) {
      if (s->wrt[j] == s->parameter[k]) column[k] = j;
    }
  }
  jsweep_source source = {.design = s->design,
                          .npoint = s->npoint,
                          .nrange = s->nrange,
                          .noutput = s->nobjective,
                          .has_indices = s->has_indices,
                          .is_sample = s->is_sample,
                          .is_correlated = s->ncorrelation > 0,
                          .nw = s->nw,
                          .column = column,
                          .user = &c,
                          .read = read_point};
  return jsweep_statistics_of(s->ctx, &s->arena, &source, &s->statistic);
}
