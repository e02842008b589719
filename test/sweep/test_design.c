// SPDX-License-Identifier: Apache-2.0
// Designs: grids, how evenly samples fill a box, distributions and correlations, points for Sobol indices.
#include "sweep/design.h"

#include <stdlib.h>

#include "support/fixture.h"
#include "sweep/sobol.h"

// All points of a design, in the arena.
static double* points(fixture* f, const jsweep_design_options* opt, int* n) {
  jsweep_design* d;
  assert_ok(f->ctx, jsweep_design_create(f->ctx, &f->a, opt, &d));
  *n = jsweep_design_count(d);
  double* x = jarena_array(&f->a, (size_t)*n, (size_t)opt->nrange * sizeof *x);
  for (int i = 0; i < *n; i++) {
    jsweep_design_at(d, i, x + (size_t)i * (size_t)opt->nrange);
  }
  return x;
}

static void test_design_grid_order(void** state) {
  fixture* f = *state;
  const jsweep_range range[] = {{.name = "a", .from = 1, .to = 2, .n = 2},
                                {.name = "b", .from = 0, .to = 0.3, .n = 4},
                                {.name = "c", .from = 7, .to = 7, .n = 1}};
  int n;
  double* x = points(f, &(jsweep_design_options){.range = range, .nrange = 3}, &n);
  assert_int_equal(n, 8);
  for (int i = 0; i < n; i++) {
    assert_true(x[3 * i] == 1 + i / 4);
    assert_near(x[3 * i + 1], 0.1 * (i % 4), 1e-16);
    assert_true(x[3 * i + 2] == 7);
  }
  // the ends are met exactly
  assert_true(x[1] == 0 && x[3 * 3 + 1] == 0.3);
}

#define AXES 40

static jsweep_range box[AXES];

static jsweep_design_options sampled(jsweep_sampling sampling, int nrange, int n, uint64_t seed) {
  for (int i = 0; i < AXES; i++) {
    box[i] = (jsweep_range){.name = "p", .from = -1, .to = 3};
  }
  return (jsweep_design_options){
      .range = box, .nrange = nrange, .nsample = n, .sampling = sampling, .seed = seed};
}

static double* sample(fixture* f, jsweep_sampling sampling, int nrange, int n, uint64_t seed) {
  jsweep_design_options o = sampled(sampling, nrange, n, seed);
  return points(f, &o, &n);
}

static void test_design_sample_is_determined_by_its_seed(void** state) {
  fixture* f = *state;
  for (int k = JSWEEP_HALTON; k <= JSWEEP_RANDOM; k++) {
    jsweep_sampling s = (jsweep_sampling)k;
    double *a = sample(f, s, 5, 200, 42), *b = sample(f, s, 5, 200, 42);
    assert_memory_equal(a, b, 1000 * sizeof *a);
    assert_memory_not_equal(a, sample(f, s, 5, 200, 43), 1000 * sizeof *a);
    // more points contain the fewer
    if (s != JSWEEP_LATIN) assert_memory_equal(a, sample(f, s, 5, 300, 42), 1000 * sizeof *a);
  }
}

// How many points lie in the fullest of n slices of an axis.
static int fullest(const double* x, int nrange, int axis, int npoint, int n) {
  int* held = calloc((size_t)n, sizeof *held);
  int most = 0;
  for (int i = 0; i < npoint; i++) {
    double u = (x[i * nrange + axis] + 1) / 4;
    assert_true(u >= 0 && u < 1);
    int k = ++held[(int)(u * n)];
    if (k > most) most = k;
  }
  free(held);
  return most;
}

// Of n = b^m points of a Halton sequence each of n equal slices of coordinate k (b its prime) holds
// one; the shift moves points of one slice into at most two, so that a slice holds 0, 1 or 2.
static void test_design_halton_fills_the_box(void** state) {
  fixture* f = *state;
  static const int prime[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
  enum { D = 10 };
  for (uint64_t seed = 0; seed < 5; seed++) {
    for (int k = 0; k < D; k++) {
      int n = prime[k];
      while (n * prime[k] < 900) {
        n *= prime[k];
      }
      assert_true(fullest(sample(f, JSWEEP_HALTON, D, n, seed), D, k, n, n) <= 2);
    }
  }
}

static void test_design_sobol_and_latin_have_one_point_in_every_slice(void** state) {
  fixture* f = *state;
  for (uint64_t seed = 0; seed < 3; seed++) {
    const double* x = sample(f, JSWEEP_SOBOL, AXES, 512, seed);
    const double* y = sample(f, JSWEEP_LATIN, AXES, 777, seed);
    for (int k = 0; k < AXES; k++) {
      assert_int_equal(fullest(x, AXES, k, 512, 512), 1);
      assert_int_equal(fullest(y, AXES, k, 777, 777), 1);
    }
  }
}

static uint64_t no_random(uint64_t* state) {
  (void)state;
  return 0;
}

// Without scrambling the first points are those of the paper; every axis of the table is a sequence of its own with
// one of 2^m points in every slice of 2^-m.
static void test_design_sobol_axes(void** state) {
  (void)state;
  static jsweep_sobol axis[JSWEEP_SOBOL_AXES];
  for (int k = 0; k < JSWEEP_SOBOL_AXES; k++) {
    jsweep_sobol_begin(&axis[k], k, no_random, NULL);
    uint8_t held[1024] = {0};
    for (uint32_t i = 0; i < 1024; i++) {
      held[(int)(1024 * jsweep_sobol_at(&axis[k], i))]++;
    }
    for (int i = 0; i < 1024; i++) {
      assert_int_equal(held[i], 1);
    }
    for (int j = 0; j < k; j++) {
      assert_memory_not_equal(&axis[j], &axis[k], sizeof *axis);
    }
  }
  static const double first[3][4] = {
      {0, 0.5, 0.25, 0.75}, {0, 0.5, 0.75, 0.25}, {0, 0.5, 0.75, 0.25}};
  for (int k = 0; k < 3; k++) {
    for (uint32_t i = 0; i < 4; i++) {
      assert_near(jsweep_sobol_at(&axis[k], i), first[k][i], 1e-9);
    }
  }
  assert_near(jsweep_sobol_at(&axis[2], 4), 0.375, 1e-9);
}

// The first two axes are a (0, m, 2) net: every box of area 2^-m holds one point, scrambled as well.
static void test_design_sobol_pairs(void** state) {
  fixture* f = *state;
  const double* x = sample(f, JSWEEP_SOBOL, 2, 256, 9);
  for (int m = 0; m <= 8; m++) {
    uint8_t held[256] = {0};
    for (int i = 0; i < 256; i++) {
      int a = (int)((x[2 * i] + 1) / 4 * (1 << m)), b = (int)((x[2 * i + 1] + 1) / 4 * (256 >> m));
      held[a * (256 >> m) + b]++;
    }
    for (int i = 0; i < 256; i++) {
      assert_int_equal(held[i], 1);
    }
  }
}

// Large primes run side by side in a plain Halton sequence; permuted digits must not. 4 / sqrt(N) are four sigmas of
// pure chance; 16/12 is the variance of a side of length 4.
static void test_design_coordinates_are_uncorrelated(void** state) {
  fixture* f = *state;
  enum { D = 12, N = 600 };
  for (int k = JSWEEP_HALTON; k <= JSWEEP_RANDOM; k++) {
    const double* x = sample(f, (jsweep_sampling)k, D, N, 1);
    for (int a = 0; a < D; a++) {
      for (int b = 0; b < a; b++) {
        double sum = 0;
        for (int i = 0; i < N; i++) {
          sum += (x[i * D + a] - 1) * (x[i * D + b] - 1);
        }
        assert_near(sum / N / (16.0 / 12.0), 0, 4 / sqrt(N));
      }
    }
  }
}

// Errors of the mean of a product in eight axes, 4096 points: chance alone gives 0.015.
static void test_design_even_samples_integrate_better(void** state) {
  fixture* f = *state;
  enum { D = 8, N = 4096 };
  static const double allowed[] = {4e-3, 2e-4, 0.02, 0.05};
  for (int k = JSWEEP_HALTON; k <= JSWEEP_RANDOM; k++) {
    const double* x = sample(f, (jsweep_sampling)k, D, N, 3);
    double sum = 0;
    for (int i = 0; i < N; i++) {
      double product = 1;
      for (int j = 0; j < D; j++) {
        product *= 1 + ((x[i * D + j] + 1) / 4 - 0.5);
      }
      sum += product / N;
    }
    assert_near(sum, 1, allowed[k]);
  }
}

// ---- distributions -------------------------------------------------------------------------------

static const jsweep_range laws[] = {
    {"a", -INFINITY, INFINITY, 0, JSWEEP_NORMAL, 10, 2},
    {"b", -INFINITY, INFINITY, 0, JSWEEP_NORMAL, -5, 0.5},
    {.name = "c", .from = 0, .to = 1},
    {"d", -INFINITY, INFINITY, 0, JSWEEP_LOGNORMAL, 3, 1},
};

static double correlation_of(const double* x, int d, int n, int a, int b) {
  double sa = 0, sb = 0, saa = 0, sbb = 0, sab = 0;
  for (int i = 0; i < n; i++) {
    double u = x[i * d + a], v = x[i * d + b];
    sa += u, sb += v, saa += u * u, sbb += v * v, sab += u * v;
  }
  return (sab - sa * sb / n) / sqrt((saa - sa * sa / n) * (sbb - sb * sb / n));
}

// Of normal variables it is the correlation itself, of a uniform one with a normal one sqrt(3/pi) times it.
static void test_design_correlations(void** state) {
  fixture* f = *state;
  const jsweep_correlation c[] = {{"a", "b", 0.6}, {"c", "a", -0.4}};
  jsweep_design_options o = {.range = laws,
                             .nrange = 4,
                             .nsample = 16384,
                             .sampling = JSWEEP_SOBOL,
                             .correlation = c,
                             .ncorrelation = 2};
  int n;
  const double* x = points(f, &o, &n);
  assert_near(correlation_of(x, 4, n, 0, 1), 0.6, 2e-3);
  assert_near(correlation_of(x, 4, n, 0, 2), -0.4 * sqrt(3 / acos(-1)), 2e-3);
  assert_near(correlation_of(x, 4, n, 1, 2), 0, 2e-3);
  assert_near(correlation_of(x, 4, n, 0, 3), 0, 2e-3);
  double mean[4] = {0};
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 4; k++) {
      mean[k] += x[4 * i + k] / n;
    }
  }
  static const double expected[] = {10, -5, 0.5, 3};
  for (int k = 0; k < 4; k++) {
    assert_near(mean[k], expected[k], 2e-3);
  }
}

// A, B, and A with one coordinate of B after the other.
static void test_design_of_indices(void** state) {
  fixture* f = *state;
  jsweep_design_options o = sampled(JSWEEP_SOBOL, 3, 64, 2);
  o.has_indices = true;
  int n;
  const double* x = points(f, &o, &n);
  assert_int_equal(n, 64 * 5);
  for (int i = 0; i < 64; i++) {
    const double *a = x + 15 * i, *b = a + 3;
    for (int k = 0; k < 3; k++) {
      assert_true(a[k] != b[k]);
      for (int j = 0; j < 3; j++) {
        assert_true(a[6 + 3 * k + j] == (j == k ? b[j] : a[j]));
      }
    }
  }
}

// ---- mistakes ------------------------------------------------------------------------------------

static void refuse(fixture* f, const jsweep_design_options* o, jo_status status, const char* part) {
  jsweep_design* d;
  assert_refused(f->ctx, jsweep_design_create(f->ctx, &f->a, o, &d), status, part);
  assert_null(d);
  jo_context_clear(f->ctx);
}

static void test_design_mistakes_are_named(void** state) {
  fixture* f = *state;
  const jsweep_range huge[] = {{.name = "a", .from = 0, .to = 1, .n = 100000},
                               {.name = "b", .from = 0, .to = 1, .n = 100000}};
  const jsweep_range empty[] = {{.name = "a", .from = 0, .to = 1, .n = 0}};
  const jsweep_range single[] = {{.name = "a", .from = 0, .to = 1, .n = 1}};
  refuse(f, &(jsweep_design_options){.range = huge, .nrange = 2}, JO_ERR_LIMIT, "more than");
  refuse(f, &(jsweep_design_options){.range = empty, .nrange = 1}, JO_ERR_ARGUMENT, "at least one");
  refuse(f, &(jsweep_design_options){.range = single, .nrange = 1}, JO_ERR_ARGUMENT,
         "one value cannot go from 0 to 1");
  refuse(f, &(jsweep_design_options){.range = laws, .nrange = 1}, JO_ERR_ARGUMENT, "take a sample");
  static jsweep_range many[129];
  for (int i = 0; i < 129; i++) {
    many[i] = (jsweep_range){.name = "p", .from = 0, .to = 1, .n = 0};
  }
  jsweep_design_options o = {.range = many, .nrange = 129, .nsample = 4, .sampling = JSWEEP_SOBOL};
  refuse(f, &o, JO_ERR_LIMIT, "128 axes");
  o.nsample = 100000001;
  o.nrange = 1;
  refuse(f, &o, JO_ERR_LIMIT, "more than");
  static const struct {
    jsweep_correlation c[3];
    int n;
    const char* part;
  } bad[] = {{{{"a", "e", 0.5}}, 1, "'e' does not vary"},
             {{{"a", "a", 0.5}}, 1, "with itself"},
             {{{"a", "b", 0.5}, {"b", "a", 0.5}}, 2, "is given twice"},
             {{{"a", "b", 1}}, 1, "between -1 and 1"},
             {{{"a", "b", NAN}}, 1, "between -1 and 1"},
             {{{"a", "b", 0.9}, {"b", "c", 0.9}, {"a", "c", -0.9}}, 3, "not positive definite"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    jsweep_design_options p = {.range = laws,
                               .nrange = 4,
                               .nsample = 4,
                               .correlation = bad[i].c,
                               .ncorrelation = bad[i].n};
    refuse(f, &p, JO_ERR_ARGUMENT, bad[i].part);
    p.nsample = 0;
    p.range = huge;
    p.nrange = 1;
    refuse(f, &p, JO_ERR_ARGUMENT, "this is a grid");
  }
  const jsweep_correlation c = {"a", "b", 0.5};
  jsweep_design_options p = {.range = laws,
                             .nrange = 4,
                             .nsample = 4,
                             .correlation = &c,
                             .ncorrelation = 1,
                             .has_indices = true};
  refuse(f, &p, JO_ERR_ARGUMENT, "without correlations");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(test_design_grid_order),
      fixture_test(test_design_sample_is_determined_by_its_seed),
      fixture_test(test_design_halton_fills_the_box),
      fixture_test(test_design_sobol_and_latin_have_one_point_in_every_slice),
      fixture_test(test_design_sobol_axes),
      fixture_test(test_design_sobol_pairs),
      fixture_test(test_design_coordinates_are_uncorrelated),
      fixture_test(test_design_even_samples_integrate_better),
      fixture_test(test_design_correlations),
      fixture_test(test_design_of_indices),
      fixture_test(test_design_mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
