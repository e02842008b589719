// SPDX-License-Identifier: Apache-2.0
// Changes of the partition during a run: the same motion in other coordinates, decided by the run alone.
#include "plant/chart.h"

#include "plant/simulate.h"
#include "support/rig.h"

#define PATH "models/mechanisms/triple_rocker.yaml"

static void open_rocker(rig* r) {
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = JKERNEL_INTERP;
  rig_open(r, PATH, NULL, 0, &opt);
}

typedef struct witness {
  rig* r;
  jplant_work* first;  // of the plant the run began with
  double *y, *seen, *expected;
  int changes;
} witness;

// Outputs in the new coordinates are those of the state as the first plant has it, energies and rates included.
static jo_status compare(void* user, double t, const double* before, const double* after,
                         const jplant* was, const jplant* is) {
  witness* k = user;
  const jgen_dynamics* d = k->r->d;
  assert_ptr_not_equal(was, is);
  assert_ptr_equal(k->r->run->plant, is);
  assert_false(jgen_partition_is_same(&was->dynamics->part, &is->dynamics->part));
  // positions are the same numbers, whatever their order
  for (int c = 0; c < d->layout.nq; c++) {
    assert_true(before[was->dynamics->layout.q[c]] == after[is->dynamics->layout.q[c]]);
  }
  jplant_chart_first(k->r->run, t, after, k->y);
  jplant_outputs(k->r->run, t, after, k->seen);
  jplant_outputs(k->first, t, k->y, k->expected);
  for (int i = 0; i < d->noutput; i++) {
    assert_near(k->seen[i], k->expected[i], 1e-9 * (1.0 + fabs(k->expected[i])));
  }
  k->changes++;
  return JO_OK;
}

static void test_change_is_the_same_motion(void** state) {
  (void)state;
  rig r;
  open_rocker(&r);
  witness k = {.r = &r};
  jarena a;
  jarena_init(&a, r.ctx);
  k.y = JARENA_ARRAY(&a, r.d->ny, double);
  k.seen = JARENA_ARRAY(&a, r.d->noutput, double);
  k.expected = JARENA_ARRAY(&a, r.d->noutput, double);
  assert_ok(r.ctx, jplant_work_create(r.ctx, r.plant, NULL, &k.first));
  r.run->watch.on_change = compare;
  r.run->watch.user = &k;
  rig_integrate(&r, 0.8, 1e-10, NULL, NULL);
  assert_in_range(k.changes, 5, 9);
  assert_in_range(r.run->charts->n, 1, 3);  // partitions are taken up again
  jplant_work_destroy(k.first);
  jarena_free(&a);
  rig_close(&r);
}

static jplant_result* simulate(rig* r, double t_end) {
  jplant_simulate_options opt = jplant_simulate_options_default();
  jplant_result* result;
  opt.t_end = t_end;
  assert_ok(r->ctx, jplant_simulate(r->ctx, r->plant, &opt, &result));
  return result;
}

// What runs before left with the plant does not show.
static void test_change_depends_on_the_run_alone(void** state) {
  (void)state;
  rig r;
  open_rocker(&r);
  jplant_result* once = simulate(&r, 0.4);
  jplant_result_destroy(simulate(&r, 1.0));
  jplant_result* again = simulate(&r, 0.4);
  assert_true(once->nchange > 1);
  assert_int_equal(once->nchange, again->nchange);
  assert_int_equal(once->nrow, again->nrow);
  assert_memory_equal(once->row, again->row,
                      sizeof(double) * (size_t)once->nrow * (size_t)once->ncolumn);
  for (int i = 0; i < once->nchange; i++) {
    assert_true(once->change[i].t == again->change[i].t);
    assert_string_equal(once->change[i].independent, again->change[i].independent);
  }
  jplant_result_destroy(once);
  jplant_result_destroy(again);
  rig_close(&r);
}

static jo_status note_first(void* user, double t, const double* before, const double* after,
                            const jplant* was, const jplant* is) {
  (void)before, (void)after, (void)was, (void)is;
  double* first = user;
  if (isnan(*first)) *first = t;
  return JO_OK;
}

// A point on a circle at 1 rad/s, with x independent: the slope dy/dx = tan(t) vanishes at the start, and says nothing there about
// how steep it will be. The partition is left by a step that ends soon after a slope of 20, not just before the dead point.
static void test_change_is_in_time_where_a_slope_begins_with_zero(void** state) {
  (void)state;
  rig r;
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = JKERNEL_INTERP;
  rig_open_text(&r, "circle.yaml",
                "jounce: 1\n"
                "gravity: [0, 0, 0]\n"
                "hardpoints: {P: [0, 0.5, 0], O: [0, 0, 0]}\n"
                "bodies:\n"
                "  carriage:\n"
                "  point: {mass: 1, com: P, inertia: [0.01, 0.01, 0.01]}\n"
                "joints:\n"
                "  x: {type: prismatic, child: carriage, axis: x}\n"
                "  y: {type: prismatic, child: point, parent: carriage, axis: y}\n"
                "closures: {rod: {type: distance, a: point.P, b: ground.O}}\n"
                "initial: {x: {value: 0, rate: 0.5}}\n"
                "simulation: {end: 2}\n",
                &opt);
  double first = NAN;
  r.run->watch.on_change = note_first;
  r.run->watch.user = &first;
  rig_integrate(&r, 2.0, 1e-12, NULL, NULL);
  // steps are 0.02 s long: tan(t) is between 20 and 20 / (1 - 20 * 0.02) = 33 where the step ends
  assert_true(tan(first) > 20.0);
  assert_true(tan(first) < 33.0);
  rig_close(&r);
}

static void test_change_survives_the_end_of_memory(void** state) {
  (void)state;
  rig r;
  open_rocker(&r);
  jplant_simulate_options opt = jplant_simulate_options_default();
  opt.t_end = 0.1;
  opt.output_step = 0.05;
  failing_alloc* memory = &r.f->memory;
  // every third call is the one that fails; what was made before stays with the plant
  for (long n = 0;; n += 3) {
    memory->fail_at = memory->calls + n;
    jplant_result* result;
    jo_status status = jplant_simulate(r.ctx, r.plant, &opt, &result);
    memory->fail_at = -1;
    bool changed = result && result->nchange > 0;
    jplant_result_destroy(result);
    jo_context_clear(r.ctx);
    if (status >= 0) {
      assert_true(changed);
      break;
    }
    assert_int_equal(status, JO_ERR_MEMORY);
  }
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_change_is_the_same_motion),
      cmocka_unit_test(test_change_depends_on_the_run_alone),
      cmocka_unit_test(test_change_is_in_time_where_a_slope_begins_with_zero),
      cmocka_unit_test(test_change_survives_the_end_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
