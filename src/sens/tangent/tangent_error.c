// SPDX-License-Identifier: Apache-2.0
// Errors of the direct method: the embedded method's error of every step, what it says of the step itself,
// and what becomes of it until the end. docs/theory/sensitivity.md eqs. (S15), (S16).
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "sens/tangent/tangent.h"

#define APART     2        // steps between two stretches that leave something out
#define MAX_TRACE 2000000  // steps and numbers whose errors are kept one by one

static bool is_too_much(const jsens_direct* d) {
  return (int64_t)d->w->nw * d->w->record->nentry > MAX_TRACE;
}

static bool allocate_traces(jsens_direct* d) {
  jsens_walk* w = d->w;
  int n = is_too_much(d) ? 1 : w->nw;
  d->trace = JARENA_ARRAY(&w->arena, n, jsens_trace);
  if (!d->trace) return false;
  d->ntrace = n;
  for (int k = 0; k < n; k++) {
    if (!jsens_trace_begin(w, true, &d->trace[k])) return false;
  }
  return true;
}

// One trace of all numbers, as if there had never been more.
static void join_traces(jsens_direct* d, int nentry) {
  jsens_trace joined = d->trace[0];
  joined.largest = 0.0;
  for (int k = 0; k < d->ntrace; k++) {
    const jsens_trace* t = &d->trace[k];
    double unit = d->unit[k];
    joined.largest = fmax(joined.largest, unit * t->largest);
    for (int i = 0; i < nentry; i++) {
      double error = unit * t->error[i], running = unit * t->running[i];
      joined.error[i] = k == 0 ? error : fmax(joined.error[i], error);
      joined.running[i] = k == 0 ? running : fmax(joined.running[i], running);
    }
  }
  for (int k = 1; k < d->ntrace; k++) {
    jsens_trace_free(d->w, &d->trace[k]);
  }
  d->trace[0] = joined;
  d->ntrace = 1;
}

bool jsens_direct_reserve(jsens_direct* d) {
  int n = d->w->record->nentry;
  if (d->ntrace > 1 && is_too_much(d)) join_traces(d, n - 1);
  for (int k = 0; k < d->ntrace; k++) {
    if (!jsens_trace_reserve(d->w, true, n + 1, &d->trace[k])) return false;
  }
  return true;
}

void jsens_direct_end_errors(jsens_direct* d) {
  for (int k = 0; k < d->ntrace; k++) {
    jsens_trace_free(d->w, &d->trace[k]);
  }
}

static bool allocate_kept(jsens_direct* d) {
  for (int q = 0; d->nprobe > 0 && d->w->tail.is_there && q < d->npack; q++) {
    for (int i = 0; i < JSENS_TAIL_STAGES; i++) {
      d->pack[q].kept[i] = jsens_direct_vector(d, d->w->ny);
      if (!d->pack[q].kept[i]) return false;
    }
  }
  return true;
}

bool jsens_direct_begin_errors(jsens_direct* d) {
  jsens_walk* w = d->w;
  d->local = JARENA_ARRAY(&w->arena, w->nw, double);
  d->push = JARENA_ARRAY(&w->arena, w->ny * d->nprobe, double);
  d->motion = JARENA_ARRAY(&w->arena, w->ny, double);
  d->summed = JARENA_ARRAY(&w->arena, w->d->nintegral * (w->nw + 1), double);
  d->turn = JARENA_ARRAY(&w->arena, w->nw, double);
  d->turned = JARENA_ARRAY(&w->arena, w->nw, double);
  d->unit = w->out->unit;
  d->stretches = JARENA_ARRAY(&w->arena, d->nprobe, jsens_stretches);
  d->last = JARENA_ARRAY(&w->arena, w->ny, double);
  d->probe = -1;
  bool ok = d->last && d->stretches && d->local && d->push && d->motion && d->summed && d->turn &&
            d->turned;
  return ok && allocate_traces(d) && allocate_kept(d);
}

// Sizes in all lanes of the states that are followed, in their scales.
static void sizes_of(const jsens_direct* d, const double* x, double* size) {
  JASSERT(d->lanes <= JSENS_MAX_LANES);
  d->w->lanes->sizes(&d->w->scales, d->lanes, x, size);
}

// What a step did to the derivative by number k.
static void note_step(jsens_direct* d, int k, int entry, double size, double error) {
  jsens_trace* t = &d->trace[d->ntrace > 1 ? k : 0];
  double unit = d->ntrace > 1 ? 1.0 : d->unit[k];
  jsens_trace_note(t, entry, unit * size, unit * error);
}

// ---- what a step leaves out ------------------------------------------------------------------------

// Slopes of the step at the nodes of its tail, one element of them.
static inline void tail_slopes(const jsens_pack* p, int n, double slope[JSENS_TAIL_NODES]) {
  for (int i = 0; i < JSENS_TAIL_STAGES; i++) {
    slope[i] = p->kept[i][n];
  }
  slope[JSENS_TAIL_STAGES] = p->dk[0][n];
}

// (S27)  where a step of length h left out more than its embedded method tells, that is the error in its stead
static void put_left_out(jsens_direct* d, jsens_pack* p, double h, double* error) {
  double squares[JSENS_TAIL_PARTS * JSENS_MAX_LANES];
  const double* const slopes[] = {p->kept[0], p->kept[1], p->kept[2], p->kept[3], p->dk[0]};
  d->w->lanes->tail(&d->w->scales, &d->w->tail, d->lanes, slopes, squares);
  for (int l = 0; l < d->lanes; l++) {
    double size[JSENS_TAIL_PARTS];
    for (int m = 0; m < JSENS_TAIL_PARTS; m++) {
      size[m] = h * sqrt(squares[m * d->lanes + l]);
    }
    double share = jsens_tail_share(&d->w->tail, size), left_out = share * size[JSENS_TAIL_THIRD];
    if (!(left_out > error[l])) continue;
    error[l] = left_out;
    d->is_blind = true;
    for (int i = 0; i < d->w->ny; i++) {
      double slope[JSENS_TAIL_NODES];
      tail_slopes(p, i * d->lanes + l, slope);
      p->error[i * d->lanes + l] = h * share * jsens_tail_sum(&d->w->tail, JSENS_TAIL_THIRD, slope);
    }
  }
}

// A pack alone changes places: its slopes are of no more use.
static void keep_slopes(const jsens_direct* d, jsens_pack* p) {
  size_t bytes = (size_t)(d->w->ny * d->lanes) * sizeof(double);
  for (int i = 0; i < JSENS_TAIL_STAGES; i++) {
    double **from = &p->dk[d->w->tail.stage[i]], *spare = p->kept[i];
    if (d->npack > 1) {
      memcpy(spare, *from, bytes);
    } else {
      p->kept[i] = *from;
      *from = spare;
    }
  }
}

// ---- what becomes of errors ------------------------------------------------------------------------

// What two errors have in common, one of them in a lane of several.
static double common(const jsens_direct* d, const double* x, const double* error, int stride) {
  return d->w->lanes->common(&d->w->scales, x, error, stride);
}

// The error of number k joins those of the others with the sign by which it does not cancel them. (S28)
static void join(jsens_direct* d, int k, const double* restrict error, double size) {
  int integrals = jgen_first(&d->w->d->layout, JGEN_INTEGRAL);
  double* push = d->push + JSENS_PROBE_S * d->w->ny;
  double weight = common(d, push, error, 1) < 0.0 ? -d->unit[k] : d->unit[k];
  d->turn[k] = weight * size;
  d->w->lanes->add(integrals, push, weight, error);
}

static bool is_probe_of_derivatives(int probe) {
  return probe != JSENS_PROBE_Y;
}

// What a stretch of steps left out goes to one probe, the one that has the least so far.
static int choose_probe(jsens_direct* d, double size) {
  bool is_new = d->probe < 0 || d->resolved > APART;
  for (int m = 0; is_new && m < d->nprobe; m++) {
    if (!is_probe_of_derivatives(m)) continue;
    if (d->probe < 0 || d->stretches[m].all < d->stretches[d->probe].all) d->probe = m;
  }
  jsens_stretches_add(&d->stretches[d->probe], size, is_new);
  d->resolved = 0;
  return d->probe;
}

// (S28)  All of them turn together, so that their signs are those of before where errors were large, and have the size of
// errors that have nothing in common.
static void settle_signs(jsens_direct* d) {
  double votes = 0.0, given = 0.0;
  bool is_next = d->probe >= 0 && d->resolved <= APART;
  double* push = d->push + JSENS_PROBE_S * d->w->ny;
  for (int k = 0; k < d->w->nw; k++) {
    votes += d->turned[k] * d->turn[k];
    given += d->turn[k] * d->turn[k];
  }
  if (!(given > 0.0)) return;
  int probe = d->w->nw + (d->is_blind ? choose_probe(d, sqrt(given)) : JSENS_PROBE_S);
  if (d->is_blind) {
    const double* lane = d->pack[probe / d->lanes].S + probe % d->lanes;
    votes = is_next ? common(d, push, d->last, 1) : common(d, push, lane, d->lanes);
  } else {
    d->resolved++;
  }
  d->is_blind = false;
  double sign = votes < 0.0 ? -1.0 : 1.0;
  for (int k = 0; k < d->w->nw; k++) {
    d->turned[k] += sign * d->turn[k];
    d->turn[k] = 0.0;
  }
  double sum = 0.0;
  for (int i = 0; i < d->w->ny; i++) {
    double nominal = d->w->d->layout.nominal[i];
    if (d->w->d->layout.is_followed[i]) sum += push[i] * push[i] / (nominal * nominal);
  }
  double factor = sum > given ? sign * sqrt(given / sum) : sign;
  double* to = d->push + (probe - d->w->nw) * d->w->ny;
  for (int i = 0; i < d->w->ny; i++) {
    double x = factor * push[i];
    push[i] = 0.0;
    to[i] += x;
    if (d->resolved == 0) d->last[i] = x;
  }
}

// (S15)  the local error of a step: what it says of the step itself, and what the probes carry on
static void account(jsens_direct* d, int q, int entry, bool has_tail) {
  jsens_walk* w = d->w;
  jsens_pack* p = &d->pack[q];
  double* column = d->column;
  int integrals = jgen_first(&w->d->layout, JGEN_INTEGRAL);
  double size[JSENS_MAX_LANES], error[JSENS_MAX_LANES], embedded[JSENS_MAX_LANES];
  sizes_of(d, p->error, error);
  memcpy(embedded, error, sizeof error);
  if (entry >= 0) sizes_of(d, p->S, size);
  if (has_tail) put_left_out(d, p, jsens_record_length(w->record, entry), error);
  for (int l = 0; l < d->lanes && q * d->lanes + l < w->nw; l++) {
    int k = q * d->lanes + l;
    if (w->sens->why[k]) continue;
    if (entry >= 0) note_step(d, k, entry, size[l], embedded[l]);
    d->local[k] += error[l];
    for (int i = 0; i < w->ny; i++) {
      column[i] = p->error[i * d->lanes + l];
    }
    join(d, k, column, error[l]);
    for (int o = 0; o < w->d->nintegral; o++) {
      d->summed[o * (w->nw + 1) + k] += p->error[(integrals + o) * d->lanes + l];
    }
  }
}

void jsens_direct_account(jsens_direct* d, int q, int entry) {
  account(d, q, entry, false);
}

// Integrals of objectives are added up by size: their errors and those of the states they integrate tend
// to cancel in the embedded method's estimate, more than they do in truth.
static void sum_integrals(jsens_direct* d) {
  const jgen_dynamics* m = d->w->d;
  double* error = d->push + JSENS_PROBE_Y * d->w->ny + jgen_first(&m->layout, JGEN_INTEGRAL);
  for (int o = 0; o < m->nintegral; o++) {
    d->summed[o * (d->w->nw + 1) + d->w->nw] += error[o];
    error[o] = 0.0;
  }
}

void jsens_direct_end_stretch(jsens_direct* d) {
  d->resolved = APART + 1;
}

// What was accounted for goes to the probes.
void jsens_direct_push(jsens_direct* d) {
  jsens_walk* w = d->w;
  settle_signs(d);
  if (d->nprobe > JSENS_PROBE_Y) sum_integrals(d);
  for (int m = 0; m < d->nprobe; m++) {
    int j = w->nw + m, lanes = d->lanes;
    double *S = d->pack[j / lanes].S + j % lanes, *push = d->push + m * w->ny;
    for (int i = 0; i < w->ny; i++) {
      if (push[i] == 0.0) continue;  // most probes get nothing
      S[i * lanes] += push[i];
      push[i] = 0.0;
    }
  }
}

// The slope at the end of the last step is the first one of this step.
void jsens_direct_complete(jsens_direct* d, int q) {
  jsens_pack* p = &d->pack[q];
  for (int i = 0; q == 0 && i < d->w->ny; i++) {
    d->push[JSENS_PROBE_Y * d->w->ny + i] += d->open_weight * d->ydot[i * d->lanes];
  }
  d->w->lanes->add(d->w->ny * d->lanes, p->error, d->open_weight, p->dk[0]);
  account(d, q, d->open, d->w->tail.is_there);
}

// No step follows that begins where the last one ended: evaluate its last slope.
void jsens_direct_settle(jsens_direct* d) {
  jsens_walk* w = d->w;
  if (d->open < 0) return;
  double t1 = w->record->time[d->open];
  jsens_walk_set_epoch(w, jsens_record_epoch(w->record, d->open));
  for (int q = 0; q < d->npack; q++) {
    jsens_pack* p = &d->pack[q];
    jsens_point at = {.t = t1, .y = d->y, .dy = p->S, .dp = p->dp};
    jsens_walk_tangent(w, JGEN_FN_RHS, &at, (double* const[]){d->ydot, p->dk[0]});
    jsens_direct_complete(d, q);
  }
  jsens_direct_push(d);
  d->open = -1;
}

jsolve_combination jsens_direct_own_error(const jsolve_scheme* s) {
  jsolve_combination part = s->e;
  if (part.n > 0 && part.index[part.n - 1] == s->tab->stages) part.n--;
  return part;
}

// h sum e_i dk_i without the last slope, which the next step begins with.
void jsens_direct_open(jsens_direct* d, int q, const jsens_entry* e, bool has_error) {
  const jsolve_scheme* s = jsens_walk_scheme(d->w, e);
  const jsens_lanes* lanes = d->w->lanes;
  jsens_pack* p = &d->pack[q];
  jsolve_combination part = jsens_direct_own_error(s);
  double h = e->t1 - e->t;
  if (!has_error) lanes->combine(d->w->ny * d->lanes, d->zero, h, &part, p->dk, p->error);
  if (q == 0) lanes->combine(d->w->ny, d->zero, h, &part, d->w->k, d->motion);
  if (d->w->tail.is_there) keep_slopes(d, p);
}

// What the probe found, against what it was given: how errors of steps add up to an error of an
// objective's derivative. (S16)
double jsens_direct_amplification(const jsens_direct* d, const double* carried) {
  double given = 0.0, found = 0.0;
  for (int m = 0; m < d->nprobe; m++) {
    if (is_probe_of_derivatives(m))
      found += jsens_stretches_doubt(&d->stretches[m]) * fabs(carried[m]);
  }
  for (int k = 0; k < d->w->nw; k++) {
    double own = d->unit[k] * d->local[k];
    given += own * own;
  }
  return given > 0.0 ? found / sqrt(given) : 0.0;
}
