// SPDX-License-Identifier: Apache-2.0
// CSV writer.
#include "report/csv.h"

#include "base/file.h"
#include "report/cell.h"
#include "report/notes.h"

static void put_unit(jtext* t, const char* unit) {
  if (!*unit) return;
  jtext_put(t, " ");
  jreport_put_comment(t, unit);
}

static void put_notes(jtext* t, const jstudy_result* r) {
  jreport_note note[JREPORT_MAX_NOTES];
  int n = jreport_notes(r, note);
  for (int i = 0; i < n; i++) {
    jtext_printf(t, "# %s: ", note[i].name);
    if (note[i].kind == JREPORT_TEXT) jreport_put_comment(t, note[i].text);
    if (note[i].kind == JREPORT_REAL) jreport_put_number(t, note[i].real);
    if (note[i].kind == JREPORT_COUNT) jtext_printf(t, "%lld", (long long)note[i].count);
    put_unit(t, note[i].unit);
    jtext_put(t, "\n");
  }
}

static void put_findings(jtext* t, const jstudy_result* r) {
  const jstudy_quantity* o = jstudy_result_objectives(r);
  for (int i = 0; i < r->nobjective; i++) {
    jtext_put(t, "# objective ");
    jreport_put_comment(t, o[i].name);
    jtext_put(t, ": ");
    jreport_put_number(t, o[i].value);
    put_unit(t, o[i].unit);
    jtext_put(t, "\n");
  }
  for (int i = 0; i < r->nevent; i++) {
    jtext_put(t, "# event ");
    jreport_put_number(t, r->event[i].t);
    jtext_put(t, " s: ");
    jreport_put_comment(t, r->event[i].name);
    jtext_put(t, r->event[i].on ? " on\n" : " off\n");
  }
}

static void put_table(jtext* t, const jstudy_result* r) {
  for (int i = 0; i < r->ncolumn; i++) {
    if (i > 0) jtext_put(t, ",");
    jreport_put_cell(t, r->column[i].name);
  }
  jtext_put(t, "\n");
  for (int i = 0; i < r->ncolumn; i++) {
    if (i > 0) jtext_put(t, ",");
    jreport_put_cell(t, r->column[i].unit);
  }
  jtext_put(t, "\n");
  for (int k = 0; k < r->nrow && !t->failed; k++) {
    const double* row = r->row + (size_t)k * (size_t)r->ncolumn;
    for (int i = 0; i < r->ncolumn; i++) {
      if (i > 0) jtext_put(t, ",");
      jreport_put_number(t, row[i]);
    }
    jtext_put(t, "\n");
  }
}

jo_status jreport_csv(jo_context* ctx, const jstudy_result* r, const char* path) {
  jtext t;
  jtext_init(&t, ctx);
  put_notes(&t, r);
  put_findings(&t, r);
  put_table(&t, r);
  jo_status status = t.failed ? jerr_memory(ctx) : jfile_write(ctx, path, t.data, t.length);
  jtext_free(&t);
  return status;
}
