// SPDX-License-Identifier: Apache-2.0
// Runge-Kutta steps as observers see them: stages are those of the tableau, ends are their sum, the dense output is
// smooth and goes through both ends, and steps keep to their limits.
#include "solve/rk.h"

#include "solve/problems.h"

static const jsolve_method methods[] = {JSOLVE_RK2, JSOLVE_RK3, JSOLVE_RK4, JSOLVE_DOPRI5,
                                        JSOLVE_ESDIRK5};
enum { NMETHOD = sizeof methods / sizeof *methods, N = 2 };

// y0' = y1, y1' = cos(t) - 2 y0 - y1
static void rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  f[0] = y[1];
  f[1] = cos(t) - 2.0 * y[0] - y[1];
}

static void jacobian(void* user, double t, const double* y, double* J) {
  (void)user, (void)t, (void)y;
  J[0] = 0.0;
  J[1] = -2.0;
  J[2] = 1.0;
  J[3] = -1.0;
}

static const jsolve_system driven = {
    .n = N, .rhs = rhs, .jacobian = jacobian, .has_parts = true, .nw = N};

typedef struct watch {
  jsolve_method method;
  int steps;
  double longest, end[N];
  double limit;
} watch;

static void check_stages(const jsolve_step* s, const jsolve_tableau* t) {
  double h = s->t1 - s->t0, y[N], f[N], sum[N] = {0};
  for (int i = 0; i <= t->stages; i++) {
    bool is_end = i == t->stages;
    const double* a = is_end ? t->b : t->a[i];
    for (int k = 0; k < N; k++) {
      y[k] = s->y0[k];
      for (int j = 0; j < i; j++) {
        y[k] += h * a[j] * s->k[j][k];
      }
      if (i > 0) y[k] += h * t->gamma * s->k[i][k];
      sum[k] = is_end ? y[k] : 0.0;
    }
    rhs(NULL, s->t0 + h * (is_end ? 1.0 : t->c[i]), y, f);
    for (int k = 0; k < N; k++) {
      // explicit stages to rounding, implicit ones as far as Newton goes
      assert_near(s->k[i][k], f[k], t->gamma > 0.0 ? 1e-6 : 1e-12);
    }
  }
  for (int k = 0; k < N; k++) {
    assert_near(sum[k], s->y1[k], 1e-10);
  }
}

static void check_dense(const jsolve_step* s) {
  double y[N], a[N], b[N], f[N], h = s->t1 - s->t0, d = 1e-4 * h;
  jsolve_interpolate(s, s->t0, y);
  for (int k = 0; k < N; k++) {
    assert_near(y[k], s->y0[k], 1e-14);
  }
  jsolve_interpolate(s, s->t1, y);
  for (int k = 0; k < N; k++) {
    assert_near(y[k], s->y1[k], 1e-14);
  }
  // slopes at the ends are those of the right-hand side
  for (int end = 0; end < 2; end++) {
    double t = end ? s->t1 : s->t0;
    jsolve_interpolate(s, t - d, a);
    jsolve_interpolate(s, t + d, b);
    rhs(NULL, t, end ? s->y1 : s->y0, f);
    for (int k = 0; k < N; k++) {
      assert_near((b[k] - a[k]) / (2.0 * d), f[k], 1e-4);
    }
  }
}

static jo_status on_step(void* user, const jsolve_step* s) {
  watch* w = user;
  const jsolve_tableau* t = jsolve_tableau_find(w->method);
  assert_non_null(s->k);
  assert_int_equal(s->is_implicit, t->gamma > 0.0);
  if (w->steps > 0) assert_memory_equal(s->y0, w->end, sizeof w->end);
  check_stages(s, t);
  check_dense(s);
  memcpy(w->end, s->y1, sizeof w->end);
  w->steps++;
  w->longest = fmax(w->longest, s->t1 - s->t0);
  return JO_OK;
}

static jsolve_options options(jsolve_method m) {
  return jsolve_method_about(m)->is_fixed ? fixed(m, 0.03) : adaptive(m, 1e-7);
}

static void test_rk_steps_are_those_of_the_tableau(void** state) {
  for (int i = 0; i < NMETHOD; i++) {
    jsolve_options o = options(methods[i]);
    watch w = {.method = methods[i]};
    jsolve_observer obs = {.user = &w, .step = on_step};
    jsolve_statistics stats;
    double y[N] = {1.0, 0.0};
    assert_ok(context(state),
              jsolve_integrate(context(state), &driven, &o, &obs, 0.0, 2.0, y, NULL, &stats));
    assert_int_equal(w.steps, stats.steps);
    assert_memory_equal(w.end, y, sizeof y);
  }
}

// The slope at the end is the first one of the next step: f is evaluated once a stage.
static void test_rk_evaluates_the_right_hand_side_once_a_stage(void** state) {
  for (int i = 0; i < 3; i++) {
    jsolve_options o = fixed(methods[i], 0.01);
    o.shortest_pulse = 1.0;  // no looks into steps
    jsolve_statistics stats;
    double y[N] = {1.0, 0.0};
    assert_ok(context(state),
              jsolve_integrate(context(state), &driven, &o, NULL, 0.0, 1.0, y, NULL, &stats));
    assert_int_equal(stats.steps, 100);
    assert_int_equal(stats.evaluations, 1 + 100 * jsolve_tableau_find(methods[i])->stages);
    assert_int_equal(stats.rejected, 0);
  }
}

static double half_then_less(void* user, double t) {
  (void)user;
  return t < 1.0 ? 0.05 : 0.01;
}

static jo_status within_limit(void* user, const jsolve_step* s) {
  watch* w = user;
  double most = w->limit > 0.0 ? w->limit : half_then_less(NULL, s->t0);
  assert_true(s->t1 - s->t0 <= most * (1.0 + 1e-12));
  w->steps++;
  return JO_OK;
}

static void test_rk_steps_keep_to_their_limits(void** state) {
  for (int way = 0; way < 2; way++) {
    for (int i = 3; i < NMETHOD; i++) {
      jsolve_options o = adaptive(methods[i], 1e-4);
      if (way == 0) o.max_step = 0.02;
      if (way == 1) o.step_limit = half_then_less;
      watch w = {.method = methods[i], .limit = o.max_step};
      jsolve_observer obs = {.user = &w, .step = within_limit};
      double y[N] = {1.0, 0.0};
      assert_ok(context(state),
                jsolve_integrate(context(state), &driven, &o, &obs, 0.0, 2.0, y, NULL, NULL));
      assert_true(w.steps >= (way == 0 ? 100 : 120));
    }
  }
}

// A first step that is far too long costs attempts, not accuracy.
static void test_rk_finds_its_step_from_any_first_one(void** state) {
  static const double first[] = {0.0, 1e-9, 1.9};
  double end[3];
  for (int i = 0; i < 3; i++) {
    jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-10);
    o.step = first[i];
    double y[N] = {1.0, 0.0};
    assert_ok(context(state),
              jsolve_integrate(context(state), &driven, &o, NULL, 0.0, 2.0, y, NULL, NULL));
    end[i] = y[0];
  }
  assert_near(end[1], end[0], 1e-8);
  assert_near(end[2], end[0], 1e-8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_rk_steps_are_those_of_the_tableau),
      fixture_test(test_rk_evaluates_the_right_hand_side_once_a_stage),
      fixture_test(test_rk_steps_keep_to_their_limits),
      fixture_test(test_rk_finds_its_step_from_any_first_one),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
