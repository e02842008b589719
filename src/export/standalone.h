// SPDX-License-Identifier: Apache-2.0
// A model as stand-alone C: its equations, the runtime and a program around them, free of Jounce.
#ifndef JEXPORT_STANDALONE_H
#define JEXPORT_STANDALONE_H

#include "model/model.h"

typedef struct jexport_standalone {
  int nfile;
  int operations;  // of one right-hand side
} jexport_standalone;

// Write the sources (export/sources.h), a Makefile and README.md into `dir`, made where missing. Files of the same
// names are replaced where they were generated too; others are an error, and nothing is written then. On failure the
// context names the file.
jo_status jexport_standalone_write(jo_context* ctx, const jmodel* m, const char* dir,
                                   jexport_standalone* out);

#endif
