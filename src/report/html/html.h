// SPDX-License-Identifier: Apache-2.0
// A run as one page: what it is, objectives, derivatives, events, plots and a replay. The page needs
// no network and no other file, and holds no clock: the same run writes the same bytes.
#ifndef JREPORT_HTML_H
#define JREPORT_HTML_H

#include "base/text/text.h"
#include "plant/simulate.h"
#include "scene/replay.h"

// One parameter in the table of an objective, most influential first.
typedef struct jreport_gradient_row {
  const char *name, *unit, *description;
  double value, derivative, error;
  double percent;    // change of the objective per 1 % of the parameter [%]
  double by_events;  // part of the derivative that comes from moving events; NaN: not known
  int parameter;     // column of its contributions
} jreport_gradient_row;

typedef struct jreport_gradient {
  int nrow;
  jreport_gradient_row* row;
  const char* why;  // there are none, or not all; NULL: there are
} jreport_gradient;

typedef struct jreport_event {
  double t;  // [s]
  const char* name;
  bool on;
  bool follows;          // caused by the one before
  double* contribution;  // objectives x parameters; NULL or NaN: not known
} jreport_event;

typedef struct jreport_page {
  const jplant_result* result;
  const jreport_gradient* gradient;  // one per objective; NULL: no derivatives
  int nparameter;
  const char* method;  // of the derivatives
  int nevent;
  const jreport_event* event;
  const jscene_replay* replay;  // NULL: none
} jreport_page;

// The page as text. What fails is memory, and that the text remembers.
void jreport_html(jtext* out, const jreport_page* page);

// Parts. Text for HTML, in and outside of attributes.
void jreport_put_html(jtext* t, const char* s);
void jreport_put_element(jtext* t, const char* tag, const char* attributes, const char* text);
// From the first line to the beginning of the body.
void jreport_put_head(jtext* t, const char* title);
// An entry of a list of definitions.
void jreport_put_term(jtext* t, const char* name, const char* text);
// Cells with a number to be read, not to be read back: digits that tell enough, or powers of ten.
void jreport_put_number_cell(jtext* t, double x, int digits);
void jreport_put_power_cell(jtext* t, double x);
// A cell with a bar, to the right: raises the objective.
void jreport_put_bar(jtext* t, double percent, double largest);
// A string of JSON with its quotes, fit for a script element.
void jreport_put_script_text(jtext* t, const char* s);
void jreport_html_plots(jtext* t, const jplant_result* r);
void jreport_html_replay(jtext* t, const jscene_replay* r);

// report/html/replay.js and report/html/report.css, terminated; made by CMake.
extern const char jreport_replay_js[], jreport_report_css[];

#endif
