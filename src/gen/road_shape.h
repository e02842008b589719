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

// Sum of all parts at (x, y); zero where there are none.
jexpr_ref jgen_road_parts(const jgen_road_reading* r, const jmodel* m, jexpr_ref x, jexpr_ref y);

#endif
