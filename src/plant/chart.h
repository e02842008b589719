// SPDX-License-Identifier: Apache-2.0
// The partition that is in force changes during a run, where another one determines the motion better. Partitions are
// charts of one and the same motion: what is a state of one is a state of the other, in other coordinates.
// docs/theory/dynamics.md eqs. (R11)-(R13).
#ifndef JPLANT_CHART_H
#define JPLANT_CHART_H

#include "plant/plant.h"

// The steepest slope of dependent coordinates that a run stays with, which began where the partition stands so.
double jplant_chart_steepest(const jgen_footing* at_first);

// (R13)  a state of `from` as a state of `to`; ydot: its rates, of which the velocities are part.
void jplant_chart_map(const jgen_layout* from, const jgen_layout* to, const double* y,
                      const double* ydot, double* out);

// A state of the run as the first plant has it: where the run began, whatever is in force now. `out`: ny
void jplant_chart_first(jplant_work* r, double t, const double* y, double* out);

// (R19)  Whether a state between two steps, on its closures, is so near to a singular position that dependent rates are
// not accurate to the tolerance there. The run goes on as if it had not been asked.
jo_status jplant_chart_is_near(jplant_work* r, double t, const double* y, double rel_tol,
                               bool* out);

#endif
