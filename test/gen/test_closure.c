// SPDX-License-Identifier: Apache-2.0
// Closures: Jacobians and quadratic terms are derivatives of the residuals, and what a multiplier does to the
// bodies has the power of the residual's rate.
#include "expr/diff.h"
#include "support/sketch.h"

#define ROUNDING 1e-12

static const char* const models[] = {
    "test/models/closure_ball.yaml",     "test/models/closure_distance.yaml",
    "test/models/closure_parallel.yaml", "test/models/closure_perpendicular.yaml",
    "test/models/closure_planar.yaml",   "test/models/closure_point_on_line.yaml",
    "test/models/closure_revolute.yaml", "test/models/closure_tether.yaml",
    "models/buggy/step_descent.yaml"};
enum { NMODEL = sizeof models / sizeof *models };

typedef struct rows {
  sketch k;
  jgen_row* row;
  int n;
} rows;

static void open_rows(rows* r, const char* path, bool hub, unsigned seed) {
  random_source source;
  random_seed(&source, seed);
  sketch_open(&r->k, fixture_load(path, NULL, 0), hub);
  sketch_randomise(&r->k, &source, 0.5);
  assert_ok(r->k.f->ctx, jgen_closures(&r->k.s, true, &r->row, &r->n));
  assert_true(r->n > 0 && r->n <= SKETCH_MAX);
}

// h' = J qd, h'' = J qdd + bias, by differentiation of h for time
static void test_closure_rates_are_derivatives_of_the_residual(void** state) {
  (void)state;
  for (int i = 0; i < NMODEL; i++) {
    rows r;
    open_rows(&r, models[i], i % 2 == 0, 61 + (unsigned)i);
    sketch* k = &r.k;
    sketch_accelerate(k);
    for (int e = 0; e < r.n; e++) {
      const jgen_row* row = &r.row[e];
      jexpr_ref rate, acceleration;
      double J[SKETCH_MAX], hd = 0.0, hdd = sketch_value(k, row->bias);
      sketch_rate(k, &row->h, 1, &rate);
      sketch_rate(k, &rate, 1, &acceleration);
      sketch_eval(k, row->J, k->nq, J);
      for (int c = 0; c < k->nq; c++) {
        hd += J[c] * k->qd[c];
        hdd += J[c] * k->qdd[c];
      }
      assert_near(hd, sketch_value(k, rate), ROUNDING);
      assert_near(hdd, sketch_value(k, acceleration), ROUNDING * 10.0);
    }
    sketch_close(k);
  }
}

// Every entry for itself.
static void test_closure_jacobian_is_that_of_the_residual(void** state) {
  (void)state;
  for (int i = 0; i < NMODEL; i++) {
    rows r;
    open_rows(&r, models[i], true, 71 + (unsigned)i);
    sketch* k = &r.k;
    for (int e = 0; e < r.n; e++) {
      jexpr_ref exact[SKETCH_MAX];
      double J[SKETCH_MAX], expected[SKETCH_MAX];
      for (int c = 0; c < k->nq; c++) {
        assert_ok(k->f->ctx,
                  jexpr_tangent(k->g, &r.row[e].h, 1, &k->s.q[c], &k->s.one, 1, &exact[c]));
      }
      sketch_eval(k, r.row[e].J, k->nq, J);
      sketch_eval(k, exact, k->nq, expected);
      for (int c = 0; c < k->nq; c++) {
        assert_near(J[c], expected[c], ROUNDING);
      }
    }
    sketch_close(k);
  }
}

// Power of a push of one unit: f . v + n . w in the frame of the closure's base, relative to it.
static double power_of(sketch* k, const jgen_row* row) {
  jexpr_graph* g = k->g;
  double power = 0.0;
  for (int i = 0; i < row->npush; i++) {
    const jgen_push* p = &row->push[i];
    const jgen_relative m = *jgen_relative_of(&k->s, row->base, p->link, true);
    jexpr_v3 v = jexpr_v3_add(g, m.od, jexpr_v3_cross(g, m.w, jexpr_m3_apply(g, &m.R, p->r)));
    power +=
        sketch_value(k, jexpr_v3_dot(g, p->f, v)) + sketch_value(k, jexpr_v3_dot(g, p->n, m.w));
  }
  return power;
}

static void test_closure_push_has_the_power_of_the_rate(void** state) {
  (void)state;
  for (int i = 0; i < NMODEL; i++) {
    rows r;
    open_rows(&r, models[i], true, 81 + (unsigned)i);
    sketch* k = &r.k;
    for (int e = 0; e < r.n; e++) {
      double J[SKETCH_MAX], rate = 0.0;
      sketch_eval(k, r.row[e].J, k->nq, J);
      for (int c = 0; c < k->nq; c++) {
        rate += J[c] * k->qd[c];
      }
      assert_near(power_of(k, &r.row[e]), rate, ROUNDING * 10.0);
    }
    sketch_close(k);
  }
}

// A residual of a length is a length, to first order: 1 mm too long is 1 mm.
static void test_closure_of_a_distance_measures_in_metres(void** state) {
  (void)state;
  static const char text[] =
      "jounce: 1\nname: d\nhardpoints: {A: [0, 0, 0], B: [0.5, 0, 0]}\n"
      "bodies: {b: {mass: 1}}\njoints: {x: {type: prismatic, child: b, axis: x}}\n"
      "closures: {rod: {type: distance, a: ground.A, b: b.B, length: 0.5}}\n";
  sketch k;
  jgen_row* row;
  int n;
  sketch_open(&k, fixture_parse("rod.yaml", text), false);
  assert_ok(k.f->ctx, jgen_closures(&k.s, true, &row, &n));
  assert_int_equal(n, 1);
  k.q[0] = 1e-3;
  assert_near(sketch_value(&k, row[0].h), 1e-3, 1.1e-6);  // x^2 / (2 L)
  sketch_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_closure_rates_are_derivatives_of_the_residual),
      cmocka_unit_test(test_closure_jacobian_is_that_of_the_residual),
      cmocka_unit_test(test_closure_push_has_the_power_of_the_rate),
      cmocka_unit_test(test_closure_of_a_distance_measures_in_metres),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
