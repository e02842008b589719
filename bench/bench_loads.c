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

#include "base/system/clock.h"
#include "levels.h"
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
  if (jplant_work_create(ctx, l->plant, NULL, &run) < 0) stop(ctx, "run");
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

static void put_kernels(bench_table* t, jo_context* ctx, const jloads* l) {
  const struct {
    const char* name;
    const jkernel* kernel;
  } row[] = {{"right-hand side with all element forces", l->kernels->of[JGEN_FN_RHS_LOADS]},
             {"accelerations per element force", l->kernels->of[JGEN_FN_DIRECTIONS]},
             {"reduced equations", l->kernels->of[JGEN_FN_REDUCED]},
             {"accelerations from them", l->kernels->of[JGEN_FN_FINISH]},
             {"force of one road arm", &l->kernels->more[0]}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    char name[100];
    snprintf(name, sizeof name, "%s | %d", row[i].name, row[i].kernel->counts.total);
    bench_cell(t, name, "%.3f", 1e6 * time_kernel(ctx, l, row[i].kernel, 20000));
  }
}

// ---- runs ----------------------------------------------------------------------------------------

static void put_run(bench_table* t, jo_context* ctx, const jloads* l, jloads_driver driver,
                    double rate) {
  jloads_options opt = jloads_options_default(l->plant->model);
  opt.solve.driver = driver;
  opt.solve.step = 1.0 / rate;
  double best = INFINITY;
  char row[100];
  for (int i = 0; i < REPEATS; i++) {
    jloads_result* r;
    jo_status status = jloads_run(ctx, l, &opt, &r);
    if (!r) stop(ctx, jloads_driver_name(driver));
    best = fmin(best, r->cpu / (r->t_end - opt.t_start));
    if (i + 1 == REPEATS) {
      const jloads_driver_statistics* s = &r->statistics;
      snprintf(row, sizeof row, "%s%s | %.0f | %.0f | %.2f | %.2f", jloads_driver_name(driver),
               status < 0 ? " (breaks down)" : "", rate, s->evaluations, s->worst_step,
               s->guaranteed);
      bench_cell(t, row, "%.0f", 1.0 / best);
    }
    jloads_result_destroy(r);
    jo_context_clear(ctx);
  }
}

// ---- tables --------------------------------------------------------------------------------------

typedef struct subject {
  jo_context* ctx;
  jmodel* model;
  jloads* loads;
} subject;

static subject open_subject(void) {
  subject s;
  if (jo_context_create(NULL, &s.ctx) < 0) stop(NULL, "no memory");
  if (jmodel_load(s.ctx, MODEL, NULL, 0, &s.model) < 0) stop(s.ctx, MODEL);
  if (jloads_create(s.ctx, s.model, NULL, &s.loads) < 0) stop(s.ctx, MODEL);
  return s;
}

static void close_subject(subject* s) {
  jloads_destroy(s->loads);
  jmodel_destroy(s->model);
  jo_context_destroy(s->ctx);
}

static void measure_kernels(bench_table* t, void* user) {
  subject s = open_subject();
  (void)user;
  put_kernels(t, s.ctx, s.loads);
  close_subject(&s);
}

static void measure_runs(bench_table* t, void* user) {
  static const double rate[] = {200.0, 500.0, 1000.0};
  subject s = open_subject();
  (void)user;
  for (int i = 0; i < 3; i++) {
    put_run(t, s.ctx, s.loads, JLOADS_DRIVER_FIXED, rate[i]);
    put_run(t, s.ctx, s.loads, JLOADS_DRIVER_SUBCYCLE, rate[i]);
  }
  put_run(t, s.ctx, s.loads, JLOADS_DRIVER_ADAPTIVE, 100.0);
  close_subject(&s);
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "--evaluate") == 0) {
    subject s = open_subject();
    const jkernel* rhs = s.loads->kernels->of[JGEN_FN_RHS_LOADS];
    printf("%.4g us\n", 1e6 * time_kernel(s.ctx, s.loads, rhs, atoi(argv[2])));
    close_subject(&s);
    return 0;
  }
  printf("tracked vehicle: one evaluation [us]\n\n");
  bench_levels("function | operations", measure_kernels, NULL);
  printf("\ntimes real time\n\n");
  bench_levels("driver | rate [Hz] | evaluations | worst step | bound", measure_runs, NULL);
  return 0;
}
