// SPDX-License-Identifier: Apache-2.0
// Reading tables, and making them. docs/theory/road.md (R5)-(R8)
#include "road/surface.h"

#include <math.h>
#include <string.h>

#include "base/err.h"

// ---- along ---------------------------------------------------------------------------------------

// (R5) weights of the four coefficients around a place in the middle interval, f in [0, 1): of values, of slopes, and
// differentiated n times
static inline void value_weights(double f, double w[4]) {
  double g = 1.0 - f;
  w[0] = g * g * g / 6.0;
  w[1] = (4.0 - 6.0 * f * f + 3.0 * f * f * f) / 6.0;
  w[2] = (4.0 - 6.0 * g * g + 3.0 * g * g * g) / 6.0;
  w[3] = f * f * f / 6.0;
}

static inline void rise_weights(double f, double w[4]) {
  double g = 1.0 - f;
  w[0] = -0.5 * g * g;
  w[1] = f * (1.5 * f - 2.0);
  w[2] = -g * (1.5 * g - 2.0);
  w[3] = 0.5 * f * f;
}

static void spline_weights(double f, int n, double w[4]) {
  double g = 1.0 - f;
  switch (n) {
    case 0: value_weights(f, w); break;
    case 1: rise_weights(f, w); break;
    case 2:
      w[0] = g;
      w[1] = 3.0 * f - 2.0;
      w[2] = 3.0 * g - 2.0;
      w[3] = f;
      break;
    case 3:
      w[0] = -1.0;
      w[1] = 3.0;
      w[2] = -3.0;
      w[3] = 1.0;
      break;
    default: w[0] = w[1] = w[2] = w[3] = 0.0; break;
  }
}

// Where a table is read: first row, its weights, and the sign that reflection gives to odd derivatives.
typedef struct place {
  int row, n;
  double w[4];
} place;

static void scale(place* p, double factor) {
  for (int i = 0; i < p->n; i++) {
    p->w[i] *= factor;
  }
}

// s in intervals from the first point, inside of the table.
static place place_inside(const jroad_table* t, int du, double s) {
  int last = t->nu - 2, i = (int)s;
  if (i > last) i = last;
  double f = s - i;
  place p = {.row = i, .n = t->degree == 3 ? 4 : 2};
  if (t->degree == 3) {
    spline_weights(f, du, p.w);
  } else {
    p.w[0] = du == 0 ? 1.0 - f : du == 1 ? -1.0 : 0.0;
    p.w[1] = du == 0 ? f : du == 1 ? 1.0 : 0.0;
  }
  for (int k = 0; k < du; k++) {
    scale(&p, t->inverse);
  }
  return p;
}

// Beyond an end, `beyond` intervals from it (negative before the first).
static place place_beyond(const jroad_table* t, int du, double end, double beyond) {
  if (t->ends == JROAD_LINE && du <= 1) {
    place p = place_inside(t, 1, end), q = place_inside(t, 0, end);
    if (du == 1) return p;
    for (int i = 0; i < q.n; i++) {
      q.w[i] += p.w[i] * (beyond / t->inverse);
    }
    return q;
  }
  place p = place_inside(t, 0, end);
  if (t->ends == JROAD_NONE) {
    scale(&p, NAN);
  } else if (t->ends != JROAD_KEEP || du > 0) {
    scale(&p, 0.0);
  }
  return p;
}

static place place_along(const jroad_table* t, int du, double u) {
  double s = (u - t->u0) * t->inverse, last = t->nu - 1;
  if (!isfinite(s)) {
    place p = place_inside(t, 0, 0.0);
    scale(&p, NAN);
    return p;
  }
  if (s >= 0.0 && s <= last) return place_inside(t, du, s);
  if (t->ends != JROAD_REPEAT && t->ends != JROAD_REFLECT) {
    double end = s < 0.0 ? 0.0 : last;
    return place_beyond(t, du, end, s - end);
  }
  double turn = floor(s / last);
  s = fmin(fmax(s - turn * last, 0.0), last);
  bool back = t->ends == JROAD_REFLECT && fmod(turn, 2.0) != 0.0;
  place p = place_inside(t, du, back ? last - s : s);
  if (back && du % 2 == 1) scale(&p, -1.0);
  return p;
}

static double value_along(const jroad_table* t, const place* p, int column) {
  const double* c = t->c + (size_t)p->row * (size_t)t->nv + column;
  double sum = 0.0;
  for (int i = 0; i < p->n; i++, c += t->nv) {
    sum += p->w[i] * *c;
  }
  return sum;
}

// ---- across --------------------------------------------------------------------------------------

// Polynomial sum_k c_k t^k, n times differentiated.
static double polynomial(const double* c, int degree, int n, double t) {
  double sum = 0.0;
  for (int k = degree; k >= n; k--) {
    double factor = c[k];
    for (int i = 0; i < n; i++) {
      factor *= k - i;
    }
    sum = sum * t + factor;
  }
  return sum;
}

static double power(double x, int n) {
  double p = 1.0;
  for (int i = 0; i < n; i++) {
    p *= x;
  }
  return p;
}

// (R6) 10 t^3 - 15 t^4 + 6 t^5 over an interval of length h, n times differentiated
static double blend(int n, double t, double h) {
  static const double quintic[6] = {0.0, 0.0, 0.0, 10.0, -15.0, 6.0};
  if (n == 0) return ((6.0 * t - 15.0) * t + 10.0) * t * t * t;
  if (n == 1) return ((30.0 * t - 60.0) * t + 30.0) * t * t / h;
  return n > 5 ? 0.0 : polynomial(quintic, 5, n, t) / power(h, n);
}

// Weights of columns first ... first + n - 1.
typedef struct columns {
  int first, n;
  double w[4];
} columns;

// (R7) slope at column j by the parabola through it and its neighbours, as weights of j-1, j, j+1; at the sides that to
// the only neighbour
static void slope_weights(const jroad_table* t, int j, double w[3]) {
  w[0] = w[1] = w[2] = 0.0;
  if (j == 0 || j == t->nv - 1) {
    double h = j == 0 ? t->v[1] - t->v[0] : t->v[j] - t->v[j - 1];
    w[j == 0 ? 1 : 0] = -1.0 / h;
    w[j == 0 ? 2 : 1] = 1.0 / h;
    return;
  }
  double a = t->v[j] - t->v[j - 1], b = t->v[j + 1] - t->v[j];
  w[0] = -b / (a * (a + b));
  w[1] = (b - a) / (a * b);
  w[2] = a / (b * (a + b));
}

static columns smooth(const jroad_table* t, int j, int dv, double f, double h) {
  static const double H[4][4] = {
      {1.0, 0.0, -3.0, 2.0}, {0.0, 1.0, -2.0, 1.0}, {0.0, 0.0, 3.0, -2.0}, {0.0, 0.0, -1.0, 1.0}};
  double base[4], m0[3], m1[3];
  for (int k = 0; k < 4; k++) {
    base[k] = polynomial(H[k], 3, dv, f) / power(h, dv);
  }
  slope_weights(t, j, m0);
  slope_weights(t, j + 1, m1);
  double w[4] = {0.0, base[0], base[2], 0.0};
  for (int k = 0; k < 3; k++) {
    w[k] += h * base[1] * m0[k];
    w[k + 1] += h * base[3] * m1[k];
  }
  columns c = {.first = j > 0 ? j - 1 : 0};
  for (int k = 0; k < 4; k++) {
    int column = j - 1 + k;
    if (column >= 0 && column < t->nv) c.w[c.n++] = w[k];
  }
  return c;
}

static int find_column(const jroad_table* t, double v) {
  int low = 0, high = t->nv - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (t->v[middle] <= v) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

static columns columns_at(const jroad_table* t, int dv, double v) {
  columns c = {.n = 1, .w = {dv == 0 ? 1.0 : 0.0}};
  if (t->nv == 1) return c;
  if (!isfinite(v)) {
    c.w[0] = NAN;
    return c;
  }
  if (v < t->v[0] || v > t->v[t->nv - 1]) {
    c.first = v < t->v[0] ? 0 : t->nv - 1;
    if (t->sides == JROAD_ZERO) c.w[0] = 0.0;
    if (t->sides == JROAD_NONE) c.w[0] = NAN;
    return c;
  }
  int j = find_column(t, v);
  double h = t->v[j + 1] - t->v[j], f = (v - t->v[j]) / h;
  if (t->across == JROAD_SMOOTH && t->nv > 2) return smooth(t, j, dv, f, h);
  c.first = j;
  c.n = 2;
  if (t->across == JROAD_STRAIGHT) {
    c.w[1] = dv == 0 ? f : dv == 1 ? 1.0 / h : 0.0;
  } else {
    c.w[1] = blend(dv, f, h);
  }
  c.w[0] = (dv == 0 ? 1.0 : 0.0) - c.w[1];
  return c;
}

static inline double spline_value(const double* c, int nv, const double w[4]) {
  double sum = 0.0 + w[0] * c[0];
  sum += w[1] * c[nv];
  sum += w[2] * c[2 * nv];
  return sum + w[3] * c[3 * nv];
}

// What runs ask for: values and slopes of random roads and of lines, inside of the table, s intervals from its first point.
static double read_plain(const jroad_table* t, int du, int dv, double s, double v) {
  int nv = t->nv, i = (int)s;
  if (i > t->nu - 2) i = t->nu - 2;
  double w[4];
  if (du == 0) {
    value_weights(s - i, w);
  } else {
    rise_weights(s - i, w);
    for (int k = 0; k < 4; k++) {
      w[k] *= t->inverse;
    }
  }
  const double* c = t->c + (size_t)i * (size_t)nv;
  if (nv == 1) return dv == 0 ? 0.0 + spline_value(c, 1, w) : 0.0;
  int j = nv == 2 ? 0 : find_column(t, v);
  double h = t->v[j + 1] - t->v[j], right = blend(dv, (v - t->v[j]) / h, h);
  double left = (dv == 0 ? 1.0 : 0.0) - right, sum = 0.0;
  if (left != 0.0) sum += left * spline_value(c + j, nv, w);
  if (right != 0.0) sum += right * spline_value(c + j + 1, nv, w);
  return sum;
}

static bool is_plain(const jroad_table* t, int du, double s, double v) {
  bool is_inside = s >= 0.0 && s <= t->nu - 1;
  bool between = t->nv == 1 || (t->across == JROAD_BLEND && v >= t->v[0] && v <= t->v[t->nv - 1]);
  return t->degree == 3 && du <= 1 && is_inside && between;
}

double jroad_table_at(const jroad_table* t, int du, int dv, double u, double v) {
  double s = (u - t->u0) * t->inverse;
  if (is_plain(t, du, s, v)) return read_plain(t, du, dv, s, v);
  place p = place_along(t, du, u);
  columns c = columns_at(t, dv, v);
  double sum = 0.0;
  for (int i = 0; i < c.n; i++) {
    if (c.w[i] != 0.0) sum += c.w[i] * value_along(t, &p, c.first + i);
  }
  return sum;
}

static double limit_of(const jroad_table* t, int which) {
  double first = which < 2 ? t->u0 : t->v[0];
  double last = which < 2 ? t->u0 + (t->nu - 1) / t->inverse : t->v[t->nv - 1];
  return which % 2 == 0 ? first : last;
}

static double at(const jdata* d, int which, int du, int dv, double u, double v) {
  const jroad_surface* s = (const jroad_surface*)(const void*)d;
  if (du == JDATA_LIMIT) return limit_of(&s->table[which], dv);
  return du == JDATA_FOOT ? jroad_foot(s, which, u, v)
                          : jroad_table_at(&s->table[which], du, dv, u, v);
}

// ---- making --------------------------------------------------------------------------------------

int jroad_random_points(const jroad_random* r) {
  return (int)ceil(r->length / JROAD_RANDOM_SPACING) + 1;
}

static int points(const jroad_source* s) {
  return s->is_random ? jroad_random_points(&s->random) : s->nu;
}

double jroad_size(const jroad_source* s) {
  double rows = s->is_random ? s->random.length / JROAD_RANDOM_SPACING : s->nu;
  return (rows + 2.0) * s->nv;
}

// (R8) coefficients of the spline through the values of a column: c_{i-1} + 4 c_i + c_{i+1} = 6 z_i. At an end without
// slope c_{-1} = c_1; at one without third derivative c_{-1} = 3 c_0 - 3 c_1 + c_2, which makes its row
// 6 c_0 - 6 c_1 = 6 z_0 - 6 z_1. Gauss' elimination of a matrix with three diagonals.
static void fit_spline(const jroad_source* s, int column, double* c, double* upper) {
  int n = s->nu;
  size_t nv = (size_t)s->nv;
  const double* z = s->value + column;
  double *first = c + column, end = s->is_level ? 2.0 : -6.0;
  for (int i = 0; i < n; i++) {
    bool is_end = i == 0 || i == n - 1;
    size_t inner = (size_t)(i == 0 ? 1 : i - 1);
    double low = i == 0 ? 0.0 : is_end ? end : 1.0, high = i == n - 1 ? 0.0 : is_end ? end : 1.0;
    double middle = is_end && !s->is_level ? 6.0 : 4.0, right = 6.0 * z[(size_t)i * nv];
    if (is_end && !s->is_level) right -= 6.0 * z[inner * nv];
    double* at_i = first + (size_t)(i + 1) * nv;
    double before = i > 0 ? *(at_i - nv) : 0.0, over = i > 0 ? upper[i - 1] : 0.0;
    double pivot = middle - low * over;
    upper[i] = high / pivot;
    *at_i = (right - low * before) / pivot;
  }
  for (int i = n - 2; i >= 0; i--) {
    double* at_i = first + (size_t)(i + 1) * nv;
    *at_i -= upper[i] * *(at_i + nv);
  }
  const double *a = first + nv, *b = first + (size_t)n * nv;
  first[0] = s->is_level ? a[nv] : 3.0 * (a[0] - a[nv]) + a[2 * nv];
  first[(size_t)(n + 1) * nv] = s->is_level ? *(b - nv) : 3.0 * (b[0] - *(b - nv)) + *(b - 2 * nv);
}

static jo_status fill_table(jo_context* ctx, jarena* a, const jroad_source* s, jroad_table* t) {
  int rows = t->nu + (t->degree == 3 ? 2 : 0);
  double* c = JARENA_ARRAY(a, (size_t)rows * (size_t)t->nv, double);
  if (!c) return jerr_memory(ctx);
  t->c = c;
  if (!s->is_random && t->degree == 1) {
    memcpy(c, s->value, (size_t)rows * (size_t)t->nv * sizeof *c);
    return JO_OK;
  }
  int need = s->is_random ? jroad_random_scratch(t->nu) : t->nu;
  double* scratch = jmem_resize(ctx, NULL, (size_t)need * sizeof *scratch);
  if (!scratch) return jerr_memory(ctx);
  if (s->is_random) {
    jroad_random_fill(&s->random, t->nu, t->nv, c, scratch);
  } else {
    for (int j = 0; j < t->nv; j++) {
      fit_spline(s, j, c, scratch);
    }
  }
  jmem_free(ctx, scratch);
  return JO_OK;
}

static jo_status make_table(jo_context* ctx, jarena* a, const jroad_source* s, jroad_table* t) {
  *t = (jroad_table){.degree = s->degree,
                     .nu = points(s),
                     .nv = s->nv,
                     .ends = s->ends,
                     .sides = s->sides,
                     .across = s->across,
                     .u0 = s->u0,
                     .inverse = 1.0 / s->du};
  double* v = JARENA_ARRAY(a, s->nv, double);
  if (!v) return jerr_memory(ctx);
  memcpy(v, s->v, (size_t)s->nv * sizeof *v);
  t->v = v;
  return fill_table(ctx, a, s, t);
}

jo_status jroad_build(jo_context* ctx, jarena* a, const jroad_source* source, int n,
                      jroad_surface** out) {
  jroad_surface* s = JARENA_NEW(a, jroad_surface);
  jroad_table* table = JARENA_ARRAY(a, n, jroad_table);
  jroad_near* near = JARENA_ARRAY(a, n, jroad_near);
  if (!s || !table || !near) return jerr_memory(ctx);
  for (int i = 0; i < n; i++) {
    JO_TRY(make_table(ctx, a, &source[i], &table[i]));
    if (source[i].is_line) JO_TRY(jroad_near_build(ctx, a, &source[i], &source[i + 1], &near[i]));
  }
  *s = (jroad_surface){{at}, n, table, near};
  *out = s;
  return JO_OK;
}
