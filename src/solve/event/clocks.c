// SPDX-License-Identifier: Apache-2.0
#include "solve/event/clocks.h"

#include "solve/constants.h"

#include <math.h>
#include <string.h>

#define MOST_PIECES 5000  // of a step: it is cut behind them
#define MOST_WORK   2e6   // pieces without an event
#define MOST_OPEN   64    // of a step, where bounds are an aid to looks
#define AHEAD       64.0  // steps that are proved to hold nothing together
#define STAY_PIECES 64    // in which a margin is shown to stay crossed
#define SAFE        1e-9  // of a rate: a bound that is so much less may have another sign

bool jsolve_clocks_init(jsolve_clocks* c, jarena* a, const jsolve_system* sys) {
  const jsolve_enclosure* e = sys->enclosure;
  *c = (jsolve_clocks){.until = -INFINITY};
  if (!e) return true;
  bool* is_time_only = JARENA_ARRAY(a, sys->nswitch, bool);
  c->cap = e->n;
  c->range = JARENA_ARRAY(a, e->n, jsolve_range);
  c->point = JARENA_ARRAY(a, e->n, jsolve_range);
  if (!is_time_only || !c->range || !c->point) return false;
  c->e = e;
  for (int i = 0; i < e->nwatch; i++) {
    is_time_only[e->which[i]] = !e->has_states[i];
    c->has_states = c->has_states || e->has_states[i];
  }
  c->is_time_only = is_time_only;
  if (!c->has_states) return true;
  c->state = JARENA_ARRAY(a, sys->n, jsolve_range);
  c->y = JARENA_ARRAY(a, 6 * (size_t)sys->n, double);
  return c->state && c->y;
}

// Other coordinates have programs of their own, of the same switches.
bool jsolve_clocks_again(jsolve_clocks* c, jarena* a, const jsolve_system* sys) {
  const jsolve_enclosure* e = sys->enclosure;
  bool fits = e && c->e && e->n <= c->cap && e->nwatch == c->e->nwatch;
  for (int i = 0; fits && i < e->nwatch; i++)
    fits = e->which[i] == c->e->which[i] && e->has_states[i] == c->e->has_states[i];
  if (!fits && (e || c->e)) return jsolve_clocks_init(c, a, sys);
  c->e = e;
  jsolve_clocks_begin(c);
  return true;
}

void jsolve_clocks_begin(jsolve_clocks* c) {
  c->until = -INFINITY;
  c->work = 0;
}

// ---- bounds ----------------------------------------------------------------------------------------

// Bounds of what a parabola through three values takes between the first and the last, and half as much beyond.
static void bound_parabola(double a, double b, double c, double* lo, double* hi) {
  double bend = fabs(a - 2 * b + c), size = fmax(fabs(a), fmax(fabs(b), fabs(c)));
  double room = bend + 1e-14 * size;
  *lo = fmin(a, fmin(b, c)) - room;
  *hi = fmax(a, fmax(b, c)) + room;
}

// Ranges of the states over a piece, by the dense output: smooth there, as the step resolves it.
static void bound_states(jsolve_clocks* c, jsolve_run* run, double t0, double t1) {
  const jsolve_dense* dense = run->stepper->dense;
  int n = run->sys->n;
  double* y[3] = {c->y, c->y + n, c->y + 2 * n};
  double* ydot[3] = {c->y + 3 * n, c->y + 4 * n, c->y + 5 * n};
  for (int j = 0; j < 3; j++) {
    double t = j == 0 ? t0 : j == 1 ? t0 + 0.5 * (t1 - t0) : t1;
    dense->eval(dense, t, y[j]);
    jsolve_hold(run->sys, run->y, y[j]);
    dense->slope(dense, t, ydot[j]);
  }
  for (int i = 0; i < n; i++) {
    jsolve_range* r = &c->state[i];
    bound_parabola(y[0][i], y[1][i], y[2][i], &r->lo, &r->hi);
    bound_parabola(ydot[0][i], ydot[1][i], ydot[2][i], &r->rate_lo, &r->rate_hi);
  }
  for (int j = 0; j < run->sys->nconstant; j++) {
    double x = run->y[run->sys->constant[j]];
    c->state[run->sys->constant[j]] = (jsolve_range){x, x, 0.0, 0.0};
  }
}

static void enclose(jsolve_clocks* c, jsolve_run* run, double t0, double t1, bool with_states,
                    jsolve_range* out) {
  jsolve_enclose_inputs in = {.p = run->sys->p, .mode = run->sys->mode, .y = run->y};
  if (with_states) {
    bound_states(c, run, t0, t1);
    in.state = c->state;
  }
  jsolve_enclose(c->e, &in, t0, t1, out);
}

// The margin of the i-th switch that is watched.
static jsolve_range margin(const jsolve_events* ev, const jsolve_run* run, const jsolve_range* r,
                           int i) {
  int k = ev->clocks.e->which[i];
  double off = ev->hysteresis[k];
  jsolve_range g = r[ev->clocks.e->value[i]];
  if (run->sys->mode[k] > 0.5) return (jsolve_range){g.lo + off, g.hi + off, g.rate_lo, g.rate_hi};
  return (jsolve_range){-g.hi + off, -g.lo + off, -g.rate_hi, -g.rate_lo};
}

// ---- whole parts -----------------------------------------------------------------------------------

static bool is_odd(double x) {
  return x - 2 * floor(0.5 * x) != 0;
}

// Whether the whole part of all values is the one of the mode, or next to it by less than the floor of the margin, which is
// v (1 - v)/(8 + |k|) at k + v (docs/theory/discrete.md eq. (E11)).
static bool is_in_cell(const jsolve_range* u, double mode, double floor_of) {
  double first = floor(u->lo), last = floor(u->hi), room = floor_of * (8 + fabs(last));
  bool wanted = mode > 0.5;
  if (first == last) return is_odd(first) == wanted;
  if (last - first != 1) return false;
  return is_odd(first) == wanted ? u->hi - last < room : last - u->lo < room;
}

// Whether the whole part of all values is another, by more than that.
static bool is_beyond(const jsolve_range* u, double mode, double floor_of) {
  double cell = floor(u->lo), room = floor_of * (8 + fabs(cell));
  if (cell != floor(u->hi) || is_odd(cell) == (mode > 0.5)) return false;
  return u->lo - cell > room && cell + 1 - u->hi > room;
}

// ---- pieces ----------------------------------------------------------------------------------------

typedef struct piece {
  jsolve_events* ev;
  jsolve_run* run;
  double t0, t1;
  bool with_states;
  int at;  // instants of which the values are in `point`: 0 none, 1 the middle, 2 the end
} piece;

// All values in the middle of a piece, or at its end.
static const jsolve_range* values_at(piece* p, int at) {
  jsolve_clocks* c = &p->ev->clocks;
  double t = at == 1 ? p->t0 + 0.5 * (p->t1 - p->t0) : p->t1;
  if (p->at != at) enclose(c, p->run, t, t, p->with_states, c->point);
  p->at = at;
  return c->point;
}

static jsolve_range margin_at(piece* p, int at, int i) {
  return margin(p->ev, p->run, values_at(p, at), i);
}

// Whether the i-th switch has crossed at the end of a piece.
static bool has_crossed(piece* p, int i) {
  const jsolve_enclosure* e = p->ev->clocks.e;
  int k = e->which[i];
  if (!e->is_whole[i]) return margin_at(p, 2, i).hi <= 0;
  return is_beyond(&values_at(p, 2)[e->value[i]], p->run->sys->mode[k], p->ev->floor[k]);
}

typedef enum verdict { CLEAR, CROSSES, OPEN } verdict;

// What a margin that was not crossed at the beginning of a piece does in it. An excursion that stays above minus its floor is
// rounding.
static verdict judge_one(piece* p, int i) {
  const jsolve_range s = margin(p->ev, p->run, p->ev->clocks.range, i);
  double least = -p->ev->floor[p->ev->clocks.e->which[i]];
  if (s.lo > least) return CLEAR;
  double fastest = fmax(fabs(s.rate_lo), fabs(s.rate_hi));
  if (!isfinite(fastest)) return OPEN;
  if (s.rate_lo > SAFE * fastest) return CLEAR;
  if (s.rate_hi < -SAFE * fastest) {
    jsolve_range end = margin_at(p, 2, i);
    return end.lo > 0 ? CLEAR : end.hi <= 0 ? CROSSES : OPEN;
  }
  jsolve_range middle = margin_at(p, 1, i);
  return middle.lo - 0.5 * (p->t1 - p->t0) * fastest > least ? CLEAR : OPEN;
}

// The same of a whole part. It changes once where the value passes one whole number and grows or falls throughout.
static verdict judge_whole(piece* p, int i) {
  const jsolve_enclosure* e = p->ev->clocks.e;
  int k = e->which[i];
  double mode = p->run->sys->mode[k], least = p->ev->floor[k];
  jsolve_range u = p->ev->clocks.range[e->value[i]];
  double fastest = fmax(fabs(u.rate_lo), fabs(u.rate_hi)), h = p->t1 - p->t0;
  if (is_in_cell(&u, mode, least)) return CLEAR;
  if (!isfinite(fastest) || floor(u.hi) - floor(u.lo) > 1) return OPEN;
  bool grows = u.rate_lo > SAFE * fastest, falls = u.rate_hi < -SAFE * fastest;
  if (grows || falls) {
    const jsolve_range* end = &values_at(p, 2)[e->value[i]];
    bool begins = is_odd(floor(grows ? u.lo : u.hi)) == (mode > 0.5);
    if (begins && is_in_cell(end, mode, least)) return CLEAR;
    // a beginning just beyond the cell may be one that was let pass: then all of the piece is in the next one
    bool is_one = begins || floor(u.lo) == floor(u.hi);
    return is_one && is_beyond(end, mode, least) ? CROSSES : OPEN;
  }
  const jsolve_range* middle = &values_at(p, 1)[e->value[i]];
  u.lo = fmax(u.lo, middle->lo - 0.5 * h * fastest);
  u.hi = fmin(u.hi, middle->hi + 0.5 * h * fastest);
  return is_in_cell(&u, mode, least) ? CLEAR : OPEN;
}

// All margins that are watched; *which: the first that crosses, or cannot be decided.
static verdict judge(piece* p, int* which) {
  jsolve_clocks* c = &p->ev->clocks;
  verdict all = CLEAR;
  c->work++;
  enclose(c, p->run, p->t0, p->t1, p->with_states, c->range);
  p->at = 0;
  for (int i = 0; i < c->e->nwatch && all != OPEN; i++) {
    if (c->e->has_states[i] && !p->with_states) continue;
    verdict one = c->e->is_whole[i] ? judge_whole(p, i) : judge_one(p, i);
    if (one == OPEN && c->e->is_aid && c->e->is_aid[i] && c->open++ >= MOST_OPEN) one = CLEAR;
    if (one == CLEAR) continue;
    if (one == OPEN || all == CLEAR) *which = i;
    all = one;
  }
  return all;
}

// A piece as short as events are located: what its end says.
static verdict judge_end(piece* p, int* which) {
  const jsolve_enclosure* e = p->ev->clocks.e;
  for (int i = 0; i < e->nwatch; i++) {
    if (e->has_states[i] && !p->with_states) continue;
    *which = i;
    if (has_crossed(p, i)) return CROSSES;
  }
  return CLEAR;
}

// ---- steps -----------------------------------------------------------------------------------------

static jo_status fail(jsolve_run* run, const jsolve_clocks* c, int k, double t) {
  char label[JSOLVE_LABEL];
  return jerr_set(
      run->ctx, JO_ERR_LIMIT,
      "integration: cannot decide when %s changes after t = %.9g s: %.0g parts of the time "
      "behind it do not show whether it does (it changes very often without an event, or "
      "stays close to its limit); write the condition with fewer terms or a lower "
      "frequency, or end the run before (t_end)",
      jsolve_label(run->sys->switch_name, "switch", k, label), t, c->work);
}

// Whether a long time from t on is known to hold no event of conditions of time alone, or is proved to do so at once.
static bool is_clear_ahead(jsolve_events* ev, jsolve_run* run, double t, double to) {
  jsolve_clocks* c = &ev->clocks;
  if (to <= c->until) return true;
  int which;
  double far = fmin(fmax(to, t + AHEAD * (to - t)), fmax(run->t_end, to));
  piece p = {ev, run, t, far, false, 0};
  if (judge(&p, &which) == CLEAR) c->until = far;
  return to <= c->until;
}

jo_status jsolve_clocks_find(jsolve_events* ev, jsolve_run* run, double from, double to,
                             jsolve_clocks_finding* f) {
  jsolve_clocks* c = &ev->clocks;
  *f = (jsolve_clocks_finding){JSOLVE_CLOCKS_NONE, to, -1};
  bool is_clear = is_clear_ahead(ev, run, from, to);
  if (is_clear && !c->has_states) return JO_OK;
  double t = from, width = to - from;
  int which = 0;
  c->open = 0;
  for (int n = 0; t < to; n++) {
    double end = t + width < to ? t + width : to;
    piece p = {ev, run, t, end, c->has_states, 0};
    verdict v = judge(&p, &which);
    double middle = t + 0.5 * (end - t);
    bool is_short =
        end - t <= JSOLVE_TIME_TOLERANCE * fmax(1, fabs(end)) || !(middle > t && middle < end);
    if (v == OPEN && is_short) v = judge_end(&p, &which);
    f->t = end;
    f->which = c->e->which[which];
    if (v == CROSSES) {
      f->kind = JSOLVE_CLOCKS_EVENT;
      return JO_OK;
    }
    if (v == CLEAR) {
      t = end;
      width *= 2;
      continue;
    }
    width = 0.5 * (end - t);
    if (c->work > MOST_WORK) return fail(run, c, f->which, t);
    if (n < MOST_PIECES || t == from) continue;
    f->kind = JSOLVE_CLOCKS_LONG;
    f->t = t;
    return JO_OK;
  }
  f->t = to;
  return JO_OK;
}

static int watched(const jsolve_clocks* c, int k) {
  int i = 0;
  while (c->e->which[i] != k)
    i++;
  return i;
}

bool jsolve_clocks_stays(jsolve_events* ev, jsolve_run* run, const jsolve_clocks_finding* f,
                         double t) {
  jsolve_clocks* c = &ev->clocks;
  int i = watched(c, f->which);
  if (c->e->is_aid && c->e->is_aid[i]) return true;  // looks have found it, too
  bool with_states = c->e->has_states[i];
  double from = f->t, width = t - from;
  for (int n = 0; from < t && n < STAY_PIECES; n++) {
    double end = from + width < t ? from + width : t;
    enclose(c, run, from, end, with_states, c->range);
    const jsolve_range* u = &c->range[c->e->value[i]];
    bool is_crossed = c->e->is_whole[i] ? is_beyond(u, run->sys->mode[f->which], 0)
                                        : margin(ev, run, c->range, i).hi <= 0;
    from = is_crossed ? end : from;
    width = is_crossed ? width : 0.5 * (end - from);
  }
  return from >= t;
}
