// SPDX-License-Identifier: Apache-2.0
// Value references of the variables of an FMU: blocks one behind the other, in this order, so that the runtime and
// who writes modelDescription.xml agree without a table.
#ifndef JRUNTIME_FMI_LAYOUT_H
#define JRUNTIME_FMI_LAYOUT_H

#include "runtime/model.h"

typedef enum jfmi_kind {
  JFMI_TIME,
  JFMI_NUMBER,     // parameters and inputs
  JFMI_STATE,      // continuous states
  JFMI_RATE,       // their derivatives
  JFMI_INDICATOR,  // event indicators
  JFMI_OUTPUT,     // sensors, then what else the model can tell
  JFMI_OBJECTIVE,  // as if the run ended now
  JFMI_SETTING,    // how co-simulation integrates
  JFMI_NONE
} jfmi_kind;

// Settings, of which the last is an integer. Zero: as the model says.
typedef enum jfmi_setting {
  JFMI_TOLERANCE,  // [-]
  JFMI_STEP,       // [s]
  JFMI_METHOD,     // the number of a jo_method and one more
  JFMI_SETTINGS
} jfmi_setting;

// Typical size of a state.
static inline double jfmi_nominal(const jvehicle_model* m, int i) {
  return m->state_nominal ? m->state_nominal[i] : 1.0;
}

static inline int jfmi_count(const jvehicle_model* m, jfmi_kind kind) {
  const int count[] = {1,          m->nnumber,    m->nstate,     m->nstate, m->nindicator,
                       m->noutput, m->nobjective, JFMI_SETTINGS, 0};
  return count[kind];
}

// Value reference of the i-th of a kind.
static inline unsigned jfmi_reference(const jvehicle_model* m, jfmi_kind kind, int i) {
  unsigned first = 0;
  for (int k = 0; k < (int)kind; k++)
    first += (unsigned)jfmi_count(m, (jfmi_kind)k);
  return first + (unsigned)i;
}

// Kind of a value reference and its place *i there; JFMI_NONE: there is no such variable.
static inline jfmi_kind jfmi_find(const jvehicle_model* m, unsigned reference, int* i) {
  for (int k = 0; k < (int)JFMI_NONE; k++) {
    unsigned n = (unsigned)jfmi_count(m, (jfmi_kind)k);
    *i = (int)reference;
    if (reference < n) return (jfmi_kind)k;
    reference -= n;
  }
  *i = -1;
  return JFMI_NONE;
}

#endif
