// SPDX-License-Identifier: Apache-2.0
// Classes of loop closures: what they join and which equations they are made of, as model/closure.def says.
#ifndef JMODEL_CLOSURE_H
#define JMODEL_CLOSURE_H

#include <stdbool.h>

typedef enum jmodel_closure_type {
#define X(id, ...) JMODEL_CLOSURE_##id,
#include "model/closure.def"
#undef X
  JMODEL_CLOSURE_COUNT
} jmodel_closure_type;

typedef enum jmodel_closure_ends {
  JMODEL_ENDS_POINTS,
  JMODEL_ENDS_LINE,
  JMODEL_ENDS_PLANE,
  JMODEL_ENDS_VECTORS
} jmodel_closure_ends;

typedef enum jmodel_closure_axes { JMODEL_NO_AXES, JMODEL_AXIS_A, JMODEL_AXES } jmodel_closure_axes;

typedef enum jmodel_condition {
  JMODEL_MEET = 1,
  JMODEL_ON_LINE = 2,
  JMODEL_IN_PLANE = 4,
  JMODEL_APART = 8,
  JMODEL_ALONG = 16,
  JMODEL_ACROSS = 32,
  JMODEL_LOCKED = 64
} jmodel_condition;

typedef struct jmodel_closure_class {
  const char* name;
  jmodel_closure_ends ends;
  jmodel_closure_axes axes;
  unsigned conditions;  // jmodel_condition, added up
} jmodel_closure_class;

const jmodel_closure_class* jmodel_closure_class_of(jmodel_closure_type type);

int jmodel_closure_equations(const jmodel_closure_class* c);

// Which of the directions u and v it has.
bool jmodel_closure_has_u(const jmodel_closure_class* c);
bool jmodel_closure_has_v(const jmodel_closure_class* c);

#endif
