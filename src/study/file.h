// SPDX-License-Identifier: Apache-2.0
// Study files: a model, and what is to be found out about it, part by part. docs/studies.md describes them.
#ifndef JSTUDY_FILE_H
#define JSTUDY_FILE_H

#include "base/err.h"
#include "model/model.h"

#define JSTUDY_PART_LIST(X)       \
  X(HISTORIES, "histories")       \
  X(RANGE, "range")               \
  X(TRAJECTORIES, "trajectories") \
  X(DIFFERENCES, "differences")   \
  X(RANKING, "ranking")           \
  X(VALUES, "values")

typedef enum jstudy_part_kind {
#define X(id, name) JSTUDY_##id,
  JSTUDY_PART_LIST(X)
#undef X
      JSTUDY_PART_COUNT
} jstudy_part_kind;

const char* jstudy_part_name(jstudy_part_kind kind);

// A name of something of the model, and where the file has it. text NULL: not given.
typedef struct jstudy_name {
  const char* text;
  jmodel_place place;
} jstudy_name;

typedef struct jstudy_names {
  jstudy_name* name;
  int n;
} jstudy_names;

typedef struct jstudy_increment {
  jstudy_name name;
  double value;
} jstudy_increment;

// What a kind does not have is zero, or NaN.
typedef struct jstudy_part {
  jstudy_part_kind kind;
  jmodel_place place;
  const char *title, *text;   // "": not given
  jstudy_names sensors, wrt;  // none: not given
  jstudy_names objectives;    // none: all
  bool no_objectives;         // of values: sensors alone were asked for
  jstudy_name x, y;           // of trajectories
  jstudy_name parameter;      // what varies, or what differences are by
  double* value;              // of the parameter, a run each (nvalue); none: as the model has it
  int nvalue;
  double from, to;        // of a range
  int points;             // of a range, of differences
  bool derivative;        // of a range: by its parameter
  double output_step;     // [s]; NaN: the model's
  double threshold;       // of a ranking [% per 1 %]
  jstudy_increment* per;  // of a ranking (nper)
  int nper;
} jstudy_part;

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

// Read and check all that can be told without the model. Several mistakes are told in one run, each with file and
// line. On failure *out is NULL. Ownership: caller, release with jstudy_file_close().
jo_status jstudy_file_open(jo_context* ctx, const char* path, jstudy_file** out);
void jstudy_file_close(jstudy_file* f);

// Whether the model has what the parts name: objectives, parameters, numbers. All that it has not is told.
jo_status jstudy_file_check(jo_context* ctx, const jstudy_file* f, const jmodel* m);

// "file:line: ranking: cause", as an error.
jo_status jstudy_mistake(jo_context* ctx, const jstudy_part* part, jmodel_place place,
                         const char* format, ...) JERR_PRINTF(4, 5);

#endif
