// SPDX-License-Identifier: Apache-2.0
// Grids and samples. A sample is a sequence of points in the unit cube, brought to the distributions of the parameters:
//   halton  coordinate k of point i is the radical inverse of i + 1 in the k-th prime, with a random permutation of
//           the digits that leaves 0 alone (it takes away the correlation between large primes), shifted modulo 1
//   sobol   sweep/sobol.h
//   lhs     n points, one in each of n slices of every axis, at a random place of its slice
//   random  independent numbers
#include "sweep/design.h"

#include <math.h>
#include <string.h>

#include "sweep/sobol.h"

#define MAX_POINTS 100000000
#define ROUNDS     6  // of a shuffle

typedef struct axis {
  int base;  // Halton: prime, digits as permuted, shift
  int* digit;
  double shift;
  jsweep_sobol* sobol;
  uint64_t key;  // of shuffles and random numbers
} axis;

struct jsweep_design {
  jsweep_range* range;
  jsweep_law* law;  // of a sample (nrange)
  int nrange, npoint, nsample;
  jsweep_sampling sampling;
  bool has_indices;
  axis* axis;      // nrange, or twice as many for indices: A, B
  double* factor;  // Cholesky factor of the correlations, nrange x nrange; NULL: there are none
};

const char* jsweep_sampling_name(jsweep_sampling s) {
  static const char* const name[] = {"halton", "sobol", "lhs", "random"};
  return name[s];
}

int jsweep_design_count(const jsweep_design* d) {
  return d->npoint;
}

const jsweep_law* jsweep_design_law(const jsweep_design* d, int k) {
  return &d->law[k];
}

static jo_status too_many(jo_context* ctx) {
  return jerr_set(ctx, JO_ERR_LIMIT, "more than %d points", MAX_POINTS);
}

// ---- grids ---------------------------------------------------------------------------------------

static jo_status check_grid(jo_context* ctx, jsweep_design* d) {
  int64_t n = 1;
  for (int i = 0; i < d->nrange; i++) {
    const jsweep_range* r = &d->range[i];
    jsweep_law ends = {.from = r->from, .to = r->to};
    if (r->law != JSWEEP_UNIFORM) {
      return jerr_set(
          ctx, JO_ERR_ARGUMENT,
          "parameter '%s': has a distribution, which a grid cannot follow; take a sample", r->name);
    }
    JO_TRY(jsweep_law_set(ctx, r->name, &ends));
    if (r->n < 1) {
      return jerr_set(ctx, JO_ERR_ARGUMENT, "parameter '%s': a grid needs at least one value of it",
                      r->name);
    }
    if (r->n == 1 && r->from != r->to) {
      return jerr_set(
          ctx, JO_ERR_ARGUMENT,
          "parameter '%s': one value cannot go from %.10g to %.10g; ask for two or more, or "
          "for equal ends",
          r->name, r->from, r->to);
    }
    n *= r->n;
    if (n > MAX_POINTS) return too_many(ctx);
  }
  d->npoint = (int)n;
  return JO_OK;
}

// The ends are met exactly.
static double grid_value(const jsweep_range* r, int k) {
  if (k == 0) return r->from;
  return k == r->n - 1 ? r->to : r->from + (r->to - r->from) * ((double)k / (r->n - 1));
}

static void grid_at(const jsweep_design* d, int i, double* x) {
  for (int k = d->nrange - 1; k >= 0; k--) {
    x[k] = grid_value(&d->range[k], i % d->range[k].n);
    i /= d->range[k].n;
  }
}

// ---- sequences -----------------------------------------------------------------------------------

static uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// splitmix64, S. Vigna: every seed is a good one.
static uint64_t next_random(uint64_t* state) {
  return mix(*state += 0x9e3779b97f4a7c15u);
}

static double uniform(uint64_t bits) {
  return (double)(bits >> 11) * 0x1p-53;
}

static int next_prime(int p) {
  for (;;) {
    p++;
    int d = 2;
    while (d * d <= p && p % d != 0) {
      d++;
    }
    if (d * d > p) return p;
  }
}

static void permute(int* digit, int base, uint64_t* state) {
  for (int k = 0; k < base; k++) {
    digit[k] = k;
  }
  for (int k = base - 1; k > 1; k--) {
    int other = 1 + (int)(next_random(state) % (uint64_t)k);
    int kept = digit[k];
    digit[k] = digit[other];
    digit[other] = kept;
  }
}

static double halton_at(const axis* a, int i) {
  double inverse = 0.0, place = 1.0 / a->base;
  for (int rest = i + 1; rest > 0; rest /= a->base, place /= a->base) {
    inverse += a->digit[rest % a->base] * place;
  }
  inverse += a->shift;
  return inverse - floor(inverse);
}

// A permutation of 0 ... n - 1, of which any value is found alone: rounds that each change one half of the digits by a
// function of the other half (Feistel) permute a power of four; what falls outside goes round again.
static uint32_t shuffle(uint64_t key, uint32_t n, uint32_t i) {
  int half = 1;
  while (half < 16 && ((uint64_t)1 << 2 * half) < n) {
    half++;
  }
  uint32_t mask = ((uint32_t)1 << half) - 1;
  do {
    uint32_t left = i >> half, right = i & mask;
    for (uint64_t r = 0; r < ROUNDS; r++) {
      uint32_t changed = left ^ ((uint32_t)mix(key + ((r << 32) | right)) & mask);
      left = right;
      right = changed;
    }
    i = left << half | right;
  } while (i >= n);
  return i;
}

static double latin_at(const axis* a, int n, int i) {
  double place = uniform(mix(mix(a->key) ^ (uint64_t)i));
  return (shuffle(a->key, (uint32_t)n, (uint32_t)i) + place) / n;
}

static double coordinate(const jsweep_design* d, int k, int i) {
  const axis* a = &d->axis[k];
  double u = 0.0;
  switch (d->sampling) {
    case JSWEEP_HALTON: u = halton_at(a, i); break;
    case JSWEEP_SOBOL: u = jsweep_sobol_at(a->sobol, (uint32_t)i); break;
    case JSWEEP_LATIN: u = latin_at(a, d->nsample, i); break;
    case JSWEEP_RANDOM: u = uniform(mix(a->key + (uint64_t)i * 0x9e3779b97f4a7c15u)); break;
  }
  return u;
}

static jo_status begin_axis(jo_context* ctx, jarena* arena, const jsweep_design* d, int k,
                            uint64_t* state) {
  axis* a = &d->axis[k];
  if (d->sampling == JSWEEP_HALTON) {
    a->base = next_prime(k > 0 ? d->axis[k - 1].base : 1);
    a->digit = JARENA_ARRAY(arena, a->base, int);
    if (!a->digit) return jerr_memory(ctx);
    permute(a->digit, a->base, state);
    a->shift = uniform(next_random(state));
  } else if (d->sampling == JSWEEP_SOBOL) {
    a->sobol = JARENA_ARRAY(arena, 1, jsweep_sobol);
    if (!a->sobol) return jerr_memory(ctx);
    jsweep_sobol_begin(a->sobol, k, next_random, state);
  } else {
    a->key = next_random(state);
  }
  return JO_OK;
}

static jo_status begin_sequence(jo_context* ctx, jarena* a, jsweep_design* d, uint64_t seed) {
  int n = d->has_indices ? 2 * d->nrange : d->nrange;
  if (d->sampling == JSWEEP_SOBOL && n > JSWEEP_SOBOL_AXES) {
    return jerr_set(ctx, JO_ERR_LIMIT,
                    "a Sobol sequence has %d axes here, and %d are needed; "
                    "take another sampling",
                    JSWEEP_SOBOL_AXES, n);
  }
  d->axis = JARENA_ARRAY(a, n, axis);
  if (!d->axis) return jerr_memory(ctx);
  uint64_t state = seed;
  for (int k = 0; k < n; k++) {
    JO_TRY(begin_axis(ctx, a, d, k, &state));
  }
  return JO_OK;
}

// ---- correlations --------------------------------------------------------------------------------

static int find_range(const jsweep_design* d, const char* name) {
  for (int i = 0; i < d->nrange; i++) {
    if (strcmp(d->range[i].name, name) == 0) return i;
  }
  return -1;
}

static jo_status put_correlation(jo_context* ctx, const jsweep_design* d,
                                 const jsweep_correlation* c, double* R) {
  int a = find_range(d, c->first), b = find_range(d, c->second);
  if (a < 0 || b < 0) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "correlation of '%s' and '%s': '%s' does not vary",
                    c->first, c->second, a < 0 ? c->first : c->second);
  }
  if (a == b || R[a * d->nrange + b] != 0.0) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "correlation of '%s' and '%s': %s", c->first, c->second,
                    a == b ? "with itself a parameter is always correlated" : "is given twice");
  }
  if (!(fabs(c->value) < 1.0)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT,
                    "correlation of '%s' and '%s': must lie between -1 and 1, not be %.9g",
                    c->first, c->second, c->value);
  }
  R[a * d->nrange + b] = R[b * d->nrange + a] = c->value;
  return JO_OK;
}

// Cholesky: R = L L^T, in place, lower half.
static jo_status factorise(jo_context* ctx, const jsweep_design* d, double* R) {
  int n = d->nrange;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j <= i; j++) {
      double sum = R[i * n + j];
      for (int k = 0; k < j; k++) {
        sum -= R[i * n + k] * R[j * n + k];
      }
      if (i == j && !(sum > 1e-12)) {
        return jerr_set(ctx, JO_ERR_ARGUMENT,
                        "the correlations contradict one another: their matrix is not positive "
                        "definite, seen at '%s'",
                        d->range[i].name);
      }
      R[i * n + j] = i == j ? sqrt(sum) : sum / R[j * n + j];
    }
  }
  return JO_OK;
}

static jo_status correlate(jo_context* ctx, jarena* a, jsweep_design* d,
                           const jsweep_design_options* opt) {
  if (opt->ncorrelation == 0) return JO_OK;
  if (d->has_indices) {
    return jerr_set(ctx, JO_ERR_ARGUMENT, "Sobol indices need parameters without correlations");
  }
  int n = d->nrange;
  d->factor = JARENA_ARRAY(a, n * n, double);
  if (!d->factor) return jerr_memory(ctx);
  for (int i = 0; i < opt->ncorrelation; i++) {
    JO_TRY(put_correlation(ctx, d, &opt->correlation[i], d->factor));
  }
  for (int i = 0; i < n; i++) {
    d->factor[i * n + i] = 1.0;
  }
  return factorise(ctx, d, d->factor);
}

// z = L e of independent normal e; the share that lies below z is u again. In place, the last one first, because
// row k takes those before it. (W4)
static void mix_shares(const jsweep_design* d, double* u) {
  int n = d->nrange;
  for (int k = 0; k < n; k++) {
    u[k] = jsweep_normal_inverse(u[k]);
  }
  for (int k = n - 1; k >= 0; k--) {
    double z = 0.0;
    for (int j = 0; j <= k; j++) {
      z += d->factor[k * n + j] * u[j];
    }
    u[k] = jsweep_normal(z);
  }
}

// ---- samples -------------------------------------------------------------------------------------

static jo_status check_sample(jo_context* ctx, jarena* a, jsweep_design* d,
                              const jsweep_design_options* opt) {
  if (opt->nsample < 1) return jerr_set(ctx, JO_ERR_ARGUMENT, "a sample needs at least one point");
  int each = d->has_indices ? d->nrange + 2 : 1;
  if (opt->nsample > MAX_POINTS / each) return too_many(ctx);
  d->nsample = opt->nsample;
  d->npoint = opt->nsample * each;
  d->law = JARENA_ARRAY(a, d->nrange, jsweep_law);
  if (!d->law) return jerr_memory(ctx);
  for (int i = 0; i < d->nrange; i++) {
    const jsweep_range* r = &d->range[i];
    d->law[i] = (jsweep_law){
        .kind = r->law, .from = r->from, .to = r->to, .mean = r->mean, .deviation = r->deviation};
    JO_TRY(jsweep_law_set(ctx, r->name, &d->law[i]));
  }
  JO_TRY(begin_sequence(ctx, a, d, opt->seed));
  return correlate(ctx, a, d, opt);
}

// Inside (0, 1), where every law has a value.
static double inside(double u) {
  return u < 0x1p-54 ? 0x1p-54 : u > 1.0 - 0x1p-53 ? 1.0 - 0x1p-53 : u;
}

static bool is_shaped(const jsweep_design* d, int k) {
  return d->factor || d->law[k].kind != JSWEEP_UNIFORM;
}

static void sample_at(const jsweep_design* d, int i, double* x) {
  int n = d->nrange, each = n + 2, role = d->has_indices ? i % each : JAXLE_POINT_A;
  if (d->has_indices) i /= each;
  for (int k = 0; k < n; k++) {
    bool is_b = role == JAXLE_POINT_B || role - JAXLE_POINT_AB == k;
    x[k] = coordinate(d, is_b ? n + k : k, i);
    if (is_shaped(d, k)) x[k] = inside(x[k]);
  }
  if (d->factor) mix_shares(d, x);
  for (int k = 0; k < n; k++) {
    x[k] = jsweep_law_at(&d->law[k], is_shaped(d, k) ? inside(x[k]) : x[k]);
  }
}

// ---- a design ------------------------------------------------------------------------------------

jo_status jsweep_design_create(jo_context* ctx, jarena* a, const jsweep_design_options* opt,
                               jsweep_design** out) {
  *out = NULL;
  if (opt->nrange < 1) return jerr_set(ctx, JO_ERR_ARGUMENT, "no parameter to vary");
  jsweep_design* d = JARENA_ARRAY(a, 1, jsweep_design);
  if (!d) return jerr_memory(ctx);
  d->nrange = opt->nrange;
  d->sampling = opt->sampling;
  d->has_indices = opt->has_indices;
  d->range = JARENA_ARRAY(a, opt->nrange, jsweep_range);
  if (!d->range) return jerr_memory(ctx);
  for (int i = 0; i < opt->nrange; i++) {
    d->range[i] = opt->range[i];
    d->range[i].name = jarena_strdup(a, opt->range[i].name);
    if (!d->range[i].name) return jerr_memory(ctx);
  }
  if (opt->nsample == 0 && (opt->ncorrelation > 0 || opt->has_indices)) {
    return jerr_set(ctx, JO_ERR_ARGUMENT,
                    "correlations and Sobol indices are those of a sample, and this is a grid");
  }
  JO_TRY(opt->nsample == 0 ? check_grid(ctx, d) : check_sample(ctx, a, d, opt));
  *out = d;
  return JO_OK;
}

void jsweep_design_at(const jsweep_design* d, int i, double* x) {
  if (d->nsample == 0) {
    grid_at(d, i, x);
  } else {
    sample_at(d, i, x);
  }
}
