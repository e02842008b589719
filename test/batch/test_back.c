// SPDX-License-Identifier: Apache-2.0
// Adjoint derivatives of batches: those of the direct method along the same steps, those of runs one at a time, the same
// bits whatever is around a point, and what goes to runs by themselves.
#include <math.h>

#include "batch/batch.h"
#include "support/fixture.h"

#define QUARTER_CAR "test/models/sweep_quarter_car.yaml"
#define LOOP        "test/models/sens_loop.yaml"

enum { MOST = 5, POINTS = 9 };

typedef struct subject {
  fixture* base;
  jo_context* ctx;
  jsens* sens;
  int number[MOST], n;
  jbatch_options opt;
} subject;

// A model whose parameters `name` vary, with derivatives by them; or by all of its numbers, adjoint only.
static subject open_with(const char* path, const char* const* name, int n, bool all,
                         jkernel_backend backend) {
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
  setup.kernel.backend = backend;
  assert_ok(s.ctx, jsens_create(s.ctx, m, &setup, &s.sens));
  s.opt = jbatch_options_default(m);
  s.opt.nnumber = n;
  s.opt.gradient = s.opt.adjoint = true;
  s.opt.workers = 1;
  s.opt.run.estimate = false;
  s.opt.run.solve.method = JSOLVE_RK4;
  s.opt.run.solve.step = 2e-3;
  s.opt.run.solve.rel_tol = s.opt.run.solve.abs_tol = 1e-6;
  return s;
}

static subject open_subject(const char* path, const char* const* name, int n, bool all) {
  return open_with(path, name, n, all, JKERNEL_INTERP);
}

static const char* const car_numbers[] = {"k", "c", "at", "step"};
static const char* const loop_numbers[] = {"k", "stretch", "from", "pulse"};

static subject open_car(void) {
  subject s = open_subject(QUARTER_CAR, car_numbers, 4, false);
  s.opt.run.t_end = 0.35;
  return s;
}

static subject open_loop(void) {
  subject s = open_subject(LOOP, loop_numbers, 4, false);
  return s;
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

// Gradients of a point, relative to themselves or to a part of objective over number. Numbers without a derivative have none.
static void expect_gradient(const subject* s, const jbatch* b, int i, const double* expected,
                            double part) {
  const jmodel* m = s->base->m;
  int n = b->nobjective * b->nw;
  for (int k = 0; k < n; k++) {
    if (s->sens->why[k % b->nw]) {
      assert_true(isnan(b->gradient[i * n + k]));
      continue;
    }
    double value = fabs(b->value[i * b->nobjective + k / b->nw]);
    double number = fabs(m->number[s->sens->wrt[k % b->nw]].value);
    double floor = number > 0.0 ? 1e-3 * value / number : 1e-3 * value;
    assert_near(b->gradient[i * n + k], expected[k], part * (fabs(expected[k]) + floor));
  }
}

// ---- the direct method -----------------------------------------------------------------------------

// The same values to the last bit, and the same derivatives to rounding.
static void expect_direct_at(subject* s, const double* x, int n) {
  jbatch* back = run(s, x, n);
  s->opt.adjoint = false;
  jbatch* along = run(s, x, n);
  s->opt.adjoint = true;
  expect_all(back, JBATCH_WAY_LANES, JBATCH_FINE);
  assert_memory_equal(back->value, along->value,
                      (size_t)(n * back->nobjective) * sizeof *back->value);
  for (int i = 0; i < n; i++) {
    assert_true(back->point[i].events > 0);
    assert_int_equal(back->point[i].steps, along->point[i].steps);
    assert_int_equal(back->point[i].events, along->point[i].events);
    expect_gradient(s, back, i, along->gradient + i * along->nobjective * along->nw, 1e-10);
  }
  jbatch_destroy(back);
  jbatch_destroy(along);
}

static void expect_direct(subject* s, int n) {
  expect_direct_at(s, points(s, n), n);
}

static void test_back_is_direct(void** state) {
  (void)state;
  static const jsolve_method method[] = {JSOLVE_RK4, JSOLVE_RK2, JSOLVE_DOPRI5};
  subject car = open_car(), loop = open_loop();
  for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
    car.opt.run.solve.method = loop.opt.run.solve.method = method[i];
    expect_direct(&car, 3);
    expect_direct(&loop, 3);
  }
  close_subject(&loop);
  close_subject(&car);
}

// A minute and a half with the thread sanitizer; threads meet nothing there that they do not meet in other tests.
static void skip_for_threads(void) {
#ifdef __SANITIZE_THREAD__
  skip();
#endif
}

// Wheels that fall off a step, loops, switches that follow others at an instant.
static void test_back_is_direct_of_a_buggy(void** state) {
  (void)state;
  skip_for_threads();
  static const char* const name[] = {"k_f", "c_f", "step_x", "step_height", "m_c"};
  subject s = open_subject("models/buggy/step_descent.yaml", name, 5, false);
  s.opt.run.t_end = 0.06;
  double x[2 * 5];
  for (int i = 0; i < 10; i++) {
    x[i] = s.base->m->number[s.number[i % 5]].value * (i < 5 ? 1.0 : 1.05);
  }
  x[2] = -0.36;  // front wheels come to the step after 20 to 35 ms
  x[7] = -0.32;
  expect_direct_at(&s, x, 2);
  close_subject(&s);
}

// ---- a point is itself -----------------------------------------------------------------------------

static void expect_same(const jbatch* a, int i, const jbatch* b, int k) {
  int nv = a->nobjective, ng = a->nobjective * a->nw;
  assert_memory_equal(a->value + i * nv, b->value + k * nv, (size_t)nv * sizeof(double));
  assert_memory_equal(a->gradient + i * ng, b->gradient + k * ng, (size_t)ng * sizeof(double));
}

// Whatever the lanes, the threads, the neighbours and their number.
static void expect_itself(subject* s) {
  double* x = points(s, POINTS);
  s->opt.lanes = 8;
  jbatch* all = run(s, x, POINTS);
  expect_all(all, JBATCH_WAY_LANES, JBATCH_FINE);
  for (int lanes = 1; lanes < 8; lanes *= 2) {
    s->opt.lanes = lanes;
    s->opt.workers = lanes;
    jbatch* b = run(s, x, POINTS);
    for (int i = 0; i < POINTS; i++) {
      expect_same(b, i, all, i);
    }
    jbatch_destroy(b);
  }
  s->opt.lanes = 8;
  for (int i = 0; i < POINTS; i += 4) {
    jbatch* alone = run(s, x + i * s->n, 1);
    expect_same(alone, 0, all, i);
    jbatch_destroy(alone);
  }
  jbatch_destroy(all);
}

static void test_back_point_is_itself(void** state) {
  (void)state;
  subject car = open_car(), loop = open_loop();
  expect_itself(&car);
  loop.opt.run.solve.method = JSOLVE_DOPRI5;
  expect_itself(&loop);
  close_subject(&loop);
  close_subject(&car);
}

static void test_back_compiled_is_interpreted(void** state) {
  (void)state;
  subject s = open_car(), c = open_with(QUARTER_CAR, car_numbers, 4, false, JKERNEL_AUTO);
  c.opt = s.opt;
  double* x = points(&s, POINTS);
  jbatch *a = run(&s, x, POINTS), *b = run(&c, x, POINTS);
  for (int i = 0; i < POINTS; i++) {
    expect_same(a, i, b, i);
  }
  jbatch_destroy(a);
  jbatch_destroy(b);
  close_subject(&s);
  close_subject(&c);
}

// ---- one at a time ---------------------------------------------------------------------------------

static jsens_result* run_alone(const subject* s, const jbatch* b, const double* x) {
  const jgen_dynamics* d = s->sens->plant->dynamics;
  double* p = JARENA_ARRAY(&s->base->a, d->np, double);
  assert_non_null(p);
  memcpy(p, d->p, (size_t)d->np * sizeof *p);
  for (int k = 0; k < s->n; k++) {
    p[b->slot[k]] = x[k];
  }
  jsens_options opt = s->opt.run;
  opt.p = p;
  jsens_result* r = NULL;
  assert_ok(s->ctx, jsens_run(s->ctx, s->sens, JSENS_ADJOINT, &opt, &r));
  return r;
}

// By all numbers: steps are the same, events within 1e-13 s of each other.
static void expect_runs(subject* s) {
  double* x = points(s, 2);
  jbatch* b = run(s, x, 2);
  expect_all(b, JBATCH_WAY_LANES, JBATCH_FINE);
  for (int i = 0; i < 2; i++) {
    jsens_result* r = run_alone(s, b, x + i * s->n);
    assert_true(b->point[i].events > 0);
    assert_int_equal(r->statistics.events, b->point[i].events);
    expect_gradient(s, b, i, r->gradient, 1e-9);
    jsens_result_destroy(r);
  }
  jbatch_destroy(b);
}

static void test_back_runs_by_all_numbers(void** state) {
  (void)state;
  subject car = open_subject(QUARTER_CAR, car_numbers, 4, true);
  subject loop = open_subject(LOOP, loop_numbers, 4, true);
  expect_runs(&car);
  expect_runs(&loop);
  close_subject(&loop);
  close_subject(&car);
}

static void test_back_runs_a_buggy_by_all_numbers(void** state) {
  (void)state;
  skip_for_threads();
  static const char* const name[] = {"k_f", "c_f", "k_r", "c_r", "m_c"};
  subject s = open_subject("models/buggy/step_descent.yaml", name, 5, true);
  s.opt.run.t_end = 0.035;  // rear tyres come to the ground before
  expect_runs(&s);
  close_subject(&s);
}

// ---- by themselves ---------------------------------------------------------------------------------

static void expect_alone(subject* s, int left) {
  double* x = points(s, 2);
  jbatch* b = run(s, x, 2);
  expect_all(b, JBATCH_WAY_ALONE, left);
  for (int i = 0; i < 2; i++) {
    jsens_result* r = run_alone(s, b, x + i * s->n);
    int n = b->nobjective * b->nw;
    assert_memory_equal(b->gradient + i * n, r->gradient, (size_t)n * sizeof(double));
    jsens_result_destroy(r);
  }
  jbatch_destroy(b);
}

static void test_back_without_room_is_alone(void** state) {
  (void)state;
  subject s = open_car();
  s.opt.run.max_states = 100;
  expect_alone(&s, JBATCH_NO_ROOM);
  close_subject(&s);
}

static void test_back_of_resets_is_alone(void** state) {
  (void)state;
  static const char* const name[] = {"loss"};
  subject s = open_subject("test/models/sens_reset.yaml", name, 1, false);
  s.opt.run.solve = jsens_options_default(s.base->m).solve;
  expect_alone(&s, JBATCH_FINE);
  close_subject(&s);
}

// An event that only grazes has no time to differentiate: its point fails as a run by itself does.
static void test_back_leaves_what_grazes(void** state) {
  (void)state;
  static const char* const name[] = {"r"};
  subject s = open_subject("test/models/sens_graze.yaml", name, 1, false);
  const double x[] = {1e-3, 0.0, 2e-3};
  s.opt.run.solve.method = JSOLVE_DOPRI5;
  jbatch* b = run(&s, x, 3);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(b->point[i].left, i == 1 ? JBATCH_GRAZES : JBATCH_FINE);
    assert_true((b->point[i].status < 0) == (i == 1));
    assert_true(isnan(b->gradient[i]) == (i == 1));
  }
  jbatch_destroy(b);
  close_subject(&s);
}

static void test_back_is_not_for_cuda(void** state) {
  (void)state;
  subject s = open_car();
  jbatch* b = NULL;
  s.opt.number = s.number;
  s.opt.device = JBATCH_DEVICE_CUDA;
  assert_refused(s.ctx, jbatch_create(s.ctx, s.sens, &s.opt, &b), JO_ERR_ARGUMENT, "adjoint");
  assert_null(b);
  s.opt.device = JBATCH_DEVICE_AUTO;
  jo_context_clear(s.ctx);
  assert_ok(s.ctx, jbatch_create(s.ctx, s.sens, &s.opt, &b));
  assert_int_equal(b->opt.device, JBATCH_DEVICE_CPU);
  jbatch_destroy(b);
  close_subject(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_back_is_direct),
      cmocka_unit_test(test_back_is_direct_of_a_buggy),
      cmocka_unit_test(test_back_point_is_itself),
      cmocka_unit_test(test_back_compiled_is_interpreted),
      cmocka_unit_test(test_back_runs_by_all_numbers),
      cmocka_unit_test(test_back_runs_a_buggy_by_all_numbers),
      cmocka_unit_test(test_back_without_room_is_alone),
      cmocka_unit_test(test_back_of_resets_is_alone),
      cmocka_unit_test(test_back_leaves_what_grazes),
      cmocka_unit_test(test_back_is_not_for_cuda),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
