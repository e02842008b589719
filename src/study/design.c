// SPDX-License-Identifier: Apache-2.0
// Grids and samples. The sample is a generalised Halton sequence: coordinate k of point i is the
// radical inverse of i + 1 in the k-th prime, with a random permutation of the digits that leaves 0
// alone (it takes away the correlation between large primes), shifted modulo 1.
#include "study/design.h"

#include <math.h>

#define MAX_POINTS 100000000

static jo_status check_ranges(jo_context* ctx, const jstudy_range* range, int nrange) {
  if (nrange < 1) return jerr_set(ctx, JO_ERR_ARGUMENT, "no parameter to vary");
  for (int i = 0; i < nrange; i++) {
    if (!isfinite(range[i].from) || !isfinite(range[i].to) ||
        !isfinite(range[i].to - range[i].from)) {
      return jerr_set(ctx, JO_ERR_ARGUMENT, "parameter '%s': the ends of its range must be finite",
                      range[i].name);
    }
  }
  return JO_OK;
}

static jo_status too_many(jo_context* ctx) {
  return jerr_set(ctx, JO_ERR_LIMIT, "more than %d points", MAX_POINTS);
}

// The ends are met exactly.
static double grid_value(const jstudy_range* r, int k) {
  if (k == 0) return r->from;
  return k == r->n - 1 ? r->to : r->from + (r->to - r->from) * ((double)k / (r->n - 1));
}

jo_status jstudy_design_grid(jo_context* ctx, jarena* a, const jstudy_range* range, int nrange,
                             double** x, int* npoint) {
  JO_TRY(check_ranges(ctx, range, nrange));
  int64_t n = 1;
  for (int i = 0; i < nrange; i++) {
    if (range[i].n < 1) {
      return jerr_set(ctx, JO_ERR_ARGUMENT, "parameter '%s': a grid needs at least one value of it",
                      range[i].name);
    }
    n *= range[i].n;
    if (n > MAX_POINTS) return too_many(ctx);
  }
  double* at = jarena_array(a, (size_t)n, (size_t)nrange * sizeof *at);
  if (!at) return jerr_memory(ctx);
  for (int64_t p = 0; p < n; p++) {
    int64_t rest = p;
    for (int i = nrange - 1; i >= 0; i--) {
      at[p * nrange + i] = grid_value(&range[i], (int)(rest % range[i].n));
      rest /= range[i].n;
    }
  }
  *x = at;
  *npoint = (int)n;
  return JO_OK;
}

// ---- samples -------------------------------------------------------------------------------------

// splitmix64, S. Vigna: every seed is a good one.
static uint64_t next_random(uint64_t* state) {
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static double next_uniform(uint64_t* state) {
  return (double)(next_random(state) >> 11) * 0x1p-53;
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

static double radical_inverse(int i, int base, const int* digit) {
  double inverse = 0.0, place = 1.0 / base;
  for (; i > 0; i /= base, place /= base) {
    inverse += digit[i % base] * place;
  }
  return inverse;
}

jo_status jstudy_design_sample(jo_context* ctx, jarena* a, const jstudy_range* range, int nrange,
                               int npoint, uint64_t seed, double** x) {
  JO_TRY(check_ranges(ctx, range, nrange));
  if (npoint < 1) return jerr_set(ctx, JO_ERR_ARGUMENT, "a sample needs at least one point");
  if (npoint > MAX_POINTS / nrange) return too_many(ctx);
  double* at = jarena_array(a, (size_t)npoint, (size_t)nrange * sizeof *at);
  if (!at) return jerr_memory(ctx);
  uint64_t state = seed;
  int base = 1;
  for (int i = 0; i < nrange; i++) {
    base = next_prime(base);
    jarena_mark mark = jarena_save(a);
    int* digit = JARENA_ARRAY(a, base, int);
    if (!digit) return jerr_memory(ctx);
    permute(digit, base, &state);
    double shift = next_uniform(&state);
    for (int p = 0; p < npoint; p++) {
      double u = radical_inverse(p + 1, base, digit) + shift;
      at[p * nrange + i] = range[i].from + (range[i].to - range[i].from) * (u - floor(u));
    }
    jarena_restore(a, mark);
  }
  *x = at;
  return JO_OK;
}
