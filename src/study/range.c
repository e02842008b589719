// SPDX-License-Identifier: Apache-2.0
// Objectives over a parameter, and their derivatives by it or by other numbers, with a curve per run.
#include <math.h>
#include <string.h>

#include "jounce/sweep.h"
#include "study/job.h"
#include "study/list.h"
#include "study/read.h"

#define MARKED 25  // points that have dots; more of them are a curve

static void read(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  p->parameter = jstudy_need_name(at, map, "parameter");
  jmodel_need(at, map, "from");
  jmodel_need(at, map, "to");
  p->from = jstudy_get_number(at, map, "from", NAN);
  p->to = jstudy_get_number(at, map, "to", NAN);
  p->points = jstudy_get_count(at, map, "points", 2, 13);
  jstudy_read_objectives(at, map, p);
  jstudy_read_runs(at, map, p);
  p->wrt = jstudy_get_names(at, map, "wrt");
  p->needs.derivatives = jstudy_get_bool(at, map, "derivative", true);
  p->needs.by_parameter = p->needs.derivatives && p->wrt.n == 0;
  if (p->wrt.n > 0 && !p->needs.derivatives) {
    jmodel_mistake(at, p->wrt.name[0].place, "wrt beside derivative: false");
  }
}

static int on_point(void* user, int done) {
  jstudy_job* k = user;
  return jstudy_on_progress(k, (double)done / k->p->points);
}

// Points that fail leave a gap; where all do there is nothing to show.
static jo_status tell_failed(jstudy_job* k, const jo_sweep* sweep) {
  jo_sweep_info info = jo_sweep_inspect(sweep);
  jo_sweep_point point;
  for (int i = 0; jo_sweep_point_at(sweep, i, &point) >= 0 && info.failed > 0; i++) {
    if (point.status >= 0) continue;
    if (info.failed == info.points) {
      return jstudy_mistake(k->ctx, k->p, k->p->place, "no point could be computed; %s = %.9g: %s",
                            k->p->parameter.text, point.parameter[0], point.message);
    }
    jerr_warn(k->ctx, "%s:%d: range: %s = %.9g: %s", k->p->place.file, k->p->place.line,
              k->p->parameter.text, point.parameter[0], point.message);
  }
  return JO_OK;
}

// ---- tables --------------------------------------------------------------------------------------

static int number_count(const jstudy_job* k) {
  return k->p->needs.derivatives ? jo_sens_parameter_count(k->system) : 0;
}

static bool is_swept(const jstudy_job* k, int number) {
  return strcmp(k->system->parameter[number].name, k->p->parameter.text) == 0;
}

// Derivative by a number, and what 1 % of it changes: in percent by the parameter itself, else in the unit of the
// objective, which may pass through zero. y: values.
static jo_status add_slope(jstudy_job* k, const jo_sweep* sweep, jreport_sheet* s, int which,
                           int number, const double* y) {
  const jmodel_objective* o = &k->m->objective[which];
  const jo_sens_parameter* by = &k->system->parameter[number];
  bool swept = is_swept(k, number);
  const char* unit = jstudy_or_empty(o->unit);
  const double* x = s->column[0].value;
  jo_sweep_point point;
  double* d = jstudy_add_numbers(k, s, jarena_printf(k->a, "d %s / d %s", o->name, by->name),
                                 jstudy_derivative_unit(k, unit, by->unit));
  if (!d) return jerr_memory(k->ctx);
  const char* head = swept ? jarena_printf(k->a, "%s, %% per 1 %% of %s", o->name, by->name)
                           : jstudy_percent_name(k, o->name, by->name);
  double* percent = jstudy_add_numbers(k, s, head, swept ? "%" : unit);
  if (!percent) return jerr_memory(k->ctx);
  double value = swept ? NAN : jstudy_value_of(k, by->name);
  int n = number_count(k);
  for (int i = 0; jo_sweep_point_at(sweep, i, &point) >= 0; i++) {
    d[i] = point.gradient[which * n + number];
    percent[i] = swept ? (y[i] != 0.0 ? d[i] * x[i] / y[i] : NAN) : 0.01 * d[i] * value;
  }
  return JO_OK;
}

static jo_status add_objective(jstudy_job* k, const jo_sweep* sweep, jreport_sheet* s, int which) {
  const jmodel_objective* o = &k->m->objective[which];
  jo_sweep_point point;
  double* y = jstudy_add_numbers(k, s, o->name, jstudy_or_empty(o->unit));
  if (!y) return jerr_memory(k->ctx);
  for (int i = 0; jo_sweep_point_at(sweep, i, &point) >= 0; i++) {
    y[i] = point.value[which];
  }
  for (int i = 0; i < number_count(k); i++) {
    JO_TRY(add_slope(k, sweep, s, which, i, y));
  }
  return JO_OK;
}

static int objective_count(const jstudy_job* k) {
  return k->p->objectives.n > 0 ? k->p->objectives.n : k->m->nobjective;
}

static jo_status fill_range(jstudy_job* k, const jo_sweep* sweep, int run) {
  const jstudy_names* names = &k->p->objectives;
  const char* by = k->p->parameter.text;
  int n = objective_count(k);
  JO_TRY(tell_failed(k, sweep));
  jreport_sheet* s = jstudy_add_sheet(k, jstudy_run_label(k, run),
                                      1 + n * (1 + 2 * number_count(k)), k->p->points);
  double* x = s ? jstudy_add_numbers(k, s, by, jstudy_parameter_unit(k, by)) : NULL;
  jo_sweep_point point;
  if (!x) return jerr_memory(k->ctx);
  for (int i = 0; jo_sweep_point_at(sweep, i, &point) >= 0; i++) {
    x[i] = point.parameter[0];
  }
  for (int i = 0; i < n; i++) {
    int which = names->n > 0 ? jstudy_find_objective(k->m, names->name[i].text) : i;
    JO_TRY(add_objective(k, sweep, s, which));
  }
  return JO_OK;
}

// ---- figures -------------------------------------------------------------------------------------

static jo_status plot_column(jstudy_job* k, int column) {
  JO_TRY(jstudy_plot_sheets(k, k->out->sheet[0].column[column].name, 0, column));
  jreport_plot* f = &k->out->figure[k->out->nfigure - 1];
  for (int i = 0; i < f->nseries; i++) {
    ((jreport_series*)f->series)[i].has_marks = k->p->points <= MARKED;
  }
  if (k->p->runs.n > 0) return JO_OK;
  double* mark = JARENA_ARRAY(k->a, 1, double);
  if (!mark) return jerr_memory(k->ctx);
  JO_TRY(jo_system_get(k->ctx, k->system, k->p->parameter.text, mark));
  f->mark_x = mark;
  f->nmark = 1;
  return JO_OK;
}

// Objectives; derivatives by the parameter itself, else what 1 % of the number changes.
static jo_status plot_range(jstudy_job* k) {
  int n = number_count(k), column = 1;
  for (int i = 0; i < objective_count(k); i++) {
    JO_TRY(plot_column(k, column++));
    for (int j = 0; j < n; j++, column += 2) {
      JO_TRY(plot_column(k, is_swept(k, j) ? column : column + 1));
    }
  }
  return JO_OK;
}

// ---- runs ----------------------------------------------------------------------------------------

static jo_status sweep_once(jstudy_job* k, int run) {
  jo_range range = {
      .name = k->p->parameter.text, .from = k->p->from, .to = k->p->to, .n = k->p->points};
  jo_sweep_options o = jo_sweep_options_default();
  o.range = &range;
  o.nrange = 1;
  o.tolerance = k->tolerance;
  o.progress = on_point;
  o.user = k;
  jo_sweep* sweep = NULL;
  JO_TRY(jstudy_begin_run(k, run));
  jo_status status = jo_sweep_create(k->ctx, k->system, &o, &sweep);
  if (status >= 0) status = jo_sweep_run(sweep);
  if (status >= 0 && k->is_stopped) status = JO_ERR_LIMIT;
  if (status >= 0) status = fill_range(k, sweep, run);
  jo_sweep_destroy(sweep);
  return status;
}

static jo_status run_range(jstudy_job* k) {
  JO_TRY(jstudy_reserve(k, jstudy_run_count(k), objective_count(k) * (1 + number_count(k))));
  for (int i = 0; i < jstudy_run_count(k); i++) {
    JO_TRY(sweep_once(k, i));
  }
  JO_TRY(plot_range(k));
  return jstudy_end_runs(k);
}

static const char* title(jarena* a, const jmodel* m, const jstudy_part* p) {
  return jarena_printf(a, "%s over %s", jstudy_name_objectives(a, m, p), p->parameter.text);
}

static const jmodel_key keys[] = {
    {JMODEL_KEY_TEXT("parameter"), .is_needed = true},
    {JMODEL_KEY_NUMBER("from"), .is_needed = true},
    {JMODEL_KEY_NUMBER("to"), .is_needed = true},
    {.name = "points", .is = JMODEL_A_COUNT | JMODEL_A_TEXT, .about = "13 by default"},
    {JMODEL_KEY_AS("objectives", jstudy_form_names), .about = "By default all"},
    {JMODEL_KEY_BOOL("derivative"), .about = "false: values alone"},
    {JMODEL_KEY_AS("wrt", jstudy_form_names),
     .about = "Parameters to differentiate with respect to: names, paths, patterns"},
    {JMODEL_KEY_AS("for", jstudy_form_runs), .about = "A run for each value"},
    JSTUDY_COMMON_KEYS,
    {0}};

const jstudy_kind jstudy_range = {
    .key = {JMODEL_KEY_MAP("range", keys),
            .about = "Objectives over a parameter with their derivatives"},
    .read = read,
    .needs = {.sweeps = true, .objectives = true},
    .title = title,
    .run = run_range};
