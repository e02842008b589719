// SPDX-License-Identifier: Apache-2.0
// Parts of a study, and what a kind of them is: its keys, what it needs of a system, how it runs and what it gives.
// A new kind is one file and its line in parts/list.h; nothing else knows kinds by name.
#ifndef JPARTS_PART_H
#define JPARTS_PART_H

#include "api/handles.h"
#include "model/reader.h"
#include "report/study.h"

// A name of something of the model, and where the file has it. text NULL: not given.
typedef struct jparts_name {
  const char* text;
  jmodel_place place;
} jparts_name;

typedef struct jparts_names {
  jparts_name* name;
  int n;
} jparts_names;

typedef struct jparts_value {
  jparts_name name;
  double value;
} jparts_value;

// for: {NAME: [value, value]}, a run each; none: as the model is.
typedef struct jparts_runs {
  jparts_name name;
  double* value;
  int n;
} jparts_runs;

// What a part needs of the system it runs on. Parts that need the same share it.
typedef struct jparts_needs {
  bool derivatives;    // of objectives, by the numbers of wrt ...
  bool by_parameter;   // ... and by the part's parameter
  bool histories;      // derivatives along the runs
  bool checks;         // differences of runs
  bool any;            // one that has derivatives does as well: none are taken
  bool sweeps;         // the part's parameter gets other values
  bool objectives;     // the model must have some ...
  bool one_objective;  // ... and where it has several the part says which
} jparts_needs;

// The words that kinds share. Names are checked against the model whoever has them; what a kind does not have is
// zero, or NaN.
typedef struct jparts_part {
  const struct jparts_kind* kind;
  jparts_needs needs;
  jmodel_place place;
  const char *title, *text;  // "": not given
  jparts_name
      model;  // another one than the study's, as found from the file; which of the study's models
  int which;
  jparts_value* set;  // values for this part (nset)
  int nset;
  jparts_names sensors, wrt;  // none: not given
  jparts_names objectives;    // none: all
  bool no_objectives;         // sensors alone were asked for
  jparts_names x;             // outputs, or t
  jparts_name y;
  jparts_name parameter;  // that the part is about
  jparts_runs runs;
  jparts_value* per;  // numbers with increments (nper)
  int nper;
  double from, to;
  int points;
  double output_step;  // [s]; NaN: the model's
  void* own;           // of the kind alone
} jparts_part;

// A part under way.
typedef struct jparts_job {
  jo_context* ctx;
  jarena* a;
  const jparts_part* p;
  jo_system* system;
  const jmodel* m;
  double tolerance;  // NaN: the model's
  jreport_part* out;
  bool (*tell)(void* user, double fraction);  // how far it is; false: stop
  void* user;
  bool is_stopped;
  double before;     // the value of the number that runs differ by, which is set back
  double run, nrun;  // under way
} jparts_job;

typedef struct jparts_kind {
  const char* name;
  const char* const* keys;  // besides title and text, ending with NULL
  bool may_be_empty;        // the name alone is a part
  // Its own keys, and what follows from them for its needs, which are those of the table before.
  void (*read)(const jmodel_at* at, const jmodel_node* map, jparts_part* p);
  jparts_needs needs;
  // What it names of its own against the model; may be NULL.
  jo_status (*check)(jo_context* ctx, const jparts_part* p, const jmodel* m);
  // Of a part that has none; NULL: no memory.
  const char* (*title)(jarena* a, const jmodel* m, const jparts_part* p);
  // Figures and tables into k->out.
  jo_status (*run)(jparts_job* k);
} jparts_kind;

// "file:line: ranking: cause", as an error.
jo_status jparts_mistake(jo_context* ctx, const jparts_part* part, jmodel_place place,
                         const char* format, ...) JERR_PRINTF(4, 5);

#endif
