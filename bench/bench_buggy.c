// SPDX-License-Identifier: Apache-2.0
// What the buggy costs: one evaluation of its accelerations by every route, the operations behind it,
// and both manoeuvres at engineering accuracy, all in one run.
//
//   bench_buggy [--quick] [--evaluate N]
//
// --quick compiles with the default compiler only; --evaluate does N evaluations of the right-hand side
// and nothing else, for instruction counts (bench/README.md). Run in the root of the repository.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/system/clock.h"
#include "base/system/cpu.h"
#include "base/system/file.h"
#include "base/system/process.h"
#include "emit/machine/machine.h"
#include "levels.h"
#include "plant/plant.h"

#define STATES   64    // of the manoeuvre, visited in turn while an evaluation is timed
#define SECONDS  0.15  // per measurement
#define REPEATS  5     // best of
#define ACCURACY 1e-4  // of psi, relative: engineering accuracy

static const char step_descent[] = "models/buggy/step_descent.yaml";
static const char lane_change[] = "models/buggy/double_lane_change.yaml";

typedef struct subject {
  jo_context* ctx;
  jmodel* model;
  jplant* plant;
  jplant_work* run;
  double* scratch;
} subject;

static void stop(const jo_context* ctx, const char* what) {
  fprintf(stderr, "bench_buggy: %s: %s\n", what, ctx ? jo_context_message(ctx) : "");
  exit(EXIT_FAILURE);
}

static subject open_subject(const char* path, const jkernel_options* kernel) {
  subject s = {0};
  jplant_options opt = jplant_options_default();
  if (kernel) opt.kernel = *kernel;
  if (jo_context_create(NULL, &s.ctx) < 0) stop(NULL, "no memory");
  if (jmodel_load(s.ctx, path, NULL, 0, &s.model) < 0) stop(s.ctx, path);
  if (jplant_create(s.ctx, s.model, &opt, &s.plant) < 0) stop(s.ctx, path);
  if (jplant_work_create(s.ctx, s.plant, NULL, &s.run) < 0) stop(s.ctx, path);
  s.scratch =
      calloc((size_t)(s.plant->dynamics->nswitch + s.plant->dynamics->ny) + 1, sizeof *s.scratch);
  if (!s.scratch) stop(NULL, "no memory");
  return s;
}

static void close_subject(subject* s) {
  jplant_work_destroy(s->run);
  jplant_destroy(s->plant);
  jmodel_destroy(s->model);
  jo_context_destroy(s->ctx);
  free(s->scratch);
}

// ---- one evaluation --------------------------------------------------------------------------------

// States along the manoeuvre, before the first event: one set of modes serves them all.
typedef struct samples {
  int n, ny;
  double t[STATES];
  double* y;
} samples;

static samples take_samples(const subject* s) {
  const jgen_dynamics* d = s->plant->dynamics;
  samples out = {.n = STATES, .ny = d->ny, .y = calloc((size_t)(STATES * d->ny), sizeof(double))};
  double* y = calloc((size_t)d->ny, sizeof *y);
  if (!out.y || !y) stop(NULL, "no memory");
  jsolve_options opt = jsolve_options_default();
  memcpy(y, s->plant->y0, (size_t)d->ny * sizeof *y);
  jsolve_set_modes(&s->run->system, 0.0, y, s->scratch);
  double t = 0.0;
  for (int i = 0; i < STATES; i++) {
    out.t[i] = t;
    memcpy(out.y + i * d->ny, y, (size_t)d->ny * sizeof *y);
    jsolve_statistics stats;
    double next = 1.0 / STATES * (i + 1);
    if (jsolve_integrate(s->ctx, &s->run->system, &opt, NULL, t, next, y, &t, &stats) < 0) {
      stop(s->ctx, "sampling");
    }
  }
  free(y);
  return out;
}

typedef void (*evaluate)(void* user, double t, const double* y);

typedef struct symbolic {
  const subject* s;
  double* ydot;
} symbolic;

static void evaluate_symbolic(void* user, double t, const double* y) {
  symbolic* e = user;
  e->s->run->system.rhs(e->s->run->system.user, t, y, e->ydot);
}

// Microseconds per evaluation, best of some measurements.
static double measure(evaluate f, void* user, const samples* at) {
  double best = 1e9;
  for (int r = 0; r < REPEATS; r++) {
    long n = 0;
    double start = jclock_cpu(), spent = 0.0;
    while (spent < SECONDS) {
      for (int i = 0; i < at->n; i++) {
        f(user, at->t[i], at->y + i * at->ny);
      }
      n += at->n;
      spent = jclock_cpu() - start;
    }
    best = fmin(best, 1e6 * spent / (double)n);
  }
  return best;
}

typedef struct route {
  const char* name;
  const char* compiler;  // NULL: interpreted
  int optimize;
} route;

// Microseconds per evaluation, by one route.
static double measure_route(const route* r, const samples* at) {
  jkernel_options kernel = jkernel_options_default();
  kernel.backend = r->compiler ? JKERNEL_CC : JKERNEL_INTERP;
  kernel.compiler = r->compiler;
  kernel.optimize = r->optimize;
  subject s = open_subject(step_descent, &kernel);
  const jgen_dynamics* d = s.plant->dynamics;
  double start = s.plant->kernels->set->compile_seconds;
  symbolic e = {&s, calloc((size_t)d->ny, sizeof(double))};
  if (!e.ydot) stop(NULL, "no memory");
  jsolve_set_modes(&s.run->system, at->t[0], at->y, s.scratch);
  double us = measure(evaluate_symbolic, &e, at);
  printf("  %-28s %9.2f", r->name, us);
  if (r->compiler) printf("   compiled in %.1f s", start);
  printf("\n");
  fflush(stdout);
  free(e.ydot);
  close_subject(&s);
  return us;
}

// A compiler with one more flag, as a script of its own: contraction to fused multiply-add is no
// option of the program, since results would depend on the machine.
static const char* fused(jo_context* ctx, jarena* a, const char* dir, const char* compiler) {
  const char* path = jarena_printf(a, "%s/%s_fma", dir, compiler);
  const char* text = jarena_printf(a, "#!/bin/sh\nexec %s \"$@\" -ffp-contract=fast\n", compiler);
  if (!path || !text || jfile_write(ctx, path, text, strlen(text)) < 0) stop(ctx, compiler);
  if (chmod(path, 0700) != 0) stop(NULL, path);
  return path;
}

static void print_evaluations(jo_context* ctx, const samples* at, bool quick) {
  jarena a;
  jarena_init(&a, ctx);
  const char* dir;
  if (jfile_temp_dir(ctx, &a, "/tmp", &dir) < 0) stop(ctx, "temporary folder");
  printf("one evaluation of the accelerations [us]\n");
  route interpreter = {"interpreter", NULL, 0}, standard = {"compiled, as default", "cc", 1};
  double slow = measure_route(&interpreter, at), fast = measure_route(&standard, at);
  static const char* const compiler[] = {"gcc", "clang"};
  for (int k = 0; k < 8 && !quick; k++) {
    const char* name = compiler[k / 4];
    if (!jproc_find(&a, name)) continue;
    bool fma = k % 2;
    int level = 1 + k / 2 % 2;
    route r = {jarena_printf(&a, "%s -O%d%s", name, level, fma ? " fused" : ""),
               fma ? fused(ctx, &a, dir, name) : name, level};
    if (!r.name || !r.compiler) stop(ctx, "no memory");
    measure_route(&r, at);
  }
  printf("  compiled against interpreted: %.1f\n", slow / fast);
  printf("  goal <= 2 us: %.2f us\n\n", fast);
  jfile_remove_dir(dir);
  jarena_free(&a);
}

// ---- levels of processors ----------------------------------------------------------------------------

// Machine code and that of the default compiler, measured in turn so that a slow moment of the machine falls on
// both.
static void measure_backends(bench_table* t, void* user) {
  static const jkernel_backend backend[] = {JKERNEL_MACHINE, JKERNEL_CC};
  const samples* at = user;
  subject s[2];
  symbolic e[2];
  double us[2] = {INFINITY, INFINITY};
  for (int i = 0; i < 2; i++) {
    jkernel_options kernel = jkernel_options_default();
    kernel.backend = backend[i];
    s[i] = open_subject(step_descent, &kernel);
    e[i] = (symbolic){&s[i], calloc((size_t)at->ny, sizeof(double))};
    if (!e[i].ydot) stop(NULL, "no memory");
    jsolve_set_modes(&s[i].run->system, at->t[0], at->y, s[i].scratch);
  }
  for (int k = 0; k < 2 * REPEATS; k++) {
    us[k % 2] = fmin(us[k % 2], measure(evaluate_symbolic, &e[k % 2], at));
  }
  bench_cell(t, "machine code [us]", "%.3f", us[0]);
  bench_cell(t, "compiler, -O1 [us]", "%.3f", us[1]);
  bench_cell(t, "ratio (goal 1.0)", "%.2f", us[0] / us[1]);
  for (int i = 0; i < 2; i++) {
    free(e[i].ydot);
    close_subject(&s[i]);
  }
}

static void print_levels(samples* at) {
  if (!jemit_machine_has(jcpu_chosen())) return;
  bench_levels("one evaluation of the right-hand side", measure_backends, at);
  printf("\n");
}

// ---- operations ------------------------------------------------------------------------------------

static void print_counts(const char* name, const jexpr_counts* c) {
  printf("  %-24s %6d %6d %6d %5d %5d %5d %5d %6d %7d\n", name, c->mul, c->add, c->sub, c->div,
         c->root, c->trig, c->func, c->logic + c->lookup, c->total);
}

static void print_operations(const subject* s) {
  const jgen_dynamics* d = s->plant->dynamics;
  printf("operations              %8s %6s %6s %5s %5s %5s %5s %6s %7s\n", "mul", "add", "sub",
         "div", "root", "trig", "func", "logic", "total");
  print_counts("written", &s->plant->before);
  print_counts("right-hand side", &s->plant->kernels->of[JGEN_FN_RHS]->counts);
  print_counts("loop correction", &s->plant->kernels->of[JGEN_FN_PROJECT]->counts);
  print_counts("switches", &s->plant->kernels->of[JGEN_FN_SWITCHES]->counts);
  print_counts("outputs", &s->plant->kernels->of[JGEN_FN_OUTPUTS]->counts);
  printf("  equations: %d generated, %d kept for the right-hand side (%.0f %% superfluous)\n\n",
         d->equations.generated, d->equations.kept,
         100.0 * (d->equations.generated - d->equations.kept) / d->equations.generated);
}

// ---- manoeuvres ------------------------------------------------------------------------------------

typedef struct outcome {
  double psi, cpu;
  jsolve_statistics stats;
  bool ok;
} outcome;

static outcome drive(const subject* s, jsolve_method method, double control) {
  const jgen_dynamics* d = s->plant->dynamics;
  outcome o = {.cpu = 1e9};
  jsolve_options opt = jsolve_options_default();
  opt.method = method;
  bool fixed = method == JSOLVE_RK2 || method == JSOLVE_RK3 || method == JSOLVE_RK4;
  if (fixed) opt.step = control;
  if (!fixed) opt.rel_tol = opt.abs_tol = control;
  double* y = calloc((size_t)d->ny, sizeof *y);
  if (!y) stop(NULL, "no memory");
  for (int r = 0; r < REPEATS; r++) {
    double t0 = s->model->simulation.t_start, t1 = s->model->simulation.t_end, reached;
    memcpy(y, s->plant->y0, (size_t)d->ny * sizeof *y);
    // a run that broke down may have gone on in other coordinates
    if (jplant_work_show(s->run, s->plant) < 0) stop(s->ctx, s->model->name);
    double start = jclock_cpu();
    jsolve_set_modes(&s->run->system, t0, y, s->scratch);
    o.ok =
        jsolve_integrate(s->ctx, &s->run->system, &opt, NULL, t0, t1, y, &reached, &o.stats) >= 0;
    o.cpu = fmin(o.cpu, jclock_cpu() - start);
    jo_context_clear(s->ctx);
  }
  o.psi = y[jgen_first(&d->layout, JGEN_INTEGRAL)];
  free(y);
  return o;
}

// Tolerances from loose to tight, steps from long to short: the cheapest setting from which on all
// tighter ones are accurate.
static void scan(bench_table* t, const subject* s, jsolve_method method, double psi) {
  bool fixed = method == JSOLVE_RK2 || method == JSOLVE_RK3 || method == JSOLVE_RK4;
  static const double tolerance[] = {1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4, 1e-4,
                                     5e-5, 2e-5, 1e-5, 5e-6, 2e-6, 1e-6, 1e-7};
  static const double step[] = {8e-3,   6e-3, 5e-3, 4e-3, 3e-3,   2.5e-3, 2e-3,
                                1.5e-3, 1e-3, 7e-4, 5e-4, 3.5e-4, 2.5e-4, 1e-4};
  enum { N = sizeof step / sizeof step[0] };
  outcome o[N];
  int best = -1;
  for (int i = N - 1; i >= 0; i--) {
    o[i] = drive(s, method, fixed ? step[i] : tolerance[i]);
    if (!o[i].ok || !(fabs(o[i].psi / psi - 1.0) <= ACCURACY)) break;
    if (best < 0 || o[i].cpu < o[best].cpu) best = i;
  }
  double span = s->model->simulation.t_end - s->model->simulation.t_start;
  if (best < 0) {
    bench_cell(t, jsolve_method_name(method), "none of the settings is accurate");
  } else {
    bench_cell(t, jsolve_method_name(method), "%.0f (%.0e, %lld evaluations)", span / o[best].cpu,
               fixed ? step[best] : tolerance[best], (long long)o[best].stats.evaluations);
  }
}

static void put_tolerance(bench_table* t, const subject* s, double tolerance, double psi) {
  char row[100];
  outcome o = drive(s, JSOLVE_DOPRI5, tolerance);
  snprintf(row, sizeof row, "dopri5 at %.0e: error %.0e, %lld evaluations", tolerance,
           fabs(o.psi / psi - 1.0), (long long)o.stats.evaluations);
  bench_cell(t, row, "%.0f (%.2f ms)",
             (s->model->simulation.t_end - s->model->simulation.t_start) / o.cpu, 1e3 * o.cpu);
}

static void measure_manoeuvre(bench_table* t, void* user) {
  const char* const* path = user;
  subject s = open_subject(*path, NULL);
  double psi = drive(&s, JSOLVE_DOPRI5, 1e-11).psi;
  for (int m = 0; m < JSOLVE_METHOD_COUNT; m++) {
    scan(t, &s, (jsolve_method)m, psi);
  }
  put_tolerance(t, &s, 1e-6, psi);
  put_tolerance(t, &s, 1e-9, psi);
  close_subject(&s);
}

// ---- instruction counts ----------------------------------------------------------------------------

// Not inlined: callgrind switches its counters on inside of it.
__attribute__((noinline)) void bench_count(symbolic* e, const samples* at, long n);
void bench_count(symbolic* e, const samples* at, long n) {
  for (long i = 0; i < n; i++) {
    evaluate_symbolic(e, at->t[i % at->n], at->y + i % at->n * at->ny);
  }
}

int main(int argc, char** argv) {
  bool quick = argc > 1 && strcmp(argv[1], "--quick") == 0;
  subject s = open_subject(step_descent, NULL);
  samples at = take_samples(&s);
  jsolve_set_modes(&s.run->system, at.t[0], at.y, s.scratch);
  if (argc > 2 && strcmp(argv[1], "--evaluate") == 0) {
    symbolic e = {&s, calloc((size_t)at.ny, sizeof(double))};
    if (!e.ydot) stop(NULL, "no memory");
    bench_count(&e, &at, strtol(argv[2], NULL, 10));
    free(e.ydot);
  } else {
    print_operations(&s);
    print_evaluations(s.ctx, &at, quick);
    print_levels(&at);
    printf("times real time by the cheapest tolerance or step [s] with psi to %.0e\n\n", ACCURACY);
    const char* path = step_descent;
    bench_levels("step descent (goal 300)", measure_manoeuvre, &path);
    printf("\n");
    path = lane_change;
    bench_levels("double lane change", measure_manoeuvre, &path);
  }
  free(at.y);
  close_subject(&s);
  return EXIT_SUCCESS;
}
