// SPDX-License-Identifier: Apache-2.0
#include "loads/replay.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "loads/surface.h"

#define WINDOW      0.1   // [s]
#define LONGER      1.25  // than the event was: a softer element takes longer
#define MANY        60    // events of an element worth a surface: more than its nodes
#define CHECK_EVERY 8     // of the interpolated events
#define TRUSTED     0.05  // a surface whose checks are off by no more than this

#define NODES (JLOADS_SURFACE_SIDE * JLOADS_SURFACE_SIDE)

typedef struct replay {
  jo_context* ctx;
  const jloads* l;
  double window;   // [s]
  bool impulsive;  // events know their beginning only
  jloads_recorded* event;
  int n;
  double* peak;  // scratch (2 ne)
  jloads_replay_counts* count;
} replay;

static double window_of(const replay* p, const jloads_recorded* v) {
  return p->impulsive ? p->window : fmin(p->window, LONGER * (v->t1 - v->t0));
}

static jo_status integrate(replay* p, const jloads_recorded* v, double* peak, double* t_peak) {
  int ne = p->l->ne;
  JO_TRY(
      jloads_reconstruct(p->ctx, p->l, NULL, v->t0, v->y, window_of(p, v), p->peak, p->peak + ne));
  *peak = p->peak[v->element];
  *t_peak = p->peak[ne + v->element];
  return JO_OK;
}

// ---- surfaces ------------------------------------------------------------------------------------

static void widen(double range[2], double x, bool is_first) {
  range[0] = is_first ? x : fmin(range[0], x);
  range[1] = is_first ? x : fmax(range[1], x);
}

// Ranges of a surface from the events of its element; how many there are.
static int find_ranges(const replay* p, jloads_surface* s) {
  int n = 0;
  for (int i = 0; i < p->n; i++) {
    const jloads_recorded* v = &p->event[i];
    if (v->element != s->element) continue;
    widen(s->q, jloads_position(p->l, v->y, s->coordinate), n == 0);
    widen(s->qd, jloads_speed(p->l, v->y, s->coordinate), n == 0);
    n++;
  }
  return n;
}

// The k-th event of an element.
static const jloads_recorded* event_of(const replay* p, int element, int k) {
  const jloads_recorded* v = p->event;
  while (v->element != element || k-- > 0) {
    v++;
  }
  return v;
}

static double largest_node(const jloads_surface* s) {
  double largest = DBL_MIN;
  for (int i = 0; i < NODES; i++) {
    largest = fmax(largest, fabs(s->peak[i]));
  }
  return largest;
}

// Some of the interpolated events are integrated too. Where that does not agree the rest of the state
// matters as well, and the surface is not used.
static jo_status check_surface(replay* p, const jloads_surface* s) {
  int n = 0, checked = 0;
  double mismatch = 0.0, peak, t_peak;
  for (int i = 0; i < p->n; i++) {
    const jloads_recorded* v = &p->event[i];
    if (v->element != s->element || n++ % CHECK_EVERY != 0) continue;
    JO_TRY(integrate(p, v, &peak, &t_peak));
    mismatch = fmax(mismatch, fabs(peak - v->peak) / largest_node(s));
    checked++;
  }
  bool refused = !(mismatch <= TRUSTED);
  p->count->refused += refused;
  p->count->surfaces += !refused;
  if (refused) {
    for (int i = 0; i < p->n; i++) {
      if (p->event[i].element == s->element) p->event[i].is_interpolated = false;
    }
    return JO_OK;
  }
  p->count->events += n;
  p->count->checked += checked;
  p->count->mismatch = fmax(p->count->mismatch, mismatch);
  return JO_OK;
}

static jo_status interpolate(replay* p, int element) {
  jloads_surface s = {.element = element, .coordinate = p->l->coordinate[element]};
  if (s.coordinate < 0) return JO_OK;
  int n = find_ranges(p, &s);
  if (n < MANY) return JO_OK;
  // the rest of the state is that of the event in the middle of all
  const jloads_recorded* middle = event_of(p, element, n / 2);
  JO_TRY(jloads_surface_build(p->ctx, p->l, NULL, middle->t0, middle->y, window_of(p, middle), &s));
  p->count->nodes += NODES;
  for (int i = 0; i < p->n; i++) {
    jloads_recorded* v = &p->event[i];
    if (v->element != element) continue;
    double q = jloads_position(p->l, v->y, s.coordinate);
    double qd = jloads_speed(p->l, v->y, s.coordinate), t_peak;
    v->peak = jloads_surface_peak(&s, q, qd, &t_peak);
    v->t_peak = v->t0 + t_peak;
    v->is_interpolated = true;
  }
  return check_surface(p, &s);
}

// ---- all events ----------------------------------------------------------------------------------

static jo_status replay_all(replay* p, bool surface) {
  for (int i = 0; i < p->n; i++) {
    p->event[i].peak = p->event[i].t_peak = NAN;
    p->event[i].is_interpolated = false;
  }
  for (int e = 0; surface && e < p->l->ne; e++) {
    JO_TRY(interpolate(p, e));
  }
  for (int i = 0; i < p->n; i++) {
    jloads_recorded* v = &p->event[i];
    if (v->is_interpolated || v->element < 0) continue;
    JO_TRY(integrate(p, v, &v->peak, &v->t_peak));
    p->count->events++;
    p->count->integrated++;
  }
  return JO_OK;
}

jo_status jloads_replay(jo_context* ctx, const jloads* l, const jloads_replay_options* opt,
                        jloads_recorded* event, int n, jloads_replay_counts* out) {
  jloads_replay_counts count = {0};
  replay p = {.ctx = ctx, .l = l, .event = event, .n = n, .count = &count};
  p.window = isnan(opt->window) ? WINDOW : opt->window;
  p.impulsive = strcmp(opt->driver, jloads_driver_name(JLOADS_DRIVER_IMPULSIVE)) == 0;
  if (!(p.window > 0.0)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "window %g s: must be more than 0", p.window);
  }
  p.peak = jmem_resize(ctx, NULL, 2 * (size_t)l->ne * sizeof *p.peak);
  if (!p.peak) return jerr_memory(ctx);
  jo_status status = replay_all(&p, opt->surface);
  jmem_free(ctx, p.peak);
  if (status >= 0) *out = count;
  return status;
}

// Loads depend on what moves; filters and integrals do not act back, and had other names once.
jo_status jloads_replay_check_states(jo_context* ctx, const jloads* l, const char* path,
                                     const char* const* name, int n) {
  const jgen_layout* y = &l->plant->dynamics->layout;
  bool same = y->ny == n;
  for (int i = 0; same && i < jgen_first(y, JGEN_FILTER); i++) {
    same = strcmp(name[i], y->name[i]) == 0;
  }
  if (same) return JO_OK;
  return jerr_set(ctx, JO_ERR_MODEL,
                  "%s: the states of the model are not those of the events any more; run the "
                  "loads again",
                  path);
}
