// SPDX-License-Identifier: Apache-2.0
// The position stage: Jacobians and rates are derivatives of what stands beside them, guesses are those of the
// file, and the tangent is the difference of all of it.
#include "expr/diff.h"
#include "support/sketch.h"

enum { P, T, Q, ROAD, QD, DQ, DQD, DP, GROUPS, MAX = 64 };

#define LOOP "test/models/sens_loop.yaml"

typedef struct stage {
  fixture* f;
  jgen_position* p;
  int wrt[16], nwrt;
  double number[MAX], t, q[MAX], qd[MAX], dq[MAX], dqd[MAX], dp[MAX];
} stage;

static void open_stage(stage* k, const char* path, unsigned seed) {
  *k = (stage){.f = fixture_load(path, NULL, 0), .t = 0.3};
  const jmodel* m = k->f->m;
  for (int i = 0; i < m->nnumber && k->nwrt < 16; i++) {
    if (m->number[i].is_parameter) k->wrt[k->nwrt++] = i;
  }
  jgen_options opt = {.wrt = k->wrt, .nwrt = k->nwrt};
  assert_ok(k->f->ctx, jgen_position_build(k->f->ctx, m, &opt, &k->p));
  assert_true(k->p->np < MAX && k->p->nq < MAX);
  random_source source;
  random_seed(&source, seed);
  memcpy(k->number, k->p->p, (size_t)k->p->np * sizeof *k->number);
  for (int i = 0; i < k->p->nq; i++) {
    k->q[i] = random_uniform(&source, -0.7, 0.7);
    k->qd[i] = random_uniform(&source, -1.0, 1.0);
    k->dq[i] = random_uniform(&source, -1.0, 1.0);
    k->dqd[i] = random_uniform(&source, -1.0, 1.0);
  }
  for (int i = 0; i < k->nwrt; i++) {
    k->dp[i] = random_uniform(&source, -1.0, 1.0);
  }
}

static void close_stage(stage* k) {
  jgen_position_destroy(k->p);
  fixture_close(k->f);
}

static void call(stage* k, const jexpr_fn* fn, double* const* out) {
  const double* const in[GROUPS] = {k->number, &k->t, k->q, NULL, k->qd, k->dq, k->dqd, k->dp};
  sketch_call(k->f->ctx, fn, in, out);
}

static void evaluate(stage* k, const jexpr_ref* ref, int n, double* out) {
  jexpr_outputs o = {"y", n, ref};
  jexpr_fn fn = {"y", k->p->g, 1, &o};
  call(k, &fn, &out);
}

// column after column, the graph's own derivatives
static void check_jacobian(stage* k, const jexpr_outputs* value, const jexpr_outputs* J) {
  int n = value->n, nq = k->p->nq;
  double got[MAX * MAX], expected[MAX * MAX];
  jexpr_ref column[MAX], one = jexpr_const(k->p->g, 1.0);
  assert_int_equal(J->n, n * nq);
  evaluate(k, J->ref, n * nq, got);
  for (int c = 0; c < nq; c++) {
    jexpr_ref q = jexpr_input(k->p->g, Q, c);
    assert_ok(k->f->ctx, jexpr_tangent(k->p->g, value->ref, n, &q, &one, 1, column));
    evaluate(k, column, n, expected);
    for (int i = 0; i < n; i++) {
      assert_near(got[i + c * n], expected[i], 1e-12);
    }
  }
}

static void test_position_jacobians_are_derivatives(void** state) {
  (void)state;
  static const char* const path[] = {LOOP, "test/models/closure_revolute.yaml",
                                     "test/models/buggy_by_wheels.yaml"};
  for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
    stage k;
    open_stage(&k, path[i], 151);
    assert_true(k.p->nh > 0);
    check_jacobian(&k, &k.p->closure.out[0], &k.p->closure.out[1]);
    check_jacobian(&k, &k.p->initial.out[0], &k.p->initial.out[3]);
    for (int r = 0; r < k.p->nh; r++) {
      assert_non_null(k.p->row_name[r]);
    }
    close_stage(&k);
  }
}

static void test_position_drives_have_their_rates(void** state) {
  (void)state;
  stage k;
  double s, sd, sdd;
  open_stage(&k, LOOP, 152);
  assert_int_equal(k.p->nd, 1);
  call(&k, &k.p->drive, (double* const[]){&s, &sd, &sdd});
  double shake = 0.02, pulse = 9.0, angle = pulse * k.t + 0.4;
  assert_near(s, shake * sin(angle), 1e-15);
  assert_near(sd, shake * pulse * cos(angle), 1e-14);
  assert_near(sdd, -shake * pulse * pulse * sin(angle), 1e-13);
  close_stage(&k);
}

// Guesses of the file; a free body begins where the design has it; states begin as they are told to.
static void test_position_guesses_are_those_of_the_file(void** state) {
  (void)state;
  stage k;
  double quantity[MAX], value[MAX], rate[MAX], J[MAX * MAX], guess[MAX], z[MAX];
  open_stage(&k, LOOP, 153);
  call(&k, &k.p->initial, (double* const[]){quantity, value, rate, J, guess});
  const jmodel* m = k.f->m;
  assert_near(guess[jmodel_find_coordinate(m, "crank")], 1.0, 0.0);
  assert_near(guess[jmodel_find_coordinate(m, "coupler")], -0.6, 0.0);
  assert_near(value[0], 0.36, 0.0);
  assert_near(rate[0], 0.25, 0.0);
  call(&k, &k.p->states, (double* const[]){z});
  assert_near(z[0], 0.49, 1e-15);
  close_stage(&k);
  static const char text[] =
      "jounce: 1\nname: f\nhardpoints: {A: [1, 2, 3]}\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\n"
      "joints: {b: {type: free, child: b, at: A}}\n";
  fixture* f = fixture_parse("free.yaml", text);
  jgen_position* p;
  double q[6] = {0}, zero = 0.0;
  assert_ok(f->ctx, jgen_position_build(f->ctx, f->m, NULL, &p));
  const double* const in[GROUPS] = {NULL, &zero, q};
  sketch_call(f->ctx, &p->initial, in, (double* const[]){quantity, value, rate, J, guess});
  for (int i = 0; i < 6; i++) {
    assert_near(guess[i], i < 3 ? 1.0 + i : 0.0, 1e-15);
  }
  jgen_position_destroy(p);
  fixture_close(f);
}

// Equations of positions and velocities, states, drives, their rates, guesses, as the tangent lists them.
static int list(stage* k, double* y) {
  const jgen_position* p = k->p;
  int nh = p->nh, ni = p->ninitial, n = 0;
  double h[MAX], J[MAX * MAX], quantity[MAX], value[MAX], rate[MAX], K[MAX * MAX], guess[MAX],
      z[MAX], s[3][MAX];
  call(k, &p->closure, (double* const[]){h, J});
  call(k, &p->initial, (double* const[]){quantity, value, rate, K, guess});
  call(k, &p->states, (double* const[]){z});
  call(k, &p->drive, (double* const[]){s[0], s[1], s[2]});
  for (int i = 0; i < nh + ni; i++) {
    y[n++] = i < nh ? h[i] : quantity[i - nh] - value[i - nh];
  }
  for (int i = 0; i < nh + ni; i++) {
    double sum = i < nh ? 0.0 : -rate[i - nh];
    for (int c = 0; c < p->nq; c++) {
      sum += (i < nh ? J[i + c * nh] : K[i - nh + c * ni]) * k->qd[c];
    }
    y[n++] = i < nh || k->f->m->initial[i - nh].has_rate ? sum : 0.0;
  }
  for (int i = 0; i < p->nz; i++) {
    y[n++] = z[i];
  }
  for (int i = 0; i < 2 * p->nd; i++) {
    y[n++] = s[i / p->nd][i % p->nd];
  }
  for (int i = 0; i < p->nq; i++) {
    y[n++] = guess[i];
  }
  return n;
}

static void step(stage* k, const stage* from, double h) {
  for (int i = 0; i < k->p->nq; i++) {
    k->q[i] = from->q[i] + h * from->dq[i];
    k->qd[i] = from->qd[i] + h * from->dqd[i];
  }
  for (int i = 0; i < k->nwrt; i++) {
    for (int n = 0; n < k->p->np; n++) {
      if (k->p->live[n] == k->wrt[i]) k->number[n] = from->number[n] + h * from->dp[i];
    }
  }
}

static void test_position_tangent_is_the_difference(void** state) {
  (void)state;
  static const char* const path[] = {LOOP, "test/models/closure_ball.yaml"};
  for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
    stage k;
    open_stage(&k, path[i], 154);
    const stage here = k;
    const double h = 1e-5;
    double up[4 * MAX], down[4 * MAX], d[6][MAX], got[4 * MAX];
    step(&k, &here, h);
    int n = list(&k, up), at = 0;
    step(&k, &here, -h);
    list(&k, down);
    step(&k, &here, 0.0);
    call(&k, &k.p->tangent, (double* const[]){d[0], d[1], d[2], d[3], d[4], d[5]});
    for (int o = 0; o < 6; o++) {
      for (int e = 0; e < k.p->tangent.out[o].n; e++) {
        got[at++] = d[o][e];
      }
    }
    assert_int_equal(at, n);
    for (int e = 0; e < n; e++) {
      // 1e-10 times a third derivative, and rounding of 1e-11
      assert_near(got[e], (up[e] - down[e]) / (2.0 * h), 1e-8 * (1.0 + fabs(got[e])));
    }
    close_stage(&k);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_position_jacobians_are_derivatives),
      cmocka_unit_test(test_position_drives_have_their_rates),
      cmocka_unit_test(test_position_guesses_are_those_of_the_file),
      cmocka_unit_test(test_position_tangent_is_the_difference),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
