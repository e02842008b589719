// SPDX-License-Identifier: Apache-2.0
// Preparing sensitivities: a plant with derivatives, its kernels and the derivatives of its start.
#include "study/sens.h"

#include <string.h>

#include "study/guard.h"
#include "study/metric.h"
#include "study/start.h"

#define MAX_LANES     8
#define ADJOINT_LANES 2  // weights and their error

// ---- preparation ---------------------------------------------------------------------------------

// Room for the numbers and two probes.
static int lanes_for(int nw) {
  int lanes = 1;
  while (lanes < nw + 2 && lanes < MAX_LANES) {
    lanes *= 2;
  }
  return lanes;
}

static jo_status build_kernels(jstudy_sens* s, const jstudy_sens_setup* setup) {
  const jgen_sens* g = &s->plant->dynamics->sens;
  if (setup->direct) {
    jexpr_fn fn[JSTUDY_T_COUNT] = {
        [JSTUDY_T_RHS] = g->rhs_tangent,         [JSTUDY_T_CLOSE] = g->close_tangent,
        [JSTUDY_T_SWITCH] = g->switch_tangent,   [JSTUDY_T_MOMENTUM] = g->momentum_tangent,
        [JSTUDY_T_IMPULSE] = g->impulse_tangent, [JSTUDY_T_OBJECTIVE] = g->objective_tangent,
        [JSTUDY_T_OUTPUT] = g->output_tangent};
    // derivatives of jumps are needed where a drive jumps, those of outputs by observers
    const int part[JSTUDY_T_COUNT] = {[JSTUDY_T_MOMENTUM] = JKERNEL_SELDOM,
                                      [JSTUDY_T_IMPULSE] = JKERNEL_SELDOM,
                                      [JSTUDY_T_OUTPUT] = setup->outputs ? 1 : JKERNEL_SELDOM};
    jkernel_options opt = setup->kernel;
    opt.lanes = lanes_for(s->nw);
    opt.part = part;
    JO_TRY(jkernel_build(s->ctx, fn, JSTUDY_T_COUNT, &opt, &s->tangents));
  }
  if (setup->adjoint) {
    jexpr_fn fn[JSTUDY_A_COUNT] = {
        [JSTUDY_A_RHS] = g->rhs_adjoint,         [JSTUDY_A_CLOSE] = g->close_adjoint,
        [JSTUDY_A_SWITCH] = g->switch_adjoint,   [JSTUDY_A_MOMENTUM] = g->momentum_adjoint,
        [JSTUDY_A_IMPULSE] = g->impulse_adjoint, [JSTUDY_A_OBJECTIVE] = g->objective_adjoint};
    const int part[JSTUDY_A_COUNT] = {
        [JSTUDY_A_MOMENTUM] = JKERNEL_SELDOM, [JSTUDY_A_IMPULSE] = JKERNEL_SELDOM};
    jkernel_options opt = setup->kernel;
    opt.lanes = ADJOINT_LANES;
    opt.part = part;
    JO_TRY(jkernel_build(s->ctx, fn, JSTUDY_A_COUNT, &opt, &s->adjoints));
  }
  return JO_OK;
}

static jo_status prepare(jstudy_sens* s, const jmodel* m, const jstudy_sens_setup* setup) {
  bool* live = JARENA_ARRAY(&s->arena, m->nnumber + 1, bool);
  int* wrt = JARENA_ARRAY(&s->arena, setup->nwrt + 1, int);
  if (!live || !wrt) return jerr_memory(s->ctx);
  for (int i = 0; i < m->nnumber; i++) {
    live[i] = m->number[i].is_parameter;
  }
  for (int i = 0; i < setup->nwrt; i++) {
    wrt[i] = setup->wrt[i];
    live[wrt[i]] = true;
  }
  s->nw = setup->nwrt;
  s->wrt = wrt;
  jstudy_plant_options opt = {.kernel = setup->kernel, .seldom_outputs = !setup->outputs};
  opt.gen = (jgen_options){.live = live, .modes = true, .wrt = wrt, .nwrt = s->nw};
  JO_TRY(jstudy_plant_create(s->ctx, m, &opt, &s->plant));
  s->unit = JARENA_ARRAY(&s->arena, s->nw + 1, double);
  if (!s->unit) return jerr_memory(s->ctx);
  for (int i = 0; i < s->nw; i++) {
    s->unit[i] = jstudy_natural_size(m, wrt[i]);
  }
  jstudy_start begin;
  JO_TRY(jstudy_start_find(s->ctx, &s->arena, s->plant, s->nw, NULL, &begin));
  s->S0 = begin.S;
  s->why = begin.why;
  return build_kernels(s, setup);
}

jo_status jstudy_sens_create(jo_context* ctx, const jmodel* m, const jstudy_sens_setup* setup,
                             jstudy_sens** out) {
  *out = NULL;
  jstudy_sens* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jstudy_sens){.ctx = ctx};
  jarena_init(&s->arena, ctx);
  jo_status status = prepare(s, m, setup);
  if (status < 0) {
    jstudy_sens_destroy(s);
    return status;
  }
  *out = s;
  return JO_OK;
}

void jstudy_sens_destroy(jstudy_sens* s) {
  if (!s) return;
  jkernel_destroy(s->tangents);
  jkernel_destroy(s->adjoints);
  jstudy_plant_destroy(s->plant);
  jarena_free(&s->arena);
  jmem_free(s->ctx, s);
}

jo_status jstudy_sens_fail(jo_context* ctx, const jstudy_sens* s, int k, const char* why) {
  const jmodel* m = s->plant->model;
  return jerr_set(ctx, JO_ERR_MODEL,
                  "%s: nothing has a derivative by '%s': %s; leave this number out", m->path,
                  m->number[s->wrt[k]].path, why);
}

static jo_status check_numbers(jo_context* ctx, const jstudy_sens* s, int nw, const char** why) {
  for (int k = 0; k < nw; k++) {
    if (why[k]) return jstudy_sens_fail(ctx, s, k, why[k]);
  }
  return JO_OK;
}

jo_status jstudy_sens_check_numbers(jo_context* ctx, const jstudy_sens* s) {
  return check_numbers(ctx, s, s->nw, s->why);
}

static jo_status begin_run(jo_context* ctx, const jstudy_sens* s, const double* values,
                           jstudy_run** out) {
  JO_TRY(jstudy_run_create(ctx, s->plant, out));
  if (values) memcpy((*out)->p, values, (size_t)s->plant->dynamics->np * sizeof *values);
  return JO_OK;
}

jo_status jstudy_sens_start(jo_context* ctx, jarena* a, const jstudy_sens* s, int nw,
                            const double* values, double** y, double** S) {
  jstudy_start begin;
  jstudy_run* run;
  JO_TRY(jstudy_start_find(ctx, a, s->plant, nw, values, &begin));
  JO_TRY(check_numbers(ctx, s, nw, begin.why));
  JO_TRY(begin_run(ctx, s, values, &run));
  jo_status status = jstudy_guard_start(run, s->plant->model->simulation.t_start, begin.y);
  jstudy_run_destroy(run);
  *y = begin.y;
  *S = begin.S;
  return status;
}

// Other values of the live numbers are judged like those of the file.
static jo_status check_values(jo_context* ctx, const jstudy_sens* s, const double* p) {
  const jgen_dynamics* d = s->plant->dynamics;
  const jmodel* m = d->model;
  double* number = jmem_resize(ctx, NULL, ((size_t)m->nnumber + 1) * sizeof *number);
  if (!number) return jerr_memory(ctx);
  for (int i = 0; i < m->nnumber; i++) {
    number[i] = m->number[i].value;
  }
  for (int i = 0; i < d->np; i++) {
    number[d->live[i]] = p[i];
  }
  jo_status status = jmodel_check_values(ctx, m, number);
  jmem_free(ctx, number);
  return status;
}

jo_status jstudy_sens_check(jo_context* ctx, const jstudy_sens* s, const jstudy_sens_options* opt,
                            bool objectives) {
  jstudy_run* run;
  if (opt->p) JO_TRY(check_values(ctx, s, opt->p));
  JO_TRY(begin_run(ctx, s, opt->p, &run));
  jo_status status = JO_OK;
  if (objectives) status = jstudy_guard_windows(run, opt->t_start, opt->t_end);
  // other values make another start, which jstudy_sens_start() looks at
  if (status >= 0 && !opt->p) status = jstudy_guard_start(run, opt->t_start, s->plant->y0);
  jstudy_run_destroy(run);
  return status;
}
