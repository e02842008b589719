// SPDX-License-Identifier: Apache-2.0
// Every closure type in a ring where nothing is aligned: agreement with Newton-Euler in absolute
// coordinates, energy, loops that stay closed, redundant equations, driven coordinates and the
// impulses where their rates jump.
#include <unistd.h>

#include "support/gradient.h"
#include "support/laws.h"

#define MODEL(name) "test/models/closure_" name ".yaml"

static void test_accelerations_are_those_of_the_oracle(void** state) {
  law_oracle(*state, 0.1, 1.0, 1e-11);
}

static void test_mass_matrix_is_positive_definite_and_of_the_energy(void** state) {
  law_mass_matrix(*state);
}

// Reactions of joints and closures do no work, or the energy would not stay.
static void test_energy_is_conserved_without_dissipation(void** state) {
  const jmodel_setting set[] = {{"c", "0"}};
  law_run run = law_constant(*state, set, 1, "conserved", 0.5, 1e-11);
  assert_true(run.steps > 20);
  assert_true(run.kinetic > 0.3);
  assert_near(run.drift, 0.0, 1e-8);
}

static void test_energy_is_the_work_done_and_loops_stay_closed(void** state) {
  law_run run = law_constant(*state, NULL, 0, "balance", 0.5, 1e-11);
  assert_near(run.drift, 0.0, 1e-8);
  assert_near(run.gap, 0.0, 1e-10);
}

// Closed by projection, not by small steps.
static void test_loops_stay_closed_at_loose_tolerances(void** state) {
  law_run run = law_constant(*state, NULL, 0, "balance", 0.5, 1e-4);
  assert_near(run.gap, 0.0, 1e-10);
}

static void test_compiled_is_interpreted(void** state) {
  law_backends(*state);
}

static void test_degrees_of_freedom_and_redundant_equations_are_counted(void** state) {
  (void)state;
  static const struct {
    const char* path;
    int dof, dependent, redundant, driven;
  } expected[] = {
      {MODEL("ball"), 2, 3, 0, 0},          {MODEL("revolute"), 1, 5, 0, 0},
      {MODEL("point_on_line"), 2, 2, 0, 0}, {MODEL("distance"), 6, 1, 0, 0},
      {MODEL("parallel"), 4, 2, 0, 0},      {MODEL("perpendicular"), 5, 1, 0, 0},
      {MODEL("planar"), 1, 2, 3, 0},        {MODEL("tether"), 9, 1, 0, 0},
      {MODEL("driven"), 1, 3, 0, 1},        {MODEL("point_in_plane"), 3, 1, 0, 0},
      {MODEL("universal"), 2, 4, 0, 0},     {MODEL("cylindrical"), 2, 4, 0, 0},
      {MODEL("prismatic"), 2, 5, 0, 0},     {MODEL("fixed"), 4, 6, 0, 0},
      {MODEL("planes"), 3, 3, 0, 0},
  };
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    rig r;
    jplant_options opt = jplant_options_default();
    opt.kernel.backend = JKERNEL_INTERP;
    rig_open(&r, expected[i].path, NULL, 0, &opt);
    assert_int_equal(r.d->part.nu, expected[i].dof);
    assert_int_equal(r.d->part.nv, expected[i].dependent);
    assert_int_equal(r.d->part.nredundant, expected[i].redundant);
    assert_int_equal(r.d->part.nd, expected[i].driven);
    rig_close(&r);
  }
}

// Held as in the design position and in no other: half a turn away the axes are parallel, too.
static void test_fixed_closure_is_closed_from_any_side(void** state) {
  (void)state;
  static const char* const guess[] = {"{a: 2.9}", "{b: 1.4, c: 2.5}", "{a: 3.1, c: -0.4}",
                                      "{c: -3.0}"};
  for (size_t i = 0; i < sizeof guess / sizeof *guess; i++) {
    char text[512];
    snprintf(text, sizeof text,
             "jounce: 1\nname: weld\nbodies: {arm: {mass: 1, inertia: [1, 1, 1]}, end: {mass: 1, "
             "inertia: [1, 1, 1]}}\njoints:\n  arm: {type: revolute, child: arm, axis: z}\n"
             "  end: {type: spherical, parent: arm, child: end, at: [1, 0.2, 0], guess: %s}\n"
             "closures: {weld: {type: fixed, a: ground.x, b: end.x}}\n"
             "hardpoints: {x: [1, 0.2, 0]}\n",
             guess[i]);
    rig r;
    jplant_options opt = fixture_interpreted();
    rig_open_text(&r, "weld.yaml", text, &opt);
    for (int k = 0; k < r.m->ncoordinate; k++) {
      double turns = r.q[k] / 6.283185307179586;
      assert_near(turns, round(turns), 1e-9);
    }
    rig_close(&r);
  }
}

// ---- derivatives -----------------------------------------------------------------------------------

static void test_derivatives_are_those_of_differences_by_both_methods(void** state) {
  static const char* const number[] = {"hardpoints.C.x", "hardpoints.B.z", "k1",
                                       "bodies.right.mass", "hardpoints.D.y"};
  static const double size[] = {0.3, 0.3, 200, 2, 0.3};
  enum { COUNT = sizeof number / sizeof *number };
  fixture* f = fixture_open();
  const char* path = fixture_below(f, "sens.yaml");
  char here[1024];
  assert_non_null(getcwd(here, sizeof here));
  FILE* out = fopen(path, "w");
  assert_non_null(out);
  fprintf(out,
          "jounce: 1\ninclude: %s/%s\nobjectives:\n  e: {final: energy.kinetic}\n"
          "  f: {mean: ring.force1}\nsimulation: {end: 0.15}\n",
          here, (const char*)*state);
  fclose(out);
  gradient g;
  gradient_open(&g, path, NULL, 0, number, COUNT, JKERNEL_INTERP);
  gradient_law(&g, size, 3, 1e-6, 1e-9);
  gradient_close(&g);
  fixture_close(f);
}

// ---- driven coordinates --------------------------------------------------------------------------

static void test_driving_force_is_that_of_the_oracle(void** state) {
  rig r;
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = JKERNEL_INTERP;
  rig_open(&r, *state, NULL, 0, &opt);
  oracle* o = oracle_create(r.ctx, r.m);
  int left = jmodel_find_coordinate(r.m, "left");
  for (int k = 1; k < 8; k++) {
    double qdd[8], force[8];
    oracle_report report;
    rig_integrate(&r, 0.13 * k, 1e-10, NULL, NULL);
    oracle_accelerations(o, r.t, r.q, r.qd, qdd, force, &report);
    assert_near(rig_against_oracle(&r, o, NULL), 0.0, 1e-11);
    assert_near(r.qdd[left], qdd[left], 1e-12);
    assert_near(rig_output(&r, "drive_force"), force[left], 1e-10);
  }
  oracle_destroy(o);
  rig_close(&r);
}

typedef struct jump {
  rig* r;
  const oracle* o;
  int seen;
  double balance;         // at the start, then with the work of the impulse
  double drift, kinetic;  // largest
} jump;

static void show(jump* j, double t, const double* y) {
  j->r->t = t;
  memcpy(j->r->y, y, (size_t)j->r->d->ny * sizeof *y);
  rig_look(j->r);
}

static jo_status check_jump(void* user, const jsolve_event* e, const double* before,
                            const double* after) {
  jump* j = user;
  rig* r = j->r;
  int left = jmodel_find_coordinate(r->m, "left");
  double qd[8], expected[8], impulse[8];
  assert_near(e->t, 0.4, 1e-12);
  double* mode = &r->run->mode[e->which];
  *mode = 1.0 - *mode;
  show(j, e->t, before);
  *mode = 1.0 - *mode;
  memcpy(qd, r->qd, sizeof(double) * (size_t)r->m->ncoordinate);
  double T = rig_output(r, "energy.kinetic");
  show(j, e->t, after);
  expected[left] = r->qd[left];
  assert_near(qd[left], 0.6 * cos(1.2), 1e-12);
  assert_near(r->qd[left], -0.5, 1e-12);
  oracle_jump(j->o, e->t, r->q, qd, expected, impulse);
  for (int i = 0; i < r->m->ncoordinate; i++) {
    assert_near(r->qd[i], expected[i], 1e-11);
  }
  // an impulse works with the mean of the rates before and after
  double work = impulse[left] * 0.5 * (qd[left] + expected[left]);
  assert_near(rig_output(r, "energy.kinetic") - T, work, 1e-11);
  j->balance += work;
  j->seen++;
  return JO_OK;
}

static jo_status check_balance(void* user, const jsolve_step* s) {
  jump* j = user;
  show(j, s->t1, s->y1);
  if (s->t1 == 0.4) return JO_OK;  // of either side
  j->kinetic = fmax(j->kinetic, rig_output(j->r, "energy.kinetic"));
  j->drift = fmax(j->drift, fabs(rig_output(j->r, "balance") - j->balance));
  return JO_OK;
}

static void test_jump_of_a_driven_rate_is_an_impulse(void** state) {
  rig r;
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = JKERNEL_INTERP;
  rig_open(&r, *state, NULL, 0, &opt);
  oracle* o = oracle_create(r.ctx, r.m);
  jump j = {.r = &r, .o = o, .balance = rig_output(&r, "balance")};
  jsolve_observer obs = {.user = &j, .event = check_jump, .step = check_balance};
  jsolve_options solve = jsolve_options_default();
  jsolve_statistics stats;
  double reached, y[16];
  assert_in_range(r.d->ny, 1, 16);
  memcpy(y, r.y, sizeof(double) * (size_t)r.d->ny);
  solve.rel_tol = solve.abs_tol = 1e-11;
  assert_ok(r.ctx,
            jsolve_integrate(r.ctx, &r.run->system, &solve, &obs, 0.0, 1.0, y, &reached, &stats));
  assert_int_equal(j.seen, 1);
  assert_near(j.drift / j.kinetic, 0.0, 1e-8);
  oracle_destroy(o);
  rig_close(&r);
}

#define LAW(name, f) \
  { name ": " #f, f, NULL, NULL, (void*)MODEL(name) }
#define LAWS(name)                                                        \
  LAW(name, test_accelerations_are_those_of_the_oracle),                  \
      LAW(name, test_mass_matrix_is_positive_definite_and_of_the_energy), \
      LAW(name, test_energy_is_conserved_without_dissipation),            \
      LAW(name, test_energy_is_the_work_done_and_loops_stay_closed),      \
      LAW(name, test_loops_stay_closed_at_loose_tolerances),              \
      LAW(name, test_compiled_is_interpreted)

int main(void) {
  const struct CMUnitTest tests[] = {
      LAWS("ball"),
      LAWS("revolute"),
      LAWS("point_on_line"),
      LAWS("distance"),
      LAWS("parallel"),
      LAWS("perpendicular"),
      LAWS("planar"),
      LAWS("tether"),
      LAWS("point_in_plane"),
      LAWS("universal"),
      LAWS("cylindrical"),
      LAWS("prismatic"),
      LAWS("planes"),
      LAWS("fixed"),
      cmocka_unit_test(test_degrees_of_freedom_and_redundant_equations_are_counted),
      cmocka_unit_test(test_fixed_closure_is_closed_from_any_side),
      LAW("point_in_plane", test_derivatives_are_those_of_differences_by_both_methods),
      LAW("universal", test_derivatives_are_those_of_differences_by_both_methods),
      LAW("cylindrical", test_derivatives_are_those_of_differences_by_both_methods),
      LAW("prismatic", test_derivatives_are_those_of_differences_by_both_methods),
      LAW("planes", test_derivatives_are_those_of_differences_by_both_methods),
      LAW("fixed", test_derivatives_are_those_of_differences_by_both_methods),
      LAW("driven", test_accelerations_are_those_of_the_oracle),
      LAW("driven", test_driving_force_is_that_of_the_oracle),
      LAW("driven", test_jump_of_a_driven_rate_is_an_impulse),
      LAW("driven", test_compiled_is_interpreted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
