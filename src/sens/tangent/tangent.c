// SPDX-License-Identifier: Apache-2.0
// The direct method: S = dy/dp carried forward along a recorded run. docs/theory/sensitivity.md
//   step     the Runge-Kutta step itself, differentiated: dk_i = f_y dY_i + f_p          (S1)
//   closure  S_v = -J_v^-1 (h_u S_u + h_p) after every step                              (S2)
//   event    S+ = S- + (f- - f+) dt*,  dt* = -(g_y S- + g_p) / (g_t + g_y f-)            (S3)
//            and through the impulse where driven coordinates jump                       (S4)
//   error    of each step by the embedded method, carried along by probes                (S15)
//   implicit steps: stages as what they solve                                            (S13)
//   mixed steps: their local states likewise                                             (S24)
#include <math.h>
#include <string.h>

#include "sens/replay.h"
#include "sens/tangent/tangent.h"

double* jsens_direct_vector(jsens_direct* d, int n) {
  return jplant_kernels_vector(&d->w->arena, (size_t)(n + 1) * (size_t)d->lanes);
}

// Explicit steps take one pack after the other and can share; implicit and mixed ones take them stage by stage.
static bool allocate_slopes(jsens_direct* d, jsens_pack* p) {
  bool is_shared = !d->w->scheme[1].tab && !d->w->is_mixed && p != d->pack;
  for (int i = 0; i < JSENS_SLOPES; i++) {
    // the first two also keep what an event is taken again from
    p->dk[i] = is_shared && i > 1 ? d->pack[0].dk[i] : jsens_direct_vector(d, d->w->ny);
    if (!p->dk[i]) return false;
  }
  return true;
}

// More probes where lanes are free, as many as there are with the widest vectors: errors are the same on every processor.
static int count_probes(const jsens_walk* w) {
  if (!w->opt->estimate) return 0;
  int n = w->nw + JSENS_PROBES, lanes = jsens_lanes_for(w->sens->nw, JSENS_MAX_LANES);
  int spare = (lanes - n % lanes) % lanes;
  return JSENS_PROBES + (spare < JSENS_MORE_PROBES ? spare : JSENS_MORE_PROBES);
}

jo_status jsens_direct_begin(jsens_direct* d) {
  jsens_walk* w = d->w;
  const jgen_dynamics* m = w->d;
  d->lanes = w->sens->tangents->set->kernel[0].lanes;
  d->nprobe = count_probes(w);
  d->npack = (w->nw + d->nprobe + d->lanes - 1) / d->lanes;
  d->open = -1;
  d->pack = JARENA_ARRAY(&w->arena, d->npack, jsens_pack);
  double** array[] = {&d->dY, &d->ydot, &d->dg,      &d->zero, &d->one, &d->dt,
                      &d->dP, &d->dd,   &d->y_mixed, &d->P,    &d->y,   &d->column};
  int most = w->ny > m->noutput ? w->ny : m->noutput;
  if (m->nswitch > most) most = m->nswitch;
  d->times = jsens_direct_vector(d, d->npack);
  d->still = jsens_direct_vector(d, w->nw);
  d->end_column = JARENA_ARRAY(&w->arena, (int64_t)m->nobjective * (w->nw + d->nprobe), double);
  bool ok = d->pack && d->times && d->still && d->end_column;
  for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
    *array[i] = jsens_direct_vector(d, most);
    ok = ok && *array[i];
  }
  for (int k = 0; ok && k < d->npack; k++) {
    jsens_pack* p = &d->pack[k];
    *p = (jsens_pack){.S = jsens_direct_vector(d, w->ny),
                      .dp = jsens_direct_vector(d, w->nw),
                      .dt_flip = jsens_direct_vector(d, m->nswitch),
                      .dt_kept = jsens_direct_vector(d, m->nswitch),
                      .dt_end = jsens_direct_vector(d, 1)};
    p->error = jsens_direct_vector(d, w->ny);
    ok =
        p->S && p->dp && p->dt_flip && p->dt_kept && p->dt_end && p->error && allocate_slopes(d, p);
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
  return ok && jsens_direct_begin_errors(d) ? JO_OK : jerr_memory(w->ctx);
}

// ---- steps ---------------------------------------------------------------------------------------

// (S24)  what a mixed stage begins with: its local states by their own coefficients
static void begin_local(jsens_direct* d, const jsolve_scheme* s, double h, int i,
                        const jsens_pack* p) {
  const jsolve_local_system* l = &d->w->run->system.local;
  int L = d->lanes;
  const jsolve_combination* a = &s->a_local[i];
  for (int j = 0; j < l->n; j++) {
    size_t at = (size_t)(l->state[j] * L);
    double* dY = memcpy(d->dY + at, p->S + at, (size_t)L * sizeof *d->dY);
    for (int k = 0; k < a->n; k++) {
      const double *dk = p->dk[a->index[k]] + at, factor = h * a->factor[k];
      for (int m = 0; m < L; m++) {
        dY[m] += factor * dk[m];
      }
    }
  }
}

// (S24)  slopes of a mixed stage from those with dY_z = dY̅_z
static void end_local(const jsens_direct* d, double b, double* dk) {
  jsolve_local_solve(&d->w->local, false, dk, d->lanes);
  jsens_walk_gain(d->w, false, b, dk, d->lanes);
}

// The slope of the state, which all lanes have.
static void take_slope(const jsens_direct* d, double* restrict k) {
  const double* restrict from = d->ydot;
  for (int r = 0, n = d->w->ny, lanes = d->lanes; r < n; r++) {
    k[r] = from[r * lanes];
  }
}

void jsens_direct_stage(jsens_direct* d, const jsolve_scheme* s, int q, int i, double t, double h) {
  jsens_walk* w = d->w;
  jsens_pack* p = &d->pack[q];
  if (i > 0) w->lanes->combine(w->ny * d->lanes, p->S, h, &s->a[i], p->dk, d->dY);
  jsens_point at = {.t = t, .y = w->Y[i], .dy = i > 0 ? d->dY : p->S, .dp = p->dp};
  jsens_walk_tangent(w, JGEN_FN_RHS, &at, (double* const[]){d->ydot, p->dk[i]});
  if (q == 0) take_slope(d, w->own[i]);
  if (q == 0) w->k[i] = w->own[i];  // slopes of implicit steps are the record's
  if (i == 0 && d->open >= 0) jsens_direct_complete(d, q);
}

// S at the end of the step; whether its error, but for the last slope, is there, too.
static bool end_pack(jsens_direct* d, const jsolve_scheme* s, double h, jsens_pack* p,
                     bool estimates) {
  jsens_walk* w = d->w;
  int n = w->ny * d->lanes;
  jsolve_combination error = jsens_direct_own_error(s);
  bool is_shared = estimates && jsens_can_share(&s->b, &error);
  if (is_shared) {
    w->lanes->combine_both(n, p->S, h, &s->b, &error, p->dk, d->dY, p->error);
  } else {
    w->lanes->combine(n, p->S, h, &s->b, p->dk, d->dY);
  }
  double* S = p->S;
  p->S = d->dY;
  d->dY = S;
  return is_shared;
}

// Stages with their derivatives, but the first ones that are there; the first pack also finds the arguments of the stages. As
// end_pack().
static bool pack_step(jsens_direct* d, const jsens_entry* e, int q, int done, const double* first,
                      bool estimates) {
  jsens_walk* w = d->w;
  const jsolve_scheme* s = jsens_walk_scheme(w, e);
  jsens_pack* p = &d->pack[q];
  double h = e->t1 - e->t;
  for (int i = done; i < s->tab->stages; i++) {
    if (q == 0) w->lanes->combine(w->ny, d->y, h, &s->a[i], w->k, w->Y[i]);
    jsens_direct_stage(d, s, q, i, jsens_walk_stage_time(w, e, i), h);
    if (q == 0 && i == 0 && first) memcpy(w->k[0], first, (size_t)w->ny * sizeof *first);
  }
  return end_pack(d, s, h, p, estimates);
}

// One mixed stage of all packs.
static jo_status mixed_stage(jsens_direct* d, const jsens_entry* e, int i) {
  jsens_walk* w = d->w;
  const jsolve_scheme* s = jsens_walk_scheme(w, e);
  double h = e->t1 - e->t;
  if (i > 0) JO_TRY(jsens_walk_local(w, e, i));
  for (int q = 0; q < d->npack; q++) {
    jsens_pack* p = &d->pack[q];
    if (i > 0) {
      w->lanes->combine(w->ny * d->lanes, p->S, h, &s->a[i], p->dk, d->dY);
      begin_local(d, s, h, i, p);
    }
    jsens_point at = {.t = jsens_walk_stage_time(w, e, i), .y = w->Y[i], .dp = p->dp};
    at.dy = i > 0 ? d->dY : p->S;
    jsens_walk_tangent(w, JGEN_FN_RHS, &at, (double* const[]){d->ydot, p->dk[i]});
    if (i > 0) end_local(d, h * s->tab->local_gamma, p->dk[i]);
    if (i == 0 && d->open >= 0) jsens_direct_complete(d, q);
  }
  return JO_OK;
}

static jo_status mixed_stages(jsens_direct* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  const jsolve_scheme* s = jsens_walk_scheme(w, e);
  int n = w->ny * d->lanes;
  JO_TRY(jsens_walk_stages(w, e, d->y));
  for (int i = 0; i < s->tab->stages; i++) {
    JO_TRY(mixed_stage(d, e, i));
  }
  for (int q = 0; q < d->npack; q++) {
    jsens_pack* p = &d->pack[q];
    w->lanes->combine(n, p->S, e->t1 - e->t, &s->b, p->dk, d->dY);
    memcpy(p->S, d->dY, (size_t)n * sizeof *p->S);
  }
  return JO_OK;
}

void jsens_direct_close(jsens_direct* d, double t, const double* y, const double* dt, jsens_pack* p,
                        double* S) {
  jsens_walk* w = d->w;
  if (w->nv == 0) return;
  jsens_point at = {.t = t, .y = y, .dy = S, .dt = dt, .dp = p->dp};
  jsens_walk_tangent(w, JGEN_FN_PROJECT, &at, (double* const[]){d->dd});
  memcpy(S + jgen_first(&w->d->layout, JGEN_QV) * d->lanes, d->dd,
         (size_t)(w->nv * d->lanes) * sizeof *S);
}

static jo_status explicit_step(jsens_direct* d, const jsens_entry* e, int done,
                               const double* first) {
  jsens_walk* w = d->w;
  const jsolve_scheme* s = jsens_walk_scheme(w, e);
  bool estimates = d->nprobe > 0 && !jsolve_method_about(s->tab->method)->is_fixed;
  if (w->is_mixed) JO_TRY(mixed_stages(d, e));
  for (int q = 0; q < d->npack; q++) {
    bool has_error = !w->is_mixed && pack_step(d, e, q, q == 0 ? done : 0, first, estimates);
    if (estimates) jsens_direct_open(d, q, e, has_error);
  }
  if (d->open >= 0) jsens_direct_push(d);
  if (estimates)
    memcpy(d->push + JSENS_PROBE_Y * w->ny, d->motion, (size_t)w->ny * sizeof *d->motion);
  d->open = estimates ? e->index : -1;
  d->open_weight = (e->t1 - e->t) * s->tab->e[s->tab->stages];
  return JO_OK;
}

// dk = (1 - hγ f_y)^-1 (f_y dbase + f_p) in the lanes of a pack
static void solve_slopes(jsens_direct* d, double* dk) {
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
static jo_status implicit_stage(jsens_direct* d, const jsens_entry* e, int i, const double* Y) {
  jsens_walk* w = d->w;
  const jsolve_scheme* s = jsens_walk_scheme(w, e);
  bool is_end = i == s->tab->stages;
  double t = jsens_walk_stage_time(w, e, i), h = e->t1 - e->t;
  int n = w->ny * d->lanes;
  if (i > 0) JO_TRY(jsens_walk_matrices(w, e, t, Y));
  for (int q = 0; q < d->npack; q++) {
    jsens_pack* p = &d->pack[q];
    if (i == 0) {
      memcpy(d->dY, p->S, (size_t)n * sizeof *d->dY);
    } else {
      w->lanes->combine(n, p->S, h, is_end ? &s->b : &s->a[i], p->dk, d->dY);
      jsens_direct_close(d, t, Y, d->zero, p, d->dY);
    }
    jsens_point at = {.t = t, .y = Y, .dy = d->dY, .dp = p->dp};
    jsens_walk_tangent(w, JGEN_FN_RHS, &at, (double* const[]){d->ydot, p->dk[i]});
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

static jo_status implicit_step(jsens_direct* d, const jsens_entry* e, const double* after) {
  jsens_walk* w = d->w;
  const jsolve_scheme* s = jsens_walk_scheme(w, e);
  int n = w->ny * d->lanes;
  for (int k = 0; k < s->tab->stages; k++) {
    JO_TRY(implicit_stage(d, e, k, w->Y[k]));
  }
  JO_TRY(implicit_stage(d, e, s->tab->stages, after));
  for (int q = 0; d->nprobe > 0 && q < d->npack; q++) {
    memset(d->dY, 0, (size_t)n * sizeof *d->dY);
    w->lanes->combine(n, d->dY, e->t1 - e->t, &s->e, d->pack[q].dk, d->pack[q].error);
    jsens_direct_account(d, q, e->index);
  }
  if (d->nprobe == 0) return JO_OK;
  w->k[s->tab->stages] = w->own[s->tab->stages];
  w->lanes->combine(w->ny, d->dY, e->t1 - e->t, &s->e, w->k, d->push + JSENS_PROBE_Y * w->ny);
  jsens_direct_push(d);
  return JO_OK;
}

// The state at the end, with loops closed.
static void end_step(jsens_direct* d, const jsens_entry* e, const double* after) {
  memcpy(d->y, after, (size_t)d->w->ny * sizeof *after);
  for (int k = 0; k < d->npack; k++) {
    jsens_direct_close(d, e->t1, d->y, d->zero, &d->pack[k], d->pack[k].S);
  }
}

jo_status jsens_direct_step(jsens_direct* d, const jsens_entry* e, int done, const double* first,
                            const double* after) {
  if (e->is_implicit) {
    JO_TRY(jsens_walk_stages(d->w, e, d->y));
    JO_TRY(implicit_step(d, e, after));
  } else {
    JO_TRY(explicit_step(d, e, done, first));
  }
  end_step(d, e, after);
  return JO_OK;
}

static jo_status take_step(jsens_direct* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  const double *y, *after;
  if (e->is_implicit) jsens_direct_settle(d);
  JO_TRY(jsens_replay_state(w, e->index, &y));
  JO_TRY(jsens_replay_after(w, e->index, &after));
  memcpy(d->y, y, (size_t)w->ny * sizeof *d->y);
  jsens_walk_set_epoch(w, e->epoch);
  jsens_direct_keep(d, e);
  return jsens_direct_step(d, e, 0, jsens_walk_first_slope(w, e->index), after);
}

// ---- the walk ------------------------------------------------------------------------------------

static jo_status take_entry(jsens_direct* d, int i) {
  jsens_entry e = jsens_record_entry(d->w->record, i);
  if (e.what && e.what->is_change) {
    jsens_direct_change(d, &e);
    return JO_OK;
  }
  if (e.what) {
    JO_TRY(jsens_direct_event(d, &e));
    return jsens_direct_sample_event(d, &e);
  }
  JO_TRY(take_step(d, &e));
  return jsens_direct_sample_step(d, &e);
}

// Errors as the probes carried them, by objective and probe, and of the objectives' own integrals.
static void put_errors(jsens_direct* d, const double* carried) {
  jsens_walk* w = d->w;
  jsens_result* out = w->out;
  memset(d->dY, 0, (size_t)(w->ny * d->lanes) * sizeof *d->dY);
  const jmodel_objective* objective = w->sens->plant->model->objective;
  for (int i = 0; i < w->d->nintegral; i++) {
    d->dY[(jgen_first(&w->d->layout, JGEN_INTEGRAL) + i) * d->lanes] = 1.0;
  }
  jsens_point at = {.t = w->record->t_end, .y = w->record->y_end, .dy = d->dY, .dp = d->still};
  at.dt = d->zero;
  jsens_walk_tangent(w, JGEN_FN_OBJECTIVE, &at, (double* const[]){d->dg});
  for (int o = 0; o < w->d->nobjective; o++) {
    double a = jsens_direct_amplification(d, carried + o * d->nprobe);
    const double* summed = d->summed + objective[o].integral * (w->nw + 1);
    double weight = fabs(d->dg[o * d->lanes]);
    out->value_error[o] = fabs(carried[o * d->nprobe + JSENS_PROBE_Y]);
    if (summed[w->nw] != 0.0) out->value_error[o] += weight * fabs(summed[w->nw]);
    for (int j = 0; j < w->nw; j++) {
      double* error = &out->gradient_error[o * w->nw + j];
      *error = a * d->local[j];
      if (summed[j] != 0.0) *error += weight * fabs(summed[j]);
    }
  }
}

// What the steps said of the derivatives by numbers that move anything: others are rounding.
static jo_status put_rough(jsens_direct* d) {
  jsens_result* out = d->w->out;
  int n = d->w->record->nentry;
  for (int k = 0; k < d->ntrace; k++) {
    double unit = d->ntrace > 1 ? d->unit[k] : 1.0;
    if (unit * d->trace[k].largest < JSENS_NOTHING) continue;
    for (int i = 0; i < n; i++) {
      out->rough[i] = fmax(out->rough[i], jsens_trace_part(&d->trace[k], i));
    }
    JO_TRY(jsens_trace_growth(d->w, &d->trace[k]));
  }
  return JO_OK;
}

// Derivatives of all objectives at a final state y, by column of S.
static void end_columns(jsens_direct* d, const double* y, double* column) {
  jsens_walk* w = d->w;
  int n = w->nw + d->nprobe;
  for (int k = 0; k < d->npack; k++) {
    jsens_point at = {.t = w->record->t_end, .y = y, .dy = d->pack[k].S, .dp = d->pack[k].dp};
    at.dt = d->pack[k].dt_end;
    jsens_walk_tangent(w, JGEN_FN_OBJECTIVE, &at, (double* const[]){d->dg});
    for (int o = 0; o < w->d->nobjective; o++) {
      for (int l = 0; l < d->lanes && k * d->lanes + l < n; l++) {
        column[o * n + k * d->lanes + l] = d->dg[o * d->lanes + l];
      }
    }
  }
}

// What the derivatives would be at an end off by the error of the motion, as its probe carried it. (S18)
static void put_end_errors(jsens_direct* d) {
  jsens_walk* w = d->w;
  int n = w->nw + d->nprobe, probe = w->nw + JSENS_PROBE_Y;
  const double* off = d->pack[probe / d->lanes].S + probe % d->lanes;
  for (int i = 0; i < w->ny; i++) {
    d->y_mixed[i] = w->record->y_end[i] + off[i * d->lanes];
  }
  end_columns(d, d->y_mixed, d->end_column);
  for (int o = 0; o < w->d->nobjective; o++) {
    for (int j = 0; j < w->nw; j++) {
      int at = o * w->nw + j;
      w->out->gradient_error[at] += fabs(d->end_column[o * n + j] - w->out->gradient[at]);
    }
  }
}

static bool has_motion(const jsens_direct* d, int j) {
  const double* S = d->pack[j / d->lanes].S + j % d->lanes;
  for (int i = 0; i < jgen_first(&d->w->d->layout, JGEN_FILTER); i++) {
    if (!isfinite(S[i * d->lanes])) return false;
  }
  return true;
}

// An objective that has no slope though the motion has, as the root of zero.
static void note_sharp(jsens_direct* d) {
  jsens_walk* w = d->w;
  for (int j = 0; j < w->nw; j++) {
    bool moves = has_motion(d, j);
    for (int o = 0; o < w->d->nobjective; o++) {
      if (moves && !isfinite(w->out->gradient[o * w->nw + j])) w->out->is_sharp[o] = true;
    }
  }
}

jo_status jsens_direct_finish(jsens_direct* d) {
  jsens_walk* w = d->w;
  int n = w->nw + d->nprobe;
  double* carried = d->column;  // by objective and probe
  jsens_direct_settle(d);
  end_columns(d, w->record->y_end, d->end_column);
  for (int o = 0; o < w->d->nobjective; o++) {
    const double* column = d->end_column + o * n;
    memcpy(w->out->gradient + o * w->nw, column, (size_t)w->nw * sizeof *column);
    memcpy(carried + o * d->nprobe, column + w->nw, (size_t)d->nprobe * sizeof *column);
  }
  note_sharp(d);
  if (d->nprobe == 0) return JO_OK;
  JO_TRY(put_rough(d));
  put_errors(d, carried);
  put_end_errors(d);
  return JO_OK;
}

static jo_status take_all(jsens_direct* d) {
  jsens_walk* w = d->w;
  JO_TRY(jsens_direct_begin(d));
  JO_TRY(jsens_direct_begin_samples(d));
  JO_TRY(jsens_direct_sample_start(d));
  int end = w->opt->events_only ? jsens_record_behind_events(w->record) : w->record->nentry;
  for (int i = 0; i < end; i++) {
    JO_TRY(take_entry(d, i));
  }
  w->out->nevent = d->nevent;
  return w->opt->events_only ? JO_OK : jsens_direct_finish(d);
}

void jsens_direct_release(jsens_direct* d) {
  jsens_direct_end_errors(d);
}

jo_status jsens_walk_direct(jsens_walk* w) {
  jsens_direct d = {.w = w};
  jo_status status = take_all(&d);
  jsens_direct_release(&d);
  return status;
}
