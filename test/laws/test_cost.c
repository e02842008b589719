// SPDX-License-Identifier: Apache-2.0
// What recursion and reverse mode promise, as counts of operations, which are the same everywhere:
// inverse dynamics grows linearly with the number of joints, and a gradient costs a small multiple
// of its function, however many inputs it has; vehicles cost
// the same wherever they hang.
#include "expr/diff.h"
#include "expr/tape/schedule.h"
#include "plant/plant.h"
#include "support/chain.h"
#include "support/fixture.h"

static int count(chain* c, const jexpr_outputs* out, int nout) {
  jexpr_fn fn = {"chain", c->g, nout, out};
  jexpr_schedule s;
  assert_ok(c->g->ctx, jexpr_schedule_build(&c->arena, &fn, &s));
  return jexpr_count(c->g, &s).total;
}

static int inverse_dynamics_operations(int n) {
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  chain c;
  assert_ok(ctx, chain_init(&c, ctx, (chain_options){.n = n}));
  jexpr_ref* tau = JARENA_ARRAY(&c.arena, n + 1, jexpr_ref);
  assert_non_null(tau);
  assert_ok(ctx, chain_inverse_dynamics(&c, tau));
  int total = count(&c, &(jexpr_outputs){"tau", n, tau + 1}, 1);
  chain_free(&c);
  fixture_close(f);
  return total;
}

static void test_cost_of_inverse_dynamics_is_linear(void** state) {
  (void)state;
  double at_100 = inverse_dynamics_operations(100) / 100.0;
  double at_400 = inverse_dynamics_operations(400) / 400.0;
  assert_near(at_400, at_100, 0.02 * at_100);  // the first and last joints are cheaper
}

static void test_cost_of_a_gradient_is_a_small_multiple(void** state) {
  (void)state;
  enum { N = 200, MASSES = 100, NX = 2 * N + MASSES };
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  chain c;
  assert_ok(ctx, chain_init(&c, ctx, (chain_options){.n = N, .mass_inputs = MASSES}));
  jexpr_ref x[NX], gradient[NX], one = jexpr_const(c.g, 1.0), T = chain_kinetic_energy(&c);
  memcpy(x, c.q + 1, N * sizeof *x);
  memcpy(x + N, c.qd + 1, N * sizeof *x);
  memcpy(x + 2 * N, c.m + 1, MASSES * sizeof *x);
  assert_ok(ctx, jexpr_adjoint(c.g, &T, &one, 1, x, NX, gradient));
  const jexpr_outputs out[] = {{"T", 1, &T}, {"gradient", NX, gradient}};
  int value = count(&c, out, 1), both = count(&c, out, 2);
  assert_in_range(both, value, 5 * value);
  chain_free(&c);
  fixture_close(f);
}

// A long computation with roots behind several guards: keeping adjoints finite where a guard is
// closed must not multiply the work by the number of guards.
static void test_cost_of_a_gradient_behind_guards(void** state) {
  (void)state;
  fixture* f = fixture_open();
  jo_context* ctx = f->ctx;
  for (int nguard = 1; nguard <= 32; nguard *= 2) {
    chain c;  // only for its graph
    assert_ok(ctx, chain_init(&c, ctx, (chain_options){.n = 2}));
    jexpr_graph* g = c.g;
    jexpr_ref x = c.q[1], zero = jexpr_const(g, 0.0), one = jexpr_const(g, 1.0), y = zero, xbar;
    jexpr_ref u = x, two = jexpr_const(g, 2.0);
    for (int i = 0; i < 50; i++) {
      u = jexpr_sqrt(g, jexpr_add(g, two, jexpr_mul(g, u, jexpr_cos(g, u))));
    }
    for (int i = 0; i < nguard; i++) {
      jexpr_ref guard = jexpr_lt(g, jexpr_const(g, i), c.q[2]);
      jexpr_ref force = jexpr_exp(g, jexpr_mul(g, jexpr_const(g, 0.1 * (i + 1)), u));
      y = jexpr_add(g, y, jexpr_select(g, guard, force, zero));
    }
    assert_ok(ctx, jexpr_adjoint(g, &y, &one, 1, &x, 1, &xbar));
    const jexpr_outputs out[] = {{"y", 1, &y}, {"gradient", 1, &xbar}};
    int value = count(&c, out, 1), both = count(&c, out, 2);
    assert_in_range(both, value, 5 * value);
    chain_free(&c);
  }
  fixture_close(f);
}

static int car_operations(const char* path) {
  fixture* f = fixture_load(path, NULL, 0);
  jplant_options opt = fixture_interpreted();
  fixture_build(f, &opt);
  jexpr_schedule s;
  assert_ok(f->ctx, jexpr_schedule_build(&f->a, &f->plant->dynamics->fn[JGEN_FN_RHS], &s));
  int total = jexpr_count(f->plant->dynamics->g, &s).total;
  fixture_close(f);
  return total;
}

// Equations of a vehicle do not depend on what carries it, nor on other vehicles.
static void test_cost_of_a_car_is_its_own(void** state) {
  (void)state;
  int one = car_operations("bench/models/car_free.yaml");
  assert_int_equal(car_operations("bench/models/car_chain.yaml"), one);
  assert_in_range(car_operations("bench/models/two_cars.yaml"), 2 * one, (int)(1.02 * 2 * one));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cost_of_inverse_dynamics_is_linear),
      cmocka_unit_test(test_cost_of_a_gradient_is_a_small_multiple),
      cmocka_unit_test(test_cost_of_a_gradient_behind_guards),
      cmocka_unit_test(test_cost_of_a_car_is_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
