// SPDX-License-Identifier: Apache-2.0
// Random roads: noise of cubic splines at nine spacings, each twice the last. docs/theory/road.md (R1)-(R4)
//
// A coefficient is a function of the seed, its track, level and place alone, made of integer operations, sums and
// products: the same on every machine, and the beginning of a road does not depend on its length.
#include <math.h>
#include <string.h>

#include "road/surface.h"

#define LEVELS 9

// (R2) variances of the coefficients at spacings 0.1 m 2^j for a displacement spectral density of n^-2 [m^2 / m]
static const double variance[LEVELS] = {1.63706265,  1.55675648,   4.06037794,
                                        7.50452098,  15.50122209,  30.54339207,
                                        61.73170861, 121.61142396, 253.54361785};

// Steele, Lea and Flood's mixing of 64 bits.
static uint64_t mix(uint64_t x) {
  x += UINT64_C(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
  return x ^ (x >> 31);
}

// (R3) nearly normal, mean 0, variance 1: the sum of four even numbers of 16 bits
static double chance(uint64_t key, int64_t index) {
  uint64_t bits = mix(key ^ mix((uint64_t)index));
  int64_t sum = 0;
  for (int i = 0; i < 4; i++, bits >>= 16) {
    sum += (int64_t)(bits & 0xFFFF);
  }
  return (double)(2 * sum - 4 * 65535) * (0.5 * 1.7320508075688772 / 65535.5);
}

double jroad_chance(uint64_t seed, int i, int j) {
  uint64_t bits = mix(mix(seed ^ mix((uint64_t)(int64_t)i)) ^ (uint64_t)(int64_t)j);
  return (double)(bits >> 11) * 0x1p-53;
}

static uint64_t key_of(const jroad_random* r, int level, int stream) {
  return mix(mix(r->seed) ^ (uint64_t)(16 * level + stream));
}

// (R4) part of the amplitude of a level that is common to both tracks
static double common_part(const jroad_random* r, int level) {
  double n = 0.2 / (JROAD_RANDOM_SPACING * (double)(1 << level));
  if (r->coherence <= 0.0) return 0.0;
  double x = n / r->coherence;
  return 1.0 / (1.0 + x * x);
}

static void add_level(const jroad_random* r, int level, int track, int n, double* c) {
  double size = sqrt(variance[level] * r->roughness * 0.01);  // n0^2 = 0.01 / m^2
  uint64_t first = key_of(r, level, 0), own = key_of(r, level, 1);
  double part = common_part(r, level), rest = sqrt(1.0 - part * part);
  for (int i = 0; i < n; i++) {
    double x = chance(first, i);
    if (track > 0) x = part * x + rest * chance(own, i);
    c[i] += size * x;
  }
}

// The same curve with half the spacing: c'_2i = (c_{i-1} + 6 c_i + c_{i+1}) / 8, c'_{2i+1} = (c_i + c_{i+1}) / 2.
// Coefficients of a level begin one spacing before its origin, so that 2 (i - 1) + 1 is the one before the finer's.
static void refine(const double* from, int nfine, double* to) {
  for (int k = 0; k < nfine; k++) {
    int i = k / 2;
    to[k] = k % 2 == 0 ? 0.5 * (from[i] + from[i + 1])
                       : (from[i] + 6.0 * from[i + 1] + from[i + 2]) * 0.125;
  }
}

static int count_of(int nu, int level) {
  int n = nu + 2;
  for (int j = 0; j < level; j++) {
    n = n / 2 + 3;
  }
  return n;
}

int jroad_random_scratch(int nu) {
  return 2 * (nu + 2) + 8;
}

// Grows from nothing over the first `ramp` and dies away over the last one; two spacings are left out, so that the
// spline ends level.
static double envelope(const jroad_random* r, double u) {
  double from_end = fmin(u, r->length - u) - 2.0 * JROAD_RANDOM_SPACING;
  if (from_end <= 0.0) return 0.0;
  if (from_end >= r->ramp) return 1.0;
  double t = from_end / r->ramp;
  return t * t * t * (10.0 + t * (6.0 * t - 15.0));
}

void jroad_random_fill(const jroad_random* r, int nu, int nv, double* c, double* scratch) {
  double *now = scratch, *next = scratch + nu + 6;
  for (int track = 0; track < nv; track++) {
    int n = count_of(nu, LEVELS - 1);
    memset(now, 0, (size_t)n * sizeof *now);
    for (int level = LEVELS - 1; level >= 0; level--) {
      n = count_of(nu, level);
      if (level < LEVELS - 1) {
        refine(now, n, next);
        double* swap = now;
        now = next;
        next = swap;
      }
      add_level(r, level, track, n, now);
    }
    for (int i = 0; i < nu + 2; i++) {
      double z = now[i] * envelope(r, (i - 1) * JROAD_RANDOM_SPACING);
      c[(size_t)i * (size_t)nv + (size_t)track] = z;
    }
  }
}
