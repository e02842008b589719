// SPDX-License-Identifier: Apache-2.0
// Tables as CSV: notes and remarks as '# ' comment lines, a row of names, a row of units, rows of
// numbers.
#include "report/table.h"

#include "base/file.h"
#include "report/cell.h"

static void put_unit(jtext* t, const char* unit) {
  if (!*unit) return;
  jtext_put(t, " ");
  jreport_put_comment(t, unit);
}

void jreport_put_notes(jtext* t, const jreport_note* note, int n) {
  for (int i = 0; i < n; i++) {
    jtext_printf(t, "# %s: ", note[i].name);
    if (note[i].kind == JREPORT_TEXT) jreport_put_comment(t, note[i].text);
    if (note[i].kind == JREPORT_REAL) jreport_put_number(t, note[i].real);
    if (note[i].kind == JREPORT_COUNT) jtext_printf(t, "%lld", (long long)note[i].count);
    put_unit(t, note[i].unit);
    jtext_put(t, "\n");
  }
}

void jreport_put_table(jtext* t, const jreport_table* table) {
  for (int unit = 0; unit < 2; unit++) {
    for (int i = 0; i < table->ncolumn; i++) {
      if (i > 0) jtext_put(t, ",");
      jreport_put_cell(t, unit ? table->column[i].unit : table->column[i].name);
    }
    jtext_put(t, "\n");
  }
  for (int k = 0; k < table->nrow && !t->failed; k++) {
    const double* row = table->row + (size_t)k * (size_t)table->ncolumn;
    for (int i = 0; i < table->ncolumn; i++) {
      if (i > 0) jtext_put(t, ",");
      jreport_put_number(t, row[i]);
    }
    jtext_put(t, "\n");
  }
}

static void put_list(jtext* t, const jreport_list* list) {
  for (int i = 0; list->comment && i < list->n; i++) {
    jtext_printf(t, "# %s ", list->comment);
    jreport_put_comment(t, list->item[i].name);
    jtext_put(t, ": ");
    jreport_put_number(t, list->item[i].value);
    put_unit(t, list->item[i].unit);
    jtext_put(t, "\n");
  }
}

static void put_events(jtext* t, const jplant_event* event, int n) {
  for (int i = 0; i < n; i++) {
    jtext_put(t, "# event ");
    jreport_put_number(t, event[i].t);
    jtext_put(t, " s: ");
    jreport_put_comment(t, event[i].name);
    jtext_put(t, event[i].on ? " on\n" : " off\n");
  }
}

jo_status jreport_table_csv(jo_context* ctx, const jreport_table* table, const char* path) {
  jtext t;
  jtext_init(&t, ctx);
  jreport_put_notes(&t, table->note, table->nnote);
  for (int i = 0; i < table->nlist; i++) {
    put_list(&t, &table->list[i]);
  }
  put_events(&t, table->event, table->nevent);
  for (int i = 0; i < table->nremark; i++) {
    jtext_printf(&t, "# row %d: ", table->remark[i].row);
    jreport_put_comment(&t, table->remark[i].text);
    jtext_put(&t, "\n");
  }
  jreport_put_table(&t, table);
  jo_status status = t.failed ? jerr_memory(ctx) : jfile_write(ctx, path, t.data, t.length);
  jtext_free(&t);
  return status;
}
