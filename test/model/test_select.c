// SPDX-License-Identifier: Apache-2.0
// What names, paths and patterns stand for, and what they may not be.
#include "model/select.h"

#include "support/check.h"

static const char text[] =
    "jounce: 1\n"
    "name: numbers\n"
    "parameters: {k: 200, c: -4, twice: 2*k}\n"
    "inputs: {steer: 0}\n"
    "hardpoints: {P1: [3, 0, 0], P10: [4, 0.5, 0]}\n"
    "bodies: {cart: {mass: 2}}\n"
    "joints: {x: {type: prismatic, child: cart, axis: x, at: P1}}\n"
    "forces: {spring: {on: x, stiffness: twice, damping: -c}, motor: {on: x, torque: steer}}\n"
    "simulation: {end: 1}\n";

static const char without[] =
    "jounce: 1\n"
    "name: without parameters\n"
    "bodies: {cart: {mass: 2}}\n"
    "joints: {x: {type: prismatic, child: cart, axis: x}}\n"
    "simulation: {end: 1}\n";

typedef struct fixture {
  jo_context* ctx;
  jarena arena;
  jmodel* m;
} fixture;

static fixture open_model(const char* source) {
  fixture f = {0};
  assert_int_equal(jo_context_create(NULL, &f.ctx), JO_OK);
  jarena_init(&f.arena, f.ctx);
  assert_ok(f.ctx, jmodel_parse(f.ctx, source, strlen(source), "numbers.yaml", NULL, 0, &f.m));
  return f;
}

static void close_model(fixture* f) {
  jmodel_destroy(f->m);
  jarena_free(&f->arena);
  jo_context_destroy(f->ctx);
}

static jmodel_selection select(fixture* f, const char* const* name, int n) {
  jmodel_selection s;
  assert_ok(f->ctx, jmodel_select(f->ctx, &f->arena, f->m, name, n, &s));
  return s;
}

static const char* path(const jmodel_selection* s, int i) {
  assert_true(i < s->n);
  return s->m->number[s->wrt[i]].path;
}

static void test_select_nothing_is_all_parameters(void** state) {
  (void)state;
  fixture f = open_model(text);
  const char* const name[] = {"parameters"};
  for (int n = 0; n < 2; n++) {
    // computed ones have no number, inputs are no parameters
    jmodel_selection s = select(&f, name, n);
    assert_int_equal(s.n, 2);
    assert_string_equal(path(&s, 0), "k");
    assert_string_equal(path(&s, 1), "c");
    assert_false(s.named[s.wrt[0]]);
  }
  close_model(&f);
}

static void test_select_keeps_the_order_of_names_and_takes_each_once(void** state) {
  (void)state;
  fixture f = open_model(text);
  const char* const name[] = {"hardpoints.P1.y", "c",    "hardpoints.P1.*", "c",
                              "parameters",      "steer"};
  const char* const expected[] = {"hardpoints.P1.y", "c", "hardpoints.P1.x",
                                  "hardpoints.P1.z", "k", "steer"};
  jmodel_selection s = select(&f, name, 6);
  assert_int_equal(s.n, 6);
  for (int i = 0; i < 6; i++) {
    assert_string_equal(path(&s, i), expected[i]);
    bool by_name = i < 2 || i == 5;
    assert_int_equal(s.named[s.wrt[i]], by_name);
    assert_true(s.taken[s.wrt[i]]);
  }
  close_model(&f);
}

static void test_select_all_is_every_number(void** state) {
  (void)state;
  fixture f = open_model(text);
  const char *const all[] = {"all"}, *const star[] = {"*"};
  jmodel_selection a = select(&f, all, 1), b = select(&f, star, 1);
  assert_true(a.n == f.m->nnumber && b.n == f.m->nnumber);
  for (int i = 0; i < a.n; i++) {
    assert_int_equal(a.wrt[i], i);
    assert_int_equal(b.wrt[i], i);
  }
  close_model(&f);
}

static void test_select_says_what_is_not_known(void** state) {
  (void)state;
  static const struct {
    const char *name, *said;
  } bad[] = {{"hardpoints.P1.w", "did you mean 'hardpoints.P1"},
             {"nothing.*", "no parameter or number is named 'nothing.*'"},
             {"", "no parameter or number is named ''"},
             {"twice", "parameter 'twice' is computed"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    fixture f = open_model(text);
    const char* const name[] = {"k", bad[i].name};
    jmodel_selection s;
    assert_int_equal(jmodel_select(f.ctx, &f.arena, f.m, name, 2, &s), JO_ERR_ARGUMENT);
    assert_non_null(strstr(jo_context_message(f.ctx), bad[i].said));
    close_model(&f);
  }
}

static void test_select_of_a_model_without_parameters_needs_names(void** state) {
  (void)state;
  fixture f = open_model(without);
  jmodel_selection s;
  assert_int_equal(jmodel_select(f.ctx, &f.arena, f.m, NULL, 0, &s), JO_ERR_ARGUMENT);
  assert_non_null(strstr(jo_context_message(f.ctx), "no numbers to differentiate for"));
  const char* const name[] = {"bodies.cart.mass"};
  s = select(&f, name, 1);
  assert_int_equal(s.n, 1);
  close_model(&f);
}

static void test_select_makes_numbers_variable_in_a_copy(void** state) {
  (void)state;
  fixture f = open_model(text);
  const char* const name[] = {"bodies.cart.mass"};
  jmodel_selection s = select(&f, name, 1);
  const jmodel* m = jmodel_make_variable(&f.arena, f.m, &s);
  assert_non_null(m);
  for (int i = 0; i < m->nnumber; i++) {
    bool chosen = i == s.wrt[0];
    assert_int_equal(m->number[i].is_parameter, f.m->number[i].is_parameter || chosen);
    assert_true(m->number[i].value == f.m->number[i].value);
  }
  assert_false(f.m->number[s.wrt[0]].is_parameter);
  close_model(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_select_nothing_is_all_parameters),
      cmocka_unit_test(test_select_keeps_the_order_of_names_and_takes_each_once),
      cmocka_unit_test(test_select_all_is_every_number),
      cmocka_unit_test(test_select_says_what_is_not_known),
      cmocka_unit_test(test_select_of_a_model_without_parameters_needs_names),
      cmocka_unit_test(test_select_makes_numbers_variable_in_a_copy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
