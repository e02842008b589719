// SPDX-License-Identifier: Apache-2.0
// Every joint type in a tree where nothing is aligned: agreement with Newton-Euler in absolute
// coordinates, energy, mass matrix, inverse dynamics, and both back ends.
#include "support/laws.h"

#define MODEL(name) "test/models/" name ".yaml"

// Rounding of two different algorithms on condition numbers of some hundreds.
static void test_accelerations_are_those_of_the_oracle(void** state) {
  law_oracle(*state, 0.4, 2.0, 1e-11);
}

static void test_mass_matrix_is_positive_definite_and_of_the_energy(void** state) {
  law_mass_matrix(*state);
}

static void test_forward_dynamics_undo_inverse_dynamics(void** state) {
  law_forward_of_inverse(*state);
}

static void test_energy_is_conserved_without_dissipation(void** state) {
  const jmodel_setting set[] = {{"c", "0"}, {"f", "0"}};
  law_run run = law_constant(*state, set, 2, "conserved", 1.0, 1e-11);
  assert_true(run.steps > 20);
  assert_true(run.kinetic > 0.3);
  assert_near(run.drift, 0.0, 1e-8);
}

static void test_energy_is_the_work_done(void** state) {
  law_run run = law_constant(*state, NULL, 0, "balance", 1.0, 1e-11);
  assert_near(run.drift, 0.0, 1e-8);
  assert_near(run.gap, 0.0, 1e-12);
}

static void test_compiled_is_interpreted(void** state) {
  law_backends(*state);
}

// A body that looks the same at every angle is not turned in the equations, but its points are.
static void test_mark_on_a_disc_turns_with_it(void** state) {
  rig r;
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = JKERNEL_INTERP;
  const jmodel_setting set[] = {{"initial.arm.rate", "0"}};
  rig_open(&r, *state, set, 1, &opt);
  int disc = jmodel_find_coordinate(r.m, "disc");
  assert_near(fabs(r.q[disc]), 0.4, 1e-11);
  assert_near(rig_output(&r, "mark_z"), 0.3 * cos(0.4), 1e-11);
  assert_near(fabs(rig_output(&r, "mark_x") - 0.5), 0.3 * sin(0.4), 1e-11);
  rig_close(&r);
}

#define LAW(name, f) \
  { name ": " #f, f, NULL, NULL, (void*)MODEL(name) }
#define LAWS(name)                                                        \
  LAW(name, test_accelerations_are_those_of_the_oracle),                  \
      LAW(name, test_mass_matrix_is_positive_definite_and_of_the_energy), \
      LAW(name, test_energy_is_conserved_without_dissipation),            \
      LAW(name, test_energy_is_the_work_done), LAW(name, test_compiled_is_interpreted)

int main(void) {
  const struct CMUnitTest tests[] = {
      LAWS("joint_fixed"),
      LAWS("joint_revolute"),
      LAWS("joint_prismatic"),
      LAWS("joint_cylindrical"),
      LAWS("joint_universal"),
      LAWS("joint_spherical"),
      LAWS("joint_planar"),
      LAWS("joint_pin_slot"),
      LAWS("joint_free"),
      LAWS("joint_hub"),
      LAW("joint_fixed", test_forward_dynamics_undo_inverse_dynamics),
      LAW("joint_revolute", test_forward_dynamics_undo_inverse_dynamics),
      LAW("joint_prismatic", test_forward_dynamics_undo_inverse_dynamics),
      LAW("joint_cylindrical", test_forward_dynamics_undo_inverse_dynamics),
      LAW("joint_universal", test_forward_dynamics_undo_inverse_dynamics),
      LAW("joint_spherical", test_forward_dynamics_undo_inverse_dynamics),
      LAW("joint_planar", test_forward_dynamics_undo_inverse_dynamics),
      LAW("joint_pin_slot", test_forward_dynamics_undo_inverse_dynamics),
      LAW("joint_free", test_forward_dynamics_undo_inverse_dynamics),
      LAW("joint_hub", test_forward_dynamics_undo_inverse_dynamics),
      // articulated bodies in place of the mass matrix
      LAW("long_tree", test_accelerations_are_those_of_the_oracle),
      LAW("long_tree", test_energy_is_the_work_done),
      LAW("long_tree", test_compiled_is_interpreted),
      LAW("long_tree_hub", test_accelerations_are_those_of_the_oracle),
      LAW("long_tree_hub", test_energy_is_the_work_done),
      LAW("disc", test_accelerations_are_those_of_the_oracle),
      LAW("disc", test_mark_on_a_disc_turns_with_it),
      LAW("forces", test_accelerations_are_those_of_the_oracle),
      LAW("forces", test_energy_is_the_work_done),
      LAW("forces", test_compiled_is_interpreted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
