// SPDX-License-Identifier: Apache-2.0
#include "solve/resolution.h"

#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "solve/constants.h"

#define MOST       5.0   // of what counts: a run that makes its motion itself, ...
#define AT_END     0.7   // ... or that ends with it while it grows
#define RUNS_AWAY  2.0   // times what the state was before the step, and is by two
#define OVER       10.0  // times the largest value: halves that are larger say nothing of the motion
#define NOTEWORTHY 1.5   // of what counts: a motion that is not followed for some time
#define SPOILED    0.75  // of a quadrature: comes from errors of steps
#define AGREES     0.05  // of the largest value: steps to take
#define MOST_PARTS 1024

// Quadratures follow from the motion, and are judged with it; where nothing moves by itself they are all there is.
bool jsolve_resolution_init(jsolve_resolution* r, jarena* a, const jsolve_system* sys) {
  *r = (jsolve_resolution){.step = INFINITY,
                           .n = sys->nw > 0 ? sys->nq + sys->nv + sys->nw : sys->n};
  r->largest = JARENA_ARRAY(a, sys->n, double);
  r->wrong = JARENA_ARRAY(a, sys->n, double);
  r->least = JARENA_ARRAY(a, sys->n, double);
  r->two = JARENA_ARRAY(a, sys->n, double);
  r->now = JARENA_ARRAY(a, sys->n, double);
  r->next = JARENA_ARRAY(a, sys->n, double);
  for (int i = 0; r->least && i < sys->n; i++)
    r->least[i] = JSOLVE_SMALLEST * (sys->error_scale ? sys->error_scale[i] : 1);
  return r->largest && r->wrong && r->least && r->two && r->now && r->next;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

bool jsolve_resolution_suspects(jsolve_resolution* r, const jsolve_run* run, const double* f0,
                                const double* f1) {
  const double *y0 = run->y, *y1 = run->y_new, *least = r->least, h = run->t_new - run->t;
  double* largest = r->largest;
  int n = 0;
  for (int i = 0; i < run->sys->n; i++)
    largest[i] = larger(largest[i], larger(fabs(y0[i]), fabs(y1[i])));
  for (int i = 0; i < r->n; i++) {
    double off = y1[i] - y0[i] - 0.5 * h * (f0[i] + f1[i]);
    n += !(fabs(off) <= JSOLVE_SUSPECT * (largest[i] + least[i]));
  }
  return n > 0;
}

static void forget(jsolve_resolution* r, const jsolve_run* run) {
  if (!r->has_wrong) return;
  double keep = jm_pow(JSOLVE_MEMORY, fmin(1, (run->t_new - run->t) / run->opt->step));
  for (int i = 0; i < r->n; i++)
    r->wrong[i] *= keep;
}

// The longest steps, half of half ..., that hardly change the end of this one when they are halved.
static double step_to_take(jsolve_resolution* r, jsolve_run* run, const jsolve_parts* parts) {
  double h = run->t_new - run->t, *now = r->now, *next = r->next;
  memcpy(now, r->two, (size_t)run->sys->n * sizeof *now);
  for (int n = 4; n <= MOST_PARTS; n *= 2) {
    if (parts->take(parts->user, run, n, next) < 0) continue;
    bool agrees = true;
    for (int i = 0; i < r->n; i++) {
      double scale = larger(fabs(run->y[i]), fabs(next[i])) + r->least[i];
      agrees = agrees && fabs(next[i] - now[i]) <= AGREES * scale;
    }
    if (agrees) return h / n;
    double* last = now;
    now = next;
    next = last;
  }
  return h / MOST_PARTS;
}

static jo_status fail(const jsolve_resolution* r, jsolve_run* run, int worst) {
  char label[JSOLVE_LABEL];
  return jerr_set(
      run->ctx, JO_ERR_CONVERGENCE,
      "integration: %s with steps of %g s does not resolve the motion at t = %.9g%s: %s "
      "changes by as much "
      "as its own size (%.2g) where steps are halved; take steps below %.1e s, or an "
      "adaptive method",
      jsolve_method_name(run->opt->method), run->opt->step, run->t_new,
      jsolve_has_ended(run) ? ", where its condition ends the run" : "",
      jsolve_label(run->sys->state_name, "state", worst, label), r->largest[worst], r->step);
}

// Adds what the step in two parts shows.
static void add(jsolve_resolution* r, const jsolve_run* run) {
  double most = JSOLVE_BAD;
  for (int i = 0; i < run->sys->n; i++) {
    double off = fabs(run->y_new[i] - r->two[i]), two = fabs(r->two[i]);
    double scale = larger(r->largest[i], two) + r->least[i];
    if (i >= r->n) {
      r->wrong[i] += off;
      continue;
    }
    double part = isfinite(off / scale) ? off / scale : MOST;
    if (!(part <= JSOLVE_BAD)) r->wrong[i] += part;
    if (!(part <= most)) {
      most = part;
      r->bad = i + 1;
    }
    if (two > r->largest[i]) r->largest[i] = fmin(two, OVER * r->largest[i]);
  }
  r->has_wrong = true;
}

// The state that is wrong by most, of those that are by more than `most`; -1: none.
static int find_wrong(const jsolve_resolution* r, double most) {
  int worst = -1;
  for (int i = 0; i < r->n; i++) {
    if (!(r->wrong[i] > most)) continue;
    most = r->wrong[i];
    worst = i;
  }
  return worst;
}

// The same where a run ends with a step that makes most of the state.
static int find_runaway(const jsolve_resolution* r, const jsolve_run* run) {
  for (int i = 0; i < r->n; i++) {
    double before = larger(fabs(run->y[i]), fabs(r->two[i])), end = fabs(run->y_new[i]);
    if (r->wrong[i] > AT_END && end >= r->largest[i] && end > RUNS_AWAY * before) return i;
  }
  return -1;
}

// Stages of a bad step may be far from the motion, and all of a quadrature comes from one of them.
static int find_spoiled(const jsolve_resolution* r, const jsolve_run* run) {
  for (int i = r->n; i < run->sys->n; i++) {
    if (r->wrong[i] > SPOILED * (r->largest[i] + r->least[i])) return i;
  }
  return -1;
}

// How bad it has been, for those who may warn, and which steps would do.
static void note(jsolve_resolution* r, jsolve_run* run, const jsolve_parts* parts, bool is_event) {
  int worst = find_wrong(r, AT_END);
  r->step = fmin(r->step, 0.5 * (run->t_new - run->t));
  if (worst < 0 && !(is_event && r->bad)) return;
  r->step = fmin(r->step, step_to_take(r, run, parts));
  if (worst < 0 || !(r->wrong[worst] > NOTEWORTHY)) return;
  if (run->stats.unresolved == 0) run->stats.unresolved = worst + 1;
  run->stats.resolving = r->step;
}

jo_status jsolve_resolution_judge(jsolve_resolution* r, jsolve_run* run,
                                  const jsolve_suspicion* found, const jsolve_parts* parts) {
  bool is_end = run->opt->is_whole && run->t_new >= run->t_end;
  forget(r, run);
  r->bad = 0;
  bool is_known = found->is_suspect && parts->take(parts->user, run, 2, r->two) >= 0;
  if (is_known) {
    add(r, run);
    note(r, run, parts, found->is_event);
  }
  if (!r->has_wrong) return JO_OK;
  int worst = find_wrong(r, is_end && found->grows ? AT_END : MOST);
  if (worst < 0 && is_end && is_known) worst = find_runaway(r, run);
  if (worst < 0 && is_end) worst = find_spoiled(r, run);
  return worst < 0 ? JO_OK : fail(r, run, worst);
}

jo_status jsolve_resolution_judge_event(jsolve_resolution* r, jsolve_run* run) {
  if (!r->bad) return JO_OK;
  if (jsolve_has_ended(run)) return fail(r, run, r->bad - 1);
  if (run->stats.unresolved == 0) run->stats.unresolved = r->bad;
  run->stats.resolving = r->step;
  return JO_OK;
}
