// SPDX-License-Identifier: Apache-2.0
// Where writers of tables write to, and the tables themselves as text and as JSON.
#ifndef JREPORT_PUT_H
#define JREPORT_PUT_H

#include <stddef.h>

#include "report/table/style.h"

typedef struct jreport_out {
  void (*write)(void* user, const char* text, size_t n);
  void* user;
} jreport_out;

void jreport_out_text(const jreport_out* out, const char* text);
void jreport_out_blanks(const jreport_out* out, int n);
// As a JSON string.
void jreport_out_quoted(const jreport_out* out, const char* text);

// jounce/table.h
void jreport_print(const jo_table* table, int width, const jreport_out* out);
void jreport_json(const jo_tables* tables, int depth, const jreport_out* out);

// The number of a cell.
static inline double jreport_number(const jo_table* t, int column, int row) {
  const jo_column* c = &t->column[column];
  return c->value[(size_t)row * (size_t)c->stride];
}

#endif
