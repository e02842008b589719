// SPDX-License-Identifier: Apache-2.0
// Recording a run. States are stored for every step until there are too many; then every second one
// is dropped and only every second step stored from there on, and so again: memory stays bounded,
// and what lies between two stored states is computed again when it is needed. The states around an
// event are never dropped, since no step leads across it.
#include "sens/record.h"

#include <math.h>
#include <string.h>

#include "plant/limits.h"

#define ENTRY_BYTES \
  128.0  // of a step: its entry, the copy of it that plans another run, its errors

// States, slopes and steps share the memory: a quarter for states that may be dropped, as much for
// slopes.
static int states_within(const jsens_record* r, int wanted) {
  double fit = 0.25 * r->max_bytes / ((r->ny + 1.0) * sizeof(double));
  return (int)fmax(16.0, fmin(wanted, fit));
}

static double bytes_of(const jsens_record* r) {
  double numbers = (double)r->ny * (r->nstate + (double)r->nslopes * r->stages);
  return ENTRY_BYTES * r->nentry + (numbers + (double)r->nepoch * r->nswitch) * sizeof(double);
}

jo_status jsens_record_create(jo_context* ctx, const jplant* p, int stages, int max_states,
                              jsens_record** out) {
  *out = NULL;
  jsens_record* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jsens_record){.ctx = ctx, .ny = p->dynamics->ny, .nswitch = p->dynamics->nswitch};
  jplant_charts_init(&r->charts, ctx);
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

void jsens_record_destroy(jsens_record* r) {
  if (!r) return;
  jmem_free(r->ctx, r->entry);
  jmem_free(r->ctx, r->state);
  jmem_free(r->ctx, r->slopes);
  jmem_free(r->ctx, r->mode);
  jmem_free(r->ctx, r->plant);
  jplant_charts_free(&r->charts);
  jmem_free(r->ctx, r->flip);
  jmem_free(r->ctx, r->reset);
  jmem_free(r->ctx, r->y_end);
  jmem_free(r->ctx, r);
}

static void fail(jsens_record* r) {
  if (r->status == JO_OK) r->status = jerr_memory(r->ctx);
}

static int store_state(jsens_record* r, const double* y) {
  if (!jmem_grow(r->ctx, &r->state, &r->state_cap, r->nstate + 1, (size_t)r->ny * sizeof(double))) {
    fail(r);
    return -1;
  }
  memcpy(r->state + (int64_t)r->nstate * r->ny, y, (size_t)r->ny * sizeof *y);
  return r->nstate++;
}

static int store_slopes(jsens_record* r, double* const* k) {
  if (!k || r->stages == 0 || r->nslopes >= r->max_states / r->stages) return -1;
  size_t size = (size_t)(r->stages * r->ny) * sizeof(double);
  if (!jmem_grow(r->ctx, &r->slopes, &r->slopes_cap, r->nslopes + 1, size)) {
    fail(r);
    return -1;
  }
  for (int i = 0; i < r->stages; i++) {
    memcpy(jsens_record_slope(r, r->nslopes, i), k[i], (size_t)r->ny * sizeof(double));
  }
  return r->nslopes++;
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

static jsens_entry* new_entry(jsens_record* r, double t) {
  if (r->status == JO_OK && bytes_of(r) > r->max_bytes) {
    r->status = jplant_fail_memory(r->ctx, r->model, "the recorded steps", t);
    return NULL;
  }
  if (!jmem_grow(r->ctx, &r->entry, &r->entry_cap, r->nentry + 1, sizeof *r->entry)) {
    fail(r);
    return NULL;
  }
  return &r->entry[r->nentry++];
}

static bool is_after_event(const jsens_record* r, int i) {
  return i > 0 && r->entry[i - 1].after >= 0;
}

// Drop the states of every second stored step.
static void thin_out(jsens_record* r) {
  int steps = 0, kept = 0;
  r->stride *= 2;
  r->nspare = 0;
  for (int i = 0; i < r->nentry; i++) {
    jsens_entry* e = &r->entry[i];
    bool is_step = e->after < 0, is_spare = is_step && !is_after_event(r, i);
    bool keep = !is_spare || steps % r->stride == 0;
    r->nspare += is_spare && keep;
    steps += is_step;
    int* slot[2] = {&e->state, &e->after};
    for (int k = 0; k < 2; k++) {
      if (*slot[k] < 0) continue;
      if (keep) {
        memmove(r->state + (int64_t)kept * r->ny, jsens_record_state(r, *slot[k]),
                (size_t)r->ny * sizeof(double));
        *slot[k] = kept++;
      } else {
        *slot[k] = -1;
      }
    }
  }
  r->nstate = kept;
}

void jsens_record_begin(jsens_record* r, const double* mode, const jplant* plant) {
  r->nentry = r->nstate = r->nepoch = r->nflip = r->nreset = r->nslopes = 0;
  r->step_count = r->nspare = 0;
  r->stride = 1;
  r->status = JO_OK;
  store_modes(r, mode, plant);
}

void jsens_record_step(jsens_record* r, const jsolve_step* step) {
  if (r->nspare >= r->max_states) thin_out(r);
  // the first step after an event starts at a state that cannot be had by taking a step
  bool is_spare = !is_after_event(r, r->nentry);
  bool keep = !is_spare || r->step_count % r->stride == 0;
  r->nspare += is_spare && keep;
  r->step_count++;
  bool wants_slopes = step->is_implicit || !r->implicit_only;
  int state = keep ? store_state(r, step->y0) : -1;
  int slopes = wants_slopes ? store_slopes(r, step->k) : -1;
  jsens_entry* e = new_entry(r, step->t0);
  if (!e) return;
  *e = (jsens_entry){.t = step->t0, .t1 = step->t1, .state = state, .after = -1};
  e->slopes = slopes;
  e->epoch = r->nepoch - 1;
  e->is_implicit = step->is_implicit;
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

void jsens_record_event(jsens_record* r, const jmachine_happening* what) {
  const jsens_entry* last = r->nentry > 0 ? &r->entry[r->nentry - 1] : NULL;
  bool is_again = last && last->after >= 0 && !last->is_change && last->t == what->t;
  bool follows = is_again && (what->is_next ? last->follows : true);
  int flip = r->nflip, reset = r->nreset;
  if (!store_ints(r, &r->flip, &r->nflip, &r->flip_cap, what->flipped, what->n) ||
      !store_ints(r, &r->reset, &r->nreset, &r->reset_cap, what->fired, what->nfired)) {
    return;
  }
  int b = store_state(r, what->before), a = store_state(r, what->after);
  jsens_entry* e = new_entry(r, what->t);
  if (!e || a < 0 || b < 0) return;
  *e = (jsens_entry){.t = what->t, .t1 = what->t, .state = b, .after = a, .slopes = -1};
  e->epoch = r->nepoch - 1;
  e->flip = flip;
  e->nflip = what->n;
  e->follows = follows;
  e->is_impulse = what->is_impulse;
  e->ends = what->ends;
  e->reset = reset;
  e->nreset = what->nfired;
  store_modes(r, what->mode, r->plant[r->nepoch - 1]);
}

void jsens_record_change(jsens_record* r, double t, const double* before, const double* after,
                         const double* mode, const jplant* to) {
  int b = store_state(r, before), a = store_state(r, after);
  jsens_entry* e = new_entry(r, t);
  if (!e || a < 0 || b < 0) return;
  *e = (jsens_entry){.t = t, .t1 = t, .state = b, .after = a, .slopes = -1, .is_change = true};
  e->epoch = r->nepoch - 1;
  store_modes(r, mode, to);
}

void jsens_record_end(jsens_record* r, double t, const double* y) {
  r->t_end = t;
  memcpy(r->y_end, y, (size_t)r->ny * sizeof *y);
}
