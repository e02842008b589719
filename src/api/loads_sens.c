// SPDX-License-Identifier: Apache-2.0
// The public face of sensitivities of peak loads and pseudo-damage.
#include <math.h>

#include "api/handles.h"
#include "base/require.h"
#include "jounce/loads.h"
#include "loads/sens.h"
#include "plant/limits.h"
#include "sens/doubt.h"

#define TOLERANCE 1e-11  // touch-downs on soil have infinite slopes: they cost digits

struct jo_loads_sens {
  jo_context* ctx;
  jsens* sens;
  jloads_sens* loads;
};

jo_loads_sens_options jo_loads_sens_options_default(void) {
  return (jo_loads_sens_options){.t_end = NAN, .tolerance = NAN, .slope = 5.0, .reference = 1.0};
}

static jo_status prepare(jo_loads_sens* s, const jmodel* m, const jo_loads_sens_options* opt) {
  jarena a;
  jarena_init(&a, s->ctx);
  int* wrt = JARENA_ARRAY(&a, opt->nwrt + 1, int);
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
  if (!(opt->slope >= 1.0) || !(opt->reference > 0.0)) {
    return jerr_set(s->ctx, JO_ERR_ARGUMENT,
                    "pseudo-damage with slope %g and reference %g has no derivative", opt->slope,
                    opt->reference);
  }
  JO_TRY(prepare(s, m, opt));
  jloads_sens_options o = jloads_sens_options_default(m);
  o.slope = opt->slope;
  o.reference = opt->reference;
  if (!isnan(opt->t_end)) o.run.t_end = opt->t_end;
  double tolerance = isnan(opt->tolerance) ? TOLERANCE : opt->tolerance;
  o.run.solve.rel_tol = o.run.solve.abs_tol = tolerance;
  JO_TRY(jplant_check_option(s->ctx, "tolerance", opt->tolerance));
  if (!(o.run.t_end > o.run.t_start) || !(o.run.solve.rel_tol > 0.0)) {
    return jerr_set(s->ctx, JO_ERR_ARGUMENT, "end time %g s, tolerance %g: out of range",
                    o.run.t_end, o.run.solve.rel_tol);
  }
  return jloads_sens_run(s->ctx, s->sens, &o, &s->loads);
}

static void warn_of_errors(const jo_loads_sens* s, const jmodel* m) {
  const jloads_sens* l = s->loads;
  jsens_doubt doubt = {.wanted = l->run->derivative_tol};
  const char* brink = NULL;
  for (int e = 0; e < l->n; e++) {
    const jloads_gradient* g = &l->element[e];
    for (int k = 0; k < l->nw; k++) {
      const char* number = m->number[s->sens->wrt[k]].path;
      double unit = s->sens->unit[k];
      jsens_doubt_add(&doubt, g->peak, g->dpeak[k], g->dpeak_error[k], unit, g->name, number);
      jsens_doubt_add(&doubt, g->damage, g->ddamage[k], g->ddamage_error[k], unit, g->name, number);
      if (!brink && l->run->brink[k] >= 0) brink = s->sens->plant->switch_name[l->run->brink[k]];
    }
  }
  jsens_doubt_warn(s->ctx, &doubt, m->path, brink);
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
  warn_of_errors(s, model->model);
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
