// SPDX-License-Identifier: Apache-2.0
// One output over another, with a curve per run.
#include <string.h>

#include "parts/job.h"
#include "parts/list.h"
#include "parts/read.h"

static void read(const jmodel_at* at, const jmodel_node* map, jparts_part* p) {
  p->x = jparts_need_name(at, map, "x");
  p->y = jparts_need_name(at, map, "y");
  jparts_read_runs(at, map, p);
}

static int find_column(const jo_result* r, const char* name) {
  jo_quantity q;
  int i = 0;
  while (jo_result_column_at(r, i, &q) >= 0 && strcmp(q.name, name) != 0) {
    i++;
  }
  return i;
}

static jo_status copy_column(jparts_job* k, jreport_sheet* s, const jo_result* r,
                             const char* name) {
  int column = find_column(r, name), n = jo_result_column_count(r);
  jo_quantity q;
  if (jo_result_column_at(r, column, &q) < 0) return jerr_memory(k->ctx);
  double* value =
      jparts_add_numbers(k, s, jarena_strdup(k->a, q.name), jarena_strdup(k->a, q.unit));
  if (!value) return jerr_memory(k->ctx);
  const double* row = jo_result_rows(r);
  for (int i = 0; i < s->nrow; i++) {
    value[i] = row[(size_t)i * (size_t)n + (size_t)column];
  }
  return JO_OK;
}

static jo_status fill_trajectory(jparts_job* k, const jo_result* r, const char* title) {
  jreport_sheet* s = jparts_add_sheet(k, title, 3, jo_result_row_count(r));
  if (!s) return jerr_memory(k->ctx);
  JO_TRY(copy_column(k, s, r, "t"));
  JO_TRY(copy_column(k, s, r, k->p->x.text));
  return copy_column(k, s, r, k->p->y.text);
}

static jo_status run_trajectories(jparts_job* k) {
  JO_TRY(jparts_reserve(k, jparts_run_count(k), 1));
  for (int i = 0; i < jparts_run_count(k); i++) {
    jo_result* r = NULL;
    JO_TRY(jparts_begin_run(k, i));
    JO_TRY(jparts_simulate(k, &r));
    jo_status status = fill_trajectory(k, r, jparts_run_label(k, i));
    jo_result_destroy(r);
    JO_TRY(status);
  }
  JO_TRY(
      jparts_plot_sheets(k, jarena_printf(k->a, "%s over %s", k->p->y.text, k->p->x.text), 1, 2));
  return jparts_end_runs(k);
}

static const char* title(jarena* a, const jmodel* m, const jparts_part* p) {
  (void)m;
  return jarena_printf(a, "%s over %s", p->y.text, p->x.text);
}

static const char* const keys[] = {"x", "y", "for", "output_step", NULL};

const jparts_kind jparts_trajectories = {.name = "trajectories",
                                         .keys = keys,
                                         .read = read,
                                         .needs = {.any = true},
                                         .title = title,
                                         .run = run_trajectories};
