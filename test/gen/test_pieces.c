// SPDX-License-Identifier: Apache-2.0
// Reduced equations are those with multipliers: the pieces of the tree and of the closures, put into one dense
// system, give the accelerations of the symbolic elimination.
#include "support/dense.h"
#include "support/rig.h"
#include "support/sketch.h"

#define SAME 1e-10  // relative to the largest acceleration

enum { GROUPS = 7, MAX = 48 };

typedef struct dense {
  int nq, nv;
  double M[MAX * MAX], c[MAX], J[MAX * MAX], bias[MAX], sdd[MAX];
} dense;

static void evaluate(rig* r, const jgen_pieces* p, const double* const* in, dense* d) {
  const jgen_partition* part = &r->d->part;
  double entry[MAX * MAX], h[MAX], rate[2][MAX];
  *d = (dense){.nq = p->nq, .nv = part->nv};
  assert_true(p->nq + part->nv <= MAX);
  sketch_call(r->ctx, &p->drive, in, (double* const[]){rate[0], rate[1], d->sdd});
  sketch_call(r->ctx, &p->closure, in, (double* const[]){entry, h});
  for (int i = 0; i < p->J.n; i++) {
    d->J[p->J.row[i] * p->nq + p->J.col[i]] = entry[i];
  }
  for (int i = 0; i < part->nv; i++) {
    assert_near(h[i], 0.0, 1e-10);
  }
  sketch_call(r->ctx, &p->tree, in, (double* const[]){entry, d->c, d->bias});
  for (int i = 0; i < p->M.n; i++) {
    int a = p->M.row[i], b = p->M.col[i];
    assert_true(b <= a);
    d->M[a * p->nq + b] = d->M[b * p->nq + a] = entry[i];
  }
}

// [ M  -J^T ] [ x      ]   [ -c    ]
// [ J   0   ] [ lambda ] = [ -bias ]      and, in place of their rows, x = sdd of driven coordinates
static void solve(const dense* d, const jgen_partition* part, double* x) {
  double A[MAX * MAX] = {0}, b[MAX] = {0};
  int n = d->nq + d->nv;
  for (int i = 0; i < d->nq; i++) {
    for (int k = 0; k < d->nq; k++) {
      A[i * n + k] = d->M[i * d->nq + k];
    }
    for (int k = 0; k < d->nv; k++) {
      A[i * n + d->nq + k] = -d->J[k * d->nq + i];
      A[(d->nq + k) * n + i] = d->J[k * d->nq + i];
    }
    b[i] = -d->c[i];
  }
  for (int k = 0; k < d->nv; k++) {
    b[d->nq + k] = -d->bias[k];
  }
  for (int i = 0; i < part->nd; i++) {
    int row = part->d[i];
    for (int k = 0; k < n; k++) {
      A[row * n + k] = k == row;
    }
    b[row] = d->sdd[i];
  }
  assert_true(dense_solve(n, A, b));
  memcpy(x, b, (size_t)d->nq * sizeof *x);
}

static void compare(const char* path, double dq, double dqd) {
  rig r;
  jplant_options opt = fixture_interpreted();
  rig_open(&r, path, NULL, 0, &opt);
  jgen_pieces* p;
  assert_ok(r.ctx, jgen_pieces_build(r.ctx, r.m, NULL, &r.d->part, &p));
  random_source source;
  random_seed(&source, 141);
  for (int round = 0; round < 4; round++) {
    rig_perturb(&r, &source, dq, dqd);
    static dense d;
    double x[MAX] = {0}, qdd[MAX], scale = 1.0;
    const double* const in[GROUPS] = {
        r.run->p, &r.t, r.q, r.qd, r.y + jgen_first(&r.d->layout, JGEN_Z), x};
    evaluate(&r, p, in, &d);
    solve(&d, &r.d->part, x);
    sketch_call(r.ctx, &p->finish, in, (double* const[]){qdd});
    for (int i = 0; i < p->nq; i++) {
      scale = fmax(scale, fabs(qdd[i]));
    }
    for (int i = 0; i < r.d->part.nu; i++) {
      int c = r.d->part.u[i];
      assert_near(qdd[c] / scale, r.qdd[c] / scale, SAME);
    }
  }
  jgen_pieces_destroy(p);
  rig_close(&r);
}

static void test_pieces_of_mechanisms_with_multipliers(void** state) {
  (void)state;
  static const char* const path[] = {
      "models/mechanisms/four_bar.yaml",         "models/mechanisms/slider_crank.yaml",
      "models/mechanisms/spatial_four_bar.yaml", "test/models/closure_revolute.yaml",
      "test/models/closure_distance.yaml",       "test/models/parallelogram.yaml"};
  for (size_t i = 0; i < sizeof path / sizeof *path; i++) {
    compare(path[i], 0.02, 0.3);
  }
}

static void test_pieces_of_driven_coordinates(void** state) {
  (void)state;
  compare("test/models/closure_driven.yaml", 0.02, 0.3);
  compare("test/models/sens_loop.yaml", 0.02, 0.3);
}

static void test_pieces_in_hub_axes(void** state) {
  (void)state;
  compare("test/models/joint_hub.yaml", 0.3, 0.5);
  compare("models/buggy/step_descent.yaml", 0.01, 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pieces_of_mechanisms_with_multipliers),
      cmocka_unit_test(test_pieces_of_driven_coordinates),
      cmocka_unit_test(test_pieces_in_hub_axes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
