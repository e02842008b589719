// SPDX-License-Identifier: Apache-2.0
// Run a model file, print its objectives and write the time histories.
//
//   simulate vehicle.yaml vehicle.csv
#include <jounce/jounce.h>
#include <stdio.h>

static jo_status simulate(jo_context* ctx, const jo_system* system, const char* path) {
  jo_result* result = NULL;
  jo_status status = jo_simulate(ctx, system, NULL, &result);
  if (status >= 0) {
    const jo_table* t = jo_tables_find(jo_result_tables(result), "objectives");
    for (int i = 0; i < t->nrow; i++) {
      printf("%-12s %16.10g %s\n", t->column[0].text[i], jo_table_number(t, "value", i),
             t->column[2].text[i]);
    }
    jo_statistics s = jo_result_statistics(result);
    printf("%lld steps, %.3g times real time\n", (long long)s.steps, s.real_time_factor);
    if (path) status = jo_result_save(ctx, result, path);
  }
  jo_result_destroy(result);
  return status;
}

int main(int argc, char** argv) {
  const char* model_path = argc > 1 ? argv[1] : "models/mechanisms/slider_crank.yaml";
  jo_context* ctx = NULL;
  jo_model* model = NULL;
  jo_system* system = NULL;
  jo_status status = jo_context_create(NULL, &ctx);
  if (status >= 0) status = jo_model_load(ctx, model_path, NULL, 0, &model);
  if (status >= 0) status = jo_system_create(ctx, model, NULL, &system);
  if (status >= 0) status = simulate(ctx, system, argc > 2 ? argv[2] : NULL);
  if (status < 0) fprintf(stderr, "%s\n", jo_context_message(ctx));
  jo_system_destroy(system);
  jo_model_destroy(model);
  jo_context_destroy(ctx);
  return status < 0;
}
