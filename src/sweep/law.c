// SPDX-License-Identifier: Apache-2.0
// Distributions. docs/theory/statistics.md (W1) to (W3).
#include "sweep/law.h"

#include <math.h>

#include "base/elementary.h"

#define PI        3.14159265358979323846
#define ROOT_2PI  2.50662827463100050242
#define SERIES_TO 2.0  // beyond, a difference from 1/2 would lose digits
#define TERMS     100  // more than either takes

static double density(double z) {
  return jm_exp(-0.5 * z * z) / ROOT_2PI;
}

// (W1), z >= 0: what lies between 0 and z is density(z) (z + z^3/3 + z^5/15 + ...), all terms positive.
static double central(double z) {
  double term = z, sum = z;
  for (int k = 3; k < TERMS && term > 1e-18 * sum; k += 2) {
    term *= z * z / k;
    sum += term;
  }
  return density(z) * sum;
}

// (W1), z > 0: what lies above z is density(z) / (z + 1/(z + 2/(z + 3/(z + ...)))), which is off by exp(-2 z sqrt(n))
// after n terms.
static double upper(double z) {
  double below = z;
  for (int k = 8 + (int)(350.0 / (z * z)); k > 0; k--) {
    below = z + k / below;
  }
  return density(z) / below;
}

double jsweep_normal(double z) {
  double a = fabs(z);
  if (a < SERIES_TO) {
    double half = central(a);
    return z < 0.0 ? 0.5 - half : 0.5 + half;
  }
  return z < 0.0 ? upper(a) : 1.0 - upper(a);
}

// (W2) Halley's iteration on the lower half, from what the size of the tail says.
double jsweep_normal_inverse(double p) {
  double q = p <= 0.5 ? p : 1.0 - p;
  if (!(q > 0.0)) return p < 0.5 ? -INFINITY : INFINITY;
  double z = 0.0;
  if (q < 0.4) {
    double t = sqrt(-2.0 * jm_log(q));
    z = t < 3.0 ? -(t - 0.9 / (0.35 + t)) : -(t - jm_log(ROOT_2PI * t) / t);
  }
  for (int k = 0; k < 6; k++) {
    double off = (jsweep_normal(z) - q) / density(z);
    double step = off / (1.0 + 0.5 * z * off);
    z -= step;
    if (fabs(step) <= 1e-16 * fabs(z)) break;
  }
  return p <= 0.5 ? z : -z;
}

// ---- laws ----------------------------------------------------------------------------------------

static jo_status check(jo_context* ctx, const char* name, const jsweep_law* l) {
  if (l->kind == JSWEEP_UNIFORM) {
    if (isfinite(l->from) && isfinite(l->to) && isfinite(l->to - l->from)) return JO_OK;
    return jerr_set(ctx, JO_ERR_ARGUMENT, "parameter '%s': the ends of its range must be finite",
                    name);
  }
  if (!isfinite(l->mean) || !isfinite(l->deviation) || !(l->deviation > 0.0)) {
    return jerr_set(
        ctx, JO_ERR_ARGUMENT,
        "parameter '%s': its mean must be finite, its deviation finite and positive, not "
        "%.9g and %.9g",
        name, l->mean, l->deviation);
  }
  if (l->kind == JSWEEP_LOGNORMAL && !(l->mean > 0.0)) {
    return jerr_set(
        ctx, JO_ERR_ARGUMENT,
        "parameter '%s': the mean of a lognormal distribution must be positive, not %.9g", name,
        l->mean);
  }
  if (l->kind == JSWEEP_LOGNORMAL && !(l->deviation / l->mean < 1e100)) {
    return jerr_set(
        ctx, JO_ERR_ARGUMENT,
        "parameter '%s': the deviation %.9g is too large for a lognormal distribution of "
        "mean %.9g",
        name, l->deviation, l->mean);
  }
  if (isnan(l->from) || isnan(l->to) || !(l->from < l->to)) {
    return jerr_set(
        ctx, JO_ERR_ARGUMENT,
        "parameter '%s': is cut off at %.9g and %.9g, of which the second must be larger", name,
        l->from, l->to);
  }
  return JO_OK;
}

// (W3) mean m and deviation s of a lognormal value: those of its logarithm.
static void centre(jsweep_law* l) {
  l->centre = l->mean;
  l->width = l->deviation;
  if (l->kind == JSWEEP_LOGNORMAL) {
    double ratio = l->deviation / l->mean, square = jm_log(1.0 + ratio * ratio);
    l->width = sqrt(square);
    l->centre = jm_log(l->mean) - 0.5 * square;
  }
}

static double end_of(const jsweep_law* l, double x) {
  if (l->kind == JSWEEP_LOGNORMAL) x = x <= 0.0 ? -INFINITY : isinf(x) ? x : jm_log(x);
  return (x - l->centre) / l->width;
}

static double below(double z) {
  return isinf(z) ? z > 0.0 : jsweep_normal(z);
}

jo_status jsweep_law_set(jo_context* ctx, const char* name, jsweep_law* l) {
  JO_TRY(check(ctx, name, l));
  if (l->kind == JSWEEP_UNIFORM) return JO_OK;
  centre(l);
  double from = end_of(l, l->from), to = end_of(l, l->to);
  l->is_mirrored = from > 0.0;
  l->z_from = l->is_mirrored ? -to : from;
  l->z_to = l->is_mirrored ? -from : to;
  l->p_from = below(l->z_from);
  l->p_to = below(l->z_to);
  if (l->p_to - l->p_from > 1e-200) return JO_OK;
  return jerr_set(ctx, JO_ERR_ARGUMENT,
                  "parameter '%s': nothing of its distribution lies between %.9g and %.9g", name,
                  l->from, l->to);
}

static double clip(double x, double from, double to) {
  return x < from ? from : x > to ? to : x;
}

double jsweep_law_at(const jsweep_law* l, double u) {
  if (l->kind == JSWEEP_UNIFORM) return l->from + (l->to - l->from) * u;
  if (l->is_mirrored) u = 1.0 - u;
  double z = jsweep_normal_inverse(l->p_from + u * (l->p_to - l->p_from));
  z = clip(z, l->z_from, l->z_to);
  double x = l->centre + l->width * (l->is_mirrored ? -z : z);
  return clip(l->kind == JSWEEP_LOGNORMAL ? jm_exp(x) : x, l->from, l->to);
}

// (W8) A normal density cut off is log-concave: the smaller of the width squared and that of a uniform one of the
// same length, L^2 / pi^2 (Payne and Weinberger).
double jsweep_law_poincare(const jsweep_law* l) {
  double length = l->kind == JSWEEP_UNIFORM ? l->to - l->from : l->width * (l->z_to - l->z_from);
  double bounded = length * length / (PI * PI);
  if (l->kind == JSWEEP_UNIFORM || bounded < l->width * l->width) return bounded;
  return l->width * l->width;
}
