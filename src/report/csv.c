// SPDX-License-Identifier: Apache-2.0
// CSV writer.
#include "report/csv.h"

#include "base/file.h"
#include "report/cell.h"
#include "report/table.h"

static void put_unit(jtext* t, const char* unit) {
  if (!*unit) return;
  jtext_put(t, " ");
  jreport_put_comment(t, unit);
}

static void put_findings(jtext* t, const jplant_result* r) {
  const jplant_quantity* o = jplant_result_objectives(r);
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

jo_status jreport_csv(jo_context* ctx, const jplant_result* r, const char* path) {
  jreport_notes notes = {0};
  jreport_notes_of_run(&notes, r);
  jreport_table table = {
      .column = r->column, .ncolumn = r->ncolumn, .nrow = r->nrow, .row = r->row};
  jtext t;
  jtext_init(&t, ctx);
  jreport_put_notes(&t, notes.note, notes.n);
  put_findings(&t, r);
  jreport_put_table(&t, &table);
  jo_status status = t.failed ? jerr_memory(ctx) : jfile_write(ctx, path, t.data, t.length);
  jtext_free(&t);
  return status;
}
