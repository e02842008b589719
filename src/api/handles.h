// SPDX-License-Identifier: Apache-2.0
// What is behind the public handles.
#ifndef JAPI_HANDLES_H
#define JAPI_HANDLES_H

#include "batch/batch.h"
#include "jounce/jounce.h"
#include "loads/loads.h"
#include "plant/plant.h"
#include "plant/simulate.h"
#include "plant/values.h"
#include "sens/sens.h"

struct jo_model {
  jo_context* ctx;
  jarena arena;
  jmodel* model;
  jmodel_setting* set;  // what it was loaded with (nset)
  int nset;
  const char* settings;  // the same, "name=value, name=value", to be shown
  const char* place;     // absolute path of its file, wherever the process goes from here
  const char* text;      // what it was parsed from (length); NULL: its file
  size_t length;
  jplant_values values;
};

struct jo_system {
  jo_context* ctx;
  jarena arena;
  const jo_model* model;
  const jmodel* variable;  // the model, with numbers that are to stay variable as parameters
  unsigned use;
  jsens* motion;  // runs, and their derivatives; NULL: not prepared
  jsens*
      perturbed;  // values only, in code that can run at other values of all numbers; NULL: no checks
  jloads* loads;        // NULL: not prepared
  const jplant* plant;  // of the motion, or of the loads
  jo_sens_parameter*
      parameter;  // numbers differentiated for, as the file has them (nw of the motion)
  double* value;  // of all numbers of the model, where they were set; NULL: nothing was
  double *p, *p_perturbed, *p_loads;  // the same as live numbers of the plants
};

// The model read once more, with other settings. Ownership: caller, release with jmodel_destroy().
jo_status japi_model_again(jo_context* ctx, const jo_model* m, const jmodel_setting* set, int nset,
                           jmodel** out);

// Report that a system does not answer such questions.
jo_status japi_system_fail(jo_context* ctx, const jo_system* s, jo_use use);

// batch.c
jo_status japi_check_device(jo_context* ctx, jo_batch_device device);
jbatch_device japi_device(jo_batch_device device);  // one that is

jplant_simulate_options japi_simulate_options(const jo_simulate_options* opt);

// What the model was loaded with and the system was set to, "name=value, name=value"; NULL: no memory.
const char* japi_system_settings(jarena* a, const jo_system* s);

// Values of a system as a run finds them: what was computed keeps them, whatever is set later.
typedef struct japi_values {
  double *p, *p_perturbed, *p_loads;  // as in the system
  double* value;                      // of all numbers
  jmodel_setting* set;                // of the model, then what was set (nset)
  int nset;
  const char* settings;  // the same as text
} japi_values;

jo_status japi_system_keep(jo_context* ctx, jarena* a, const jo_system* s, japi_values* out);

struct jo_result {
  jplant_result* result;
  const jo_tables* tables;
};

#endif
