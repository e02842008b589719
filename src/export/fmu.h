// SPDX-License-Identifier: Apache-2.0
// A model as an FMU (https://fmi-standard.org): its sources and the runtime's, compiled, with descriptions, in an
// archive.
#ifndef JEXPORT_FMU_H
#define JEXPORT_FMU_H

#include <stdint.h>

#include "export/sources.h"

typedef struct jexport_fmu_options {
  int version;           // of FMI: 3 or 2
  bool sources_only;     // no binary
  bool has_derivatives;  // the sources have tangents and adjoints
  const char* compiler;  // NULL: as kernels are compiled
  int jobs;              // compilers at a time; < 1: one for each processor
} jexport_fmu_options;

typedef struct jexport_fmu {
  const char* identifier;  // modelIdentifier, in the arena
  const char* platform;    // folder of the binary; NULL: sources only
  int files, variables;
  int64_t bytes;
} jexport_fmu;

// Write the archive, whole or not at all; equal models, options and compilers give equal bytes. On failure the
// context says why.
jo_status jexport_fmu_write(jo_context* ctx, jarena* a, const jexport_sources* s,
                            const jexport_fmu_options* opt, const char* path, jexport_fmu* out);

#endif
