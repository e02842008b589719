// SPDX-License-Identifier: Apache-2.0
#include "model/objective.h"

#include "base/assert.h"

#define KEY 0.0

static const jmodel_objective_class classes[JMODEL_OBJECTIVE_COUNT] = {
    {"", 1.0, false},
#define X(id, name, power, is_mean) {name, power, is_mean},
#include "model/objective.def"
#undef X
};

const jmodel_objective_class* jmodel_objective_class_of(jmodel_objective_kind kind) {
  JASSERT((int)kind >= 0 && kind < JMODEL_OBJECTIVE_COUNT);
  return &classes[kind];
}
