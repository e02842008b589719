// SPDX-License-Identifier: Apache-2.0
// What is behind the public handles.
#ifndef JAPI_HANDLES_H
#define JAPI_HANDLES_H

#include "jounce/jounce.h"
#include "study/plant.h"
#include "study/simulate.h"
#include "study/values.h"

struct jo_model {
  jo_context* ctx;
  jarena arena;
  jmodel* model;
  const char* settings;  // "name=value, name=value"
  const char* place;     // absolute path of its file, wherever the process goes from here
  jstudy_values values;
};

struct jo_system {
  jo_context* ctx;
  const jo_model* model;
  jstudy_plant* plant;
};

struct jo_result {
  jstudy_result* result;
};

#endif
