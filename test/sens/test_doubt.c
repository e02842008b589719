// SPDX-License-Identifier: Apache-2.0
// Which derivatives are told as off, and how.
#include "sens/error/doubt.h"

#include "base/err.h"
#include "support/check.h"

#define WANTED 1e-6

// A derivative of an objective of 2 by a number of size 10.
static void add(jsens_doubt* d, double gradient, double error, const char* number) {
  jsens_doubt_add(d, 2.0, gradient, error, 10.0, "psi", number);
}

static void test_doubt_is_of_the_relative_error(void** state) {
  (void)state;
  jsens_doubt d = {.wanted = WANTED};
  add(&d, 100.0, 100.0 * 0.5 * WANTED, "good");
  add(&d, 100.0, 100.0 * WANTED, "as wanted");
  assert_true(d.all == 2 && d.beyond == 0 && d.one_sided == 0);
  add(&d, -100.0, 100.0 * 3.0 * WANTED, "bad");
  add(&d, 100.0, 100.0 * 7.0 * WANTED, "worst");
  add(&d, 100.0, 100.0 * 5.0 * WANTED, "worse");
  assert_true(d.all == 5 && d.beyond == 3);
  assert_near(d.most, 7.0 * WANTED, 1e-20);
  assert_string_equal(d.number, "worst");
  assert_string_equal(d.objective, "psi");
}

// Derivatives that do not matter to the objective are measured by what would.
static void test_doubt_knows_negligible_derivatives(void** state) {
  (void)state;
  jsens_doubt d = {.wanted = WANTED};
  double scale = jsens_scale(2.0, 0.0, 10.0);
  assert_true(scale > 0.0);
  add(&d, 0.0, 0.5 * WANTED * scale, "idle");
  assert_int_equal(d.beyond, 0);
  add(&d, 0.0, 2.0 * WANTED * scale, "idle");
  assert_int_equal(d.beyond, 1);
}

static void test_doubt_is_silent_about_what_has_no_error(void** state) {
  (void)state;
  jo_context* ctx;
  jo_context_create(NULL, &ctx);
  jsens_doubt d = {.wanted = WANTED};
  add(&d, 1.0, 0.0, "exact");
  add(&d, 1.0, NAN, "not known");
  add(&d, NAN, NAN, "none");
  assert_true(d.all == 3 && d.beyond == 0 && d.one_sided == 0);
  jsens_doubt_warn(ctx, &d, "m.yaml");
  assert_int_equal(jo_context_diagnostic_count(ctx), 0);
  jo_context_destroy(ctx);
}

static void test_doubt_warns_once_of_each_kind(void** state) {
  (void)state;
  jo_context* ctx;
  jo_context_create(NULL, &ctx);
  jsens_doubt d = {.wanted = WANTED};
  add(&d, 1.0, 2e-3, "k");
  add(&d, 1.0, 1e-3, "m");
  add(&d, 1.0, INFINITY, "height");
  add(&d, 1.0, INFINITY, "speed");
  assert_true(d.all == 4 && d.beyond == 2 && d.one_sided == 2);
  d.brink = "touch";
  d.brink_at = NAN;
  jsens_doubt_warn(ctx, &d, "m.yaml");
  assert_int_equal(jo_context_diagnostic_count(ctx), 2);
  jo_severity severity;
  const char* said = jo_context_diagnostic(ctx, 0, &severity);
  assert_int_equal(severity, JO_WARNING);
  assert_non_null(strstr(said, "m.yaml: 2 of 4 derivatives may be off by more than 1e-06"));
  assert_non_null(strstr(said, "by 2.0e-03: d psi / d k"));
  said = jo_context_diagnostic(ctx, 1, &severity);
  assert_int_equal(severity, JO_WARNING);
  assert_non_null(strstr(said, "m.yaml: 2 of 4 derivatives are those of one side"));
  assert_non_null(strstr(said, "'height' throws a switch (touch)"));
  jo_context_destroy(ctx);
}

// The remedy is an option as the caller writes it.
static void test_doubt_hints_in_the_terms_of_the_caller(void** state) {
  (void)state;
  static const struct {
    jo_caller caller;
    const char *asking, *asked, *fixed;
  } said[] = {
      {JO_CALLER_C, "hint: set 'derivative_tol' of the options", "a smaller 'tolerance' of the",
       "a smaller 'step' of the options"},
      {JO_CALLER_PYTHON, "hint: set 'derivative_tol'", "hint: a smaller 'tolerance'",
       "hint: a smaller 'step'"},
      {JO_CALLER_COMMAND_LINE, "hint: set --derivative-tol", "hint: a smaller --tol",
       "hint: a smaller --step"},
  };
  for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
    jo_context* ctx;
    jo_context_create(NULL, &ctx);
    jo_context_set_caller(ctx, said[i].caller);
    jo_context_set_caller(ctx, (jo_caller)7);  // none of them
    jsens_doubt d = {.wanted = WANTED, .is_asked_for = true};
    add(&d, 1.0, 2e-3, "k");
    jsens_doubt_warn(ctx, &d, "m.yaml");
    d.is_asked_for = false;
    jsens_doubt_warn(ctx, &d, "m.yaml");
    d.is_fixed = true;
    jsens_doubt_warn(ctx, &d, "m.yaml");
    jo_severity severity;
    assert_non_null(strstr(jo_context_diagnostic(ctx, 0, &severity), said[i].asking));
    assert_non_null(strstr(jo_context_diagnostic(ctx, 1, &severity), said[i].asked));
    assert_non_null(strstr(jo_context_diagnostic(ctx, 2, &severity), said[i].fixed));
    jo_context_destroy(ctx);
  }
}

// Reports and studies have no option for steps, and studies have the tolerance in their file.
static void test_doubt_hints_at_keys_where_there_is_no_option(void** state) {
  (void)state;
  jo_context* ctx;
  jo_context_create(NULL, &ctx);
  jo_context_set_caller(ctx, JO_CALLER_COMMAND_LINE);
  jerr_scope before = jerr_enter(ctx, JERR_SCOPE_STUDY), inner = jerr_enter(ctx, JERR_SCOPE_REPORT);
  assert_string_equal(jerr_option_name(ctx, JERR_TOLERANCE), "'tolerance' of the study");
  assert_string_equal(jerr_option_name(ctx, JERR_STEP), "'simulation.step'");
  jerr_leave(ctx, inner);
  jerr_leave(ctx, before);
  jerr_enter(ctx, JERR_SCOPE_REPORT);
  assert_string_equal(jerr_option_name(ctx, JERR_TOLERANCE), "--tol");
  assert_string_equal(jerr_option_name(ctx, JERR_STEP), "'simulation.step'");
  jerr_leave(ctx, before);
  assert_string_equal(jerr_option_name(ctx, JERR_STEP), "--step");
  jo_context_destroy(ctx);
}

// Far smaller tolerances end at singular positions: no hint is better than one that does not help.
static void test_doubt_near_singular_positions(void** state) {
  (void)state;
  static const struct {
    double tol;
    const char* said;
  } cases[] = {
      {1e-6, "hint: a smaller --tol, 1e-07"}, {1e-8, "hint: a smaller --tol, 1e-09"}, {1e-9, NULL}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    jo_context* ctx;
    jo_context_create(NULL, &ctx);
    jo_context_set_caller(ctx, JO_CALLER_COMMAND_LINE);
    jsens_doubt d = {.wanted = WANTED, .is_asked_for = true, .singular_tol = cases[i].tol};
    add(&d, 1.0, 2e-3, "k");
    jsens_doubt_warn(ctx, &d, "m.yaml");
    jo_severity severity;
    const char* said = jo_context_diagnostic(ctx, 0, &severity);
    assert_non_null(strstr(said, "the motion passes a singular position"));
    assert_null(strstr(said, "--derivative-tol"));
    if (cases[i].said) assert_non_null(strstr(said, cases[i].said));
    if (!cases[i].said) assert_null(strstr(said, "hint"));
    jo_context_destroy(ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_doubt_is_of_the_relative_error),
      cmocka_unit_test(test_doubt_knows_negligible_derivatives),
      cmocka_unit_test(test_doubt_is_silent_about_what_has_no_error),
      cmocka_unit_test(test_doubt_warns_once_of_each_kind),
      cmocka_unit_test(test_doubt_hints_in_the_terms_of_the_caller),
      cmocka_unit_test(test_doubt_hints_at_keys_where_there_is_no_option),
      cmocka_unit_test(test_doubt_near_singular_positions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
