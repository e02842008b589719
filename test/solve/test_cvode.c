// SPDX-License-Identifier: Apache-2.0
// CVODE behind the common driver: stiff and smooth problems, projection, events, errors.
#include "solve/stiff/cvode.h"

#include "solve/problems.h"

#ifdef JOUNCE_WITH_CVODE

static const jsolve_method methods[] = {JSOLVE_ADAMS, JSOLVE_BDF};

// Van der Pol with mu = 1000, in its own time scale.
static void vdp_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  (void)t;
  f[0] = y[1];
  f[1] = 1000 * (1 - y[0] * y[0]) * y[1] - y[0];
}

static void vdp_jacobian(void* user, double t, const double* y, double* J) {
  (void)user;
  (void)t;
  J[0] = 0;
  J[1] = -2000 * y[0] * y[1] - 1;
  J[2] = 1;
  J[3] = 1000 * (1 - y[0] * y[0]);
}

static void test_cvode_stiff_van_der_pol(void** state) {
  // y(2000) of the test set for initial value problem solvers (Mazzia and Magherini), y(0) = (2, 0)
  double reference[2] = {1.7061677321, -0.8928097010e-3};
  int64_t jacobians[2];
  for (int i = 0; i < 2; i++) {
    jsolve_system s = {.n = 2, .rhs = vdp_rhs, .jacobian = i ? vdp_jacobian : NULL};
    jsolve_options o = adaptive(JSOLVE_BDF, 1e-10);
    jsolve_statistics stats;
    double y[2] = {2, 0};
    assert_ok(context(state),
              jsolve_integrate(context(state), &s, &o, NULL, 0, 2000, y, NULL, &stats));
    assert_near(y[0], reference[0], 1e-6);
    assert_near(y[1], reference[1], 1e-9);
    // an explicit method needs millions
    assert_true(stats.steps < 20000);
    jacobians[i] = stats.jacobians;
  }
  assert_true(jacobians[0] > 0 && jacobians[1] > 0);
}

static void test_cvode_adams_agrees_with_dopri5(void** state) {
  jsolve_system s = pendulum_system();
  s.project = NULL;
  double y[2][4] = {{1, 0, 0, 0}, {1, 0, 0, 0}};
  jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-11);
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 5, y[0], NULL, NULL));
  o.method = JSOLVE_ADAMS;
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 5, y[1], NULL, NULL));
  for (int i = 0; i < 4; i++)
    assert_near(y[0][i], y[1][i], 1e-7);
}

typedef struct gap {
  double t, circle, worst;
} gap;

static jo_status watch_circle(void* user, const jsolve_step* s) {
  gap* g = user;
  double y[4];
  assert_true(s->t0 == g->t && s->t1 > s->t0);
  g->t = s->t1;
  g->circle = fmax(g->circle, fabs(hypot(s->y1[0], s->y1[1]) - 1));
  jsolve_interpolate(s, 0.5 * (s->t0 + s->t1), y);
  g->worst = fmax(g->worst, fabs(pendulum_energy(y)));
  return JO_OK;
}

static void test_cvode_projection_holds_invariants(void** state) {
  for (int i = 0; i < 2; i++) {
    jsolve_system s = pendulum_system();
    gap g = {0};
    jsolve_observer obs = {.user = &g, .step = watch_circle};
    jsolve_options o = adaptive(methods[i], 1e-9);
    jsolve_statistics stats;
    double y[4] = {1, 0, 0, 0};
    assert_ok(context(state),
              jsolve_integrate(context(state), &s, &o, &obs, 0, 10, y, NULL, &stats));
    assert_near(g.t, 10, 0);
    assert_near(g.circle, 0, 1e-15);
    assert_near(g.worst, 0, 1e-4);
    assert_near(pendulum_energy(y), 0, 1e-5);
    assert_true(stats.steps < 20000);
  }
}

static void test_cvode_bouncing_ball(void** state) {
  for (int i = 0; i < 2; i++) {
    ball b = {0.8, {1}};
    jsolve_system s = ball_system(&b);
    event_log log = {.nstate = 2};
    jsolve_observer obs = {.user = &log, .event = log_event};
    jsolve_options o = adaptive(methods[i], 1e-11);
    o.max_step = 0.5;
    double y[2] = {5, 0};
    assert_ok(context(state), jsolve_integrate(context(state), &s, &o, &obs, 0, 6, y, NULL, NULL));
    double t = 1, v = 10;
    int touches = 0;
    for (int k = 0; k < log.n; k++) {
      if (log.event[k].rising) continue;
      // local errors add up over the bounces
      assert_near(log.event[k].t, t, 1e-7);
      v *= 0.8;
      t += 2 * v / 10;
      touches++;
    }
    assert_int_equal(touches, 5);
    assert_int_equal(log.n, 10);
  }
}

static void decay_rhs(void* user, double t, const double* y, double* f) {
  const double* mode = user;
  (void)t;
  f[0] = mode[0] > 0.5 ? -y[0] : 0;
}

static void stop_switch(void* user, double t, const double* y, double* g) {
  (void)user;
  (void)y;
  g[0] = 1.25 - t;
}

static void test_cvode_time_switch_is_exact(void** state) {
  for (int i = 0; i < 2; i++) {
    double mode[1] = {1}, y[1] = {1};
    jsolve_system s = {.n = 1,
                       .user = mode,
                       .rhs = decay_rhs,
                       .nswitch = 1,
                       .switches = stop_switch,
                       .mode = mode};
    event_log log = {.nstate = 1};
    jsolve_observer obs = {.user = &log, .event = log_event};
    jsolve_options o = adaptive(methods[i], 1e-10);
    assert_ok(context(state), jsolve_integrate(context(state), &s, &o, &obs, 0, 2, y, NULL, NULL));
    assert_int_equal(log.n, 1);
    assert_near(log.event[0].t, 1.25, 1e-15);
    assert_near(y[0], exp(-1.25), 1e-8);
  }
}

static void test_cvode_runs_repeat_to_the_bit(void** state) {
  for (int m = 0; m < 2; m++) {
    double y[2][2];
    for (int i = 0; i < 2; i++) {
      jsolve_system s = rational_system();
      jsolve_options o = adaptive(methods[m], 1e-8);
      memcpy(y[i], (double[2]){1, 1}, sizeof y[i]);
      assert_ok(context(state),
                jsolve_integrate(context(state), &s, &o, NULL, 0, 2, y[i], NULL, NULL));
      assert_near(y[i][0], rational(2), 1e-6);
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
  }
}

static void root_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  (void)y;
  f[0] = 1;
  f[1] = sqrt(1 - t);
}

static void test_cvode_not_finite_is_named(void** state) {
  for (int i = 0; i < 2; i++) {
    jo_context* ctx = context(state);
    jsolve_system s = {.n = 2, .rhs = root_rhs};
    jsolve_options o = adaptive(methods[i], 1e-6);
    double y[2] = {0, 0}, t;
    assert_int_equal(jsolve_integrate(ctx, &s, &o, NULL, 0, 2, y, &t, NULL), JO_ERR_NUMERIC);
    assert_non_null(strstr(jo_context_message(ctx), "state 1 "));
    assert_true(t <= 1);
    assert_near(y[0], t, 1e-6);
    jo_context_clear(ctx);
  }
}

static void explode_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  (void)t;
  f[0] = y[0] * y[0];
}

static void test_cvode_failure_tells_where_and_why(void** state) {
  jo_context* ctx = context(state);
  jsolve_system s = {.n = 1, .rhs = explode_rhs};
  jsolve_options o = adaptive(JSOLVE_ADAMS, 1e-6);
  o.max_steps = 100000;
  double y[1] = {1}, t;
  assert_true(jsolve_integrate(ctx, &s, &o, NULL, 0, 2, y, &t, NULL) < 0);
  assert_near(t, 1, 1e-3);
  assert_non_null(strstr(jo_context_message(ctx), "t = "));
}

static void test_cvode_leaves_the_context_memory_alone(void** state) {
  fixture* x = *state;
  long calls[2];
  for (int i = 0; i < 2; i++) {
    jsolve_system s = pendulum_system();
    jsolve_options o = adaptive(JSOLVE_BDF, 1e-6);
    double y[4] = {1, 0, 0, 0};
    long before = x->memory.calls;
    assert_ok(x->ctx, jsolve_integrate(x->ctx, &s, &o, NULL, 0, i ? 5 : 0.1, y, NULL, NULL));
    calls[i] = x->memory.calls - before;
  }
  assert_int_equal(calls[0], calls[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_cvode_stiff_van_der_pol),
      fixture_test(test_cvode_adams_agrees_with_dopri5),
      fixture_test(test_cvode_projection_holds_invariants),
      fixture_test(test_cvode_bouncing_ball),
      fixture_test(test_cvode_time_switch_is_exact),
      fixture_test(test_cvode_runs_repeat_to_the_bit),
      fixture_test(test_cvode_not_finite_is_named),
      fixture_test(test_cvode_failure_tells_where_and_why),
      fixture_test(test_cvode_leaves_the_context_memory_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void test_cvode_missing_is_said(void** state) {
  jo_context* ctx = context(state);
  jsolve_system s = rational_system();
  jsolve_options o = adaptive(JSOLVE_BDF, 1e-6);
  double y[2] = {1, 1};
  assert_int_equal(jsolve_integrate(ctx, &s, &o, NULL, 0, 1, y, NULL, NULL), JO_ERR_ARGUMENT);
  assert_non_null(strstr(jo_context_message(ctx), "bdf needs SUNDIALS"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_cvode_missing_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
