// SPDX-License-Identifier: Apache-2.0
// The height of a road as an expression of places: what the model adds to its own expression.
#ifndef JGEN_ROAD_SHAPE_H
#define JGEN_ROAD_SHAPE_H

#include "expr/graph.h"
#include "model/model.h"

// How scalars of the model become nodes, and which group of inputs the tables of the road are.
typedef struct jgen_road_reading {
  jexpr_graph* g;
  int group;
  jexpr_ref (*scalar)(void* user, const jmodel_scalar* s, const char* name);
  void* user;
} jgen_road_reading;

// Sum of parts at (x, y); zero where there are none. Sharp ones are kerbs, planks and potholes without an edge.
typedef enum jgen_road_which { JGEN_ROAD_ALL, JGEN_ROAD_SMOOTH } jgen_road_which;
jexpr_ref jgen_road_parts(const jgen_road_reading* r, const jmodel* m, jgen_road_which which,
                          jexpr_ref x, jexpr_ref y);

// A cam that rolls over the road: |x/a|^c + |z/b|^c = 1, with its shape as height over its lowest point.
typedef struct jgen_road_cam {
  jexpr_ref a, b, c;  // [m] [m] [-]
} jgen_road_cam;
// About b (1 - (1 - r^c)^(1/c)) at r = d/a, for r below 1: (R19)
jexpr_ref jgen_road_cam_height(jexpr_graph* g, const jgen_road_cam* cam, jexpr_ref r);

// Sum of what sharp ones do to a cam over (x, y), docs/theory/road.md (R20).
jexpr_ref jgen_road_cam_over(const jgen_road_reading* r, const jmodel* m, const jgen_road_cam* cam,
                             jexpr_ref x, jexpr_ref y);

#endif
