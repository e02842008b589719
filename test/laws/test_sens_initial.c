// SPDX-License-Identifier: Apache-2.0
// Where a run begins depends on its numbers, too: hardpoints move loops, initial conditions are about
// any quantity, drives move at once. And objectives of every kind, against differences of runs.
#include "support/gradient.h"

static const char* const number[] = {
    "bodies.crank.points.tip.x",
    "bodies.coupler.points.tip.x",
    "bodies.rocker.points.tip.x",
    "bodies.rocker.points.tip.z",
    "hardpoints.C.x",
    "hardpoints.C.z",
    "hardpoints.anchor.x",
    "hardpoints.anchor.z",
    "stretch",
    "speed",
    "shake",
    "pulse",
    "phase",
    "heat",
    "decay",
    "k",
    "c",
    "forces.spring.free_length",
    "corner",
    "from",
    "to",
    "bodies.coupler.mass",
    "bodies.rocker.inertia.yy",
    "bodies.crank.com.z",
    "gravity.z",
};
enum { COUNT = sizeof number / sizeof *number };

static const double size_of[COUNT] = {0.2,  0.6,  0.45, 0.1, 0.5,  0.1, 0.1, 0.45, 0.36,
                                      0.25, 0.02, 9,    0.4, 0.7,  1.3, 400, 3,    0.3,
                                      4,    0.31, 0.77, 1.5, 0.02, 0.1, 9.81};

static void open_loop(gradient* g) {
  gradient_open(g, "test/models/sens_loop.yaml", NULL, 0, number, COUNT, JKERNEL_INTERP);
}

static void along(int j, double* direction) {
  memset(direction, 0, COUNT * sizeof *direction);
  direction[j] = 1.0;
}

// The start of the run and all that stands in its state: independent and dependent coordinates,
// rates, additional states.
static void test_start_moves_as_the_assembly_does(void** state) {
  (void)state;
  gradient g;
  open_loop(&g);
  const jgen_dynamics* d = gradient_sens(&g)->plant->dynamics;
  assert_true(d->part.nu == 1 && d->part.nv == 2 && d->part.nd == 1);
  assert_int_equal(g.plant->dynamics->part.u[0], d->part.u[0]);
  double direction[COUNT], dy[GRADIENT_MAX];
  int moving = 0;
  for (int j = 0; j < COUNT; j++) {
    along(j, direction);
    gradient_difference(&g, gradient_start, d->ny, direction, 2e-3 * size_of[j], 3, dy);
    for (int i = 0; i < d->ny; i++) {
      double S = g.sens->S0[i + j * d->ny];
      assert_near(S, dy[i], 1e-9 / size_of[j]);
      moving += S != 0.0;
    }
  }
  // bars, hardpoints, spring and drive move three coordinates and a rate; one moves the warmth
  assert_true(moving >= 4 * 10 + 1);
  gradient_close(&g);
}

static void test_gradient_is_that_of_differences(void** state) {
  (void)state;
  gradient g;
  open_loop(&g);
  jsens_result* r = gradient_run(&g, JSENS_DIRECT, false);
  double d[GRADIENT_MAX];
  for (int j = 0; j < COUNT; j++) {
    gradient_difference_one(&g, j, 2e-3 * size_of[j], 3, d);
    for (int o = 0; o < g.nobjective; o++) {
      double scale = fmax(fabs(r->gradient[o * COUNT + j]), fabs(r->value[o]) / size_of[j]);
      assert_near(r->gradient[o * COUNT + j], d[o], 1e-7 * scale);
    }
  }
  jsens_result_destroy(r);
  gradient_close(&g);
}

static void test_direct_is_adjoint(void** state) {
  (void)state;
  gradient g;
  open_loop(&g);
  jsens_result* d = gradient_run(&g, JSENS_DIRECT, false);
  jsens_result* a = gradient_run(&g, JSENS_ADJOINT, false);
  for (int o = 0; o < g.nobjective; o++) {
    for (int j = 0; j < COUNT; j++) {
      int i = o * COUNT + j;
      double scale = fmax(fabs(d->gradient[i]), fabs(d->value[o]) / size_of[j]);
      assert_near(a->gradient[i], d->gradient[i], 1e-11 * scale);
    }
  }
  jsens_result_destroy(d);
  jsens_result_destroy(a);
  gradient_close(&g);
}

// Other values of the parameters through the options: the start is assembled for them.
static void test_gradient_at_other_values_is_that_of_a_model_with_them(void** state) {
  (void)state;
  static const char* const few[] = {"stretch", "shake", "k", "bodies.crank.points.tip.x"};
  const jmodel_setting set[] = {{"stretch", "0.34"}, {"shake", "0.03"}, {"k", "350"}};
  const double value[] = {0.34, 0.03, 350};
  gradient moved, nominal;
  gradient_open(&moved, "test/models/sens_loop.yaml", set, 3, few, 4, JKERNEL_INTERP);
  gradient_open(&nominal, "test/models/sens_loop.yaml", NULL, 0, few, 4, JKERNEL_INTERP);
  const jgen_dynamics* d = gradient_sens(&nominal)->plant->dynamics;
  double* p = test_calloc((size_t)d->np, sizeof *p);
  memcpy(p, d->p, (size_t)d->np * sizeof *p);
  for (int i = 0; i < 3; i++) {
    p[d->sens.wrt[i]] = value[i];
  }
  nominal.opt.p = p;
  for (int method = 0; method < 2; method++) {
    jsens_result* a = gradient_run(&moved, (jsens_method)method, false);
    jsens_result* b = gradient_run(&nominal, (jsens_method)method, false);
    for (int o = 0; o < moved.nobjective; o++) {
      assert_near(b->value[o], a->value[o], 1e-10 * fmax(fabs(a->value[o]), 1e-3));
      for (int j = 0; j < 4; j++) {
        double expected = a->gradient[o * 4 + j];
        assert_near(b->gradient[o * 4 + j], expected, 1e-8 * fmax(fabs(expected), 1e-3));
      }
    }
    jsens_result_destroy(a);
    jsens_result_destroy(b);
  }
  test_free(p);
  gradient_close(&moved);
  gradient_close(&nominal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_start_moves_as_the_assembly_does),
      cmocka_unit_test(test_gradient_is_that_of_differences),
      cmocka_unit_test(test_direct_is_adjoint),
      cmocka_unit_test(test_gradient_at_other_values_is_that_of_a_model_with_them),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
