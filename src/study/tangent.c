// SPDX-License-Identifier: Apache-2.0
// The direct method: S = dy/dp carried forward along a recorded run. docs/theory/sensitivity.md
//   step     the Runge-Kutta step itself, differentiated: dk_i = f_y dY_i + f_p          (S1)
//   closure  S_v = -J_v^-1 (h_u S_u + h_p) after every step                              (S2)
//   event    S+ = S- + (f- - f+) dt*,  dt* = -(g_y S- + g_p) / (g_t + g_y f-)            (S3)
//            and through the impulse where driven coordinates jump                       (S4)
#include <math.h>
#include <string.h>

#include "study/walk.h"

// Several numbers in lanes.
typedef struct pack {
  double* S;             // ny x lanes
  double* dp;            // nw x lanes: unit seeds
  double* dt_first;      // of the last event that was not a consequence of another (lanes)
  double *S0, *D0, *D1;  // for samples inside of a step: at its start, slopes at both ends
} pack;

typedef struct direct {
  jstudy_walk* w;
  int lanes, npack;
  pack* pack;
  double* dk[JSOLVE_MAX_STAGES];  // ny x lanes
  double *dY, *ydot, *dg, *zero, *one, *dt, *dP, *dd;
  double *y, *y_mixed, *P;
  double* times;  // of an event, all packs
  double* still;  // no number moves (nw x lanes)
  int nevent;
  // samples for the observer
  int64_t next;          // of the grid
  double *y0, *f0, *f1;  // of the step
  double *y_at, *S_at;   // at a sample
  double *out, *dout;    // noutput, noutput x nw
} direct;

static double* vector(direct* d, int n) {
  return jstudy_walk_vector(d->w, (size_t)(n + 1) * (size_t)d->lanes);
}

static jo_status allocate(direct* d) {
  jstudy_walk* w = d->w;
  const jgen_dynamics* m = w->d;
  d->lanes = w->sens->tangents->kernel[0].lanes;
  d->npack = (w->nw + d->lanes - 1) / d->lanes;
  d->pack = JARENA_ARRAY(&w->arena, d->npack + 1, pack);
  double** array[] = {&d->dY, &d->ydot, &d->dg,      &d->zero, &d->one, &d->dt,
                      &d->dP, &d->dd,   &d->y_mixed, &d->P,    &d->y};
  int most = w->ny > m->noutput ? w->ny : m->noutput;
  if (m->nswitch > most) most = m->nswitch;
  d->times = vector(d, d->npack);
  d->still = vector(d, w->nw);
  bool ok = d->pack && d->times && d->still;
  for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
    *array[i] = vector(d, most);
    ok = ok && *array[i];
  }
  for (int i = 0; i < w->tab->stages; i++) {
    d->dk[i] = vector(d, w->ny);
    ok = ok && d->dk[i];
  }
  for (int k = 0; ok && k < d->npack; k++) {
    pack* p = &d->pack[k];
    *p = (pack){.S = vector(d, w->ny), .dp = vector(d, w->nw), .dt_first = vector(d, 1)};
    ok = p->S && p->dp && p->dt_first;
    for (int l = 0; ok && l < d->lanes; l++) {
      int j = k * d->lanes + l;
      if (j < w->nw) p->dp[j * d->lanes + l] = 1.0;
      for (int i = 0; j < w->nw && i < w->ny; i++) {
        p->S[i * d->lanes + l] = w->S0[i + (int64_t)j * w->ny];
      }
    }
  }
  for (int l = 0; ok && l < d->lanes; l++) {
    d->one[l] = 1.0;
  }
  return ok ? JO_OK : jerr_memory(w->ctx);
}

// ---- steps ---------------------------------------------------------------------------------------

static void keep_start(direct* d, const jstudy_entry* e);

// Stages with their derivatives; the first pack also finds the arguments of the stages.
static void pack_step(direct* d, const jstudy_entry* e, pack* p, bool first) {
  jstudy_walk* w = d->w;
  const jsolve_tableau* tab = w->tab;
  int n = w->ny * d->lanes;
  double h = e->t1 - e->t;
  for (int i = 0; i < tab->stages; i++) {
    if (i > 0) jsolve_combine(n, p->S, h, &w->a[i], d->dk, d->dY);
    if (first) jsolve_combine(w->ny, d->y, h, &w->a[i], w->k, w->Y[i]);
    jstudy_point at = {.t = jstudy_walk_stage_time(w, e, i), .y = w->Y[i]};
    at.dy = i > 0 ? d->dY : p->S;
    at.dp = p->dp;
    jstudy_walk_tangent(w, JSTUDY_T_RHS, &at, (double* const[]){d->ydot, d->dk[i]});
    for (int r = 0; first && r < w->ny; r++) {
      w->k[i][r] = d->ydot[r * d->lanes];
    }
  }
  jsolve_combine(n, p->S, h, &w->b, d->dk, d->dY);
  memcpy(p->S, d->dY, (size_t)n * sizeof *p->S);
}

static void pack_close(direct* d, double t, const double* y, const double* dt, pack* p, double* S) {
  jstudy_walk* w = d->w;
  if (w->nv == 0) return;
  jstudy_point at = {.t = t, .y = y, .dy = S, .dt = dt, .dp = p->dp};
  jstudy_walk_tangent(w, JSTUDY_T_CLOSE, &at, (double* const[]){d->dd});
  memcpy(S + w->d->at_qv * d->lanes, d->dd, (size_t)(w->nv * d->lanes) * sizeof *S);
}

// The state after an entry, where it is stored.
static const double* stored_after(const jstudy_record* r, int i) {
  if (i + 1 == r->nentry) return r->y_end;
  return r->entry[i + 1].state >= 0 ? jstudy_record_state(r, r->entry[i + 1].state) : NULL;
}

static jo_status take_step(direct* d, int i) {
  jstudy_walk* w = d->w;
  const jstudy_entry* e = &w->record->entry[i];
  jstudy_walk_set_modes(w, jstudy_record_mode(w->record, e->epoch));
  if (e->state >= 0)
    memcpy(d->y, jstudy_record_state(w->record, e->state), (size_t)w->ny * sizeof *d->y);
  keep_start(d, e);
  for (int k = 0; k < d->npack; k++) {
    pack_step(d, e, &d->pack[k], k == 0);
  }
  const double* after = stored_after(w->record, i);
  if (after) {
    memcpy(d->y, after, (size_t)w->ny * sizeof *after);
  } else {
    memcpy(d->y_mixed, d->y, (size_t)w->ny * sizeof *d->y);
    JO_TRY(jstudy_walk_end_step(w, e, d->y_mixed, d->y));
  }
  for (int k = 0; k < d->npack; k++) {
    pack_close(d, e->t1, d->y, d->zero, &d->pack[k], d->pack[k].S);
  }
  return JO_OK;
}

// ---- events --------------------------------------------------------------------------------------

static void broadcast(const direct* d, const double* x, double* out) {
  for (int i = 0; i < d->w->ny * d->lanes; i++) {
    out[i] = x[i / d->lanes];
  }
}

// Rate of switching function k along the motion before it.
static double switch_rate(direct* d, double t, const double* y, const double* f, int k) {
  broadcast(d, f, d->dY);
  jstudy_point at = {.t = t, .y = y, .dy = d->dY, .dt = d->one, .dp = d->still};
  jstudy_walk_tangent(d->w, JSTUDY_T_SWITCH, &at, (double* const[]){d->dg});
  return d->dg[k * d->lanes];
}

static jo_status fail_grazing(const jstudy_walk* w, double t, int k) {
  return jerr_set(w->ctx, JO_ERR_NUMERIC,
                  "event '%s' at t = %.9g s only grazes: its time has no derivative; use frozen "
                  "events, or another value of the parameters",
                  w->d->sw[k].text, t);
}

// (S3)  time of the event along each lane
static void event_times(direct* d, const jstudy_entry* e, const double* y, double rate, int k,
                        const pack* p, double* dt) {
  jstudy_point at = {.t = e->t, .y = y, .dy = p->S, .dt = d->zero, .dp = p->dp};
  jstudy_walk_tangent(d->w, JSTUDY_T_SWITCH, &at, (double* const[]){d->dg});
  for (int l = 0; l < d->lanes; l++) {
    dt[l] = -d->dg[k * d->lanes + l] / rate;
  }
}

static void note_event(direct* d, const jstudy_entry* e, int k, double rate, int which_pack,
                       const double* dt) {
  jstudy_sens_event* v = &d->w->out->event[d->nevent];
  *v = (jstudy_sens_event){
      .t = e->t, .which = k, .on = d->w->run->mode[k] < 0.5, .rate = rate, .dt = v->dt};
  v->follows = e->follows;
  for (int l = 0; l < d->lanes; l++) {
    int j = which_pack * d->lanes + l;
    if (j < d->w->nw && v->dt) v->dt[j] = dt[l];
  }
}

// One flip at a time: S += (f before - f after) dt
static jo_status smooth_event(direct* d, const jstudy_entry* e) {
  jstudy_walk* w = d->w;
  const double* y = jstudy_record_state(w->record, e->state);
  w->run->system.rhs(w->run, e->t, y, w->f_minus);
  for (int i = 0; i < e->nflip; i++) {
    int k = w->record->flip[e->flip + i];
    double rate = e->follows ? 0.0 : switch_rate(d, e->t, y, w->f_minus, k);
    if (!e->follows && !(fabs(rate) > 0.0)) return fail_grazing(w, e->t, k);
    for (int q = 0; q < d->npack; q++) {
      pack* p = &d->pack[q];
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
    w->run->system.rhs(w->run, e->t, y, w->f_plus);
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
static void pack_jump(direct* d, const jstudy_entry* e, pack* p, const double* dt) {
  jstudy_walk* w = d->w;
  const jgen_dynamics* m = w->d;
  const double* before = jstudy_record_state(w->record, e->state);
  const double* mode0 = jstudy_record_mode(w->record, e->epoch);
  const double* mode1 = jstudy_record_mode(w->record, e->epoch + 1);
  int L = d->lanes;
  for (int n = 0; n < w->ny * L; n++) {
    p->S[n] += w->f_minus[n / L] * dt[n % L];
  }
  jstudy_point at = {.t = e->t, .y = before, .mode = mode0, .dy = p->S, .dt = dt, .dp = p->dp};
  jstudy_walk_tangent(w, JSTUDY_T_MOMENTUM, &at, (double* const[]){d->dP});
  jstudy_walk_set_modes(w, mode1);
  pack_close(d, e->t, d->y_mixed, dt, p, p->S);
  at = (jstudy_point){.t = e->t, .y = d->y_mixed, .mode = mode1, .momentum = d->P, .dy = p->S};
  at.dt = dt;
  at.dp = p->dp;
  at.dmomentum = d->dP;
  jstudy_walk_tangent(w, JSTUDY_T_IMPULSE, &at, (double* const[]){d->dd});
  for (int n = 0; n < w->nu * L; n++) {
    p->S[m->at_qdu * L + n] += d->dd[n];
  }
  for (int n = 0; n < w->ny * L; n++) {
    p->S[n] -= w->f_plus[n / L] * dt[n % L];
  }
}

static jo_status jump_event(direct* d, const jstudy_entry* e) {
  jstudy_walk* w = d->w;
  const jgen_dynamics* m = w->d;
  const double* before = jstudy_record_state(w->record, e->state);
  const double* after = jstudy_record_state(w->record, e->after);
  int k = w->record->flip[e->flip];
  w->run->system.rhs(w->run, e->t, before, w->f_minus);
  const double* in[JGEN_GROUP_COUNT] = {
      [JGEN_P] = w->run->p, [JGEN_T] = &e->t, [JGEN_Y] = before, [JGEN_MODE] = w->run->mode};
  const jkernel* momentum = w->sens->plant->momentum;
  jkernel_eval(momentum, in, (double* const[]){d->P},
               w->run->work[momentum - w->sens->plant->kernels->kernel]);
  double rate = w->opt->frozen || e->follows ? 0.0 : switch_rate(d, e->t, before, w->f_minus, k);
  if (!w->opt->frozen && !e->follows && !(fabs(rate) > 0.0)) return fail_grazing(w, e->t, k);
  memcpy(d->y_mixed, before, (size_t)w->ny * sizeof *before);
  memcpy(d->y_mixed + m->at_qv, after + m->at_qv, (size_t)w->nv * sizeof *before);
  jstudy_walk_set_modes(w, jstudy_record_mode(w->record, e->epoch + 1));
  w->run->system.rhs(w->run, e->t, after, w->f_plus);
  for (int q = 0; q < d->npack; q++) {
    pack* p = &d->pack[q];
    jstudy_walk_set_modes(w, jstudy_record_mode(w->record, e->epoch));
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

static jo_status take_event(direct* d, const jstudy_entry* e) {
  jstudy_walk* w = d->w;
  jstudy_walk_set_modes(w, jstudy_record_mode(w->record, e->epoch));
  if (jstudy_walk_jumps(w, e)) return jump_event(d, e);
  if (!w->opt->frozen) return smooth_event(d, e);
  for (int i = 0; i < e->nflip; i++, d->nevent++) {
    for (int q = 0; q < d->npack; q++) {
      note_event(d, e, w->record->flip[e->flip + i], 0.0, q, d->zero);
    }
  }
  return JO_OK;
}

// ---- samples -------------------------------------------------------------------------------------

static jo_status allocate_samples(direct* d) {
  jstudy_walk* w = d->w;
  const jstudy_sens_observer* o = w->opt->observer;
  if (!o) return JO_OK;
  double** array[] = {&d->y0, &d->f0, &d->f1, &d->y_at, &d->S_at};
  bool ok = true;
  for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
    *array[i] = vector(d, w->ny);
    ok = ok && *array[i];
  }
  for (int k = 0; k < d->npack; k++) {
    pack* p = &d->pack[k];
    p->S0 = vector(d, w->ny);
    p->D0 = vector(d, w->ny);
    p->D1 = vector(d, w->ny);
    ok = ok && p->S0 && p->D0 && p->D1;
  }
  d->out = JARENA_ARRAY(&w->arena, w->d->noutput + 1, double);
  d->dout = JARENA_ARRAY(&w->arena, (int64_t)w->d->noutput * w->nw + 1, double);
  return ok && d->out && d->dout ? JO_OK : jerr_memory(w->ctx);
}

// Derivatives of the outputs in the lanes of one pack.
static void pack_outputs(direct* d, double t, const double* y, int q, const double* S) {
  jstudy_walk* w = d->w;
  jstudy_point at = {.t = t, .y = y, .dy = S, .dp = d->pack[q].dp};
  jstudy_walk_tangent(w, JSTUDY_T_OUTPUT, &at, (double* const[]){d->dg});
  for (int o = 0; o < w->d->noutput; o++) {
    for (int l = 0; l < d->lanes && q * d->lanes + l < w->nw; l++) {
      d->dout[(int64_t)o * w->nw + q * d->lanes + l] = d->dg[o * d->lanes + l];
    }
  }
}

static jo_status tell(direct* d, double t, const double* y) {
  const jstudy_sens_observer* o = d->w->opt->observer;
  jstudy_run_outputs(d->w->run, t, y, d->out);
  return o->sample(o->user, t, d->out, d->dout);
}

// At the state and the derivatives the walk has come to.
static jo_status sample_here(direct* d, double t) {
  if (!d->w->opt->observer) return JO_OK;
  for (int q = 0; q < d->npack; q++) {
    pack_outputs(d, t, d->y, q, d->pack[q].S);
  }
  return tell(d, t, d->y);
}

static double sample_time(const direct* d) {
  const jstudy_sens_options* opt = d->w->opt;
  double step = opt->observer->step, t = opt->t_start + (double)d->next * step;
  return t > opt->t_end - 1e-9 * step ? opt->t_end : t;
}

static bool has_samples(const direct* d, double t1) {
  const jstudy_sens_observer* o = d->w->opt->observer;
  return o && o->step > 0.0 && sample_time(d) < t1;
}

static void slopes(direct* d, double t, const double* y, pack* p, double* f, double* D) {
  jstudy_point at = {.t = t, .y = y, .dy = p->S, .dp = p->dp};
  jstudy_walk_tangent(d->w, JSTUDY_T_RHS, &at, (double* const[]){d->ydot, D});
  for (int r = 0; r < d->w->ny; r++) {
    f[r] = d->ydot[r * d->lanes];
  }
}

static void keep_start(direct* d, const jstudy_entry* e) {
  if (!has_samples(d, e->t1)) return;
  memcpy(d->y0, d->y, (size_t)d->w->ny * sizeof *d->y);
  for (int q = 0; q < d->npack; q++) {
    pack* p = &d->pack[q];
    memcpy(p->S0, p->S, (size_t)(d->w->ny * d->lanes) * sizeof *p->S);
    slopes(d, e->t, d->y, p, d->f0, p->D0);
  }
}

// Cubic Hermite polynomial at x in [0, 1].
static void hermite(double x, double h, const double* y0, const double* f0, const double* y1,
                    const double* f1, int n, double* y) {
  double r = 1.0 - x, a = r * r * (1.0 + 2.0 * x), b = x * x * (1.0 + 2.0 * r);
  for (int i = 0; i < n; i++) {
    y[i] = a * y0[i] + b * y1[i] + h * x * r * (r * f0[i] - x * f1[i]);
  }
}

static jo_status sample_inside(direct* d, const jstudy_entry* e, double t) {
  jstudy_walk* w = d->w;
  double h = e->t1 - e->t, x = (t - e->t) / h;
  hermite(x, h, d->y0, d->f0, d->y, d->f1, w->ny, d->y_at);
  if (w->run->system.project) JO_TRY(w->run->system.project(w->run, t, d->y_at));
  for (int q = 0; q < d->npack; q++) {
    pack* p = &d->pack[q];
    hermite(x, h, p->S0, p->D0, p->S, p->D1, w->ny * d->lanes, d->S_at);
    pack_close(d, t, d->y_at, d->zero, p, d->S_at);
    pack_outputs(d, t, d->y_at, q, d->S_at);
  }
  return tell(d, t, d->y_at);
}

static jo_status sample_step(direct* d, const jstudy_entry* e) {
  const jstudy_sens_observer* o = d->w->opt->observer;
  if (!o) return JO_OK;
  if (o->step <= 0.0) return sample_here(d, e->t1);
  if (has_samples(d, e->t1)) {
    for (int q = 0; q < d->npack; q++) {
      slopes(d, e->t1, d->y, &d->pack[q], d->f1, d->pack[q].D1);
    }
  }
  for (; has_samples(d, e->t1); d->next++) {
    JO_TRY(sample_inside(d, e, sample_time(d)));
  }
  if (sample_time(d) > e->t1) return JO_OK;
  d->next = e->t1 < d->w->opt->t_end ? d->next + 1 : INT64_MAX / 2;
  return sample_here(d, e->t1);
}

static jo_status sample_event(direct* d, const jstudy_entry* e) {
  jstudy_walk* w = d->w;
  if (!w->opt->observer || w->opt->observer->step > 0.0) return JO_OK;
  memcpy(d->y, jstudy_record_state(w->record, e->after), (size_t)w->ny * sizeof *d->y);
  jstudy_walk_set_modes(w, jstudy_record_mode(w->record, e->epoch + 1));
  return sample_here(d, e->t);
}

static jo_status sample_start(direct* d) {
  jstudy_walk* w = d->w;
  if (!w->opt->observer) return JO_OK;
  jstudy_walk_set_modes(w, jstudy_record_mode(w->record, 0));
  const jstudy_entry* e = &w->record->entry[0];
  if (w->record->nentry == 0 || e->state < 0) return JO_OK;
  memcpy(d->y, jstudy_record_state(w->record, e->state), (size_t)w->ny * sizeof *d->y);
  d->next = 1;
  return sample_here(d, w->opt->t_start);
}

// ---- the walk ------------------------------------------------------------------------------------

static jo_status take_entry(direct* d, int i) {
  const jstudy_entry* e = &d->w->record->entry[i];
  if (e->after >= 0) {
    JO_TRY(take_event(d, e));
    return sample_event(d, e);
  }
  JO_TRY(take_step(d, i));
  return sample_step(d, e);
}

static void finish(direct* d) {
  jstudy_walk* w = d->w;
  for (int k = 0; k < d->npack; k++) {
    jstudy_point at = {.t = w->opt->t_end, .y = w->record->y_end, .dy = d->pack[k].S};
    at.dp = d->pack[k].dp;
    jstudy_walk_tangent(w, JSTUDY_T_OBJECTIVE, &at, (double* const[]){d->dg});
    for (int o = 0; o < w->d->nobjective; o++) {
      for (int l = 0; l < d->lanes && k * d->lanes + l < w->nw; l++) {
        w->out->gradient[o * w->nw + k * d->lanes + l] = d->dg[o * d->lanes + l];
      }
    }
  }
}

jo_status jstudy_walk_direct(jstudy_walk* w) {
  direct d = {.w = w};
  JO_TRY(allocate(&d));
  JO_TRY(allocate_samples(&d));
  JO_TRY(sample_start(&d));
  for (int i = 0; i < w->record->nentry; i++) {
    JO_TRY(take_entry(&d, i));
  }
  finish(&d);
  w->out->nevent = d.nevent;
  return JO_OK;
}
