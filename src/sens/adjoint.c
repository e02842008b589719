// SPDX-License-Identifier: Apache-2.0
// The adjoint method: lambda = d objective / d y carried backward along a recorded run, the exact
// transpose of tangent.c line by line. docs/theory/sensitivity.md eqs. (S5)-(S8), (S17), (S14).
//
// Two weights go together in lanes: lambda, and its error, which every step adds to by its embedded
// method (S17). All that is linear is done to both.
#include <math.h>
#include <string.h>

#include "sens/walk.h"

#define APART      2     // entries between two stretches that leave something out
#define UNRESOLVED 0.03  // tolerances of the motion left out in a step: weights are looked at there
#define BACKWARD   4.0  // as much less may be shown of what was left out: one sign serves all numbers
#define MATTERS    0.1   // of the largest influence
#define MIXED      40.0  // times the embedded method of mixed steps: they may leave out as much

enum { LAMBDA, ERROR, LANES };  // of the weights; kernels may have more

typedef struct adjoint {
  jsens_walk* w;
  int objective;
  int lanes;                   // of the kernels
  bool estimates;              // errors too
  double* lambda;              // ny x lanes
  double* pbar;                // nw x lanes
  double* Ybar[JSENS_SLOPES];  // ny x lanes
  double* Kbar[JSENS_SLOPES];  // implicit steps: weights of slopes
  double *kbar, *ybar, *p_part, *tbar, *Pbar, *unit, *y_mixed, *P, *column;
  double* pending;  // weight of an event's time that consequences of it have put aside (lanes)
  double* alpha;    // of an event (lanes)
  jsens_trace trace;
  double end_doubt;                                // size of the error that lambda begins with
  double motion;                                   // errors of the motion, weighted and added up
  double *kept_lambda, *kept_pbar, *kept_pending;  // while an event is taken once more
  double* tail[JSENS_TAIL_PARTS];  // of weights along a step (ny); the third also of pbar
  jsens_stretches stretches;       // of steps that left something out
  int last_blind;                  // entry of the last of them
  double* last;                    // what it left out (ny)
  double* behind;                  // by entry: size of the error with what its step left out
  double* segment;                 // states of the steps between two stored ones
  int segment_first, segment_last;
  int nevent;
} adjoint;

static double* vector(adjoint* d, int n) {
  return jplant_kernels_vector(&d->w->arena, (size_t)(n + 1) * (size_t)d->lanes);
}

static jo_status allocate(adjoint* d) {
  jsens_walk* w = d->w;
  d->lanes = w->sens->adjoints->set->kernel[0].lanes;
  d->estimates = w->opt->estimate && d->lanes >= LANES;
  int most = w->ny > w->d->nswitch ? w->ny : w->d->nswitch;
  if (w->d->nobjective > most) most = w->d->nobjective;
  double** array[] = {&d->lambda,  &d->kbar, &d->ybar,   &d->tbar,    &d->Pbar, &d->unit,
                      &d->y_mixed, &d->P,    &d->column, &d->pending, &d->alpha};
  bool ok = true;
  for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
    *array[i] = vector(d, most);
    ok = ok && *array[i];
  }
  ok = ok && jsens_trace_begin(w, &d->trace);
  for (int i = 0; i < JSENS_TAIL_PARTS; i++) {
    d->tail[i] = JARENA_ARRAY(&w->arena, w->ny + w->nw, double);
    ok = ok && d->tail[i];
  }
  d->behind = JARENA_ARRAY(&w->arena, w->record->nentry, double);
  d->last = JARENA_ARRAY(&w->arena, w->ny, double);
  ok = ok && d->behind && d->last;
  d->kept_lambda = vector(d, w->ny);
  d->kept_pbar = vector(d, w->nw);
  d->kept_pending = vector(d, 1);
  ok = ok && d->kept_lambda && d->kept_pbar && d->kept_pending;
  d->pbar = vector(d, w->nw);
  d->p_part = vector(d, w->nw);
  for (int i = 0; i < JSENS_SLOPES; i++) {
    d->Ybar[i] = vector(d, w->ny);
    d->Kbar[i] = w->scheme[1].tab ? vector(d, w->ny) : d->kbar;
    ok = ok && d->Ybar[i] && d->Kbar[i];
  }
  int64_t states = 2 * (int64_t)w->record->stride + 2;
  d->segment = JARENA_ARRAY(&w->arena, states * w->ny, double);
  d->segment_first = d->segment_last = -1;
  return ok && d->pbar && d->p_part && d->segment ? JO_OK : jerr_memory(w->ctx);
}

// x += a y, all lanes
static void add(const adjoint* d, double* restrict x, double a, const double* restrict y, int n) {
  for (int i = 0; i < n * d->lanes; i++) {
    x[i] += a * y[i];
  }
}

static void clear(const adjoint* d, double* x, int n) {
  memset(x, 0, (size_t)(n * d->lanes) * sizeof *x);
}

// One lane of x times a plain vector.
static double dot(const adjoint* d, const double* x, int lane, const double* y, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    sum += x[i * d->lanes + lane] * y[i];
  }
  return sum;
}

// A kernel's ybar and tbar; its pbar is added up.
static void weigh_into(adjoint* d, jgen_fn kernel, jsens_point* at, double* ybar) {
  jsens_walk_weigh(d->w, kernel, at, (double* const[]){ybar, d->tbar, d->p_part, d->Pbar});
  add(d, d->pbar, 1.0, d->p_part, d->w->nw);
}

static void weigh(adjoint* d, jgen_fn kernel, jsens_point* at) {
  weigh_into(d, kernel, at, d->ybar);
}

// ---- states --------------------------------------------------------------------------------------

// State at the start of step i: stored, or computed again from the stored one before it.
static jo_status state_at(adjoint* d, int i, const double** y) {
  jsens_walk* w = d->w;
  const jsens_record* r = w->record;
  if (r->entry[i].state >= 0) {
    *y = jsens_record_state(r, r->entry[i].state);
    return JO_OK;
  }
  if (i < d->segment_first || i > d->segment_last) {
    int first = i;
    while (r->entry[first].state < 0) {
      first--;
    }
    memcpy(d->segment, jsens_record_state(r, r->entry[first].state), (size_t)w->ny * sizeof **y);
    for (int k = first; k < i; k++) {
      double* next = d->segment + (int64_t)(k + 1 - first) * w->ny;
      jsens_walk_set_modes(w, jsens_record_mode(r, r->entry[k].epoch));
      JO_TRY(jsens_walk_step(w, &r->entry[k], next - w->ny, next));
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

// ---- error of a step -------------------------------------------------------------------------------

// |x| in one lane, in the scales of the states: what a change of a state by its scale is worth
static double size_of(const adjoint* d, const double* x, int lane) {
  const jgen_layout* l = &d->w->d->layout;
  double sum = 0.0;
  for (int i = 0; i < l->ny; i++) {
    double v = l->is_followed[i] ? x[i * d->lanes + lane] * l->nominal[i] : 0.0;
    sum += v * v;
  }
  return sqrt(sum);
}

// (S17)  the embedded method makes of lambda what the step adds to its error; by `factor` of a slope
static void seed_error(const adjoint* d, double* kbar, double factor) {
  if (!d->estimates) return;
  for (int i = 0; i < d->w->ny; i++) {
    kbar[i * d->lanes + ERROR] += factor * d->lambda[i * d->lanes + LAMBDA];
  }
}

static void account(adjoint* d, int entry) {
  if (!d->estimates) return;
  d->behind[entry] = size_of(d, d->lambda, ERROR);
  jsens_trace_note(&d->trace, entry, size_of(d, d->lambda, LAMBDA), d->behind[entry]);
}

// ---- what a step leaves out ------------------------------------------------------------------------

// (S26)  parts of f_y^T lambda and f_p^T lambda along the step, whose end is y1
static void weigh_parts(adjoint* d, const jsens_entry* e, const double* y1) {
  jsens_walk* w = d->w;
  int L = d->lanes;
  for (int m = 0; m < JSENS_TAIL_PARTS; m++) {
    memset(d->tail[m], 0, (size_t)(w->ny + w->nw) * sizeof *d->tail[m]);
  }
  clear(d, d->kbar, w->ny);
  for (int i = 0; i < w->ny; i++) {
    d->kbar[i * L + LAMBDA] = (e->t1 - e->t) * d->lambda[i * L + LAMBDA];
  }
  for (int n = 0; n < JSENS_TAIL_NODES; n++) {
    int stage = w->tail.stage[n];
    jsens_point at = {.t = jsens_walk_stage_time(w, e, stage), .lambda = d->kbar};
    at.y = n == JSENS_TAIL_STAGES ? y1 : w->Y[stage];
    jsens_walk_weigh(w, JGEN_FN_RHS, &at, (double* const[]){d->ybar, d->tbar, d->p_part, NULL});
    for (int m = 0; m < JSENS_TAIL_PARTS; m++) {
      double weight = w->tail.weight[m][n];
      for (int i = 0; weight != 0.0 && i < w->ny; i++) {
        d->tail[m][i] += weight * d->ybar[i * L + LAMBDA];
      }
    }
    double weight = w->tail.weight[JSENS_TAIL_THIRD][n];
    for (int j = 0; j < w->nw; j++) {
      d->tail[JSENS_TAIL_THIRD][w->ny + j] += weight * d->p_part[j * L + LAMBDA];
    }
  }
}

static double size_of_part(const adjoint* d, const double* x) {
  const jgen_layout* l = &d->w->d->layout;
  double sum = 0.0;
  for (int i = 0; i < l->ny; i++) {
    double v = l->is_followed[i] ? x[i] * l->nominal[i] : 0.0;
    sum += v * v;
  }
  return sqrt(sum);
}

// (S27)  what the step left out of the weights
static double left_out(adjoint* d, const jsens_entry* e, const double* y1) {
  double size[JSENS_TAIL_PARTS];
  weigh_parts(d, e, y1);
  for (int m = 0; m < JSENS_TAIL_PARTS; m++) {
    size[m] = size_of_part(d, d->tail[m]);
  }
  return jsens_tail_share(&d->w->tail, size);
}

// What a lane has in common with what a step left out.
static double common(const adjoint* d, const double* x, int stride) {
  const jgen_layout* l = &d->w->d->layout;
  double sum = 0.0;
  for (int i = 0; i < l->ny; i++) {
    double v = l->is_followed[i] ? l->nominal[i] : 0.0;
    sum += v * v * d->tail[JSENS_TAIL_THIRD][i] * x[i * stride];
  }
  return sum;
}

// It joins the error with the sign by which it does not cancel that of the step before, or what there is.
static void add_left_out(adjoint* d, int entry, double share) {
  const jgen_layout* l = &d->w->d->layout;
  const double* third = d->tail[JSENS_TAIL_THIRD];
  int L = d->lanes;
  bool is_new = d->last_blind - entry > APART;
  double same = is_new ? common(d, d->lambda + ERROR, L) : common(d, d->last, 1);
  double factor = same < 0.0 ? -share : share;
  for (int i = 0; i < l->ny; i++) {
    d->last[i] = factor * third[i];
    d->lambda[i * L + ERROR] += d->last[i];
  }
  for (int j = 0; j < d->w->nw; j++) {
    d->pbar[j * L + ERROR] += factor * third[l->ny + j];
  }
  d->behind[entry] = size_of(d, d->lambda, ERROR);
  jsens_stretches_add(&d->stretches, share * size_of_part(d, third), is_new);
  d->last_blind = entry;
}

// ---- steps ---------------------------------------------------------------------------------------

// (S6)  what falls on the dependent coordinates of `weight` goes to the independent ones and the numbers
static void close_back(adjoint* d, double t, const double* y, double* weight, double* time) {
  jsens_walk* w = d->w;
  int L = d->lanes, u = jgen_first(&w->d->layout, JGEN_QU), v = jgen_first(&w->d->layout, JGEN_QV);
  if (w->nv == 0) return;
  jsens_point at = {.t = t, .y = y, .lambda = weight + v * L};
  weigh_into(d, JGEN_FN_PROJECT, &at, d->column);
  add(d, weight + u * L, 1.0, d->column + u * L, w->nu);
  clear(d, weight + v * L, w->nv);
  for (int l = 0; time && l < L; l++) {
    time[l] += d->tbar[l];
  }
}

// x += y of local states alone
static void add_local(const adjoint* d, double* x, double a, const double* y) {
  const jsolve_local_system* l = &d->w->run->system.local;
  for (int j = 0; j < l->n; j++) {
    for (int k = l->state[j] * d->lanes; k < (l->state[j] + 1) * d->lanes; k++) {
      x[k] += a * y[k];
    }
  }
}

// (S25)  weights of the slopes of a mixed stage: those of its local states, which also move the others
static jo_status local_back(adjoint* d, const jsens_entry* e, int i) {
  jsens_walk* w = d->w;
  double b = (e->t1 - e->t) * jsens_walk_scheme(w, e)->tab->local_gamma;
  JO_TRY(jsens_walk_local(w, e, i));
  jsens_walk_gain(w, true, b, d->kbar, d->lanes);
  jsolve_local_solve(&w->local, true, d->kbar, d->lanes);
  return JO_OK;
}

// What stage j > i does to the slope of stage i.
static void add_later(adjoint* d, const jsolve_tableau* tab, double h, int i, int j) {
  double a = tab->a[j][i], local = tab->local[j][i];
  if (a != 0.0) add(d, d->kbar, h * a, d->Ybar[j], d->w->ny);
  if (d->w->is_mixed && local != a) add_local(d, d->kbar, h * (local - a), d->Ybar[j]);
}

// (S5)  kbar_i = h b_i lambda + h sum_{j>i} a_ji Ybar_j,   Ybar_i = f_y^T kbar_i
static jo_status stages_back(adjoint* d, const jsens_entry* e, const double* y1) {
  jsens_walk* w = d->w;
  const jsolve_tableau* tab = jsens_walk_scheme(w, e)->tab;
  double h = e->t1 - e->t;
  int s = tab->stages;
  bool has_end = d->estimates && tab->e[s] != 0.0;
  if (has_end) {  // the slope at the end, of the embedded method alone
    clear(d, d->kbar, w->ny);
    seed_error(d, d->kbar, h * tab->e[s]);
    jsens_point at = {.t = e->t1, .y = y1, .lambda = d->kbar};
    weigh_into(d, JGEN_FN_RHS, &at, d->Ybar[s]);
  }
  for (int i = s - 1; i >= 0; i--) {
    clear(d, d->kbar, w->ny);
    add(d, d->kbar, h * tab->b[i], d->lambda, w->ny);
    seed_error(d, d->kbar, h * tab->e[i]);
    if (has_end) add(d, d->kbar, h * tab->b[i], d->Ybar[s], w->ny);
    for (int j = i + 1; j < s; j++) {
      add_later(d, tab, h, i, j);
    }
    if (w->is_mixed && i > 0) JO_TRY(local_back(d, e, i));
    jsens_point at = {.t = jsens_walk_stage_time(w, e, i), .y = w->Y[i], .lambda = d->kbar};
    weigh_into(d, JGEN_FN_RHS, &at, d->Ybar[i]);
  }
  for (int i = 0; i < (has_end ? s + 1 : s); i++) {
    add(d, d->lambda, 1.0, d->Ybar[i], w->ny);
  }
  return JO_OK;
}

// nu = (1 - hγ f_y)^-T mu, lane by lane
static void solve_weights(adjoint* d, double* mu) {
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
static jo_status implicit_stage_back(adjoint* d, const jsens_entry* e, int i, const double* Y) {
  jsens_walk* w = d->w;
  const jsolve_tableau* tab = jsens_walk_scheme(w, e)->tab;
  double t = jsens_walk_stage_time(w, e, i), h = e->t1 - e->t;
  JO_TRY(jsens_walk_matrices(w, e, t, Y));
  add(d, d->Kbar[i], h * tab->gamma, d->Ybar[i], w->ny);
  solve_weights(d, d->Kbar[i]);
  jsens_point at = {.t = t, .y = Y, .lambda = d->Kbar[i]};
  weigh(d, JGEN_FN_RHS, &at);
  close_back(d, t, Y, d->ybar, NULL);
  add(d, d->Ybar[i], 1.0, d->ybar, w->ny);
  const double* a = i == tab->stages ? tab->b : tab->a[i];
  for (int j = 0; j < i; j++) {
    if (a[j] != 0.0) add(d, d->Kbar[j], h * a[j], d->Ybar[i], w->ny);
  }
  return JO_OK;
}

static jo_status implicit_back(adjoint* d, const jsens_entry* e, const double* y0,
                               const double* y1) {
  jsens_walk* w = d->w;
  const jsolve_tableau* tab = jsens_walk_scheme(w, e)->tab;
  int s = tab->stages;
  size_t bytes = (size_t)(w->ny * d->lanes) * sizeof *d->lambda;
  for (int i = 0; i <= s; i++) {
    clear(d, d->Kbar[i], w->ny);
    clear(d, d->Ybar[i], w->ny);
    seed_error(d, d->Kbar[i], (e->t1 - e->t) * tab->e[i]);
  }
  memcpy(d->Ybar[s], d->lambda, bytes);
  clear(d, d->lambda, w->ny);
  for (int i = s; i > 0; i--) {
    JO_TRY(implicit_stage_back(d, e, i, i == s ? y1 : w->Y[i]));
    add(d, d->lambda, 1.0, d->Ybar[i], w->ny);
  }
  jsens_point at = {.t = e->t, .y = y0, .lambda = d->Kbar[0]};
  weigh(d, JGEN_FN_RHS, &at);
  add(d, d->lambda, 1.0, d->ybar, w->ny);
  return JO_OK;
}

// Local error of the motion in step i, weighted: what it is worth for the objective. (S19)
static void weigh_motion(adjoint* d, int i, const double* y1) {
  jsens_walk* w = d->w;
  const jsens_entry *e = &w->record->entry[i], *next = e + 1;
  const jsolve_scheme* s = jsens_walk_scheme(w, e);
  int last = s->tab->stages;
  if (!d->estimates) return;
  bool goes_on = i + 1 < w->record->nentry && next->after < 0 && next->slopes >= 0;
  if (goes_on) {
    w->k[last] = jsens_record_slope(w->record, next->slopes, 0);
  } else {
    w->k[last] = w->own[last];
    w->run->system.rhs(w->run->system.user, e->t1, y1, w->k[last]);
  }
  memset(w->base, 0, (size_t)w->ny * sizeof *w->base);
  jsolve_combine(w->ny, w->base, e->t1 - e->t, &s->e, w->k, d->P);
  memset(d->P + jgen_first(&w->d->layout, JGEN_QV), 0, (size_t)w->nv * sizeof *d->P);
  int n = jgen_first(&w->d->layout, JGEN_INTEGRAL);
  d->motion += fabs(dot(d, d->lambda, LAMBDA, d->P, n));
  for (int o = n; o < w->ny; o++) {
    d->motion += fabs(d->lambda[o * d->lanes + LAMBDA] * d->P[o]);
  }
}

// Whether the motion left something out in this step: weights are looked at only then. In mixed steps stiff states
// do so anywhere.
static bool is_unresolved(const adjoint* d, const jsens_entry* e, const double* y0) {
  if (!d->estimates || e->is_implicit || d->w->is_mixed || !d->w->tail.is_there) return false;
  return jsens_walk_left_out(d->w, e, y0) > UNRESOLVED;
}

static jo_status step_back(adjoint* d, int i) {
  jsens_walk* w = d->w;
  const jsens_entry* e = &w->record->entry[i];
  const double *y0, *y1;
  JO_TRY(state_after(d, i, &y1));
  memcpy(d->y_mixed, y1, (size_t)w->ny * sizeof *y1);  // states computed again share their place
  jsens_walk_set_modes(w, jsens_record_mode(w->record, e->epoch));
  close_back(d, e->t1, d->y_mixed, d->lambda, NULL);
  JO_TRY(state_at(d, i, &y0));
  jsens_walk_set_modes(w, jsens_record_mode(w->record, e->epoch));
  JO_TRY(jsens_walk_stages(w, e, y0));
  weigh_motion(d, i, d->y_mixed);
  double share = is_unresolved(d, e, y0) ? left_out(d, e, d->y_mixed) : 0.0;
  if (e->is_implicit) {
    JO_TRY(implicit_back(d, e, y0, d->y_mixed));
  } else {
    JO_TRY(stages_back(d, e, d->y_mixed));
  }
  account(d, i);
  if (share > 0.0) add_left_out(d, i, share);
  return JO_OK;
}

// ---- events --------------------------------------------------------------------------------------

// g_t + g_y f of switch k, by its gradient, which stays in ybar, tbar and p_part, in every lane
static double switch_rate(adjoint* d, double t, const double* y, const double* f, int k) {
  jsens_walk* w = d->w;
  clear(d, d->unit, w->d->nswitch);
  for (int l = 0; l < d->lanes; l++) {
    d->unit[k * d->lanes + l] = 1.0;
  }
  jsens_point at = {.t = t, .y = y, .lambda = d->unit};
  jsens_walk_weigh(w, JGEN_FN_SWITCHES, &at, (double* const[]){d->ybar, d->tbar, d->p_part, NULL});
  return d->tbar[0] + dot(d, d->ybar, 0, f, w->ny);
}

// x += weight_l y in each lane
static void add_weighted(const adjoint* d, double* x, const double* weight, double factor,
                         const double* y, int n) {
  for (int i = 0; i < n * d->lanes; i++) {
    x[i] += factor * weight[i % d->lanes] * y[i];
  }
}

// (S7)  weight `alpha` of the event's time, handed to state and numbers through its switch
static jo_status time_back(adjoint* d, const jsens_entry* e, const double* y, const double* f,
                           int k, double* rate) {
  jsens_walk* w = d->w;
  *rate = switch_rate(d, e->t, y, f, k);
  JO_TRY(jsens_walk_check_rate(w, e, y, f, k, *rate));
  add_weighted(d, d->lambda, d->alpha, -1.0 / *rate, d->ybar, w->ny);
  add_weighted(d, d->pbar, d->alpha, -1.0 / *rate, d->p_part, w->nw);
  return JO_OK;
}

static void note_event(adjoint* d, const jsens_entry* e, int k, bool on, double rate) {
  jsens_event* v = &d->w->out->event[--d->nevent];
  v->t = e->t;
  v->which = k;
  v->on = on;
  v->follows = e->follows;
  if (rate != 0.0) v->rate = rate;
  v->weight[d->objective] = d->alpha[LAMBDA];
}

// The weight of a consequence waits for its cause.
static void put_aside(adjoint* d) {
  for (int l = 0; l < d->lanes; l++) {
    d->pending[l] += d->alpha[l];
  }
}

static void take_pending(adjoint* d) {
  for (int l = 0; l < d->lanes; l++) {
    d->alpha[l] += d->pending[l];
    d->pending[l] = 0.0;
  }
}

static jo_status smooth_back(adjoint* d, const jsens_entry* e, const double* y) {
  jsens_walk* w = d->w;
  const int* flip = w->record->flip + e->flip;
  jsens_walk_set_modes(w, jsens_record_mode(w->record, e->epoch + 1));
  w->run->system.rhs(w->run->system.user, e->t, y, w->f_plus);
  for (int i = e->nflip - 1; i >= 0; i--) {
    int k = flip[i];
    w->run->mode[k] = 1.0 - w->run->mode[k];
    w->run->system.rhs(w->run->system.user, e->t, y, w->f_minus);
    double rate = 0.0;
    for (int l = 0; l < d->lanes; l++) {
      d->alpha[l] =
          dot(d, d->lambda, l, w->f_minus, w->ny) - dot(d, d->lambda, l, w->f_plus, w->ny);
    }
    if (!w->opt->frozen && e->follows) put_aside(d);
    if (!w->opt->frozen && !e->follows) {
      if (i == 0) take_pending(d);
      JO_TRY(time_back(d, e, y, w->f_minus, k, &rate));
    }
    note_event(d, e, k, w->run->mode[k] < 0.5, rate);
    memcpy(w->f_plus, w->f_minus, (size_t)w->ny * sizeof *w->f_plus);
  }
  return JO_OK;
}

// Back through the impulse, the closure with the new drive, and the momentum; time: of all of them
static void impulse_back(adjoint* d, const jsens_entry* e, const double* before, double* time) {
  jsens_walk* w = d->w;
  int L = d->lanes;
  jsens_point at = {.t = e->t, .y = d->y_mixed, .momentum = d->P};
  at.lambda = d->lambda + jgen_first(&w->d->layout, JGEN_QDU) * L;
  weigh(d, JGEN_FN_IMPULSE, &at);
  add(d, d->lambda, 1.0, d->ybar, w->ny);
  for (int l = 0; l < L; l++) {
    time[l] += d->tbar[l];
  }
  memcpy(d->kbar, d->Pbar, (size_t)(w->nu * L) * sizeof *d->kbar);
  close_back(d, e->t, d->y_mixed, d->lambda, time);
  jsens_walk_set_modes(w, jsens_record_mode(w->record, e->epoch));
  at = (jsens_point){.t = e->t, .y = before, .lambda = d->kbar};
  weigh(d, JGEN_FN_MOMENTUM, &at);
  add(d, d->lambda, 1.0, d->ybar, w->ny);
  for (int l = 0; l < L; l++) {
    time[l] += d->tbar[l] + dot(d, d->lambda, l, w->f_minus, w->ny);
  }
}

// (S8)
static jo_status jump_back(adjoint* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  int v = jgen_first(&w->d->layout, JGEN_QV);
  const double* before = jsens_record_state(w->record, e->state);
  const double* after = jsens_record_state(w->record, e->after);
  const double* mode1 = jsens_record_mode(w->record, e->epoch + 1);
  int k = w->record->flip[e->flip];
  jsens_walk_set_modes(w, jsens_record_mode(w->record, e->epoch));
  w->run->system.rhs(w->run->system.user, e->t, before, w->f_minus);
  jplant_call(w->run, JGEN_FN_MOMENTUM, e->t, before, (double* const[]){d->P});
  jsens_walk_set_modes(w, mode1);
  w->run->system.rhs(w->run->system.user, e->t, after, w->f_plus);
  for (int l = 0; l < d->lanes; l++) {
    d->alpha[l] = -dot(d, d->lambda, l, w->f_plus, w->ny);
  }
  memcpy(d->y_mixed, before, (size_t)w->ny * sizeof *before);
  memcpy(d->y_mixed + v, after + v, (size_t)w->nv * sizeof *before);
  impulse_back(d, e, before, d->alpha);
  double rate = 0.0;
  if (!w->opt->frozen && e->follows) put_aside(d);
  if (!w->opt->frozen && !e->follows) {
    take_pending(d);
    JO_TRY(time_back(d, e, before, w->f_minus, k, &rate));
  }
  note_event(d, e, k, mode1[k] > 0.5, rate);
  return JO_OK;
}

static void exchange(double* a, double* b, int n) {
  for (int i = 0; i < n; i++) {
    double x = a[i];
    a[i] = b[i];
    b[i] = x;
  }
}

// Both weights of the event at a state that is off by as much as a run may be; what is different then
// is the error that the event adds. (S18)
static jo_status doubtful_back(adjoint* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  const double* y = jsens_record_state(w->record, e->state);
  int L = d->lanes, ny = w->ny * L, nw = w->nw * L, nevent = d->nevent;
  memcpy(d->kept_lambda, d->lambda, (size_t)ny * sizeof *d->lambda);
  memcpy(d->kept_pbar, d->pbar, (size_t)nw * sizeof *d->pbar);
  memcpy(d->kept_pending, d->pending, (size_t)L * sizeof *d->pending);
  jsens_walk_shift(w, y, d->y_mixed);
  JO_TRY(smooth_back(d, e, d->y_mixed));
  exchange(d->lambda, d->kept_lambda, ny);
  exchange(d->pbar, d->kept_pbar, nw);
  exchange(d->pending, d->kept_pending, L);
  d->nevent = nevent;
  JO_TRY(smooth_back(d, e, y));
  for (int i = 0; i < w->ny; i++) {
    d->lambda[i * L + ERROR] += d->kept_lambda[i * L + LAMBDA] - d->lambda[i * L + LAMBDA];
  }
  for (int j = 0; j < w->nw; j++) {
    d->pbar[j * L + ERROR] += d->kept_pbar[j * L + LAMBDA] - d->pbar[j * L + LAMBDA];
  }
  d->pending[ERROR] += d->kept_pending[LAMBDA] - d->pending[LAMBDA];
  return JO_OK;
}

static jo_status event_back(adjoint* d, const jsens_entry* e) {
  jsens_walk* w = d->w;
  if (jsens_walk_jumps(w, e)) return jump_back(d, e);
  if (d->estimates && !w->opt->frozen) return doubtful_back(d, e);
  return smooth_back(d, e, jsens_record_state(w->record, e->state));
}

// ---- the walk ------------------------------------------------------------------------------------

static int count_events(jsens_walk* w) {
  int n = 0;
  for (int i = 0; i < w->record->nentry; i++) {
    const jsens_entry* e = &w->record->entry[i];
    if (e->after < 0) continue;
    n += jsens_walk_jumps(w, e) ? 1 : e->nflip;
  }
  return n;
}

// What lambda would be at an end off by as much as a run may be is an error it begins with. (S18)
static void doubt_end(adjoint* d) {
  jsens_walk* w = d->w;
  int L = d->lanes;
  memcpy(d->kept_pbar, d->pbar, (size_t)(w->nw * L) * sizeof *d->pbar);
  jsens_walk_shift_end(w, d->y_mixed);
  jsens_point at = {.t = w->opt->t_end, .y = d->y_mixed, .lambda = d->unit};
  weigh(d, JGEN_FN_OBJECTIVE, &at);
  exchange(d->pbar, d->kept_pbar, w->nw * L);
  for (int i = 0; i < w->ny; i++) {
    d->lambda[i * L + ERROR] = d->ybar[i * L + LAMBDA] - d->lambda[i * L + LAMBDA];
  }
  for (int j = 0; j < w->nw; j++) {
    // two weighings are in kept_pbar
    d->pbar[j * L + ERROR] = d->kept_pbar[j * L + LAMBDA] - 2.0 * d->pbar[j * L + LAMBDA];
  }
  d->end_doubt = size_of(d, d->lambda, ERROR);
}

// lambda at the end: the gradient of the objective there
static void begin_objective(adjoint* d, int o) {
  jsens_walk* w = d->w;
  const jsens_record* r = w->record;
  d->objective = o;
  d->nevent = w->out->nevent = count_events(w);
  jsens_trace_clear(w, &d->trace);
  d->motion = 0.0;
  d->stretches = (jsens_stretches){0};
  d->last_blind = w->record->nentry + APART + 1;
  clear(d, d->pending, 1);
  clear(d, d->pbar, w->nw);
  clear(d, d->unit, w->d->nobjective);
  d->unit[o * d->lanes + LAMBDA] = 1.0;
  jsens_walk_set_modes(w, jsens_record_mode(r, r->nepoch - 1));
  jsens_point at = {.t = w->opt->t_end, .y = r->y_end, .lambda = d->unit};
  weigh(d, JGEN_FN_OBJECTIVE, &at);
  memcpy(d->lambda, d->ybar, (size_t)(w->ny * d->lanes) * sizeof *d->lambda);
  if (d->estimates) doubt_end(d);
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

static void put_errors(adjoint* d, int o) {
  jsens_walk* w = d->w;
  double doubt = d->stretches.all > 0.0 ? BACKWARD * jsens_stretches_doubt(&d->stretches) : 1.0;
  if (w->is_mixed) doubt = MIXED;
  for (int j = 0; j < w->nw; j++) {
    const double* S0 = w->S0 + (int64_t)j * w->ny;
    double error = d->pbar[j * d->lanes + ERROR] + dot(d, d->lambda, ERROR, S0, w->ny);
    w->out->gradient_error[o * w->nw + j] = doubt * fabs(error);
  }
  if (doubt > 1.0) level_errors(w->out, o);
}

// What each step added to the error, relative to the largest lambda: it builds up from what it began with,
// and where it runs away its growth tells.
static void put_rough(adjoint* d) {
  jsens_result* out = d->w->out;
  double size = d->trace.largest, before = size > 0.0 ? d->end_doubt / size : 0.0;
  for (int i = d->w->record->nentry - 1; i >= 0 && size > 0.0; i--) {
    if (d->w->record->entry[i].after >= 0) continue;
    double part = d->trace.error[i] / size;
    out->rough[i] = fmax(out->rough[i], isfinite(part) ? part - before : INFINITY);
    before = d->behind[i] / size;
  }
  jsens_trace_growth(&d->trace, d->w->record->nentry, true, out->growth);
}

static jo_status one_objective(adjoint* d, int o) {
  jsens_walk* w = d->w;
  const jsens_record* r = w->record;
  begin_objective(d, o);
  for (int i = r->nentry - 1; i >= 0; i--) {
    JO_TRY(r->entry[i].after < 0 ? step_back(d, i) : event_back(d, &r->entry[i]));
  }
  for (int j = 0; j < w->nw; j++) {
    const double* S0 = w->S0 + (int64_t)j * w->ny;
    w->out->gradient[o * w->nw + j] =
        d->pbar[j * d->lanes + LAMBDA] + dot(d, d->lambda, LAMBDA, S0, w->ny);
  }
  if (d->estimates) {
    w->out->value_error[o] = d->motion;
    put_errors(d, o);
    put_rough(d);
  }
  return JO_OK;
}

jo_status jsens_walk_adjoint(jsens_walk* w) {
  adjoint d = {.w = w};
  JO_TRY(allocate(&d));
  for (int o = 0; o < w->d->nobjective; o++) {
    JO_TRY(one_objective(&d, o));
  }
  return JO_OK;
}
