// SPDX-License-Identifier: Apache-2.0
// Errors of the direct method: the embedded method's error of every step, what it says of the step itself,
// and what becomes of it until the end. docs/theory/sensitivity.md eqs. (S15), (S16).
#include <assert.h>
#include <math.h>
#include <string.h>

#include "sens/tangent.h"

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

static bool allocate_nodes(jsens_direct* d) {
  jsens_walk* w = d->w;
  bool ok = jsens_nodes_begin(&w->arena, w->ny, &d->motion_nodes);
  for (int q = 0; ok && q < d->npack; q++) {
    jsens_pack* p = &d->pack[q];
    p->held = jsens_direct_vector(d, w->ny);
    p->sharp = jsens_direct_vector(d, w->ny);
    ok = p->held && p->sharp && jsens_nodes_begin(&w->arena, w->ny * d->lanes, &p->nodes);
  }
  return ok;
}

static bool allocate_groups(jsens_direct* d) {
  d->group = JARENA_ARRAY(&d->w->arena, d->ngroup, jsens_group);
  for (int g = 0; d->group && g < d->ngroup; g++) {
    d->group[g] = (jsens_group){.resolved = APART + 1};
    d->group[g].last = JARENA_ARRAY(&d->w->arena, d->w->ny, double);
    if (!d->group[g].last) return false;
  }
  return d->group;
}

bool jsens_direct_begin_errors(jsens_direct* d) {
  jsens_walk* w = d->w;
  d->unit = w->out->unit;
  d->bent = w->opt->t_start;
  if (d->nprobe == 0) return true;
  d->local = JARENA_ARRAY(&w->arena, w->nw, double);
  d->push = JARENA_ARRAY(&w->arena, w->ny * d->nprobe, double);
  double** of_motion[] = {&d->motion, &d->motion_held, &d->motion_sharp};
  for (size_t i = 0; i < sizeof of_motion / sizeof *of_motion; i++) {
    *of_motion[i] = JARENA_ARRAY(&w->arena, w->ny, double);
    if (!*of_motion[i]) return false;
  }
  d->turn = JARENA_ARRAY(&w->arena, w->nw, double);
  d->turned = JARENA_ARRAY(&w->arena, w->nw, double);
  d->by_nodes = JARENA_ARRAY(&w->arena, w->nw, bool);
  bool ok = d->by_nodes && d->local && d->push && d->turn && d->turned;
  return ok && allocate_groups(d) && allocate_nodes(d) && allocate_traces(d) && allocate_kept(d);
}

// Sizes in all lanes of the states that are followed, in their scales.
static void sizes_of(const jsens_direct* d, const double* x, double* size) {
  assert(d->lanes <= JSENS_MAX_LANES);
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
static void put_left_out(jsens_direct* d, int q, double h, double* error) {
  jsens_pack* p = &d->pack[q];
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
    if (q * d->lanes + l < d->w->nw) d->group[(q * d->lanes + l) % d->ngroup].is_blind = true;
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

static double* push_of(const jsens_direct* d, int k) {
  return d->push + (JSENS_PROBE_S + k % d->ngroup) * d->w->ny;
}

// The error of number k, in lane l, joins those of its group with the sign by which it does not cancel them. (S28)
static void join(jsens_direct* d, int k, const double* error, int l, double size) {
  double* push = push_of(d, k);
  bool is_alone = d->ngroup == d->w->nw;
  double weight =
      !is_alone && common(d, push, error + l, d->lanes) < 0.0 ? -d->unit[k] : d->unit[k];
  d->turn[k] += weight * size;
  for (int i = 0; i < d->w->ny; i++) {
    push[i] += weight * error[i * d->lanes + l];
  }
}

// (S28)  All of a group turn together, so that their signs are those of before where errors were large, and have the size of
// errors that have nothing in common.
static void settle_signs(jsens_direct* d, int g) {
  jsens_group* group = &d->group[g];
  int probe = d->w->nw + JSENS_PROBE_S + g;
  double votes = 0.0, given = 0.0, *push = push_of(d, g);
  for (int k = g; k < d->w->nw; k += d->ngroup) {
    votes += d->turned[k] * d->turn[k];
    given += d->turn[k] * d->turn[k];
  }
  if (!(given > 0.0)) return;
  if (group->is_blind) {
    bool is_new = group->resolved > APART;
    const double* lane = d->pack[probe / d->lanes].S + probe % d->lanes;
    votes = is_new ? common(d, push, lane, d->lanes) : common(d, push, group->last, 1);
    jsens_stretches_add(&group->stretches, sqrt(given), is_new);
    group->resolved = 0;
  } else {
    group->resolved++;
  }
  group->is_blind = false;
  double sign = votes < 0.0 ? -1.0 : 1.0, sum = 0.0;
  for (int k = g; k < d->w->nw; k += d->ngroup) {
    d->turned[k] += sign * d->turn[k];
    d->turn[k] = 0.0;
  }
  d->w->lanes->sizes(&d->w->scales, 1, push, &sum);
  double factor = sum * sum > given ? sign * sqrt(given) / sum : sign;
  for (int i = 0; i < d->w->ny; i++) {
    push[i] *= factor;
    if (group->resolved == 0) group->last[i] = push[i];
  }
}

// What stands in the errors of pack q, whose sizes are these, goes to the probes.
static void add_errors(jsens_direct* d, int q, const double* size) {
  jsens_walk* w = d->w;
  const jsens_pack* p = &d->pack[q];
  for (int l = 0; l < d->lanes && q * d->lanes + l < w->nw; l++) {
    int k = q * d->lanes + l;
    if (w->sens->why[k]) continue;
    d->local[k] += size[l];
    join(d, k, p->error, l, size[l]);
  }
}

void jsens_direct_account(jsens_direct* d, int q, int entry) {
  double size[JSENS_MAX_LANES], error[JSENS_MAX_LANES];
  sizes_of(d, d->pack[q].error, error);
  if (entry >= 0) sizes_of(d, d->pack[q].S, size);
  for (int l = 0; entry >= 0 && l < d->lanes && q * d->lanes + l < d->w->nw; l++) {
    int k = q * d->lanes + l;
    if (!d->w->sens->why[k]) note_step(d, k, entry, size[l], error[l]);
  }
  add_errors(d, q, error);
}

// ---- the local error of steps, by the nodes around them ------------------------------------------

// Nodes tell more than the embedded method where stiff states keep explicit steps at their limit of stability: polynomials do not
// follow them there, and the smaller of both errors counts.

// Of `steps` steps the error of a lane by nodes, in place of what stands there.
static void put_sharp(const jsens_direct* d, jsens_pack* p, int l, int steps, double* size) {
  *size *= steps;
  for (int i = l; i < d->w->ny * d->lanes; i += d->lanes) {
    p->error[i] = steps * p->sharp[i];
  }
}

// No error yet, it is held back until there are nodes enough.
static void hold(const jsens_direct* d, jsens_pack* p, int l, double* size) {
  *size = 0.0;
  for (int i = l; i < d->w->ny * d->lanes; i += d->lanes) {
    p->held[i] += p->error[i];
    p->error[i] = 0.0;
  }
}

// What was held back of the steps before joins the error after all; its size.
static double release(const jsens_direct* d, jsens_pack* p, int l) {
  double size[JSENS_MAX_LANES];
  sizes_of(d, p->held, size);
  for (int i = l; i < d->w->ny * d->lanes; i += d->lanes) {
    p->error[i] += p->held[i];
  }
  return size[l];
}

// (S15), (S39)  the local error of a step: what it says of the step itself, and what the probes carry on
static void account_step(jsens_direct* d, int q, int entry) {
  jsens_walk* w = d->w;
  jsens_pack* p = &d->pack[q];
  double size[JSENS_MAX_LANES], error[JSENS_MAX_LANES], embedded[JSENS_MAX_LANES];
  double sharp[JSENS_MAX_LANES];
  int steps = jsens_nodes_steps(&p->nodes);
  sizes_of(d, p->S, size);
  sizes_of(d, p->error, embedded);
  memcpy(error, embedded, sizeof error);
  if (w->tail.is_there && steps == 0)
    put_left_out(d, q, jsens_record_length(w->record, entry), error);
  if (steps > 0) jsens_nodes_error(&p->nodes, w->lanes, p->sharp);
  if (steps > 0) sizes_of(d, p->sharp, sharp);
  for (int l = 0; l < d->lanes && q * d->lanes + l < w->nw; l++) {
    int k = q * d->lanes + l;
    if (!w->sens->why[k]) note_step(d, k, entry, size[l], embedded[l]);
    if (error[l] > embedded[l]) continue;  // it was left out
    d->by_nodes[k] = steps > 0 && !(d->is_stiff && sharp[l] > embedded[l]);
    if (d->by_nodes[k]) {
      error[l] = sharp[l];
      put_sharp(d, p, l, steps, &error[l]);
    } else if (steps == 0) {
      hold(d, p, l, &error[l]);
    } else if (steps > 1) {
      error[l] += release(d, p, l);
    }
  }
  add_errors(d, q, error);
}

// The last steps of a stretch.
static void account_rest(jsens_direct* d, int q) {
  jsens_walk* w = d->w;
  jsens_pack* p = &d->pack[q];
  double error[JSENS_MAX_LANES];
  int steps = jsens_nodes_steps_left(&p->nodes);
  if (steps > 0 && jsens_nodes_error(&p->nodes, w->lanes, p->sharp)) {
    sizes_of(d, p->sharp, error);
    for (int l = 0; l < d->lanes && q * d->lanes + l < w->nw; l++) {
      bool is_few = p->nodes.count < JSENS_NODES;
      put_sharp(d, p, l, is_few || d->by_nodes[q * d->lanes + l] ? steps : 0, &error[l]);
    }
  } else {
    memcpy(p->error, p->held, (size_t)(w->ny * d->lanes) * sizeof *p->error);
    sizes_of(d, p->error, error);
  }
  add_errors(d, q, error);
  memset(p->held, 0, (size_t)(w->ny * d->lanes) * sizeof *p->held);
  jsens_nodes_restart(&p->nodes);
}

// The same of the motion, whose error by the embedded method is in its push.
static void account_motion(jsens_direct* d, int steps) {
  jsens_walk* w = d->w;
  double *push = d->push + JSENS_PROBE_Y * w->ny, embedded, sharp;
  if (steps == 0 || !jsens_nodes_error(&d->motion_nodes, w->lanes, d->motion_sharp)) {
    w->lanes->add(w->ny, d->motion_held, 1.0, push);
    memset(push, 0, (size_t)w->ny * sizeof *push);
    return;
  }
  w->lanes->sizes(&w->scales, 1, push, &embedded);
  w->lanes->sizes(&w->scales, 1, d->motion_sharp, &sharp);
  bool is_rest = embedded == 0.0;
  if (!is_rest) d->unresolved = sharp > embedded ? d->unresolved + 1 : 0;
  d->is_stiff = d->unresolved > JSENS_STIFF_STEPS;
  if (!is_rest && d->is_stiff) {
    if (steps > 1) w->lanes->add(w->ny, push, 1.0, d->motion_held);  // of the steps before
    return;
  }
  for (int i = 0; i < w->ny; i++) {
    push[i] = steps * d->motion_sharp[i];
  }
}

static void account_rest_of_motion(jsens_direct* d) {
  jsens_walk* w = d->w;
  size_t bytes = (size_t)w->ny * sizeof *d->push;
  int steps = jsens_nodes_steps_left(&d->motion_nodes);
  bool is_few = d->motion_nodes.count < JSENS_NODES;
  if (is_few || !d->is_stiff) account_motion(d, steps);
  if (steps == 0) memcpy(d->push + JSENS_PROBE_Y * w->ny, d->motion_held, bytes);
  memset(d->motion_held, 0, bytes);
  jsens_nodes_restart(&d->motion_nodes);
  d->is_stiff = false;
  d->unresolved = 0;
}

void jsens_direct_node(jsens_direct* d, int q, double t, const double* y) {
  jsens_walk* w = d->w;
  jsens_pack* p = &d->pack[q];
  size_t bytes = (size_t)(w->ny * d->lanes) * sizeof *p->S;
  double *x, *slope;
  if (d->nprobe == 0) return;
  jsens_nodes_next(&p->nodes, t, &x, &slope);
  memcpy(x, p->S, bytes);
  memcpy(slope, p->dk[0], bytes);
  if (q > 0) return;
  jsens_nodes_next(&d->motion_nodes, t, &x, &slope);
  memcpy(x, y, (size_t)w->ny * sizeof *x);
  for (int i = 0; i < w->ny; i++) {
    slope[i] = d->ydot[i * d->lanes];
  }
}

// ---- the motion is off ---------------------------------------------------------------------------

// What the probe of the motion carries, on the mean over the last nodes where there are five: explicit steps at their limit of
// stability have errors of stiff states that change their sign with every step.
static void mean_probe(const jsens_direct* d, double* mean) {
  static const double weight[JSENS_NODES] = {0.0625, 0.25, 0.375, 0.25, 0.0625};
  int probe = d->w->nw + JSENS_PROBE_Y, L = d->lanes;
  const jsens_pack* p = &d->pack[probe / L];
  bool is_mean = p->nodes.count >= JSENS_NODES;
  for (int i = 0; i < d->w->ny; i++) {
    int at = i * L + probe % L;
    double sum = is_mean ? 0.0 : p->S[at];
    for (int n = 0; is_mean && n < JSENS_NODES; n++) {
      sum += weight[n] * p->nodes.x[n][at];
    }
    mean[i] = sum;
  }
}

double jsens_direct_off(jsens_direct* d, const double* y, double* off) {
  mean_probe(d, d->motion_sharp);
  return jsens_walk_off(d->w, y, d->motion_sharp, off);
}

void jsens_direct_bend(jsens_direct* d, int q) {
  jsens_walk* w = d->w;
  jsens_pack* p = &d->pack[q];
  const jsens_nodes *of = &p->nodes, *motion = &d->motion_nodes;
  int last = JSENS_NODES - 1;
  double size[JSENS_MAX_LANES], duration = motion->t[last] - d->bent;
  double factor = jsens_direct_off(d, motion->x[last], d->y_mixed);
  if (!(factor > 0.0)) return;
  jsens_point at = {.t = motion->t[last], .y = d->y_mixed, .dy = of->x[last], .dp = p->dp};
  jsens_walk_tangent(w, JGEN_FN_RHS, &at, (double* const[]){d->ydot, p->error});
  for (int i = 0; i < w->ny * d->lanes; i++) {
    p->error[i] = factor * duration * (p->error[i] - of->slope[last][i]);
  }
  sizes_of(d, p->error, size);
  add_errors(d, q, size);
}

void jsens_direct_end_stretch(jsens_direct* d) {
  for (int g = 0; g < d->ngroup; g++) {
    d->group[g].resolved = APART + 1;
  }
}

// What was accounted for goes to the probes.
void jsens_direct_push(jsens_direct* d) {
  jsens_walk* w = d->w;
  for (int g = 0; g < d->ngroup; g++) {
    settle_signs(d, g);
  }
  for (int m = 0; m < d->nprobe; m++) {
    int j = w->nw + m;
    double* S = d->pack[j / d->lanes].S;
    for (int i = 0; i < w->ny; i++) {
      S[i * d->lanes + j % d->lanes] += d->push[m * w->ny + i];
      d->push[m * w->ny + i] = 0.0;
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
  account_step(d, q, d->open);
  if (q == 0) account_motion(d, jsens_nodes_steps(&d->motion_nodes));
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
    jsens_direct_node(d, q, t1, d->y);
    jsens_direct_complete(d, q);
  }
  jsens_direct_push(d);
  for (int q = 0; q < d->npack; q++) {
    account_rest(d, q);
  }
  account_rest_of_motion(d);
  jsens_direct_push(d);
  d->open = -1;
}

// h sum e_i dk_i without the last slope, which the next step begins with.
void jsens_direct_open(jsens_direct* d, int q, const jsens_entry* e) {
  const jsolve_scheme* s = jsens_walk_scheme(d->w, e);
  int n = d->w->ny * d->lanes, last = s->e.n - 1;
  jsolve_combination part = s->e;
  if (last >= 0 && part.index[last] == s->tab->stages) part.n--;
  d->w->lanes->combine(n, d->zero, e->t1 - e->t, &part, d->pack[q].dk, d->pack[q].error);
  if (q == 0) d->w->lanes->combine(d->w->ny, d->zero, e->t1 - e->t, &part, d->w->k, d->motion);
  if (d->w->tail.is_there) keep_slopes(d, &d->pack[q]);
}

// What the probe of its group found, against what it was given. (S16)
double jsens_direct_error(const jsens_direct* d, const double* carried, int k) {
  int g = k % d->ngroup;
  double given = 0.0, found = fabs(carried[JSENS_PROBE_S + g]);
  found *= jsens_stretches_doubt(&d->group[g].stretches);
  for (int j = g; j < d->w->nw; j += d->ngroup) {
    double own = d->unit[j] * d->local[j];
    given += own * own;
  }
  return given > 0.0 ? d->local[k] * found / sqrt(given) : 0.0;
}
