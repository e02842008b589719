// SPDX-License-Identifier: Apache-2.0
// Equations of the tree are Lagrange's: the mass matrix is the Hessian of the kinetic energy, the bias is what
// its derivatives and those of the potential make of it; the energies are those of mass points.
#include "expr/diff.h"
#include "support/dense.h"
#include "support/oracle.h"
#include "support/sketch.h"

#define ROUNDING 1e-12  // relative to the largest entry

static const char* const trees[] = {
    "test/models/joint_revolute.yaml",    "test/models/joint_prismatic.yaml",
    "test/models/joint_cylindrical.yaml", "test/models/joint_universal.yaml",
    "test/models/joint_spherical.yaml",   "test/models/joint_planar.yaml",
    "test/models/joint_free.yaml",        "test/models/joint_fixed.yaml",
    "test/models/joint_hub.yaml"};
enum { NTREE = sizeof trees / sizeof *trees, MAX = 24 };

static double largest(const double* x, int n) {
  double m = 0.0;
  for (int i = 0; i < n; i++) {
    m = fmax(m, fabs(x[i]));
  }
  return m;
}

static void dense_jacobian(sketch* k, const jexpr_ref* y, int ny, const jexpr_ref* x, int nx,
                           jexpr_ref* J) {
  jexpr_jacobian sparse;
  assert_ok(k->f->ctx, jexpr_jacobian_build(k->g, &k->f->a, JEXPR_CHEAPER, y, ny, x, nx, &sparse));
  for (int i = 0; i < ny * nx; i++) {
    J[i] = k->s.zero;
  }
  for (int c = 0; c < nx; c++) {
    for (int e = sparse.col[c]; e < sparse.col[c + 1]; e++) {
      J[sparse.row[e] * nx + c] = sparse.value[e];
    }
  }
}

static void test_tree_kinetic_energy_is_that_of_the_oracle(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 21);
  for (int i = 0; i < NTREE; i++) {
    sketch k;
    sketch_open(&k, fixture_load(trees[i], NULL, 0), false);
    sketch_randomise(&k, &source, 1.2);
    oracle* o = oracle_create(k.f->ctx, k.f->m);
    double T = oracle_kinetic_energy(o, k.q, k.qd);
    assert_near(sketch_value(&k, jgen_kinetic_energy(&k.s)), T, ROUNDING * T);
    oracle_destroy(o);
    sketch_close(&k);
  }
}

static void test_tree_mass_matrix_is_the_hessian_of_the_kinetic_energy(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 22);
  for (int i = 0; i < NTREE; i++) {
    sketch k;
    sketch_open(&k, fixture_load(trees[i], NULL, 0), false);
    sketch_randomise(&k, &source, 1.2);
    int n = k.nq;
    assert_true(n <= MAX);
    jexpr_ref T = jgen_kinetic_energy(&k.s), P[MAX], H[MAX * MAX], M[MAX * MAX];
    dense_jacobian(&k, &T, 1, k.s.qd, n, P);
    dense_jacobian(&k, P, n, k.s.qd, n, H);
    jgen_mass_matrix(&k.s, M);
    double h[MAX * MAX], m[MAX * MAX];
    sketch_eval(&k, H, n * n, h);
    sketch_eval(&k, M, n * n, m);
    for (int e = 0; e < n * n; e++) {
      assert_near(m[e], h[e], ROUNDING * largest(h, n * n));
      assert_near(m[e], m[e % n * n + e / n], 0.0);
    }
    assert_true(dense_is_positive(n, m));
    sketch_close(&k);
  }
}

// c = d/dt (dT/dqd) - dT/dq + dV/dq  at qdd = 0, without elements
static void test_tree_bias_is_that_of_lagrange(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 23);
  for (int i = 0; i < NTREE; i++) {
    sketch k;
    sketch_open(&k, fixture_load(trees[i], NULL, 0), false);
    sketch_randomise(&k, &source, 1.2);
    int n = k.nq;
    jexpr_ref L = jexpr_sub(k.g, jgen_kinetic_energy(&k.s), jgen_potential_energy(&k.s));
    jexpr_ref P[MAX], Pd[MAX], F[MAX], c[MAX];
    dense_jacobian(&k, &L, 1, k.s.qd, n, P);
    dense_jacobian(&k, &L, 1, k.s.q, n, F);
    sketch_rate(&k, P, n, Pd);
    jgen_bias_forces(&k.s, c);
    double pd[MAX], f[MAX], got[MAX];
    sketch_eval(&k, Pd, n, pd);
    sketch_eval(&k, F, n, f);
    sketch_eval(&k, c, n, got);
    for (int e = 0; e < n; e++) {
      assert_near(got[e], pd[e] - f[e], ROUNDING * (1.0 + largest(got, n)));
    }
    sketch_close(&k);
  }
}

// K^T M K of any K, those of a hub's coordinates unknowns of their own.
static void compare_reduced(const char* path, bool hub, random_source* source) {
  sketch k;
  sketch_open(&k, fixture_load(path, NULL, 0), hub);
  sketch_randomise(&k, source, 1.2);
  jgen* s = &k.s;
  int nq = k.nq, of_hub = 6 * s->nhub, n = of_hub + 3;
  assert_true(nq <= MAX && n <= MAX);
  jexpr_ref K[MAX * MAX], M[MAX * MAX], Mr[MAX * MAX];
  double kk[MAX * MAX], m[MAX * MAX], got[MAX * MAX];
  for (int i = 0; i < nq * n; i++) {
    bool hangs = i % n >= of_hub && random_uniform(source, 0.0, 1.0) < 0.7;
    for (int c = 0; c < of_hub; c++) {
      if (i / n == s->hub[0].coordinate[c]) hangs = false;
    }
    kk[i] = hangs ? random_uniform(source, -1.0, 1.0) : 0.0;
  }
  for (int c = 0; c < of_hub; c++) {
    kk[s->hub[0].coordinate[c] * n + c] = 1.0;
  }
  for (int i = 0; i < nq * n; i++) {
    K[i] = jexpr_const(k.g, kk[i]);
  }
  jgen_mass_matrix(s, M);
  jgen_reduced_matrix(s, n, K, Mr);
  sketch_eval(&k, M, nq * nq, m);
  sketch_eval(&k, Mr, n * n, got);
  for (int e = 0; e < n * n; e++) {
    double sum = 0.0;
    for (int a = 0; a < nq * nq; a++) {
      sum += kk[a / nq * n + e / n] * m[a] * kk[a % nq * n + e % n];
    }
    assert_near(got[e], sum, ROUNDING * largest(m, nq * nq));
  }
  sketch_close(&k);
}

static void test_tree_reduced_matrix_is_that_of_the_unknowns(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 25);
  for (int i = 0; i < NTREE; i++) {
    compare_reduced(trees[i], false, &source);
  }
  compare_reduced("test/models/joint_hub.yaml", true, &source);
}

// With the velocity of the hub in its own axes the same kinetic energy: 2 T = x^T M x.
static void test_tree_matrix_in_hub_axes_has_the_same_energy(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 24);
  sketch k;
  sketch_open(&k, fixture_load("test/models/joint_hub.yaml", NULL, 0), true);
  jgen* s = &k.s;
  assert_int_equal(s->nhub, 1);
  int n = k.nq, first = s->hub[0].coordinate[0], hub = s->hub[0].link;
  assert_true(n <= MAX);
  for (int round = 0; round < 3; round++) {
    sketch_randomise(&k, &source, 0.9);
    jexpr_ref M[MAX * MAX];
    jgen_mass_matrix(s, M);
    jgen_absolute_motion(s, s->dyn, true, hub);
    jexpr_v3 v = jgen_from_ground(s, hub, jgen_relative_of(s, 0, hub, true)->od);
    double m[MAX * MAX], x[MAX], form = 0.0;
    sketch_eval(&k, M, n * n, m);
    memcpy(x, k.qd, (size_t)n * sizeof *x);
    sketch_v3(&k, v, x + first);
    sketch_v3(&k, s->dyn[hub].w, x + first + 3);
    for (int e = 0; e < n * n; e++) {
      form += 0.5 * x[e / n] * m[e] * x[e % n];
    }
    double T = sketch_value(&k, jgen_kinetic_energy(s));
    assert_near(form, T, ROUNDING * T);
  }
  sketch_close(&k);
}

// A wrench handed to the parent has the same power in every motion they have in common.
static void test_tree_wrench_has_the_same_power_at_the_parent(void** state) {
  (void)state;
  random_source source;
  random_seed(&source, 25);
  sketch k;
  sketch_open(&k, fixture_load("test/models/joint_prismatic.yaml", NULL, 0), false);
  sketch_randomise(&k, &source, 1.0);
  jgen* s = &k.s;
  jexpr_graph* g = k.g;
  int link = s->nlink - 1, parent = s->link[link].parent;
  jgen_wrench w[32];
  assert_true(s->nlink <= 32 && parent > 0);
  for (int l = 0; l < s->nlink; l++) {
    w[l] = (jgen_wrench){jexpr_v3_zero(g), jexpr_v3_zero(g)};
  }
  w[link] = (jgen_wrench){jexpr_v3_const(g, 1.0, -2.0, 0.5), jexpr_v3_const(g, 0.3, 0.7, -1.1)};
  jgen_pass_to_parent(s, w, link);
  // the parent's frame moves with (v, w), and the link with it
  jexpr_v3 v = jexpr_v3_const(g, 0.2, 0.4, -0.6), turn = jexpr_v3_const(g, -0.9, 0.1, 0.8);
  jexpr_v3 carried = jexpr_v3_add(g, v, jexpr_v3_cross(g, turn, s->link[link].shift));
  const jexpr_m3* R = &s->link[link].R;
  jexpr_ref here = jexpr_add(g, jexpr_v3_dot(g, w[link].f, jexpr_m3_tapply(g, R, carried)),
                             jexpr_v3_dot(g, w[link].n, jexpr_m3_tapply(g, R, turn)));
  jexpr_ref there =
      jexpr_add(g, jexpr_v3_dot(g, w[parent].f, v), jexpr_v3_dot(g, w[parent].n, turn));
  assert_near(sketch_value(&k, here), sketch_value(&k, there), ROUNDING);
  sketch_close(&k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tree_kinetic_energy_is_that_of_the_oracle),
      cmocka_unit_test(test_tree_mass_matrix_is_the_hessian_of_the_kinetic_energy),
      cmocka_unit_test(test_tree_bias_is_that_of_lagrange),
      cmocka_unit_test(test_tree_reduced_matrix_is_that_of_the_unknowns),
      cmocka_unit_test(test_tree_matrix_in_hub_axes_has_the_same_energy),
      cmocka_unit_test(test_tree_wrench_has_the_same_power_at_the_parent),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
