// SPDX-License-Identifier: Apache-2.0
// Implicit stages and what auto makes of them; long steps that are looked into; steps that collapse.
#include "solve/stiff/implicit.h"

#include <string.h>

#include "solve/problems.h"
#include "solve/tableau.h"

// ---- the tableau -----------------------------------------------------------------------------------

enum { STAGES = 7 };

// Butcher matrix with its diagonal and the last stage, which is the end of the step.
static void full_matrix(const jsolve_tableau* t, double A[STAGES][STAGES], double c[STAGES]) {
  memset(A, 0, sizeof(double[STAGES][STAGES]));
  for (int i = 0; i < STAGES; i++) {
    const double* row = i < t->stages ? t->a[i] : t->b;
    for (int j = 0; j < i; j++) {
      A[i][j] = row[j];
    }
    if (i > 0) A[i][i] = t->gamma;
    c[i] = i < t->stages ? t->c[i] : 1.0;
  }
}

static double weighted(const double* weight, const double* v) {
  double sum = 0;
  for (int i = 0; i < STAGES; i++) {
    sum += weight[i] * v[i];
  }
  return sum;
}

static void apply(double A[STAGES][STAGES], const double* v, double* out) {
  for (int i = 0; i < STAGES; i++) {
    out[i] = weighted(A[i], v);
  }
}

static void power(const double* c, int m, double* out) {
  for (int i = 0; i < STAGES; i++) {
    out[i] = pow(c[i], m);
  }
}

// Stage order two leaves these of all conditions up to order five.
static void test_implicit_tableau_has_order_five(void** state) {
  (void)state;
  const jsolve_tableau* t = jsolve_tableau_find(JSOLVE_ESDIRK5);
  double A[STAGES][STAGES], c[STAGES], cm[STAGES], v[STAGES], w[STAGES];
  full_matrix(t, A, c);
  const double* b = A[STAGES - 1];
  power(c, 1, cm);
  apply(A, cm, v);
  for (int i = 0; i < STAGES; i++) {
    assert_near(v[i], 0.5 * c[i] * c[i], 1e-15);
  }
  for (int m = 0; m < 5; m++) {
    power(c, m, cm);
    assert_near(weighted(b, cm), 1.0 / (m + 1), 1e-15);
    assert_near(weighted(t->e, cm), m < 4 ? 0 : 0.00223903934302350, 1e-15);
  }
  power(c, 2, cm);
  apply(A, cm, v);
  assert_near(weighted(b, v), 1.0 / 12, 1e-15);
  assert_near(weighted(t->e, v), 0, 1e-15);
  apply(A, v, w);
  assert_near(weighted(b, w), 1.0 / 60, 1e-15);
  for (int i = 0; i < STAGES; i++) {
    v[i] *= c[i];
  }
  assert_near(weighted(b, v), 1.0 / 15, 1e-15);
  power(c, 3, cm);
  apply(A, cm, v);
  assert_near(weighted(b, v), 1.0 / 20, 1e-15);
}

static void circle_jacobian(void* user, double t, const double* y, double* J) {
  (void)user, (void)t;
  J[0] = -2 * y[0] * y[1];
  J[1] = 3 * y[0] * y[0] + y[1] * y[1];
  J[2] = -y[0] * y[0] - 3 * y[1] * y[1];
  J[3] = 2 * y[0] * y[1];
}

static void test_implicit_error_follows_tolerance(void** state) {
  double last = 1;
  for (double tol = 1e-4; tol > 1e-12; tol *= 1e-2) {
    jsolve_options o = adaptive(JSOLVE_ESDIRK5, tol);
    jsolve_system s = {.n = 2, .rhs = circle_rhs, .jacobian = circle_jacobian};
    double y[2] = {1, 0};
    assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 4, y, NULL, NULL));
    double e = hypot(y[0] - cos(4), y[1] - sin(4));
    assert_true(e < 10 * tol && e < last);
    last = e;
  }
}

// ---- stiff problems --------------------------------------------------------------------------------

// y' = -L (y - cos t) - sin t, y = cos t (Prothero and Robinson), L in user
static void slow_rhs(void* user, double t, const double* y, double* f) {
  const double* L = user;
  f[0] = -*L * (y[0] - cos(t)) - sin(t);
}

static void slow_jacobian(void* user, double t, const double* y, double* J) {
  (void)t, (void)y;
  J[0] = -*(const double*)user;
}

static void test_implicit_stiff_component_costs_nothing(void** state) {
  double L = 1e7;
  jsolve_system s = {.n = 1, .user = &L, .rhs = slow_rhs, .jacobian = slow_jacobian};
  jsolve_options o = adaptive(JSOLVE_ESDIRK5, 1e-8);
  double y = 1;
  jsolve_statistics stats;
  assert_ok(context(state),
            jsolve_integrate(context(state), &s, &o, NULL, 0, 10, &y, NULL, &stats));
  assert_near(y, cos(10), 1e-8);
  assert_true(stats.steps < 1000);
}

static void test_auto_changes_over_and_back(void** state) {
  double L = 1e5;
  jsolve_system s = {.n = 1, .user = &L, .rhs = slow_rhs, .jacobian = slow_jacobian};
  jsolve_options o = adaptive(JSOLVE_AUTO, 1e-7);
  jsolve_statistics stats;
  double y = 1;
  assert_ok(context(state),
            jsolve_integrate(context(state), &s, &o, NULL, 0, 10, &y, NULL, &stats));
  assert_near(y, cos(10), 1e-6);
  assert_true(stats.implicit > 0 && stats.steps < 1000);
  // not stiff: the steps of dopri5, to the bit
  double z[2][2] = {{1, 1}, {1, 1}};
  for (int i = 0; i < 2; i++) {
    jsolve_options q = adaptive(i ? JSOLVE_AUTO : JSOLVE_DOPRI5, 1e-9);
    jsolve_system r = rational_system();
    assert_ok(context(state),
              jsolve_integrate(context(state), &r, &q, NULL, 0, 2, z[i], NULL, &stats));
    assert_int_equal(stats.implicit, 0);
  }
  assert_memory_equal(z[0], z[1], sizeof z[0]);
}

// A mass on a stiff spring and damper, y = [ q w psi ], psi = int q^2: with and without its structure.
static void mass_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  f[0] = y[1];
  f[1] = -1e6 * y[0] - 1e4 * y[1] + 1e6 * sin(t);
  f[2] = y[0] * y[0];
}

static void mass_jacobian(void* user, double t, const double* y, double* J) {
  (void)user, (void)t;
  memset(J, 0, 9 * sizeof *J);
  J[3] = 1;
  J[1] = -1e6;
  J[4] = -1e4;
  J[2] = 2 * y[0];
}

static void test_implicit_structure_changes_nothing(void** state) {
  double y[2][3] = {{0}};
  for (int i = 0; i < 2; i++) {
    jsolve_system s = {.n = 3, .rhs = mass_rhs, .jacobian = mass_jacobian};
    if (i == 1) {
      s.has_parts = true;
      s.nq = 1;
      s.nw = 1;
    }
    jsolve_options o = adaptive(JSOLVE_ESDIRK5, 1e-9);
    assert_ok(context(state),
              jsolve_integrate(context(state), &s, &o, NULL, 0, 3, y[i], NULL, NULL));
  }
  for (int k = 0; k < 3; k++) {
    assert_near(y[0][k], y[1][k], 1e-9);
  }
  // (2 t - sin 2t) / 4, but for the hundredth of a second the mass lags behind
  assert_near(y[1][2], (6 - sin(6)) / 4, 0.02);
}

static void nothing_rhs(void* user, double t, const double* y, double* f) {
  (void)user, (void)t, (void)y, (void)f;
}

static void nothing_jacobian(void* user, double t, const double* y, double* J) {
  (void)user, (void)t, (void)y, (void)J;
}

// All that moves is prescribed, y = [ v psi ]: v = sin t is closed after every step, psi = int v^2.
static void prescribed_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  f[0] = cos(t);
  f[1] = y[0] * y[0];
}

static void prescribed_jacobian(void* user, double t, const double* y, double* J) {
  (void)user, (void)t;
  memset(J, 0, 4 * sizeof *J);
  J[1] = 2 * y[0];
}

static jo_status prescribed_project(void* user, double t, double* y) {
  (void)user;
  y[0] = sin(t);
  return JO_OK;
}

static void test_implicit_without_anything_that_moves_by_itself(void** state) {
  jsolve_system s = {.n = 2,
                     .rhs = prescribed_rhs,
                     .jacobian = prescribed_jacobian,
                     .project = prescribed_project,
                     .has_parts = true,
                     .nv = 1};
  double y[2] = {0, 0};
  jsolve_options o = adaptive(JSOLVE_ESDIRK5, 1e-9);
  assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 3, y, NULL, NULL));
  assert_near(y[0], sin(3), 1e-15);
  assert_near(y[1], (6 - sin(6)) / 4, 1e-8);
}

// Not even quadratures are left.
static void test_every_method_goes_without_states(void** state) {
  static const jsolve_method methods[] = {JSOLVE_RK4,  JSOLVE_DOPRI5, JSOLVE_ESDIRK5,
                                          JSOLVE_AUTO, JSOLVE_BDF,    JSOLVE_ADAMS};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    jsolve_system s = {.rhs = nothing_rhs, .jacobian = nothing_jacobian, .has_parts = true};
    jsolve_options o = adaptive(methods[i], 1e-9);
    if (methods[i] == JSOLVE_RK4) o.step = 0.1;
    jsolve_statistics stats;
    double y[1];
    assert_ok(context(state),
              jsolve_integrate(context(state), &s, &o, NULL, 0, 3, y, NULL, &stats));
    assert_true(stats.steps > 0);
  }
}

// ---- the linear maps of a stage --------------------------------------------------------------------

enum { NQ = 2, NV = 1, NW = 3, NR = 1, N = NQ + NV + NW + NR };

// q' = w_q, v' = B w_q, the rest anything; psi depends on nothing of itself
static void some_jacobian(void* user, double t, const double* y, double* J) {
  (void)t, (void)y;
  double* seed = user;
  memset(J, 0, N * N * sizeof *J);
  for (int i = 0; i < NQ; i++) {
    J[i + (NQ + NV + i) * N] = 1;
    J[NQ + (NQ + NV + i) * N] = 0.3 * (i + 1);
  }
  for (int j = 0; j < N - NR; j++) {
    for (int i = NQ + NV; i < N; i++) {
      *seed = fmod(*seed * 1.7 + 0.37, 1);
      J[i + j * N] = 4 * *seed - 2;
    }
  }
}

static void test_implicit_adjoint_is_the_transpose(void** state) {
  double seed = 0.2, x[N], y[N], u[N], w[N], left = 0, right = 0;
  jsolve_system sys = {.n = N, .user = &seed, .jacobian = some_jacobian};
  sys.has_parts = true;
  sys.nq = NQ;
  sys.nv = NV;
  sys.nw = NW;
  jarena arena;
  jarena_init(&arena, context(state));
  jsolve_implicit im;
  assert_true(jsolve_implicit_init(&im, &arena, &sys));
  assert_int_equal(jsolve_implicit_linearise(&im, 0, x), JO_OK);
  assert_int_equal(jsolve_implicit_factor(&im, 0.1), JO_OK);
  for (int i = 0; i < N; i++) {
    bool is_dependent = i >= NQ && i < NQ + NV;
    x[i] = y[i] = is_dependent ? 0 : sin(i + 1);
    u[i] = w[i] = is_dependent ? 0 : cos(3 * i);
  }
  jsolve_implicit_tangent(&im, y, 1);
  jsolve_implicit_adjoint(&im, w, 1);
  for (int i = 0; i < N; i++) {
    left += u[i] * y[i];
    right += w[i] * x[i];
  }
  assert_near(left, right, 1e-14);
  jarena_free(&arena);
}

// ---- long steps, collapsing steps ------------------------------------------------------------------

// Rests for three seconds; then a half sine of 20 ms pushes.
static void pulse_rhs(void* user, double t, const double* y, double* f) {
  (void)user;
  double x = (t - 3.017) / 0.02;
  f[0] = y[1];
  f[1] = -y[1] + (x > 0 && x < 1 ? 100 * pow(sin(3.14159265358979323846 * x), 2) : 0);
}

static void pulse_jacobian(void* user, double t, const double* y, double* J) {
  (void)user, (void)t, (void)y;
  J[0] = J[1] = 0;
  J[2] = 1;
  J[3] = -1;
}

static void test_scan_sees_a_pulse_after_rest(void** state) {
  static const jsolve_method method[] = {JSOLVE_DOPRI5, JSOLVE_ESDIRK5, JSOLVE_AUTO, JSOLVE_ADAMS,
                                         JSOLVE_BDF};
  // impulse 1, which the velocity has lost all but e^-(5 - 3.027) of
  double v = exp(3.027 - 5);
  for (int i = 0; i < 5; i++) {
    jsolve_system s = {.n = 2, .rhs = pulse_rhs, .jacobian = pulse_jacobian};
    jsolve_options o = adaptive(method[i], 1e-8);
    double y[2] = {0, 0};
    assert_ok(context(state), jsolve_integrate(context(state), &s, &o, NULL, 0, 5, y, NULL, NULL));
    assert_near(y[1], v, 1e-4 * v);
  }
}

static void racing_rhs(void* user, double t, const double* y, double* f) {
  (void)user, (void)y;
  f[0] = 0;
  f[1] = 1e13 * cos(1e13 * t);
}

static void test_collapsed_steps_end_with_the_state(void** state) {
  const char* name[] = {"calm", "racing"};
  jsolve_system s = {.n = 2, .rhs = racing_rhs, .state_name = name};
  jsolve_options o = adaptive(JSOLVE_DOPRI5, 1e-8);
  double y[2] = {0, 0};
  assert_int_equal(jsolve_integrate(context(state), &s, &o, NULL, 0, 1, y, NULL, NULL),
                   JO_ERR_CONVERGENCE);
  assert_non_null(strstr(jo_context_message(context(state)), "'racing' changes too fast"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_implicit_tableau_has_order_five),
      fixture_test(test_implicit_error_follows_tolerance),
      fixture_test(test_implicit_stiff_component_costs_nothing),
      fixture_test(test_auto_changes_over_and_back),
      fixture_test(test_implicit_structure_changes_nothing),
      fixture_test(test_implicit_without_anything_that_moves_by_itself),
      fixture_test(test_every_method_goes_without_states),
      fixture_test(test_implicit_adjoint_is_the_transpose),
      fixture_test(test_scan_sees_a_pulse_after_rest),
      fixture_test(test_collapsed_steps_end_with_the_state),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
