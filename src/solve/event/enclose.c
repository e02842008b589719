// SPDX-License-Identifier: Apache-2.0
#include "solve/event/enclose.h"

#include <float.h>
#include <math.h>

#include "base/elementary.h"

#define PI      3.14159265358979323846
#define HALF_PI 1.57079632679489661923
#define ULPS    2e-15   // elementary functions are off by less, relative to their value, ...
#define TINY    1e-300  // ... and absolute, near zero
#define TURNS   1e-15   // reductions of an angle by turns are off by less, relative to the angle

typedef jsolve_range range;

// ---- intervals -------------------------------------------------------------------------------------

typedef struct span {
  double lo, hi;
} span;

static const span everything = {-INFINITY, INFINITY};

static span checked(double lo, double hi) {
  return lo <= hi ? (span){lo, hi} : everything;
}

static span hull(span a, span b) {
  return (span){fmin(a.lo, b.lo), fmax(a.hi, b.hi)};
}

// A bound that is infinite stands for any number: times zero that is zero.
static double times(double a, double b) {
  return a == 0.0 || b == 0.0 ? 0.0 : a * b;
}

static span add(span a, span b) {
  return checked(a.lo + b.lo, a.hi + b.hi);
}

static span sub(span a, span b) {
  return checked(a.lo - b.hi, a.hi - b.lo);
}

static span mul(span a, span b) {
  if (a.lo == a.hi && b.lo == b.hi) return checked(times(a.lo, b.lo), times(a.lo, b.lo));
  double w = times(a.lo, b.lo), x = times(a.lo, b.hi), y = times(a.hi, b.lo), z = times(a.hi, b.hi);
  return checked(fmin(fmin(w, x), fmin(y, z)), fmax(fmax(w, x), fmax(y, z)));
}

static span divide(span a, span b) {
  if ((b.lo <= 0.0 && b.hi >= 0.0) || isinf(a.lo) || isinf(a.hi)) return everything;
  double w = a.lo / b.lo, x = a.lo / b.hi, y = a.hi / b.lo, z = a.hi / b.hi;
  return checked(fmin(fmin(w, x), fmin(y, z)), fmax(fmax(w, x), fmax(y, z)));
}

static span square(span a) {
  double x = a.lo * a.lo, y = a.hi * a.hi, least = a.lo <= 0.0 && a.hi >= 0.0 ? 0.0 : fmin(x, y);
  return checked(least, fmax(x, y));
}

// Bounds that overflow: what is beyond all numbers is at least the largest, so that its reciprocal is small.
static span widened(double lo, double hi) {
  if (lo == INFINITY) lo = DBL_MAX;
  if (hi == -INFINITY) hi = -DBL_MAX;
  return checked(lo - (ULPS * fabs(lo) + TINY), hi + (ULPS * fabs(hi) + TINY));
}

static span within(span a, double lo, double hi) {
  return (span){fmax(a.lo, lo), fmin(a.hi, hi)};
}

// Whether `from` + 2 pi k lies in a, for a whole k.
static bool meets(span a, double from) {
  double slack = TURNS * fmax(fabs(a.lo), fabs(a.hi));
  double first = ceil((a.lo - slack - from) / (2 * PI) - TURNS);
  return from + 2 * PI * first <= a.hi + 2 * slack + TURNS;
}

// A wave that is largest at `top` and least at `top` + pi.
static span wave(span a, double top, double (*f)(double)) {
  if (!(a.hi - a.lo < 2 * PI)) return (span){-1.0, 1.0};
  double x = f(a.lo), y = f(a.hi);
  span out = widened(fmin(x, y), fmax(x, y));
  if (meets(a, top)) out.hi = 1.0;
  if (meets(a, top + PI)) out.lo = -1.0;
  return out;
}

static span tangent(span a) {
  bool has_pole = !(a.hi - a.lo < PI) || meets(a, HALF_PI) || meets(a, -HALF_PI);
  return has_pole ? everything : widened(jm_tan(a.lo), jm_tan(a.hi));
}

// Of a function that grows, defined from `least` to `most`.
static span growing(span a, double (*f)(double), double least, double most) {
  if (!(a.hi >= least) || !(a.lo <= most)) return everything;
  a = within(a, least, most);
  return widened(f(a.lo), f(a.hi));
}

static span arc_cosine(span a) {
  if (!(a.hi >= -1.0) || !(a.lo <= 1.0)) return everything;
  a = within(a, -1.0, 1.0);
  return widened(jm_acos(a.hi), jm_acos(a.lo));
}

static span cosine_hyperbolic(span a) {
  double x = jm_cosh(a.lo), y = jm_cosh(a.hi);
  return widened(a.lo <= 0.0 && a.hi >= 0.0 ? 1.0 : fmin(x, y), fmax(x, y));
}

// The angle of a box has its ends at corners, where the box meets neither the origin nor the jump from pi to -pi.
static span angle(span y, span x) {
  if (x.lo <= 0.0 && y.lo <= 0.0 && y.hi >= 0.0) return (span){-PI - ULPS, PI + ULPS};
  double a = jm_atan2(y.lo, x.lo), b = jm_atan2(y.lo, x.hi), c = jm_atan2(y.hi, x.lo),
         d = jm_atan2(y.hi, x.hi);
  return widened(fmin(fmin(a, b), fmin(c, d)), fmax(fmax(a, b), fmax(c, d)));
}

static span power(span a, span b) {
  double n = b.lo;
  bool is_whole = b.lo == b.hi && n == floor(n) && fabs(n) < 1e9;
  if (is_whole && a.lo < 0.0) {
    bool is_even = n == 2.0 * floor(0.5 * n), has_zero = a.hi >= 0.0;
    if (n < 0.0 && has_zero) return everything;
    double x = jm_pow(a.lo, n), y = jm_pow(a.hi, n);
    if (is_even && has_zero && n > 0.0) return widened(0.0, fmax(x, y));
    return widened(fmin(x, y), fmax(x, y));
  }
  if (!(a.lo > 0.0) && !(a.lo == 0.0 && b.lo > 0.0)) return everything;
  double w = jm_pow(a.lo, b.lo), x = jm_pow(a.lo, b.hi), y = jm_pow(a.hi, b.lo),
         z = jm_pow(a.hi, b.hi);
  span out = widened(fmin(fmin(w, x), fmin(y, z)), fmax(fmax(w, x), fmax(y, z)));
  return out;
}

// ---- values with their rates -----------------------------------------------------------------------

static span value_of(const range* r) {
  return (span){r->lo, r->hi};
}

static span rate_of(const range* r) {
  return (span){r->rate_lo, r->rate_hi};
}

static range made(span value, span rate) {
  return (range){value.lo, value.hi, rate.lo, rate.hi};
}

static bool is_point(const range* r) {
  return r->lo == r->hi && r->rate_lo == 0.0 && r->rate_hi == 0.0;
}

// f(a), with f' over a. Where f may be anything, it may jump: tan at its poles.
static range chained(span value, span slope, const range* a) {
  bool is_known = !isinf(value.lo) || !isinf(value.hi);
  return made(value, is_known ? mul(slope, rate_of(a)) : everything);
}

// A value that jumps where it changes.
static range stepped(double lo, double hi) {
  span rate = lo == hi ? (span){0.0, 0.0} : everything;
  return made(checked(lo, hi), rate);
}

static range multiplied(const range* a, const range* b, bool is_square) {
  span x = value_of(a), y = value_of(b);
  if (is_square) return made(square(x), mul((span){2.0, 2.0}, mul(x, rate_of(a))));
  return made(mul(x, y), add(mul(rate_of(a), y), mul(x, rate_of(b))));
}

static range divided(const range* a, const range* b) {
  span r = divide(value_of(a), value_of(b));
  return made(r, divide(sub(rate_of(a), mul(r, rate_of(b))), value_of(b)));
}

static range raised(const range* a, const range* b) {
  span x = value_of(a), n = value_of(b), r = power(x, n);
  if (isinf(r.lo) && isinf(r.hi)) return made(r, everything);
  span rate = mul(mul(n, power(x, sub(n, (span){1.0, 1.0}))), rate_of(a));
  if (b->rate_lo == 0.0 && b->rate_hi == 0.0) return made(r, rate);
  return made(r, add(rate, mul(mul(r, growing(x, jm_log, TINY, INFINITY)), rate_of(b))));
}

static range turned(const range* y, const range* x) {
  span a = value_of(y), b = value_of(x), r = angle(a, b);
  bool may_jump = b.lo <= 0.0 && a.lo <= 0.0 && a.hi >= 0.0;
  if (may_jump) return made(r, everything);
  span above = sub(mul(b, rate_of(y)), mul(a, rate_of(x)));
  return made(r, divide(above, add(square(a), square(b))));
}

static double root(double x) {
  return sqrt(x);
}

static range elementary(int op, const range* a) {
  const span x = value_of(a), one = {1.0, 1.0};
  span r;
  switch (op) {
    case JSOLVE_ENCLOSE_NEG: return (range){-a->hi, -a->lo, -a->rate_hi, -a->rate_lo};
    case JSOLVE_ENCLOSE_SQRT:
      r = growing(x, root, 0.0, INFINITY);
      return chained(r, divide((span){0.5, 0.5}, r), a);
    case JSOLVE_ENCLOSE_EXP: r = growing(x, jm_exp, -INFINITY, INFINITY); return chained(r, r, a);
    case JSOLVE_ENCLOSE_LOG:
      return chained(x.lo > 0.0 ? growing(x, jm_log, 0.0, INFINITY) : everything, divide(one, x),
                     a);
    case JSOLVE_ENCLOSE_SIN: return chained(wave(x, HALF_PI, jm_sin), wave(x, 0.0, jm_cos), a);
    case JSOLVE_ENCLOSE_COS:
      r = wave(x, HALF_PI, jm_sin);
      return chained(wave(x, 0.0, jm_cos), (span){-r.hi, -r.lo}, a);
    case JSOLVE_ENCLOSE_TAN: r = tangent(x); return chained(r, add(one, square(r)), a);
    case JSOLVE_ENCLOSE_ASIN:
    case JSOLVE_ENCLOSE_ACOS:
      r = divide(one, growing(sub(one, square(x)), root, 0.0, INFINITY));
      if (op == JSOLVE_ENCLOSE_ASIN) return chained(growing(x, jm_asin, -1.0, 1.0), r, a);
      return chained(arc_cosine(x), (span){-r.hi, -r.lo}, a);
    case JSOLVE_ENCLOSE_ATAN:
      return chained(growing(x, jm_atan, -INFINITY, INFINITY), divide(one, add(one, square(x))), a);
    case JSOLVE_ENCLOSE_SINH:
      return chained(growing(x, jm_sinh, -INFINITY, INFINITY), cosine_hyperbolic(x), a);
    case JSOLVE_ENCLOSE_COSH:
      return chained(cosine_hyperbolic(x), growing(x, jm_sinh, -INFINITY, INFINITY), a);
    case JSOLVE_ENCLOSE_TANH:
      r = growing(x, jm_tanh, -INFINITY, INFINITY);
      return chained(r, within(sub(one, square(r)), 0.0, 1.0), a);
    case JSOLVE_ENCLOSE_ABS:
      if (x.lo >= 0.0) return *a;
      if (x.hi <= 0.0) return elementary(JSOLVE_ENCLOSE_NEG, a);
      r = hull(rate_of(a), (span){-a->rate_hi, -a->rate_lo});
      return made((span){0.0, fmax(-x.lo, x.hi)}, r);
    case JSOLVE_ENCLOSE_SIGN:
      return stepped((x.lo > 0.0) - (x.lo < 0.0), (x.hi > 0.0) - (x.hi < 0.0));
    case JSOLVE_ENCLOSE_FLOOR: return stepped(floor(x.lo), floor(x.hi));
    default: return made(everything, everything);
  }
}

static range smaller(const range* a, const range* b) {
  if (a->hi < b->lo) return *a;
  if (b->hi < a->lo) return *b;
  return made((span){fmin(a->lo, b->lo), fmin(a->hi, b->hi)}, hull(rate_of(a), rate_of(b)));
}

static range larger(const range* a, const range* b) {
  if (a->lo > b->hi) return *a;
  if (b->lo > a->hi) return *b;
  return made((span){fmax(a->lo, b->lo), fmax(a->hi, b->hi)}, hull(rate_of(a), rate_of(b)));
}

// Both may be chosen, one after the other: the value may jump.
static range either(const range* a, const range* b) {
  return made(hull(value_of(a), value_of(b)), everything);
}

static range binary(int op, const range* a, const range* b, bool is_same) {
  switch (op) {
    case JSOLVE_ENCLOSE_ADD:
      return made(add(value_of(a), value_of(b)), add(rate_of(a), rate_of(b)));
    case JSOLVE_ENCLOSE_SUB:
      return made(sub(value_of(a), value_of(b)), sub(rate_of(a), rate_of(b)));
    case JSOLVE_ENCLOSE_MUL: return multiplied(a, b, is_same);
    case JSOLVE_ENCLOSE_DIV: return divided(a, b);
    case JSOLVE_ENCLOSE_POW: return raised(a, b);
    case JSOLVE_ENCLOSE_ATAN2: return turned(a, b);
    case JSOLVE_ENCLOSE_MIN: return smaller(a, b);
    case JSOLVE_ENCLOSE_MAX: return larger(a, b);
    case JSOLVE_ENCLOSE_LT: return stepped(a->hi < b->lo, a->lo < b->hi);
    case JSOLVE_ENCLOSE_LE: return stepped(a->hi <= b->lo, a->lo <= b->hi);
    case JSOLVE_ENCLOSE_EQ:
      return stepped(is_point(a) && is_point(b) && a->lo == b->lo,
                     a->lo <= b->hi && b->lo <= a->hi);
    default: return elementary(op, a);
  }
}

static range selected(const range* c, const range* a, const range* b) {
  if (c->lo > 0.0 || c->hi < 0.0) return *a;
  return c->lo == 0.0 && c->hi == 0.0 ? *b : either(a, b);
}

// The largest k with X_k <= x, by the end of every X that is given.
static int located(const range* out, const int* slot, int n, double x, bool by_upper) {
  int k = 0;
  while (k < n - 3) {
    const range* X = &out[slot[2 + k]];
    if (!((by_upper ? X->hi : X->lo) <= x)) break;
    k++;
  }
  return k;
}

static range listed(int op, const range* out, const int* slot, int n) {
  const range* x = &out[slot[0]];
  if (op == JSOLVE_ENCLOSE_LOCATE)
    return stepped(located(out, slot, n, x->lo, true), located(out, slot, n, x->hi, false));
  double most = n - 2;
  int first = (int)fmin(fmax(x->lo, 0.0), most), last = (int)fmin(fmax(x->hi, 0.0), most);
  // a place outside of the list is its beginning
  if (!(x->lo >= 0.0) || !(x->hi <= most)) first = 0, last = is_point(x) ? 0 : (int)most;
  range r = out[slot[1 + first]];
  for (int k = first + 1; k <= last; k++)
    r = either(&r, &out[slot[1 + k]]);
  return r;
}

static range input(const jsolve_enclosure* e, const jsolve_enclose_inputs* in, int op, int at,
                   double t0, double t1) {
  double x;
  switch (op) {
    case JSOLVE_ENCLOSE_TIME: return (range){t0, t1, 1.0, 1.0};
    case JSOLVE_ENCLOSE_CONSTANT: x = e->constant[at]; break;
    case JSOLVE_ENCLOSE_PARAMETER:
      if (in->varies && in->varies[at]) return made(everything, (span){0.0, 0.0});
      x = in->p[at];
      break;
    case JSOLVE_ENCLOSE_MODE:
      if (in->any_state) return made((span){0.0, 1.0}, everything);
      x = in->mode[at];
      break;
    default:
      if (in->any_state) return made(everything, everything);
      if (in->state) return in->state[at];
      x = in->y[at];
  }
  return x == x ? (range){x, x, 0.0, 0.0} : made(everything, everything);
}

void jsolve_enclose(const jsolve_enclosure* e, const jsolve_enclose_inputs* in, double t0,
                    double t1, jsolve_range* out) {
  for (int i = 0; i < e->n; i++) {
    const int* c = e->code + 4 * i;
    int op = c[0];
    if (op <= JSOLVE_ENCLOSE_MODE) {
      out[i] = input(e, in, op, c[1], t0, t1);
    } else if (op == JSOLVE_ENCLOSE_SELECT) {
      out[i] = selected(&out[c[1]], &out[c[2]], &out[c[3]]);
    } else if (op >= JSOLVE_ENCLOSE_LOCATE) {
      out[i] = listed(op, out, e->list + c[1], c[2]);
    } else {
      out[i] = binary(op, &out[c[1]], &out[c[2]], c[1] == c[2]);
    }
  }
}

// Whether each function keeps its sign, or grows or falls throughout: no two changes of sign are in it.
static bool is_single(const jsolve_enclosure* e, const range* out) {
  for (int i = 0; i < e->nwatch; i++) {
    const range* r = &out[e->value[i]];
    bool is_monotone = r->rate_lo > 0.0 || r->rate_hi < 0.0;
    double cells = floor(r->hi) - floor(r->lo);
    bool is_one = e->is_whole[i] ? cells == 0.0 || (cells == 1.0 && is_monotone)
                                 : r->lo > 0.0 || r->hi < 0.0 || is_monotone;
    if (!is_one) return false;
  }
  return true;
}

bool jsolve_enclose_is_slow(const jsolve_enclosure* e, const jsolve_enclose_inputs* in, double t0,
                            double t1, double apart, jsolve_range* out) {
  jsolve_enclose(e, in, t0, t1, out);
  if (is_single(e, out)) return true;
  // two instants less than `apart` from each other are in one of these together
  double n = ceil((t1 - t0) / apart);
  for (double k = 0.0; k < n; k++) {
    double from = t0 + k * apart;
    jsolve_enclose(e, in, from, fmin(from + 2.0 * apart, t1), out);
    if (!is_single(e, out)) return false;
  }
  return true;
}
