// SPDX-License-Identifier: Apache-2.0
// Plants: what is wrong with a model only numbers show, and messages that speak of the model.
#include <string.h>

#include "study/plant.h"
#include "support/check.h"

static jmodel* parse(jo_context* ctx, const char* text, const jmodel_setting* set, int nset) {
  jmodel* m;
  assert_ok(ctx, jmodel_parse(ctx, text, strlen(text), "test.yaml", set, nset, &m));
  return m;
}

static void test_negative_mass_of_a_parameter(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\nname: p\nparameters: {m: 2}\n"
      "bodies:\n  bob: {mass: m, com: [0, 0, -1], inertia: [1, 1, 1]}\n"
      "joints: {pin: {type: revolute, parent: ground, child: bob, at: [0, 0, 0], axis: y}}\n";
  jmodel_setting set = {"m", "-3"};
  jo_context* ctx;
  jo_context_create(NULL, &ctx);
  jmodel* m = parse(ctx, text, &set, 1);
  jstudy_plant* p;
  assert_int_equal(jstudy_plant_create(ctx, m, NULL, &p), JO_ERR_MODEL);
  assert_null(p);
  assert_string_equal(jo_context_message(ctx),
                      "test.yaml:5: body 'bob': mass is -3 kg; it must not be negative");
  jmodel_destroy(m);
  jo_context_destroy(ctx);
}

// A load that is not a number from t = 0.5 s on: the message names the rate it spoils.
static void test_messages_name_states(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\nname: p\n"
      "bodies: {bob: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {rail: {type: prismatic, parent: ground, child: bob, axis: x}}\n"
      "forces: {push: {on: rail, torque: \"sqrt(0.5 - t)\"}}\n";
  jo_context* ctx;
  jo_context_create(NULL, &ctx);
  jmodel* m = parse(ctx, text, NULL, 0);
  jstudy_plant* p;
  jstudy_run* run;
  assert_ok(ctx, jstudy_plant_create(ctx, m, NULL, &p));
  assert_ok(ctx, jstudy_run_create(ctx, p, &run));
  jsolve_options opt = jsolve_options_default();
  double y[2] = {0.0, 0.0}, t;
  jo_status status = jsolve_integrate(ctx, &run->system, &opt, NULL, 0.0, 1.0, y, &t, NULL);
  assert_int_equal(status, JO_ERR_NUMERIC);
  assert_non_null(strstr(jo_context_message(ctx), "'rail.rate' or its derivative is not finite"));
  jstudy_run_destroy(run);
  jstudy_plant_destroy(p);
  jmodel_destroy(m);
  jo_context_destroy(ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_negative_mass_of_a_parameter),
      cmocka_unit_test(test_messages_name_states),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
