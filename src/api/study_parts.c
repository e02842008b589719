// SPDX-License-Identifier: Apache-2.0
// The parts of a study: each is runs as the plain commands make them, put into tables and figures.
#include <math.h>
#include <string.h>

#include "api/select.h"
#include "api/sens_handle.h"
#include "api/study_handle.h"
#include "jounce/sweep.h"
#include "model/reader.h"

typedef struct job {
  japi_study_job* j;
  jo_context* ctx;
  jarena* a;
  const jstudy_part* p;
  jo_system* system;
  const jmodel* m;
  jreport_part* out;
  double before;     // the value of the parameter, which is set back
  double run, nrun;  // under way
} job;

// ---- texts ---------------------------------------------------------------------------------------

static const char* or_empty(const char* text) {
  return text ? text : "";
}

// "NAME [UNIT]"; NULL: no memory.
static const char* label(const job* k, const char* name, const char* unit) {
  bool has_unit = *unit && strcmp(unit, "1") != 0;
  return has_unit ? jarena_printf(k->a, "%s [%s]", name, unit) : jarena_strdup(k->a, name);
}

static const char* parameter_unit(const job* k, const char* name) {
  int number = jmodel_find_number(k->m, name);
  return number >= 0 ? japi_describe(k->m, number).unit : "";
}

// Of a derivative: "N/m", "m/s^2/(N s/m)".
static const char* derivative_unit(const job* k, const char* unit, const char* by) {
  if (!*by || strcmp(by, "1") == 0) return unit;
  const char* over = *unit ? unit : "1";
  return jarena_printf(k->a, strpbrk(by, " /*^") ? "%s/(%s)" : "%s/%s", over, by);
}

// "K = 1e4 N m/rad" of a run; "" where nothing varies.
static const char* run_label(const job* k, int i) {
  if (k->p->nvalue == 0) return "";
  const char *name = k->p->parameter.text, *unit = parameter_unit(k, name);
  return jarena_printf(k->a, "%s = %.6g%s%s", name, k->p->value[i], *unit ? " " : "", unit);
}

// ---- tables and figures --------------------------------------------------------------------------

static jo_status reserve(job* k, int nsheet, int nfigure) {
  k->out->sheet = JARENA_ARRAY(k->a, nsheet, jreport_sheet);
  k->out->figure = JARENA_ARRAY(k->a, nfigure, jreport_plot);
  return k->out->sheet && k->out->figure ? JO_OK : jerr_memory(k->ctx);
}

// NULL: no memory. Columns are to be begun.
static jreport_sheet* add_sheet(job* k, const char* title, int ncolumn, int nrow) {
  jreport_sheet* s = &k->out->sheet[k->out->nsheet];
  *s = (jreport_sheet){.title = title, .nrow = nrow};
  s->column = JARENA_ARRAY(k->a, ncolumn, jreport_column);
  if (!s->column || !title) return NULL;
  k->out->nsheet++;
  return s;
}

// The room for numbers of a new column; NULL: no memory.
static double* add_numbers(const job* k, jreport_sheet* s, const char* name, const char* unit) {
  double* value = JARENA_ARRAY(k->a, s->nrow, double);
  if (!value || !name || !unit) return NULL;
  s->column[s->ncolumn++] = (jreport_column){.name = name, .unit = unit, .value = value};
  return value;
}

static const char** add_texts(const job* k, jreport_sheet* s, const char* name) {
  const char** text = JARENA_ARRAY(k->a, s->nrow, const char*);
  if (!text) return NULL;
  s->column[s->ncolumn++] = (jreport_column){.name = name, .unit = "", .text = text};
  return text;
}

static jreport_plot* add_figure(job* k, const char* title, const char* x, const char* y,
                                int nseries) {
  jreport_series* series = JARENA_ARRAY(k->a, nseries, jreport_series);
  if (!series || !title || !x || !y) return NULL;
  jreport_plot* f = &k->out->figure[k->out->nfigure++];
  *f = (jreport_plot){.title = title, .subtitle = "", .x_label = x, .y_label = y, .series = series};
  return f;
}

static void add_series(jreport_plot* f, const char* name, const double* x, const double* y, int n,
                       bool has_marks) {
  ((jreport_series*)f->series)[f->nseries++] = (jreport_series){name, x, y, n, has_marks};
}

// A curve per table: column y over column x.
static jo_status plot_sheets(job* k, const char* title, int x, int y) {
  const jreport_sheet* first = &k->out->sheet[0];
  const jreport_column *cx = &first->column[x], *cy = &first->column[y];
  jreport_plot* f = add_figure(k, title, label(k, cx->name, cx->unit), label(k, cy->name, cy->unit),
                               k->out->nsheet);
  if (!f) return jerr_memory(k->ctx);
  for (int i = 0; i < k->out->nsheet; i++) {
    const jreport_sheet* s = &k->out->sheet[i];
    bool is_one = k->p->nvalue == 0;
    const char* name = is_one ? "" : jarena_printf(k->a, "%.6g", k->p->value[i]);
    if (!name) return jerr_memory(k->ctx);
    add_series(f, name, s->column[x].value, s->column[y].value, s->nrow, false);
  }
  if (k->p->nvalue == 0) return JO_OK;
  const char* by = k->p->parameter.text;
  f->subtitle = label(k, by, parameter_unit(k, by));
  if (!f->subtitle) f->subtitle = "";
  return *f->subtitle ? JO_OK : jerr_memory(k->ctx);
}

// ---- runs ----------------------------------------------------------------------------------------

static int run_count(const job* k) {
  return k->p->nvalue > 0 ? k->p->nvalue : 1;
}

static int on_progress(void* user, double fraction) {
  const job* k = user;
  return japi_study_tell(k->j, (k->run + fraction) / k->nrun);
}

// Give the parameter its value of the i-th run.
static jo_status begin_run(job* k, int i) {
  k->run = i;
  k->nrun = run_count(k);
  if (!on_progress(k, 0.0)) return JO_ERR_LIMIT;
  if (k->p->nvalue == 0) return JO_OK;
  const char* name = k->p->parameter.text;
  if (i == 0) JO_TRY(jo_system_get(k->ctx, k->system, name, &k->before));
  return jo_system_set(k->ctx, k->system, &name, &k->p->value[i], 1);
}

static jo_status end_runs(job* k) {
  const char* name = k->p->parameter.text;
  return k->p->nvalue > 0 ? jo_system_set(k->ctx, k->system, &name, &k->before, 1) : JO_OK;
}

static jo_sens_options sens_options(const job* k) {
  jo_sens_options o = jo_sens_options_default();
  o.contributions = 0;
  o.tolerance = k->j->study->file->tolerance;
  return o;
}

static jo_status simulate(job* k, jo_result** out) {
  jo_simulate_options o = jo_simulate_options_default();
  o.tolerance = k->j->study->file->tolerance;
  o.output_step_s = k->p->output_step;
  o.progress = on_progress;
  o.user = k;
  jo_status status = jo_simulate(k->ctx, k->system, &o, out);
  if (status < 0) jo_result_destroy(*out);
  return status;
}

// ---- histories -----------------------------------------------------------------------------------

static jo_status copy_history(job* k, const japi_history* h, const char* title) {
  jreport_sheet* s = add_sheet(k, title, h->ncolumn, h->nrow);
  if (!s) return jerr_memory(k->ctx);
  const char* unit = "";
  for (int c = 0; c < h->ncolumn; c++) {
    int by = c > 0 ? (c - 1) % (1 + h->nw) - 1 : -1;
    const char* name = jarena_strdup(k->a, h->column[c].name);
    if (by < 0) unit = jarena_strdup(k->a, h->column[c].unit);
    if (!unit) return jerr_memory(k->ctx);
    const char* u = by < 0 ? unit : derivative_unit(k, unit, k->system->parameter[by].unit);
    double* value = add_numbers(k, s, name, u);
    if (!value) return jerr_memory(k->ctx);
    for (int i = 0; i < h->nrow; i++) {
      value[i] = h->row[(size_t)i * (size_t)h->ncolumn + (size_t)c];
    }
  }
  return JO_OK;
}

static jo_status history_run(job* k, const char* const* sensor, int i) {
  jo_sens_options o = sens_options(k);
  jo_sens_result* r = NULL;
  o.method = JO_SENS_DIRECT;
  o.history = sensor;
  o.nhistory = k->p->sensors.n;
  double step = k->m->simulation.output_step;
  o.history_step_s = isfinite(k->p->output_step) ? k->p->output_step : step;
  JO_TRY(begin_run(k, i));
  jo_status status = jo_sens_run(k->ctx, k->system, &o, &r);
  if (status >= 0) status = copy_history(k, &r->history, run_label(k, i));
  jo_sens_result_destroy(r);
  return status;
}

static jo_status run_histories(job* k) {
  const jstudy_names* names = &k->p->sensors;
  int nw = jo_sens_parameter_count(k->system);
  const char** sensor = JARENA_ARRAY(k->a, names->n, const char*);
  if (!sensor) return jerr_memory(k->ctx);
  for (int i = 0; i < names->n; i++) {
    sensor[i] = names->name[i].text;
  }
  JO_TRY(reserve(k, run_count(k), names->n * (1 + nw)));
  for (int i = 0; i < run_count(k); i++) {
    JO_TRY(history_run(k, sensor, i));
  }
  for (int c = 1; c < k->out->sheet[0].ncolumn; c++) {
    JO_TRY(plot_sheets(k, k->out->sheet[0].column[c].name, 0, c));
  }
  return end_runs(k);
}

// ---- range ---------------------------------------------------------------------------------------

static int on_point(void* user, int done) {
  const job* k = user;
  return japi_study_tell(k->j, (double)done / k->p->points);
}

// Points that fail leave a gap; where all do there is nothing to show.
static jo_status tell_failed(job* k, const jo_sweep* sweep) {
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

static jo_status plot_range(job* k, const jreport_column* x, const jreport_column* y) {
  double* mark = JARENA_ARRAY(k->a, 1, double);
  jreport_plot* f =
      add_figure(k, y->name, label(k, x->name, x->unit), label(k, y->name, y->unit), 1);
  if (!f || !mark) return jerr_memory(k->ctx);
  add_series(f, "", x->value, y->value, k->p->points, true);
  JO_TRY(jo_system_get(k->ctx, k->system, k->p->parameter.text, mark));
  f->mark_x = mark;
  f->nmark = 1;
  return JO_OK;
}

// Objective, derivative, percent per percent of one objective.
static jo_status add_objective(job* k, const jo_sweep* sweep, jreport_sheet* s, int which) {
  const jmodel_objective* o = &k->m->objective[which];
  const char* by = k->p->parameter.text;
  const char* unit = or_empty(o->unit);
  const double* x = s->column[0].value;
  jo_sweep_point point;
  double* y = add_numbers(k, s, o->name, unit);
  if (!y) return jerr_memory(k->ctx);
  for (int i = 0; jo_sweep_point_at(sweep, i, &point) >= 0; i++) {
    y[i] = point.value[which];
  }
  JO_TRY(plot_range(k, &s->column[0], &s->column[s->ncolumn - 1]));
  if (!k->p->derivative) return JO_OK;
  const char* name = jarena_printf(k->a, "d %s / d %s", o->name, by);
  double* d = add_numbers(k, s, name, derivative_unit(k, unit, parameter_unit(k, by)));
  if (!d) return jerr_memory(k->ctx);
  double* percent =
      add_numbers(k, s, jarena_printf(k->a, "%s, %% per 1 %% of %s", o->name, by), "%");
  if (!percent) return jerr_memory(k->ctx);
  for (int i = 0; jo_sweep_point_at(sweep, i, &point) >= 0; i++) {
    d[i] = point.gradient[which];
    percent[i] = y[i] != 0.0 ? d[i] * x[i] / y[i] : NAN;
  }
  return plot_range(k, &s->column[0], &s->column[s->ncolumn - 2]);
}

static int find_objective(const jmodel* m, const char* name) {
  int i = 0;
  while (i < m->nobjective && strcmp(m->objective[i].name, name) != 0) {
    i++;
  }
  return i;
}

static jo_status fill_range(job* k, const jo_sweep* sweep) {
  const jstudy_names* names = &k->p->objectives;
  const char* by = k->p->parameter.text;
  int n = names->n > 0 ? names->n : k->m->nobjective;
  JO_TRY(tell_failed(k, sweep));
  JO_TRY(reserve(k, 1, 2 * n));
  jreport_sheet* s = add_sheet(k, "", 1 + 3 * n, k->p->points);
  double* x = s ? add_numbers(k, s, by, parameter_unit(k, by)) : NULL;
  jo_sweep_point point;
  if (!x) return jerr_memory(k->ctx);
  for (int i = 0; jo_sweep_point_at(sweep, i, &point) >= 0; i++) {
    x[i] = point.parameter[0];
  }
  for (int i = 0; i < n; i++) {
    int which = names->n > 0 ? find_objective(k->m, names->name[i].text) : i;
    JO_TRY(add_objective(k, sweep, s, which));
  }
  return JO_OK;
}

static jo_status run_range(job* k) {
  jo_range range = {k->p->parameter.text, k->p->from, k->p->to, k->p->points};
  jo_sweep_options o = jo_sweep_options_default();
  o.range = &range;
  o.nrange = 1;
  o.tolerance = k->j->study->file->tolerance;
  o.progress = on_point;
  o.user = k;
  jo_sweep* sweep = NULL;
  jo_status status = jo_sweep_create(k->ctx, k->system, &o, &sweep);
  if (status >= 0) status = jo_sweep_run(sweep);
  if (status >= 0 && !k->j->is_stopped) status = fill_range(k, sweep);
  jo_sweep_destroy(sweep);
  return status;
}

// ---- trajectories --------------------------------------------------------------------------------

static int find_column(const jo_result* r, const char* name) {
  jo_quantity q;
  int i = 0;
  while (jo_result_column_at(r, i, &q) >= 0 && strcmp(q.name, name) != 0) {
    i++;
  }
  return i;
}

static jo_status copy_column(job* k, jreport_sheet* s, const jo_result* r, const char* name) {
  int column = find_column(r, name), n = jo_result_column_count(r);
  jo_quantity q;
  if (jo_result_column_at(r, column, &q) < 0) return jerr_memory(k->ctx);
  double* value = add_numbers(k, s, jarena_strdup(k->a, q.name), jarena_strdup(k->a, q.unit));
  if (!value) return jerr_memory(k->ctx);
  const double* row = jo_result_rows(r);
  for (int i = 0; i < s->nrow; i++) {
    value[i] = row[(size_t)i * (size_t)n + (size_t)column];
  }
  return JO_OK;
}

static jo_status fill_trajectory(job* k, const jo_result* r, const char* title) {
  jreport_sheet* s = add_sheet(k, title, 3, jo_result_row_count(r));
  if (!s) return jerr_memory(k->ctx);
  JO_TRY(copy_column(k, s, r, "t"));
  JO_TRY(copy_column(k, s, r, k->p->x.text));
  return copy_column(k, s, r, k->p->y.text);
}

static jo_status run_trajectories(job* k) {
  JO_TRY(reserve(k, run_count(k), 1));
  for (int i = 0; i < run_count(k); i++) {
    jo_result* r = NULL;
    JO_TRY(begin_run(k, i));
    JO_TRY(simulate(k, &r));
    jo_status status = fill_trajectory(k, r, run_label(k, i));
    jo_result_destroy(r);
    JO_TRY(status);
  }
  JO_TRY(plot_sheets(k, jarena_printf(k->a, "%s over %s", k->p->y.text, k->p->x.text), 1, 2));
  return end_runs(k);
}

// ---- differences ---------------------------------------------------------------------------------

static int the_objective(const job* k) {
  return k->p->objectives.n > 0 ? find_objective(k->m, k->p->objectives.name[0].text) : 0;
}

static jo_status fill_differences(job* k, const jo_sens_vcurve_point* point, double exact) {
  const jmodel_objective* o = &k->m->objective[the_objective(k)];
  const char* by = k->p->parameter.text;
  const char* unit = derivative_unit(k, or_empty(o->unit), parameter_unit(k, by));
  int n = k->p->points;
  jreport_sheet* s = add_sheet(k, "", 5, n);
  double* v[5] = {0};
  if (s) {
    v[0] = add_numbers(k, s, jarena_printf(k->a, "increment of %s / %s", by, by), "");
    v[1] = add_numbers(k, s, "forward", unit);
    v[2] = add_numbers(k, s, "central", unit);
    v[3] = add_numbers(k, s, "relative error, forward", "");
    v[4] = add_numbers(k, s, "relative error, central", "");
  }
  const char* title = jarena_printf(k->a, "d %s / d %s by differences", o->name, by);
  const char* about = jarena_printf(k->a, "exact: %.9g %s", exact, or_empty(unit));
  jreport_plot* f =
      s ? add_figure(k, title, s->column[0].name, "relative error of the derivative", 2) : NULL;
  if (!v[0] || !v[1] || !v[2] || !v[3] || !v[4] || !f || !about) return jerr_memory(k->ctx);
  for (int i = 0; i < n; i++) {
    v[0][i] = point[i].relative;
    v[1][i] = point[i].forward;
    v[2][i] = point[i].central;
    v[3][i] = point[i].forward_error;
    v[4][i] = point[i].central_error;
  }
  s->title = about;
  f->subtitle = about;
  f->log_x = f->log_y = true;
  add_series(f, "forward", v[0], v[3], n, true);
  add_series(f, "central", v[0], v[4], n, true);
  return JO_OK;
}

static jo_status run_differences(job* k) {
  int parameter = jo_sens_parameter_find(k->system, k->p->parameter.text);
  jo_sens_vcurve_point* point = JARENA_ARRAY(k->a, k->p->points, jo_sens_vcurve_point);
  if (!point) return jerr_memory(k->ctx);
  jo_sens_options o = sens_options(k);
  japi_report tell = {on_progress, k};
  double exact;
  k->nrun = 1;
  JO_TRY(reserve(k, 1, 1));
  JO_TRY(japi_sens_vcurve(k->ctx, k->system, &o, the_objective(k), parameter, k->p->points, &tell,
                          point, &exact));
  return fill_differences(k, point, exact);
}

// ---- ranking -------------------------------------------------------------------------------------

typedef struct ranking {
  const jo_sens_result* result;
  int objective, n;
  const jo_sens_row* row;
  const double* increment;
} ranking;

static int count_rows(const ranking* r, jo_influence influence) {
  int n = 0;
  for (int i = 0; i < r->n; i++) {
    n += r->row[i].influence == influence;
  }
  return n;
}

typedef double (*pick)(const ranking* r, const jo_sens_row* row);

static double pick_value(const ranking* r, const jo_sens_row* row) {
  (void)r;
  return row->value;
}

static double pick_size(const ranking* r, const jo_sens_row* row) {
  (void)r;
  return row->size;
}

static double pick_derivative(const ranking* r, const jo_sens_row* row) {
  (void)r;
  return row->derivative;
}

static double pick_error(const ranking* r, const jo_sens_row* row) {
  return jo_sens_derivative_error(r->result, r->objective, row->parameter);
}

static double pick_percent(const ranking* r, const jo_sens_row* row) {
  (void)r;
  return row->percent;
}

static double pick_increment(const ranking* r, const jo_sens_row* row) {
  return r->increment[row->parameter];
}

static double pick_change(const ranking* r, const jo_sens_row* row) {
  (void)r;
  return row->change;
}

static bool add_picked(const job* k, jreport_sheet* s, const ranking* r, jo_influence influence,
                       const char* name, const char* unit, int digits, pick get) {
  double* value = add_numbers(k, s, name, unit);
  if (value) s->column[s->ncolumn - 1].digits = digits;
  for (int i = 0, n = 0; value && i < r->n; i++) {
    if (r->row[i].influence == influence) value[n++] = get(r, &r->row[i]);
  }
  return value;
}

// Texts of the parameters: 0 names, 1 units, 2 descriptions.
static bool add_words(const job* k, jreport_sheet* s, const ranking* r, jo_influence influence,
                      const char* name, int what) {
  const char** text = add_texts(k, s, name);
  for (int i = 0, n = 0; text && i < r->n; i++) {
    if (r->row[i].influence != influence) continue;
    const jo_sens_parameter* p = &k->system->parameter[r->row[i].parameter];
    const char* word = what == 0 ? p->name : what == 1 ? p->unit : p->description;
    text[n] = jarena_strdup(k->a, word);
    if (!text[n++]) return false;
  }
  return text;
}

static jo_status add_rank(job* k, const ranking* r, jo_influence influence, const char* title) {
  int n = count_rows(r, influence);
  bool is_first = influence == JO_MATTERS;
  if (n == 0 && !is_first) return JO_OK;
  const char* unit = or_empty(k->m->objective[r->objective].unit);
  jreport_sheet* s = add_sheet(k, title, 9, n);
  if (!s) return jerr_memory(k->ctx);
  bool ok = add_words(k, s, r, influence, "number", 0);
  if (influence == JO_ZERO_VALUE) {
    ok = ok && add_picked(k, s, r, influence, "natural size", "", 6, pick_size);
  } else {
    ok = ok && add_picked(k, s, r, influence, "value", "", 7, pick_value);
  }
  ok = ok && add_words(k, s, r, influence, "unit", 1);
  if (influence != JO_NONE) {
    ok = ok && add_picked(k, s, r, influence, "derivative", "", 6, pick_derivative) &&
         add_picked(k, s, r, influence, "error", "", 2, pick_error);
    if (ok && k->p->nper > 0) {
      ok = add_picked(k, s, r, influence, "increment", "", 6, pick_increment) &&
           add_picked(k, s, r, influence, "change", unit, 6, pick_change);
    }
    ok = ok && add_picked(k, s, r, influence, "% per 1 %", "", 5, pick_percent);
    if (ok) s->column[s->ncolumn - 1].has_bar = is_first;
  }
  ok = ok && add_words(k, s, r, influence, "description", 2);
  s->is_open = influence == JO_MATTERS || influence == JO_ZERO_VALUE;
  return ok ? JO_OK : jerr_memory(k->ctx);
}

static jo_status read_increments(job* k, double* increment, int n) {
  for (int i = 0; i < n; i++) {
    increment[i] = NAN;
  }
  for (int i = 0; i < k->p->nper; i++) {
    const jstudy_increment* per = &k->p->per[i];
    int which = jo_sens_parameter_find(k->system, per->name.text);
    if (which < 0) {
      return jstudy_mistake(k->ctx, k->p, per->name.place,
                            "per: derivatives are not taken by '%.60s'; add it to wrt",
                            per->name.text);
    }
    increment[which] = per->value;
  }
  return JO_OK;
}

static jo_status fill_ranking(job* k, const jo_sens_result* result, const double* increment) {
  ranking r = {result, the_objective(k), jo_sens_parameter_count(k->system), NULL, increment};
  jo_sens_row* row = JARENA_ARRAY(k->a, r.n, jo_sens_row);
  if (!row) return jerr_memory(k->ctx);
  JO_TRY(jo_sens_rank(k->ctx, result, r.objective, increment, k->p->threshold, row));
  r.row = row;
  jo_quantity q;
  JO_TRY(jo_sens_objective_at(result, r.objective, &q));
  const char* head =
      jarena_printf(k->a, "%s = %.9g%s%s", q.name, q.value, *q.unit ? " " : "", q.unit);
  const char* idle = jarena_printf(k->a, "%d do not matter: less than %.3g %% per 1 %%",
                                   count_rows(&r, JO_IDLE), k->p->threshold);
  JO_TRY(add_rank(k, &r, JO_MATTERS, head));
  JO_TRY(add_rank(k, &r, JO_ZERO_VALUE, "Zero, but matter: % per 1 % of the natural size"));
  JO_TRY(add_rank(k, &r, JO_IDLE, idle));
  return add_rank(k, &r, JO_NONE, "Without a derivative");
}

static jo_status run_ranking(job* k) {
  int n = jo_sens_parameter_count(k->system);
  double* increment = JARENA_ARRAY(k->a, n, double);
  if (!increment) return jerr_memory(k->ctx);
  JO_TRY(read_increments(k, increment, n));
  JO_TRY(reserve(k, 4, 0));
  jo_sens_options o = sens_options(k);
  jo_sens_result* result = NULL;
  JO_TRY(jo_sens_run(k->ctx, k->system, &o, &result));
  jo_status status = fill_ranking(k, result, increment);
  jo_sens_result_destroy(result);
  return status;
}

// ---- values --------------------------------------------------------------------------------------

// The i-th quantity that is asked for: objectives first, then outputs at the end of the run.
static void value_at(const job* k, const jo_result* r, int i, jo_quantity* q) {
  const jstudy_names *objectives = &k->p->objectives, *sensors = &k->p->sensors;
  int nobjective = k->p->no_objectives ? 0 : objectives->n > 0 ? objectives->n : k->m->nobjective;
  *q = (jo_quantity){"", "", "", NAN};
  if (i < nobjective) {
    bool by_name = objectives->n > 0;
    jo_result_objective_at(r, by_name ? find_objective(k->m, objectives->name[i].text) : i, q);
    return;
  }
  const char* name = sensors->name[i - nobjective].text;
  for (int n = 0; jo_result_output_at(r, n, q) >= 0; n++) {
    if (strcmp(q->name, name) == 0) return;
  }
}

static jo_status describe_values(job* k, jreport_sheet* s, const jo_result* r, bool is_before) {
  const char** first = add_texts(k, s, is_before ? "quantity" : "unit");
  const char** second = is_before ? first : add_texts(k, s, "description");
  jo_quantity q;
  for (int i = 0; first && second && i < s->nrow; i++) {
    value_at(k, r, i, &q);
    first[i] = jarena_strdup(k->a, is_before ? q.name : q.unit);
    if (!is_before) second[i] = jarena_strdup(k->a, q.description);
    if (!first[i] || !second[i]) return jerr_memory(k->ctx);
  }
  return first && second ? JO_OK : jerr_memory(k->ctx);
}

static jo_status fill_values(job* k, jreport_sheet* s, const jo_result* r, int run) {
  bool is_last = run == run_count(k) - 1;
  if (run == 0) JO_TRY(describe_values(k, s, r, true));
  const char* name = k->p->nvalue > 0 ? run_label(k, run) : "value";
  double* value = add_numbers(k, s, name, "");
  if (!value) return jerr_memory(k->ctx);
  for (int i = 0; i < s->nrow; i++) {
    jo_quantity q;
    value_at(k, r, i, &q);
    value[i] = q.value;
  }
  return is_last ? describe_values(k, s, r, false) : JO_OK;
}

static jo_status run_values(job* k) {
  int n = k->p->objectives.n > 0 ? k->p->objectives.n : k->m->nobjective;
  if (k->p->no_objectives) n = 0;
  JO_TRY(reserve(k, 1, 0));
  jreport_sheet* s = add_sheet(k, "", 3 + run_count(k), n + k->p->sensors.n);
  if (!s) return jerr_memory(k->ctx);
  s->is_open = true;
  for (int i = 0; i < run_count(k); i++) {
    jo_result* r = NULL;
    JO_TRY(begin_run(k, i));
    JO_TRY(simulate(k, &r));
    jo_status status = fill_values(k, s, r, i);
    jo_result_destroy(r);
    JO_TRY(status);
  }
  return end_runs(k);
}

// ---- all -----------------------------------------------------------------------------------------

jo_status japi_study_part(japi_study_job* j, const jstudy_part* p, jo_system* system,
                          jreport_part* out) {
  static jo_status (*const run[])(job*) = {run_histories,   run_range,   run_trajectories,
                                           run_differences, run_ranking, run_values};
  job k = {.j = j,
           .ctx = j->ctx,
           .a = j->a,
           .p = p,
           .system = system,
           .m = system->variable,
           .out = out,
           .nrun = 1};
  return run[p->kind](&k);
}

static jo_status check_output(japi_study_job* j, const jstudy_part* p, const jgen_dynamics* d,
                              const jstudy_name* name) {
  jmodel_guess guess = jmodel_guess_begin(name->text);
  for (int i = 0; i < d->noutput; i++) {
    if (strcmp(d->output_name[i], name->text) == 0) return JO_OK;
    jmodel_guess_add(&guess, d->output_name[i]);
  }
  return jstudy_mistake(j->ctx, p, name->place, "no sensor or other output is named '%.80s'%s%s%s",
                        name->text, guess.best ? "; did you mean '" : "",
                        guess.best ? guess.best : "", guess.best ? "'?" : "");
}

jo_status japi_study_check_outputs(japi_study_job* j) {
  const jstudy_file* f = j->study->file;
  jo_status status = JO_OK, s;
  for (int i = 0; i < f->npart; i++) {
    const jstudy_part* p = &f->part[i];
    const jgen_dynamics* d = j->system[j->plan.of[i]]->plant->dynamics;
    for (int n = 0; n < p->sensors.n; n++) {
      s = check_output(j, p, d, &p->sensors.name[n]);
      if (s < 0) status = s;
    }
    const jstudy_name* axis[] = {&p->x, &p->y};
    for (int n = 0; n < 2; n++) {
      if (!axis[n]->text || strcmp(axis[n]->text, "t") == 0) continue;
      s = check_output(j, p, d, axis[n]);
      if (s < 0) status = s;
    }
  }
  return status;
}
