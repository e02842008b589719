// SPDX-License-Identifier: Apache-2.0
// Study files: a model, and what is to be found out about it, part by part. docs/studies.md describes them.
#ifndef JSTUDY_FILE_H
#define JSTUDY_FILE_H

#include "base/text/text.h"
#include "gen/gen.h"
#include "study/part.h"

typedef struct jstudy_file {
  jo_context* ctx;
  jmodel* holder;  // its arena has all texts
  const char *path, *name, *description;
  const char* model;  // as found from here
  jmodel_setting* set;
  int nset;
  double tolerance;  // NaN: the model's
  jstudy_part* part;
  int npart;
} jstudy_file;

// The JSON schema of these files.
void jstudy_write_schema(jtext* out);

// Read and check all that can be told without the model. Several mistakes are told in one run, each with file and
// line. On failure *out is NULL. Ownership: caller, release with jstudy_file_close().
jo_status jstudy_file_open(jo_context* ctx, const char* path, jstudy_file** out);
void jstudy_file_close(jstudy_file* f);

// Whether the models have what the parts name: objectives, parameters, numbers. All that they have not is told.
jo_status jstudy_file_check(jo_context* ctx, const jstudy_file* f, const jmodel* const* model);

// The same of the outputs of its equations.
jo_status jstudy_check_outputs(jo_context* ctx, const jstudy_part* p, const jgen_dynamics* d);

#endif
