// SPDX-License-Identifier: Apache-2.0
// Steps that hold something narrower than they are, by the errors of made-up steps.
#include "sens/error/narrow.h"

#include <math.h>

#include "support/gradient.h"

enum { STATES = 1, STEPS = 6, EVENT = 4 };

static const jmodel roomy = {.path = "roomy", .simulation = {.max_memory = 1000.0}};

// Steps of length 0.1 with these errors, and an event behind the one of number `event`.
static jsens_record* make(jo_context* ctx, const double error[STEPS], int event) {
  jgen_dynamics dynamics = {.ny = STATES};
  jplant plant = {.model = &roomy, .dynamics = &dynamics};
  jsens_record* r;
  double y[STATES] = {0.0}, mode[1] = {0.0};
  assert_ok(ctx, jsens_record_create(ctx, &plant, 1, 100, &r));
  jsens_record_begin(r, mode, NULL);
  for (int i = 0; i < STEPS; i++) {
    double t0 = 0.1 * i, t1 = 0.1 * (i + 1);
    jsolve_step step = {
        .t0 = t0, .t1 = t1, .y0 = y, .k = (double* const[]){y, y}, .error = error[i]};
    jsens_record_step(r, &step);
    jmachine_happening event_here = {.t = t1, .before = y, .after = y, .mode = mode};
    if (i == event) jsens_record_event(r, &event_here);
  }
  jsens_record_end(r, 0.6, y);
  assert_int_equal(r->status, JO_OK);
  return r;
}

static void test_narrow_shows_in_the_steps_beside_a_jump_of_errors(void** state) {
  (void)state;
  const double error[STEPS] = {0.2, 0.3, 0.2, 0.9, 0.002, 0.9};
  fixture* f = fixture_open();
  jsens_record* r = make(f->ctx, error, EVENT);
  jsens_narrow n = jsens_narrow_of(r, JSOLVE_DOPRI5);
  static const bool shows[STEPS + 1] = {false, false, false, true, true, false, false};
  for (int i = 0; i <= STEPS; i++) {  // entry 5 is the event, and no jump goes across it
    assert_int_equal(jsens_narrow_shows(&n, i), shows[i]);
  }
  jsens_record_destroy(r);
  fixture_close(f);
}

// Of the factors of three steps the middle one, at the power of the length.
static void test_narrow_expects_what_smooth_steps_have(void** state) {
  (void)state;
  const double error[STEPS] = {0.32, 0.9, 0.32, 0.002, 0.32, 0.32};
  fixture* f = fixture_open();
  jsens_record* r = make(f->ctx, error, -1);
  jsens_narrow n = jsens_narrow_of(r, JSOLVE_DOPRI5);
  for (int i = 1; i < STEPS - 1; i++) {
    assert_true(fabs(jsens_narrow_expected(&n, 0.1 * i, 0.05) - 0.01) < 1e-6);
  }
  assert_true(jsens_narrow_expected(&n, 0.2, 1e-6) > 0.0);
  assert_true(isinf(jsens_narrow_expected(&n, 0.6, 0.05)));
  jsens_record_destroy(r);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_narrow_shows_in_the_steps_beside_a_jump_of_errors),
      cmocka_unit_test(test_narrow_expects_what_smooth_steps_have),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
