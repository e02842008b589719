// SPDX-License-Identifier: Apache-2.0
// What derivatives of a whole manoeuvre cost, in units of one simulation, on both manoeuvres of the
// buggy: five parameters by either method, every number of the model by the adjoint one; and the
// time of the step descent with its five derivatives at the loosest tolerance that still has three
// digits of them.
//
// And what an hour of random road takes, with all of the run stored or with checkpoints.
//
//   bench_sens [--quick] [--only direct|adjoint|all N [TOLERANCE]] [--hour SECONDS]
//
// --quick repeats less, and drives 200 s of the road instead of an hour; --only does N gradients of the step descent and nothing else, for profiles, with the median of
// their CPU time; all: by every number, adjoint; --hour does the random road
// alone, for so many seconds of motion.
// Run in the root of the repository.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "levels.h"
#include "sens/sens.h"

#define MAX_REPEATS 41
#define ENOUGH      1e-3  // of each derivative, relative: converged for engineering

static const char step_descent[] = "models/buggy/step_descent.yaml";
static const char lane_change[] = "models/buggy/double_lane_change.yaml";
static const char* const five[] = {"k_f", "c_f", "k_r", "c_r", "m_c"};

static void stop(const jo_context* ctx, const char* what) {
  fprintf(stderr, "bench_sens: %s: %s\n", what, ctx ? jo_context_message(ctx) : "");
  exit(EXIT_FAILURE);
}

static int by_size(const void* a, const void* b) {
  const double *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static double least(const double* x, int n) {
  double out = x[0];
  for (int i = 1; i < n; i++) {
    out = fmin(out, x[i]);
  }
  return out;
}

static double median(double* x, int n) {
  qsort(x, (size_t)n, sizeof *x, by_size);
  return x[n / 2];
}

// ---- subjects ----------------------------------------------------------------------------------------

typedef struct subject {
  jo_context* ctx;
  jmodel* model;
  jplant* plant;  // knows no derivatives
  jplant_work* run;
  jsens *few, *all;  // five parameters; every number, adjoint only
  double* scratch;
} subject;

static jsens* prepare(const subject* s, const int* wrt, int n, bool direct) {
  jsens_setup setup = {.wrt = wrt, .nwrt = n, .direct = direct, .adjoint = true};
  setup.kernel = jkernel_options_default();
  jsens* out;
  if (jsens_create(s->ctx, s->model, &setup, &out) < 0) stop(s->ctx, s->model->path);
  return out;
}

static subject open_subject(const char* path, bool all) {
  subject s = {0};
  if (jo_context_create(NULL, &s.ctx) < 0) stop(NULL, "no memory");
  if (jmodel_load(s.ctx, path, NULL, 0, &s.model) < 0) stop(s.ctx, path);
  if (jplant_create(s.ctx, s.model, NULL, &s.plant) < 0) stop(s.ctx, path);
  if (jplant_work_create(s.ctx, s.plant, NULL, &s.run) < 0) stop(s.ctx, path);
  int* wrt = calloc((size_t)s.model->nnumber + 5, sizeof *wrt);
  s.scratch = calloc((size_t)(s.plant->dynamics->ny + s.plant->dynamics->nswitch), sizeof(double));
  if (!wrt || !s.scratch) stop(NULL, "no memory");
  for (int i = 0; i < 5; i++) {
    wrt[i] = jmodel_find_number(s.model, five[i]);
  }
  s.few = prepare(&s, wrt, 5, true);
  for (int i = 0; i < s.model->nnumber; i++) {
    wrt[i] = i;
  }
  if (all) s.all = prepare(&s, wrt, s.model->nnumber, false);
  free(wrt);
  return s;
}

static void close_subject(subject* s) {
  jsens_destroy(s->few);
  jsens_destroy(s->all);
  jplant_work_destroy(s->run);
  jplant_destroy(s->plant);
  jmodel_destroy(s->model);
  jo_context_destroy(s->ctx);
  free(s->scratch);
}

// ---- measurements ------------------------------------------------------------------------------------

static double simulate_once(const subject* s, double tolerance) {
  const jgen_dynamics* d = s->plant->dynamics;
  double *y = s->scratch, *g = y + d->ny, t;
  jsolve_options opt = jsolve_options_default();
  opt.rel_tol = opt.abs_tol = tolerance;
  double begin = jclock_cpu();
  memcpy(y, s->plant->y0, (size_t)d->ny * sizeof *y);
  jsolve_set_modes(&s->run->system, 0.0, y, g);
  if (jsolve_integrate(s->ctx, &s->run->system, &opt, NULL, 0.0, s->model->simulation.t_end, y, &t,
                       NULL) < 0) {
    stop(s->ctx, "simulation");
  }
  return jclock_cpu() - begin;
}

static jsens_result* derive(const subject* s, const jsens* sens, jsens_method method,
                            double tolerance) {
  jsens_options opt = jsens_options_default(s->model);
  opt.solve.rel_tol = opt.solve.abs_tol = tolerance;
  jsens_result* r;
  if (jsens_run(s->ctx, sens, method, &opt, &r) < 0) stop(s->ctx, "sensitivities");
  return r;
}

// Five derivatives as the command `sens` takes them: errors by comparison with two coarser runs.
static double compare_once(const subject* s, double tolerance) {
  jsens_options opt = jsens_options_default(s->model);
  opt.solve.rel_tol = opt.solve.abs_tol = tolerance;
  opt.compare = true;
  jsens_result* r;
  double begin = jclock_cpu();
  if (jsens_run(s->ctx, s->few, JSENS_DIRECT, &opt, &r) < 0) stop(s->ctx, "comparison");
  jsens_result_destroy(r);
  return jclock_cpu() - begin;
}

static double derive_once(const subject* s, const jsens* sens, jsens_method method,
                          double tolerance) {
  double begin = jclock_cpu();
  jsens_result_destroy(derive(s, sens, method, tolerance));
  return jclock_cpu() - begin;
}

// One after another in turn, so that a slow moment of the machine falls on all of them.
typedef struct times {
  double value, direct, adjoint, all, compared;  // [s]
} times;

static times measure(const subject* s, double tolerance, int repeats) {
  double t[5][MAX_REPEATS] = {0};
  for (int i = 0; i < repeats; i++) {
    t[0][i] = simulate_once(s, tolerance);
    t[1][i] = derive_once(s, s->few, JSENS_DIRECT, tolerance);
    t[2][i] = derive_once(s, s->few, JSENS_ADJOINT, tolerance);
    t[4][i] = compare_once(s, tolerance);
    if (s->all) t[3][i] = derive_once(s, s->all, JSENS_ADJOINT, tolerance);
  }
  return (times){least(t[0], repeats), least(t[1], repeats), least(t[2], repeats),
                 least(t[3], repeats), least(t[4], repeats)};
}

// What one table is about.
typedef struct request {
  const char* path;
  double tolerance;
  int repeats;
} request;

static void put_ratio(bench_table* t, const char* row, double seconds, double simulation) {
  bench_cell(t, row, "%.2f (%.2f ms)", seconds / simulation, 1e3 * seconds);
}

// Runs that the errors of the derivatives make necessary.
static int count_runs(const subject* s, const jsens* sens, jsens_method method, double tolerance) {
  jsens_result* r = derive(s, sens, method, tolerance);
  int n = r->passes;
  jsens_result_destroy(r);
  return n;
}

static void measure_ratios(bench_table* t, void* user) {
  const request* r = user;
  subject s = open_subject(r->path, true);
  times x = measure(&s, r->tolerance, r->repeats);
  char all[100];
  snprintf(all, sizeof all, "value + all %d derivatives, adjoint (goal 6.0)", s.model->nnumber);
  bench_cell(t, "simulation alone", "%.2f ms", 1e3 * x.value);
  put_ratio(t, "value + 5 derivatives, direct (goal 3.2 with AVX-512, 4.0 with AVX2)", x.direct,
            x.value);
  put_ratio(t, "value + 5 derivatives, adjoint", x.adjoint, x.value);
  put_ratio(t, "5, direct, errors by comparison", x.compared, x.value);
  put_ratio(t, all, x.all, x.value);
  bench_cell(t, "runs of direct, adjoint, all", "%d, %d, %d",
             count_runs(&s, s.few, JSENS_DIRECT, r->tolerance),
             count_runs(&s, s.few, JSENS_ADJOINT, r->tolerance),
             count_runs(&s, s.all, JSENS_ADJOINT, r->tolerance));
  close_subject(&s);
}

static void print_ratios(const char* name, request r) {
  char titles[100];
  snprintf(titles, sizeof titles, "%s at %.0e, simulations", name, r.tolerance);
  bench_levels(titles, measure_ratios, &r);
  printf("\n");
}

static double error_of(const jsens_result* r, const jsens_result* converged) {
  double worst = 0.0;
  for (int i = 0; i < r->nw; i++) {
    worst = fmax(worst, fabs(r->gradient[i] / converged->gradient[i] - 1.0));
  }
  return worst;
}

// The loosest of the tolerances 10^(-k/4) from which on all tighter ones are good enough, too, and one run
// is enough: looser ones are repeated for the sake of the derivatives, and are good, but not fast.
static double loosest(const subject* s, jsens_method method, double* error) {
  jsens_result* converged = derive(s, s->few, method, 1e-12);
  double best = 1e-12;
  *error = 0.0;
  for (int k = 4 * 9; k >= 4 * 2; k--) {
    double tolerance = pow(10.0, -0.25 * k);
    jsens_result* r = derive(s, s->few, method, tolerance);
    double e = error_of(r, converged);
    bool is_repeated = r->passes > 1;
    jsens_result_destroy(r);
    if (e > ENOUGH || is_repeated) break;
    best = tolerance;
    *error = e;
  }
  jsens_result_destroy(converged);
  return best;
}

static void measure_fastest(bench_table* table, void* user) {
  static const char* const name[] = {"direct", "adjoint"};
  const request* r = user;
  subject s = open_subject(r->path, false);
  for (int method = 0; method < 2; method++) {
    double error, tolerance = loosest(&s, (jsens_method)method, &error);
    double t[MAX_REPEATS];
    char row[100];
    for (int i = 0; i < r->repeats; i++) {
      t[i] = derive_once(&s, s.few, (jsens_method)method, tolerance);
    }
    snprintf(row, sizeof row, "%s at %.1e, error %.1e (goal 12)", name[method], tolerance, error);
    bench_cell(table, row, "%.2f", 1e3 * least(t, r->repeats));
  }
  close_subject(&s);
}

// ---- memory ------------------------------------------------------------------------------------------

static const char random_road[] = "bench/hour.yaml";

static void print_road(const subject* s, double end, jsens_method method, int max_states,
                       const char* name) {
  jsens_options opt = jsens_options_default(s->model);
  opt.t_end = end;
  opt.solve.max_steps = 0;
  if (max_states > 0) opt.max_states = max_states;
  jsens_result* r;
  if (jsens_run(s->ctx, s->few, method, &opt, &r) < 0) stop(s->ctx, "random road");
  printf("  %-8s %-18s %9lld steps, one state in %5d: %7.1f MB, %6.2f s, derivative %.17g\n",
         method == JSENS_DIRECT ? "direct" : "adjoint", name, (long long)r->statistics.steps,
         r->stride, 1e-6 * r->record_bytes, r->cpu_dynamics + r->cpu_sensitivity, r->gradient[0]);
  jsens_result_destroy(r);
}

static void print_hour(double end) {
  static const char* const four[] = {"mass", "k", "c", "k_tyre"};
  subject s = {0};
  int wrt[4];
  if (jo_context_create(NULL, &s.ctx) < 0) stop(NULL, "no memory");
  if (jmodel_load(s.ctx, random_road, NULL, 0, &s.model) < 0) stop(s.ctx, random_road);
  for (int i = 0; i < 4; i++) {
    wrt[i] = jmodel_find_number(s.model, four[i]);
  }
  s.model->simulation.max_memory = 1e5;
  s.few = prepare(&s, wrt, 4, true);
  printf("%g s of random road, value and 4 derivatives; all stored, or checkpoints\n", 0.1 * end);
  for (int i = 0; i < 2; i++) {
    jsens_method method = i == 0 ? JSENS_ADJOINT : JSENS_DIRECT;
    print_road(&s, 0.1 * end, method, 1 << 30, "all stored");
    print_road(&s, 0.1 * end, method, 0, "65536 states");
    print_road(&s, 0.1 * end, method, 4096, "4096 states");
  }
  printf("%g s\n", end);
  print_road(&s, end, JSENS_ADJOINT, 0, "65536 states");
  print_road(&s, end, JSENS_ADJOINT, 4096, "4096 states");
  close_subject(&s);
}

static int profile(const char* what, int n, double tolerance) {
  bool all = strcmp(what, "all") == 0;
  subject s = open_subject(step_descent, all);
  jsens_method method = strcmp(what, "direct") == 0 ? JSENS_DIRECT : JSENS_ADJOINT;
  double t[MAX_REPEATS] = {0}, alone[MAX_REPEATS] = {0};
  for (int i = 0; i < n; i++) {
    alone[i % MAX_REPEATS] = simulate_once(&s, tolerance);
    t[i % MAX_REPEATS] = derive_once(&s, all ? s.all : s.few, method, tolerance);
  }
  int kept = n < MAX_REPEATS ? n : MAX_REPEATS;
  if (n > 0) {
    double a = median(t, kept), b = median(alone, kept);
    printf("%.2f ms, %.2f simulations (least %.2f ms, %.2f)\n", 1e3 * a, a / b, 1e3 * t[0],
           t[0] / alone[0]);
  }
  close_subject(&s);
  return 0;
}

int main(int argc, char** argv) {
  if (argc > 2 && strcmp(argv[1], "--hour") == 0) {
    print_hour(atof(argv[2]));
    return 0;
  }
  int repeats = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 11 : 21;
  if (argc > 3 && strcmp(argv[1], "--only") == 0) {
    return profile(argv[2], atoi(argv[3]), argc > 4 ? atof(argv[4]) : 1e-9);
  }
  printf("least of %d runs taken in turn\n\n", repeats);
  request descent = {step_descent, 1e-9, repeats};
  print_ratios("step descent", descent);
  print_ratios("double lane change", (request){lane_change, 1e-9, repeats});
  print_ratios("double lane change", (request){lane_change, 1e-6, repeats});
  bench_levels("step descent with 5 derivatives to 1e-3 [ms]", measure_fastest, &descent);
  printf("\n");
  print_hour(repeats < 21 ? 200.0 : 3600.0);
  return 0;
}
