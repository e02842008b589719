// SPDX-License-Identifier: Apache-2.0
// Outputs over time with their derivatives: a figure each, with a curve per run.
#include "api/sens_handle.h"
#include "study/job.h"
#include "study/list.h"
#include "study/read.h"

static void read(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  jmodel_need(at, map, "sensors");
  p->sensors = jstudy_get_names(at, map, "sensors");
  jstudy_read_runs(at, map, p);
  jstudy_read_wrt(at, map, p);
}

static jo_status copy_history(jstudy_job* k, const japi_history* h, const char* title) {
  jreport_sheet* s = jstudy_add_sheet(k, title, h->ncolumn, h->nrow);
  if (!s) return jerr_memory(k->ctx);
  const char* unit = "";
  for (int c = 0; c < h->ncolumn; c++) {
    int by = c > 0 ? (c - 1) % (1 + h->nw) - 1 : -1;
    const char* name = jarena_strdup(k->a, h->column[c].name);
    if (by < 0) unit = jarena_strdup(k->a, h->column[c].unit);
    if (!unit) return jerr_memory(k->ctx);
    const char* u = by < 0 ? unit : jstudy_derivative_unit(k, unit, k->system->parameter[by].unit);
    double* value = jstudy_add_numbers(k, s, name, u);
    if (!value) return jerr_memory(k->ctx);
    for (int i = 0; i < h->nrow; i++) {
      value[i] = h->row[(size_t)i * (size_t)h->ncolumn + (size_t)c];
    }
  }
  return JO_OK;
}

static jo_status history_run(jstudy_job* k, const char* const* sensor, int i) {
  jo_sens_result* r = NULL;
  jo_status status = jstudy_run_history(k, i, sensor, k->p->sensors.n, &r);
  if (status >= 0) status = copy_history(k, &r->history, jstudy_run_label(k, i));
  jo_sens_result_destroy(r);
  return status;
}

static jo_status run_histories(jstudy_job* k) {
  const jstudy_names* names = &k->p->sensors;
  int nw = jo_sens_parameter_count(k->system);
  const char** sensor = JARENA_ARRAY(k->a, names->n, const char*);
  if (!sensor) return jerr_memory(k->ctx);
  for (int i = 0; i < names->n; i++) {
    sensor[i] = names->name[i].text;
  }
  JO_TRY(jstudy_reserve(k, jstudy_run_count(k), names->n * (1 + nw)));
  for (int i = 0; i < jstudy_run_count(k); i++) {
    JO_TRY(history_run(k, sensor, i));
  }
  for (int c = 1; c < k->out->sheet[0].ncolumn; c++) {
    JO_TRY(jstudy_plot_sheets(k, k->out->sheet[0].column[c].name, 0, c));
  }
  return jstudy_end_runs(k);
}

static const char* title(jarena* a, const jmodel* m, const jstudy_part* p) {
  (void)m;
  return jarena_printf(a, "%s over time, with derivatives", jstudy_list_names(a, &p->sensors));
}

static const jmodel_key keys[] = {
    {JMODEL_KEY_AS("sensors", jstudy_form_names), .is_needed = true,
     .about = "Sensors, coordinates, forces of elements: columns of `jounce run -o`"},
    {JMODEL_KEY_AS("wrt", jstudy_form_names),
     .about = "Parameters to differentiate with respect to: names, paths, patterns"},
    {JMODEL_KEY_AS("for", jstudy_form_runs), .about = "A run for each value"},
    {JMODEL_KEY_NUMBER("output_step"), .about = "Between rows [s]; by default the model's"},
    JSTUDY_COMMON_KEYS,
    {0}};

const jstudy_kind jstudy_histories = {
    .key = {JMODEL_KEY_MAP("histories", keys), .about = "Outputs over time with their derivatives"},
    .read = read,
    .needs = {.derivatives = true, .histories = true},
    .title = title,
    .run = run_histories};
