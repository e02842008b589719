// SPDX-License-Identifier: Apache-2.0
// Tables of results as files: columns of numbers become rows, which is what files hold.
#include "report/table/save.h"

#include <math.h>

#include "base/err.h"
#include "report/format/table.h"
#include "report/table/put.h"

static jo_status list_notes(jo_context* ctx, jarena* a, const jo_table* t, jreport_table* file) {
  jreport_note* note = JARENA_ARRAY(a, t->nnote, jreport_note);
  if (!note) return jerr_memory(ctx);
  for (int i = 0; i < t->nnote; i++) {
    const jo_note* n = &t->note[i];
    jreport_note_kind kind = n->text ? JREPORT_TEXT : JREPORT_REAL;
    note[i] = (jreport_note){n->name, n->unit, kind, n->text ? n->text : "", n->value, 0};
  }
  file->note = note;
  file->nnote = t->nnote;
  return JO_OK;
}

// Columns of numbers and of texts apart from each other.
static jo_status list_columns(jo_context* ctx, jarena* a, const jo_table* t, jreport_table* file) {
  jplant_quantity* number = JARENA_ARRAY(a, t->ncolumn, jplant_quantity);
  jo_column* text = JARENA_ARRAY(a, t->ncolumn, jo_column);
  if (!number || !text) return jerr_memory(ctx);
  for (int i = 0; i < t->ncolumn; i++) {
    const jo_column* c = &t->column[i];
    if (c->text) {
      text[file->ntext++] = *c;
    } else {
      number[file->ncolumn++] = (jplant_quantity){c->name, c->unit, c->description, NAN};
    }
  }
  file->column = number;
  file->text = text;
  return JO_OK;
}

static jo_status list_rows(jo_context* ctx, jarena* a, const jo_table* t, jreport_table* file) {
  double* row = JARENA_ARRAY(a, (size_t)t->nrow * (size_t)file->ncolumn, double);
  if (!row) return jerr_memory(ctx);
  file->row = row;
  file->nrow = t->nrow;
  for (int k = 0; k < t->nrow; k++) {
    for (int i = 0; i < t->ncolumn; i++) {
      if (!t->column[i].text) *row++ = jreport_number(t, i, k);
    }
  }
  return JO_OK;
}

jo_status jreport_table_save(jo_context* ctx, const jo_table* table, const char* path) {
  jarena a;
  jarena_init(&a, ctx);
  jreport_table file = {0};
  jo_status status = list_notes(ctx, &a, table, &file);
  if (status >= 0) status = list_columns(ctx, &a, table, &file);
  if (status >= 0) status = list_rows(ctx, &a, table, &file);
  if (status >= 0) status = jreport_save(ctx, &file, path);
  jarena_free(&a);
  return status;
}
