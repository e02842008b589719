// SPDX-License-Identifier: Apache-2.0
// Statics and modes as users see them: numbers by name, derivatives, and what happens without memory.
#include "jounce/analysis.h"

#include "api/objects.h"

// a mass on a spring on the ground, and one on a rod
static const char text[] =
    "jounce: 1\nname: hang\nparameters: {m: 2, k: 80, l: 0.5}\n"
    "bodies: {mass: {mass: m}, bob: {mass: 1.5, com: [0, 0, -1]}, eye: {mass: 1}}\n"
    "joints:\n"
    "  z: {type: prismatic, child: mass, axis: z}\n"
    "  swing: {type: revolute, child: bob, axis: y, guess: 0.3}\n"
    "  eye: {type: prismatic, child: eye, axis: z}\n"
    "hardpoints: {tip: [0, 0, -1], ring: [0.2, 0, -1]}\n"
    "closures: {rod: {type: distance, a: bob.tip, b: eye.ring, length: l}}\n"
    "forces: {spring: {on: z, stiffness: k, damping: 1}, hold: {on: eye, stiffness: 100, damping: "
    "3}}\n"
    "states: {lag: {derivative: 5*(z - lag), nominal: 0.1}, sum: {derivative: z, hold: true}}\n"
    "sensors: {double: 2*z + lag}\n"
    "simulation: {end: 1}\n";

static const char* const name[] = {"m", "k", "l", "bodies.bob.mass"};

static fixture* open_model(void) {
  fixture* f = fixture_open();
  assert_ok(f->ctx, jo_model_parse(f->ctx, text, strlen(text), "hang.yaml", NULL, 0, &f->model));
  return f;
}

// The number of an output, a coordinate or a parameter; `column` NULL: its derivative with respect to k.
static double number_of(const jo_static* s, const char* table, const char* row,
                        const char* column) {
  const jo_table* t = jo_tables_find(jo_static_tables(s), table);
  assert_non_null(t);
  for (int i = 0; i < t->nrow; i++) {
    if (strcmp(t->column[0].text[i], row) == 0) return jo_table_number(t, column, i);
  }
  fail_msg("no row '%s' in '%s'", row, table);
  return NAN;
}

// The row of the mode with this angular frequency; -1: none.
static int find_mode(const jo_table* modes, double omega) {
  for (int i = 0; i < modes->nrow; i++) {
    if (fabs(jo_table_number(modes, "im", i) - omega) < 1e-9) return i;
  }
  return -1;
}

static int rows_of(const jo_static* s, const char* table) {
  return jo_tables_find(jo_static_tables(s), table)->nrow;
}

// z = -m g / k
static void test_static_derivatives_of_a_spring_are_those_of_the_handbook(void** state) {
  (void)state;
  fixture* f = open_model();
  jo_static* s;
  assert_ok(f->ctx, jo_static_differentiate(f->ctx, f->model, name, 4, &s));
  assert_int_equal(rows_of(s, "parameters"), 4);
  assert_near(number_of(s, "parameters", "k", "value"), 80.0, 0.0);
  assert_near(number_of(s, "outputs", "z", "d/d m"), -9.81 / 80.0, 1e-12);
  assert_near(number_of(s, "outputs", "z", "d/d k"), 2.0 * 9.81 / 6400.0, 1e-13);
  assert_near(number_of(s, "outputs", "z", "d/d l"), 0.0, 0.0);
  assert_near(number_of(s, "outputs", "double", "d/d m"), -3.0 * 9.81 / 80.0, 1e-12);
  assert_true(number_of(s, "outputs", "swing", "d/d l") != 0.0);
  assert_true(isnan(number_of(s, "outputs", "z", "d/d nothing")));
  // of coordinates, then of sensors, each with respect to all of them
  const jo_table* t = jo_tables_find(jo_static_tables(s), "derivatives");
  assert_int_equal(t->nrow, 4 * (3 + 1));
  assert_string_equal(t->column[0].text[0], "z");
  assert_string_equal(t->column[1].text[1], "k");
  assert_near(jo_table_number(t, "value", 1), 2.0 * 9.81 / 6400.0, 1e-13);
  assert_string_equal(t->column[0].text[12], "double");
  assert_near(jo_table_number(t, "value", 12), -3.0 * 9.81 / 80.0, 1e-12);
  assert_true(isnan(jo_table_number(t, "value", 16)));
  jo_static_destroy(s);
  fixture_close(f);
}

static void test_static_without_names_has_all_parameters_and_plain_ones_none(void** state) {
  (void)state;
  fixture* f = open_model();
  jo_static* s;
  assert_ok(f->ctx, jo_static_differentiate(f->ctx, f->model, NULL, 0, &s));
  assert_int_equal(rows_of(s, "parameters"), 3);
  jo_static_destroy(s);
  assert_ok(f->ctx, jo_static_create(f->ctx, f->model, &s));
  assert_int_equal(rows_of(s, "parameters"), 0);
  assert_null(jo_tables_find(jo_static_tables(s), "derivatives"));
  jo_static_destroy(s);
  fixture_close(f);
}

// lambda^2 m + lambda c + k = 0
static void test_modes_derivatives_of_a_spring_are_those_of_the_handbook(void** state) {
  (void)state;
  fixture* f = open_model();
  jo_modes_options opt = jo_modes_options_default();
  opt.at_static = 1;
  opt.name = name;
  opt.nname = 4;
  jo_modes* m;
  assert_ok(f->ctx, jo_modes_create(f->ctx, f->model, &opt, &m));
  const jo_table* modes = jo_tables_find(jo_modes_tables(m), "modes");
  const jo_table* d = jo_tables_find(jo_modes_tables(m), "derivatives");
  assert_int_equal(d->nrow, 4 * modes->nrow);
  double mass = 2, c = 1, k = 80, omega = sqrt(k / mass - c * c / (4 * mass * mass));
  int i = find_mode(modes, omega);
  assert_true(i >= 0);
  assert_string_equal(d->column[0].text[4 * i + 1], "k");
  assert_near(jo_table_number(d, "mode", 4 * i + 1), i, 0.0);
  assert_near(jo_table_number(d, "re", 4 * i), c / (2 * mass * mass), 1e-12);
  assert_near(jo_table_number(d, "im", 4 * i),
              (-k / (mass * mass) + c * c / (2 * pow(mass, 3))) / (2 * omega), 1e-11);
  assert_near(jo_table_number(d, "re", 4 * i + 1), 0.0, 1e-13);
  assert_near(jo_table_number(d, "im", 4 * i + 1), 1 / (2 * mass * omega), 1e-13);
  assert_near(jo_table_number(d, "frequency", 4 * i + 1),
              1 / (2 * mass * omega) / 6.283185307179586, 1e-13);
  assert_near(jo_table_number(d, "damping", 4 * i + 1), -c / (4 * sqrt(mass) * pow(k, 1.5)), 1e-13);
  const jo_table* by_k = jo_tables_find(jo_modes_tables(m), "by k");
  assert_near(jo_table_number(by_k, "re", i), jo_table_number(modes, "re", i), 0.0);
  assert_near(jo_table_number(by_k, "d im", i), jo_table_number(d, "im", 4 * i + 1), 0.0);
  jo_modes_destroy(m);
  fixture_close(f);
}

// What is told of an equilibrium, and of the shape of a mode: the mass moves, and nothing else does.
static void test_static_and_modes_tell_what_they_found(void** state) {
  (void)state;
  fixture* f = open_model();
  jo_static* s = make_static(f, NULL, 0);
  jo_static_info i = jo_static_inspect(s);
  assert_true(i.dof == i.held && i.iterations > 0);
  assert_near(i.residual, 0.0, 1e-8);
  assert_true(!i.is_unstable && i.growth == 0.0 && !*i.state && !*i.undecided);
  assert_int_equal(rows_of(s, "coordinates"), jo_model_inspect(f->model).coordinates);
  assert_near(number_of(s, "coordinates", "z", "value"), -2.0 * 9.81 / 80.0, 1e-9);
  assert_int_equal(rows_of(s, "sensors"), 1);
  double z = number_of(s, "coordinates", "z", "value");
  assert_near(number_of(s, "sensors", "double", "value"), 3.0 * z, 1e-9);  // the lag has settled
  jo_static_destroy(s);
  jo_modes_options opt = jo_modes_options_default();
  opt.at_static = 1;
  opt.name = name;
  opt.nname = 2;
  jo_modes* m = make_modes(f, &opt);
  const jo_tables* all = jo_modes_tables(m);
  assert_near(jo_table_number(jo_tables_find(all, "linearisation"), "t", 0), 0.0, 0.0);
  const jo_table* by = jo_tables_find(all, "parameters");
  assert_string_equal(by->column[0].text[1], "k");
  assert_near(jo_table_number(by, "value", 1), 80.0, 0.0);
  const jo_table *modes = jo_tables_find(all, "modes"), *shape = jo_tables_find(all, "shape");
  int n = shape->nrow / modes->nrow, k = find_mode(modes, sqrt(80.0 / 2.0 - 1.0 / 16.0));
  assert_true(k >= 0 && n == 3);
  for (int e = k * n; e < (k + 1) * n; e++) {
    const char* moving = shape->column[0].text[e];
    double size = hypot(jo_table_number(shape, "re", e), jo_table_number(shape, "im", e));
    if (strcmp(moving, "z") == 0) assert_true(size > 0.1);
    if (strcmp(moving, "swing") == 0) assert_near(size, 0.0, 1e-9);
    assert_near(jo_table_number(shape, "mode", e), k, 0.0);
  }
  assert_string_equal(modes->column[5].text[k], "z");
  jo_modes_destroy(m);
  fixture_close(f);
}

// ---- memory --------------------------------------------------------------------------------------

static jo_status all_of_it(const jo_allocator* memory) {
  jo_context* ctx = NULL;
  jo_model* model = NULL;
  jo_static* s = NULL;
  jo_modes* m = NULL;
  jo_modes_options opt = {.at_static = 1, .name = name, .nname = 4};
  jo_status status = jo_context_create(memory, &ctx);
  if (status >= 0) {
    status = jo_model_parse(ctx, text, strlen(text), "hang.yaml", NULL, 0, &model);
  }
  if (status >= 0) status = jo_static_differentiate(ctx, model, name, 4, &s);
  if (status >= 0) status = jo_modes_create(ctx, model, &opt, &m);
  jo_modes_destroy(m);
  jo_static_destroy(s);
  jo_model_destroy(model);
  jo_context_destroy(ctx);
  return status;
}

// Every so many places and the last ones: there are thousands.
static void test_analysis_no_memory_is_reported_and_nothing_leaks(void** state) {
  (void)state;
  failing_alloc whole;
  failing_alloc_init(&whole, -1);
  assert_int_equal(all_of_it(&whole.allocator), JO_OK);
  for (long n = 0; n < whole.calls; n += n < whole.calls - 200 ? 1 + whole.calls / 300 : 1) {
    failing_alloc part;
    failing_alloc_init(&part, n);
    assert_int_equal(all_of_it(&part.allocator), JO_ERR_MEMORY);
    assert_int_equal(part.live_bytes, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_static_derivatives_of_a_spring_are_those_of_the_handbook),
      cmocka_unit_test(test_static_without_names_has_all_parameters_and_plain_ones_none),
      cmocka_unit_test(test_modes_derivatives_of_a_spring_are_those_of_the_handbook),
      cmocka_unit_test(test_static_and_modes_tell_what_they_found),
      cmocka_unit_test(test_analysis_no_memory_is_reported_and_nothing_leaks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
