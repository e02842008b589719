// SPDX-License-Identifier: Apache-2.0
// Preparing sensitivities: a plant with derivatives, its kernels and the derivatives of its start.
#include "sens/sens.h"

#include <string.h>

#include "plant/start/start.h"
#include "sens/error/metric.h"

// ---- preparation ---------------------------------------------------------------------------------

int jsens_lanes_for(int nw, int most) {
  int lanes = 1;
  while (lanes < nw + 2 && lanes < most) {
    lanes *= 2;
  }
  return lanes;
}

jsens_method jsens_cheaper(int nobjective, int nw) {
  int packs = (nw + JSENS_MAX_LANES - 1) / JSENS_MAX_LANES;
  return packs <= nobjective ? JSENS_DIRECT : JSENS_ADJOINT;
}

static jo_status build_kernels(jsens* s, const jsens_setup* setup) {
  jsens_kernel_options opt = {
      .direct = setup->direct,
      .adjoint = setup->adjoint,
      .histories = setup->histories,
      .lanes = jsens_lanes_for(s->nw, jkernel_most_lanes(setup->kernel.backend)),
      .kernel = setup->kernel};
  JO_TRY(jsens_kernels_create(s->ctx, s->plant, &opt, &s->own));
  s->tangents = s->own->tangents;
  s->adjoints = s->own->adjoints;
  s->siblings = jsens_kernel_shelf_create(s->ctx, &opt);
  return s->siblings ? JO_OK : jerr_memory(s->ctx);
}

// Switches that momenta have: those of driven coordinates. Of their derivatives, since numbers are constants in the
// values, and a jump by a number that is zero is gone there.
static jo_status find_drives(jsens* s) {
  const jgen_dynamics* d = s->plant->dynamics;
  const jexpr_fn* tangent = &d->sens.tangent[JGEN_FN_MOMENTUM];
  const jexpr_fn* fn = tangent->name ? tangent : &d->sens.adjoint[JGEN_FN_MOMENTUM];
  bool* drives = JARENA_ARRAY(&s->arena, d->nswitch, bool);
  if (!drives) return jerr_memory(s->ctx);
  s->drives = drives;
  if (d->part.nd == 0 || !fn->name) return JO_OK;
  jarena a;
  jarena_init(&a, s->ctx);
  jexpr_schedule schedule;
  jo_status status = jexpr_schedule_build(&a, fn, &schedule);
  for (int i = 0; status >= 0 && i < schedule.n; i++) {
    for (int k = 0; k < jexpr_nargs(fn->graph, schedule.order[i]); k++) {
      const jexpr_node* arg = &fn->graph->node[jexpr_arg(fn->graph, schedule.order[i], k)];
      if (arg->op == JEXPR_INPUT && arg->a == (uint32_t)JGEN_MODE) drives[arg->b] = true;
    }
  }
  jarena_free(&a);
  return status;
}

// Every run asks for these sizes, and they are found among all numbers of the model.
static jo_status find_sizes(jsens* s) {
  const jmodel* m = s->plant->model;
  double* size = JARENA_ARRAY(&s->arena, s->nw, double);
  if (!size) return jerr_memory(s->ctx);
  for (int k = 0; k < s->nw; k++) {
    if (m->number[s->wrt[k]].value == 0.0) size[k] = jsens_natural_size(m, s->wrt[k]);
  }
  s->size_at_zero = size;
  return JO_OK;
}

static jo_status prepare(jsens* s, const jmodel* m, const jsens_setup* setup) {
  bool* live = JARENA_ARRAY(&s->arena, m->nnumber, bool);
  int* wrt = JARENA_ARRAY(&s->arena, setup->nwrt, int);
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
  jplant_options opt = {.kernel = setup->kernel, .seldom_outputs = !setup->outputs};
  opt.gen = (jgen_options){.live = live, .modes = true, .wrt = wrt, .nwrt = s->nw};
  JO_TRY(jplant_create(s->ctx, m, &opt, &s->plant));
  JO_TRY(find_drives(s));
  JO_TRY(find_sizes(s));
  if (s->nw == 0) return JO_OK;
  jplant_start begin;
  JO_TRY(jplant_start_find(s->ctx, &s->arena, s->plant, s->nw, NULL, &begin));
  s->S0 = begin.S;
  s->why = begin.why;
  s->tips = begin.tips;
  return build_kernels(s, setup);
}

double jsens_unit(const jsens* s, const double* p, int k) {
  const jgen_dynamics* d = s->plant->dynamics;
  double value = s->plant->model->number[s->wrt[k]].value;
  for (int i = 0; p && i < d->np; i++) {
    if (d->live[i] == s->wrt[k]) value = p[i];
  }
  if (value == 0.0 && s->size_at_zero[k] > 0.0) return s->size_at_zero[k];
  return jsens_size_at(s->plant->model, s->wrt[k], value);
}

jo_status jsens_create(jo_context* ctx, const jmodel* m, const jsens_setup* setup, jsens** out) {
  *out = NULL;
  jsens* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jsens){.ctx = ctx};
  jarena_init(&s->arena, ctx);
  jo_status status = prepare(s, m, setup);
  if (status < 0) {
    jsens_destroy(s);
    return status;
  }
  *out = s;
  return JO_OK;
}

void jsens_destroy(jsens* s) {
  if (!s) return;
  jsens_kernel_shelf_destroy(s->siblings);
  jsens_kernels_destroy(s->own);
  jplant_destroy(s->plant);
  jarena_free(&s->arena);
  jmem_free(s->ctx, s);
}

jo_status jsens_fail(jo_context* ctx, const jsens* s, int k, const char* why) {
  return jplant_start_refuse(ctx, s->plant->model, s->wrt[k], why);
}

jo_status jsens_check_numbers(jo_context* ctx, const jsens* s) {
  for (int k = 0; k < s->nw; k++) {
    if (s->why[k]) return jsens_fail(ctx, s, k, s->why[k]);
  }
  return JO_OK;
}

jo_status jsens_check_start(jo_context* ctx, const jsens* s, int nw, const char* const* why) {
  for (int k = 0; k < nw; k++) {
    if (why[k] && !s->why[k]) return jsens_fail(ctx, s, k, why[k]);
  }
  return JO_OK;
}
