// SPDX-License-Identifier: Apache-2.0
// Tables of roads: values and every derivative, ends, sides, feet on lines; and the operator that reads them, by
// tangents, adjoints and complex steps, interpreted and compiled with any number of lanes.
#include "road/surface.h"

#include <complex.h>

#include "expr/diff.h"
#include "kernel/kernel.h"
#include "support/fixture.h"

enum { NU = 40, NV = 4 };

static double wave(double u, double v) {
  return sin(0.7 * u) + 0.3 * v * cos(0.4 * u) + 0.1 * v * v;
}

typedef struct rig {
  fixture* f;
  double value[NU * NV], xy[2][NU];
  jroad_source source[4];
  jroad_surface* s;
} rig;

static const double places[NV] = {-1.0, -0.2, 0.5, 1.5};

static void open_rig(rig* r, int degree, jroad_across across, jroad_ends ends) {
  *r = (rig){.f = fixture_open()};
  jroad_source table = {.is_level = ends == JROAD_KEEP,
                        .degree = degree,
                        .ends = ends,
                        .across = across,
                        .nu = NU,
                        .nv = across == JROAD_BLEND ? 2 : NV,
                        .u0 = 2.0,
                        .du = 0.25,
                        .v = places,
                        .value = r->value};
  for (int i = 0; i < NU; i++) {
    for (int j = 0; j < table.nv; j++) {
      r->value[i * table.nv + j] = wave(table.u0 + i * table.du, places[j]);
    }
    // a quarter of a circle of radius 10 m
    r->xy[0][i] = 10.0 * sin(0.5 * 3.14159265358979 * i / (NU - 1));
    r->xy[1][i] = 10.0 * (1.0 - cos(0.5 * 3.14159265358979 * i / (NU - 1)));
  }
  r->source[0] = table;
  for (int k = 0; k < 2; k++) {
    r->source[1 + k] = (jroad_source){.is_line = k == 0,
                                      .degree = 3,
                                      .ends = JROAD_LINE,
                                      .nu = NU,
                                      .nv = 1,
                                      .du = 0.4,
                                      .v = places,
                                      .value = r->xy[k]};
  }
  r->source[3] = (jroad_source){.is_random = true,
                                .degree = 3,
                                .across = JROAD_BLEND,
                                .nv = 2,
                                .du = JROAD_RANDOM_SPACING,
                                .v = places,
                                .random = {256e-6, 0.2, 100.0, 10.0, 5}};
  assert_ok(r->f->ctx, jroad_build(r->f->ctx, &r->f->a, r->source, 4, &r->s));
}

static double at(const rig* r, int table, int du, int dv, double u, double v) {
  return r->s->data.at(&r->s->data, table, du, dv, u, v);
}

// Between knots a table is a polynomial: central differences are exact up to their own order.
static void check_derivatives(const rig* r, int table, double u0, double length) {
  const double h = 1e-4;
  for (int k = 0; k < 60; k++) {
    double u = u0 + length * (k + 0.37) / 60.0, v = -0.9 + 2.3 * (k * 7 % 60) / 60.0;
    for (int n = 0; n < 9; n++) {
      int i = n / 3, j = n % 3;
      double by_u = (at(r, table, i, j, u + h, v) - at(r, table, i, j, u - h, v)) / (2 * h);
      double by_v = (at(r, table, i, j, u, v + h) - at(r, table, i, j, u, v - h)) / (2 * h);
      assert_near(at(r, table, i + 1, j, u, v), by_u, 1e-5 * (1.0 + fabs(by_u)));
      assert_near(at(r, table, i, j + 1, u, v), by_v, 1e-4 * (1.0 + fabs(by_v)));
    }
  }
}

static void test_surface_goes_through_its_values(void** state) {
  (void)state;
  static const jroad_across across[] = {JROAD_STRAIGHT, JROAD_BLEND, JROAD_SMOOTH};
  for (int k = 0; k < 6; k++) {
    rig r;
    open_rig(&r, k % 2 ? 1 : 3, across[k / 2], JROAD_KEEP);
    int nv = r.source[0].nv;
    for (int i = 0; i < NU * nv; i++) {
      double u = 2.0 + 0.25 * (i / nv);
      assert_near(at(&r, 0, 0, 0, u, places[i % nv]), r.value[i], 1e-13);
    }
    fixture_close(r.f);
  }
}

static void test_surface_has_its_derivatives(void** state) {
  (void)state;
  rig r;
  open_rig(&r, 3, JROAD_SMOOTH, JROAD_KEEP);
  check_derivatives(&r, 0, 2.0, 9.6);
  check_derivatives(&r, 3, 0.0, 100.0);
  fixture_close(r.f);
  open_rig(&r, 3, JROAD_BLEND, JROAD_REPEAT);
  check_derivatives(&r, 0, -5.0, 30.0);
  fixture_close(r.f);
  open_rig(&r, 3, JROAD_SMOOTH, JROAD_REFLECT);
  check_derivatives(&r, 0, -5.0, 30.0);
  fixture_close(r.f);
}

static void test_surface_beyond_its_ends(void** state) {
  (void)state;
  const double last = 2.0 + 0.25 * (NU - 1), v = 0.5;
  rig r;
  open_rig(&r, 3, JROAD_SMOOTH, JROAD_KEEP);
  assert_near(at(&r, 0, 0, 0, last + 7.0, v), wave(last, v), 1e-13);
  assert_near(at(&r, 0, 1, 0, last - 1e-9, v), 0.0, 1e-6);  // level where it ends
  assert_near(at(&r, 0, 0, 0, 4.0, 9.0), at(&r, 0, 0, 0, 4.0, 1.5), 0.0);
  assert_true(isnan(at(&r, 0, 0, 0, NAN, v)) && isnan(at(&r, 0, 0, 0, 4.0, INFINITY)));
  fixture_close(r.f);
  open_rig(&r, 3, JROAD_SMOOTH, JROAD_LINE);
  double slope = at(&r, 0, 1, 0, last, v);
  assert_near(at(&r, 0, 0, 0, last + 2.0, v), wave(last, v) + 2.0 * slope, 1e-12);
  assert_near(at(&r, 0, 1, 0, last + 1.0, v), slope, 1e-12);
  fixture_close(r.f);
  open_rig(&r, 3, JROAD_SMOOTH, JROAD_ZERO);
  assert_near(at(&r, 0, 0, 0, last + 2.0, v), 0.0, 0.0);
  fixture_close(r.f);
  open_rig(&r, 3, JROAD_SMOOTH, JROAD_REPEAT);
  assert_near(at(&r, 0, 0, 0, last + 1.0, v), at(&r, 0, 0, 0, 3.0, v), 1e-12);
  fixture_close(r.f);
  open_rig(&r, 3, JROAD_SMOOTH, JROAD_REFLECT);
  assert_near(at(&r, 0, 0, 0, last + 1.0, v), at(&r, 0, 0, 0, last - 1.0, v), 1e-12);
  fixture_close(r.f);
}

// The line is a circle but for 1e-6 m: the foot of a place is where its radius meets it.
static void test_surface_foot_on_a_circle(void** state) {
  (void)state;
  rig r;
  open_rig(&r, 3, JROAD_SMOOTH, JROAD_KEEP);
  for (int k = 0; k < 100; k++) {
    double angle = 1.5 * (k + 0.5) / 100.0, radius = 10.0 + 6.0 * sin(k * 1.7);
    double u = at(&r, 1, JDATA_FOOT, 0, radius * sin(angle), 10.0 - radius * cos(angle));
    double expected = angle / (0.5 * 3.14159265358979) * (NU - 1) * 0.4;
    assert_near(u, expected, 2e-4);
  }
  // straight on beyond the ends
  assert_near(at(&r, 1, JDATA_FOOT, 0, -3.0, 0.5), -3.0 / at(&r, 1, 1, 0, 0.0, 0.0), 0.02);
  fixture_close(r.f);
}

static void test_surface_random_road_is_level_at_its_ends(void** state) {
  (void)state;
  rig r;
  open_rig(&r, 3, JROAD_SMOOTH, JROAD_KEEP);
  for (int n = 0; n < 3; n++) {
    assert_near(at(&r, 3, n, 0, 0.0, 0.0), 0.0, 0.0);
    assert_near(at(&r, 3, n, 0, 100.0, 0.0), 0.0, 0.0);
  }
  assert_true(at(&r, 3, 0, 0, 50.0, 1.0) != at(&r, 3, 0, 0, 50.0, -1.0));
  fixture_close(r.f);
}

// ---- the operator --------------------------------------------------------------------------------

typedef struct graph {
  jexpr_ref x[2], y, d[2], bar[2];
  jexpr_outputs out;
  jexpr_ref all[5];
  jexpr_fn fn;
} graph;

// A table over feet of a line, and its derivatives both ways.
static void write_graph(rig* r, graph* q) {
  jexpr_graph* g = fixture_graph(r->f);
  int place = jexpr_group(g, "place", 2, JEXPR_PER_LANE);
  int road = jexpr_group(g, "road", 0, JEXPR_UNIFORM);
  for (int k = 0; k < 2; k++) {
    q->x[k] = jexpr_input(g, place, k);
  }
  jexpr_ref zero = jexpr_const(g, 0.0), one = jexpr_const(g, 1.0);
  jexpr_ref u = jexpr_data(g, road, 1, JDATA_FOOT, 0, q->x[0], q->x[1]);
  jexpr_ref off = jexpr_sub(g, q->x[1], jexpr_data(g, road, 2, 0, 0, u, zero));
  q->y = jexpr_mul(g, jexpr_data(g, road, 0, 1, 0, u, off), jexpr_sin(g, u));
  for (int k = 0; k < 2; k++) {
    assert_ok(r->f->ctx, jexpr_tangent(g, &q->y, 1, &q->x[k], &one, 1, &q->d[k]));
  }
  assert_ok(r->f->ctx, jexpr_adjoint(g, &q->y, &one, 1, q->x, 2, q->bar));
  jexpr_ref all[] = {q->y, q->d[0], q->d[1], q->bar[0], q->bar[1]};
  memcpy(q->all, all, sizeof all);
  q->out = (jexpr_outputs){"values", 5, q->all};
  q->fn = (jexpr_fn){"values", g, 1, &q->out};
}

static void evaluate(const jexpr_tape* t, double* work, const rig* r, double x, double y,
                     double* out) {
  const double place[2] = {x, y};
  const double* in[2] = {place, jdata_as_input(&r->s->data)};
  jexpr_tape_eval(t, 1, in, (double* const[]){out}, work);
}

static void test_surface_operator_is_differentiated(void** state) {
  (void)state;
  rig r;
  graph q;
  open_rig(&r, 3, JROAD_SMOOTH, JROAD_KEEP);
  write_graph(&r, &q);
  assert_true(jexpr_graph_is_valid(r.f->g));
  jexpr_tape t;
  double* work;
  assert_ok(r.f->ctx, jexpr_tape_prepare(r.f->ctx, &r.f->a, &q.fn, &t, &work));
  double complex* cwork = calloc((size_t)t.nslot, sizeof *cwork);
  for (int k = 0; k < 30; k++) {
    double x = 1.0 + 0.2 * k, y = 0.5 + 0.15 * k, v[5], plus[5], minus[5];
    const double h = 1e-5;
    evaluate(&t, work, &r, x, y, v);
    for (int i = 0; i < 2; i++) {
      evaluate(&t, work, &r, x + (i == 0) * h, y + (i == 1) * h, plus);
      evaluate(&t, work, &r, x - (i == 0) * h, y - (i == 1) * h, minus);
      assert_near(v[1 + i], (plus[0] - minus[0]) / (2 * h), 1e-5);
      assert_near(v[3 + i], v[1 + i], 1e-12 * (1.0 + fabs(v[1 + i])));
      double complex place[2] = {x + (i == 0) * 1e-30 * I, y + (i == 1) * 1e-30 * I}, out[5];
      const double complex* in[2] = {place, (const double complex*)(const void*)&r.s->data};
      jexpr_tape_eval_complex(&t, in, (double complex* const[]){out}, cwork);
      assert_near(cimag(out[0]) / 1e-30, v[1 + i], 1e-12 * (1.0 + fabs(v[1 + i])));
    }
  }
  free(cwork);
  fixture_close(r.f);
}

static void test_surface_operator_compiled(void** state) {
  (void)state;
  enum { LANES = 8 };
  rig r;
  graph q;
  open_rig(&r, 3, JROAD_SMOOTH, JROAD_KEEP);
  write_graph(&r, &q);
  jexpr_tape t;
  double* work;
  assert_ok(r.f->ctx, jexpr_tape_prepare(r.f->ctx, &r.f->a, &q.fn, &t, &work));
  for (int lanes = 1; lanes <= LANES; lanes *= 2) {
    jkernel_options opt = jkernel_options_default();
    jkernel_set* set;
    opt.backend = JKERNEL_CC;
    opt.lanes = lanes;
    assert_ok(r.f->ctx, jkernel_build(r.f->ctx, &q.fn, 1, &opt, &set));
    double place[2 * LANES], out[5 * LANES], one[5];
    double* scratch = calloc(set->kernel[0].work + 1, sizeof *scratch);
    for (int l = 0; l < lanes; l++) {
      place[l] = 1.0 + 0.7 * l;
      place[lanes + l] = 0.5 + 0.4 * l;
    }
    const double* in[2] = {place, jdata_as_input(&r.s->data)};
    jkernel_eval(&set->kernel[0], in, (double* const[]){out}, scratch);
    for (int l = 0; l < lanes; l++) {
      evaluate(&t, work, &r, place[l], place[lanes + l], one);
      for (int i = 0; i < 5; i++) {
        assert_true(out[i * lanes + l] == one[i]);
      }
    }
    free(scratch);
    jkernel_destroy(set);
  }
  fixture_close(r.f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_surface_goes_through_its_values),
      cmocka_unit_test(test_surface_has_its_derivatives),
      cmocka_unit_test(test_surface_beyond_its_ends),
      cmocka_unit_test(test_surface_foot_on_a_circle),
      cmocka_unit_test(test_surface_random_road_is_level_at_its_ends),
      cmocka_unit_test(test_surface_operator_is_differentiated),
      cmocka_unit_test(test_surface_operator_compiled),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
