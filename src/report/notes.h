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

// Returns how many; texts belong to the result.
int jreport_notes(const jplant_result* r, jreport_note note[JREPORT_MAX_NOTES]);

#endif
