// SPDX-License-Identifier: Apache-2.0
// Batches on devices. The source for CUDA is compiled for this processor too: everything but the launch and the exchange
// between threads gives the bits of the lanes here. Where there is a GPU, it gives them too.
#include <math.h>
#include <string.h>

#include "batch/single.h"
#include "support/subject.h"

#define POINTS 7

typedef struct scene {
  const char* model;
  const char* name[SUBJECT_NUMBERS];
  const char* method;
  double t_end;
} scene;

static const int outputs[] = {2, 0};

// Lanes of the processor are interpreted: the reference, and nothing to wait for.
static subject open_scene(const scene* at) {
  jsens_setup setup = {.direct = true, .kernel = jkernel_options_default()};
  setup.kernel.backend = JKERNEL_INTERP;
  int n = 0;
  while (n < SUBJECT_NUMBERS && at->name[n])
    n++;
  subject s = subject_open(at->model, at->name, n, false, setup);
  bool is_fixed = strcmp(at->method, "rk4") == 0;
  s.opt.outputs = is_fixed;  // else those that have histories alone
  s.opt.history = outputs;
  s.opt.nhistory = 2;
  s.opt.history_step = 7e-3;
  s.opt.run.solve.method = (jsolve_method)jsolve_method_find(at->method);
  s.opt.run.solve.step = is_fixed ? 1e-3 : 0.0;
  s.opt.run.t_end = at->t_end;
  return s;
}

static void compare(const scene* at, bool gradient, jbatch_device device) {
  subject s = open_scene(at);
  double* x = subject_points(&s, POINTS);
  s.opt.gradient = gradient;
  jbatch* here = subject_run(&s, x, POINTS);
  s.opt.device = device;
  jbatch* there = subject_run(&s, x, POINTS);
  assert_all_went(there, JBATCH_WAY_LANES, JBATCH_FINE);
  for (int i = 0; i < POINTS; i++)
    assert_same_point(there, i, here, i);
  jbatch_destroy(there);
  jbatch_destroy(here);
  subject_close(&s);
}

static const scene descent = {
    "models/buggy/step_descent.yaml", {"k_f", "c_f", "k_r", "c_r", "m_c"}, "rk4", 0.4};
static const scene adaptive = {
    "models/buggy/step_descent.yaml", {"k_f", "c_f", "k_r", "c_r", "m_c"}, "dopri5", 0.4};

static void test_values(void** state) {
  (void)state;
  compare(&descent, false, JBATCH_DEVICE_HOST);
}

static void test_adaptive_steps(void** state) {
  (void)state;
  compare(&adaptive, false, JBATCH_DEVICE_HOST);
}

static void test_derivatives(void** state) {
  (void)state;
  compare(&descent, true, JBATCH_DEVICE_HOST);
}

// Nothing to share between two threads, functions that are short, closed loops, other objectives, adaptive steps; at last
// nothing that directions have in common.
static void test_derivatives_of_small_models(void** state) {
  (void)state;
  static const scene all[] = {
      {"test/models/sweep_quarter_car.yaml", {"k", "c", "step"}, "dopri5", 0.4},
      {"test/models/sens_loop.yaml", {"k", "stretch", "from", "pulse"}, "rk4", 1.0},
      {"test/models/sens_step.yaml", {"k", "v", "lift", "x0"}, "dopri5", 1.1},
      {"test/models/batch_linear.yaml", {"lift", "speed"}, "rk4", 0.1},
  };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    compare(&all[i], true, JBATCH_DEVICE_HOST);
}

// Largest difference of column k over the largest number in it.
static double column_error(const double* a, const double* b, int columns, int k) {
  double off = 0.0, most = 0.0;
  for (int i = 0; i < POINTS; i++) {
    off = fmax(off, fabs(a[i * columns + k] - b[i * columns + k]));
    most = fmax(most, fabs(a[i * columns + k]));
  }
  return off / most;
}

static double worst_column(const double* a, const double* b, int columns) {
  double worst = 0.0;
  for (int k = 0; k < columns; k++)
    worst = fmax(worst, column_error(a, b, columns, k));
  return worst;
}

// Slopes in single precision: events are the same ones, and numbers close; how close, the batch says itself. Of so few
// points all are checked. Floats are good to 6e-8, and slopes are some hundred operations behind what is known of a state:
// 6e-6 was measured, 9e-6 of derivatives.
#define SINGLE_ERROR 2e-5

static void test_single_precision_states_its_error(void** state) {
  (void)state;
  subject s = open_scene(&descent);
  double* x = subject_points(&s, POINTS);
  jbatch* here = subject_run(&s, x, POINTS);
  s.opt.device = JBATCH_DEVICE_HOST;
  s.opt.single = true;
  jbatch* there = subject_run(&s, x, POINTS);
  assert_all_went(there, JBATCH_WAY_LANES, JBATCH_FINE);
  for (int i = 0; i < POINTS; i++) {
    assert_int_equal(there->point[i].steps, here->point[i].steps);
    assert_int_equal(there->point[i].events, here->point[i].events);
  }
  int n = here->nobjective;
  double value = worst_column(there->value, here->value, n);
  double gradient = worst_column(there->gradient, here->gradient, n * here->nw);
  assert_true(value > 0.0 && value < SINGLE_ERROR);
  assert_true(gradient > 0.0 && gradient < SINGLE_ERROR);
  assert_int_equal(there->nsample, POINTS);
  assert_memory_equal(&there->value_error, &value, sizeof value);
  assert_memory_equal(&there->gradient_error, &gradient, sizeof gradient);
  assert_int_equal(here->nsample, 0);
  jbatch_destroy(there);
  jbatch_destroy(here);
  subject_close(&s);
}

static void test_single_precision_is_not_for_processors(void** state) {
  (void)state;
  subject s = open_scene(&descent);
  jbatch* b = NULL;
  s.opt.number = s.number;
  s.opt.single = true;
  assert_int_equal(jbatch_create(s.ctx, s.sens, &s.opt, &b), JO_ERR_ARGUMENT);
  assert_null(b);
  assert_non_null(strstr(jo_context_message(s.ctx), "single precision is for GPUs"));
  subject_close(&s);
}

static void test_samples_are_neither_small_nor_large(void** state) {
  (void)state;
  for (int n = 1; n < 200000; n += 1 + n / 7) {
    int points = 0, last = -1, widest = 0;
    for (int i = 0; i < n; i++) {
      if (!jbatch_is_sampled(n, i)) continue;
      widest = points > 0 && i - last > widest ? i - last : widest;
      last = i;
      points++;
    }
    assert_int_equal(points, n < 8 ? n : n < 512 ? 8 : n < 4096 ? n / 64 : 64);
    assert_true(widest <= n / points + 1);
  }
}

// A device, or one line that says why not.
static void test_cuda(void** state) {
  (void)state;
  subject s = open_scene(&descent);
  jbatch* b = NULL;
  s.opt.number = s.number;
  s.opt.device = JBATCH_DEVICE_CUDA;
  jo_status status = jbatch_create(s.ctx, s.sens, &s.opt, &b);
  if (status < 0) {
    const char* text = jo_context_message(s.ctx);
    assert_int_equal(status, JO_ERR_COMPILER);
    assert_non_null(strstr(text, "device cuda: "));
    assert_null(strchr(text, '\n'));
  }
  jbatch_destroy(b);
  subject_close(&s);
  if (status >= 0) compare(&descent, false, JBATCH_DEVICE_CUDA);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),
      cmocka_unit_test(test_adaptive_steps),
      cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_derivatives_of_small_models),
      cmocka_unit_test(test_single_precision_states_its_error),
      cmocka_unit_test(test_single_precision_is_not_for_processors),
      cmocka_unit_test(test_samples_are_neither_small_nor_large),
      cmocka_unit_test(test_cuda),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
