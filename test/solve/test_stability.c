// SPDX-License-Identifier: Apache-2.0
// Fixed steps beyond the stability of their method are found, with the eigenvalue; others are left alone.
#include "solve/stability.h"

#include "solve/problems.h"
#include "solve/tableau.h"

// q' = v, v' = -w^2 q - 2 d w v
typedef struct spring {
  double w, d;
} spring;

static void spring_rhs(void* user, double t, const double* y, double* f) {
  const spring* s = user;
  (void)t;
  f[0] = y[1];
  f[1] = -s->w * s->w * y[0] - 2 * s->d * s->w * y[1];
}

static jsolve_system spring_system(spring* s) {
  return (jsolve_system){.n = 2, .user = s, .rhs = spring_rhs, .has_parts = true, .nq = 1, .nw = 1};
}

static void test_stability_polynomials_are_those_of_the_methods(void** state) {
  (void)state;
  jsolve_stability s = jsolve_stability_of(jsolve_tableau_find(JSOLVE_RK4));
  // borders on the real and the imaginary axis (Hairer and Wanner 1996, IV.2)
  assert_near(jsolve_amplification(&s, 2.785293563, 0), 1, 1e-8);
  assert_near(jsolve_amplification(&s, 0, sqrt(8)), 1, 1e-14);
  assert_near(jsolve_amplification(&s, 0.3, 0.4), exp(-0.3), 1e-3);
  s = jsolve_stability_of(jsolve_tableau_find(JSOLVE_RK3));
  assert_near(jsolve_amplification(&s, 0, sqrt(3)), 1, 1e-14);
  s = jsolve_stability_of(jsolve_tableau_find(JSOLVE_RK2));
  assert_near(jsolve_amplification(&s, 2, 0), 1, 1e-14);
}

static void test_stability_steps_that_are_too_long_are_rejected(void** state) {
  static const jsolve_method method[] = {JSOLVE_RK2, JSOLVE_RK3, JSOLVE_RK4, JSOLVE_IMEX3};
  static const double w[] = {1e-2, 1, 30, 1e4}, damping[] = {0, 0.1, 1, 5};
  for (int i = 0; i < 4 * 16; i++) {
    jo_context* ctx = context(state);
    spring p = {w[i / 4 % 4], damping[i / 16]};
    jsolve_system s = spring_system(&p);
    // the largest eigenvalue, and steps for which it is 5
    double lambda = p.w * (p.d > 1 ? p.d + sqrt(p.d * p.d - 1) : 1), y[2] = {0.1, 0};
    jsolve_options o = fixed(method[i % 4], 5 / lambda);
    o.is_whole = true;
    jo_status status = jsolve_integrate(ctx, &s, &o, NULL, 0, 100 * o.step, y, NULL, NULL);
    assert_int_equal(status, JO_ERR_CONVERGENCE);
    assert_non_null(strstr(jo_context_message(ctx), "is unstable at t = "));
    jo_context_clear(ctx);
    // steps that resolve it are taken
    double left[2] = {0.1, 0};
    o.step *= 0.05;
    assert_ok(ctx, jsolve_integrate(ctx, &s, &o, NULL, 0, 100 * o.step, left, NULL, NULL));
  }
}

static void test_stability_counts_go_on_in_the_next_part(void** state) {
  // a motion that is driven from outside, one or two steps at a time
  for (int n = 1; n <= 2; n++) {
    jo_context* ctx = context(state);
    spring p = {30, 0};
    jsolve_growth growth = {0, 0};
    jsolve_system s = spring_system(&p);
    jsolve_options o = fixed(JSOLVE_RK4, 0.15);
    o.growth = &growth;
    double t = 0, y[2] = {0.1, 0};
    jo_status status = JO_OK;
    for (int i = 0; i < 50 && status >= 0; i++)
      status = jsolve_integrate(ctx, &s, &o, NULL, t, t + n * o.step, y, &t, NULL);
    assert_int_equal(status, JO_ERR_CONVERGENCE);
    assert_non_null(strstr(jo_context_message(ctx), "is unstable at t = "));
    jo_context_clear(ctx);
    // a state that is set begins anew, steps that resolve it keep nothing
    growth = (jsolve_growth){0, 0};
    o.step = 0.01;
    t = 0, y[0] = 0.1, y[1] = 0;
    for (int i = 0; i < 50; i++)
      assert_ok(ctx, jsolve_integrate(ctx, &s, &o, NULL, t, t + n * o.step, y, &t, NULL));
    assert_int_equal(growth.nstep, 0);
  }
}

static void test_stability_runs_of_one_step_are_judged(void** state) {
  jo_context* ctx = context(state);
  spring p = {30, 0};
  jsolve_system s = spring_system(&p);
  jsolve_options o = fixed(JSOLVE_RK4, 1);
  for (int whole = 0; whole < 2; whole++) {
    double y[2] = {0.1, 0};
    o.is_whole = whole;
    jo_status status = jsolve_integrate(ctx, &s, &o, NULL, 0, 1, y, NULL, NULL);
    assert_int_equal(status, whole ? JO_ERR_CONVERGENCE : JO_OK);
  }
  assert_non_null(strstr(jo_context_message(ctx), "|h lambda| is about 30, "));
}

// |da| / |dq| of a damped motion is far above w^2 in some of its phases, and half of that is no reason to stop.
static void test_stability_damped_motions_are_taken(void** state) {
  static const double damping[] = {0.2, 0.5, 1}, size[] = {1, 1.5, 2};
  for (int i = 0; i < 9; i++) {
    spring p = {50, damping[i / 3]};
    jsolve_system s = spring_system(&p);
    jsolve_options o = fixed(JSOLVE_RK4, size[i % 3] / p.w);
    double y[2] = {0.1, 0};
    assert_ok(context(state),
              jsolve_integrate(context(state), &s, &o, NULL, 0, 100 * o.step, y, NULL, NULL));
  }
}

// Stiff and at rest but for rounding: nothing moves that could grow.
static void test_stability_rest_says_nothing(void** state) {
  spring p = {1e5, 0.5};
  jsolve_system s = spring_system(&p);
  jsolve_options o = fixed(JSOLVE_RK4, 1);
  double y[2] = {0, 0};
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 100, y, NULL, NULL));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_stability_polynomials_are_those_of_the_methods),
      fixture_test(test_stability_steps_that_are_too_long_are_rejected),
      fixture_test(test_stability_counts_go_on_in_the_next_part),
      fixture_test(test_stability_runs_of_one_step_are_judged),
      fixture_test(test_stability_damped_motions_are_taken),
      fixture_test(test_stability_rest_says_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
