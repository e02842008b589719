// SPDX-License-Identifier: Apache-2.0
// Derivatives of a start by several numbers at a time are those by each alone.
#include "plant/start/directions.h"

#include <math.h>

#include "sens/sens.h"
#include "support/fixture.h"

static jsens* prepare(fixture* f, const int* wrt, int n) {
  jsens_setup setup = {.wrt = wrt, .nwrt = n, .adjoint = true};
  setup.kernel = jkernel_options_default();
  setup.kernel.backend = JKERNEL_INTERP;
  jsens* s = NULL;
  assert_ok(f->ctx, jsens_create(f->ctx, f->m, &setup, &s));
  return s;
}

// Of every so-many-th of all numbers; which equations cannot be met along it is the same, too.
static void expect_alone(const char* path, int step) {
  fixture* f = fixture_load(path, NULL, 0);
  int* wrt = JARENA_ARRAY(&f->a, f->m->nnumber, int);
  assert_non_null(wrt);
  for (int k = 0; k < f->m->nnumber; k++) {
    wrt[k] = k;
  }
  jsens* all = prepare(f, wrt, f->m->nnumber);
  int ny = all->plant->dynamics->ny, moved = 0;
  for (int k = 0; k < f->m->nnumber; k += step) {
    jsens* one = prepare(f, &k, 1);
    assert_int_equal(all->why[k] != NULL, one->why[0] != NULL);
    if (one->why[0]) assert_string_equal(all->why[k], one->why[0]);
    for (int i = 0; i < ny; i++) {
      double x = all->S0[(int64_t)k * ny + i];
      assert_near(x, one->S0[i], 1e-12 * (1.0 + fabs(one->S0[i])));
      moved += x != 0.0;
    }
    jsens_destroy(one);
  }
  assert_true(moved > 0);
  jsens_destroy(all);
  fixture_close(f);
}

static void test_directions_are_each_alone(void** state) {
  (void)state;
  expect_alone("test/models/sens_loop.yaml", 3);
  expect_alone("test/models/parallelogram.yaml", 3);
  expect_alone("test/models/sens_static.yaml", 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_directions_are_each_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
