// SPDX-License-Identifier: Apache-2.0
// A controller outside of the model: a pole is balanced on a cart, whose push is an input that is set a
// hundred times a second from what the sensors say.
#include <jounce/jounce.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PERIOD 0.01  // [s]

static int output_index(const jo_run* run, const char* name) {
  jo_quantity q;
  for (int i = 0; jo_run_output_at(run, i, &q) >= 0; i++) {
    if (strcmp(q.name, name) == 0) return i;
  }
  return -1;
}

// Gains by pole placement for the linear model: on cart and pole, their positions and speeds.
static double control(const double x[2], const double before[2]) {
  static const double gain[4] = {2.0, 4.0, 45.0, 9.0};
  double speed[2] = {(x[0] - before[0]) / PERIOD, (x[1] - before[1]) / PERIOD};
  return gain[0] * x[0] + gain[1] * speed[0] + gain[2] * x[1] + gain[3] * speed[1];
}

static jo_status balance(jo_context* ctx, jo_run* run, double* left) {
  int push = jo_run_input_find(run, "push"), n = jo_run_output_count(run);
  int cart = output_index(run, "cart"), pole = output_index(run, "pole");
  double* value = calloc((size_t)n, sizeof *value);
  double x[2] = {0}, before[2] = {0};
  jo_status status = value && push >= 0 && cart >= 0 && pole >= 0 ? JO_OK : JO_ERR_ARGUMENT;
  for (int i = 0; i <= 600 && status >= 0; i++) {
    status = jo_run_outputs(ctx, run, value);
    x[0] = value[cart];
    x[1] = value[pole];
    if (i == 0) memcpy(before, x, sizeof x);
    if (i % 100 == 0) printf("%4.1f s: cart %8.4f m, pole %9.5f rad\n", i * PERIOD, x[0], x[1]);
    if (status >= 0) status = jo_run_set_input(ctx, run, push, control(x, before));
    if (status >= 0) status = jo_run_advance(ctx, run, (i + 1) * PERIOD);
    memcpy(before, x, sizeof x);
  }
  *left = fabs(x[1]);
  free(value);
  return status;
}

int main(void) {
  jo_context* ctx = NULL;
  jo_model* model = NULL;
  jo_system* system = NULL;
  jo_run* run = NULL;
  double left = INFINITY;
  jo_status status = jo_context_create(NULL, &ctx);
  if (status >= 0) status = jo_model_load(ctx, "examples/cart_pole.yaml", NULL, 0, &model);
  if (status >= 0) status = jo_system_create(ctx, model, NULL, &system);
  if (status >= 0) status = jo_run_create(ctx, system, NULL, &run);
  if (status >= 0) status = balance(ctx, run, &left);
  if (status < 0) fprintf(stderr, "%s\n", jo_context_message(ctx));
  jo_run_destroy(run);
  jo_system_destroy(system);
  jo_model_destroy(model);
  jo_context_destroy(ctx);
  return status < 0 || left > 0.01;
}
