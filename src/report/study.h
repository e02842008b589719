// SPDX-License-Identifier: Apache-2.0
// What came out of a study: parts with figures and tables, and all of them as one page. The page needs no network and
// no other file, and holds no clock.
#ifndef JREPORT_STUDY_H
#define JREPORT_STUDY_H

#include "report/plot/svg_plot.h"

// Numbers, or texts where `text` is not NULL; one per row.
typedef struct jreport_column {
  const char *name, *unit;
  double* value;
  const char** text;
  // on the page:
  int digits;    // of numbers; 0: eight
  bool has_bar;  // numbers drawn as bars, too
} jreport_column;

typedef struct jreport_sheet {
  const char* title;
  jreport_column* column;
  int ncolumn, nrow;
  bool is_open;  // on the page: to be read itself; else behind the figures it belongs to
} jreport_sheet;

typedef struct jreport_part {
  const char *kind, *title, *text;
  const char* about;  // model and settings of its own; "" or NULL: those of the study
  jreport_plot* figure;
  int nfigure;
  jreport_sheet* sheet;
  int nsheet;
} jreport_part;

typedef struct jreport_study_model {
  const char *name, *path, *sha256;
} jreport_study_model;

typedef struct jreport_study {
  const char *name, *description, *path;
  const jreport_study_model* model;
  int nmodel;
  const char* settings;
  double tolerance;  // NaN: the model's
  const jreport_part* part;
  int npart;
} jreport_study;

// The page as text. What fails is memory, and that the text remembers.
void jreport_study_html(jtext* out, const jreport_study* s);

#endif
