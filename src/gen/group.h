// SPDX-License-Identifier: Apache-2.0
// Groups of inputs of generated functions. No includes: they are part of code for other machines, too.
#ifndef JGEN_GROUP_H
#define JGEN_GROUP_H

// Groups of inputs of the dynamics, in the order kernels get them.
typedef enum jgen_group {
  JGEN_P,         // live numbers (np)
  JGEN_T,         // time (1)
  JGEN_Y,         // state (ny)
  JGEN_MODE,      // switches (nswitch)
  JGEN_MOMENTUM,  // to be restored by an impulse (nu)
  JGEN_ROAD,      // placeholders while the equations are written; for kernels the data of the road
  JGEN_DY,        // directions of state, time, numbers and momentum: one per lane
  JGEN_DT,
  JGEN_DP,
  JGEN_DMOMENTUM,
  JGEN_LAMBDA,  // weights of outputs, for adjoints
  JGEN_B,       // placeholders of right-hand sides
  JGEN_C,
  JGEN_ELEMENT,  // placeholders of element forces
  JGEN_X,        // unknown accelerations (nu); behind them other stand-ins (gen/derive/implied.h)
  JGEN_FEED,     // placeholders of what rates of local states have of everything else
  JGEN_FIRED,    // 1 for the event that happens (nevent)
  JGEN_HOLD,     // placeholders of forces of friction
  JGEN_COMMON,   // what all directions of a tangent have in common: for batches alone
  JGEN_GROUP_COUNT
} jgen_group;

#endif
