// SPDX-License-Identifier: Apache-2.0
// Points of a batch on roads of their own: each is what it is in a batch of a model with that road, bit by bit.
#include <math.h>
#include <string.h>

#include "base/text/format.h"
#include "batch/batch.h"
#include "support/fixture.h"

enum { ROADS = 3, POINTS = 13, NUMBERS = 2 };

// A sprung mass over a wheel that rolls along a random road, from static equilibrium there.
static const char text[] =
    "jounce: 1\n"
    "name: roads\n"
    "parameters: {k: 20000, height: 1}\n"
    "bodies:\n"
    "  carriage: {mass: 1}\n"
    "  hub: {mass: 30}\n"
    "  body: {mass: 250}\n"
    "  wheel: {mass: 10, inertia: [0.5, 1, 0.5]}\n"
    "joints:\n"
    "  x: {type: prismatic, child: carriage, axis: x}\n"
    "  z: {type: prismatic, parent: carriage, child: hub, axis: z}\n"
    "  heave: {type: prismatic, parent: hub, child: body, axis: z}\n"
    "  spin: {type: revolute, parent: hub, child: wheel, axis: y}\n"
    "forces:\n"
    "  spring: {on: heave, stiffness: k, damping: 1500}\n"
    "tyres:\n"
    "  tyre: {wheel: wheel, radius: 0.3, stiffness: 2.0e5, damping: 200, kappa_c: 0.1,\n"
    "         alpha_c: 0.1, mu_x: 0.9, mu_y: 0.9}\n"
    "road: {iso8608: {class: %s, seed: %d, length: 60, ramp: 1, start: %s, scale: height}}\n"
    "initial:\n"
    "  x: {value: 0, rate: 10}\n"
    "  z: {value: 0.29, rate: 0}\n"
    "  heave: {value: -0.12, rate: 0}\n"
    "  spin: {value: 0, rate: 34.8}\n"
    "objectives:\n"
    "  discomfort: {rms: heave.acc + z.acc, unit: m/s^2}\n"
    "  travel: {peak: heave, unit: m}\n"
    "simulation: {end: 0.4, method: dopri5, tolerance: 1.0e-8, output_step: 0.01}\n";

typedef struct rig {
  jo_context* ctx;
  jmodel* m[ROADS];
  jsens* s[ROADS];
  int number[NUMBERS];
  jbatch_options opt;
  double x[POINTS * NUMBERS];
  int road[POINTS];
} rig;

static jmodel* load(jo_context* ctx, const char* grade, int seed, const char* start) {
  char model[2000];
  jmodel* m = NULL;
  jformat(model, sizeof model, text, grade, seed, start);
  assert_ok(ctx, jmodel_parse(ctx, model, strlen(model), "roads.yaml", NULL, 0, &m));
  return m;
}

static void open_rig(rig* r) {
  *r = (rig){0};
  assert_int_equal(jo_context_create(NULL, &r->ctx), JO_OK);
  for (int i = 0; i < ROADS; i++) {
    r->m[i] = load(r->ctx, "E", 7 + i, "-2");
    assert_ok(r->ctx, jmodel_number_named(r->ctx, r->m[i], "k", &r->number[0]));
    assert_ok(r->ctx, jmodel_number_named(r->ctx, r->m[i], "height", &r->number[1]));
    jsens_setup setup = {.wrt = r->number, .nwrt = NUMBERS, .direct = true, .adjoint = true};
    setup.kernel = jkernel_options_default();
    setup.kernel.backend = JKERNEL_INTERP;
    assert_ok(r->ctx, jsens_create(r->ctx, r->m[i], &setup, &r->s[i]));
  }
  for (int i = 0; i < POINTS; i++) {
    r->x[i * NUMBERS] = 20000.0 + 300.0 * ((i * 5) % POINTS);
    r->x[i * NUMBERS + 1] = 1.0 + 0.1 * ((i * 7) % POINTS);
    r->road[i] = (i * 2) % ROADS - 1;
  }
  static const int output = 1;
  r->opt = jbatch_options_default(r->m[0]);
  r->opt.number = r->number;
  r->opt.nnumber = NUMBERS;
  r->opt.gradient = r->opt.outputs = true;
  r->opt.history = &output;
  r->opt.nhistory = 1;
  r->opt.history_step = 0.01;
  r->opt.workers = 2;
}

static void close_rig(rig* r) {
  for (int i = 0; i < ROADS; i++) {
    jsens_destroy(r->s[i]);
    jmodel_destroy(r->m[i]);
  }
  jo_context_destroy(r->ctx);
}

static void check_point(const jbatch* a, const jbatch* b, int i) {
  int ng = a->nobjective * a->nw, nh = a->nrow * a->opt.nhistory;
  assert_int_equal(a->point[i].status, JO_OK);
  assert_int_equal(a->point[i].way, b->point[i].way);
  assert_int_equal(a->point[i].steps, b->point[i].steps);
  assert_memory_equal(a->value + i * a->nobjective, b->value + i * a->nobjective,
                      (size_t)a->nobjective * sizeof(double));
  assert_memory_equal(a->gradient + i * ng, b->gradient + i * ng, (size_t)ng * sizeof(double));
  assert_memory_equal(a->output + i * a->noutput, b->output + i * a->noutput,
                      (size_t)a->noutput * sizeof(double));
  assert_memory_equal(a->history + i * nh, b->history + i * nh, (size_t)nh * sizeof(double));
}

// All points with the roads of the options, and all on each road by a batch of that model.
static void compare(rig* r, jbatch_way way) {
  jbatch *mixed = NULL, *own[ROADS];
  const jmodel* const others[] = {r->m[1], r->m[2]};
  for (int i = 0; i < ROADS; i++) {
    assert_ok(r->ctx, jbatch_create(r->ctx, r->s[i], &r->opt, &own[i]));
    assert_ok(r->ctx, jbatch_run(own[i], POINTS, r->x));
  }
  r->opt.road = others;
  r->opt.nroad = 2;
  assert_ok(r->ctx, jbatch_create(r->ctx, r->s[0], &r->opt, &mixed));
  r->opt.nroad = 0;
  assert_ok(r->ctx, jbatch_run_on(mixed, POINTS, r->x, r->road));
  for (int i = 0; i < POINTS; i++) {
    check_point(mixed, own[r->road[i] + 1], i);
    assert_int_equal(mixed->point[i].way, way);
    assert_true(own[0]->value[2 * i] != own[1]->value[2 * i]);
  }
  assert_ok(r->ctx, jbatch_run(mixed, POINTS, r->x));
  for (int i = 0; i < POINTS; i++) {
    check_point(mixed, own[0], i);
  }
  jbatch_destroy(mixed);
  for (int i = 0; i < ROADS; i++) {
    jbatch_destroy(own[i]);
  }
}

static void test_roads_in_lanes(void** state) {
  (void)state;
  rig r;
  open_rig(&r);
  compare(&r, JBATCH_WAY_LANES);
  r.opt.lanes = 2;
  compare(&r, JBATCH_WAY_LANES);
  close_rig(&r);
}

static void test_roads_backward(void** state) {
  (void)state;
  rig r;
  open_rig(&r);
  r.opt.adjoint = true;
  compare(&r, JBATCH_WAY_LANES);
  close_rig(&r);
}

static void test_roads_of_points_alone(void** state) {
  (void)state;
  rig r;
  open_rig(&r);
  r.opt.run.solve.method = JSOLVE_AUTO;
  r.opt.run.solve.rel_tol = r.opt.run.solve.abs_tol = 1e-5;
  compare(&r, JBATCH_WAY_ALONE);
  close_rig(&r);
}

// Only tables may differ, and points are on roads that there are.
static void test_roads_refused(void** state) {
  (void)state;
  rig r;
  open_rig(&r);
  jmodel* const other[] = {load(r.ctx, "B", 3, "-2"), load(r.ctx, "E", 7, "-1")};
  const jmodel* const road[] = {other[0], other[1]};
  jbatch* b = NULL;
  r.opt.road = road;
  r.opt.nroad = 2;
  assert_refused(r.ctx, jbatch_create(r.ctx, r.s[0], &r.opt, &b), JO_ERR_ARGUMENT,
                 "'iso8608' has other values");
  r.opt.nroad = 1;
  jo_context_clear(r.ctx);
  assert_ok(r.ctx, jbatch_create(r.ctx, r.s[0], &r.opt, &b));
  assert_refused(r.ctx, jbatch_run_on(b, POINTS, r.x, r.road), JO_ERR_ARGUMENT,
                 "point 1 is on road 1");
  jbatch_destroy(b);
  for (int i = 0; i < 2; i++) {
    jmodel_destroy(other[i]);
  }
  close_rig(&r);
}

// Nothing is lost, whichever piece of memory cannot be had.
static jo_status work(jo_context* ctx, rig* r) {
  jbatch* b = NULL;
  jo_status status = jbatch_create(ctx, r->s[0], &r->opt, &b);
  if (status >= 0) status = jbatch_run_on(b, 2, r->x, (const int[]){0, -1});
  jbatch_destroy(b);
  return status;
}

static void test_roads_survive_the_end_of_memory(void** state) {
  (void)state;
  rig r;
  open_rig(&r);
  const jmodel* const others[] = {r.m[1], r.m[2]};
  r.opt.road = others;
  r.opt.nroad = 2;
  r.opt.workers = 1;
  r.opt.outputs = r.opt.gradient = false;
  r.opt.nhistory = 0;
  r.opt.run.solve.method = JSOLVE_AUTO;  // point by point: no equations are written
  r.opt.run.t_end = 0.01;
  for (long n = 0;; n++) {
    failing_alloc memory;
    jo_context* ctx = NULL;
    failing_alloc_init(&memory, n);
    jo_status status = jo_context_create(&memory.allocator, &ctx);
    if (status >= 0) status = work(ctx, &r);
    jo_context_destroy(ctx);
    assert_int_equal(memory.live_bytes, 0);
    if (status >= 0) break;
    assert_int_equal(status, JO_ERR_MEMORY);
  }
  close_rig(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_roads_in_lanes),
      cmocka_unit_test(test_roads_backward),
      cmocka_unit_test(test_roads_of_points_alone),
      cmocka_unit_test(test_roads_refused),
      cmocka_unit_test(test_roads_survive_the_end_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
