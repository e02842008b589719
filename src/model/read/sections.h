// SPDX-License-Identifier: Apache-2.0
// The only list of the sections of a model file, but those of elements, which their classes tell.
//
//   X(name, in_template, is_reserved)   jmodel_section_<name> says what it is; reserved: `hardpoints.P1.x` names a number, so nothing else has that name
#ifndef JMODEL_SECTIONS_H
#define JMODEL_SECTIONS_H

#include "model/read/keys.h"

// clang-format off
#define JMODEL_SECTION_LIST(X)   \
  X(gravity,    false, true)   \
  X(parameters, true,  true)   \
  X(inputs,     true,  true)   \
  X(hardpoints, true,  true)   \
  X(bodies,     true,  true)   \
  X(joints,     true,  true)   \
  X(closures,   true,  true)   \
  X(couplings,  true,  true)   \
  X(tables,     true,  true)   \
  X(functions,  true,  true)   \
  X(road,       false, false)  \
  X(states,     true,  true)   \
  X(events,     true,  true)   \
  X(samplers,   true,  true)   \
  X(delays,     true,  true)   \
  X(signals,    true,  true)   \
  X(sensors,    true,  true)   \
  X(objectives, true,  true)   \
  X(initial,    true,  true)   \
  X(axles,      false, true)   \
  X(simulation, false, true)   \
  X(templates,  false, true)   \
  X(instances,  true,  true)
// clang-format on

#define X(name, in_template, is_reserved) extern const jmodel_key jmodel_section_##name;
JMODEL_SECTION_LIST(X)
#undef X

typedef struct jmodel_section_about {
  const jmodel_key* key;  // its name, and what it is
  bool in_template, is_reserved;
} jmodel_section_about;

#endif
