// SPDX-License-Identifier: Apache-2.0
// Models and systems as users look at them: lists are as long as counts say, and say what the file says.
#include "api/objects.h"

#define FOUR_BAR "models/mechanisms/four_bar.yaml"

static void test_model_says_what_the_file_says(void** state) {
  fixture* f = *state;
  const jo_setting set[] = {{"k", "17000"}, {"c", "1200"}};
  fixture_model(f, QUARTER_CAR, set, 2);
  assert_string_equal(jo_model_name(f->model), "sweep_quarter_car");
  assert_string_equal(jo_model_description(f->model), "");
  assert_string_equal(jo_model_path(f->model), QUARTER_CAR);
  assert_string_equal(jo_model_settings(f->model), "k=17000, c=1200");
  assert_int_equal(strspn(jo_model_sha256(f->model), "0123456789abcdef"), 64);
  jo_parameter p;
  assert_int_equal(jo_model_parameter_at(f->model, 0, &p), JO_OK);
  assert_string_equal(p.name, "k");
  assert_string_equal(p.unit, "N/m");
  assert_string_equal(p.description, "spring");
  assert_true(p.value == 17000.0 && !p.is_computed);
  assert_int_equal(jo_model_parameter_at(f->model, 6, &p), JO_OK);
  assert_true(p.value == 34000.0 && p.is_computed);
}

// Units are those of the parameter's kind; what the model could do with a value is not asked.
static void test_model_quantities(void** state) {
  fixture* f = *state;
  static const struct {
    const char *name, *text;
    double value;  // NaN: it is none
  } row[] = {{"k", "25 N/mm", 25000.0},
             {"k", "0 kN/m", 0.0},
             {"k", "-3e2", -300.0},
             {"step", "8 cm", 0.08},
             {"k", "5 mm", NAN},
             {"k", "5 N/mmm", NAN},
             {"k", "2*c", NAN},
             {"k", "", NAN},
             {"k", "1e400 N/m", NAN},
             {"no", "1", NAN},
             {"bodies.body.mass", "1 kg", NAN}};
  fixture_model(f, QUARTER_CAR, NULL, 0);
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    double value = 7.0;
    jo_status status = jo_model_quantity(f->model, row[i].name, row[i].text, &value);
    assert_int_equal(status, isnan(row[i].value) ? JO_ERR_ARGUMENT : JO_OK);
    assert_true(value == (isnan(row[i].value) ? 7.0 : row[i].value));
  }
}

// What stands in them is compared with the reader in test/cli/test_schema.py.
static void test_schemas_are_of_models_and_studies(void** state) {
  fixture* f = *state;
  const char* path = fixture_below(f, "schema.json");
  assert_ok(f->ctx, jo_schema_write(f->ctx, "model", path));
  assert_ok(f->ctx, jo_schema_write(f->ctx, "study", path));
  assert_refused(f->ctx, jo_schema_write(f->ctx, "models", path), JO_ERR_ARGUMENT,
                 "schema of 'models': it must be model or study");
  jo_context_clear(f->ctx);
  assert_refused(f->ctx, jo_schema_write(f->ctx, "model", "/dev/null/a"), JO_ERR_FILE,
                 "/dev/null/a");
}

// The digest is that of all that was read: settings are no part of it, the text is.
static void test_model_digest_is_that_of_the_text(void** state) {
  fixture* f = *state;
  static const char text[] =
      "jounce: 1\nbodies: {a: {mass: 1}}\njoints: {a: {type: free, child: a}}\n";
  static const char other[] =
      "jounce: 1\nbodies: {a: {mass: 2}}\njoints: {a: {type: free, child: a}}\n";
  const jo_setting set = {"bodies.a.mass", "3"};
  jo_model* m[3];
  assert_ok(f->ctx, jo_model_parse(f->ctx, text, strlen(text), "a.yaml", NULL, 0, &m[0]));
  assert_ok(f->ctx, jo_model_parse(f->ctx, text, strlen(text), "b.yaml", &set, 1, &m[1]));
  assert_ok(f->ctx, jo_model_parse(f->ctx, other, strlen(other), "a.yaml", NULL, 0, &m[2]));
  assert_string_equal(jo_model_sha256(m[0]), jo_model_sha256(m[1]));
  assert_string_not_equal(jo_model_sha256(m[0]), jo_model_sha256(m[2]));
  for (int i = 0; i < 3; i++) {
    jo_model_destroy(m[i]);
  }
}

static void test_model_lists_are_as_long_as_it_says(void** state) {
  fixture* f = *state;
  fixture_model(f, FOUR_BAR, NULL, 0);
  jo_model_info n = jo_model_inspect(f->model);
  jo_parameter p;
  jo_body b;
  jo_joint j;
  jo_closure c;
  int coordinates = 0;
  for (int i = 0; i < n.parameters; i++) {
    assert_int_equal(jo_model_parameter_at(f->model, i, &p), JO_OK);
    assert_true(*p.name && isfinite(p.value));
  }
  for (int i = 0; i < n.bodies; i++) {
    assert_int_equal(jo_model_body_at(f->model, i, &b), JO_OK);
    assert_true(*b.name && b.mass >= 0.0);
  }
  for (int i = 0; i < n.joints; i++) {
    assert_int_equal(jo_model_joint_at(f->model, i, &j), JO_OK);
    assert_true(*j.name && *j.type && *j.parent && *j.child);
    coordinates += j.ncoordinate;
  }
  assert_int_equal(coordinates, n.coordinates);
  assert_true(n.closures > 0);
  for (int i = 0; i < n.closures; i++) {
    assert_int_equal(jo_model_closure_at(f->model, i, &c), JO_OK);
    assert_true(*c.name && *c.type && *c.a && *c.b && c.nequation > 0);
  }
  assert_true(jo_model_parameter_at(f->model, n.parameters, &p) < 0);
  assert_true(jo_model_body_at(f->model, n.bodies, &b) < 0);
  assert_true(jo_model_joint_at(f->model, n.joints, &j) < 0);
  assert_true(jo_model_closure_at(f->model, n.closures, &c) < 0);
}

// ---- systems -------------------------------------------------------------------------------------

static void test_system_adds_up(void** state) {
  (void)state;
  static const char* const path[] = {FOUR_BAR, QUARTER_CAR, "test/models/parallelogram.yaml",
                                     "test/models/sens_loop.yaml"};
  for (size_t k = 0; k < sizeof path / sizeof *path; k++) {
    fixture* f = open_objects(path[k]);
    jo_system_info s = jo_system_inspect(f->system);
    jo_model_info n = jo_model_inspect(f->model);
    int role[3] = {0}, equations = 0;
    jo_coordinate c;
    for (int i = 0; jo_system_coordinate_at(f->system, i, &c) >= 0; i++) {
      role[c.role]++;
      assert_true(*c.name && *c.joint && (strcmp(c.unit, "m") == 0 || strcmp(c.unit, "rad") == 0));
      assert_true(isfinite(c.value) && isfinite(c.rate));
    }
    for (int i = 0; i < n.closures; i++) {
      jo_closure one;
      assert_int_equal(jo_model_closure_at(f->model, i, &one), JO_OK);
      equations += one.nequation;
    }
    assert_int_equal(role[JO_INDEPENDENT], s.independent);
    assert_int_equal(role[JO_DEPENDENT], s.dependent);
    assert_int_equal(role[JO_DRIVEN], s.driven);
    assert_int_equal(s.independent + s.dependent + s.driven, s.coordinates);
    assert_int_equal(s.coordinates, n.coordinates);
    assert_int_equal(s.dof, s.independent);
    assert_int_equal(s.closure_equations, equations);
    assert_int_equal(s.closure_equations - s.redundant, s.dependent);
    assert_true(s.equations_kept <= s.equations_generated && !s.is_compiled);
    assert_near(s.closure_residual, 0.0, 1e-9);
    fixture_close(f);
  }
}

// Elimination leaves no more of any kind of operation, and totals are sums.
static void test_system_operations_are_counted_by_kind(void** state) {
  (void)state;
  fixture* f = open_objects(FOUR_BAR);
  jo_operations o[2];
  for (int i = 0; i < 2; i++) {
    o[i] = jo_system_operations(f->system, i);
    assert_int_equal(o[i].add + o[i].subtract + o[i].multiply + o[i].divide + o[i].root +
                         o[i].trigonometric + o[i].function + o[i].logic + o[i].lookup,
                     o[i].total);
  }
  assert_true(o[1].total > 0 && o[1].total <= o[0].total);
  assert_true(o[1].trigonometric > 0);
  fixture_close(f);
}

static void test_system_names_redundant_equations_and_switches(void** state) {
  (void)state;
  fixture* f = open_objects("test/models/parallelogram.yaml");
  int redundant = jo_system_inspect(f->system).redundant;
  assert_true(redundant > 0);
  for (int i = 0; i < redundant; i++) {
    assert_true(*jo_system_redundant_name(f->system, i));
  }
  assert_null(jo_system_redundant_name(f->system, redundant));
  fixture_close(f);
  f = open_objects(QUARTER_CAR);
  int switches = jo_system_inspect(f->system).switches;
  assert_true(switches >= 2);
  for (int i = 0; i < switches; i++) {
    assert_true(*jo_system_switch_name(f->system, i));
    for (int k = 0; k < i; k++) {
      assert_string_not_equal(jo_system_switch_name(f->system, i),
                              jo_system_switch_name(f->system, k));
    }
  }
  assert_null(jo_system_switch_name(f->system, switches));
  fixture_close(f);
}

static void test_system_roles_have_names(void** state) {
  (void)state;
  assert_string_equal(jo_role_name(JO_INDEPENDENT), "independent");
  assert_string_equal(jo_role_name(JO_DEPENDENT), "dependent");
  assert_string_equal(jo_role_name(JO_DRIVEN), "driven");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_model_says_what_the_file_says),
      fixture_test(test_model_quantities),
      fixture_test(test_model_digest_is_that_of_the_text),
      fixture_test(test_model_lists_are_as_long_as_it_says),
      fixture_test(test_schemas_are_of_models_and_studies),
      cmocka_unit_test(test_system_adds_up),
      cmocka_unit_test(test_system_operations_are_counted_by_kind),
      cmocka_unit_test(test_system_names_redundant_equations_and_switches),
      cmocka_unit_test(test_system_roles_have_names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
