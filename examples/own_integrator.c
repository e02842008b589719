// SPDX-License-Identifier: Apache-2.0
// The equations of a model in an integrator of your own: Heun's method, against the library's run.
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One step of Heun's method from (t, y) to t + h.
static jo_status heun(jo_context* ctx, jo_run* run, int n, double t, double h, double* y,
                      double* work) {
  double *k1 = work, *k2 = work + n, *x = work + 2 * n;
  jo_status status = jo_run_rhs(ctx, run, t, y, k1);
  for (int i = 0; i < n; i++) {
    x[i] = y[i] + h * k1[i];
  }
  if (status >= 0) status = jo_run_rhs(ctx, run, t + h, x, k2);
  for (int i = 0; i < n; i++) {
    y[i] += 0.5 * h * (k1[i] + k2[i]);
  }
  return status;
}

static jo_status compare(jo_context* ctx, jo_run* run, double end, int steps, double* worst) {
  int n = jo_run_state_count(run);
  double* y = calloc(4 * (size_t)n, sizeof *y);
  if (!y) return JO_ERR_MEMORY;
  memcpy(y, jo_run_state(run), (size_t)n * sizeof *y);
  jo_status status = JO_OK;
  for (int i = 0; i < steps && status >= 0; i++) {
    status = heun(ctx, run, n, end * i / steps, end / steps, y, y + n);
  }
  if (status >= 0) status = jo_run_advance(ctx, run, end);
  jo_quantity q;
  for (int i = 0; status >= 0 && jo_run_state_at(run, i, &q) >= 0; i++) {
    printf("%-18s %14.9f  %14.9f %s\n", q.name, y[i], q.value, q.unit);
    *worst = fmax(*worst, fabs(y[i] - q.value));
  }
  free(y);
  return status;
}

int main(void) {
  jo_context* ctx = NULL;
  jo_model* model = NULL;
  jo_system* system = NULL;
  jo_run* run = NULL;
  double worst = 0.0;
  jo_status status = jo_context_create(NULL, &ctx);
  if (status >= 0) {
    status = jo_model_load(ctx, "models/mechanisms/double_pendulum.yaml", NULL, 0, &model);
  }
  if (status >= 0) status = jo_system_create(ctx, model, NULL, &system);
  if (status >= 0) status = jo_run_create(ctx, system, NULL, &run);
  if (status >= 0) status = compare(ctx, run, 0.5, 20000, &worst);
  if (status < 0) fprintf(stderr, "%s\n", jo_context_message(ctx));
  jo_run_destroy(run);
  jo_system_destroy(system);
  jo_model_destroy(model);
  jo_context_destroy(ctx);
  return status < 0 || worst > 1e-5;
}
