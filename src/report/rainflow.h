// SPDX-License-Identifier: Apache-2.0
// Cycle counts of a run as matrices, from-to and range-mean, in one CSV file.
#ifndef JREPORT_RAINFLOW_H
#define JREPORT_RAINFLOW_H

#include "loads/evaluate.h"
#include "report/format/notes.h"

typedef struct jreport_rainflow {
  const jreport_note* note;
  int nnote;
  const jloads_evaluation* evaluation;
  const char *const *name, *const *unit;  // of the elements
  int nelement, nclass;
} jreport_rainflow;

// A row per cell that is not empty: element, unit, matrix, classes (from 1) and their middles, count. Classes
// of from, to and mean divide what lies between the smallest and the largest turning point of the element,
// those of the range what lies between 0 and the largest range.
jo_status jreport_rainflow_save(jo_context* ctx, const jreport_rainflow* r, const char* path);

#endif
