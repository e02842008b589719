// SPDX-License-Identifier: Apache-2.0
// Which flips at one instant have whose time. docs/theory/discrete.md, Derivatives.
//
// Switches that cross at one instant by chance have each a time of their own, and so has what follows from each of them:
// a consequence contradicts its mode from the flip on that is its cause.
#include <math.h>
#include <string.h>

#include "sens/walk.h"

#define LOOK 1e-6  // how far on events at one instant are told apart [s]
#define LED  1e-6  // part of its rate before that a switch has left behind its cause
#define MOST 0.5   // of what contradicts its mode in the end

// Rate of switch k at (t, y) with slope f, by differences: what is asked is whether there is one.
static double rate_along(jsens_walk* w, double t, const double* y, const double* f, int k) {
  const jsolve_system* s = &w->run->system;
  double side[2];
  for (int i = 0; i < 2; i++) {
    double h = i == 0 ? -LOOK : LOOK;
    for (int n = 0; n < w->ny; n++) {
      w->base[n] = y[n] + h * f[n];
    }
    s->switches(s->user, t + h, w->base, w->g);
    side[i] = w->g[k];
  }
  return (side[1] - side[0]) / (2.0 * LOOK);
}

static bool is_event_at(const jsens_walk* w, int i, double t) {
  const jsens_record* r = w->record;
  if (i < 0 || i >= r->nentry || jsens_record_is_step(r, i)) return false;
  return !r->happening[jsens_record_epoch(r, i)].is_change && r->time[i] == t;
}

static int first_event_at(const jsens_walk* w, const jsens_entry* e) {
  int i = e->index;
  while (is_event_at(w, i - 1, e->t)) {
    i--;
  }
  return i;
}

static bool has_cause(jsens_walk* w, const jsens_entry* e) {
  const jsolve_system* s = &w->run->system;
  int i = first_event_at(w, e);
  if (e->what->follows || i == e->index) return e->what->follows;
  const double* y = e->y;
  jsens_entry first = jsens_record_entry(w->record, i);
  int k = w->record->flip[e->what->flip];
  jsens_walk_set_modes(w, jsens_record_mode(w->record, first.epoch));
  s->rhs(s->user, e->t, first.y, w->f_minus);
  jsens_walk_set_modes(w, jsens_record_mode(w->record, e->epoch));
  s->rhs(s->user, e->t, y, w->f_plus);
  double before = rate_along(w, e->t, y, w->f_minus, k);
  return fabs(rate_along(w, e->t, y, w->f_plus, k)) <= LED * fabs(before);
}

// ---- which one -------------------------------------------------------------------------------------

// A flip at an instant: flip i of an entry, and its switch.
typedef struct place {
  jsens_entry e;
  int i, k;
} place;

static place place_of(const jsens_walk* w, int index, int i) {
  place p = {.e = jsens_record_entry(w->record, index), .i = i};
  p.k = w->record->flip[p.e.what->flip + i];
  return p;
}

// The flip behind p, which is before another one at the same instant.
static place next_place(const jsens_walk* w, const place* p) {
  bool is_inside = p->i + 1 < p->e.what->nflip;
  return place_of(w, p->e.index + !is_inside, is_inside ? p->i + 1 : 0);
}

// How far switch k contradicts the mode it had before, from flip p on.
static double contradiction(jsens_walk* w, const place* p, int k) {
  const jsolve_system* s = &w->run->system;
  const jsens_happening* h = p->e.what;
  jsens_walk_set_modes(w, jsens_record_mode(w->record, p->e.epoch));
  for (int i = 0; i <= p->i; i++) {
    int at = w->record->flip[h->flip + i];
    w->run->mode[at] = 1.0 - w->run->mode[at];
  }
  s->switches(s->user, p->e.t, p->i + 1 < h->nflip ? p->e.y : p->e.after, w->g);
  return w->run->mode[k] > 0.5 ? -w->g[k] : w->g[k];
}

// Of a consequence, the first flip that made it contradict its mode; false: none is known.
static bool find_reason(jsens_walk* w, place* p) {
  place q = place_of(w, first_event_at(w, &p->e), 0), last = q;
  for (place x = q; x.e.index != p->e.index || x.i != p->i; x = next_place(w, &x)) {
    last = x;
  }
  double in_the_end = contradiction(w, &last, p->k);
  if (!(in_the_end > 0.0)) return false;
  while (!(contradiction(w, &q, p->k) >= MOST * in_the_end)) {
    q = next_place(w, &q);
  }
  *p = q;
  return true;
}

// Of the flips with times of their own before e the first one of the last entry.
static int last_own(jsens_walk* w, const jsens_entry* e) {
  int first = first_event_at(w, e), i = e->index - 1;
  for (; i > first; i--) {
    jsens_entry x = jsens_record_entry(w->record, i);
    if (!has_cause(w, &x)) break;
  }
  return place_of(w, i < first ? first : i, 0).k;
}

static int cause_of(jsens_walk* w, place p) {
  while (has_cause(w, &p.e)) {
    jsens_entry e = p.e;
    if (e.index == first_event_at(w, &e)) return p.k;  // what it follows is no event
    if (!e.what->follows || !find_reason(w, &p)) return last_own(w, &e);
  }
  return p.k;
}

// Whether event i + 1 begins with the time that event i ends with. One that was recorded after event i had been passed is
// not.
static bool is_one_with_next(jsens_walk* w, int i, double t) {
  if (i < w->at_hand) return false;
  if (!is_event_at(w, i, t) || !is_event_at(w, i + 1, t)) return false;
  jsens_entry e = jsens_record_entry(w->record, i), next = jsens_record_entry(w->record, i + 1);
  if (!has_cause(w, &next)) return false;
  bool has_one = e.what->nreset > 0 || jsens_walk_jumps(w, &e);
  int last = has_one ? 0 : e.what->nflip - 1;
  return cause_of(w, place_of(w, i + 1, 0)) == cause_of(w, place_of(w, i, last));
}

void jsens_walk_find_cause(jsens_walk* w, const jsens_entry* e) {
  w->follows = has_cause(w, e);
  for (int i = 0; i < e->what->nflip; i++) {
    w->cause[i] = cause_of(w, place_of(w, e->index, i));
  }
  w->moves_in = !is_one_with_next(w, e->index - 1, e->t);
  w->moves_out = !is_one_with_next(w, e->index, e->t);
  jsens_walk_set_modes(w, jsens_record_mode(w->record, e->epoch));
}
