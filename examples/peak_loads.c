// SPDX-License-Identifier: Apache-2.0
// Durability loads of a tracked vehicle over a bump, faster than real time: peaks, cycles and pseudo-damage.
#include <jounce/jounce.h>
#include <stdio.h>

static jo_status predict(jo_context* ctx, const jo_system* system) {
  jo_loads_result* result = NULL;
  jo_status status = jo_loads_run(ctx, system, NULL, &result);
  jo_loads_element e;
  for (int i = 0; status >= 0 && jo_loads_element_at(result, i, &e) >= 0; i++) {
    printf("%-10s peak %12.5g %-4s at %7.3f s, %6.4g cycles, damage %.3g\n", e.name, e.peak, e.unit,
           e.t_peak, e.cycles, e.damage);
  }
  if (status >= 0) {
    jo_loads_statistics s = jo_loads_result_statistics(result);
    printf("%lld steps of 1/%g s, %lld of them stiff: %.3g times real time\n", (long long)s.steps,
           s.rate, (long long)s.stiff_steps, s.real_time_factor);
  }
  jo_loads_result_destroy(result);
  return status;
}

int main(void) {
  jo_system_options use = jo_system_options_default();
  use.use = JO_USE_LOADS;
  jo_context* ctx = NULL;
  jo_model* model = NULL;
  jo_system* system = NULL;
  jo_status status = jo_context_create(NULL, &ctx);
  if (status >= 0) status = jo_model_load(ctx, "models/tracked/bump.yaml", NULL, 0, &model);
  if (status >= 0) status = jo_system_create(ctx, model, &use, &system);
  if (status >= 0) status = predict(ctx, system);
  if (status < 0) fprintf(stderr, "%s\n", jo_context_message(ctx));
  jo_system_destroy(system);
  jo_model_destroy(model);
  jo_context_destroy(ctx);
  return status < 0;
}
