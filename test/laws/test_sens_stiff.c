// SPDX-License-Identifier: Apache-2.0
// Derivatives where steps that follow the motion are not good enough for them, at default settings: stiff
// models, models at rest; and implicit steps through loops, events and impulses. Differences are those
// of whole runs at tolerances far below the defaults.
#include "support/gradient.h"

#define WANTED 1e-6  // of derivatives that matter, at default settings

typedef struct subject {
  const char* path;
  int n;
  const char* number[6];
} subject;

static const subject stiff[] = {
    {"test/models/stiff_pendulum.yaml", 3, {"l0", "initial.swing", "bodies.rod.mass"}},
    {"test/models/stiff_strut.yaml", 6, {"area", "bulk", "volume", "valve", "k", "m"}},
    {"test/models/straight_car.yaml", 6, {"m", "a", "b", "front", "gain", "v"}},
};

static double size_of(const gradient* g, int k) {
  double value = fabs(g->p[g->at[k]]);
  return value > 0.0 ? value : 1.0;
}

// Derivative by one number from runs at 1e-12; the walks before it are done with the default options.
static void differences(gradient* g, int k, double* d) {
  jsens_options plain = g->opt;
  g->opt.solve.method = JSOLVE_DOPRI5;
  g->opt.solve.rel_tol = g->opt.solve.abs_tol = 1e-12;
  gradient_difference_one(g, k, 1e-3 * size_of(g, k), 4, d);
  g->opt = plain;
}

// |derivative - difference| against what the objective makes of a relative change of the number.
static void check_against_differences(gradient* g, const jsens_result* r, double wanted) {
  double d[GRADIENT_MAX];
  for (int k = 0; k < g->n; k++) {
    differences(g, k, d);
    for (int o = 0; o < g->nobjective; o++) {
      double got = r->gradient[o * g->n + k], error = fabs(got - d[o]);
      double scale = fmax(fabs(d[o]), 0.01 * fabs(r->value[o]) / size_of(g, k));
      if (!(error <= wanted * scale)) {
        fail_msg("%s, objective %d, number %d: %.10e, differences %.10e", g->m->path, o, k, got,
                 d[o]);
      }
      // differences are good to about 1e-9 of the scale
      if (!(error <= r->gradient_error[o * g->n + k] + 1e-8 * scale)) {
        fail_msg("%s, objective %d, number %d: %.10e, differences %.10e, stated error %.1e",
                 g->m->path, o, k, got, d[o], r->gradient_error[o * g->n + k]);
      }
    }
  }
}

static void test_default_settings_are_good_to_six_digits(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof stiff / sizeof *stiff; i++) {
    gradient g;
    gradient_open(&g, stiff[i].path, NULL, 0, stiff[i].number, stiff[i].n, JKERNEL_INTERP);
    for (int method = JSENS_DIRECT; method <= JSENS_ADJOINT; method++) {
      jsens_result* r = gradient_run(&g, (jsens_method)method, false);
      assert_true(r->is_within);
      check_against_differences(&g, r, WANTED);
      jsens_result_destroy(r);
    }
    gradient_close(&g);
  }
}

// Along the same implicit steps one method is the transpose of the other.
static void test_implicit_steps_direct_is_adjoint(void** state) {
  (void)state;
  static const subject row[] = {
      {"test/models/stiff_pendulum.yaml", 2, {"l0", "k"}},
      {"test/models/stiff_strut.yaml", 3, {"area", "bulk", "m"}},
      {"test/models/sens_loop.yaml", 0, {0}},
      {"test/models/sens_bounce.yaml", 0, {0}},
      {"test/models/sens_cart.yaml", 0, {0}},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    gradient g;
    const char* first[] = {NULL};
    fixture* f = fixture_load(row[i].path, NULL, 0);
    for (int k = 0; k < f->m->nnumber && !first[0]; k++) {
      if (f->m->number[k].is_parameter) first[0] = f->m->number[k].path;
    }
    int n = row[i].n > 0 ? row[i].n : 1;
    gradient_open(&g, row[i].path, NULL, 0, row[i].n > 0 ? row[i].number : first, n,
                  JKERNEL_INTERP);
    g.opt.solve.method = JSOLVE_ESDIRK5;
    g.opt.estimate = false;
    jsens_result* direct = gradient_run(&g, JSENS_DIRECT, false);
    jsens_result* adjoint = gradient_run(&g, JSENS_ADJOINT, false);
    assert_true(direct->statistics.implicit > 0);
    for (int k = 0; k < g.nobjective * g.n; k++) {
      double scale = fabs(direct->gradient[k]) + 1e-9;
      assert_near(direct->gradient[k] / scale, adjoint->gradient[k] / scale, 1e-9);
    }
    jsens_result_destroy(direct);
    jsens_result_destroy(adjoint);
    g.opt.estimate = true;
    g.opt.solve.rel_tol = g.opt.solve.abs_tol = 1e-9;
    direct = gradient_run(&g, JSENS_DIRECT, false);
    check_against_differences(&g, direct, 1e-5);
    jsens_result_destroy(direct);
    gradient_close(&g);
    fixture_close(f);
  }
}

// The same of mixed steps, with all states stored, or so few that most steps are taken again: bit by bit as they were.
static void test_mixed_steps_direct_is_adjoint(void** state) {
  (void)state;
  static const subject row[] = {
      {"test/models/stiff_strut.yaml", 3, {"area", "bulk", "m"}},
      {"models/damper_rig/quarter_car.yaml", 3, {"icmd", "L", "ks"}},
  };
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    gradient g;
    gradient_open(&g, row[i].path, NULL, 0, row[i].number, row[i].n, JKERNEL_INTERP);
    g.opt.solve.method = JSOLVE_IMEX4;
    g.opt.solve.rel_tol = g.opt.solve.abs_tol = 1e-7;
    g.opt.estimate = false;
    jsens_result* direct = gradient_run(&g, JSENS_DIRECT, false);
    jsens_result* adjoint = gradient_run(&g, JSENS_ADJOINT, false);
    g.opt.max_states = 16;
    jsens_result* thin = gradient_run(&g, JSENS_ADJOINT, false);
    assert_int_equal(direct->statistics.implicit, 0);
    for (int k = 0; k < g.nobjective * g.n; k++) {
      double scale = fabs(direct->gradient[k]) + 1e-9;
      assert_near(direct->gradient[k] / scale, adjoint->gradient[k] / scale, 1e-9);
      assert_true(thin->gradient[k] == adjoint->gradient[k]);
    }
    jsens_result_destroy(direct);
    jsens_result_destroy(adjoint);
    jsens_result_destroy(thin);
    gradient_close(&g);
  }
}

// A pendulum that hangs at rest: the motion says nothing of the steps, its derivative swings.
static void test_a_system_at_rest_has_derivatives(void** state) {
  (void)state;
  static const char* const number[] = {"initial.swing"};
  static const jmodel_setting hang[] = {{"initial.swing", "0"}};
  gradient g;
  gradient_open(&g, "test/models/stiff_pendulum.yaml", hang, 1, number, 1, JKERNEL_INTERP);
  g.opt.t_end = 1.0;
  for (int method = JSENS_DIRECT; method <= JSENS_ADJOINT; method++) {
    jsens_result* r = gradient_run(&g, (jsens_method)method, false);
    assert_true(fabs(r->gradient[0]) <= r->gradient_error[0] + 1e-12);  // psi is quadratic
    jsens_result_destroy(r);
  }
  gradient_close(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_default_settings_are_good_to_six_digits),
      cmocka_unit_test(test_implicit_steps_direct_is_adjoint),
      cmocka_unit_test(test_mixed_steps_direct_is_adjoint),
      cmocka_unit_test(test_a_system_at_rest_has_derivatives),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
