// SPDX-License-Identifier: Apache-2.0
// Statistics of functions whose moments, quantiles and Sobol indices are known in closed form.
#include "sweep/statistics.h"

#include <stdlib.h>

#include "support/fixture.h"
#include "sweep/quantile.h"

#define PI      3.14159265358979323846
#define MAX_DIM 8

// A function with its gradient, on the points of a design.
typedef struct probe {
  void (*f)(const double* x, double* y, double* gradient);
  jsweep_design* design;
  int fail_every;
  double x[MAX_DIM], y[2], gradient[2 * MAX_DIM];
} probe;

static jo_status read(void* user, int i, const double** y, const double** gradient) {
  probe* p = user;
  if (p->fail_every > 0 && i % p->fail_every == 1) return JO_EVENT;
  jsweep_design_at(p->design, i, p->x);
  p->f(p->x, p->y, p->gradient);
  *y = p->y;
  *gradient = p->gradient;
  return JO_OK;
}

static const int columns[MAX_DIM] = {0, 1, 2, 3, 4, 5, 6, 7};

static jsweep_statistic* measure(fixture* f, probe* p, const jsweep_design_options* o, int noutput,
                                 int nw) {
  assert_ok(f->ctx, jsweep_design_create(f->ctx, &f->a, o, &p->design));
  jsweep_source s = {.design = p->design,
                     .npoint = jsweep_design_count(p->design),
                     .nrange = o->nrange,
                     .noutput = noutput,
                     .has_indices = o->has_indices,
                     .is_sample = true,
                     .is_correlated = o->ncorrelation > 0,
                     .nw = nw,
                     .column = columns,
                     .user = p,
                     .read = read};
  jsweep_statistic* r;
  assert_ok(f->ctx, jsweep_statistics_of(f->ctx, &f->a, &s, &r));
  return r;
}

// ---- Ishigami: sin x1 + 7 sin^2 x2 + 0.1 x3^4 sin x1, x uniform in (-pi, pi) --------------------------

static void ishigami(const double* x, double* y, double* g) {
  double b = 0.1 * pow(x[2], 4);
  y[0] = (1 + b) * sin(x[0]) + 7 * sin(x[1]) * sin(x[1]);
  g[0] = (1 + b) * cos(x[0]);
  g[1] = 14 * sin(x[1]) * cos(x[1]);
  g[2] = 0.4 * pow(x[2], 3) * sin(x[0]);
}

static const jsweep_range circle[] = {{.name = "a", .from = -PI, .to = PI},
                                      {.name = "b", .from = -PI, .to = PI},
                                      {.name = "c", .from = -PI, .to = PI}};

// Known in closed form, a = 7, b = 0.1.
static void test_statistics_ishigami(void** state) {
  fixture* f = *state;
  double p4 = pow(PI, 4), p8 = p4 * p4, V1 = 0.5 * pow(1 + 0.1 * p4 / 5, 2), V2 = 49.0 / 8,
         V13 = 0.01 * p8 * (1.0 / 18 - 1.0 / 50), V = V1 + V2 + V13;
  const double first[] = {V1 / V, V2 / V, 0}, total[] = {(V1 + V13) / V, V2 / V, V13 / V};
  // mean squares of the derivatives
  const double slope[] = {0.5 * (1 + 0.2 * p4 / 5 + 0.01 * p8 / 9), 49.0 / 2,
                          0.16 * pow(PI, 6) / 7 / 2};
  for (int k = JSWEEP_HALTON; k <= JSWEEP_RANDOM; k++) {
    probe p = {.f = ishigami};
    jsweep_design_options o = {.range = circle,
                               .nrange = 3,
                               .nsample = 8192,
                               .sampling = (jsweep_sampling)k,
                               .seed = 1,
                               .has_indices = true};
    const jsweep_statistic* r = measure(f, &p, &o, 1, 3);
    assert_int_equal(r->n, 2 * 8192);
    // four standard errors, as they are told
    assert_near(r->mean, 3.5, 4 * r->mean_error);
    assert_near(r->deviation, sqrt(V), 4 * r->deviation_error);
    for (int i = 0; i < 3; i++) {
      assert_near(r->first[i], first[i], 4 * r->first_error[i]);
      assert_near(r->total[i], total[i], 4 * r->total_error[i]);
      assert_near(r->slope[i], slope[i], 4 * r->slope_error[i]);
      assert_true(r->first_error[i] < 0.02 && r->total_error[i] < 0.02);
      assert_true(r->bound[i] > r->total[i]);
    }
    // even points are better than what is told, which is of independent ones
    if (k == JSWEEP_SOBOL) {
      for (int i = 0; i < 3; i++) {
        assert_near(r->first[i], first[i], r->first_error[i]);
        assert_near(r->total[i], total[i], r->total_error[i]);
      }
    }
  }
}

// ---- g-function: product of (|4 x - 2| + a) / (1 + a), x uniform in (0, 1) -----------------------------

static const double dull[] = {0, 0.5, 3, 9, 99, 99};

static void g_function(const double* x, double* y, double* g) {
  y[0] = 1;
  for (int i = 0; i < 6; i++) {
    y[0] *= (fabs(4 * x[i] - 2) + dull[i]) / (1 + dull[i]);
  }
  for (int i = 0; i < 6; i++) {
    g[i] = y[0] / (fabs(4 * x[i] - 2) + dull[i]) * (x[i] > 0.5 ? 4 : -4);
  }
}

static void test_statistics_g_function(void** state) {
  fixture* f = *state;
  jsweep_range range[6];
  double V = 1, part[6];
  for (int i = 0; i < 6; i++) {
    range[i] = (jsweep_range){.name = "p", .from = 0, .to = 1};
    part[i] = 1.0 / 3 / pow(1 + dull[i], 2);
    V *= 1 + part[i];
  }
  V -= 1;
  probe p = {.f = g_function};
  jsweep_design_options o = {
      .range = range, .nrange = 6, .nsample = 4096, .sampling = JSWEEP_SOBOL, .has_indices = true};
  const jsweep_statistic* r = measure(f, &p, &o, 1, 6);
  assert_near(r->mean, 1, 4 * r->mean_error);
  for (int i = 0; i < 6; i++) {
    assert_near(r->first[i], part[i] / V, 4 * r->first_error[i] + 1e-6);
    assert_near(r->total[i], part[i] * (1 + V) / (1 + part[i]) / V, 4 * r->total_error[i] + 1e-6);
    assert_true(r->bound[i] > r->total[i]);
  }
}

// ---- a linear function of normal and lognormal parameters --------------------------------------------

static void linear(const double* x, double* y, double* g) {
  y[0] = 3 * x[0] + 4 * x[1];
  y[1] = log(x[2]);
  static const double slope[] = {3, 4, 0, 0, 0, 0};
  memcpy(g, slope, sizeof slope);
  g[5] = 1 / x[2];
}

static void plane(const double* x, double* y, double* g) {
  y[0] = 3 * x[0] + 4 * x[1];
  g[0] = 3;
  g[1] = 4;
}

// Equality holds: of a linear function of normal parameters, and of the logarithm of a lognormal one.
static void test_statistics_of_normal_parameters(void** state) {
  fixture* f = *state;
  const jsweep_range range[] = {{.name = "a",
                                 .from = -INFINITY,
                                 .to = INFINITY,
                                 .law = JSWEEP_NORMAL,
                                 .mean = 1,
                                 .deviation = 1},
                                {.name = "b",
                                 .from = -INFINITY,
                                 .to = INFINITY,
                                 .law = JSWEEP_NORMAL,
                                 .mean = 2,
                                 .deviation = 1},
                                {.name = "c",
                                 .from = 0,
                                 .to = INFINITY,
                                 .law = JSWEEP_LOGNORMAL,
                                 .mean = 2,
                                 .deviation = 0.5}};
  probe p = {.f = linear};
  jsweep_design_options o = {
      .range = range, .nrange = 3, .nsample = 16384, .sampling = JSWEEP_SOBOL};
  const jsweep_statistic* r = measure(f, &p, &o, 2, 3);
  assert_null(r->first);
  assert_near(r[0].mean, 11, 1e-3);
  assert_near(r[0].deviation, 5, 5e-3);
  assert_near(r[0].bound[0], 0.36, 1e-3);
  assert_near(r[0].bound[1], 0.64, 1e-3);
  assert_near(r[0].bound[2], 0, 0);
  assert_near(r[1].bound[2], 1, 1e-3);
  // normal values: quantiles of a sample of 2^14 that is even
  for (int i = 0; i < JSWEEP_QUANTILES; i++) {
    assert_near(r[0].quantile[i], 11 + 5 * jsweep_normal_inverse(jsweep_quantile_share[i]), 0.05);
  }
  // correlations double what they share; there is no bound then
  const jsweep_correlation c = {"a", "b", 0.5};
  o.correlation = &c;
  o.ncorrelation = 1;
  r = measure(f, &p, &o, 2, 3);
  assert_near(r[0].deviation, sqrt(25 + 12), 5e-3 * 5);
  assert_true(isnan(r[0].bound[0]) && r[0].slope[0] == 9);
}

// Over many samples values are as far from the exact ones as their errors say. Squares of normal deviations over their
// errors have a mean of 1, and one of NSEED samples is off by sqrt(2/NSEED), a tenth; with few points errors are uncertain themselves.
static void test_statistics_errors_are_true(void** state) {
  enum { NSEED = 200 };
  fixture* f = *state;
  jsweep_range range[2] = {
      {.name = "a", .from = -INFINITY, .to = INFINITY, .law = JSWEEP_NORMAL, .deviation = 1}};
  range[1] = range[0];
  range[1].name = "b";
  double mean = 0, deviation = 0, bound = 0;
  for (int seed = 0; seed < NSEED; seed++) {
    probe p = {.f = plane};
    jsweep_design_options o = {.range = range,
                               .nrange = 2,
                               .nsample = 64,
                               .sampling = JSWEEP_RANDOM,
                               .seed = (uint64_t)seed};
    const jsweep_statistic* r = measure(f, &p, &o, 1, 2);
    mean += pow(r->mean / r->mean_error, 2) / NSEED;
    deviation += pow((r->deviation - 5) / r->deviation_error, 2) / NSEED;
    bound += pow((r->bound[0] - 0.36) / r->bound_error[0], 2) / NSEED;
    assert_near(r->slope[0], 9, 0);
    assert_near(r->slope_error[0], 0, 0);
  }
  assert_near(mean, 1, 0.3);
  assert_near(deviation, 1, 0.4);
  assert_near(bound, 1, 0.5);
}

// Of two values the deviation is |a - b|/sqrt(2): it is not known without error. Of one nothing is.
static void test_statistics_of_few_points(void** state) {
  fixture* f = *state;
  const jsweep_range range[] = {{.name = "a", .from = 0, .to = 1},
                                {.name = "b", .from = 0, .to = 1}};
  probe p = {.f = plane};
  jsweep_design_options o = {.range = range, .nrange = 2, .nsample = 2};
  const jsweep_statistic* r = measure(f, &p, &o, 1, 2);
  assert_near(r->deviation, (r->most - r->least) / sqrt(2), 1e-15);
  // (W5) with n = 2, mu4 = s^4/4
  assert_near(r->deviation_error, 0.5 * r->deviation * sqrt(1.25 / 2), 1e-15);
  o.nsample = 1;
  r = measure(f, &p, &o, 1, 2);
  assert_true(isnan(r->deviation) && isnan(r->mean_error) && isnan(r->deviation_error));
  assert_true(isnan(r->bound[0]) && isnan(r->bound_error[0]) && isfinite(r->mean));
}

static void test_statistics_failed_points_do_not_count(void** state) {
  fixture* f = *state;
  probe p = {.f = ishigami, .fail_every = 7};
  jsweep_design_options o = {.range = circle,
                             .nrange = 3,
                             .nsample = 2048,
                             .sampling = JSWEEP_RANDOM,
                             .has_indices = true};
  const jsweep_statistic* r = measure(f, &p, &o, 1, 0);
  assert_true(r->n > 3400 && r->n < 3600);
  assert_null(r->slope);
  assert_near(r->mean, 3.5, 4 * r->mean_error);
  assert_near(r->total[1], 0.442, 4 * r->total_error[1]);
  // none at all, and one
  p.fail_every = 0;
  o.nsample = 1;
  o.has_indices = false;
  r = measure(f, &p, &o, 1, 3);
  assert_true(r->mean == r->quantile[0] && isnan(r->deviation) && isnan(r->slope[0]));
}

// ---- quantiles -----------------------------------------------------------------------------------

static int compare(const void* a, const void* b) {
  double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Ranks of a summary are within what it states, whatever the order: random, rising, falling, two merged.
static void test_statistics_summary_holds_its_bound(void** state) {
  fixture* f = *state;
  enum { N = 400000 };
  double* y = malloc(N * sizeof *y);
  for (int order = 0; order < 4; order++) {
    uint64_t random = 7;
    jsweep_quantile q, half;
    jsweep_quantile_begin(&q, f->ctx);
    jsweep_quantile_begin(&half, f->ctx);
    for (int i = 0; i < N; i++) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      double chance = (double)(random >> 11) * 0x1p-53;
      y[i] = order == 1 ? i : order == 2 ? -i : chance * chance;
      assert_ok(f->ctx, jsweep_quantile_add(order == 3 && i % 3 == 0 ? &half : &q, y[i]));
    }
    if (order == 3) assert_ok(f->ctx, jsweep_quantile_merge(&q, &half));
    double found[JSWEEP_QUANTILES], error = jsweep_quantile_error(&q);
    assert_ok(f->ctx, jsweep_quantile_find(&q, jsweep_quantile_share, JSWEEP_QUANTILES, found));
    assert_true(error > 0 && error < 1e-4);
    qsort(y, N, sizeof *y, compare);
    for (int i = 0; i < JSWEEP_QUANTILES; i++) {
      double at = (double)((const double*)bsearch(&found[i], y, N, sizeof *y, compare) - y) / N;
      // the weight of the value itself comes on top
      assert_near(at, jsweep_quantile_share[i], error + 8.0 / N);
    }
    jsweep_quantile_end(&q);
    jsweep_quantile_end(&half);
  }
  free(y);
}

static void test_statistics_few_quantiles_are_exact(void** state) {
  fixture* f = *state;
  jsweep_quantile q;
  jsweep_quantile_begin(&q, f->ctx);
  for (int i = 0; i <= 1000; i++) {
    assert_ok(f->ctx, jsweep_quantile_add(&q, (double)(i * 9 % 1001)));
  }
  double found[JSWEEP_QUANTILES];
  assert_ok(f->ctx, jsweep_quantile_find(&q, jsweep_quantile_share, JSWEEP_QUANTILES, found));
  for (int i = 0; i < JSWEEP_QUANTILES; i++) {
    assert_near(found[i], 1000 * jsweep_quantile_share[i], 1e-9);
  }
  assert_true(jsweep_quantile_error(&q) == 0);
  jsweep_quantile_end(&q);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_statistics_ishigami),
      fixture_test(test_statistics_g_function),
      fixture_test(test_statistics_of_normal_parameters),
      fixture_test(test_statistics_errors_are_true),
      fixture_test(test_statistics_of_few_points),
      fixture_test(test_statistics_failed_points_do_not_count),
      fixture_test(test_statistics_summary_holds_its_bound),
      fixture_test(test_statistics_few_quantiles_are_exact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
