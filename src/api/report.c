// SPDX-License-Identifier: Apache-2.0
// The public face of reports: a run, derivatives where asked for, a replay, and the page of all; or the
// replay alone, as a scene.
#include "jounce/report.h"

#include <math.h>

#include "api/sens_handle.h"
#include "base/require.h"
#include "base/system/file.h"
#include "base/text/text.h"
#include "report/format/gltf.h"
#include "report/html/html.h"

#define MAX_ROWS 1500  // of time histories: more than a plot can show

typedef struct job {
  jo_context* ctx;
  const jo_system* system;
  const jo_report_options* opt;
  jarena arena;
  jo_result* result;
  jo_sens_result* derivatives;
  jscene_replay* replay;
  jreport_page page;
} job;

jo_report_options jo_report_options_default(void) {
  return (jo_report_options){.tolerance = NAN};
}

// ---- runs ----------------------------------------------------------------------------------------

static jo_status run(job* j) {
  jo_simulate_options o = jo_simulate_options_default();
  const jmodel_simulation* s = &j->system->variable->simulation;
  o.tolerance = j->opt->tolerance;
  double coarsest = (s->t_end - s->t_start) / MAX_ROWS;
  if (s->output_step < coarsest) o.output_step_s = coarsest;
  return jo_simulate(j->ctx, j->system, &o, &j->result);
}

static jo_status differentiate(job* j) {
  jo_sens_options o = jo_sens_options_default();
  o.tolerance = j->opt->tolerance;
  return jo_sens_run(j->ctx, j->system, &o, &j->derivatives);
}

static jo_status replay(job* j) {
  jplant_simulate_options o = jplant_simulate_options_default();
  o.rel_tol = o.abs_tol = j->opt->tolerance;
  o.p = j->system->p;
  return jscene_replay_create(j->ctx, j->system->plant, &o, &j->replay);
}

// ---- tables --------------------------------------------------------------------------------------

static jo_status fill_gradient(job* j, int objective, jreport_gradient* g) {
  int n = jo_sens_parameter_count(j->system);
  jo_sens_row* row = JARENA_ARRAY(&j->arena, n, jo_sens_row);
  *g = (jreport_gradient){n, JARENA_ARRAY(&j->arena, n, jreport_gradient_row),
                          jo_sens_objective_reason(j->derivatives, objective)};
  if (!row || !g->row) return jerr_memory(j->ctx);
  JO_TRY(jo_sens_rank(j->ctx, j->derivatives, objective, NULL, 0.0, row));
  for (int i = 0; i < n; i++) {
    jo_sens_parameter p;
    JO_TRY(jo_sens_parameter_at(j->system, row[i].parameter, &p));
    double frozen = jo_sens_derivative_frozen(j->derivatives, objective, row[i].parameter);
    g->row[i] = (jreport_gradient_row){
        p.name,
        p.unit,
        p.description,
        p.value,
        row[i].derivative,
        jo_sens_derivative_error(j->derivatives, objective, row[i].parameter),
        row[i].percent,
        row[i].derivative - frozen,
        row[i].parameter};
  }
  return JO_OK;
}

static jo_status fill_gradients(job* j) {
  int n = jo_sens_objective_count(j->derivatives);
  jreport_gradient* g = JARENA_ARRAY(&j->arena, n, jreport_gradient);
  if (!g) return jerr_memory(j->ctx);
  for (int i = 0; i < n; i++) {
    JO_TRY(fill_gradient(j, i, &g[i]));
  }
  j->page.gradient = g;
  j->page.nparameter = jo_sens_parameter_count(j->system);
  j->page.method = jo_sens_method_name(jo_sens_result_statistics(j->derivatives).method);
  return JO_OK;
}

// Events of the run with derivatives, and what they contribute.
static jo_status fill_moving_events(job* j) {
  int n = jo_sens_event_count(j->derivatives), np = j->page.nparameter;
  int no = jo_sens_objective_count(j->derivatives);
  jreport_event* list = JARENA_ARRAY(&j->arena, n, jreport_event);
  if (!list) return jerr_memory(j->ctx);
  for (int i = 0; i < n; i++) {
    jo_sens_event e;
    double* c = JARENA_ARRAY(&j->arena, no * np, double);
    if (!c) return jerr_memory(j->ctx);
    JO_TRY(jo_sens_event_at(j->derivatives, i, &e));
    for (int k = 0; k < no * np; k++) {
      c[k] = jo_sens_event_contribution(j->derivatives, i, k / np, k % np);
    }
    list[i] = (jreport_event){e.t, e.name, e.on != 0, e.follows != 0, c};
  }
  j->page.event = list;
  j->page.nevent = n;
  return JO_OK;
}

static jo_status fill_events(job* j) {
  const jplant_result* r = j->result->result;
  jreport_event* list = JARENA_ARRAY(&j->arena, r->nevent, jreport_event);
  if (!list) return jerr_memory(j->ctx);
  for (int i = 0; i < r->nevent; i++) {
    list[i] = (jreport_event){.t = r->event[i].t, .name = r->event[i].name, .on = r->event[i].on};
  }
  j->page.event = list;
  j->page.nevent = r->nevent;
  return JO_OK;
}

// ---- the page ------------------------------------------------------------------------------------

static jo_status write_scene(job* j, const char* path, int64_t* bytes) {
  const char* settings = japi_system_settings(&j->arena, j->system);
  if (!settings) return jerr_memory(j->ctx);
  JO_TRY(replay(j));
  const jo_model* m = j->system->model;
  jreport_scene scene = {jo_model_name(m), jo_model_sha256(m), settings, j->replay};
  return jreport_glb(j->ctx, &scene, path, bytes);
}

static jo_status write_page(job* j, const char* path, int64_t* bytes) {
  JO_TRY(run(j));
  j->page.result = j->result->result;
  if (jo_sens_parameter_count(j->system) > 0) {
    JO_TRY(differentiate(j));
    JO_TRY(fill_gradients(j));
    JO_TRY(fill_moving_events(j));
  } else {
    JO_TRY(fill_events(j));
  }
  if (!j->opt->no_replay) JO_TRY(replay(j));
  j->page.replay = j->replay;
  jtext text;
  jtext_init(&text, j->ctx);
  jreport_html(&text, &j->page);
  jo_status status =
      text.failed ? jerr_memory(j->ctx) : jfile_write(j->ctx, path, text.data, text.length);
  if (bytes && status >= 0) *bytes = (int64_t)text.length;
  jtext_free(&text);
  return status;
}

jo_status jo_report_write(jo_context* ctx, const jo_system* system, const jo_report_options* opt,
                          const char* path, int64_t* bytes) {
  JO_REQUIRE(ctx, system, path);
  jo_report_options defaults = jo_report_options_default();
  if (!opt) opt = &defaults;
  job j = {.ctx = ctx, .system = system, .opt = opt};
  jarena_init(&j.arena, ctx);
  bool is_scene = jtext_ends_in(path, ".glb");
  jerr_scope scope = jerr_enter(ctx, JERR_SCOPE_REPORT);
  jo_status status = (is_scene ? write_scene : write_page)(&j, path, bytes);
  jerr_leave(ctx, scope);
  jscene_replay_destroy(j.replay);
  jo_sens_result_destroy(j.derivatives);
  jo_result_destroy(j.result);
  jarena_free(&j.arena);
  return status;
}
