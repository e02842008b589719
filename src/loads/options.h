// SPDX-License-Identifier: Apache-2.0
// What may be chosen of a run: defaults, ranges, and the options that follow.
#ifndef JLOADS_OPTIONS_H
#define JLOADS_OPTIONS_H

#include "loads/loads.h"

// The adaptive driver with a tolerance that leaves nothing to see.
#define JLOADS_CONVERGED "converged"

#define JLOADS_SLOPE     5.0  // of pseudo-damage ...
#define JLOADS_REFERENCE 1.0  // ... [N, N m]

// NaN: the default.
typedef struct jloads_choice {
  const char* driver;  // a name of jloads_driver, or JLOADS_CONVERGED; NULL: subcycle
  double rate;         // steps per second, of adaptive drivers at least [Hz]
  double t_end;        // [s]; the model's
  double tolerance;    // adaptive, impulsive: error of any state in a step
  double restitution;  // impulsive: part of the velocity that comes back
  bool realtime;
  double slope, reference;  // of pseudo-damage
} jloads_choice;

jloads_choice jloads_choice_default(void);

// Fill in what is left open, judge it, and say how to run. The driver is a constant text afterwards.
jo_status jloads_choose(jo_context* ctx, const jmodel* m, jloads_choice* c, jloads_options* out);

#endif
