// SPDX-License-Identifier: Apache-2.0
// Rates of local states from their feeds are those of the equations of motion, their entries those of the Jacobian, and
// states that follow from the motion are not among them.
#include "support/rig.h"
#include "support/sketch.h"

enum { MAX = 120 };

static void open_local(rig* r, const char* path) {
  jplant_options opt = fixture_interpreted();
  opt.gen.modes = true;
  opt.gen.local = true;
  opt.gen.jacobian = true;
  rig_open(r, path, NULL, 0, &opt);
  assert_true(r->d->ny <= MAX);
}

static void check(rig* r) {
  static double J[MAX * MAX], feed[4096], f[MAX], entry[MAX * MAX], full[MAX * MAX];
  const jgen_local* l = &r->d->local;
  rig_evaluate(r);
  const double* in[JGEN_GROUP_COUNT] = {[JGEN_P] = r->run->p,
                                        [JGEN_T] = &r->t,
                                        [JGEN_Y] = r->y,
                                        [JGEN_MODE] = r->run->mode,
                                        [JGEN_FEED] = feed};
  assert_true(l->nfeed <= 4096);
  sketch_call(r->ctx, &r->d->fn[JGEN_FN_JACOBIAN], in, (double* const[]){J});
  sketch_call(r->ctx, &r->d->fn[JGEN_FN_FEEDS], in, (double* const[]){feed});
  sketch_call(r->ctx, &r->d->fn[JGEN_FN_LOCAL], in, (double* const[]){f, entry});
  memset(full, 0, sizeof full);
  for (int e = 0; e < l->entry.n; e++) {
    full[l->entry.row[e] + l->entry.col[e] * l->n] = entry[e];
  }
  for (int i = 0; i < l->n; i++) {
    double largest = 0.0;
    assert_near(f[i], r->ydot[l->state[i]], 1e-12 * (1.0 + fabs(f[i])));
    for (int k = 0; k < l->n; k++) {
      largest = fmax(largest, fabs(full[i + k * l->n]));
    }
    for (int k = 0; k < l->n; k++) {
      double wanted = J[l->state[i] + l->state[k] * r->d->ny];
      assert_near(full[i + k * l->n], wanted, 1e-11 * largest);
    }
  }
}

// Four pressures, a flow and a current.
static void test_local_states_of_a_damper(void** state) {
  (void)state;
  rig r;
  open_local(&r, "models/damper_rig/quarter_car.yaml");
  assert_int_equal(r.d->local.n, 6);
  check(&r);
  rig_disturb(&r, 3, 0.01);
  check(&r);
  rig_close(&r);
}

static void test_local_models_without_states_have_none(void** state) {
  (void)state;
  rig r;
  open_local(&r, "models/buggy/step_descent.yaml");
  assert_int_equal(r.d->local.n, 0);
  assert_null(r.d->fn[JGEN_FN_LOCAL].name);
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_local_states_of_a_damper),
      cmocka_unit_test(test_local_models_without_states_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
