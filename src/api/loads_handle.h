// SPDX-License-Identifier: Apache-2.0
// What is behind the public handles of load prediction.
#ifndef JAPI_LOADS_HANDLE_H
#define JAPI_LOADS_HANDLE_H

#include "api/handles.h"
#include "jounce/loads.h"
#include "loads/doubt.h"
#include "loads/rainflow.h"

struct jo_loads {
  jo_context* ctx;
  jarena arena;
  const jo_model* model;
  jloads* loads;
  const char** unit;  // of the elements
  int* coordinate;    // independent coordinate an element acts on, -1: none
};

struct jo_loads_result {
  jo_context* ctx;
  jarena arena;
  const jo_loads* loads;
  jo_loads_options opt;  // as used
  jloads_options used;
  jloads_result* result;
  int nmeaningful;  // samples: all of a run that did not break down
  jo_loads_element* element;
  unsigned* doubt;  // (nevent)
};

// Name of an independent coordinate.
const char* japi_loads_coordinate(const jo_loads* l, int i);

#endif
