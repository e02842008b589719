// SPDX-License-Identifier: Apache-2.0
// The tape in complex numbers: with one input displaced by i h, the imaginary part of an output
// over h is its derivative, free of cancellation. An independent check of diff.c.
#include <complex.h>
#include <math.h>

#include "base/data.h"
#include "expr/body.h"
#include "expr/tape/tape.h"

typedef double complex cplx;

// Integer powers by multiplication: exp(n log a) would put rounding of pi into the imaginary part.
static cplx power_integer(cplx a, double n) {
  if (n < 0.0) return 1.0 / power_integer(a, -n);
  cplx result = 1.0;
  for (cplx square = a; n >= 1.0; square *= square) {
    double half = floor(n / 2.0);
    if (n - 2.0 * half > 0.0) result *= square;
    n = half;
  }
  return result;
}

static cplx power(cplx a, cplx b) {
  if (cimag(b) == 0.0 && creal(b) == floor(creal(b)) && fabs(creal(b)) < 1e6) {
    return power_integer(a, creal(b));
  }
  return cexp(b * clog(a));
}

// The angle of (x, y) turned back by the angle of its real parts is small and has a plain tangent.
static cplx angle(cplx y, cplx x) {
  double yr = creal(y), xr = creal(x);
  return atan2(yr, xr) + catan((xr * y - yr * x) / (xr * x + yr * y));
}

static cplx unary(int op, cplx a) {
  double re = creal(a);
  switch (op) {
    case JEXPR_NEG: return -a;
    case JEXPR_SQRT: return csqrt(a);
    case JEXPR_EXP: return cexp(a);
    case JEXPR_LOG: return clog(a);
    case JEXPR_SIN: return csin(a);
    case JEXPR_COS: return ccos(a);
    case JEXPR_TAN: return ctan(a);
    case JEXPR_ASIN: return casin(a);
    case JEXPR_ACOS: return cacos(a);
    case JEXPR_ATAN: return catan(a);
    case JEXPR_SINH: return csinh(a);
    case JEXPR_COSH: return ccosh(a);
    case JEXPR_TANH: return ctanh(a);
    case JEXPR_ABS: return re < 0.0 ? -a : a;
    case JEXPR_SIGN: return (re > 0.0) - (re < 0.0);
    case JEXPR_FLOOR: return floor(re);
    default: return NAN;
  }
}

static cplx apply(int op, cplx a, cplx b, cplx c) {
  double x = creal(a), y = creal(b);
  switch (op) {
    case JEXPR_ADD: return a + b;
    case JEXPR_SUB: return a - b;
    case JEXPR_MUL: return a * b;
    case JEXPR_DIV: return a / b;
    case JEXPR_POW: return power(a, b);
    case JEXPR_ATAN2: return angle(a, b);
    case JEXPR_MIN: return x < y ? a : b;
    case JEXPR_MAX: return x > y ? a : b;
    case JEXPR_LT: return x < y ? 1.0 : 0.0;
    case JEXPR_LE: return x <= y ? 1.0 : 0.0;
    case JEXPR_EQ: return x == y ? 1.0 : 0.0;
    case JEXPR_SELECT: return x != 0.0 ? b : c;
    default: return unary(op, a);
  }
}

// docs of the two: ops.def; slots: first operand, then the list
static cplx apply_list(int op, const cplx* work, const int* slot, int n) {
  double x = creal(work[slot[0]]);
  int k = 0;
  if (op == JEXPR_PICK) {
    if (x >= 0.0 && x < n - 1) k = (int)x;
    return work[slot[1 + k]];
  }
  while (k < n - 3 && creal(work[slot[2 + k]]) <= x) {
    k++;
  }
  return k;
}

// The unknown of the real parts, and one step of Newton from there, of which the imaginary part is that of the
// implicit function.
typedef struct equation {
  const jexpr_tape* tape;
  const cplx* c;
  cplx* work;
  int n;
} equation;

static void equation_at(void* user, double x, double F[2]) {
  const equation* e = user;
  cplx at = x, c[JEXPR_MAX_VALUES], value[2];
  for (int k = 0; k < e->n; k++) {
    c[k] = creal(e->c[k]);
  }
  const cplx* in[2] = {&at, c};
  jexpr_tape_eval_complex(e->tape, in, (cplx* const[]){value}, e->work);
  F[0] = creal(value[0]);
  F[1] = creal(value[1]);
}

static cplx solve(const jexpr_tape* t, const jexpr_ins* i, cplx* work) {
  const jexpr_tape_body* b = &t->body[i->c];
  const int* slot = t->list + i->a;
  cplx c[JEXPR_MAX_VALUES], F[2];
  int n = i->b - JEXPR_SOLVE_VALUES;
  for (int k = 0; k < n; k++) {
    c[k] = work[slot[JEXPR_SOLVE_VALUES + k]];
  }
  equation e = {&b->tape, c, work + b->first_slot, n};
  cplx x = jexpr_solve_value(equation_at, &e, creal(work[slot[JEXPR_SOLVE_START]]),
                             creal(work[slot[JEXPR_SOLVE_STEP]]));
  const cplx* in[2] = {&x, c};
  jexpr_tape_eval_complex(e.tape, in, (cplx* const[]){F}, e.work);
  return x - I * cimag(F[0] / F[1]);
}

// A table at the real parts, and its derivatives by them for the imaginary ones. The foot on a line has derivatives of
// its own: those of the implicit function, see diff.c.
static cplx read_data(const jexpr_tape* t, const jexpr_ins* i, const cplx* input,
                      const cplx* work) {
  const int* slot = t->list + i->a;
  const double* in = (const double*)(const void*)input;
  int which = (int)creal(work[slot[1]]), du = (int)creal(work[slot[2]]);
  int dv = (int)creal(work[slot[3]]);
  double u = creal(work[slot[4]]), v = creal(work[slot[5]]);
  double iu = cimag(work[slot[4]]), iv = cimag(work[slot[5]]);
  double value = jdata_of_input(in, which, du, dv, u, v);
  if (iu == 0.0 && iv == 0.0) return value;
  if (du != JDATA_FOOT) {
    return value + I * (jdata_of_input(in, which, du + 1, dv, u, v) * iu +
                        jdata_of_input(in, which, du, dv + 1, u, v) * iv);
  }
  double on[2][3];
  for (int axis = 0; axis < 2; axis++) {
    for (int k = 0; k < 3; k++) {
      on[axis][k] = jdata_of_input(in, which + axis, k, 0, value, 0.0);
    }
  }
  double below = on[0][1] * on[0][1] + on[1][1] * on[1][1] - (u - on[0][0]) * on[0][2] -
                 (v - on[1][0]) * on[1][2];
  return value + I * ((on[0][1] * iu + on[1][1] * iv) / below);
}

void jexpr_tape_eval_complex(const jexpr_tape* t, const cplx* const* in, cplx* const* out,
                             cplx* work) {
  for (int k = 0; k < t->nconst; k++) {
    work[k] = t->constant[k];
  }
  for (const jexpr_ins *i = t->ins, *end = t->ins + t->n; i < end; i++) {
    if (i->op == JEXPR_OP_COUNT) {
      out[i->b][i->c] = work[i->a];
    } else if (i->op == JEXPR_INPUT) {
      work[i->dst] = in[i->a][i->b];
    } else if (i->op == JEXPR_SOLVE) {
      work[i->dst] = solve(t, i, work);
    } else if (i->op == JEXPR_DATA) {
      work[i->dst] = read_data(t, i, in[i->c], work);
    } else if (jexpr_ops[i->op].arity < 0) {
      work[i->dst] = apply_list(i->op, work, t->list + i->a, i->b);
    } else {
      int n = jexpr_ops[i->op].arity;
      cplx b = n > 1 ? work[i->b] : 0.0, c = n > 2 ? work[i->c] : 0.0;
      work[i->dst] = apply(i->op, work[i->a], b, c);
    }
  }
}
