// SPDX-License-Identifier: Apache-2.0
// Event location and handling.
//
// The margin of switch k is s_k = g_k in mode 1 and -g_k in mode 0: how far it is from leaving its
// mode. A step in which some margin becomes zero or negative, at its end or at two or three points of
// its dense output, holds an event. It is located on the dense output first; then steps are really taken
// to the times in question, so that the state at the event is as accurate as any other. The earliest
// crossing counts; the step ends on its far side, at most JSOLVE_TIME_TOLERANCE late. As a rule two or three steps
// do: Newton's method, with rates of the margins from the dense output. Where that does not come to an end,
// crossings are bracketed. Margins that cross inside of a step and not at its end are first looked at by one
// real step, to where they are least. A step that turns out to hold no event is brought back as it was.
//
// A switch that has just flipped, or starts at zero, is not armed: it only counts once its margin is
// beyond a floor on the wrong side, so that rounding makes no events. It is armed again once the margin
// is above the floor. The floor is JSOLVE_RELATIVE_FLOOR of the largest |g_k| seen, at least JSOLVE_ABSOLUTE_FLOOR.
#include "solve/event/events.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/text/format.h"
#include "solve/algebra/sums.h"
#include "solve/constants.h"
#include "solve/event/clocks.h"
#include "solve/event/survey.h"

#define DENSE_ACCURACY 1e-9  // of the first location, relative to the step
#define FIRST_BRACKET  1e-6  // how far the dense output may be wrong, relative to the step
#define MAX_CLOSE      4  // probes beside an end that do not close the bracket: margins there are huge
#define RATE_SPAN      1e-5               // of the step, over which rates are taken
#define LAST           (4 * DBL_EPSILON)  // of the time: nearer to the end of a run, an event is at it
#define AIM_LIMIT      1e-2               // of the step: farther off, the dense output says nothing
#define JUMP_SMALLEST  1e-6  // where a run begins at a limit, nothing larger has been seen yet
#define JUMP_SPAN      100   // tolerances before an event, at which margins lead there
#define JUMP_LEAST \
  1e-3             // of the largest value: a margin that is so far off what leads there has jumped
#define POLE 0.02  // of a margin: one that grows so much in that time goes to infinity

// A switch that flipped for a short time is expected to do so again, ...
#define PER_PULSE   2    // looks in the shorter one of its last two intervals, ...
#define PER_PERIOD  128  // ... or at most so many in both together, ...
#define PERIODS     2    // ... for so long
#define ONE_INSTANT 10   // tolerances

jsolve_events* jsolve_events_create(jsolve_run* run) {
  int n = run->sys->nswitch;
  jsolve_events* ev = JARENA_NEW(&run->arena, jsolve_events);
  double* data = JARENA_ARRAY(&run->arena, 10 * (size_t)n, double);
  if (!ev || !data) return NULL;
  *ev = (jsolve_events){
      .n = n, .t_last = -INFINITY, .t_beyond = -INFINITY, .t_after = -INFINITY, .leaving = -1};
  double** vector[] = {&ev->g,     &ev->g_end, &ev->g_max, &ev->floor, &ev->hysteresis,
                       &ev->start, &ev->lo,    &ev->hi,    &ev->probe, &ev->rate};
  for (size_t i = 0; i < sizeof vector / sizeof *vector; i++, data += n)
    *vector[i] = data;
  ev->pulse = JARENA_ARRAY(&run->arena, n, jsolve_pulse);
  for (int k = 0; ev->pulse && k < n; k++)
    ev->pulse[k] = (jsolve_pulse){.t_flip = -INFINITY, .until = -INFINITY};
  if (run->sys->floor) {
    ev->floor = run->sys->floor;
    memset(ev->floor, 0, (size_t)n * sizeof *ev->floor);
  }
  ev->y = JARENA_ARRAY(&run->arena, run->sys->n, double);
  ev->beyond = JARENA_ARRAY(&run->arena, run->sys->n, double);
  ev->after = JARENA_ARRAY(&run->arena, run->sys->n, double);
  ev->flipped = JARENA_ARRAY(&run->arena, n, int);
  ev->is_done = JARENA_ARRAY(&run->arena, n, bool);
  ev->is_pole = JARENA_ARRAY(&run->arena, n, bool);
  ev->is_armed = JARENA_ARRAY(&run->arena, n, bool);
  bool is_ok = ev->pulse && ev->y && ev->beyond && ev->after && ev->flipped && ev->is_done &&
               ev->is_pole && ev->is_armed;
  // multistep methods begin with the first order behind an event, and its error h^2 |y''| / 2
  double resolution = run->stepper->k ? jsolve_zeno_span(0) : sqrt(run->opt->abs_tol);
  is_ok = is_ok && jsolve_looks_init(&ev->looks, &run->arena, n, run->opt->rel_tol);
  is_ok = is_ok && jsolve_clocks_init(&ev->clocks, &run->arena, run->sys);
  ev->looks.is_known = ev->clocks.is_time_only;
  return is_ok && jsolve_zeno_init(&ev->zeno, &run->arena, n, resolution) ? ev : NULL;
}

// A new step starts where the switching functions are g.
static void start_step(jsolve_events* ev, const jsolve_run* run, const double* g) {
  jsolve_margins m = jsolve_events_margins_of(ev, run);
  jsolve_sums_choose()->arm(&m, JSOLVE_RELATIVE_FLOOR, JSOLVE_ABSOLUTE_FLOOR, g);
  jsolve_events_margins(ev, run, g, ev->start);
}

// The state a little later, as the slope at this instant has it, in ev->y.
static void look_later(jsolve_events* ev, jsolve_run* run, double dt) {
  jsolve_rhs(run, run->t, run->y, run->scratch);
  for (int i = 0; i < run->sys->n; i++)
    ev->y[i] = run->y[i] + dt * run->scratch[i];
}

// Values of switches a little later, in ev->rate. One that is at its limit and has the same value then rests there, as
// max(0, x) does where x is negative.
static void look_at_rest(jsolve_events* ev, jsolve_run* run) {
  double dt = jsolve_zeno_span(run->t);
  look_later(ev, run, dt);
  run->sys->switches(run->sys->user, run->t + dt, ev->y, ev->rate);
}

static bool rests(const jsolve_events* ev, int k) {
  return fabs(ev->g[k]) <= ev->floor[k] && ev->rate[k] == ev->g[k];
}

static bool is_as_written(const jsolve_events* ev, const jsolve_run* run, int k) {
  return (run->sys->mode[k] > 0.5) == (ev->g[k] > 0);
}

// (I19)  Switches that rest at their limits have the modes of the start there: conditions hold as they are written.
static void find_resting(jsolve_events* ev, jsolve_run* run) {
  look_at_rest(ev, run);
  for (int k = 0; k < ev->n; k++) {
    bool is_against = rests(ev, k) && !is_as_written(ev, run, k);
    if (is_against && !ev->is_done[k]) ev->flipped[ev->nflipped++] = k;
  }
}

// What rests at its limit has not crossed it, and counts again when it has left it.
static void disarm_resting(jsolve_events* ev, jsolve_run* run) {
  bool may_rest = false;
  for (int k = 0; k < ev->n; k++)
    may_rest = may_rest || (ev->is_armed[k] && fabs(ev->g[k]) <= ev->floor[k]);
  if (!may_rest) return;
  look_at_rest(ev, run);
  for (int k = 0; k < ev->n; k++) {
    if (rests(ev, k) && is_as_written(ev, run, k)) ev->is_armed[k] = false;
  }
}

// Where the state was reset, a switch may have come to zero without crossing it: it starts there.
static void disarm(jsolve_events* ev) {
  for (int k = 0; k < ev->n; k++) {
    if (fabs(ev->g[k]) <= ev->floor[k]) ev->is_armed[k] = false;
  }
}

static void flip_modes(const jsolve_events* ev, const jsolve_run* run, const double* s) {
  for (int k = 0; k < ev->n; k++) {
    if (ev->zeno.t[k] == run->t && s[k] < 0) run->sys->mode[k] = 1 - run->sys->mode[k];
  }
}

// Margins at (t, y) of the modes that are, where switches of this instant that are sent back have followed: conditions may
// be made of others, as that of a product with abs().
static void look_ahead(jsolve_events* ev, jsolve_run* run, double t, const double* y, double* s) {
  const jsolve_system* sys = run->sys;
  sys->switches(sys->user, t, y, ev->rate);
  for (int k = 0; k < ev->n; k++)
    s[k] = sys->mode[k] > 0.5 ? ev->rate[k] : -ev->rate[k];
  flip_modes(ev, run, s);
  sys->switches(sys->user, t, y, ev->rate);
  flip_modes(ev, run, s);
  for (int k = 0; k < ev->n; k++)
    s[k] = sys->mode[k] > 0.5 ? ev->rate[k] : -ev->rate[k];
}

// Which of the switches that have just flipped with a reset are sent back, by the slope behind it. is_over: nothing else happens
// at this instant.
static void watch_returns(jsolve_events* ev, jsolve_run* run, bool is_over) {
  int n = run->sys->n;
  double *slope = run->scratch, *s[3] = {ev->lo, ev->hi, ev->probe},
         span = jsolve_zeno_span(run->t);
  jsolve_rhs(run, run->t, run->y, slope);
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < n; i++)
      ev->y[i] = run->y[i] + j * span * slope[i];
    if (j == 1) memcpy(ev->after, ev->y, (size_t)n * sizeof *ev->y);
    look_ahead(ev, run, run->t + j * span, ev->y, s[j]);
  }
  ev->t_after = run->t;
  jsolve_zeno_start(&ev->zeno, run->t, s[0], s[1], s[2], ev->floor, is_over);
}

// Margin of switch k at (t, y) in the mode that it has.
static double margin_of(jsolve_events* ev, jsolve_run* run, double t, const double* y, int k) {
  run->sys->switches(run->sys->user, t, y, ev->rate);
  return run->sys->mode[k] > 0.5 ? ev->rate[k] : -ev->rate[k];
}

// Whether the events of this instant bring the margin of switch k back to its limit from `probe`, which it spoils.
static bool brings_back(jsolve_events* ev, jsolve_run* run, int k, const double* probe) {
  double t = run->t + jsolve_zeno_span(run->t), beyond = margin_of(ev, run, t, probe, k);
  if (!(beyond > 0)) return false;
  memcpy(ev->y, probe, (size_t)run->sys->n * sizeof *probe);
  return run->sys->repeat(run->sys->user, run->t, run->y, k, ev->y) &&
         jsolve_zeno_holds(beyond, margin_of(ev, run, t, ev->y, k), ev->floor[k]);
}

// (I16)  Which of the switches that have just flipped their events hold at their limits: those that would do so a little
// later, along the slope before the event or along the one behind it.
static void watch_holds(jsolve_events* ev, jsolve_run* run) {
  ev->leaving = -1;
  for (int k = 0; k < ev->n; k++) {
    if (ev->pulse[k].t_flip != run->t) continue;
    bool is_held = (ev->t_beyond == run->t && brings_back(ev, run, k, ev->beyond)) ||
                   (ev->t_after == run->t && brings_back(ev, run, k, ev->after));
    if (!is_held) continue;
    jsolve_zeno_hold(&ev->zeno, k, run->t, margin_of(ev, run, run->t, run->y, k));
    if (ev->t_after != run->t || ev->leaving >= 0) continue;
    double next = margin_of(ev, run, run->t + jsolve_zeno_span(run->t), ev->after, k);
    if (jsolve_zeno_leaves(&ev->zeno, k, next, ev->floor[k])) ev->leaving = k;
  }
}

bool jsolve_events_begin(jsolve_events* ev, jsolve_run* run) {
  run->sys->switches(run->sys->user, run->t, run->y, ev->g);
  if (run->sys->nconstant > 0) disarm(ev);
  disarm_resting(ev, run);
  start_step(ev, run, ev->g);
  ev->nflipped = 0;
  for (int k = 0; k < ev->n; k++) {
    if (ev->start[k] <= 0) ev->flipped[ev->nflipped++] = k;
  }
  if (ev->nflipped == 0 && ev->zeno.npending > 0) watch_returns(ev, run, true);
  jsolve_clocks_begin(&ev->clocks);
  if (ev->nflipped == 0 && run->sys->repeat && ev->t_last == run->t) watch_holds(ev, run);
  ev->is_first = true;
  return ev->nflipped > 0;
}

jo_status jsolve_events_again(jsolve_events* ev, jsolve_run* run) {
  run->sys->switches(run->sys->user, run->t, run->y, ev->g);
  start_step(ev, run, ev->g);
  if (!jsolve_clocks_again(&ev->clocks, &run->arena, run->sys)) return jerr_memory(run->ctx);
  ev->looks.is_known = ev->clocks.is_time_only;
  return JO_OK;
}

// --- location ---

typedef enum source { DENSE, STEP } source;

static jo_status probe(jsolve_events* ev, jsolve_run* run, source from, double t) {
  if (from == STEP) {
    if (!ev->is_retaken && run->stepper->keep) run->stepper->keep(run->stepper, run);
    ev->is_retaken = true;
    JO_TRY(run->stepper->retake(run->stepper, run, t));
    jsolve_hold(run->sys, run->y, run->y_new);
    jsolve_events_evaluate(ev, run, t, run->y_new, ev->probe);
  } else {
    run->stepper->dense->eval(run->stepper->dense, t, ev->y);
    jsolve_hold(run->sys, run->y, ev->y);
    jsolve_events_evaluate(ev, run, t, ev->y, ev->probe);
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
  JASSERT(b->lo <= b->hi);
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
  bool is_hi = jsolve_events_crossed(ev, ev->probe);
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
  for (int i = 0; b->hi - b->lo > tolerance && i < JSOLVE_MAX_PROBES; i++) {
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
    bool is_close = (is_at_lo || is_at_hi) && nclose++ > 0;
    if (is_close && nclose <= MAX_CLOSE) {
      x = is_at_lo ? b->lo + 0.5 * tolerance : b->hi - 0.5 * tolerance;
    } else if (is_close) {
      x = b->lo + 0.5 * (b->hi - b->lo);
    } else if (i % 4 == 3) {
      if (b->hi - b->lo > 0.5 * width) x = b->lo + 0.5 * (b->hi - b->lo);
      width = b->hi - b->lo;
    }
  }
  return JO_OK;
}

static double tolerance_at(double t) {
  return JSOLVE_TIME_TOLERANCE * fmax(1, fabs(t));
}

// Rates of the margins that have crossed at t on the dense output, where they are in `hi`. *all: those that have are armed
// and fall.
static jo_status find_rates(jsolve_events* ev, jsolve_run* run, double t, double h, bool* all) {
  double before = fmax(t - RATE_SPAN * h, run->t);
  JO_TRY(probe(ev, run, DENSE, before));
  *all = t > before;
  for (int k = 0; k < ev->n; k++) {
    ev->rate[k] = ev->hi[k] <= 0 ? (ev->probe[k] - ev->hi[k]) / (t - before) : 0;
    *all = *all && (!(ev->hi[k] <= 0) || (ev->hysteresis[k] == 0 && ev->rate[k] > 0));
  }
  return JO_OK;
}

// The same from the last two steps, to x and to `before` where margins were `lo`. False: some do not fall.
static bool renew_rates(jsolve_events* ev, double x, double before) {
  for (int k = 0; k < ev->n; k++) {
    if (ev->rate[k] == 0) continue;
    ev->rate[k] = (ev->lo[k] - ev->probe[k]) / (x - before);
    if (!(ev->rate[k] > 0)) return false;
  }
  return true;
}

// When the first margin crosses, as rates and margins at x have it. False: one has that has no rate.
static bool extrapolate(const jsolve_events* ev, double x, double* first) {
  *first = INFINITY;
  for (int k = 0; k < ev->n; k++) {
    if (ev->probe[k] <= 0 && ev->rate[k] == 0) return false;
    if (ev->rate[k] > 0) *first = fmin(*first, x + ev->probe[k] / ev->rate[k]);
  }
  return true;
}

// Newton's method from a guess on. *hit: the step ends at the first crossing, its margins are in `hi`.
static jo_status aim(jsolve_events* ev, jsolve_run* run, double x, double t_end, bool* hit) {
  double tolerance = tolerance_at(t_end), limit = AIM_LIMIT * (t_end - run->t), before = x, first;
  *hit = false;
  for (int i = 0; i < JSOLVE_MAX_AIMS && x > run->t && x <= t_end; i++) {
    JO_TRY(probe(ev, run, STEP, x));
    if (fabs(x - before) > 100 * tolerance && !renew_rates(ev, x, before)) return JO_OK;
    if (!extrapolate(ev, x, &first)) return JO_OK;
    *hit = jsolve_events_crossed(ev, ev->probe) && x - first <= tolerance;
    if (*hit) {
      swap(&ev->probe, &ev->hi);
      memcpy(ev->lo, ev->hi, (size_t)ev->n * sizeof *ev->lo);
      arm(ev);
      return JO_OK;
    }
    if (!(fabs(first - x) <= limit)) return JO_OK;
    swap(&ev->probe, &ev->lo);
    before = x;
    x = fabs(first - x) > 0.25 * tolerance ? first : first + 0.5 * tolerance;
  }
  return JO_OK;
}

// The step as it was proposed, where it was taken again meanwhile.
static jo_status bring_back(jsolve_events* ev, jsolve_run* run, double t1) {
  jsolve_stepper* s = run->stepper;
  if (!ev->is_retaken) return JO_OK;
  ev->is_retaken = !s->restore;
  if (s->restore) {
    s->restore(s, run);
    return JO_OK;
  }
  JO_TRY(s->retake(s, run, t1));
  jsolve_hold(run->sys, run->y, run->y_new);
  return JO_OK;
}

// Confirm a suspect with a real step, going on to later samples while there is nothing; margins of what was found, or of
// the end, are in `hi`.
static jo_status confirm(jsolve_events* ev, jsolve_run* run, double t1, int j, double* t_hi) {
  for (; j < ev->last_sample; j++) {
    *t_hi = jsolve_survey_time(ev, run, t1, j);
    JO_TRY(probe(ev, run, STEP, *t_hi));
    swap(&ev->probe, &ev->hi);
    if (jsolve_events_crossed(ev, ev->hi)) return JO_OK;
  }
  *t_hi = t1;
  jsolve_events_margins(ev, run, ev->g_end, ev->hi);
  return JO_OK;
}

// Whether margins cross in b that do not in a; *first: of those that do in a.
static bool has_others(const jsolve_events* ev, const double* a, const double* b, int* first) {
  bool others = false;
  *first = -1;
  for (int k = 0; k < ev->n; k++) {
    others = others || (b[k] <= 0 && !(a[k] <= 0));
    if (a[k] <= 0 && *first < 0) *first = k;
  }
  return others;
}

// Margins that cross at the suspect sample and not at the end may do so by the error of the dense output alone, over and
// over where they stay near zero. *is_none: a real step to where they are least finds them uncrossed.
static jo_status test_graze(jsolve_events* ev, jsolve_run* run, double t1, int suspect,
                            bool* is_none) {
  int which;
  double deepest = jsolve_survey_time(ev, run, t1, suspect), least = INFINITY;
  *is_none = false;
  jsolve_events_margins(ev, run, ev->g_end, ev->probe);
  if (jsolve_events_crossed(ev, ev->probe) || !run->stepper->restore) return JO_OK;
  for (int j = suspect + 1; j < ev->last_sample; j++) {
    double t = jsolve_survey_time(ev, run, t1, j);
    JO_TRY(probe(ev, run, DENSE, t));
    if (has_others(ev, ev->hi, ev->probe, &which)) return JO_OK;
    if (ev->probe[which] < fmin(least, ev->hi[which])) deepest = t;
    least = fmin(least, ev->probe[which]);
  }
  JO_TRY(probe(ev, run, STEP, deepest));
  *is_none = !jsolve_events_crossed(ev, ev->probe);
  return bring_back(ev, run, t1);
}

// Between the last real step without a crossing and the first with one; *found: there is one.
static jo_status search(jsolve_events* ev, jsolve_run* run, double guess, double t1, int suspect,
                        bool* found) {
  double reach = FIRST_BRACKET * (t1 - run->t);
  bracket b = {run->t, t1, 1, 1, 0};
  JO_TRY(confirm(ev, run, t1, suspect, &b.hi));
  memcpy(ev->lo, ev->start, (size_t)ev->n * sizeof(double));
  *found = jsolve_events_crossed(ev, ev->hi);
  if (!*found) return JO_OK;
  guess = fmin(guess, b.hi - reach);
  JO_TRY(shrink(ev, run, STEP, &b, guess, reach, tolerance_at(t1)));
  if (run->t_new == b.hi) return JO_OK;
  ev->is_retaken = true;
  return run->stepper->retake(run->stepper, run, b.hi);
}

// Ends the step later than the event was found, where that is asked for, but inside of it and with the same margins crossed.
static jo_status delay(jsolve_events* ev, jsolve_run* run, double t1) {
  double found = run->t_new, late = run->opt->event_delay * tolerance_at(t1);
  if (!(late > 0) || found + late > t1) return JO_OK;
  JO_TRY(probe(ev, run, STEP, found + late));
  for (int k = 0; k < ev->n; k++) {
    if (ev->hi[k] <= 0 && !(ev->probe[k] <= 0)) return probe(ev, run, STEP, found);
  }
  swap(&ev->probe, &ev->hi);
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

// Switch k goes on into the mode at whose limit its event holds it.
static jo_status fail_held(jsolve_run* run, int k) {
  char label[JSOLVE_LABEL];
  return jerr_set(
      run->ctx, JO_ERR_LIMIT,
      "integration: the events of %s accumulate at t = %.9g s: the event sets what its condition "
      "compares back to the limit, and the motion goes on into the condition: the event would have "
      "to "
      "happen again at once, without end. An event acts at an instant and holds nothing: let it "
      "set "
      "a discrete state that stops the motion, use a stop or dry friction, or end the run there "
      "(end_when); keep a largest value where the rate changes sign, not where the value grows",
      jsolve_label(run->sys->switch_name, "switch", k, label), run->t);
}

// Switches that would cross behind the end of the run by no more than instants are rounded, the last sample of a clock,
// cross there. *found: there are some, in `flipped`.
static jo_status find_last(jsolve_events* ev, jsolve_run* run, bool* found) {
  double t1 = run->t_new, before = fmax(t1 - RATE_SPAN * (t1 - run->t), run->t);
  double reach = LAST * fmax(fabs(t1), fabs(run->t_begin));
  ev->nflipped = 0;
  if (t1 != run->t_end || !(before < t1)) return JO_OK;
  jsolve_events_margins(ev, run, ev->g_end, ev->hi);
  bool is_near = false;
  for (int k = 0; k < ev->n; k++)
    is_near = is_near || (ev->is_armed[k] && ev->hi[k] * (t1 - run->t) <= ev->start[k] * reach);
  if (!is_near) return JO_OK;
  JO_TRY(probe(ev, run, DENSE, before));
  for (int k = 0; k < ev->n; k++) {
    double rate = (ev->probe[k] - ev->hi[k]) / (t1 - before);
    if (ev->is_armed[k] && ev->hi[k] <= rate * reach) ev->flipped[ev->nflipped++] = k;
  }
  *found = ev->nflipped > 0;
  return JO_OK;
}

// k: the switch of which margins show that an event was lost, -1: none.
static jo_status check_accumulation(const jsolve_events* ev, jsolve_run* run, int k) {
  if (k < 0) return JO_OK;
  if (ev->zeno.is_held[k]) return fail_held(run, k);
  const jsolve_zeno* z = &ev->zeno;
  char label[JSOLVE_LABEL], apart[64] = "there is none before it";
  // nothing that moves changes as often as events are located, but for a reset that makes it so
  double least = tolerance_at(z->t[k]);
  bool is_reset = z->start[k] != z->at[k] || z->before[k] > least;
  if (z->interval[k] > 0 && z->interval[k] <= least && !is_reset)
    return jsolve_survey_fail(run, k, z->t[k], z->interval[k]);
  if (z->interval[k] > 0)
    jformat(apart, sizeof apart, "the last two are %.2g s apart", z->interval[k]);
  return jerr_set(
      run->ctx, JO_ERR_LIMIT,
      "integration: the events of %s accumulate at t = %.9g s (%s): the next one cannot be "
      "resolved%s, and the motion would pass through the condition; let the event bring "
      "it to rest where it is slow, or end the run before (end_when)",
      jsolve_label(run->sys->switch_name, "switch", k, label), z->t[k], apart,
      run->stepper->k ? "" : " by this method and tolerance");
}

// From when on switch k has no value in the step to t, at whose start it has one. Where all of it is dense output: its
// accuracy is that of the message.
static double lost_since(jsolve_events* ev, jsolve_run* run, int k, double t) {
  const jsolve_dense* dense = run->stepper->dense;
  double lo = run->t, hi = t;
  for (int i = 0; i < JSOLVE_MAX_PROBES && hi - lo > DENSE_ACCURACY * (t - run->t); i++) {
    double x = lo + 0.5 * (hi - lo);
    dense->eval(dense, x, ev->y);
    jsolve_hold(run->sys, run->y, ev->y);
    run->sys->switches(run->sys->user, x, ev->y, ev->g);
    *(ev->g[k] == ev->g[k] ? &lo : &hi) = x;
  }
  return hi;
}

// A condition without a value has no side to be on.
static jo_status check_values(jsolve_events* ev, jsolve_run* run, double t, const double* s) {
  int bad = 0;
  for (int k = 0; k < ev->n; k++)
    bad += s[k] != s[k];
  if (bad == 0) return JO_OK;
  int first = 0;
  while (s[first] == s[first])
    first++;
  char label[JSOLVE_LABEL];
  bool is_inside = t > run->t;
  if (is_inside && ev->is_retaken) JO_TRY(run->stepper->finish(run->stepper, run));
  return jerr_set(
      run->ctx, JO_ERR_NUMERIC,
      "integration: what %s compares is not a number %s t = %.9g s%s (a root or logarithm "
      "of something negative, or 0/0); give it a value there, with if() or max()",
      jsolve_label(run->sys->switch_name, "switch", first, label), is_inside ? "from" : "at",
      is_inside ? lost_since(ev, run, first, t) : t, is_inside ? " on" : "");
}

jo_status jsolve_events_check(jsolve_events* ev, jsolve_run* run) {
  JO_TRY(check_accumulation(ev, run, ev->leaving));
  return check_values(ev, run, run->t, ev->start);
}

// The step holds no event and is taken to its end.
static jo_status pass_step(jsolve_events* ev, jsolve_run* run) {
  JO_TRY(check_values(ev, run, run->t_new, ev->g_end));
  jsolve_events_margins(ev, run, ev->g_end, ev->hi);
  JO_TRY(check_accumulation(ev, run, jsolve_survey_lost(ev, ev->hi)));
  start_step(ev, run, ev->g_end);
  ev->is_first = false;
  ev->h_last = run->t_new - run->t;
  return JO_OK;
}

// Margins before the event that was found and their rates, for those that are reset there.
static void measure_rates(jsolve_events* ev, jsolve_run* run) {
  double dt = jsolve_zeno_span(run->t_new), *slope = run->scratch;
  // positions and velocities of multistep methods need not agree at the end of the step
  if (run->stepper->k) {
    run->stepper->dense->slope(run->stepper->dense, run->t_new, slope);
  } else {
    jsolve_rhs(run, run->t_new, run->y_new, slope);
  }
  for (int i = 0; i < run->sys->n; i++)
    ev->y[i] = run->y_new[i] + dt * slope[i];
  jsolve_events_evaluate(ev, run, run->t_new, run->y_new, ev->lo);
  jsolve_events_evaluate(ev, run, run->t_new + dt, ev->y, ev->probe);
  for (int k = 0; k < ev->n; k++) {
    ev->zeno.at[k] = ev->hysteresis[k] - ev->lo[k];
    ev->zeno.ahead[k] = ev->hysteresis[k] - ev->probe[k];
  }
  memcpy(ev->beyond, ev->y, (size_t)run->sys->n * sizeof *ev->y);
  ev->t_beyond = run->t_new;
}

static jo_status fail_jump(jsolve_run* run, int k, double t) {
  char label[JSOLVE_LABEL];
  return jerr_set(
      run->ctx, JO_ERR_NUMERIC,
      "integration: what %s compares does not pass its limit at t = %.9g s, but goes from "
      "one side to the other at once: through a pole, as those of 1/x and tan(x), or "
      "by a jump, as that of an angle from pi to -pi; compare what is continuous there "
      "(x < 0 in place of 1/x < 0, abs(x) < 0.1 in place of 1/abs(x) > 10)",
      jsolve_label(run->sys->switch_name, "switch", k, label), t);
}

// docs/theory/integration.md eq. (I13). Margins lead to zero where they cross: those that jump there, or pass a pole, tell neither when that is nor how it
// depends on anything. Behind what was located, with the dense output of the step to there.
static jo_status check_jumps(jsolve_events* ev, jsolve_run* run) {
  double tolerance = tolerance_at(run->t_new);
  double span = fmin(JUMP_SPAN * tolerance, 0.5 * (run->t_new - run->t));
  ev->t_probed = run->t_new;
  memset(ev->is_pole, 0, (size_t)ev->n * sizeof *ev->is_pole);
  if (!(span > 10 * tolerance)) return JO_OK;
  JO_TRY(probe(ev, run, DENSE, run->t_new - 2 * span));
  swap(&ev->probe, &ev->lo);
  JO_TRY(probe(ev, run, DENSE, run->t_new - span));
  for (int k = 0; k < ev->n; k++) {
    double last = ev->probe[k], change = last - ev->lo[k], off = fabs(last + change - ev->hi[k]);
    double least = fmax(JUMP_LEAST * ev->g_max[k], JUMP_SMALLEST);
    ev->is_pole[k] =
        (change > POLE * last && last > fmax(JUMP_SMALLEST, 10 * ev->floor[k])) || isinf(ev->hi[k]);
    if (!(ev->hi[k] <= 0) || !(off > least) || !(off > 2 * fabs(change))) continue;
    return fail_jump(run, k, run->t_new);
  }
  return JO_OK;
}

jo_status jsolve_events_locate(jsolve_events* ev, jsolve_run* run, bool* found) {
  *found = ev->is_retaken = false;
  jsolve_finding f;
  JO_TRY(jsolve_survey(ev, run, &f));
  JO_TRY(check_accumulation(ev, run, f.lost));
  double t1 = run->t_new, h = t1 - run->t;
  int suspect = f.sample;
  bool is_none = suspect > ev->last_sample;
  if (!is_none) JO_TRY(test_graze(ev, run, t1, suspect, &is_none));
  if (is_none) JO_TRY(find_last(ev, run, found));
  if (*found && run->sys->event) measure_rates(ev, run);
  if (*found) return check_values(ev, run, t1, ev->g_end);
  if (is_none) return pass_step(ev, run);
  // where the dense output has it
  size_t bytes = (size_t)ev->n * sizeof(double);
  memcpy(ev->lo, ev->start, bytes);
  bracket b = {run->t, jsolve_survey_time(ev, run, t1, suspect), 1, 1, 0};
  JO_TRY(shrink(ev, run, DENSE, &b, secant(ev, &b), 0, DENSE_ACCURACY * h));
  double guess = b.hi;
  // where it really is
  bool can_aim;
  JO_TRY(find_rates(ev, run, guess, h, &can_aim));
  if (can_aim) JO_TRY(aim(ev, run, guess, t1, found));
  if (!*found) JO_TRY(search(ev, run, guess, t1, suspect, found));
  if (*found) {
    JO_TRY(delay(ev, run, t1));
    jsolve_hold(run->sys, run->y, run->y_new);
    mark_crossed(ev, run);
    JO_TRY(check_values(ev, run, run->t_new, ev->hi));
    JO_TRY(check_accumulation(ev, run, jsolve_survey_lost(ev, ev->hi)));
  } else {
    JO_TRY(bring_back(ev, run, t1));
    JO_TRY(pass_step(ev, run));
  }
  if (ev->is_retaken) JO_TRY(run->stepper->finish(run->stepper, run));
  if (*found) JO_TRY(check_jumps(ev, run));
  if (*found && run->sys->event) measure_rates(ev, run);
  return JO_OK;
}

// --- handling ---

static jo_status check_limits(jsolve_events* ev, jsolve_run* run) {
  JASSERT(ev->nflipped > 0 && ev->nflipped <= ev->n);
  ev->at_instant = run->t == ev->t_last ? ev->at_instant + ev->nflipped : ev->nflipped;
  ev->t_last = run->t;
  ev->all += ev->nflipped;
  for (int i = 0; i < ev->nflipped; i++) {
    run->stats.events += !run->sys->is_quiet || !run->sys->is_quiet[ev->flipped[i]];
  }
  bool is_chatter = ev->at_instant > 4 * ev->n + 16;
  double span = run->t_end - run->t_begin;
  double most = run->opt->max_events > 0 ? run->opt->max_events
                                         : JSOLVE_BASE_EVENTS + JSOLVE_EVENT_RATE * span;
  if (!is_chatter && ev->all <= most) return JO_OK;
  char label[JSOLVE_LABEL];
  return jerr_set(run->ctx, JO_ERR_LIMIT,
                  "integration: %s chatters or there are too many events: it flips again at "
                  "t = %.17g, event %d (limit %.0f); make it change less often, or raise "
                  "simulation.max_events",
                  jsolve_label(run->sys->switch_name, "switch", ev->flipped[0], label), run->t,
                  ev->all, most);
}

static jo_status react(jsolve_events* ev, jsolve_run* run) {
  const jsolve_system* sys = run->sys;
  size_t bytes = (size_t)sys->n * sizeof(double);
  memcpy(ev->y, run->y, bytes);
  if (sys->event) JO_TRY(sys->event(sys->user, run->t, run->y, ev->flipped, ev->nflipped));
  bool is_reset = memcmp(ev->y, run->y, bytes) != 0;
  run->has_jumped = run->has_jumped || is_reset;
  for (int i = 0; i < ev->nflipped; i++) {
    int k = ev->flipped[i];
    bool is_sent = ev->nflipped > 1 && sys->sent && sys->sent[k];
    jsolve_zeno_flip(&ev->zeno, k, run->t, is_reset, is_sent);
  }
  if (!is_reset) return JO_OK;
  // what it is a consequence of comes with that reset, too
  for (int k = 0; k < ev->n; k++) {
    if (ev->is_done[k] && ev->zeno.t[k] != run->t)
      jsolve_zeno_flip(&ev->zeno, k, run->t, true, false);
  }
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

// Of the switches that contradict their modes, those that still do when all of them have followed: what compares a value made
// of other conditions may contradict its mode only because these have not flipped yet.
static void keep_settled(jsolve_events* ev, jsolve_run* run) {
  const jsolve_system* sys = run->sys;
  size_t bytes = (size_t)ev->n * sizeof(double);
  double *before = ev->lo, *stay = ev->rate;
  memcpy(before, sys->mode, bytes);
  for (int k = 0; k < ev->n; k++)
    stay[k] = ev->is_done[k] ? INFINITY : ev->floor[k];
  jsolve_update_modes(sys, run->t, run->y, stay, ev->hi);
  int n = 0;
  for (int i = 0; i < ev->nflipped; i++) {
    int k = ev->flipped[i];
    if (sys->mode[k] != before[k]) ev->flipped[n++] = k;
  }
  memcpy(sys->mode, before, bytes);
  if (n > 0) ev->nflipped = n;
}

// The others that contradict their modes now that these flipped and the state jumped.
static void find_followers(jsolve_events* ev, jsolve_run* run) {
  const jsolve_system* sys = run->sys;
  sys->switches(sys->user, run->t, run->y, ev->g);
  bool may_rest = false;
  ev->nflipped = 0;
  for (int k = 0; k < ev->n; k++) {
    double s = sys->mode[k] > 0.5 ? ev->g[k] : -ev->g[k];
    if (ev->is_done[k]) continue;
    if (s < -ev->floor[k]) ev->flipped[ev->nflipped++] = k;
    may_rest = may_rest || (fabs(s) <= ev->floor[k] && !is_as_written(ev, run, k));
  }
  if (ev->nflipped > 1) keep_settled(ev, run);
  if (ev->nflipped == 0 && may_rest) find_resting(ev, run);
}

// Whether a switch with margins `now`, and `later` in time dt, does not cross at this instant. What rests at its limit
// from now on is for find_resting().
static bool stays(double now, double later, double dt, double floor, double tolerance) {
  if (now < -floor) return false;
  if (now <= floor) return later > floor || later == now;
  return !(now * dt <= (now - later) * ONE_INSTANT * tolerance);
}

// Of the switches that were located together, those that cross by themselves: the step ends behind the crossing, where
// abs(x) with its old mode is less than zero, and floor(abs(x)) another number. Those that are made of others come
// behind them, and cross if they are beyond their limits, or move there, when these have flipped. Poles are for check_poles().
static void drop_consequences(jsolve_events* ev, jsolve_run* run) {
  const jsolve_system* sys = run->sys;
  size_t bytes = (size_t)ev->n * sizeof(double);
  double *before = ev->lo, dt = jsolve_zeno_span(run->t);
  memcpy(before, sys->mode, bytes);
  look_later(ev, run, dt);
  int n = 1;
  sys->mode[ev->flipped[0]] = 1.0 - before[ev->flipped[0]];
  for (int i = 1; i < ev->nflipped; i++) {
    int k = ev->flipped[i];
    double now = margin_of(ev, run, run->t, run->y, k);
    double later = margin_of(ev, run, run->t + dt, ev->y, k);
    bool is_pole = ev->t_probed == run->t && ev->is_pole[k];
    if (!is_pole && stays(now, later, dt, ev->floor[k], tolerance_at(run->t))) continue;
    ev->flipped[n++] = k;
    sys->mode[k] = 1.0 - before[k];
  }
  memcpy(sys->mode, before, bytes);
  ev->nflipped = n;
}

// What the last intervals between flips of switch k say about where to look for the next. What has
// flipped twice only has no period yet.
static void note_pulse(jsolve_events* ev, int k, double t) {
  jsolve_pulse* p = &ev->pulse[k];
  double d = t - p->t_flip, shorter = fmin(d, p->interval > 0 ? p->interval : d);
  double longer = p->interval > 0 ? fmax(d, p->interval) : INFINITY;
  p->t_flip = t;
  p->interval = d;
  if (!(shorter > 0) || !isfinite(shorter)) return;
  p->period = shorter + fmin(longer, PER_PERIOD / PER_PULSE * shorter);
  double distance = fmax(shorter / PER_PULSE, p->period / PER_PERIOD);
  p->distance = t < p->until ? fmin(distance, p->distance) : distance;
  p->until = t + PERIODS * p->period;
}

// (I13)  Conditions whose values grow without bound up to here do not pass their limits, whether they cross themselves or
// follow others, as 1/abs(x) does. A reset may lead anywhere.
static jo_status check_poles(const jsolve_events* ev, jsolve_run* run) {
  for (int i = 0; i < ev->nflipped && ev->t_probed == run->t && !run->has_jumped; i++) {
    if (ev->is_pole[ev->flipped[i]]) return fail_jump(run, ev->flipped[i], run->t);
  }
  return JO_OK;
}

jo_status jsolve_events_apply(jsolve_events* ev, jsolve_run* run) {
  run->has_jumped = false;
  memset(ev->is_done, 0, (size_t)ev->n * sizeof *ev->is_done);
  if (ev->nflipped > 1) drop_consequences(ev, run);
  // every round flips switches that did not flip before, so there are at most n
  while (ev->nflipped > 0) {
    JO_TRY(check_limits(ev, run));
    if (run->has_jumped && ev->zeno.npending > 0) watch_returns(ev, run, false);
    JO_TRY(check_poles(ev, run));
    for (int i = 0; i < ev->nflipped; i++) {
      int k = ev->flipped[i];
      JASSERT(!ev->is_done[k]);  // a switch flips once at an instant
      run->sys->mode[k] = run->sys->mode[k] > 0.5 ? 0.0 : 1.0;
      ev->is_done[k] = true;
      ev->is_armed[k] = false;
      if (!ev->clocks.e || !ev->clocks.is_time_only[k]) note_pulse(ev, k, run->t);
    }
    JO_TRY(react(ev, run));
    JO_TRY(observe(ev, run));
    if (jsolve_has_ended(run)) break;
    find_followers(ev, run);
  }
  return JO_OK;
}
