// SPDX-License-Identifier: Apache-2.0
// Preparing sensitivities: a plant with derivatives, its kernels and the derivatives of its start.
#include "study/sens.h"

#include <string.h>

#include "study/guard.h"
#include "study/metric.h"
#include "study/start.h"

#define ADJOINT_LANES 2  // weights and their error

// ---- preparation ---------------------------------------------------------------------------------

// Room for the numbers and two probes.
static int lanes_for(int nw) {
  int lanes = 1;
  while (lanes < nw + 2 && lanes < JSTUDY_MAX_LANES) {
    lanes *= 2;
  }
  return lanes;
}

jstudy_sens_method jstudy_sens_cheaper(int nobjective, int nw) {
  int packs = (nw + JSTUDY_MAX_LANES - 1) / JSTUDY_MAX_LANES;
  return packs <= nobjective ? JSTUDY_DIRECT : JSTUDY_ADJOINT;
}

static jo_status build_kernels(jstudy_sens* s, const jstudy_sens_setup* setup) {
  const jgen_sens* g = &s->plant->dynamics->sens;
  jkernel_options opt = setup->kernel;
  jstudy_kernels_use use = {.outputs = setup->outputs};
  if (setup->direct) {
    opt.lanes = lanes_for(s->nw);
    JO_TRY(jstudy_kernels_create(s->ctx, g->tangent, NULL, 0, use, &opt, &s->tangents));
  }
  if (setup->adjoint) {
    opt.lanes = ADJOINT_LANES;
    JO_TRY(jstudy_kernels_create(s->ctx, g->adjoint, NULL, 0, use, &opt, &s->adjoints));
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
  jstudy_kernels_destroy(s->ctx, s->tangents);
  jstudy_kernels_destroy(s->ctx, s->adjoints);
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

jo_status jstudy_sens_check(jo_context* ctx, const jstudy_sens* s, const jstudy_sens_options* opt,
                            bool objectives) {
  jstudy_run* run;
  if (opt->p) JO_TRY(jstudy_start_check(ctx, s->plant, opt->p));
  JO_TRY(begin_run(ctx, s, opt->p, &run));
  jo_status status = JO_OK;
  if (objectives) status = jstudy_guard_windows(run, opt->t_start, opt->t_end);
  // other values make another start, which jstudy_sens_start() looks at
  if (status >= 0 && !opt->p) status = jstudy_guard_start(run, opt->t_start, s->plant->y0);
  jstudy_run_destroy(run);
  return status;
}
