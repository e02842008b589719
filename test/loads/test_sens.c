// SPDX-License-Identifier: Apache-2.0
// Derivatives of peak loads and pseudo-damage against central differences of whole runs, from a start
// at static equilibrium that moves with the numbers too.
#include "loads/sens.h"
#include "plant/start/start.h"

#include "plant/static/static_start.h"
#include "support/fixture.h"

#define MODEL "models/tracked/bump.yaml"
#define T_END 14.9  // past the peak of the first arm at the bump, 14.757 s

typedef struct rig {
  fixture* base;
  jo_context* ctx;
  jmodel* model;
  jsens* sens;
} rig;

static const char* const name[] = {"k_arm", "c_arm", "bump_exponent"};
enum { NW = sizeof name / sizeof *name };

static int open_rig(void** state) {
  rig* r = calloc(1, sizeof *r);
  *state = r;
  r->base = fixture_load(MODEL, NULL, 0);
  r->ctx = r->base->ctx;
  r->model = r->base->m;
  int wrt[NW];
  for (int i = 0; i < NW; i++) {
    wrt[i] = jmodel_find_number(r->model, name[i]);
    assert_true(wrt[i] >= 0);
  }
  jsens_setup setup = {
      .wrt = wrt, .nwrt = NW, .direct = true, .kernel = jkernel_options_default(), .outputs = true};
  assert_ok(r->ctx, jsens_create(r->ctx, r->model, &setup, &r->sens));
  return 0;
}

static int close_rig(void** state) {
  rig* r = *state;
  jsens_destroy(r->sens);
  fixture_close(r->base);
  free(r);
  return 0;
}

static jloads_sens* run_with(const rig* r, const double* p) {
  jloads_sens_options o = jloads_sens_options_default(r->model);
  o.run.t_end = T_END;
  o.run.solve.rel_tol = o.run.solve.abs_tol = 1e-10;
  o.run.p = p;
  o.slope = 5.0;
  o.reference = 1e5;
  jloads_sens* l;
  assert_ok(r->ctx, jloads_sens_run(r->ctx, r->sens, &o, &l));
  return l;
}

// p with the k-th number changed by a part of itself
static double* moved(const rig* r, int k, double part, double* change) {
  const jgen_dynamics* d = r->sens->plant->dynamics;
  double* p = malloc((size_t)d->np * sizeof *p);
  memcpy(p, d->p, (size_t)d->np * sizeof *p);
  *change = part * p[d->sens.wrt[k]];
  p[d->sens.wrt[k]] += *change;
  return p;
}

static void test_peak_and_damage_equal_central_differences(void** state) {
  const rig* r = *state;
  jloads_sens* l = run_with(r, NULL);
  assert_near(l->element[0].peak, -144.911e3, 20.0);
  for (int k = 0; k < NW; k++) {
    jloads_sens* side[2];
    double change[2];
    for (int i = 0; i < 2; i++) {
      double* p = moved(r, k, i == 0 ? 1e-4 : -1e-4, &change[i]);
      side[i] = run_with(r, p);
      free(p);
    }
    double by = change[0] - change[1];
    double peak = (side[0]->element[0].peak - side[1]->element[0].peak) / by;
    double damage = (side[0]->element[0].damage - side[1]->element[0].damage) / by;
    // differences of 1e-4 leave their square times curvature, and noise of 1e-10 over 1e-4;
    // damage takes the fifth power of values between samples, where parabolas stand in
    assert_near(l->element[0].dpeak[k] / peak, 1.0, 1e-3);
    assert_near(l->element[0].ddamage[k] / damage, 1.0, 5e-3);
    jloads_sens_destroy(side[0]);
    jloads_sens_destroy(side[1]);
  }
  jloads_sens_destroy(l);
}

static void test_static_start_moves_as_differences_say(void** state) {
  const rig* r = *state;
  const jgen_dynamics* d = r->sens->plant->dynamics;
  jarena a;
  jarena_init(&a, r->ctx);
  for (int k = 0; k < NW; k++) {
    double change[2], *y[2];
    for (int i = 0; i < 2; i++) {
      double* p = moved(r, k, i == 0 ? 1e-4 : -1e-4, &change[i]);
      jplant_start start;
      assert_ok(r->ctx, jplant_start_find(r->ctx, &a, r->sens->plant, 0, p, &start));
      y[i] = start.y;
      free(p);
    }
    double by = change[0] - change[1];
    for (int i = 0; i < d->part.nu; i++) {
      int at = jgen_first(&d->layout, JGEN_QU) + i;
      // the equilibrium is found to 1e-9 or so; over a difference of some 1e-1
      assert_near(r->sens->S0[(size_t)k * (size_t)d->ny + (size_t)at] * by, y[0][at] - y[1][at],
                  1e-9);
    }
  }
  jarena_free(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_static_start_moves_as_differences_say),
      cmocka_unit_test(test_peak_and_damage_equal_central_differences),
  };
  return cmocka_run_group_tests(tests, open_rig, close_rig);
}
