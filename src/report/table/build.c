// SPDX-License-Identifier: Apache-2.0
// Tables of a result while they are made.
#include "report/table/build.h"

#include "base/assert.h"

jreport_builder jreport_build(jarena* a, int n, const jo_note* note, int nnote) {
  jreport_builder b = {.a = a, .room = n, .note = note, .nnote = nnote};
  b.out = JARENA_NEW(a, jo_tables);
  b.table = JARENA_ARRAY(a, n, jo_table);
  b.failed = !b.out || !b.table;
  if (!b.failed) b.out->table = b.table;
  return b;
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

void jreport_begin(jreport_builder* b, const jo_table_style* style, const char* title, int nrow) {
  b->row = b->column = 0;
  jo_column* column = JARENA_ARRAY(b->a, style->nfield, jo_column);
  b->failed = b->failed || !column;
  if (b->failed) return;
  JASSERT(b->out->ntable < b->room);
  for (int i = 0; i < style->nfield; i++) {
    begin_column(b, &column[i], &style->field[i], nrow);
  }
  b->table[b->out->ntable++] = (jo_table){.name = style->name,
                                          .title = title ? title : text_of(style->title),
                                          .column = column,
                                          .ncolumn = style->nfield,
                                          .nrow = nrow,
                                          .note = b->note,
                                          .nnote = b->nnote,
                                          .style = style};
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
  return b->failed ? NULL : b->out;
}
