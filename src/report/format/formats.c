// SPDX-License-Identifier: Apache-2.0
// The table of formats, and what of a run goes into any of them.
#include "jounce/formats.h"

#include "base/text/format.h"
#include "report/format/table.h"

typedef struct format {
  const char* ending;
  bool needs_time;
  jo_status (*write)(jo_context* ctx, const jreport_table* table, const char* path);
} format;

#define TABLE(ending, writer)   {ending, false, jreport_table_##writer},
#define HISTORY(ending, writer) {ending, true, jreport_table_##writer},
static const format formats[] = {JO_TABLE_FORMATS(TABLE) JO_HISTORY_FORMATS(HISTORY)};

enum { NFORMAT = sizeof formats / sizeof *formats };

static bool is_fit(const format* f, const jreport_table* table) {
  return table->has_time || !f->needs_time;
}

static const format* find(const jreport_table* table, const char* path) {
  for (int i = 0; i < NFORMAT; i++) {
    if (is_fit(&formats[i], table) && jtext_ends_in(path, formats[i].ending)) return &formats[i];
  }
  return NULL;
}

bool jreport_is_format(const jreport_table* table, const char* path) {
  return find(table, path) != NULL;
}

static jo_status refuse(jo_context* ctx, const jreport_table* table, const char* path) {
  char list[80];
  size_t have = 0;
  int left = 0;
  for (int i = 0; i < NFORMAT; i++) {
    left += is_fit(&formats[i], table);
  }
  for (int i = 0; i < NFORMAT; i++) {
    if (!is_fit(&formats[i], table)) continue;
    const char* between = have == 0 ? "" : left == 1 ? " or " : ", ";
    have += (size_t)jformat(list + have, sizeof list - have, "%s%s", between, formats[i].ending);
    left--;
  }
  return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: cannot tell the format: the name must end in %s", path,
                  list);
}

jo_status jreport_save(jo_context* ctx, const jreport_table* table, const char* path) {
  const format* f = find(table, path);
  return f ? f->write(ctx, table, path) : refuse(ctx, table, path);
}

void jreport_run_table(jreport_run* run, const jplant_result* r) {
  *run = (jreport_run){0};
  jreport_notes_of_run(&run->notes, r);
  run->list =
      (jreport_list){"objectives", "objective", jplant_result_objectives(r), r->nobjective, true};
  run->table = (jreport_table){.note = run->notes.note,
                               .nnote = run->notes.n,
                               .column = r->column,
                               .ncolumn = r->ncolumn,
                               .nrow = r->nrow,
                               .row = r->row,
                               .has_time = true,
                               .list = &run->list,
                               .nlist = 1,
                               .event = r->event,
                               .nevent = r->nevent,
                               .has_events = true};
}
