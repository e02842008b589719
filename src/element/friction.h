// SPDX-License-Identifier: Apache-2.0
// What friction on a coordinate and along a line have in common.
#ifndef JELEMENT_FRICTION_H
#define JELEMENT_FRICTION_H

#include "gen/force/element.h"
#include "model/read/reader.h"

typedef struct jelement_friction {
  bool has_force, has_static, has_static_coefficient;
  jmodel_scalar force, coefficient,
      normal;  // limit while it slips, or coefficient times what presses
  jmodel_scalar most, static_coefficient;  // the same while it sticks
} jelement_friction;

enum {
  JELEMENT_FRICTION_FORCE,
  JELEMENT_FRICTION_SPEED,
  JELEMENT_FRICTION_STICKING,
  JELEMENT_FRICTION_POWER
};
extern const char* const jelement_friction_signals[];
extern const char* const jelement_friction_component[];

bool jelement_friction_read(const jmodel_at* at, const jmodel_node* map, jmodel_element* e,
                            jelement_friction* f);
// The force along `speed`; its signals but for the force.
jexpr_ref jelement_friction_write(jgen* s, const jmodel_element* m, const jelement_friction* f,
                                  jexpr_ref speed, jgen_element* e);

#define JELEMENT_FRICTION_KEYS                                                                     \
  {JMODEL_KEY_NUMBER("force")}, {JMODEL_KEY_NUMBER("coefficient")}, {JMODEL_KEY_NUMBER("normal")}, \
      {JMODEL_KEY_NUMBER("static")}, {JMODEL_KEY_NUMBER("static_coefficient")},                    \
      {JMODEL_KEY_DESCRIPTION}, {                                                                  \
    0                                                                                              \
  }

#define JELEMENT_FRICTION_FIELDS(type)                                                           \
  JMODEL_GIVEN(type, "force", friction.force, JMODEL_NOT_NEGATIVE, friction.has_force),          \
      JMODEL_GIVEN(type, "static", friction.most, JMODEL_NOT_NEGATIVE, friction.has_static),     \
      JMODEL_GIVEN(type, "static_coefficient", friction.static_coefficient, JMODEL_NOT_NEGATIVE, \
                   friction.has_static_coefficient)

#endif
