// SPDX-License-Identifier: Apache-2.0
// The semi-explicit variant and the fully symbolic equations are two ways to the same accelerations,
// interpreted or compiled.
#include "plant/semi.h"

#include "support/check.h"
#include "support/rig.h"

#define SAME 1e-11  // relative to the largest acceleration: rounding through two factorisations

static double largest(int n, const double* v) {
  double m = 1.0;
  for (int i = 0; i < n; i++) {
    m = fmax(m, fabs(v[i]));
  }
  return m;
}

static void compare(rig* l, jplant_semi* semi) {
  const jgen_dynamics* d = l->plant->dynamics;
  int nu = d->part.nu;
  double* ydot = calloc((size_t)d->ny + 1, sizeof *ydot);
  double* qdd = calloc((size_t)l->m->ncoordinate + 1, sizeof *qdd);
  l->run->system.rhs(l->run->system.user, l->t, l->y, ydot);
  assert_ok(l->ctx, jplant_semi_accelerations(semi, l->run->p, l->t, l->y, qdd));
  double size = largest(nu, ydot + jgen_first(&d->layout, JGEN_QDU));
  for (int i = 0; i < nu; i++) {
    assert_near(qdd[d->part.u[i]] / size, ydot[jgen_first(&d->layout, JGEN_QDU) + i] / size, SAME);
  }
  // dependent velocities come out of the same elimination
  for (int i = 0; i < d->part.nv; i++) {
    double qd = ydot[jgen_first(&d->layout, JGEN_QV) + i];
    assert_near(semi->qd[d->part.v[i]], qd, SAME * fmax(1.0, fabs(qd)));
  }
  free(ydot);
  free(qdd);
}

static void check_model(const char* path, jkernel_backend backend) {
  rig l;
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = backend;
  rig_open(&l, path, NULL, 0, &opt);
  jplant_semi* semi;
  assert_ok(l.ctx, jplant_semi_create(l.ctx, l.plant, &opt.kernel, &semi));
  for (unsigned seed = 0; seed < 8; seed++) {
    rig_disturb(&l, seed, seed == 0 ? 0.0 : 0.02);
    compare(&l, semi);
  }
  jplant_semi_destroy(semi);
  rig_close(&l);
}

static const char* const models[] = {
    "models/mechanisms/pendulum.yaml",     "models/mechanisms/double_pendulum.yaml",
    "models/mechanisms/spinning_top.yaml", "models/mechanisms/four_bar.yaml",
    "models/mechanisms/slider_crank.yaml", "models/mechanisms/spatial_four_bar.yaml",
    "models/mechanisms/bricard.yaml",      "models/buggy/step_descent.yaml",
    "models/buggy/double_lane_change.yaml"};
enum { NMODEL = sizeof models / sizeof models[0] };

static void test_semi_is_symbolic_interpreted(void** state) {
  (void)state;
  for (int i = 0; i < NMODEL; i++) {
    check_model(models[i], JKERNEL_INTERP);
  }
}

static void test_semi_is_symbolic_compiled(void** state) {
  (void)state;
  for (int i = 0; i < NMODEL; i++) {
    check_model(models[i], JKERNEL_CC);
  }
}

// the law behind both: compiled right-hand sides are the interpreted ones
static void test_compiled_is_interpreted(void** state) {
  (void)state;
  for (int i = 0; i < NMODEL; i++) {
    rig l[2];
    double* ydot[2];
    for (int k = 0; k < 2; k++) {
      jplant_options opt = jplant_options_default();
      opt.kernel.backend = k ? JKERNEL_CC : JKERNEL_INTERP;
      rig_open(&l[k], models[i], NULL, 0, &opt);
      rig_disturb(&l[k], 3, 0.02);
      ydot[k] = calloc((size_t)l[k].plant->dynamics->ny + 1, sizeof **ydot);
      l[k].run->system.rhs(l[k].run->system.user, l[k].t, l[k].y, ydot[k]);
    }
    int ny = l[0].plant->dynamics->ny;
    for (int j = 0; j < ny; j++) {
      assert_near(ydot[1][j], ydot[0][j], SAME * largest(ny, ydot[0]));
    }
    for (int k = 0; k < 2; k++) {
      rig_close(&l[k]);
      free(ydot[k]);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_semi_is_symbolic_interpreted),
      cmocka_unit_test(test_semi_is_symbolic_compiled),
      cmocka_unit_test(test_compiled_is_interpreted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
