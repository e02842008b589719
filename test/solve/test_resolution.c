// SPDX-License-Identifier: Apache-2.0
// Fixed steps that make the motion themselves are found where eigenvalues of single steps say little; others are left alone.
#include "solve/resolution.h"

#include "solve/problems.h"

// q'' = -w^2 q - 2 d w q' of two masses, and the quadrature of q'^8; y = [q1 q2 | v1 v2 | psi]
typedef struct pair {
  double w[2], d[2];
} pair;

static void pair_rhs(void* user, double t, const double* y, double* f) {
  const pair* p = user;
  (void)t;
  for (int i = 0; i < 2; i++) {
    f[i] = y[2 + i];
    f[2 + i] = -p->w[i] * p->w[i] * y[i] - 2 * p->d[i] * p->w[i] * y[2 + i];
  }
  f[4] = y[2] * y[2] * y[2] * y[2] * y[3] * y[3] * y[3] * y[3];
}

static jsolve_system pair_system(pair* p) {
  return (jsolve_system){.n = 5, .user = p, .rhs = pair_rhs, .has_parts = true, .nq = 2, .nw = 2};
}

static void test_resolution_several_modes_that_grow_are_rejected(void** state) {
  static const jsolve_method method[] = {JSOLVE_RK2, JSOLVE_RK3, JSOLVE_RK4, JSOLVE_IMEX3};
  for (int i = 0; i < 4; i++) {
    jo_context* ctx = context(state);
    pair p = {{1, 1.25}, {0.35, 0.4}};
    jsolve_system s = pair_system(&p);
    double y[5] = {-0.01, 0.02, -0.1, 0.05, 0};
    jsolve_options o = fixed(method[i], 4);
    jo_status status = jsolve_integrate(ctx, &s, &o, NULL, 0, 40 * o.step, y, NULL, NULL);
    assert_int_equal(status, JO_ERR_CONVERGENCE);
    assert_non_null(strstr(jo_context_message(ctx), "; take steps below "));
    jo_context_clear(ctx);
  }
}

// Stable steps are taken: at rest, where the fast mode of |h lambda| = 2 is, and where it is not, which is noted.
static void test_resolution_stable_steps_are_taken(void** state) {
  pair p = {{1, 50}, {0.3, 1}};
  jsolve_system s = pair_system(&p);
  for (int i = 0; i < 3; i++) {
    double y[5] = {0.1 * (i > 0), 0.1 * (i > 1), 0, 0, 0};
    jsolve_statistics stats;
    jsolve_options o = fixed(JSOLVE_RK4, 0.04);
    o.is_whole = true;
    assert_ok(context(state),
              jsolve_integrate(context(state), &s, &o, NULL, 0, 10, y, NULL, &stats));
    assert_int_equal(stats.unresolved != 0, i == 2);
    // steps that are not suspect are not taken twice
    if (i < 2) assert_int_equal(stats.evaluations, 4 * stats.steps + 1);
  }
}

// One bad step leaves the motion bounded, but not what is integrated over it.
static void test_resolution_spoiled_quadratures_are_rejected(void** state) {
  jo_context* ctx = context(state);
  pair p = {{30, 30}, {0.5, 0.5}};
  jsolve_system s = pair_system(&p);
  double y[5] = {0.1, 0.1, 0, 0, 0};
  jsolve_options o = fixed(JSOLVE_RK3, 0.06);
  o.is_whole = true;
  assert_int_equal(jsolve_integrate(ctx, &s, &o, NULL, 0, 1, y, NULL, NULL), JO_ERR_CONVERGENCE);
  assert_non_null(strstr(jo_context_message(ctx), "state 4 changes by as much as its own size"));
}

// A motion with an event where the first mass leaves [-0.06, 0.16]. It ends the run, or resets the second mass.
typedef struct decision {
  pair p;
  double mode;
  bool ends, has_ended;
} decision;

static void decision_rhs(void* user, double t, const double* y, double* f) {
  pair_rhs(&((decision*)user)->p, t, y, f);
}

static void decision_switches(void* user, double t, const double* y, double* g) {
  (void)user;
  (void)t;
  g[0] = (y[0] - 0.05) * (y[0] - 0.05) - 0.0121;
}

static jo_status decision_event(void* user, double t, double* y, const int* flipped, int n) {
  decision* d = user;
  (void)t;
  (void)flipped;
  (void)n;
  if (d->ends) {
    d->has_ended = true;
  } else {
    y[1] = 0.5;
  }
  return JO_OK;
}

// Critically damped, the mass never gets there: the first of too long steps does.
static void test_resolution_events_that_steps_make_are_found(void** state) {
  static const jsolve_method method[] = {JSOLVE_RK2, JSOLVE_RK3, JSOLVE_RK4, JSOLVE_IMEX3};
  for (int i = 0; i < 8; i++) {
    jo_context* ctx = context(state);
    decision d = {.p = {{20, 1}, {1, 1}}, .ends = i % 2};
    jsolve_system s = pair_system(&d.p);
    s.user = &d;
    s.rhs = decision_rhs;
    s.nswitch = 1;
    s.switches = decision_switches;
    s.mode = &d.mode;
    s.event = decision_event;
    s.has_ended = &d.has_ended;
    double y[5] = {0.1, 0.1, -2, 0, 0};
    jsolve_statistics stats;
    jsolve_options o = fixed(method[i / 2], 0.2);
    jo_status status = jsolve_integrate(ctx, &s, &o, NULL, 0, 0.2, y, NULL, &stats);
    assert_true(stats.events >= 1);
    if (d.ends) {
      assert_int_equal(status, JO_ERR_CONVERGENCE);
      assert_non_null(strstr(jo_context_message(ctx), ", where its condition ends the run: "));
      jo_context_clear(ctx);
    } else {
      assert_ok(ctx, status);
      assert_int_not_equal(stats.unresolved, 0);
      assert_true(stats.resolving > 0 && stats.resolving < 0.1);
    }
    // steps that resolve the motion meet no event
    d = (decision){.p = d.p, .ends = d.ends};
    double fine[5] = {0.1, 0.1, -2, 0, 0};
    o.step = 0.01;
    assert_ok(ctx, jsolve_integrate(ctx, &s, &o, NULL, 0, 0.2, fine, NULL, &stats));
    assert_int_equal(stats.events, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_resolution_several_modes_that_grow_are_rejected),
      fixture_test(test_resolution_stable_steps_are_taken),
      fixture_test(test_resolution_spoiled_quadratures_are_rejected),
      fixture_test(test_resolution_events_that_steps_make_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
