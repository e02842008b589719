// SPDX-License-Identifier: Apache-2.0
// One Runge-Kutta stepper for all tableaux (tableau.h), explicit and diagonally implicit.
//
// Adaptive methods: proportional-integral control of the local error in the norm of norm.h (Hairer,
// Norsett and Wanner 1993, II.4). A step whose values are not finite, or whose end cannot be
// projected, is halved. Fixed-step methods keep to the grid t_begin + k step; a step cut short by an
// event is followed by one to the next grid point.
//
// The slope at the end of a step is the first slope of the next one. When the projection moves the
// end by more than JSOLVE_REUSE_LIMIT in the error norm the slope is evaluated again at the projected state;
// below that the difference changes the next step by h |df/dy| JSOLVE_REUSE_LIMIT tolerances, far below its
// own error, and the slope is kept. Implicit methods take the slope that solves their last stage.
//
// Implicit stages are solved by simplified Newton iteration (implicit.h). Jacobian and factors are kept
// as long as it converges well: a step that fails with an old Jacobian is tried again with a new one,
// and halved when that fails too.
//
// Stiffness (`auto`): with Y the argument of the last stage, which stands at the end of the step as y1 does,
//   h |f1 - f(Y)| / |y1 - Y|
// estimates h times the largest eigenvalue (Hairer and Wanner 1996, IV.2). Where it stays beyond the
// stability boundary, and the rest of the run would take many steps so, the implicit method takes over;
// it hands back when the explicit one could take its steps.
#include "solve/rk.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/elementary.h"
#include "solve/algebra/sums.h"
#include "solve/constants.h"
#include "solve/event/scan.h"
#include "solve/resolution.h"
#include "solve/stability.h"
#include "solve/stiff/implicit.h"
#include "solve/stiff/local.h"

#define BESIDE      0.4  // part of a step whose end was not good: two of them do not end there, either
#define NARROW      3.0  // times the error expected ...
#define MOST_NARROW 4    // ... of so many steps in a row: what all steps have is nothing narrow

#define KEEP_JACOBIAN  24    // steps, at most
#define SLOW_NEWTON    0.2   // rate of convergence that calls for a new Jacobian
#define IMPLICIT_SHARE 0.02  // of the tolerance: for results as accurate as those of dopri5
#define KEEP_STEP      1.3   // step sizes within this factor share their factors

#define STABILITY_LIMIT 3.25  // of Dormand-Prince 5(4), on the negative real axis
#define MIXED_LIMIT     2.5   // of h times the largest eigenvalue, below the 3.7 of ARK4(3)6L[2]SA
#define STIFF_STEPS     15    // beyond it before the problem counts as stiff
#define TAME_STEPS      6     // within it before the count begins anew
#define MANY_STEPS      2000  // left at the present size: below that switching does not pay
#define EASY_STEPS      10    // of the implicit method that the explicit one could take
#define EASY_LIMIT      1.5   // h times the largest eigenvalue of such a step

#define COLLAPSED     1e-10  // part of the run: shorter steps ...
#define CUT           1e-6   // part of a fixed step: shorter ones ...
#define MAX_COLLAPSED 2000   // ... in a row are a failure

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
  const jsolve_method_info* about;   // the method of the tableau
  jsolve_scheme scheme;              // its combinations
  double* k[JSOLVE_MAX_STAGES + 1];  // slopes; the one after the last stage is f1
  double* arg;                       // argument of a stage
  double* error;
  double* quartic;
  double* zero;
  double* kept;       // the proposed step: its end and its slopes from the second on
  double t_kept;      // its time
  double error_last;  // of the last accepted step
  int64_t grid;       // fixed-step methods: grid points passed
  double t_not_finite;
  int not_finite;          // first state that was not finite in the last attempt
  int collapsed;           // steps in a row that are hardly steps
  bool has_drifted;        // f1 is the slope of the proposed end before its projection
  bool is_try;             // of the next step: the observer may go along
  double part, parts_end;  // length of the parts that a step is taken in, and its end
  int narrow;              // steps in a row that held something narrow

  jsolve_implicit* im;  // NULL: explicit
  double t_jacobian;    // where the Jacobian was taken
  bool has_jacobian, is_fresh;
  int jacobian_age;  // steps
  double accuracy;   // asked of Newton
  double share;      // of that, asked of implicit stages in a step

  jsolve_local* local;  // NULL: no states of a mixed method are solved for
  double* local_base;   // of them, in a stage
  double* smooth[2];    // slopes at both ends for the dense output, see smooth_slopes()

  jsolve_stability stability;  // of fixed steps ...
  jsolve_resolution resolution;
  double* part_slope;  // ... taken in parts, where one begins
  bool watches;        // for stiffness
  double h_lambda;     // of the proposed step; 0: not known
  int stiff, tame, easy;
} rk;

// Cubic Hermite polynomial through both ends, and its quartic correction where the method has one.
static void dense_eval(const jsolve_dense* base, double t, double* y) {
  const dense* d = (const dense*)base;
  double x = (t - d->t0) / d->h, u = 1 - x;
  double a0 = u * u * (1 + 2 * x), a1 = x * x * (3 - 2 * x);
  double b0 = d->h * x * u * u, b1 = -d->h * x * x * u, c = x * x * u * u;
  jsolve_hermite at = {a0, a1, b0, b1, c, d->y0, d->y1, d->f0, d->f1, d->quartic};
  jsolve_sums_choose()->hermite(d->n, &at, y);
}

// Derivative of the above.
static void dense_slope(const jsolve_dense* base, double t, double* f) {
  const dense* d = (const dense*)base;
  double x = (t - d->t0) / d->h, u = 1 - x;
  double a = 6 * x * u / d->h, b0 = u * (1 - 3 * x), b1 = x * (3 * x - 2);
  double c = 2 * x * u * (u - x) / d->h;
  for (int i = 0; i < d->n; i++) {
    f[i] = a * (d->y1[i] - d->y0[i]) + b0 * d->f0[i] + b1 * d->f1[i];
    if (d->quartic) f[i] += c * d->quartic[i];
  }
}

static void remember_not_finite(rk* s, double t, int n, const double* v) {
  int i = jsolve_first_not_finite(n, v);
  if (i < 0 || s->not_finite >= 0) return;
  s->not_finite = i;
  s->t_not_finite = t;
}

// ---- implicit stages -----------------------------------------------------------------------------

static jo_status refresh(rk* s, jsolve_run* run) {
  run->stats.jacobians++;
  s->has_jacobian = false;
  JO_TRY(jsolve_implicit_linearise(s->im, run->t, run->y));
  s->has_jacobian = s->is_fresh = true;
  s->jacobian_age = 0;
  return JO_OK;
}

static bool is_near(double a, double b, double factor) {
  return a < factor * b && b < factor * a;
}

static double stage_accuracy(const rk* s) {
  return fmin(s->accuracy, s->share * JSOLVE_NEWTON_ACCURACY);
}

static jo_status implicit_stages(rk* s, jsolve_run* run, double t1) {
  const jsolve_tableau* tab = s->scheme.tab;
  jsolve_implicit* im = s->im;
  int n = run->sys->n;
  double h = t1 - run->t, b = tab->gamma * h;
  int64_t before = im->evaluations;
  if (!s->has_jacobian) JO_TRY(refresh(s, run));
  // events are located with factors of their own, so that states depend on the time alone
  if (im->b_factor == 0 ||
      !is_near(b, im->b_factor, s->accuracy < JSOLVE_NEWTON_ACCURACY ? 1 : KEEP_STEP)) {
    JO_TRY(jsolve_implicit_factor(im, b));
  }
  im->b = b;
  memcpy(run->y_new, run->y, (size_t)n * sizeof *run->y);
  jo_status status = JO_OK;
  for (int i = 1; i <= tab->stages && status >= 0; i++) {
    bool is_last = i == tab->stages;
    jsolve_combine(n, run->y, h, is_last ? &s->scheme.b : &s->scheme.a[i], s->k, s->arg);
    memcpy(s->k[i], s->k[i - 1], (size_t)n * sizeof *s->k[i]);
    status = jsolve_implicit_stage(im, &run->weights, is_last ? t1 : run->t + tab->c[i] * h, s->arg,
                                   stage_accuracy(s), run->y_new, s->k[i]);
  }
  run->stats.evaluations += im->evaluations - before;
  run->t_new = t1;
  return status;
}

// With an old Jacobian a failure says nothing.
static jo_status solve_stages(rk* s, jsolve_run* run, double t1) {
  jo_status status = implicit_stages(s, run, t1);
  if (status < 0 && !(s->is_fresh && s->jacobian_age == 0)) {
    JO_TRY(refresh(s, run));
    status = implicit_stages(s, run, t1);
  }
  return status;
}

// ---- local states of mixed methods -----------------------------------------------------------------

// Local states of stage i in its argument.
static jo_status solve_local(rk* s, jsolve_run* run, int i, double t, double h) {
  jsolve_combine(run->sys->n, run->y, h, &s->scheme.a_local[i], s->k, s->local_base);
  if (i == 1) jsolve_local_begin(s->local, run->y);
  return jsolve_local_stage(s->local, &run->weights, t, s->scheme.tab->local_gamma * h,
                            s->local_base, s->accuracy, s->arg, s->local_base);
}

// Their slopes are those that solve the stage: rates would amplify what Newton left.
static void keep_local(rk* s, int i) {
  const jsolve_local_system* l = s->local->of;
  for (int j = 0; j < l->n; j++)
    s->k[i][l->state[j]] = s->local_base[l->state[j]];
}

// Slope of stage i at t, in a step to t1.
static void stage_slope(rk* s, jsolve_run* run, int i, double t, double t1) {
  const jsolve_observer* obs = run->obs;
  if (!s->is_try || !obs->stage || s->local) {
    jsolve_rhs(run, t, s->arg, s->k[i]);
    return;
  }
  jsolve_stage stage = {i, run->t, t1, t, run->y, s->arg, s->k};
  run->stats.evaluations++;
  obs->stage(obs->user, &stage);
}

// Stages and end of a step to t1, not projected; f1 only where the method is implicit.
static jo_status stages(rk* s, jsolve_run* run, double t1) {
  run->stage = s->scheme.tab->c;
  run->nstage = s->scheme.tab->stages;
  run->again = BESIDE;
  if (s->im) return solve_stages(s, run, t1);
  const jsolve_tableau* tab = s->scheme.tab;
  int n = run->sys->n;
  double h = t1 - run->t;
  for (int i = 1; i < tab->stages; i++) {
    double t = tab->c[i] == 1 ? t1 : run->t + tab->c[i] * h;
    jsolve_combine(n, run->y, h, &s->scheme.a[i], s->k, s->arg);
    if (s->local) JO_TRY(solve_local(s, run, i, t, h));
    stage_slope(s, run, i, t, t1);
    if (s->local) keep_local(s, i);
  }
  jsolve_combine(n, run->y, h, &s->scheme.b, s->k, run->y_new);
  run->t_new = t1;
  return JO_OK;
}

// Which state was not finite first, for the message; only looked for when one was.
static void find_not_finite(rk* s, jsolve_run* run) {
  double h = run->t_new - run->t;
  s->not_finite = -1;
  for (int i = 1; i < s->scheme.tab->stages; i++) {
    remember_not_finite(s, run->t + s->scheme.tab->c[i] * h, run->sys->n, s->k[i]);
  }
  remember_not_finite(s, run->t_new, run->sys->n, run->y_new);
  remember_not_finite(s, run->t_new, run->sys->n, s->k[s->scheme.tab->stages]);
}

static jo_status fail_not_finite(rk* s, jsolve_run* run) {
  char label[JSOLVE_LABEL];
  const char* hint = s->about->is_fixed ? "; take shorter steps, or an adaptive method" : "";
  return jerr_set(
      run->ctx, JO_ERR_NUMERIC, "integration: %s or its derivative is not finite at t = %.17g%s",
      jsolve_label(run->sys->state_name, "state", s->not_finite, label), s->t_not_finite, hint);
}

// Local states end where the last stage puts them, which stands at the end of the step as the end does, but not quite
// where the motion does: their rates amplify the difference. Their slopes in that stage are smooth.
static void smooth_slopes(rk* s, int n) {
  const jsolve_local_system* l = s->local->of;
  memcpy(s->smooth[1], s->k[s->scheme.tab->stages], (size_t)n * sizeof(double));
  for (int j = 0; j < l->n; j++)
    s->smooth[1][l->state[j]] = s->k[s->scheme.tab->stages - 1][l->state[j]];
  s->dense.f0 = s->smooth[0];
  s->dense.f1 = s->smooth[1];
}

static void set_dense(rk* s, jsolve_run* run) {
  int n = run->sys->n;
  s->dense.t0 = run->t;
  s->dense.h = run->t_new - run->t;
  s->dense.y0 = run->y;
  s->dense.y1 = run->y_new;
  s->dense.f0 = s->k[0];
  s->dense.f1 = s->k[s->scheme.tab->stages];
  if (s->local) smooth_slopes(s, n);
  if (s->scheme.d.n == 0 || !(run->obs->step || run->sys->nswitch)) return;
  jsolve_combine(n, s->zero, s->dense.h, &s->scheme.d, s->k, s->quartic);
  s->dense.quartic = s->quartic;
}

static jo_status fail_newton(const rk* s, jsolve_run* run, jo_status status) {
  if (s->local) {
    return jerr_set(run->ctx, status,
                    "integration: the states that %s solves for have no solution at t = %.17g; "
                    "hint: %s, or method esdirk5 where joints or bushes are stiff",
                    s->about->name, run->t,
                    s->about->is_fixed ? "a shorter step" : "smaller tolerances");
  }
  return jerr_set(run->ctx, status,
                  "integration: Newton's iteration does not converge at t = %.17g (%s)", run->t,
                  status == JO_ERR_NUMERIC    ? "the Jacobian is not finite"
                  : status == JO_ERR_SINGULAR ? "its matrix is singular"
                                              : "the model may not be smooth enough there");
}

static jo_status retake(jsolve_stepper* base, jsolve_run* run, double t1) {
  JASSERT(t1 >= run->t && t1 <= run->t_end);
  rk* s = (rk*)base;
  s->accuracy = JSOLVE_LOCATE_ACCURACY;
  jo_status status = stages(s, run, t1);
  s->accuracy = JSOLVE_NEWTON_ACCURACY;
  s->base.is_located = status >= 0;
  if (status < 0) status = stages(s, run, t1);
  if (status < 0) return fail_newton(s, run, status);
  if (!jsolve_is_finite(run->sys->n, run->y_new)) {
    find_not_finite(s, run);
    return fail_not_finite(s, run);
  }
  return jsolve_project_strict(run, t1, run->y_new);
}

static void keep(jsolve_stepper* base, jsolve_run* run) {
  rk* s = (rk*)base;
  size_t n = (size_t)run->sys->n;
  s->t_kept = run->t_new;
  memcpy(s->kept, run->y_new, n * sizeof *s->kept);
  for (int i = 1; i <= s->scheme.tab->stages; i++)
    memcpy(s->kept + (size_t)i * n, s->k[i], n * sizeof *s->kept);
}

static void restore(jsolve_stepper* base, jsolve_run* run) {
  rk* s = (rk*)base;
  size_t n = (size_t)run->sys->n;
  run->t_new = s->t_kept;
  memcpy(run->y_new, s->kept, n * sizeof *s->kept);
  for (int i = 1; i <= s->scheme.tab->stages; i++)
    memcpy(s->k[i], s->kept + (size_t)i * n, n * sizeof *s->kept);
}

static jo_status finish(jsolve_stepper* base, jsolve_run* run) {
  rk* s = (rk*)base;
  double* f1 = s->k[s->scheme.tab->stages];
  s->has_drifted = false;
  if (!s->im) jsolve_rhs(run, run->t_new, run->y_new, f1);
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

// What the last stage and the end of the step differ by, in states and in slopes; not what is solved for locally.
static void compare_end(rk* s, const jsolve_run* run, double* dy, double* df) {
  int last = s->scheme.tab->stages;
  for (int i = 0; i < run->sys->n; i++) {
    df[i] = s->k[last][i] - s->k[last - 1][i];
    dy[i] = run->y_new[i] - s->arg[i];
  }
  for (int j = 0; s->local && j < s->local->of->n; j++) {
    df[s->local->of->state[j]] = dy[s->local->of->state[j]] = 0;
  }
}

static jo_status advance_fixed(jsolve_stepper* base, jsolve_run* run) {
  rk* s = (rk*)base;
  s->is_try = true;
  jo_status status = retake(base, run, next_grid_point(s, run));
  s->is_try = false;
  JO_TRY(status);
  return finish(base, run);
}

// The proposed step once more, in equal parts that are not projected.
static jo_status take_parts(void* user, jsolve_run* run, int parts, double* y) {
  rk* s = user;
  double t0 = run->t, h = run->t_new - t0, *y0 = run->y, *k0 = s->k[0];
  size_t bytes = (size_t)run->sys->n * sizeof(double);
  keep(&s->base, run);
  memcpy(y, y0, bytes);
  memcpy(s->part_slope, k0, bytes);
  run->y = y;
  s->k[0] = s->part_slope;
  jo_status status = JO_OK;
  for (int i = 1; i <= parts && status >= 0; i++) {
    if (i > 1) jsolve_rhs(run, run->t, y, s->k[0]);
    status = stages(s, run, i < parts ? t0 + h * i / parts : s->t_kept);
    jsolve_hold(run->sys, y, run->y_new);
    memcpy(y, run->y_new, bytes);
    run->t = run->t_new;
  }
  run->t = t0;
  run->y = y0;
  s->k[0] = k0;
  restore(&s->base, run);
  return status;
}

// Real-time runs have no time for it.
static void look_for_drift(rk* s, jsolve_run* run) {
  jsolve_drift* d = &run->drift;
  jsolve_drift_step step = {run->t_new - run->t, run->y, run->y_new, s->dense.f0, s->dense.f1};
  if (!jsolve_drift_defect(d, &step) || !run->opt->is_whole) return;
  if (take_parts(s, run, 2, d->two) >= 0) jsolve_drift_sample(d, &step);
}

static jo_status judge_fixed(jsolve_stepper* base, jsolve_run* run, bool is_event) {
  rk* s = (rk*)base;
  int last = s->scheme.tab->stages;
  // its last stage may be that of another attempt by now
  jsolve_combine(run->sys->n, run->y, run->t_new - run->t, &s->scheme.a[last - 1], s->k, s->arg);
  compare_end(s, run, s->error, s->local_base);
  bool is_suspect = jsolve_resolution_suspects(&s->resolution, run, s->dense.f0, s->dense.f1);
  JO_TRY(jsolve_stability_judge(&s->stability, run, is_suspect, s->error, s->local_base));
  look_for_drift(s, run);
  jsolve_parts parts = {s, take_parts};
  bool grows = jsolve_stability_grows(&s->stability, run);
  jsolve_suspicion found = {.is_suspect = is_suspect, .grows = grows, .is_event = is_event};
  return jsolve_resolution_judge(&s->resolution, run, &found, &parts);
}

static jo_status judge_event_fixed(jsolve_stepper* base, jsolve_run* run) {
  return jsolve_resolution_judge_event(&((rk*)base)->resolution, run);
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
  double h1 = d <= 1e-15 ? fmax(1e-6, 1e-3 * h0) : jm_pow(0.01 / d, 1.0 / s->about->order);
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
  if (s->local) memcpy(s->smooth[0], s->k[0], (size_t)run->sys->n * sizeof *s->k[0]);
  s->error_last = JSOLVE_ERROR_MINIMUM;
  s->has_jacobian = false;
  s->stiff = s->tame = s->easy = s->collapsed = 0;
  s->base.is_drifted = false;
  if (s->about->is_fixed) return JO_OK;
  if (s->base.h_next > 0) {
    s->base.h_next *= JSOLVE_AFTER_EVENT;
  } else {
    s->base.h_next = run->opt->step > 0 ? run->opt->step : first_step(s, run);
  }
  return JO_OK;
}

static bool is_in_parts(const rk* s, double t) {
  return t < s->parts_end - 0.5 * s->part;
}

// Whether a step that is about to be accepted holds something narrower than it is, such as a rounded corner: its error is
// larger than its length explains. Parts of a step are not judged again.
static bool is_narrow(rk* s, const jsolve_run* run, double h, double error) {
  const jsolve_options* opt = run->opt;
  if (!opt->expected_error || s->im || is_in_parts(s, run->t)) return false;
  bool is_more = error > NARROW * opt->expected_error(opt->step_limit_user, run->t, h);
  s->narrow = is_more ? s->narrow + 1 : 0;
  return is_more && s->narrow <= MOST_NARROW;
}

static void begin_parts(rk* s, double h, double end) {
  s->part = h / JSOLVE_PARTS;
  s->parts_end = end;
}

// End of the next attempt; the last two steps share what is left, so that none is tiny.
static double target(const rk* s, const jsolve_run* run) {
  const jsolve_options* opt = run->opt;
  double h = s->base.h_next, left = run->t_end - run->t;
  JASSERT(left > 0);
  if (opt->max_step > 0 && h > opt->max_step) h = opt->max_step;
  if (opt->step_limit) h = fmin(h, opt->step_limit(opt->step_limit_user, run->t));
  if (is_in_parts(s, run->t)) h = fmin(h, s->part);
  if (h >= left) return run->t_end;
  if (2 * h > left && h < 0.99 * left) return run->t + 0.5 * left;
  return h >= 0.99 * left ? run->t_end : run->t + h;
}

// h times the largest eigenvalue, as the last stage and the end of the step show it; 0: they are one
static double stiffness(rk* s, jsolve_run* run) {
  compare_end(s, run, s->quartic, s->error);
  double apart = jsolve_norm(&run->weights, s->quartic, run->y, run->y_new);
  if (!(apart > 0)) return 0;
  double h = run->t_new - run->t;
  return h * jsolve_norm(&run->weights, s->error, run->y, run->y_new) / apart;
}

// Local error of the attempt in the norm; not finite when any value of the step is not.
static double local_error(rk* s, jsolve_run* run) {
  int n = run->sys->n;
  double h = run->t_new - run->t;
  if (!jsolve_is_finite(n, run->y_new)) return NAN;
  if (!s->im) jsolve_rhs(run, run->t_new, run->y_new, s->k[s->scheme.tab->stages]);
  if (!jsolve_is_finite(n, s->k[s->scheme.tab->stages])) return NAN;
  if ((s->watches || s->local) && !s->im) s->h_lambda = stiffness(s, run);
  jsolve_combine(n, s->zero, h, &s->scheme.e, s->k, s->error);
  // stages of order two say too much of the error of stiff components
  if (s->im) jsolve_implicit_damp(s->im, s->error);
  if (s->local) jsolve_local_solve(s->local, false, s->error, 1);
  double error = jsolve_norm(&run->weights, s->error, run->y, run->y_new);
  return s->im ? error / IMPLICIT_SHARE : error;
}

static double growth(const rk* s, double error, bool was_rejected) {
  double order = s->about->order;
  double e = fmax(error, 1e-10);
  double g = JSOLVE_SAFETY * jm_pow(e, -(1 / order - 0.75 * JSOLVE_PI_BETA)) *
             jm_pow(s->error_last, JSOLVE_PI_BETA);
  return fmin(fmax(g, JSOLVE_SHRINK_LIMIT), was_rejected ? 1.0 : JSOLVE_GROWTH_LIMIT);
}

// Project the accepted end; f1 follows when the end moved noticeably.
static jo_status settle(rk* s, jsolve_run* run) {
  double moved;
  JO_TRY(jsolve_project(run, run->t_new, run->y_new, &moved));
  s->has_drifted = moved <= JSOLVE_REUSE_LIMIT && run->sys->project;
  if (!(moved <= JSOLVE_REUSE_LIMIT) && !s->im) {
    double* f1 = s->k[s->scheme.tab->stages];
    jsolve_rhs(run, run->t_new, run->y_new, f1);
    if (!jsolve_is_finite(run->sys->n, f1)) return JO_ERR_NUMERIC;
  }
  return JO_OK;
}

static jo_status fail_small(jsolve_run* run) {
  return jerr_set(
      run->ctx, JO_ERR_CONVERGENCE,
      "integration: step size becomes too small at t = %.17g (the model may be stiff or "
      "discontinuous; hint: method auto or esdirk5, or larger tolerances)",
      run->t);
}

// The state whose error is largest in the norm.
static int worst_state(const rk* s, const jsolve_run* run) {
  const jsolve_weights* w = &run->weights;
  int worst = -1;
  double largest = -1;
  for (int i = 0; i < w->n; i++) {
    double e = w->use[i] * fabs(s->error[i]) / (w->abs_tol[i] + w->rel_tol * fabs(run->y[i]));
    if (!(e > largest)) continue;
    largest = e;
    worst = i;
  }
  return worst;
}

// Looks for conditions (event/survey.h) end fixed steps early; grid points are never so close.
static jo_status fail_cut(const rk* s, jsolve_run* run) {
  return jerr_set(
      run->ctx, JO_ERR_CONVERGENCE,
      "integration: %s with steps of %g s: at t = %.17g what a condition compares changes so "
      "fast within a step that it is followed in parts below %.1e s; take shorter steps, or an "
      "adaptive method",
      s->about->name, run->opt->step, run->t, CUT * run->opt->step);
}

static jo_status fail_collapsed(rk* s, jsolve_run* run) {
  char label[JSOLVE_LABEL];
  return jerr_set(run->ctx, JO_ERR_CONVERGENCE,
                  "integration: steps stay below %.1e s at t = %.17g: %s changes too fast to be "
                  "followed (a very stiff element, a discontinuity that is no condition, or a "
                  "motion that runs away); hint: method auto or esdirk5, larger tolerances, or a "
                  "softer element",
                  COLLAPSED * (run->t_end - run->t_begin), run->t,
                  jsolve_label(run->sys->state_name, "state", worst_state(s, run), label));
}

static jo_status fail_halving(rk* s, jsolve_run* run, jo_status status) {
  if (status == JO_ERR_NUMERIC && s->not_finite >= 0) return fail_not_finite(s, run);
  return s->im || s->local ? fail_newton(s, run, status)
                           : jsolve_fail_projection(run, status, run->t_new);
}

// A step that failed otherwise than by its error is halved, so many times.
typedef struct halving {
  int n;
  jo_status cause;
} halving;

static jo_status halve(rk* s, jsolve_run* run, halving* h, jo_status status, double length) {
  if (status == JO_ERR_NUMERIC) find_not_finite(s, run);
  if (++h->n > JSOLVE_MAX_HALVINGS) return fail_halving(s, run, status);
  h->cause = status;
  s->base.h_next = (status == JO_ERR_SINGULAR ? run->again : 0.5) * length;
  return JO_OK;
}

static void accept_size(rk* s, double t, double h, double error, bool was_rejected) {
  double factor = growth(s, error, was_rejected);
  // an implicit step is not changed for little: its factors serve again
  if (s->im && factor > 1 && factor < KEEP_STEP) factor = 1;
  // at the border of stability errors as large as the tolerance stay alive
  if (s->local && s->h_lambda > 0) factor = fmin(factor, MIXED_LIMIT / s->h_lambda);
  s->base.h_next = h * factor;
  // behind the parts of a step go on with its length
  if (is_in_parts(s, t)) s->base.h_next = fmax(s->base.h_next, JSOLVE_PARTS * s->part);
  s->error_last = fmax(error, JSOLVE_ERROR_MINIMUM);
}

static jo_status advance_adaptive(jsolve_stepper* base, jsolve_run* run) {
  rk* s = (rk*)base;
  halving halved = {0, JO_OK};
  for (bool was_rejected = false;; was_rejected = true) {
    double t1 = target(s, run), h = t1 - run->t, error = 0, t_good;
    if (h < run->t_end - run->t && h <= 4 * DBL_EPSILON * fabs(run->t)) {
      return halved.n ? fail_halving(s, run, halved.cause) : fail_small(run);
    }
    base->is_located = false;
    s->is_try = true;
    jo_status status = stages(s, run, t1);
    s->is_try = false;
    if (status >= 0) {
      error = run->error = local_error(s, run);
      status = isfinite(error) ? JO_OK : JO_ERR_NUMERIC;
    }
    if (status >= 0 && error <= 1) status = settle(s, run);
    if (status == JO_ERR_MODEL || status == JO_ERR_MEMORY) {
      return jsolve_fail_projection(run, status, run->t_new);
    }
    if (status < 0) {
      JO_TRY(halve(s, run, &halved, status, h));
    } else if (error > 1) {
      base->h_next = h * growth(s, error, true);
    } else if (is_narrow(s, run, h, error)) {
      begin_parts(s, h, t1);
    } else {
      set_dense(s, run);
      if (jsolve_scan_step(run, &t_good)) {
        accept_size(s, run->t, h, error, was_rejected);
        return JO_OK;
      }
      base->h_next = t_good - run->t;
    }
    run->stats.rejected++;
  }
}

// What is integrated along with accelerations jumps with them: it is left out.
static void filter(jsolve_stepper* base, double* defect) {
  rk* s = (rk*)base;
  if (s->im) jsolve_implicit_filter(s->im, defect);
  if (s->local) jsolve_local_solve(s->local, false, defect, 1);
}

// ---- what follows a step -------------------------------------------------------------------------

static void watch_stiffness(rk* s, const jsolve_run* run, double h) {
  double left = (run->t_end - run->t) / h;
  if (s->h_lambda > STABILITY_LIMIT && left > MANY_STEPS) {
    s->tame = 0;
    s->base.wants_other = ++s->stiff >= STIFF_STEPS;
  } else if (s->stiff > 0 && ++s->tame >= TAME_STEPS) {
    s->stiff = s->tame = 0;
  }
}

// Steps that an explicit method could take as well.
static void watch_ease(rk* s, double h) {
  if (s->jacobian_age > 0) return;
  double radius = jsolve_implicit_radius(s->im, s->arg);
  s->easy = h * radius < EASY_LIMIT ? s->easy + 1 : 0;
  s->base.wants_other = s->easy >= EASY_STEPS;
}

static jo_status accept(jsolve_stepper* base, jsolve_run* run) {
  rk* s = (rk*)base;
  double* f1 = s->k[s->scheme.tab->stages];
  double h = s->dense.h;
  s->k[s->scheme.tab->stages] = s->k[0];
  s->k[0] = f1;
  base->is_drifted = s->has_drifted;
  double* smooth = s->smooth[0];
  s->smooth[0] = s->smooth[1];
  s->smooth[1] = smooth;
  if (s->im) {
    run->stats.implicit++;
    if (s->watches) watch_ease(s, h);
    if (++s->jacobian_age > KEEP_JACOBIAN || s->im->rate > SLOW_NEWTON) s->has_jacobian = false;
  } else if (s->watches) {
    watch_stiffness(s, run, h);
  }
  if (base->wants_other) return JO_OK;
  bool is_fixed = s->about->is_fixed;
  double least = is_fixed ? CUT * run->opt->step : COLLAPSED * (run->t_end - run->t_begin);
  s->collapsed = h < least ? s->collapsed + 1 : 0;
  if (s->collapsed <= MAX_COLLAPSED) return JO_OK;
  return is_fixed ? fail_cut(s, run) : fail_collapsed(s, run);
}

static void destroy(jsolve_stepper* base, jsolve_run* run) {
  (void)base;
  (void)run;
}

static bool create_implicit(rk* s, jsolve_run* run) {
  s->im = JARENA_NEW(&run->arena, jsolve_implicit);
  return s->im && jsolve_implicit_init(s->im, &run->arena, run->sys);
}

static bool create_local(rk* s, jsolve_run* run) {
  s->local = JARENA_NEW(&run->arena, jsolve_local);
  return s->local && jsolve_local_init(s->local, &run->arena, run->sys);
}

static bool allocate(rk* s, jsolve_run* run) {
  double** one[] = {&s->arg,        &s->error,     &s->quartic,   &s->zero,
                    &s->local_base, &s->smooth[0], &s->smooth[1], &s->part_slope};
  enum { ONES = sizeof one / sizeof *one };
  size_t n = (size_t)run->sys->n, slopes = (size_t)s->scheme.tab->stages + 1;
  double* data = JARENA_ARRAY(&run->arena, n * (slopes + ONES), double);
  s->kept = JARENA_ARRAY(&run->arena, n * slopes, double);
  if (!data || !s->kept) return false;
  for (size_t i = 0; i < slopes; i++, data += n)
    s->k[i] = data;
  for (size_t i = 0; i < ONES; i++, data += n)
    *one[i] = data;
  return true;
}

jsolve_stepper* jsolve_rk_create(jsolve_run* run, const jsolve_tableau* tab) {
  rk* s = JARENA_NEW(&run->arena, rk);
  const jsolve_method_info* about = jsolve_method_about(tab->method);
  if (!s) return NULL;
  s->base = (jsolve_stepper){.dense = &s->dense.base,
                             .k = s->k,
                             .is_implicit = tab->gamma > 0,
                             .restart = restart,
                             .advance = about->is_fixed ? advance_fixed : advance_adaptive,
                             .retake = retake,
                             .keep = keep,
                             .restore = restore,
                             .finish = finish,
                             .judge = about->is_fixed ? judge_fixed : NULL,
                             .judge_event = about->is_fixed ? judge_event_fixed : NULL,
                             .accept = accept,
                             .destroy = destroy};
  s->dense = (dense){.base = {dense_eval, dense_slope}, .n = run->sys->n};
  s->about = about;
  s->scheme = jsolve_scheme_of(tab);
  s->stability = jsolve_stability_of(tab);
  s->not_finite = -1;
  s->parts_end = -INFINITY;
  s->accuracy = JSOLVE_NEWTON_ACCURACY;
  s->share = run->opt->newton_share > 0 ? run->opt->newton_share : 1;
  s->watches = run->opt->method == JSOLVE_AUTO;
  if (!allocate(s, run)) return NULL;
  if (!about->is_fixed) s->base.error = s->error;
  if (about->is_fixed && !jsolve_resolution_init(&s->resolution, &run->arena, run->sys))
    return NULL;
  if (tab->local_gamma > 0 && run->sys->local.n > 0 && !create_local(s, run)) return NULL;
  if (tab->gamma > 0 && !create_implicit(s, run)) return NULL;
  if (s->im || s->local) s->base.filter = filter;
  return &s->base;
}
