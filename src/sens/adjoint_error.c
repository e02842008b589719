// SPDX-License-Identifier: Apache-2.0
// Errors of the adjoint method: what steps add to them by their embedded method, what that does not see, what the end
// and events may be off by, and what becomes of it all. docs/theory/sensitivity.md eqs. (S17), (S18), (S26)-(S29).
#include <math.h>

#include "sens/adjoint.h"

#define APART      2     // entries between two stretches that leave something out
#define UNRESOLVED 0.03  // tolerances of the motion left out in a step: weights are looked at there
#define BACKWARD   4.0  // as much less may be shown of what was left out: one sign serves all numbers
#define MATTERS    0.1  // of the largest influence

bool jsens_adjoint_begin_errors(jsens_adjoint* d) {
  jsens_walk* w = d->w;
  bool ok = jsens_trace_begin(w, false, &d->trace);
  for (int i = 0; i < JSENS_TAIL_PARTS; i++) {
    d->tail[i] = JARENA_ARRAY(&w->arena, w->ny + w->nw, double);
    ok = ok && d->tail[i];
  }
  d->gross = JARENA_ARRAY(&w->arena, w->nw, double);
  d->gross_at = JARENA_ARRAY(&w->arena, w->nw, double);
  ok = ok && d->gross && d->gross_at;
  d->sharp = JARENA_ARRAY(&w->arena, w->ny + w->nw, double);
  d->motion_sharp = JARENA_ARRAY(&w->arena, w->ny, double);
  ok = ok && d->sharp && d->motion_sharp &&
       jsens_nodes_begin(&w->arena, w->ny + w->nw, &d->nodes) &&
       jsens_nodes_begin(&w->arena, w->ny, &d->motion_nodes);
  d->behind = JARENA_ARRAY(&w->arena, w->record->nentry, double);
  d->local = JARENA_ARRAY(&w->arena, w->record->nentry, double);
  d->last = JARENA_ARRAY(&w->arena, w->ny, double);
  return ok && d->behind && d->local && d->last;
}

void jsens_adjoint_clear_errors(jsens_adjoint* d) {
  jsens_trace_clear(d->w, &d->trace);
  d->first_grown = d->w->out->ngrown;
  d->motion = d->partial = 0.0;
  d->ahead = 0;
  memset(d->local, 0, (size_t)d->w->record->nentry * sizeof *d->local);
  memset(d->gross, 0, (size_t)d->w->nw * sizeof *d->gross);
  memset(d->gross_at, 0, (size_t)d->w->nw * sizeof *d->gross);
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
  if (!d->estimates || (d->is_sharp && !d->is_stiff)) return;
  for (int i = 0; i < d->w->ny; i++) {
    kbar[i * d->lanes + JSENS_ERROR] += factor * d->lambda[i * d->lanes + JSENS_LAMBDA];
  }
}

// What a parameter does to the objective on the way, whatever cancels in the end.
static void add_gross(jsens_adjoint* d) {
  for (int j = 0; j < d->w->nw; j++) {
    double now = d->pbar[j * d->lanes + JSENS_LAMBDA];
    d->gross[j] += fabs(now - d->gross_at[j]);
    d->gross_at[j] = now;
  }
}

jo_status jsens_adjoint_account(jsens_adjoint* d, int entry) {
  if (!d->estimates) return JO_OK;
  double size = size_of(d, d->lambda + JSENS_LAMBDA, d->lanes);
  d->behind[entry] = size_of(d, d->lambda + JSENS_ERROR, d->lanes);
  double factor = jsens_trace_note(&d->trace, entry, size, d->behind[entry]);
  add_gross(d);
  // weights may be unstable where the motion is not: then their own local error tells
  if (!(factor > JSENS_GROWTH)) d->local[entry] = 0.0;
  return jsens_trace_grew(d->w, entry, factor, d->trace.largest);
}

// ---- the local error of steps, by the nodes around them ------------------------------------------

// Explicit steps before an event, a change of the partition or an implicit step, this one included.
static int steps_ahead(const jsens_walk* w, const jsens_entry* e) {
  const jsens_record* r = w->record;
  int i = e->index;
  while (i >= 0 && jsens_record_is_step(r, i) && !jsens_record_is_implicit(r, i)) {
    i--;
  }
  return e->index - i;
}

// Slopes of lambda and pbar at the end y1 of a step, loops closed: what a change of time would make of them.
static void slopes_at(jsens_adjoint* d, const jsens_entry* e, const double* y1, double* slope) {
  jsens_walk* w = d->w;
  const jgen_layout* layout = &w->d->layout;
  int L = d->lanes, v = jgen_first(layout, JGEN_QV), z = jgen_first(layout, JGEN_Z);
  jsens_point at = {.t = e->t1, .y = y1, .lambda = d->lambda};
  jsens_walk_weigh(w, JGEN_FN_RHS, &at, (double* const[]){d->ybar, d->tbar, d->p_part, NULL});
  for (int j = 0; j < w->nw; j++) {
    slope[w->ny + j] = -d->p_part[j * L + JSENS_LAMBDA];
  }
  if (w->nv > 0) {
    at = (jsens_point){.t = e->t1, .y = y1, .lambda = d->ybar + v * L};
    jsens_walk_weigh(w, JGEN_FN_PROJECT, &at,
                     (double* const[]){d->column, d->tbar, d->p_part, NULL});
    for (int j = 0; j < w->nw; j++) {
      slope[w->ny + j] -= d->p_part[j * L + JSENS_LAMBDA];
    }
  }
  bool has_states = w->d->drives_by_states || w->d->nevent > 0;
  for (int i = 0; i < w->ny; i++) {
    bool is_dependent = i >= v && i < v + w->nv;
    bool is_closed = w->nv > 0 && !is_dependent && (i < v || (has_states && i >= z));
    slope[i] = is_dependent ? 0.0 : -d->ybar[i * L + JSENS_LAMBDA];
    if (is_closed) slope[i] -= d->column[i * L + JSENS_LAMBDA];
  }
}

static void add_node(jsens_adjoint* d, const jsens_entry* e, const double* y1) {
  jsens_walk* w = d->w;
  double *x, *slope;
  jsens_nodes_next(&d->nodes, e->t1, &x, &slope);
  for (int i = 0; i < w->ny; i++) {
    x[i] = d->lambda[i * d->lanes + JSENS_LAMBDA];
  }
  for (int j = 0; j < w->nw; j++) {
    x[w->ny + j] = d->pbar[j * d->lanes + JSENS_LAMBDA];
  }
  slopes_at(d, e, y1, slope);
}

void jsens_adjoint_begin_step(jsens_adjoint* d, const jsens_entry* e, const double* y1) {
  if (!d->estimates) return;
  if (e->is_implicit) d->ahead = 0;
  d->is_sharp = d->is_sharp && d->ahead > 0;
  if (e->is_implicit) return;
  if (d->ahead == 0) {
    d->ahead = steps_ahead(d->w, e);
    d->is_sharp = d->ahead >= JSENS_LEAST_NODES;
    // the run knows of the steps it ended with
    bool is_last = e->index == d->w->record->nentry - 1;
    d->is_stiff = is_last && d->w->record->drift && d->w->record->drift->is_stiff;
    jsens_nodes_restart(&d->nodes);
    jsens_nodes_restart(&d->motion_nodes);
  }
  d->ahead--;
  if (d->is_sharp) add_node(d, e, y1);
}

// (S19)  what the local error `local` of the motion, of so many steps, is worth for the objective
void jsens_adjoint_weigh_motion(jsens_adjoint* d, const double* local, double steps) {
  double sum = jsens_adjoint_dot(d, d->lambda, JSENS_LAMBDA, local, d->w->ny);
  d->partial += steps * sum;
  d->motion = fmax(d->motion, fabs(d->partial));
}

void jsens_adjoint_motion_node(jsens_adjoint* d, double t, const double* y, const double* f) {
  double *x, *slope;
  jsens_nodes_next(&d->motion_nodes, t, &x, &slope);
  memcpy(x, y, (size_t)d->w->ny * sizeof *x);
  memcpy(slope, f, (size_t)d->w->ny * sizeof *x);
}

void jsens_adjoint_end_step(jsens_adjoint* d, int entry) {
  jsens_walk* w = d->w;
  if (!d->estimates || !d->is_sharp) return;
  // at the end of the stretch there is one step behind its last node
  int steps = jsens_nodes_steps(&d->nodes);
  if (d->ahead == 0) steps += jsens_nodes_steps_left(&d->nodes) + 1;
  if (steps == 0 || !jsens_nodes_error(&d->motion_nodes, w->lanes, d->motion_sharp)) return;
  if (!jsens_nodes_error(&d->nodes, w->lanes, d->sharp)) return;
  d->local[entry] = size_of(d, d->sharp, 1);
  double embedded, sharp;
  bool was_stiff = d->is_stiff;
  w->lanes->sizes(&w->scales, 1, d->P, &embedded);
  w->lanes->sizes(&w->scales, 1, d->motion_sharp, &sharp);
  d->is_stiff = sharp > embedded;
  if (was_stiff) {
    jsens_adjoint_weigh_motion(d, d->P, 1.0);
    return;
  }
  // the first of them are told by nodes as far as nodes tell of the motion
  double factor = steps * (d->is_stiff ? embedded / sharp : 1.0);
  jsens_adjoint_weigh_motion(d, d->motion_sharp, -factor);  // backward, errors change their sign
  for (int i = 0; i < w->ny; i++) {
    d->lambda[i * d->lanes + JSENS_ERROR] += factor * d->sharp[i];
  }
  for (int j = 0; j < w->nw; j++) {
    d->pbar[j * d->lanes + JSENS_ERROR] += factor * d->sharp[w->ny + j];
  }
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
  if (!d->estimates || d->is_sharp || e->is_implicit) return false;
  if (d->w->is_mixed || !d->w->tail.is_there) return false;
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

// What lambda would be at an end that is off as the motion is, is an error it begins with. (S18)
void jsens_adjoint_doubt_end(jsens_adjoint* d) {
  jsens_walk* w = d->w;
  const jsens_record* r = w->record;
  int L = d->lanes;
  double factor = r->drift ? jsens_walk_off(w, r->y_end, r->drift->off, d->y_mixed) : 0.0;
  d->end_doubt = 0.0;
  if (!(factor > 0.0)) return;
  memcpy(d->kept_pbar, d->pbar, (size_t)(w->nw * L) * sizeof *d->pbar);
  jsens_point at = {.t = r->t_end, .y = d->y_mixed, .lambda = d->unit};
  jsens_adjoint_weigh(d, JGEN_FN_OBJECTIVE, &at);
  d->end_time[JSENS_ERROR] = factor * (d->tbar[JSENS_LAMBDA] - d->end_time[JSENS_LAMBDA]);
  jsens_adjoint_exchange(d->pbar, d->kept_pbar, w->nw * L);
  for (int i = 0; i < w->ny; i++) {
    d->lambda[i * L + JSENS_ERROR] =
        factor * (d->ybar[i * L + JSENS_LAMBDA] - d->lambda[i * L + JSENS_LAMBDA]);
  }
  for (int j = 0; j < w->nw; j++) {
    // two weighings are in kept_pbar
    d->pbar[j * L + JSENS_ERROR] =
        factor * (d->kept_pbar[j * L + JSENS_LAMBDA] - 2.0 * d->pbar[j * L + JSENS_LAMBDA]);
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
    double part = d->trace.error[i] / size, local = d->local[i] / size;
    out->rough[i] = fmax(out->rough[i], isfinite(part) ? part - before : INFINITY);
    out->rough[i] = fmax(out->rough[i], isfinite(local) ? local : INFINITY);
    before = d->behind[i] / size;
  }
  jsens_trace_end(d->w, &d->trace, d->first_grown);
}

void jsens_adjoint_put_errors(jsens_adjoint* d, int o) {
  jsens_walk* w = d->w;
  w->out->value_error[o] = d->motion;
  double doubt = d->stretches.all > 0.0 ? BACKWARD * jsens_stretches_doubt(&d->stretches) : 1.0;
  double most = fabs(w->out->value[o]);
  add_gross(d);
  for (int j = 0; j < w->nw; j++) {
    const double* S0 = w->S0 + (int64_t)j * w->ny;
    d->gross[j] += fabs(jsens_adjoint_dot(d, d->lambda, JSENS_LAMBDA, S0, w->ny));
    most = fmax(most, w->out->unit[j] * d->gross[j]);
  }
  for (int j = 0; j < w->nw; j++) {
    const double* S0 = w->S0 + (int64_t)j * w->ny;
    double error = d->pbar[j * d->lanes + JSENS_ERROR] +
                   jsens_adjoint_dot(d, d->lambda, JSENS_ERROR, S0, w->ny);
    double bent = most > 0.0 ? fabs(d->partial) * d->gross[j] / most : 0.0;
    w->out->gradient_error[o * w->nw + j] = doubt * fabs(error) + bent;
  }
  if (doubt > 1.0) level_errors(w->out, o);
  put_rough(d);
}
