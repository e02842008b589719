// SPDX-License-Identifier: Apache-2.0
// What a file of results holds, whatever its format: notes, a table of columns with names and units,
// lists of quantities, arrays with named axes, events, and remarks on rows.
#ifndef JREPORT_TABLE_H
#define JREPORT_TABLE_H

#include "base/text/text.h"
#include "jounce/formats.h"
#include "jounce/table.h"
#include "report/format/notes.h"

typedef struct jreport_remark {
  int row;
  const char* text;
} jreport_remark;

// Quantities: objectives, parameters. Each is a comment line of CSV files that begins with `comment`; NULL:
// none.
typedef struct jreport_list {
  const char *name, *comment;
  const jplant_quantity* item;
  int n;
  bool has_values;
} jreport_list;

#define JREPORT_AXES 3

// Numbers with one to three axes: gradients. What belongs to the first axis lies `stride` numbers apart,
// the rest one after the other, the last axis fastest. An axis is one of the lists, or -1: the rows.
typedef struct jreport_array {
  const char *name, *description;
  int naxis;
  int axis[JREPORT_AXES], size[JREPORT_AXES];
  const double* data;
  size_t stride;
  int column;  // of a table whose rows are read: the one its numbers begin at
} jreport_array;

typedef struct jreport_table {
  const jreport_note* note;
  int nnote;
  const jplant_quantity* column;
  int ncolumn, nrow;
  const double* row;  // nrow x ncolumn
  // Columns of texts, in front of those of numbers. Not of tables with time, nor of rows that are read.
  const jo_column* text;
  int ntext;
  // Rows that are too many for memory, `row` being NULL: n of them from the first on, one block after the other. HDF5
  // files only, which are chunked and compressed then, and take shape on the disk beside `path`.
  jo_status (*read)(void* user, int first, int n, double* row);
  void* user;
  const jreport_remark* remark;
  int nremark;
  bool has_time;  // the first column is the time, the others are histories
  const jreport_list* list;
  int nlist;
  // In CSV files only where there are no columns: their axes are lists then, and those of the shorter ones
  // are the first of the longest.
  const jreport_array* array;
  int narray;
  const jplant_event* event;
  int nevent;
  bool has_events;  // even if there was none
} jreport_table;

// A run as such a table. Texts and numbers belong to the result.
typedef struct jreport_run {
  jreport_notes notes;
  jreport_list list;
  jreport_table table;
} jreport_run;

void jreport_run_table(jreport_run* run, const jplant_result* r);

// Write a table in the format its name ends in (jounce/formats.h). It appears under `path` whole or not
// at all; it is made in memory, which needs the size of the file three times at most.
jo_status jreport_save(jo_context* ctx, const jreport_table* table, const char* path);

// Whether the name ends in one of them.
bool jreport_is_format(const jreport_table* table, const char* path);

// The writers, jreport_table_csv() and so on. docs/formats.md.
// CSV: as report/format/csv.h; remarks are notes "row 7: text".
// HDF5: as report/format/hdf5.h; /remarks are records row, text.
// MAT: level 5, uncompressed; report/format/mat.c.
// NetCDF: classic, 64-bit offsets; report/format/netcdf.c.
// RPC: RPC III, 16 bits; report/format/rpc.c. Only tables with time.
#define JREPORT_WRITER(ending, writer) \
  jo_status jreport_table_##writer(jo_context* ctx, const jreport_table* table, const char* path);
JO_TABLE_FORMATS(JREPORT_WRITER)
JO_HISTORY_FORMATS(JREPORT_WRITER)
#undef JREPORT_WRITER

// Whether there are rows.
static inline bool jreport_has_columns(const jreport_table* t) {
  return t->ncolumn + t->ntext > 0;
}

// Parts of CSV files: notes as comment lines; a row of names, a row of units, rows of numbers.
void jreport_put_notes(jtext* t, const jreport_note* note, int n);
void jreport_put_table(jtext* t, const jreport_table* table);

#endif
