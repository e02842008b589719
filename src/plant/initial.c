// SPDX-License-Identifier: Apache-2.0
// Sensitivity of the assembly. With r(q, p) = 0 its equations and R(q, qd, p) = 0 those of the
// velocities, docs/theory/sensitivity.md eq. (S9):
//   A dq = -(r_s ds + r_p dp)      A dqd = -(R_q dq + R_p dp)
// A = dr/dq by the coordinates that move; those that stay go with their guesses, those that rest not
// at all.
#include "plant/initial.h"

#include <assert.h>
#include <string.h>

#include "expr/tape.h"
#include "solve/linear.h"

#define RANK_TOLERANCE 1e-12

typedef struct problem {
  const jmodel* m;
  const jgen_position* p;
  const double* values;  // of the live numbers
  double *work, *closure_work, *initial_work;
  double t;
  const jmachine_assembly* at;
  double *dq, *dqd, *dp;  // directions
  double *r1, *r2, *dz, *ds, *dsd, *dguess;
  double *A, *b, *x;
  int nr;
} problem;

static void evaluate(problem* b) {
  const double* in[8] = {b->values, &b->t, b->at->q, NULL, b->at->qd, b->dq, b->dqd, b->dp};
  double* out[6] = {b->r1, b->r2, b->dz, b->ds, b->dsd, b->dguess};
  jexpr_tape_eval(&b->p->tapes.tangent, 1, in, out, b->work);
}

static jo_status allocate(jo_context* ctx, jarena* a, problem* b, int nw) {
  const jgen_position* p = b->p;
  int nq = p->nq, most = b->nr > nq ? b->nr : nq;
  double** array[] = {&b->dq, &b->dqd, &b->dp,     &b->r1, &b->r2, &b->dz,
                      &b->ds, &b->dsd, &b->dguess, &b->A,  &b->b,  &b->x};
  int size[] = {nq, nq, nw, b->nr, b->nr, p->nz, p->nd, p->nd, nq, b->nr * nq, most, nq};
  for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
    *array[i] = JARENA_ARRAY(a, size[i], double);
    if (!*array[i]) return jerr_memory(ctx);
  }
  JO_TRY(jexpr_tape_make_work(ctx, a, &p->tapes.tangent, &b->work));
  JO_TRY(jexpr_tape_make_work(ctx, a, &p->tapes.closure, &b->closure_work));
  return jexpr_tape_make_work(ctx, a, &p->tapes.initial, &b->initial_work);
}

static bool is_fixed(const problem* b, const bool* fixed, int coordinate) {
  return b->m->coordinate[coordinate].is_driven || fixed[coordinate];
}

// A by one pass over the equations' Jacobians; rows of quantities without the given value are zero
static jo_status fill_matrix(jo_context* ctx, jarena* a, problem* b, bool rates, const bool* fixed,
                             int* n) {
  const jgen_position* p = b->p;
  int nh = p->nh, ni = p->ninitial, nq = p->nq;
  double* h = JARENA_ARRAY(a, nh, double);
  double* J = JARENA_ARRAY(a, nh * nq, double);
  double* v = JARENA_ARRAY(a, 3 * ni + nq, double);
  double* Jq = JARENA_ARRAY(a, ni * nq, double);
  if (!h || !J || !v || !Jq) return jerr_memory(ctx);
  const double* in[8] = {b->values, &b->t, b->at->q};
  jexpr_tape_eval(&b->p->tapes.closure, 1, in, (double* const[]){h, J}, b->closure_work);
  jexpr_tape_eval(&b->p->tapes.initial, 1, in,
                  (double* const[]){v, v + ni, v + 2 * ni, Jq, v + 3 * ni}, b->initial_work);
  *n = 0;
  for (int c = 0; c < nq; c++) {
    if (is_fixed(b, fixed, c)) continue;
    for (int i = 0; i < b->nr; i++) {
      const jmodel_initial* q = i < nh ? NULL : &b->m->initial[i - nh];
      bool given = !q || (rates ? q->has_rate : q->has_value);
      b->A[i + *n * b->nr] = !given ? 0.0 : i < nh ? J[i + c * nh] : Jq[i - nh + c * ni];
    }
    ++*n;
  }
  return JO_OK;
}

// entries of d that are not fixed, from A d = -r
static jo_status solve(jo_context* ctx, jarena* a, problem* b, bool rates, const bool* fixed,
                       const double* r, double* d) {
  int n = 0;
  JO_TRY(fill_matrix(ctx, a, b, rates, fixed, &n));
  for (int i = 0; i < b->nr; i++) {
    b->b[i] = -r[i];
  }
  if (b->nr == 0 || n == 0) return JO_OK;
  int rank = jsolve_least_squares(ctx, b->nr, n, b->A, b->b, RANK_TOLERANCE, b->x);
  if (rank == JO_ERR_MEMORY) return jerr_memory(ctx);
  if (rank < n) {
    return jerr_set(ctx, JO_ERR_SINGULAR,
                    "%s: the start has no derivatives: the loops are assembled in a singular "
                    "position; give other initial conditions or guesses",
                    b->m->path);
  }
  for (int i = 0, k = 0; i < b->p->nq; i++) {
    if (!is_fixed(b, fixed, i)) d[i] = b->x[k++];
  }
  return JO_OK;
}

static void set_driven(const problem* b, const double* driven, double* d) {
  for (int i = 0, n = 0; i < b->p->nq; i++) {
    if (b->m->coordinate[i].is_driven) d[i] = driven[n++];
  }
}

// r with the fixed coordinates moved, then the others
static jo_status move_position(jo_context* ctx, jarena* a, problem* b) {
  const jmachine_assembly* at = b->at;
  int nq = b->p->nq;
  memset(b->dq, 0, (size_t)nq * sizeof *b->dq);
  memset(b->dqd, 0, (size_t)nq * sizeof *b->dqd);
  evaluate(b);
  for (int i = 0; i < nq; i++) {
    if (at->stays[i] && !at->is_moved) b->dq[i] = b->dguess[i];
  }
  set_driven(b, b->ds, b->dq);
  evaluate(b);
  return solve(ctx, a, b, false, at->stays, b->r1, b->dq);
}

static jo_status move_velocity(jo_context* ctx, jarena* a, problem* b) {
  memset(b->dqd, 0, (size_t)b->p->nq * sizeof *b->dqd);
  evaluate(b);
  set_driven(b, b->ds, b->dq);
  set_driven(b, b->dsd, b->dqd);
  evaluate(b);
  return solve(ctx, a, b, true, b->at->rests, b->r2, b->dqd);
}

static problem set_up(const jmodel* m, const jgen_position* p, const double* values, double t,
                      const jmachine_assembly* at) {
  return (problem){.m = m,
                   .p = p,
                   .values = values ? values : p->p,
                   .t = t,
                   .at = at,
                   .nr = p->nh + p->ninitial};
}

static void choose(problem* b, int nw, int k) {
  assert(k >= 0 && k < nw);
  memset(b->dp, 0, (size_t)nw * sizeof *b->dp);
  b->dp[k] = 1.0;
}

jo_status jplant_initial_sensitivity(jo_context* ctx, jarena* a, const jmodel* m,
                                     const jgen_position* p, const double* values, int nw, double t,
                                     const jmachine_assembly* at, double* dq, double* dqd,
                                     double* dz) {
  problem b = set_up(m, p, values, t, at);
  jarena_mark mark = jarena_save(a);
  jo_status status = allocate(ctx, a, &b, nw);
  for (int k = 0; k < nw && status >= 0; k++) {
    jarena_mark inner = jarena_save(a);
    choose(&b, nw, k);
    status = move_position(ctx, a, &b);
    if (status >= 0) status = move_velocity(ctx, a, &b);
    memcpy(dq + k * p->nq, b.dq, (size_t)p->nq * sizeof *dq);
    memcpy(dqd + k * p->nq, b.dqd, (size_t)p->nq * sizeof *dqd);
    memcpy(dz + k * p->nz, b.dz, (size_t)p->nz * sizeof *dz);
    jarena_restore(a, inner);
  }
  jarena_restore(a, mark);
  return status;
}

jo_status jplant_velocity_sensitivity(jo_context* ctx, jarena* a, const jmodel* m,
                                      const jgen_position* p, const double* values, int nw,
                                      double t, const jmachine_assembly* at, const double* dq,
                                      double* dqd) {
  problem b = set_up(m, p, values, t, at);
  jarena_mark mark = jarena_save(a);
  jo_status status = allocate(ctx, a, &b, nw);
  for (int k = 0; k < nw && status >= 0; k++) {
    jarena_mark inner = jarena_save(a);
    choose(&b, nw, k);
    memcpy(b.dq, dq + k * p->nq, (size_t)p->nq * sizeof *dq);
    status = move_velocity(ctx, a, &b);
    memcpy(dqd + k * p->nq, b.dqd, (size_t)p->nq * sizeof *dqd);
    jarena_restore(a, inner);
  }
  jarena_restore(a, mark);
  return status;
}
