// SPDX-License-Identifier: Apache-2.0
// Partial derivatives of what an FMU computes: of state derivatives, outputs, objectives and event indicators by
// states, parameters, inputs and time.
#ifndef JRUNTIME_FMI_SLOPE_H
#define JRUNTIME_FMI_SLOPE_H

#include "runtime/fmi.h"

typedef struct jfmi_slope_question {
  const unsigned *unknown, *known;  // value references
  size_t nunknown, nknown;
} jfmi_slope_question;

// Directional: slope (nunknown) = J seed (nknown). Adjoint: slope (nknown) = J^T seed (nunknown). References may
// come more than once.
jfmi_status jfmi_directional(jfmi* f, const jfmi_slope_question* q, const double* seed,
                             double* slope);
jfmi_status jfmi_adjoint(jfmi* f, const jfmi_slope_question* q, const double* seed, double* slope);

// How fast outputs and objectives change (n), inputs held: the first derivatives by time, the only order there is.
jfmi_status jfmi_output_rates(jfmi* f, const unsigned* reference, size_t n, const int* order,
                              double* rate);

#endif
