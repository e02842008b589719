// SPDX-License-Identifier: Apache-2.0
// What ends a run, or keeps it from beginning, because its equations do not hold there: guards of elements
// (gen/switch/guard.h), and windows of objectives that are not part of the run.
#ifndef JPLANT_GUARD_H
#define JPLANT_GUARD_H

#include "plant/plant.h"

// Windows of the objectives, with the numbers of the run, lie inside of [t_start, t_end].
jo_status jplant_guard_windows(jplant_work* r, double t_start, double t_end);

// The same as an answer, without a message.
bool jplant_windows_fit(jplant_work* r, double t_start, double t_end);

// The same of a run that a condition ended at t: fails where it did before a window began. cut (nobjective): seconds of the window
// of each objective that are missing.
jo_status jplant_guard_reached(jplant_work* r, double t, double* cut);

// A warning of one that lacks `cut` seconds of its window.
void jplant_warn_cut(jo_context* ctx, const jmodel_objective* o, double value, double cut);

// Ends of elements between points are apart at (t, y): else they have no direction. Evaluates the whole
// graph for each, so it is for checks and for equations that are known to fail.
jo_status jplant_guard_lengths(jplant_work* r, double t, const double* y);

// The equations have finite values at (t, y), as far as elements between points of the same place go; with
// `all`, whatever the cause. Sets the modes of the run.
jo_status jplant_guard_elements(jplant_work* r, double t, const double* y, bool all);

// No element is of length zero, and no guard of an element fails at the start, y. Sets the modes of the run.
jo_status jplant_guard_start(jplant_work* r, double t, const double* y);

// The same at the steps of a run without switches: no guard fails, or has failed since the last look,
// as far as a straight line between its pairs tells. before: 3 nguard numbers, zero at first.
jo_status jplant_guard_step(jplant_work* r, double t, const double* y, double* before);

#endif
