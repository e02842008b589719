// SPDX-License-Identifier: Apache-2.0
// Local states of mixed methods: blocks, their linear equations, stages, and runs whose steps do not depend on how stiff
// the local states are.
#include "solve/stiff/local.h"

#include "solve/problems.h"

// x = cos t explicit; z = sin t and w = cos^2 t local, each in a block of its own:
//   x' = -z      z' = x - k (z + z^3 - sin t - sin^3 t)      w' = -2 sin t cos t - k (w - x^2)
typedef struct problem {
  double k, t;  // t: when it was fed
  double x;
} problem;

enum { N = 3 };

static double cubic(double z) {
  return z + z * z * z;
}

static void rhs(void* user, double t, const double* y, double* f) {
  const problem* p = user;
  f[0] = -y[1];
  f[1] = y[0] - p->k * (cubic(y[1]) - cubic(sin(t)));
  f[2] = -2.0 * sin(t) * cos(t) - p->k * (y[2] - y[0] * y[0]);
}

static void feed(void* user, double t, const double* y) {
  problem* p = user;
  p->t = t;
  p->x = y[0];
}

static void rates(void* user, double t, const double* y, double* f, double* entry) {
  const problem* p = user;
  double all[N];
  assert_true(t == p->t);
  rhs(user, p->t, (double[]){p->x, y[1], y[2]}, all);
  f[0] = all[1];
  f[1] = all[2];
  entry[0] = -p->k * (1.0 + 3.0 * y[1] * y[1]);
  entry[1] = -p->k;
}

static const int state_of[] = {1, 2}, place[] = {0, 1};

static jsolve_system make(problem* p) {
  jsolve_system s = {.n = N, .user = p, .rhs = rhs, .has_parts = true, .nw = N};
  s.local = (jsolve_local_system){.n = 2,
                                  .nentry = 2,
                                  .state = state_of,
                                  .row = place,
                                  .col = place,
                                  .feed = feed,
                                  .rates = rates};
  return s;
}

static double error_at_end(void** state, double k, jsolve_options o, int64_t* steps) {
  problem p = {.k = k};
  jsolve_system s = make(&p);
  jsolve_statistics stats;
  double y[N] = {1.0, 0.0, 1.0};
  assert_ok(context(state),
            jsolve_integrate(context(state), &s, &o, NULL, 0.0, 2.0, y, NULL, &stats));
  if (steps) *steps = stats.steps;
  double z = fabs(y[1] - sin(2.0)), w = fabs(y[2] - cos(2.0) * cos(2.0));
  return fmax(fabs(y[0] - cos(2.0)), fmax(z, w));
}

static void test_local_third_order_has_its_order(void** state) {
  double a = error_at_end(state, 5.0, fixed(JSOLVE_IMEX3, 0.02), NULL);
  double b = error_at_end(state, 5.0, fixed(JSOLVE_IMEX3, 0.01), NULL);
  assert_true(a > 1e-9);
  assert_near(observed_order(a, b, 2.0), 3.0, 0.3);
}

// However stiff: an explicit method would need k steps.
static void test_local_fixed_steps_do_not_depend_on_stiffness(void** state) {
  for (double k = 10.0; k < 1e8; k *= 10.0) {
    double e = error_at_end(state, k, fixed(JSOLVE_IMEX3, 0.01), NULL);
    assert_true(e < 1e-5);
  }
}

// Stiff states lower the order, as stages of order two do, but how stiff they are does not matter.
static void test_local_adaptive_steps_meet_their_tolerance(void** state) {
  int64_t soft, stiff, stiffer;
  for (double tol = 1e-4; tol > 1e-8; tol *= 0.1) {
    jsolve_options o = adaptive(JSOLVE_IMEX4, tol);
    assert_true(error_at_end(state, 10.0, o, &soft) < 30.0 * tol);
    assert_true(error_at_end(state, 1e6, o, &stiff) < 30.0 * tol);
    assert_true(error_at_end(state, 1e8, o, &stiffer) < 30.0 * tol);
    assert_true(stiff < 4 * soft && (double)stiffer < 1.2 * (double)stiff + 10.0);
  }
}

// ---- blocks and linear equations -----------------------------------------------------------------

// Five states in two blocks, {0 2 4} and {1 3}, standing apart in y.
static const int many_state[] = {7, 0, 3, 5, 2};
static const int many_row[] = {0, 0, 2, 2, 4, 4, 1, 1, 3, 3},
                 many_col[] = {0, 2, 2, 4, 0, 4, 1, 3, 1, 3};
static const double many_entry[] = {-1.0, 2.0, 0.5, -3.0, 4.0, 1.5, 0.25, -2.0, 3.0, -0.75};
enum { MANY = 5, ENTRIES = 10, WIDE = 9, LANES = 2 };

static void no_feed(void* user, double t, const double* y) {
  (void)user, (void)t, (void)y;
}

static void linear_rates(void* user, double t, const double* y, double* f, double* entry) {
  (void)user, (void)t;
  memcpy(entry, many_entry, sizeof many_entry);
  memset(f, 0, MANY * sizeof *f);
  for (int e = 0; e < ENTRIES; e++) {
    f[many_row[e]] += many_entry[e] * y[many_state[many_col[e]]];
  }
}

static jsolve_system many(void) {
  jsolve_system s = {.n = WIDE};
  s.local = (jsolve_local_system){.n = MANY,
                                  .nentry = ENTRIES,
                                  .state = many_state,
                                  .row = many_row,
                                  .col = many_col,
                                  .feed = no_feed,
                                  .rates = linear_rates};
  return s;
}

// (1 - b A) x, or its transpose, in one lane; what is not local stays.
static void multiply(bool transposed, double b, const double* x, int lane, double* out) {
  for (int i = 0; i < WIDE; i++) {
    out[i] = x[i * LANES + lane];
  }
  for (int e = 0; e < ENTRIES; e++) {
    int row = many_state[transposed ? many_col[e] : many_row[e]];
    int col = many_state[transposed ? many_row[e] : many_col[e]];
    out[row] -= b * many_entry[e] * x[col * LANES + lane];
  }
}

static void test_local_solves_block_by_block(void** state) {
  jarena a;
  jarena_init(&a, context(state));
  jsolve_system s = many();
  jsolve_local l;
  assert_true(jsolve_local_init(&l, &a, &s));
  assert_int_equal(l.nblock, 2);
  double y[WIDE] = {0}, x[WIDE * LANES], given[WIDE * LANES], back[WIDE], b = 0.3;
  for (int transposed = 0; transposed < 2; transposed++) {
    assert_int_equal(jsolve_local_factor(&l, 0.0, y, b), JO_OK);
    for (int i = 0; i < WIDE * LANES; i++) {
      x[i] = given[i] = cos(1.0 + i * i);
    }
    jsolve_local_solve(&l, transposed, x, LANES);
    for (int lane = 0; lane < LANES; lane++) {
      multiply(transposed, b, x, lane, back);
      for (int i = 0; i < WIDE; i++) {
        assert_near(back[i], given[i * LANES + lane], 1e-14);
      }
    }
  }
  jarena_free(&a);
}

static void test_local_stage_solves_its_equations(void** state) {
  jarena a;
  jarena_init(&a, context(state));
  jsolve_system s = many();
  jsolve_local l;
  jsolve_weights w;
  assert_true(jsolve_local_init(&l, &a, &s));
  assert_true(jsolve_weights_init(&w, &a, WIDE, NULL, 1e-6, 1e-6));
  double base[WIDE], Y[WIDE], k[WIDE] = {0}, f[MANY], entry[ENTRIES], b = 0.2;
  for (int i = 0; i < WIDE; i++) {
    base[i] = Y[i] = sin(3.0 * i);
  }
  jsolve_local_begin(&l, Y);
  assert_int_equal(jsolve_local_stage(&l, &w, 0.0, b, base, 1e-6, Y, k), JO_OK);
  linear_rates(NULL, 0.0, Y, f, entry);
  for (int i = 0; i < MANY; i++) {
    int at = many_state[i];
    assert_near(k[at], f[i], 1e-12);
    assert_near(Y[at], base[at] + b * k[at], 1e-14);
  }
  assert_true(Y[1] == base[1] && k[1] == 0.0);  // not local
  jarena_free(&a);
}

static void bad_rates(void* user, double t, const double* y, double* f, double* entry) {
  linear_rates(user, t, y, f, entry);
  f[0] = NAN;
}

static void singular_rates(void* user, double t, const double* y, double* f, double* entry) {
  (void)user, (void)t, (void)y;
  memset(f, 0, MANY * sizeof *f);
  memset(entry, 0, ENTRIES * sizeof *entry);
  entry[0] = 1.0 / 0.2;  // 1 - b A has a row of zeros
}

static void test_local_says_what_cannot_be_solved(void** state) {
  jarena a;
  jarena_init(&a, context(state));
  jsolve_system s = many();
  jsolve_local l;
  jsolve_weights w;
  double base[WIDE] = {0}, Y[WIDE] = {0}, k[WIDE];
  assert_true(jsolve_weights_init(&w, &a, WIDE, NULL, 1e-6, 1e-6));
  s.local.rates = bad_rates;
  assert_true(jsolve_local_init(&l, &a, &s));
  assert_int_equal(jsolve_local_stage(&l, &w, 0.0, 0.2, base, 1e-6, Y, k), JO_ERR_CONVERGENCE);
  s.local.rates = singular_rates;
  assert_int_equal(jsolve_local_factor(&l, 0.0, Y, 0.2), JO_ERR_SINGULAR);
  jarena_free(&a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_local_third_order_has_its_order),
      fixture_test(test_local_fixed_steps_do_not_depend_on_stiffness),
      fixture_test(test_local_adaptive_steps_meet_their_tolerance),
      fixture_test(test_local_solves_block_by_block),
      fixture_test(test_local_stage_solves_its_equations),
      fixture_test(test_local_says_what_cannot_be_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
