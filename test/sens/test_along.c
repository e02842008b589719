// SPDX-License-Identifier: Apache-2.0
// Derivatives that go along with the run: the run takes the steps it takes alone, and a walk along its record has the
// same derivatives, bit by bit.
#include "sens/tangent/along.h"

#include "support/gradient.h"

static void assert_same(const double* a, const double* b, int n) {
  assert_memory_equal(a, b, (size_t)n * sizeof *a);
}

static void check_events(const jsens_result* a, const jsens_result* b) {
  assert_int_equal(a->nevent, b->nevent);
  for (int i = 0; i < a->nevent; i++) {
    const jsens_event *v = &a->event[i], *w = &b->event[i];
    assert_true(v->t == w->t && v->which == w->which && v->on == w->on && v->rate == w->rate);
    assert_true(v->follows == w->follows);
    assert_same(v->dt, w->dt, a->nw);
  }
}

static void check_run_alone(gradient* g, const jsens_result* r) {
  jsens_result* alone = gradient_run(g, JSENS_VALUE, false);
  if (r->passes == 1 && r->comparison == JSENS_ALONE) {
    assert_same(r->value, alone->value, r->nobjective);
    assert_int_equal(r->statistics.steps, alone->statistics.steps);
    assert_int_equal(r->statistics.rejected, alone->statistics.rejected);
    assert_int_equal(r->statistics.evaluations, alone->statistics.evaluations);
  }
  jsens_result_destroy(alone);
}

static void check_both_ways(gradient* g, bool frozen) {
  jsens_result *along = gradient_run(g, JSENS_DIRECT, frozen), *behind;
  assert_ok(g->ctx,
            jsens_walk_again(g->ctx, gradient_sens(g), along, JSENS_DIRECT, frozen, &behind));
  assert_true(along->statistics.steps > 50);
  assert_true(along->statistics.implicit > 0 || g->opt.solve.method != JSOLVE_AUTO);
  assert_same(along->gradient, behind->gradient, along->nobjective * along->nw);
  assert_same(along->gradient_error, behind->gradient_error, along->nobjective * along->nw);
  assert_same(along->value_error, behind->value_error, along->nobjective);
  check_events(along, behind);
  if (!frozen) check_run_alone(g, along);
  jsens_result_destroy(behind);
  jsens_result_destroy(along);
}

static void check(const char* path, const char* const* number, int n, jsolve_method method,
                  double tolerance) {
  gradient g;
  gradient_open(&g, path, NULL, 0, number, n, JKERNEL_INTERP);
  g.opt.solve.method = method;
  g.opt.solve.rel_tol = g.opt.solve.abs_tol = tolerance;
  g.opt.solve.step = jsolve_method_about(method)->is_fixed ? 2e-3 : 0.0;
  g.opt.keep = g.opt.keep_other = true;
  check_both_ways(&g, false);
  check_both_ways(&g, true);
  g.opt.max_states = 16;  // checkpoints
  check_both_ways(&g, false);
  gradient_close(&g);
}

// More numbers than one pack takes, loops, and first slopes that are not those of their states.
static void test_along_with_loops(void** state) {
  (void)state;
  static const char* const loop[] = {"k",    "c",     "shake",   "pulse", "phase",
                                     "heat", "decay", "stretch", "speed", "from"};
  check("test/models/sens_loop.yaml", loop, 10, JSOLVE_DOPRI5, 1e-8);
  check("test/models/sens_loop.yaml", loop, 3, JSOLVE_DOPRI5, 1e-5);
  check("test/models/sens_loop.yaml", loop, 3, JSOLVE_RK4, 1e-8);
}

static void test_along_through_events(void** state) {
  (void)state;
  static const char* const pendulum[] = {"m", "l", "k", "stop", "start"};
  static const char* const cart[] = {"l", "t0", "V", "d", "start"};
  static const char* const reset[] = {"length", "loss", "T"};
  check("test/models/sens_pendulum.yaml", pendulum, 5, JSOLVE_DOPRI5, 1e-10);
  check("test/models/sens_pendulum.yaml", pendulum, 5, JSOLVE_RK4, 1e-10);
  check("test/models/sens_cart.yaml", cart, 5, JSOLVE_DOPRI5, 1e-10);
  check("test/models/sens_reset.yaml", reset, 3, JSOLVE_DOPRI5, 1e-10);
}

// Where the partition changes the walk is left for later.
static void test_along_until_coordinates_change(void** state) {
  (void)state;
  static const char* const rocker[] = {"a", "m_coupler", "start_rate"};
  check("models/mechanisms/triple_rocker.yaml", rocker, 3, JSOLVE_DOPRI5, 1e-8);
}

// `auto`, which becomes implicit; where few of such steps are stored the walk is left for later.
static void test_along_with_implicit_steps(void** state) {
  (void)state;
  static const char* const pendulum[] = {"l0", "k"};
  check("test/models/stiff_pendulum.yaml", pendulum, 2, JSOLVE_AUTO, 1e-6);
}

static void test_along_is_for_explicit_steps(void** state) {
  (void)state;
  jsens_options opt = {.solve = jsolve_options_default()};
  assert_true(jsens_along_can(JSENS_DIRECT, &opt));
  assert_false(jsens_along_can(JSENS_ADJOINT, &opt));
  assert_false(jsens_along_can(JSENS_VALUE, &opt));
  opt.solve.method = JSOLVE_ESDIRK5;
  assert_false(jsens_along_can(JSENS_DIRECT, &opt));
  opt.solve.method = JSOLVE_IMEX4;
  assert_false(jsens_along_can(JSENS_DIRECT, &opt));
  opt.solve.method = JSOLVE_AUTO;  // as long as it is explicit
  assert_true(jsens_along_can(JSENS_DIRECT, &opt));
  jsens_observer somebody = {0};
  opt.observer = &somebody;
  assert_false(jsens_along_can(JSENS_DIRECT, &opt));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_along_with_loops),
      cmocka_unit_test(test_along_through_events),
      cmocka_unit_test(test_along_until_coordinates_change),
      cmocka_unit_test(test_along_with_implicit_steps),
      cmocka_unit_test(test_along_is_for_explicit_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
