// SPDX-License-Identifier: Apache-2.0
// Judging the derivatives of a run and planning the next one.
//
// Steps follow the motion. Where it rests, or stands still in some direction, they may be far too long
// for its derivatives, even unstable: explicit steps of length h with an eigenvalue z / h multiply a
// derivative by about z^6 / 600. So a step is rough when its local error of the derivatives is more than
// ROUGH of them (in tolerances), or when it is explicit and multiplies them; the next run gets shorter
// steps there. Where those would be too many, `auto` takes the implicit method from the beginning.
#include "sens/error/plan.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "solve/tableau.h"

#define WANTED       1e5  // error of derivatives over the tolerance of the integration, by default, ...
#define LEAST_WANTED 1e-6  // ... between these
#define MOST_WANTED  1e-2
#define SAFETY       5.0   // of the estimates
#define OF_VALUES    10.0  // the same of objectives, which one sum alone tells
#define IMPLICIT     5.0   // the embedded method of implicit steps is no worse than they are
#define FOLLOWS      5.0  // times the error of the objective: what the motion's adds to derivatives
#define COARSE       3e-5  // error of an objective, relative, of steps that were not held to it, ...
#define UNHELD       10.0   // ... and how much more it may be
#define GRANTED      10.0   // tolerances of the objective: below that a derivative is noise
#define ROUNDING     1e-13  // of sums as large as the largest influence
#define CANCELLED    1e-15  // of the sum of what single states are worth, whatever is left of it
#define NEAR         10.0   // ... and near singular positions
#define NEGLIGIBLE   1e-2   // influence, relative over relative, below which errors are absolute

#define MOST_ROUGH   0.5     // local error of derivatives, relative
#define RESOLVED     2e-3    // local error of a derivative that is resolved, at any tolerance ...
#define UNRESOLVED   3e4     // ... or so many tolerances
#define PLANNED      0.1     // of what is rough: steps that are planned
#define MOST_STEPS   4.0     // times TOO_MANY
#define SHORTER      0.8     // than what would just do
#define SHORTEST     1e-5    // part of a step
#define TOO_MANY     5.0     // times the steps of the run before: the implicit method is cheaper
#define FEW          5000    // steps that are never too many
#define FAR_TOO_MANY 100000  // steps that no derivative is worth; of implicit ones, FEW
#define LEAST_TOL    1e-13

void jsens_plan_begin(jsens_plan* p, jo_context* ctx) {
  *p = (jsens_plan){.ctx = ctx};
}

void jsens_plan_end(jsens_plan* p) {
  jmem_free(p->ctx, p->limit);
}

// ---- judging -------------------------------------------------------------------------------------

double jsens_plan_tolerance(const jsens_options* opt) {
  if (opt->derivative_tol > 0.0) return opt->derivative_tol;
  return fmin(MOST_WANTED, fmax(LEAST_WANTED, WANTED * opt->solve.rel_tol));
}

double jsens_scale(double value, double gradient, double unit) {
  double least = unit > 0.0 ? NEGLIGIBLE * fabs(value) / unit : 0.0;
  return fmax(fabs(gradient), least);
}

double jsens_rounding_of_value(const jsens_result* r, int o) {
  return CANCELLED * r->end_reach[o];
}

double jsens_rounding(const jsens_result* r, int o, int j) {
  return r->unit[j] > 0.0 ? jsens_rounding_of_value(r, o) / r->unit[j] : 0.0;
}

static double rough_limit(const jsens_options* opt) {
  return fmin(MOST_ROUGH, fmax(LEAST_WANTED, WANTED * opt->solve.rel_tol));
}

// Beyond this a step says nothing any more. Along an adjoint walk errors of steps are known as
// differences only.
static double most_rough(jsens_method method, const jsens_options* opt) {
  if (method != JSENS_DIRECT) return MOST_ROUGH;
  return fmin(MOST_ROUGH, fmax(RESOLVED, UNRESOLVED * opt->solve.rel_tol));
}

double jsens_plan_step_tolerance(const jsens_options* opt) {
  return fmin(rough_limit(opt), PLANNED * most_rough(JSENS_DIRECT, opt));
}

// By entry, the largest growth over it first.
static int by_entry(const void* a, const void* b) {
  const jsens_growth *x = a, *y = b;
  if (x->entry != y->entry) return x->entry < y->entry ? -1 : 1;
  return (x->factor < y->factor) - (x->factor > y->factor);
}

void jsens_plan_order(jsens_result* r) {
  if (r->ngrown > 1) qsort(r->grown, (size_t)r->ngrown, sizeof *r->grown, by_entry);
}

double jsens_growth_over(const jsens_result* r, int entry) {
  int low = 0, high = r->ngrown;
  while (low < high) {
    int middle = (low + high) / 2;
    if (r->grown[middle].entry < entry) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < r->ngrown && r->grown[low].entry == entry ? r->grown[low].factor : 0.0;
}

// (S46)  Errors of weights are errors of derivatives only where something acts on what they weigh: large ones at rest are
// not felt.
static bool is_felt(const jsens_result* r, const jsens_options* opt) {
  return !(r->felt <= rough_limit(opt));
}

static bool is_rough(const jsens_result* r, int entry, const jsens_options* opt) {
  bool grows = r->rough[entry] > rough_limit(opt) && !jsens_record_is_implicit(r->steps, entry) &&
               jsens_growth_over(r, entry) > 0.0;
  return grows || (!(r->rough[entry] <= most_rough(r->method, opt)) && is_felt(r, opt));
}

bool jsens_plan_is_rough(const jsens_options* opt, const jsens_result* r) {
  for (int i = 0; i < r->nentry; i++) {
    if (is_rough(r, i, opt)) return true;
  }
  return false;
}

// The largest error over what is wanted; infinite where something is not a number. Shorter steps give no slope to an
// objective that has none.
static double excess(const jsens* s, const jsens_result* r) {
  double most = 0.0;
  for (int o = 0; o < r->nobjective; o++) {
    for (int j = 0; j < r->nw && !r->is_sharp[o]; j++) {
      if (s->why[j]) continue;
      int at = o * r->nw + j;
      double scale = jsens_scale(r->value[o], r->gradient[at], r->unit[j]);
      double error = r->gradient_error[at] - jsens_rounding(r, o, j);
      double x = error / fmax(r->derivative_tol * scale, DBL_MIN);
      most = isfinite(x) ? fmax(most, x) : INFINITY;
    }
  }
  return most;
}

double jsens_plan_reach(const jsens* s, const jsens_result* r, int o) {
  double most = fabs(r->value[o]);
  for (int j = 0; j < r->nw; j++) {
    if (!s->why[j]) most = fmax(most, fabs(r->gradient[o * r->nw + j]) * r->unit[j]);
  }
  return most;
}

// (S42)  rounding errors of values go with 1/d^2, of their slopes with 1/d^3
double jsens_plan_rounding(const jsens_result* r, int order) {
  double d = r->nearest;
  return ROUNDING * (d < 1.0 ? NEAR / (order > 0 ? d * d * d : d * d) : 1.0);
}

// Steps that were not held to an objective may be so long for it that estimates tell little more than the order.
static void doubt_unheld(jsens_result* r, int o) {
  if (!r->is_unheld[o] || OF_VALUES * r->value_error[o] <= COARSE * fabs(r->value[o])) return;
  r->value_error[o] *= UNHELD;
  for (int j = 0; j < r->nw; j++) {
    r->gradient_error[o * r->nw + j] *= UNHELD;
  }
}

void jsens_plan_settle(const jsens* s, const jsens_options* opt, jsens_result* r) {
  r->is_within = excess(s, r) <= 1.0 && !jsens_plan_is_rough(opt, r);
}

// (S20)  errors of the steps, of the motion they follow, and noise
void jsens_plan_judge(const jsens* s, const jsens_options* opt, jsens_result* r) {
  double care = r->statistics.implicit > 0 ? IMPLICIT : 1.0;
  for (int o = 0; o < r->nobjective; o++) {
    double most = jsens_plan_reach(s, r, o), off = most > 0.0 ? r->value_error[o] / most : 0.0;
    for (int j = 0; j < r->nw; j++) {
      double unit = r->unit[j], *error = &r->gradient_error[o * r->nw + j];
      double size = fabs(r->gradient[o * r->nw + j]), motion = off * size, noise = size;
      if (unit > 0.0) {
        motion += r->value_error[o] / unit;
        noise += fabs(r->value[o]) / unit;
      }
      *error = care * (SAFETY * *error + FOLLOWS * motion) + GRANTED * opt->solve.rel_tol * noise;
      if (unit > 0.0) *error += jsens_plan_rounding(r, 1) * most / unit;
    }
    doubt_unheld(r, o);
    r->value_error[o] = care * OF_VALUES * r->value_error[o] +
                        opt->solve.rel_tol * fabs(r->value[o]) +
                        jsens_plan_rounding(r, 0) * fabs(r->value[o]);
  }
  jsens_plan_settle(s, opt, r);
}

bool jsens_plan_repeats(const jsens* s, const jsens_options* opt, const jsens_result* r) {
  if (r->is_within) return false;
  bool is_asked = opt->derivative_tol > 0.0;
  return is_asked || jsens_plan_is_rough(opt, r) || !isfinite(excess(s, r));
}

// ---- planning ------------------------------------------------------------------------------------

// How much shorter a step should be: by its error, which goes with the fifth power, or by its growth.
static double shorten(const jsens_result* r, int i, double limit) {
  if (r->rough[i] <= limit) return 1.0;
  double growth = jsens_growth_over(r, i);
  if (!isfinite(r->rough[i]) || !isfinite(growth)) return 0.01;
  double by_error = jm_pow(limit / fmax(r->rough[i], limit), 0.2);
  bool grows = !jsens_record_is_implicit(r->steps, i) && growth > 0.0;
  double by_growth = grows ? 1.5 / jm_pow(600.0 * growth, 1.0 / 6.0) : 1.0;
  return fmax(SHORTEST, SHORTER * fmin(by_error, by_growth));
}

static jo_status add_limit(jsens_plan* p, double t0, double t1, double h) {
  struct jsens_plan_limit* last = p->n > 0 ? &p->limit[p->n - 1] : NULL;
  if (last && last->t1 == t0 && last->h == h) {
    last->t1 = t1;
    return JO_OK;
  }
  if (!jmem_grow(p->ctx, &p->limit, &p->cap, p->n + 1, sizeof *p->limit)) {
    return jerr_memory(p->ctx);
  }
  p->limit[p->n++] = (struct jsens_plan_limit){t0, t1, h};
  return JO_OK;
}

// The longest step from t on: that of its stretch, and none that reaches deep into the next one.
static double step_limit(void* user, double t) {
  const jsens_plan* p = user;
  int low = 0, high = p->n;
  while (low < high) {
    int middle = (low + high) / 2;
    if (p->limit[middle].t1 <= t) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == p->n) return INFINITY;
  const struct jsens_plan_limit* l = &p->limit[low];
  return t >= l->t0 ? l->h : l->t0 - t + l->h;
}

// Whether a step is rough in a way that goes with a power of its length.
static bool is_unresolved(const jsens_result* r, int i) {
  return jsens_record_is_implicit(r->steps, i) || jsens_growth_over(r, i) > 0.0 ||
         !isfinite(r->rough[i]);
}

// The shortest step that the rough ones of an epoch, the stretch between two events, call for. What is
// too long for one of its steps is too long for all: the motion decides where the others end up.
// Gently: explicit steps that are a little longer than those around them may be beyond the limit of stability, where errors of
// weights fall much faster than their fifth power. They get a length somewhat below that of the others.
static double epoch_limit(const jsens_result* r, int first, double limit, bool gently) {
  double h = INFINITY, length = 0.0;
  int epoch = jsens_record_epoch(r->steps, first), n = 0;
  for (int i = first; i < r->nentry && jsens_record_epoch(r->steps, i) == epoch; i++) {
    if (!jsens_record_is_step(r->steps, i)) continue;
    double part = shorten(r, i, limit);
    if (part < 1.0) {
      h = fmin(h, part * jsens_record_length(r->steps, i));
      gently = gently && !is_unresolved(r, i);
    } else {
      length += jsens_record_length(r->steps, i);
      n++;
    }
  }
  return gently && n > 0 && h < INFINITY ? fmax(h, SHORTER * length / n) : h;
}

// Limits of both plans hold: of two runs the shorter step at every time. *nstep: how many that makes.
static jo_status make_limits(jsens_plan* p, const jsens_result* r, double limit, bool gently,
                             double* nstep) {
  jsens_plan old = *p;
  *p = (jsens_plan){.ctx = old.ctx};
  jo_status status = JO_OK;
  double h = INFINITY;
  *nstep = 0.0;
  for (int i = 0; i < r->nentry && status >= 0; i++) {
    double t = jsens_record_start(r->steps, i), length = jsens_record_length(r->steps, i);
    int epoch = jsens_record_epoch(r->steps, i);
    if (i == 0 || epoch != jsens_record_epoch(r->steps, i - 1)) {
      h = epoch_limit(r, i, limit, gently);
    }
    if (!(length > 0.0)) continue;
    double longest = fmin(h, step_limit(&old, t));
    if (longest < INFINITY) status = add_limit(p, t, r->steps->time[i], longest);
    *nstep += fmax(1.0, length / longest);
  }
  jmem_free(old.ctx, old.limit);
  return status;
}

static double roughest(const jsens_result* r) {
  double most = 0.0;
  for (int i = 0; i < r->nentry; i++) {
    most = fmax(most, r->rough[i]);
  }
  return most;
}

// Shorter steps where they are rough, and the roughest of them in any case: by what is too much, or a
// tenth. For the weights of an adjoint run, gently the first time.
static jo_status limit_steps(jsens_plan* p, const jsens_result* r, double over, jsens_options* opt,
                             bool* again) {
  double most = r->method == JSENS_DIRECT ? jsens_plan_step_tolerance(opt) : rough_limit(opt);
  double nstep, limit = fmin(most, roughest(r) / fmin(1e3, fmax(10.0, over)));
  bool gently = r->method != JSENS_DIRECT && !(opt->derivative_tol > 0.0) && p->n == 0;
  JO_TRY(make_limits(p, r, limit, gently, &nstep));
  bool is_implicit = opt->solve.method == JSOLVE_ESDIRK5;
  bool is_many = nstep > FEW && nstep > TOO_MANY * r->nentry;
  if (opt->solve.method == JSOLVE_AUTO && is_many) {
    opt->solve.method = JSOLVE_ESDIRK5;
    p->n = 0;
  } else if (nstep > (is_implicit ? FEW : FAR_TOO_MANY) &&
             nstep > MOST_STEPS * TOO_MANY * r->nentry) {
    *again = false;
  }
  opt->solve.step_limit = p->n > 0 ? step_limit : NULL;
  opt->solve.step_limit_user = p;
  return JO_OK;
}

jo_status jsens_plan_next(jsens_plan* p, const jsens* s, const jsens_result* r, jsens_options* opt,
                          bool* again) {
  double over = excess(s, r);
  bool is_rough = jsens_plan_is_rough(opt, r);
  *again = true;
  // a run that takes far more steps than it was planned for ends, and what there is stays
  int64_t most = (int64_t)(MOST_STEPS * TOO_MANY * r->nentry) + FEW;
  if (opt->solve.max_steps == 0 || most < opt->solve.max_steps) opt->solve.max_steps = most;
  JO_TRY(limit_steps(p, r, over, opt, again));
  if (is_rough) return JO_OK;
  double factor = fmax(1e-3, fmin(0.3, 1.0 / over));
  *again = *again && opt->solve.rel_tol > LEAST_TOL;
  opt->solve.rel_tol = fmax(LEAST_TOL, factor * opt->solve.rel_tol);
  opt->solve.abs_tol = fmax(1e-3 * LEAST_TOL, factor * opt->solve.abs_tol);
  return JO_OK;
}
