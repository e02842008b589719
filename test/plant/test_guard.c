// SPDX-License-Identifier: Apache-2.0
// Runs that would leave what their equations hold for are ended, or not begun, with a message.
#include "plant/check/guard.h"

#include "loads/loads.h"
#include "plant/check/finite.h"
#include "plant/simulate.h"
#include "sens/sens.h"
#include "support/fixture.h"

#define WHEEL "test/models/rolling_wheel.yaml"
#define BEAM  "test/models/parallelogram.yaml"

static jkernel_options interpreted(void) {
  jkernel_options k = jkernel_options_default();
  k.backend = JKERNEL_INTERP;
  return k;
}

// Status of a run and, in *t, how far it came; NaN: it did not begin.
static jo_status simulate(const fixture* f, double* t) {
  jplant_options opt = fixture_interpreted();
  jplant* plant;
  jplant_result* r;
  assert_ok(f->ctx, jplant_create(f->ctx, f->m, &opt, &plant));
  jo_status status = jplant_simulate(f->ctx, plant, NULL, &r);
  *t = r ? r->t_reached : NAN;
  jplant_result_destroy(r);
  jplant_destroy(plant);
  return status;
}

// The same by the driver of load prediction, whose equations have no switches.
static jo_status predict_loads(const fixture* f, double* t) {
  jkernel_options k = interpreted();
  jloads* loads;
  jloads_result* r;
  jloads_options opt = jloads_options_default(f->m);
  assert_ok(f->ctx, jloads_create(f->ctx, f->m, &k, &loads));
  jo_status status = jloads_run(f->ctx, loads, &opt, &r);
  *t = r ? r->t_end : NAN;
  jloads_result_destroy(r);
  jloads_destroy(loads);
  return status;
}

// And of a run for derivatives, at other values of the parameters when there are any.
static jo_status differentiate(const fixture* f, const double* p) {
  jsens_setup setup = {.kernel = interpreted()};
  jsens* sens;
  jsens_result* r = NULL;
  jsens_options opt = jsens_options_default(f->m);
  assert_ok(f->ctx, jsens_create(f->ctx, f->m, &setup, &sens));
  opt.p = p;
  jo_status status = jsens_run(f->ctx, sens, JSENS_VALUE, &opt, &r);
  jsens_result_destroy(r);
  jsens_destroy(sens);
  return status;
}

static void assert_says(const fixture* f, const char* text) {
  if (!strstr(jo_context_message(f->ctx), text)) print_error("%s\n", jo_context_message(f->ctx));
  assert_non_null(strstr(jo_context_message(f->ctx), text));
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 1);
}

// ---- wheels --------------------------------------------------------------------------------------

static void test_wheels_that_roll_are_left_alone(void** state) {
  (void)state;
  static const jmodel_setting set[][2] = {{{"speed", "5"}, {"side", "0"}},
                                          {{"speed", "-5"}, {"side", "3"}},
                                          {{"speed", "1"}, {"side", "2"}},
                                          {{"speed", "0"}, {"height", "6"}}};
  for (int i = 0; i < 4; i++) {
    double t;
    fixture* f = fixture_load(WHEEL, set[i], 2);
    assert_ok(f->ctx, simulate(f, &t));
    assert_true(t == 1.0);
    assert_ok(f->ctx, predict_loads(f, &t));
    assert_ok(f->ctx, differentiate(f, NULL));
    assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
    fixture_close(f);
  }
}

static void test_wheel_that_stands_at_the_start_is_refused(void** state) {
  (void)state;
  static const jmodel_setting set[] = {{"speed", "0"}, {"side", "0"}};
  double t;
  fixture* f = fixture_load(WHEEL, set, 2);
  assert_int_equal(simulate(f, &t), JO_ERR_MODEL);
  assert_true(isnan(t));
  assert_says(f, WHEEL ":19: tyre 'tyre': its wheel stands on the ground at t = 0 s");
  assert_says(f, "no force at standstill: start with a speed, or end the run before it stops");
  jo_context_clear(f->ctx);
  assert_int_equal(predict_loads(f, &t), JO_ERR_MODEL);
  assert_true(isnan(t));
  assert_says(f, "its wheel stands on the ground at t = 0 s");
  jo_context_clear(f->ctx);
  assert_int_equal(differentiate(f, NULL), JO_ERR_MODEL);
  assert_says(f, "its wheel stands on the ground at t = 0 s");
  fixture_close(f);
}

// Sliding across its plane the wheel would keep going without any friction.
static void test_wheel_that_begins_sideways_is_refused(void** state) {
  (void)state;
  static const jmodel_setting set[] = {{"speed", "0"}, {"side", "3"}};
  double t;
  fixture* f = fixture_load(WHEEL, set, 2);
  assert_int_equal(simulate(f, &t), JO_ERR_MODEL);
  assert_says(f, "while it moves straight across its plane");
  fixture_close(f);
}

static void test_wheel_that_comes_to_rest_ends_the_run(void** state) {
  (void)state;
  static const jmodel_setting set[] = {{"brake", "1200"}, {"speed", "5"}};
  double t;
  fixture* f = fixture_load(WHEEL, set, 2);
  assert_int_equal(simulate(f, &t), JO_ERR_MODEL);
  // v/(mu g) with nearly all of the mass braked
  assert_near(t, 5.0 / (0.9 * 9.81), 0.02);
  assert_says(f, "its wheel stands on the ground at t = 0.5");
  jo_context_clear(f->ctx);
  assert_int_equal(predict_loads(f, &t), JO_ERR_MODEL);
  assert_says(f, "its wheel stands on the ground at t = 0.");
  jo_context_clear(f->ctx);
  assert_int_equal(differentiate(f, NULL), JO_ERR_MODEL);
  assert_says(f, "its wheel stands on the ground at t = 0.5");
  fixture_close(f);
}

// It falls 0.2 m and has no speed when it touches the ground.
static void test_wheel_that_lands_without_speed_ends_the_run(void** state) {
  (void)state;
  static const jmodel_setting set[2][3] = {{{"speed", "0"}, {"height", "0.5"}, {"side", "0"}},
                                           {{"speed", "0"}, {"height", "0.5"}, {"side", "3"}}};
  static const char* const says[] = {"its wheel stands on the ground at t = 0.2019",
                                     "its wheel touches the ground at t = 0.2019"};
  for (int i = 0; i < 2; i++) {
    double t;
    fixture* f = fixture_load(WHEEL, set[i], 3);
    assert_int_equal(simulate(f, &t), JO_ERR_MODEL);
    assert_near(t, sqrt(2.0 * 0.2 / 9.81), 1e-6);
    assert_says(f, says[i]);
    fixture_close(f);
  }
}

// Statics and their vehicles at rest are not concerned.
static void test_wheel_may_stand_in_equilibrium(void** state) {
  (void)state;
  static const jmodel_setting set[] = {{"speed", "0"}};
  fixture* f = fixture_load(WHEEL, set, 1);
  jplant_options opt = fixture_interpreted();
  jmachine_equilibrium found;
  fixture_build(f, &opt);
  jplant* plant = f->plant;
  assert_ok(f->ctx, jplant_find_equilibrium(f->ctx, plant, 0.0, plant->y0, &found));
  assert_near(plant->y0[2], 0.3 - 260.0 * 9.81 / 2e5, 1e-9);
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
  fixture_close(f);
}

// ---- redundant equations -------------------------------------------------------------------------

static void test_redundant_equations_that_hold_are_left_alone(void** state) {
  (void)state;
  double t;
  fixture* f = fixture_load(BEAM, NULL, 0);
  assert_ok(f->ctx, simulate(f, &t));
  assert_ok(f->ctx, predict_loads(f, &t));
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
  fixture_close(f);
}

// The equations left out at the model's own values, at others that they do not follow from the rest at:
// the mechanism closes where it is assembled, and locks as soon as it moves.
static void test_redundant_equation_that_fails_ends_the_run(void** state) {
  (void)state;
  fixture* f = fixture_load(BEAM, NULL, 0);
  double p[] = {0.3, 1e-3, 2.0, 1.2};  // third, shift, load, start
  assert_int_equal(differentiate(f, p), JO_ERR_CONVERGENCE);
  assert_says(f, "followed from the others when the model was assembled");
  assert_says(f, "closure equation '");
  assert_says(f, "at t = 0.");
  jo_context_clear(f->ctx);
  p[0] = 0.301;
  p[1] = 0.0;
  assert_int_equal(differentiate(f, p), JO_ERR_CONVERGENCE);
  assert_says(f, "cannot be met");
  fixture_close(f);
}

// "loops closed to": all of them.
static void test_redundant_equations_count_in_the_residual(void** state) {
  (void)state;
  fixture* f = fixture_load(BEAM, NULL, 0);
  jplant_options opt = fixture_interpreted();
  fixture_build(f, &opt);
  const jplant* plant = f->plant;
  jplant_work* run = f->run;
  assert_true(plant->dynamics->part.nredundant > 0);
  double y[8];
  memcpy(y, plant->y0, (size_t)plant->dynamics->ny * sizeof *y);
  run->p[0] = 0.31;
  // equations kept are met by the projection, so that what is left is of those left out
  jo_status status = run->system.project(run->system.user, 0.0, y);
  assert_int_equal(status, JO_ERR_CONVERGENCE);
  assert_true(jmachine_closure(&run->machine, 0.0, y) > 1e-3);
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
  assert_int_equal(jmachine_close(&run->machine, 0.0, y), JO_ERR_CONVERGENCE);
  assert_says(f, "t = 0 s: " BEAM ": closure equation '");
  fixture_close(f);
}

// ---- objectives that drown in errors

static void test_integrals_of_squares_that_come_out_negative_are_told(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\nbodies: {b: {mass: 2}}\njoints: {x: {type: prismatic, child: b, axis: x}}\n"
      "forces: {s: {on: x, stiffness: 8}}\ninitial: {x: 0.5}\n"
      "objectives: {plain: {integral: x}, shake: {rms: x.acc}, hit: {peak: x.acc}}\n";
  fixture* f = fixture_parse("s.yaml", text);
  jplant_options opt = fixture_interpreted();
  fixture_build(f, &opt);
  const jgen_dynamics* d = f->plant->dynamics;
  double* y = JARENA_ARRAY(&f->a, d->ny, double);
  int first = jgen_first(&d->layout, JGEN_INTEGRAL);
  jplant_work* run;
  assert_ok(f->ctx, jplant_work_create(f->ctx, f->plant, NULL, &run));
  y[first] = -5.0;                      // may be negative
  y[first + 1] = y[first + 2] = -1e-9;  // within the tolerance: as good as zero
  assert_ok(f->ctx, jplant_resolved_objectives(run, y, 1e-8));
  y[first + 2] = -1e-7;
  assert_refused(f->ctx, jplant_resolved_objectives(run, y, 1e-8), JO_ERR_NUMERIC, "'hit'",
                 "power");
  jo_context_clear(f->ctx);
  y[first + 1] = -0.3;
  assert_refused(f->ctx, jplant_resolved_objectives(run, y, 1e-2), JO_ERR_NUMERIC, "'shake'",
                 "negative, -0.3");
  jplant_work_destroy(run);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_wheels_that_roll_are_left_alone),
      cmocka_unit_test(test_wheel_that_stands_at_the_start_is_refused),
      cmocka_unit_test(test_wheel_that_begins_sideways_is_refused),
      cmocka_unit_test(test_wheel_that_comes_to_rest_ends_the_run),
      cmocka_unit_test(test_wheel_that_lands_without_speed_ends_the_run),
      cmocka_unit_test(test_wheel_may_stand_in_equilibrium),
      cmocka_unit_test(test_redundant_equations_that_hold_are_left_alone),
      cmocka_unit_test(test_redundant_equation_that_fails_ends_the_run),
      cmocka_unit_test(test_redundant_equations_count_in_the_residual),
      cmocka_unit_test(test_integrals_of_squares_that_come_out_negative_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
