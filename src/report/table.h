// SPDX-License-Identifier: Apache-2.0
// Tables that are not time histories, in the same files: notes, columns with names and units, rows
// of numbers, and remarks on rows.
#ifndef JREPORT_TABLE_H
#define JREPORT_TABLE_H

#include "base/text.h"
#include "report/notes.h"

typedef struct jreport_remark {
  int row;
  const char* text;
} jreport_remark;

typedef struct jreport_table {
  const jreport_note* note;
  int nnote;
  const jplant_quantity* column;
  int ncolumn, nrow;
  const double* row;  // nrow x ncolumn
  const jreport_remark* remark;
  int nremark;
} jreport_table;

// Appear under `path` whole or not at all.
// CSV: as report/csv.h; remarks are notes "row 7: text".
// HDF5: as report/hdf5.h; /remarks are records row, text.
jo_status jreport_table_csv(jo_context* ctx, const jreport_table* table, const char* path);
jo_status jreport_table_hdf5(jo_context* ctx, const jreport_table* table, const char* path);

// Parts of CSV files: notes as comment lines; a row of names, a row of units, rows of numbers.
void jreport_put_notes(jtext* t, const jreport_note* note, int n);
void jreport_put_table(jtext* t, const jreport_table* table);

#endif
