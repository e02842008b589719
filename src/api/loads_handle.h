// SPDX-License-Identifier: Apache-2.0
// What is behind the public handles of load prediction.
#ifndef JAPI_LOADS_HANDLE_H
#define JAPI_LOADS_HANDLE_H

#include "api/handles.h"
#include "jounce/loads.h"
#include "loads/evaluate.h"
#include "loads/options.h"

struct jo_loads_result {
  jo_context* ctx;
  jarena arena;
  const jo_system* system;
  japi_values kept;
  jloads_choice choice;  // as used
  jloads_options opt;
  jloads_result* result;
  jloads_evaluation evaluation;
  unsigned* doubt;  // (nevent)
  const jo_tables* tables;
};

jo_loads_event japi_loads_event(const jo_loads_result* result, int i);
const jo_tables* japi_loads_tables(jo_loads_result* r);  // NULL: no memory

#endif
