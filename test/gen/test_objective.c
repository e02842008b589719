// SPDX-License-Identifier: Apache-2.0
// Objectives: integrands and values of every kind, windows, and filters, whose steady answer to a constant and to
// a sine is that of their transfer function.
#include "gen/objective.h"

#include "support/sketch.h"

#define PI 3.14159265358979323846

// The cart's position is the signal.
static fixture* with_objective(const char* objective) {
  char text[512];
  snprintf(text, sizeof text,
           "jounce: 1\nname: o\nbodies: {b: {mass: 1}}\njoints: {x: {type: prismatic, child: b, "
           "axis: x}}\n"
           "objectives: {o: %s}\nsimulation: {start: 0.5, end: 4}\n",
           objective);
  return fixture_parse("o.yaml", text);
}

typedef struct subject {
  sketch k;
  const jmodel_objective* o;
  int n;
  jexpr_ref z[8], zd[8], integrand, value;
} subject;

// Filter states are more[0...], the integral is more[8].
static void open_subject(subject* u, const char* objective) {
  sketch_open(&u->k, with_objective(objective), false);
  u->k.s.stage = JGEN_AT_ACCELERATION;
  u->o = &u->k.f->m->objective[0];
  u->n = jgen_objective_states(u->o);
  for (int i = 0; i < 8; i++) {
    u->z[i] = jexpr_input(u->k.g, SKETCH_MORE, i);
    u->zd[i] = u->k.s.zero;
  }
  u->integrand = jgen_objective_integrand(&u->k.s, u->o, u->z, u->zd);
  u->value = jgen_objective_value(&u->k.s, u->o, jexpr_input(u->k.g, SKETCH_MORE, 8));
}

// The value of a signal that is constant for a time T from the start or the window on.
static double of_constant(subject* u, double x, double t, double T) {
  u->k.q[0] = x;
  u->k.t = t;
  u->k.more[8] = sketch_value(&u->k, u->integrand) * T;
  return sketch_value(&u->k, u->value);
}

static void test_objective_of_a_constant_is_the_constant(void** state) {
  (void)state;
  static const struct {
    const char* text;
    double power;  // |x|^power of a constant x times T^duration
    double duration;
  } row[] = {{"{integral: x}", 1.0, 1.0},
             {"{mean: x}", 1.0, 0.0},
             {"{rms: x}", 1.0, 0.0},
             {"{peak: x, power: 6}", 1.0, 0.0},
             {"{integral: x^2}", 2.0, 1.0}};
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    subject u;
    open_subject(&u, row[i].text);
    assert_int_equal(u.n, 0);
    for (double t = 1.0; t < 4.0; t += 1.3) {
      double T = t - 0.5, expected = pow(1.7, row[i].power) * pow(T, row[i].duration);
      assert_near(of_constant(&u, 1.7, t, T), expected, 1e-14 * (1.0 + expected));
    }
    // at the very start nothing has been seen: zero, not 0/0
    assert_near(of_constant(&u, 1.7, 0.5, 0.0), 0.0, 0.0);
    sketch_close(&u.k);
  }
}

static void test_objective_looks_through_its_window(void** state) {
  (void)state;
  subject u;
  open_subject(&u, "{mean: x, window: [1, 3]}");
  u.k.q[0] = 2.0;
  const double t[] = {0.7, 1.5, 2.9, 3.2}, inside[] = {0.0, 2.0, 2.0, 0.0};
  for (int i = 0; i < 4; i++) {
    u.k.t = t[i];
    assert_near(sketch_value(&u.k, u.integrand), inside[i], 0.0);
  }
  assert_near(of_constant(&u, 2.0, 2.0, 1.0), 2.0, 1e-15);
  u.k.t = 3.9;  // behind it the duration is that of the window
  u.k.more[8] = 2.0 * 2.0;
  assert_near(sketch_value(&u.k, u.value), 2.0, 1e-15);
  sketch_close(&u.k);
}

static void test_objective_at_the_end_adds_its_final_value(void** state) {
  (void)state;
  subject u;
  open_subject(&u, "{final: 3*x}");
  assert_near(of_constant(&u, 0.5, 2.0, 1.0), 1.5, 1e-15);
  assert_near(sketch_value(&u.k, u.integrand), 0.0, 0.0);
  sketch_close(&u.k);
  open_subject(&u, "{integral: x, final: 10*x}");
  assert_near(of_constant(&u, 0.5, 2.0, 3.0), 1.5 + 5.0, 1e-14);
  sketch_close(&u.k);
}

// ---- filters -------------------------------------------------------------------------------------

typedef struct pair {
  double re, im;
} pair;

// z' = A z + B u, y = C z + D u, read off the expressions; then C (i w - A)^-1 B + D by elimination.
static pair transfer(subject* u, double frequency) {
  int n = u->n;
  double A[8][8], B[8], C[8], D = 0.0, w = 2.0 * PI * frequency;
  pair M[8][9];
  memset(u->k.more, 0, sizeof u->k.more);
  for (int c = 0; c <= n; c++) {
    double zd[8], y;
    u->k.q[0] = c == n;
    for (int i = 0; i < n; i++) {
      u->k.more[i] = i == c;
    }
    sketch_eval(&u->k, u->zd, n, zd);
    y = sketch_value(&u->k, u->integrand);
    for (int i = 0; i < n; i++) {
      if (c < n) A[i][c] = zd[i];
      if (c == n) B[i] = zd[i];
    }
    if (c < n) C[c] = y;
    if (c == n) D = y;
  }
  for (int i = 0; i < n; i++) {
    for (int c = 0; c < n; c++) {
      M[i][c] = (pair){-A[i][c], i == c ? w : 0.0};
    }
    M[i][n] = (pair){B[i], 0.0};
  }
  for (int k = 0; k < n; k++) {
    double size = M[k][k].re * M[k][k].re + M[k][k].im * M[k][k].im;
    for (int i = 0; i < n; i++) {
      if (i == k) continue;
      pair f = {(M[i][k].re * M[k][k].re + M[i][k].im * M[k][k].im) / size,
                (M[i][k].im * M[k][k].re - M[i][k].re * M[k][k].im) / size};
      for (int c = k; c <= n; c++) {
        M[i][c].re -= f.re * M[k][c].re - f.im * M[k][c].im;
        M[i][c].im -= f.re * M[k][c].im + f.im * M[k][c].re;
      }
    }
  }
  pair H = {D, 0.0};
  for (int i = 0; i < n; i++) {
    double size = M[i][i].re * M[i][i].re + M[i][i].im * M[i][i].im;
    H.re += C[i] * (M[i][n].re * M[i][i].re + M[i][n].im * M[i][i].im) / size;
    H.im += C[i] * (M[i][n].im * M[i][i].re - M[i][n].re * M[i][i].im) / size;
  }
  return H;
}

// Magnitudes of ISO 2631-1 annex A, from their formulas in f alone.
static double band(double f) {
  return sqrt(1.0 / (1.0 + pow(0.4 / f, 4))) * sqrt(1.0 / (1.0 + pow(f / 100.0, 4)));
}

static double transition(double f, double f3, double f4, double Q4) {
  double x = f / f4;
  return sqrt((1.0 + pow(f / f3, 2)) / (1.0 + x * x * (1.0 / (Q4 * Q4) - 2.0) + pow(x, 4)));
}

static double upward(double f) {
  const double f5 = 2.37, f6 = 3.35, Q = 0.91;
  double a = f / f5, b = f / f6;
  double up = 1.0 + a * a * (1.0 / (Q * Q) - 2.0) + pow(a, 4);
  double down = 1.0 + b * b * (1.0 / (Q * Q) - 2.0) + pow(b, 4);
  return pow(f5 / f6, 2) * sqrt(up / down);
}

static double magnitude(subject* u, double f) {
  pair H = transfer(u, f);
  return hypot(H.re, H.im);
}

static void test_objective_filters_have_the_magnitude_of_the_standard(void** state) {
  (void)state;
  subject wk, wd, low;
  open_subject(&wk, "{mean: x, filter: Wk}");
  open_subject(&wd, "{mean: x, filter: Wd}");
  open_subject(&low, "{mean: x, filter: lowpass, frequency: 3}");
  assert_int_equal(wk.n, 8);
  assert_int_equal(wd.n, 6);
  assert_int_equal(low.n, 2);
  for (double f = 0.1; f < 200.0; f *= 1.7) {
    double vertical = band(f) * transition(f, 12.5, 12.5, 0.63) * upward(f);
    double horizontal = band(f) * transition(f, 2.0, 2.0, 0.63);
    assert_near(magnitude(&wk, f), vertical, 1e-9);
    assert_near(magnitude(&wd, f), horizontal, 1e-9);
    assert_near(magnitude(&low, f), 1.0 / sqrt(1.0 + pow(f / 3.0, 4)), 1e-12);
  }
  sketch_close(&wk.k);
  sketch_close(&wd.k);
  sketch_close(&low.k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_objective_of_a_constant_is_the_constant),
      cmocka_unit_test(test_objective_looks_through_its_window),
      cmocka_unit_test(test_objective_at_the_end_adds_its_final_value),
      cmocka_unit_test(test_objective_filters_have_the_magnitude_of_the_standard),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
