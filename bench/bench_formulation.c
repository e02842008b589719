// SPDX-License-Identifier: Apache-2.0
// What one evaluation of the right-hand side costs by the number of parts: chains, fans, four-bars and vehicles. Operations by
// the mass matrix, by articulated bodies and as chosen; time as chosen, and of generating and compiling, by level.
//
//   bench_formulation [KIND [MOST]]
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/system/clock.h"
#include "levels.h"
#include "plant/plant.h"

#define SECONDS     0.1  // per measurement
#define REPEATS     5    // best of
#define MOST_BY_WAY 150  // unknowns with which both ways are written, too

typedef struct text {
  char* data;
  size_t n, cap;
} text;

static void stop(const jo_context* ctx, const char* what) {
  fprintf(stderr, "bench_formulation: %s: %s\n", what, ctx ? jo_context_message(ctx) : "");
  exit(EXIT_FAILURE);
}

static void put(text* t, const char* format, ...) {
  va_list args;
  if (t->cap < t->n + 1000) {
    t->cap = 2 * t->cap + 1000;
    t->data = realloc(t->data, t->cap);
    if (!t->data) stop(NULL, "no memory");
  }
  va_start(args, format);
  t->n += (size_t)vsnprintf(t->data + t->n, t->cap - t->n, format, args);
  va_end(args);
}

// ---- models --------------------------------------------------------------------------------------

static void put_body(text* t, const char* name, int i, double x, double z) {
  put(t,
      "  %s%d: {mass: 1.3, com: [%g, 0.02, %g], inertia: [0.02, 0.03, 0.025, 0.001, 0.002, "
      "-0.001]}\n",
      name, i, x, z);
}

static void put_chain(text* t, int n) {
  put(t, "bodies:\n");
  for (int i = 0; i < n; i++) {
    put_body(t, "b", i, 0.3 * i + 0.11, -0.05);
  }
  put(t, "joints:\n  j0: {type: revolute, child: b0, axis: z}\n");
  for (int i = 1; i < n; i++) {
    put(t, "  j%d: {type: revolute, parent: b%d, child: b%d, at: [%g, 0, 0], axis: %c}\n", i, i - 1,
        i, 0.3 * i, "zyx"[i % 3]);
  }
}

static void put_fan(text* t, int n) {
  put(t, "bodies:\n  hub0: {mass: 50, com: [0, 0, 0], inertia: [3, 4, 5]}\n");
  for (int i = 0; i < n; i++) {
    put_body(t, "b", i, 0.3 * i + 0.11, -0.05);
  }
  put(t, "joints:\n  hub: {type: free, child: hub0}\n");
  for (int i = 0; i < n; i++) {
    put(t, "  j%d: {type: revolute, parent: hub0, child: b%d, at: [%g, 0, 0], axis: %c}\n", i, i,
        0.3 * i, "zyx"[i % 3]);
  }
}

// Every four-bar stands on the coupler of the one before.
static void put_four_bars(text* t, int n) {
  put(t, "bodies:\n");
  for (int i = 0; i < n; i++) {
    double z = 0.5 * i;
    put_body(t, "left", i, 0, z + 0.25);
    put_body(t, "right", i, 0.8, z + 0.25);
    put_body(t, "top", i, 0.4, z + 0.5);
  }
  put(t, "joints:\n");
  for (int i = 0; i < n; i++) {
    char parent[32] = "ground";
    if (i > 0) snprintf(parent, sizeof parent, "top%d", i - 1);
    put(t, "  l%d: {type: revolute, parent: %s, child: left%d, at: [0, 0, %g], axis: y}\n", i,
        parent, i, 0.5 * i);
    put(t, "  r%d: {type: revolute, parent: %s, child: right%d, at: [0.8, 0, %g], axis: y}\n", i,
        parent, i, 0.5 * i);
    put(t, "  t%d: {type: revolute, parent: left%d, child: top%d, at: [0, 0, %g], axis: y}\n", i, i,
        i, 0.5 * i + 0.5);
  }
  put(t, "closures:\n");
  for (int i = 0; i < n; i++) {
    put(t, "  c%d: {type: ball, a: top%d.C%d, b: right%d.C%d}\n", i, i, i, i, i);
  }
  put(t, "hardpoints:\n");
  for (int i = 0; i < n; i++) {
    put(t, "  C%d: [0.8, 0, %g]\n", i, 0.5 * i + 0.5);
  }
}

// Vehicles of a train: a body, two bogies that yaw under it, two axles each; the next body is hinged to it.
static void put_vehicles(text* t, int n) {
  put(t, "bodies:\n");
  for (int i = 0; i < n; i++) {
    double x = -10.0 * i;
    put(t, "  car%d: {mass: 20000, com: [%g, 0, 1.5], inertia: [2e4, 2e5, 2e5]}\n", i, x - 5);
    for (int b = 0; b < 2; b++) {
      put(t, "  bogie%d_%d: {mass: 2000, com: [%g, 0, 0.5], inertia: [900, 1200, 1600]}\n", i, b,
          x - 2 - 6 * b);
      for (int a = 0; a < 2; a++) {
        put(t, "  axle%d_%d%d: {mass: 1200, com: [%g, 0, 0.45], inertia: [700, 90, 700]}\n", i, b,
            a, x - 1 - 6 * b - 2 * a);
      }
    }
  }
  put(t, "joints:\n  car0: {type: free, child: car0}\n");
  for (int i = 0; i < n; i++) {
    double x = -10.0 * i;
    if (i > 0) {
      put(t, "  car%d: {type: spherical, parent: car%d, child: car%d, at: [%g, 0, 1]}\n", i, i - 1,
          i, x);
    }
    for (int b = 0; b < 2; b++) {
      put(t,
          "  bogie%d_%d: {type: revolute, parent: car%d, child: bogie%d_%d, at: [%g, 0, 0.8], "
          "axis: z}\n",
          i, b, i, i, b, x - 2 - 6 * b);
      for (int a = 0; a < 2; a++) {
        put(t,
            "  axle%d_%d%d: {type: prismatic, parent: bogie%d_%d, child: axle%d_%d%d, at: [%g, 0, "
            "0.45], axis: z}\n",
            i, b, a, i, b, i, b, a, x - 1 - 6 * b - 2 * a);
      }
    }
  }
}

static const struct kind {
  const char* name;
  void (*put)(text* t, int n);
  int most;  // parts: those that are made within two minutes
} kinds[] = {{"chain", put_chain, 1000},
             {"fan", put_fan, 1000},
             {"four-bars", put_four_bars, 500},
             {"vehicles", put_vehicles, 1000}};

// ---- figures -------------------------------------------------------------------------------------

static int operations(jo_context* ctx, const jgen_dynamics* d) {
  jarena a;
  jexpr_schedule s;
  jarena_init(&a, ctx);
  if (jexpr_schedule_build(&a, &d->fn[JGEN_FN_RHS], &s) < 0) stop(ctx, "schedule");
  int n = s.n;
  jarena_free(&a);
  return n;
}

static int operations_by(jo_context* ctx, const jplant* p, jgen_way way) {
  jgen_dynamics* d;
  jgen_options opt = {.modes = true, .way = way};
  if (jgen_dynamics_build(ctx, p->model, &opt, &p->dynamics->part, &d) < 0) stop(ctx, "equations");
  int n = operations(ctx, d);
  jgen_dynamics_destroy(d);
  return n;
}

// Microseconds of an evaluation, best of several measurements.
static double time_of(jo_context* ctx, const jplant* p) {
  jplant_work* w;
  size_t size = (size_t)p->dynamics->ny + 1;
  double *ydot = calloc(size, sizeof *ydot), *y = calloc(size, sizeof *y), best = INFINITY;
  if (!ydot || !y || jplant_work_create(ctx, p, NULL, &w) < 0) stop(ctx, "work");
  for (size_t i = 0; i + 1 < size; i++) {
    y[i] = p->y0[i];
  }
  for (int k = 0; k < REPEATS; k++) {
    double start = jclock_cpu(), spent = 0.0;
    int n = 0;
    while (spent < SECONDS) {
      for (int i = 0; i < 10; i++, n++) {
        w->system.rhs(w->system.user, 0.0, y, ydot);
      }
      spent = jclock_cpu() - start;
    }
    best = fmin(best, 1e6 * spent / n);
  }
  jplant_work_destroy(w);
  free(ydot);
  free(y);
  return best;
}

static const int parts[] = {2, 4, 8, 12, 16, 24, 32, 48, 64, 128, 256, 500, 1000};
enum { SIZES = sizeof parts / sizeof *parts };

// The rows of one kind; what operations there are is found once, they are the same at all levels.
typedef struct request {
  const struct kind* kind;
  int most;
  char row[SIZES][100];
} request;

static void describe(jo_context* ctx, const jplant* p, char* out, size_t size, int n) {
  int unknowns = p->dynamics->part.nu, chosen = operations(ctx, p->dynamics);
  if (unknowns <= MOST_BY_WAY) {
    snprintf(out, size, "%d | %d | %d | %d | %d", n, unknowns,
             operations_by(ctx, p, JGEN_BY_MATRIX), operations_by(ctx, p, JGEN_BY_ARTICULATED),
             chosen);
  } else {
    snprintf(out, size, "%d | %d | | | %d", n, unknowns, chosen);
  }
}

static void measure_one(bench_table* table, request* r, int i) {
  jo_context* ctx;
  jmodel* m;
  jplant* p;
  text t = {0};
  put(&t, "jounce: 1\nname: bench\n");
  r->kind->put(&t, parts[i]);
  if (jo_context_create(NULL, &ctx) < 0) stop(NULL, "no memory");
  if (jmodel_parse(ctx, t.data, t.n, "bench.yaml", NULL, 0, &m) < 0) stop(ctx, r->kind->name);
  double start = jclock_cpu();
  jplant_options opt = jplant_options_default();
  if (jplant_create(ctx, m, &opt, &p) < 0) stop(ctx, r->kind->name);
  double spent = jclock_cpu() - start;
  if (r->row[i][0] == '\0') describe(ctx, p, r->row[i], sizeof r->row[i], parts[i]);
  bench_cell(table, r->row[i], "%.2f, %.2f", time_of(ctx, p), spent);
  jplant_destroy(p);
  jmodel_destroy(m);
  jo_context_destroy(ctx);
  free(t.data);
}

static void measure(bench_table* t, void* user) {
  request* r = user;
  for (int i = 0; i < SIZES && parts[i] <= r->most; i++) {
    measure_one(t, r, i);
  }
}

int main(int argc, char** argv) {
  int most = argc > 2 ? atoi(argv[2]) : 1000;
  printf("microseconds of an evaluation, seconds to make\n\n");
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    if (argc > 1 && strcmp(argv[1], kinds[k].name) != 0) continue;
    request r = {.kind = &kinds[k], .most = most < kinds[k].most ? most : kinds[k].most};
    char titles[100];
    snprintf(titles, sizeof titles, "%s | unknowns | by matrix | articulated | chosen",
             kinds[k].name);
    bench_levels(titles, measure, &r);
    printf("\n");
  }
  return EXIT_SUCCESS;
}
