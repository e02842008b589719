// SPDX-License-Identifier: Apache-2.0
// Errors of single steps that make or take much of a motion are found, though all runs with such steps agree; what the equations
// themselves damp or make grow is left alone.
#include "solve/drift.h"

#include "solve/problems.h"

// q'' = -w^2 q - 2 d w q', y = [q | v]; and z' = c z
typedef struct motion {
  double w, d, c;
} motion;

static void motion_rhs(void* user, double t, const double* y, double* f) {
  const motion* m = user;
  (void)t;
  f[0] = y[1];
  f[1] = -m->w * m->w * y[0] - 2 * m->d * m->w * y[1];
  f[2] = m->c * y[2];
}

static void motion_jacobian(void* user, double t, const double* y, double* J) {
  const motion* m = user;
  (void)t;
  (void)y;
  for (int i = 0; i < 9; i++)
    J[i] = 0;
  J[3] = 1;
  J[1] = -m->w * m->w;
  J[4] = -2 * m->d * m->w;
  J[8] = m->c;
}

static jsolve_system motion_system(motion* m) {
  return (jsolve_system){.n = 3,
                         .user = m,
                         .rhs = motion_rhs,
                         .jacobian = motion_jacobian,
                         .has_parts = true,
                         .nq = 1,
                         .nw = 2};
}

static jsolve_statistics run(void** state, motion m, jsolve_options o, double end, double* y) {
  jo_context* ctx = context(state);
  jsolve_system s = motion_system(&m);
  jsolve_statistics stats;
  o.is_whole = true;
  assert_ok(ctx, jsolve_integrate(ctx, &s, &o, NULL, 0, end, y, NULL, &stats));
  return stats;
}

// An undamped oscillation whose fixed steps leave nothing of it: the sum is about half the range, or more.
static void test_drift_motions_that_fixed_steps_damp_are_found(void** state) {
  static const struct {
    jsolve_method method;
    double step;
  } of[] = {{JSOLVE_RK4, 0.08}, {JSOLVE_RK4, 0.055},  {JSOLVE_RK3, 0.03},
            {JSOLVE_RK3, 0.05}, {JSOLVE_IMEX3, 0.05}, {JSOLVE_RK4, 0.03}};
  for (int i = 0; i < 6; i++) {
    double y[3] = {0.1, 0, 0};
    jsolve_statistics stats =
        run(state, (motion){30, 0, 0}, fixed(of[i].method, of[i].step), 100, y);
    assert_true(fabs(y[0]) < 0.05);
    assert_true(stats.drift > 0.2);
    assert_true(stats.drifting == 1 || stats.drifting == 2);
  }
}

// The same by tolerances, where it is damped and where it is made.
static void test_drift_motions_that_tolerances_damp_or_make_are_found(void** state) {
  static const struct {
    jsolve_method method;
    double tolerance;
  } of[] = {{JSOLVE_AUTO, 1e-2}, {JSOLVE_IMEX4, 1e-3}, {JSOLVE_ESDIRK5, 1e-2}};
  for (int i = 0; i < 3; i++) {
    double y[3] = {0.1, 0, 0};
    jsolve_options o = adaptive(of[i].method, of[i].tolerance);
    jsolve_statistics stats = run(state, (motion){30, 0, 0}, o, 1000, y);
    assert_true(stats.drift > 0.3);
    if (i == 0) assert_true(stats.size[0] > 1e6 && stats.size[1] > 1e6);
  }
}

// Steps that follow the motion leave little; so do lags, strong damping and growth that are the equations' own.
static void test_drift_what_equations_do_does_not_count(void** state) {
  static const motion of[] = {{1, 0, 0}, {30, 0.2, 0}, {1, 0, -3}, {1, 0, 1}, {1, -0.1, 0}};
  for (int i = 0; i < 5; i++) {
    double y[3] = {0.1, 0, i > 1}, z[3] = {0.1, 0, i > 1};
    jsolve_options o = fixed(JSOLVE_RK4, i == 1 ? 0.005 : 0.05);
    assert_true(run(state, of[i], o, 50, y).drift < 0.02);
    assert_true(run(state, of[i], adaptive(JSOLVE_AUTO, 1e-6), 50, z).drift < 0.02);
  }
}

// Runs that are made in parts have no time for it.
static void test_drift_is_not_looked_for_in_parts(void** state) {
  jo_context* ctx = context(state);
  motion m = {30, 0, 0};
  jsolve_system s = motion_system(&m);
  jsolve_options o = fixed(JSOLVE_RK4, 0.03);
  double y[3] = {0.1, 0, 0};
  jsolve_statistics stats;
  assert_ok(ctx, jsolve_integrate(ctx, &s, &o, NULL, 0, 10, y, NULL, &stats));
  assert_int_equal(stats.evaluations, 4 * stats.steps + 1);
  assert_true(stats.drift == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_drift_motions_that_fixed_steps_damp_are_found),
      fixture_test(test_drift_motions_that_tolerances_damp_or_make_are_found),
      fixture_test(test_drift_what_equations_do_does_not_count),
      fixture_test(test_drift_is_not_looked_for_in_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
