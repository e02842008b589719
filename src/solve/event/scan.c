// SPDX-License-Identifier: Apache-2.0
// Looking into long steps (scan.h).
#include "solve/event/scan.h"

#include <float.h>
#include <math.h>

#include "base/assert.h"

#define SCAN_LIMIT    100
#define DEFAULT_PULSE 0.02  // [s]
#define RUN_PARTS     25    // pulses in a run, at least
#define MOST_LOOKS    1e5   // in a run that is nothing but rest

double jsolve_shortest_pulse(const jsolve_options* opt, double span) {
  return opt->shortest_pulse > 0 ? opt->shortest_pulse : fmin(DEFAULT_PULSE, span / RUN_PARTS);
}

double jsolve_scan_spacing(const jsolve_options* opt, double t_begin, double t_end) {
  double span = t_end - t_begin;
  double spacing = fmax(0.5 * jsolve_shortest_pulse(opt, span), span / MOST_LOOKS);
  return fmax(spacing, DBL_MIN);  // of runs of 1e-323 s there are no parts
}

int jsolve_scan_parts(const jsolve_run* run, double h) {
  return h > run->scan_spacing ? (int)ceil(h / run->scan_spacing) : 1;
}

bool jsolve_scan_step(jsolve_run* run, double* t_good) {
  double h = run->t_new - run->t;
  int parts = jsolve_scan_parts(run, h), n = run->sys->n;
  const jsolve_dense* dense = run->stepper->dense;
  double *y = run->scan, *f = run->scan + n, *slope = run->scan + 2 * n;
  JASSERT(parts >= 1);
  for (int j = 1; j < parts; j++) {
    double t = run->t + h * j / parts;
    dense->eval(dense, t, y);
    jsolve_hold(run->sys, run->y, y);
    dense->slope(dense, t, slope);
    run->stats.scans++;
    run->sys->rhs(run->sys->user, t, y, f);
    for (int i = 0; i < n; i++)
      f[i] = h * (f[i] - slope[i]);
    if (run->stepper->filter) run->stepper->filter(run->stepper, f);
    if (jsolve_norm(&run->weights, f, y, y) <= SCAN_LIMIT) continue;
    *t_good = run->t + h * fmax(j - 1, 0.5) / parts;
    return false;
  }
  return true;
}
