// SPDX-License-Identifier: Apache-2.0
// Soft soil and hard stops, on the tracked vehicle: pressure, friction, power, and nothing in the air.
#include "support/rig.h"

#define MODEL "test/models/tracked_energy.yaml"
#define NARM  10

static double output(const rig* r, const char* what, int i, const char* field) {
  char name[32];
  snprintf(name, sizeof name, "%s_%d%s", what, i + 1, field);
  return rig_output(r, name);
}

static double of_arm(const rig* r, int i, const char* what) {
  return output(r, "arm", i, what);
}

static void open_interpreted(rig* r) {
  jplant_options opt = jplant_options_default();
  opt.kernel.backend = JKERNEL_INTERP;
  rig_open(r, MODEL, NULL, 0, &opt);
}

static void test_soil_carries_the_weight(void** state) {
  (void)state;
  rig r;
  open_interpreted(&r);
  double sum = 0.0;
  for (int i = 0; i < NARM; i++) {
    sum += of_arm(&r, i, ".soil.fz");
  }
  // the equilibrium is found to 1e-9 of gravity
  assert_near(sum / ((10000.0 + 10.0 * 136.0) * 9.81), 1.0, 1e-8);
  rig_close(&r);
}

// (B2), (B5) at states all over the place, some wheels above the ground, some slipping
static void test_soil_presses_and_shears_as_its_law_says(void** state) {
  (void)state;
  rig r;
  random_source s;
  int in_air = 0, limited = 0;
  random_seed(&s, 5);
  open_interpreted(&r);
  for (int k = 0; k < 40; k++) {
    rig_perturb(&r, &s, 0.3, 1.0);
    for (int i = 0; i < NARM; i++) {
      double delta = output(&r, "delta", i, ""), N = of_arm(&r, i, ".soil.fz");
      double expected = delta > 0.0 ? 0.24 * (52530.0 / 0.4 + 1127970.0) * pow(delta, 0.9) : 0.0;
      double fx = output(&r, "long", i, ""), fy = output(&r, "lat", i, "");
      assert_near(N, expected, 1e-9 * expected);
      assert_true(fabs(fx) <= 0.9 * N * (1.0 + 1e-12) && fabs(fy) <= 0.9 * N * (1.0 + 1e-12));
      limited += N > 0.0 && fabs(fabs(fy) - 0.9 * N) < 1e-9 * N;
      in_air += delta < 0.0;
      if (delta >= 0.0) continue;
      assert_true(N == 0.0 && fx == 0.0 && fy == 0.0);
      assert_true(output(&r, "power", i, "") == 0.0);
    }
  }
  assert_true(in_air > 5 && limited > 5);
  rig_close(&r);
}

static void test_stop_hardens_exponentially(void** state) {
  (void)state;
  rig r;
  open_interpreted(&r);
  int at = r.d->layout.q[jmodel_find_coordinate(r.m, "arm_1.arm")];
  for (double angle = 0.3; angle < 0.7; angle += 0.05) {
    double depth = fmax(0.0, angle - 0.5);
    r.y[at] = angle;
    rig_evaluate(&r);
    double expected = -9000.0 * (angle + 0.5 + exp(40.0 * depth) - 1.0);
    assert_near(of_arm(&r, 0, ".moment.force") / expected, 1.0, 1e-12);
  }
  rig_close(&r);
}

typedef struct watch {
  rig* r;
  double first, drift, kinetic;
} watch;

static jo_status on_step(void* user, const jsolve_step* s) {
  watch* w = user;
  w->r->t = s->t1;
  memcpy(w->r->y, s->y1, (size_t)w->r->d->ny * sizeof *s->y1);
  rig_look(w->r);
  w->kinetic = fmax(w->kinetic, rig_output(w->r, "energy.kinetic"));
  w->drift = fmax(w->drift, fabs(rig_output(w->r, "balance") - w->first));
  return JO_OK;
}

// Over the bump and through the landing; the power of a soil is the work its forces do.
static void test_energy_is_the_work_done(void** state) {
  (void)state;
  rig r;
  open_interpreted(&r);
  watch w = {.r = &r, .first = rig_output(&r, "balance")};
  jsolve_observer obs = {.user = &w, .step = on_step};
  jsolve_options solve = jsolve_options_default();
  jsolve_statistics stats;
  double reached, *y = malloc((size_t)r.d->ny * sizeof *y);
  assert_non_null(y);
  memcpy(y, r.y, (size_t)r.d->ny * sizeof *y);
  solve.rel_tol = solve.abs_tol = 1e-8;
  assert_ok(r.ctx,
            jsolve_integrate(r.ctx, &r.run->system, &solve, &obs, 0.0, 17.0, y, &reached, &stats));
  assert_true(w.kinetic > 1e6);
  assert_near(w.drift / w.kinetic, 0.0, 1e-7);
  print_message("energy off by %.2g of %.4g J\n", w.drift / w.kinetic, w.kinetic);
  free(y);
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_soil_carries_the_weight),
      cmocka_unit_test(test_soil_presses_and_shears_as_its_law_says),
      cmocka_unit_test(test_stop_hardens_exponentially),
      cmocka_unit_test(test_energy_is_the_work_done),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
