// SPDX-License-Identifier: Apache-2.0
// Work and precision: error of an objective, and of one derivative where a method has any, against
// evaluations and CPU time, by method and tolerance; stiff models and one that is not.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "levels.h"
#include "sens/sens.h"

#define REFERENCE 1e-12
#define REPEATS   5

typedef struct subject {
  const char *path, *number;
  double loosest, tightest;
} subject;

static const subject subjects[] = {
    {"test/models/stiff_strut.yaml", "area", 1e-4, 1e-10},
    {"test/models/stiff_pendulum.yaml", "l0", 1e-4, 1e-10},
    {"models/buggy/step_descent.yaml", "k_f", 1e-4, 1e-10},
};

static const jsolve_method methods[] = {JSOLVE_DOPRI5, JSOLVE_ESDIRK5, JSOLVE_AUTO, JSOLVE_ADAMS,
                                        JSOLVE_BDF};

static void stop(jo_context* ctx) {
  fprintf(stderr, "%s\n", jo_context_message(ctx));
  exit(1);
}

static bool has_derivatives(jsolve_method m) {
  return m != JSOLVE_ADAMS && m != JSOLVE_BDF;
}

typedef struct point {
  double value, derivative, cpu, cpu_derivatives;
  int64_t evaluations;
  int runs;
} point;

// Fastest of several runs; false where the method fails.
static bool measure(jo_context* ctx, const jsens* s, jsolve_method method, double tol, point* p) {
  jsens_options o = jsens_options_default(s->plant->model);
  o.solve.method = method;
  o.solve.rel_tol = o.solve.abs_tol = tol;
  *p = (point){.derivative = NAN, .cpu = INFINITY, .cpu_derivatives = INFINITY};
  for (int i = 0; i < REPEATS; i++) {
    jsens_result* r = NULL;
    if (jsens_run(ctx, s, JSENS_VALUE, &o, &r) < 0) return false;
    p->value = r->value[0];
    p->evaluations = r->statistics.evaluations;
    p->cpu = fmin(p->cpu, r->cpu_dynamics);
    jsens_result_destroy(r);
    if (!has_derivatives(method)) continue;
    if (jsens_run(ctx, s, JSENS_DIRECT, &o, &r) < 0) return false;
    p->derivative = r->gradient[0];
    p->runs = r->passes;
    double cpu = r->cpu_dynamics + r->cpu_sensitivity + r->cpu_errors;
    p->cpu_derivatives = fmin(p->cpu_derivatives, cpu);
    jsens_result_destroy(r);
  }
  return true;
}

static void put_point(bench_table* t, jsolve_method method, double tol, const point* p,
                      const point* exact) {
  char row[100];
  double error = fabs(p->value / exact->value - 1.0);
  if (has_derivatives(method)) {
    snprintf(row, sizeof row, "%s | %.0e | %lld | %.1e | %.1e | %d", jsolve_method_name(method),
             tol, (long long)p->evaluations, error, fabs(p->derivative / exact->derivative - 1.0),
             p->runs);
    bench_cell(t, row, "%.3f (%.3f)", 1e3 * p->cpu, 1e3 * p->cpu_derivatives);
  } else {
    snprintf(row, sizeof row, "%s | %.0e | %lld | %.1e | | ", jsolve_method_name(method), tol,
             (long long)p->evaluations, error);
    bench_cell(t, row, "%.3f", 1e3 * p->cpu);
  }
}

static void put_method(bench_table* t, jo_context* ctx, const jsens* s, const subject* k,
                       jsolve_method method, const point* exact) {
  for (double tol = k->loosest; tol > 0.5 * k->tightest; tol *= 1e-2) {
    point p;
    char row[100];
    if (measure(ctx, s, method, tol, &p)) {
      put_point(t, method, tol, &p, exact);
    } else {
      snprintf(row, sizeof row, "%s | %.0e | | | | ", jsolve_method_name(method), tol);
      bench_cell(t, row, "fails");
    }
  }
}

static void measure_model(bench_table* t, void* user) {
  const subject* k = user;
  jo_context* ctx;
  jmodel* m;
  jsens* s;
  if (jo_context_create(NULL, &ctx) < 0) exit(1);
  if (jmodel_load(ctx, k->path, NULL, 0, &m) < 0) stop(ctx);
  int wrt = jmodel_find_number(m, k->number);
  jsens_setup setup = {.wrt = &wrt, .nwrt = 1, .direct = true};
  setup.kernel = jkernel_options_default();
  if (jsens_create(ctx, m, &setup, &s) < 0) stop(ctx);
  point exact;
  if (!measure(ctx, s, JSOLVE_DOPRI5, REFERENCE, &exact)) stop(ctx);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    put_method(t, ctx, s, k, methods[i], &exact);
  }
  jsens_destroy(s);
  jmodel_destroy(m);
  jo_context_destroy(ctx);
}

int main(void) {
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
    subject k = subjects[i];
    printf("%s: ms of psi, in brackets with d psi / d %s\n\n", k.path, k.number);
    bench_levels("method | tolerance | evaluations | error | of the derivative | runs",
                 measure_model, &k);
    printf("\n");
  }
  return 0;
}
