// SPDX-License-Identifier: Apache-2.0
// Numbers that come out of a run and must be finite: objectives and outputs. What is not is told with its
// cause, as far as it can be found.
#ifndef JPLANT_FINITE_H
#define JPLANT_FINITE_H

#include "plant/plant.h"

// "not a number", "infinite"
const char* jplant_finite_text(double x);

// Report the first objective that is not finite at the end of a run, (t, y).
jo_status jplant_finite_objectives(jplant_work* r, double t, const double* y, const double* psi);

// Integrals of squares and powers are not negative. One that is by more than the tolerance is not resolved, and
// neither is its objective: report the first such.
jo_status jplant_resolved_objectives(jplant_work* r, const double* y, double abs_tol);

// Whether the integral under the root of an objective ended below what errors are measured against: no step was held
// to it. Fixed steps are held to nothing (abs_tol 0).
bool jplant_is_unheld(const jplant* p, int objective, const double* y, double abs_tol);

// Whether an objective with a root is lost: its signal is smaller than the tolerance, or its power smaller than
// numbers go. What is zero but for rounding is not.
bool jplant_is_lost(const jplant* p, int objective, const double* y, double abs_tol);

// Warn of one that is lost, with its value. is_fixed: steps are, and no tolerance helps.
void jplant_warn_lost(jo_context* ctx, const jmodel_objective* o, double value, bool is_fixed);

// Report an output that is not finite at (t, y): `which` of the outputs, with its value there.
jo_status jplant_finite_output(jplant_work* r, double t, const double* y, int which, double value);

// Report a rate of the state that is not finite at (t, y).
jo_status jplant_finite_rate(jplant_work* r, double t, const double* y, int which);

// First of n values that is not finite; -1: all are.
int jplant_finite_first(const double* x, int n);

#endif
