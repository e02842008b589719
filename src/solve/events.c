// SPDX-License-Identifier: Apache-2.0
// Event location and handling.
//
// The margin of switch k is s_k = g_k in mode 1 and -g_k in mode 0: how far it is from leaving its
// mode. A step in which some margin becomes zero or negative, at its end or at two or three points of
// its dense output, holds an event. It is located on the dense output first; then steps are really taken
// to the times in question, so that the state at the event is as accurate as any other. The earliest
// crossing counts; the step ends on its far side, at most TIME_TOLERANCE late.
//
// A switch that has just flipped, or starts at zero, is not armed: it only counts once its margin is
// beyond a floor on the wrong side, so that rounding makes no events. It is armed again once the margin
// is above the floor. The floor is RELATIVE_FLOOR of the largest |g_k| seen, at least ABSOLUTE_FLOOR.
#include "solve/events.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "solve/scan.h"

#define TIME_TOLERANCE 1e-13  // times max(1, |t|) [s]
#define RELATIVE_FLOOR 1e-12
#define ABSOLUTE_FLOOR 1e-14
#define DENSE_ACCURACY 1e-9  // of the first location, relative to the step
#define FIRST_BRACKET  1e-6  // how far the dense output may be wrong, relative to the step
#define MAX_PROBES     200
#define BASE_EVENTS    10000  // allowed in a run, and ...
#define EVENT_RATE     5000   // ... for every second [1/s]

// Times looked at in a step: thirds, or more where it is long (scan.h), and before them one for
// switches that are not armed: a ball that touched the floor is above it for a short time, and may be
// below again at the others.
#define FIRST_SAMPLE (1.0 / 64)
#define LEAST_PARTS  3

struct jsolve_events {
  int n;
  double* g;      // last values
  double* g_end;  // at the end of the step
  double* g_max;  // largest |g| so far
  double* floor;
  double* hysteresis;  // added to the margin: 0 when armed, else the floor
  bool* is_armed;
  double *start, *lo, *hi, *probe;  // margins with hysteresis at the start of the step and others
  double* y;                        // n states: dense output, state before an event
  int* flipped;
  int nflipped;
  bool* is_done;    // flipped at this instant
  bool is_retaken;  // the proposed step is no longer the stepper's own
  int last_sample;  // of the proposed step
  double t_last;    // last instant
  int at_instant;
  int all;  // events of the run, quiet ones included
};

jsolve_events* jsolve_events_create(jsolve_run* run) {
  int n = run->sys->nswitch;
  jsolve_events* ev = JARENA_NEW(&run->arena, jsolve_events);
  double* data = JARENA_ARRAY(&run->arena, 9 * (size_t)n, double);
  if (!ev || !data) return NULL;
  *ev = (jsolve_events){.n = n, .t_last = -INFINITY};
  double** vector[] = {&ev->g,     &ev->g_end, &ev->g_max, &ev->floor, &ev->hysteresis,
                       &ev->start, &ev->lo,    &ev->hi,    &ev->probe};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++, data += n)
    *vector[i] = data;
  ev->y = JARENA_ARRAY(&run->arena, run->sys->n, double);
  ev->flipped = JARENA_ARRAY(&run->arena, n, int);
  ev->is_done = JARENA_ARRAY(&run->arena, n, bool);
  ev->is_armed = JARENA_ARRAY(&run->arena, n, bool);
  return ev->y && ev->flipped && ev->is_done && ev->is_armed ? ev : NULL;
}

static void margins(const jsolve_events* ev, const jsolve_run* run, const double* g, double* s) {
  for (int k = 0; k < ev->n; k++) {
    s[k] = (run->sys->mode[k] > 0.5 ? g[k] : -g[k]) + ev->hysteresis[k];
  }
}

static void evaluate(jsolve_events* ev, jsolve_run* run, double t, const double* y, double* s) {
  run->sys->switches(run->sys->user, t, y, ev->g);
  margins(ev, run, ev->g, s);
}

static bool has_crossed(const jsolve_events* ev, const double* s) {
  for (int k = 0; k < ev->n; k++) {
    if (s[k] <= 0) return true;
  }
  return false;
}

// A new step starts where the switching functions are g.
static void start_step(jsolve_events* ev, const jsolve_run* run, const double* g) {
  for (int k = 0; k < ev->n; k++) {
    if (fabs(g[k]) > ev->g_max[k] && isfinite(g[k])) ev->g_max[k] = fabs(g[k]);
    ev->floor[k] = fmax(RELATIVE_FLOOR * ev->g_max[k], ABSOLUTE_FLOOR);
    double s = run->sys->mode[k] > 0.5 ? g[k] : -g[k];
    if (s > ev->floor[k]) ev->is_armed[k] = true;
    ev->hysteresis[k] = ev->is_armed[k] ? 0 : ev->floor[k];
  }
  margins(ev, run, g, ev->start);
}

// Where the state was reset, a switch may have come to zero without crossing it: it starts there.
static void disarm(jsolve_events* ev) {
  for (int k = 0; k < ev->n; k++) {
    if (fabs(ev->g[k]) <= ev->floor[k]) ev->is_armed[k] = false;
  }
}

bool jsolve_events_begin(jsolve_events* ev, jsolve_run* run) {
  run->sys->switches(run->sys->user, run->t, run->y, ev->g);
  if (run->sys->nconstant > 0) disarm(ev);
  start_step(ev, run, ev->g);
  ev->nflipped = 0;
  for (int k = 0; k < ev->n; k++) {
    if (ev->start[k] <= 0) ev->flipped[ev->nflipped++] = k;
  }
  return ev->nflipped > 0;
}

void jsolve_events_again(jsolve_events* ev, jsolve_run* run) {
  run->sys->switches(run->sys->user, run->t, run->y, ev->g);
  start_step(ev, run, ev->g);
}

// --- location ---

typedef enum source { DENSE, STEP } source;

static jo_status probe(jsolve_events* ev, jsolve_run* run, source from, double t) {
  if (from == STEP) {
    ev->is_retaken = true;
    JO_TRY(run->stepper->retake(run->stepper, run, t));
    jsolve_hold(run->sys, run->y, run->y_new);
    evaluate(ev, run, t, run->y_new, ev->probe);
  } else {
    run->stepper->dense->eval(run->stepper->dense, t, ev->y);
    jsolve_hold(run->sys, run->y, ev->y);
    evaluate(ev, run, t, ev->y, ev->probe);
  }
  return JO_OK;
}

static void swap(double** a, double** b) {
  double* c = *a;
  *a = *b;
  *b = c;
}

// Crossings lie in (lo, hi]: no margin has crossed at lo, some have at hi.
typedef struct bracket {
  double lo, hi;
  double weight_lo, weight_hi;  // Illinois: halved while the other end moves
  int same;                     // probes in a row that moved the same end, > 0: hi, < 0: lo
} bracket;

// Earliest of the secants through both ends.
static double secant(const jsolve_events* ev, const bracket* b) {
  assert(b->lo <= b->hi);
  double best = 1;
  for (int k = 0; k < ev->n; k++) {
    if (!(ev->hi[k] <= 0)) continue;
    double lo = b->weight_lo * ev->lo[k], hi = b->weight_hi * ev->hi[k];
    double x = lo / (lo - hi);
    if (x < best) best = x;
  }
  return b->lo + best * (b->hi - b->lo);
}

// Switches found above their floor on the way count from zero on.
static void arm(jsolve_events* ev) {
  for (int k = 0; k < ev->n; k++) {
    double offset = ev->hysteresis[k];
    if (offset == 0 || !(ev->lo[k] - offset > ev->floor[k])) continue;
    ev->lo[k] -= offset;
    ev->hi[k] -= offset;
    ev->start[k] -= offset;
    ev->hysteresis[k] = 0;
    ev->is_armed[k] = true;
  }
}

static void move_end(jsolve_events* ev, bracket* b, double t) {
  bool is_hi = has_crossed(ev, ev->probe);
  swap(&ev->probe, is_hi ? &ev->hi : &ev->lo);
  if (is_hi) {
    b->hi = t;
    b->same = b->same > 0 ? b->same + 1 : 1;
    b->weight_hi = 1;
    b->weight_lo = b->same > 1 ? 0.5 * b->weight_lo : 1;
  } else {
    b->lo = t;
    b->same = b->same < 0 ? b->same - 1 : -1;
    b->weight_lo = 1;
    b->weight_hi = b->same < -1 ? 0.5 * b->weight_hi : 1;
  }
}

static bool is_exact(const jsolve_events* ev) {
  for (int k = 0; k < ev->n; k++) {
    if (ev->hi[k] < 0) return false;
  }
  return true;
}

// Shrink the bracket to `tolerance`. Regula falsi with Illinois weights; bisection when four probes
// did not halve the bracket. A probe next to an end is tried once as it is (it may be an exact zero),
// after that half a tolerance inside, which closes the bracket. `guess` is probed first, and
// then once beyond it by `reach`, so that a good guess leaves a short bracket.
static jo_status shrink(jsolve_events* ev, jsolve_run* run, source from, bracket* b, double guess,
                        double reach, double tolerance) {
  double x = guess, width = b->hi - b->lo;
  int nclose = 0;
  if (is_exact(ev)) return JO_OK;
  for (int i = 0; b->hi - b->lo > tolerance && i < MAX_PROBES; i++) {
    if (!(x > b->lo && x < b->hi)) x = b->lo + 0.5 * (b->hi - b->lo);
    JO_TRY(probe(ev, run, from, x));
    move_end(ev, b, x);
    if (from == STEP) arm(ev);
    if (is_exact(ev)) break;
    if (i == 0 && reach > 0) {
      x += b->same > 0 ? -reach : reach;
      continue;
    }
    x = secant(ev, b);
    bool is_at_lo = x - b->lo < 0.25 * tolerance, is_at_hi = b->hi - x < 0.25 * tolerance;
    if ((is_at_lo || is_at_hi) && nclose++ > 0) {
      x = is_at_lo ? b->lo + 0.5 * tolerance : b->hi - 0.5 * tolerance;
    } else if (i % 4 == 3) {
      if (b->hi - b->lo > 0.5 * width) x = b->lo + 0.5 * (b->hi - b->lo);
      width = b->hi - b->lo;
    }
  }
  return JO_OK;
}

static double tolerance_at(double t) {
  return TIME_TOLERANCE * fmax(1, fabs(t));
}

static double sample_time(const jsolve_events* ev, const jsolve_run* run, double t1, int j) {
  double part = j == 0 ? FIRST_SAMPLE : (double)j / ev->last_sample;
  return j == ev->last_sample ? t1 : run->t + (t1 - run->t) * part;
}

static bool are_armed(const jsolve_events* ev) {
  for (int k = 0; k < ev->n; k++) {
    if (!ev->is_armed[k]) return false;
  }
  return true;
}

// First sample at which a margin has crossed, by dense output; -1: none. Its margins are in `hi`.
static int first_suspect(jsolve_events* ev, jsolve_run* run) {
  for (int j = are_armed(ev) ? 1 : 0; j < ev->last_sample; j++) {
    double t = sample_time(ev, run, run->t_new, j);
    run->stepper->dense->eval(run->stepper->dense, t, ev->y);
    jsolve_hold(run->sys, run->y, ev->y);
    evaluate(ev, run, t, ev->y, ev->hi);
    if (has_crossed(ev, ev->hi)) return j;
  }
  margins(ev, run, ev->g_end, ev->hi);
  return has_crossed(ev, ev->hi) ? ev->last_sample : -1;
}

// Confirm a suspect with a real step, going on to later samples while there is nothing.
static jo_status confirm(jsolve_events* ev, jsolve_run* run, double t1, int j, double* t_hi) {
  *t_hi = t1;
  if (j == ev->last_sample) return JO_OK;
  for (; j <= ev->last_sample; j++) {
    *t_hi = sample_time(ev, run, t1, j);
    JO_TRY(probe(ev, run, STEP, *t_hi));
    swap(&ev->probe, &ev->hi);
    if (has_crossed(ev, ev->hi)) break;
  }
  return JO_OK;
}

// Switches that flip at the end of the step: crossed, or about to within the time tolerance.
static void mark_crossed(jsolve_events* ev, const jsolve_run* run) {
  double dt = run->t_new - run->t, reach = 2 * tolerance_at(run->t_new);
  ev->nflipped = 0;
  for (int k = 0; k < ev->n; k++) {
    double rate = (ev->start[k] - ev->hi[k]) / dt;
    double left = ev->hi[k] - ev->hysteresis[k];
    bool is_next = left <= ev->floor[k] && left <= rate * reach && ev->is_armed[k];
    if (ev->hi[k] <= 0 || is_next) ev->flipped[ev->nflipped++] = k;
  }
}

jo_status jsolve_events_locate(jsolve_events* ev, jsolve_run* run, bool* found) {
  *found = ev->is_retaken = false;
  double t1 = run->t_new, h = t1 - run->t;
  int parts = jsolve_scan_parts(run, h);
  ev->last_sample = parts > LEAST_PARTS ? parts : LEAST_PARTS;
  run->sys->switches(run->sys->user, t1, run->y_new, ev->g_end);
  int suspect = first_suspect(ev, run);
  if (suspect < 0) {
    start_step(ev, run, ev->g_end);
    return JO_OK;
  }
  // where the dense output has it
  size_t bytes = (size_t)ev->n * sizeof(double);
  memcpy(ev->lo, ev->start, bytes);
  bracket b = {run->t, sample_time(ev, run, t1, suspect), 1, 1, 0};
  JO_TRY(shrink(ev, run, DENSE, &b, secant(ev, &b), 0, DENSE_ACCURACY * h));
  double guess = b.hi;
  // where it really is
  margins(ev, run, ev->g_end, ev->hi);
  memcpy(ev->lo, ev->start, bytes);
  b = (bracket){run->t, t1, 1, 1, 0};
  JO_TRY(confirm(ev, run, t1, suspect, &b.hi));
  if (has_crossed(ev, ev->hi)) {
    double reach = FIRST_BRACKET * h;
    guess = fmin(guess, b.hi - reach);
    JO_TRY(shrink(ev, run, STEP, &b, guess, reach, tolerance_at(t1)));
    if (run->t_new != b.hi) JO_TRY(run->stepper->retake(run->stepper, run, b.hi));
    jsolve_hold(run->sys, run->y, run->y_new);
    mark_crossed(ev, run);
    *found = true;
  } else {
    start_step(ev, run, ev->g);
  }
  return ev->is_retaken ? run->stepper->finish(run->stepper, run) : JO_OK;
}

// --- handling ---

static jo_status check_limits(jsolve_events* ev, jsolve_run* run) {
  assert(ev->nflipped > 0 && ev->nflipped <= ev->n);
  ev->at_instant = run->t == ev->t_last ? ev->at_instant + ev->nflipped : ev->nflipped;
  ev->t_last = run->t;
  ev->all += ev->nflipped;
  for (int i = 0; i < ev->nflipped; i++) {
    run->stats.events += !run->sys->is_quiet || !run->sys->is_quiet[ev->flipped[i]];
  }
  bool is_chatter = ev->at_instant > 4 * ev->n + 16;
  double span = run->t_end - run->t_begin;
  double most = run->opt->max_events > 0 ? run->opt->max_events : BASE_EVENTS + EVENT_RATE * span;
  if (!is_chatter && ev->all <= most) return JO_OK;
  char label[JSOLVE_LABEL];
  return jerr_set(run->ctx, JO_ERR_LIMIT,
                  "integration: %s chatters or there are too many events: it flips again at "
                  "t = %.17g, event %d (limit %.0f, option max_events)",
                  jsolve_label(run->sys->switch_name, "switch", ev->flipped[0], label), run->t,
                  ev->all, most);
}

static jo_status react(jsolve_events* ev, jsolve_run* run) {
  const jsolve_system* sys = run->sys;
  size_t bytes = (size_t)sys->n * sizeof(double);
  memcpy(ev->y, run->y, bytes);
  if (!sys->event) return JO_OK;
  JO_TRY(sys->event(sys->user, run->t, run->y, ev->flipped, ev->nflipped));
  if (memcmp(ev->y, run->y, bytes) == 0) return JO_OK;
  JO_TRY(jsolve_project_strict(run, run->t, run->y));
  int bad = jsolve_first_not_finite(sys->n, run->y);
  if (bad < 0) return JO_OK;
  char state[JSOLVE_LABEL], which[JSOLVE_LABEL];
  return jerr_set(run->ctx, JO_ERR_NUMERIC,
                  "integration: %s is not finite after the event of %s at t = %.17g",
                  jsolve_label(sys->state_name, "state", bad, state),
                  jsolve_label(sys->switch_name, "switch", ev->flipped[0], which), run->t);
}

static jo_status observe(jsolve_events* ev, jsolve_run* run) {
  if (!run->obs->event) return JO_OK;
  for (int i = 0; i < ev->nflipped; i++) {
    int k = ev->flipped[i];
    jsolve_event e = {run->t, k, run->sys->mode[k] > 0.5};
    JO_TRY(run->obs->event(run->obs->user, &e, ev->y, run->y));
  }
  return JO_OK;
}

// The others that contradict their modes now that these flipped and the state jumped.
static void find_followers(jsolve_events* ev, jsolve_run* run) {
  const jsolve_system* sys = run->sys;
  sys->switches(sys->user, run->t, run->y, ev->g);
  ev->nflipped = 0;
  for (int k = 0; k < ev->n; k++) {
    double s = sys->mode[k] > 0.5 ? ev->g[k] : -ev->g[k];
    if (!ev->is_done[k] && s < -ev->floor[k]) ev->flipped[ev->nflipped++] = k;
  }
}

jo_status jsolve_events_apply(jsolve_events* ev, jsolve_run* run) {
  memset(ev->is_done, 0, (size_t)ev->n * sizeof *ev->is_done);
  // every round flips switches that did not flip before, so there are at most n
  while (ev->nflipped > 0) {
    JO_TRY(check_limits(ev, run));
    for (int i = 0; i < ev->nflipped; i++) {
      int k = ev->flipped[i];
      assert(!ev->is_done[k]);  // a switch flips once at an instant
      run->sys->mode[k] = run->sys->mode[k] > 0.5 ? 0.0 : 1.0;
      ev->is_done[k] = true;
      ev->is_armed[k] = false;
    }
    JO_TRY(react(ev, run));
    JO_TRY(observe(ev, run));
    if (jsolve_has_ended(run)) break;
    find_followers(ev, run);
  }
  return JO_OK;
}
