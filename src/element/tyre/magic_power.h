// SPDX-License-Identifier: Apache-2.0
// Forces of a Magic Formula tyre judged by their power: friction takes energy from what slides, at any slip.
// docs/theory/magic_formula.md eq. (M51)
#ifndef JELEMENT_MAGIC_POWER_H
#define JELEMENT_MAGIC_POWER_H

#include "base/mem.h"
#include "model/tyre/tir.h"

typedef struct jelement_magic_values {
  jmodel_tir_version version;
  bool ellipse;
  const double* c;  // coefficients, SI (JTIR_COUNT)
  double friction;  // scale of both friction coefficients
  double p;         // pressure [Pa]; not used by MF 5.2
} jelement_magic_values;

// Whether the force points along the sliding velocity anywhere: *text says where, by how much and why, *blamed is the
// coefficient that is most likely at fault. NULL: nowhere, or it cannot be told because a value is not known. Loads at which a stiffness or
// friction has the wrong sign are left out: model/tyre/tir_signs.h judges those.
jo_status jelement_magic_judge(jo_context* ctx, jarena* a, const jelement_magic_values* v,
                               const char** text, int* blamed);

#endif
