// SPDX-License-Identifier: Apache-2.0
// What load prediction of the tracked vehicle costs: operations, evaluations and real-time factors of
// the drivers on one core.
//
//   bench_loads [--evaluate N]
//
// --evaluate does N evaluations of the right-hand side and nothing else, for instruction counts
// (bench/README.md). Run in the root of the repository.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "loads/loads.h"

#define MODEL   "models/tracked/bump.yaml"
#define REPEATS 7  // best of

static void stop(const jo_context* ctx, const char* what) {
  fprintf(stderr, "bench_loads: %s: %s\n", what, ctx ? jo_context_message(ctx) : "");
  exit(EXIT_FAILURE);
}

// ---- one evaluation ------------------------------------------------------------------------------

// Seconds per evaluation of a kernel at the start of the manoeuvre, best of several.
static double time_kernel(jo_context* ctx, const jloads* l, const jkernel* k, int n) {
  const jgen_dynamics* d = l->plant->dynamics;
  size_t room = (size_t)(d->part.nu * (l->ne + d->part.nu) + d->ny + l->ne + 1);
  double* out[2] = {calloc(room, sizeof(double)), calloc(room, sizeof(double))};
  double* work = calloc(k->work + 1, sizeof *work);
  double t = 14.0, best = INFINITY;
  jplant_work* run;
  if (!out[0] || !out[1] || !work) stop(NULL, "no memory");
  if (jplant_work_create(ctx, l->plant, &run) < 0) stop(ctx, "run");
  jkernel_init_work(k, work);
  const double* in[JGEN_GROUP_COUNT] = {[JGEN_P] = run->p,
                                        [JGEN_T] = &t,
                                        [JGEN_Y] = l->plant->y0,
                                        [JGEN_MODE] = run->mode,
                                        [JGEN_X] = l->plant->y0};
  for (int i = 0; i < REPEATS; i++) {
    double t0 = jclock_cpu();
    for (int j = 0; j < n; j++) {
      jkernel_eval(k, in, out, work);
    }
    best = fmin(best, (jclock_cpu() - t0) / n);
  }
  jplant_work_destroy(run);
  free(out[0]);
  free(out[1]);
  free(work);
  return best;
}

static void print_kernels(jo_context* ctx, const jloads* l) {
  const struct {
    const char* name;
    const jkernel* kernel;
  } row[] = {{"right-hand side with all element forces", l->kernels->of[JGEN_FN_RHS_LOADS]},
             {"accelerations per element force", l->kernels->of[JGEN_FN_DIRECTIONS]},
             {"reduced equations", l->kernels->of[JGEN_FN_REDUCED]},
             {"accelerations from them", l->kernels->of[JGEN_FN_FINISH]},
             {"force of one road arm", &l->kernels->more[0]}};
  printf("| function | operations | us |\n| --- | ---: | ---: |\n");
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    printf("| %s | %d | %.3f |\n", row[i].name, row[i].kernel->counts.total,
           1e6 * time_kernel(ctx, l, row[i].kernel, 20000));
  }
}

// ---- runs ----------------------------------------------------------------------------------------

static void print_run(jo_context* ctx, const jloads* l, jsolve_load_driver driver, double rate) {
  jloads_options opt = jloads_options_default(l->plant->model);
  opt.solve.driver = driver;
  opt.solve.step = 1.0 / rate;
  double best = INFINITY;
  for (int i = 0; i < REPEATS; i++) {
    jloads_result* r;
    jo_status status = jloads_run(ctx, l, &opt, &r);
    if (!r) stop(ctx, jsolve_load_driver_name(driver));
    best = fmin(best, r->cpu / (r->t_end - opt.t_start));
    if (i + 1 == REPEATS) {
      const jsolve_load_statistics* s = &r->statistics;
      printf("| %s | %.0f | %.0f | %.2f | %.2f | %.0f%s |\n", jsolve_load_driver_name(driver), rate,
             s->evaluations, s->worst_step, s->guaranteed, 1.0 / best,
             status < 0 ? " (breaks down)" : "");
    }
    jloads_result_destroy(r);
    jo_context_clear(ctx);
  }
}

int main(int argc, char** argv) {
  jo_context* ctx;
  jmodel* m;
  jloads* l;
  if (jo_context_create(NULL, &ctx) < 0) stop(NULL, "no memory");
  if (jmodel_load(ctx, MODEL, NULL, 0, &m) < 0) stop(ctx, MODEL);
  if (jloads_create(ctx, m, NULL, &l) < 0) stop(ctx, MODEL);
  if (argc == 3 && strcmp(argv[1], "--evaluate") == 0) {
    const jkernel* rhs = l->kernels->of[JGEN_FN_RHS_LOADS];
    printf("%.4g us\n", 1e6 * time_kernel(ctx, l, rhs, atoi(argv[2])));
  } else {
    print_kernels(ctx, l);
    printf(
        "\n| driver | rate [Hz] | evaluations | worst step | bound | real-time factor |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: |\n");
    for (int i = 0; i < 3; i++) {
      static const double rate[] = {200.0, 500.0, 1000.0};
      print_run(ctx, l, JSOLVE_LOAD_FIXED, rate[i]);
      print_run(ctx, l, JSOLVE_LOAD_SUBCYCLE, rate[i]);
    }
    print_run(ctx, l, JSOLVE_LOAD_ADAPTIVE, 100.0);
  }
  jloads_destroy(l);
  jmodel_destroy(m);
  jo_context_destroy(ctx);
  return 0;
}
