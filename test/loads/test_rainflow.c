// SPDX-License-Identifier: Apache-2.0
// Cycle counts: the worked example of ASTM E1049-85, an independent four-point count on random
// histories, and laws a count must obey.
#include "loads/rainflow.h"

#include "support/fixture.h"

#define NHISTORY 600
#define SAME     1e-12  // relative: sums of the same numbers in another order

static const double example[] = {-2, 1, -3, 5, -1, 3, -4, 4, -2};  // E1049-85, figure 6

static jloads_history history(const double* value, int n) {
  return (jloads_history){.value = value, .n = n, .stride = 1};
}

static jloads_rainflow count(jo_context* ctx, const double* value, int n, jloads_counting method) {
  jloads_rainflow r;
  jloads_history h = history(value, n);
  assert_ok(ctx, jloads_rainflow_count(ctx, &h, method, &r));
  return r;
}

static double count_of(const jloads_rainflow* r, double range) {
  double sum = 0.0;
  for (int i = 0; i < r->ncycle; i++) {
    if (r->cycle[i].range == range) sum += r->cycle[i].count;
  }
  return sum;
}

static jo_context* context(void** state) {
  return ((fixture*)*state)->ctx;
}

// ---- the standard --------------------------------------------------------------------------------

static void test_rainflow_of_the_standard(void** state) {
  static const double expected[11] = {[3] = 0.5, [4] = 1.5, [6] = 0.5, [8] = 1.0, [9] = 0.5};
  jloads_rainflow r = count(context(state), example, 9, JLOADS_COUNT_RAINFLOW);
  double bin[11];
  jloads_rainflow_bins(&r, 1.0, 11, bin);
  for (int i = 0; i < 11; i++) {
    assert_true(bin[i] == expected[i]);
    assert_true(count_of(&r, i) == expected[i]);
  }
  jloads_rainflow_free(&r);
}

static void test_range_pairs_of_the_standard(void** state) {
  static const double expected[11] = {[3] = 1.0, [4] = 1.0, [6] = 1.0, [8] = 1.0};
  jloads_rainflow r = count(context(state), example, 9, JLOADS_COUNT_RANGE_PAIR);
  for (int i = 0; i < 11; i++) {
    assert_true(count_of(&r, i) == expected[i]);
  }
  jloads_rainflow_free(&r);
}

static void test_cycles_name_their_turning_points(void** state) {
  jloads_rainflow r = count(context(state), example, 9, JLOADS_COUNT_RAINFLOW);
  bool found = false;
  for (int i = 0; i < r.ncycle; i++) {
    if (r.cycle[i].count < 1.0) continue;
    // the one closed cycle is E-F of the figure
    assert_int_equal(r.turning[r.cycle[i].from].sample, 4);
    assert_int_equal(r.turning[r.cycle[i].to].sample, 5);
    assert_true(r.cycle[i].mean == 1.0);
    found = true;
  }
  assert_true(found);
  jloads_rainflow_free(&r);
}

// ---- an independent count ------------------------------------------------------------------------

static uint64_t next(uint64_t* seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return *seed >> 33;
}

// Reals, or small integers so that many ranges are equal.
static void random_history(uint64_t seed, bool integers, int n, double* v) {
  for (int i = 0; i < n; i++) {
    double x = (double)next(&seed) / 2147483648.0;
    v[i] = integers ? floor(12.0 * x) : x - 0.5 + sin(0.05 * i);
  }
}

// Four-point method: of A B C D the inner range is a cycle when both outer ones are not smaller.
// What is left is counted in half cycles. Returns the number of ranges.
static int four_point(const double* v, int n, double* range, double* weight) {
  double* s = malloc((size_t)n * sizeof *s);
  int m = 0, count_out = 0;
  for (int i = 0; i < n; i++) {
    // only turning points stay
    if (m > 0 && s[m - 1] == v[i]) continue;
    if (m > 1 && (s[m - 1] - s[m - 2]) * (v[i] - s[m - 1]) > 0.0) m--;
    s[m++] = v[i];
  }
  for (int i = 3; i < m;) {
    double outer = fabs(s[i - 2] - s[i - 3]), inner = fabs(s[i - 1] - s[i - 2]);
    if (inner <= outer && inner <= fabs(s[i] - s[i - 1])) {
      range[count_out] = inner;
      weight[count_out++] = 1.0;
      memmove(s + i - 2, s + i, (size_t)(m - i) * sizeof *s);
      m -= 2;
      i = i > 5 ? i - 2 : 3;
    } else {
      i++;
    }
  }
  for (int i = 0; i + 1 < m; i++) {
    range[count_out] = fabs(s[i + 1] - s[i]);
    weight[count_out++] = 0.5;
  }
  free(s);
  return count_out;
}

static void compare_with_four_point(jo_context* ctx, uint64_t seed, bool integers) {
  double v[NHISTORY], range[NHISTORY], weight[NHISTORY];
  random_history(seed, integers, NHISTORY, v);
  jloads_rainflow r = count(ctx, v, NHISTORY, JLOADS_COUNT_RAINFLOW);
  int n = four_point(v, NHISTORY, range, weight);
  assert_true(n > 100);
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int k = 0; k < n; k++) {
      if (range[k] == range[i]) sum += weight[k];
    }
    assert_true(count_of(&r, range[i]) == sum);
  }
  double total = 0.0, expected = 0.0;
  for (int i = 0; i < r.ncycle; i++) {
    total += r.cycle[i].count;
  }
  for (int i = 0; i < n; i++) {
    expected += weight[i];
  }
  assert_true(total == expected);
  jloads_rainflow_free(&r);
}

static void test_rainflow_equals_four_point_method(void** state) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    compare_with_four_point(context(state), seed, seed % 2 == 0);
  }
}

// ---- laws ----------------------------------------------------------------------------------------

static void test_points_on_the_way_do_not_count(void** state) {
  double v[NHISTORY], w[3 * NHISTORY];
  random_history(7, false, NHISTORY, v);
  int n = 0;
  for (int i = 0; i < NHISTORY; i++) {
    w[n++] = v[i];
    if (i % 3 == 0) w[n++] = v[i];  // a plateau
    if (i + 1 < NHISTORY) w[n++] = v[i] + 0.3 * (v[i + 1] - v[i]);
  }
  for (int method = 0; method < 2; method++) {
    jloads_rainflow a = count(context(state), v, NHISTORY, (jloads_counting)method);
    jloads_rainflow b = count(context(state), w, n, (jloads_counting)method);
    assert_int_equal(a.ncycle, b.ncycle);
    for (int i = 0; i < a.ncycle; i++) {
      assert_true(a.cycle[i].range == b.cycle[i].range && a.cycle[i].count == b.cycle[i].count);
    }
    jloads_rainflow_free(&a);
    jloads_rainflow_free(&b);
  }
}

static void test_history_backwards_counts_the_same(void** state) {
  double v[NHISTORY], w[NHISTORY], a_bin[25], b_bin[25];
  random_history(11, false, NHISTORY, v);
  for (int i = 0; i < NHISTORY; i++) {
    w[i] = v[NHISTORY - 1 - i];
  }
  jloads_rainflow a = count(context(state), v, NHISTORY, JLOADS_COUNT_RAINFLOW);
  jloads_rainflow b = count(context(state), w, NHISTORY, JLOADS_COUNT_RAINFLOW);
  jloads_rainflow_bins(&a, 0.1, 25, a_bin);
  jloads_rainflow_bins(&b, 0.1, 25, b_bin);
  for (int i = 0; i < 25; i++) {
    assert_true(a_bin[i] == b_bin[i]);
  }
  double D = jloads_rainflow_damage(&a, 5.0, 1.0);
  assert_near(jloads_rainflow_damage(&b, 5.0, 1.0) / D, 1.0, SAME);
  jloads_rainflow_free(&a);
  jloads_rainflow_free(&b);
}

static void test_damage_scales_with_the_load(void** state) {
  double v[NHISTORY], w[NHISTORY];
  random_history(13, false, NHISTORY, v);
  for (int i = 0; i < NHISTORY; i++) {
    w[i] = 3.0 - 2.0 * v[i];  // upside down and shifted
  }
  jloads_rainflow a = count(context(state), v, NHISTORY, JLOADS_COUNT_RAINFLOW);
  jloads_rainflow b = count(context(state), w, NHISTORY, JLOADS_COUNT_RAINFLOW);
  for (double k = 1.0; k < 8.0; k += 1.5) {
    double D = jloads_rainflow_damage(&a, k, 1.0), E = jloads_rainflow_damage(&b, k, 1.0);
    assert_near(E / (pow(2.0, k) * D), 1.0, 1e2 * SAME);
    assert_near(jloads_rainflow_damage(&b, k, 2.0) / D, 1.0, 1e2 * SAME);
  }
  jloads_rainflow_free(&a);
  jloads_rainflow_free(&b);
}

static void test_gate_leaves_small_turns_out(void** state) {
  static const double v[] = {0.0, 5.0, 4.9, 5.1, -4.0, -3.9, -4.1, 2.0};
  jloads_history h = {.value = v, .n = 8, .stride = 1, .gate = 0.5};
  jloads_rainflow r;
  assert_ok(context(state), jloads_rainflow_count(context(state), &h, JLOADS_COUNT_RAINFLOW, &r));
  static const int kept[] = {0, 3, 6, 7};
  assert_int_equal(r.nturning, 4);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(r.turning[i].sample, kept[i]);
  }
  jloads_rainflow_free(&r);
}

static void test_nothing_turns_in_constants(void** state) {
  static const double v[] = {2.0, 2.0, 2.0};
  for (int n = 0; n <= 3; n++) {
    jloads_rainflow r = count(context(state), v, n, JLOADS_COUNT_RAINFLOW);
    assert_int_equal(r.ncycle, 0);
    assert_true(jloads_rainflow_damage(&r, 5.0, 1.0) == 0.0);
    jloads_rainflow_free(&r);
  }
}

static void test_not_finite_is_an_error(void** state) {
  const double v[] = {1.0, NAN, 2.0};
  jloads_rainflow r;
  jloads_history h = history(v, 3);
  assert_int_equal(jloads_rainflow_count(context(state), &h, JLOADS_COUNT_RAINFLOW, &r),
                   JO_ERR_NUMERIC);
  assert_null(r.turning);
}

// ---- between samples, and derivatives --------------------------------------------------------------

static void test_parabola_finds_the_peak_of_a_sine(void** state) {
  double t[80], v[80];
  for (int i = 0; i < 80; i++) {
    t[i] = 0.1 * i + (i % 2 ? 0.02 : 0.0);  // uneven
    v[i] = -3.0 * sin(t[i]);
  }
  jloads_history h = {.value = v, .n = 80, .stride = 1, .t = t, .t_stride = 1};
  jloads_turning p = jloads_history_peak(&h);
  // third derivative 3, spacing 0.12: the parabola is off by 3/6 * 0.12^3 at most
  assert_near(fabs(p.value), 3.0, 3.0 / 6.0 * pow(0.12, 3.0));
  double sum = 0.0;
  for (int k = 0; k < p.nweight; k++) {
    sum += p.weight[k] * v[p.first + k];
  }
  assert_near(sum, p.value, 1e-14);
  jloads_rainflow r;
  assert_ok(context(state), jloads_rainflow_count(context(state), &h, JLOADS_COUNT_RAINFLOW, &r));
  assert_int_equal(r.nturning, 5);
  for (int i = 1; i < 4; i++) {
    assert_near(fabs(r.turning[i].value), 3.0, 3.0 / 6.0 * pow(0.12, 3.0));
  }
  jloads_rainflow_free(&r);
}

// Up by exp, down by a line: the peak is where they meet, between samples.
static double cornered(double t, double shift) {
  return fmin(exp(t - 1.0 - shift), 1.0 - 2.0 * (t - 1.0) + 3.0 * shift);
}

static void test_corner_is_found_with_its_derivative(void** state) {
  double t[40], v[40], dv[40];
  (void)state;
  for (int k = 1; k < 9; k++) {
    double at = 0.005 * k;  // of the corner, anywhere between samples
    for (int i = 0; i < 40; i++) {
      t[i] = 0.05 * i + at;
      v[i] = cornered(t[i], 0.0);
      dv[i] = (cornered(t[i], 1e-7) - cornered(t[i], -1e-7)) / 2e-7;
    }
    jloads_history h = {.value = v, .n = 40, .stride = 1, .t = t, .t_stride = 1};
    jloads_turning p = jloads_history_peak(&h);
    // slopes 1 and -2, pulled by -1 and 3: the corner moves by (1 * 3 - (-2) * (-1)) / (1 + 2)
    double moved = 0.0;
    for (int i = 0; i < p.nweight; i++) {
      moved += p.weight[i] * dv[p.first + i];
    }
    assert_near(p.t, 1.0, 1e-4);  // a parabola for exp over 0.15: third order
    assert_near(p.value, 1.0, 1e-4);
    assert_near(moved, 1.0 / 3.0, 5e-3);  // slopes of a parabola: second order
  }
}

static double damage_of(jo_context* ctx, const double* t, const double* v, int n, double k) {
  jloads_rainflow r;
  jloads_history h = {.value = v, .n = n, .stride = 1, .t = t, .t_stride = 1};
  assert_ok(ctx, jloads_rainflow_count(ctx, &h, JLOADS_COUNT_RAINFLOW, &r));
  double D = jloads_rainflow_damage(&r, k, 1.5);
  jloads_rainflow_free(&r);
  return D;
}

static void test_gradient_equals_central_differences(void** state) {
  enum { N = 120 };
  double t[N], v[N], g[N] = {0};
  random_history(17, false, N, v);
  for (int i = 0; i < N; i++) {
    t[i] = 0.1 * i;
  }
  jloads_rainflow r;
  jloads_history h = {.value = v, .n = N, .stride = 1, .t = t, .t_stride = 1};
  assert_ok(context(state), jloads_rainflow_count(context(state), &h, JLOADS_COUNT_RAINFLOW, &r));
  jloads_rainflow_gradient(&r, 5.0, 1.5, N, g);
  jloads_rainflow_free(&r);
  const double d = 1e-6;  // differences of the second order leave about 1e-9
  for (int i = 0; i < N; i++) {
    double keep = v[i];
    v[i] = keep + d;
    double up = damage_of(context(state), t, v, N, 5.0);
    v[i] = keep - d;
    double down = damage_of(context(state), t, v, N, 5.0);
    v[i] = keep;
    assert_near(g[i], (up - down) / (2.0 * d), 1e-6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_rainflow_of_the_standard),
      fixture_test(test_range_pairs_of_the_standard),
      fixture_test(test_cycles_name_their_turning_points),
      fixture_test(test_rainflow_equals_four_point_method),
      fixture_test(test_points_on_the_way_do_not_count),
      fixture_test(test_history_backwards_counts_the_same),
      fixture_test(test_damage_scales_with_the_load),
      fixture_test(test_gate_leaves_small_turns_out),
      fixture_test(test_nothing_turns_in_constants),
      fixture_test(test_not_finite_is_an_error),
      fixture_test(test_parabola_finds_the_peak_of_a_sine),
      fixture_test(test_corner_is_found_with_its_derivative),
      fixture_test(test_gradient_equals_central_differences),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
