// SPDX-License-Identifier: Apache-2.0
// A look into long steps. A system at rest lets steps grow without bound, and stages of such a step may
// all miss a pulse: an input of short duration, a bump of the road. So the dense output of a step
// that is longer than half the shortest pulse is held against the right-hand side every half pulse:
//   defect = f(t, y(t)) - y'(t),    h |defect| <= SCAN_LIMIT in the error norm
// which a smooth step passes by far and one with a pulse inside misses by orders of magnitude. Implicit
// methods filter the defect by Newton's matrix first: of stiff components only what lasts is left.
#ifndef JSOLVE_SCAN_H
#define JSOLVE_SCAN_H

#include "solve/run.h"

// Largest distance between two looks [s].
double jsolve_scan_spacing(const jsolve_options* opt, double t_begin, double t_end);

// Number of equal parts a step of length h is looked at in; 1: not at all.
int jsolve_scan_parts(const jsolve_run* run, double h);

// True: the proposed step holds nothing it did not see. False: `*t_good` is the last instant before the
// first surprise, at least half a spacing into the step.
bool jsolve_scan_step(jsolve_run* run, double* t_good);

#endif
