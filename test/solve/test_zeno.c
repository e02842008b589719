// SPDX-License-Identifier: Apache-2.0
// A switch that an event sends back is watched until it flips; one that moves on is lost.
#include "solve/zeno.h"

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
  jsolve_zeno_flip(&z, 0, 1.0, true);
  jsolve_zeno_flip(&z, 1, 1.0, true);
  jsolve_zeno_start(&z, 1.0, 1e-6, s, next, second, floors);
  assert_int_equal(z.npending, 1);
  double near[2] = {5e-13, 1}, beyond[2] = {2e-12, 1}, off[2] = {1e-12, 0};
  assert_int_equal(jsolve_zeno_lost(&z, near, none, floors), -1);
  assert_int_equal(jsolve_zeno_lost(&z, beyond, none, floors), 0);
  assert_int_equal(jsolve_zeno_lost(&z, beyond, off, floors), -1);
  jsolve_zeno_flip(&z, 0, 1.5, false);
  assert_int_equal(jsolve_zeno_lost(&z, beyond, none, floors), -1);
  jarena_free(&a);
}

static void test_zeno_other_events_do_not_judge_again(void** state) {
  jarena a;
  jsolve_zeno z;
  set_up(&z, &a, state);
  double s[2] = {0, 0}, falls[2] = {-1e-6, -1e-6}, rises[2] = {1e-6, 1e-6}, on[2] = {1, 0};
  jsolve_zeno_flip(&z, 0, 1.0, true);
  jsolve_zeno_start(&z, 1.0, 1e-6, s, falls, falls, floors);
  jsolve_zeno_start(&z, 1.1, 1e-6, s, rises, rises, floors);
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
      jsolve_zeno_flip(&z, 0, t, true);
    jsolve_zeno_start(&z, z.t[0], 1e-6, s, s, s, floors);
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
    jsolve_zeno_flip(&z, 1, t, true);
  z.rate[0] = z.rate[1] = 3;
  jsolve_zeno_flip(&z, 0, z.t[1], true);
  jsolve_zeno_start(&z, z.t[1], 1e-6, s, next, second, floors);
  assert_int_equal(z.npending, 1);
  assert_int_equal(jsolve_zeno_lost(&z, on, none, floors), 0);
  jarena_free(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_zeno_a_switch_that_is_sent_back_must_flip),
      fixture_test(test_zeno_other_events_do_not_judge_again),
      fixture_test(test_zeno_shrinking_intervals_count_below_the_resolution),
      fixture_test(test_zeno_rates_before_and_behind_decide),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
