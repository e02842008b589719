// SPDX-License-Identifier: Apache-2.0
#include "support/gradient.h"

#include <math.h>

#include "plant/start/start.h"
#include "support/check.h"

#define STATE_MAX 256
#define LEVEL_MAX 5
#define OPTIMIZE  1  // compilers take long over derivatives by many numbers, runs do not

static void open_plant(gradient* g) {
  bool* live = test_calloc((size_t)g->m->nnumber + 1, sizeof *live);
  for (int i = 0; i < g->m->nnumber; i++) {
    live[i] = g->m->number[i].is_parameter;
  }
  for (int i = 0; i < g->n; i++) {
    live[g->wrt[i]] = true;
  }
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = g->backend;
  opt.kernel.optimize = OPTIMIZE;
  opt.gen = (jgen_options){.live = live, .modes = true};
  fixture_build(g->f, &opt);
  test_free(live);
  g->plant = g->f->plant;
  g->run = g->f->run;
  const jgen_dynamics* d = g->plant->dynamics;
  assert_true(d->ny <= STATE_MAX && d->nswitch <= STATE_MAX && d->nobjective <= GRADIENT_MAX);
  g->p = test_calloc((size_t)d->np + 1, sizeof *g->p);
  memcpy(g->p, d->p, (size_t)d->np * sizeof *g->p);
  for (int i = 0; i < g->n; i++) {
    while (d->live[g->at[i]] != g->wrt[i]) {
      g->at[i]++;
    }
  }
  g->nobjective = d->nobjective;
}

void gradient_open(gradient* g, const char* path, const jmodel_setting* set, int nset,
                   const char* const* number, int n, jkernel_backend backend) {
  *g = (gradient){.f = fixture_load(path, set, nset), .n = n, .backend = backend};
  g->ctx = g->f->ctx;
  g->m = g->f->m;
  assert_true(n <= GRADIENT_MAX);
  for (int i = 0; i < n; i++) {
    g->wrt[i] = jmodel_find_number(g->m, number[i]);
    if (g->wrt[i] < 0) fail_msg("%s has no number %s", path, number[i]);
  }
  open_plant(g);
  g->opt = jsens_options_default(g->m);
}

void gradient_close(gradient* g) {
  test_free(g->p);
  jsens_destroy(g->sens);
  fixture_close(g->f);
}

const jsens* gradient_sens(gradient* g) {
  if (g->sens) return g->sens;
  jsens_setup setup = {.wrt = g->wrt, .nwrt = g->n, .direct = true, .adjoint = true};
  setup.kernel = jkernel_options_default();
  setup.kernel.backend = g->backend;
  setup.kernel.optimize = OPTIMIZE;
  assert_ok(g->ctx, jsens_create(g->ctx, g->m, &setup, &g->sens));
  return g->sens;
}

jsens_result* gradient_run(gradient* g, jsens_method method, bool frozen) {
  jsens_result* r;
  g->opt.frozen = frozen;
  assert_ok(g->ctx, jsens_run(g->ctx, gradient_sens(g), method, &g->opt, &r));
  return r;
}

void gradient_start(gradient* g, double* y) {
  jarena arena;
  jarena_init(&arena, g->ctx);
  jplant_start at;
  assert_ok(g->ctx, jplant_start_find(g->ctx, &arena, g->plant, 0, g->p, &at));
  memcpy(y, at.y, (size_t)g->plant->dynamics->ny * sizeof *y);
  jarena_free(&arena);
}

void gradient_value(gradient* g, double* psi) {
  double y[STATE_MAX], scratch[STATE_MAX], t;
  jplant_work* run = g->run;
  gradient_start(g, y);
  memcpy(run->p, g->p, (size_t)g->plant->dynamics->np * sizeof *run->p);
  jsolve_set_modes(&run->system, g->opt.t_start, y, scratch);
  assert_ok(g->ctx, jsolve_integrate(g->ctx, &run->system, &g->opt.solve, NULL, g->opt.t_start,
                                     g->opt.t_end, y, &t, NULL));
  jmachine_objectives(&run->machine, t, y, psi);
}

static void move(gradient* g, const double* direction, double by, const double* nominal) {
  for (int i = 0; i < g->n; i++) {
    g->p[g->at[i]] = nominal[i] + by * direction[i];
  }
}

void gradient_difference(gradient* g, void (*f)(gradient*, double*), int count,
                         const double* direction, double step, int levels, double* d) {
  double nominal[GRADIENT_MAX], up[STATE_MAX], down[STATE_MAX];
  double T[LEVEL_MAX][STATE_MAX];
  assert_true(levels <= LEVEL_MAX && count <= STATE_MAX);
  for (int i = 0; i < g->n; i++) {
    nominal[i] = g->p[g->at[i]];
  }
  for (int l = 0; l < levels; l++) {
    double h = ldexp(step, -l);
    move(g, direction, h, nominal);
    f(g, up);
    move(g, direction, -h, nominal);
    f(g, down);
    // Romberg: T[k] is extrapolated l - k times
    for (int o = 0; o < count; o++) {
      T[l][o] = (up[o] - down[o]) / (2.0 * h);
      for (int k = l - 1; k >= 0; k--) {
        T[k][o] = T[k + 1][o] + (T[k + 1][o] - T[k][o]) / (ldexp(1.0, 2 * (l - k)) - 1.0);
      }
    }
  }
  move(g, direction, 0.0, nominal);
  memcpy(d, T[0], (size_t)count * sizeof *d);
}

void gradient_difference_one(gradient* g, int number, double step, int levels, double* d) {
  double direction[GRADIENT_MAX] = {0};
  direction[number] = 1.0;
  gradient_difference(g, gradient_value, g->nobjective, direction, step, levels, d);
}

void gradient_law(gradient* g, const double* size, int levels, double apart, double methods) {
  jsens_result* a = gradient_run(g, JSENS_DIRECT, false);
  jsens_result* b = gradient_run(g, JSENS_ADJOINT, false);
  double d[GRADIENT_MAX];
  for (int j = 0; j < g->n; j++) {
    gradient_difference_one(g, j, 4e-3 * size[j], levels, d);
    for (int o = 0; o < g->nobjective; o++) {
      int i = o * g->n + j;
      double scale = fmax(fabs(a->gradient[i]), fabs(a->value[o]) / size[j]);
      assert_near(a->gradient[i], d[o], apart * scale);
      assert_near(b->gradient[i], a->gradient[i], methods * scale);
    }
  }
  jsens_result_destroy(a);
  jsens_result_destroy(b);
}
