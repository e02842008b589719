// SPDX-License-Identifier: Apache-2.0
// Recorded events replayed: by integration, on surfaces, and where a surface may not be believed.
#include "loads/replay.h"

#include "support/check.h"

#define MODEL "test/models/bouncer.yaml"

enum { STOP, MOTOR };

typedef struct bench {
  jo_context* ctx;
  jmodel* m;
  jloads* l;
  jloads_result* r;
  jloads_recorded* event;
  int n;
  jloads_replay_counts count;
} bench;

static int open_bench(void** state) {
  bench* b = calloc(1, sizeof *b);
  *state = b;
  jkernel_options kernel = jkernel_options_default();
  kernel.backend = JKERNEL_INTERP;
  assert_int_equal(jo_context_create(NULL, &b->ctx), JO_OK);
  assert_ok(b->ctx, jmodel_load(b->ctx, MODEL, NULL, 0, &b->m));
  assert_ok(b->ctx, jloads_create(b->ctx, b->m, &kernel, &b->l));
  jloads_options opt = jloads_options_default(b->m);
  opt.solve.step = 1.0 / 200.0;
  assert_ok(b->ctx, jloads_run(b->ctx, b->l, &opt, &b->r));
  b->n = b->r->nevent;
  b->event = calloc((size_t)b->n, sizeof *b->event);
  return 0;
}

static int close_bench(void** state) {
  bench* b = *state;
  free(b->event);
  jloads_result_destroy(b->r);
  jloads_destroy(b->l);
  jmodel_destroy(b->m);
  jo_context_destroy(b->ctx);
  free(b);
  return 0;
}

// Events as the run recorded them.
static void record(bench* b) {
  for (int i = 0; i < b->n; i++) {
    const jloads_event* v = &b->r->event[i];
    b->event[i] = (jloads_recorded){v->element, v->event.t0, v->event.t1, v->y0, 1.0, 2.0, true};
  }
}

static void replay(bench* b, const char* driver, bool surface) {
  jloads_replay_options opt = {driver, NAN, surface};
  assert_ok(b->ctx, jloads_replay(b->ctx, b->l, &opt, b->event, b->n, &b->count));
}

static double integrated(bench* b, const jloads_recorded* v, double window) {
  double peak[2], t_peak[2];
  assert_int_equal(b->l->ne, 2);
  assert_ok(b->ctx, jloads_reconstruct(b->ctx, b->l, NULL, v->t0, v->y, window, peak, t_peak));
  return peak[v->element];
}

static void test_events_are_integrated_a_little_longer_than_they_were(void** state) {
  bench* b = *state;
  record(b);
  b->event[3].element = -1;
  replay(b, "subcycle", false);
  assert_true(b->count.events == b->n - 1 && b->count.integrated == b->n - 1);
  assert_true(b->count.surfaces == 0 && b->count.nodes == 0 && b->count.checked == 0);
  for (int i = 0; i < b->n; i++) {
    const jloads_recorded* v = &b->event[i];
    assert_false(v->is_interpolated);
    // nothing is said about an element that is not there
    if (i == 3) {
      assert_true(isnan(v->peak) && isnan(v->t_peak));
      continue;
    }
    double window = fmin(0.1, 1.25 * (v->t1 - v->t0));
    assert_true(v->peak == integrated(b, v, window));
    assert_true(v->t_peak >= v->t0 && v->t_peak <= v->t0 + window + 1e-9);
  }
}

// How long an impulsive event lasts is not known.
static void test_impulsive_events_are_integrated_over_the_window(void** state) {
  bench* b = *state;
  record(b);
  b->n = 5;
  replay(b, "impulsive", false);
  for (int i = 0; i < b->n; i++) {
    assert_true(b->event[i].peak == integrated(b, &b->event[i], 0.1));
  }
}

static void test_many_events_are_interpolated_and_checked(void** state) {
  bench* b = *state;
  record(b);
  int stop = 0;
  for (int i = 0; i < b->n; i++) {
    stop += b->event[i].element == STOP;
  }
  assert_true(stop >= 60);
  replay(b, "subcycle", true);
  assert_true(b->count.surfaces == 1 && b->count.refused == 0);
  assert_int_equal(b->count.nodes, 49);
  assert_int_equal(b->count.checked, (stop + 7) / 8);
  assert_int_equal(b->count.events, b->n);
  assert_int_equal(b->count.integrated, b->n - stop);
  assert_true(b->count.mismatch <= 0.05);
  for (int i = 0; i < b->n; i++) {
    assert_int_equal(b->event[i].is_interpolated, b->event[i].element == STOP);
  }
}

static void test_few_events_are_not_worth_a_surface(void** state) {
  bench* b = *state;
  record(b);
  b->n = 59;
  replay(b, "subcycle", true);
  assert_true(b->count.surfaces == 0 && b->count.nodes == 0 && b->count.integrated == b->n);
}

// The motor's moment is one of time, not of position and speed: no surface has it.
static void test_surfaces_that_do_not_agree_are_refused(void** state) {
  bench* b = *state;
  record(b);
  for (int i = 0; i < b->n; i++) {
    b->event[i].element = MOTOR;
  }
  replay(b, "subcycle", true);
  assert_true(b->count.surfaces == 0 && b->count.refused == 1 && b->count.nodes == 49);
  assert_true(b->count.checked == 0 && b->count.mismatch == 0.0);
  assert_true(b->count.events == b->n && b->count.integrated == b->n);
  for (int i = 0; i < b->n; i += 7) {
    const jloads_recorded* v = &b->event[i];
    assert_false(v->is_interpolated);
    assert_true(v->peak == integrated(b, v, fmin(0.1, 1.25 * (v->t1 - v->t0))));
  }
}

static void test_windows_and_states_are_judged(void** state) {
  bench* b = *state;
  jloads_replay_options opt = {"subcycle", 0.0, false};
  assert_int_equal(jloads_replay(b->ctx, b->l, &opt, b->event, 0, &b->count), JO_ERR_ARGUMENT);
  const jgen_layout* y = &b->l->plant->dynamics->layout;
  assert_ok(b->ctx, jloads_replay_check_states(b->ctx, b->l, "a.events", y->name, y->ny));
  const char* const other[] = {"slide", "slide.speed"};
  assert_int_equal(y->ny, 2);
  assert_int_equal(jloads_replay_check_states(b->ctx, b->l, "a.events", other, 2), JO_ERR_MODEL);
  assert_int_equal(jloads_replay_check_states(b->ctx, b->l, "a.events", y->name, 1), JO_ERR_MODEL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_bench, close_bench)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_events_are_integrated_a_little_longer_than_they_were),
      TEST(test_impulsive_events_are_integrated_over_the_window),
      TEST(test_many_events_are_interpolated_and_checked),
      TEST(test_few_events_are_not_worth_a_surface),
      TEST(test_surfaces_that_do_not_agree_are_refused),
      TEST(test_windows_and_states_are_judged),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
