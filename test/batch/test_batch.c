// SPDX-License-Identifier: Apache-2.0
// Batches: a point is itself whatever is around it, what runs and derivatives say one at a time, and what fails.
#include "batch/doubt.h"

#include <math.h>

#include "plant/simulate.h"
#include "support/subject.h"

#define QUARTER_CAR "test/models/sweep_quarter_car.yaml"
#define LOOP        "test/models/sens_loop.yaml"

enum { POINTS = 11 };

static const int first_outputs[] = {1, 0};

// A model with derivatives by the parameters that vary, and histories.
static subject open_subject(const char* path, const char* const* name, int n,
                            jkernel_backend backend) {
  jsens_setup setup = {.direct = true, .kernel = jkernel_options_default()};
  setup.kernel.backend = backend;
  subject s = subject_open(path, name, n, false, setup);
  s.opt.outputs = true;
  s.opt.history = first_outputs;
  s.opt.nhistory = 2;
  s.opt.history_step = 7e-3;  // between steps, and at some
  return s;
}

static const char* const car_numbers[] = {"k", "c", "at", "step"};
static const char* const loop_numbers[] = {"k", "stretch", "from", "pulse"};

static subject open_car(void) {
  return open_subject(QUARTER_CAR, car_numbers, 4, JKERNEL_INTERP);
}

// ---- a point is itself -----------------------------------------------------------------------------

static void test_batch_point_is_itself(void** state) {
  (void)state;
  subject s = open_car();
  assert_itself(&s, POINTS, 3);
  subject_close(&s);
}

static void test_batch_point_is_itself_with_adaptive_steps(void** state) {
  (void)state;
  subject s = open_car();
  s.opt.run.solve.method = JSOLVE_DOPRI5;
  assert_itself(&s, POINTS, 3);
  s.opt.gradient = false;
  assert_itself(&s, POINTS, 3);
  subject_close(&s);
}

static void test_batch_point_is_itself_in_loops(void** state) {
  (void)state;
  subject s = open_subject(LOOP, loop_numbers, 4, JKERNEL_INTERP);
  assert_itself(&s, POINTS, 3);
  subject_close(&s);
}

static void test_batch_compiled_is_interpreted(void** state) {
  (void)state;
  subject s = open_car(), c = open_subject(QUARTER_CAR, car_numbers, 4, JKERNEL_AUTO);
  assert_same_subjects(&s, &c, POINTS);
  subject_close(&s);
  subject_close(&c);
}

// ---- one at a time ---------------------------------------------------------------------------------

// The same steps but for where events were found, and derivatives along them: `value` and `slope` relative to the
// largest.
static void expect_runs(subject* s, double value, double slope) {
  double* x = subject_points(s, POINTS);
  jbatch* b = subject_run(s, x, POINTS);
  assert_all_went(b, JBATCH_WAY_LANES, JBATCH_FINE);
  for (int i = 0; i < POINTS; i++) {
    jsens_result* r = subject_run_alone(s, b, x + i * s->n, JSENS_DIRECT);
    assert_int_equal(r->statistics.events, b->point[i].events);
    for (int o = 0; o < b->nobjective; o++) {
      assert_near(b->value[i * b->nobjective + o], r->value[o], value * fabs(r->value[o]));
    }
    for (int k = 0; k < b->nobjective * b->nw; k++) {
      double size =
          fabs(r->gradient[k]) + 1e-3 * fabs(r->value[k / b->nw] / x[i * s->n + k % b->nw]);
      assert_near(b->gradient[i * b->nobjective * b->nw + k], r->gradient[k], slope * size);
    }
    jsens_result_destroy(r);
  }
  jbatch_destroy(b);
}

static void test_batch_runs_fixed_steps(void** state) {
  (void)state;
  subject s = open_car();
  // events are within 1e-13 s of each other
  expect_runs(&s, 1e-11, 1e-9);
  subject_close(&s);
}

static void test_batch_runs_loops(void** state) {
  (void)state;
  subject s = open_subject(LOOP, loop_numbers, 4, JKERNEL_INTERP);
  expect_runs(&s, 1e-11, 1e-9);
  subject_close(&s);
}

static void test_batch_runs_adaptive_steps(void** state) {
  (void)state;
  subject s = open_car();
  s.opt.run.solve.method = JSOLVE_DOPRI5;
  // both are within a few tolerances, 1e-8, of the motion
  expect_runs(&s, 1e-7, 1e-5);
  subject_close(&s);
}

static void test_batch_outputs_are_those_of_a_run(void** state) {
  (void)state;
  subject s = open_car();
  double* x = subject_points(&s, 3);
  jbatch* b = subject_run(&s, x, 3);
  assert_int_equal(b->noutput, s.sens->plant->dynamics->noutput);
  // a run by itself, and in lanes
  jbatch_options keep = s.opt;
  s.opt.run.solve.method = JSOLVE_AUTO;
  s.opt.run.solve.rel_tol = s.opt.run.solve.abs_tol = 1e-10;
  jbatch* alone = subject_run(&s, x, 3);
  s.opt = keep;
  assert_non_null(alone->why_alone);
  assert_int_equal(alone->point[0].way, JBATCH_WAY_ALONE);
  for (int i = 0; i < 3 * b->noutput; i++) {
    // steps of 2 ms against a tolerance of 1e-10
    assert_near(b->output[i], alone->output[i], 1e-6 * (fabs(alone->output[i]) + 1.0));
  }
  jbatch_destroy(alone);
  jbatch_destroy(b);
  subject_close(&s);
}

// Rows of histories against those of a run, relative to the largest of the output. Returns how far they are apart.
static double compare_rows(const jbatch* b, int i, const jplant_result* r) {
  int n = b->opt.nhistory;
  double far = 0.0;
  assert_int_equal(r->nrow, b->nrow);
  for (int k = 0; k < n; k++) {
    double most = 0.0, apart = 0.0;
    for (int j = 0; j < b->nrow; j++) {
      const double* row = r->row + j * r->ncolumn;
      double one = row[1 + b->opt.history[k]];
      assert_true(row[0] == b->row_time[j]);
      most = fmax(most, fabs(one));
      apart = fmax(apart, fabs(b->history[(i * b->nrow + j) * n + k] - one));
    }
    assert_true(most > 0.0);
    far = fmax(far, apart / most);
  }
  return far;
}

static jplant_result* simulate_alone(subject* s, const jbatch* b, const double* x) {
  jplant_simulate_options opt = jplant_simulate_options_default();
  opt.method = (jo_method)s->opt.run.solve.method;
  opt.step = s->opt.run.solve.step;
  opt.output_step = s->opt.history_step;
  opt.p = subject_values(s, b, x);
  jplant_result* r = NULL;
  assert_ok(s->ctx, jplant_simulate(s->ctx, s->sens->plant, &opt, &r));
  return r;
}

static void expect_rows(subject* s, int n, double close) {
  double* x = subject_points(s, n);
  jbatch* b = subject_run(s, x, n);
  assert_all_went(b, JBATCH_WAY_LANES, JBATCH_FINE);
  for (int i = 0; i < n; i++) {
    jplant_result* r = simulate_alone(s, b, x + i * s->n);
    assert_true(compare_rows(b, i, r) <= close);
    jplant_result_destroy(r);
  }
  jbatch_destroy(b);
}

static void test_batch_histories_are_rows_of_a_run(void** state) {
  (void)state;
  subject s = open_car(), l = open_subject(LOOP, loop_numbers, 4, JKERNEL_INTERP);
  for (int outputs = 0; outputs < 2; outputs++) {
    s.opt.outputs = l.opt.outputs = outputs != 0;
    s.opt.gradient = l.opt.gradient = outputs != 0;
    // events are within 1e-13 s of each other
    expect_rows(&s, POINTS, 1e-11);
    expect_rows(&l, 3, 1e-11);
  }
  subject_close(&s);
  subject_close(&l);
}

static void test_batch_histories_with_adaptive_steps(void** state) {
  (void)state;
  subject s = open_car(), l = open_subject(LOOP, loop_numbers, 4, JKERNEL_INTERP);
  s.opt.run.solve.method = l.opt.run.solve.method = JSOLVE_DOPRI5;
  s.opt.gradient = l.opt.gradient = false;
  // both are within a few tolerances, 1e-8, of the motion
  expect_rows(&s, POINTS, 1e-7);
  expect_rows(&l, 3, 1e-7);
  subject_close(&s);
  subject_close(&l);
}

// Points that are run by themselves have the rows of that run, bit by bit.
static void test_batch_histories_of_points_alone(void** state) {
  (void)state;
  static const char* const name[] = {"loss"};
  subject s = open_subject("test/models/sens_reset.yaml", name, 1, JKERNEL_INTERP);
  s.opt.run.solve.method = JSOLVE_DOPRI5;
  double* x = subject_points(&s, 2);
  jbatch* b = subject_run(&s, x, 2);
  assert_non_null(b->why_alone);
  for (int i = 0; i < 2; i++) {
    jplant_result* r = simulate_alone(&s, b, x + i);
    assert_true(compare_rows(b, i, r) == 0.0);
    jplant_result_destroy(r);
  }
  jbatch_destroy(b);
  subject_close(&s);
}

static void test_batch_histories_have_bounds(void** state) {
  (void)state;
  subject s = open_car();
  jbatch* b = NULL;
  s.opt.number = s.number;
  s.opt.history_step = 0.0;
  assert_refused(s.ctx, jbatch_create(s.ctx, s.sens, &s.opt, &b), JO_ERR_ARGUMENT, "grid of times");
  s.opt.history_step = 1e-12;
  jo_context_clear(s.ctx);
  assert_refused(s.ctx, jbatch_create(s.ctx, s.sens, &s.opt, &b), JO_ERR_LIMIT, "max_memory");
  s.opt.history_step = 1e-3;
  jo_context_clear(s.ctx);
  assert_ok(s.ctx, jbatch_create(s.ctx, s.sens, &s.opt, &b));
  // refused before anything is read
  assert_refused(s.ctx, jbatch_run(b, 100000000, NULL), JO_ERR_LIMIT, "100000000 histories");
  jbatch_destroy(b);
  subject_close(&s);
}

// Differences of batches: events move, their number stays.
static void test_batch_derivatives_are_differences(void** state) {
  (void)state;
  subject s = open_car();
  double x[9 * 4], h[4];
  for (int k = 0; k < 4; k++) {
    double value = s.base->m->number[s.number[k]].value;
    h[k] = 1e-5 * value;
    for (int i = 0; i < 9; i++) {
      x[i * 4 + k] = value;
    }
    x[(1 + 2 * k) * 4 + k] += h[k];
    x[(2 + 2 * k) * 4 + k] -= h[k];
  }
  s.opt.run.solve.step = 5e-4;
  jbatch* b = subject_run(&s, x, 9);
  for (int k = 0; k < 4; k++) {
    const double *up = b->value + (1 + 2 * k) * b->nobjective,
                 *down = b->value + (2 + 2 * k) * b->nobjective;
    for (int o = 0; o < b->nobjective; o++) {
      double slope = (up[o] - down[o]) / (2.0 * h[k]);
      // a step that an event cuts moves with it: what is left is its error
      assert_near(b->gradient[o * b->nw + k], slope,
                  1e-4 * fabs(slope) + 1e-6 * fabs(b->value[o] / x[k]));
    }
  }
  jbatch_destroy(b);
  subject_close(&s);
}

// ---- what fails ------------------------------------------------------------------------------------

static void test_batch_failing_points_are_alone(void** state) {
  (void)state;
  static const char* const name[] = {"k", "rod"};
  subject s = open_subject(QUARTER_CAR, name, 2, JKERNEL_INTERP);
  double* x = subject_points(&s, POINTS);
  jbatch* good = subject_run(&s, x, POINTS);
  double* y = subject_points(&s, POINTS);
  y[2 * 2 + 1] = -1.0;  // not a number from the start
  y[5 * 2] = 1e12;      // fixed steps explode
  jbatch* bad = subject_run(&s, y, POINTS);
  for (int i = 0; i < POINTS; i++) {
    if (i != 2 && i != 5) {
      assert_same_point(good, i, bad, i);
      continue;
    }
    assert_true(bad->point[i].status < 0);
    assert_non_null(bad->point[i].message);
    assert_true(isnan(bad->value[i * bad->nobjective]));
    assert_true(isnan(bad->gradient[i * bad->nobjective * bad->nw]));
    assert_true(isnan(bad->history[i * bad->nrow * bad->opt.nhistory]));
  }
  jbatch_destroy(good);
  jbatch_destroy(bad);
  subject_close(&s);
}

static void test_batch_models_with_resets_run_alone(void** state) {
  (void)state;
  static const char* const name[] = {"loss"};
  subject s = open_subject("test/models/sens_reset.yaml", name, 1, JKERNEL_INTERP);
  s.opt.run = jsens_options_default(s.base->m);
  double* x = subject_points(&s, 3);
  jbatch* b = subject_run(&s, x, 3);
  assert_non_null(b->why_alone);
  for (int i = 0; i < 3; i++) {
    jsens_result* r = subject_run_alone(&s, b, x + i, JSENS_DIRECT);
    assert_int_equal(b->point[i].way, JBATCH_WAY_ALONE);
    assert_memory_equal(b->value + i * b->nobjective, r->value,
                        (size_t)b->nobjective * sizeof(double));
    jsens_result_destroy(r);
  }
  jbatch_destroy(b);
  subject_close(&s);
}

// Driven coordinates jump: the lane is left there, and the point is what a run by itself says.
static void test_batch_jumps_leave_their_lane(void** state) {
  (void)state;
  static const char* const name[] = {"k", "when"};
  subject s = open_subject("test/models/sens_drive.yaml", name, 2, JKERNEL_INTERP);
  s.opt.outputs = false;
  double* x = subject_points(&s, 3);
  jbatch* b = subject_run(&s, x, 3);
  assert_null(b->why_alone);
  for (int i = 0; i < 3; i++) {
    jsens_result* r = subject_run_alone(&s, b, x + i * s.n, JSENS_DIRECT);
    assert_int_equal(b->point[i].left, JBATCH_JUMPS);
    assert_memory_equal(b->value + i * b->nobjective, r->value,
                        (size_t)b->nobjective * sizeof(double));
    assert_memory_equal(b->gradient + i * b->nobjective * b->nw, r->gradient,
                        (size_t)(b->nobjective * b->nw) * sizeof(double));
    jsens_result_destroy(r);
  }
  jbatch_destroy(b);
  subject_close(&s);
}

// A jump of size zero: nothing jumps, but the derivative with respect to its size is that of the impulse.
static void leaves_lanes_of_zero_jumps(bool is_adjoint) {
  static const char* const name[] = {"kick"};
  static const double x[] = {0.0, 0.2};
  jsens_setup setup = {.direct = true, .adjoint = is_adjoint, .kernel = jkernel_options_default()};
  setup.kernel.backend = JKERNEL_INTERP;
  subject s = subject_open("test/models/sens_drive.yaml", name, 1, false, setup);
  s.opt.adjoint = is_adjoint;
  jbatch* b = subject_run(&s, x, 2);
  for (int i = 0; i < 2; i++) {
    jsens_result* r = subject_run_alone(&s, b, x + i, is_adjoint ? JSENS_ADJOINT : JSENS_DIRECT);
    assert_int_equal(b->point[i].left, JBATCH_JUMPS);
    assert_memory_equal(b->gradient + i * b->nobjective * b->nw, r->gradient,
                        (size_t)(b->nobjective * b->nw) * sizeof(double));
    jsens_result_destroy(r);
  }
  jbatch_destroy(b);
  s.opt.gradient = false;
  b = subject_run(&s, x, 2);
  assert_int_equal(b->point[0].left, JBATCH_FINE);
  assert_int_equal(b->point[1].left, JBATCH_JUMPS);
  jbatch_destroy(b);
  subject_close(&s);
}

static void test_batch_jumps_of_size_zero_leave_their_lane(void** state) {
  (void)state;
  leaves_lanes_of_zero_jumps(false);
  leaves_lanes_of_zero_jumps(true);
}

// Derivatives of the point with its error estimates, as `sens` computes them.
static void expect_sens(subject* s, const jbatch* b, const double* x, int i) {
  jsens_options opt = b->opt.run;
  double p[8];
  const jgen_dynamics* d = s->sens->plant->dynamics;
  assert_true(d->np <= 8);
  memcpy(p, d->p, (size_t)d->np * sizeof *p);
  for (int k = 0; k < s->n; k++)
    p[b->slot[k]] = x[i * s->n + k];
  opt.p = p;
  opt.estimate = true;
  jsens_result* r = NULL;
  assert_int_equal(jsens_run(s->ctx, s->sens, JSENS_DIRECT, &opt, &r), JO_OK);
  for (int k = 0; k < b->nobjective * b->nw; k++) {
    double found = b->gradient[i * b->nobjective * b->nw + k];
    assert_true(fabs(found - r->gradient[k]) <= 1e-3 * fabs(r->gradient[k]));
  }
  jsens_result_destroy(r);
}

// Where the motion rests, its steps are too long for the derivatives: in lanes their errors take part in the control, and
// points by themselves are repeated.
static void test_batch_derivatives_at_rest(void** state) {
  (void)state;
  static const char* const rest[] = {"k", "c"};
  static const char* const jump[] = {"p"};
  static const double at_rest[] = {8.0e5, 4.0e4, 9.0e5, 4.0e4}, at_jump[] = {0.0, 0.05};
  jsens_setup setup = {.direct = true, .kernel = jkernel_options_default()};
  setup.kernel.backend = JKERNEL_INTERP;
  subject s = subject_open("test/models/batch_rest.yaml", rest, 2, false, setup);
  s.opt.run.solve.method = JSOLVE_DOPRI5;
  jbatch* b = subject_run(&s, at_rest, 2);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(b->point[i].way, JBATCH_WAY_LANES);
    expect_sens(&s, b, at_rest, i);
  }
  jbatch_destroy(b);
  subject_close(&s);
  s = subject_open("test/models/batch_zero_jump.yaml", jump, 1, false, setup);
  s.opt.run.solve.method = JSOLVE_AUTO;
  b = subject_run(&s, at_jump, 2);
  for (int i = 0; i < 2; i++)
    expect_sens(&s, b, at_jump, i);
  jbatch_destroy(b);
  subject_close(&s);
}

static void test_batch_refuses(void** state) {
  (void)state;
  subject s = open_car();
  jbatch* b = NULL;
  s.opt.number = s.number;
  s.opt.lanes = 3;
  assert_refused(s.ctx, jbatch_create(s.ctx, s.sens, &s.opt, &b), JO_ERR_ARGUMENT, "3 lanes");
  assert_null(b);
  subject_close(&s);
}

static bool stop_at_once(void* user, int done) {
  (void)user, (void)done;
  return false;
}

// Many points: it is asked several times per second.
static void test_batch_stops(void** state) {
  (void)state;
  enum { MANY = 3000 };
  subject s = open_car();
  s.opt.progress = stop_at_once;
  s.opt.lanes = 1;
  double* x = subject_points(&s, MANY);
  jbatch* b = subject_run(&s, x, MANY);
  assert_int_equal(b->point[0].way, JBATCH_WAY_LANES);
  assert_int_equal(b->point[MANY - 1].way, JBATCH_WAY_NONE);
  assert_true(isnan(b->value[(MANY - 1) * b->nobjective]));
  jbatch_destroy(b);
  subject_close(&s);
}

static void test_batch_checks_both_ends_and_what_is_between(void** state) {
  (void)state;
  static const int size[] = {1, 2, 8, 9, 100, 2048, 5000, 100000, 100000000};
  for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
    int n = size[k], found = 0, last = 0, most = 0, step = n > 100000 ? n - 1 : 1;
    for (int i = 0; i < n; i += step) {
      if (!jbatch_is_checked(n, i)) continue;
      most = i - last > most ? i - last : most;
      last = i;
      found++;
    }
    assert_int_equal(last, n - 1);
    if (step > 1) continue;
    assert_in_range(found, n < 8 ? n : 8, JBATCH_CHECK_MOST);
    if (found > 1) assert_true(most <= (n - 1) / (found - 1) + 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_batch_checks_both_ends_and_what_is_between),
      cmocka_unit_test(test_batch_point_is_itself),
      cmocka_unit_test(test_batch_point_is_itself_with_adaptive_steps),
      cmocka_unit_test(test_batch_point_is_itself_in_loops),
      cmocka_unit_test(test_batch_compiled_is_interpreted),
      cmocka_unit_test(test_batch_runs_fixed_steps),
      cmocka_unit_test(test_batch_runs_loops),
      cmocka_unit_test(test_batch_runs_adaptive_steps),
      cmocka_unit_test(test_batch_outputs_are_those_of_a_run),
      cmocka_unit_test(test_batch_histories_are_rows_of_a_run),
      cmocka_unit_test(test_batch_histories_with_adaptive_steps),
      cmocka_unit_test(test_batch_histories_of_points_alone),
      cmocka_unit_test(test_batch_histories_have_bounds),
      cmocka_unit_test(test_batch_derivatives_are_differences),
      cmocka_unit_test(test_batch_failing_points_are_alone),
      cmocka_unit_test(test_batch_models_with_resets_run_alone),
      cmocka_unit_test(test_batch_jumps_leave_their_lane),
      cmocka_unit_test(test_batch_jumps_of_size_zero_leave_their_lane),
      cmocka_unit_test(test_batch_derivatives_at_rest),
      cmocka_unit_test(test_batch_refuses),
      cmocka_unit_test(test_batch_stops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
