// SPDX-License-Identifier: Apache-2.0
// Results as tables. Every result is a few of them; text, JSON and files are made from tables by one writer each.
//
//   const jo_table* modes = jo_tables_find(jo_modes_tables(m), "modes");
//   for (int i = 0; i < modes->nrow; i++) printf("%g Hz\n", jo_table_number(modes, "frequency", i));
//   status = jo_table_save(ctx, modes, "modes.csv");
#ifndef JOUNCE_TABLE_H
#define JOUNCE_TABLE_H

#include "jounce/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Numbers or, where `value` is NULL, texts. Names, units and descriptions are never NULL.
typedef struct jo_column {
  const char *name, *unit, *description;
  const double* value;      // of row i: value[i * stride]
  const char* const* text;  // of row i: text[i]
  int stride;
} jo_column;

/// Where a result comes from: model, settings, options. A number, or a text where that is not NULL.
typedef struct jo_note {
  const char *name, *unit, *text;
  double value;
} jo_note;

/// How text and JSON show a table.
typedef struct jo_table_style jo_table_style;

typedef struct jo_table {
  const char *name, *title;
  const jo_column* column;
  int ncolumn, nrow;
  const jo_note* note;
  int nnote;
  const jo_table_style* style;
} jo_table;

/// The tables of one result, owned by it.
typedef struct jo_tables {
  const jo_table* table;
  int ntable;
} jo_tables;

// Threads of all functions: any; tables do not change.

/// Returns the table of this name; NULL where there is none.
JO_API const jo_table* jo_tables_find(const jo_tables* tables, const char* name);

/// Returns the index of the column of this name; -1 where there is none.
JO_API int jo_table_column(const jo_table* table, const char* name);

/// Returns the number in the i-th row of a column; NaN where there is none.
JO_API double jo_table_number(const jo_table* table, const char* column, int i);

/// Writes a table to a file, in the format `path` ends in (jounce/formats.h). The file appears whole or not at all.
JO_API jo_status jo_table_save(jo_context* ctx, const jo_table* table, const char* path);

/// Writes a table as text for people, without its title, at most `width` characters wide where it flows in columns.
/// Zeros among derivatives, and whatever else its style leaves out, are not printed. Nothing is allocated.
JO_API void jo_table_print(const jo_table* table, int width,
                           void (*write)(void* user, const char* text, size_t n), void* user);

/// Writes tables as members of a JSON object, `"name": ...`, with commas between them, `depth` levels deep. Numbers
/// read back exactly; what is not finite is null. Nothing is allocated.
JO_API void jo_tables_json(const jo_tables* tables, int depth,
                           void (*write)(void* user, const char* text, size_t n), void* user);

/// Writes a text as a JSON string, quotes included.
JO_API void jo_text_quote(const char* text, void (*write)(void* user, const char* text, size_t n),
                          void* user);

#ifdef __cplusplus
}
#endif
#endif
