// SPDX-License-Identifier: Apache-2.0
// Objects of every kind, made as users make them, of the model and the system of a fixture. This is the only place of
// the tests of the interface that says how. Ownership: caller, but for what the fixture holds.
#ifndef JTEST_OBJECTS_H
#define JTEST_OBJECTS_H

#include "jounce/jounce.h"
#include "support/fixture.h"
#include "support/tables.h"

#define QUARTER_CAR "test/models/sweep_quarter_car.yaml"
#define WISHBONE    "test/models/double_wishbone.yaml"

// A model and its system, interpreted.
static inline fixture* open_objects(const char* path) {
  fixture* f = fixture_open();
  fixture_model(f, path, NULL, 0);
  fixture_system(f, NULL, 0);
  return f;
}

static inline jo_result* make_result(fixture* f, const jo_simulate_options* opt) {
  jo_result* r = NULL;
  assert_ok(f->ctx, jo_simulate(f->ctx, f->system, opt, &r));
  return r;
}

static inline jo_run* make_run(fixture* f) {
  jo_run* r = NULL;
  assert_ok(f->ctx, jo_run_create(f->ctx, f->system, NULL, &r));
  return r;
}

static inline jo_static* make_static(fixture* f, const char* const* name, int n) {
  jo_static* s = NULL;
  assert_ok(f->ctx, jo_static_differentiate(f->ctx, f->model, name, n, &s));
  return s;
}

static inline jo_modes* make_modes(fixture* f, const jo_modes_options* opt) {
  jo_modes* m = NULL;
  assert_ok(f->ctx, jo_modes_create(f->ctx, f->model, opt, &m));
  return m;
}

static inline jo_system* make_system(fixture* f, const jo_system_options* opt) {
  jo_system* s = NULL;
  assert_ok(f->ctx, jo_system_create(f->ctx, f->model, opt, &s));
  return s;
}

static inline jo_system* make_loads(fixture* f) {
  const jo_system_options use = {.use = JO_USE_LOADS, .interpreter = 1};
  return make_system(f, &use);
}

static inline jo_loads_result* make_loads_result(fixture* f, const jo_system* s,
                                                 const jo_loads_options* opt) {
  jo_loads_result* r = NULL;
  assert_ok(f->ctx, jo_loads_run(f->ctx, s, opt, &r));
  return r;
}

static inline jo_load_events* make_load_events(fixture* f, const char* path) {
  const jo_system_options slow = {.interpreter = 1};
  jo_load_events* e = NULL;
  assert_ok(f->ctx, jo_load_events_open(f->ctx, path, NULL, 0, &slow, &e));
  return e;
}

static inline jo_loads_sens* make_loads_sens(fixture* f, const jo_system* system,
                                             const jo_loads_sens_options* opt) {
  jo_loads_sens* s = NULL;
  assert_ok(f->ctx, jo_loads_sens_run(f->ctx, system, opt, &s));
  return s;
}

static inline jo_sens_result* make_sens_result(fixture* f, const jo_system* s) {
  jo_sens_result* r = NULL;
  assert_ok(f->ctx, jo_sens_run(f->ctx, s, NULL, &r));
  return r;
}

static inline jo_batch* make_batch(fixture* f, const jo_system* system, jo_batch_options opt) {
  jo_batch* b = NULL;
  assert_ok(f->ctx, jo_batch_create(f->ctx, system, &opt, &b));
  return b;
}

static inline jo_sweep* make_sweep(fixture* f, const jo_system* system, jo_sweep_options opt) {
  jo_sweep* s = NULL;
  assert_ok(f->ctx, jo_sweep_create(f->ctx, system, &opt, &s));
  return s;
}

static inline jo_study* make_study(fixture* f, const char* path) {
  const jo_study_options slow = {.interpreter = 1};
  jo_study* s = NULL;
  assert_ok(f->ctx, jo_study_load(f->ctx, path, NULL, 0, &s));
  assert_ok(f->ctx, jo_study_run(f->ctx, s, &slow));
  return s;
}

static inline jo_kinematics* make_kinematics(fixture* f, const jo_model* m) {
  jo_kinematics* k = NULL;
  assert_ok(f->ctx, jo_kinematics_create(f->ctx, m, NULL, &k));
  return k;
}

#endif
