// SPDX-License-Identifier: Apache-2.0
// A copy of a model for looking at an axle, while it is made: what of it is known, and texts and lists for its parts.
#ifndef JSTUDY_AXLE_COPY_H
#define JSTUDY_AXLE_COPY_H

#include "plant/plant.h"

// Those that move wheels, then those that load them.
#define JSTUDY_MOTION_LIST(X)                                             \
  X(BUMP, "bump", "both wheels up and down")                              \
  X(ROLL, "roll", "the left wheel up, the right down")                    \
  X(STEER, "steer", "the rack moved, wheels at design height")            \
  X(LATERAL, "lateral", "a force to the left at the contacts")            \
  X(BRAKING, "braking", "a force forward at the contacts, wheels locked") \
  X(TRACTION, "traction", "a force forward at the wheel centres")         \
  X(ALIGNING, "aligning", "a torque about the vertical at the wheels")

typedef enum jstudy_motion {
#define X(id, name, text) JSTUDY_MOTION_##id,
  JSTUDY_MOTION_LIST(X)
#undef X
      JSTUDY_MOTION_COUNT
} jstudy_motion;

enum { JSTUDY_LEFT, JSTUDY_RIGHT };

static inline bool jstudy_is_load(jstudy_motion motion) {
  return motion >= JSTUDY_MOTION_LATERAL;
}

// Numbers of the copy: travel of the wheels and of the rack [m], and its rate [m/s]; on a rig also what lifts the wheels at
// their centres [N], and what loads them [N], [N m].
enum {
  JSTUDY_MOVED_LEFT,
  JSTUDY_MOVED_RIGHT,
  JSTUDY_MOVED_RACK,
  JSTUDY_MOVED_RATE,
  JSTUDY_MOVED_LIFT,
  JSTUDY_MOVED_LOAD = JSTUDY_MOVED_LIFT + 2,
  JSTUDY_MOVED_COUNT = JSTUDY_MOVED_LOAD + 2
};

// What a curve is. An output of the copy; on a rig also what follows from how outputs and forces move with travel.
typedef enum jstudy_curve_kind {
  JSTUDY_CURVE_OUTPUT,
  JSTUDY_CURVE_SLOPE,        // of an output over travel
  JSTUDY_CURVE_ROLL_CENTRE,  // of the paths of the contacts
  JSTUDY_CURVE_FORCE,        // that lifts the wheel
  JSTUDY_CURVE_RATE          // its slope over travel
} jstudy_curve_kind;

typedef struct jstudy_axle_curve {
  const char *name, *unit, *description;
  bool is_change;  // against the design position
  bool is_odd;     // what counts of it changes its sign with the rate of travel
  jstudy_curve_kind kind;
  int output;  // of the copy; of slopes: what it is the slope of
} jstudy_axle_curve;

#define JSTUDY_MAX_CURVES 64

typedef struct jstudy_axle_model {
  jo_context* ctx;
  jarena* a;
  const jmodel* m;
  const jmodel_axle* axle;
  jstudy_motion motion;
  int side;     // looked at
  bool on_rig;  // the copy is for static equilibrium, not for assemblies
  jmodel copy;
  bool failed;  // no memory
  jstudy_axle_curve
      curve[JSTUDY_MAX_CURVES];  // but on a rig the first outputs of the copy, in this order
  int ncurve, noutput;
  int height[2], contact[2];      // outputs on a rig: of what vanishes, of the contact (y, then z)
  int force;                      // curve: of the wheel; -1: none
  int moved[JSTUDY_MOVED_COUNT];  // numbers of the copy
} jstudy_axle_model;

// Texts and lists, which are there also after memory has ended: that is remembered.
extern const char* const jstudy_moved_path[JSTUDY_MOVED_COUNT];
extern const char* const jstudy_side_name[2];
const char* jstudy_axle_text(jstudy_axle_model* b, const jmodel_scalar* s);
const char* jstudy_axle_join(jstudy_axle_model* b, const char* format, const char* x,
                             const char* y);
jmodel_scalar jstudy_axle_expression(const jstudy_axle_model* b, const char* text);
// `pp` points to a list of n elements, which becomes a copy with room for more.
bool jstudy_axle_grow(jstudy_axle_model* b, void* pp, int n, int more, size_t size);
// Bodies of any attitude on the ground start as they are drawn.
void jstudy_axle_level(jstudy_axle_model* b);

// Does the joint carry the vehicle, which is to be held? A free one on the ground does, and those that guide all that both
// ends of the axle's springs are on, as they do in a quarter car.
bool jstudy_axle_is_carried(const jstudy_axle_model* b, const jmodel_joint* j);
// Where the k-th coordinate of the joint is at the design position.
const char* jstudy_axle_design(jstudy_axle_model* b, const jmodel_joint* j, int k);

#endif
