// SPDX-License-Identifier: Apache-2.0
// The texts of an FMU: modelDescription.xml and buildDescription.xml for importers, a page for people.
#ifndef JEXPORT_FMU_DESCRIPTION_H
#define JEXPORT_FMU_DESCRIPTION_H

#include "base/text/text.h"
#include "export/sources.h"
#include "runtime/fmi_layout.h"

// A variable of the description.
typedef struct jexport_fmu_variable {
  const char* name;  // unique
  jfmi_kind kind;
  int i;  // in its kind
  unsigned reference;
  const char* unit;  // "": none
  int derivative;    // of which variable it is the derivative; -1: of none
} jexport_fmu_variable;

typedef struct jexport_fmu_description {
  const jvehicle_model* model;
  int version;             // 3 or 2
  const char* identifier;  // of files and functions
  bool has_derivatives;    // directional ones
  bool is_flat;            // names are as the model's; else structured
  int nvariable;
  const jexport_fmu_variable* variable;
  const int* state;       // variable of each state (nstate)
  const int* derivative;  // variable that is the derivative of each state (nstate)
  int nsource;            // of the sources, sorted, what is to be compiled
  const char* const* source;
} jexport_fmu_description;

// Name and number everything in the arena.
jo_status jexport_fmu_describe(jo_context* ctx, jarena* a, const jvehicle_model* m, int version,
                               jexport_fmu_description* out);

void jexport_fmu_write_model(const jexport_fmu_description* d, jtext* t);
void jexport_fmu_write_build(const jexport_fmu_description* d, jtext* t);
void jexport_fmu_write_page(const jexport_fmu_description* d, jtext* t);

#endif
