// SPDX-License-Identifier: Apache-2.0
// Recording a run. States are stored for every step until there are too many; then every second one
// is dropped and only every second step stored from there on, and so again: memory stays bounded but for
// the times of steps, and what lies between two stored states is taken again when it is needed. The states
// around an event are never dropped, since no step leads across it.
#include "sens/record.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "plant/check/limits.h"

// Of an entry: its end, mark and error, and what a walk keeps of each step, its error, the largest derivative so far and
// how rough it is.
#define ENTRY_BYTES 40.0

#define FEWEST_STATES 64  // that may be dropped and are not, however little room there is

enum { IS_HAPPENING = 1, IS_IMPLICIT = 2, IS_DRIFTED = 4, IS_LOCATED = 8, KIND_BITS = 4 };

// States, slopes and steps share the memory: a quarter for states that may be dropped, as much for
// slopes.
static int states_within(const jsens_record* r, int wanted) {
  double fit = 0.25 * r->max_bytes / ((r->state.width + 1.0) * sizeof(double));
  return (int)fmax(16.0, fmin(wanted, fit));
}

static double store_bytes(const jsens_store* s) {
  return (double)s->n * ((double)s->width * sizeof *s->data + sizeof *s->of);
}

// Steps between two stored states, taken again (replay.c).
static double replay_bytes(const jsens_record* r) {
  return r->stride > 1 ? (double)r->stride * (r->stages + 1) * r->ny * sizeof(double) : 0.0;
}

double jsens_record_bytes(const jsens_record* r) {
  double numbers = (double)r->ny * r->nevent_state + (double)r->nepoch * r->nswitch;
  return ENTRY_BYTES * r->nentry + store_bytes(&r->state) + store_bytes(&r->slopes) +
         replay_bytes(r) + (double)r->nepoch * (sizeof *r->happening + sizeof *r->plant) +
         numbers * sizeof(double);
}

jo_status jsens_record_create(jo_context* ctx, const jplant* p, int stages, int max_states,
                              jsens_record** out) {
  *out = NULL;
  jsens_record* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jsens_record){.ctx = ctx, .ny = p->dynamics->ny, .nswitch = p->dynamics->nswitch};
  jplant_charts_init(&r->charts, ctx);
  r->has_loops = p->dynamics->part.nv > 0;
  r->state.width = r->has_loops ? 2 * r->ny : r->ny;
  r->slopes.width = stages * r->ny;
  r->stages = stages;
  r->stride = 1;
  r->model = p->model;
  r->max_bytes = jplant_memory_limit(p->model);
  r->max_states = states_within(r, max_states);
  r->y_end = jmem_resize(ctx, NULL, (size_t)(r->ny + 1) * sizeof(double));
  if (!r->y_end) {
    jsens_record_destroy(r);
    return jerr_memory(ctx);
  }
  *out = r;
  return JO_OK;
}

static void free_store(jsens_record* r, jsens_store* s) {
  jmem_free(r->ctx, s->data);
  jmem_free(r->ctx, s->of);
}

void jsens_record_destroy(jsens_record* r) {
  if (!r) return;
  jmem_free(r->ctx, r->time);
  jmem_free(r->ctx, r->mark);
  jmem_free(r->ctx, r->error);
  free_store(r, &r->state);
  free_store(r, &r->slopes);
  jmem_free(r->ctx, r->mode);
  jmem_free(r->ctx, r->plant);
  jplant_charts_free(&r->charts);
  jmem_free(r->ctx, r->happening);
  jmem_free(r->ctx, r->event_state);
  jmem_free(r->ctx, r->flip);
  jmem_free(r->ctx, r->reset);
  jmem_free(r->ctx, r->across);
  jmem_free(r->ctx, r->y_end);
  jmem_free(r->ctx, r);
}

// ---- looking at it ---------------------------------------------------------------------------------

bool jsens_record_is_step(const jsens_record* r, int i) {
  return (r->mark[i] & IS_HAPPENING) == 0;
}

bool jsens_record_is_implicit(const jsens_record* r, int i) {
  return (r->mark[i] & IS_IMPLICIT) != 0;
}

int jsens_record_epoch(const jsens_record* r, int i) {
  return (int)(r->mark[i] >> KIND_BITS);
}

double jsens_record_start(const jsens_record* r, int i) {
  if (!jsens_record_is_step(r, i)) return r->time[i];
  return i > 0 ? r->time[i - 1] : r->t_begin;
}

double jsens_record_length(const jsens_record* r, int i) {
  return r->time[i] - jsens_record_start(r, i);
}

int jsens_record_behind_events(const jsens_record* r) {
  int i = r->nentry;
  while (i > 0 && jsens_record_is_step(r, i - 1)) {
    i--;
  }
  return i;
}

// The vector of entry i, which stands at `guess` while none was dropped; NULL: there is none.
static double* find(const jsens_store* s, int guess, int i) {
  int low = 0, high = s->n;
  if (guess < s->n && s->of[guess] == i) return s->data + (int64_t)guess * s->width;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (s->of[middle] < i) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < s->n && s->of[low] == i ? s->data + (int64_t)low * s->width : NULL;
}

static const double* event_state(const jsens_record* r, int i) {
  return r->event_state + (int64_t)i * r->ny;
}

jsens_entry jsens_record_entry(const jsens_record* r, int i) {
  jsens_entry e = {.index = i, .epoch = jsens_record_epoch(r, i), .t1 = r->time[i]};
  e.t = jsens_record_start(r, i);
  if (!jsens_record_is_step(r, i)) {
    e.what = &r->happening[e.epoch];
    e.y = event_state(r, e.what->before);
    e.after = event_state(r, e.what->after);
    return e;
  }
  int step = i - e.epoch;  // every epoch before ended with an entry that is none
  e.y = find(&r->state, step, i);
  e.slopes = find(&r->slopes, step, i);
  e.is_implicit = jsens_record_is_implicit(r, i);
  e.is_drifted = (r->mark[i] & IS_DRIFTED) != 0;
  e.is_located = (r->mark[i] & IS_LOCATED) != 0;
  e.first = e.slopes ? e.slopes : e.y && e.is_drifted && r->has_loops ? e.y + r->ny : NULL;
  return e;
}

// ---- writing it ------------------------------------------------------------------------------------

static void fail(jsens_record* r) {
  if (r->status == JO_OK) r->status = jerr_memory(r->ctx);
}

// Room for one more vector, of entry i; NULL: there is no memory.
static double* store(jsens_record* r, jsens_store* s, int i) {
  if (!jmem_grow(r->ctx, &s->data, &s->cap, s->n + 1, (size_t)s->width * sizeof *s->data) ||
      !jmem_grow(r->ctx, &s->of, &s->of_cap, s->n + 1, sizeof *s->of)) {
    fail(r);
    return NULL;
  }
  s->of[s->n] = i;
  return s->data + (int64_t)s->n++ * s->width;
}

static void store_state(jsens_record* r, const jsolve_step* step) {
  double* to = store(r, &r->state, r->nentry);
  size_t bytes = (size_t)r->ny * sizeof *to;
  if (to) memcpy(to, step->y0, bytes);
  if (to && r->has_loops && step->k) memcpy(to + r->ny, step->k[0], bytes);
}

// Implicit steps have room of their own, since they can be solved for again but not as they were.
static void store_slopes(jsens_record* r, const jsolve_step* step) {
  bool is_wanted = step->is_implicit || !r->implicit_only;
  int n = step->is_implicit ? r->nimplicit : r->slopes.n - r->nimplicit;
  bool fits = r->stages > 0 && n < r->max_states / r->stages;
  double* to = is_wanted && fits && step->k ? store(r, &r->slopes, r->nentry) : NULL;
  r->nimplicit += to && step->is_implicit;
  for (int i = 0; to && i < r->stages; i++) {
    memcpy(to + i * r->ny, step->k[i], (size_t)r->ny * sizeof *to);
  }
}

static int store_event_state(jsens_record* r, const double* y) {
  size_t bytes = (size_t)r->ny * sizeof *y;
  if (!jmem_grow(r->ctx, &r->event_state, &r->event_state_cap, r->nevent_state + 1, bytes)) {
    fail(r);
    return -1;
  }
  memcpy(r->event_state + (int64_t)r->nevent_state * r->ny, y, bytes);
  return r->nevent_state++;
}

// One more epoch.
static void store_modes(jsens_record* r, const double* mode, const jplant* plant) {
  size_t size = (size_t)r->nswitch * sizeof(double);
  if (!jmem_grow(r->ctx, &r->plant, &r->plant_cap, r->nepoch + 1, sizeof(jplant*))) {
    fail(r);
    return;
  }
  r->plant[r->nepoch] = plant;
  if (r->nswitch > 0 && !jmem_grow(r->ctx, &r->mode, &r->epoch_cap, r->nepoch + 1, size)) {
    fail(r);
    return;
  }
  if (r->nswitch > 0) memcpy(r->mode + (int64_t)r->nepoch * r->nswitch, mode, size);
  r->nepoch++;
}

// States that steps do not lead to: behind events; and, for as long as there is room, behind implicit steps, which would
// not lead there bit by bit.
static bool is_fixed(const jsens_record* r, int i) {
  if (i == 0) return false;
  if (!jsens_record_is_step(r, i - 1)) return true;
  return jsens_record_is_implicit(r, i - 1) && i <= r->last_fixed;
}

// Drop the states of every second stored step.
static void thin_out(jsens_record* r) {
  jsens_store* s = &r->state;
  int kept = 0;
  r->stride *= 2;
  r->nspare = 0;
  for (int k = 0; k < s->n; k++) {
    int i = s->of[k], step = i - jsens_record_epoch(r, i);
    bool is_spare = !is_fixed(r, i);
    if (is_spare && step % r->stride != 0) continue;
    r->nspare += is_spare;
    memmove(s->data + (int64_t)kept * s->width, s->data + (int64_t)k * s->width,
            (size_t)s->width * sizeof *s->data);
    s->of[kept++] = i;
  }
  s->n = kept;
}

// Slopes of explicit steps are had again for nothing but time.
static void drop_slopes(jsens_record* r) {
  jsens_store* s = &r->slopes;
  int kept = 0;
  for (int k = 0; k < s->n; k++) {
    if (!jsens_record_is_implicit(r, s->of[k])) continue;
    memmove(s->data + (int64_t)kept * s->width, s->data + (int64_t)k * s->width,
            (size_t)s->width * sizeof *s->data);
    s->of[kept++] = s->of[k];
  }
  s->n = kept;
  r->implicit_only = true;
}

// Room for the times of more steps is made where slopes leave it, or states: as long as those take more than what lies
// between two of them. False: there is none.
static bool make_room(jsens_record* r, double t) {
  if (r->status < 0) return false;
  bool is_full = jsens_record_bytes(r) > r->max_bytes;
  if (is_full && !r->implicit_only) drop_slopes(r);
  while (jsens_record_bytes(r) > r->max_bytes && r->nspare > FEWEST_STATES &&
         store_bytes(&r->state) > 4.0 * replay_bytes(r)) {
    thin_out(r);
  }
  if (!is_full || jsens_record_bytes(r) <= r->max_bytes) return true;
  r->status = jplant_fail_memory(r->ctx, r->model, "the recorded steps", t);
  return false;
}

static bool new_entry(jsens_record* r, double t, double t1, uint32_t kind, double error) {
  if (!jmem_grow(r->ctx, &r->time, &r->time_cap, r->nentry + 1, sizeof *r->time) ||
      !jmem_grow(r->ctx, &r->mark, &r->mark_cap, r->nentry + 1, sizeof *r->mark) ||
      !jmem_grow(r->ctx, &r->error, &r->error_cap, r->nentry + 1, sizeof *r->error)) {
    fail(r);
    return false;
  }
  if (r->nentry == 0) r->t_begin = t;
  r->time[r->nentry] = t1;
  r->error[r->nentry] = (float)error;
  r->mark[r->nentry++] = (uint32_t)(r->nepoch - 1) << KIND_BITS | kind;
  return true;
}

void jsens_record_begin(jsens_record* r, const double* mode, const jplant* plant) {
  r->nentry = r->state.n = r->slopes.n = r->nepoch = r->nflip = r->nreset = r->nevent_state = 0;
  r->step_count = r->nspare = r->nimplicit = r->nfixed = 0;
  r->last_fixed = -1;
  r->stride = 1;
  r->status = JO_OK;
  store_modes(r, mode, plant);
}

void jsens_record_step(jsens_record* r, const jsolve_step* step) {
  if (r->nspare >= r->max_states) thin_out(r);
  if (!make_room(r, step->t0)) return;
  bool follows_implicit = r->nentry > 0 && jsens_record_is_implicit(r, r->nentry - 1);
  if (follows_implicit && r->nfixed < r->max_states) {
    r->last_fixed = r->nentry;
    r->nfixed++;
  }
  bool is_spare = !is_fixed(r, r->nentry);
  bool keep = !is_spare || r->step_count % r->stride == 0;
  JASSERT(r->nentry == 0 || step->t0 == r->time[r->nentry - 1]);
  r->nspare += is_spare && keep;
  r->step_count++;
  if (keep) store_state(r, step);
  store_slopes(r, step);
  uint32_t kind = (step->is_implicit ? IS_IMPLICIT : 0) | (step->is_drifted ? IS_DRIFTED : 0) |
                  (step->is_located ? IS_LOCATED : 0);
  new_entry(r, step->t0, step->t1, kind, step->error);
}

void jsens_record_across(jsens_record* r, double t) {
  if (r->status < 0) return;
  if (!jmem_grow(r->ctx, &r->across, &r->across_cap, r->nacross + 1, sizeof *r->across)) {
    fail(r);
    return;
  }
  r->across[r->nacross++] = (jsens_across){r->nentry - 1, t};
}

static bool store_ints(jsens_record* r, int** list, int* n, int* cap, const int* from, int more) {
  if (more == 0) return true;
  if (!jmem_grow(r->ctx, list, cap, *n + more, sizeof **list)) {
    fail(r);
    return false;
  }
  memcpy(*list + *n, from, (size_t)more * sizeof *from);
  *n += more;
  return true;
}

// The end of an epoch, with the states around it; where nothing jumps they are one.
static jsens_happening* store_happening(jsens_record* r, double t, const double* before,
                                        const double* after) {
  bool jumps = memcmp(before, after, (size_t)r->ny * sizeof *before) != 0;
  int b = store_event_state(r, before), a = jumps ? store_event_state(r, after) : b;
  size_t size = sizeof *r->happening;
  if (!jmem_grow(r->ctx, &r->happening, &r->happening_cap, r->nepoch, size)) {
    fail(r);
    return NULL;
  }
  if (!new_entry(r, t, t, IS_HAPPENING, 0.0) || a < 0 || b < 0) return NULL;
  jsens_happening* h = &r->happening[r->nepoch - 1];
  *h = (jsens_happening){.before = b, .after = a};
  return h;
}

void jsens_record_event(jsens_record* r, const jmachine_happening* what) {
  if (!make_room(r, what->t)) return;
  int last = r->nentry - 1;
  const jsens_happening* before =
      last >= 0 && !jsens_record_is_step(r, last) ? &r->happening[r->nepoch - 2] : NULL;
  bool is_again = before && !before->is_change && r->time[last] == what->t;
  bool follows = is_again && (what->is_next ? before->follows : true);
  int flip = r->nflip, reset = r->nreset;
  if (!store_ints(r, &r->flip, &r->nflip, &r->flip_cap, what->flipped, what->n) ||
      !store_ints(r, &r->reset, &r->nreset, &r->reset_cap, what->fired, what->nfired)) {
    return;
  }
  jsens_happening* h = store_happening(r, what->t, what->before, what->after);
  if (!h) return;
  h->flip = flip;
  h->nflip = what->n;
  h->follows = follows;
  h->is_impulse = what->is_impulse;
  h->ends = what->ends;
  h->reset = reset;
  h->nreset = what->nfired;
  store_modes(r, what->mode, r->plant[r->nepoch - 1]);
}

void jsens_record_change(jsens_record* r, double t, const double* before, const double* after,
                         const double* mode, const jplant* to) {
  jsens_happening* h = make_room(r, t) ? store_happening(r, t, before, after) : NULL;
  if (!h) return;
  h->is_change = true;
  store_modes(r, mode, to);
}

void jsens_record_end(jsens_record* r, double t, const double* y) {
  r->t_end = t;
  memcpy(r->y_end, y, (size_t)r->ny * sizeof *y);
}
