// SPDX-License-Identifier: Apache-2.0
// Outputs and their derivatives over time and a parameter, as maps of colours.
#include <math.h>
#include <string.h>

#include "api/sens_handle.h"
#include "study/job.h"
#include "study/list.h"
#include "study/read.h"

// The parameter's values are those of the runs.
static void read(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  jmodel_need(at, map, "sensors");
  p->sensors = jstudy_get_names(at, map, "sensors");
  p->runs.name = jstudy_need_name(at, map, "parameter");
  jstudy_read_wrt(at, map, p);
  jmodel_need(at, map, "from");
  jmodel_need(at, map, "to");
  p->from = jstudy_get_number(at, map, "from", 0.0);
  p->to = jstudy_get_number(at, map, "to", 1.0);
  p->points = jstudy_get_count(at, map, "points", 2, 13);
  if (p->from >= p->to) {
    jmodel_mistake(at, map->place, "a surface needs from < to, got %.9g and %.9g", p->from, p->to);
  }
  p->runs.value = JMODEL_ARRAY(at->r, p->points, double);
  for (int i = 0; p->runs.value && i < p->points; i++) {
    bool is_last = i == p->points - 1;
    p->runs.value[i] = is_last ? p->to : p->from + i * (p->to - p->from) / (p->points - 1);
    p->runs.n++;
  }
  const jmodel_node* step = jmodel_node_find(map, "output_step");
  if (step && jstudy_get_number(at, map, "output_step", 1.0) == 0.0) {
    jmodel_mistake(at, step->place, "output_step is 0; runs of a surface need common instants");
  }
}

// ---- tables: one per quantity, its columns being the runs ----------------------------------------

static jo_status begin_tables(jstudy_job* k, const japi_history* h) {
  const char* unit = "";
  for (int c = 1; c < h->ncolumn; c++) {
    int by = (c - 1) % (1 + h->nw) - 1;
    if (by < 0) unit = jarena_strdup(k->a, h->column[c].unit);
    if (!unit) return jerr_memory(k->ctx);
    const char* u = by < 0 ? unit : jstudy_derivative_unit(k, unit, k->system->parameter[by].unit);
    const char* name = u ? jstudy_label(k, h->column[c].name, u) : NULL;
    jreport_sheet* s = jstudy_add_sheet(k, name, 1 + k->p->points, h->nrow);
    double* t = s ? jstudy_add_numbers(k, s, "t", "s") : NULL;
    if (!t) return jerr_memory(k->ctx);
    for (int i = 0; i < h->nrow; i++) {
      t[i] = h->row[(size_t)i * (size_t)h->ncolumn];
    }
  }
  return JO_OK;
}

static jo_status add_run(jstudy_job* k, const japi_history* h, int run) {
  if (run == 0) JO_TRY(begin_tables(k, h));
  if (h->nrow != k->out->sheet[0].nrow) {
    return jstudy_mistake(k->ctx, k->p, k->p->place,
                          "runs have %d and %d instants; a surface needs common ones",
                          k->out->sheet[0].nrow, h->nrow);
  }
  for (int c = 1; c < h->ncolumn; c++) {
    double* v = jstudy_add_numbers(k, &k->out->sheet[c - 1], jstudy_run_label(k, run), "");
    if (!v) return jerr_memory(k->ctx);
    for (int i = 0; i < h->nrow; i++) {
      v[i] = h->row[(size_t)i * (size_t)h->ncolumn + (size_t)c];
    }
  }
  return JO_OK;
}

// ---- figures -------------------------------------------------------------------------------------

static jo_status plot(jstudy_job* k, const jreport_sheet* s) {
  const char* by = k->p->runs.name.text;
  jreport_map* m = JARENA_NEW(k->a, jreport_map);
  double* z = JARENA_ARRAY(k->a, (size_t)s->nrow * (size_t)k->p->points, double);
  const char* y = jstudy_label(k, by, jstudy_parameter_unit(k, by));
  jreport_plot* f = m && z && y ? jstudy_add_figure(k, s->title, "t [s]", y, 0) : NULL;
  if (!f) return jerr_memory(k->ctx);
  for (int i = 0; i < k->p->points; i++) {
    memcpy(z + (size_t)i * (size_t)s->nrow, s->column[1 + i].value, (size_t)s->nrow * sizeof *z);
  }
  *m = (jreport_map){
      .x = s->column[0].value, .y = k->p->runs.value, .z = z, .nx = s->nrow, .ny = k->p->points};
  f->map = m;
  f->subtitle = jarena_printf(k->a, "%d values of %s, linear between them", k->p->points, by);
  return f->subtitle ? JO_OK : jerr_memory(k->ctx);
}

static jo_status run_surface(jstudy_job* k) {
  const jstudy_names* names = &k->p->sensors;
  int nw = jo_sens_parameter_count(k->system), n = names->n * (1 + nw);
  const char** sensor = JARENA_ARRAY(k->a, names->n, const char*);
  if (!sensor) return jerr_memory(k->ctx);
  for (int i = 0; i < names->n; i++) {
    sensor[i] = names->name[i].text;
  }
  JO_TRY(jstudy_reserve(k, n, n));
  for (int i = 0; i < k->p->points; i++) {
    jo_sens_result* r = NULL;
    jo_status status = jstudy_run_history(k, i, sensor, names->n, &r);
    if (status >= 0) status = add_run(k, &r->history, i);
    jo_sens_result_destroy(r);
    JO_TRY(status);
  }
  for (int i = 0; i < n; i++) {
    JO_TRY(plot(k, &k->out->sheet[i]));
  }
  return jstudy_end_runs(k);
}

static const char* title(jarena* a, const jmodel* m, const jstudy_part* p) {
  (void)m;
  return jarena_printf(a, "%s over time and %s", jstudy_list_names(a, &p->sensors),
                       p->runs.name.text);
}

static const jmodel_key keys[] = {
    {JMODEL_KEY_AS("sensors", jstudy_form_names), .is_needed = true,
     .about = "Sensors, coordinates, forces of elements: columns of `jounce run -o`"},
    {JMODEL_KEY_AS("wrt", jstudy_form_names),
     .about = "Parameters to differentiate with respect to: names, paths, patterns"},
    {JMODEL_KEY_TEXT("parameter"), .is_needed = true},
    {JMODEL_KEY_NUMBER("from"), .is_needed = true},
    {JMODEL_KEY_NUMBER("to"), .is_needed = true},
    {.name = "points", .is = JMODEL_A_COUNT | JMODEL_A_TEXT, .about = "13 by default"},
    {JMODEL_KEY_NUMBER("output_step"), .about = "Between rows [s]; by default the model's"},
    JSTUDY_COMMON_KEYS,
    {0}};

const jstudy_kind jstudy_surface = {
    .key = {JMODEL_KEY_MAP("surface", keys),
            .about = "Outputs and derivatives over time and a parameter"},
    .read = read,
    .needs = {.derivatives = true, .histories = true},
    .title = title,
    .run = run_surface};
