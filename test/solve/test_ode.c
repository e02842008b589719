// SPDX-License-Identifier: Apache-2.0
// Steppers converge with their order, hold invariants, repeat to the bit, and say what stops them.
#include "solve/ode.h"

#include "solve/problems.h"
#include "solve/tableau.h"

static double error_at_end(jo_context* ctx, const jsolve_options* o) {
  jsolve_system s = rational_system();
  double y[2] = {1, 1};
  assert_ok(ctx, jsolve_integrate(ctx, &s, o, NULL, 0, 2, y, NULL, NULL));
  return fmax(fabs(y[0] - rational(2)), fabs(y[1] - rational(2) * rational(2)));
}

static void test_ode_tableaux_satisfy_their_sums(void** state) {
  (void)state;
  for (int m = JSOLVE_RK2; m <= JSOLVE_DOPRI5; m++) {
    const jsolve_tableau* tab = jsolve_tableau_find((jsolve_method)m);
    assert_non_null(tab);
    double b = 0, bc = 0, e = 0, d = 0;
    for (int i = 0; i < tab->stages; i++) {
      double a = 0;
      for (int j = 0; j < i; j++)
        a += tab->a[i][j];
      assert_near(a, tab->c[i], 1e-14);
      b += tab->b[i];
      bc += tab->b[i] * tab->c[i];
    }
    for (int i = 0; i <= tab->stages; i++) {
      e += tab->e[i];
      d += tab->d[i];
    }
    assert_near(b, 1, 1e-15);
    assert_near(bc, 0.5, 1e-15);
    assert_near(e, 0, 1e-15);
    assert_near(d, 0, 1e-13);
  }
}

static void test_ode_fixed_step_methods_have_their_order(void** state) {
  struct {
    jsolve_method method;
    double order, step;
  } row[] = {{JSOLVE_RK2, 2, 0.01}, {JSOLVE_RK3, 3, 0.01}, {JSOLVE_RK4, 4, 0.02}};
  for (int i = 0; i < 3; i++) {
    jsolve_options coarse = fixed(row[i].method, row[i].step);
    jsolve_options fine = fixed(row[i].method, row[i].step / 4);
    double p = observed_order(error_at_end(context(state), &coarse),
                              error_at_end(context(state), &fine), 4);
    assert_near(p, row[i].order, 0.1);
  }
}

static void test_ode_dopri5_has_order_five(void** state) {
  double error[2];
  for (int i = 0; i < 2; i++) {
    // steps held at max_step by generous tolerances
    jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e3);
    o.step = o.max_step = i ? 0.0125 : 0.05;
    jsolve_system s = {.n = 2, .rhs = circle_rhs};
    double y[2] = {1, 0};
    assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 4, y, NULL, NULL));
    error[i] = hypot(y[0] - cos(4), y[1] - sin(4));
  }
  assert_near(observed_order(error[0], error[1], 4), 5, 0.2);
}

static void test_ode_dopri5_error_follows_tolerance(void** state) {
  double last = 1;
  for (double tol = 1e-4; tol > 1e-12; tol *= 1e-2) {
    jsolve_options o = adaptive(JSOLVE_DOPRI5, tol);
    double e = error_at_end(context(state), &o);
    assert_true(e < 20 * tol);
    assert_true(e < last);
    last = e;
  }
}

static void test_ode_dopri5_step_counts_are_sane(void** state) {
  jsolve_system s = pendulum_system();
  s.project = NULL;
  jsolve_statistics loose, tight;
  jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-5);
  double y[4] = {1, 0, 0, 0};
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 10, y, NULL, &loose));
  o = adaptive(JSOLVE_DOPRI5, 1e-10);
  double z[4] = {1, 0, 0, 0};
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 10, z, NULL, &tight));
  // order 5: a tolerance 1e5 times smaller takes ten times the steps
  double ratio = (double)tight.steps / (double)loose.steps;
  assert_true(ratio > 6 && ratio < 14);
  assert_true(tight.rejected * 10 < tight.steps);
  // first slope reused: six evaluations a step
  assert_true(tight.evaluations <= 6 * (tight.steps + tight.rejected) + 3);
}

typedef struct dense_check {
  double worst;       // error of the interpolation
  double worst_ends;  // deviation from the states of the step
  double t;           // end of the last step
} dense_check;

static jo_status check_dense(void* user, const jsolve_step* s) {
  dense_check* d = user;
  double y[2];
  assert_true(s->t0 == d->t);
  d->t = s->t1;
  for (int i = 1; i < 8; i++) {
    double t = s->t0 + (s->t1 - s->t0) * i / 8;
    jsolve_interpolate(s, t, y);
    d->worst = fmax(d->worst, fabs(y[0] - rational(t)));
  }
  jsolve_interpolate(s, s->t0, y);
  d->worst_ends = fmax(d->worst_ends, fabs(y[0] - s->y0[0]));
  jsolve_interpolate(s, s->t1, y);
  d->worst_ends = fmax(d->worst_ends, fabs(y[0] - s->y1[0]));
  return JO_OK;
}

static double dense_error(jo_context* ctx, jsolve_method m, double step) {
  jsolve_options o = fixed(m, step);
  o.max_step = step;
  o.rel_tol = o.abs_tol = 1;
  dense_check d = {0};
  jsolve_observer obs = {.user = &d, .step = check_dense};
  jsolve_system s = rational_system();
  double y[2] = {1, 1};
  assert_ok(ctx, jsolve_integrate(ctx, &s, &o, &obs, 0, 2, y, NULL, NULL));
  assert_near(d.t, 2, 0);
  assert_near(d.worst_ends, 0, 1e-15);
  return d.worst;
}

static void test_ode_dense_output_has_its_order(void** state) {
  jo_context* ctx = context(state);
  // local error of the cubic: h^4, of the quartic: h^5
  double cubic =
      observed_order(dense_error(ctx, JSOLVE_RK4, 0.04), dense_error(ctx, JSOLVE_RK4, 0.01), 4);
  double quartic = observed_order(dense_error(ctx, JSOLVE_DOPRI5, 0.1),
                                  dense_error(ctx, JSOLVE_DOPRI5, 0.025), 4);
  assert_near(cubic, 4, 0.2);
  assert_near(quartic, 5, 0.2);
}

static void test_ode_fixed_grid_ends_exactly(void** state) {
  // 0.3 is no multiple of 0.07: the last step is shorter; 1.0 is one of 0.1 but for rounding
  jsolve_system s = rational_system();
  struct {
    double t1, step;
    int steps;
  } row[] = {{0.3, 0.07, 5}, {1.0, 0.1, 10}, {0.001, 0.1, 1}};
  for (int i = 0; i < 3; i++) {
    double y[2] = {1, 1}, t;
    jsolve_statistics stats;
    jsolve_options o = fixed(JSOLVE_RK4, row[i].step);
    assert_ok(context(state),
              jsolve_integrate(context(state), &s, &o, NULL, 0, row[i].t1, y, &t, &stats));
    assert_near(t, row[i].t1, 0);
    assert_int_equal(stats.steps, row[i].steps);
  }
}

static void test_ode_projection_holds_invariants(void** state) {
  jsolve_method method[] = {JSOLVE_RK4, JSOLVE_DOPRI5};
  for (int i = 0; i < 2; i++) {
    jsolve_system s = pendulum_system();
    jsolve_options o = adaptive(method[i], 1e-9);
    o.step = 1e-3;
    double y[4] = {1, 0, 0, 0}, energy = pendulum_energy(y);
    assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 20, y, NULL, NULL));
    assert_near(hypot(y[0], y[1]), 1, 1e-15);
    assert_near(y[0] * y[2] + y[1] * y[3], 0, 1e-14);
    assert_near(pendulum_energy(y), energy, 1e-6);
  }
}

static void test_ode_projection_agrees_with_free_solution(void** state) {
  jsolve_system s = pendulum_system();
  jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-12);
  double y[4] = {0.6, -0.8, 0, 0}, z[4] = {0.6, -0.8, 0, 0};
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 3, y, NULL, NULL));
  s.project = NULL;
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 3, z, NULL, NULL));
  for (int i = 0; i < 4; i++)
    assert_near(y[i], z[i], 1e-9);
}

static void test_ode_uncontrolled_state_does_not_change_steps(void** state) {
  // z of the rational problem depends on y alone: not controlled, it leaves the steps as they are
  static const double only_first[2] = {1, 0};
  jsolve_system s = rational_system();
  s.error_scale = only_first;
  jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-8);
  jsolve_statistics with, without;
  double y[2] = {1, 1e9}, x[2] = {1, 1};
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 2, y, NULL, &with));
  assert_ok(context(state),
            jsolve_integrate(context(state), &s, &o, NULL, 0, 2, x, NULL, &without));
  assert_true(y[0] == x[0]);
  assert_int_equal(with.steps, without.steps);
  assert_near(y[1] / 1e9, x[1], 1e-9);
}

static void test_ode_runs_repeat_to_the_bit(void** state) {
  for (int m = 0; m <= JSOLVE_DOPRI5; m++) {
    double y[2][4];
    jsolve_statistics stats[2];
    for (int i = 0; i < 2; i++) {
      jsolve_system s = pendulum_system();
      jsolve_options o = adaptive((jsolve_method)m, 1e-7);
      o.step = 1e-2;
      memcpy(y[i], (double[4]){1, 0, 0, 0}, sizeof y[i]);
      assert_ok(context(state),
                jsolve_integrate(context(state), &s, &o, NULL, 0, 5, y[i], NULL, &stats[i]));
    }
    assert_memory_equal(y[0], y[1], sizeof y[0]);
    assert_memory_equal(&stats[0], &stats[1], sizeof stats[0]);
  }
}

static long allocations(void** state, jsolve_method m, double t1, double step) {
  fixture* x = *state;
  long before = x->memory.calls;
  jsolve_system s = pendulum_system();
  jsolve_options o = adaptive(m, 1e-9);
  o.step = step;
  double y[4] = {1, 0, 0, 0};
  assert_ok(x->ctx, jsolve_integrate(x->ctx, &s, &o, NULL, 0, t1, y, NULL, NULL));
  return x->memory.calls - before;
}

static void test_ode_allocations_do_not_grow_with_steps(void** state) {
  for (int m = 0; m <= JSOLVE_DOPRI5; m++) {
    long few = allocations(state, (jsolve_method)m, 0.1, 0.01);
    long many = allocations(state, (jsolve_method)m, 10, 0.01);
    assert_int_equal(few, many);
    assert_true(few > 0);
  }
}

static void root_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  f[0] = 1;
  f[1] = y[1];
  f[2] = sqrt(1 - t);  // not a number for t > 1
}

static void test_ode_not_finite_is_named(void** state) {
  jsolve_method method[] = {JSOLVE_RK4, JSOLVE_DOPRI5};
  for (int i = 0; i < 2; i++) {
    jo_context* ctx = context(state);
    jsolve_system s = {.n = 3, .rhs = root_rhs};
    jsolve_options o = fixed(method[i], 0.03);
    double y[3] = {0, 1, 0}, t;
    assert_int_equal(jsolve_integrate(ctx, &s, &o, NULL, 0, 2, y, &t, NULL), JO_ERR_NUMERIC);
    assert_non_null(strstr(jo_context_message(ctx), "state 2 "));
    assert_non_null(strstr(jo_context_message(ctx), "at t = 1"));
    // y is the last accepted state
    assert_true(t > 0.9 && t <= 1);
    assert_near(y[0], t, 1e-12);
    jo_context_clear(ctx);
  }
}

static void explode_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  (void)t;
  f[0] = y[0] * y[0];  // 1 / (1 - t)
}

static void test_ode_singularity_is_reported(void** state) {
  jo_context* ctx = context(state);
  jsolve_system s = {.n = 1, .rhs = explode_rhs};
  jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-6);
  double y[1] = {1}, t;
  assert_true(jsolve_integrate(ctx, &s, &o, NULL, 0, 2, y, &t, NULL) < 0);
  assert_near(t, 1, 1e-4);
  assert_true(jo_context_message(ctx)[0] != '\0');
}

static void test_ode_bad_arguments_are_named(void** state) {
  jo_context* ctx = context(state);
  jsolve_system s = rational_system();
  double y[2] = {1, 1};
  jsolve_options o = fixed(JSOLVE_RK4, 0);
  assert_int_equal(jsolve_integrate(ctx, &s, &o, NULL, 0, 1, y, NULL, NULL), JO_ERR_ARGUMENT);
  assert_non_null(strstr(jo_context_message(ctx), "rk4 needs a step size"));
  o = adaptive(JSOLVE_DOPRI5, -1);
  assert_int_equal(jsolve_integrate(ctx, &s, &o, NULL, 0, 1, y, NULL, NULL), JO_ERR_ARGUMENT);
  o = adaptive(JSOLVE_DOPRI5, 1e-6);
  assert_int_equal(jsolve_integrate(ctx, &s, &o, NULL, 1, 0, y, NULL, NULL), JO_ERR_ARGUMENT);
  y[1] = NAN;
  assert_int_equal(jsolve_integrate(ctx, &s, &o, NULL, 0, 1, y, NULL, NULL), JO_ERR_NUMERIC);
}

static void test_ode_step_limit_keeps_last_state(void** state) {
  jo_context* ctx = context(state);
  jsolve_system s = rational_system();
  jsolve_options o = fixed(JSOLVE_RK4, 0.1);
  o.max_steps = 3;
  double y[2] = {1, 1}, t;
  assert_int_equal(jsolve_integrate(ctx, &s, &o, NULL, 0, 1, y, &t, NULL), JO_ERR_LIMIT);
  assert_near(t, 0.3, 1e-15);
  assert_near(y[0], rational(0.3), 1e-5);
}

static void test_ode_fixed_steps_are_counted_beforehand(void** state) {
  jo_context* ctx = context(state);
  jsolve_options o = fixed(JSOLVE_RK4, 0.1);
  o.max_steps = 10;
  assert_int_equal(jsolve_check_steps(ctx, &o, 0, 1), JO_OK);
  o.max_steps = 9;
  assert_int_equal(jsolve_check_steps(ctx, &o, 0, 1), JO_ERR_LIMIT);
  assert_non_null(strstr(jo_context_message(ctx), "10 steps of 0.1 s, more than the limit of 9"));
  // so many that they cannot be counted
  o.step = 1e-300;
  assert_int_equal(jsolve_check_steps(ctx, &o, 0, 1e300), JO_ERR_LIMIT);
  // adaptive steps are not known
  o = adaptive(JSOLVE_DOPRI5, 1e-6);
  o.max_steps = 1;
  assert_int_equal(jsolve_check_steps(ctx, &o, 0, 1), JO_OK);
}

static jo_status stop_after_half(void* user, const jsolve_step* s) {
  (void)user;
  return s->t1 > 0.5 ? JO_ERR_LIMIT : JO_OK;
}

static void test_ode_observer_stops_the_run(void** state) {
  jsolve_system s = rational_system();
  jsolve_options o = fixed(JSOLVE_RK4, 0.1);
  jsolve_observer obs = {.step = stop_after_half};
  double y[2] = {1, 1}, t;
  assert_int_equal(jsolve_integrate(context(state), &s, &o, &obs, 0, 1, y, &t, NULL), JO_ERR_LIMIT);
  assert_near(t, 0.5, 1e-15);
}

static jo_status project_not_far(void* user, double t, double* y) {
  (void)user;
  (void)y;
  return t > 0.7 ? JO_ERR_CONVERGENCE : JO_OK;
}

static void test_ode_failing_projection_is_reported(void** state) {
  jsolve_method method[] = {JSOLVE_RK4, JSOLVE_DOPRI5};
  for (int i = 0; i < 2; i++) {
    jo_context* ctx = context(state);
    jsolve_system s = rational_system();
    s.project = project_not_far;
    s.projection_hint = "there is a wall";
    jsolve_options o = fixed(method[i], 0.1);
    double y[2] = {1, 1}, t;
    assert_int_equal(jsolve_integrate(ctx, &s, &o, NULL, 0, 1, y, &t, NULL), JO_ERR_CONVERGENCE);
    assert_non_null(strstr(jo_context_message(ctx), "invariants at t = 0.7"));
    assert_non_null(strstr(jo_context_message(ctx), ": there is a wall"));
    assert_int_equal(jo_context_diagnostic_count(ctx), 1);
    assert_true(t <= 0.7);
    jo_context_clear(ctx);
  }
}

// A projection that fails after long steps only: the run makes short ones and says nothing.
static jo_status project_after_short_steps(void* user, double t, double* y) {
  double* last = user;
  (void)y;
  if (t - *last > 0.01) return JO_ERR_CONVERGENCE;
  *last = t;
  return JO_OK;
}

static void test_ode_failing_projection_makes_steps_shorter(void** state) {
  jo_context* ctx = context(state);
  jsolve_system s = rational_system();
  double last = 0.0, y[2] = {1, 1}, t;
  s.project = project_after_short_steps;
  s.user = &last;
  jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-2);
  o.step = 0.2;
  jsolve_statistics stats;
  assert_ok(ctx, jsolve_integrate(ctx, &s, &o, NULL, 0, 1, y, &t, &stats));
  assert_true(stats.steps >= 100);
  assert_true(stats.rejected > 0);
  assert_int_equal(jo_context_diagnostic_count(ctx), 0);
}

// It fails as soon as the state passes a place the run approaches: shorter steps get nearer, and at last
// do not move the state at all.
static jo_status project_in_front(void* user, double t, double* y) {
  (void)user, (void)t;
  return y[0] > 1.2345678 ? JO_ERR_CONVERGENCE : JO_OK;
}

static void constant_rate(void* user, double t, const double* y, double* f) {
  (void)user, (void)t, (void)y;
  f[0] = 1e-3;
}

static void test_ode_run_does_not_creep_towards_a_wall(void** state) {
  jo_context* ctx = context(state);
  jsolve_system s = {.n = 1, .rhs = constant_rate, .project = project_in_front};
  jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-6);
  o.max_steps = 1000;
  double y = 1.234, t;
  assert_int_equal(jsolve_integrate(ctx, &s, &o, NULL, 0, 1, &y, &t, NULL), JO_ERR_CONVERGENCE);
  assert_non_null(strstr(jo_context_message(ctx), "projected on its invariants at t = 0.5678"));
  assert_near(t, 0.5678, 1e-9);
}

static void test_ode_out_of_memory_is_a_status(void** state) {
  (void)state;
  for (long n = 1;; n++) {
    failing_alloc f;
    failing_alloc_init(&f, n);
    jo_context* ctx = NULL;
    assert_int_equal(jo_context_create(&f.allocator, &ctx), JO_OK);
    ball b = {0.5, {1}};
    jsolve_system s = ball_system(&b);
    jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-6);
    double y[2] = {1, 0};
    jo_status status = jsolve_integrate(ctx, &s, &o, NULL, 0, 1, y, NULL, NULL);
    jo_context_destroy(ctx);
    assert_int_equal(f.live_blocks, 0);
    if (status >= 0) break;
    assert_int_equal(status, JO_ERR_MEMORY);
  }
}

static void test_ode_method_names_round_trip(void** state) {
  (void)state;
  for (int m = 0; m < JSOLVE_METHOD_COUNT; m++) {
    assert_int_equal(jsolve_method_find(jsolve_method_name((jsolve_method)m)), m);
  }
  assert_int_equal(jsolve_method_find("euler"), -1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_ode_tableaux_satisfy_their_sums),
      fixture_test(test_ode_fixed_step_methods_have_their_order),
      fixture_test(test_ode_dopri5_has_order_five),
      fixture_test(test_ode_dopri5_error_follows_tolerance),
      fixture_test(test_ode_dopri5_step_counts_are_sane),
      fixture_test(test_ode_dense_output_has_its_order),
      fixture_test(test_ode_fixed_grid_ends_exactly),
      fixture_test(test_ode_projection_holds_invariants),
      fixture_test(test_ode_projection_agrees_with_free_solution),
      fixture_test(test_ode_uncontrolled_state_does_not_change_steps),
      fixture_test(test_ode_runs_repeat_to_the_bit),
      fixture_test(test_ode_allocations_do_not_grow_with_steps),
      fixture_test(test_ode_not_finite_is_named),
      fixture_test(test_ode_singularity_is_reported),
      fixture_test(test_ode_bad_arguments_are_named),
      fixture_test(test_ode_step_limit_keeps_last_state),
      fixture_test(test_ode_fixed_steps_are_counted_beforehand),
      fixture_test(test_ode_observer_stops_the_run),
      fixture_test(test_ode_failing_projection_is_reported),
      fixture_test(test_ode_failing_projection_makes_steps_shorter),
      fixture_test(test_ode_run_does_not_creep_towards_a_wall),
      fixture_test(test_ode_out_of_memory_is_a_status),
      fixture_test(test_ode_method_names_round_trip),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
