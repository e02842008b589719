// SPDX-License-Identifier: Apache-2.0
// Curves of an axle over travel or load: what is asked for and what comes of it.
#ifndef JSTUDY_CURVES_H
#define JSTUDY_CURVES_H

#include "study/axle_copy.h"

typedef struct jstudy_kinematics_options {
  const char* axle;  // NULL: the only one
  jstudy_motion motion;
  int side;         // the wheel looked at: 0 left, 1 right
  bool is_opposed;  // loads: the right wheel is loaded the other way
  bool
      holds_wheel;  // loads: wheel centres stay at their height, else under the force that holds them there
  double from,
      to;          // travel of the wheel centre, of the rack [m]; load of the left wheel [N], [N m]
  int n;           // positions, evenly
  const int* wrt;  // numbers to differentiate for, parameters or not
  int nwrt;
} jstudy_kinematics_options;

typedef struct jstudy_curve {
  const char *name, *unit, *description;
  double* value;       // (n)
  double* derivative;  // n x nw, position by position
  double slope;        // over load, without load; NaN: over travel
  double* dslope;      // its derivatives (nw)
} jstudy_curve;

typedef struct jstudy_kinematics {
  jo_context* ctx;
  jarena arena;
  const char* axle;
  int n, nw, ncurve;
  bool is_elastic;  // more moves than the links alone leave free
  double* travel;   // (n) [m], or loads
  jstudy_curve* curve;
} jstudy_kinematics;

// Room for the curves of a copy, and `more` behind them; refused before the work where it is more than the model allows.
jo_status jstudy_curves_allocate(jstudy_kinematics* k, const jstudy_axle_model* axle,
                                 const jstudy_kinematics_options* opt, int more);
// The i-th position.
double jstudy_curves_at(const jstudy_kinematics_options* opt, int i);

#endif
