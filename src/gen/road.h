// SPDX-License-Identifier: Apache-2.0
// The road under a wheel.
#ifndef JGEN_ROAD_H
#define JGEN_ROAD_H

#include "gen/build.h"

typedef struct jgen_road {
  jexpr_ref z;  // height [m]
  jexpr_v3 n;   // upward unit normal
} jgen_road;

// Height and normal at the place (x, y); flat at zero when the model has no road.
jgen_road jgen_road_under(jgen* s, jexpr_ref x, jexpr_ref y);

#endif
