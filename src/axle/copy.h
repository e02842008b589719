// SPDX-License-Identifier: Apache-2.0
// A copy of a model for looking at an axle, while it is made: what of it is known, and texts and lists for its parts.
#ifndef JAXLE_AXLE_COPY_H
#define JAXLE_AXLE_COPY_H

#include "plant/plant.h"

// Those that move wheels, then those that load them.
#define JAXLE_MOTION_LIST(X)                                              \
  X(BUMP, "bump", "both wheels up and down")                              \
  X(ROLL, "roll", "the left wheel up, the right down")                    \
  X(STEER, "steer", "the rack moved, wheels at design height")            \
  X(LATERAL, "lateral", "a force to the left at the contacts")            \
  X(BRAKING, "braking", "a force forward at the contacts, wheels locked") \
  X(TRACTION, "traction", "a force forward at the wheel centres")         \
  X(ALIGNING, "aligning", "a torque about the vertical at the wheels")

typedef enum jaxle_motion {
#define X(id, name, text) JAXLE_MOTION_##id,
  JAXLE_MOTION_LIST(X)
#undef X
      JAXLE_MOTION_COUNT
} jaxle_motion;

enum { JAXLE_LEFT, JAXLE_RIGHT };

static inline bool jaxle_is_load(jaxle_motion motion) {
  return motion >= JAXLE_MOTION_LATERAL;
}

// Numbers of the copy: travel of the wheels and of the rack [m], and its rate [m/s]; on a rig also what lifts the wheels at
// their centres [N], and what loads them [N], [N m].
enum {
  JAXLE_MOVED_LEFT,
  JAXLE_MOVED_RIGHT,
  JAXLE_MOVED_RACK,
  JAXLE_MOVED_RATE,
  JAXLE_MOVED_LIFT,
  JAXLE_MOVED_LOAD = JAXLE_MOVED_LIFT + 2,
  JAXLE_MOVED_COUNT = JAXLE_MOVED_LOAD + 2
};

// What a curve is. An output of the copy; on a rig also what follows from how outputs and forces move with travel.
typedef enum jaxle_curve_kind {
  JAXLE_CURVE_OUTPUT,
  JAXLE_CURVE_SLOPE,        // of an output over travel
  JAXLE_CURVE_ROLL_CENTRE,  // of the paths of the contacts
  JAXLE_CURVE_FORCE,        // that lifts the wheel
  JAXLE_CURVE_RATE          // its slope over travel
} jaxle_curve_kind;

typedef struct jaxle_curve_plan {
  const char *name, *unit, *description;
  bool is_change;  // against the design position
  bool is_odd;     // what counts of it changes its sign with the rate of travel
  jaxle_curve_kind kind;
  int output;  // of the copy; of slopes: what it is the slope of
} jaxle_curve_plan;

#define JAXLE_MAX_CURVES 64

typedef struct jaxle_model {
  jo_context* ctx;
  jarena* a;
  const jmodel* m;
  const jmodel_axle* axle;
  jaxle_motion motion;
  int side;     // looked at
  bool on_rig;  // the copy is for static equilibrium, not for assemblies
  jmodel copy;
  bool failed;  // no memory
  jaxle_curve_plan
      curve[JAXLE_MAX_CURVES];  // but on a rig the first outputs of the copy, in this order
  int ncurve, noutput;
  int height[2], contact[2];     // outputs on a rig: of what vanishes, of the contact (y, then z)
  int force;                     // curve: of the wheel; -1: none
  int moved[JAXLE_MOVED_COUNT];  // numbers of the copy
} jaxle_model;

// Texts and lists, which are there also after memory has ended: that is remembered.
extern const char* const jaxle_moved_path[JAXLE_MOVED_COUNT];
extern const char* const jaxle_side_name[2];
const char* jaxle_text(jaxle_model* b, const jmodel_scalar* s);
const char* jaxle_join(jaxle_model* b, const char* format, const char* x, const char* y);
jmodel_scalar jaxle_expression(const jaxle_model* b, const char* text);
// `pp` points to a list of n elements, which becomes a copy with room for more.
bool jaxle_grow(jaxle_model* b, void* pp, int n, int more, size_t size);
// Bodies of any attitude on the ground start as they are drawn.
void jaxle_level(jaxle_model* b);

// Does the joint carry the vehicle, which is to be held? A free one on the ground does, and those that guide all that both
// ends of the axle's springs are on, as they do in a quarter car.
bool jaxle_is_carried(const jaxle_model* b, const jmodel_joint* j);
// Where the k-th coordinate of the joint is at the design position.
const char* jaxle_design(jaxle_model* b, const jmodel_joint* j, int k);

#endif
