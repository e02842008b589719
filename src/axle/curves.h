// SPDX-License-Identifier: Apache-2.0
// Curves of an axle over travel or load: what is asked for and what comes of it.
#ifndef JAXLE_CURVES_H
#define JAXLE_CURVES_H

#include "axle/copy.h"

typedef struct jaxle_kinematics_options {
  const char* axle;  // NULL: the only one
  jaxle_motion motion;
  int side;         // the wheel looked at: 0 left, 1 right
  bool is_opposed;  // loads: the right wheel is loaded the other way
  bool
      holds_wheel;  // loads: wheel centres stay at their height, else under the force that holds them there
  double from,
      to;          // travel of the wheel centre, of the rack [m]; load of the left wheel [N], [N m]
  int n;           // positions, evenly
  const int* wrt;  // numbers to differentiate for, parameters or not
  int nwrt;
} jaxle_kinematics_options;

typedef struct jaxle_curve {
  const char *name, *unit, *description;
  double* value;       // (n)
  double* derivative;  // n x nw, position by position
  double slope;        // over load, without load; NaN: over travel
  double* dslope;      // its derivatives (nw)
} jaxle_curve;

typedef struct jaxle_kinematics {
  jo_context* ctx;
  jarena arena;
  const char* axle;
  int n, nw, ncurve;
  bool is_elastic;  // more moves than the links alone leave free
  double* travel;   // (n) [m], or loads
  jaxle_curve* curve;
} jaxle_kinematics;

// Room for the curves of a copy, and `more` behind them; refused before the work where it is more than the model allows.
jo_status jaxle_curves_allocate(jaxle_kinematics* k, const jaxle_model* axle,
                                const jaxle_kinematics_options* opt, int more);
// The i-th position.
double jaxle_curves_at(const jaxle_kinematics_options* opt, int i);

#endif
