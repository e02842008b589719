// SPDX-License-Identifier: Apache-2.0
#include "model/joint.h"

#include <stddef.h>

#include "base/assert.h"

// words of model/joint.def
#define NONE   JMODEL_AXIS_NONE
#define ARROW  JMODEL_AXIS_ARROW
#define PIVOT  JMODEL_AXIS_PIVOT
#define PARENT JMODEL_AXIS_PARENT
#define CHILD  JMODEL_AXIS_CHILD
#define SLIDE  JMODEL_SLIDE
#define TURN   JMODEL_TURN

static const jmodel_joint_class classes[JMODEL_JOINT_COUNT] = {
#define X(id, name, axis, axis2, order, is_place, ...) \
  [JMODEL_JOINT_##id] = {name, axis, axis2, order, is_place, {__VA_ARGS__}},
#include "model/joint.def"
#undef X
};

const jmodel_joint_class* jmodel_joint_class_of(jmodel_joint_type type) {
  JASSERT((int)type >= 0 && type < JMODEL_JOINT_COUNT);
  return &classes[type];
}

int jmodel_joint_freedom(const jmodel_joint_class* c) {
  int n = 0;
  while (c->coordinate[n].suffix) {
    n++;
  }
  return n;
}

int jmodel_joint_turns(const jmodel_joint_class* c) {
  int n = 0;
  for (int i = 0; c->coordinate[i].suffix; i++) {
    n += c->coordinate[i].motion == JMODEL_TURN;
  }
  return n;
}

bool jmodel_joint_is_hinge(jmodel_joint_type type) {
  const jmodel_joint_class* c = jmodel_joint_class_of(type);
  return jmodel_joint_freedom(c) == 1 && jmodel_joint_turns(c) == 1;
}
