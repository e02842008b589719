// SPDX-License-Identifier: Apache-2.0
// Names of the variables of an FMU, made of names of a model, each given once.
#ifndef JEXPORT_FMU_NAMES_H
#define JEXPORT_FMU_NAMES_H

#include "base/mem.h"

typedef struct jexport_fmu_names {
  jarena* a;
  bool is_flat;  // some name cannot be written in the structured convention: all are as they are
  int n, cap;
  const char** name;  // given so far
} jexport_fmu_names;

// Whether a name can be structured: plain characters, see jexport_fmu_name().
bool jexport_fmu_can_structure(const char* name);

// A name that was not given yet: `prefix` (may be NULL) and a dot in front; what is no identifier or index between
// dots stands in apostrophes, as the standard writes it; where it was given already, a number follows. With
// `derivative` der(...) is around it. NULL: no memory.
const char* jexport_fmu_name(jexport_fmu_names* names, const char* prefix, const char* name,
                             bool derivative);

// A name for functions and files, made of any text: letters, digits and _, at most 60. NULL: no memory.
const char* jexport_fmu_identifier(jarena* a, const char* text);

#endif
