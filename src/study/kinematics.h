// SPDX-License-Identifier: Apache-2.0
// Suspension kinematics: how the wheels of an axle stand when they are moved up and down, against each other or by
// the steering, the vehicle held; every curve with its exact derivatives. docs/theory/kinematics.md.
#ifndef JSTUDY_KINEMATICS_H
#define JSTUDY_KINEMATICS_H

#include "study/axle_model.h"

typedef struct jstudy_kinematics_options {
  const char* axle;  // NULL: the only one
  jstudy_motion motion;
  int side;         // the wheel looked at: 0 left, 1 right
  double from, to;  // travel of the wheel centre, of the rack [m]
  int n;            // positions, evenly
  const int* wrt;   // numbers to differentiate for, parameters or not
  int nwrt;
} jstudy_kinematics_options;

typedef struct jstudy_curve {
  const char *name, *unit, *description;
  double* value;       // (n)
  double* derivative;  // n x nw, position by position
} jstudy_curve;

typedef struct jstudy_kinematics {
  jo_context* ctx;
  jarena arena;
  const char* axle;
  int n, nw, ncurve;
  double* travel;  // (n) [m]
  jstudy_curve* curve;
} jstudy_kinematics;

// On failure *out is NULL: there is no such axle, or a position that cannot be reached. Ownership: caller, release
// with jstudy_kinematics_destroy(); the model must outlive it.
jo_status jstudy_kinematics_create(jo_context* ctx, const jmodel* m,
                                   const jstudy_kinematics_options* opt, jstudy_kinematics** out);
void jstudy_kinematics_destroy(jstudy_kinematics* k);

#endif
