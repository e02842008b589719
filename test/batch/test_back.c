// SPDX-License-Identifier: Apache-2.0
// Adjoint derivatives of batches: those of the direct method along the same steps, those of runs one at a time, the same
// bits whatever is around a point, and what goes to runs by themselves.
#include <math.h>

#include "batch/batch.h"
#include "support/fixture.h"

#define QUARTER_CAR "test/models/sweep_quarter_car.yaml"
#define LOOP        "test/models/sens_loop.yaml"

enum { MOST = 5, POINTS = 11 };

typedef struct subject {
  fixture* base;
  jo_context* ctx;
  jsens* sens;
  int number[MOST], n;
  jbatch_options opt;
} subject;

// A model whose parameters `name` vary, with derivatives by them; or by all of its numbers, adjoint only.
static subject open_subject(const char* path, const char* const* name, int n, bool all) {
  subject s = {.base = fixture_load(path, NULL, 0), .n = n};
  const jmodel* m = s.base->m;
  s.ctx = s.base->ctx;
  int* wrt = JARENA_ARRAY(&s.base->a, m->nnumber, int);
  assert_non_null(wrt);
  for (int i = 0; i < n; i++) {
    s.number[i] = jmodel_find_number(m, name[i]);
    assert_true(s.number[i] >= 0);
  }
  for (int i = 0; i < m->nnumber; i++) {
    wrt[i] = i;
  }
  jsens_setup setup = {.wrt = all ? wrt : s.number, .nwrt = all ? m->nnumber : n};
  setup.direct = !all;
  setup.adjoint = true;
  setup.kernel = jkernel_options_default();
  setup.kernel.backend = JKERNEL_INTERP;
  assert_ok(s.ctx, jsens_create(s.ctx, m, &setup, &s.sens));
  s.opt = jbatch_options_default(m);
  s.opt.nnumber = n;
  s.opt.gradient = s.opt.adjoint = true;
  s.opt.workers = 1;
  s.opt.run.estimate = false;
  s.opt.run.solve.method = JSOLVE_RK4;
  s.opt.run.solve.step = 2e-3;
  return s;
}

static const char* const car_numbers[] = {"k", "c", "at", "step"};
static const char* const loop_numbers[] = {"k", "stretch", "from", "pulse"};

static subject open_car(void) {
  return open_subject(QUARTER_CAR, car_numbers, 4, false);
}

static subject open_loop(void) {
  return open_subject(LOOP, loop_numbers, 4, false);
}

static void close_subject(subject* s) {
  jsens_destroy(s->sens);
  fixture_close(s->base);
}

// Numbers within ten percent of the model's.
static double* points(const subject* s, int n) {
  double* x = JARENA_ARRAY(&s->base->a, n * s->n, double);
  assert_non_null(x);
  for (int i = 0; i < n * s->n; i++) {
    double part = 0.9 + 0.2 * ((i * 37) % 101) / 100.0;
    x[i] = s->base->m->number[s->number[i % s->n]].value * part;
  }
  return x;
}

static jbatch* run(subject* s, const double* x, int n) {
  jbatch* b = NULL;
  s->opt.number = s->number;
  assert_ok(s->ctx, jbatch_create(s->ctx, s->sens, &s->opt, &b));
  assert_ok(s->ctx, jbatch_run(b, n, x));
  return b;
}

static void expect_all(const jbatch* b, jbatch_way way, int left) {
  for (int i = 0; i < b->n; i++) {
    assert_int_equal(b->point[i].status, JO_OK);
    assert_int_equal(b->point[i].left, left);
    assert_int_equal(b->point[i].way, way);
  }
}

// Gradients of a point, relative to themselves or to a part of objective over number.
static void expect_gradient(const subject* s, const jbatch* b, int i, const double* expected,
                            double part) {
  const jmodel* m = s->base->m;
  int n = b->nobjective * b->nw;
  for (int k = 0; k < n; k++) {
    double value = fabs(b->value[i * b->nobjective + k / b->nw]);
    double number = fabs(m->number[s->sens->wrt[k % b->nw]].value);
    double floor = number > 0.0 ? 1e-3 * value / number : 1e-3 * value;
    assert_near(b->gradient[i * n + k], expected[k], part * (fabs(expected[k]) + floor));
  }
}

// ---- the direct method -----------------------------------------------------------------------------

// The same values to the last bit, and the same derivatives to rounding.
static void expect_direct(subject* s, int n) {
  double* x = points(s, n);
  jbatch* back = run(s, x, n);
  s->opt.adjoint = false;
  jbatch* along = run(s, x, n);
  s->opt.adjoint = true;
  expect_all(back, JBATCH_WAY_LANES, JBATCH_FINE);
  assert_memory_equal(back->value, along->value,
                      (size_t)(n * back->nobjective) * sizeof *back->value);
  for (int i = 0; i < n; i++) {
    assert_int_equal(back->point[i].steps, along->point[i].steps);
    assert_int_equal(back->point[i].events, along->point[i].events);
    expect_gradient(s, back, i, along->gradient + i * along->nobjective * along->nw, 1e-10);
  }
  jbatch_destroy(back);
  jbatch_destroy(along);
}

static void test_back_is_direct(void** state) {
  (void)state;
  static const jsolve_method method[] = {JSOLVE_RK4, JSOLVE_RK2, JSOLVE_DOPRI5};
  subject car = open_car(), loop = open_loop();
  for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
    car.opt.run.solve.method = loop.opt.run.solve.method = method[i];
    expect_direct(&car, POINTS);
    expect_direct(&loop, POINTS);
  }
  close_subject(&loop);
  close_subject(&car);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_back_is_direct),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
