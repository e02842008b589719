// SPDX-License-Identifier: Apache-2.0
// The adjoint method: lambda = d objective / d y carried backward along a recorded run, the exact
// transpose of tangent.c line by line. docs/theory/sensitivity.md eqs. (S5)-(S8).
#include <math.h>
#include <string.h>

#include "study/walk.h"

typedef struct adjoint {
  jstudy_walk* w;
  int objective;
  double* lambda;                   // ny
  double* pbar;                     // nw
  double* Ybar[JSOLVE_MAX_STAGES];  // ny
  double *kbar, *ybar, *p_part, *tbar, *Pbar, *unit, *y_mixed, *P;
  double pending;   // weight of an event's time that consequences of it have put aside
  double* segment;  // states of the steps between two stored ones
  int segment_first, segment_last;
  int nevent;
} adjoint;

static jo_status allocate(adjoint* d) {
  jstudy_walk* w = d->w;
  int most = w->ny > w->d->nswitch ? w->ny : w->d->nswitch;
  double** array[] = {&d->lambda, &d->kbar, &d->ybar,    &d->tbar,
                      &d->Pbar,   &d->unit, &d->y_mixed, &d->P};
  bool ok = true;
  for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
    *array[i] = JARENA_ARRAY(&w->arena, most + 1, double);
    ok = ok && *array[i];
  }
  d->pbar = JARENA_ARRAY(&w->arena, w->nw + 1, double);
  d->p_part = JARENA_ARRAY(&w->arena, w->nw + 1, double);
  for (int i = 0; i < w->tab->stages; i++) {
    d->Ybar[i] = JARENA_ARRAY(&w->arena, w->ny + 1, double);
    ok = ok && d->Ybar[i];
  }
  int64_t states = 2 * (int64_t)w->record->stride + 2;
  d->segment = JARENA_ARRAY(&w->arena, states * w->ny, double);
  d->segment_first = d->segment_last = -1;
  return ok && d->pbar && d->p_part && d->segment ? JO_OK : jerr_memory(w->ctx);
}

static void add(double* x, double a, const double* y, int n) {
  for (int i = 0; i < n; i++) {
    x[i] += a * y[i];
  }
}

static double dot(const double* x, const double* y, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    sum += x[i] * y[i];
  }
  return sum;
}

// A kernel's ybar and tbar; its pbar is added up.
static void weigh_into(adjoint* d, int kernel, jstudy_point* at, double* ybar) {
  jstudy_walk_weigh(d->w, kernel, at, (double* const[]){ybar, d->tbar, d->p_part, d->Pbar});
  add(d->pbar, 1.0, d->p_part, d->w->nw);
}

static void weigh(adjoint* d, int kernel, jstudy_point* at) {
  weigh_into(d, kernel, at, d->ybar);
}

// ---- states --------------------------------------------------------------------------------------

// State at the start of step i: stored, or computed again from the stored one before it.
static jo_status state_at(adjoint* d, int i, const double** y) {
  jstudy_walk* w = d->w;
  const jstudy_record* r = w->record;
  if (r->entry[i].state >= 0) {
    *y = jstudy_record_state(r, r->entry[i].state);
    return JO_OK;
  }
  if (i < d->segment_first || i > d->segment_last) {
    int first = i;
    while (r->entry[first].state < 0) {
      first--;
    }
    memcpy(d->segment, jstudy_record_state(r, r->entry[first].state), (size_t)w->ny * sizeof **y);
    for (int k = first; k < i; k++) {
      double* next = d->segment + (int64_t)(k + 1 - first) * w->ny;
      jstudy_walk_set_modes(w, jstudy_record_mode(r, r->entry[k].epoch));
      JO_TRY(jstudy_walk_step(w, &r->entry[k], next - w->ny, next));
    }
    d->segment_first = first;
    d->segment_last = i;
  }
  *y = d->segment + (int64_t)(i - d->segment_first) * w->ny;
  return JO_OK;
}

static jo_status state_after(adjoint* d, int i, const double** y) {
  if (i + 1 < d->w->record->nentry) return state_at(d, i + 1, y);
  *y = d->w->record->y_end;
  return JO_OK;
}

// ---- steps ---------------------------------------------------------------------------------------

// (S6)  what falls on the dependent coordinates goes to the independent ones and the numbers
static void close_back(adjoint* d, double t, const double* y, double* time) {
  jstudy_walk* w = d->w;
  const jgen_dynamics* m = w->d;
  if (w->nv == 0) return;
  jstudy_point at = {.t = t, .y = y, .lambda = d->lambda + m->at_qv};
  weigh(d, JSTUDY_A_CLOSE, &at);
  add(d->lambda + m->at_qu, 1.0, d->ybar + m->at_qu, w->nu);
  memset(d->lambda + m->at_qv, 0, (size_t)w->nv * sizeof *d->lambda);
  if (time) *time += d->tbar[0];
}

// (S5)  kbar_i = h b_i lambda + h sum_{j>i} a_ji Ybar_j,   Ybar_i = f_y^T kbar_i
static void stages_back(adjoint* d, const jstudy_entry* e) {
  jstudy_walk* w = d->w;
  const jsolve_tableau* tab = w->tab;
  double h = e->t1 - e->t;
  for (int i = tab->stages - 1; i >= 0; i--) {
    memset(d->kbar, 0, (size_t)w->ny * sizeof *d->kbar);
    add(d->kbar, h * tab->b[i], d->lambda, w->ny);
    for (int j = i + 1; j < tab->stages; j++) {
      if (tab->a[j][i] != 0.0) add(d->kbar, h * tab->a[j][i], d->Ybar[j], w->ny);
    }
    jstudy_point at = {.t = jstudy_walk_stage_time(w, e, i), .y = w->Y[i], .lambda = d->kbar};
    weigh_into(d, JSTUDY_A_RHS, &at, d->Ybar[i]);
  }
  for (int i = 0; i < tab->stages; i++) {
    add(d->lambda, 1.0, d->Ybar[i], w->ny);
  }
}

static jo_status step_back(adjoint* d, int i) {
  jstudy_walk* w = d->w;
  const jstudy_entry* e = &w->record->entry[i];
  const double *y0, *y1;
  JO_TRY(state_after(d, i, &y1));
  jstudy_walk_set_modes(w, jstudy_record_mode(w->record, e->epoch));
  close_back(d, e->t1, y1, NULL);
  JO_TRY(state_at(d, i, &y0));
  jstudy_walk_set_modes(w, jstudy_record_mode(w->record, e->epoch));
  jstudy_walk_stages(w, e, y0);
  stages_back(d, e);
  return JO_OK;
}

// ---- events --------------------------------------------------------------------------------------

// g_t + g_y f of switch k, by its gradient
static double switch_rate(adjoint* d, double t, const double* y, const double* f, int k) {
  jstudy_walk* w = d->w;
  memset(d->unit, 0, (size_t)w->d->nswitch * sizeof *d->unit);
  d->unit[k] = 1.0;
  jstudy_point at = {.t = t, .y = y, .lambda = d->unit};
  jstudy_walk_weigh(w, JSTUDY_A_SWITCH, &at, (double* const[]){d->ybar, d->tbar, d->p_part, NULL});
  return d->tbar[0] + dot(d->ybar, f, w->ny);
}

// (S7)  weight `alpha` of the event's time, handed to state and numbers through its switch
static jo_status time_back(adjoint* d, double t, const double* y, const double* f, int k,
                           double alpha, double* rate) {
  jstudy_walk* w = d->w;
  *rate = switch_rate(d, t, y, f, k);
  if (!(fabs(*rate) > 0.0)) {
    return jerr_set(w->ctx, JO_ERR_NUMERIC,
                    "event '%s' at t = %.9g s only grazes: its time has no derivative; use frozen "
                    "events, or another value of the parameters",
                    w->d->sw[k].text, t);
  }
  double weight = -alpha / *rate;
  add(d->lambda, weight, d->ybar, w->ny);
  add(d->pbar, weight, d->p_part, w->nw);
  return JO_OK;
}

static void note_event(adjoint* d, const jstudy_entry* e, int k, bool on, double rate,
                       double alpha) {
  jstudy_sens_event* v = &d->w->out->event[--d->nevent];
  v->t = e->t;
  v->which = k;
  v->on = on;
  v->follows = e->follows;
  if (rate != 0.0) v->rate = rate;
  if (d->objective < 8) v->weight[d->objective] = alpha;
}

static jo_status smooth_back(adjoint* d, const jstudy_entry* e) {
  jstudy_walk* w = d->w;
  const double* y = jstudy_record_state(w->record, e->state);
  const int* flip = w->record->flip + e->flip;
  jstudy_walk_set_modes(w, jstudy_record_mode(w->record, e->epoch + 1));
  w->run->system.rhs(w->run, e->t, y, w->f_plus);
  for (int i = e->nflip - 1; i >= 0; i--) {
    int k = flip[i];
    w->run->mode[k] = 1.0 - w->run->mode[k];
    w->run->system.rhs(w->run, e->t, y, w->f_minus);
    double alpha = dot(d->lambda, w->f_minus, w->ny) - dot(d->lambda, w->f_plus, w->ny), rate = 0.0;
    if (!w->opt->frozen && e->follows) d->pending += alpha;
    if (!w->opt->frozen && !e->follows) {
      if (i == 0) {
        alpha += d->pending;
        d->pending = 0.0;
      }
      JO_TRY(time_back(d, e->t, y, w->f_minus, k, alpha, &rate));
    }
    note_event(d, e, k, w->run->mode[k] < 0.5, rate, alpha);
    memcpy(w->f_plus, w->f_minus, (size_t)w->ny * sizeof *w->f_plus);
  }
  return JO_OK;
}

static void momentum_before(adjoint* d, const jstudy_entry* e, const double* y) {
  jstudy_walk* w = d->w;
  const double* in[JGEN_GROUP_COUNT] = {
      [JGEN_P] = w->run->p, [JGEN_T] = &e->t, [JGEN_Y] = y, [JGEN_MODE] = w->run->mode};
  const jkernel* k = w->sens->plant->momentum;
  jkernel_eval(k, in, (double* const[]){d->P}, w->run->work[k - w->sens->plant->kernels->kernel]);
}

// (S8)  back through the impulse, the closure with the new drive, and the momentum
static jo_status jump_back(adjoint* d, const jstudy_entry* e) {
  jstudy_walk* w = d->w;
  const jgen_dynamics* m = w->d;
  const double* before = jstudy_record_state(w->record, e->state);
  const double* after = jstudy_record_state(w->record, e->after);
  const double* mode0 = jstudy_record_mode(w->record, e->epoch);
  const double* mode1 = jstudy_record_mode(w->record, e->epoch + 1);
  int k = w->record->flip[e->flip];
  jstudy_walk_set_modes(w, mode0);
  w->run->system.rhs(w->run, e->t, before, w->f_minus);
  momentum_before(d, e, before);
  jstudy_walk_set_modes(w, mode1);
  w->run->system.rhs(w->run, e->t, after, w->f_plus);
  double time = -dot(d->lambda, w->f_plus, w->ny);
  memcpy(d->y_mixed, before, (size_t)w->ny * sizeof *before);
  memcpy(d->y_mixed + m->at_qv, after + m->at_qv, (size_t)w->nv * sizeof *before);

  jstudy_point at = {.t = e->t, .y = d->y_mixed, .momentum = d->P, .lambda = d->lambda + m->at_qdu};
  weigh(d, JSTUDY_A_IMPULSE, &at);
  add(d->lambda, 1.0, d->ybar, w->ny);
  time += d->tbar[0];
  memcpy(d->kbar, d->Pbar, (size_t)w->nu * sizeof *d->kbar);
  close_back(d, e->t, d->y_mixed, &time);
  jstudy_walk_set_modes(w, mode0);
  at = (jstudy_point){.t = e->t, .y = before, .lambda = d->kbar};
  weigh(d, JSTUDY_A_MOMENTUM, &at);
  add(d->lambda, 1.0, d->ybar, w->ny);
  time += d->tbar[0] + dot(d->lambda, w->f_minus, w->ny);
  double rate = 0.0, alpha = time;
  if (!w->opt->frozen && e->follows) d->pending += alpha;
  if (!w->opt->frozen && !e->follows) {
    alpha += d->pending;
    d->pending = 0.0;
    JO_TRY(time_back(d, e->t, before, w->f_minus, k, alpha, &rate));
  }
  note_event(d, e, k, mode1[k] > 0.5, rate, alpha);
  return JO_OK;
}

static jo_status event_back(adjoint* d, const jstudy_entry* e) {
  jstudy_walk* w = d->w;
  return jstudy_walk_jumps(w, e) ? jump_back(d, e) : smooth_back(d, e);
}

// ---- the walk ------------------------------------------------------------------------------------

static int count_events(jstudy_walk* w) {
  int n = 0;
  for (int i = 0; i < w->record->nentry; i++) {
    const jstudy_entry* e = &w->record->entry[i];
    if (e->after < 0) continue;
    n += jstudy_walk_jumps(w, e) ? 1 : e->nflip;
  }
  return n;
}

static jo_status one_objective(adjoint* d, int o) {
  jstudy_walk* w = d->w;
  d->objective = o;
  d->nevent = w->out->nevent = count_events(w);
  d->pending = 0.0;
  memset(d->pbar, 0, (size_t)w->nw * sizeof *d->pbar);
  memset(d->unit, 0, (size_t)w->ny * sizeof *d->unit);
  d->unit[o] = 1.0;
  const jstudy_record* r = w->record;
  jstudy_walk_set_modes(w, jstudy_record_mode(r, r->nepoch - 1));
  jstudy_point at = {.t = w->opt->t_end, .y = r->y_end, .lambda = d->unit};
  weigh(d, JSTUDY_A_OBJECTIVE, &at);
  memcpy(d->lambda, d->ybar, (size_t)w->ny * sizeof *d->lambda);
  for (int i = r->nentry - 1; i >= 0; i--) {
    JO_TRY(r->entry[i].after < 0 ? step_back(d, i) : event_back(d, &r->entry[i]));
  }
  for (int j = 0; j < w->nw; j++) {
    const double* S0 = w->S0 + (int64_t)j * w->ny;
    w->out->gradient[o * w->nw + j] = d->pbar[j] + dot(d->lambda, S0, w->ny);
  }
  return JO_OK;
}

jo_status jstudy_walk_adjoint(jstudy_walk* w) {
  adjoint d = {.w = w};
  JO_TRY(allocate(&d));
  for (int o = 0; o < w->d->nobjective; o++) {
    JO_TRY(one_objective(&d, o));
  }
  return JO_OK;
}
