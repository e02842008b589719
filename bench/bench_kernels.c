// SPDX-License-Identifier: Apache-2.0
// Machine code of the buggy's right-hand side and its derivatives: bytes, time of an evaluation, and bytes per ns. Straight code
// that is longer than the instruction cache is as fast as its bytes arrive.
//
//   bench_kernels
//
// Run in the root of the repository.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "levels.h"
#include "sens/sens.h"

#define REPEATS     30
#define EVALUATIONS 200
#define OUTPUTS     8
#define WIDEST      8  // lanes

static const char path[] = "models/buggy/step_descent.yaml";
static const char* const five[] = {"k_f", "c_f", "k_r", "c_r", "m_c"};

static void stop(const jo_context* ctx, const char* what) {
  fprintf(stderr, "bench_kernels: %s: %s\n", what, ctx ? jo_context_message(ctx) : "");
  exit(EXIT_FAILURE);
}

static double* doubles(size_t n) {
  double* x = aligned_alloc(64, (n * sizeof *x + 127) / 64 * 64);
  if (!x) stop(NULL, "no memory");
  for (size_t i = 0; i < n; i++) {
    x[i] = 0.1 + 1e-3 * (double)(i % 97);
  }
  return x;
}

typedef struct arrays {
  int nin;
  double** in;
  double* out[OUTPUTS];
} arrays;

static arrays make_arrays(const jgen_dynamics* d, const double* y0) {
  arrays a = {.nin = d->g->ngroup, .in = calloc((size_t)d->g->ngroup, sizeof(double*))};
  if (!a.in) stop(NULL, "no memory");
  for (int i = 0; i < a.nin; i++) {
    a.in[i] = doubles((size_t)d->g->group[i].size * WIDEST + 1);
  }
  memcpy(a.in[JGEN_Y], y0, (size_t)d->ny * sizeof *y0);
  for (int i = 0; i < OUTPUTS; i++) {
    a.out[i] = doubles((size_t)(d->ny + d->sens.nw + 1) * WIDEST);
  }
  return a;
}

static void free_arrays(arrays* a) {
  for (int i = 0; i < a->nin; i++) {
    free(a->in[i]);
  }
  for (int i = 0; i < OUTPUTS; i++) {
    free(a->out[i]);
  }
  free(a->in);
}

static void measure_kernel(bench_table* t, const char* row, const jkernel* k, const arrays* a) {
  double *work = doubles(k->work), least = INFINITY;
  for (int r = 0; r < REPEATS; r++) {
    double begin = jclock_cpu();
    for (int i = 0; i < EVALUATIONS; i++) {
      k->function((const double* const*)a->in, a->out, work);
    }
    least = fmin(least, (jclock_cpu() - begin) / EVALUATIONS);
  }
  bench_cell(t, row, "%.1f kB, %.2f us, %.0f bytes/ns", 1e-3 * (double)k->code_bytes, 1e6 * least,
             1e-9 * (double)k->code_bytes / least);
  free(work);
}

static jsens* prepare(jo_context* ctx, const jmodel* m, const int* wrt, int n, bool direct) {
  jsens_setup setup = {.wrt = wrt, .nwrt = n, .direct = direct, .adjoint = true};
  setup.kernel = jkernel_options_default();
  jsens* out;
  if (jsens_create(ctx, m, &setup, &out) < 0) stop(ctx, path);
  return out;
}

static void measure_with(bench_table* t, jo_context* ctx, const jmodel* m, const int* wrt, int n) {
  bool few = n == 5;
  jsens* s = prepare(ctx, m, wrt, n, few);
  arrays a = make_arrays(s->plant->dynamics, s->plant->y0);
  if (few) {
    measure_kernel(t, "right-hand side", &s->plant->kernels->set->kernel[0], &a);
    measure_kernel(t, "with 5 derivatives, direct", &s->tangents->set->kernel[0], &a);
  }
  char row[60];
  snprintf(row, sizeof row, "with %d derivatives, adjoint", n);
  measure_kernel(t, row, &s->adjoints->set->kernel[0], &a);
  free_arrays(&a);
  jsens_destroy(s);
}

static void measure(bench_table* t, void* user) {
  (void)user;
  jo_context* ctx;
  jmodel* m;
  if (jo_context_create(NULL, &ctx) < 0) stop(NULL, "no memory");
  if (jmodel_load(ctx, path, NULL, 0, &m) < 0) stop(ctx, path);
  int* wrt = calloc((size_t)m->nnumber + 5, sizeof *wrt);
  if (!wrt) stop(NULL, "no memory");
  for (int i = 0; i < 5; i++) {
    wrt[i] = jmodel_find_number(m, five[i]);
  }
  measure_with(t, ctx, m, wrt, 5);
  for (int i = 0; i < m->nnumber; i++) {
    wrt[i] = i;
  }
  measure_with(t, ctx, m, wrt, m->nnumber);
  free(wrt);
  jmodel_destroy(m);
  jo_context_destroy(ctx);
}

int main(void) {
  bench_levels("one evaluation, buggy", measure, NULL);
  return 0;
}
