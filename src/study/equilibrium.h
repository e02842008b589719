// SPDX-License-Identifier: Apache-2.0
// Static equilibrium: the position with zero velocities where nothing accelerates.
#ifndef JSTUDY_EQUILIBRIUM_H
#define JSTUDY_EQUILIBRIUM_H

#include "gen/gen.h"
#include "solve/ode.h"

typedef struct jstudy_equilibrium {
  int iterations;
  double residual;  // largest acceleration left [m/s^2, rad/s^2], or rate of an additional state
  int worst;        // where: in q_u, then in z
  int determined;   // directions that forces hold; the others stay as they were
} jstudy_equilibrium;

// Unknowns are q_u and the model's own states; loops stay closed, and every condition (contact, stops) is the one that holds
// at the position itself. Coordinates without stiffness, as x, y, yaw and wheel angles of a vehicle,
// stay unless something pushes them. Driven coordinates move as their
// drives say at time t.
// y: in, a state to begin with; out, the equilibrium, velocities zero. Modes are set for it.
// JO_ERR_CONVERGENCE: none found, y is the best; reports nothing.
jo_status jstudy_equilibrium_find(jo_context* ctx, const jgen_dynamics* d, const jsolve_system* s,
                                  double t, double* y, jstudy_equilibrium* out);

#endif
