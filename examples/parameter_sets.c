// SPDX-License-Identifier: Apache-2.0
// One system, many parameter sets: the model is read, generated and compiled once. Spring and damper of the
// buggy's front axle are varied together; the best of all pairs is printed.
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct best {
  double k, c, psi;
} best;

static jo_status try_pair(jo_context* ctx, jo_system* system, double k, double c, best* b) {
  static const char* const name[] = {"k_f", "c_f"};
  const double value[] = {k, c};
  jo_simulate_options opt = jo_simulate_options_default();
  opt.output_step_s = 1.0;  // the end is all that is asked for
  jo_result* result = NULL;
  jo_status status = jo_system_set(ctx, system, name, value, 2);
  if (status >= 0) status = jo_simulate(ctx, system, &opt, &result);
  if (status >= 0) {
    double psi =
        jo_table_number(jo_tables_find(jo_result_tables(result), "objectives"), "value", 0);
    if (psi < b->psi) *b = (best){k, c, psi};
  }
  jo_result_destroy(result);
  return status;
}

static jo_status try_all(jo_context* ctx, jo_system* system, int n) {
  best b = {.psi = INFINITY};
  double k0, c0;
  jo_status status = jo_system_get(ctx, system, "k_f", &k0);
  if (status >= 0) status = jo_system_get(ctx, system, "c_f", &c0);
  clock_t start = clock();
  for (int i = 0; i < n * n && status >= 0; i++) {
    double k = k0 * (0.8 + 0.4 * (i / n) / n), c = c0 * (0.8 + 0.4 * (i % n) / n);
    status = try_pair(ctx, system, k, c, &b);
  }
  if (status < 0) return status;
  double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  printf("%d parameter sets, %.3g ms each; best: k_f = %.6g, c_f = %.6g, psi = %.9g\n", n * n,
         1e3 * seconds / (n * n), b.k, b.c, b.psi);
  return JO_OK;
}

int main(int argc, char** argv) {
  int n = argc > 1 ? atoi(argv[1]) : 32;
  jo_context* ctx = NULL;
  jo_model* model = NULL;
  jo_system* system = NULL;
  jo_status status = jo_context_create(NULL, &ctx);
  if (status >= 0) status = jo_model_load(ctx, "models/buggy/step_descent.yaml", NULL, 0, &model);
  if (status >= 0) status = jo_system_create(ctx, model, NULL, &system);
  if (status >= 0) status = try_all(ctx, system, n > 0 ? n : 1);
  if (status < 0) fprintf(stderr, "%s\n", jo_context_message(ctx));
  jo_system_destroy(system);
  jo_model_destroy(model);
  jo_context_destroy(ctx);
  return status < 0;
}
