// SPDX-License-Identifier: Apache-2.0
// Constants of time integration that single runs (solve/, machine/) and lanes (batch/march/) share. No includes: they are part
// of code for other machines, too. docs/theory/integration.md
#ifndef JSOLVE_CONSTANTS_H
#define JSOLVE_CONSTANTS_H

// counts
enum {
  JSOLVE_MAX_CORRECTIONS = 12,  // of loops
  JSOLVE_MAX_HALVINGS = 60,     // of steps
  JSOLVE_MAX_PROBES = 200,      // for an event
  JSOLVE_MAX_AIMS = 5,          // steps to where rates say that it is
  JSOLVE_BASE_EVENTS = 10000,   // allowed in a run, and ...
  JSOLVE_EVENT_RATE = 5000      // ... for every second [1/s]
};

// closures
#define JSOLVE_CLOSED 1e-7  // a Newton correction below leaves a residual of its square

// control of steps
#define JSOLVE_SAFETY        0.9
#define JSOLVE_SHRINK_LIMIT  0.2
#define JSOLVE_GROWTH_LIMIT  5.0
#define JSOLVE_PI_BETA       0.04
#define JSOLVE_ERROR_MINIMUM 1e-4  // floor of the previous error in the controller
#define JSOLVE_AFTER_EVENT   0.5   // part of the previous step size tried after an event
#define JSOLVE_REUSE_LIMIT   1e-3

// events
#define JSOLVE_TIME_TOLERANCE 1e-13  // events are located no better, times max(1, |t|) [s]
#define JSOLVE_SPAN           1e-6   // over which rates beside an event are taken [s], and ...
#define JSOLVE_DIGITS         1e-10  // ... of the time, where that is more: instants have so many digits
#define JSOLVE_RELATIVE_FLOOR 1e-12
#define JSOLVE_ABSOLUTE_FLOOR 1e-14
#define JSOLVE_FIRST_SAMPLE   (1.0 / 64)  // of a step, where switches are not armed

// fixed steps that are too long for the motion
#define JSOLVE_SUSPECT  0.1    // of the largest value: a step that may be far off
#define JSOLVE_SMALLEST 1e-4   // times the nominal value: below, nothing is large
#define JSOLVE_BAD      0.3    // of the largest value: a step that counts
#define JSOLVE_MEMORY   0.9    // of what counts, from one step to the next
#define JSOLVE_FAST     1.2    // growth in a step that differences of the step show, too
#define JSOLVE_WHOLE    0.999  // of the step that was asked for

// conditions that change faster than steps
#define JSOLVE_HIDDEN    0.1
#define JSOLVE_BETWEEN   0.5    // error between looks over error of the slope, of a cubic
#define JSOLVE_ROUNDING  1e-10  // of switching functions, times max(1, |largest|)
#define JSOLVE_OVERSHOOT 0.32   // of a cubic beyond its nodes, over their range

#endif
