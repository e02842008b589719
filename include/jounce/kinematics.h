// SPDX-License-Identifier: Apache-2.0
// Suspension kinematics and compliance of an axle: toe, camber, track, ratios and the rest over bump, roll and steering,
// and over forces and torques at the wheels, each curve with its exact derivatives with respect to any parameter.
#ifndef JOUNCE_KINEMATICS_H
#define JOUNCE_KINEMATICS_H

#include <stdbool.h>

#include "jounce/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_kinematics jo_kinematics;

/// Bump: both wheels up and down. Roll: the left one up, the right one down. Steer: the rack moved, the wheels at
/// their design height. The others load the wheels of a vehicle that is held: a force to the left at the contacts, a force
/// forward at the contacts with the wheels locked, a force forward at the wheel centres, a torque about the vertical.
typedef enum jo_kinematics_motion {
  JO_BUMP,
  JO_ROLL,
  JO_STEER,
  JO_LATERAL,
  JO_BRAKING,
  JO_TRACTION,
  JO_ALIGNING
} jo_kinematics_motion;
typedef enum jo_side { JO_LEFT, JO_RIGHT } jo_side;

typedef struct jo_kinematics_options {
  const char* axle;  // one of the file's; NULL: the only one
  jo_kinematics_motion motion;
  jo_side side;  // the wheel looked at
  double from_m,
      to_m;  // of the wheel centre, or of the rack [m]; loads of the left wheel [N], [N m]
  int n;     // positions, evenly from one to the other
  /// Numbers to differentiate for, named as in jo_system_options; none: no derivatives.
  const char* const* wrt;
  int nwrt;
  bool opposed;  // loads: the right wheel is loaded the other way
  bool
      hold_height;  // loads: wheel centres stay at their height; else they are free, under the force that holds them there
} jo_kinematics_options;

/// Bump of the left wheel by 80 mm up and down, in 17 positions.
JO_API jo_kinematics_options jo_kinematics_options_default(void);

/// Move or load the wheels of an axle, the vehicle held at its design position, and look. Where bushes give way, and
/// under loads, positions are static equilibria. Equations are interpreted.
/// `opt` NULL: defaults. On failure `*out` is NULL and the context says why: there is no such axle, loops that
/// cannot be closed at a position, no equilibrium there, more than simulation.max_memory.
/// Ownership: caller, release with jo_kinematics_destroy() before the model. Threads: any, one context per thread.
JO_API jo_status jo_kinematics_create(jo_context* ctx, const jo_model* model,
                                      const jo_kinematics_options* opt, jo_kinematics** out);
/// NULL is fine.
JO_API void jo_kinematics_destroy(jo_kinematics* k);

JO_API const char* jo_kinematics_axle(const jo_kinematics* k);

/// Whether more gives way than the springs: bushes. Without, compliances are those of the springs alone, and zero where
/// none gives way. Of positions that were assembled: no.
JO_API bool jo_kinematics_is_elastic(const jo_kinematics* k);

/// Positions [m], or loads [N], [N m]: as many as jo_kinematics_position_count(), owned by the object.
JO_API int jo_kinematics_position_count(const jo_kinematics* k);
JO_API const double* jo_kinematics_travel(const jo_kinematics* k);

/// A curve over the positions. Changes are against the design position.
typedef struct jo_kinematics_curve {
  const char *name, *unit, *description;
  const double* value;       // by position
  const double* derivative;  // positions x numbers, position by position; NULL: none asked for
  double compliance;         // slope over the load where there is none; NaN: over travel
  const double* compliance_derivative;  // by number; NULL: none
} jo_kinematics_curve;

JO_API int jo_kinematics_curve_count(const jo_kinematics* k);
JO_API jo_status jo_kinematics_curve_at(const jo_kinematics* k, int i, jo_kinematics_curve* out);

/// Numbers differentiated for.
JO_API int jo_kinematics_parameter_count(const jo_kinematics* k);
JO_API const char* jo_kinematics_parameter_name(const jo_kinematics* k, int i);

/// Write a table with a row per position, CSV; the file appears whole or not at all.
JO_API jo_status jo_kinematics_save(jo_context* ctx, const jo_kinematics* k, const char* path);

/// Write the sheet of an axle, HTML: bump, roll, steering where there is a rack, and loads where there are springs or
/// bushes. Of the options axle, side, n and hold_height count, and the range where the motion is one of travel; NULL:
/// defaults. The file appears whole or not at all.
JO_API jo_status jo_kinematics_sheet(jo_context* ctx, const jo_model* model,
                                     const jo_kinematics_options* opt, const char* path);

#ifdef __cplusplus
}
#endif
#endif
