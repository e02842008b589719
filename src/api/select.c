// SPDX-License-Identifier: Apache-2.0
#include "api/select.h"

jo_quantity japi_describe(const jmodel* m, int number) {
  jo_quantity out = {m->number[number].path, "", "", m->number[number].value};
  for (int i = 0; i < m->nparameter; i++) {
    const jmodel_parameter* p = &m->parameter[i];
    if (p->value.number != number) continue;
    out.unit = p->unit ? p->unit : "";
    out.description = p->description ? p->description : "";
  }
  return out;
}

jo_status japi_plant_create(jo_context* ctx, jarena* a, const jmodel* m, const jmodel_selection* k,
                            bool jacobian, jplant** out) {
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = JKERNEL_INTERP;
  opt.gen.jacobian = jacobian;
  opt.gen.wrt = k->wrt;
  opt.gen.nwrt = k->n;
  if (k->n > 0) m = jmodel_make_variable(a, m, k);
  return m ? jplant_create(ctx, m, &opt, out) : jerr_memory(ctx);
}
