// SPDX-License-Identifier: Apache-2.0
#include "study/job.h"

#include <math.h>
#include <string.h>

#include "api/select.h"

// ---- texts -------------------------------------------------------------------------------------

const char* jstudy_or_empty(const char* text) {
  return text ? text : "";
}

const char* jstudy_label(const jstudy_job* k, const char* name, const char* unit) {
  bool has_unit = *unit && strcmp(unit, "1") != 0;
  return has_unit ? jarena_printf(k->a, "%s [%s]", name, unit) : jarena_strdup(k->a, name);
}

const char* jstudy_parameter_unit(const jstudy_job* k, const char* name) {
  int number = jmodel_find_number(k->m, name);
  return number >= 0 ? japi_describe(k->m, number).unit : "";
}

const char* jstudy_derivative_unit(const jstudy_job* k, const char* unit, const char* by) {
  if (!*by || strcmp(by, "1") == 0) return unit;
  const char* over = *unit ? unit : "1";
  return jarena_printf(k->a, strpbrk(by, " /*^") ? "%s/(%s)" : "%s/%s", over, by);
}

const char* jstudy_percent_name(const jstudy_job* k, const char* of, const char* by) {
  return jarena_printf(k->a, "%s per 1 %% of %s", of, by);
}

const char* jstudy_run_label(const jstudy_job* k, int i) {
  if (k->p->runs.n == 0) return "";
  const char *name = k->p->runs.name.text, *unit = jstudy_parameter_unit(k, name);
  return jarena_printf(k->a, "%s = %.6g%s%s", name, k->p->runs.value[i], *unit ? " " : "", unit);
}

// ---- tables and figures ------------------------------------------------------------------------

jo_status jstudy_reserve(jstudy_job* k, int nsheet, int nfigure) {
  k->out->sheet = JARENA_ARRAY(k->a, nsheet, jreport_sheet);
  k->out->figure = JARENA_ARRAY(k->a, nfigure, jreport_plot);
  return k->out->sheet && k->out->figure ? JO_OK : jerr_memory(k->ctx);
}

jreport_sheet* jstudy_add_sheet(jstudy_job* k, const char* title, int ncolumn, int nrow) {
  jreport_sheet* s = &k->out->sheet[k->out->nsheet];
  *s = (jreport_sheet){.title = title, .nrow = nrow};
  s->column = JARENA_ARRAY(k->a, ncolumn, jreport_column);
  if (!s->column || !title) return NULL;
  k->out->nsheet++;
  return s;
}

double* jstudy_add_numbers(const jstudy_job* k, jreport_sheet* s, const char* name,
                           const char* unit) {
  double* value = JARENA_ARRAY(k->a, s->nrow, double);
  if (!value || !name || !unit) return NULL;
  s->column[s->ncolumn++] = (jreport_column){.name = name, .unit = unit, .value = value};
  return value;
}

const char** jstudy_add_texts(const jstudy_job* k, jreport_sheet* s, const char* name) {
  const char** text = JARENA_ARRAY(k->a, s->nrow, const char*);
  if (!text) return NULL;
  s->column[s->ncolumn++] = (jreport_column){.name = name, .unit = "", .text = text};
  return text;
}

jreport_plot* jstudy_add_figure(jstudy_job* k, const char* title, const char* x, const char* y,
                                int nseries) {
  jreport_series* series = JARENA_ARRAY(k->a, nseries, jreport_series);
  if (!series || !title || !x || !y) return NULL;
  jreport_plot* f = &k->out->figure[k->out->nfigure++];
  *f = (jreport_plot){.title = title, .subtitle = "", .x_label = x, .y_label = y, .series = series};
  return f;
}

void jstudy_add_series(jreport_plot* f, const char* name, const double* x, const double* y, int n,
                       bool has_marks) {
  ((jreport_series*)f->series)[f->nseries++] = (jreport_series){name, x, y, n, has_marks};
}

jo_status jstudy_plot_sheets(jstudy_job* k, const char* title, int x, int y) {
  const jreport_sheet* first = &k->out->sheet[0];
  const jreport_column *cx = &first->column[x], *cy = &first->column[y];
  jreport_plot* f = jstudy_add_figure(k, title, jstudy_label(k, cx->name, cx->unit),
                                      jstudy_label(k, cy->name, cy->unit), k->out->nsheet);
  if (!f) return jerr_memory(k->ctx);
  for (int i = 0; i < k->out->nsheet; i++) {
    const jreport_sheet* s = &k->out->sheet[i];
    bool is_one = k->p->runs.n == 0;
    const char* name = is_one ? "" : jarena_printf(k->a, "%.6g", k->p->runs.value[i]);
    if (!name) return jerr_memory(k->ctx);
    jstudy_add_series(f, name, s->column[x].value, s->column[y].value, s->nrow, false);
  }
  if (k->p->runs.n == 0) return JO_OK;
  const char* by = k->p->runs.name.text;
  f->subtitle = jstudy_label(k, by, jstudy_parameter_unit(k, by));
  if (!f->subtitle) f->subtitle = "";
  return *f->subtitle ? JO_OK : jerr_memory(k->ctx);
}

// ---- runs --------------------------------------------------------------------------------------

int jstudy_run_count(const jstudy_job* k) {
  return k->p->runs.n > 0 ? k->p->runs.n : 1;
}

bool jstudy_tell(jstudy_job* k, double fraction) {
  k->is_stopped = k->is_stopped || !k->tell(k->user, fraction);
  return !k->is_stopped;
}

int jstudy_on_progress(void* user, double fraction) {
  jstudy_job* k = user;
  return jstudy_tell(k, (k->run + fraction) / k->nrun);
}

jo_status jstudy_begin_run(jstudy_job* k, int i) {
  k->run = i;
  k->nrun = jstudy_run_count(k);
  if (!jstudy_on_progress(k, 0.0)) return JO_ERR_LIMIT;
  if (k->p->runs.n == 0) return JO_OK;
  const char* name = k->p->runs.name.text;
  if (i == 0) JO_TRY(jo_system_get(k->ctx, k->system, name, &k->before));
  return jo_system_set(k->ctx, k->system, &name, &k->p->runs.value[i], 1);
}

jo_status jstudy_end_runs(jstudy_job* k) {
  const char* name = k->p->runs.name.text;
  return k->p->runs.n > 0 ? jo_system_set(k->ctx, k->system, &name, &k->before, 1) : JO_OK;
}

jo_sens_options jstudy_sens_options(const jstudy_job* k) {
  jo_sens_options o = jo_sens_options_default();
  o.contributions = 0;
  o.tolerance = k->tolerance;
  return o;
}

jo_status jstudy_simulate(jstudy_job* k, jo_result** out) {
  jo_simulate_options o = jo_simulate_options_default();
  o.tolerance = k->tolerance;
  o.output_step_s = k->p->output_step;
  o.progress = jstudy_on_progress;
  o.user = k;
  jo_status status = jo_simulate(k->ctx, k->system, &o, out);
  if (status < 0) jo_result_destroy(*out);
  return status;
}

jo_status jstudy_run_history(jstudy_job* k, int i, const char* const* output, int n,
                             jo_sens_result** out) {
  jo_sens_options o = jstudy_sens_options(k);
  o.method = JO_SENS_DIRECT;
  o.history = output;
  o.nhistory = n;
  double step = k->m->simulation.output_step;
  o.history_step_s = isfinite(k->p->output_step) ? k->p->output_step : step;
  JO_TRY(jstudy_begin_run(k, i));
  return jo_sens_run(k->ctx, k->system, &o, out);
}

double jstudy_value_of(const jstudy_job* k, const char* name) {
  int number = jmodel_find_number(k->m, name);
  if (number < 0) return NAN;
  return k->system->value ? k->system->value[number] : k->m->number[number].value;
}

// ---- objectives ----------------------------------------------------------------------------------

int jstudy_find_objective(const jmodel* m, const char* name) {
  int i = 0;
  while (i < m->nobjective && strcmp(m->objective[i].name, name) != 0) {
    i++;
  }
  return i;
}

int jstudy_objective(const jstudy_job* k) {
  const jstudy_names* names = &k->p->objectives;
  return names->n > 0 ? jstudy_find_objective(k->m, names->name[0].text) : 0;
}
