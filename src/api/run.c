// SPDX-License-Identifier: Apache-2.0
// The public face of runs that are driven from outside.
#include "jounce/run.h"

#include <math.h>
#include <string.h>

#include "api/handles.h"
#include "base/require.h"
#include "plant/check/finite.h"
#include "plant/options.h"
#include "plant/run.h"

struct jo_run {
  jo_context* ctx;
  jarena arena;
  const jo_system* system;
  jplant_run run;
  jsolve_options solve;
  jsolve_growth growth;  // of fixed steps
  int nchange;           // of the partition
  int ninput;
  int* input;  // parameters that are inputs ...
  int* live;   // ... and where their values stand among the live numbers (ninput)
};

static const jgen_dynamics* dynamics(const jo_run* r) {
  return r->run.work->plant->dynamics;
}

static jo_status count_change(void* user, double t, const double* before, const double* after,
                              const jplant* was, const jplant* is) {
  (void)t, (void)before, (void)after, (void)was, (void)is;
  ((jo_run*)user)->nchange++;
  return JO_OK;
}

// ---- beginning -----------------------------------------------------------------------------------

static int live_index(const jgen_dynamics* d, int number) {
  int k = 0;
  while (k < d->np && d->live[k] != number) {
    k++;
  }
  return k;
}

static jo_status list_inputs(jo_run* r) {
  const jmodel* m = r->run.work->plant->model;
  r->input = JARENA_ARRAY(&r->arena, m->nparameter, int);
  r->live = JARENA_ARRAY(&r->arena, m->nparameter, int);
  if (!r->input || !r->live) return jerr_memory(r->ctx);
  for (int i = 0; i < m->nparameter; i++) {
    if (!m->parameter[i].is_input) continue;
    r->input[r->ninput] = i;
    r->live[r->ninput++] = live_index(dynamics(r), m->parameter[i].value.number);
  }
  return JO_OK;
}

static jo_status begin(jo_run* r) {
  // objectives have no end here, and their windows none to lie before
  jplant_run_options open = {.p = r->system->p, .t_end = NAN};
  JO_TRY(jplant_run_open(r->ctx, &r->arena, r->system->plant, &open, &r->run));
  r->run.work->watch.on_change = count_change;
  r->run.work->watch.user = r;
  return list_inputs(r);
}

jo_status jo_run_create(jo_context* ctx, const jo_system* system, const jo_simulate_options* opt,
                        jo_run** out) {
  JO_REQUIRE_OUT(out, ctx, system);
  jo_simulate_options defaults = jo_simulate_options_default();
  if (!opt) opt = &defaults;
  if (!system->motion) return japi_system_fail(ctx, system, JO_USE_RUNS);
  jo_run* r = jmem_resize(ctx, NULL, sizeof *r);
  if (!r) return jerr_memory(ctx);
  *r = (jo_run){.ctx = ctx, .system = system};
  jarena_init(&r->arena, ctx);
  jplant_simulate_options inside = japi_simulate_options(opt);
  jplant_simulate_used used;
  inside.t_end = NAN;
  jo_status status =
      jplant_options_choose(ctx, system->plant->model, &inside, false, &used, &r->solve);
  // a run is looked into as often in parts as in one piece
  if (status >= 0)
    r->solve.shortest_pulse = jsolve_shortest_pulse(&r->solve, used.t_end - used.t_start);
  r->solve.growth = &r->growth;
  if (status >= 0) status = begin(r);
  if (status < 0) {
    jo_run_destroy(r);
    return status;
  }
  *out = r;
  return JO_OK;
}

void jo_run_destroy(jo_run* run) {
  if (!run) return;
  jplant_run_close(&run->run);
  jarena_free(&run->arena);
  jmem_free(run->ctx, run);
}

// ---- going on ------------------------------------------------------------------------------------

jo_status jo_run_advance(jo_context* ctx, jo_run* run, double t_s) {
  JO_REQUIRE(ctx, run);
  if (!(t_s >= run->run.t) || !isfinite(t_s)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT,
                    "time %.12g s: must be finite and not before %.12g s, "
                    "where the run is",
                    t_s, run->run.t);
  }
  if (t_s == run->run.t) return JO_OK;
  if (run->run.work->machine.has_ended) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "the run ended at t = %.12g s by simulation.end_when",
                    run->run.t);
  }
  jplant_work_use(run->run.work, ctx);
  return jplant_run_advance(&run->run, &run->solve, NULL, t_s, NULL);
}

jo_status jo_run_set_state(jo_context* ctx, jo_run* run, double t_s, const double* y) {
  JO_REQUIRE(ctx, run, y);
  const jgen_dynamics* d = dynamics(run);
  int bad = jplant_finite_first(y, d->ny);
  if (bad >= 0 || !isfinite(t_s)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "%s is not a finite number",
                    bad >= 0 ? d->layout.name[bad] : "the time");
  }
  jplant_work_use(run->run.work, ctx);
  memcpy(run->run.y, y, (size_t)d->ny * sizeof *y);
  run->run.t = t_s;
  run->growth = (jsolve_growth){0};
  run->run.work->machine.side = 0;
  run->run.work->machine.has_ended = false;
  JO_TRY(jmachine_close(&run->run.work->machine, run->run.t, run->run.y));
  jplant_work_set_modes(run->run.work, run->run.t, run->run.y);
  return JO_OK;
}

// ---- what there is -------------------------------------------------------------------------------

double jo_run_time(const jo_run* run) {
  JO_REQUIRE_OR(NAN, run);
  return run->run.t;
}

int jo_run_state_count(const jo_run* run) {
  JO_REQUIRE_OR(0, run);
  return dynamics(run)->ny;
}

const double* jo_run_state(const jo_run* run) {
  JO_REQUIRE_OR(NULL, run);
  return run->run.y;
}

jo_status jo_run_state_at(const jo_run* run, int i, jo_quantity* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, run, out);
  const jgen_layout* l = &dynamics(run)->layout;
  if (i < 0 || i >= l->ny) return JO_ERR_ARGUMENT;
  *out = (jo_quantity){l->name[i], l->unit[i], "", run->run.y[i]};
  return JO_OK;
}

int jo_run_change_count(const jo_run* run) {
  JO_REQUIRE_OR(0, run);
  return run->nchange;
}

int jo_run_input_count(const jo_run* run) {
  JO_REQUIRE_OR(0, run);
  return run->ninput;
}

jo_status jo_run_input_at(const jo_run* run, int i, jo_quantity* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, run, out);
  if (i < 0 || i >= run->ninput) return JO_ERR_ARGUMENT;
  const jmodel_parameter* p = &run->run.work->plant->model->parameter[run->input[i]];
  *out = (jo_quantity){p->name, p->unit, p->description, run->run.work->p[run->live[i]]};
  return JO_OK;
}

int jo_run_input_find(const jo_run* run, const char* name) {
  JO_REQUIRE_OR(-1, run, name);
  const jmodel* m = run->run.work->plant->model;
  for (int i = 0; i < run->ninput; i++) {
    if (strcmp(m->parameter[run->input[i]].name, name) == 0) return i;
  }
  return -1;
}

jo_status jo_run_set_input(jo_context* ctx, jo_run* run, int i, double value) {
  JO_REQUIRE(ctx, run);
  if (i < 0 || i >= run->ninput) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "there is no input %d: the model has %d", i, run->ninput);
  }
  if (!isfinite(value)) {
    const jmodel* m = run->run.work->plant->model;
    return jerr_set(ctx, JO_ERR_ARGUMENT, "input '%s': its value must be a finite number",
                    m->parameter[run->input[i]].name);
  }
  run->run.work->p[run->live[i]] = value;
  jsolve_update_modes(&run->run.work->system, run->run.t, run->run.y, NULL, run->run.work->g);
  return JO_OK;
}

int jo_run_output_count(const jo_run* run) {
  JO_REQUIRE_OR(0, run);
  return dynamics(run)->noutput;
}

jo_status jo_run_output_at(const jo_run* run, int i, jo_quantity* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, run, out);
  const jgen_dynamics* d = dynamics(run);
  if (i < 0 || i >= d->noutput) return JO_ERR_ARGUMENT;
  *out = (jo_quantity){d->output_name[i], d->output_unit[i], "", NAN};
  return JO_OK;
}

jo_status jo_run_outputs(jo_context* ctx, jo_run* run, double* value) {
  JO_REQUIRE(ctx, run, value);
  jplant_outputs(run->run.work, run->run.t, run->run.y, value);
  return JO_OK;
}

jo_status jo_run_rhs(jo_context* ctx, jo_run* run, double t_s, const double* y, double* ydot) {
  JO_REQUIRE(ctx, run, y, ydot);
  const jsolve_system* s = &run->run.work->system;
  s->rhs(s->user, t_s, y, ydot);
  return JO_OK;
}

jo_status jo_run_switches(jo_context* ctx, jo_run* run, double t_s, const double* y, double* g) {
  JO_REQUIRE(ctx, run, y, g);
  const jsolve_system* s = &run->run.work->system;
  s->switches(s->user, t_s, y, g);
  return JO_OK;
}
