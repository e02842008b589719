// SPDX-License-Identifier: Apache-2.0
// The road under a wheel.
#ifndef JGEN_ROAD_H
#define JGEN_ROAD_H

#include "gen/build.h"
#include "gen/force/road_shape.h"

typedef struct jgen_road {
  jexpr_ref z;  // height [m]
  jexpr_v3 n;   // upward unit normal
} jgen_road;

// Height and normal at the place (x, y); flat at zero when the model has no road.
jgen_road jgen_road_under(jgen* s, jexpr_ref x, jexpr_ref y);

// Height at (x, y) without obstacles that have sharp edges, and its slope by y.
jexpr_ref jgen_road_smooth(jgen* s, jexpr_ref x, jexpr_ref y, jexpr_ref* slope_y);
// How far those obstacles lift, or let down, a cam whose lowest point would be over (x, y) of a level road.
jexpr_ref jgen_road_edges(jgen* s, const jgen_road_cam* cam, jexpr_ref x, jexpr_ref y);

#endif
