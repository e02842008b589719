// SPDX-License-Identifier: Apache-2.0
// Files of sensitivities: derivatives and histories in the formats of results, the V-curve as CSV or SVG.
#include <math.h>
#include <string.h>

#include "api/sens_handle.h"
#include "base/require.h"
#include "base/system/file.h"
#include "report/format/table.h"
#include "report/html/cell.h"
#include "report/plot/svg_plot.h"

static jo_status finish(jo_context* ctx, jtext* t, const char* path) {
  jo_status status = t->failed ? jerr_memory(ctx) : jfile_write(ctx, path, t->data, t->length);
  jtext_free(t);
  return status;
}

static void put_note(jtext* t, const char* name, const char* value) {
  jtext_printf(t, "# %s: ", name);
  jreport_put_comment(t, value);
  jtext_put(t, "\n");
}

static void put_notes(jtext* t, const jo_system* s, const char* settings) {
  put_note(t, "model", jo_model_name(s->model));
  put_note(t, "sha256", jo_model_sha256(s->model));
  t->failed = t->failed || !settings;
  if (settings) put_note(t, "settings", settings);
  put_note(t, "jounce", jo_version());
}

static void run_notes(jreport_notes* l, const jo_sens_result* r) {
  const jo_sens_statistics* s = &r->statistics;
  jreport_note_text(l, "model", jo_model_name(r->system->model));
  jreport_note_text(l, "sha256", jo_model_sha256(r->system->model));
  jreport_note_text(l, "settings", r->kept.settings);
  jreport_note_text(l, "jounce", jo_version());
  jreport_note_text(l, "integrator", s->integrator);
  jreport_note_real(l, s->is_fixed_step ? "step" : "tolerance", "",
                    s->is_fixed_step ? s->step : s->rel_tol);
  jreport_note_text(l, "method", jo_sens_method_name(s->method));
  jreport_note_text(l, "events", s->is_frozen ? "frozen" : "exact");
}

static void put_cells(jtext* t, const double* x, int n) {
  for (int i = 0; i < n; i++) {
    jtext_put(t, ",");
    jreport_put_number(t, x[i]);
  }
  jtext_put(t, "\n");
}

static jo_status put_derivatives(jo_context* ctx, jtext* t, const jo_sens_result* r,
                                 jo_sens_row* row) {
  static const char* const influence[] = {"matters", "zero value", "idle", "no derivative"};
  jtext_put(t,
            "objective,parameter,unit,influence,value,derivative,derivative_error,"
            "percent_per_percent,derivative_frozen\n");
  jo_quantity q;
  for (int o = 0; jo_sens_objective_at(r, o, &q) >= 0; o++) {
    JO_TRY(jo_sens_rank(ctx, r, o, NULL, 1e-4, row));
    for (int i = 0; i < r->main->nw; i++) {
      const jo_sens_parameter* p = &r->system->parameter[row[i].parameter];
      jreport_put_cell(t, q.name);
      jtext_put(t, ",");
      jreport_put_cell(t, p->name);
      jtext_put(t, ",");
      jreport_put_cell(t, p->unit);
      jtext_printf(t, ",%s", influence[row[i].influence]);
      double cells[] = {row[i].value, row[i].derivative,
                        jo_sens_derivative_error(r, o, row[i].parameter), row[i].percent,
                        jo_sens_derivative_frozen(r, o, row[i].parameter)};
      put_cells(t, cells, 5);
    }
  }
  return JO_OK;
}

static jo_status save_csv(jo_context* ctx, jarena* a, const jo_sens_result* r,
                          const jreport_notes* notes, const char* path) {
  jtext t;
  jtext_init(&t, ctx);
  jreport_put_notes(&t, notes->note, notes->n);
  jo_sens_row* row = JARENA_ARRAY(a, r->main->nw, jo_sens_row);
  jo_status status = row ? put_derivatives(ctx, &t, r, row) : jerr_memory(ctx);
  if (status >= 0) return finish(ctx, &t, path);
  jtext_free(&t);
  return status;
}

// ---- gradients as matrices -----------------------------------------------------------------------

enum { OBJECTIVES, PARAMETERS, NLIST, GRADIENT = 0, ERROR, FROZEN, PERCENT, NARRAY };

static jo_status list_quantities(jo_context* ctx, jarena* a, const jo_sens_result* r,
                                 jreport_list* list) {
  int no = r->main->nobjective, nw = r->main->nw;
  jplant_quantity* objective = JARENA_ARRAY(a, no, jplant_quantity);
  jplant_quantity* parameter = JARENA_ARRAY(a, nw, jplant_quantity);
  if (!objective || !parameter) return jerr_memory(ctx);
  for (int i = 0; i < no; i++) {
    jo_quantity q;
    JO_TRY(jo_sens_objective_at(r, i, &q));
    objective[i] = (jplant_quantity){q.name, q.unit, q.description, q.value};
  }
  for (int i = 0; i < nw; i++) {
    const jo_sens_parameter* p = &r->system->parameter[i];
    parameter[i] = (jplant_quantity){p->name, p->unit, p->description, r->value[i]};
  }
  list[OBJECTIVES] = (jreport_list){"objectives", NULL, objective, no, true};
  list[PARAMETERS] = (jreport_list){"parameters", NULL, parameter, nw, true};
  return JO_OK;
}

static jo_status fill_matrices(jo_context* ctx, jarena* a, const jo_sens_result* r,
                               jreport_array* array) {
  static const char* const name[NARRAY][2] = {
      [GRADIENT] = {"gradient", "derivatives of the objectives"},
      [ERROR] = {"gradient_error", "estimated errors of the derivatives"},
      [FROZEN] = {"gradient_frozen", "derivatives with events at fixed times"},
      [PERCENT] = {"percent_per_percent", "% of an objective per % of a parameter"}};
  int no = r->main->nobjective, nw = r->main->nw;
  for (int k = 0; k < NARRAY; k++) {
    double* x = JARENA_ARRAY(a, (size_t)no * (size_t)nw, double);
    if (!x) return jerr_memory(ctx);
    for (int i = 0; i < no * nw; i++) {
      double d = jo_sens_derivative(r, i / nw, i % nw);
      x[i] = k == GRADIENT ? d
             : k == ERROR  ? jo_sens_derivative_error(r, i / nw, i % nw)
             : k == FROZEN ? jo_sens_derivative_frozen(r, i / nw, i % nw)
                           : d * r->value[i % nw] / r->main->value[i / nw];
    }
    array[k] = (jreport_array){name[k][0], name[k][1], 2,          {OBJECTIVES, PARAMETERS},
                               {no, nw},   x,          (size_t)nw, 0};
  }
  return JO_OK;
}

jo_status jo_sens_save(jo_context* ctx, const jo_sens_result* result, const char* path) {
  JO_REQUIRE(ctx, result, path);
  jreport_notes notes = {0};
  jreport_list list[NLIST];
  jreport_array array[NARRAY];
  jreport_table table = {.list = list, .nlist = NLIST, .array = array, .narray = NARRAY};
  run_notes(&notes, result);
  table.note = notes.note;
  table.nnote = notes.n;
  jarena a;
  jarena_init(&a, ctx);
  jo_status status;
  // the table of a CSV file is ranked, and has words among its columns
  if (jtext_ends_in(path, ".csv") || !jreport_is_format(&table, path)) {
    status = save_csv(ctx, &a, result, &notes, path);
  } else {
    status = list_quantities(ctx, &a, result, list);
    if (status >= 0) status = fill_matrices(ctx, &a, result, array);
    if (status >= 0) status = jreport_save(ctx, &table, path);
  }
  jarena_free(&a);
  return status;
}

// ---- histories -----------------------------------------------------------------------------------

int jo_sens_history_column_count(const jo_sens_result* result) {
  JO_REQUIRE_OR(0, result);
  return result->history.ncolumn;
}

jo_status jo_sens_history_column_at(const jo_sens_result* result, int i, jo_quantity* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, result, out);
  const japi_history* h = &result->history;
  if (i < 0 || i >= h->ncolumn) return JO_ERR_ARGUMENT;
  const jplant_quantity* c = &h->column[i];
  *out = (jo_quantity){c->name, c->unit, c->description, NAN};
  return JO_OK;
}

int jo_sens_history_row_count(const jo_sens_result* result) {
  JO_REQUIRE_OR(0, result);
  return result->history.nrow;
}

const double* jo_sens_history_rows(const jo_sens_result* result) {
  JO_REQUIRE_OR(NULL, result);
  return result->history.row;
}

jo_status jo_sens_history_save(jo_context* ctx, const jo_sens_result* result, const char* path) {
  JO_REQUIRE(ctx, result, path);
  const japi_history* h = &result->history;
  if (h->ncolumn == 0) return jerr_set(ctx, JO_ERR_ARGUMENT, "%s: no history was asked for", path);
  jreport_notes notes = {0};
  run_notes(&notes, result);
  jreport_table table = {.note = notes.note,
                         .nnote = notes.n,
                         .column = h->column,
                         .ncolumn = h->ncolumn,
                         .nrow = h->nrow,
                         .row = h->row,
                         .has_time = true};
  if (jreport_is_format(&table, path)) return jreport_save(ctx, &table, path);
  return jreport_table_csv(ctx, &table, path);
}

// ---- the V-curve ---------------------------------------------------------------------------------

static void put_vcurve(jtext* t, const jo_sens_vcurve_point* point, int n) {
  jtext_put(t, "relative_increment,forward,central,forward_error,central_error\n");
  for (int i = 0; i < n; i++) {
    const jo_sens_vcurve_point* v = &point[i];
    double cells[] = {v->forward, v->central, v->forward_error, v->central_error};
    jreport_put_number(t, v->relative);
    put_cells(t, cells, 4);
  }
}

static jo_status plot_vcurve(jo_context* ctx, jtext* t, const char* title, const char* subtitle,
                             const char* label, const jo_sens_vcurve_point* point, int n) {
  jarena scratch;
  jarena_init(&scratch, ctx);
  double* x = JARENA_ARRAY(&scratch, 3 * n, double);
  if (!x) {
    jarena_free(&scratch);
    return jerr_memory(ctx);
  }
  for (int i = 0; i < n; i++) {
    x[i] = point[i].relative;
    x[n + i] = point[i].forward_error;
    x[2 * n + i] = point[i].central_error;
  }
  jreport_series series[] = {{"forward", x, x + n, n, true}, {"central", x, x + 2 * n, n, true}};
  jreport_plot plot = {.title = title,
                       .subtitle = subtitle,
                       .x_label = label,
                       .y_label = "relative error of the derivative",
                       .log_x = true,
                       .log_y = true,
                       .series = series,
                       .nseries = 2};
  jreport_svg_plot(t, &plot);
  jarena_free(&scratch);
  return JO_OK;
}

jo_status jo_sens_vcurve_save(jo_context* ctx, const jo_system* system, int objective,
                              int parameter, const jo_sens_vcurve_point* point, int n, double exact,
                              const char* path) {
  JO_REQUIRE(ctx, system, point, path);
  JO_REQUIRE_LIST(ctx, point, n);
  const char* dot = strrchr(path, '.');
  bool is_plot = dot && strcmp(dot, ".svg") == 0;
  const jmodel* m = system->variable;
  if (objective < 0 || objective >= m->nobjective || parameter < 0 ||
      parameter >= jo_sens_parameter_count(system)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "there is no such objective or parameter");
  }
  const char *psi = m->objective[objective].name, *p = system->parameter[parameter].name;
  jtext t, text[3];
  jtext_init(&t, ctx);
  for (int i = 0; i < 3; i++) {
    jtext_init(&text[i], ctx);
  }
  jtext_printf(&text[0], "Error of numerical differentiation: d %s / d %s", psi, p);
  jtext_printf(&text[1], "%s, exact derivative %.7g", m->name, exact);
  jtext_printf(&text[2], "increment \xce\x94%s / %s", p, p);
  jo_status status = JO_OK;
  for (int i = 0; i < 3; i++) {
    if (text[i].failed) status = jerr_memory(ctx);
  }
  if (status >= 0 && is_plot) {
    status = plot_vcurve(ctx, &t, text[0].data, text[1].data, text[2].data, point, n);
  } else if (status >= 0) {
    jarena a;
    jarena_init(&a, ctx);
    put_notes(&t, system, japi_system_settings(&a, system));
    jarena_free(&a);
    put_note(&t, "title", text[0].data);
    jtext_put(&t, "# exact: ");
    jreport_put_number(&t, exact);
    jtext_put(&t, "\n");
    put_vcurve(&t, point, n);
  }
  for (int i = 0; i < 3; i++) {
    jtext_free(&text[i]);
  }
  if (status >= 0) return finish(ctx, &t, path);
  jtext_free(&t);
  return status;
}
