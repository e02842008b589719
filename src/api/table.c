// SPDX-License-Identifier: Apache-2.0
// The public face of tables.
#include "jounce/table.h"

#include <math.h>
#include <string.h>

#include "base/require.h"
#include "report/table/put.h"
#include "report/table/save.h"

const jo_table* jo_tables_find(const jo_tables* tables, const char* name) {
  JO_REQUIRE_OR(NULL, tables, name);
  for (int i = 0; i < tables->ntable; i++) {
    if (strcmp(tables->table[i].name, name) == 0) return &tables->table[i];
  }
  return NULL;
}

int jo_table_column(const jo_table* table, const char* name) {
  JO_REQUIRE_OR(-1, table, name);
  for (int i = 0; i < table->ncolumn; i++) {
    if (strcmp(table->column[i].name, name) == 0) return i;
  }
  return -1;
}

double jo_table_number(const jo_table* table, const char* column, int i) {
  JO_REQUIRE_OR(NAN, table, column);
  int k = jo_table_column(table, column);
  bool is_there = k >= 0 && table->column[k].value && i >= 0 && i < table->nrow;
  return is_there ? jreport_number(table, k, i) : NAN;
}

jo_status jo_table_save(jo_context* ctx, const jo_table* table, const char* path) {
  JO_REQUIRE(ctx, table, path);
  return jreport_table_save(ctx, table, path);
}

void jo_table_print(const jo_table* table, int width,
                    void (*write)(void* user, const char* text, size_t n), void* user) {
  if (table && write) jreport_print(table, width, &(jreport_out){write, user});
}

void jo_tables_json(const jo_tables* tables, int depth,
                    void (*write)(void* user, const char* text, size_t n), void* user) {
  if (tables && write) jreport_json(tables, depth, &(jreport_out){write, user});
}

void jo_text_quote(const char* text, void (*write)(void* user, const char* text, size_t n),
                   void* user) {
  if (text && write) jreport_out_quoted(&(jreport_out){write, user}, text);
}
