// SPDX-License-Identifier: Apache-2.0
// Exact derivatives of a whole manoeuvre, through all its events, by five numbers of the buggy; each with its
// estimated error.
#include <jounce/jounce.h>
#include <stdio.h>

static jo_status print_gradient(jo_context* ctx, const jo_sens* sens) {
  jo_sens_result* result = NULL;
  jo_status status = jo_sens_run(ctx, sens, NULL, &result);
  jo_sens_parameter p;
  jo_quantity q;
  for (int o = 0; status >= 0 && jo_sens_objective(result, o, &q) >= 0; o++) {
    printf("%s = %.10g %s\n", q.name, q.value, q.unit);
    for (int k = 0; jo_sens_parameter_at(sens, k, &p) >= 0; k++) {
      printf("  d/d %-6s %17.9e +- %.1e\n", p.name, jo_sens_derivative(result, o, k),
             jo_sens_derivative_error(result, o, k));
    }
  }
  jo_sens_result_destroy(result);
  return status;
}

int main(void) {
  static const char* const names[] = {"k_f", "c_f", "k_r", "c_r", "m_c"};
  jo_sens_setup setup = jo_sens_setup_default();
  setup.name = names;
  setup.nname = 5;
  setup.method = JO_SENS_DIRECT;
  jo_context* ctx = NULL;
  jo_model* model = NULL;
  jo_sens* sens = NULL;
  jo_status status = jo_context_create(NULL, &ctx);
  if (status >= 0) status = jo_model_load(ctx, "models/buggy/step_descent.yaml", NULL, 0, &model);
  if (status >= 0) status = jo_sens_create(ctx, model, &setup, &sens);
  if (status >= 0) status = print_gradient(ctx, sens);
  if (status < 0) fprintf(stderr, "%s\n", jo_context_message(ctx));
  jo_sens_destroy(sens);
  jo_model_destroy(model);
  jo_context_destroy(ctx);
  return status < 0;
}
