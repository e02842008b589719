// SPDX-License-Identifier: Apache-2.0
// Energy of the buggy over both manoeuvres: what springs, dampers, tyres and the hand on the rack do
// is what kinetic and potential energy change by; and the loops stay closed on the way.
#include "support/laws.h"

typedef struct account {
  rig* r;
  const oracle* o;
  double balance;  // expected, with the work of impulses so far
  double drift, kinetic, gap;
  int jumps;
} account;

static void show(account* a, double t, const double* y) {
  a->r->t = t;
  memcpy(a->r->y, y, (size_t)a->r->d->ny * sizeof *y);
  rig_look(a->r);
}

// Sensors at the end of a step; at an event the modes are those of the step still.
static jo_status on_step(void* user, const jsolve_step* s) {
  account* a = user;
  show(a, s->t1, s->y1);
  a->kinetic = fmax(a->kinetic, rig_output(a->r, "energy.kinetic"));
  a->drift = fmax(a->drift, fabs(rig_output(a->r, "balance") - a->balance));
  a->gap = fmax(a->gap, oracle_gap(a->o, a->r->q));
  return JO_OK;
}

// Where the rack jumps, its impulse works: it is found anew by the momentum balance of the oracle.
static jo_status on_event(void* user, const jsolve_event* e, const double* before,
                          const double* after) {
  account* a = user;
  rig* r = a->r;
  int rack = jmodel_find_coordinate(r->m, "steering.rack");
  double* mode = &r->run->mode[e->which];
  double qd[32], expected[32] = {0}, impulse[32];
  assert_in_range(r->m->ncoordinate, 1, 32);
  *mode = 1.0 - *mode;
  show(a, e->t, before);
  *mode = 1.0 - *mode;
  double balance = rig_output(r, "balance"), rack_before = r->qd[rack];
  memcpy(qd, r->qd, (size_t)r->m->ncoordinate * sizeof *qd);
  show(a, e->t, after);
  double step = rig_output(r, "balance") - balance;
  if (r->qd[rack] == rack_before) {
    assert_near(step, 0.0, 1e-12 * a->kinetic);
    return JO_OK;
  }
  expected[rack] = r->qd[rack];
  oracle_jump(a->o, e->t, r->q, qd, expected, impulse);
  double work = impulse[rack] * 0.5 * (rack_before + r->qd[rack]);
  // what is left is the work of the rack's jump in position, of 11 um at most
  assert_near(step, work, 0.005 * fabs(work));
  a->balance += step;
  a->jumps++;
  return JO_OK;
}

static account run(const char* path, double t_end, double tolerance) {
  rig r;
  rig_open(&r, path, NULL, 0, NULL);
  oracle* o = oracle_create(r.ctx, r.m);
  account a = {.r = &r, .o = o, .balance = rig_output(&r, "balance")};
  a.kinetic = rig_output(&r, "energy.kinetic");
  jsolve_observer obs = {.user = &a, .step = on_step, .event = on_event};
  jsolve_options solve = jsolve_options_default();
  jsolve_statistics stats;
  double reached, *y = malloc((size_t)r.d->ny * sizeof *y);
  assert_non_null(y);
  memcpy(y, r.y, (size_t)r.d->ny * sizeof *y);
  solve.rel_tol = solve.abs_tol = tolerance;
  assert_ok(r.ctx,
            jsolve_integrate(r.ctx, &r.run->system, &solve, &obs, 0.0, t_end, y, &reached, &stats));
  print_message("%s: energy off by %.2g of %.6g J, loops by %.2g\n", path, a.drift / a.kinetic,
                a.kinetic, a.gap);
  free(y);
  oracle_destroy(o);
  rig_close(&r);
  return a;
}

static void test_energy_of_the_step_descent_is_the_work_done(void** state) {
  (void)state;
  account a = run("test/models/buggy_energy_std.yaml", 4.5, 1e-10);
  assert_int_equal(a.jumps, 0);
  assert_near(a.drift / a.kinetic, 0.0, 1e-8);
  assert_near(a.gap, 0.0, 1e-10);
}

static void test_energy_of_the_lane_change_is_the_work_done(void** state) {
  (void)state;
  account a = run("test/models/buggy_energy_dlc.yaml", 12.0, 1e-10);
  assert_int_equal(a.jumps, 4);
  assert_near(a.drift / a.kinetic, 0.0, 1e-8);
  assert_near(a.gap, 0.0, 1e-10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_energy_of_the_step_descent_is_the_work_done),
      cmocka_unit_test(test_energy_of_the_lane_change_is_the_work_done),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
