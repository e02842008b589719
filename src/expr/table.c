// SPDX-License-Identifier: Apache-2.0
// Interpolation tables as ordinary graph nodes. docs/theory/expressions.md eq. (T1)-(T4).
// Coefficients of constant tables fold to constants; those of parameter tables stay expressions,
// so derivatives with respect to x, X and Y come from the ordinary rules.
#include "expr/table.h"

#define MAX_CORNERS    32   // points of a linear table up to which its corners are limits
#define MONOTONE_LIMIT 3.0  // steepest end slope over the first chord that keeps monotony

static jexpr_ref add(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  return jexpr_add(g, a, b);
}
static jexpr_ref sub(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  return jexpr_sub(g, a, b);
}
static jexpr_ref mul(jexpr_graph* g, jexpr_ref a, jexpr_ref b) {
  return jexpr_mul(g, a, b);
}
static jexpr_ref times(jexpr_graph* g, double k, jexpr_ref a) {
  return jexpr_mul(g, jexpr_const(g, k), a);
}

typedef struct table {
  jexpr_graph* g;
  int n;
  const jexpr_ref *X, *Y;
  jexpr_ref* h;      // X_{i+1} - X_i                       (n-1)
  jexpr_ref* delta;  // slope of the chord                  (n-1)
  jexpr_ref* slope;  // cubic: slope at the points          (n)
  jexpr_ref* c2;     // cubic: coefficient of (x - X_i)^2   (n-1)
  jexpr_ref* c3;     // cubic: coefficient of (x - X_i)^3   (n-1)
} table;

static void chords(table* t) {
  for (int i = 0; i < t->n - 1; i++) {
    t->h[i] = sub(t->g, t->X[i + 1], t->X[i]);
    t->delta[i] = jexpr_div(t->g, sub(t->g, t->Y[i + 1], t->Y[i]), t->h[i]);
  }
}

// Interior slope, eq. (T3): weighted harmonic mean of the neighbouring chords, 0 at an extremum.
//   d = (w1 + w2) delta0 delta1 / (w1 delta1 + w2 delta0)    w1 = 2 h1 + h0,  w2 = h1 + 2 h0
static jexpr_ref interior_slope(const table* t, int i) {
  jexpr_graph* g = t->g;
  jexpr_ref h0 = t->h[i - 1], h1 = t->h[i], d0 = t->delta[i - 1], d1 = t->delta[i];
  jexpr_ref w1 = add(g, times(g, 2.0, h1), h0), w2 = add(g, h1, times(g, 2.0, h0));
  jexpr_ref product = mul(g, d0, d1);
  jexpr_ref same_sign = jexpr_lt(g, jexpr_const(g, 0.0), product);
  jexpr_ref bottom = add(g, mul(g, w1, d1), mul(g, w2, d0));
  jexpr_ref safe = jexpr_select(g, same_sign, bottom, jexpr_const(g, 1.0));
  jexpr_ref mean = jexpr_div(g, mul(g, add(g, w1, w2), product), safe);
  return jexpr_select(g, same_sign, mean, jexpr_const(g, 0.0));
}

// End slope, eq. (T4): three-point formula, limited so that the end interval stays monotone.
static jexpr_ref end_slope(jexpr_graph* g, jexpr_ref h0, jexpr_ref h1, jexpr_ref d0, jexpr_ref d1) {
  jexpr_ref zero = jexpr_const(g, 0.0);
  jexpr_ref top = sub(g, mul(g, add(g, times(g, 2.0, h0), h1), d0), mul(g, h0, d1));
  jexpr_ref d = jexpr_div(g, top, add(g, h0, h1));
  jexpr_ref limit = times(g, MONOTONE_LIMIT, d0);
  jexpr_ref turns = jexpr_lt(g, mul(g, d0, d1), zero);
  jexpr_ref steep = jexpr_lt(g, jexpr_abs(g, limit), jexpr_abs(g, d));
  jexpr_ref limited = jexpr_select(g, turns, jexpr_select(g, steep, limit, d), d);
  return jexpr_select(g, jexpr_lt(g, zero, mul(g, d, d0)), limited, zero);
}

static void cubic_coefficients(table* t) {
  jexpr_graph* g = t->g;
  int n = t->n;
  for (int i = 1; i < n - 1; i++) {
    t->slope[i] = interior_slope(t, i);
  }
  if (n == 2) {
    t->slope[0] = t->slope[1] = t->delta[0];
  } else {
    t->slope[0] = end_slope(g, t->h[0], t->h[1], t->delta[0], t->delta[1]);
    t->slope[n - 1] = end_slope(g, t->h[n - 2], t->h[n - 3], t->delta[n - 2], t->delta[n - 3]);
  }
  for (int i = 0; i < n - 1; i++) {
    jexpr_ref s0 = t->slope[i], s1 = t->slope[i + 1], d = t->delta[i];
    jexpr_ref two = sub(g, sub(g, times(g, 3.0, d), times(g, 2.0, s0)), s1);
    jexpr_ref three = sub(g, add(g, s0, s1), times(g, 2.0, d));
    t->c2[i] = jexpr_div(g, two, t->h[i]);
    t->c3[i] = jexpr_div(g, three, mul(g, t->h[i], t->h[i]));
  }
}

static jexpr_ref clamp(jexpr_graph* g, jexpr_ref x, jexpr_ref lo, jexpr_ref hi) {
  return jexpr_min(g, jexpr_max(g, x, lo), hi);
}

// The same as (T1) with the corners as limits, which models turn into switches, so that no step straddles
// one: Y_0 + delta_0 (x - X_0) + sum_i (delta_i - delta_(i-1)) max(x - X_i, 0). eq. (T5)
static jexpr_ref eval_corners(const table* t, jexpr_ref x) {
  jexpr_graph* g = t->g;
  jexpr_ref y = add(g, t->Y[0], mul(g, t->delta[0], sub(g, x, t->X[0])));
  for (int i = 1; i < t->n - 1; i++) {
    jexpr_ref corner = jexpr_max(g, sub(g, x, t->X[i]), jexpr_const(g, 0.0));
    y = add(g, y, mul(g, sub(g, t->delta[i], t->delta[i - 1]), corner));
  }
  return y;
}

// eq. (T1): Y_k + delta_k (x - X_k)
static jexpr_ref eval_linear(const table* t, jexpr_ref x) {
  jexpr_graph* g = t->g;
  if (t->n <= MAX_CORNERS) return eval_corners(t, x);
  jexpr_ref k = jexpr_locate(g, x, t->X, t->n);
  jexpr_ref s = sub(g, x, jexpr_pick(g, k, t->X, t->n - 1));
  return add(g, jexpr_pick(g, k, t->Y, t->n - 1), mul(g, jexpr_pick(g, k, t->delta, t->n - 1), s));
}

// The interval of x as the number of inner points it is not below: conditions that models turn into
// switches, since third derivatives jump there.
static jexpr_ref count_points(const table* t, jexpr_ref x) {
  jexpr_ref k = jexpr_const(t->g, 0.0);
  for (int i = 1; i < t->n - 1; i++) {
    k = add(t->g, k, jexpr_le(t->g, t->X[i], x));
  }
  return k;
}

// eq. (T2): Y_k + s (slope_k + s (c2_k + s c3_k)),  s = x - X_k
static jexpr_ref eval_cubic(const table* t, jexpr_ref x) {
  jexpr_graph* g = t->g;
  int m = t->n - 1;
  jexpr_ref k = t->n <= MAX_CORNERS ? count_points(t, x) : jexpr_locate(g, x, t->X, t->n);
  jexpr_ref s = sub(g, x, jexpr_pick(g, k, t->X, m));
  jexpr_ref y = add(g, jexpr_pick(g, k, t->c2, m), mul(g, s, jexpr_pick(g, k, t->c3, m)));
  y = add(g, jexpr_pick(g, k, t->slope, m), mul(g, s, y));
  return add(g, jexpr_pick(g, k, t->Y, m), mul(g, s, y));
}

// The straight continuation of a cubic beyond its ends, zero inside. Both parts, the cubic at
// `inside` and this one, depend on x through `inside`: at an end point their slopes add up to the
// slope there, whichever side the clamp takes.
static jexpr_ref beyond_ends(const table* t, jexpr_ref x, jexpr_ref inside) {
  jexpr_graph* g = t->g;
  jexpr_ref low = jexpr_lt(g, x, t->X[1]);
  jexpr_ref slope = jexpr_select(g, low, t->slope[0], t->slope[t->n - 1]);
  return mul(g, slope, sub(g, x, inside));
}

jexpr_ref jexpr_table(jexpr_graph* g, jexpr_table_kind kind, jexpr_extrapolation rule, jexpr_ref x,
                      const jexpr_ref* X, const jexpr_ref* Y, int n) {
  if (!x || n < 1) return JEXPR_POISON;
  if (n == 1) return Y[0];
  jarena scratch;
  jarena_init(&scratch, g->ctx);
  jexpr_ref* store = JARENA_ARRAY(&scratch, 5 * (size_t)n, jexpr_ref);
  if (!store) {
    jarena_free(&scratch);
    g->status = jerr_memory(g->ctx);
    return JEXPR_POISON;
  }
  table t = {g, n, X, Y, store, store + n, store + 2 * n, store + 3 * n, store + 4 * n};
  chords(&t);
  bool hold = rule == JEXPR_EXTRAPOLATE_HOLD;
  jexpr_ref inside = clamp(g, x, X[0], X[n - 1]);
  jexpr_ref y;
  if (kind == JEXPR_TABLE_LINEAR) {
    y = eval_linear(&t, hold ? inside : x);
  } else {
    cubic_coefficients(&t);
    y = eval_cubic(&t, inside);
    if (!hold) y = add(g, y, beyond_ends(&t, x, inside));
  }
  jarena_free(&scratch);
  return y;
}
