// SPDX-License-Identifier: Apache-2.0
// Errors of differences of runs against their increment.
#include <math.h>

#include "api/sens_handle.h"
#include "study/job.h"
#include "study/list.h"
#include "study/read.h"

#define DECADES 23  // increments, two per decade

static void read(const jmodel_at* at, const jmodel_node* map, jstudy_part* p) {
  jstudy_read_objective(at, map, p);
  p->parameter = jstudy_need_name(at, map, "parameter");
  p->points = jstudy_get_count(at, map, "points", 1, DECADES);
}

static jo_status fill_differences(jstudy_job* k, const jo_sens_vcurve_point* point, double exact) {
  const jmodel_objective* o = &k->m->objective[jstudy_objective(k)];
  const char* by = k->p->parameter.text;
  const char* unit =
      jstudy_derivative_unit(k, jstudy_or_empty(o->unit), jstudy_parameter_unit(k, by));
  int n = k->p->points;
  jreport_sheet* s = jstudy_add_sheet(k, "", 5, n);
  double* v[5] = {0};
  if (s) {
    v[0] = jstudy_add_numbers(k, s, jarena_printf(k->a, "increment of %s / %s", by, by), "");
    v[1] = jstudy_add_numbers(k, s, "forward", unit);
    v[2] = jstudy_add_numbers(k, s, "central", unit);
    v[3] = jstudy_add_numbers(k, s, "relative error, forward", "");
    v[4] = jstudy_add_numbers(k, s, "relative error, central", "");
  }
  const char* title = jarena_printf(k->a, "d %s / d %s by differences", o->name, by);
  const char* about = jarena_printf(k->a, "exact: %.9g %s", exact, jstudy_or_empty(unit));
  jreport_plot* f =
      s ? jstudy_add_figure(k, title, s->column[0].name, "relative error of the derivative", 2)
        : NULL;
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
  jstudy_add_series(f, "forward", v[0], v[3], n, true);
  jstudy_add_series(f, "central", v[0], v[4], n, true);
  return JO_OK;
}

static jo_status run_differences(jstudy_job* k) {
  int parameter = jo_sens_parameter_find(k->system, k->p->parameter.text);
  jo_sens_vcurve_point* point = JARENA_ARRAY(k->a, k->p->points, jo_sens_vcurve_point);
  if (!point) return jerr_memory(k->ctx);
  jo_sens_options o = jstudy_sens_options(k);
  japi_report tell = {jstudy_on_progress, k};
  double exact;
  k->nrun = 1;
  JO_TRY(jstudy_reserve(k, 1, 1));
  JO_TRY(japi_sens_vcurve(k->ctx, k->system, &o, jstudy_objective(k), parameter, k->p->points,
                          &tell, point, &exact));
  return fill_differences(k, point, exact);
}

static const char* title(jarena* a, const jmodel* m, const jstudy_part* p) {
  return jarena_printf(a, "Error of differences of %s by %s", jstudy_name_objectives(a, m, p),
                       p->parameter.text);
}

static const jmodel_key keys[] = {
    {JMODEL_KEY_TEXT("objective")},
    {JMODEL_KEY_TEXT("parameter"), .is_needed = true},
    {.name = "points", .is = JMODEL_A_COUNT | JMODEL_A_TEXT, .about = "23 by default"},
    JSTUDY_COMMON_KEYS,
    {0}};

const jstudy_kind jstudy_differences = {
    .key = {JMODEL_KEY_MAP("differences", keys),
            .about = "Errors of differences of runs against their increment"},
    .read = read,
    .needs = {.derivatives = true,
              .by_parameter = true,
              .checks = true,
              .objectives = true,
              .one_objective = true},
    .title = title,
    .run = run_differences};
