// SPDX-License-Identifier: Apache-2.0
// Derivatives through events. docs/theory/sensitivity.md eqs. (S3), (S4), (S18).
#include <string.h>

#include "sens/tangent.h"

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
  *v = (jsens_event){
      .t = e->t, .which = k, .on = d->w->run->mode[k] < 0.5, .rate = rate, .dt = v->dt};
  v->follows = e->follows;
  for (int l = 0; l < d->lanes; l++) {
    int j = which_pack * d->lanes + l;
    if (j < d->w->nw && v->dt) v->dt[j] = dt[l];
  }
}

// One flip at a time: S += (f before - f after) dt
static jo_status smooth_event(jsens_direct* d, const jsens_entry* e, const double* y) {
  jsens_walk* w = d->w;
  w->run->system.rhs(w->run->system.user, e->t, y, w->f_minus);
  for (int i = 0; i < e->nflip; i++) {
    int k = w->record->flip[e->flip + i];
    double rate = e->follows ? 0.0 : switch_rate(d, e->t, y, w->f_minus, k);
    if (!e->follows) JO_TRY(jsens_walk_check_rate(w, e, y, w->f_minus, k, rate));
    for (int q = 0; q < d->npack; q++) {
      jsens_pack* p = &d->pack[q];
      double* mine = d->times + q * d->lanes;
      if (e->follows) {
        memcpy(mine, p->dt_first, (size_t)d->lanes * sizeof *mine);
      } else {
        event_times(d, e, y, rate, k, p, mine);
        if (i == 0) memcpy(p->dt_first, mine, (size_t)d->lanes * sizeof *mine);
      }
      note_event(d, e, k, rate, q, mine);
    }
    d->nevent++;
    w->run->mode[k] = 1.0 - w->run->mode[k];
    w->run->system.rhs(w->run->system.user, e->t, y, w->f_plus);
    for (int q = 0; q < d->npack; q++) {
      for (int n = 0; n < w->ny * d->lanes; n++) {
        double jump = w->f_minus[n / d->lanes] - w->f_plus[n / d->lanes];
        d->pack[q].S[n] += jump * d->times[q * d->lanes + n % d->lanes];
      }
    }
    memcpy(w->f_minus, w->f_plus, (size_t)w->ny * sizeof *w->f_minus);
  }
  return JO_OK;
}

// (S4)  through the impulse: momentum before, loops closed with the new drive, velocities after
static void pack_jump(jsens_direct* d, const jsens_entry* e, jsens_pack* p, const double* dt) {
  jsens_walk* w = d->w;
  const double* before = jsens_record_state(w->record, e->state);
  const double* mode0 = jsens_record_mode(w->record, e->epoch);
  const double* mode1 = jsens_record_mode(w->record, e->epoch + 1);
  int L = d->lanes;
  for (int n = 0; n < w->ny * L; n++) {
    p->S[n] += w->f_minus[n / L] * dt[n % L];
  }
  jsens_point at = {.t = e->t, .y = before, .mode = mode0, .dy = p->S, .dt = dt, .dp = p->dp};
  jsens_walk_tangent(w, JGEN_FN_MOMENTUM, &at, (double* const[]){d->dP});
  jsens_walk_set_modes(w, mode1);
  jsens_direct_close(d, e->t, d->y_mixed, dt, p, p->S);
  at = (jsens_point){.t = e->t, .y = d->y_mixed, .mode = mode1, .momentum = d->P, .dy = p->S};
  at.dt = dt;
  at.dp = p->dp;
  at.dmomentum = d->dP;
  jsens_walk_tangent(w, JGEN_FN_IMPULSE, &at, (double* const[]){d->dd});
  double* rate = p->S + jgen_first(&w->d->layout, JGEN_QDU) * L;
  for (int n = 0; n < w->nu * L; n++) {
    rate[n] += d->dd[n];
  }
  for (int n = 0; n < w->ny * L; n++) {
    p->S[n] -= w->f_plus[n / L] * dt[n % L];
  }
}

static jo_status jump_event(jsens_direct* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  int v = jgen_first(&w->d->layout, JGEN_QV);
  const double* before = jsens_record_state(w->record, e->state);
  const double* after = jsens_record_state(w->record, e->after);
  int k = w->record->flip[e->flip];
  w->run->system.rhs(w->run->system.user, e->t, before, w->f_minus);
  jplant_call(w->run, JGEN_FN_MOMENTUM, e->t, before, (double* const[]){d->P});
  double rate = w->opt->frozen || e->follows ? 0.0 : switch_rate(d, e->t, before, w->f_minus, k);
  if (!w->opt->frozen && !e->follows) {
    JO_TRY(jsens_walk_check_rate(w, e, before, w->f_minus, k, rate));
  }
  memcpy(d->y_mixed, before, (size_t)w->ny * sizeof *before);
  memcpy(d->y_mixed + v, after + v, (size_t)w->nv * sizeof *before);
  jsens_walk_set_epoch(w, e->epoch + 1);
  w->run->system.rhs(w->run->system.user, e->t, after, w->f_plus);
  for (int q = 0; q < d->npack; q++) {
    jsens_pack* p = &d->pack[q];
    jsens_walk_set_epoch(w, e->epoch);
    if (w->opt->frozen) {
      memset(d->dt, 0, (size_t)d->lanes * sizeof *d->dt);
    } else if (e->follows) {
      memcpy(d->dt, p->dt_first, (size_t)d->lanes * sizeof *d->dt);
    } else {
      event_times(d, e, before, rate, k, p, d->dt);
      memcpy(p->dt_first, d->dt, (size_t)d->lanes * sizeof *d->dt);
    }
    note_event(d, e, k, rate, q, d->dt);
    pack_jump(d, e, p, d->dt);
  }
  d->nevent++;
  return JO_OK;
}

// The event at a state that is off by as much as a run may be: what becomes of S then is the error that
// the event adds. (S18)
static jo_status doubtful_event(jsens_direct* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  size_t bytes = (size_t)(w->ny * d->lanes) * sizeof(double);
  const double* y = jsens_record_state(w->record, e->state);
  int nevent = d->nevent;
  jsens_walk_shift(w, y, d->y_mixed);
  for (int q = 0; q < d->npack; q++) {
    memcpy(d->pack[q].dk[0], d->pack[q].S, bytes);
    memcpy(d->pack[q].dk[1], d->pack[q].dt_first, (size_t)d->lanes * sizeof(double));
  }
  JO_TRY(smooth_event(d, e, d->y_mixed));
  d->nevent = nevent;
  for (int q = 0; q < d->npack; q++) {
    memcpy(d->pack[q].error, d->pack[q].S, bytes);
    memcpy(d->pack[q].S, d->pack[q].dk[0], bytes);
    memcpy(d->pack[q].dt_first, d->pack[q].dk[1], (size_t)d->lanes * sizeof(double));
  }
  jsens_walk_set_epoch(w, e->epoch);
  JO_TRY(smooth_event(d, e, y));
  for (int q = 0; q < d->npack; q++) {
    for (int n = 0; n < w->ny * d->lanes; n++) {
      d->pack[q].error[n] -= d->pack[q].S[n];
    }
    jsens_direct_account(d, q, -1);
  }
  jsens_direct_push(d);
  return JO_OK;
}

jo_status jsens_direct_event(jsens_direct* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  jsens_direct_settle(d);
  jsens_walk_set_epoch(w, e->epoch);
  if (jsens_walk_jumps(w, e)) return jump_event(d, e);
  if (!w->opt->frozen && d->nprobe > 0) return doubtful_event(d, e);
  if (!w->opt->frozen) return smooth_event(d, e, jsens_record_state(w->record, e->state));
  for (int i = 0; i < e->nflip; i++, d->nevent++) {
    for (int q = 0; q < d->npack; q++) {
      note_event(d, e, w->record->flip[e->flip + i], 0.0, q, d->zero);
    }
  }
  return JO_OK;
}
