// SPDX-License-Identifier: Apache-2.0
// The driver of integrations: what it counts is what happened, pieces of a run are the run, and nothing is done
// where there is nothing to do.
#include "solve/problems.h"

typedef struct counted {
  int64_t rhs, steps, events, jacobians, prepared;
  double t_last;
} counted;

// A decay, with a switch at t = 0.4 that makes it faster.
typedef struct decay {
  counted n;
  double mode[1];
} decay;

static void rhs(void* user, double t, const double* y, double* f) {
  decay* d = user;
  (void)t;
  d->n.rhs++;
  f[0] = -(1.0 + 2.0 * d->mode[0]) * y[0];
}

static void switches(void* user, double t, const double* y, double* g) {
  (void)user, (void)y;
  g[0] = t - 0.4;
}

static void jacobian(void* user, double t, const double* y, double* J) {
  decay* d = user;
  (void)t, (void)y;
  d->n.jacobians++;
  J[0] = -(1.0 + 2.0 * d->mode[0]);
}

static jo_status prepare(void* user) {
  ((decay*)user)->n.prepared++;
  return JO_OK;
}

static jsolve_system system_of(decay* d) {
  return (jsolve_system){.n = 1,
                         .user = d,
                         .rhs = rhs,
                         .nswitch = 1,
                         .switches = switches,
                         .mode = d->mode,
                         .jacobian = jacobian,
                         .prepare_jacobian = prepare,
                         .has_parts = true,
                         .nw = 1};
}

static jo_status on_step(void* user, const jsolve_step* s) {
  counted* n = user;
  assert_true(s->t1 > s->t0 && s->t0 == n->t_last);
  n->t_last = s->t1;
  n->steps++;
  return JO_OK;
}

static jo_status on_event(void* user, const jsolve_event* e, const double* before,
                          const double* after) {
  counted* n = user;
  assert_true(e->t == n->t_last && e->which == 0 && e->rising);
  assert_true(before[0] == after[0]);
  n->events++;
  return JO_OK;
}

static const jsolve_method methods[] = {JSOLVE_RK4, JSOLVE_DOPRI5, JSOLVE_ESDIRK5, JSOLVE_AUTO};
enum { NMETHOD = sizeof methods / sizeof *methods };

static jsolve_options options(jsolve_method m) {
  return jsolve_method_about(m)->is_fixed ? fixed(m, 0.01) : adaptive(m, 1e-9);
}

static double solution(double t) {
  return t < 0.4 ? exp(-t) : exp(-0.4 - 3.0 * (t - 0.4));
}

static void test_integrate_counts_what_happens(void** state) {
  for (int i = 0; i < NMETHOD; i++) {
    decay d = {0};
    jsolve_system s = system_of(&d);
    jsolve_options o = options(methods[i]);
    counted seen = {0};
    jsolve_observer obs = {.user = &seen, .step = on_step, .event = on_event};
    jsolve_statistics stats;
    double y = 1.0, t;
    assert_ok(context(state),
              jsolve_integrate(context(state), &s, &o, &obs, 0.0, 1.0, &y, &t, &stats));
    assert_near(t, 1.0, 0.0);
    assert_near(y, solution(1.0), 1e-7);
    assert_int_equal(stats.steps, seen.steps);
    assert_int_equal(stats.events, seen.events);
    assert_int_equal(seen.events, 1);
    assert_int_equal(stats.evaluations + stats.scans, d.n.rhs);
    assert_int_equal(stats.jacobians, d.n.jacobians);
    assert_int_equal(d.n.prepared, methods[i] == JSOLVE_ESDIRK5);
    assert_true(d.mode[0] == 1.0);
  }
}

// At fixed steps a run in two pieces, on the grid, is the run; with step control it is within the tolerance.
static void test_integrate_pieces_are_the_whole(void** state) {
  for (int i = 0; i < NMETHOD; i++) {
    jsolve_options o = options(methods[i]);
    double end[2];
    for (int pieces = 0; pieces < 2; pieces++) {
      decay d = {0};
      jsolve_system s = system_of(&d);
      double y = 1.0;
      if (pieces) {
        assert_ok(context(state),
                  jsolve_integrate(context(state), &s, &o, NULL, 0.0, 0.64, &y, NULL, NULL));
      }
      assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, pieces ? 0.64 : 0.0,
                                                 1.0, &y, NULL, NULL));
      end[pieces] = y;
    }
    assert_near(end[0], end[1], methods[i] == JSOLVE_RK4 ? 1e-14 : 1e-8);
  }
}

static void test_integrate_nothing_is_nothing(void** state) {
  for (int i = 0; i < NMETHOD; i++) {
    decay d = {0};
    jsolve_system s = system_of(&d);
    jsolve_options o = options(methods[i]);
    jsolve_statistics stats;
    double y = 0.75, t = -1.0;
    assert_ok(context(state),
              jsolve_integrate(context(state), &s, &o, NULL, 0.2, 0.2, &y, &t, &stats));
    assert_true(y == 0.75 && t == 0.2 && stats.steps == 0);
  }
}

static void test_integrate_needs_a_jacobian_where_steps_do(void** state) {
  decay d = {0};
  jsolve_system s = system_of(&d);
  jsolve_options o = options(JSOLVE_ESDIRK5);
  double y = 1.0;
  s.jacobian = NULL;
  assert_refused(context(state),
                 jsolve_integrate(context(state), &s, &o, NULL, 0.0, 1.0, &y, NULL, NULL),
                 JO_ERR_ARGUMENT, "esdirk5 needs a Jacobian");
  assert_near(y, 1.0, 0.0);
}

static void test_integrate_refuses_what_is_no_start(void** state) {
  static const char* const name[] = {"heat"};
  decay d = {0};
  jsolve_system s = system_of(&d);
  jsolve_options o = options(JSOLVE_DOPRI5);
  double y = NAN;
  s.state_name = name;
  assert_refused(context(state),
                 jsolve_integrate(context(state), &s, &o, NULL, 0.0, 1.0, &y, NULL, NULL),
                 JO_ERR_NUMERIC, "initial value of 'heat' is not finite");
  assert_int_equal(d.n.rhs, 0);
}

// Modes settle where one hangs on another, and stay where a function is zero.
static void chained(void* user, double t, const double* y, double* g) {
  const double* mode = user;
  (void)t;
  g[0] = y[0];
  g[1] = mode[0] - 0.5;
  g[2] = mode[1] - 0.5;
  g[3] = 0.0;
}

// Where a start is set zero has mode 0, as conditions are written; on the way it keeps the mode.
static void test_integrate_modes_settle_and_zero_is_off_at_a_start(void** state) {
  (void)state;
  double mode[4] = {0, 0, 0, 1}, g[4], y = 1.0;
  jsolve_system s = {.n = 1, .user = mode, .nswitch = 4, .switches = chained, .mode = mode};
  jsolve_update_modes(&s, 0.0, &y, NULL, g);
  assert_true(mode[0] == 1.0 && mode[1] == 1.0 && mode[2] == 1.0 && mode[3] == 1.0);
  y = -1.0;
  jsolve_update_modes(&s, 0.0, &y, NULL, g);
  assert_true(mode[0] == 0.0 && mode[1] == 0.0 && mode[2] == 0.0 && mode[3] == 1.0);
  jsolve_set_modes(&s, 0.0, &y, g);
  assert_true(mode[0] == 0.0 && mode[1] == 0.0 && mode[2] == 0.0 && mode[3] == 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_integrate_counts_what_happens),
      fixture_test(test_integrate_pieces_are_the_whole),
      fixture_test(test_integrate_nothing_is_nothing),
      fixture_test(test_integrate_needs_a_jacobian_where_steps_do),
      fixture_test(test_integrate_refuses_what_is_no_start),
      fixture_test(test_integrate_modes_settle_and_zero_is_off_at_a_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
