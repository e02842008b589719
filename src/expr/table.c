// SPDX-License-Identifier: Apache-2.0
// Interpolation tables as ordinary graph nodes. docs/theory/expressions.md eq. (T1)-(T9).
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

static void point_slopes(table* t) {
  int n = t->n;
  for (int i = 1; i < n - 1; i++) {
    t->slope[i] = interior_slope(t, i);
  }
  if (n == 2) {
    t->slope[0] = t->slope[1] = t->delta[0];
  } else {
    t->slope[0] = end_slope(t->g, t->h[0], t->h[1], t->delta[0], t->delta[1]);
    t->slope[n - 1] = end_slope(t->g, t->h[n - 2], t->h[n - 3], t->delta[n - 2], t->delta[n - 3]);
  }
}

static void cubic_coefficients(table* t) {
  jexpr_graph* g = t->g;
  int n = t->n;
  point_slopes(t);
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
static jexpr_ref count_points(jexpr_graph* g, const jexpr_ref* X, int n, jexpr_ref x) {
  jexpr_ref k = jexpr_const(g, 0.0);
  for (int i = 1; i < n - 1; i++) {
    k = add(g, k, jexpr_le(g, X[i], x));
  }
  return k;
}

static jexpr_ref interval_of(jexpr_graph* g, const jexpr_ref* X, int n, jexpr_ref x) {
  return n <= MAX_CORNERS ? count_points(g, X, n, x) : jexpr_locate(g, x, X, n);
}

// eq. (T2): Y_k + s (slope_k + s (c2_k + s c3_k)),  s = x - X_k
static jexpr_ref eval_cubic(const table* t, jexpr_ref x) {
  jexpr_graph* g = t->g;
  int m = t->n - 1;
  jexpr_ref k = interval_of(g, t->X, t->n, x);
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

// ---- two variables -----------------------------------------------------------------------------

// Where an argument lies among its points.
typedef struct place {
  jexpr_ref k;            // interval
  jexpr_ref h, u;         // its length; position in it, 0 ... 1 inside of the table
  jexpr_ref low, beyond;  // cubic: before the first inner point; how far outside of the table
} place;

static place find_place(jexpr_graph* g, bool limited, const jexpr_ref* X, int n, const jexpr_ref* h,
                        jexpr_ref x) {
  place p;
  jexpr_ref at = limited ? clamp(g, x, X[0], X[n - 1]) : x;
  p.k = interval_of(g, X, n, at);
  p.h = jexpr_pick(g, p.k, h, n - 1);
  p.u = jexpr_div(g, sub(g, at, jexpr_pick(g, p.k, X, n - 1)), p.h);
  p.low = jexpr_lt(g, x, X[1]);
  p.beyond = sub(g, x, at);
  return p;
}

// Weights of value and slope at both ends of an interval, eq. (T7): values 0 1, slopes 2 3
static void hermite_weights(jexpr_graph* g, const place* p, bool hold, jexpr_ref w[4]) {
  jexpr_ref one = jexpr_const(g, 1.0), u = p->u, v = sub(g, one, u);
  jexpr_ref uu = mul(g, u, u), vv = mul(g, v, v);
  w[1] = mul(g, uu, sub(g, jexpr_const(g, 3.0), times(g, 2.0, u)));
  w[0] = sub(g, one, w[1]);
  w[2] = mul(g, p->h, mul(g, u, vv));
  w[3] = jexpr_neg(g, mul(g, p->h, mul(g, uu, v)));
  if (hold) return;
  // straight beyond the ends, by the slope there
  jexpr_ref zero = jexpr_const(g, 0.0);
  w[2] = add(g, w[2], jexpr_select(g, p->low, p->beyond, zero));
  w[3] = add(g, w[3], jexpr_select(g, p->low, zero, p->beyond));
}

typedef struct surface {
  jexpr_graph* g;
  const jexpr_grid* grid;
  jexpr_ref *hx, *hy;                      // lengths of the intervals
  jexpr_ref *zx, *zy, *zxy;                // cubic: slopes at the points, as Z
  jexpr_ref *cut, *slope, *delta, *other;  // scratch, of one line of points
} surface;

// Slopes along every line of points of the surface `from`, in one direction.
static void slopes_along(surface* s, bool along_x, const jexpr_ref* from, jexpr_ref* to) {
  const jexpr_grid* k = s->grid;
  int n = along_x ? k->nx : k->ny, nline = along_x ? k->ny : k->nx;
  int step = along_x ? k->ny : 1, next = along_x ? 1 : k->ny;
  table t = {.g = s->g, .n = n, .X = along_x ? k->X : k->Y, .Y = s->cut, .delta = s->delta};
  t.h = along_x ? s->hx : s->hy;
  t.slope = s->slope;
  for (int line = 0; line < nline; line++) {
    for (int i = 0; i < n; i++) {
      s->cut[i] = from[line * next + i * step];
    }
    chords(&t);
    point_slopes(&t);
    for (int i = 0; i < n; i++) {
      to[line * next + i * step] = s->slope[i];
    }
  }
}

// eq. (T8): mixed slopes, the mean of those of zx along y and of zy along x
static void surface_slopes(surface* s) {
  jexpr_graph* g = s->g;
  slopes_along(s, true, s->grid->Z, s->zx);
  slopes_along(s, false, s->grid->Z, s->zy);
  slopes_along(s, false, s->zx, s->zxy);
  slopes_along(s, true, s->zy, s->other);
  for (int i = 0; i < s->grid->nx * s->grid->ny; i++) {
    s->zxy[i] = times(g, 0.5, add(g, s->zxy[i], s->other[i]));
  }
}

// The four corners of the cell that the arguments lie in, of values or slopes: 00 01 10 11
static void corners(surface* s, const place* px, const place* py, const jexpr_ref* from,
                    jexpr_ref c[4]) {
  jexpr_graph* g = s->g;
  int ny = s->grid->ny, n = s->grid->nx * ny;
  jexpr_ref k = add(g, mul(g, px->k, jexpr_const(g, ny)), py->k);
  for (int i = 0; i < 4; i++) {
    int offset = (i >> 1) * ny + (i & 1);
    c[i] = jexpr_pick(g, k, from + offset, n - ny - 1);
  }
}

// eq. (T6)
static jexpr_ref eval_bilinear(surface* s, const place* px, const place* py) {
  jexpr_graph* g = s->g;
  jexpr_ref z[4];
  corners(s, px, py, s->grid->Z, z);
  jexpr_ref at0 = add(g, z[0], mul(g, py->u, sub(g, z[1], z[0])));
  jexpr_ref at1 = add(g, z[2], mul(g, py->u, sub(g, z[3], z[2])));
  return add(g, at0, mul(g, px->u, sub(g, at1, at0)));
}

// eq. (T9): sum over the corners of weights along x, weights along y, and value or slope
static jexpr_ref eval_bicubic(surface* s, const place* px, const place* py, bool hold) {
  jexpr_graph* g = s->g;
  jexpr_ref wx[4], wy[4], z = jexpr_const(g, 0.0);
  const jexpr_ref* of[2][2] = {{s->grid->Z, s->zy}, {s->zx, s->zxy}};
  surface_slopes(s);
  hermite_weights(g, px, hold, wx);
  hermite_weights(g, py, hold, wy);
  for (int dx = 0; dx < 2; dx++) {
    jexpr_ref row[2] = {jexpr_const(g, 0.0), jexpr_const(g, 0.0)};
    for (int dy = 0; dy < 2; dy++) {
      jexpr_ref c[4];
      corners(s, px, py, of[dx][dy], c);
      for (int i = 0; i < 4; i++) {
        row[i >> 1] = add(g, row[i >> 1], mul(g, wy[2 * dy + (i & 1)], c[i]));
      }
    }
    z = add(g, z, add(g, mul(g, wx[2 * dx], row[0]), mul(g, wx[2 * dx + 1], row[1])));
  }
  return z;
}

static bool allocate(surface* s, jarena* scratch) {
  size_t nx = (size_t)s->grid->nx, ny = (size_t)s->grid->ny, n = nx * ny, line = nx + ny;
  jexpr_ref* store = JARENA_ARRAY(scratch, 4 * n + 4 * line, jexpr_ref);
  if (!store) return false;
  s->zx = store;
  s->zy = store + n;
  s->zxy = store + 2 * n;
  s->other = store + 3 * n;
  s->hx = store + 4 * n;
  s->hy = s->hx + nx;
  s->cut = s->hx + line;
  s->slope = s->cut + line;
  s->delta = s->slope + line;
  return true;
}

jexpr_ref jexpr_table2(jexpr_graph* g, jexpr_table_kind kind, jexpr_extrapolation rule, jexpr_ref x,
                       jexpr_ref y, const jexpr_grid* grid) {
  if (!x || !y || grid->nx < 1 || grid->ny < 1) return JEXPR_POISON;
  if (grid->nx == 1) return jexpr_table(g, kind, rule, y, grid->Y, grid->Z, grid->ny);
  if (grid->ny == 1) return jexpr_table(g, kind, rule, x, grid->X, grid->Z, grid->nx);
  jarena scratch;
  jarena_init(&scratch, g->ctx);
  surface s = {.g = g, .grid = grid};
  if (!allocate(&s, &scratch)) {
    jarena_free(&scratch);
    g->status = jerr_memory(g->ctx);
    return JEXPR_POISON;
  }
  for (int i = 0; i < grid->nx - 1; i++) {
    s.hx[i] = sub(g, grid->X[i + 1], grid->X[i]);
  }
  for (int i = 0; i < grid->ny - 1; i++) {
    s.hy[i] = sub(g, grid->Y[i + 1], grid->Y[i]);
  }
  bool is_cubic = kind == JEXPR_TABLE_CUBIC, hold = rule == JEXPR_EXTRAPOLATE_HOLD;
  place px = find_place(g, is_cubic || hold, grid->X, grid->nx, s.hx, x);
  place py = find_place(g, is_cubic || hold, grid->Y, grid->ny, s.hy, y);
  jexpr_ref z = is_cubic ? eval_bicubic(&s, &px, &py, hold) : eval_bilinear(&s, &px, &py);
  jarena_free(&scratch);
  return z;
}
