// SPDX-License-Identifier: Apache-2.0
// The sub-cycling driver: how many substeps, that only stiff elements take them, and that a blow has the impulse
// and the energy it must have.
#include "loads/two_masses.h"

static void test_subcycle_substeps_are_even_and_bounded(void** state) {
  (void)state;
  jloads_driver_options o = jloads_driver_options_default();
  jloads_driver_work u = {.opt = &o};
  o.substep = 5e-4;
  o.max_substeps = 15;
  for (double h = 1e-5; h < 0.1; h *= 1.3) {
    int m = jloads_driver_substep_count(&u, h);
    assert_true(m % 2 == 0 && m >= 2 && m <= 14);
    if (m < 14) assert_true(h / m <= o.substep * (1.0 + 1e-9));
  }
  assert_int_equal(jloads_driver_substep_count(&u, 2e-3), 4);
}

typedef struct watch {
  int n, joined[2];
  double impulse[2], peak[2];
} watch;

static jo_status on_event(void* user, const jloads_driver_event* e, const double* y0) {
  watch* w = user;
  (void)y0;
  assert_true(e->t1 > e->t0 && e->t_peak >= e->t0 && e->t_peak <= e->t1);
  w->n++;
  w->joined[e->which]++;
  w->impulse[e->which] += e->impulse;
  if (fabs(e->peak) > fabs(w->peak[e->which])) w->peak[e->which] = e->peak;
  return JO_OK;
}

// Falls on the stop and leaves it: energy and momentum before and after the blow.
static watch strike(jo_context* ctx, double substep, double y[4], jloads_driver_statistics* stats,
                    double* lost) {
  two_masses k = {.stop = 2e6};
  jloads_driver_system s = two_system(&k);
  jloads_driver_options o = two_options(JLOADS_DRIVER_SUBCYCLE, 2e-3);
  o.substep = substep;
  o.max_substeps = 1000;
  watch w = {0};
  jloads_driver_observer obs = {.user = &w, .event = on_event};
  const double start[4] = {0.01, 1.0, -2.0, -2.0};
  memcpy(y, start, sizeof start);
  assert_ok(ctx, jloads_driver_run(ctx, &s, &o, &obs, 0.0, 0.03, y, NULL, stats));
  *lost = two_energy(&k, start) - two_energy(&k, y);
  return w;
}

static void test_subcycle_blow_keeps_energy_and_momentum(void** state) {
  jloads_driver_statistics stats;
  double y[4], lost;
  watch w = strike(two_context(state), 2e-5, y, &stats, &lost);
  double first = two_M[0] * (y[2] + 2.0) + two_M[1] * (y[3] + 2.0);
  double second = two_M[2] * (y[2] + 2.0) + two_M[3] * (y[3] + 2.0);
  assert_true(y[0] > 0.0 && y[2] > 0.0);
  assert_int_equal(w.joined[1], 0);
  assert_true(w.joined[0] >= 1 && stats.stiff_steps >= 1);
  // the impulse is a sum over substeps, of first order in them
  assert_near(w.impulse[0], first, 0.01 * first);
  assert_near(second, 0.0, 1e-9);
  assert_near(lost, 0.0, 1e-3);
  // peak of a harmonic blow: v sqrt(k m), m: what the stop feels, 1 / (D M^-1 D)
  double felt = (two_M[0] * two_M[3] - two_M[1] * two_M[2]) / two_M[3];
  assert_near(w.peak[0], 2.0 * sqrt(2e6 * felt), 0.01 * w.peak[0]);
}

static void test_subcycle_converges_with_its_substeps(void** state) {
  double lost[2];
  for (int i = 0; i < 2; i++) {
    jloads_driver_statistics stats;
    double y[4];
    strike(two_context(state), i ? 1e-5 : 4e-5, y, &stats, &lost[i]);
  }
  assert_true(fabs(lost[1]) < 0.2 * fabs(lost[0]));
}

// What is slow, weight and a soft spring, is followed through the blow by its values at three places of the step.
static void test_subcycle_follows_the_rest_through_a_blow(void** state) {
  two_masses k = {.stop = 2e6, .spring = 2e3, .weight = 300.0};
  jloads_driver_system s = two_system(&k);
  jloads_driver_options o = two_options(JLOADS_DRIVER_SUBCYCLE, 2e-3);
  o.substep = 2e-5;
  o.max_substeps = 1000;
  jloads_driver_statistics stats;
  double y[4] = {0.01, 0.0, -2.0, -2.0}, fine[4], before = two_energy(&k, y);
  memcpy(fine, y, sizeof y);
  assert_ok(two_context(state),
            jloads_driver_run(two_context(state), &s, &o, NULL, 0.0, 0.03, y, NULL, &stats));
  assert_true(stats.stiff_steps >= 1);
  o = two_options(JLOADS_DRIVER_FIXED, 1e-6);
  assert_ok(two_context(state),
            jloads_driver_run(two_context(state), &s, &o, NULL, 0.0, 0.03, fine, NULL, NULL));
  for (int i = 0; i < 4; i++) {
    assert_near(y[i], fine[i], 1e-4 * (1.0 + fabs(fine[i])));
  }
  assert_near(two_energy(&k, y) / before, 1.0, 1e-3);
}

// Elements whose force is followed by a polynomial cost no substep.
static void test_subcycle_without_stiffness_is_the_fixed_driver(void** state) {
  double end[2][4], cost[2];
  for (int i = 0; i < 2; i++) {
    two_masses k = {.stop = 1e8, .spring = 30.0, .weight = 1.0};
    jloads_driver_system s = two_system(&k);
    jloads_driver_options o = two_options(i ? JLOADS_DRIVER_SUBCYCLE : JLOADS_DRIVER_FIXED, 1e-3);
    jloads_driver_statistics stats;
    double y[4] = {3.0, 2.0, 0.1, 0.0};
    assert_ok(two_context(state),
              jloads_driver_run(two_context(state), &s, &o, NULL, 0.0, 0.3, y, NULL, &stats));
    memcpy(end[i], y, sizeof y);
    cost[i] = stats.evaluations;
    assert_int_equal(stats.stiff_steps, 0);
  }
  assert_memory_equal(end[0], end[1], sizeof end[0]);
  assert_near(cost[0], cost[1], 0.0);
}

static void test_subcycle_never_costs_more_than_it_says(void** state) {
  two_masses k = {.stop = 1e9, .spring = 1e7, .weight = 50.0};
  jloads_driver_system s = two_system(&k);
  jloads_driver_options o = two_options(JLOADS_DRIVER_SUBCYCLE, 2e-3);
  jloads_driver_statistics stats;
  double y[4] = {0.05, 0.1, -3.0, 2.0};
  jloads_driver_run(two_context(state), &s, &o, NULL, 0.0, 0.2, y, NULL, &stats);
  assert_true(stats.guaranteed > 0.0 && stats.stiff_steps > 0);
  assert_true(stats.worst_step <= stats.guaranteed + 1e-9);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_subcycle_substeps_are_even_and_bounded),
      fixture_test(test_subcycle_blow_keeps_energy_and_momentum),
      fixture_test(test_subcycle_converges_with_its_substeps),
      fixture_test(test_subcycle_follows_the_rest_through_a_blow),
      fixture_test(test_subcycle_without_stiffness_is_the_fixed_driver),
      fixture_test(test_subcycle_never_costs_more_than_it_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
