// SPDX-License-Identifier: Apache-2.0
// Load drivers on a mass that falls on a stiff stop: q'' = -g + F/m, F = k max(0, -q). In contact it is
// a harmonic oscillator, so that peak force and rebound are known:
//   F_max = m g + sqrt((m g)^2 + k m v^2)      v: speed of the first contact; it leaves with -v
#include <math.h>
#include <string.h>

#include "loads/driver/driver.h"
#include "support/fixture.h"

static const double mass = 2.0, gravity = 10.0, stiffness = 8e5, height = 0.2;

static double stop_force(void* user, int e, double t, const double* y) {
  (void)user, (void)e, (void)t;
  return y[0] < 0.0 ? -stiffness * y[0] : 0.0;
}

static void rhs(void* user, double t, const double* y, double* ydot, double* F) {
  F[0] = stop_force(user, 0, t, y);
  ydot[0] = y[1];
  ydot[1] = -gravity + F[0] / mass;
}

static void directions(void* user, double t, const double* y, double* W) {
  (void)user, (void)t, (void)y;
  W[0] = 1.0 / mass;
}

static void reduced(void* user, double t, const double* y, double* M, double* c) {
  M[0] = mass;
  c[0] = mass * gravity - stop_force(user, 0, t, y);
}

static void finish(void* user, double t, const double* y, const double* x, double* qdd) {
  (void)user, (void)t, (void)y;
  qdd[0] = x[0];
}

static const double element_cost[1] = {0.1};

static const jloads_driver_system falling = {.n = 2,
                                             .nu = 1,
                                             .at_q = 0,
                                             .at_qd = 1,
                                             .ne = 1,
                                             .rhs = rhs,
                                             .element = stop_force,
                                             .directions = directions,
                                             .reduced = reduced,
                                             .finish = finish,
                                             .element_cost = element_cost,
                                             .directions_cost = 1.0,
                                             .reduced_cost = 1.0};

typedef struct watch {
  double peak, t_last;
  int nevent;
  double impulse, event_peak;  // of all events together
  jloads_driver_event event;   // the first
  double y0[2];
} watch;

static jo_status on_sample(void* user, double t, const double* y, const double* F) {
  (void)y;
  watch* w = user;
  assert_true(t >= w->t_last);
  w->t_last = t;
  w->peak = fmax(w->peak, F[0]);
  return JO_OK;
}

static jo_status on_event(void* user, const jloads_driver_event* e, const double* y0) {
  watch* w = user;
  w->impulse += e->impulse;
  w->event_peak = fmax(w->event_peak, e->peak);
  if (w->nevent++ == 0) {
    w->event = *e;
    memcpy(w->y0, y0, sizeof w->y0);
  }
  return JO_OK;
}

static watch run(jo_context* ctx, jloads_driver driver, double step, double tolerance, double t_end,
                 double* y, jloads_driver_statistics* stats) {
  jloads_driver_options opt = jloads_driver_options_default();
  opt.driver = driver;
  opt.step = step;
  opt.tolerance = tolerance;
  watch w = {0};
  jloads_driver_observer obs = {&w, on_sample, on_event};
  double t;
  y[0] = height;
  y[1] = 0.0;
  assert_ok(ctx, jloads_driver_run(ctx, &falling, &opt, &obs, 0.0, t_end, y, &t, stats));
  assert_near(t, t_end, 1e-12);
  return w;
}

static double contact_speed(void) {
  return sqrt(2.0 * gravity * height);
}

static double true_peak(void) {
  double mg = mass * gravity, v = contact_speed();
  return mg + sqrt(mg * mg + stiffness * mass * v * v);
}

static jo_context* context(void** state) {
  return ((fixture*)*state)->ctx;
}

// free fall is a polynomial of second degree: exact in every driver
static void test_free_fall_is_exact(void** state) {
  jo_context* ctx = context(state);
  for (int d = 0; d < JLOADS_DRIVER_COUNT; d++) {
    double y[2];
    jloads_driver_statistics stats;
    run(ctx, (jloads_driver)d, 0.01, 1e-3, 0.15, y, &stats);
    assert_near(y[0], height - 0.5 * gravity * 0.15 * 0.15, 1e-14);
    assert_near(y[1], -gravity * 0.15, 1e-14);
    assert_int_equal((int)stats.stiff_steps, 0);
  }
}

static void test_adaptive_converges(void** state) {
  jo_context* ctx = context(state);
  double y[2];
  jloads_driver_statistics stats;
  watch w = run(ctx, JLOADS_DRIVER_ADAPTIVE, 0.01, 1e-10, 0.3, y, &stats);
  assert_near(w.peak, true_peak(), 1e-5 * true_peak());
  assert_true(stats.smallest_step < 1e-3);
}

// At 2 ms the contact of 5 ms is two and a half steps: plain steps miss it, substeps do not.
static void test_subcycle_keeps_peak_and_rebound(void** state) {
  jo_context* ctx = context(state);
  double y[2], fine[2];
  jloads_driver_statistics stats, plain;
  run(ctx, JLOADS_DRIVER_ADAPTIVE, 0.01, 1e-10, 0.3, fine, &stats);
  watch fixed = run(ctx, JLOADS_DRIVER_FIXED, 2e-3, 1e-3, 0.3, y, &plain);
  assert_true(fabs(fixed.peak / true_peak() - 1.0) > 0.05);
  watch w = run(ctx, JLOADS_DRIVER_SUBCYCLE, 2e-3, 1e-3, 0.3, y, &stats);
  assert_near(w.peak, true_peak(), 0.01 * true_peak());
  assert_near(y[0], fine[0], 1e-3);
  assert_near(y[1], fine[1], 5e-3 * contact_speed());
  assert_true(stats.worst_step <= stats.guaranteed);
  assert_true(stats.evaluations < 1.3 * plain.evaluations);
  // impulse of the contact, in one event or several: the momentum is reversed
  assert_near(w.impulse, 2.0 * mass * contact_speed(), 0.02 * 2.0 * mass * contact_speed());
  assert_near(w.event_peak, w.peak, 1e-9 * w.peak);
}

// The impulsive driver turns the velocity round within one step; its event, taken again, has the peak.
static void test_impulsive_reverses_and_reconstructs(void** state) {
  jo_context* ctx = context(state);
  double y[2], peak, t_peak;
  jloads_driver_statistics stats;
  watch w = run(ctx, JLOADS_DRIVER_IMPULSIVE, 2e-3, 1e-3, 0.204, y, &stats);
  assert_true(w.nevent >= 1);
  assert_true(w.y0[1] < 0.0);
  assert_near(w.event.impulse, -2.0 * mass * w.y0[1], 0.03 * 2.0 * mass * contact_speed());
  assert_ok(ctx,
            jloads_driver_reconstruct(ctx, &falling, w.event.t0, w.y0, 0.01, 1e-5, &peak, &t_peak));
  assert_near(peak, true_peak(), 1e-3 * true_peak());
}

// Two coordinates without mass: nothing says how those that are not reversed move.
static void two_falling(void* user, double t, const double* y, double* ydot, double* F) {
  F[0] = stop_force(user, 0, t, y);
  memcpy(ydot, y + 2, 2 * sizeof *ydot);
  ydot[2] = -gravity + F[0] / mass;
  ydot[3] = 0.0;
}

static void two_directions(void* user, double t, const double* y, double* W) {
  (void)user, (void)t, (void)y;
  W[0] = 1.0 / mass;
  W[1] = 0.0;
}

static void no_mass(void* user, double t, const double* y, double* M, double* c) {
  (void)user, (void)t, (void)y;
  memset(M, 0, 4 * sizeof *M);
  memset(c, 0, 2 * sizeof *c);
}

static void test_a_singular_mass_matrix_is_told(void** state) {
  jo_context* ctx = context(state);
  jloads_driver_system s = falling;
  s.n = 4;
  s.nu = s.at_qd = 2;
  s.rhs = two_falling;
  s.directions = two_directions;
  s.reduced = no_mass;
  jloads_driver_options opt = jloads_driver_options_default();
  opt.driver = JLOADS_DRIVER_IMPULSIVE;
  double y[4] = {height, 0.0, 0.0, 0.0}, peak, t_peak;
  assert_int_equal(jloads_driver_run(ctx, &s, &opt, NULL, 0.0, 0.5, y, NULL, NULL),
                   JO_ERR_SINGULAR);
  assert_non_null(strstr(jo_context_message(ctx), "mass matrix is singular"));
  jo_context_clear(ctx);
  assert_int_equal(jloads_driver_reconstruct(ctx, &s, 0.0, y, 0.01, 1e-3, &peak, &t_peak),
                   JO_ERR_SINGULAR);
  assert_int_equal(jo_context_diagnostic_count(ctx), 1);
}

static void test_bad_options_are_refused(void** state) {
  jo_context* ctx = context(state);
  jloads_driver_options opt = jloads_driver_options_default();
  double y[2] = {height, 0.0};
  opt.step = 0.0;
  assert_int_equal(jloads_driver_run(ctx, &falling, &opt, NULL, 0.0, 1.0, y, NULL, NULL),
                   JO_ERR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_free_fall_is_exact),
      fixture_test(test_adaptive_converges),
      fixture_test(test_subcycle_keeps_peak_and_rebound),
      fixture_test(test_impulsive_reverses_and_reconstructs),
      fixture_test(test_a_singular_mass_matrix_is_told),
      fixture_test(test_bad_options_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
