// SPDX-License-Identifier: Apache-2.0
// Walking a recorded run again, step by step.
#include "study/walk.h"

#include <string.h>

#define CACHE_LINE 64

double* jstudy_walk_vector(jstudy_walk* w, size_t n) {
  size_t line = CACHE_LINE / sizeof(double);
  double* x = JARENA_ARRAY(&w->arena, n + line, double);
  if (!x) return NULL;
  size_t over = (uintptr_t)x % CACHE_LINE / sizeof(double);
  return over ? x + (line - over) : x;
}

static bool prepare_work(jstudy_walk* w, const jkernel_set* set, int which) {
  if (!set) return true;
  w->work[which] = JARENA_ARRAY(&w->arena, set->n, double*);
  for (int i = 0; w->work[which] && i < set->n; i++) {
    w->work[which][i] = jstudy_walk_vector(w, set->kernel[i].work + 1);
    if (!w->work[which][i]) return false;
    jkernel_init_work(&set->kernel[i], w->work[which][i]);
  }
  return w->work[which] != NULL;
}

static void call(jstudy_walk* w, const jkernel_set* set, int which, int kernel,
                 const jstudy_point* at, double* const* out) {
  const double* in[JGEN_GROUP_COUNT] = {
      [JGEN_P] = w->run->p,
      [JGEN_T] = &at->t,
      [JGEN_Y] = at->y,
      [JGEN_MODE] = at->mode ? at->mode : w->run->mode,
      [JGEN_MOMENTUM] = at->momentum,
      [JGEN_DY] = at->dy,
      [JGEN_DT] = at->dt,
      [JGEN_DP] = at->dp,
      [JGEN_DMOMENTUM] = at->dmomentum,
      [JGEN_LAMBDA] = at->lambda,
  };
  w->out->derivative_evaluations++;
  jkernel_eval(&set->kernel[kernel], in, out, w->work[which][kernel]);
}

void jstudy_walk_tangent(jstudy_walk* w, int kernel, const jstudy_point* at, double* const* out) {
  call(w, w->sens->tangents, 0, kernel, at, out);
}

void jstudy_walk_weigh(jstudy_walk* w, int kernel, const jstudy_point* at, double* const* out) {
  call(w, w->sens->adjoints, 1, kernel, at, out);
}

jo_status jstudy_walk_begin(jstudy_walk* w, jo_context* ctx, const jstudy_sens* s, jstudy_run* run,
                            const jstudy_record* record, const jstudy_sens_options* opt,
                            jstudy_sens_result* out) {
  const jgen_dynamics* d = s->plant->dynamics;
  *w = (jstudy_walk){.ctx = ctx, .sens = s, .d = d, .run = run, .record = record, .opt = opt};
  w->out = out;
  w->ny = d->ny;
  w->nu = d->part.nu;
  w->nv = d->part.nv;
  w->nw = s->nw;
  w->tab = jsolve_tableau_find(opt->solve.method);
  jarena_init(&w->arena, ctx);
  if (!w->tab) {
    return jerr_set(
        ctx, JO_ERR_ARGUMENT,
        "derivatives of a run need a Runge-Kutta method (dopri5, rk2, rk3, rk4), not %s",
        jsolve_method_name(opt->solve.method));
  }
  for (int i = 0; i < w->tab->stages; i++) {
    w->a[i] = jsolve_compress(w->tab->a[i], i);
    w->k[i] = w->own[i] = JARENA_ARRAY(&w->arena, w->ny + 1, double);
    w->Y[i] = JARENA_ARRAY(&w->arena, w->ny + 1, double);
    if (!w->own[i] || !w->Y[i]) return jerr_memory(ctx);
  }
  w->b = jsolve_compress(w->tab->b, w->tab->stages);
  w->f_minus = JARENA_ARRAY(&w->arena, w->ny + 1, double);
  w->f_plus = JARENA_ARRAY(&w->arena, w->ny + 1, double);
  w->modes = JARENA_ARRAY(&w->arena, d->nswitch + 1, double);
  bool ok = w->f_minus && w->f_plus && w->modes && prepare_work(w, s->tangents, 0) &&
            prepare_work(w, s->adjoints, 1);
  return ok ? JO_OK : jerr_memory(ctx);
}

void jstudy_walk_end(jstudy_walk* w) {
  jarena_free(&w->arena);
}

void jstudy_walk_set_modes(jstudy_walk* w, const double* mode) {
  if (mode) memcpy(w->run->mode, mode, (size_t)w->d->nswitch * sizeof *mode);
}

double jstudy_walk_stage_time(const jstudy_walk* w, const jstudy_entry* e, int i) {
  return w->tab->c[i] == 1 ? e->t1 : e->t + w->tab->c[i] * (e->t1 - e->t);
}

void jstudy_walk_stages(jstudy_walk* w, const jstudy_entry* e, const double* y0) {
  double h = e->t1 - e->t;
  for (int i = 0; i < w->tab->stages; i++) {
    w->k[i] = e->slopes < 0 ? w->own[i] : jstudy_record_slope(w->record, e->slopes, i);
    jsolve_combine(w->ny, y0, h, &w->a[i], w->k, w->Y[i]);
    if (e->slopes >= 0) continue;
    w->run->system.rhs(w->run, jstudy_walk_stage_time(w, e, i), w->Y[i], w->k[i]);
  }
}

jo_status jstudy_walk_end_step(jstudy_walk* w, const jstudy_entry* e, const double* y0, double* y) {
  jsolve_combine(w->ny, y0, e->t1 - e->t, &w->b, w->k, y);
  return w->run->system.project ? w->run->system.project(w->run, e->t1, y) : JO_OK;
}

jo_status jstudy_walk_step(jstudy_walk* w, const jstudy_entry* e, const double* y0, double* y) {
  jstudy_walk_stages(w, e, y0);
  return jstudy_walk_end_step(w, e, y0, y);
}

bool jstudy_walk_jumps(jstudy_walk* w, const jstudy_entry* e) {
  const double* before = jstudy_record_state(w->record, e->state);
  const double* after = jstudy_record_state(w->record, e->after);
  return memcmp(before, after, (size_t)w->ny * sizeof *before) != 0;
}
