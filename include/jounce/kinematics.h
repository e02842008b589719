// SPDX-License-Identifier: Apache-2.0
// Suspension kinematics and compliance of an axle: toe, camber, track, ratios and the rest over bump, roll and steering,
// and over forces and torques at the wheels, each curve with its exact derivatives with respect to any parameter.
#ifndef JOUNCE_KINEMATICS_H
#define JOUNCE_KINEMATICS_H

#include <stdbool.h>

#include "jounce/model.h"
#include "jounce/table.h"

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

/// Returns the tables of an axle, owned by the object. Of positions that were assembled: travel [m]; of loads: load [N], [N m].
///   kinematics      axle, motion, side; of loads also opposed, height ("free", "held") and elastic: whether more gives way than
///                   the springs: bushes. Without, compliances are those of the springs alone, and zero where none gives way
///   units           of the curves: curve, unit, description
///   travel or load  the positions
///   curves          a row per position: travel or load, and each curve; changes are against the design position
///   parameters      what was differentiated with respect to: parameter, value, unit, description
///   derivatives     a row per position: "d CURVE / d NAME" for each curve and parameter, curve by curve
///   positions       curves, each with its derivatives behind: what files hold
///   middle          derivatives at the position in the middle: curve, parameter, value, unit
///   compliances     of loads, without load: curve, value [unit/N, unit/(N m)], shown, unit (of what is shown)
///   compliance_derivatives   of these: curve, parameter, value, shown, unit
JO_API const jo_tables* jo_kinematics_tables(const jo_kinematics* k);

/// Write the sheet of an axle, HTML: bump, roll, steering where there is a rack, and loads where there are springs or
/// bushes. Of the options axle, side, n and hold_height count, and the range where the motion is one of travel; NULL:
/// defaults. The file appears whole or not at all.
JO_API jo_status jo_kinematics_sheet(jo_context* ctx, const jo_model* model,
                                     const jo_kinematics_options* opt, const char* path);

#ifdef __cplusplus
}
#endif
#endif
