// SPDX-License-Identifier: Apache-2.0
// Tables of a result while they are made.
#include "report/table/build.h"

#include <stdarg.h>

#include "base/assert.h"

jreport_builder jreport_build(jarena* a, int n) {
  jreport_builder b = {.a = a, .room = n};
  b.out = JARENA_NEW(a, jo_tables);
  b.table = JARENA_ARRAY(a, n, jo_table);
  b.note = JARENA_ARRAY(a, JREPORT_NOTES, jo_note);
  b.failed = !b.out || !b.table || !b.note;
  if (!b.failed) b.out->table = b.table;
  return b;
}

void jreport_add_note(jreport_builder* b, const char* name, const char* text) {
  if (b->failed) return;
  JASSERT(b->nnote < JREPORT_NOTES);
  b->note[b->nnote++] = (jo_note){name, "", text, 0.0};
}

const char* jreport_text(jreport_builder* b, const char* format, ...) {
  va_list args;
  va_start(args, format);
  const char* text = jarena_vprintf(b->a, format, args);
  va_end(args);
  b->failed = b->failed || !text;
  return text ? text : "";
}

static const char* text_of(const char* text) {
  return text ? text : "";
}

static void begin_column(jreport_builder* b, jo_column* c, const jreport_field* f, int nrow) {
  *c = (jo_column){text_of(f->name), text_of(f->unit), text_of(f->description), .stride = 1};
  if (f->kind == JREPORT_WORDS) {
    c->text = JARENA_ARRAY(b->a, nrow, const char*);
  } else {
    c->value = JARENA_ARRAY(b->a, nrow, double);
  }
  b->failed = b->failed || (!c->value && !c->text);
}

static void begin_table(jreport_builder* b, const jo_table_style* style, const char* title,
                        const jo_column* column, int nrow) {
  JASSERT(b->out->ntable < b->room);
  b->row = b->column = 0;
  b->table[b->out->ntable++] = (jo_table){.name = style->name,
                                          .title = title ? title : text_of(style->title),
                                          .column = column,
                                          .ncolumn = style->nfield,
                                          .nrow = nrow,
                                          .note = b->note,
                                          .style = style};
}

void jreport_begin(jreport_builder* b, const jo_table_style* style, const char* title, int nrow) {
  jo_column* column = JARENA_ARRAY(b->a, style->nfield, jo_column);
  b->failed = b->failed || !column;
  for (int i = 0; i < style->nfield && !b->failed; i++) {
    begin_column(b, &column[i], &style->field[i], nrow);
  }
  if (!b->failed) begin_table(b, style, title, column, nrow);
}

void jreport_begin_columns(jreport_builder* b, const jo_table_style* style, const char* title,
                           int most, int nrow) {
  jo_column* column = JARENA_ARRAY(b->a, most, jo_column);
  jreport_field* field = JARENA_ARRAY(b->a, most, jreport_field);
  jo_table_style* own = JARENA_NEW(b->a, jo_table_style);
  b->failed = b->failed || !column || !field || !own;
  if (b->failed) return;
  *own = *style;
  own->field = field;
  own->nfield = 0;
  begin_table(b, own, title, column, nrow);
}

static void view(jreport_builder* b, const jreport_field* field, const double* value,
                 const char* const* text, int stride) {
  if (b->failed) return;
  jo_table* t = &b->table[b->out->ntable - 1];
  jo_table_style* style = (jo_table_style*)t->style;
  ((jreport_field*)style->field)[style->nfield++] = *field;
  ((jo_column*)t->column)[t->ncolumn++] = (jo_column){
      text_of(field->name), text_of(field->unit), text_of(field->description), value, text, stride};
}

void jreport_view(jreport_builder* b, const jreport_field* field, const double* value, int stride) {
  view(b, field, value, NULL, stride);
}

void jreport_view_texts(jreport_builder* b, const jreport_field* field, const char* const* text) {
  JASSERT(field->kind == JREPORT_WORDS);
  view(b, field, NULL, text, 1);
}

// The column the next cell stands in, and its row.
static const jo_column* next_cell(jreport_builder* b, int* row) {
  const jo_table* t = &b->table[b->out->ntable - 1];
  const jo_column* c = &t->column[b->column++];
  *row = b->row;
  JASSERT(*row < t->nrow);
  if (b->column == t->ncolumn) {
    b->column = 0;
    b->row++;
  }
  return c;
}

void jreport_put(jreport_builder* b, double value) {
  int row;
  if (b->failed) return;
  const jo_column* c = next_cell(b, &row);
  JASSERT(c->value);
  ((double*)c->value)[row] = value;
}

void jreport_say(jreport_builder* b, const char* text) {
  int row;
  if (b->failed) return;
  const jo_column* c = next_cell(b, &row);
  JASSERT(c->text);
  ((const char**)c->text)[row] = text;
}

const jo_tables* jreport_built(const jreport_builder* b) {
  for (int i = 0; !b->failed && i < b->out->ntable; i++) {
    b->table[i].nnote = b->nnote;
  }
  return b->failed ? NULL : b->out;
}
