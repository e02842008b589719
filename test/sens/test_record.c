// SPDX-License-Identifier: Apache-2.0
// Recorded runs: what is stored, what is dropped, and that derivatives do not notice.
#include "sens/record.h"

#include "support/gradient.h"

// ---- the record itself -------------------------------------------------------------------------------

enum { STATES = 3, SWITCHES = 2, STAGES = 2 };

static const jmodel roomy = {.path = "roomy", .simulation = {.max_memory = 1000.0}};
static const jmodel tight = {.path = "tight", .simulation = {.max_memory = 1.0}};

static jsens_record* make_record_of(jo_context* ctx, const jmodel* model, int max_states) {
  jgen_dynamics dynamics = {.ny = STATES, .nswitch = SWITCHES};
  jplant plant = {.model = model, .dynamics = &dynamics};
  jsens_record* r;
  assert_ok(ctx, jsens_record_create(ctx, &plant, STAGES, max_states, &r));
  return r;
}

static jsens_record* make_record(jo_context* ctx, int max_states) {
  return make_record_of(ctx, &roomy, max_states);
}

static void fill(double* y, double value) {
  for (int i = 0; i < STATES; i++) {
    y[i] = value + 0.25 * i;
  }
}

// `nstep` steps of one second, an event after each `every` of them; the state at t is (t, ...), behind an
// event 0.5 more.
static void write(jsens_record* r, int nstep, int every) {
  double mode[SWITCHES] = {0}, y[STATES], after[STATES];
  int flip = 0;
  jsens_record_begin(r, mode, NULL);
  for (int i = 0; i < nstep; i++) {
    bool behind = every > 0 && i > 0 && i % every == 0;
    fill(y, i + (behind ? 0.5 : 0.0));
    jsolve_step step = {.t0 = i, .t1 = i + 1, .y0 = y, .k = (double* const[]){y, y}};
    jsens_record_step(r, &step);
    if (every == 0 || (i + 1) % every != 0) continue;
    fill(y, i + 1);
    fill(after, i + 1.5);
    mode[0] = 1.0 - mode[0];
    jsens_record_event(
        r, &(jmachine_happening){
               .t = i + 1, .before = y, .after = after, .mode = mode, .flipped = &flip, .n = 1});
  }
  fill(y, nstep);
  jsens_record_end(r, 0.0, y);
  assert_int_equal(r->status, JO_OK);
}

// Every stored state is the one that was given, and none lies further than `stride` steps behind.
static void check(const jsens_record* r, int nstep, int every) {
  int steps = 0, since = 0;
  for (int i = 0; i < r->nentry; i++) {
    jsens_entry e = jsens_record_entry(r, i);
    bool is_step = jsens_record_is_step(r, i);
    bool behind = is_step && i > 0 && !jsens_record_is_step(r, i - 1);
    since = e.y ? 0 : since + 1;
    assert_true(since < r->stride);
    assert_true(is_step == !e.after && is_step == !e.what);
    if (behind || !is_step || i == 0) assert_non_null(e.y);
    assert_true(e.t == steps && e.t1 == e.t + (is_step ? 1.0 : 0.0));
    double t = e.t + (behind ? 0.5 : 0.0);
    for (int k = 0; k < STATES; k++) {
      if (e.y) assert_true(e.y[k] == t + 0.25 * k);
      if (!is_step) assert_true(e.after[k] == e.t + 0.5 + 0.25 * k);
      for (int s = 0; e.slopes && s < STAGES; s++) {
        assert_true(e.slopes[s * STATES + k] == t + 0.25 * k);
      }
      assert_true(r->y_end[k] == nstep + 0.25 * k);
    }
    steps += is_step;
  }
  assert_int_equal(steps, nstep);
  assert_int_equal(r->nepoch, every ? nstep / every + 1 : 1);
}

static void test_record_stores_everything_while_there_is_room(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  jsens_record* r = make_record(ctx, 4096);
  write(r, 1000, 100);
  check(r, 1000, 100);
  assert_int_equal(r->stride, 1);
  assert_int_equal(r->state.n, 1000);
  assert_int_equal(r->nevent_state, 2 * 10);
  jsens_record_destroy(r);
  fixture_close(f);
}

static void test_record_is_bounded_however_long_the_run(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  const int room[] = {16, 17, 100, 1000};
  for (int k = 0; k < 4; k++) {
    jsens_record* r = make_record(ctx, room[k]);
    for (int nstep = 1; nstep < 100000; nstep *= 7) {
      write(r, nstep, 0);
      check(r, nstep, 0);
      assert_true(r->state.n <= room[k]);
      assert_true(r->slopes.n * STAGES <= room[k]);
      // and not far below what was allowed
      assert_true(r->state.n >= room[k] / 2 || r->state.n == nstep);
    }
    jsens_record_destroy(r);
  }
  fixture_close(f);
}

// States around events are kept: a step cannot lead across. They add to the bound, three for each.
static void test_record_keeps_the_states_around_events(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  const int every[] = {1, 2, 13, 100};
  for (int k = 0; k < 4; k++) {
    jsens_record* r = make_record(ctx, 64);
    write(r, 5000, every[k]);
    check(r, 5000, every[k]);
    assert_true(r->state.n + r->nevent_state <= 64 + 3 * (5000 / every[k]));
    jsens_record_destroy(r);
  }
  fixture_close(f);
}

// Times of steps cannot be dropped: where they take more than the model allows, the run ends and is told why.
static void test_record_has_a_limit_in_bytes(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  jsens_record* r = make_record_of(ctx, &tight, 1 << 20);
  assert_true(r->max_states * STATES * (int)sizeof(double) <= 250000);
  double mode[SWITCHES] = {0}, y[STATES] = {0};
  jsens_record_begin(r, mode, NULL);
  int n = 0;
  for (; n < 100000 && r->status == JO_OK; n++) {
    jsolve_step step = {.t0 = n, .t1 = n + 1, .y0 = y, .k = (double* const[]){y, y}};
    jsens_record_step(r, &step);
  }
  assert_int_equal(r->status, JO_ERR_LIMIT);
  assert_in_range(n, 10000, 28000);
  assert_true(jsens_record_bytes(r) < 1.001e6);
  assert_non_null(strstr(jo_context_message(ctx), "more than the limit of 1 MB at t = "));
  assert_non_null(strstr(jo_context_message(ctx), "simulation.max_memory"));
  jsens_record_destroy(r);
  fixture_close(f);
}

// ---- derivatives along a thinned record ---------------------------------------------------------------

// `tolerance` 0: bit by bit
static void compare_rooms(const char* path, const char* const* number, int n, double step_error,
                          double tolerance) {
  gradient g;
  gradient_open(&g, path, NULL, 0, number, n, JKERNEL_INTERP);
  const int room[] = {16, 40, 77};
  g.opt.solve.rel_tol = g.opt.solve.abs_tol = step_error;
  for (int method = 0; method < 2; method++) {
    for (int frozen = 0; frozen < 2; frozen++) {
      g.opt.max_states = 1 << 20;
      jsens_result* full = gradient_run(&g, (jsens_method)method, frozen);
      assert_true(full->statistics.steps > 100);
      for (int k = 0; k < 3; k++) {
        g.opt.max_states = room[k];
        jsens_result* thin = gradient_run(&g, (jsens_method)method, frozen);
        for (int i = 0; i < n * g.nobjective; i++) {
          double expected = full->gradient[i];
          assert_near(thin->gradient[i], expected, tolerance * fabs(expected));
          if (tolerance > 0.0) continue;
          if (!isnan(full->gradient_error[i])) {
            assert_true(thin->gradient_error[i] == full->gradient_error[i]);
          }
        }
        jsens_result_destroy(thin);
      }
      jsens_result_destroy(full);
    }
  }
  gradient_close(&g);
}

static void test_gradient_is_bitwise_the_same_with_few_states(void** state) {
  (void)state;
  static const char* const pendulum[] = {"m", "l", "k", "stop", "start"};
  compare_rooms("test/models/sens_pendulum.yaml", pendulum, 5, 1e-12, 0.0);
}

static void test_gradient_is_bitwise_the_same_where_the_state_jumps(void** state) {
  (void)state;
  static const char* const cart[] = {"l", "t0", "V", "d", "start"};
  compare_rooms("test/models/sens_cart.yaml", cart, 5, 1e-12, 0.0);
}

// Where loops are closed after a step, the stepper goes on with the slope it had before that, unless the end moved
// noticeably: steps taken again do the same.
static void test_gradient_is_bitwise_the_same_with_loops(void** state) {
  (void)state;
  static const char* const loop[] = {"k", "stretch", "shake", "bodies.crank.points.tip.x"};
  compare_rooms("test/models/sens_loop.yaml", loop, 4, 1e-9, 0.0);
  compare_rooms("test/models/sens_loop.yaml", loop, 4, 1e-5, 0.0);
}

static void test_gradient_is_bitwise_the_same_through_resets(void** state) {
  (void)state;
  static const char* const reset[] = {"length", "loss", "T"};
  compare_rooms("test/models/sens_reset.yaml", reset, 3, 1e-12, 0.0);
}

// Through changes of the independent coordinates.
static void test_gradient_is_bitwise_the_same_in_other_coordinates(void** state) {
  (void)state;
  static const char* const rocker[] = {"a", "m_coupler", "start_rate"};
  compare_rooms("models/mechanisms/triple_rocker.yaml", rocker, 3, 1e-8, 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_record_stores_everything_while_there_is_room),
      cmocka_unit_test(test_record_is_bounded_however_long_the_run),
      cmocka_unit_test(test_record_keeps_the_states_around_events),
      cmocka_unit_test(test_record_has_a_limit_in_bytes),
      cmocka_unit_test(test_gradient_is_bitwise_the_same_with_few_states),
      cmocka_unit_test(test_gradient_is_bitwise_the_same_where_the_state_jumps),
      cmocka_unit_test(test_gradient_is_bitwise_the_same_with_loops),
      cmocka_unit_test(test_gradient_is_bitwise_the_same_through_resets),
      cmocka_unit_test(test_gradient_is_bitwise_the_same_in_other_coordinates),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
