// SPDX-License-Identifier: Apache-2.0
// A copy of a model for looking at an axle: its initial conditions hold the vehicle at its design position and put the
// wheels and the rack where numbers say, and its sensors are the curves.
#ifndef JSTUDY_AXLE_MODEL_H
#define JSTUDY_AXLE_MODEL_H

#include "plant/plant.h"

#define JSTUDY_MOTION_LIST(X)                          \
  X(BUMP, "bump", "both wheels up and down")           \
  X(ROLL, "roll", "the left wheel up, the right down") \
  X(STEER, "steer", "the rack moved, wheels at design height")

typedef enum jstudy_motion {
#define X(id, name, text) JSTUDY_MOTION_##id,
  JSTUDY_MOTION_LIST(X)
#undef X
      JSTUDY_MOTION_COUNT
} jstudy_motion;

enum { JSTUDY_LEFT, JSTUDY_RIGHT };

// Numbers of the copy: travel of the wheels and of the rack [m], and its rate [m/s].
enum {
  JSTUDY_MOVED_LEFT,
  JSTUDY_MOVED_RIGHT,
  JSTUDY_MOVED_RACK,
  JSTUDY_MOVED_RATE,
  JSTUDY_MOVED_COUNT
};

typedef struct jstudy_axle_curve {
  const char *name, *unit, *description;
  bool is_change;  // against the design position
  bool is_odd;     // what counts of it changes its sign with the rate of travel
} jstudy_axle_curve;

#define JSTUDY_MAX_CURVES 64

typedef struct jstudy_axle_model {
  jo_context* ctx;
  jarena* a;
  const jmodel* m;
  const jmodel_axle* axle;
  jstudy_motion motion;
  int side;  // looked at
  jmodel copy;
  bool failed;                                 // no memory
  jstudy_axle_curve curve[JSTUDY_MAX_CURVES];  // the first outputs of the copy, in this order
  int ncurve;
  int force;                      // curve: of the wheel; -1: none
  int moved[JSTUDY_MOVED_COUNT];  // numbers of the copy
} jstudy_axle_model;

// `axle`: its name, NULL: the only one. `side`: of the wheel looked at. Everything of it is in the arena; the model must
// outlive it.
jo_status jstudy_axle_model_make(jo_context* ctx, jarena* a, const jmodel* m, const char* axle,
                                 jstudy_motion motion, int side, jstudy_axle_model* out);

#endif
