// SPDX-License-Identifier: Apache-2.0
// Reactions and closure forces: a joint carries nothing along its own freedom, a free joint nothing
// at all, and together they hold up what hangs on them.
#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/rig.h"

static void test_joints_carry_nothing_along_their_freedom(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\n"
      "include: step_descent.yaml\n"
      "sensors:\n"
      "  free_fx: chassis.fx\n  free_fz: chassis.fz\n  free_my: chassis.my\n"
      "  lower_mx: fr.lower.mx\n  upper_mx: fl.upper.mx\n  arm_mx: rr.arm.mx\n"
      "  king_mx: fr.kingpin.mx\n  king_my: fr.kingpin.my\n  king_mz: fr.kingpin.mz\n"
      "  lower_fy: fr.lower.fy\n"
      "  rack_fx: steering.rack.fx\n  rack_drive: steering.rack.drive_force\n"
      "  ball_1: fr.ball.force1\n";
  static const char* const zero[] = {"free_fx", "free_fz", "free_my", "lower_mx", "upper_mx",
                                     "arm_mx",  "king_mx", "king_my", "king_mz"};
  rig r;
  rig_open_text(&r, "models/buggy/reactions.yaml", text, NULL);
  rig_disturb(&r, 7, 1e-2);
  // rounding of forces of some 1e4 N
  for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) {
    assert_near(rig_output(&r, zero[i]), 0.0, 1e-7);
  }
  assert_near(rig_output(&r, "rack_fx"), rig_output(&r, "rack_drive"), 1e-7);
  assert_true(fabs(rig_output(&r, "lower_fy")) > 1.0);
  assert_true(fabs(rig_output(&r, "ball_1")) > 1e-3);
  rig_close(&r);
}

// A pendulum on a fixed arm: the joint holds weight and centripetal force. Mass 2 kg, arm 0.5 m along
// -z, rate 3 rad/s through the lowest point: m g + m w^2 l upwards.
static void test_pendulum_reaction(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\nname: p\ngravity: [0, 0, -10]\n"
      "bodies:\n  bob: {mass: 2, com: [0, 0, -0.5], inertia: [0.1, 0.2, 0.3]}\n"
      "joints:\n  pin: {type: revolute, parent: ground, child: bob, at: [0, 0, 0], axis: y}\n"
      "initial: {pin: {value: 0, rate: 3}}\n"
      "sensors: {fx: pin.fx, fz: pin.fz, mx: pin.mx, my: pin.my}\n";
  rig r;
  rig_open_text(&r, "pendulum.yaml", text, NULL);
  assert_near(rig_output(&r, "fz"), 2.0 * 10.0 + 2.0 * 9.0 * 0.5, 1e-12);
  assert_near(rig_output(&r, "fx"), 0.0, 1e-12);
  assert_near(rig_output(&r, "mx"), 0.0, 1e-12);
  assert_near(rig_output(&r, "my"), 0.0, 1e-12);
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joints_carry_nothing_along_their_freedom),
      cmocka_unit_test(test_pendulum_reaction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
