// SPDX-License-Identifier: Apache-2.0
// A model as stand-alone C: its kernels, its data and a small driver, free of Jounce.
#ifndef JEXPORT_STANDALONE_H
#define JEXPORT_STANDALONE_H

#include "model/model.h"

typedef struct jexport_standalone {
  int nfile;
  int operations;  // of one right-hand side
  double step;     // of the driver, unless told otherwise [s]
} jexport_standalone;

// Write the sources into `dir`, made where missing: kernel.h and kernel_*.c (equations), model.h and
// model.c (sizes, names, initial state, calls), main.c (driver), Makefile, README.md. Files of the same
// names are replaced where they were generated too; others are an error, and nothing is written then. On
// failure the context names the file.
jo_status jexport_standalone_write(jo_context* ctx, const jmodel* m, const char* dir,
                                   jexport_standalone* out);

#endif
