// SPDX-License-Identifier: Apache-2.0
// Starts that are found rather than given: static equilibrium, and assemblies with fewer conditions than
// degrees of freedom. Their derivatives are those of differences of runs, however a number is named.
#include "support/gradient.h"

#define COUNT_OF(list) ((int)(sizeof(list) / sizeof *(list)))

static const char* const at_rest[] = {
    "bz",
    "speed",
    "far",
    "gain",
    "k",
    "bodies.arm.mass",
    "bodies.arm.com.x",
    "bodies.slider.mass",
    "bodies.slider.points.P.z",
    "closures.rod.length",
    "forces.spring.stiffness",
    "forces.hanger.damping",
    "states.follow.initial",
    "gravity.z",
    "gravity.y",  // pushes the trolley, which stays until the run begins
};
static const double rest_size[] = {0.1, 0.3, 0.7, 2, 900, 10,   0.5, 1,
                                   0.6, 0.5, 100, 5, 0.2, 9.81, 0.1};

static const char* const chosen[] = {
    "reach",
    "turn",
    "lift",
    "speed",
    "x",
    "closures.rod.length",
    "bodies.a.points.tip.x",
    "hardpoints.C.x",
    "joints.a.guess",
};
static const double chosen_size[] = {0.6, 0.7, 0.3, 0.4, 0.25, 0.35, 0.4, 1, 0.9};

// Derivatives of the start against differences of starts.
static void check_start(gradient* g, int n, const double* size, int* moving) {
  const jgen_dynamics* d = gradient_sens(g)->plant->dynamics;
  double direction[GRADIENT_MAX], dy[GRADIENT_MAX];
  assert_true(d->ny <= GRADIENT_MAX);
  for (int j = 0; j < n; j++) {
    memset(direction, 0, sizeof direction);
    direction[j] = 1.0;
    gradient_difference(g, gradient_start, d->ny, direction, 4e-3 * size[j], 4, dy);
    for (int i = 0; i < d->ny; i++) {
      double S = g->sens->S0[i + j * d->ny];
      // equilibrium is found to 1e-12 of a length; increments are a hundredth of a number
      assert_near(S, dy[i], 1e-8 / size[j]);
      *moving += fabs(S) * size[j] > 1e-6;
    }
  }
}

// Derivatives of the objectives, direct and adjoint, against differences of runs.
static void check_gradient(gradient* g, int n, const double* size) {
  jsens_result* direct = gradient_run(g, JSENS_DIRECT, false);
  jsens_result* adjoint = gradient_run(g, JSENS_ADJOINT, false);
  double difference[GRADIENT_MAX];
  for (int j = 0; j < n; j++) {
    gradient_difference_one(g, j, 4e-3 * size[j], 4, difference);
    for (int o = 0; o < g->nobjective; o++) {
      double exact = direct->gradient[o * n + j];
      double scale = fmax(fabs(exact), fabs(direct->value[o]) / size[j]);
      assert_near(exact, difference[o], 1e-7 * scale);
      assert_near(adjoint->gradient[o * n + j], exact, 1e-10 * scale);
    }
  }
  jsens_result_destroy(direct);
  jsens_result_destroy(adjoint);
}

static void open_static(gradient* g) {
  gradient_open(g, "test/models/sens_static.yaml", NULL, 0, at_rest, COUNT_OF(at_rest),
                JKERNEL_INTERP);
}

static void test_static_start_moves_as_the_equilibrium_does(void** state) {
  (void)state;
  gradient g;
  int moving = 0;
  open_static(&g);
  check_start(&g, COUNT_OF(at_rest), rest_size, &moving);
  // angles, speeds, two sliders, the trolley and both states: most numbers move most of them
  assert_true(moving > 35);
  gradient_close(&g);
}

static void test_static_start_gradient_is_that_of_differences(void** state) {
  (void)state;
  gradient g;
  open_static(&g);
  check_gradient(&g, COUNT_OF(at_rest), rest_size);
  gradient_close(&g);
}

// What sens begins with is what a run begins with: velocities, too, are those at the equilibrium.
static void test_static_start_is_the_same_for_runs_and_derivatives(void** state) {
  (void)state;
  gradient g;
  open_static(&g);
  const jsens* s = gradient_sens(&g);
  const jgen_dynamics* d = s->plant->dynamics;
  double y[GRADIENT_MAX];
  gradient_start(&g, y);
  for (int i = 0; i < d->ny; i++) {
    assert_near(y[i], s->plant->y0[i], 1e-10);
  }
  gradient_close(&g);
}

static int told(const gradient* g, const char* part) {
  int n = 0;
  for (int i = 0; i < jo_context_diagnostic_count(g->ctx); i++) {
    jo_severity severity;
    const char* text = jo_context_diagnostic(g->ctx, i, &severity);
    n += severity == JO_WARNING && strstr(text, part) != NULL;
  }
  return n;
}

static void test_ambiguous_assembly_moves_with_its_guesses(void** state) {
  (void)state;
  gradient g;
  int moving = 0;
  gradient_open(&g, "test/models/sens_ambiguous.yaml", NULL, 0, chosen, COUNT_OF(chosen),
                JKERNEL_INTERP);
  check_start(&g, COUNT_OF(chosen), chosen_size, &moving);
  assert_true(moving > 15);
  check_gradient(&g, COUNT_OF(chosen), chosen_size);
  gradient_close(&g);
}

// What is left open is told, and stays at its guess exactly.
static void test_ambiguous_assembly_is_told_once(void** state) {
  (void)state;
  gradient g;
  gradient_open(&g, "test/models/sens_ambiguous.yaml", NULL, 0, chosen, 1, JKERNEL_INTERP);
  assert_int_equal(told(&g, "leave b open"), 1);
  assert_int_equal(told(&g, "leave the rate of b open"), 1);
  assert_true(g.plant->q0[jmodel_find_coordinate(g.m, "b")] == 0.7);
  gradient_close(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_static_start_moves_as_the_equilibrium_does),
      cmocka_unit_test(test_static_start_gradient_is_that_of_differences),
      cmocka_unit_test(test_static_start_is_the_same_for_runs_and_derivatives),
      cmocka_unit_test(test_ambiguous_assembly_moves_with_its_guesses),
      cmocka_unit_test(test_ambiguous_assembly_is_told_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
