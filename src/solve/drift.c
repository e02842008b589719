// SPDX-License-Identifier: Apache-2.0
#include "solve/drift.h"

#include <math.h>

#define SMALLEST 1e-4   // times the nominal value: smaller motions do not count
#define ROUNDING 1e-10  // times the value itself
#define LOOK     0.05   // of the motion: defects since the last look

bool jsolve_drift_init(jsolve_drift* d, jarena* a, const jsolve_system* sys, const double* y) {
  int n = sys->nw > 0 ? sys->nq + sys->nv + sys->nw : sys->n;
  double* data = JARENA_ARRAY(a, 4 * (size_t)n + (size_t)sys->n, double);
  if (!data) return false;
  *d = (jsolve_drift){.sys = sys,
                      .n = n,
                      .low = data,
                      .high = data + n,
                      .lost = data + 2 * n,
                      .pending = data + 3 * n,
                      .two = data + 4 * n};
  for (int i = 0; i < n; i++)
    d->low[i] = d->high[i] = y[i];
  return true;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

static double smaller(double a, double b) {
  return a < b ? a : b;
}

static void widen(jsolve_drift* d, const jsolve_drift_step* step) {
  const double *y0 = step->y0, *y1 = step->y1;
  for (int i = 0; i < d->n; i++) {
    d->low[i] = smaller(d->low[i], smaller(y0[i], y1[i]));
    d->high[i] = larger(d->high[i], larger(y0[i], y1[i]));
  }
}

// S_i; 0: the state is not controlled
static double range_of(const jsolve_drift* d, int i) {
  const jsolve_system* sys = d->sys;
  double nominal = sys->error_scale ? sys->error_scale[i] : 1;
  double size = larger(fabs(d->low[i]), fabs(d->high[i]));
  if (!(nominal > 0)) return 0;
  return d->high[i] - d->low[i] + SMALLEST * nominal + ROUNDING * size;
}

void jsolve_drift_add(jsolve_drift* d, const jsolve_drift_step* step, const double* error) {
  widen(d, step);
  for (int i = 0; i < d->n; i++)
    d->lost[i] += fabs(error[i]);
}

// |y1 - y0 - h (f0 + f1) / 2|
static double defect_of(const jsolve_drift_step* s, int i) {
  return fabs(s->y1[i] - s->y0[i] - 0.5 * s->h * (s->f0[i] + s->f1[i]));
}

bool jsolve_drift_defect(jsolve_drift* d, const jsolve_drift_step* step) {
  double most = 0;
  widen(d, step);
  for (int i = 0; i < d->n; i++) {
    double defect = defect_of(step, i), range = range_of(d, i);
    d->pending[i] += defect;
    if (range > 0) most = larger(most, defect / range);
  }
  d->since += most;
  return d->since > LOOK;
}

void jsolve_drift_sample(jsolve_drift* d, const jsolve_drift_step* step) {
  double off = 0, defect = 0;
  for (int i = 0; i < d->n; i++) {
    double range = range_of(d, i);
    if (!(range > 0)) continue;
    off += fabs(step->y1[i] - d->two[i]) / range;
    defect += defect_of(step, i) / range;
  }
  double part = defect > 0 && isfinite(off) ? off / defect : 0;
  for (int i = 0; i < d->n; i++) {
    d->lost[i] += part * d->pending[i];
    d->pending[i] = 0;
  }
  d->since = 0;
}

// Positions, rates and other states have sizes of their own.
static int group_of(const jsolve_system* sys, int i) {
  if (!sys->has_parts) return 2;
  if (i < sys->nq + sys->nv) return 0;
  return i < 2 * sys->nq + sys->nv ? 1 : 2;
}

// What mixed methods solve for by itself is damped within a step or two: errors there do not add up.
static bool is_local(const jsolve_system* sys, int i) {
  for (int k = 0; k < sys->local.n; k++) {
    if (sys->local.state[k] == i) return true;
  }
  return false;
}

void jsolve_drift_tell(const jsolve_drift* d, jsolve_statistics* out) {
  const jsolve_system* sys = d->sys;
  for (int i = 0; i < d->n; i++) {
    double range = range_of(d, i);
    double size = larger(fabs(d->low[i]), fabs(d->high[i]));
    if (!(range > 0)) continue;
    double nominal = sys->error_scale ? sys->error_scale[i] : 1, part = d->lost[i] / range;
    double* most = &out->size[group_of(sys, i)];
    *most = larger(*most, size / nominal);
    if (!(part > out->drift) || is_local(sys, i)) continue;
    out->drift = part;
    out->drifting = i + 1;
  }
}
