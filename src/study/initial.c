// SPDX-License-Identifier: Apache-2.0
// Sensitivity of the assembly. With r(q, p) = 0 its equations and R(q, qd, p) = 0 those of the
// velocities, docs/theory/sensitivity.md eq. (S9):
//   A dq = -r_p dp      A dqd = -(R_q dq + R_p dp)      A = dr/dq by the coordinates that are free
#include "study/initial.h"

#include <string.h>

#include "expr/tape.h"
#include "solve/linear.h"

#define RANK_TOLERANCE 1e-12

typedef struct problem {
  const jmodel* m;
  const jgen_position* p;
  const double* values;  // of the live numbers
  jexpr_tape tape, closure, initial;
  double *work, *closure_work, *initial_work;
  double t;
  const double *q, *qd;
  double *dq, *dqd, *dp;  // directions
  double *r1, *r2, *dz, *ds, *dsd;
  double *A, *copy, *b, *x;
  int nr, nfree, *free;
} problem;

static jo_status prepare(jo_context* ctx, jarena* a, const jexpr_fn* fn, jexpr_tape* tape,
                         double** work) {
  JO_TRY(jexpr_tape_build(ctx, a, fn, tape));
  *work = JARENA_ARRAY(a, jexpr_tape_work(tape, 1) + 1, double);
  if (!*work) return jerr_memory(ctx);
  jexpr_tape_init(tape, 1, *work);
  return JO_OK;
}

static void evaluate(problem* b) {
  const double* in[8] = {b->values, &b->t, b->q, NULL, b->qd, b->dq, b->dqd, b->dp};
  double* out[5] = {b->r1, b->r2, b->dz, b->ds, b->dsd};
  jexpr_tape_eval(&b->tape, 1, in, out, b->work);
}

static jo_status allocate(jo_context* ctx, jarena* a, problem* b, int nw) {
  const jgen_position* p = b->p;
  int nq = p->nq, most = b->nr > nq ? b->nr : nq;
  double** array[] = {&b->dq, &b->dqd, &b->dp, &b->r1,   &b->r2, &b->dz,
                      &b->ds, &b->dsd, &b->A,  &b->copy, &b->b,  &b->x};
  int size[] = {nq,    nq,    nw,         b->nr,      b->nr, b->m->nstate,
                p->nd, p->nd, b->nr * nq, b->nr * nq, most,  nq};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    *array[i] = JARENA_ARRAY(a, size[i] + 1, double);
    if (!*array[i]) return jerr_memory(ctx);
  }
  b->free = JARENA_ARRAY(a, nq + 1, int);
  if (!b->free) return jerr_memory(ctx);
  for (int i = 0; i < nq; i++) {
    if (!b->m->coordinate[i].is_driven) b->free[b->nfree++] = i;
  }
  JO_TRY(prepare(ctx, a, &p->tangent, &b->tape, &b->work));
  JO_TRY(prepare(ctx, a, &p->closure, &b->closure, &b->closure_work));
  return prepare(ctx, a, &p->initial, &b->initial, &b->initial_work);
}

// A by one pass over the equations' Jacobians; rows of quantities without the given value are zero
static jo_status fill_matrix(jo_context* ctx, jarena* a, problem* b, bool rates) {
  const jgen_position* p = b->p;
  int nh = p->nh, ni = p->ninitial, nq = p->nq;
  double* h = JARENA_ARRAY(a, nh + 1, double);
  double* J = JARENA_ARRAY(a, nh * nq + 1, double);
  double* v = JARENA_ARRAY(a, 3 * ni + nq + 1, double);
  double* Jq = JARENA_ARRAY(a, ni * nq + 1, double);
  if (!h || !J || !v || !Jq) return jerr_memory(ctx);
  const double* in[8] = {b->values, &b->t, b->q};
  jexpr_tape_eval(&b->closure, 1, in, (double* const[]){h, J}, b->closure_work);
  jexpr_tape_eval(&b->initial, 1, in, (double* const[]){v, v + ni, v + 2 * ni, Jq, v + 3 * ni},
                  b->initial_work);
  for (int k = 0; k < b->nfree; k++) {
    int c = b->free[k];
    for (int i = 0; i < b->nr; i++) {
      const jmodel_initial* q = i < nh ? NULL : &b->m->initial[i - nh];
      bool given = !q || (rates ? q->has_rate : q->has_value);
      b->A[i + k * b->nr] = !given ? 0.0 : i < nh ? J[i + c * nh] : Jq[i - nh + c * ni];
    }
  }
  return JO_OK;
}

// free entries of d from A d = -r; driven ones as given
static jo_status solve(jo_context* ctx, problem* b, const double* r, const double* driven,
                       double* d) {
  int most = b->nr > b->nfree ? b->nr : b->nfree;
  memset(b->b, 0, (size_t)most * sizeof *b->b);
  for (int i = 0; i < b->nr; i++) {
    b->b[i] = -r[i];
  }
  memcpy(b->copy, b->A, (size_t)(b->nr * b->nfree) * sizeof *b->A);
  if (b->nr > 0 && b->nfree > 0 &&
      jsolve_least_squares(ctx, b->nr, b->nfree, b->copy, b->b, RANK_TOLERANCE, b->x) < 0) {
    return JO_ERR_NUMERIC;
  }
  for (int i = 0, k = 0, n = 0; i < b->p->nq; i++) {
    d[i] = b->m->coordinate[i].is_driven ? driven[n++] : b->nr > 0 ? b->x[k++] : 0.0;
  }
  return JO_OK;
}

static void set_driven(const problem* b, const double* driven, double* d) {
  for (int i = 0, n = 0; i < b->p->nq; i++) {
    d[i] = b->m->coordinate[i].is_driven ? driven[n++] : 0.0;
  }
}

static jo_status one_number(jo_context* ctx, jarena* a, problem* b) {
  int nq = b->p->nq;
  memset(b->dq, 0, (size_t)nq * sizeof *b->dq);
  memset(b->dqd, 0, (size_t)nq * sizeof *b->dqd);
  evaluate(b);  // ds, dsd
  set_driven(b, b->ds, b->dq);
  evaluate(b);  // r1 with the driven coordinates moved
  JO_TRY(fill_matrix(ctx, a, b, false));
  JO_TRY(solve(ctx, b, b->r1, b->ds, b->dq));
  set_driven(b, b->dsd, b->dqd);
  evaluate(b);  // r2 with the position moved
  JO_TRY(fill_matrix(ctx, a, b, true));
  return solve(ctx, b, b->r2, b->dsd, b->dqd);
}

jo_status jstudy_initial_sensitivity(jo_context* ctx, jarena* a, const jmodel* m,
                                     const jgen_position* p, const double* values, int nw, double t,
                                     const double* q, const double* qd, double* dq, double* dqd,
                                     double* dz) {
  problem b = {.m = m, .p = p, .t = t, .q = q, .qd = qd, .nr = p->nh + p->ninitial};
  b.values = values ? values : p->p;
  jarena_mark mark = jarena_save(a);
  jo_status status = allocate(ctx, a, &b, nw);
  for (int k = 0; k < nw && status >= 0; k++) {
    jarena_mark inner = jarena_save(a);
    memset(b.dp, 0, (size_t)nw * sizeof *b.dp);
    b.dp[k] = 1.0;
    status = one_number(ctx, a, &b);
    memcpy(dq + k * p->nq, b.dq, (size_t)p->nq * sizeof *dq);
    memcpy(dqd + k * p->nq, b.dqd, (size_t)p->nq * sizeof *dqd);
    memcpy(dz + k * m->nstate, b.dz, (size_t)m->nstate * sizeof *dz);
    jarena_restore(a, inner);
  }
  jarena_restore(a, mark);
  return status;
}
