// SPDX-License-Identifier: Apache-2.0
#include "solve/event/survey.h"

#include <math.h>
#include <string.h>

#include "solve/constants.h"
#include "solve/event/clocks.h"
#include "solve/event/scan.h"

// Times looked at in a step: thirds, or more where it is long (scan.h), and before them one for
// switches that are not armed: a ball that touched the floor is above it for a short time, and may be
// below again at the others. How short is not known: in the first step behind an event that sends a switch back
// (zeno.h) a ladder of times goes down to SHORTEST. A parabola that rises 16 floors is above one floor for 64 times as long as it takes to get there,
// so that a rung meets it.
#define LEAST_PARTS 3
#define SHORTEST    1e-10  // times max(1, |t|) [s]

// Where looks do not show how a condition changes (looks.h), the step is looked at again in blocks that do.
#define EVERY       4     // blocks one is tested that comes not near zero
#define CLOSER      0.25  // blocks become so much shorter, and ...
#define WIDER       2     // ... longer where they may
#define MOST_BLOCKS 2000  // in a step: it is cut behind them
#define MOST_JUMPS  8     // blocks of the shortest length that show nothing, in a step
#define GROWS       1.5   // steps that are so much longer than the last are looked at twice as well
#define MAX_CUTS    8  // crossings that a real step does not find, in a step: it is cut behind them
#define INSIDE      0.0163  // of a block: a short one in front of it, where one may pass by chance
#define TILES       5       // short blocks in one

double jsolve_survey_time(const jsolve_events* ev, const jsolve_run* run, double t1, int j) {
  double part = j > 0 ? (double)j / ev->last_sample : JSOLVE_FIRST_SAMPLE;
  for (int i = j; i < 0; i++)
    part *= JSOLVE_FIRST_SAMPLE;
  return j == ev->last_sample ? t1 : run->t + (t1 - run->t) * part;
}

static bool are_armed(const jsolve_events* ev) {
  for (int k = 0; k < ev->n; k++) {
    if (!ev->is_armed[k]) return false;
  }
  return true;
}

static void choose_samples(jsolve_events* ev, const jsolve_run* run, double h) {
  int parts = jsolve_scan_parts(run, h);
  ev->last_sample = parts > LEAST_PARTS ? parts : LEAST_PARTS;
  ev->first_sample = 1;
  if (are_armed(ev) && ev->zeno.npending == 0) return;
  ev->first_sample = 0;
  if (!ev->is_first || ev->zeno.npending == 0) return;
  double x = h * JSOLVE_FIRST_SAMPLE * JSOLVE_FIRST_SAMPLE,
         least = SHORTEST * fmax(1, fabs(run->t));
  for (; x > least; x *= JSOLVE_FIRST_SAMPLE)
    ev->first_sample--;
}

// Margins at t by dense output.
static void look(jsolve_events* ev, jsolve_run* run, double t, double* s) {
  run->stepper->dense->eval(run->stepper->dense, t, ev->y);
  jsolve_hold(run->sys, run->y, ev->y);
  jsolve_events_evaluate(ev, run, t, ev->y, s);
}

// The first switch that changes faster than the last four looks show, at the given distance up to t; -1: none.
static int hidden(jsolve_events* ev, jsolve_run* run, double t, double distance, bool twice) {
  if (!(distance > SHORTEST * fmax(1, fabs(t)) * 1e-2)) return -1;
  int k = -1;
  for (int i = 0; i < 1 + twice && k < 0; i++) {
    int at = 1 + ++ev->behind % 2;
    look(ev, run, t - (3 - at - jsolve_look_behind(at)) * distance, ev->looks.behind);
    k = jsolve_looks_hidden(&ev->looks, at, ev->g_max);
  }
  return k;
}

int jsolve_survey_lost(const jsolve_events* ev, const double* s) {
  return jsolve_zeno_lost(&ev->zeno, s, ev->hysteresis, ev->floor);
}

// Looks at the samples of a step, by dense output, to the end of the block in which a margin has crossed. tests: whether
// looks show how conditions change, too.
static jsolve_finding look_into(jsolve_events* ev, jsolve_run* run, bool tests) {
  int last = ev->last_sample;
  double t1 = run->t_new, h = t1 - run->t, distance = h / last;
  bool twice = ev->is_first || h > GROWS * ev->h_last;
  jsolve_finding f = {.sample = last + 1, .lost = -1, .hidden = -1};
  memcpy(jsolve_looks_next(&ev->looks), ev->start, (size_t)ev->n * sizeof *ev->start);
  for (int j = ev->first_sample; j <= last; j++) {
    bool is_block = j > 0 && (j % 3 == 0 || j == last);
    if (f.sample < j && j <= 0) continue;
    double* s = j > 0 ? jsolve_looks_next(&ev->looks) : ev->hi;
    double t = jsolve_survey_time(ev, run, t1, j);
    if (j == last) {
      jsolve_events_margins(ev, run, ev->g_end, s);
    } else {
      look(ev, run, t, s);
    }
    if (f.sample > last && jsolve_events_crossed(ev, s)) {
      f.sample = j;
      if (s != ev->hi) memcpy(ev->hi, s, (size_t)ev->n * sizeof *s);
    }
    if (f.sample > last && f.lost < 0) f.lost = jsolve_survey_lost(ev, s);
    if (is_block && tests && (twice || ++ev->turn % EVERY == 0 || jsolve_looks_near(&ev->looks)))
      f.hidden = hidden(ev, run, t, distance, twice);
    if (f.hidden >= 0 || (is_block && f.sample <= last)) return f;
  }
  return f;
}

static int look_at_block(jsolve_events* ev, jsolve_run* run, double t, double width) {
  double distance = width / (JSOLVE_LOOKS - 1);
  for (int i = 0; i < JSOLVE_LOOKS; i++)
    look(ev, run, t + i * distance, jsolve_looks_next(&ev->looks));
  return hidden(ev, run, t + width, distance, true);
}

jo_status jsolve_survey_fail(jsolve_run* run, int k, double t, double width) {
  char label[JSOLVE_LABEL];
  return jerr_set(run->ctx, JO_ERR_LIMIT,
                  "integration: what %s compares changes faster than can be followed at t = %.9g s "
                  "(within %.1g s); replace it by something slower",
                  jsolve_label(run->sys->switch_name, "switch", k, label), t, width);
}

// The first switch that a block of this width hides; -1: none. Behind blocks that do, one that
// shows everything may do so by chance: short ones in it would not, too.
static int test_block(jsolve_events* ev, jsolve_run* run, double t, double width, bool may_chance) {
  int k = may_chance ? look_at_block(ev, run, t, INSIDE * width) : -1;
  for (int i = 0; may_chance && k < 0 && i < TILES; i++)
    k = look_at_block(ev, run, t + width * i / TILES, width / TILES);
  return k < 0 ? look_at_block(ev, run, t, width) : k;
}

// The longest block at t: pulses as the last ones must not fall between its looks.
static double widest(const jsolve_events* ev, const jsolve_run* run, double t) {
  double distance = INFINITY, h = run->t_new - run->t;
  for (int k = 0; k < ev->n; k++) {
    const jsolve_pulse* p = &ev->pulse[k];
    if (t < p->until && p->period < h) distance = fmin(distance, p->distance);
  }
  return (JSOLVE_LOOKS - 1) * distance;
}

// Where all steps end at events, switching functions are large between them only.
static void note_largest(jsolve_events* ev) {
  for (int j = 0; j < JSOLVE_LOOKS; j++) {
    for (int k = 0; k < ev->n; k++) {
      double size = fabs(ev->looks.s[j][k]);
      if (size > ev->g_max[k] && isfinite(size)) ev->g_max[k] = size;
    }
  }
}

// Looks closer, in blocks as short as it takes, from where something was hidden, with `distance` at
// first. *t: the first look at which a margin has crossed, or up to which none has; the end of the
// step: there is nothing in it. *crossing: distance of these looks; 0: none has.
static jo_status look_closer(jsolve_events* ev, jsolve_run* run, double from, double distance,
                             double* t, double* crossing) {
  double t1 = run->t_new, least = SHORTEST * fmax(1, fabs(t1));
  double width = (JSOLVE_LOOKS - 1) * distance;
  bool is_shorter = true;
  int jumps = 0;
  *t = from;
  *crossing = 0;
  for (int i = 0; *t < t1 && i < MOST_BLOCKS; i++) {
    width = fmin(fmin(width, widest(ev, run, *t)), t1 - *t);
    int k = test_block(ev, run, *t, width, is_shorter);
    is_shorter = k >= 0 && CLOSER * width > least;
    if (is_shorter) {
      width *= CLOSER;
      continue;
    }
    if (k >= 0 && ++jumps > MOST_JUMPS) return jsolve_survey_fail(run, k, *t, width);
    ev->close = width / (JSOLVE_LOOKS - 1);
    note_largest(ev);
    for (int j = 1; j < JSOLVE_LOOKS; j++) {
      if (!jsolve_events_crossed(ev, ev->looks.s[j])) continue;
      *crossing = ev->close;
      *t += j * *crossing;
      return JO_OK;
    }
    *t += width;
    width *= WIDER;
  }
  return JO_OK;
}

// Ends the proposed step at t, where the dense output has something that was hidden. A real step may find that it is not there:
// the step is then what it was, and not cut.
static jo_status cut_step(jsolve_events* ev, jsolve_run* run, double t, bool is_crossing,
                          bool* is_cut) {
  jsolve_stepper* s = run->stepper;
  if (s->keep) s->keep(s, run);
  JO_TRY(s->retake(s, run, t));
  jsolve_hold(run->sys, run->y, run->y_new);
  jsolve_events_evaluate(ev, run, t, run->y_new, ev->probe);
  *is_cut = !is_crossing || !s->restore || jsolve_events_crossed(ev, ev->probe);
  if (!*is_cut) {
    s->restore(s, run);
    return JO_OK;
  }
  JO_TRY(s->finish(s, run));
  memcpy(ev->g_end, ev->g, (size_t)ev->n * sizeof *ev->g);
  choose_samples(ev, run, t - run->t);
  return JO_OK;
}

// Whether the looks into the step had found what closer ones found at t: it lies between the same two of them, which are hardly
// farther apart.
static bool is_known(const jsolve_events* ev, const jsolve_run* run, const jsolve_finding* f,
                     double t, double crossing) {
  if (f->sample < 1 || f->sample > ev->last_sample) return false;
  double before = f->sample > 1 ? jsolve_survey_time(ev, run, run->t_new, f->sample - 1) : run->t;
  bool is_between = t > before && t <= jsolve_survey_time(ev, run, run->t_new, f->sample);
  return is_between && crossing >= CLOSER * (run->t_new - run->t) / ev->last_sample;
}

// Ends the proposed step where closer looks find something. Errors of the dense output cross where
// a fast condition hardly does: a real step decides, and looks go on behind those that find
// nothing.
static jo_status end_at_hidden(jsolve_events* ev, jsolve_run* run, double distance,
                               jsolve_finding* f) {
  double from = run->t, t, crossing;
  bool is_cut = false;
  for (int i = 0; !is_cut; i++) {
    JO_TRY(look_closer(ev, run, from, distance, &t, &crossing));
    if (!(t < run->t_new) || is_known(ev, run, f, t, crossing)) break;
    JO_TRY(cut_step(ev, run, t, crossing > 0 && i < MAX_CUTS, &is_cut));
    from = t;
    distance = crossing;
  }
  *f = look_into(ev, run, false);
  return JO_OK;
}

// Ends the proposed step at the first event that bounds of conditions show, or where they take too much work to show that there
// is none. A step that has that event as the first crossing of its margins at looks stays as it is.
static jo_status end_at_clock(jsolve_events* ev, jsolve_run* run, jsolve_finding* f) {
  double from = run->t;
  for (int i = 0; from < run->t_new; i++) {
    bool has_crossed = f->sample <= ev->last_sample;
    double to = has_crossed ? jsolve_survey_time(ev, run, run->t_new, f->sample) : run->t_new;
    jsolve_clocks_finding c;
    JO_TRY(jsolve_clocks_find(ev, run, from, to, &c));
    bool is_event = c.kind == JSOLVE_CLOCKS_EVENT, is_cut = true;
    if (c.kind == JSOLVE_CLOCKS_NONE) return JO_OK;
    if (is_event && has_crossed && ev->hi[c.which] <= 0 && jsolve_clocks_stays(ev, run, &c, to))
      return JO_OK;
    if (c.t < run->t_new) JO_TRY(cut_step(ev, run, c.t, is_event && i < MAX_CUTS, &is_cut));
    if (is_cut) {
      *f = look_into(ev, run, false);
      return JO_OK;
    }
    from = c.t;
  }
  return JO_OK;
}

static jo_status survey_looks(jsolve_events* ev, jsolve_run* run, jsolve_finding* f) {
  choose_samples(ev, run, run->t_new - run->t);
  run->sys->switches(run->sys->user, run->t_new, run->y_new, ev->g_end);
  double distance = (run->t_new - run->t) / ev->last_sample;
  double close = ev->close > 0 ? ev->close : INFINITY;
  close = fmin(close, widest(ev, run, run->t) / (JSOLVE_LOOKS - 1));
  bool is_fast = close < distance;
  ev->close = 0;
  *f = look_into(ev, run, !is_fast);
  // at such a distance a fast condition may look slow by chance, not at a shorter one as well
  if (!is_fast && f->hidden < 0 && ev->is_first)
    f->hidden = look_at_block(ev, run, run->t, INSIDE * (JSOLVE_LOOKS - 1) * distance);
  if (!is_fast && f->hidden < 0 && f->lost < 0) return JO_OK;
  return end_at_hidden(ev, run, is_fast ? close : CLOSER * distance, f);
}

jo_status jsolve_survey(jsolve_events* ev, jsolve_run* run, jsolve_finding* f) {
  JO_TRY(survey_looks(ev, run, f));
  return ev->clocks.e ? end_at_clock(ev, run, f) : JO_OK;
}
