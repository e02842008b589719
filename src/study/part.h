// SPDX-License-Identifier: Apache-2.0
// Parts of a study, and what a kind of them is: its keys, what it needs of a system, how it runs and what it gives.
// A new kind is one file and its line in study/list.h; nothing else knows kinds by name.
#ifndef JSTUDY_PART_H
#define JSTUDY_PART_H

#include "api/handles.h"
#include "model/read/reader.h"
#include "report/study.h"

// A name of something of the model, and where the file has it. text NULL: not given.
typedef struct jstudy_name {
  const char* text;
  jmodel_place place;
} jstudy_name;

typedef struct jstudy_names {
  jstudy_name* name;
  int n;
} jstudy_names;

typedef struct jstudy_value {
  jstudy_name name;
  double value;
} jstudy_value;

// for: {NAME: [value, value]}, a run each; none: as the model is.
typedef struct jstudy_runs {
  jstudy_name name;
  double* value;
  int n;
} jstudy_runs;

// What a part needs of the system it runs on. Parts that need the same share it.
typedef struct jstudy_needs {
  bool derivatives;    // of objectives, by the numbers of wrt ...
  bool by_parameter;   // ... and by the part's parameter
  bool histories;      // derivatives along the runs
  bool checks;         // differences of runs
  bool any;            // one that has derivatives does as well: none are taken
  bool sweeps;         // the part's parameter gets other values
  bool objectives;     // the model must have some ...
  bool one_objective;  // ... and where it has several the part says which
} jstudy_needs;

// The words that kinds share. Names are checked against the model whoever has them; what a kind does not have is
// zero, or NaN.
typedef struct jstudy_part {
  const struct jstudy_kind* kind;
  jstudy_needs needs;
  jmodel_place place;
  const char *title, *text;  // "": not given
  jstudy_name
      model;  // another one than the study's, as found from the file; which of the study's models
  int which;
  jstudy_value* set;  // values for this part (nset)
  int nset;
  jstudy_names sensors, wrt;  // none: not given
  jstudy_names objectives;    // none: all
  bool no_objectives;         // sensors alone were asked for
  jstudy_names x;             // outputs, or t
  jstudy_name y;
  jstudy_name parameter;  // that the part is about
  jstudy_runs runs;
  jstudy_value* per;  // numbers with increments (nper)
  int nper;
  double from, to;
  int points;
  double output_step;  // [s]; NaN: the model's
  void* own;           // of the kind alone
} jstudy_part;

// Keys that all kinds have, and forms of theirs.
extern const jmodel_key jstudy_form_names, jstudy_form_runs, jstudy_form_values;
#define JSTUDY_COMMON_KEYS                                                                         \
  {JMODEL_KEY_TEXT("title"), .about = "Heading of the part"},                                      \
      {JMODEL_KEY_TEXT("text"), .about = "Below the heading; empty lines part paragraphs"},        \
      {JMODEL_KEY_TEXT("model"), .about = "Another model for this part, as found from the study"}, \
  {                                                                                                \
    JMODEL_KEY_AS("set", jstudy_form_values), .about = "Values of numbers in this part"            \
  }

// A part under way.
typedef struct jstudy_job {
  jo_context* ctx;
  jarena* a;
  const jstudy_part* p;
  jo_system* system;
  const jmodel* m;
  double tolerance;  // NaN: the model's
  jreport_part* out;
  bool (*tell)(void* user, double fraction);  // how far it is; false: stop
  void* user;
  bool is_stopped;
  double before;     // the value of the number that runs differ by, which is set back
  double run, nrun;  // under way
} jstudy_job;

typedef struct jstudy_kind {
  jmodel_key
      key;  // its name and its keys, JSTUDY_COMMON_KEYS among them; null: the name alone is a part
  // Its own keys, and what follows from them for its needs, which are those of the table before.
  void (*read)(const jmodel_at* at, const jmodel_node* map, jstudy_part* p);
  jstudy_needs needs;
  // What it names of its own against the model; may be NULL.
  jo_status (*check)(jo_context* ctx, const jstudy_part* p, const jmodel* m);
  // Of a part that has none; NULL: no memory.
  const char* (*title)(jarena* a, const jmodel* m, const jstudy_part* p);
  // Figures and tables into k->out.
  jo_status (*run)(jstudy_job* k);
} jstudy_kind;

// "file:line: ranking: cause", as an error.
jo_status jstudy_mistake(jo_context* ctx, const jstudy_part* part, jmodel_place place,
                         const char* format, ...) JERR_PRINTF(4, 5);

#endif
