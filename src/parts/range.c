// SPDX-License-Identifier: Apache-2.0
// Objectives over a parameter, and their derivatives by it.
#include <math.h>

#include "jounce/sweep.h"
#include "parts/job.h"
#include "parts/list.h"
#include "parts/read.h"

static void read(const jmodel_at* at, const jmodel_node* map, jparts_part* p) {
  p->parameter = jparts_need_name(at, map, "parameter");
  jmodel_need(at, map, "from");
  jmodel_need(at, map, "to");
  p->from = jparts_get_number(at, map, "from", NAN);
  p->to = jparts_get_number(at, map, "to", NAN);
  p->points = jparts_get_count(at, map, "points", 2, 13);
  jparts_read_objectives(at, map, p);
  p->needs.derivatives = p->needs.by_parameter = jparts_get_bool(at, map, "derivative", true);
}

static int on_point(void* user, int done) {
  jparts_job* k = user;
  return jparts_tell(k, (double)done / k->p->points);
}

// Points that fail leave a gap; where all do there is nothing to show.
static jo_status tell_failed(jparts_job* k, const jo_sweep* sweep) {
  jo_sweep_info info = jo_sweep_inspect(sweep);
  jo_sweep_point point;
  for (int i = 0; jo_sweep_point_at(sweep, i, &point) >= 0 && info.failed > 0; i++) {
    if (point.status >= 0) continue;
    if (info.failed == info.points) {
      return jparts_mistake(k->ctx, k->p, k->p->place, "no point could be computed; %s = %.9g: %s",
                            k->p->parameter.text, point.parameter[0], point.message);
    }
    jerr_warn(k->ctx, "%s:%d: range: %s = %.9g: %s", k->p->place.file, k->p->place.line,
              k->p->parameter.text, point.parameter[0], point.message);
  }
  return JO_OK;
}

static jo_status plot_range(jparts_job* k, const jreport_column* x, const jreport_column* y) {
  double* mark = JARENA_ARRAY(k->a, 1, double);
  jreport_plot* f = jparts_add_figure(k, y->name, jparts_label(k, x->name, x->unit),
                                      jparts_label(k, y->name, y->unit), 1);
  if (!f || !mark) return jerr_memory(k->ctx);
  jparts_add_series(f, "", x->value, y->value, k->p->points, true);
  JO_TRY(jo_system_get(k->ctx, k->system, k->p->parameter.text, mark));
  f->mark_x = mark;
  f->nmark = 1;
  return JO_OK;
}

// Objective, derivative, percent per percent of one objective.
static jo_status add_objective(jparts_job* k, const jo_sweep* sweep, jreport_sheet* s, int which) {
  const jmodel_objective* o = &k->m->objective[which];
  const char* by = k->p->parameter.text;
  const char* unit = jparts_or_empty(o->unit);
  const double* x = s->column[0].value;
  jo_sweep_point point;
  double* y = jparts_add_numbers(k, s, o->name, unit);
  if (!y) return jerr_memory(k->ctx);
  for (int i = 0; jo_sweep_point_at(sweep, i, &point) >= 0; i++) {
    y[i] = point.value[which];
  }
  JO_TRY(plot_range(k, &s->column[0], &s->column[s->ncolumn - 1]));
  if (!k->p->needs.derivatives) return JO_OK;
  const char* name = jarena_printf(k->a, "d %s / d %s", o->name, by);
  double* d =
      jparts_add_numbers(k, s, name, jparts_derivative_unit(k, unit, jparts_parameter_unit(k, by)));
  if (!d) return jerr_memory(k->ctx);
  double* percent =
      jparts_add_numbers(k, s, jarena_printf(k->a, "%s, %% per 1 %% of %s", o->name, by), "%");
  if (!percent) return jerr_memory(k->ctx);
  for (int i = 0; jo_sweep_point_at(sweep, i, &point) >= 0; i++) {
    d[i] = point.gradient[which];
    percent[i] = y[i] != 0.0 ? d[i] * x[i] / y[i] : NAN;
  }
  return plot_range(k, &s->column[0], &s->column[s->ncolumn - 2]);
}

static jo_status fill_range(jparts_job* k, const jo_sweep* sweep) {
  const jparts_names* names = &k->p->objectives;
  const char* by = k->p->parameter.text;
  int n = names->n > 0 ? names->n : k->m->nobjective;
  JO_TRY(tell_failed(k, sweep));
  JO_TRY(jparts_reserve(k, 1, 2 * n));
  jreport_sheet* s = jparts_add_sheet(k, "", 1 + 3 * n, k->p->points);
  double* x = s ? jparts_add_numbers(k, s, by, jparts_parameter_unit(k, by)) : NULL;
  jo_sweep_point point;
  if (!x) return jerr_memory(k->ctx);
  for (int i = 0; jo_sweep_point_at(sweep, i, &point) >= 0; i++) {
    x[i] = point.parameter[0];
  }
  for (int i = 0; i < n; i++) {
    int which = names->n > 0 ? jparts_find_objective(k->m, names->name[i].text) : i;
    JO_TRY(add_objective(k, sweep, s, which));
  }
  return JO_OK;
}

static jo_status run_range(jparts_job* k) {
  jo_range range = {k->p->parameter.text, k->p->from, k->p->to, k->p->points};
  jo_sweep_options o = jo_sweep_options_default();
  o.range = &range;
  o.nrange = 1;
  o.tolerance = k->tolerance;
  o.progress = on_point;
  o.user = k;
  jo_sweep* sweep = NULL;
  jo_status status = jo_sweep_create(k->ctx, k->system, &o, &sweep);
  if (status >= 0) status = jo_sweep_run(sweep);
  if (status >= 0 && !k->is_stopped) status = fill_range(k, sweep);
  jo_sweep_destroy(sweep);
  return status;
}

static const char* title(jarena* a, const jmodel* m, const jparts_part* p) {
  return jarena_printf(a, "%s over %s", jparts_name_objectives(a, m, p), p->parameter.text);
}

static const char* const keys[] = {"parameter",  "from",       "to", "points",
                                   "objectives", "derivative", NULL};

const jparts_kind jparts_range = {.name = "range",
                                  .keys = keys,
                                  .read = read,
                                  .needs = {.sweeps = true, .objectives = true},
                                  .title = title,
                                  .run = run_range};
