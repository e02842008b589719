// SPDX-License-Identifier: Apache-2.0
// What the steppers cost besides the right-hand side, per evaluation and step, by number of states.
// Oscillators with a nearly free right-hand side; its own cost is measured and taken off.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/system/clock.h"
#include "solve/ode.h"

enum { N_MAX = 400 };

typedef struct load {
  int n;
  double mode[4];
} load;

static void rhs(void* user, double t, const double* y, double* f) {
  const load* l = user;
  (void)t;
  int half = l->n / 2;
  for (int i = 0; i < half; i++)
    f[i] = y[half + i];
  for (int i = 0; i < half; i++)
    f[half + i] = -y[i];
}

static void switches(void* user, double t, const double* y, double* g) {
  (void)user;
  (void)y;
  for (int k = 0; k < 4; k++)
    g[k] = 1e6 + k - t;
}

static double rhs_cost(load* l, const double* y) {
  static double f[N_MAX];
  int count = 200000;
  double start = jclock_cpu();
  for (int i = 0; i < count; i++) {
    rhs(l, 0, y, f);
    __asm__ volatile("" : : "r"(f) : "memory");
  }
  return (jclock_cpu() - start) / count;
}

static void measure(jo_context* ctx, jsolve_method m, int n, bool with_switches) {
  load l = {.n = n, .mode = {1, 1, 1, 1}};
  jsolve_system s = {.n = n, .user = &l, .rhs = rhs};
  if (with_switches) {
    s.nswitch = 4;
    s.switches = switches;
    s.mode = l.mode;
  }
  jsolve_options o = jsolve_options_default();
  o.method = m;
  o.rel_tol = o.abs_tol = 1e-6;
  o.step = 0.01;
  double y[N_MAX];
  for (int i = 0; i < n; i++)
    y[i] = cos(i);
  double free_cost = rhs_cost(&l, y);
  jsolve_statistics stats;
  double start = jclock_cpu();
  if (jsolve_integrate(ctx, &s, &o, NULL, 0, m == JSOLVE_RK4 ? 500 : 5000, y, NULL, &stats) < 0) {
    fprintf(stderr, "bench_ode: %s\n", jo_context_message(ctx));
    exit(1);
  }
  double own = jclock_cpu() - start - free_cost * (double)stats.evaluations;
  printf("%-7s %6d %9s %10.3f %10.3f\n", jsolve_method_name(m), n, with_switches ? "4" : "none",
         1e6 * own / (double)stats.evaluations, 1e6 * own / (double)stats.steps);
}

int main(void) {
  jo_context* ctx = NULL;
  if (jo_context_create(NULL, &ctx) < 0) return 1;
  printf("%-7s %6s %9s %10s %10s\n", "method", "states", "switches", "us/eval", "us/step");
  int size[] = {50, 100, 200, 400};
  for (int i = 0; i < 4; i++) {
    measure(ctx, JSOLVE_RK4, size[i], false);
    measure(ctx, JSOLVE_DOPRI5, size[i], false);
    measure(ctx, JSOLVE_DOPRI5, size[i], true);
  }
  jo_context_destroy(ctx);
  return 0;
}
