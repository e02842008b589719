// SPDX-License-Identifier: Apache-2.0
// Adjoint derivatives of batches: those of the direct method along the same steps, those of runs one at a time, the same
// bits whatever is around a point, and what goes to runs by themselves.
#include <math.h>

#include "support/subject.h"

#define QUARTER_CAR "test/models/sweep_quarter_car.yaml"
#define LOOP        "test/models/sens_loop.yaml"

enum { POINTS = 9 };

// A model whose parameters `name` vary, with derivatives by them; or by all of its numbers, adjoint only.
static subject open_with(const char* path, const char* const* name, int n, bool all,
                         jkernel_backend backend) {
  jsens_setup setup = {.direct = !all, .adjoint = true, .kernel = jkernel_options_default()};
  setup.kernel.backend = backend;
  subject s = subject_open(path, name, n, all, setup);
  s.opt.adjoint = true;
  s.opt.run.estimate = false;
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

// Sanitizers are slow, and meet nothing in the buggy that they do not meet in other tests; that of threads, nothing but where
// points are run by several.
static void skip_for_sanitizers(void) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  skip();
#endif
}

static void skip_for_threads(void) {
#if defined(__SANITIZE_THREAD__)
  skip();
#endif
}

// ---- the direct method -----------------------------------------------------------------------------

// The same values to the last bit, and the same derivatives to rounding.
static void expect_direct_at(subject* s, const double* x, int n) {
  jbatch* back = subject_run(s, x, n);
  s->opt.adjoint = false;
  jbatch* along = subject_run(s, x, n);
  s->opt.adjoint = true;
  assert_all_went(back, JBATCH_WAY_LANES, JBATCH_FINE);
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
  expect_direct_at(s, subject_points(s, n), n);
}

static void test_back_is_direct(void** state) {
  (void)state;
  skip_for_threads();
  static const jsolve_method method[] = {JSOLVE_RK4, JSOLVE_RK2, JSOLVE_DOPRI5};
  subject car = open_car(), loop = open_loop();
  for (size_t i = 0; i < sizeof method / sizeof *method; i++) {
    car.opt.run.solve.method = loop.opt.run.solve.method = method[i];
    expect_direct(&car, 3);
    expect_direct(&loop, 3);
  }
  subject_close(&loop);
  subject_close(&car);
}

// Wheels that fall off a step, loops, switches that follow others at an instant.
static void test_back_is_direct_of_a_buggy(void** state) {
  (void)state;
  skip_for_sanitizers();
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
  subject_close(&s);
}

// ---- a point is itself -----------------------------------------------------------------------------

static void test_back_point_is_itself(void** state) {
  (void)state;
  subject car = open_car(), loop = open_loop();
  assert_itself(&car, POINTS, 4);
  loop.opt.run.solve.method = JSOLVE_DOPRI5;
  assert_itself(&loop, POINTS, 4);
  subject_close(&loop);
  subject_close(&car);
}

static void test_back_compiled_is_interpreted(void** state) {
  (void)state;
  skip_for_threads();
  subject s = open_car(), c = open_with(QUARTER_CAR, car_numbers, 4, false, JKERNEL_AUTO);
  c.opt = s.opt;
  assert_same_subjects(&s, &c, POINTS);
  subject_close(&s);
  subject_close(&c);
}

// ---- one at a time ---------------------------------------------------------------------------------

// By all numbers: steps are the same, events within 1e-13 s of each other.
static void expect_runs(subject* s) {
  double* x = subject_points(s, 2);
  jbatch* b = subject_run(s, x, 2);
  assert_all_went(b, JBATCH_WAY_LANES, JBATCH_FINE);
  for (int i = 0; i < 2; i++) {
    jsens_result* r = subject_run_alone(s, b, x + i * s->n, JSENS_ADJOINT);
    assert_true(b->point[i].events > 0);
    assert_int_equal(r->statistics.events, b->point[i].events);
    expect_gradient(s, b, i, r->gradient, 1e-9);
    jsens_result_destroy(r);
  }
  jbatch_destroy(b);
}

static void test_back_runs_by_all_numbers(void** state) {
  (void)state;
  skip_for_threads();
  subject car = open_subject(QUARTER_CAR, car_numbers, 4, true);
  subject loop = open_subject(LOOP, loop_numbers, 4, true);
  expect_runs(&car);
  expect_runs(&loop);
  subject_close(&loop);
  subject_close(&car);
}

static void test_back_runs_a_buggy_by_all_numbers(void** state) {
  (void)state;
  skip_for_sanitizers();
  static const char* const name[] = {"k_f", "c_f", "k_r", "c_r", "m_c"};
  subject s = open_subject("models/buggy/step_descent.yaml", name, 5, true);
  s.opt.run.t_end = 0.035;  // rear tyres come to the ground before
  expect_runs(&s);
  subject_close(&s);
}

// ---- by themselves ---------------------------------------------------------------------------------

static void expect_alone(subject* s, int left) {
  double* x = subject_points(s, 2);
  jbatch* b = subject_run(s, x, 2);
  assert_all_went(b, JBATCH_WAY_ALONE, left);
  for (int i = 0; i < 2; i++) {
    jsens_result* r = subject_run_alone(s, b, x + i * s->n, JSENS_ADJOINT);
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
  subject_close(&s);
}

static void test_back_of_resets_is_alone(void** state) {
  (void)state;
  static const char* const name[] = {"loss"};
  subject s = open_subject("test/models/sens_reset.yaml", name, 1, false);
  s.opt.run.solve = jsens_options_default(s.base->m).solve;
  expect_alone(&s, JBATCH_FINE);
  subject_close(&s);
}

// An event that only grazes has no time to differentiate: its point fails as a run by itself does.
static void test_back_leaves_what_grazes(void** state) {
  (void)state;
  static const char* const name[] = {"r"};
  subject s = open_subject("test/models/sens_graze.yaml", name, 1, false);
  const double x[] = {1e-3, 0.0, 2e-3};
  s.opt.run.solve.method = JSOLVE_DOPRI5;
  jbatch* b = subject_run(&s, x, 3);
  for (int i = 0; i < 3; i++) {
    assert_int_equal(b->point[i].left, i == 1 ? JBATCH_GRAZES : JBATCH_FINE);
    assert_true((b->point[i].status < 0) == (i == 1));
    assert_true(isnan(b->gradient[i]) == (i == 1));
  }
  jbatch_destroy(b);
  subject_close(&s);
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
  subject_close(&s);
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
