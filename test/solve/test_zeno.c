// SPDX-License-Identifier: Apache-2.0
// A switch that an event sends back is watched until it flips; one that moves on is lost.
#include "solve/event/zeno.h"

#include "solve/problems.h"

static const double floors[2] = {1e-12, 1e-12}, none[2] = {0, 0};

static void set_up(jsolve_zeno* z, jarena* a, void** state) {
  jarena_init(a, context(state));
  assert_true(jsolve_zeno_init(z, a, 2, 1e-6));
}

static void test_zeno_a_switch_that_is_sent_back_must_flip(void** state) {
  jarena a;
  jsolve_zeno z;
  set_up(&z, &a, state);
  // the first one falls, the second one rises behind the reset
  double s[2] = {1e-14, 1e-14}, next[2] = {-1e-6, 1e-6}, second[2] = {-1.9e-6, 2e-6};
  jsolve_zeno_flip(&z, 0, 1.0, true, false);
  jsolve_zeno_flip(&z, 1, 1.0, true, false);
  jsolve_zeno_start(&z, 1.0, s, next, second, floors, true);
  assert_int_equal(z.npending, 1);
  double near[2] = {5e-13, 1}, beyond[2] = {2e-12, 1}, off[2] = {1e-12, 0};
  assert_int_equal(jsolve_zeno_lost(&z, near, none, floors), -1);
  assert_int_equal(jsolve_zeno_lost(&z, beyond, none, floors), 0);
  assert_int_equal(jsolve_zeno_lost(&z, beyond, off, floors), -1);
  jsolve_zeno_flip(&z, 0, 1.5, false, false);
  assert_int_equal(jsolve_zeno_lost(&z, beyond, none, floors), -1);
  jarena_free(&a);
}

static void test_zeno_other_events_do_not_judge_again(void** state) {
  jarena a;
  jsolve_zeno z;
  set_up(&z, &a, state);
  double s[2] = {0, 0}, falls[2] = {-1e-6, -1e-6}, rises[2] = {1e-6, 1e-6}, on[2] = {1, 0};
  jsolve_zeno_flip(&z, 0, 1.0, true, false);
  jsolve_zeno_start(&z, 1.0, s, falls, falls, floors, true);
  jsolve_zeno_start(&z, 1.1, s, rises, rises, floors, true);
  assert_int_equal(jsolve_zeno_lost(&z, on, none, floors), 0);
  jarena_free(&a);
}

static void test_zeno_shrinking_intervals_count_below_the_resolution(void** state) {
  static const double ratio[] = {1e-4, 0.5};
  for (int i = 0; i < 2; i++) {
    jarena a;
    jsolve_zeno z;
    set_up(&z, &a, state);
    double s[2] = {0, 0}, on[2] = {1, 0}, t = 0, d = 0.01;
    for (int k = 0; k < 3; k++, t += d, d *= ratio[i])
      jsolve_zeno_flip(&z, 0, t, true, false);
    jsolve_zeno_start(&z, z.t[0], s, s, s, floors, true);
    // 0.01 s, then 1e-6 s: the next takes 1e-10 s; else 2.5 ms
    assert_int_equal(jsolve_zeno_lost(&z, on, none, floors), i == 0 ? 0 : -1);
    jarena_free(&a);
  }
}

static void test_zeno_rates_before_and_behind_decide(void** state) {
  // the event leaves nothing of the rate of the first, and all of that of the second, whose events follow each other closely
  jarena a;
  jsolve_zeno z;
  set_up(&z, &a, state);
  double s[2] = {0, 0}, next[2] = {0, 3e-6}, second[2] = {1e-12, 6e-6}, on[2] = {1, 1}, t = 0,
         d = 1e-7;
  for (int k = 0; k < 3; k++, t += d, d *= 0.9)
    jsolve_zeno_flip(&z, 1, t, true, false);
  z.at[0] = z.at[1] = 0;
  z.ahead[0] = z.ahead[1] = 3e-6;
  jsolve_zeno_flip(&z, 0, z.t[1], true, false);
  jsolve_zeno_start(&z, z.t[1], s, next, second, floors, true);
  assert_int_equal(z.npending, 1);
  assert_int_equal(jsolve_zeno_lost(&z, on, none, floors), 0);
  jarena_free(&a);
}

static void test_zeno_flat_conditions_are_judged_by_signs(void** state) {
  // z^3 before and behind a bounce, far below the floor: sent back, stopped, passed as before, and slowed
  static const struct {
    double next, second;
    int lost;
  } row[] = {{-1e-18, -8e-18, 0}, {0, 0, 0}, {8e-18, 64e-18, -1}, {1e-18, 8e-18, -1}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    jarena a;
    jsolve_zeno z;
    set_up(&z, &a, state);
    double s[2] = {0, 0}, next[2] = {row[i].next, 0}, second[2] = {row[i].second, 0},
           on[2] = {1, 0};
    z.at[0] = 0;
    z.ahead[0] = 8e-18;
    jsolve_zeno_flip(&z, 0, 1.0, true, false);
    jsolve_zeno_start(&z, 1.0, s, next, second, floors, true);
    assert_int_equal(jsolve_zeno_lost(&z, on, none, floors), row[i].lost);
    jarena_free(&a);
  }
}

static void test_zeno_what_others_undo_is_lost(void** state) {
  // its own event sent the first one back, whether others then flip at once or follow; nothing did so with the second
  for (int follows = 0; follows < 2; follows++) {
    jarena a;
    jsolve_zeno z;
    set_up(&z, &a, state);
    double s[2] = {0, 0}, back[2] = {-3e-6, 3e-6}, on[2] = {3e-6, 3e-6}, far[2] = {1, 1};
    z.at[0] = z.at[1] = 0;
    z.ahead[0] = z.ahead[1] = 3e-6;
    jsolve_zeno_flip(&z, 0, 1.0, true, !follows);
    jsolve_zeno_flip(&z, 1, 1.0, true, false);
    if (follows) jsolve_zeno_start(&z, 1.0, s, back, back, floors, false);
    jsolve_zeno_start(&z, 1.0, s, on, on, floors, true);
    assert_int_equal(z.npending, 1);
    assert_int_equal(jsolve_zeno_lost(&z, far, none, floors), 0);
    jarena_free(&a);
  }
}

// What a reset does to the margin by value: events at 1, 1 + d and 1 + d + d ratio, the last of which leaves s of it.
static int push(void** state, double d, double ratio, double at, double s) {
  jarena a;
  jsolve_zeno z;
  set_up(&z, &a, state);
  double behind[2] = {s, 0}, next[2] = {s + 1e-6, 0}, second[2] = {s + 2e-6, 0}, far[2] = {1, 0};
  z.at[0] = at;
  z.ahead[0] = at + 1e-6;
  jsolve_zeno_flip(&z, 0, 1.0, true, false);
  if (d > 0) jsolve_zeno_flip(&z, 0, 1 + d, true, false);
  if (d > 0) jsolve_zeno_flip(&z, 0, 1 + d + ratio * d, true, false);
  jsolve_zeno_start(&z, z.t[0], behind, next, second, floors, true);
  int k = jsolve_zeno_lost(&z, far, none, floors);
  jarena_free(&a);
  return k;
}

static void test_zeno_resets_send_back_by_value(void** state) {
  // to less than the floor on the side that the condition came from
  assert_int_equal(push(state, 0, 0, 1e-14, -5e-13), 0);
  // hardly there, which is rounding, but for intervals that shrink, or are as short as events can be told apart
  assert_int_equal(push(state, 0, 0, 1e-14, -5e-15), -1);
  assert_int_equal(push(state, 1e-6, 1e-4, 1e-14, -5e-15), 0);
  assert_int_equal(push(state, 1e-6, 0.5, 1e-14, -5e-15), -1);
  assert_int_equal(push(state, 2e-12, 1, 1e-13, 5e-14), 0);
}

static void test_zeno_resets_to_the_border_or_of_something_else_do_not(void** state) {
  assert_int_equal(push(state, 0, 0, 1e-13, 0), -1);
  assert_int_equal(push(state, 0, 0, 1e-13, -1e-13), -1);
  for (double d = 1e-3; d > 1e-9; d *= 0.1)
    assert_int_equal(push(state, d, 0.9, 1e-14, 1e-14), -1);
  // far faster than the span in which slopes are taken: the same margins before and behind the reset
  jarena a;
  jsolve_zeno z;
  set_up(&z, &a, state);
  double s[2] = {1e-9, 0}, next[2] = {-0.5, 0}, second[2] = {0.9, 0}, far[2] = {1, 0};
  z.at[0] = s[0];
  z.ahead[0] = next[0];
  jsolve_zeno_flip(&z, 0, 1.0, true, false);
  jsolve_zeno_start(&z, 1.0, s, next, second, floors, true);
  assert_int_equal(z.npending, 0);
  // of which whole periods lie in the span
  next[0] = second[0] = z.ahead[0] = s[0];
  jsolve_zeno_flip(&z, 0, 2.0, true, false);
  jsolve_zeno_start(&z, 2.0, s, next, second, floors, true);
  assert_int_equal(z.npending, 0);
  assert_int_equal(jsolve_zeno_lost(&z, far, none, floors), -1);
  jarena_free(&a);
}

static void test_zeno_an_event_holds_what_it_brings_back(void** state) {
  (void)state;
  const double floor = 1e-12;
  // to the limit, beyond it, and hardly off; half of it or all of it is left, or more; what does not cross
  assert_true(jsolve_zeno_holds(1e-6, 0, floor));
  assert_true(jsolve_zeno_holds(1e-6, -1e-6, floor));
  assert_true(jsolve_zeno_holds(1e-6, 1e-13, floor));
  assert_false(jsolve_zeno_holds(1e-6, 5e-7, floor));
  assert_false(jsolve_zeno_holds(1e-6, 1e-6, floor));
  assert_false(jsolve_zeno_holds(1e-6, 0.5, floor));
  assert_false(jsolve_zeno_holds(-1e-6, -2e-6, floor));
  // flat at zero
  assert_true(jsolve_zeno_holds(1e-18, 0, floor));
  assert_false(jsolve_zeno_holds(1e-18, 5e-19, floor));
}

static void test_zeno_what_is_held_may_rest_but_not_go_on(void** state) {
  jarena a;
  jsolve_zeno z;
  set_up(&z, &a, state);
  jsolve_zeno_hold(&z, 0, 1.0, 1e-14);
  double rests[2] = {1e-13, 1}, goes[2] = {2e-12, 1};
  assert_false(jsolve_zeno_leaves(&z, 0, 5e-12, floors[0]));
  assert_true(jsolve_zeno_leaves(&z, 0, 2e-11, floors[0]));
  assert_int_equal(jsolve_zeno_lost(&z, rests, none, floors), -1);
  assert_int_equal(jsolve_zeno_lost(&z, goes, none, floors), 0);
  // it left its mode again
  jsolve_zeno_flip(&z, 0, 1.5, false, false);
  assert_false(jsolve_zeno_leaves(&z, 0, 1, floors[0]));
  assert_int_equal(jsolve_zeno_lost(&z, goes, none, floors), -1);
  jarena_free(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_zeno_a_switch_that_is_sent_back_must_flip),
      fixture_test(test_zeno_other_events_do_not_judge_again),
      fixture_test(test_zeno_shrinking_intervals_count_below_the_resolution),
      fixture_test(test_zeno_rates_before_and_behind_decide),
      fixture_test(test_zeno_flat_conditions_are_judged_by_signs),
      fixture_test(test_zeno_what_others_undo_is_lost),
      fixture_test(test_zeno_resets_send_back_by_value),
      fixture_test(test_zeno_resets_to_the_border_or_of_something_else_do_not),
      fixture_test(test_zeno_an_event_holds_what_it_brings_back),
      fixture_test(test_zeno_what_is_held_may_rest_but_not_go_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
