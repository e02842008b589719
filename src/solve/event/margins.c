// SPDX-License-Identifier: Apache-2.0
#include "solve/event/margins.h"

#include "solve/algebra/sums.h"

jsolve_margins jsolve_events_margins_of(const jsolve_events* ev, const jsolve_run* run) {
  return (jsolve_margins){ev->n,     run->sys->mode, ev->hysteresis,
                          ev->g_max, ev->floor,      ev->is_armed};
}

void jsolve_events_margins(const jsolve_events* ev, const jsolve_run* run, const double* g,
                           double* s) {
  jsolve_margins m = jsolve_events_margins_of(ev, run);
  jsolve_sums_choose()->margins(&m, g, s);
}

void jsolve_events_evaluate(jsolve_events* ev, jsolve_run* run, double t, const double* y,
                            double* s) {
  run->sys->switches(run->sys->user, t, y, ev->g);
  jsolve_events_margins(ev, run, ev->g, s);
}

bool jsolve_events_crossed(const jsolve_events* ev, const double* s) {
  return jsolve_sums_choose()->has_crossed(ev->n, s);
}
