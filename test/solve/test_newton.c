// SPDX-License-Identifier: Apache-2.0
// Newton converges quadratically, copes with redundant equations and undetermined unknowns, and says
// when there is no solution.
#include "solve/algebra/newton.h"

#include "solve/problems.h"

static const jsolve_newton_options tight = {.tolerance = 1e-13, .max_iterations = 50};

// Two circles and, as a redundant third, the line through their crossings.
static void circles(void* user, const double* x, double* r, double* J) {
  (void)user;
  r[0] = x[0] * x[0] + x[1] * x[1] - 4;
  r[1] = (x[0] - 1) * (x[0] - 1) + x[1] * x[1] - 4;
  r[2] = 2 * x[0] - 1;
  if (!J) return;
  double rows[3][2] = {{2 * x[0], 2 * x[1]}, {2 * (x[0] - 1), 2 * x[1]}, {2, 0}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 2; j++)
      J[i + 3 * j] = rows[i][j];
  }
}

static void test_newton_redundant_consistent_equations(void** state) {
  jsolve_residual f = {.nx = 2, .nr = 3, .eval = circles};
  jsolve_newton_result res;
  double x[2] = {3, 5};
  assert_ok(context(state), jsolve_newton(context(state), &f, &tight, x, &res));
  assert_near(x[0], 0.5, 1e-13);
  assert_near(x[1], sqrt(3.75), 1e-13);
  assert_int_equal(res.rank, 2);
  assert_true(res.residual <= 1e-13);
}

// One equation, three unknowns: |x|^2 = 1.
static void sphere(void* user, const double* x, double* r, double* J) {
  (void)user;
  r[0] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] - 1;
  for (int j = 0; J && j < 3; j++)
    J[j] = 2 * x[j];
}

static void test_newton_minimum_norm_steps(void** state) {
  // steps along the gradient only: the direction from the origin is kept
  jsolve_residual f = {.nx = 3, .nr = 1, .eval = sphere};
  jsolve_newton_result res;
  double x[3] = {0.2, 0.4, -0.4};
  assert_ok(context(state), jsolve_newton(context(state), &f, &tight, x, &res));
  assert_near(x[0], 1.0 / 3, 1e-12);
  assert_near(x[1], 2.0 / 3, 1e-12);
  assert_near(x[2], -2.0 / 3, 1e-12);
  assert_int_equal(res.rank, 1);
}

// Rank-deficient and overdetermined: x0 x1 = 2 three times over, with factors; x2 free.
static void repeated(void* user, const double* x, double* r, double* J) {
  (void)user;
  for (int i = 0; i < 3; i++) {
    r[i] = (i + 1) * (x[0] * x[1] - 2);
    if (!J) continue;
    J[i] = (i + 1) * x[1];
    J[i + 3] = (i + 1) * x[0];
    J[i + 6] = 0;
  }
}

static void test_newton_rank_deficient_system(void** state) {
  jsolve_residual f = {.nx = 3, .nr = 3, .eval = repeated};
  jsolve_newton_result res;
  double x[3] = {1, 1, 7};
  assert_ok(context(state), jsolve_newton(context(state), &f, &tight, x, &res));
  assert_near(x[0] * x[1], 2, 1e-13);
  assert_near(x[0], x[1], 1e-12);
  assert_near(x[2], 7, 0);
  assert_int_equal(res.rank, 1);
}

typedef struct trace {
  int n;
  double r[64];
} trace;

static void cosine(void* user, const double* x, double* r, double* J) {
  trace* t = user;
  r[0] = cos(x[0]) - x[0];
  if (!J) return;
  J[0] = -sin(x[0]) - 1;
  if (t->n < 64) t->r[t->n++] = fabs(r[0]);
}

static void test_newton_converges_quadratically(void** state) {
  trace t = {0};
  jsolve_residual f = {.nx = 1, .nr = 1, .user = &t, .eval = cosine};
  double x[1] = {1};
  assert_ok(context(state), jsolve_newton(context(state), &f, &tight, x, NULL));
  assert_near(x[0], 0.73908513321516064, 1e-15);
  assert_true(t.n >= 3);
  // |r_next| <= C |r|^2 until rounding
  for (int i = 0; i + 1 < t.n; i++) {
    assert_true(t.r[i + 1] <= t.r[i] * t.r[i] + 1e-15);
  }
}

static void test_newton_leaves_nothing_that_depends_on_the_start(void** state) {
  // one more iteration than the tolerance asks for: what is left would have slopes of its own
  static const jsolve_newton_options loose = {.tolerance = 1e-4, .max_iterations = 50};
  for (double start = 0.5; start < 1.5; start += 0.125) {
    trace t = {0};
    jsolve_residual f = {.nx = 1, .nr = 1, .user = &t, .eval = cosine};
    jsolve_newton_result res;
    double x[1] = {start};
    assert_ok(context(state), jsolve_newton(context(state), &f, &loose, x, &res));
    assert_true(res.residual <= 1e-8);
  }
}

static void steep(void* user, const double* x, double* r, double* J) {
  (void)user;
  r[0] = atan(x[0]);
  if (J) J[0] = 1 / (1 + x[0] * x[0]);
}

static void test_newton_damping_reaches_far_solutions(void** state) {
  // undamped Newton diverges from |x| > 1.39
  jsolve_residual f = {.nx = 1, .nr = 1, .eval = steep};
  double x[1] = {30};
  assert_ok(context(state), jsolve_newton(context(state), &f, &tight, x, NULL));
  assert_near(x[0], 0, 1e-12);
}

static void test_newton_scale_limits_steps(void** state) {
  // sin-like: from 1.4 a full Newton step of atan goes to the other side; small scale keeps it close
  double scale[1] = {0.1};
  jsolve_newton_options one = {.tolerance = 1e-13, .max_iterations = 1};
  jsolve_residual f = {.nx = 1, .nr = 1, .eval = steep, .x_scale = scale};
  double x[1] = {1.3};
  assert_int_equal(jsolve_newton(context(state), &f, &one, x, NULL), JO_ERR_CONVERGENCE);
  assert_near(x[0], 1.2, 1e-12);
}

static void parallel(void* user, const double* x, double* r, double* J) {
  (void)user;
  r[0] = x[0] + x[1];
  r[1] = x[0] + x[1] - 3;
  for (int i = 0; J && i < 4; i++)
    J[i] = 1;
}

static void test_newton_inconsistent_equations_end_at_the_best(void** state) {
  jsolve_residual f = {.nx = 2, .nr = 2, .eval = parallel};
  jsolve_newton_result res;
  double x[2] = {9, 0};
  assert_int_equal(jsolve_newton(context(state), &f, &tight, x, &res), JO_ERR_CONVERGENCE);
  assert_near(x[0] + x[1], 1.5, 1e-9);
  assert_near(res.residual, 1.5, 1e-9);
  assert_int_equal(res.rank, 1);
  // the caller reports
  assert_string_equal(jo_context_message(context(state)), "");
}

static void broken(void* user, const double* x, double* r, double* J) {
  (void)user;
  (void)x;
  r[0] = NAN;
  if (J) J[0] = 1;
}

static void test_newton_not_finite_start_is_a_status(void** state) {
  jsolve_residual f = {.nx = 1, .nr = 1, .eval = broken};
  double x[1] = {1};
  assert_int_equal(jsolve_newton(context(state), &f, &tight, x, NULL), JO_ERR_NUMERIC);
}

static void test_newton_out_of_memory_is_a_status(void** state) {
  (void)state;
  for (long n = 1;; n++) {
    failing_alloc a;
    failing_alloc_init(&a, n);
    jo_context* ctx = NULL;
    assert_int_equal(jo_context_create(&a.allocator, &ctx), JO_OK);
    jsolve_residual f = {.nx = 2, .nr = 3, .eval = circles};
    double x[2] = {3, 5};
    jo_status status = jsolve_newton(ctx, &f, &tight, x, NULL);
    assert_int_equal(jo_context_diagnostic_count(ctx), 0);  // whoever gives up tells
    jo_context_destroy(ctx);
    assert_int_equal(a.live_blocks, 0);
    if (status >= 0) break;
    assert_int_equal(status, JO_ERR_MEMORY);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_newton_redundant_consistent_equations),
      fixture_test(test_newton_minimum_norm_steps),
      fixture_test(test_newton_rank_deficient_system),
      fixture_test(test_newton_converges_quadratically),
      fixture_test(test_newton_leaves_nothing_that_depends_on_the_start),
      fixture_test(test_newton_damping_reaches_far_solutions),
      fixture_test(test_newton_scale_limits_steps),
      fixture_test(test_newton_inconsistent_equations_end_at_the_best),
      fixture_test(test_newton_not_finite_start_is_a_status),
      fixture_test(test_newton_out_of_memory_is_a_status),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
