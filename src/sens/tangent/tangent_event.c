// SPDX-License-Identifier: Apache-2.0
// Derivatives through events. docs/theory/sensitivity.md eqs. (S3), (S4), (S18), docs/theory/discrete.md eq. (E4).
#include <string.h>

#include "sens/tangent/tangent.h"

static void broadcast(const jsens_direct* d, const double* x, double* out) {
  for (int i = 0; i < d->w->ny * d->lanes; i++) {
    out[i] = x[i / d->lanes];
  }
}

// Rate of switching function k along the motion before it.
static double switch_rate(jsens_direct* d, double t, const double* y, const double* f, int k) {
  broadcast(d, f, d->dY);
  jsens_point at = {.t = t, .y = y, .dy = d->dY, .dt = d->one, .dp = d->still};
  jsens_walk_tangent(d->w, JGEN_FN_SWITCHES, &at, (double* const[]){d->dg});
  return d->dg[k * d->lanes];
}

// (S3)  time of the event along each lane
static void event_times(jsens_direct* d, const jsens_entry* e, const double* y, double rate, int k,
                        const jsens_pack* p, double* dt) {
  jsens_point at = {.t = e->t, .y = y, .dy = p->S, .dt = d->zero, .dp = p->dp};
  jsens_walk_tangent(d->w, JGEN_FN_SWITCHES, &at, (double* const[]){d->dg});
  for (int l = 0; l < d->lanes; l++) {
    dt[l] = -d->dg[k * d->lanes + l] / rate;
  }
}

static void note_event(jsens_direct* d, const jsens_entry* e, int k, double rate, int which_pack,
                       const double* dt) {
  jsens_event* v = &d->w->out->event[d->nevent];
  *v = (jsens_event){.t = e->t,
                     .entry = e->index,
                     .which = k,
                     .on = d->w->run->mode[k] < 0.5,
                     .rate = rate,
                     .dt = v->dt};
  v->follows = e->what->follows;
  v->jumps = true;
  for (int l = 0; l < d->lanes; l++) {
    int j = which_pack * d->lanes + l;
    if (j < d->w->nw && v->dt) v->dt[j] = dt[l];
  }
}

// S += sign f dt: the event moves along the motion before it, or after it
static void move_along(const jsens_direct* d, jsens_pack* p, double sign, const double* f,
                       const double* dt) {
  int L = d->lanes;
  for (int n = 0; n < d->w->ny * L; n++) {
    p->S[n] += sign * f[n / L] * dt[n % L];
  }
}

// (S4)  through the impulse: momentum before, loops closed with the new drive, velocities after. y_mixed has the
// dependent coordinates behind it, P the momentum. Modes are those behind it.
static void pack_impulse(jsens_direct* d, const jsens_entry* e, jsens_pack* p, const double* before,
                         const double* mode0, const double* dt) {
  jsens_walk* w = d->w;
  int L = d->lanes;
  jsens_point at = {.t = e->t, .y = before, .mode = mode0, .dy = p->S, .dt = dt, .dp = p->dp};
  jsens_walk_tangent(w, JGEN_FN_MOMENTUM, &at, (double* const[]){d->dP});
  jsens_direct_close(d, e->t, d->y_mixed, dt, p, p->S);
  at = (jsens_point){.t = e->t, .y = d->y_mixed, .momentum = d->P, .dy = p->S};
  at.dt = dt;
  at.dp = p->dp;
  at.dmomentum = d->dP;
  jsens_walk_tangent(w, JGEN_FN_IMPULSE, &at, (double* const[]){d->dd});
  double* rate = p->S + jgen_first(&w->d->layout, JGEN_QDU) * L;
  for (int n = 0; n < w->nu * L; n++) {
    rate[n] += d->dd[n];
  }
}

static bool slope_jumps(const jsens_walk* w) {
  for (int i = 0; i < w->ny; i++) {
    if (w->f_minus[i] != w->f_plus[i]) return true;
  }
  return false;
}

// S += (f before - f after) dt of the event that was noted last
static void flip_smoothly(jsens_direct* d, const jsens_entry* e, const double* y, int k) {
  jsens_walk* w = d->w;
  w->run->mode[k] = 1.0 - w->run->mode[k];
  jsens_walk_slope_behind(w, e->t, y);
  w->out->event[d->nevent - 1].jumps = slope_jumps(w);
  for (int q = 0; q < d->npack; q++) {
    for (int n = 0; n < w->ny * d->lanes; n++) {
      double jump = w->f_minus[n / d->lanes] - w->f_plus[n / d->lanes];
      d->pack[q].S[n] += jump * d->times[q * d->lanes + n % d->lanes];
    }
  }
}

// The same with an impulse of size zero in between: a driven coordinate jumps where numbers are a little different.
static void flip_drive(jsens_direct* d, const jsens_entry* e, const double* y, int k) {
  jsens_walk* w = d->w;
  jplant_call(w->run, JGEN_FN_MOMENTUM, e->t, y, (double* const[]){d->P});
  memcpy(w->modes, w->run->mode, (size_t)w->d->nswitch * sizeof *w->modes);
  if (y != d->y_mixed) memcpy(d->y_mixed, y, (size_t)w->ny * sizeof *y);
  w->run->mode[k] = 1.0 - w->run->mode[k];
  jsens_walk_slope_behind(w, e->t, y);
  for (int q = 0; q < d->npack; q++) {
    const double* dt = d->times + q * d->lanes;
    move_along(d, &d->pack[q], 1.0, w->f_minus, dt);
    pack_impulse(d, e, &d->pack[q], y, w->modes, dt);
    move_along(d, &d->pack[q], -1.0, w->f_plus, dt);
  }
}

// Where the times of switch k at this instant are kept.
static double* kept_times(const jsens_direct* d, const jsens_pack* p, int k) {
  return p->dt_flip + k * d->lanes;
}

// Times of flip i of the event along each lane.
static jo_status flip_times(jsens_direct* d, const jsens_entry* e, const double* y, int i) {
  jsens_walk* w = d->w;
  int k = w->record->flip[e->what->flip + i];
  bool moves = !w->opt->frozen && !w->follows;
  double rate = moves ? switch_rate(d, e->t, y, w->f_minus, k) : 0.0;
  if (moves) JO_TRY(jsens_walk_check_rate(w, e, y, w->f_minus, k, rate));
  for (int q = 0; q < d->npack; q++) {
    jsens_pack* p = &d->pack[q];
    double* mine = d->times + q * d->lanes;
    const double* known = w->opt->frozen ? d->zero : kept_times(d, p, w->cause[i]);
    if (moves) {
      event_times(d, e, y, rate, k, p, mine);
    } else {
      memcpy(mine, known, (size_t)d->lanes * sizeof *mine);
    }
    if (moves) memcpy(kept_times(d, p, k), mine, (size_t)d->lanes * sizeof *mine);
    note_event(d, e, k, rate, q, mine);
  }
  d->nevent++;
  return JO_OK;
}

// One flip at a time
static jo_status smooth_event(jsens_direct* d, const jsens_entry* e, const double* y) {
  jsens_walk* w = d->w;
  bool moves_out = w->moves_out;
  jsens_walk_slope_before(w, e->t, y);
  for (int i = 0; i < e->what->nflip; i++) {
    int k = w->record->flip[e->what->flip + i];
    w->moves_out = i + 1 < e->what->nflip ? w->cause[i] != w->cause[i + 1] : moves_out;
    JO_TRY(flip_times(d, e, y, i));
    (w->drives[k] ? flip_drive : flip_smoothly)(d, e, y, k);
    memcpy(w->f_minus, w->f_plus, (size_t)w->ny * sizeof *w->f_minus);
  }
  return JO_OK;
}

// Time of an event that jumps, along each lane.
static void jump_times(jsens_direct* d, const jsens_entry* e, const double* y, double rate, int k,
                       jsens_pack* p) {
  jsens_walk* w = d->w;
  jsens_walk_set_modes(w, jsens_record_mode(w->record, e->epoch));
  if (w->opt->frozen) {
    memset(d->dt, 0, (size_t)d->lanes * sizeof *d->dt);
  } else if (w->follows) {
    memcpy(d->dt, kept_times(d, p, w->cause[0]), (size_t)d->lanes * sizeof *d->dt);
  } else {
    event_times(d, e, y, rate, k, p, d->dt);
    for (int i = 0; i < e->what->nflip; i++) {
      double* kept = kept_times(d, p, w->record->flip[e->what->flip + i]);
      memcpy(kept, d->dt, (size_t)d->lanes * sizeof *d->dt);
    }
  }
}

// Slope before an event that jumps, and how fast its switch comes to it.
static jo_status begin_jump(jsens_direct* d, const jsens_entry* e, const double* y, int k,
                            double* rate) {
  jsens_walk* w = d->w;
  jsens_walk_slope_before(w, e->t, y);
  if (jsens_walk_has_drive(w, e)) {
    jplant_call(w->run, JGEN_FN_MOMENTUM, e->t, y, (double* const[]){d->P});
  }
  bool moves = !w->opt->frozen && !w->follows;
  *rate = moves ? switch_rate(d, e->t, y, w->f_minus, k) : 0.0;
  return moves ? jsens_walk_check_rate(w, e, y, w->f_minus, k, *rate) : JO_OK;
}

static jo_status jump_event(jsens_direct* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  int v = jgen_first(&w->d->layout, JGEN_QV);
  const double* before = e->y;
  const double* after = e->after;
  const double* mode0 = jsens_record_mode(w->record, e->epoch);
  const double* mode1 = jsens_record_mode(w->record, e->epoch + 1);
  int k = w->record->flip[e->what->flip];
  double rate;
  JO_TRY(begin_jump(d, e, before, k, &rate));
  memcpy(d->y_mixed, before, (size_t)w->ny * sizeof *before);
  memcpy(d->y_mixed + v, after + v, (size_t)w->nv * sizeof *before);
  jsens_walk_set_epoch(w, e->epoch + 1);
  jsens_walk_slope_behind(w, e->t, after);
  for (int q = 0; q < d->npack; q++) {
    jsens_pack* p = &d->pack[q];
    jump_times(d, e, before, rate, k, p);
    note_event(d, e, k, rate, q, d->dt);
    move_along(d, p, 1.0, w->f_minus, d->dt);
    jsens_walk_set_modes(w, mode1);
    pack_impulse(d, e, p, before, mode0, d->dt);
    move_along(d, p, -1.0, w->f_plus, d->dt);
  }
  d->nevent++;
  return JO_OK;
}

// ---- resets ----------------------------------------------------------------------------------------

// (E4)  S <- R_y S + R_t dt + R_p, loops closed behind it
static void pack_reset(jsens_direct* d, const jsens_entry* e, int i, const double* stage,
                       jsens_pack* p, const double* dt) {
  jsens_walk* w = d->w;
  int L = d->lanes;
  jsens_point at = {.t = e->t, .y = stage, .dy = p->S, .dt = dt, .dp = p->dp, .fired = w->fired};
  jsens_walk_fire(w, e, i);
  jsens_walk_tangent(w, JGEN_FN_RESET, &at, (double* const[]){d->dd});
  for (int n = 0; n < w->d->nreset; n++) {
    memcpy(p->S + w->d->reset_state[n] * L, d->dd + n * L, (size_t)L * sizeof *d->dd);
  }
  jsens_direct_close(d, e->t, stage + w->ny, dt, p, p->S);
}

// The event at y, with the states on its way through its resets.
static jo_status reset_at(jsens_direct* d, const jsens_entry* e, const double* y, double* stage) {
  jsens_walk* w = d->w;
  int v = jgen_first(&w->d->layout, JGEN_QV), k = w->record->flip[e->what->flip];
  const double* mode0 = jsens_record_mode(w->record, e->epoch);
  const double* mode1 = jsens_record_mode(w->record, e->epoch + 1);
  bool has_drive = jsens_walk_has_drive(w, e);
  double rate;
  jsens_walk_set_modes(w, mode0);
  JO_TRY(begin_jump(d, e, y, k, &rate));
  JO_TRY(jsens_walk_resets(w, e, y, stage));
  jsens_walk_slope_behind(w, e->t, stage + e->what->nreset * w->ny);
  memcpy(d->y_mixed, y, (size_t)w->ny * sizeof *y);
  memcpy(d->y_mixed + v, stage + v, (size_t)w->nv * sizeof *y);
  for (int q = 0; q < d->npack; q++) {
    jsens_pack* p = &d->pack[q];
    jump_times(d, e, y, rate, k, p);
    note_event(d, e, k, rate, q, d->dt);
    move_along(d, p, 1.0, w->f_minus, d->dt);
    jsens_walk_set_modes(w, mode1);
    if (has_drive) pack_impulse(d, e, p, y, mode0, d->dt);
    for (int i = 0; i < e->what->nreset; i++) {
      pack_reset(d, e, i, stage + i * w->ny, p, d->dt);
    }
    if (e->what->ends) memcpy(p->dt_end, d->dt, (size_t)d->lanes * sizeof *d->dt);
    if (!e->what->ends) move_along(d, p, -1.0, w->f_plus, d->dt);
  }
  d->nevent++;
  return JO_OK;
}

// One way through an event: at the state of the run, or at another.
typedef jo_status (*passage)(jsens_direct* d, const jsens_entry* e, const double* y, double* stage);

static jo_status pass_smoothly(jsens_direct* d, const jsens_entry* e, const double* y,
                               double* stage) {
  (void)stage;
  return smooth_event(d, e, y);
}

// The event at a state that is off by as much as a run may be: what becomes of S then is the error that
// the event adds. (S18)
static jo_status doubtful_event(jsens_direct* d, const jsens_entry* e, passage pass, double* off,
                                double* stage) {
  jsens_walk* w = d->w;
  size_t bytes = (size_t)(w->ny * d->lanes) * sizeof(double);
  size_t times = (size_t)(w->d->nswitch * d->lanes) * sizeof(double);
  const double* y = e->y;
  int nevent = d->nevent;
  jsens_walk_shift(w, y, off);
  for (int q = 0; q < d->npack; q++) {
    memcpy(d->pack[q].dk[0], d->pack[q].S, bytes);
    memcpy(d->pack[q].dt_kept, d->pack[q].dt_flip, times);
  }
  JO_TRY(pass(d, e, off, stage));
  d->nevent = nevent;
  for (int q = 0; q < d->npack; q++) {
    memcpy(d->pack[q].error, d->pack[q].S, bytes);
    memcpy(d->pack[q].S, d->pack[q].dk[0], bytes);
    memcpy(d->pack[q].dt_flip, d->pack[q].dt_kept, times);
  }
  jsens_walk_set_epoch(w, e->epoch);
  JO_TRY(pass(d, e, y, stage));
  for (int q = 0; q < d->npack; q++) {
    for (int n = 0; n < w->ny * d->lanes; n++) {
      d->pack[q].error[n] -= d->pack[q].S[n];
    }
    jsens_direct_account(d, q, -1);
  }
  jsens_direct_push(d);
  return JO_OK;
}

static jo_status reset_event(jsens_direct* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  jarena_mark mark = jarena_save(&w->arena);
  double* stage = JARENA_ARRAY(&w->arena, (e->what->nreset + 2) * w->ny, double);
  if (!stage) return jerr_memory(w->ctx);
  double* off = stage + (e->what->nreset + 1) * w->ny;
  bool doubts = !w->opt->frozen && d->nprobe > 0;
  jo_status status =
      doubts ? doubtful_event(d, e, reset_at, off, stage) : reset_at(d, e, e->y, stage);
  jarena_restore(&w->arena, mark);
  return status;
}

jo_status jsens_direct_event(jsens_direct* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  jsens_direct_settle(d);
  jsens_walk_set_epoch(w, e->epoch);
  jsens_walk_find_cause(w, e);
  if (e->what->nreset > 0) return reset_event(d, e);
  if (jsens_walk_jumps(w, e)) return jump_event(d, e);
  if (!w->opt->frozen && d->nprobe > 0) {
    return doubtful_event(d, e, pass_smoothly, d->y_mixed, NULL);
  }
  if (!w->opt->frozen || jsens_walk_has_drive(w, e)) return smooth_event(d, e, e->y);
  for (int i = 0; i < e->what->nflip; i++, d->nevent++) {
    for (int q = 0; q < d->npack; q++) {
      note_event(d, e, w->record->flip[e->what->flip + i], 0.0, q, d->zero);
    }
  }
  return JO_OK;
}
