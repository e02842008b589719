// SPDX-License-Identifier: Apache-2.0
// What is behind the public handles.
#ifndef JAPI_HANDLES_H
#define JAPI_HANDLES_H

#include "jounce/jounce.h"
#include "plant/plant.h"
#include "plant/simulate.h"
#include "plant/values.h"

struct jo_model {
  jo_context* ctx;
  jarena arena;
  jmodel* model;
  jmodel_setting* set;  // what it was loaded with (nset)
  int nset;
  const char* settings;  // the same, "name=value, name=value", to be shown
  const char* place;     // absolute path of its file, wherever the process goes from here
  jplant_values values;
};

struct jo_system {
  jo_context* ctx;
  jarena arena;
  const jo_model* model;
  jplant* plant;
  double* p;  // values of the live numbers that were set; NULL: those of the model (np)
};

jplant_simulate_options japi_simulate_options(const jo_simulate_options* opt);

// What the model was loaded with and the system was set to, "name=value, name=value"; NULL: no memory.
const char* japi_system_settings(jarena* a, const jo_system* s);

struct jo_result {
  jplant_result* result;
};

#endif
