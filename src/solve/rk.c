// SPDX-License-Identifier: Apache-2.0
// One explicit Runge-Kutta stepper for all tableaux (tableau.h).
//
// Adaptive methods: proportional-integral control of the local error in the norm of norm.h (Hairer,
// Norsett and Wanner 1993, II.4). A step whose values are not finite, or whose end cannot be
// projected, is halved. Fixed-step methods keep to the grid t_begin + k step; a step cut short by an
// event is followed by one to the next grid point.
//
// The slope at the end of a step is the first slope of the next one. When the projection moves the
// end by more than REUSE_LIMIT in the error norm the slope is evaluated again at the projected state;
// below that the difference changes the next step by h |df/dy| REUSE_LIMIT tolerances, far below its
// own error, and the slope is kept.
#include "solve/rk.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define REUSE_LIMIT   1e-3
#define SAFETY        0.9
#define SHRINK_LIMIT  0.2
#define GROWTH_LIMIT  5.0
#define PI_BETA       0.04
#define AFTER_EVENT   0.5  // part of the previous step size tried after an event
#define MAX_HALVINGS  60
#define ERROR_MINIMUM 1e-4  // floor of the previous error in the controller

typedef struct dense {
  jsolve_dense base;
  int n;
  double t0, h;
  const double *y0, *y1, *f0, *f1;
  const double* quartic;  // NULL: cubic
} dense;

typedef struct rk {
  jsolve_stepper base;
  dense dense;
  const jsolve_tableau* tab;
  jsolve_combination a[JSOLVE_MAX_STAGES], b, e, d;
  double* k[JSOLVE_MAX_STAGES + 1];  // slopes; the one after the last stage is f1
  double* arg;                       // argument of a stage
  double* error;
  double* quartic;
  const double* zero;
  double h_next;      // suggested next step, adaptive methods
  double error_last;  // of the last accepted step
  int64_t grid;       // fixed-step methods: grid points passed
  double t_not_finite;
  int not_finite;  // first state that was not finite in the last attempt
} rk;

// Cubic Hermite polynomial through both ends, and its quartic correction where the method has one.
static void dense_eval(const jsolve_dense* base, double t, double* y) {
  const dense* d = (const dense*)base;
  double x = (t - d->t0) / d->h, u = 1 - x;
  double a0 = u * u * (1 + 2 * x), a1 = x * x * (3 - 2 * x);
  double b0 = d->h * x * u * u, b1 = -d->h * x * x * u, c = x * x * u * u;
  for (int i = 0; i < d->n; i++) {
    y[i] = (a0 * d->y0[i] + a1 * d->y1[i]) + (b0 * d->f0[i] + b1 * d->f1[i]);
  }
  if (!d->quartic) return;
  for (int i = 0; i < d->n; i++)
    y[i] += c * d->quartic[i];
}

static void remember_not_finite(rk* s, double t, int n, const double* v) {
  int i = jsolve_first_not_finite(n, v);
  if (i < 0 || s->not_finite >= 0) return;
  s->not_finite = i;
  s->t_not_finite = t;
}

// Stages and end of a step to t1, not projected, without f1.
static void stages(rk* s, jsolve_run* run, double t1) {
  const jsolve_tableau* tab = s->tab;
  int n = run->sys->n;
  double h = t1 - run->t;
  for (int i = 1; i < tab->stages; i++) {
    double t = tab->c[i] == 1 ? t1 : run->t + tab->c[i] * h;
    jsolve_combine(n, run->y, h, &s->a[i], s->k, s->arg);
    jsolve_rhs(run, t, s->arg, s->k[i]);
  }
  jsolve_combine(n, run->y, h, &s->b, s->k, run->y_new);
  run->t_new = t1;
}

// Which state was not finite first, for the message; only looked for when one was.
static void find_not_finite(rk* s, jsolve_run* run) {
  double h = run->t_new - run->t;
  s->not_finite = -1;
  for (int i = 1; i < s->tab->stages; i++) {
    remember_not_finite(s, run->t + s->tab->c[i] * h, run->sys->n, s->k[i]);
  }
  remember_not_finite(s, run->t_new, run->sys->n, run->y_new);
  remember_not_finite(s, run->t_new, run->sys->n, s->k[s->tab->stages]);
}

static jo_status fail_not_finite(rk* s, jsolve_run* run) {
  char label[JSOLVE_LABEL];
  return jerr_set(
      run->ctx, JO_ERR_NUMERIC, "integration: %s or its derivative is not finite at t = %.17g",
      jsolve_label(run->sys->state_name, "state", s->not_finite, label), s->t_not_finite);
}

static void set_dense(rk* s, jsolve_run* run) {
  int n = run->sys->n;
  s->dense.t0 = run->t;
  s->dense.h = run->t_new - run->t;
  s->dense.y0 = run->y;
  s->dense.y1 = run->y_new;
  s->dense.f0 = s->k[0];
  s->dense.f1 = s->k[s->tab->stages];
  if (s->d.n == 0 || !(run->obs->step || run->sys->nswitch)) return;
  jsolve_combine(n, s->zero, s->dense.h, &s->d, s->k, s->quartic);
  s->dense.quartic = s->quartic;
}

static jo_status retake(jsolve_stepper* base, jsolve_run* run, double t1) {
  rk* s = (rk*)base;
  stages(s, run, t1);
  if (!jsolve_is_finite(run->sys->n, run->y_new)) {
    find_not_finite(s, run);
    return fail_not_finite(s, run);
  }
  return jsolve_project_strict(run, t1, run->y_new);
}

static jo_status finish(jsolve_stepper* base, jsolve_run* run) {
  rk* s = (rk*)base;
  double* f1 = s->k[s->tab->stages];
  jsolve_rhs(run, run->t_new, run->y_new, f1);
  if (!jsolve_is_finite(run->sys->n, f1)) {
    find_not_finite(s, run);
    return fail_not_finite(s, run);
  }
  set_dense(s, run);
  return JO_OK;
}

static double next_grid_point(rk* s, const jsolve_run* run) {
  double step = run->opt->step;
  for (;; s->grid++) {
    double t = run->t_begin + (double)(s->grid + 1) * step;
    if (t >= run->t_end - 1e-9 * step) return run->t_end;
    if (t - run->t > 4 * DBL_EPSILON * (fabs(t) + fabs(run->t))) return t;
  }
}

static jo_status advance_fixed(jsolve_stepper* base, jsolve_run* run) {
  rk* s = (rk*)base;
  JO_TRY(retake(base, run, next_grid_point(s, run)));
  return finish(base, run);
}

// Order of magnitude of a first step, from the size of y, f and a difference of f.
static double first_step(rk* s, jsolve_run* run) {
  int n = run->sys->n;
  const double* f0 = s->k[0];
  double* f1 = s->k[1];
  double d0 = jsolve_norm(&run->weights, run->y, run->y, run->y);
  double d1 = jsolve_norm(&run->weights, f0, run->y, run->y);
  double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  double span = run->t_end - run->t;
  if (h0 > span) h0 = span;
  for (int i = 0; i < n; i++)
    s->arg[i] = run->y[i] + h0 * f0[i];
  jsolve_rhs(run, run->t + h0, s->arg, f1);
  for (int i = 0; i < n; i++)
    s->error[i] = f1[i] - f0[i];
  double d2 = jsolve_norm(&run->weights, s->error, run->y, run->y) / h0;
  double d = d1 > d2 ? d1 : d2;
  double h1 = d <= 1e-15 ? fmax(1e-6, 1e-3 * h0) : pow(0.01 / d, 1.0 / s->tab->order);
  double h = fmin(100 * h0, h1);
  return isfinite(h) && h > 0 ? h : h0;
}

static jo_status restart(jsolve_stepper* base, jsolve_run* run) {
  rk* s = (rk*)base;
  jsolve_rhs(run, run->t, run->y, s->k[0]);
  int bad = jsolve_first_not_finite(run->sys->n, s->k[0]);
  if (bad >= 0) {
    s->not_finite = bad;
    s->t_not_finite = run->t;
    return fail_not_finite(s, run);
  }
  s->error_last = ERROR_MINIMUM;
  if (!s->tab->is_adaptive) return JO_OK;
  if (s->h_next > 0) {
    s->h_next *= AFTER_EVENT;
  } else {
    s->h_next = run->opt->step > 0 ? run->opt->step : first_step(s, run);
  }
  return JO_OK;
}

// End of the next attempt; the last two steps share what is left, so that none is tiny.
static double target(const rk* s, const jsolve_run* run) {
  double h = s->h_next, left = run->t_end - run->t;
  if (run->opt->max_step > 0 && h > run->opt->max_step) h = run->opt->max_step;
  if (h >= left) return run->t_end;
  if (2 * h > left && h < 0.99 * left) return run->t + 0.5 * left;
  return h >= 0.99 * left ? run->t_end : run->t + h;
}

// Local error of the attempt in the norm; not finite when any value of the step is not.
static double local_error(rk* s, jsolve_run* run) {
  int n = run->sys->n;
  double h = run->t_new - run->t;
  if (!jsolve_is_finite(n, run->y_new)) return NAN;
  jsolve_rhs(run, run->t_new, run->y_new, s->k[s->tab->stages]);
  if (!jsolve_is_finite(n, s->k[s->tab->stages])) return NAN;
  jsolve_combine(n, s->zero, h, &s->e, s->k, s->error);
  return jsolve_norm(&run->weights, s->error, run->y, run->y_new);
}

static double growth(const rk* s, double error, bool was_rejected) {
  double order = s->tab->order;
  double e = fmax(error, 1e-10);
  double g = SAFETY * pow(e, -(1 / order - 0.75 * PI_BETA)) * pow(s->error_last, PI_BETA);
  return fmin(fmax(g, SHRINK_LIMIT), was_rejected ? 1.0 : GROWTH_LIMIT);
}

// Project the accepted end; f1 follows when the end moved noticeably.
static jo_status settle(rk* s, jsolve_run* run) {
  double moved;
  JO_TRY(jsolve_project(run, run->t_new, run->y_new, &moved));
  if (!(moved <= REUSE_LIMIT)) {
    double* f1 = s->k[s->tab->stages];
    jsolve_rhs(run, run->t_new, run->y_new, f1);
    if (!jsolve_is_finite(run->sys->n, f1)) return JO_ERR_NUMERIC;
  }
  return JO_OK;
}

static jo_status fail_small(jsolve_run* run) {
  return jerr_set(
      run->ctx, JO_ERR_CONVERGENCE,
      "integration: step size becomes too small at t = %.17g (the model may be stiff or "
      "discontinuous; hint: method bdf, or larger tolerances)",
      run->t);
}

static jo_status fail_halving(rk* s, jsolve_run* run, jo_status status) {
  if (status == JO_ERR_NUMERIC) return fail_not_finite(s, run);
  return jsolve_fail_projection(run, status, run->t_new);
}

static jo_status advance_adaptive(jsolve_stepper* base, jsolve_run* run) {
  rk* s = (rk*)base;
  int halvings = 0;
  jo_status halved_for = JO_OK;
  for (bool was_rejected = false;; was_rejected = true) {
    double t1 = target(s, run), h = t1 - run->t;
    if (h < run->t_end - run->t && h <= 4 * DBL_EPSILON * fabs(run->t)) {
      return halvings ? fail_halving(s, run, halved_for) : fail_small(run);
    }
    stages(s, run, t1);
    double error = local_error(s, run);
    jo_status status = isfinite(error) ? JO_OK : JO_ERR_NUMERIC;
    if (error <= 1) status = settle(s, run);
    if (status < 0) {
      if (status == JO_ERR_NUMERIC) find_not_finite(s, run);
      if (++halvings > MAX_HALVINGS) return fail_halving(s, run, status);
      halved_for = status;
      s->h_next = 0.5 * h;
    } else if (error <= 1) {
      s->h_next = h * growth(s, error, was_rejected);
      s->error_last = fmax(error, ERROR_MINIMUM);
      set_dense(s, run);
      return JO_OK;
    } else {
      s->h_next = h * growth(s, error, true);
    }
    run->stats.rejected++;
  }
}

static jo_status accept(jsolve_stepper* base, jsolve_run* run) {
  rk* s = (rk*)base;
  (void)run;
  double* f1 = s->k[s->tab->stages];
  s->k[s->tab->stages] = s->k[0];
  s->k[0] = f1;
  return JO_OK;
}

static void destroy(jsolve_stepper* base, jsolve_run* run) {
  (void)base;
  (void)run;
}

jsolve_stepper* jsolve_rk_create(jsolve_run* run, const jsolve_tableau* tab) {
  rk* s = JARENA_NEW(&run->arena, rk);
  int n = run->sys->n, nvector = tab->stages + 5;
  double* data = JARENA_ARRAY(&run->arena, (size_t)n * (size_t)nvector, double);
  if (!s || !data) return NULL;
  s->base = (jsolve_stepper){.dense = &s->dense.base,
                             .k = s->k,
                             .restart = restart,
                             .advance = tab->is_adaptive ? advance_adaptive : advance_fixed,
                             .retake = retake,
                             .finish = finish,
                             .accept = accept,
                             .destroy = destroy};
  s->dense = (dense){.base = {dense_eval}, .n = n};
  s->tab = tab;
  for (int i = 0; i < tab->stages; i++)
    s->a[i] = jsolve_compress(tab->a[i], i);
  s->b = jsolve_compress(tab->b, tab->stages);
  s->e = jsolve_compress(tab->e, tab->stages + 1);
  s->d = jsolve_compress(tab->d, tab->stages + 1);
  for (int i = 0; i <= tab->stages; i++, data += n)
    s->k[i] = data;
  s->arg = data;
  s->error = data + n;
  s->quartic = data + 2 * n;
  s->zero = data + 3 * n;
  s->not_finite = -1;
  return &s->base;
}
