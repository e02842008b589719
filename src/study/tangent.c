// SPDX-License-Identifier: Apache-2.0
// The direct method: S = dy/dp carried forward along a recorded run. docs/theory/sensitivity.md
//   step     the Runge-Kutta step itself, differentiated: dk_i = f_y dY_i + f_p          (S1)
//   closure  S_v = -J_v^-1 (h_u S_u + h_p) after every step                              (S2)
//   event    S+ = S- + (f- - f+) dt*,  dt* = -(g_y S- + g_p) / (g_t + g_y f-)            (S3)
//            and through the impulse where driven coordinates jump                       (S4)
//   error    of each step by the embedded method, carried along by probes                (S15)
//   implicit steps: stages as what they solve                                            (S13)
#include <math.h>
#include <string.h>

#include "study/walk.h"

#define MAX_TRACE 2000000  // steps and numbers whose errors are kept one by one

// Lanes behind the numbers: what errors of derivatives, and errors of the motion, come to.
enum { PROBE_S, PROBE_Y, PROBES };

// Several numbers in lanes; behind the last of them probes, which follow no number.
typedef struct pack {
  double* S;                  // ny x lanes
  double* dp;                 // nw x lanes: unit seeds
  double* dt_first;           // of the last event that was not a consequence of another (lanes)
  double *S0, *D0, *D1;       // for samples inside of a step: at its start, slopes at both ends
  double* dk[JSTUDY_SLOPES];  // ny x lanes
  double* error;              // of the last step (ny x lanes)
} pack;

typedef struct direct {
  jstudy_walk* w;
  int lanes, npack;
  pack* pack;
  double *dY, *ydot, *dg, *zero, *one, *dt, *dP, *dd;
  double *y, *y_mixed, *P;
  double* times;  // of an event, all packs
  double* still;  // no number moves (nw x lanes)
  int nevent;
  double* column;  // one lane after another (ny x lanes)
  // error estimate
  int nprobe;
  int open;             // entry whose error lacks the slope at its end; -1: none
  double open_weight;   // of that slope
  double* local;        // by number: errors of the steps, added up
  jstudy_trace* trace;  // by number; of all together where there are too many
  int ntrace;
  const double* unit;  // by number: what a change of it is measured by
  double* motion;      // error of the motion in a step, but for its last slope (ny)
  double* push;        // what the probes get at the end of the step (ny x nprobe)
  // samples for the observer
  int64_t next;                 // of the grid
  double *y0, *f0, *f1;         // of the step
  double *y_at, *S_at;          // at a sample
  double *out, *dout;           // noutput, noutput x nw
  double *dout_error, *probed;  // the same, noutput x nprobe
} direct;

static double* vector(direct* d, int n) {
  return jstudy_walk_vector(d->w, (size_t)(n + 1) * (size_t)d->lanes);
}

// Explicit steps take one pack after the other and can share; implicit ones take them stage by stage.
static bool allocate_slopes(direct* d, pack* p) {
  bool is_shared = !d->w->scheme[1].tab && p != d->pack;
  for (int i = 0; i < JSTUDY_SLOPES; i++) {
    // the first two also keep what an event is taken again from
    p->dk[i] = is_shared && i > 1 ? d->pack[0].dk[i] : vector(d, d->w->ny);
    if (!p->dk[i]) return false;
  }
  return true;
}

static bool allocate_traces(direct* d) {
  jstudy_walk* w = d->w;
  d->ntrace = (int64_t)w->nw * w->record->nentry <= MAX_TRACE ? w->nw : 1;
  d->trace = JARENA_ARRAY(&w->arena, d->ntrace + 1, jstudy_trace);
  for (int k = 0; d->trace && k < d->ntrace; k++) {
    if (!jstudy_trace_begin(w, &d->trace[k])) return false;
  }
  return d->trace != NULL;
}

static bool allocate_estimate(direct* d) {
  jstudy_walk* w = d->w;
  d->local = JARENA_ARRAY(&w->arena, w->nw + 1, double);
  d->push = JARENA_ARRAY(&w->arena, w->ny * d->nprobe + 1, double);
  d->motion = JARENA_ARRAY(&w->arena, w->ny + 1, double);
  if (!d->local || !d->push || !d->motion || !allocate_traces(d)) return false;
  d->unit = w->sens->unit;
  return true;
}

static jo_status allocate(direct* d) {
  jstudy_walk* w = d->w;
  const jgen_dynamics* m = w->d;
  d->lanes = w->sens->tangents->kernel[0].lanes;
  d->nprobe = w->opt->estimate ? PROBES : 0;
  d->npack = (w->nw + d->nprobe + d->lanes - 1) / d->lanes;
  d->open = -1;
  d->pack = JARENA_ARRAY(&w->arena, d->npack + 1, pack);
  double** array[] = {&d->dY, &d->ydot, &d->dg,      &d->zero, &d->one, &d->dt,
                      &d->dP, &d->dd,   &d->y_mixed, &d->P,    &d->y,   &d->column};
  int most = w->ny > m->noutput ? w->ny : m->noutput;
  if (m->nswitch > most) most = m->nswitch;
  d->times = vector(d, d->npack);
  d->still = vector(d, w->nw);
  bool ok = d->pack && d->times && d->still;
  for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
    *array[i] = vector(d, most);
    ok = ok && *array[i];
  }
  for (int k = 0; ok && k < d->npack; k++) {
    pack* p = &d->pack[k];
    *p = (pack){.S = vector(d, w->ny), .dp = vector(d, w->nw), .dt_first = vector(d, 1)};
    p->error = vector(d, w->ny);
    ok = p->S && p->dp && p->dt_first && p->error && allocate_slopes(d, p);
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
  return ok && allocate_estimate(d) ? JO_OK : jerr_memory(w->ctx);
}

// ---- steps ---------------------------------------------------------------------------------------

static void keep_start(direct* d, const jstudy_entry* e);

static void open_complete(direct* d, int q);

// Stages with their derivatives; the first pack also finds the arguments of the stages.
static void pack_step(direct* d, const jstudy_entry* e, int q) {
  jstudy_walk* w = d->w;
  const jstudy_scheme* s = jstudy_walk_scheme(w, e);
  pack* p = &d->pack[q];
  int n = w->ny * d->lanes;
  double h = e->t1 - e->t;
  for (int i = 0; i < s->tab->stages; i++) {
    if (i > 0) jsolve_combine(n, p->S, h, &s->a[i], p->dk, d->dY);
    if (q == 0) jsolve_combine(w->ny, d->y, h, &s->a[i], w->k, w->Y[i]);
    jstudy_point at = {.t = jstudy_walk_stage_time(w, e, i), .y = w->Y[i]};
    at.dy = i > 0 ? d->dY : p->S;
    at.dp = p->dp;
    jstudy_walk_tangent(w, JSTUDY_T_RHS, &at, (double* const[]){d->ydot, p->dk[i]});
    for (int r = 0; q == 0 && r < w->ny; r++) {
      w->k[i][r] = d->ydot[r * d->lanes];
    }
    if (i == 0 && d->open >= 0) open_complete(d, q);
  }
  jsolve_combine(n, p->S, h, &s->b, p->dk, d->dY);
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

// ---- error of the steps ---------------------------------------------------------------------------

static double sign_of(int number) {
  uint32_t x = 2654435761u * (uint32_t)(number + 1) + 40503u;
  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  return x & 1u ? 1.0 : -1.0;
}

static bool is_followed(const jgen_dynamics* m, int i) {
  return i < m->part.nu || i >= m->at_qdu;
}

// Sizes in one lane, in the scales of the states, of the first n of them.
static double size_of(const direct* d, const double* x, int lane, int n) {
  const double* scale = d->w->run->system.error_scale;
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    double v = is_followed(d->w->d, i) ? x[i * d->lanes + lane] / scale[i] : 0.0;
    sum += v * v;
  }
  return sqrt(sum);
}

// What a step did to the derivative by number k.
static void note_step(direct* d, const pack* p, int lane, int k, int entry) {
  jstudy_trace* t = &d->trace[d->ntrace > 1 ? k : 0];
  int n = d->w->d->at_objective;
  double unit = d->ntrace > 1 ? 1.0 : d->unit[k];
  jstudy_trace_note(t, entry, unit * size_of(d, p->S, lane, n),
                    unit * size_of(d, p->error, lane, n));
}

// (S15)  the local error of a step: what it says of the step itself, and what the probes carry on
static void account(direct* d, int q, int entry) {
  jstudy_walk* w = d->w;
  pack* p = &d->pack[q];
  for (int l = 0; l < d->lanes && q * d->lanes + l < w->nw; l++) {
    int k = q * d->lanes + l;
    if (w->sens->why[k]) continue;
    if (entry >= 0) note_step(d, p, l, k, entry);
    d->local[k] += size_of(d, p->error, l, w->ny);
    double weight = sign_of(k) * d->unit[k];
    for (int i = 0; i < w->ny; i++) {
      d->push[PROBE_S * w->ny + i] += weight * p->error[i * d->lanes + l];
    }
  }
}

// What was accounted for goes to the probes.
static void push_probes(direct* d) {
  jstudy_walk* w = d->w;
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
static void open_complete(direct* d, int q) {
  pack* p = &d->pack[q];
  for (int i = 0; q == 0 && i < d->w->ny; i++) {
    d->push[PROBE_Y * d->w->ny + i] += d->open_weight * d->ydot[i * d->lanes];
  }
  for (int n = 0; n < d->w->ny * d->lanes; n++) {
    p->error[n] += d->open_weight * p->dk[0][n];
  }
  account(d, q, d->open);
}

// No step follows that begins where the last one ended: evaluate its last slope.
static void open_close(direct* d) {
  jstudy_walk* w = d->w;
  if (d->open < 0) return;
  const jstudy_entry* e = &w->record->entry[d->open];
  jstudy_walk_set_modes(w, jstudy_record_mode(w->record, e->epoch));
  for (int q = 0; q < d->npack; q++) {
    pack* p = &d->pack[q];
    jstudy_point at = {.t = e->t1, .y = d->y, .dy = p->S, .dp = p->dp};
    jstudy_walk_tangent(w, JSTUDY_T_RHS, &at, (double* const[]){d->ydot, p->dk[0]});
    open_complete(d, q);
  }
  push_probes(d);
  d->open = -1;
}

// h sum e_i dk_i without the last slope, which the next step begins with.
static void open_begin(direct* d, int q, const jstudy_entry* e) {
  const jstudy_scheme* s = jstudy_walk_scheme(d->w, e);
  int n = d->w->ny * d->lanes, last = s->e.n - 1;
  jsolve_combination part = s->e;
  if (last >= 0 && part.index[last] == s->tab->stages) part.n--;
  memset(d->dY, 0, (size_t)n * sizeof *d->dY);
  jsolve_combine(n, d->dY, e->t1 - e->t, &part, d->pack[q].dk, d->pack[q].error);
  if (q == 0) jsolve_combine(d->w->ny, d->dY, e->t1 - e->t, &part, d->w->k, d->motion);
}

// ---- the steps -----------------------------------------------------------------------------------

static jo_status explicit_step(direct* d, int i) {
  jstudy_walk* w = d->w;
  const jstudy_entry* e = &w->record->entry[i];
  const jstudy_scheme* s = jstudy_walk_scheme(w, e);
  bool estimates = d->nprobe > 0 && s->tab->is_adaptive;
  for (int q = 0; q < d->npack; q++) {
    pack_step(d, e, q);
    if (estimates) open_begin(d, q, e);
  }
  if (d->open >= 0) push_probes(d);
  if (estimates) memcpy(d->push + PROBE_Y * w->ny, d->motion, (size_t)w->ny * sizeof *d->motion);
  d->open = estimates ? i : -1;
  d->open_weight = (e->t1 - e->t) * s->tab->e[s->tab->stages];
  return JO_OK;
}

// dk = (1 - hγ f_y)^-1 (f_y dbase + f_p) in the lanes of a pack
static void solve_slopes(direct* d, double* dk) {
  int n = d->w->ny, L = d->lanes;
  for (int i = 0; i < n * L; i++) {
    d->column[(i % L) * n + i / L] = dk[i];
  }
  jsolve_implicit_tangent(&d->w->im, d->column, L);
  for (int i = 0; i < n * L; i++) {
    dk[i] = d->column[(i % L) * n + i / L];
  }
}

// One implicit stage of all packs, with argument Y; the last one leaves S at the end of the step.
static jo_status implicit_stage(direct* d, const jstudy_entry* e, int i, const double* Y) {
  jstudy_walk* w = d->w;
  const jstudy_scheme* s = jstudy_walk_scheme(w, e);
  bool is_end = i == s->tab->stages;
  double t = jstudy_walk_stage_time(w, e, i), h = e->t1 - e->t;
  int n = w->ny * d->lanes;
  if (i > 0) JO_TRY(jstudy_walk_matrices(w, e, t, Y));
  for (int q = 0; q < d->npack; q++) {
    pack* p = &d->pack[q];
    if (i == 0) {
      memcpy(d->dY, p->S, (size_t)n * sizeof *d->dY);
    } else {
      jsolve_combine(n, p->S, h, is_end ? &s->b : &s->a[i], p->dk, d->dY);
      pack_close(d, t, Y, d->zero, p, d->dY);
    }
    jstudy_point at = {.t = t, .y = Y, .dy = d->dY, .dp = p->dp};
    jstudy_walk_tangent(w, JSTUDY_T_RHS, &at, (double* const[]){d->ydot, p->dk[i]});
    if (i > 0) solve_slopes(d, p->dk[i]);
    for (int k = 0; is_end && q == 0 && k < w->ny; k++) {
      w->own[i][k] = d->ydot[k * d->lanes];
    }
    for (int k = 0; is_end && k < n; k++) {
      p->S[k] = d->dY[k] + s->tab->gamma * h * p->dk[i][k];
    }
  }
  return JO_OK;
}

static jo_status implicit_step(direct* d, int i, const double* after) {
  jstudy_walk* w = d->w;
  const jstudy_entry* e = &w->record->entry[i];
  const jstudy_scheme* s = jstudy_walk_scheme(w, e);
  int n = w->ny * d->lanes;
  for (int k = 0; k < s->tab->stages; k++) {
    JO_TRY(implicit_stage(d, e, k, w->Y[k]));
  }
  JO_TRY(implicit_stage(d, e, s->tab->stages, after));
  for (int q = 0; d->nprobe > 0 && q < d->npack; q++) {
    memset(d->dY, 0, (size_t)n * sizeof *d->dY);
    jsolve_combine(n, d->dY, e->t1 - e->t, &s->e, d->pack[q].dk, d->pack[q].error);
    account(d, q, i);
  }
  if (d->nprobe == 0) return JO_OK;
  w->k[s->tab->stages] = w->own[s->tab->stages];
  jsolve_combine(w->ny, d->dY, e->t1 - e->t, &s->e, w->k, d->push + PROBE_Y * w->ny);
  push_probes(d);
  return JO_OK;
}

static jo_status take_step(direct* d, int i) {
  jstudy_walk* w = d->w;
  const jstudy_entry* e = &w->record->entry[i];
  if (e->state >= 0)
    memcpy(d->y, jstudy_record_state(w->record, e->state), (size_t)w->ny * sizeof *d->y);
  if (e->is_implicit) open_close(d);
  jstudy_walk_set_modes(w, jstudy_record_mode(w->record, e->epoch));
  keep_start(d, e);
  const double* after = stored_after(w->record, i);
  memcpy(d->y_mixed, d->y, (size_t)w->ny * sizeof *d->y);
  if (e->is_implicit) {
    JO_TRY(jstudy_walk_stages(w, e, d->y_mixed));
    if (!after) JO_TRY(jstudy_walk_end_step(w, e, d->y_mixed, d->y));
    JO_TRY(implicit_step(d, i, after ? after : d->y));
  } else {
    JO_TRY(explicit_step(d, i));
    if (!after) JO_TRY(jstudy_walk_end_step(w, e, d->y_mixed, d->y));
  }
  if (after) memcpy(d->y, after, (size_t)w->ny * sizeof *after);
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
static jo_status smooth_event(direct* d, const jstudy_entry* e, const double* y) {
  jstudy_walk* w = d->w;
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

// The event at a state that is off by as much as a run may be: what becomes of S then is the error that
// the event adds. (S18)
static jo_status doubtful_event(direct* d, const jstudy_entry* e) {
  jstudy_walk* w = d->w;
  size_t bytes = (size_t)(w->ny * d->lanes) * sizeof(double);
  const double* y = jstudy_record_state(w->record, e->state);
  int nevent = d->nevent;
  jstudy_walk_shift(w, y, d->y_mixed);
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
  jstudy_walk_set_modes(w, jstudy_record_mode(w->record, e->epoch));
  JO_TRY(smooth_event(d, e, y));
  for (int q = 0; q < d->npack; q++) {
    for (int n = 0; n < w->ny * d->lanes; n++) {
      d->pack[q].error[n] -= d->pack[q].S[n];
    }
    account(d, q, -1);
  }
  push_probes(d);
  return JO_OK;
}

static jo_status take_event(direct* d, const jstudy_entry* e) {
  jstudy_walk* w = d->w;
  open_close(d);
  jstudy_walk_set_modes(w, jstudy_record_mode(w->record, e->epoch));
  if (jstudy_walk_jumps(w, e)) return jump_event(d, e);
  if (!w->opt->frozen && d->nprobe > 0) return doubtful_event(d, e);
  if (!w->opt->frozen) return smooth_event(d, e, jstudy_record_state(w->record, e->state));
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
  d->dout_error = JARENA_ARRAY(&w->arena, (int64_t)w->d->noutput * w->nw + 1, double);
  d->probed = JARENA_ARRAY(&w->arena, (int64_t)w->d->noutput * d->nprobe + 1, double);
  ok = ok && d->dout_error && d->probed;
  return ok && d->out && d->dout ? JO_OK : jerr_memory(w->ctx);
}

// Derivatives of the outputs in the lanes of one pack.
static void pack_outputs(direct* d, double t, const double* y, int q, const double* S) {
  jstudy_walk* w = d->w;
  jstudy_point at = {.t = t, .y = y, .dy = S, .dp = d->pack[q].dp};
  jstudy_walk_tangent(w, JSTUDY_T_OUTPUT, &at, (double* const[]){d->dg});
  for (int o = 0; o < w->d->noutput; o++) {
    for (int l = 0; l < d->lanes && q * d->lanes + l < w->nw + d->nprobe; l++) {
      int j = q * d->lanes + l;
      double* to =
          j < w->nw ? &d->dout[(int64_t)o * w->nw + j] : &d->probed[o * d->nprobe + j - w->nw];
      *to = d->dg[o * d->lanes + l];
    }
  }
}

static double amplification(const direct* d, const double* carried);

static jo_status tell(direct* d, double t, const double* y) {
  jstudy_walk* w = d->w;
  const jstudy_sens_observer* o = w->opt->observer;
  jstudy_run_outputs(w->run, t, y, d->out);
  for (int i = 0; i < w->d->noutput && d->nprobe > 0; i++) {
    double a = amplification(d, d->probed + i * d->nprobe);
    for (int j = 0; j < w->nw; j++) {
      d->dout_error[(int64_t)i * w->nw + j] = a * d->local[j];
    }
  }
  return o->sample(o->user, t, d->out, d->dout, d->nprobe > 0 ? d->dout_error : NULL);
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
  JO_TRY(jstudy_run_close(w->run, t, d->y_at));
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

// What the probe found, against what it was given: how errors of steps add up to an error of an
// objective's derivative. (S16)
static double amplification(const direct* d, const double* carried) {
  double given = 0.0;
  for (int k = 0; k < d->w->nw; k++) {
    given += pow(d->unit[k] * d->local[k], 2);
  }
  return given > 0.0 ? fabs(carried[PROBE_S]) / sqrt(given) : 0.0;
}

static void finish(direct* d) {
  jstudy_walk* w = d->w;
  jstudy_sens_result* out = w->out;
  int no = w->d->nobjective;
  double* carried = d->column;  // by objective and probe
  for (int k = 0; k < d->npack; k++) {
    jstudy_point at = {.t = w->opt->t_end, .y = w->record->y_end, .dy = d->pack[k].S};
    at.dp = d->pack[k].dp;
    jstudy_walk_tangent(w, JSTUDY_T_OBJECTIVE, &at, (double* const[]){d->dg});
    for (int o = 0; o < no; o++) {
      for (int l = 0; l < d->lanes && k * d->lanes + l < w->nw + d->nprobe; l++) {
        int j = k * d->lanes + l;
        double x = d->dg[o * d->lanes + l];
        if (j < w->nw) {
          out->gradient[o * w->nw + j] = x;
        } else {
          carried[o * d->nprobe + j - w->nw] = x;
        }
      }
    }
  }
  for (int i = 0; i < w->record->nentry && d->nprobe > 0; i++) {
    for (int k = 0; k < d->ntrace; k++) {
      out->rough[i] = fmax(out->rough[i], jstudy_trace_part(&d->trace[k], i));
    }
  }
  for (int k = 0; k < d->ntrace && d->nprobe > 0; k++) {
    jstudy_trace_growth(&d->trace[k], w->record->nentry, false, out->growth);
  }
  for (int o = 0; o < no && d->nprobe > 0; o++) {
    double a = amplification(d, carried + o * d->nprobe);
    out->value_error[o] = fabs(carried[o * d->nprobe + PROBE_Y]);
    for (int j = 0; j < w->nw; j++) {
      out->gradient_error[o * w->nw + j] = a * d->local[j];
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
  open_close(&d);
  finish(&d);
  w->out->nevent = d.nevent;
  return JO_OK;
}
