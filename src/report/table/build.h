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
  jo_note* note;  // room for JREPORT_NOTES
  int nnote;
  int row, column;  // the next cell
  bool failed;
} jreport_builder;

#define JREPORT_NOTES 16

// Room for n tables.
jreport_builder jreport_build(jarena* a, int n);

// The next table. `title` NULL: that of the style.
void jreport_begin(jreport_builder* b, const jo_table_style* style, const char* title, int nrow);

// The next table, of up to `most` columns, which the caller owns.
void jreport_begin_columns(jreport_builder* b, const jo_table_style* style, const char* title,
                           int most, int nrow);
void jreport_view(jreport_builder* b, const jreport_field* field, const double* value, int stride);
void jreport_view_texts(jreport_builder* b, const jreport_field* field, const char* const* text);

// A note more, of all tables.
void jreport_add_note(jreport_builder* b, const char* name, const char* text);

// A text made for the tables; "" where there is no memory.
const char* jreport_text(jreport_builder* b, const char* format, ...)
    __attribute__((format(printf, 2, 3)));

// The next cell of it. Texts belong to the caller.
void jreport_put(jreport_builder* b, double value);
void jreport_say(jreport_builder* b, const char* text);

// The tables, in the arena; NULL: no memory.
const jo_tables* jreport_built(const jreport_builder* b);

#endif
