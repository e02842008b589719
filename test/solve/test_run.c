// SPDX-License-Identifier: Apache-2.0
// Projection as all steppers do it: how far it moved, where it failed, and that nobody creeps towards a wall.
#include "solve/run.h"

#include "solve/problems.h"

typedef struct bed {
  jsolve_options opt;
  jsolve_system sys;
  double scratch[4];
  jsolve_run run;
  jo_status answer;  // of the projection
  jo_status admits;
} bed;

static jo_status project(void* user, double t, double* y) {
  const bed* b = user;
  return b->answer < 0 ? b->answer : pendulum_project(NULL, t, y);
}

static jo_status admit(void* user, const jsolve_stretch* step) {
  (void)step;
  return ((const bed*)user)->admits;
}

static void make(bed* b, fixture* f) {
  *b = (bed){.opt = jsolve_options_default()};
  b->sys =
      (jsolve_system){.n = 4, .user = b, .rhs = pendulum_rhs, .project = project, .admit = admit};
  b->run = (jsolve_run){.ctx = f->ctx, .sys = &b->sys, .opt = &b->opt, .scratch = b->scratch};
  assert_true(jsolve_weights_init(&b->run.weights, &f->a, 4, NULL, 1e-6, 1e-6));
}

static void test_run_projection_tells_how_far_it_moved(void** state) {
  fixture* f = *state;
  bed b;
  make(&b, f);
  double y[4] = {0.6 + 1e-4, -0.8, 0.0, 0.0}, before[4], moved = -1.0, change[4];
  memcpy(before, y, sizeof y);
  assert_ok(f->ctx, jsolve_project(&b.run, 1.0, y, &moved));
  assert_near(y[0] * y[0] + y[1] * y[1], 1.0, 1e-15);
  for (int i = 0; i < 4; i++) {
    change[i] = before[i] - y[i];
  }
  assert_near(moved, jsolve_norm(&b.run.weights, change, y, y), 0.0);
  assert_true(moved > 1.0);
  // a second time there is nothing to do
  assert_ok(f->ctx, jsolve_project(&b.run, 1.0, y, &moved));
  assert_true(moved < 1e-6);
}

static void test_run_without_invariants_moves_nothing(void** state) {
  fixture* f = *state;
  bed b;
  make(&b, f);
  b.sys.project = NULL;
  double y[4] = {3.0, 0.0, 1.0, 0.0}, moved = -1.0;
  assert_ok(f->ctx, jsolve_project(&b.run, 1.0, y, &moved));
  assert_true(moved == 0.0 && y[0] == 3.0);
}

// A failure reports nothing, whoever gives up does: with the time and the hint.
static void test_run_failure_is_reported_by_who_gives_up(void** state) {
  fixture* f = *state;
  bed b;
  double y[4] = {1.0, 0.0, 0.0, 0.0}, moved;
  make(&b, f);
  b.answer = JO_ERR_CONVERGENCE;
  assert_int_equal(jsolve_project(&b.run, 0.5, y, &moved), JO_ERR_CONVERGENCE);
  assert_int_equal(jo_context_diagnostic_count(f->ctx), 0);
  assert_true(b.run.has_failed && b.run.t_failed == 0.5);
  b.sys.projection_hint = "the crank is too long";
  assert_refused(f->ctx, jsolve_project_strict(&b.run, 0.75, y), JO_ERR_CONVERGENCE, "at t = 0.75",
                 "the crank is too long");
}

static void test_run_is_not_admitted_where_it_must_not_go(void** state) {
  fixture* f = *state;
  bed b;
  double y[4] = {1.0, 0.0, 0.0, 0.0}, moved;
  make(&b, f);
  b.admits = JO_ERR_NUMERIC;
  assert_int_equal(jsolve_project(&b.run, 0.5, y, &moved), JO_ERR_MODEL);
}

// Behind a failure that lies next to nothing ahead no step is taken; one far ahead does not matter.
static void test_run_does_not_creep(void** state) {
  fixture* f = *state;
  bed b;
  double y[4] = {1.0, 0.0, 0.0, 0.0}, moved;
  make(&b, f);
  b.run.t = 2.0;
  b.run.has_failed = true;
  b.run.t_failed = 2.0 + 1e-3;
  assert_ok(f->ctx, jsolve_project(&b.run, 2.0005, y, &moved));
  b.run.t_failed = 2.0 + 1e-13;
  assert_int_equal(jsolve_project(&b.run, 2.0 + 5e-14, y, &moved), JO_ERR_CONVERGENCE);
  assert_int_equal(jsolve_project_strict(&b.run, 2.0 + 5e-14, y), JO_ERR_CONVERGENCE);
}

static void test_run_labels_are_names_or_numbers(void** state) {
  (void)state;
  static const char* const name[] = {"crank", "rod"};
  char buffer[JSOLVE_LABEL], longest[300];
  assert_string_equal(jsolve_label(name, "state", 1, buffer), "'rod'");
  assert_string_equal(jsolve_label(NULL, "switch", 3, buffer), "switch 3");
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = 0;
  const char* const one[] = {longest};
  assert_true(strlen(jsolve_label(one, "state", 0, buffer)) < JSOLVE_LABEL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_run_projection_tells_how_far_it_moved),
      fixture_test(test_run_without_invariants_moves_nothing),
      fixture_test(test_run_failure_is_reported_by_who_gives_up),
      fixture_test(test_run_is_not_admitted_where_it_must_not_go),
      fixture_test(test_run_does_not_creep),
      fixture_test(test_run_labels_are_names_or_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
