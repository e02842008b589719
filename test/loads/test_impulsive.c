// SPDX-License-Identifier: Apache-2.0
// The impulsive driver: a coordinate that is reversed has the velocity it is told to have, the impulse that does
// it is what the momenta ask for, and the other coordinate feels nothing but that.
#include "loads/two_masses.h"

typedef struct watch {
  int n;
  jloads_driver_event event;
  double y0[4];
} watch;

static jo_status on_event(void* user, const jloads_driver_event* e, const double* y0) {
  watch* w = user;
  if (w->n++ > 0) return JO_OK;
  w->event = *e;
  memcpy(w->y0, y0, sizeof w->y0);
  return JO_OK;
}

// One step into the stop: velocity v0 becomes -restitution v0, and the momentum of both the impulse on the first.
static void test_impulsive_reverses_one_coordinate(void** state) {
  static const double restitution[] = {1.0, 0.6, 0.0};
  static const bool second_stays[2] = {false, true};
  for (int i = 0; i < 3; i++) {
    two_masses k = {.stop = 1e8};
    jloads_driver_system s = two_system(&k);
    s.irreversible = second_stays;
    jloads_driver_options o = two_options(JLOADS_DRIVER_IMPULSIVE, 1e-3);
    o.restitution = restitution[i];
    o.tolerance = 1e-3;
    watch w = {0};
    jloads_driver_observer obs = {.user = &w, .event = on_event};
    jloads_driver_statistics stats;
    double y[4] = {-1e-4, 1.0, -2.0, 0.5}, before[4];
    memcpy(before, y, sizeof y);
    assert_ok(two_context(state),
              jloads_driver_run(two_context(state), &s, &o, &obs, 0.0, 1e-3, y, NULL, &stats));
    assert_int_equal(stats.stiff_steps, 1);
    assert_int_equal(w.n, 1);
    assert_int_equal(w.event.which, 0);
    assert_memory_equal(w.y0, before, sizeof before);
    assert_near(y[2], -restitution[i] * before[2], 1e-12);
    // row of the other coordinate: M10 dv0 + M11 dv1 = 0, forces being those on the first alone
    assert_near(two_M[2] * (y[2] - before[2]) + two_M[3] * (y[3] - before[3]), 0.0, 1e-9);
    // row of the first: the impulse is what the stop's own force, at the nodes of the step, is short of
    double own = two_M[0] * (y[2] - before[2]) + two_M[1] * (y[3] - before[3]);
    double last = before[0] - 2.0 * restitution[i] * 1e-3 * 0.5 * before[2];
    double pushed = 1e8 * (1e-4 + 4.0 * 1.1e-3 + fmax(0.0, -last)) * 1e-3 / 6.0;
    assert_near(w.event.impulse, own - pushed, 1e-9 * pushed);
    assert_near(y[0], before[0] + 1e-3 * 0.5 * (before[2] + y[2]), 1e-12);
  }
}

// Nothing stiff: the steps of the fixed driver, to the bit.
static void test_impulsive_without_events_is_the_fixed_driver(void** state) {
  double end[2][4];
  for (int i = 0; i < 2; i++) {
    two_masses k = {.stop = 1e8, .spring = 30.0, .weight = 1.0};
    jloads_driver_system s = two_system(&k);
    jloads_driver_options o = two_options(i ? JLOADS_DRIVER_IMPULSIVE : JLOADS_DRIVER_FIXED, 1e-3);
    double y[4] = {3.0, 2.0, 0.1, 0.0};
    assert_ok(two_context(state),
              jloads_driver_run(two_context(state), &s, &o, NULL, 0.0, 0.3, y, NULL, NULL));
    memcpy(end[i], y, sizeof y);
  }
  assert_memory_equal(end[0], end[1], sizeof end[0]);
}

// A coordinate that is no velocity of its own is never reversed.
static void test_impulsive_leaves_irreversible_coordinates_alone(void** state) {
  static const bool fixed[2] = {true, true};
  two_masses k = {.stop = 1e8};
  jloads_driver_system s = two_system(&k);
  s.irreversible = fixed;
  jloads_driver_options o = two_options(JLOADS_DRIVER_IMPULSIVE, 1e-3);
  jloads_driver_statistics stats;
  double y[4] = {-1e-4, 1.0, -2.0, 0.5};
  assert_ok(two_context(state),
            jloads_driver_run(two_context(state), &s, &o, NULL, 0.0, 1e-3, y, NULL, &stats));
  assert_int_equal(stats.stiff_steps, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_impulsive_reverses_one_coordinate),
      fixture_test(test_impulsive_without_events_is_the_fixed_driver),
      fixture_test(test_impulsive_leaves_irreversible_coordinates_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
