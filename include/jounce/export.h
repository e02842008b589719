// SPDX-License-Identifier: Apache-2.0
// Models for other programs: FMUs (https://fmi-standard.org), which tools for co-simulation and model exchange
// load. docs/fmi.md tells what is in them.
#ifndef JOUNCE_EXPORT_H
#define JOUNCE_EXPORT_H

#include <stdint.h>

#include "jounce/model.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct jo_fmu_options {
  int version;         // of FMI: 3 or 2
  int sources_only;    // without a binary: needs no compiler, runs where it is compiled
  int no_derivatives;  // without directional and adjoint derivatives: smaller, compiled faster
  const char* const*
      vary;  // numbers that can be set besides parameters and inputs: paths as of jo_sens, "tyres.*"
  int nvary;
  const char* compiler;  // NULL: as for kernels ($JOUNCE_CC, else cc, gcc, clang)
} jo_fmu_options;

JO_API jo_fmu_options jo_fmu_options_default(void);

typedef struct jo_fmu {
  int files, variables;
  int parameters, inputs, outputs, states, event_indicators;
  int operations;  // of one evaluation of the right-hand side
  int64_t bytes;
} jo_fmu;

/// Write a model as an FMU for model exchange and co-simulation, with a binary for this kind of machine. `opt` NULL:
/// defaults; `out` may be NULL.
/// The file appears whole or not at all; equal models, options and compilers write equal files. On failure the context
/// says why. Threads: any, one context per thread.
JO_API jo_status jo_export_fmu(jo_context* ctx, const jo_model* model, const jo_fmu_options* opt,
                               const char* path, jo_fmu* out);

#ifdef __cplusplus
}
#endif
#endif
