// SPDX-License-Identifier: Apache-2.0
// What a file of results says about where it comes from: model, hash, settings, options, version. One
// list for all formats. No clock: the same run writes the same bytes.
#ifndef JREPORT_NOTES_H
#define JREPORT_NOTES_H

#include "plant/simulate.h"

typedef enum jreport_note_kind { JREPORT_TEXT, JREPORT_REAL, JREPORT_COUNT } jreport_note_kind;

typedef struct jreport_note {
  const char *name, *unit;
  jreport_note_kind kind;
  const char* text;
  double real;
  int64_t count;
} jreport_note;

#define JREPORT_MAX_NOTES 32

typedef struct jreport_notes {
  jreport_note note[JREPORT_MAX_NOTES];
  int n;
} jreport_notes;

void jreport_note_text(jreport_notes* l, const char* name, const char* value);
void jreport_note_real(jreport_notes* l, const char* name, const char* unit, double value);
void jreport_note_count(jreport_notes* l, const char* name, int64_t value);

// Of a run. Texts belong to the result.
void jreport_notes_of_run(jreport_notes* l, const jplant_result* r);

#endif
