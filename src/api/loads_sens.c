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
  const jo_system* system;
  jloads_sens* loads;
};

jo_loads_sens_options jo_loads_sens_options_default(void) {
  return (jo_loads_sens_options){
      .t_end_s = NAN, .tolerance = NAN, .slope = JLOADS_SLOPE, .reference = JLOADS_REFERENCE};
}

static jo_status run(jo_loads_sens* s, const jo_loads_sens_options* opt) {
  const jsens* motion = s->system->motion;
  jloads_sens_options o = jloads_sens_options_default(s->system->variable);
  o.run.p = s->system->p;
  o.slope = opt->slope;
  o.reference = opt->reference;
  if (!isnan(opt->t_end_s)) o.run.t_end = opt->t_end_s;
  if (!isnan(opt->tolerance)) o.run.solve.rel_tol = o.run.solve.abs_tol = opt->tolerance;
  JO_TRY(jloads_sens_check(s->ctx, &o));
  JO_TRY(jloads_sens_run(s->ctx, motion, &o, &s->loads));
  jloads_sens_warn(s->ctx, s->loads, motion);
  return JO_OK;
}

jo_status jo_loads_sens_run(jo_context* ctx, const jo_system* system,
                            const jo_loads_sens_options* opt, jo_loads_sens** out) {
  JO_REQUIRE_OUT(out, ctx, system);
  jo_loads_sens_options defaults = jo_loads_sens_options_default();
  bool is_prepared = system->motion && system->motion->tangents;
  if (!is_prepared) return japi_system_fail(ctx, system, JO_USE_HISTORIES);
  jo_loads_sens* s = jmem_resize(ctx, NULL, sizeof *s);
  if (!s) return jerr_memory(ctx);
  *s = (jo_loads_sens){.ctx = ctx, .system = system};
  jo_status status = run(s, opt ? opt : &defaults);
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
