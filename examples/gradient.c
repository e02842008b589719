// SPDX-License-Identifier: Apache-2.0
// Exact derivatives of a whole manoeuvre, through all its events, by five numbers of the buggy; each with its
// estimated error.
#include <jounce/jounce.h>
#include <stdio.h>

static jo_status print_gradient(jo_context* ctx, const jo_system* system) {
  jo_sens_result* result = NULL;
  jo_status status = jo_sens_run(ctx, system, NULL, &result);
  jo_sens_parameter p;
  jo_quantity q;
  for (int o = 0; status >= 0 && jo_sens_objective_at(result, o, &q) >= 0; o++) {
    printf("%s = %.10g %s\n", q.name, q.value, q.unit);
    for (int k = 0; jo_sens_parameter_at(system, k, &p) >= 0; k++) {
      printf("  d/d %-6s %17.9e +- %.1e\n", p.name, jo_sens_derivative(result, o, k),
             jo_sens_derivative_error(result, o, k));
    }
  }
  jo_sens_result_destroy(result);
  return status;
}

int main(void) {
  static const char* const names[] = {"k_f", "c_f", "k_r", "c_r", "m_c"};
  jo_system_options use = jo_system_options_default();
  use.use = JO_USE_DERIVATIVES;
  use.wrt = names;
  use.nwrt = 5;
  jo_context* ctx = NULL;
  jo_model* model = NULL;
  jo_system* system = NULL;
  jo_status status = jo_context_create(NULL, &ctx);
  if (status >= 0) status = jo_model_load(ctx, "models/buggy/step_descent.yaml", NULL, 0, &model);
  if (status >= 0) status = jo_system_create(ctx, model, &use, &system);
  if (status >= 0) status = print_gradient(ctx, system);
  if (status < 0) fprintf(stderr, "%s\n", jo_context_message(ctx));
  jo_system_destroy(system);
  jo_model_destroy(model);
  jo_context_destroy(ctx);
  return status < 0;
}
