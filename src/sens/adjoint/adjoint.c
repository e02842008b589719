// SPDX-License-Identifier: Apache-2.0
// The adjoint method: lambda = d objective / d y carried backward along a recorded run, the exact
// transpose of tangent.c line by line. docs/theory/sensitivity.md eqs. (S5)-(S8), (S17), (S14).
//
// Two weights go together in lanes: lambda, and its error, which every step adds to by its embedded
// method (S17). All that is linear is done to both.
#include <math.h>
#include <string.h>

#include "sens/adjoint/adjoint.h"
#include "sens/replay.h"

#define RUN_AWAY 1e100  // a weight that is near overflow: nothing real is worth so much

static double* vector(jsens_adjoint* d, int n) {
  return jplant_kernels_vector(&d->w->arena, (size_t)(n + 1) * (size_t)d->lanes);
}

static jo_status allocate(jsens_adjoint* d) {
  jsens_walk* w = d->w;
  d->lanes = w->sens->adjoints->set->kernel[0].lanes;
  d->estimates = w->opt->estimate && d->lanes >= JSENS_WEIGHTS;
  int most = w->ny > w->d->nswitch ? w->ny : w->d->nswitch;
  if (w->d->nobjective > most) most = w->d->nobjective;
  double** array[] = {&d->lambda,  &d->kbar, &d->ybar,   &d->tbar,    &d->Pbar,  &d->unit,
                      &d->y_mixed, &d->P,    &d->column, &d->pending, &d->alpha, &d->end_time};
  bool ok = true;
  for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
    *array[i] = vector(d, most);
    ok = ok && *array[i];
  }
  ok = ok && jsens_adjoint_begin_errors(d);
  d->kept_lambda = vector(d, w->ny);
  d->kept_pbar = vector(d, w->nw);
  d->kept_pending = vector(d, w->d->nswitch);
  ok = ok && d->kept_lambda && d->kept_pbar && d->kept_pending;
  d->pbar = vector(d, w->nw);
  d->p_part = vector(d, w->nw);
  for (int i = 0; i < JSENS_SLOPES; i++) {
    d->Ybar[i] = vector(d, w->ny);
    d->Kbar[i] = w->scheme[1].tab ? vector(d, w->ny) : d->kbar;
    ok = ok && d->Ybar[i] && d->Kbar[i];
  }
  return ok && d->pbar && d->p_part ? JO_OK : jerr_memory(w->ctx);
}

// A kernel's ybar and tbar; its pbar is added up.
void jsens_adjoint_weigh_into(jsens_adjoint* d, jgen_fn kernel, jsens_point* at, double* ybar) {
  jsens_walk_weigh(d->w, kernel, at, (double* const[]){ybar, d->tbar, d->p_part, d->Pbar});
  jsens_adjoint_add(d, d->pbar, 1.0, d->p_part, d->w->nw);
}

void jsens_adjoint_weigh(jsens_adjoint* d, jgen_fn kernel, jsens_point* at) {
  jsens_adjoint_weigh_into(d, kernel, at, d->ybar);
}

// ---- steps ---------------------------------------------------------------------------------------

// (S6)  what falls on the dependent coordinates of `weight` goes to the independent ones and the numbers
void jsens_adjoint_close(jsens_adjoint* d, double t, const double* y, double* weight,
                         double* time) {
  jsens_walk* w = d->w;
  int L = d->lanes, u = jgen_first(&w->d->layout, JGEN_QU), v = jgen_first(&w->d->layout, JGEN_QV);
  if (w->nv == 0) return;
  jsens_point at = {.t = t, .y = y, .lambda = weight + v * L};
  jsens_adjoint_weigh_into(d, JGEN_FN_PROJECT, &at, d->column);
  jsens_adjoint_add(d, weight + u * L, 1.0, d->column + u * L, w->nu);
  // closures have of states what drives coordinates, and references of angles that events set
  if (w->d->drives_by_states || w->d->nevent > 0) {
    const jgen_span* z = &w->d->layout.block[JGEN_Z];
    jsens_adjoint_add(d, weight + z->first * L, 1.0, d->column + z->first * L, z->n);
  }
  jsens_adjoint_clear(d, weight + v * L, w->nv);
  for (int l = 0; time && l < L; l++) {
    time[l] += d->tbar[l];
  }
}

// x += y of local states alone
static void add_local(const jsens_adjoint* d, double* x, double a, const double* y) {
  const jsolve_local_system* l = &d->w->run->system.local;
  for (int j = 0; j < l->n; j++) {
    for (int k = l->state[j] * d->lanes; k < (l->state[j] + 1) * d->lanes; k++) {
      x[k] += a * y[k];
    }
  }
}

// (S25)  weights of the slopes of a mixed stage: those of its local states, which also move the others
static jo_status local_back(jsens_adjoint* d, const jsens_entry* e, int i) {
  jsens_walk* w = d->w;
  double b = (e->t1 - e->t) * jsens_walk_scheme(w, e)->tab->local_gamma;
  JO_TRY(jsens_walk_local(w, e, i));
  jsens_walk_gain(w, true, b, d->kbar, d->lanes);
  jsolve_local_solve(&w->local, true, d->kbar, d->lanes);
  return JO_OK;
}

// What stage j > i does to the slope of stage i.
static void add_later(jsens_adjoint* d, const jsolve_tableau* tab, double h, int i, int j) {
  double a = tab->a[j][i], local = tab->local[j][i];
  if (a != 0.0) jsens_adjoint_add(d, d->kbar, h * a, d->Ybar[j], d->w->ny);
  if (d->w->is_mixed && local != a) add_local(d, d->kbar, h * (local - a), d->Ybar[j]);
}

// (S5)  kbar_i = h b_i lambda + h sum_{j>i} a_ji Ybar_j,   Ybar_i = f_y^T kbar_i
static jo_status stages_back(jsens_adjoint* d, const jsens_entry* e, const double* y1) {
  jsens_walk* w = d->w;
  const jsolve_tableau* tab = jsens_walk_scheme(w, e)->tab;
  double h = e->t1 - e->t;
  int s = tab->stages;
  bool has_end = d->estimates && tab->e[s] != 0.0;
  if (has_end) {  // the slope at the end, of the embedded method alone
    jsens_adjoint_clear(d, d->kbar, w->ny);
    jsens_adjoint_seed(d, d->kbar, h * tab->e[s]);
    jsens_point at = {.t = e->t1, .y = y1, .lambda = d->kbar};
    jsens_adjoint_weigh_into(d, JGEN_FN_RHS, &at, d->Ybar[s]);
  }
  for (int i = s - 1; i >= 0; i--) {
    jsens_adjoint_clear(d, d->kbar, w->ny);
    jsens_adjoint_add(d, d->kbar, h * tab->b[i], d->lambda, w->ny);
    jsens_adjoint_seed(d, d->kbar, h * tab->e[i]);
    if (has_end) jsens_adjoint_add(d, d->kbar, h * tab->b[i], d->Ybar[s], w->ny);
    for (int j = i + 1; j < s; j++) {
      add_later(d, tab, h, i, j);
    }
    if (w->is_mixed && i > 0) JO_TRY(local_back(d, e, i));
    jsens_point at = {.t = jsens_walk_stage_time(w, e, i), .y = w->Y[i], .lambda = d->kbar};
    jsens_adjoint_weigh_into(d, JGEN_FN_RHS, &at, d->Ybar[i]);
  }
  for (int i = 0; i < (has_end ? s + 1 : s); i++) {
    jsens_adjoint_add(d, d->lambda, 1.0, d->Ybar[i], w->ny);
  }
  return JO_OK;
}

// nu = (1 - hγ f_y)^-T mu, lane by lane
static void solve_weights(jsens_adjoint* d, double* mu) {
  int n = d->w->ny, L = d->lanes;
  for (int i = 0; i < n * L; i++) {
    d->column[(i % L) * n + i / L] = mu[i];
  }
  jsolve_implicit_adjoint(&d->w->im, d->column, L);
  for (int i = 0; i < n * L; i++) {
    mu[i] = d->column[(i % L) * n + i / L];
  }
}

// (S14)  one implicit stage with argument Y and weight Ybar of its own: nu = (1 - hγ f_y)^-T (Kbar + hγ
// Ybar), and Ybar becomes the weight of what the stage begins with, Ybar + f_y^T nu
static jo_status implicit_stage_back(jsens_adjoint* d, const jsens_entry* e, int i,
                                     const double* Y) {
  jsens_walk* w = d->w;
  const jsolve_tableau* tab = jsens_walk_scheme(w, e)->tab;
  double t = jsens_walk_stage_time(w, e, i), h = e->t1 - e->t;
  JO_TRY(jsens_walk_matrices(w, e, t, Y));
  jsens_adjoint_add(d, d->Kbar[i], h * tab->gamma, d->Ybar[i], w->ny);
  solve_weights(d, d->Kbar[i]);
  jsens_point at = {.t = t, .y = Y, .lambda = d->Kbar[i]};
  jsens_adjoint_weigh(d, JGEN_FN_RHS, &at);
  jsens_adjoint_close(d, t, Y, d->ybar, NULL);
  jsens_adjoint_add(d, d->Ybar[i], 1.0, d->ybar, w->ny);
  const double* a = i == tab->stages ? tab->b : tab->a[i];
  for (int j = 0; j < i; j++) {
    if (a[j] != 0.0) jsens_adjoint_add(d, d->Kbar[j], h * a[j], d->Ybar[i], w->ny);
  }
  return JO_OK;
}

static jo_status implicit_back(jsens_adjoint* d, const jsens_entry* e, const double* y0,
                               const double* y1) {
  jsens_walk* w = d->w;
  const jsolve_tableau* tab = jsens_walk_scheme(w, e)->tab;
  int s = tab->stages;
  size_t bytes = (size_t)(w->ny * d->lanes) * sizeof *d->lambda;
  for (int i = 0; i <= s; i++) {
    jsens_adjoint_clear(d, d->Kbar[i], w->ny);
    jsens_adjoint_clear(d, d->Ybar[i], w->ny);
    jsens_adjoint_seed(d, d->Kbar[i], (e->t1 - e->t) * tab->e[i]);
  }
  memcpy(d->Ybar[s], d->lambda, bytes);
  jsens_adjoint_clear(d, d->lambda, w->ny);
  for (int i = s; i > 0; i--) {
    JO_TRY(implicit_stage_back(d, e, i, i == s ? y1 : w->Y[i]));
    jsens_adjoint_add(d, d->lambda, 1.0, d->Ybar[i], w->ny);
  }
  jsens_point at = {.t = e->t, .y = y0, .lambda = d->Kbar[0]};
  jsens_adjoint_weigh(d, JGEN_FN_RHS, &at);
  jsens_adjoint_add(d, d->lambda, 1.0, d->ybar, w->ny);
  return JO_OK;
}

// Local error of the motion in step i, weighted: what it is worth for the objective. (S19)
static void weigh_motion(jsens_adjoint* d, const jsens_entry* e, const double* y1) {
  jsens_walk* w = d->w;
  const jsolve_scheme* s = jsens_walk_scheme(w, e);
  int last = s->tab->stages;
  if (!d->estimates) return;
  int i = e->index + 1;
  bool goes_on = i < w->record->nentry && jsens_record_is_step(w->record, i);
  const double* slope = goes_on ? jsens_walk_first_slope(w, i) : NULL;
  w->k[last] = w->own[last];
  if (slope) {
    memcpy(w->k[last], slope, (size_t)w->ny * sizeof *slope);
  } else {
    w->run->system.rhs(w->run->system.user, e->t1, y1, w->k[last]);
  }
  memset(w->base, 0, (size_t)w->ny * sizeof *w->base);
  w->lanes->combine(w->ny, w->base, e->t1 - e->t, &s->e, w->k, d->P);
  memset(d->P + jgen_first(&w->d->layout, JGEN_QV), 0, (size_t)w->nv * sizeof *d->P);
  int n = jgen_first(&w->d->layout, JGEN_INTEGRAL);
  d->motion += fabs(jsens_adjoint_dot(d, d->lambda, JSENS_LAMBDA, d->P, n));
  for (int o = n; o < w->ny; o++) {
    d->motion += fabs(d->lambda[o * d->lanes + JSENS_LAMBDA] * d->P[o]);
  }
}

static jo_status step_back(jsens_adjoint* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  const double *y0, *y1;
  JO_TRY(jsens_replay_after(w, e->index, &y1));
  memcpy(d->y_mixed, y1, (size_t)w->ny * sizeof *y1);  // states computed again share their place
  jsens_walk_set_epoch(w, e->epoch);
  jsens_adjoint_close(d, e->t1, d->y_mixed, d->lambda, NULL);
  JO_TRY(jsens_replay_state(w, e->index, &y0));
  jsens_walk_set_epoch(w, e->epoch);
  JO_TRY(jsens_walk_stages(w, e, y0));
  weigh_motion(d, e, d->y_mixed);
  double share = jsens_adjoint_left_out(d, e, y0, d->y_mixed);
  if (e->is_implicit) {
    JO_TRY(implicit_back(d, e, y0, d->y_mixed));
  } else {
    JO_TRY(stages_back(d, e, d->y_mixed));
  }
  JO_TRY(jsens_adjoint_account(d, e->index));
  if (share > 0.0) jsens_adjoint_add_left_out(d, e->index, share);
  return JO_OK;
}

// ---- the walk ------------------------------------------------------------------------------------

static int count_events(jsens_walk* w) {
  int n = 0;
  for (int i = 0; i < w->record->nentry; i++) {
    if (jsens_record_is_step(w->record, i)) continue;
    jsens_entry e = jsens_record_entry(w->record, i);
    if (e.what->is_change) continue;
    n += jsens_walk_jumps(w, &e) ? 1 : e.what->nflip;
  }
  return n;
}

// lambda at the end: the gradient of the objective there
static void begin_objective(jsens_adjoint* d, int o) {
  jsens_walk* w = d->w;
  const jsens_record* r = w->record;
  d->objective = o;
  d->nevent = w->out->nevent = count_events(w);
  jsens_adjoint_clear_errors(d);
  jsens_adjoint_clear(d, d->pending, w->d->nswitch);
  jsens_adjoint_clear(d, d->pbar, w->nw);
  jsens_adjoint_clear(d, d->unit, w->d->nobjective);
  d->unit[o * d->lanes + JSENS_LAMBDA] = 1.0;
  jsens_walk_set_epoch(w, r->nepoch - 1);
  jsens_point at = {.t = r->t_end, .y = r->y_end, .lambda = d->unit};
  jsens_adjoint_weigh(d, JGEN_FN_OBJECTIVE, &at);
  memcpy(d->end_time, d->tbar, (size_t)d->lanes * sizeof *d->tbar);
  memcpy(d->lambda, d->ybar, (size_t)(w->ny * d->lanes) * sizeof *d->lambda);
  if (d->estimates) jsens_adjoint_doubt_end(d);
}

static jo_status entry_back(jsens_adjoint* d, int i) {
  jsens_entry e = jsens_record_entry(d->w->record, i);
  if (!e.what) return step_back(d, &e);
  if (!e.what->is_change) return jsens_adjoint_event(d, &e);
  jsens_adjoint_change(d, &e);
  return JO_OK;
}

static bool is_finite_lane(const jsens_adjoint* d, const double* x, int n) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(x[i * d->lanes + JSENS_LAMBDA])) return false;
  }
  return true;
}

// An objective without a slope at the end, as the root of zero, has no weights to carry back.
static bool has_slope(const jsens_adjoint* d) {
  return is_finite_lane(d, d->lambda, d->w->ny) && is_finite_lane(d, d->pbar, d->w->nw) &&
         is_finite_lane(d, d->end_time, 1);
}

// What it has an infinite slope by at the end shows whose fault it is: 0 times infinite, of another objective, is no number.
static void leave_out(jsens_adjoint* d, int o) {
  jsens_result* out = d->w->out;
  out->is_sharp[o] = true;
  for (int j = 0; j < d->w->nw; j++) {
    double slope = d->pbar[j * d->lanes + JSENS_LAMBDA];
    out->gradient[o * d->w->nw + j] = isinf(slope) ? slope : NAN;
  }
  for (int i = 0; i < out->nevent; i++) {
    if (out->event[i].weight) out->event[i].weight[o] = NAN;
  }
}

// The largest weight, or the first that is not finite.
static double largest_weight(const jsens_adjoint* d) {
  double most = 0.0;
  for (int i = 0; i < d->w->ny && isfinite(most); i++) {
    double x = fabs(d->lambda[i * d->lanes + JSENS_LAMBDA]);
    if (!(x <= most)) most = x;
  }
  return most;
}

static jo_status one_objective(jsens_adjoint* d, int o) {
  jsens_walk* w = d->w;
  const jsens_record* r = w->record;
  begin_objective(d, o);
  if (!has_slope(d)) {
    leave_out(d, o);
    return JO_OK;
  }
  double most = 0.0;
  for (int i = r->nentry - 1; i >= 0; i--) {
    JO_TRY(entry_back(d, i));
    double now = largest_weight(d);
    // a slope that is not finite makes a weight so from one step to the next
    if (!isfinite(now) && most > RUN_AWAY) w->out->has_overflown[o] = true;
    if (isfinite(now)) most = fmax(most, now);
  }
  for (int j = 0; j < w->nw; j++) {
    const double* S0 = w->S0 + (int64_t)j * w->ny;
    w->out->gradient[o * w->nw + j] = d->pbar[j * d->lanes + JSENS_LAMBDA] +
                                      jsens_adjoint_dot(d, d->lambda, JSENS_LAMBDA, S0, w->ny);
  }
  if (d->estimates) jsens_adjoint_put_errors(d, o);
  return JO_OK;
}

jo_status jsens_walk_adjoint(jsens_walk* w) {
  jsens_adjoint d = {.w = w};
  jo_status status = allocate(&d);
  for (int o = 0; status >= 0 && o < w->d->nobjective; o++) {
    status = one_objective(&d, o);
  }
  jsens_trace_free(w, &d.trace);
  return status;
}
