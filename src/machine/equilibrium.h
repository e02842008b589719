// SPDX-License-Identifier: Apache-2.0
// Static equilibrium: the position with zero velocities where nothing accelerates.
#ifndef JMACHINE_EQUILIBRIUM_H
#define JMACHINE_EQUILIBRIUM_H

#include "machine/machine.h"

typedef struct jmachine_equilibrium {
  int iterations;
  double residual;  // worst acceleration left [m/s^2, rad/s^2], or rate of an additional state by
                    // its nominal size [1/s]
  int worst;        // the state it belongs to, -1: there is nothing to find
  int determined;   // coordinates that forces hold, of q_u; the others stay as begun
  double
      released;  // part of the load of the start that continuation could take away, where that was tried
  int beside;  // other starts that were tried
  // how fast a small push grows [1/s], 0: it does not; how it turns meanwhile [rad/s], and the state that it moves most.
  // The search knows of forces that depend on positions and no others; plant/static/stability.c knows them all.
  double growth, turning;
  int growing;
  // the same of what grows too slowly to matter to runs: beyond its error, but not counted in `growth`; infinite: to no first order
  double creep;
  int creeping;
  int undecided;  // one plus the state that forces neither hold nor drive to first order, beside free motions; 0: none
  bool is_edge;   // the descent ended where loops cannot be closed any more
  bool is_loose;  // nothing can hold what is left
  bool is_moved;  // with them where they began there is no rest: they are where the search came to
} jmachine_equilibrium;

// Unknowns are q_u and the model's own states but held ones; loops stay closed, and every condition
// (contact, stops) is the one that holds at the position itself. Where forces leave directions free, as
// x, y, yaw and wheel angles of a vehicle, as many coordinates stay where they began: the least stiff;
// they may be pushed by up to JMACHINE_PUSH (descent.h).
// Driven coordinates move as their drives say at time t.
// y: in, a state to begin with; out, the equilibrium, velocities zero. Modes are set for it.
// stays: by state, those that stay (ny); may be NULL.
// JO_ERR_CONVERGENCE, JO_ERR_NUMERIC: none found, y is the best; JO_ERR_MEMORY. Reports nothing.
jo_status jmachine_equilibrium_find(jo_context* ctx, const jmachine_about* m,
                                    const jsolve_system* s, double t, double* y, bool* stays,
                                    jmachine_equilibrium* out);

#endif
