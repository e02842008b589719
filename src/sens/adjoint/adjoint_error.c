// SPDX-License-Identifier: Apache-2.0
// Errors of the adjoint method: what steps add to them by their embedded method, what that does not see, what the end
// and events may be off by, and what becomes of it all. docs/theory/sensitivity.md eqs. (S17), (S18), (S26)-(S29).
#include <float.h>
#include <math.h>

#include "sens/adjoint/adjoint.h"

#define APART      2     // entries between two stretches that leave something out
#define UNRESOLVED 0.03  // tolerances of the motion left out in a step: weights are looked at there
#define BACKWARD   4.0  // as much less may be shown of what was left out: one sign serves all numbers
#define MATTERS    0.1   // of the largest influence
#define LARGE      0.1   // of the largest weight: errors of weights that derivatives may show
#define PARTIAL    2.0   // a part of a sum is at most so many times the largest of its partial sums
#define MIXED      40.0  // times the embedded method of mixed steps: they may leave out as much

bool jsens_adjoint_begin_errors(jsens_adjoint* d) {
  jsens_walk* w = d->w;
  bool ok = jsens_trace_begin(w, false, &d->trace);
  for (int i = 0; i < JSENS_TAIL_PARTS; i++) {
    d->tail[i] = JARENA_ARRAY(&w->arena, w->ny + w->nw, double);
    ok = ok && d->tail[i];
  }
  d->felt = JARENA_ARRAY(&w->arena, w->nw, double);
  ok = ok && d->felt;
  d->behind = JARENA_ARRAY(&w->arena, w->record->nentry, double);
  d->last = JARENA_ARRAY(&w->arena, w->ny, double);
  return ok && d->behind && d->last;
}

void jsens_adjoint_clear_errors(jsens_adjoint* d) {
  jsens_trace_clear(d->w, &d->trace);
  d->first_grown = d->w->out->ngrown;
  d->motion = 0.0;
  memset(d->felt, 0, (size_t)d->w->nw * sizeof *d->felt);
  d->is_large = false;
  d->stretches = (jsens_stretches){0};
  jsens_adjoint_end_stretch(d);
}

void jsens_adjoint_end_stretch(jsens_adjoint* d) {
  d->last_blind = d->w->record->nentry + APART + 1;
}

// ---- of a step -------------------------------------------------------------------------------------

// |x| in the scales of the states: what a change of a state by its scale is worth. Lanes of weights have a stride.
static double size_of(const jsens_adjoint* d, const double* x, int stride) {
  const jgen_layout* l = &d->w->d->layout;
  double sum = 0.0;
  for (int i = 0; i < l->ny; i++) {
    double v = l->is_followed[i] ? x[i * stride] * l->nominal[i] : 0.0;
    sum += v * v;
  }
  return sqrt(sum);
}

// (S17)  the embedded method makes of lambda what the step adds to its error; by `factor` of a slope
void jsens_adjoint_seed(const jsens_adjoint* d, double* kbar, double factor) {
  if (!d->estimates) return;
  for (int i = 0; i < d->w->ny; i++) {
    kbar[i * d->lanes + JSENS_ERROR] += factor * d->lambda[i * d->lanes + JSENS_LAMBDA];
  }
}

// (S46)  Errors of derivatives when a large error of the weights has decayed. While it is large, it is made up for by the
// derivatives of the states, which are not known here. NaN stays.
static void note_felt(jsens_adjoint* d, double error_of_weights) {
  bool was_large = d->is_large;
  d->is_large = !(error_of_weights <= LARGE * d->trace.largest);
  if (d->is_large || !was_large) return;
  const double* error = d->pbar + JSENS_ERROR;
  for (int j = 0; j < d->w->nw; j++) {
    double now = fabs(error[j * d->lanes]);
    if (!(now <= d->felt[j])) d->felt[j] = now;
  }
}

jo_status jsens_adjoint_account(jsens_adjoint* d, int entry) {
  if (!d->estimates) return JO_OK;
  double size = size_of(d, d->lambda + JSENS_LAMBDA, d->lanes);
  d->behind[entry] = size_of(d, d->lambda + JSENS_ERROR, d->lanes);
  double factor = jsens_trace_note(&d->trace, entry, size, d->behind[entry]);
  note_felt(d, d->behind[entry]);
  return jsens_trace_grew(d->w, entry, factor, d->trace.largest);
}

// ---- what a step leaves out ------------------------------------------------------------------------

// (S26)  parts of f_y^T lambda and f_p^T lambda along the step, whose end is y1
static void weigh_parts(jsens_adjoint* d, const jsens_entry* e, const double* y1) {
  jsens_walk* w = d->w;
  int L = d->lanes;
  for (int m = 0; m < JSENS_TAIL_PARTS; m++) {
    memset(d->tail[m], 0, (size_t)(w->ny + w->nw) * sizeof *d->tail[m]);
  }
  jsens_adjoint_clear(d, d->kbar, w->ny);
  for (int i = 0; i < w->ny; i++) {
    d->kbar[i * L + JSENS_LAMBDA] = (e->t1 - e->t) * d->lambda[i * L + JSENS_LAMBDA];
  }
  for (int n = 0; n < JSENS_TAIL_NODES; n++) {
    int stage = w->tail.stage[n];
    jsens_point at = {.t = jsens_walk_stage_time(w, e, stage), .lambda = d->kbar};
    at.y = n == JSENS_TAIL_STAGES ? y1 : w->Y[stage];
    jsens_walk_weigh(w, JGEN_FN_RHS, &at, (double* const[]){d->ybar, d->tbar, d->p_part, NULL});
    for (int m = 0; m < JSENS_TAIL_PARTS; m++) {
      double weight = w->tail.weight[m][n];
      for (int i = 0; weight != 0.0 && i < w->ny; i++) {
        d->tail[m][i] += weight * d->ybar[i * L + JSENS_LAMBDA];
      }
    }
    double weight = w->tail.weight[JSENS_TAIL_THIRD][n];
    for (int j = 0; j < w->nw; j++) {
      d->tail[JSENS_TAIL_THIRD][w->ny + j] += weight * d->p_part[j * L + JSENS_LAMBDA];
    }
  }
}

// Whether the motion left something out in this step: weights are looked at only then. In mixed steps stiff states
// do so anywhere.
static bool is_unresolved(const jsens_adjoint* d, const jsens_entry* e, const double* y0) {
  if (!d->estimates || e->is_implicit || d->w->is_mixed || !d->w->tail.is_there) return false;
  return jsens_walk_left_out(d->w, e, y0) > UNRESOLVED;
}

double jsens_adjoint_left_out(jsens_adjoint* d, const jsens_entry* e, const double* y0,
                              const double* y1) {
  if (!is_unresolved(d, e, y0)) return 0.0;
  double size[JSENS_TAIL_PARTS];
  weigh_parts(d, e, y1);
  for (int m = 0; m < JSENS_TAIL_PARTS; m++) {
    size[m] = size_of(d, d->tail[m], 1);
  }
  return jsens_tail_share(&d->w->tail, size);
}

// What a lane has in common with what a step left out.
static double common(const jsens_adjoint* d, const double* x, int stride) {
  const jgen_layout* l = &d->w->d->layout;
  double sum = 0.0;
  for (int i = 0; i < l->ny; i++) {
    double v = l->is_followed[i] ? l->nominal[i] : 0.0;
    sum += v * v * d->tail[JSENS_TAIL_THIRD][i] * x[i * stride];
  }
  return sum;
}

// It joins the error with the sign by which it does not cancel that of the step before, or what there is.
void jsens_adjoint_add_left_out(jsens_adjoint* d, int entry, double share) {
  const jgen_layout* l = &d->w->d->layout;
  const double* third = d->tail[JSENS_TAIL_THIRD];
  int L = d->lanes;
  bool is_new = d->last_blind - entry > APART;
  double same = is_new ? common(d, d->lambda + JSENS_ERROR, L) : common(d, d->last, 1);
  double factor = same < 0.0 ? -share : share;
  for (int i = 0; i < l->ny; i++) {
    d->last[i] = factor * third[i];
    d->lambda[i * L + JSENS_ERROR] += d->last[i];
  }
  for (int j = 0; j < d->w->nw; j++) {
    d->pbar[j * L + JSENS_ERROR] += factor * third[l->ny + j];
  }
  d->behind[entry] = size_of(d, d->lambda + JSENS_ERROR, d->lanes);
  jsens_stretches_add(&d->stretches, share * size_of(d, third, 1), is_new);
  d->last_blind = entry;
}

// ---- of a run --------------------------------------------------------------------------------------

// What lambda would be at an end off by as much as a run may be is an error it begins with. (S18)
void jsens_adjoint_doubt_end(jsens_adjoint* d) {
  jsens_walk* w = d->w;
  int L = d->lanes;
  memcpy(d->kept_pbar, d->pbar, (size_t)(w->nw * L) * sizeof *d->pbar);
  jsens_walk_shift_end(w, d->y_mixed);
  jsens_point at = {.t = w->record->t_end, .y = d->y_mixed, .lambda = d->unit};
  jsens_adjoint_weigh(d, JGEN_FN_OBJECTIVE, &at);
  d->end_time[JSENS_ERROR] = d->tbar[JSENS_LAMBDA] - d->end_time[JSENS_LAMBDA];
  jsens_adjoint_exchange(d->pbar, d->kept_pbar, w->nw * L);
  for (int i = 0; i < w->ny; i++) {
    d->lambda[i * L + JSENS_ERROR] =
        d->ybar[i * L + JSENS_LAMBDA] - d->lambda[i * L + JSENS_LAMBDA];
  }
  for (int j = 0; j < w->nw; j++) {
    // two weighings are in kept_pbar
    d->pbar[j * L + JSENS_ERROR] =
        d->kept_pbar[j * L + JSENS_LAMBDA] - 2.0 * d->pbar[j * L + JSENS_LAMBDA];
  }
  d->end_doubt = size_of(d, d->lambda + JSENS_ERROR, d->lanes);
}

// Where signs are not known, parts of an error may cancel in one number and not in another: relative to the derivatives
// that matter, no error is smaller than the largest. (S29)
static void level_errors(jsens_result* r, int o) {
  const double* gradient = r->gradient + o * r->nw;
  double *error = r->gradient_error + o * r->nw, most = 0.0, worst = 0.0;
  for (int j = 0; j < r->nw; j++) {
    most = fmax(most, fabs(gradient[j]) * r->unit[j]);
  }
  for (int j = 0; j < r->nw; j++) {
    bool matters = most > 0.0 && fabs(gradient[j]) * r->unit[j] >= MATTERS * most;
    if (matters) worst = fmax(worst, error[j] / fabs(gradient[j]));
  }
  for (int j = 0; j < r->nw && isfinite(worst); j++) {
    error[j] = fmax(error[j], worst * fabs(gradient[j]));
  }
}

// What each step added to the error, relative to the largest lambda: it builds up from what it began with,
// and where it runs away its growth tells.
static void put_rough(jsens_adjoint* d) {
  jsens_result* out = d->w->out;
  double size = d->trace.largest, before = size > 0.0 ? d->end_doubt / size : 0.0;
  for (int i = d->w->record->nentry - 1; i >= 0 && size > 0.0; i--) {
    if (!jsens_record_is_step(d->w->record, i)) continue;
    double part = d->trace.error[i] / size;
    out->rough[i] = fmax(out->rough[i], isfinite(part) ? part - before : INFINITY);
    before = d->behind[i] / size;
  }
  jsens_trace_end(d->w, &d->trace, d->first_grown);
}

// (S46)  what errors of weights did to derivatives on the way, relative to those
static void put_felt(const jsens_adjoint* d, int o, double doubt) {
  jsens_result* out = d->w->out;
  for (int j = 0; j < out->nw; j++) {
    int at = o * out->nw + j;
    double scale = jsens_scale(out->value[o], out->gradient[at], out->unit[j]);
    double part =
        fmax(PARTIAL * doubt * d->felt[j], out->gradient_error[at]) / fmax(scale, DBL_MIN);
    if (!d->w->sens->why[j] && !(part <= out->felt)) out->felt = isfinite(part) ? part : INFINITY;
  }
}

void jsens_adjoint_put_errors(jsens_adjoint* d, int o) {
  jsens_walk* w = d->w;
  w->out->value_error[o] = d->motion;
  double doubt = d->stretches.all > 0.0 ? BACKWARD * jsens_stretches_doubt(&d->stretches) : 1.0;
  if (w->is_mixed) doubt = MIXED;
  for (int j = 0; j < w->nw; j++) {
    const double* S0 = w->S0 + (int64_t)j * w->ny;
    double error = d->pbar[j * d->lanes + JSENS_ERROR] +
                   jsens_adjoint_dot(d, d->lambda, JSENS_ERROR, S0, w->ny);
    w->out->gradient_error[o * w->nw + j] = doubt * fabs(error);
  }
  if (doubt > 1.0) level_errors(w->out, o);
  put_felt(d, o, doubt);
  put_rough(d);
}
