// SPDX-License-Identifier: Apache-2.0
// Walking a recorded run again, step by step.
#include "sens/walk.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "solve/third_order.h"

#define DOUBT       20.0   // tolerances that a state may be off by at an event
#define BUILT_UP    1e3    // most that derivatives grow by nature while they build up
#define MATTERS     1e-3   // part of the largest: what is less is still building up
#define SOLVE_AGAIN 1e-4   // accuracy of implicit stages that were not stored, in tolerances
#define TURNS       2e-6   // rates at an event below this part of those before it: (S3)
#define CANCELS     1e-12  // and below this part of the terms that they are the sum of

static bool prepare_work(jsens_walk* w, const jplant_kernels* k, double*** work) {
  if (k) *work = jplant_kernels_work(&w->arena, k);
  return !k || *work;
}

static void call(jsens_walk* w, const jplant_kernels* k, jgen_fn f, double* const* work,
                 const jsens_point* at, double* const* out) {
  const double* in[JGEN_GROUP_COUNT] = {
      [JGEN_P] = w->run->p,
      [JGEN_T] = &at->t,
      [JGEN_Y] = at->y,
      [JGEN_MODE] = at->mode ? at->mode : w->run->mode,
      [JGEN_MOMENTUM] = at->momentum,
      [JGEN_ROAD] = w->run->road,
      [JGEN_DY] = at->dy,
      [JGEN_DT] = at->dt,
      [JGEN_DP] = at->dp,
      [JGEN_DMOMENTUM] = at->dmomentum,
      [JGEN_LAMBDA] = at->lambda,
      [JGEN_FIRED] = at->fired,
  };
  w->out->derivative_evaluations++;
  jplant_kernels_eval(k, k->of[f], in, out, work);
}

void jsens_walk_tangent(jsens_walk* w, jgen_fn f, const jsens_point* at, double* const* out) {
  call(w, w->now->tangents, f, w->now->tangent_work, at, out);
}

void jsens_walk_weigh(jsens_walk* w, jgen_fn f, const jsens_point* at, double* const* out) {
  call(w, w->now->adjoints, f, w->now->adjoint_work, at, out);
}

// ---- partitions --------------------------------------------------------------------------------------

static jsens_side* find_side(const jsens_walk* w, const jplant* p) {
  for (int i = 0; i < w->nside; i++) {
    if (w->side[i].plant == p) return &w->side[i];
  }
  return NULL;
}

static jo_status prepare_gains(jsens_walk* w, jsens_side* s) {
  JO_TRY(jplant_prepare_gains(w->run, &s->gain));
  s->G = JARENA_ARRAY(&w->arena, s->gain->n, double);
  return s->G ? JO_OK : jerr_memory(w->ctx);
}

static jo_status add_side(jsens_walk* w, const jplant* p) {
  jsens_side* s = &w->side[w->nside++];
  *s = (jsens_side){.plant = p, .tangents = w->sens->tangents, .adjoints = w->sens->adjoints};
  if (p != w->sens->plant) {
    const jsens_kernels* k;
    JO_TRY(jsens_kernel_shelf_get(w->ctx, w->sens->siblings, p, &k, &s->own));
    s->tangents = k->tangents;
    s->adjoints = k->adjoints;
  }
  JO_TRY(jplant_work_show(w->run, p));
  if (w->is_mixed) JO_TRY(prepare_gains(w, s));
  bool ok = prepare_work(w, s->tangents, &s->tangent_work) &&
            prepare_work(w, s->adjoints, &s->adjoint_work);
  return ok ? JO_OK : jerr_memory(w->ctx);
}

// All that the run came to, so that nothing can fail when the walk comes there.
static jo_status prepare_sides(jsens_walk* w) {
  const jsens_record* r = w->record;
  JO_TRY(r->status);  // there was no memory for it
  w->side = JARENA_ARRAY(&w->arena, r->charts.n + 1, jsens_side);
  if (!w->side) return jerr_memory(w->ctx);
  for (int i = 0; i < r->nepoch; i++) {
    if (!find_side(w, r->plant[i])) JO_TRY(add_side(w, r->plant[i]));
  }
  jsens_walk_set_epoch(w, 0);
  return JO_OK;
}

void jsens_walk_set_epoch(jsens_walk* w, int epoch) {
  const jplant* p = w->record->plant[epoch];
  if (!w->now || w->now->plant != p) {
    w->now = find_side(w, p);
    jo_status shown = jplant_work_show(w->run, p);
    JASSERT(w->now && shown >= 0);  // it was shown before
    (void)shown;
  }
  jsens_walk_set_modes(w, jsens_record_mode(w->record, epoch));
}

static bool has_implicit_steps(const jsens_record* r) {
  for (int i = 0; i < r->nentry; i++) {
    if (jsens_record_is_implicit(r, i)) return true;
  }
  return false;
}

static bool set_weights(jsens_walk* w) {
  return jsolve_weights_init(&w->weights, &w->arena, w->ny, w->run->system.error_scale,
                             w->opt->solve.rel_tol, w->opt->solve.abs_tol);
}

static jo_status set_local(jsens_walk* w) {
  JO_TRY(w->run->system.prepare_local(w->run->system.user));
  w->is_mixed = w->run->system.local.n > 0;
  if (!w->is_mixed) return JO_OK;
  bool ok = jsolve_local_init(&w->local, &w->arena, &w->run->system) && set_weights(w);
  return ok ? JO_OK : jerr_memory(w->ctx);
}

static jo_status set_schemes(jsens_walk* w) {
  jsolve_method method = w->opt->solve.method;
  const jsolve_tableau* tab = jsolve_tableau_find(method);
  const jsolve_tableau* implicit = jsolve_tableau_implicit(method);
  if (!tab) {
    char names[JSOLVE_METHOD_NAMES];
    return jerr_set(w->ctx, JO_ERR_ARGUMENT,
                    "derivatives of a run need a Runge-Kutta method (%s), not %s",
                    jsolve_method_names(true, ", ", names), jsolve_method_name(method));
  }
  if (!implicit || tab != implicit) {
    w->scheme[0] = jsolve_scheme_of(tab);
    w->tail = jsens_tail_of(tab);
  }
  if (tab->local_gamma > 0) JO_TRY(set_local(w));
  if (!implicit) return JO_OK;
  w->scheme[1] = jsolve_scheme_of(implicit);
  if (has_implicit_steps(w->record)) JO_TRY(w->run->system.prepare_jacobian(w->run->system.user));
  bool ok = jsolve_implicit_init(&w->im, &w->arena, &w->run->system) && set_weights(w);
  return ok ? JO_OK : jerr_memory(w->ctx);
}

static jo_status prepare_segment(jsens_walk* w) {
  int stages = jsolve_tableau_find(w->opt->solve.method)->stages, stride = w->record->stride;
  jsens_segment* s = &w->segment;
  *s = (jsens_segment){.first = -1, .stages = stages};
  if (stride == 1) return JO_OK;
  s->y = JARENA_ARRAY(&w->arena, (int64_t)stride * w->ny, double);
  s->k = JARENA_ARRAY(&w->arena, (int64_t)stride * stages * w->ny, double);
  return s->y && s->k ? JO_OK : jerr_memory(w->ctx);
}

bool jsens_segment_has(const jsens_segment* s, int i) {
  return s->first >= 0 && i >= s->first && i < s->first + s->n;
}

double* jsens_walk_slopes(const jsens_walk* w, const jsens_entry* e) {
  const jsens_segment* s = &w->segment;
  if (e->slopes || !jsens_segment_has(s, e->index)) return e->slopes;
  return s->k + (int64_t)(e->index - s->first) * s->stages * w->ny;
}

const double* jsens_walk_first_slope(const jsens_walk* w, int i) {
  jsens_entry e = jsens_record_entry(w->record, i);
  const double* known = jsens_walk_slopes(w, &e);
  return known ? known : e.first;
}

jo_status jsens_walk_begin(jsens_walk* w, jo_context* ctx, const jsens* s, jplant_work* run,
                           const jsens_record* record, const jsens_options* opt,
                           jsens_result* out) {
  const jgen_dynamics* d = s->plant->dynamics;
  *w = (jsens_walk){.ctx = ctx, .sens = s, .d = d, .run = run, .record = record, .opt = opt};
  w->out = out;
  w->ny = d->ny;
  w->nu = d->part.nu;
  w->nv = d->part.nv;
  w->nw = s->nw;
  w->drives = s->drives;
  w->lanes = jsens_lanes_choose();
  w->scales = jsens_lane_scales_of(d->ny, d->layout.is_followed, d->layout.nominal);
  jarena_init(&w->arena, ctx);
  JO_TRY(set_schemes(w));
  JO_TRY(prepare_segment(w));
  JO_TRY(prepare_sides(w));
  for (int i = 0; i < JSENS_SLOPES; i++) {
    w->k[i] = w->own[i] = JARENA_ARRAY(&w->arena, w->ny, double);
    if (!w->own[i]) return jerr_memory(ctx);
    if (i == JSOLVE_MAX_STAGES) break;
    w->Y[i] = JARENA_ARRAY(&w->arena, w->ny, double);
    if (!w->Y[i]) return jerr_memory(ctx);
  }
  w->base = JARENA_ARRAY(&w->arena, w->ny, double);
  w->f_minus = JARENA_ARRAY(&w->arena, w->ny, double);
  w->f_plus = JARENA_ARRAY(&w->arena, w->ny, double);
  w->modes = JARENA_ARRAY(&w->arena, d->nswitch, double);
  w->cause = JARENA_ARRAY(&w->arena, d->nswitch, int);
  w->near = JARENA_ARRAY(&w->arena, (JSOLVE_NODES + 2) * w->ny, double);
  w->g = JARENA_ARRAY(&w->arena, d->nswitch, double);
  w->fired = JARENA_ARRAY(&w->arena, d->nevent, double);
  bool ok =
      w->base && w->f_minus && w->f_plus && w->modes && w->cause && w->near && w->g && w->fired;
  return ok ? JO_OK : jerr_memory(ctx);
}

void jsens_walk_end(jsens_walk* w) {
  for (int i = 0; i < w->nside; i++) {
    jsens_kernels_destroy(w->side[i].own);
  }
  jarena_free(&w->arena);
}

void jsens_walk_set_modes(jsens_walk* w, const double* mode) {
  if (mode) memcpy(w->run->mode, mode, (size_t)w->d->nswitch * sizeof *mode);
}

const jsolve_scheme* jsens_walk_scheme(const jsens_walk* w, const jsens_entry* e) {
  return &w->scheme[e->is_implicit ? 1 : 0];
}

double jsens_walk_stage_time(const jsens_walk* w, const jsens_entry* e, int i) {
  const jsolve_tableau* tab = jsens_walk_scheme(w, e)->tab;
  if (i == tab->stages) return e->t1;
  return tab->c[i] == 1 ? e->t1 : e->t + tab->c[i] * (e->t1 - e->t);
}

// Y = base + hγ k with its loops closed
static jo_status implicit_argument(jsens_walk* w, const jsens_entry* e, int i) {
  double b = jsens_walk_scheme(w, e)->tab->gamma * (e->t1 - e->t);
  for (int n = 0; n < w->ny; n++) {
    w->Y[i][n] = w->base[n] + b * w->k[i][n];
  }
  return jmachine_close(&w->run->machine, jsens_walk_stage_time(w, e, i), w->Y[i]);
}

static jo_status solve_again(jsens_walk* w, const jsens_entry* e, int i, double* Y) {
  memcpy(w->k[i], w->k[i - 1], (size_t)w->ny * sizeof(double));
  memcpy(Y, w->Y[i - 1], (size_t)w->ny * sizeof(double));
  return jsolve_implicit_stage(&w->im, &w->weights, jsens_walk_stage_time(w, e, i), w->base,
                               SOLVE_AGAIN, Y, w->k[i]);
}

static jo_status implicit_stages(jsens_walk* w, const jsens_entry* e, const double* y0,
                                 double* slopes) {
  const jsolve_scheme* s = jsens_walk_scheme(w, e);
  double h = e->t1 - e->t;
  memcpy(w->Y[0], y0, (size_t)w->ny * sizeof *y0);
  if (!slopes) JO_TRY(jsens_walk_matrices(w, e, e->t, y0));
  for (int i = 0; i < s->tab->stages; i++) {
    w->k[i] = slopes ? slopes + i * w->ny : w->own[i];
    if (i == 0) {
      if (!slopes) w->run->system.rhs(w->run->system.user, e->t, y0, w->k[0]);
      continue;
    }
    w->lanes->combine(w->ny, y0, h, &s->a[i], w->k, w->base);
    JO_TRY(slopes ? implicit_argument(w, e, i) : solve_again(w, e, i, w->Y[i]));
  }
  return JO_OK;
}

static double local_b(const jsens_walk* w, const jsens_entry* e) {
  return jsens_walk_scheme(w, e)->tab->local_gamma * (e->t1 - e->t);
}

// Local states of the argument of stage i > 0, from its slopes or solved for as they were; base: their slopes then.
static jo_status local_argument(jsens_walk* w, const jsens_entry* e, int i, const double* y0,
                                bool is_known) {
  const jsolve_local_system* l = &w->run->system.local;
  double b = local_b(w, e), *Y = w->Y[i];
  w->lanes->combine(w->ny, y0, e->t1 - e->t, &jsens_walk_scheme(w, e)->a_local[i], w->k, w->base);
  for (int j = 0; j < l->n; j++) {
    int at = l->state[j];
    Y[at] = w->base[at] + (is_known ? b * w->k[i][at] : 0.0);
  }
  if (is_known) return JO_OK;
  if (i == 1) jsolve_local_begin(&w->local, y0);
  double accuracy = e->is_located ? JSOLVE_LOCATE_ACCURACY : JSOLVE_NEWTON_ACCURACY;
  jo_status status = jsolve_local_stage(&w->local, &w->weights, jsens_walk_stage_time(w, e, i), b,
                                        w->base, accuracy, Y, w->base);
  if (status >= 0) return JO_OK;
  return jerr_set(w->ctx, status, "derivatives: the step at t = %.9g s cannot be taken again",
                  e->t);
}

static void keep_local(jsens_walk* w, int i) {
  const jsolve_local_system* l = &w->run->system.local;
  for (int j = 0; j < l->n; j++) {
    w->k[i][l->state[j]] = w->base[l->state[j]];
  }
}

jo_status jsens_walk_local(jsens_walk* w, const jsens_entry* e, int i) {
  double t = jsens_walk_stage_time(w, e, i);
  jo_status status = jsolve_local_factor(&w->local, t, w->Y[i], local_b(w, e));
  jplant_gains(w->run, t, w->Y[i], w->now->G);
  if (status >= 0) return JO_OK;
  return jerr_set(w->ctx, status, "derivatives: the Jacobian of local states is %s at t = %.9g s",
                  status == JO_ERR_NUMERIC ? "not finite" : "singular", t);
}

static inline void gain(const jsens_walk* w, bool transposed, double b, double* x, int lanes) {
  const int* state = w->run->system.local.state;
  for (int e = 0; e < w->now->gain->n; e++) {
    int row = w->now->gain->row[e], col = state[w->now->gain->col[e]];
    const double *from = x + (transposed ? row : col) * lanes, g = b * w->now->G[e];
    double* to = x + (transposed ? col : row) * lanes;
    for (int l = 0; l < lanes; l++) {
      to[l] += g * from[l];
    }
  }
}

void jsens_walk_gain(const jsens_walk* w, bool transposed, double b, double* x, int lanes) {
  if (lanes == JSENS_MAX_LANES) {
    gain(w, transposed, b, x, JSENS_MAX_LANES);  // lanes that the compiler can count
  } else if (lanes == JSENS_MAX_LANES / 2) {
    gain(w, transposed, b, x, JSENS_MAX_LANES / 2);
  } else {
    gain(w, transposed, b, x, lanes);
  }
}

jo_status jsens_walk_tell(jo_context* ctx, const jsens_options* opt, double t) {
  double span = opt->t_end - opt->t_start;
  if (!opt->progress || opt->progress(opt->user, (t - opt->t_start) / span)) return JO_OK;
  return jerr_set(ctx, JO_ERR_LIMIT, "derivatives: stopped at t = %.9g s", t);
}

jo_status jsens_walk_stages_from(jsens_walk* w, const jsens_entry* e, const double* y0,
                                 double* slopes, const double* first) {
  JO_TRY(jsens_walk_tell(w->ctx, w->opt, e->t));
  if (e->is_implicit) return implicit_stages(w, e, y0, slopes);
  const jsolve_scheme* s = jsens_walk_scheme(w, e);
  double h = e->t1 - e->t;
  for (int i = 0; i < s->tab->stages; i++) {
    w->k[i] = slopes ? slopes + i * w->ny : w->own[i];
    w->lanes->combine(w->ny, y0, h, &s->a[i], w->k, w->Y[i]);
    bool is_local = w->is_mixed && i > 0;
    if (is_local) JO_TRY(local_argument(w, e, i, y0, slopes));
    if (slopes) continue;
    if (i == 0 && first) {
      memcpy(w->k[0], first, (size_t)w->ny * sizeof *first);
      continue;
    }
    w->run->system.rhs(w->run->system.user, jsens_walk_stage_time(w, e, i), w->Y[i], w->k[i]);
    if (is_local) keep_local(w, i);
  }
  return JO_OK;
}

jo_status jsens_walk_stages(jsens_walk* w, const jsens_entry* e, const double* y0) {
  return jsens_walk_stages_from(w, e, y0, jsens_walk_slopes(w, e), e->first);
}

jo_status jsens_walk_matrices(jsens_walk* w, const jsens_entry* e, double t, const double* y) {
  jo_status status = jsolve_implicit_linearise(&w->im, t, y);
  double b = jsens_walk_scheme(w, e)->tab->gamma * (e->t1 - e->t);
  if (status >= 0) status = jsolve_implicit_factor(&w->im, b);
  if (status >= 0) return JO_OK;
  return jerr_set(w->ctx, status, "derivatives: the Jacobian is %s at t = %.9g s",
                  status == JO_ERR_NUMERIC ? "not finite" : "singular", t);
}

jo_status jsens_walk_end_stages(jsens_walk* w, const jsens_entry* e, const double* y0, double* y) {
  const jsolve_scheme* s = jsens_walk_scheme(w, e);
  if (!e->is_implicit) {
    w->lanes->combine(w->ny, y0, e->t1 - e->t, &s->b, w->k, y);
    return JO_OK;
  }
  w->lanes->combine(w->ny, y0, e->t1 - e->t, &s->b, w->k, w->base);
  JO_TRY(jsens_walk_matrices(w, e, e->t, y0));
  return solve_again(w, e, s->tab->stages, y);
}

double jsens_walk_left_out(const jsens_walk* w, const jsens_entry* e, const double* y0) {
  const jsolve_options* o = &w->opt->solve;
  double most = 0.0, h = e->t1 - e->t;
  for (int i = 0; i < w->ny; i++) {
    if (!w->d->layout.is_followed[i]) continue;
    double slope[JSENS_TAIL_NODES], size[JSENS_TAIL_PARTS];
    for (int n = 0; n < JSENS_TAIL_NODES; n++) {
      slope[n] = h * w->k[w->tail.stage[n]][i];
    }
    for (int m = 0; m < JSENS_TAIL_PARTS; m++) {
      size[m] = fabs(jsens_tail_sum(&w->tail, m, slope));
    }
    double scale = o->abs_tol * w->run->system.error_scale[i] + o->rel_tol * fabs(y0[i]);
    double left_out = jsens_tail_share(&w->tail, size) * size[JSENS_TAIL_THIRD], embedded = 0.0;
    const jsolve_combination* by = &jsens_walk_scheme(w, e)->e;
    for (int n = 0; n < by->n; n++) {
      embedded += h * by->factor[n] * w->k[by->index[n]][i];
    }
    if (left_out > fabs(embedded)) most = fmax(most, left_out / scale);
  }
  return most;
}

static void shift(const jsens_walk* w, double tolerances, const double* y, double* shifted) {
  const jsolve_options* o = &w->opt->solve;
  const double* scale = w->run->system.error_scale;
  for (int i = 0; i < w->ny; i++) {
    double off = tolerances * (o->abs_tol * scale[i] + o->rel_tol * fabs(y[i]));
    if (w->d->layout.is_discrete[i]) off = 0.0;  // a count is what it is
    shifted[i] = y[i] + ((7 * i + i / 3) % 2 ? off : -off);
  }
}

void jsens_walk_shift(const jsens_walk* w, const double* y, double* shifted) {
  shift(w, DOUBT, y, shifted);
}

void jsens_walk_shift_end(const jsens_walk* w, double* shifted) {
  int n = jgen_first(&w->d->layout, JGEN_INTEGRAL);
  const double* y = w->record->y_end;
  shift(w, 1.0, y, shifted);
  memcpy(shifted + n, y + n, (size_t)(w->ny - n) * sizeof *y);
}

jo_status jsens_walk_resets(jsens_walk* w, const jsens_entry* e, const double* y, double* stage) {
  jmachine* m = &w->run->machine;
  size_t bytes = (size_t)w->ny * sizeof *y;
  bool jumps;
  memcpy(stage, y, bytes);
  jsens_walk_set_modes(w, jsens_record_mode(w->record, e->epoch + 1));
  const jsens_happening* h = e->what;
  if (h->is_impulse) {
    JO_TRY(jmachine_impulse(m, e->t, stage, w->record->flip + h->flip, h->nflip, &jumps));
  }
  for (int i = 0; i < h->nreset; i++, stage += w->ny) {
    memcpy(stage + w->ny, stage, bytes);
    JO_TRY(jmachine_reset(m, e->t, stage + w->ny, w->record->reset[h->reset + i]));
  }
  return JO_OK;
}

void jsens_walk_slope_before(jsens_walk* w, double t, const double* y) {
  w->run->system.rhs(w->run->system.user, t, y, w->f_minus);
  if (!w->moves_in) memset(w->f_minus, 0, (size_t)w->ny * sizeof *w->f_minus);
}

void jsens_walk_slope_behind(jsens_walk* w, double t, const double* y) {
  w->run->system.rhs(w->run->system.user, t, y, w->f_plus);
  if (!w->moves_out) memset(w->f_plus, 0, (size_t)w->ny * sizeof *w->f_plus);
}

void jsens_walk_fire(jsens_walk* w, const jsens_entry* e, int i) {
  memset(w->fired, 0, (size_t)w->d->nevent * sizeof *w->fired);
  w->fired[w->record->reset[e->what->reset + i]] = 1.0;
}

// A drive that jumps across what moves leaves all states as they were, but not their derivatives with respect to its
// direction.
bool jsens_walk_jumps(jsens_walk* w, const jsens_entry* e) {
  return e->what->is_impulse || memcmp(e->y, e->after, (size_t)w->ny * sizeof *e->y) != 0;
}

bool jsens_walk_has_drive(const jsens_walk* w, const jsens_entry* e) {
  bool any = e->what->is_impulse;
  for (int i = 0; i < e->what->nflip; i++) {
    any = any || w->drives[w->record->flip[e->what->flip + i]];
  }
  return any;
}

// ---- events that graze -----------------------------------------------------------------------------

// Half of the step that ended at the event; 0: there is none.
static double half_step_before(const jsens_walk* w, const jsens_entry* e) {
  const jsens_record* r = w->record;
  int i = e->index - 1;
  while (i >= 0 && !jsens_record_is_step(r, i) && r->time[i] == e->t) {
    i--;
  }
  return i >= 0 && jsens_record_is_step(r, i) ? 0.5 * jsens_record_length(r, i) : 0.0;
}

static double switch_at(jsens_walk* w, double t, const double* y, int k) {
  w->run->system.switches(w->run->system.user, t, y, w->g);
  return w->g[k];
}

typedef struct way_back {
  jsens_walk* w;
  double t, tau;
} way_back;

static void slope_before(void* user, int i, double c, const double* y, double* k) {
  const way_back* b = user;
  (void)i;
  b->w->run->system.rhs(b->w->run->system.user, b->t - c * b->tau, y, k);
}

// How fast switch k came to its event at (t, y), with slope f there: over half a step, going back by one of third
// order; and the same with time held, where what moves it may cancel.
static void rates_before(jsens_walk* w, const jsens_entry* e, const double* y, const double* f,
                         int k, double* mean, double* term) {
  way_back b = {w, e->t, half_step_before(w, e)};
  double* slope[JSOLVE_NODES] = {w->near, w->near + w->ny, w->near + 2 * w->ny};
  double *arg = w->near + 3 * w->ny, *far = arg + w->ny;
  *mean = *term = 0.0;
  if (!(b.tau > 0.0)) return;
  jsolve_third_order s = {w->ny, slope_before, &b, slope, arg, .in_turn = true};
  memcpy(slope[0], f, (size_t)w->ny * sizeof *f);
  jsolve_third_order_nodes(&s, 1, -b.tau, y);
  jsolve_third_order_end(&s, -b.tau, y, far);
  double g = switch_at(w, e->t, y, k);
  *mean = fabs(switch_at(w, e->t - b.tau, far, k) - g) / b.tau;
  *term = fabs(switch_at(w, e->t, far, k) - g) / b.tau;
}

jo_status jsens_walk_check_rate(jsens_walk* w, const jsens_entry* e, const double* y,
                                const double* f, int k, double rate) {
  bool grazes = !(fabs(rate) > 0.0);
  // a state that is off on purpose tells of errors, not of the run
  if (!grazes && y == e->y) {
    double mean, term;
    rates_before(w, e, y, f, k, &mean, &term);
    grazes = fabs(rate) <= TURNS * mean || fabs(rate) <= CANCELS * term;
  }
  if (!grazes) return JO_OK;
  return jerr_set(w->ctx, JO_ERR_NUMERIC,
                  "event '%s' at t = %.9g s only grazes: its time has no derivative; use frozen "
                  "events, or another value of the parameters",
                  w->d->sw[k].text, e->t);
}

// ---- traces of errors ------------------------------------------------------------------------------

bool jsens_trace_begin(jsens_walk* w, bool keeps_sizes, jsens_trace* t) {
  *t = (jsens_trace){.last = -1};
  return jsens_trace_reserve(w, keeps_sizes, w->record->nentry + 1, t);
}

static bool reserve(jo_context* ctx, double** x, int* cap, int n) {
  int had = *cap;
  if (!jmem_grow(ctx, x, cap, n, sizeof **x)) return false;
  memset(*x + had, 0, (size_t)(*cap - had) * sizeof **x);
  return true;
}

bool jsens_trace_reserve(jsens_walk* w, bool keeps_sizes, int nentry, jsens_trace* t) {
  return reserve(w->ctx, &t->error, &t->error_cap, nentry) &&
         (!keeps_sizes || reserve(w->ctx, &t->running, &t->running_cap, nentry));
}

void jsens_trace_free(jsens_walk* w, jsens_trace* t) {
  jmem_free(w->ctx, t->error);
  jmem_free(w->ctx, t->running);
  *t = (jsens_trace){.last = -1};
}

void jsens_trace_clear(jsens_walk* w, jsens_trace* t) {
  memset(t->error, 0, (size_t)w->record->nentry * sizeof *t->error);
  if (t->running) memset(t->running, 0, (size_t)w->record->nentry * sizeof *t->running);
  t->largest = 0.0;
  t->last = -1;
}

double jsens_trace_note(jsens_trace* t, int entry, double size, double error) {
  if (isnan(size)) size = INFINITY;  // derivatives that ran away
  if (isnan(error)) error = INFINITY;
  double before = t->largest;
  // events are no steps: what jumps there does not grow
  bool is_next = t->last == entry + 1 || (t->last == entry - 1 && entry > 0);
  t->largest = fmax(t->largest, size);
  t->error[entry] = fmax(t->error[entry], error);
  if (t->running) t->running[entry] = fmax(t->running[entry], t->largest);
  t->last = entry;
  return is_next && before > 0.0 ? t->largest / before : 0.0;
}

double jsens_trace_part(const jsens_trace* t, int entry) {
  double size = fmin(t->largest, BUILT_UP * t->running[entry]);
  if (!isfinite(t->error[entry])) return INFINITY;
  return size > 0.0 ? t->error[entry] / size : 0.0;
}

jo_status jsens_trace_grew(jsens_walk* w, int entry, double factor, double size) {
  jsens_result* out = w->out;
  if (!(factor > JSENS_GROWTH)) return JO_OK;
  if (!jmem_grow(out->ctx, &out->grown, &out->grown_cap, out->ngrown + 1, sizeof *out->grown)) {
    return jerr_memory(w->ctx);
  }
  out->grown[out->ngrown++] = (jsens_growth){entry, factor, size};
  return JO_OK;
}

jo_status jsens_trace_growth(jsens_walk* w, const jsens_trace* t) {
  double before = 0.0;
  int first = w->out->ngrown;
  for (int i = 0; i < w->record->nentry; i++) {
    double size = t->running[i];  // 0: an event
    if (before > 0.0 && size > 0.0) JO_TRY(jsens_trace_grew(w, i, size / before, size));
    before = size;
  }
  jsens_trace_end(w, t, first);
  return JO_OK;
}

void jsens_trace_end(jsens_walk* w, const jsens_trace* t, int first) {
  jsens_result* out = w->out;
  int kept = first;
  for (int i = first; i < out->ngrown; i++) {
    if (!(out->grown[i].size < MATTERS * t->largest)) out->grown[kept++] = out->grown[i];
  }
  out->ngrown = kept;
}
