// SPDX-License-Identifier: Apache-2.0
#include "plant/check/caution.h"

#include <string.h>

#include "base/text/format.h"
#include "plant/start/start.h"

static void fill(const jplant* p, const double* values, double* number) {
  const jgen_dynamics* d = p->dynamics;
  for (int i = 0; i < d->model->nnumber; i++) {
    number[i] = d->model->number[i].value;
  }
  for (int i = 0; values && i < d->np; i++) {
    number[d->live[i]] = values[i];
  }
}

jo_status jplant_caution_begin(jo_context* ctx, jarena* a, const jplant* p, const double* values,
                               jplant_caution* out) {
  const jmodel* m = p->dynamics->model;
  int n = jmodel_warning_rules(m);
  *out = (jplant_caution){.ctx = ctx, .arena = a, .plant = p};
  if (n == 0) return JO_OK;
  out->before = JARENA_ARRAY(a, m->nnumber, double);
  out->number = JARENA_ARRAY(a, m->nnumber, double);
  out->told = JARENA_ARRAY(a, n, bool);
  if (!out->before || !out->number || !out->told) return jerr_memory(ctx);
  fill(p, values, out->before);
  return JO_OK;
}

jo_status jplant_caution_add(jplant_caution* c, const double* values, int point) {
  char where[48] = "";
  if (!c->told) return JO_OK;
  if (point >= 0) jformat(where, sizeof where, "; the first is point %d", point + 1);
  fill(c->plant, values, c->number);
  return jmodel_warn_of_values(c->ctx, c->plant->dynamics->model, c->before, c->number, where,
                               c->told);
}

bool jplant_caution_needs_values(const jplant_caution* c, unsigned wheels) {
  return c->told || wheels;
}

jo_status jplant_caution_add_point(jplant_caution* c, const jplant* plant, const double* values,
                                   int point, unsigned wheels) {
  size_t np = (size_t)plant->dynamics->np;
  c->npoint++;
  for (int f = 0; f < JPLANT_WHEEL_FAULTS; f++) {
    jplant_caution_start* s = &c->start[f];
    if (!(wheels & JPLANT_WHEEL_HAS(f))) continue;
    s->is_new = s->is_new || wheels & JPLANT_WHEEL_NEW(f);
    if (s->n++ > 0) continue;
    s->first = point;
    s->plant = plant;
    s->values = JARENA_ARRAY(c->arena, np, double);
    if (!s->values) return jerr_memory(c->ctx);
    memcpy(s->values, values, np * sizeof *values);
  }
  return c->told ? jplant_caution_add(c, values, point) : JO_OK;
}

static jo_status warn_of_start(jplant_caution* c, jplant_wheel_fault f) {
  const jplant_caution_start* s = &c->start[f];
  const jplant* p = s->plant;
  char where[80];
  jplant_start start;
  jplant_work* run;
  jformat(where, sizeof where, "; %d of %d points %s so, the first is point %d", s->n, c->npoint,
          s->n == 1 ? "starts" : "start", s->first + 1);
  JO_TRY(jplant_start_find(c->ctx, c->arena, p, 0, s->values, &start));
  double t = p->model->simulation.t_start;
  JO_TRY(jplant_work_create_at(c->ctx, p, s->values, t, start.y, &run));
  jo_status status = jplant_wheels_warn(run, start.y, f, where);
  jplant_work_destroy(run);
  return status;
}

jo_status jplant_caution_end(jplant_caution* c) {
  for (int f = 0; f < JPLANT_WHEEL_FAULTS; f++) {
    if (c->start[f].is_new) JO_TRY(warn_of_start(c, (jplant_wheel_fault)f));
  }
  return JO_OK;
}
