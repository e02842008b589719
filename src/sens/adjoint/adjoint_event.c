// SPDX-License-Identifier: Apache-2.0
// Events of the adjoint method. docs/theory/sensitivity.md eqs. (S7), (S8), (S18), docs/theory/discrete.md
// eq. (E5).
#include <math.h>

#include "sens/adjoint/adjoint.h"

// g_t + g_y f of switch k, by its gradient, which stays in ybar, tbar and p_part, in every lane
static double switch_rate(jsens_adjoint* d, double t, const double* y, const double* f, int k) {
  jsens_walk* w = d->w;
  jsens_adjoint_clear(d, d->unit, w->d->nswitch);
  for (int l = 0; l < d->lanes; l++) {
    d->unit[k * d->lanes + l] = 1.0;
  }
  jsens_point at = {.t = t, .y = y, .lambda = d->unit};
  jsens_walk_weigh(w, JGEN_FN_SWITCHES, &at, (double* const[]){d->ybar, d->tbar, d->p_part, NULL});
  return d->tbar[0] + jsens_adjoint_dot(d, d->ybar, 0, f, w->ny);
}

// x += weight_l y in each lane
static void add_weighted(const jsens_adjoint* d, double* x, const double* weight, double factor,
                         const double* y, int n) {
  for (int i = 0; i < n * d->lanes; i++) {
    x[i] += factor * weight[i % d->lanes] * y[i];
  }
}

// (S7)  weight `alpha` of the event's time, handed to state and numbers through its switch
static jo_status time_back(jsens_adjoint* d, const jsens_entry* e, const double* y, const double* f,
                           int k, double* rate) {
  jsens_walk* w = d->w;
  *rate = switch_rate(d, e->t, y, f, k);
  JO_TRY(jsens_walk_check_rate(w, e, y, f, k, *rate));
  add_weighted(d, d->lambda, d->alpha, -1.0 / *rate, d->ybar, w->ny);
  add_weighted(d, d->pbar, d->alpha, -1.0 / *rate, d->p_part, w->nw);
  return JO_OK;
}

static void note_event(jsens_adjoint* d, const jsens_entry* e, int k, bool on, double rate) {
  jsens_event* v = &d->w->out->event[--d->nevent];
  v->t = e->t;
  v->which = k;
  v->on = on;
  v->follows = e->what->follows;
  if (rate != 0.0) v->rate = rate;
  v->weight[d->objective] = d->alpha[JSENS_LAMBDA];
}

// The weight of a consequence waits for its cause.
static void put_aside(jsens_adjoint* d, int cause) {
  double* pending = d->pending + cause * d->lanes;
  for (int l = 0; l < d->lanes; l++) {
    pending[l] += d->alpha[l];
  }
}

static void take_pending(jsens_adjoint* d, int k) {
  double* pending = d->pending + k * d->lanes;
  for (int l = 0; l < d->lanes; l++) {
    d->alpha[l] += pending[l];
    pending[l] = 0.0;
  }
}

// Back through the impulse, the closure with the new drive, and the momentum; time: of all of them, and of the motion
// before. Modes are those behind the event, and mode0 afterwards.
static void impulse_back(jsens_adjoint* d, const jsens_entry* e, const double* before,
                         const double* mode0, double* time) {
  jsens_walk* w = d->w;
  int L = d->lanes;
  jsens_point at = {.t = e->t, .y = d->y_mixed, .momentum = d->P};
  at.lambda = d->lambda + jgen_first(&w->d->layout, JGEN_QDU) * L;
  jsens_adjoint_weigh(d, JGEN_FN_IMPULSE, &at);
  jsens_adjoint_add(d, d->lambda, 1.0, d->ybar, w->ny);
  for (int l = 0; l < L; l++) {
    time[l] += d->tbar[l];
  }
  memcpy(d->kbar, d->Pbar, (size_t)(w->nu * L) * sizeof *d->kbar);
  jsens_adjoint_close(d, e->t, d->y_mixed, d->lambda, time);
  jsens_walk_set_modes(w, mode0);
  at = (jsens_point){.t = e->t, .y = before, .lambda = d->kbar};
  jsens_adjoint_weigh(d, JGEN_FN_MOMENTUM, &at);
  jsens_adjoint_add(d, d->lambda, 1.0, d->ybar, w->ny);
  for (int l = 0; l < L; l++) {
    time[l] += d->tbar[l] + jsens_adjoint_dot(d, d->lambda, l, w->f_minus, w->ny);
  }
}

// An impulse of size zero: a driven coordinate jumps where numbers are a little different. Modes are those before it, here
// and afterwards.
static void drive_back(jsens_adjoint* d, const jsens_entry* e, const double* y, int k) {
  jsens_walk* w = d->w;
  jplant_call(w->run, JGEN_FN_MOMENTUM, e->t, y, (double* const[]){d->P});
  memcpy(w->modes, w->run->mode, (size_t)w->d->nswitch * sizeof *w->modes);
  if (y != d->y_mixed) memcpy(d->y_mixed, y, (size_t)w->ny * sizeof *y);
  w->run->mode[k] = 1.0 - w->run->mode[k];
  for (int l = 0; l < d->lanes; l++) {
    d->alpha[l] = -jsens_adjoint_dot(d, d->lambda, l, w->f_plus, w->ny);
  }
  impulse_back(d, e, y, w->modes, d->alpha);
}

static void flip_back(jsens_adjoint* d) {
  jsens_walk* w = d->w;
  for (int l = 0; l < d->lanes; l++) {
    d->alpha[l] = jsens_adjoint_dot(d, d->lambda, l, w->f_minus, w->ny) -
                  jsens_adjoint_dot(d, d->lambda, l, w->f_plus, w->ny);
  }
}

static jo_status smooth_back(jsens_adjoint* d, const jsens_entry* e, const double* y) {
  jsens_walk* w = d->w;
  const int* flip = w->record->flip + e->what->flip;
  bool moves_in = w->moves_in;
  jsens_walk_set_epoch(w, e->epoch + 1);
  jsens_walk_slope_behind(w, e->t, y);
  for (int i = e->what->nflip - 1; i >= 0; i--) {
    int k = flip[i];
    w->run->mode[k] = 1.0 - w->run->mode[k];
    w->moves_in = i > 0 ? w->cause[i - 1] != w->cause[i] : moves_in;
    jsens_walk_slope_before(w, e->t, y);
    double rate = 0.0;
    if (w->drives[k]) drive_back(d, e, y, k);
    if (!w->drives[k]) flip_back(d);
    if (!w->opt->frozen && w->follows) put_aside(d, w->cause[i]);
    if (!w->opt->frozen && !w->follows) {
      take_pending(d, k);
      JO_TRY(time_back(d, e, y, w->f_minus, k, &rate));
    }
    note_event(d, e, k, w->run->mode[k] < 0.5, rate);
    memcpy(w->f_plus, w->f_minus, (size_t)w->ny * sizeof *w->f_plus);
  }
  return JO_OK;
}

// The event moves along the motion before it.
static void motion_back(jsens_adjoint* d, double* time) {
  for (int l = 0; l < d->lanes; l++) {
    time[l] += jsens_adjoint_dot(d, d->lambda, l, d->w->f_minus, d->w->ny);
  }
}

// What the time of a jump weighs goes to its cause, or to state and numbers.
static jo_status jump_time_back(jsens_adjoint* d, const jsens_entry* e, const double* y, int k,
                                double* rate) {
  bool frozen = d->w->opt->frozen;
  *rate = 0.0;
  if (!frozen && d->w->follows) put_aside(d, d->w->cause[0]);
  if (frozen || d->w->follows) return JO_OK;
  for (int i = 0; i < e->what->nflip; i++) {
    take_pending(d, d->w->record->flip[e->what->flip + i]);
  }
  return time_back(d, e, y, d->w->f_minus, k, rate);
}

// (S8)
static jo_status jump_back(jsens_adjoint* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  int v = jgen_first(&w->d->layout, JGEN_QV);
  const double* before = e->y;
  const double* after = e->after;
  const double* mode1 = jsens_record_mode(w->record, e->epoch + 1);
  int k = w->record->flip[e->what->flip];
  jsens_walk_set_epoch(w, e->epoch);
  jsens_walk_slope_before(w, e->t, before);
  jplant_call(w->run, JGEN_FN_MOMENTUM, e->t, before, (double* const[]){d->P});
  jsens_walk_set_modes(w, mode1);
  jsens_walk_slope_behind(w, e->t, after);
  for (int l = 0; l < d->lanes; l++) {
    d->alpha[l] = -jsens_adjoint_dot(d, d->lambda, l, w->f_plus, w->ny);
  }
  memcpy(d->y_mixed, before, (size_t)w->ny * sizeof *before);
  memcpy(d->y_mixed + v, after + v, (size_t)w->nv * sizeof *before);
  impulse_back(d, e, before, jsens_record_mode(w->record, e->epoch), d->alpha);
  double rate;
  JO_TRY(jump_time_back(d, e, before, k, &rate));
  note_event(d, e, k, mode1[k] > 0.5, rate);
  return JO_OK;
}

// ---- resets ----------------------------------------------------------------------------------------

// (E5)  back through the closure behind a reset and the reset itself
static void reset_back(jsens_adjoint* d, const jsens_entry* e, int i, const double* stage) {
  jsens_walk* w = d->w;
  int L = d->lanes;
  jsens_adjoint_close(d, e->t, stage + w->ny, d->lambda, d->alpha);
  for (int n = 0; n < w->d->nreset; n++) {
    double* weight = d->lambda + w->d->reset_state[n] * L;
    memcpy(d->kbar + n * L, weight, (size_t)L * sizeof *weight);
    memset(weight, 0, (size_t)L * sizeof *weight);
  }
  jsens_walk_fire(w, e, i);
  jsens_point at = {.t = e->t, .y = stage, .lambda = d->kbar, .fired = w->fired};
  jsens_adjoint_weigh(d, JGEN_FN_RESET, &at);
  jsens_adjoint_add(d, d->lambda, 1.0, d->ybar, w->ny);
  for (int l = 0; l < L; l++) {
    d->alpha[l] += d->tbar[l];
  }
}

static jo_status reset_at(jsens_adjoint* d, const jsens_entry* e, const double* y, double* stage) {
  jsens_walk* w = d->w;
  int v = jgen_first(&w->d->layout, JGEN_QV), k = w->record->flip[e->what->flip];
  jsens_walk_set_modes(w, jsens_record_mode(w->record, e->epoch));
  jsens_walk_slope_before(w, e->t, y);
  bool has_drive = jsens_walk_has_drive(w, e);
  if (has_drive) jplant_call(w->run, JGEN_FN_MOMENTUM, e->t, y, (double* const[]){d->P});
  JO_TRY(jsens_walk_resets(w, e, y, stage));
  jsens_walk_slope_behind(w, e->t, stage + e->what->nreset * w->ny);
  for (int l = 0; l < d->lanes; l++) {
    // what ends with the event goes on in its objective only
    d->alpha[l] =
        e->what->ends ? d->end_time[l] : -jsens_adjoint_dot(d, d->lambda, l, w->f_plus, w->ny);
  }
  for (int i = e->what->nreset - 1; i >= 0; i--) {
    reset_back(d, e, i, stage + i * w->ny);
  }
  if (has_drive) {
    memcpy(d->y_mixed, y, (size_t)w->ny * sizeof *y);
    memcpy(d->y_mixed + v, stage + v, (size_t)w->nv * sizeof *y);
    impulse_back(d, e, y, jsens_record_mode(w->record, e->epoch), d->alpha);
  } else {
    jsens_walk_set_modes(w, jsens_record_mode(w->record, e->epoch));
    motion_back(d, d->alpha);
  }
  double rate;
  JO_TRY(jump_time_back(d, e, y, k, &rate));
  note_event(d, e, k, w->run->mode[k] < 0.5, rate);
  return JO_OK;
}

// One way back through an event: at the state of the run, or at another.
typedef jo_status (*passage)(jsens_adjoint* d, const jsens_entry* e, const double* y,
                             double* stage);

static jo_status pass_smoothly(jsens_adjoint* d, const jsens_entry* e, const double* y,
                               double* stage) {
  (void)stage;
  return smooth_back(d, e, y);
}

// Both weights of the event at a state that is off by as much as a run may be; what is different then
// is the error that the event adds. (S18)
static jo_status doubtful_back(jsens_adjoint* d, const jsens_entry* e, passage pass, double* off,
                               double* stage) {
  jsens_walk* w = d->w;
  const double* y = e->y;
  int L = d->lanes, ny = w->ny * L, nw = w->nw * L, nevent = d->nevent;
  int npending = w->d->nswitch * L;
  memcpy(d->kept_lambda, d->lambda, (size_t)ny * sizeof *d->lambda);
  memcpy(d->kept_pbar, d->pbar, (size_t)nw * sizeof *d->pbar);
  memcpy(d->kept_pending, d->pending, (size_t)npending * sizeof *d->pending);
  jsens_walk_shift(w, y, off);
  JO_TRY(pass(d, e, off, stage));
  jsens_adjoint_exchange(d->lambda, d->kept_lambda, ny);
  jsens_adjoint_exchange(d->pbar, d->kept_pbar, nw);
  jsens_adjoint_exchange(d->pending, d->kept_pending, npending);
  d->nevent = nevent;
  JO_TRY(pass(d, e, y, stage));
  for (int i = 0; i < w->ny; i++) {
    d->lambda[i * L + JSENS_ERROR] +=
        d->kept_lambda[i * L + JSENS_LAMBDA] - d->lambda[i * L + JSENS_LAMBDA];
  }
  for (int j = 0; j < w->nw; j++) {
    d->pbar[j * L + JSENS_ERROR] +=
        d->kept_pbar[j * L + JSENS_LAMBDA] - d->pbar[j * L + JSENS_LAMBDA];
  }
  for (int i = 0; i < npending; i += L) {
    d->pending[i + JSENS_ERROR] += d->kept_pending[i + JSENS_LAMBDA] - d->pending[i + JSENS_LAMBDA];
  }
  return JO_OK;
}

static jo_status reset_event_back(jsens_adjoint* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  jarena_mark mark = jarena_save(&w->arena);
  double* stage = JARENA_ARRAY(&w->arena, (e->what->nreset + 2) * w->ny, double);
  if (!stage) return jerr_memory(w->ctx);
  double* off = stage + (e->what->nreset + 1) * w->ny;
  bool doubts = d->estimates && !w->opt->frozen;
  jo_status status =
      doubts ? doubtful_back(d, e, reset_at, off, stage) : reset_at(d, e, e->y, stage);
  jarena_restore(&w->arena, mark);
  return status;
}

jo_status jsens_adjoint_event(jsens_adjoint* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  jsens_walk_find_cause(w, e);
  if (e->what->nreset > 0) return reset_event_back(d, e);
  if (jsens_walk_jumps(w, e)) return jump_back(d, e);
  if (d->estimates && !w->opt->frozen) {
    return doubtful_back(d, e, pass_smoothly, d->y_mixed, NULL);
  }
  return smooth_back(d, e, e->y);
}
