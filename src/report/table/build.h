// SPDX-License-Identifier: Apache-2.0
// Tables of a result while they are made: rows are put cell by cell, in the order of the columns.
#ifndef JREPORT_BUILD_H
#define JREPORT_BUILD_H

#include "base/mem.h"
#include "report/table/style.h"

// Running out of memory is remembered, and asked for at the end.
typedef struct jreport_builder {
  jarena* a;
  jo_tables* out;
  jo_table* table;  // room for `room`
  int room;
  const jo_note* note;
  int nnote;
  int row, column;  // the next cell
  bool failed;
} jreport_builder;

// Room for n tables. Notes are those of all of them and belong to the caller.
jreport_builder jreport_build(jarena* a, int n, const jo_note* note, int nnote);

// The next table. `title` NULL: that of the style.
void jreport_begin(jreport_builder* b, const jo_table_style* style, const char* title, int nrow);

// The next cell of it. Texts belong to the caller.
void jreport_put(jreport_builder* b, double value);
void jreport_say(jreport_builder* b, const char* text);

// The tables, in the arena; NULL: no memory.
const jo_tables* jreport_built(const jreport_builder* b);

#endif
