// SPDX-License-Identifier: Apache-2.0
// A model as C sources that need nothing but libm: its equations, its tables, and the runtime that runs them.
#ifndef JEXPORT_SOURCES_H
#define JEXPORT_SOURCES_H

#include "base/mem.h"
#include "model/model.h"
#include "runtime/model.h"

typedef struct jexport_file {
  const char* name;  // with folders: "solve/rk.c"
  const char* text;
  size_t length;
} jexport_file;

// The runtime: what every export has in common, in the order of the list in src/CMakeLists.txt; the last has no name.
extern const jexport_file jexport_runtime[];

typedef struct jexport_sources_options {
  const char* const*
      variable;  // numbers that can be set besides parameters and inputs: paths, "hardpoints.*"
  int nvariable;
  bool derivatives;  // with tangents and adjoints
} jexport_sources_options;

typedef struct jexport_sources {
  int nfile;
  jexport_file* file;           // compile all *.c with -I. and link with libm
  const jvehicle_model* model;  // the tables of the generated code, without its functions
  int operations;               // of one right-hand side
  struct jplant* plant;         // whose tables they are
} jexport_sources;

// Texts are in the arena. On failure the context says why. Release with jexport_sources_destroy(), before the model
// and the arena.
jo_status jexport_sources_build(jo_context* ctx, jarena* a, const jmodel* m,
                                const jexport_sources_options* opt, jexport_sources* out);
void jexport_sources_destroy(jexport_sources* s);

#endif
