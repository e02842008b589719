// SPDX-License-Identifier: Apache-2.0
// Study files: a model, and what is to be found out about it, part by part. docs/studies.md describes them.
#ifndef JPARTS_FILE_H
#define JPARTS_FILE_H

#include "gen/gen.h"
#include "parts/part.h"

typedef struct jparts_file {
  jo_context* ctx;
  jmodel* holder;  // its arena has all texts
  const char *path, *name, *description;
  const char* model;  // as found from here
  jmodel_setting* set;
  int nset;
  double tolerance;  // NaN: the model's
  jparts_part* part;
  int npart;
} jparts_file;

// Read and check all that can be told without the model. Several mistakes are told in one run, each with file and
// line. On failure *out is NULL. Ownership: caller, release with jparts_file_close().
jo_status jparts_file_open(jo_context* ctx, const char* path, jparts_file** out);
void jparts_file_close(jparts_file* f);

// Whether the models have what the parts name: objectives, parameters, numbers. All that they have not is told.
jo_status jparts_file_check(jo_context* ctx, const jparts_file* f, const jmodel* const* model);

// The same of the outputs of its equations.
jo_status jparts_check_outputs(jo_context* ctx, const jparts_part* p, const jgen_dynamics* d);

#endif
