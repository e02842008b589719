// SPDX-License-Identifier: Apache-2.0
// Whether fixed steps are too long for the motion. The last stage of a method, with argument Y, stands at the end of the step as
// y1 does, and both slopes are there:
//   df = f(t1, y1) - f(t1, Y)      dy = y1 - Y      |lambda| ~ |df| / |dy|
// Positions and velocities have no common scale. With q' = v and s^2 = |dv'| / |dq|, which an oscillation of frequency s has in
// every phase, and (s dq, dv) in place of (dq, dv),
//   |lambda| ~ s      Re lambda ~ (s^2 dq.dv + dv.dv') / (s^2 dq.dq + dv.dv)
// A step multiplies such a motion by |R(h lambda)|, with R the polynomial of the method. Where it is above one though the
// motion does not grow by itself, and steps in a row make much of it, the run grows without bound. What is below the tolerance does
// not count: there is nothing but rounding at rest. A step that an event cuts short and that does not grow says nothing of the others.
#ifndef JSOLVE_STABILITY_H
#define JSOLVE_STABILITY_H

#include "solve/run.h"
#include "solve/tableau.h"

typedef struct jsolve_stability {
  int n;
  double factor[JSOLVE_MAX_STAGES + 1];  // R(z) = sum factor_i z^i, i <= n
  jsolve_growth growth;                  // of this run, where options have none
} jsolve_stability;

// Of an explicit method, or the explicit half of a mixed one.
jsolve_stability jsolve_stability_of(const jsolve_tableau* tab);

// |R(z)| of z = -x + i y.
double jsolve_amplification(const jsolve_stability* s, double x, double y);

// The step from run->t to run->t_new, with dy and df as above, which are overwritten. is_suspect: by the largest motion so far it
// may be far off (resolution.h); else fast growth would be that of a motion too small to count, or none at all: the eigenvalue of
// damped motions is overestimated in some of their phases. Reports a run that grows without bound.
jo_status jsolve_stability_judge(jsolve_stability* s, jsolve_run* run, bool is_suspect, double* dy,
                                 double* df);

// Whether the last steps in a row made ten times as much of it.
bool jsolve_stability_grows(jsolve_stability* s, const jsolve_run* run);

#endif
