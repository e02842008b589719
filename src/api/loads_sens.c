// SPDX-License-Identifier: Apache-2.0
// The public face of sensitivities of peak loads and pseudo-damage.
#include <math.h>

#include "api/handles.h"
#include "base/require.h"
#include "jounce/loads.h"
#include "loads/options.h"
#include "loads/sens.h"

struct jo_loads_sens {
  jo_context* ctx;
  jsens* sens;
  jloads_sens* loads;
};

jo_loads_sens_options jo_loads_sens_options_default(void) {
  return (jo_loads_sens_options){
      .t_end = NAN, .tolerance = NAN, .slope = JLOADS_SLOPE, .reference = JLOADS_REFERENCE};
}

static jo_status prepare(jo_loads_sens* s, const jmodel* m, const jo_loads_sens_options* opt) {
  jarena a;
  jarena_init(&a, s->ctx);
  int* wrt = JARENA_ARRAY(&a, opt->nwrt, int);
  jo_status status = wrt ? JO_OK : jerr_memory(s->ctx);
  for (int i = 0; status >= 0 && i < opt->nwrt; i++) {
    status = jmodel_number_named(s->ctx, m, opt->wrt[i], &wrt[i]);
  }
  jsens_setup setup = {.wrt = wrt,
                       .nwrt = opt->nwrt,
                       .direct = true,
                       .outputs = true,
                       .kernel = jkernel_options_default()};
  if (opt->interpreter) setup.kernel.backend = JKERNEL_INTERP;
  if (status >= 0) status = jsens_create(s->ctx, m, &setup, &s->sens);
  jarena_free(&a);
  return status;
}

static jo_status run(jo_loads_sens* s, const jmodel* m, const jo_loads_sens_options* opt) {
  if (opt->nwrt < 1) return jerr_set(s->ctx, JO_ERR_ARGUMENT, "no number to differentiate for");
  jloads_sens_options o = jloads_sens_options_default(m);
  o.slope = opt->slope;
  o.reference = opt->reference;
  if (!isnan(opt->t_end)) o.run.t_end = opt->t_end;
  if (!isnan(opt->tolerance)) o.run.solve.rel_tol = o.run.solve.abs_tol = opt->tolerance;
  JO_TRY(jloads_sens_check(s->ctx, &o));
  JO_TRY(prepare(s, m, opt));
  JO_TRY(jloads_sens_run(s->ctx, s->sens, &o, &s->loads));
  jloads_sens_warn(s->ctx, s->loads, s->sens);
  return JO_OK;
}

jo_status jo_loads_sens_run(jo_context* ctx, const jo_model* model,
                            const jo_loads_sens_options* opt, jo_loads_sens** out) {
  JO_REQUIRE_OUT(out, ctx, model, opt);
  JO_REQUIRE_TEXTS(ctx, opt->wrt, opt->nwrt);
  jo_loads_sens* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jo_loads_sens){.ctx = ctx};
  jo_status status = run(s, model->model, opt);
  if (status < 0) {
    jo_loads_sens_destroy(s);
    return status;
  }
  *out = s;
  return JO_OK;
}

void jo_loads_sens_destroy(jo_loads_sens* sens) {
  if (!sens) return;
  jloads_sens_destroy(sens->loads);
  jsens_destroy(sens->sens);
  jmem_free(sens->ctx, sens);
}

int jo_loads_sens_count(const jo_loads_sens* sens) {
  JO_REQUIRE_OR(0, sens);
  return sens->loads->n;
}

jo_status jo_loads_sens_at(const jo_loads_sens* sens, int i, jo_loads_gradient* out) {
  JO_REQUIRE_OR(JO_ERR_ARGUMENT, sens, out);
  if (i < 0 || i >= sens->loads->n) return JO_ERR_ARGUMENT;
  const jloads_gradient* e = &sens->loads->element[i];
  *out = (jo_loads_gradient){e->name,  e->unit,    e->peak,        e->t_peak,       e->damage,
                             e->dpeak, e->ddamage, e->dpeak_error, e->ddamage_error};
  return JO_OK;
}

double jo_loads_sens_value(const jo_loads_sens* sens, int k) {
  JO_REQUIRE_OR(NAN, sens);
  if (k < 0 || k >= sens->sens->nw) return NAN;
  return sens->sens->plant->model->number[sens->sens->wrt[k]].value;
}
