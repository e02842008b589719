// SPDX-License-Identifier: Apache-2.0
// The sedan on the four-poster, hydraulics included: seconds of motion per second of CPU time by method and tolerance, with
// the error of the rms acceleration against a run at a tight tolerance; alone, and with 21 derivatives.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "levels.h"
#include "sens/sens.h"

#define REPEATS 5

static const char* const numbers[] = {"current",
                                      "valve_open",
                                      "piston_bleed",
                                      "base_bleed",
                                      "piston_blow_off",
                                      "piston_opens",
                                      "base_blow_off",
                                      "base_opens",
                                      "pipe_length",
                                      "pipe_bore",
                                      "gas_pressure",
                                      "rebound_volume",
                                      "compression_volume",
                                      "valve_volume",
                                      "seal_friction",
                                      "El",
                                      "alpha",
                                      "k_front",
                                      "k_rear",
                                      "K_front",
                                      "K_rear"};
enum { N = sizeof numbers / sizeof *numbers };

static const struct setting {
  jsolve_method method;
  double tol, step;
  bool derivatives;
} settings[] = {
    {JSOLVE_ESDIRK5, 1e-4, 0, false}, {JSOLVE_ESDIRK5, 1e-2, 0, false},
    {JSOLVE_IMEX4, 1e-3, 0, true},    {JSOLVE_IMEX4, 1e-4, 0, true},
    {JSOLVE_IMEX3, 1e-4, 1e-3, true}, {JSOLVE_IMEX3, 1e-4, 2e-3, true},
};

static void stop(jo_context* ctx) {
  fprintf(stderr, "%s\n", jo_context_message(ctx));
  exit(1);
}

static jsens_options options(const jsens* s, const struct setting* k) {
  jsens_options o = jsens_options_default(s->plant->model);
  o.solve.method = k->method;
  o.solve.rel_tol = o.solve.abs_tol = k->tol;
  o.solve.step = k->step;
  o.derivative_tol = 1.0;  // one run, whatever its errors are
  return o;
}

// Value of the objective; CPU time of the fastest run.
static double run(jo_context* ctx, const jsens* s, jsens_method method, const struct setting* k,
                  int objective, int repeats, double* cpu) {
  jsens_options o = options(s, k);
  double value = NAN;
  *cpu = INFINITY;
  for (int i = 0; i < repeats; i++) {
    jsens_result* r = NULL;
    if (jsens_run(ctx, s, method, &o, &r) < 0) stop(ctx);
    value = r->value[objective];
    *cpu = fmin(*cpu, r->cpu_dynamics + r->cpu_sensitivity + r->cpu_errors);
    jsens_result_destroy(r);
  }
  return value;
}

static int find_objective(const jmodel* m, const char* name) {
  int i = 0;
  while (strcmp(m->objective[i].name, name) != 0) {
    i++;
  }
  return i;
}

static jsens* prepare(jo_context* ctx, const jmodel* m) {
  int wrt[N];
  for (int i = 0; i < N; i++) {
    wrt[i] = jmodel_find_number(m, numbers[i]);
  }
  jsens_setup setup = {.wrt = wrt, .nwrt = N, .direct = true, .kernel = jkernel_options_default()};
  jsens* s;
  if (jsens_create(ctx, m, &setup, &s) < 0) stop(ctx);
  return s;
}

static void measure(bench_table* t, void* user) {
  jo_context* ctx;
  jmodel* m;
  (void)user;
  if (jo_context_create(NULL, &ctx) < 0) exit(1);
  if (jmodel_load(ctx, "models/sedan/four_poster.yaml", NULL, 0, &m) < 0) stop(ctx);
  jsens* s = prepare(ctx, m);
  int rms = find_objective(m, "rms");
  double span = m->simulation.t_end - m->simulation.t_start, cpu;
  const struct setting tight = {JSOLVE_ESDIRK5, 1e-8, 0, false};
  double exact = run(ctx, s, JSENS_VALUE, &tight, rms, 1, &cpu);
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    const struct setting* k = &settings[i];
    char row[100];
    double value = run(ctx, s, JSENS_VALUE, k, rms, REPEATS, &cpu), more;
    snprintf(row, sizeof row, "%s | %.0e | %g | %.1e", jsolve_method_name(k->method), k->tol,
             1e3 * k->step, fabs(value / exact - 1.0));
    if (k->derivatives) {
      run(ctx, s, JSENS_DIRECT, k, rms, REPEATS, &more);
      bench_cell(t, row, "%.1f, %.1f", span / cpu, span / more);
    } else {
      bench_cell(t, row, "%.1f", span / cpu);
    }
  }
  jsens_destroy(s);
  jmodel_destroy(m);
  jo_context_destroy(ctx);
}

int main(void) {
  printf("sedan on the four-poster: times real time, alone and with %d derivatives (goal 10)\n\n",
         N);
  bench_levels("method | tolerance | step [ms] | error of rms", measure, NULL);
  return 0;
}
