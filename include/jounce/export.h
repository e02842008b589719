// SPDX-License-Identifier: Apache-2.0
// Models for other programs: FMUs (https://fmi-standard.org), which tools for co-simulation and model exchange
// load. docs/fmi.md tells what is in them. And for readers: a listing of their machine code.
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

// ---- machine code --------------------------------------------------------------------------------

/// A listing of the machine code of a model. Read-only, shared by threads.
typedef struct jo_listing jo_listing;

/// List the machine code that runs of the model execute, function by function, for the level of the processor that
/// $JOUNCE_CPU chooses. Code is the same for equal models and levels; addresses are replaced by names.
/// On failure `*out` is NULL and the context says why; there is none for processors without machine code
/// (JO_ERR_COMPILER).
/// Ownership: caller, release with jo_listing_destroy(). Threads: any, one context per thread.
JO_API jo_status jo_export_assembly(jo_context* ctx, const jo_model* model, jo_listing** out);
/// NULL is fine.
JO_API void jo_listing_destroy(jo_listing* listing);

/// The listing, to be written with jo_output_write(). Valid as long as `listing`.
JO_API const char* jo_listing_text(const jo_listing* listing);

typedef struct jo_listing_info {
  int functions, instructions;
  int spills;     // stores of values to the frame, for want of registers
  int64_t bytes;  // of code, without constants
} jo_listing_info;

JO_API jo_listing_info jo_listing_inspect(const jo_listing* listing);

#ifdef __cplusplus
}
#endif
#endif
