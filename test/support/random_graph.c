// SPDX-License-Identifier: Apache-2.0
// Generation of random expressions and their plain evaluation. Draws and steps are made one statement after the other:
// compilers evaluate arguments in different orders, and graphs must not differ for that. Every step carries a bound of its
// magnitude; results that may grow are scaled or squashed before others build on them.
#include "support/random_graph.h"

#include <math.h>

#include "expr/solve.h"

#define LARGEST_VALUE  3.0
#define FEW_POINTS     6
#define LARGEST_TABLE  30.0  // of a table under linear continuation
#define NOT_FOR_OTHERS 1e9   // marks a value that need not be finite

// ---- numbers -----------------------------------------------------------------------------------

static uint64_t next(random_source* s) {
  s->state ^= s->state >> 12;
  s->state ^= s->state << 25;
  s->state ^= s->state >> 27;
  return s->state * 0x2545f4914f6cdd1du;
}

void random_seed(random_source* s, uint64_t seed) {
  s->state = seed * 0x9e3779b97f4a7c15u + 0x1234567u;
  for (int i = 0; i < 8; i++) {
    next(s);
  }
}

double random_uniform(random_source* s, double lo, double hi) {
  return lo + (hi - lo) * ((double)(next(s) >> 11) * 0x1p-53);
}

int random_below(random_source* s, int n) {
  return (int)((next(s) >> 33) % (uint64_t)n);
}

// ---- steps -------------------------------------------------------------------------------------

static int push(random_graph* r, random_step s) {
  r->step[r->nstep] = s;
  return r->nstep++;
}

static int constant(random_graph* r, double v) {
  return push(r, (random_step){.op = JEXPR_CONST,
                               .value = v,
                               .bound = fabs(v),
                               .flat = true,
                               .node = jexpr_const(r->g, v)});
}

static bool is_flat(const random_graph* r, jexpr_op op, int a, int b, int c) {
  bool fa = r->step[a].flat, fb = r->step[b].flat, fc = r->step[c].flat;
  if (jexpr_ops[op].class_ == JEXPR_CLASS_STEP) return true;
  switch (op) {
    case JEXPR_MUL:
    case JEXPR_MIN:
    case JEXPR_MAX: return fa || fb;
    case JEXPR_SELECT: return fb || fc;
    case JEXPR_DIV: return fa;
    default: return fa && fb;
  }
}

static int apply(random_graph* r, jexpr_op op, int a, int b, int c, double bound) {
  const random_step* s = r->step;
  bool step = jexpr_ops[op].class_ == JEXPR_CLASS_STEP;
  return push(r, (random_step){.op = (int)op,
                               .a = a,
                               .b = b,
                               .c = c,
                               .bound = bound,
                               .discrete = step,
                               .flat = is_flat(r, op, a, b, c),
                               .node = jexpr_apply(r->g, op, s[a].node, s[b].node, s[c].node)});
}

static int unary(random_graph* r, jexpr_op op, int a, double bound) {
  return apply(r, op, a, a, a, bound);
}
static int binary(random_graph* r, jexpr_op op, int a, int b, double bound) {
  return apply(r, op, a, b, b, bound);
}
static int plus(random_graph* r, int a, int b) {
  return binary(r, JEXPR_ADD, a, b, r->step[a].bound + r->step[b].bound);
}
static int times(random_graph* r, int a, int b) {
  return binary(r, JEXPR_MUL, a, b, r->step[a].bound * r->step[b].bound);
}
static int scaled(random_graph* r, double k, int a) {
  int b = times(r, constant(r, k), a);
  r->step[b].flat = r->step[a].flat;  // k is not zero
  return b;
}

// 1 + x*x: positive
static int positive(random_graph* r, int a) {
  int one = constant(r, 1.0);
  return plus(r, one, times(r, a, a));
}

// A value in [-limit, limit], limit < 1.3, for tan, asin and the like
static int narrow(random_graph* r, int a, double limit) {
  return scaled(r, limit, unary(r, random_below(&r->source, 2) ? JEXPR_TANH : JEXPR_SIN, a, 1.0));
}

// Keep magnitudes of order one.
static int squash(random_graph* r, int a) {
  double bound = r->step[a].bound;
  if (bound <= LARGEST_VALUE) return a;
  if (bound > 3.0 * LARGEST_VALUE) return scaled(r, 2.0 / bound, a);
  switch (random_below(&r->source, 4)) {
    case 0: return unary(r, JEXPR_TANH, a, 1.0);
    case 1: return unary(r, JEXPR_SIN, a, 1.0);
    case 2: return binary(r, JEXPR_DIV, a, positive(r, a), 0.5);
    default: return scaled(r, 2.0 / bound, a);
  }
}

// ---- operands ----------------------------------------------------------------------------------

static int any(random_graph* r) {
  int a;
  do {
    a = random_below(&r->source, r->nstep);
  } while (r->step[a].bound > LARGEST_VALUE);
  return a;
}

// One of the last results.
static int recent(random_graph* r) {
  int a = r->nstep - 1 - random_below(&r->source, 40);
  return a >= 0 && r->step[a].bound <= LARGEST_VALUE ? a : any(r);
}

// An operand whose comparison with another one has a margin.
static int smooth(random_graph* r) {
  for (;;) {
    int a = any(r);
    if (!r->step[a].flat) return a;
  }
}

static int another(random_graph* r, int than) {
  for (;;) {
    int a = smooth(r);
    if (r->step[a].node != r->step[than].node) return a;
  }
}

static int compare(random_graph* r, jexpr_op op) {
  int a = smooth(r);
  return binary(r, op, a, another(r, a), 1.0);
}

static int condition(random_graph* r) {
  static const jexpr_op op[] = {JEXPR_LT, JEXPR_LE, JEXPR_EQ};
  switch (random_below(&r->source, 4)) {
    case 0: {  // integers may well be equal
      int a = unary(r, JEXPR_FLOOR, smooth(r), 4.0), b = unary(r, JEXPR_FLOOR, smooth(r), 4.0);
      return binary(r, op[random_below(&r->source, 3)], a, b, 1.0);
    }
    case 1: {  // and, not
      int less = compare(r, JEXPR_LT), least = compare(r, JEXPR_LE), both = times(r, less, least);
      return binary(r, JEXPR_SUB, constant(r, 1.0), both, 1.0);
    }
    default: return compare(r, op[random_below(&r->source, 2)]);
  }
}

// ---- one operation -----------------------------------------------------------------------------

static int arithmetic(random_graph* r) {
  int a = any(r), b = any(r);
  double bound = r->step[a].bound + r->step[b].bound;
  switch (random_below(&r->source, 6)) {
    case 0: return binary(r, JEXPR_ADD, a, b, bound);
    case 1: return binary(r, JEXPR_SUB, a, b, bound);
    case 2: return binary(r, JEXPR_DIV, a, positive(r, b), r->step[a].bound);
    case 3: return unary(r, JEXPR_NEG, a, r->step[a].bound);
    default: return times(r, a, b);
  }
}

static int power(random_graph* r) {
  static const double exponent[] = {1.3, 2.5, -0.7, 0.5, 1.5, -0.5, 3.0, -2.0, 2.0, 0.1};
  int a = positive(r, any(r));
  if (random_below(&r->source, 4) == 0) {  // (1 + x*x)^y with y in [-1, 1]
    return binary(r, JEXPR_POW, a, narrow(r, any(r), 1.0), r->step[a].bound);
  }
  double n = exponent[random_below(&r->source, 10)];
  double bound = n > 0.0 ? pow(r->step[a].bound, n) : 1.0;
  return binary(r, JEXPR_POW, a, constant(r, n), bound);
}

// x with a = (1 + b*b) sinh(x - c)
static int unknown(random_graph* r) {
  jexpr_graph* g = r->g;
  int a = any(r), b = any(r), c = any(r);
  const random_step* s = r->step;
  jexpr_ref one = jexpr_const(g, 1.0);
  jexpr_ref slope = jexpr_add(g, one, jexpr_mul(g, s[b].node, s[b].node));
  jexpr_ref x = jexpr_sub(g, jexpr_hole(g), s[c].node);
  jexpr_ref residual = jexpr_sub(g, s[a].node, jexpr_mul(g, slope, jexpr_sinh(g, x)));
  return push(r, (random_step){.op = JEXPR_SOLVE,
                               .a = a,
                               .b = b,
                               .c = c,
                               .bound = s[c].bound + asinh(s[a].bound),
                               .flat = s[a].flat && s[c].flat,
                               .node = jexpr_solve(g, residual, jexpr_const(g, 0.5), one)});
}

// Data: table 0 is sin(u + v/2); tables 1 and 2 are a straight line, on which places have feet.
static double data_at(const jdata* d, int which, int du, int dv, double u, double v) {
  (void)d;
  if (du == JDATA_FOOT) return (u + 0.5 * v) / 1.25;
  if (which > 0) return (which == 1 ? 1.0 : 0.5) * (dv > 0 || du > 1 ? 0.0 : du == 1 ? 1.0 : u);
  double size = 1.0;
  for (int i = 0; i < dv; i++) {
    size *= 0.5;
  }
  int turns = (du + dv) % 4;
  double x = u + 0.5 * v, value = turns % 2 == 0 ? sin(x) : cos(x);
  return turns < 2 ? size * value : -size * value;
}

const jdata random_graph_data = {data_at};

static int data(random_graph* r) {
  int a = any(r), b = any(r), is_foot = random_below(&r->source, 2);
  const random_step* s = r->step;
  return push(
      r, (random_step){.op = JEXPR_DATA,
                       .a = a,
                       .b = b,
                       .value = is_foot,
                       .bound = is_foot ? s[a].bound + s[b].bound : 1.0,
                       .flat = s[a].flat && s[b].flat,
                       .node = jexpr_data(r->g, r->ngroup, is_foot, is_foot ? JDATA_FOOT : 0, 0,
                                          s[a].node, s[b].node)});
}

static int function(random_graph* r) {
  int a = any(r);
  double bound = r->step[a].bound;
  switch (random_below(&r->source, 17)) {
    case 0: return unary(r, JEXPR_SIN, a, 1.0);
    case 1: return unary(r, JEXPR_COS, a, 1.0);
    case 2: return unary(r, JEXPR_TAN, narrow(r, a, 1.2), 2.6);
    case 3: return unary(r, JEXPR_ASIN, narrow(r, a, 0.9), 1.6);
    case 4: return unary(r, JEXPR_ACOS, narrow(r, a, 0.9), 3.0);
    case 5: return unary(r, JEXPR_ATAN, a, 1.6);
    case 6: return unary(r, JEXPR_TANH, a, 1.0);
    case 7: return unary(r, JEXPR_SINH, a, sinh(bound));
    case 8: return unary(r, JEXPR_COSH, a, cosh(bound));
    case 9: return unary(r, JEXPR_EXP, a, exp(bound));
    case 10: return unary(r, JEXPR_LOG, positive(r, a), log(1.0 + bound * bound));
    case 11: return unary(r, JEXPR_SQRT, positive(r, a), 1.0 + bound);
    case 12: {
      int y = smooth(r), x = smooth(r);
      return binary(r, JEXPR_ATAN2, y, x, 3.2);
    }
    case 13: return unknown(r);
    case 14: return data(r);
    default: return power(r);
  }
}

static int choice(random_graph* r) {
  int a = smooth(r), b = another(r, a);
  double most = fmax(r->step[a].bound, r->step[b].bound);
  switch (random_below(&r->source, 7)) {
    case 0: return binary(r, JEXPR_MIN, a, b, most);
    case 1: return binary(r, JEXPR_MAX, a, b, most);
    case 2: return unary(r, JEXPR_ABS, a, r->step[a].bound);
    case 3: return times(r, b, unary(r, JEXPR_SIGN, a, 1.0));
    case 4: return times(r, b, scaled(r, 0.25, unary(r, JEXPR_FLOOR, a, 4.0)));
    case 5: {  // a branch that is not finite where it is not taken
      int zero = constant(r, 0.0), root = unary(r, JEXPR_SQRT, a, NOT_FOR_OTHERS);
      int guard = binary(r, JEXPR_LT, zero, a, 1.0);
      int product = binary(r, JEXPR_MUL, root, b, NOT_FOR_OTHERS);
      return apply(r, JEXPR_SELECT, guard, product, zero, 2.0 * r->step[b].bound);
    }
    default: return apply(r, JEXPR_SELECT, condition(r), a, b, most);
  }
}

static int table(random_graph* r) {
  if (r->ntable == RANDOM_MAX_TABLE) return any(r);
  random_source* s = &r->source;
  random_table* t = &r->table[r->ntable];
  *t = (random_table){.n = 0};
  t->kind = random_below(s, 2) ? JEXPR_TABLE_CUBIC : JEXPR_TABLE_LINEAR;
  t->rule = random_below(s, 2) ? JEXPR_EXTRAPOLATE_HOLD : JEXPR_EXTRAPOLATE_LINEAR;
  t->n = 1 + random_below(s, FEW_POINTS);
  // long tables find their interval in another way
  bool is_long = random_below(s, 8) == 0;
  if (is_long) t->n = RANDOM_TABLE_POINTS - random_below(s, 3);
  bool X_varies = random_below(s, 3) == 0 && !is_long;
  bool Y_varies = random_below(s, 2) == 0 && !is_long;
  double apart = is_long ? 0.15 : 1.0;
  t->varies = X_varies || Y_varies;
  jexpr_ref X[RANDOM_TABLE_POINTS], Y[RANDOM_TABLE_POINTS];
  for (int k = 0; k < t->n; k++) {  // abscissae at least 0.4 apart
    t->X[k] = constant(r, -1.5 + apart * (k + random_uniform(s, -0.1, 0.1)));
    if (X_varies) t->X[k] = plus(r, t->X[k], narrow(r, any(r), 0.2));
    t->Y[k] = Y_varies && k > 0 ? another(r, t->Y[k - 1])
              : Y_varies        ? smooth(r)
                                : constant(r, random_uniform(s, -2.0, 2.0));
    X[k] = r->step[t->X[k]].node;
    Y[k] = r->step[t->Y[k]].node;
  }
  int x = smooth(r);
  jexpr_ref node = jexpr_table(r->g, t->kind, t->rule, r->step[x].node, X, Y, t->n);
  int a = r->ntable++;
  return push(r, (random_step){.op = RANDOM_STEP_TABLE,
                               .a = a,
                               .b = x,
                               .bound = LARGEST_TABLE,
                               .flat = true,
                               .node = node});
}

static void operation(random_graph* r) {
  int kind = random_below(&r->source, 20), a;
  if (kind < 8) {
    a = arithmetic(r);
  } else if (kind < 14) {
    a = function(r);
  } else if (kind < 18) {
    a = choice(r);
  } else if (kind < 19) {
    a = table(r);
  } else {
    a = constant(r, random_uniform(&r->source, -2.0, 2.0));
  }
  squash(r, a);
}

// ---- the whole ---------------------------------------------------------------------------------

static void make_inputs(random_graph* r) {
  static const char* const name[RANDOM_MAX_GROUP] = {"q", "qd", "p"};
  r->ngroup = 2 + random_below(&r->source, 2);
  r->ninput = 6 + random_below(&r->source, RANDOM_MAX_INPUT - 5);
  for (int k = 0; k <= r->ngroup; k++) {
    r->group_start[k] = k * r->ninput / r->ngroup;
  }
  for (int k = 0; k < r->ngroup; k++) {
    int size = r->group_start[k + 1] - r->group_start[k];
    int group = jexpr_group(r->g, name[k], size, JEXPR_PER_LANE);
    for (int i = 0; i < size; i++) {
      int j = r->group_start[k] + i;
      r->input[j] = jexpr_input(r->g, group, i);
      push(r, (random_step){.op = JEXPR_INPUT, .a = j, .bound = 2.0, .node = r->input[j]});
    }
  }
  jexpr_group(r->g, "data", 0, JEXPR_UNIFORM);
}

void random_graph_build(random_graph* r, jexpr_graph* g, uint64_t seed) {
  r->g = g;
  r->nstep = r->ntable = 0;
  random_seed(&r->source, seed);
  make_inputs(r);
  int noperation = 20 + random_below(&r->source, 61);
  for (int i = 0; i < noperation; i++) {
    operation(r);
  }
  // outputs gather the last results, so that most steps matter
  r->noutput = 2 + random_below(&r->source, RANDOM_MAX_OUTPUT - 1);
  for (int k = 0; k < r->noutput; k++) {
    int sum = any(r);
    for (int i = 0; i < 3; i++) {
      sum = plus(r, sum, recent(r));
    }
    r->output_step[k] = sum;
    r->output[k] = r->step[sum].node;
  }
}

// ---- plain evaluation --------------------------------------------------------------------------

typedef struct evaluation {
  const random_graph* r;
  const double* x;
  double* v;      // of every step
  double margin;  // smallest so far
} evaluation;

static void near(evaluation* e, double distance) {
  e->margin = fmin(e->margin, fabs(distance));
}

// Slope at an end from the spacing and the chords of the first two intervals, limited to keep
// the first interval monotone.
static double end_slope(evaluation* e, bool varies, double h0, double h1, double d0, double d1) {
  double d = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
  if (varies) {
    near(e, d0);
    near(e, d1);
    near(e, d);
    near(e, fabs(d) - 3.0 * fabs(d0));
  }
  if (d * d0 <= 0.0) return 0.0;
  return d0 * d1 < 0.0 && fabs(d) > 3.0 * fabs(d0) ? 3.0 * d0 : d;
}

static void pchip_slopes(evaluation* e, bool varies, int n, const double* X, const double* Y,
                         double* s) {
  double h[RANDOM_TABLE_POINTS], d[RANDOM_TABLE_POINTS];
  for (int i = 0; i + 1 < n; i++) {
    h[i] = X[i + 1] - X[i];
    d[i] = (Y[i + 1] - Y[i]) / h[i];
    if (varies && n > 2) near(e, d[i]);
  }
  if (n == 2) {
    s[0] = s[1] = d[0];
    return;
  }
  for (int i = 1; i + 1 < n; i++) {
    double w1 = 2.0 * h[i] + h[i - 1], w2 = h[i] + 2.0 * h[i - 1];
    s[i] = d[i - 1] * d[i] > 0.0 ? (w1 + w2) / (w1 / d[i - 1] + w2 / d[i]) : 0.0;
  }
  s[0] = end_slope(e, varies, h[0], h[1], d[0], d[1]);
  s[n - 1] = end_slope(e, varies, h[n - 2], h[n - 3], d[n - 2], d[n - 3]);
}

// Hermite form on [0, 1]
static double hermite(double u, double h, double y0, double y1, double s0, double s1) {
  double v = 1.0 - u;
  return y0 * v * v * (1.0 + 2.0 * u) + y1 * u * u * (3.0 - 2.0 * u) +
         h * u * v * (s0 * v - s1 * u);
}

static double eval_table(evaluation* e, const random_table* t, double x) {
  int n = t->n;
  double X[RANDOM_TABLE_POINTS], Y[RANDOM_TABLE_POINTS], s[RANDOM_TABLE_POINTS] = {0};
  for (int k = 0; k < n; k++) {
    X[k] = e->v[t->X[k]];
    Y[k] = e->v[t->Y[k]];
    if (n > 1) near(e, x - X[k]);
  }
  if (n == 1) return Y[0];
  bool cubic = t->kind == JEXPR_TABLE_CUBIC, hold = t->rule == JEXPR_EXTRAPOLATE_HOLD;
  if (cubic) pchip_slopes(e, t->varies, n, X, Y, s);
  double first = cubic ? s[0] : (Y[1] - Y[0]) / (X[1] - X[0]);
  double last = cubic ? s[n - 1] : (Y[n - 1] - Y[n - 2]) / (X[n - 1] - X[n - 2]);
  if (x <= X[0]) return hold ? Y[0] : Y[0] + first * (x - X[0]);
  if (x >= X[n - 1]) return hold ? Y[n - 1] : Y[n - 1] + last * (x - X[n - 1]);
  int k = 0;
  while (x >= X[k + 1]) {
    k++;
  }
  double h = X[k + 1] - X[k], u = (x - X[k]) / h;
  if (!cubic) return Y[k] + u * (Y[k + 1] - Y[k]);
  return hermite(u, h, Y[k], Y[k + 1], s[k], s[k + 1]);
}

// Where the value of this step jumps or bends.
static void note_margin(evaluation* e, const random_step* s, double a, double b) {
  const random_step* step = e->r->step;
  switch (s->op) {
    case JEXPR_ABS:
    case JEXPR_SIGN: near(e, a); break;
    case JEXPR_SQRT: near(e, a); break;  // the slope grows without limit
    case JEXPR_FLOOR: near(e, a - floor(a + 0.5)); break;
    case JEXPR_ATAN2: near(e, b < 0.0 ? a : hypot(a, b)); break;
    case JEXPR_LT:
    case JEXPR_LE:
    case JEXPR_EQ:
    case JEXPR_MIN:
    case JEXPR_MAX:
      if (!(step[s->a].discrete && step[s->b].discrete)) near(e, a - b);
      break;
    default: break;
  }
}

static double eval_step(const random_step* s, double a, double b, double c) {
  switch (s->op) {
    case JEXPR_CONST: return s->value;
    case JEXPR_ADD: return a + b;
    case JEXPR_SUB: return a - b;
    case JEXPR_MUL: return a * b;
    case JEXPR_DIV: return a / b;
    case JEXPR_NEG: return -a;
    case JEXPR_SQRT: return sqrt(a);
    case JEXPR_POW: return pow(a, b);
    case JEXPR_EXP: return exp(a);
    case JEXPR_LOG: return log(a);
    case JEXPR_SIN: return sin(a);
    case JEXPR_COS: return cos(a);
    case JEXPR_TAN: return tan(a);
    case JEXPR_ASIN: return asin(a);
    case JEXPR_ACOS: return acos(a);
    case JEXPR_ATAN: return atan(a);
    case JEXPR_ATAN2: return atan2(a, b);
    case JEXPR_SINH: return sinh(a);
    case JEXPR_COSH: return cosh(a);
    case JEXPR_TANH: return tanh(a);
    case JEXPR_ABS: return fabs(a);
    case JEXPR_SIGN: return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : 0.0;
    case JEXPR_FLOOR: return floor(a);
    case JEXPR_LT: return a < b;
    case JEXPR_LE: return a <= b;
    case JEXPR_EQ: return a == b;
    case JEXPR_MIN: return fmin(a, b);
    case JEXPR_MAX: return fmax(a, b);
    case JEXPR_SELECT: return a != 0.0 ? b : c;
    case JEXPR_DATA: return s->value > 0.0 ? (a + 0.5 * b) / 1.25 : sin(a + 0.5 * b);
    case JEXPR_SOLVE: return c + asinh(a / (1.0 + b * b));
    default: return NAN;
  }
}

double random_graph_eval(const random_graph* r, const double* x, double* y) {
  double v[RANDOM_MAX_STEP];
  evaluation e = {r, x, v, INFINITY};
  for (int i = 0; i < r->nstep; i++) {
    const random_step* s = &r->step[i];
    if (s->op == JEXPR_INPUT) {
      v[i] = x[s->a];
    } else if (s->op == RANDOM_STEP_TABLE) {
      v[i] = eval_table(&e, &r->table[s->a], v[s->b]);
    } else if (s->op == JEXPR_CONST) {
      v[i] = s->value;
    } else {
      note_margin(&e, s, v[s->a], v[s->b]);
      v[i] = eval_step(s, v[s->a], v[s->b], v[s->c]);
    }
  }
  for (int k = 0; k < r->noutput; k++) {
    y[k] = v[r->output_step[k]];
  }
  return e.margin;
}

bool random_graph_point(random_graph* r, double* x) {
  double y[RANDOM_MAX_OUTPUT];
  for (int attempt = 0; attempt < 200; attempt++) {
    for (int i = 0; i < r->ninput; i++) {
      x[i] = random_uniform(&r->source, -2.0, 2.0);
    }
    if (random_graph_eval(r, x, y) > RANDOM_MARGIN) return true;
  }
  return false;
}
