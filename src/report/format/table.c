// SPDX-License-Identifier: Apache-2.0
// Tables as CSV: notes and remarks as '# ' comment lines, a row of names, a row of units, rows of
// numbers.
#include "report/format/table.h"

#include "base/system/file.h"
#include "report/html/cell.h"

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

static void put_comma(jtext* t, int i) {
  if (i > 0) jtext_put(t, ",");
}

void jreport_put_table(jtext* t, const jreport_table* table) {
  for (int unit = 0; unit < 2; unit++) {
    for (int i = 0; i < table->ntext; i++) {
      put_comma(t, i);
      jreport_put_cell(t, unit ? table->text[i].unit : table->text[i].name);
    }
    for (int i = 0; i < table->ncolumn; i++) {
      put_comma(t, table->ntext + i);
      jreport_put_cell(t, unit ? table->column[i].unit : table->column[i].name);
    }
    jtext_put(t, "\n");
  }
  for (int k = 0; k < table->nrow && !t->failed; k++) {
    const double* row = table->row + (size_t)k * (size_t)table->ncolumn;
    for (int i = 0; i < table->ntext; i++) {
      put_comma(t, i);
      jreport_put_cell(t, table->text[i].text[k]);
    }
    for (int i = 0; i < table->ncolumn; i++) {
      put_comma(t, table->ntext + i);
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

// ---- arrays --------------------------------------------------------------------------------------

// The value that belongs to a cell of the longest array: shorter ones have its first axes.
static double value_of(const jreport_array* a, const int* cell) {
  size_t at = 0;
  for (int i = 1; i < a->naxis; i++) {
    at = at * (size_t)a->size[i] + (size_t)cell[i];
  }
  return a->data[(size_t)cell[0] * a->stride + at];
}

static void put_cell_of(jtext* t, const jreport_table* table, const jreport_array* longest, int k) {
  int cell[JREPORT_AXES] = {0};
  for (int i = longest->naxis - 1; i >= 0; i--) {
    cell[i] = k % longest->size[i];
    k /= longest->size[i];
  }
  for (int i = 0; i < longest->naxis; i++) {
    jreport_put_cell(t, table->list[longest->axis[i]].item[cell[i]].name);
    jtext_put(t, ",");
  }
  for (int i = 0; i < table->narray; i++) {
    if (i > 0) jtext_put(t, ",");
    jreport_put_number(t, value_of(&table->array[i], cell));
  }
  jtext_put(t, "\n");
}

// Arrays of a table without columns: a row per cell, with the names of its axes.
static void put_arrays(jtext* t, const jreport_table* table) {
  const jreport_array* longest = &table->array[0];
  int count = 1;
  for (int i = 1; i < table->narray; i++) {
    if (table->array[i].naxis > longest->naxis) longest = &table->array[i];
  }
  for (int i = 0; i < longest->naxis; i++) {
    jtext_printf(t, "%s,", table->list[longest->axis[i]].name);
    count *= longest->size[i];
  }
  for (int i = 0; i < table->narray; i++) {
    jtext_printf(t, "%s%s", i ? "," : "", table->array[i].name);
  }
  jtext_put(t, "\n");
  for (int k = 0; k < count && !t->failed; k++) {
    put_cell_of(t, table, longest, k);
  }
}

// ---- files ---------------------------------------------------------------------------------------

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
  if (jreport_has_columns(table) || table->narray == 0) {
    jreport_put_table(&t, table);
  } else {
    put_arrays(&t, table);
  }
  jo_status status = t.failed ? jerr_memory(ctx) : jfile_write(ctx, path, t.data, t.length);
  jtext_free(&t);
  return status;
}
