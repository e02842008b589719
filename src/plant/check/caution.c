// SPDX-License-Identifier: Apache-2.0
#include "plant/check/caution.h"

#include "base/text/format.h"

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
  *out = (jplant_caution){.ctx = ctx, .plant = p};
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
