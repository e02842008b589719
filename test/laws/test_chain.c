// SPDX-License-Identifier: Apache-2.0
// Two roads to the same equations of motion: Newton-Euler recursion, and Lagrange's equations by
// differentiating the energies inside the graph,
//   tau = d/dt (dT/dqd) - dT/dq + dV/dq,   d/dt along (qd, qdd).
#include "expr/diff.h"
#include "expr/tape/tape.h"
#include "support/chain.h"
#include "support/fixture.h"

enum { N = 6, NGROUP = 5 };

// 1e-10 of the largest torque: some thousand operations on each road.
#define TOL 1e-10

static jo_status lagrange(chain* c, jexpr_ref* tau) {
  jexpr_graph* g = c->g;
  jexpr_ref T = chain_kinetic_energy(c), V = chain_potential_energy(c), one = jexpr_const(g, 1.0);
  jexpr_ref dT_dq[N], dT_dqd[N], dV_dq[N], momentum_rate[N], x[2 * N], xd[2 * N];
  memcpy(x, c->q + 1, N * sizeof *x);
  memcpy(x + N, c->qd + 1, N * sizeof *x);
  memcpy(xd, c->qd + 1, N * sizeof *x);
  memcpy(xd + N, c->qdd + 1, N * sizeof *x);
  JO_TRY(jexpr_adjoint(g, &T, &one, 1, c->q + 1, N, dT_dq));
  JO_TRY(jexpr_adjoint(g, &T, &one, 1, c->qd + 1, N, dT_dqd));
  JO_TRY(jexpr_adjoint(g, &V, &one, 1, c->q + 1, N, dV_dq));
  JO_TRY(jexpr_tangent(g, dT_dqd, N, x, xd, 2 * N, momentum_rate));
  for (int i = 0; i < N; i++) {
    tau[i] = jexpr_add(g, jexpr_sub(g, momentum_rate[i], dT_dq[i]), dV_dq[i]);
  }
  return jexpr_graph_status(g);
}

static void evaluate(chain* c, const jexpr_outputs* out, int nout, double* const* y) {
  double value[NGROUP][6 * N];
  const double* in[NGROUP];
  for (int k = 0; k < NGROUP; k++) {
    chain_sample(c, k, value[k]);
    in[k] = value[k];
  }
  jexpr_fn fn = {"chain", c->g, nout, out};
  jexpr_tape t;
  assert_ok(c->g->ctx, jexpr_tape_build(c->g->ctx, &c->arena, &fn, &t));
  double* work = JARENA_ARRAY(&c->arena, jexpr_tape_work(&t, 1), double);
  assert_non_null(work);
  jexpr_tape_init(&t, 1, work);
  jexpr_tape_eval(&t, 1, in, y, work);
}

static void check_newton_euler_is_lagrange(chain_options opt) {
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  chain c;
  assert_ok(ctx, chain_init(&c, ctx, opt));
  jexpr_ref newton[N + 1], tau[N];
  assert_ok(ctx, chain_inverse_dynamics(&c, newton));
  assert_ok(ctx, lagrange(&c, tau));
  assert_true(jexpr_graph_is_valid(c.g));
  const jexpr_outputs out[] = {{"newton", N, newton + 1}, {"lagrange", N, tau}};
  double a[N], b[N], largest = 0.0;
  evaluate(&c, out, 2, (double* const[]){a, b});
  for (int i = 0; i < N; i++) {
    largest = fmax(largest, fabs(a[i]));
  }
  assert_true(largest > 1.0);
  for (int i = 0; i < N; i++) {
    assert_near(a[i] / largest, b[i] / largest, TOL);
  }
  chain_free(&c);
  fixture_close(f);
}

static void test_chain_newton_euler_is_lagrange(void** state) {
  (void)state;
  check_newton_euler_is_lagrange((chain_options){.n = N});
}

static void test_chain_newton_euler_is_lagrange_with_parameters(void** state) {
  (void)state;
  check_newton_euler_is_lagrange(
      (chain_options){.n = N, .mass_inputs = N, .inertia_is_input = true});
}

// Mass matrix and kinetic energy: T = 1/2 qd . M qd, M = d tau / d qdd symmetric.
static void test_chain_mass_matrix_is_symmetric_and_gives_the_energy(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  chain c;
  assert_ok(ctx, chain_init(&c, ctx, (chain_options){.n = N}));
  jexpr_ref tau[N + 1], T = chain_kinetic_energy(&c);
  assert_ok(ctx, chain_inverse_dynamics(&c, tau));
  jexpr_jacobian M;
  assert_ok(ctx, jexpr_jacobian_build(c.g, &c.arena, JEXPR_FORWARD, tau + 1, N, c.qdd + 1, N, &M));
  assert_int_equal(M.nnz, N * N);
  const jexpr_outputs out[] = {{"M", N * N, M.value}, {"T", 1, &T}};
  double m[N * N], energy, qd[N], sum = 0.0;
  evaluate(&c, out, 2, (double* const[]){m, &energy});
  chain_sample(&c, 1, qd);
  for (int i = 0; i < N; i++) {
    for (int k = 0; k < N; k++) {
      assert_near(m[k * N + i], m[i * N + k], 1e-13 * m[0]);  // some hundred roundings
      sum += 0.5 * qd[i] * m[k * N + i] * qd[k];
    }
  }
  assert_near(sum, energy, 1e-13 * fabs(energy) * N);
  chain_free(&c);
  fixture_close(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chain_newton_euler_is_lagrange),
      cmocka_unit_test(test_chain_newton_euler_is_lagrange_with_parameters),
      cmocka_unit_test(test_chain_mass_matrix_is_symmetric_and_gives_the_energy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
