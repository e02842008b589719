// SPDX-License-Identifier: Apache-2.0
// What came out of a part as tables.
#include "study/tables.h"

#include <string.h>

#include "api/tables.h"

#define MAX_ROWS 25  // of a table on the terminal: more is for other programs
#define DIGITS   14  // width of a number

static int larger(int a, size_t b) {
  return a > (int)b ? a : (int)b;
}

// Columns are two blanks apart, the last one ends where its text does.
static jreport_field field_of(jreport_builder* b, const jreport_sheet* s, int i) {
  const jreport_column* c = &s->column[i];
  bool is_last = i == s->ncolumn - 1;
  jreport_field f = {.name = c->name, .unit = c->unit, .digits = 8, .behind = is_last ? NULL : " "};
  f.label = *c->unit ? jreport_text(b, "%s [%s]", c->name, c->unit) : c->name;
  f.width = larger(DIGITS, strlen(f.label));
  if (!c->text) return f;
  f.kind = JREPORT_WORDS;
  f.width = is_last ? JREPORT_PLAIN : -JREPORT_WIDEST;
  return f;
}

static void put_sheet(jreport_builder* b, const jreport_sheet* s, int which) {
  static const jo_table_style plain = {.form = JREPORT_NO_FORM, .thin = MAX_ROWS};
  jo_table_style own = plain;
  own.name = jreport_text(b, "table%d", which + 1);
  own.title = s->title;
  jreport_begin_columns(b, &own, NULL, s->ncolumn, s->nrow);
  for (int i = 0; i < s->ncolumn; i++) {
    jreport_field f = field_of(b, s, i);
    if (s->column[i].text) {
      jreport_view_texts(b, &f, s->column[i].text);
    } else {
      jreport_view(b, &f, s->column[i].value, 1);
    }
  }
}

const jo_tables* jstudy_tables(jarena* a, const jo_model* model, const jreport_part* part) {
  jreport_builder b = japi_build(a, part->nsheet, model);
  jreport_add_note(&b, "part", part->title);
  for (int i = 0; i < part->nsheet; i++) {
    put_sheet(&b, &part->sheet[i], i);
  }
  return jreport_built(&b);
}
