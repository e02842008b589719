// SPDX-License-Identifier: Apache-2.0
// Reactions and closure forces: a joint carries nothing along its own freedom, a free joint nothing
// at all, and together they hold up what hangs on them.
#include <math.h>
#include <string.h>

#include "support/check.h"
#include "support/laboratory.h"

static double output(const laboratory* l, const double* out, const char* name) {
  for (int i = 0; i < l->plant->dynamics->noutput; i++) {
    if (strcmp(l->plant->dynamics->output_name[i], name) == 0) return out[i];
  }
  fail_msg("no output %s", name);
  return NAN;
}

static void open_with_outputs(laboratory* l, const char* text, double* out) {
  laboratory_open(l, "models/buggy/reactions.yaml", text, NULL);
  assert_true(l->plant->dynamics->noutput < 256);
  laboratory_disturb(l, 7, 1e-2);
  jplant_outputs(l->run, l->t, l->y, out);
}

static void test_joints_carry_nothing_along_their_freedom(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\n"
      "include: step_descent.yaml\n"
      "sensors:\n"
      "  free_fx: chassis.fx\n  free_fz: chassis.fz\n  free_my: chassis.my\n"
      "  lower_mx: lower_fr.mx\n  upper_mx: upper_fl.mx\n  arm_mx: arm_rr.mx\n"
      "  king_mx: kingpin_fr.mx\n  king_my: kingpin_fr.my\n  king_mz: kingpin_fr.mz\n"
      "  lower_fy: lower_fr.fy\n"
      "  rack_fx: rack.fx\n  rack_drive: rack.drive_force\n"
      "  ball_1: upper_ball_fr.force1\n";
  static const char* const zero[] = {"free_fx", "free_fz", "free_my", "lower_mx", "upper_mx",
                                     "arm_mx",  "king_mx", "king_my", "king_mz"};
  laboratory l;
  double out[256];
  open_with_outputs(&l, text, out);
  // rounding of forces of some 1e4 N
  for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) {
    assert_near(output(&l, out, zero[i]), 0.0, 1e-7);
  }
  assert_near(output(&l, out, "rack_fx"), output(&l, out, "rack_drive"), 1e-7);
  assert_true(fabs(output(&l, out, "lower_fy")) > 1.0);
  assert_true(fabs(output(&l, out, "ball_1")) > 1e-3);
  laboratory_close(&l);
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
  laboratory l;
  double out[256];
  laboratory_open(&l, "pendulum.yaml", text, NULL);
  jplant_outputs(l.run, l.t, l.y, out);
  assert_near(output(&l, out, "fz"), 2.0 * 10.0 + 2.0 * 9.0 * 0.5, 1e-12);
  assert_near(output(&l, out, "fx"), 0.0, 1e-12);
  assert_near(output(&l, out, "mx"), 0.0, 1e-12);
  assert_near(output(&l, out, "my"), 0.0, 1e-12);
  laboratory_close(&l);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joints_carry_nothing_along_their_freedom),
      cmocka_unit_test(test_pendulum_reaction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
