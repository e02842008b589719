// SPDX-License-Identifier: Apache-2.0
// Two passes over the points in their order: means, then what is measured from them.
// docs/theory/statistics.md (W5)-(W8)
#include "sweep/statistics.h"

#include <math.h>
#include <string.h>

#include "sweep/quantile.h"

const double jsweep_quantile_share[JSWEEP_QUANTILES] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

// Sums of a ratio of two means, of terms g and v of each pair.
typedef struct ratio {
  double g, gg, gv;
} ratio;

typedef struct sums {
  int n;
  double mean, square, fourth, least, most;
  jsweep_quantile quantile;
  // Sobol indices: pairs that are whole, their terms v, and the values of A and B of them
  int pairs;
  double v, vv, both;
  ratio *large, *small, *total;  // first order, by two estimators; total (nrange)
  ratio* slope;                  // squared derivatives, over squares of y from its mean (nrange)
} sums;

typedef struct work {
  const jsweep_source* s;
  int ngroup, each;  // points that belong together
  sums* sum;         // (noutput)
  double* x;         // (nrange)
  double* y;         // of a group, each x noutput
  bool* is_good;     // (each)
  double* gradient;  // of a point, noutput x nw
} work;

static bool counts(const work* w, int role) {
  return !w->s->has_indices || role < JAXLE_POINT_AB;
}

static bool is_finite(const double* y, int n) {
  for (int i = 0; i < n; i++) {
    if (!isfinite(y[i])) return false;
  }
  return true;
}

// A point of a group, copied: the next one may take its place.
static jo_status read_point(work* w, int group, int role) {
  const jsweep_source* s = w->s;
  const double *y = NULL, *gradient = NULL;
  jo_status status = s->read(s->user, group * w->each + role, &y, &gradient);
  if (status < 0) return status;
  w->is_good[role] = status == JO_OK && is_finite(y, s->noutput);
  if (!w->is_good[role]) return JO_OK;
  memcpy(w->y + role * s->noutput, y, (size_t)s->noutput * sizeof *y);
  size_t n = (size_t)s->noutput * (size_t)s->nw;
  if (n > 0) memcpy(w->gradient, gradient, n * sizeof *gradient);
  return JO_OK;
}

// ---- first pass ----------------------------------------------------------------------------------

static jo_status find_means(work* w) {
  const jsweep_source* s = w->s;
  for (int i = 0; i < w->ngroup * w->each; i++) {
    if (!counts(w, i % w->each)) continue;
    JO_TRY(read_point(w, i / w->each, i % w->each));
    if (!w->is_good[i % w->each]) continue;
    for (int o = 0; o < s->noutput; o++) {
      sums* t = &w->sum[o];
      double y = w->y[i % w->each * s->noutput + o];
      t->mean += y;
      if (t->n == 0 || y < t->least) t->least = y;
      if (t->n == 0 || y > t->most) t->most = y;
      t->n++;
    }
  }
  for (int o = 0; o < s->noutput; o++) {
    w->sum[o].mean /= w->sum[o].n;
  }
  return JO_OK;
}

// ---- second pass ---------------------------------------------------------------------------------

static void add_ratio(ratio* r, double g, double v) {
  r->g += g;
  r->gg += g * g;
  r->gv += g * v;
}

// (W8) s dy/dx, s being x of a lognormal parameter; v is the square of y from its mean.
static void add_slopes(work* w, sums* t, const double* gradient, double v) {
  for (int k = 0; k < w->s->nrange; k++) {
    if (w->s->column[k] < 0) continue;
    double slope = gradient[w->s->column[k]];
    if (!isfinite(slope)) continue;  // an objective without derivatives at this point
    if (jsweep_design_law(w->s->design, k)->kind == JSWEEP_LOGNORMAL) slope *= w->x[k];
    add_ratio(&t->slope[k], slope * slope, v);
  }
}

static jo_status add_point(work* w, int i, int role) {
  const jsweep_source* s = w->s;
  if (s->nw > 0 && s->is_sample) jsweep_design_at(s->design, i, w->x);
  for (int o = 0; o < s->noutput; o++) {
    sums* t = &w->sum[o];
    double y = w->y[role * s->noutput + o], d = (y - t->mean) * (y - t->mean);
    t->square += d;
    t->fourth += d * d;
    JO_TRY(jsweep_quantile_add(&t->quantile, y));
    if (s->nw > 0 && s->is_sample) add_slopes(w, t, w->gradient + o * s->nw, d);
  }
  return JO_OK;
}

// (W7) The terms of a pair.
static void add_pair(work* w) {
  const jsweep_source* s = w->s;
  for (int o = 0; o < s->noutput; o++) {
    sums* t = &w->sum[o];
    double a = w->y[o] - t->mean, b = w->y[s->noutput + o] - t->mean, v = 0.5 * (a * a + b * b);
    t->pairs++;
    t->v += v;
    t->vv += v * v;
    t->both += a + b;
    for (int k = 0; k < s->nrange; k++) {
      double ab = w->y[(JAXLE_POINT_AB + k) * s->noutput + o] - t->mean;
      add_ratio(&t->large[k], v - 0.5 * (b - ab) * (b - ab), v);
      add_ratio(&t->small[k], b * (ab - a), v);
      add_ratio(&t->total[k], 0.5 * (a - ab) * (a - ab), v);
    }
  }
}

static jo_status find_rest(work* w) {
  for (int group = 0; group < w->ngroup; group++) {
    bool is_whole = true;
    for (int role = 0; role < w->each; role++) {
      JO_TRY(read_point(w, group, role));
      is_whole = is_whole && w->is_good[role];
      if (w->is_good[role] && counts(w, role)) JO_TRY(add_point(w, group * w->each + role, role));
    }
    if (w->s->has_indices && is_whole) add_pair(w);
  }
  return JO_OK;
}

// ---- results -------------------------------------------------------------------------------------

static void take_moments(const sums* t, jsweep_statistic* r) {
  r->n = t->n;
  r->mean = t->n > 0 ? t->mean : NAN;
  r->least = t->n > 0 ? t->least : NAN;
  r->most = t->n > 0 ? t->most : NAN;
  double variance = t->n > 1 ? t->square / (t->n - 1) : NAN;
  r->deviation = sqrt(variance);
  r->mean_error = r->deviation / sqrt(t->n);
  // (W5), no error where nothing varies; the root is real for all values of two points or more
  double n = t->n, kurtosis = variance > 0.0 ? t->fourth / n / (variance * variance) : 1.0;
  double spread = variance > 0.0 ? kurtosis - (n - 3.0) / (n - 1.0) : 0.0;
  r->deviation_error = t->n > 1 ? 0.5 * r->deviation * sqrt(spread / n) : NAN;
}

// A ratio of means of n terms g and v, and the standard error of the mean of g - S v over V; v and vv are the sums of v and of
// its squares.
static void take_ratio(const ratio* r, double n, double v, double vv, double V, double* value,
                       double* error) {
  double S = r->g / n / V, mean = (r->g - S * v) / n;
  double square = (r->gg - 2.0 * S * r->gv + S * S * vv) / n - mean * mean;
  *value = S;
  *error = sqrt(fmax(square, 0.0) / (n - 1.0)) / V;
}

// Of two estimators of a first-order index that with the smaller error: one is good where the parameter does much, the
// other where it does little. V off its mean moves g and v alike, as the pairs that count have a mean of their own.
static void take_first(const sums* t, int k, double V, double off, double* value, double* error) {
  ratio large = t->large[k];
  double other, other_error;
  large.g -= t->pairs * off * off;
  take_ratio(&large, t->pairs, t->v, t->vv, V, value, error);
  take_ratio(&t->small[k], t->pairs, t->v, t->vv, V, &other, &other_error);
  if (*error <= other_error) return;
  *value = other;
  *error = other_error;
}

static void take_indices(const work* w, const sums* t, jsweep_statistic* r) {
  double off = t->both / (2.0 * t->pairs), V = t->v / t->pairs - off * off;
  bool is_there = t->pairs > 1 && V > 0.0;
  for (int k = 0; k < w->s->nrange; k++) {
    r->first[k] = r->first_error[k] = r->total[k] = r->total_error[k] = NAN;
    if (!is_there) continue;
    take_first(t, k, V, off, &r->first[k], &r->first_error[k]);
    take_ratio(&t->total[k], t->pairs, t->v, t->vv, V, &r->total[k], &r->total_error[k]);
  }
}

static void take_slopes(const work* w, const sums* t, jsweep_statistic* r) {
  double variance = r->deviation * r->deviation, n = t->n;
  for (int k = 0; k < w->s->nrange; k++) {
    r->slope[k] = r->slope_error[k] = r->bound[k] = r->bound_error[k] = NAN;
    if (w->s->column[k] < 0 || t->n < 2) continue;
    ratio alone = {t->slope[k].g, t->slope[k].gg, 0.0};
    take_ratio(&alone, n, 0.0, 0.0, 1.0, &r->slope[k], &r->slope_error[k]);
    if (w->s->is_correlated || !(variance > 0.0)) continue;
    double C = jsweep_law_poincare(jsweep_design_law(w->s->design, k));
    take_ratio(&t->slope[k], n, t->square, t->fourth, variance, &r->bound[k], &r->bound_error[k]);
    r->bound[k] *= C;
    r->bound_error[k] *= C;
  }
}

static jo_status take(jarena* a, jo_context* ctx, const work* w, const sums* t,
                      jsweep_statistic* r) {
  int n = w->s->nrange;
  take_moments(t, r);
  double* number = JARENA_ARRAY(a, 8 * n, double);
  if (!number) return jerr_memory(ctx);
  if (w->s->has_indices) {
    r->first = number;
    r->first_error = number + n;
    r->total = number + 2 * n;
    r->total_error = number + 3 * n;
    take_indices(w, t, r);
  }
  if (w->s->nw > 0 && w->s->is_sample) {
    r->slope = number + 4 * n;
    r->slope_error = number + 5 * n;
    r->bound = number + 6 * n;
    r->bound_error = number + 7 * n;
    take_slopes(w, t, r);
  }
  for (int i = 0; i < JSWEEP_QUANTILES; i++) {
    r->quantile[i] = NAN;
  }
  r->rank_error = jsweep_quantile_error(&t->quantile);
  if (t->n == 0) return JO_OK;
  return jsweep_quantile_find(&t->quantile, jsweep_quantile_share, JSWEEP_QUANTILES, r->quantile);
}

static jo_status prepare(jo_context* ctx, jarena* a, work* w) {
  const jsweep_source* s = w->s;
  w->each = s->has_indices ? s->nrange + 2 : 1;
  w->ngroup = s->npoint / w->each;
  w->sum = JARENA_ARRAY(a, s->noutput, sums);
  w->x = JARENA_ARRAY(a, s->nrange, double);
  w->y = JARENA_ARRAY(a, w->each * s->noutput, double);
  w->is_good = JARENA_ARRAY(a, w->each, bool);
  w->gradient = JARENA_ARRAY(a, s->noutput * s->nw, double);
  if (!w->sum || !w->x || !w->y || !w->is_good || !w->gradient) return jerr_memory(ctx);
  for (int o = 0; o < s->noutput; o++) {
    sums* t = &w->sum[o];
    t->large = JARENA_ARRAY(a, s->nrange, ratio);
    t->small = JARENA_ARRAY(a, s->nrange, ratio);
    t->total = JARENA_ARRAY(a, s->nrange, ratio);
    t->slope = JARENA_ARRAY(a, s->nrange, ratio);
    if (!t->large || !t->small || !t->total || !t->slope) return jerr_memory(ctx);
    jsweep_quantile_begin(&t->quantile, ctx);
  }
  return JO_OK;
}

static jo_status compute(jo_context* ctx, jarena* a, work* w, jsweep_statistic* r) {
  JO_TRY(find_means(w));
  JO_TRY(find_rest(w));
  for (int o = 0; o < w->s->noutput; o++) {
    JO_TRY(take(a, ctx, w, &w->sum[o], &r[o]));
  }
  return JO_OK;
}

jo_status jsweep_statistics_of(jo_context* ctx, jarena* a, const jsweep_source* s,
                               jsweep_statistic** out) {
  *out = NULL;
  jsweep_statistic* r = JARENA_ARRAY(a, s->noutput, jsweep_statistic);
  work w = {.s = s};
  if (!r) return jerr_memory(ctx);
  JO_TRY(prepare(ctx, a, &w));
  jo_status status = compute(ctx, a, &w, r);
  for (int o = 0; o < s->noutput; o++) {
    jsweep_quantile_end(&w.sum[o].quantile);
  }
  if (status >= 0) *out = r;
  return status;
}
