// SPDX-License-Identifier: Apache-2.0
// Variants of the step descent of the buggy in lanes against the same one at a time, on one core, fixed steps: vehicle
// steps per second, without and with derivatives by five numbers or by all of the model, adjoint, and how far results are
// apart.
//
//   bench_batch [--points N] [--alone M] [--step S] [--repeats R] [--lanes L] [--method NAME] [--values 0] [--gradient 0]
//               [--adjoint K]
//
// M of the N points are also run one at a time; each repeat takes both in turn, the best of them counts. Adjoint: of K of the
// N points, all of them by both. Run in the root of the repository.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "batch/batch.h"
#include "batch/inside.h"
#include "levels.h"

#define NUMBERS 5

static const char* const name[NUMBERS] = {"k_f", "c_f", "k_r", "c_r", "m_c"};

typedef struct settings {
  int points, alone, repeats, lanes, values, gradient, adjoint;
  double step;
  const char* method;
} settings;

static void stop(const jo_context* ctx, const char* what) {
  fprintf(stderr, "bench_batch: %s: %s\n", what, ctx ? jo_context_message(ctx) : "");
  exit(EXIT_FAILURE);
}

static settings read_arguments(int argc, char** argv) {
  settings s = {4096, 64, 3, 0, 1, 1, 0, 1e-3, "rk4"};
  for (int i = 1; i + 1 < argc; i += 2) {
    if (strcmp(argv[i], "--points") == 0) s.points = atoi(argv[i + 1]);
    if (strcmp(argv[i], "--alone") == 0) s.alone = atoi(argv[i + 1]);
    if (strcmp(argv[i], "--repeats") == 0) s.repeats = atoi(argv[i + 1]);
    if (strcmp(argv[i], "--lanes") == 0) s.lanes = atoi(argv[i + 1]);
    if (strcmp(argv[i], "--values") == 0) s.values = atoi(argv[i + 1]);
    if (strcmp(argv[i], "--gradient") == 0) s.gradient = atoi(argv[i + 1]);
    if (strcmp(argv[i], "--adjoint") == 0) s.adjoint = atoi(argv[i + 1]);
    if (strcmp(argv[i], "--step") == 0) s.step = atof(argv[i + 1]);
    if (strcmp(argv[i], "--method") == 0) s.method = argv[i + 1];
  }
  if (s.alone > s.points) s.alone = s.points;
  if (s.adjoint > s.points) s.adjoint = s.points;
  return s;
}

// Numbers within 20 % of the model's, the same every time.
static double* make_points(const jmodel* m, const int* number, int n) {
  double* x = malloc((size_t)n * NUMBERS * sizeof *x);
  uint64_t state = 1;
  if (!x) stop(NULL, "no memory");
  for (int i = 0; i < n * NUMBERS; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double u = (double)(state >> 11) / 9007199254740992.0;
    x[i] = m->number[number[i % NUMBERS]].value * (0.8 + 0.4 * u);
  }
  return x;
}

// Seconds and steps of M points one at a time.
static double run_alone(jo_context* ctx, const jsens* s, const jbatch* b, const double* x, int n,
                        double* steps, double* value, double* slope) {
  const jgen_dynamics* d = s->plant->dynamics;
  double* p = malloc((size_t)d->np * sizeof *p);
  double begin = jclock_cpu();
  *steps = 0.0;
  for (int i = 0; i < n; i++) {
    memcpy(p, d->p, (size_t)d->np * sizeof *p);
    for (int k = 0; k < NUMBERS; k++)
      p[b->slot[k]] = x[i * NUMBERS + k];
    jsens_options opt = b->opt.run;
    opt.p = p;
    opt.estimate = false;
    jsens_result* r = NULL;
    if (jsens_run(ctx, s, jbatch_method(b), &opt, &r) < 0) stop(ctx, "alone");
    *steps += (double)r->statistics.steps;
    value[i] = r->value[0];
    if (b->nw > 0) memcpy(slope + i * b->nw, r->gradient, (size_t)b->nw * sizeof *slope);
    jsens_result_destroy(r);
  }
  free(p);
  return jclock_cpu() - begin;
}

// The largest of relative differences; what is below `floor` is measured by that.
static double distance(const double* a, const double* b, int n, double floor) {
  double worst = 0.0;
  for (int i = 0; i < n; i++)
    worst = isnan(b[i]) ? worst : fmax(worst, fabs(a[i] - b[i]) / fmax(fabs(a[i]), floor));
  return worst;
}

static const char* kind(const jbatch_options* opt) {
  if (!opt->gradient) return "values";
  return opt->adjoint ? "all derivatives, adjoint" : "five derivatives";
}

static void compare(bench_table* t, jo_context* ctx, const jsens* s, const jbatch_options* opt,
                    const double* x, const settings* set) {
  jbatch* b = NULL;
  if (jbatch_create(ctx, s, opt, &b) < 0) stop(ctx, "batch");
  double* value = malloc((size_t)set->alone * sizeof *value);
  double* slope = malloc((size_t)(set->alone * b->nw + 1) * sizeof *slope);
  double lanes = INFINITY, alone = INFINITY, alone_steps = 0.0, steps = 0.0;
  for (int k = 0; k < set->repeats; k++) {
    double begin = jclock_cpu();
    if (jbatch_run(b, set->points, x) < 0) stop(ctx, "batch");
    lanes = fmin(lanes, jclock_cpu() - begin);
    if (set->alone > 0)
      alone = fmin(alone, run_alone(ctx, s, b, x, set->alone, &alone_steps, value, slope));
  }
  int left = 0, failed = 0, why = 0;
  for (int i = 0; i < b->n; i++) {
    steps += (double)b->point[i].steps;
    left += b->point[i].way != JBATCH_WAY_LANES;
    if (b->point[i].left) why = b->point[i].left;
    failed += b->point[i].status < 0;
  }
  char row[100];
  snprintf(row, sizeof row, "%s: vehicle steps/s in lanes", kind(opt));
  bench_cell(t, row, "%.0f (%d lanes)", steps / lanes, b->march ? b->march->lanes : 0);
  snprintf(row, sizeof row, "of %d points left by their lane (last cause), failed", b->n);
  bench_cell(t, row, "%d (%d), %d", left, why, failed);
  if (set->alone > 0) {
    bench_cell(t, "vehicle steps/s one at a time", "%.0f", alone_steps / alone);
    bench_cell(t, "ratio", "%.2f", steps / lanes / (alone_steps / alone));
    bench_cell(t, "values apart by", "%.1e", distance(value, b->value, set->alone, 1e-300));
    // of all numbers many do next to nothing: what is small is measured by the objective
    if (opt->gradient)
      bench_cell(
          t, "derivatives apart by", "%.1e",
          distance(slope, b->gradient, set->alone * b->nw, opt->adjoint ? value[0] : 1e-300));
  }
  free(value);
  free(slope);
  jbatch_destroy(b);
}

// By all numbers of the model, adjoint.
static void compare_adjoint(bench_table* t, jo_context* ctx, const jmodel* m, jbatch_options opt,
                            const double* x, settings set) {
  int* wrt = malloc((size_t)m->nnumber * sizeof *wrt);
  jsens* s = NULL;
  if (!wrt) stop(NULL, "no memory");
  for (int i = 0; i < m->nnumber; i++)
    wrt[i] = i;
  jsens_setup setup = {.wrt = wrt, .nwrt = m->nnumber, .adjoint = true};
  setup.kernel = jkernel_options_default();
  if (jsens_create(ctx, m, &setup, &s) < 0) stop(ctx, "system");
  opt.gradient = opt.adjoint = true;
  set.points = set.alone = set.adjoint;
  compare(t, ctx, s, &opt, x, &set);
  jsens_destroy(s);
  free(wrt);
}

static void measure(bench_table* t, void* user) {
  settings set = *(const settings*)user;
  jo_context* ctx = NULL;
  jmodel* m = NULL;
  jsens* s = NULL;
  int number[NUMBERS];
  if (jo_context_create(NULL, &ctx) < 0) stop(NULL, "no memory");
  if (jmodel_load(ctx, "models/buggy/step_descent.yaml", NULL, 0, &m) < 0) stop(ctx, "model");
  for (int i = 0; i < NUMBERS; i++) {
    if (jmodel_number_named(ctx, m, name[i], &number[i]) < 0) stop(ctx, name[i]);
  }
  jsens_setup setup = {.wrt = number, .nwrt = NUMBERS, .direct = true};
  setup.kernel = jkernel_options_default();
  if (jsens_create(ctx, m, &setup, &s) < 0) stop(ctx, "system");
  double* x = make_points(m, number, set.points);
  jbatch_options opt = jbatch_options_default(m);
  opt.number = number;
  opt.nnumber = NUMBERS;
  opt.lanes = set.lanes;
  opt.workers = 1;
  opt.run.solve.method = (jsolve_method)jsolve_method_find(set.method);
  opt.run.solve.step = set.step;
  if (set.values) compare(t, ctx, s, &opt, x, &set);
  opt.gradient = true;
  if (set.gradient) compare(t, ctx, s, &opt, x, &set);
  if (set.adjoint > 0) compare_adjoint(t, ctx, m, opt, x, set);
  free(x);
  jsens_destroy(s);
  jmodel_destroy(m);
  jo_context_destroy(ctx);
}

int main(int argc, char** argv) {
  settings set = read_arguments(argc, argv);
  char titles[100];
  snprintf(titles, sizeof titles, "step descent, %s, steps of %g s", set.method, set.step);
  bench_levels(titles, measure, &set);
  return EXIT_SUCCESS;
}
