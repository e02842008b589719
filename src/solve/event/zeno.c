// SPDX-License-Identifier: Apache-2.0
#include "solve/event/zeno.h"

#include <math.h>

#include "solve/constants.h"

#define RETURN  0.01  // floors: rounding of switching functions stays below
#define STOPPED 1e-6  // of the rate before an event: no more is left
#define CHANGED 0.5   // of the rate before an event: what leaves more sends nothing back
#define SAME    1e-3  // of the rate before an event: rounding and errors of slopes are below
#define PUSHED  0.1   // floors below zero: a reset does not come there by rounding
#define HELD    1e-3  // of what an event finds in its condition: no more is left of what it holds
#define LEAVES  10    // floors in a span: more is no rounding
#define NEAR \
  1e3  // floors: an event that leaves more between a condition and its limit hides no other, ...
#define JUMPS 100    // times what passes in the same time: more is a jump
#define LATE  1e-12  // ... unless that is what passes in this time times max(1, |t|) [s]
#define APART \
  3e-13  // times max(1, |t|): events that are located one by one are farther apart, and ...
#define CLOSE 3e-12  // ... those at which a reset of what is compared matters [s]

double jsolve_zeno_span(double t) {
  return fmax(JSOLVE_SPAN, JSOLVE_DIGITS * fabs(t));
}

bool jsolve_zeno_init(jsolve_zeno* z, jarena* a, int n, double resolution) {
  *z = (jsolve_zeno){.n = n, .resolution = resolution};
  z->is_pending = JARENA_ARRAY(a, n, bool);
  z->is_sent = JARENA_ARRAY(a, n, bool);
  z->is_held = JARENA_ARRAY(a, n, bool);
  z->start = JARENA_ARRAY(a, n, double);
  z->at = JARENA_ARRAY(a, n, double);
  z->ahead = JARENA_ARRAY(a, n, double);
  z->t = JARENA_ARRAY(a, n, double);
  z->interval = JARENA_ARRAY(a, n, double);
  z->before = JARENA_ARRAY(a, n, double);
  for (int k = 0; z->t && z->at && k < n; k++) {
    z->t[k] = -INFINITY;
    z->at[k] = NAN;
  }
  return z->is_pending && z->is_sent && z->is_held && z->start && z->at && z->ahead && z->t &&
         z->interval && z->before;
}

static void set_pending(jsolve_zeno* z, int k, bool is_pending) {
  z->npending += is_pending - z->is_pending[k];
  z->is_pending[k] = is_pending;
}

void jsolve_zeno_flip(jsolve_zeno* z, int k, double t, bool is_reset, bool is_sent) {
  set_pending(z, k, is_reset);
  z->is_sent[k] = is_sent;
  z->is_held[k] = false;
  if (!is_reset) return;
  z->before[k] = z->interval[k];
  z->interval[k] = isfinite(z->t[k]) ? t - z->t[k] : 0;
  z->t[k] = t;
}

static bool accumulates(const jsolve_zeno* z, int k, double resolution) {
  double d = z->interval[k], before = z->before[k];
  double next = before > 0 ? d * d / before : d;
  return d > 0 && (before == 0 || d < before) && next <= resolution * fmax(1, fabs(z->t[k]));
}

// A parabola through the three margins has the rate (4 next - second - 3 s) / 2 per time between them. It says nothing of
// powers, which are flat at zero: what returns is less at one of the other two.
static bool returns(double s, double next, double second, double floor) {
  double change = 0.5 * (4 * next - second - 3 * s);
  return change < -RETURN * floor && (next < s || second < s);
}

// Flat conditions, powers as z^3, hardly move in this time: signs alone tell whether they were sent back, where the reset
// changed something of them.
static bool stops(double s, double next, double second, double before, double floor) {
  double change = 0.5 * (4 * next - second - 3 * s);
  if (before > floor) return change < STOPPED * before;
  bool is_same = fabs(next - s - before) <= STOPPED * fabs(before);
  return fabs(before) <= floor && !is_same && second - s < STOPPED * fmax(before, 0);
}

// What changes in the margin count from here on: conditions that are flat at zero have no more than
// before the event.
static double least_change(double before, double floor) {
  return RETURN * (before > 0 ? fmin(before, floor) : floor);
}

// A reset that changes neither the margin nor its rate sends nothing back, however fast the
// condition changes: a whole period may lie in the span.
static bool is_untouched(const jsolve_zeno* z, int k, double s, double next, double floor) {
  double before = z->ahead[k] - z->at[k];
  return fabs(s - z->at[k]) <= least_change(before, floor) &&
         fabs(next - s - before) <= SAME * fabs(before);
}

// (I13)  A reset of what is compared itself sends the switch back by less than its floor. Less than
// PUSHED floors may be rounding of a state that was set to what it is compared with, unless
// intervals are, or become, too short to locate events one by one.
static bool is_pushed_back(const jsolve_zeno* z, int k, double s, double floor) {
  double at = z->at[k], before = z->ahead[k] - at;
  if (s < -fmax(2 * fabs(at), PUSHED / RETURN * least_change(before, floor))) return true;
  double d = z->interval[k], size = fmax(1, fabs(z->t[k]));
  // two so close may be the ends of a step that is too long, three are not
  if (d > 0 && z->before[k] > 0 && d <= APART * size) return true;
  return s < at && ((d > 0 && d <= CLOSE * size) || accumulates(z, k, CLOSE));
}

// The margin at an event. Where others that it is made of are at their limits there, as floor(u) at a whole number, it may be
// that of their other side, from which it jumps up: it is then the one that leads to the next two.
static double at_event(double s, double next, double second, double before, double floor) {
  double change = fmax(fabs(second - next), fabs(before));
  return next - s > JUMPS * change + NEAR * floor ? 2 * next - second : s;
}

// What jumps, or is reset, far into the mode that was entered and falls there may rise again before it comes to the limit: no
// event is lost by rounding.
static bool is_far(const jsolve_zeno* z, int k, double s, double before, double floor) {
  double late = LATE * fmax(1, fabs(z->t[k])) / jsolve_zeno_span(z->t[k]);
  return s > NEAR * floor + late * fabs(before);
}

void jsolve_zeno_start(jsolve_zeno* z, double t, const double* s, const double* next,
                       const double* second, const double* floor, bool is_over) {
  for (int k = 0; k < z->n; k++) {
    if (!z->is_pending[k] || z->t[k] != t) continue;
    double before = z->ahead[k] - z->at[k];
    if (!isfinite(before)) before = 0;
    double at = at_event(s[k], next[k], second[k], before, floor[k]);
    double change = 0.5 * (4 * next[k] - second[k] - 3 * at);
    bool is_touched = !is_untouched(z, k, at, next[k], floor[k]);
    bool is_changed = is_touched && (!(before > 0) || change < CHANGED * before);
    bool is_back = is_touched && (returns(at, next[k], second[k], floor[k]) ||
                                  stops(at, next[k], second[k], before, floor[k]));
    bool is_undone = z->is_sent[k] && !is_back;
    z->is_sent[k] = is_back || (z->is_sent[k] && !is_over);
    z->start[k] = at;
    if (!is_over) continue;
    bool ends = is_changed && accumulates(z, k, z->resolution);
    bool is_near = !is_far(z, k, at, before, floor[k]);
    set_pending(z, k,
                (is_near && (is_back || is_undone || ends)) || is_pushed_back(z, k, at, floor[k]));
  }
}

// What is flat at zero, as z^3, is below the floor before and behind: less of it is left all the same.
bool jsolve_zeno_holds(double beyond, double again, double floor) {
  return beyond > 0 && again <= fmax(HELD * beyond, fmin(PUSHED * floor, PUSHED * beyond));
}

void jsolve_zeno_hold(jsolve_zeno* z, int k, double t, double s) {
  if (z->t[k] != t) z->interval[k] = z->before[k] = 0;
  z->t[k] = t;
  z->start[k] = s;
  z->is_held[k] = true;
  set_pending(z, k, true);
}

bool jsolve_zeno_leaves(const jsolve_zeno* z, int k, double next, double floor) {
  return z->is_held[k] && next - z->start[k] > LEAVES * floor;
}

int jsolve_zeno_lost(const jsolve_zeno* z, const double* s, const double* hysteresis,
                     const double* floor) {
  for (int k = 0; z->npending > 0 && k < z->n; k++) {
    if (z->is_pending[k] && s[k] - hysteresis[k] > z->start[k] + floor[k]) return k;
  }
  return -1;
}
