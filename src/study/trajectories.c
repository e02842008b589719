// SPDX-License-Identifier: Apache-2.0
// An output over others, with a curve per run; with numbers to differentiate for also what 1 % of each changes at the same
// instant.
#include <math.h>
#include <string.h>

#include "api/sens_handle.h"
#include "study/job.h"
#include "study/list.h"
#include "study/read.h"

#define EDGE 1e-9  // of the window: instants that rounding puts outside of it [s]

static void read(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  jmodel_need(at, map, "x");
  p->x = jstudy_get_names(at, map, "x");
  p->y = jstudy_need_name(at, map, "y");
  p->from = jstudy_get_number(at, map, "from", -INFINITY);
  p->to = jstudy_get_number(at, map, "to", INFINITY);
  if (p->from >= p->to) {
    jmodel_mistake(at, map->place, "the window needs from < to, got %.9g and %.9g s", p->from,
                   p->to);
  }
  p->wrt = jstudy_get_names(at, map, "wrt");
  jstudy_read_runs(at, map, p);
  p->needs.derivatives = p->needs.histories = p->wrt.n > 0;
  p->needs.any = p->wrt.n == 0;
}

// ---- rows of the window --------------------------------------------------------------------------

// Rows of numbers whose first column is the time.
typedef struct rows {
  const double* row;
  int first, n, ncolumn;
} rows;

static jo_status find_window(const jstudy_job* k, const double* row, int nrow, int ncolumn,
                             rows* out) {
  *out = (rows){.row = row, .ncolumn = ncolumn};
  for (int i = 0; i < nrow; i++) {
    double t = row[(size_t)i * (size_t)ncolumn];
    if (t < k->p->from - EDGE) out->first = i + 1;
    if (t <= k->p->to + EDGE) out->n = i + 1;
  }
  out->n -= out->first;
  if (out->n > 0) return JO_OK;
  return jstudy_mistake(k->ctx, k->p, k->p->place, "nothing of the run is between %.9g and %.9g s",
                        k->p->from, k->p->to);
}

static jo_status copy_column(jstudy_job* k, jreport_sheet* s, const rows* r, int column,
                             const char* name, const char* unit, double** out) {
  double* value =
      jstudy_add_numbers(k, s, jarena_strdup(k->a, name), unit ? jarena_strdup(k->a, unit) : NULL);
  if (!value) return jerr_memory(k->ctx);
  for (int i = 0; i < s->nrow; i++) {
    value[i] = r->row[(size_t)(r->first + i) * (size_t)r->ncolumn + (size_t)column];
  }
  if (out) *out = value;
  return JO_OK;
}

// ---- plain runs ----------------------------------------------------------------------------------

static jo_status copy_output(jstudy_job* k, jreport_sheet* s, const jo_table* t, const rows* w,
                             const char* name) {
  int i = jo_table_column(t, name);
  if (i < 0) return jerr_memory(k->ctx);
  return copy_column(k, s, w, i, t->column[i].name, t->column[i].unit, NULL);
}

static jo_status fill_plain(jstudy_job* k, const jo_result* r, const char* title) {
  const jstudy_names* x = &k->p->x;
  const jo_table* t = jo_tables_find(jo_result_tables(r), "history");
  rows w;
  JO_TRY(find_window(k, t->column[0].value, t->nrow, t->ncolumn, &w));
  jreport_sheet* s = jstudy_add_sheet(k, title, 2 + x->n, w.n);
  if (!s) return jerr_memory(k->ctx);
  JO_TRY(copy_output(k, s, t, &w, "t"));
  for (int i = 0; i < x->n; i++) {
    JO_TRY(copy_output(k, s, t, &w, x->name[i].text));
  }
  return copy_output(k, s, t, &w, k->p->y.text);
}

static jo_status run_plain(jstudy_job* k, int run) {
  jo_result* r = NULL;
  JO_TRY(jstudy_begin_run(k, run));
  JO_TRY(jstudy_simulate(k, &r));
  jo_status status = fill_plain(k, r, jstudy_run_label(k, run));
  jo_result_destroy(r);
  return status;
}

// ---- runs with derivatives -----------------------------------------------------------------------

// Columns of a history: t, then per output its value and its derivatives.
static int history_column(const japi_history* h, const char* name) {
  if (strcmp(name, "t") == 0) return 0;
  for (int c = 1; c < h->ncolumn; c += 1 + h->nw) {
    if (strcmp(h->column[c].name, name) == 0) return c;
  }
  return -1;
}

static jo_status copy_history(jstudy_job* k, jreport_sheet* s, const japi_history* h, const rows* w,
                              const char* name) {
  int c = history_column(h, name);
  if (c < 0) return jerr_memory(k->ctx);
  return copy_column(k, s, w, c, h->column[c].name, h->column[c].unit, NULL);
}

// Derivatives of y, and what 1 % changes.
static jo_status copy_slopes(jstudy_job* k, jreport_sheet* s, const japi_history* h,
                             const rows* w) {
  const char* y = k->p->y.text;
  int c = history_column(h, y);
  const char* unit = c >= 0 ? jarena_strdup(k->a, h->column[c].unit) : NULL;
  if (!unit) return jerr_memory(k->ctx);
  for (int i = 0; i < h->nw; i++) {
    const jo_sens_parameter* by = &k->system->parameter[i];
    double *d, value = jstudy_value_of(k, by->name);
    JO_TRY(copy_column(k, s, w, c + 1 + i, h->column[c + 1 + i].name,
                       jstudy_derivative_unit(k, unit, by->unit), &d));
    double* percent = jstudy_add_numbers(k, s, jstudy_percent_name(k, y, by->name), unit);
    if (!percent) return jerr_memory(k->ctx);
    for (int row = 0; row < s->nrow; row++) {
      percent[row] = 0.01 * d[row] * value;
    }
  }
  return JO_OK;
}

static jo_status fill_history(jstudy_job* k, const japi_history* h, const char* title) {
  const jstudy_names* x = &k->p->x;
  rows w;
  JO_TRY(find_window(k, h->row, h->nrow, h->ncolumn, &w));
  jreport_sheet* s = jstudy_add_sheet(k, title, 2 + x->n + 2 * h->nw, w.n);
  if (!s) return jerr_memory(k->ctx);
  JO_TRY(copy_history(k, s, h, &w, "t"));
  for (int i = 0; i < x->n; i++) {
    JO_TRY(copy_history(k, s, h, &w, x->name[i].text));
  }
  JO_TRY(copy_history(k, s, h, &w, k->p->y.text));
  return copy_slopes(k, s, h, &w);
}

static jo_status run_history(jstudy_job* k, int run) {
  const jstudy_names* x = &k->p->x;
  const char** output = JARENA_ARRAY(k->a, x->n + 1, const char*);
  jo_sens_result* r = NULL;
  int n = 0;
  if (!output) return jerr_memory(k->ctx);
  for (int i = 0; i < x->n; i++) {
    if (strcmp(x->name[i].text, "t") != 0) output[n++] = x->name[i].text;
  }
  output[n++] = k->p->y.text;
  jo_status status = jstudy_run_history(k, run, output, n, &r);
  if (status >= 0) status = fill_history(k, &r->history, jstudy_run_label(k, run));
  jo_sens_result_destroy(r);
  return status;
}

// ---- all of it -----------------------------------------------------------------------------------

// y, then what 1 % of each number changes, over every x.
static jo_status plot(jstudy_job* k) {
  const jreport_sheet* s = &k->out->sheet[0];
  int nx = k->p->x.n;
  // t, x, y, then by number its derivative and what 1 % changes
  for (int y = 1 + nx; y < s->ncolumn; y += 2) {
    for (int x = 0; x < nx; x++) {
      const char* over = k->p->x.name[x].text;
      const char* head = jarena_printf(k->a, "%s over %s", s->column[y].name, over);
      JO_TRY(jstudy_plot_sheets(k, head, 1 + x, y));
    }
  }
  return JO_OK;
}

static jo_status run_trajectories(jstudy_job* k) {
  int nw = k->p->wrt.n > 0 ? jo_sens_parameter_count(k->system) : 0;
  JO_TRY(jstudy_reserve(k, jstudy_run_count(k), k->p->x.n * (1 + nw)));
  for (int i = 0; i < jstudy_run_count(k); i++) {
    JO_TRY((nw > 0 ? run_history : run_plain)(k, i));
  }
  JO_TRY(plot(k));
  return jstudy_end_runs(k);
}

static const char* title(jarena* a, const jmodel* m, const jstudy_part* p) {
  (void)m;
  return jarena_printf(a, "%s over %s", p->y.text, jstudy_list_names(a, &p->x));
}

static const jmodel_key keys[] = {
    {JMODEL_KEY_AS("x", jstudy_form_names), .is_needed = true, .about = "Outputs, or t"},
    {JMODEL_KEY_TEXT("y"), .is_needed = true, .about = "An output, or t"},
    {JMODEL_KEY_AS("wrt", jstudy_form_names),
     .about = "Parameters to differentiate with respect to: names, paths, patterns"},
    {JMODEL_KEY_AS("for", jstudy_form_runs), .about = "A run for each value"},
    {JMODEL_KEY_NUMBER("from"), .about = "Window of time [s]"},
    {JMODEL_KEY_NUMBER("to"), .about = "Window of time [s]"},
    {JMODEL_KEY_NUMBER("output_step"), .about = "Between rows [s]; by default the model's"},
    JSTUDY_COMMON_KEYS,
    {0}};

const jstudy_kind jstudy_trajectories = {
    .key = {JMODEL_KEY_MAP("trajectories", keys), .about = "An output over others"},
    .read = read,
    .title = title,
    .run = run_trajectories};
