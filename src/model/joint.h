// SPDX-License-Identifier: Apache-2.0
// Classes of joints: what a joint has of axes and coordinates, as model/joint.def says.
#ifndef JMODEL_JOINT_H
#define JMODEL_JOINT_H

#include <stdbool.h>

typedef enum jmodel_joint_type {
#define X(id, ...) JMODEL_JOINT_##id,
#include "model/joint.def"
#undef X
  JMODEL_JOINT_COUNT
} jmodel_joint_type;

typedef enum jmodel_joint_motion { JMODEL_SLIDE, JMODEL_TURN } jmodel_joint_motion;

typedef enum jmodel_joint_axis {
  JMODEL_AXIS_NONE,
  JMODEL_AXIS_ARROW,
  JMODEL_AXIS_PIVOT,
  JMODEL_AXIS_PARENT,
  JMODEL_AXIS_CHILD
} jmodel_joint_axis;

enum { JMODEL_JOINT_COORDINATES = 6 };

typedef struct jmodel_joint_coordinate {
  const char* suffix;
  jmodel_joint_motion motion;
  int axis;  // of the joint's frame
} jmodel_joint_coordinate;

typedef struct jmodel_joint_class {
  const char* name;
  jmodel_joint_axis axis, axis2;
  const char* order;
  bool is_place;
  jmodel_joint_coordinate coordinate[JMODEL_JOINT_COORDINATES + 1];  // the last has no suffix
} jmodel_joint_class;

const jmodel_joint_class* jmodel_joint_class_of(jmodel_joint_type type);

int jmodel_joint_freedom(const jmodel_joint_class* c);

// Coordinates that turn.
int jmodel_joint_turns(const jmodel_joint_class* c);

// A turn about one axis and nothing else.
bool jmodel_joint_is_hinge(jmodel_joint_type type);

#endif
