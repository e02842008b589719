// SPDX-License-Identifier: Apache-2.0
// Kinds of objectives: what is integrated along a run, and what is made of it. docs/theory/sensitivity.md eqs. (O1), (O2)
#ifndef JMODEL_OBJECTIVE_H
#define JMODEL_OBJECTIVE_H

#include <stdbool.h>

typedef enum jmodel_objective_kind {
  JMODEL_OBJECTIVE_FINAL,  // nothing but `final`
#define X(id, ...) JMODEL_OBJECTIVE_##id,
#include "model/objective.def"
#undef X
  JMODEL_OBJECTIVE_COUNT
} jmodel_objective_kind;

typedef struct jmodel_objective_class {
  const char* name;  // of its key; FINAL: ""
  double power;      // 0: what the key `power` says
  bool is_mean;
} jmodel_objective_class;

const jmodel_objective_class* jmodel_objective_class_of(jmodel_objective_kind kind);

#endif
